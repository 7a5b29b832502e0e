import { describe, expect, it } from 'vitest';
import { markdown } from '../../../src/adapters/importers/markdown.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { documents, files, TURNS } from '../../fixtures/markdown-files.ts';
import { readAll } from '../../suites/importer.suite.ts';

const signal = new AbortController().signal;
const read = (contents: Readonly<Record<string, string>>) => readAll(markdown, sourceOf('chats', contents));

describe('Markdown of other tools', () => {
  it.each(Object.keys(files))('%s says who said what', async (path) => {
    const { conversations, skipped } = await read({ [path]: files[path] as string });
    const [conversation] = conversations;
    const messages = conversation?.messages.filter(({ kind }) => kind === 'message') ?? [];
    expect(
      messages.map(({ role, parts }) => [
        role,
        parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      ]),
    ).toEqual(TURNS);
    expect(messages.map(({ parentId }) => parentId).slice(1)).toEqual(
      messages.slice(0, -1).map(({ id }) => id),
    );
    expect(skipped).toEqual({});
  });

  it.each([
    ['the page of ChatGPT', '##### You said:\na b?\n\n###### ChatGPT said:\nc d.'],
    ['a full-width colon', '我：a b?\n\nAI：c d.'],
    ['brackets', '[User]\na b?\n\n[Assistant]\nc d.'],
    ['a template', '<|im_start|>user\na b?<|im_end|>\n<|im_start|>assistant\nc d.<|im_end|>\n'],
    ['headings with words behind them', '### Human: a b?\n### Assistant: c d.'],
    [
      'a time and then a colon',
      '**User** (2025-10-01 10:00):\na b?\n\n**Assistant** (2025-10-01 10:01):\nc d.',
    ],
    ['lines without a blank one between', 'User: a b?\nAssistant: c d.\n'],
  ])('may name its speakers by %s', async (_, text) => {
    const { conversations } = await read({ 'a.md': text });
    expect(
      conversations[0]?.messages.map(({ role, parts }) => [role, parts[0]?.type === 'text' && parts[0].text]),
    ).toEqual([
      ['user', 'a b?'],
      ['assistant', 'c d.'],
    ]);
  });

  it.each([
    '# Notes\n\nUser: Anna\nAssistant: Ben\n',
    '## Question: a\n\n## Summary: b\n\n## Question: c',
    '[User]\nname = a\n\n[Server]\nport = 1\n',
    '问题：a\n\n结论：b\n',
  ])('is none where a document has such lines: %j', async (text) => {
    expect(await markdown.sniff(sourceOf('a.md', { 'a.md': text }), signal)).toBe(0);
  });

  it('takes title, date, model and what was thought from where they stand', async () => {
    const of = async (path: string) => (await read({ [path]: files[path] as string })).conversations[0];
    const at = Date.UTC(2026, 2, 1, 10);
    expect(await of('chats/headings.md')).toMatchObject({ meta: { title: 'Rye: bread', createdAt: at } });
    expect((await of('chats/headings.md'))?.messages[1]).toMatchObject({ model: 'gpt-4o', createdAt: at });
    expect((await of('chats/2026-03-01 exporter.md'))?.meta).toMatchObject({
      title: 'Rye bread',
      createdAt: at,
    });
    expect((await of('chats/names.md'))?.meta.title).toBe('names');
    expect((await of('chats/rules.md'))?.messages.map((m) => [m.createdAt - at, m.model])).toEqual([
      [0, undefined],
      [60_000, 'claude-sonnet-4-5'],
      [120_000, undefined],
    ]);
    expect((await of('chats/ours.md'))?.messages[1]).toMatchObject({
      model: 'kimi-k2',
      createdAt: at + 60_000,
      parts: [{ type: 'reasoning', text: 'Rye is slow.' }, { type: 'text' }],
    });
  });

  it('keeps what stands before the first word as a note', async () => {
    const { conversations } = await read({
      'a.md': '# T\n\nExported today.\n\n## User\n\nhi\n\n## Claude\n\nhello\n',
    });
    expect(conversations[0]?.messages[0]).toMatchObject({
      kind: 'note',
      parts: [{ type: 'text', text: 'Exported today.' }],
    });
  });

  it('goes on with a conversation that has grown since', async () => {
    const whole = files['chats/headings.md'] as string;
    const ids = async (text: string) =>
      (await read({ 'a.md': text })).conversations.map(({ source, messages }) => [
        source.id,
        messages.map((m) => m.sourceId),
      ]);
    const [[name, all] = []] = await ids(whole);
    const [[same, some] = []] = await ids(whole.slice(0, whole.lastIndexOf('## User')));
    expect(same).toBe(name);
    expect(some).toEqual(all?.slice(0, 2));
  });

  it.each([
    ['## Message From You:', '## Message From ChatGPT:'],
    ['## 来自你的消息:', '## 来自 ChatGPT 的消息:'],
    ['#### You said:', '#### ChatGPT said:'],
    ['**You asked:**', '**Gemini answered:**'],
    ['*User:*', '*Assistant:*'],
    ['**[User]**', '**[Assistant]**'],
    ['### **User**', '### **Assistant**'],
    ['## User', '## gpt-4o'],
    ['## Human:', '## Claude Sonnet 4:'],
    ['**User** (2025-06-15 10:00:00)', '**Assistant** (2025-06-15 10:01:00)'],
    ['### User, on 15/06/2025 at 10:00:00;', '### ChatGPT, on 15/06/2025 at 10:01:00;'],
    [
      '> [!nexus_user] **User** - 2025/06/15 at 10:00:00',
      '> [!nexus_agent] **Assistant** - 2025/06/15 at 10:01:00',
    ],
  ])('hears %s and %s', async (user, assistant) => {
    const { conversations } = await read({
      'a.md': `${user}\nhello\n\n${assistant}\n# Turn\n\n## Turn 2\n\n${user}\nmore\n`,
    });
    expect(conversations[0]?.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['user', [{ type: 'text', text: 'hello' }]],
      ['assistant', [{ type: 'text', text: '# Turn' }]],
      ['user', [{ type: 'text', text: 'more' }]],
    ]);
  });

  it('knows speakers that are underlined', async () => {
    const { conversations } = await read({
      'a.md': 'User\n----\n\nhi\n\nAssistant\n---------\n\nhello\n\nNotes\n-----\n\nmore\n',
    });
    expect(conversations[0]?.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['user', [{ type: 'text', text: 'hi' }]],
      ['assistant', [{ type: 'text', text: 'hello\n\nNotes\n-----\n\nmore' }]],
    ]);
  });

  it.each([
    ['a colon', 'ada-l: hi\n\nGitHub Copilot: hello\n\nNote: more\n\nada-l: why?\n\nGitHub Copilot: so\n'],
    [
      'a heading',
      '## Ada L.\n\nhi\n\n## GitHub Copilot\n\nhello\n\nNote: more\n\n## Ada L.\n\nwhy?\n\n## GitHub Copilot\n\nso\n',
    ],
    [
      'a bold name',
      '**ada_l:** hi\n\n**Claude:** hello\n\nNote: more\n\n**ada_l:** why?\n\n**Claude:** so\n',
    ],
  ])('knows a person by a name of their own who takes turns with a program: %s', async (_, text) => {
    const { conversations } = await read({ 'a.md': text });
    expect(
      conversations[0]?.messages.map(({ role, parts }) => [
        role,
        parts[0] && 'text' in parts[0] && parts[0].text,
      ]),
    ).toEqual([
      ['user', 'hi'],
      ['assistant', 'hello\n\nNote: more'],
      ['user', 'why?'],
      ['assistant', 'so'],
    ]);
  });

  it.each([
    'Note: it is late.\n\nClaude: a name of a person as well.\n',
    '# Bread\n\nFlour.\n\n# Claude\n\nA baker.\n\n# Water\n\nCold.\n\n# Claude\n\nAgain.\n',
    'Ada: hi\n\nBob: hello\n\nAda: why?\n\nBob: so\n',
  ])('takes no document for a talk with somebody of that name: %j', async (text) => {
    expect(await markdown.sniff(sourceOf('a.md', { 'a.md': text }), signal)).toBe(0);
  });

  it('leaves documents alone', async () => {
    for (const [path, text] of Object.entries(documents))
      expect(await markdown.sniff(sourceOf(path, { [path]: text }), signal), path).toBe(0);
    expect(
      (await markdown.claim(sourceOf('all', { ...files, ...documents }).files, signal)).own.map(
        (f) => f.path,
      ),
    ).toEqual(Object.keys(files));
  });

  it.each([
    ['fences that never end', (n: number) => '```\n'.repeat(n)],
    [
      'fences, each longer',
      (n: number) => Array.from({ length: Math.sqrt(n) }, (_, at) => '`'.repeat(at + 3)).join('\n'),
    ],
    ['stars', (n: number) => `${'*'.repeat(n)}\n**a**`],
    ['blank lines', (n: number) => `${'\n \t'.repeat(n)}`],
    ['rules', (n: number) => `## User\n\na\n\n## Claude\n\n${'---\n'.repeat(n)}b`],
    ['lists of lists before it', (n: number) => `---\n${'['.repeat(n)}\n---\n`],
  ])('is not held up by %s', async (_, make) => {
    const text = `## User\n\nhi\n\n## Assistant\n\nhello\n\n${make(40_000)}`;
    const started = process.cpuUsage();
    await read({ 'a.md': text, 'b.md': make(40_000) });
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });
});
