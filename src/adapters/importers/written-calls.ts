// Calls that Cline and its kin let a model write into its words as tags, and the results that come back in a person's
// name: read as calls, results and answers, with what the person herself said apart from what the agent wrote.
import { readJson } from '../../domain/base/json.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { fenced } from '../../domain/text/code.ts';
import { type CallReader, isAdded, withoutTag } from './message-shapes.ts';

/** Tools whose words are an answer to the person, with the parameter that holds it. */
const ANSWERS: Readonly<Record<string, string>> = {
  ask_followup_question: 'question',
  attempt_completion: 'result',
  plan_mode_respond: 'response',
  act_mode_respond: 'response',
  summarize_task: 'context',
  condense: 'context',
};
const TOOLS: readonly string[] = [
  ...Object.keys(ANSWERS),
  ...[
    'execute_command',
    'read_file',
    'write_to_file',
    'replace_in_file',
    'edit_file',
    'apply_diff',
    'apply_patch',
  ],
  ...[
    'insert_content',
    'search_and_replace',
    'search_replace',
    'search_files',
    'list_files',
    'codebase_search',
  ],
  ...['list_code_definition_names', 'browser_action', 'use_mcp_tool', 'access_mcp_resource', 'new_task'],
  ...['load_mcp_documentation', 'web_fetch', 'web_search', 'new_rule', 'report_bug', 'fetch_instructions'],
  ...['switch_mode', 'update_todo_list', 'run_slash_command', 'generate_image', 'use_skill', 'focus_chain'],
];
const OPENING = new RegExp(`<(thinking|${TOOLS.join('|')})>`, 'g');
/** Parameters that may hold any text, their own tag included: they end at its last end. */
const LONG: ReadonlySet<string> = new Set([
  'content',
  'diff',
  'result',
  'response',
  'context',
  'args',
  'patch',
]);
const MOST_PARAMETERS = 40;
/** Stands behind the tag of a call: its first parameter, its end, or the end of all. */
const PARAMETER = /\s{0,40}(?:<\/?[a-z_]{1,40}>|$)/y;

/** A message out of another, as lists of messages have them. */
export interface Spoken {
  readonly role: Role;
  readonly isNote: boolean;
  readonly parts: Part[];
}

/** True for a text that such an agent puts into a person's name: a task, its surroundings, the result of a call. */
export const isOfWrittenCalls = (text: string): boolean =>
  /^\s*<task>/.test(text) || text.includes('<environment_details>') || resultIn(text) !== undefined;

/** Reads an answer with the calls in it; a call that breaks off has what there is of it. */
export function withWrittenCalls(text: string, calls: CallReader): Part[] {
  const parts: Part[] = [];
  const say = (words: string) => {
    if (words.trim() !== '') parts.push({ type: 'text', text: words.trim() });
  };
  let [from, isEndless] = [0, false];
  for (const { 0: tag, 1: name = '', index } of text.matchAll(OPENING)) {
    const start = index + tag.length;
    // A tag that is only spoken of holds no parameters, and thoughts that never end are none.
    PARAMETER.lastIndex = start;
    const isThought = name === 'thinking';
    if (index < from || (isThought ? isEndless : !PARAMETER.test(text))) continue;
    const closed = text.indexOf(`</${name}>`, start);
    isEndless ||= isThought && closed < 0;
    if (isThought && isEndless) continue;
    const end = closed < 0 ? text.length : closed;
    const body = text.slice(start, end);
    say(text.slice(from, index));
    from = closed < 0 ? end : end + name.length + 3;
    if (isThought) {
      if (body.trim() !== '') parts.push({ type: 'reasoning', text: body.trim() });
      continue;
    }
    const given = parametersIn(body);
    const answer = answerOf(name, given);
    if (answer !== undefined) say(answer);
    else {
      const call = calls.call({ name, arguments: given });
      if (call) parts.push(call);
    }
  }
  if (from === 0) return text.trim() === '' ? [] : [{ type: 'text', text }];
  say(text.slice(from));
  return parts;
}

/** Parameters by their names; words between them stand under `text`. */
function parametersIn(body: string): Record<string, string> {
  const found = new Map<string, string>();
  const beside: string[] = [];
  const opening = /<([a-z_]{1,40})>/g;
  let from = 0;
  for (let tag = opening.exec(body); tag && found.size < MOST_PARAMETERS; tag = opening.exec(body)) {
    const [{ length }, name = ''] = tag;
    const start = tag.index + length;
    const close = `</${name}>`;
    const closed = LONG.has(name) ? body.lastIndexOf(close) : body.indexOf(close, start);
    const end = closed < start ? body.length : closed;
    beside.push(body.slice(from, tag.index));
    const value = body.slice(start, end);
    found.set(name, LONG.has(name) ? value.replace(/^\n|\n$/g, '') : value.trim());
    from = closed < start ? end : end + close.length;
    opening.lastIndex = from;
  }
  beside.push(body.slice(from));
  const words = beside.map((one) => one.trim()).filter((one) => one !== '');
  return { ...Object.fromEntries(found), ...(words.length === 0 ? {} : { text: words.join('\n') }) };
}

