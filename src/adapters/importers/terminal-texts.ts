// Reads texts that Claude Code's `/export` writes: the screen of its session. A line that begins with `>` or `❯` is the
// person's, one with `⏺` or `●` the model's or a call, and what a call gave stands behind `⎿`.
const BY_PERSON = /^[>❯] (.*)$/;
const BY_MODEL = /^[⏺●] (.*)$/;
const CALL = /^([A-Z]\w{0,40}(?: - [\w-]{1,40} \(MCP\))?)\((.*)$/;
const RESULT = /^ {2}⎿ {1,2}(.*)$/;
/** Lines by which the program tells how long it worked. */
const WORKED = /^[✻✽✢✶✳·∗※] /;
/** Lines of the beginning that tell. */
const MOST_EXAMINED = 400;

interface Said {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly lines: string[];
}

/** True for the beginning of such a text: both sides speak, and nothing else has these marks. */
export function isTerminalText(head: string): boolean {
  const lines = head.split(/\r\n|\n|\r/, MOST_EXAMINED);
  const isMarked = /⏺|Claude Code/.test(head);
  return isMarked && lines.some((line) => BY_PERSON.test(line)) && lines.some((line) => BY_MODEL.test(line));
}

/** Reads the session of such a text. Linear: each line is looked at once. */
export function terminalSession(text: string): { readonly messages: readonly unknown[] } {
  const said: Said[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const person = BY_PERSON.exec(line);
    const model = BY_MODEL.exec(line);
    const result = RESULT.exec(line);
    const last = said.at(-1);
    if (person) said.push({ role: 'user', lines: [person[1] ?? ''] });
    else if (model) said.push({ role: 'assistant', lines: [model[1] ?? ''] });
    else if (result && last?.role === 'assistant') said.push({ role: 'tool', lines: [result[1] ?? ''] });
    else if (WORKED.test(line)) said.push({ role: 'system', lines: [line.slice(2)] });
    else if (last && last.role !== 'system')
      last.lines.push(line.replace(last.role === 'tool' ? /^ {1,5}/ : /^ {1,2}/, ''));
    else if (last && line.trim() !== '') last.lines.push(line);
    else if (line.trim() !== '') said.push({ role: 'system', lines: [line] });
  }
  let calls = 0;
  const messages = said.map(({ role, lines }, at) => {
    const content = lines.join('\n').trim();
    if (role === 'tool') return { role, tool_call_id: `call-${calls}`, content };
    const [, name, rest = ''] = (role === 'assistant' && CALL.exec(content)) || [];
    if (name === undefined || !/\)\s*$/.test(content) || said[at + 1]?.role !== 'tool')
      return { role, content };
    calls += 1;
    const input = [rest, ...lines.slice(1)].join('\n').trim().replace(/\)$/, '');
    return { role, tool_calls: [{ id: `call-${calls}`, function: { name, arguments: { input } } }] };
  });
  return { messages };
}