/** The words of a tool that answers, and all else that it was given. */
function answerOf(name: string, given: Readonly<Record<string, string>>): string | undefined {
  const main = ANSWERS[name];
  if (main === undefined || !given[main]) return undefined;
  const others = Object.entries(given).map(([key, value]) => {
    if (key === main || /^(?:true|false)?$/.test(value)) return '';
    if (key === 'command') return fenced(value, 'sh');
    return key === 'options' || key === 'follow_up' ? optionsIn(value) : value;
  });
  return [given[main].trim(), ...others.filter((one) => one !== '')].join('\n\n');
}

function optionsIn(value: string): string {
  const list = readJson(value);
  const options = Array.isArray(list)
    ? list.map(String)
    : [...value.matchAll(/<suggest[^<>]{0,100}>([^<]*)<\/suggest>/g)].map(([, one = '']) => one.trim());
  return options.length === 0 ? value : options.map((one) => `- ${one}`).join('\n');
}

// ------------------------------------------------------------------------------------------------ results
const KNOWN: ReadonlySet<string> = new Set(TOOLS);
const RESULT_END = '] Result:';

/** A result's beginning: `[read_file for 'a.ts'] Result:`; undefined for other words. */
function resultIn(text: string): { readonly name: string; readonly rest: string } | undefined {
  const name = /^\s*\[([a-z_]{1,40})(?= |\])/.exec(text)?.[1];
  const end = name !== undefined && KNOWN.has(name) ? text.indexOf(RESULT_END) : -1;
  return name === undefined || end < 0 ? undefined : { name, rest: text.slice(end + RESULT_END.length) };
}

/** Words of the agent before a person's; in an answer to a question those stand between tags alone. */
const SAID_BESIDE = /provided the following (?:feedback|context):\s*<(feedback)>/;
const SAID_TO_ANSWER = /<(feedback|answer|user_message)>/;
/** Texts that the agent writes in the person's name. */
const BY_AGENT = /^\s*(?:\[(?:ERROR|TASK RESUMPTION)\]|# (?:task_progress|TODO LIST)\b)/;

/** Reads what stands in a person's name: results of calls, notes of the agent, and the person's own words. */
export function saidInName(parts: readonly Part[], calls: CallReader): Spoken[] {
  const spoken: Spoken[] = [];
  const add = (role: Role, part: Part, isNote = false) => {
    const last = spoken.at(-1);
    if (last?.role === role && last.isNote === isNote) last.parts.push(part);
    else spoken.push({ role, isNote, parts: [part] });
  };
  let open: { readonly name: string; readonly words: string[] } | undefined;
  const close = () => {
    if (!open) return;
    const { name, words } = open;
    const isAnswer = name in ANSWERS;
    open = undefined;
    const { own, others } = apart(words.join('\n').trim(), isAnswer ? SAID_TO_ANSWER : SAID_BESIDE);
    if (!isAnswer) add('tool', calls.result({ name }, others));
    else if (others !== '') add('system', { type: 'text', text: others }, true);
    if (own !== '') add('user', { type: 'text', text: own });
  };
  for (const part of parts.flatMap(withoutSurroundings)) {
    const text = part.type === 'text' ? part.text : undefined;
    if (text === undefined) {
      add(part.type === 'tool-result' ? 'tool' : 'user', part);
      continue;
    }
    const result = resultIn(text);
    if (result || isAdded(text)) close();
    if (result) open = { name: result.name, words: [result.rest] };
    else if (isAdded(text)) add('system', { type: 'text', text }, true);
    else if (open) open.words.push(text);
    else if (BY_AGENT.test(text)) {
      const { own, others } = apart(text, SAID_TO_ANSWER);
      add('system', { type: 'text', text: others }, true);
      if (own !== '') add('user', { type: 'text', text: own });
    } else add('user', { type: 'text', text: withoutTag(text) });
  }
  close();
  return spoken;
}

const SURROUNDINGS = 'environment_details';
/** A text, and by itself what the agent added behind it. */
function withoutSurroundings(part: Part): Part[] {
  const text = part.type === 'text' ? part.text.trimEnd() : '';
  const at = text.endsWith(`</${SURROUNDINGS}>`) ? text.lastIndexOf(`\n<${SURROUNDINGS}>`) : -1;
  return at < 0
    ? [part]
    : [text.slice(0, at).trim(), text.slice(at + 1)].flatMap((one) =>
        one === '' ? [] : [{ type: 'text', text: one }],
      );
}

/** Parts a person's words between tags from the words around them. */
function apart(text: string, before: RegExp): { readonly own: string; readonly others: string } {
  const found = before.exec(text);
  const close = `</${found?.[1] ?? ''}>`;
  const end = found ? text.lastIndexOf(close) : -1;
  if (!found || end < found.index) return { own: '', others: text };
  const start = found.index + found[0].length;
  const opening = `<${found[1] ?? ''}>`.length;
  const others = `${text.slice(0, start - opening).trimEnd()}\n${text.slice(end + close.length).trimStart()}`;
  return { own: text.slice(start, end).trim(), others: others.trim() };
}
