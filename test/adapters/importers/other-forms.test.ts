// Conversations in other forms than JSON for programs: logs of agents, ChatGPT's page, tables, YAML.
import { describe, expect, it } from 'vitest';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { groupFiles, recognise } from '../../../src/services/library/sources.ts';
import * as chatgpt from '../../fixtures/chatgpt.ts';
import { type Contents, filesOf, jsonl } from '../../fixtures/files.ts';
import { readAll } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;
const T = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, n)).toISOString();

async function read(files: Readonly<Record<string, Contents>>) {
  const all: Awaited<ReturnType<typeof readAll>>['conversations'] = [];
  const skipped: Record<string, number> = {};
  for (const source of groupFiles(filesOf(files)))
    for (const { source: piece, importer } of (await recognise(source, IMPORTERS, never)).pieces) {
      const one = await readAll(importer, piece);
      all.push(...one.conversations);
      Object.assign(skipped, one.skipped);
    }
  const said = all.map(({ source, meta, messages }) => ({
    id: source.id,
    title: meta.title,
    said: messages.map(({ role, parts }) => [
      role,
      ...parts.map((part) => ('text' in part ? part.text : part.type)),
    ]),
  }));
  return { said, skipped, conversations: all };
}

const talk = [
  ['user', 'Which loaf?'],
  ['assistant', 'Rye.'],
];

const claudeCode = [
  { type: 'summary', summary: 'About loaves', leafUuid: 'u3' },
  { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
  {
    parentUuid: null,
    isSidechain: false,
    cwd: '/p',
    sessionId: 's1',
    type: 'user',
    uuid: 'u1',
    timestamp: T(0),
    message: { role: 'user', content: 'Which loaf?' },
  },
  { parentUuid: 'u1', sessionId: 's1', type: 'attachment', uuid: 'u2', timestamp: T(0) },
  {
    parentUuid: 'u2',
    isSidechain: false,
    sessionId: 's1',
    type: 'assistant',
    uuid: 'u3',
    timestamp: T(1),
    message: { role: 'assistant', model: 'claude-x', content: [{ type: 'text', text: 'Rye.' }] },
  },
  {
    parentUuid: null,
    isSidechain: true,
    agentId: 'a1',
    sessionId: 's1',
    type: 'user',
    uuid: 'v1',
    timestamp: T(2),
    message: { role: 'user', content: 'Look it up.' },
  },
  {
    parentUuid: 'v1',
    isSidechain: true,
    agentId: 'a1',
    sessionId: 's1',
    type: 'assistant',
    uuid: 'v2',
    timestamp: T(3),
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'Read', input: {} }] },
  },
];
const item = (n: number, payload: object) => ({ timestamp: T(n), type: 'response_item', payload });
const codex = [
  {
    timestamp: T(0),
    type: 'session_meta',
    payload: { id: 'codex-1', timestamp: T(0), cwd: '/p', cli_version: '0.50' },
  },
  { timestamp: T(0), type: 'turn_context', payload: { model: 'gpt-x' } },
  item(0, {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: '<environment_context>\n</environment_context>' }],
  }),
  item(1, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which loaf?' }] }),
  { timestamp: T(1), type: 'event_msg', payload: { type: 'user_message', message: 'Which loaf?' } },
  item(2, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Bread.' }], encrypted_content: 'x' }),
  item(2, { type: 'function_call', name: 'shell', arguments: '{"a":1}', call_id: 'k' }),
  item(3, { type: 'function_call_output', call_id: 'k', output: 'flour' }),
  item(4, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rye.' }] }),
];
const gemini = [
  { sessionId: 'g1', projectHash: 'h', startTime: T(0), lastUpdated: T(0), kind: 'main' },
  { id: '1', timestamp: T(0), type: 'user', content: 'Which loaf?' },
  { id: '2', timestamp: T(1), type: 'gemini', content: 'Ry', model: 'gemini-x' },
  {
    id: '2',
    timestamp: T(1),
    type: 'gemini',
    content: 'Rye.',
    model: 'gemini-x',
    thoughts: [{ subject: 'Bread', description: 'thinking' }],
  },
  { $set: { lastUpdated: T(2), summary: 'Loaves' } },
  { $rewindTo: '2' },
  { id: '3', timestamp: T(3), type: 'gemini', content: 'Spelt.' },
];
const openCode = {
  info: { id: 'ses_1', title: 'Loaves', directory: '/p', time: { created: Date.UTC(2026, 0, 1) } },
  messages: [
    {
      info: { id: 'm1', role: 'user', time: { created: Date.UTC(2026, 0, 1) } },
      parts: [{ type: 'text', text: 'Which loaf?' }],
    },
    {
      info: { id: 'm2', role: 'assistant', time: { created: Date.UTC(2026, 0, 1) }, modelID: 'x' },
      parts: [
        { type: 'step-start' },
        { type: 'tool', tool: 'bash', callID: 'c', state: { input: {}, output: 'flour' } },
        { type: 'text', text: 'Rye.' },
      ],
    },
  ],
};

describe('the log of an agent is read', () => {
  it('Claude Code, its sidechain by itself', async () => {
    const { said, conversations } = await read({ 'p/a.jsonl': jsonl(...claudeCode) });
    expect(said).toEqual([
      { id: 's1', title: 'About loaves', said: talk },
      {
        id: 's1/a1',
        title: '',
        said: [
          ['user', 'Look it up.'],
          ['assistant', 'tool-call'],
        ],
      },
    ]);
    expect(conversations[0]?.messages[1]).toMatchObject({
      sourceId: 'u3',
      parentId: 'u1',
      model: 'claude-x',
    });
  });

  it('Codex, without the events that repeat it', async () => {
    const { said, conversations } = await read({ 'rollout-2026-01-01T10-00-00-x.jsonl': jsonl(...codex) });
    expect(said).toEqual([
      {
        id: 'codex-1',
        title: '',
        said: [
          ['system', '<environment_context>\n</environment_context>'],
          talk[0],
          ['assistant', 'Bread.'],
          ['assistant', 'tool-call'],
          ['tool', 'flour'],
          talk[1],
        ],
      },
    ]);
    expect(conversations[0]?.messages.at(-1)).toMatchObject({ createdAt: Date.parse(T(4)), model: 'gpt-x' });
  });

  it('Gemini CLI: the last of a message counts, and a rewind leaves a branch', async () => {
    const { said, conversations } = await read({ 'session-1.jsonl': jsonl(...gemini) });
    expect(said).toEqual([
      {
        id: 'g1',
        title: 'Loaves',
        said: [talk[0], ['assistant', 'Bread: thinking', 'Rye.'], ['assistant', 'Spelt.']],
      },
    ]);
    expect(conversations[0]?.messages.map(({ parentId }) => parentId)).toEqual([null, '1', '1']);
  });

  it('OpenCode and Copilot Chat', async () => {
    expect((await read({ 'ses.json': JSON.stringify(openCode) })).said).toEqual([
      {
        id: 'ses_1',
        title: 'Loaves',
        said: [talk[0], ['assistant', 'tool-call'], ['tool', 'flour'], talk[1]],
      },
    ]);
    const copilot = {
      ...{ responderUsername: 'GitHub Copilot', sessionId: 'cp' },
      requests: [
        { message: { text: 'Which loaf?' }, response: [{ value: 'Rye.' }], timestamp: Date.UTC(2026, 0, 1) },
      ],
    };
    expect((await read({ 'chat.json': JSON.stringify(copilot, null, 2) })).said).toEqual([
      { id: 'cp', title: '', said: talk },
    ]);
  });

  it('aider, one conversation for each start', async () => {
    const session = (time: string) =>
      `\n# aider chat started at 2026-01-01 ${time}\n\n> Aider v0.80\n\n#### Which\n#### loaf?\n\nRye.\n\nGood.\n`;
    const { said } = await read({ '.aider.chat.history.md': session('10:00:00') + session('11:00:00') });
    const one = [
      ['system', 'Aider v0.80'],
      ['user', 'Which\nloaf?'],
      ['assistant', 'Rye.\n\nGood.'],
    ];
    expect(said.map((each) => each.said)).toEqual([one, one]);
  });

  it('counts a record that is cut off', async () => {
    const { said, skipped } = await read({ 'rollout-x.jsonl': jsonl(...codex).slice(0, -40) });
    expect(said[0]?.said).toHaveLength(5);
    expect(skipped).toEqual({ 'malformed-line': 1 });
  });

  it('takes many in a folder as one source', async () => {
    const { said } = await read({
      'all/2026/rollout-a.jsonl': jsonl(...codex),
      'all/x/b.jsonl': jsonl(...claudeCode),
      'all/notes.bin': 'x',
    });
    expect(said.map(({ id }) => id)).toEqual(['codex-1', 's1', 's1/a1']);
  });
});

describe('a conversation in another form is read', () => {
  const page = (list: unknown) =>
    `<html><head><title>ChatGPT Data Export</title></head><body><script>\n  var jsonData = ${JSON.stringify(list)};\n  var assetsJson = {"a":[1]};\n</script></body></html>`;
  const lines = async (files: Readonly<Record<string, Contents>>) =>
    (await read(files)).said.map(({ said }) => said);

  it("the page of a ChatGPT export, alone or in a ZIP's folder without its listing", async () => {
    const conversations = [chatgpt.branched, chatgpt.tools];
    const whole = await read({ 'conversations.json': JSON.stringify(conversations) });
    expect((await read({ 'chat.html': page(conversations) })).said).toEqual(whole.said);
    const folder = { 'e/chat.html': page(conversations), 'e/user.json': '{"id":"u"}' };
    expect((await read(folder)).said).toEqual(whole.said);
    const both = { ...folder, 'e/conversations.json': JSON.stringify(conversations) };
    expect((await read(both)).said).toEqual(whole.said);
  });

  it.each<[string, string]>([
    ['chat.csv', '\ufeffRole,Content\r\nuser,"Which loaf?"\r\nassistant,Rye.\r\n'],
    ['chat.tsv', 'sender\ttext\nuser\tWhich loaf?\nassistant\tRye.\n'],
    ['chat.yaml', '- role: user\n  content: Which loaf?\n- role: assistant\n  content: Rye.\n'],
    [
      'chat.yml',
      'title: T\nmessages:\n  - role: user\n    content: Which loaf?\n  - role: assistant\n    content: Rye.\n',
    ],
  ])('%s', async (name, text) => {
    expect(await lines({ [name]: text })).toEqual([talk]);
  });

  it('keeps separators, quotes and line ends of a cell, and tells conversations apart', async () => {
    const table =
      'conversation_id,role,content\na,user,"One, ""two""\nthree"\na,assistant,Yes\nb,user,Four\nb,assistant,No\n';
    expect(await lines({ 'chat.csv': table })).toEqual([
      [
        ['user', 'One, "two"\nthree'],
        ['assistant', 'Yes'],
      ],
      [
        ['user', 'Four'],
        ['assistant', 'No'],
      ],
    ]);
  });

  it.each<[string, Contents, object]>([
    ['table.csv', 'name,age\na,1\n', { code: 'import-unknown', params: { reason: 'documents' } }],
    ['saved.html', '<html><body>Hello</body></html>', { code: 'import-unknown', params: { reason: 'page' } }],
    ['settings.yaml', 'a: 1\n', { code: 'import-unknown' }],
    [
      'state.vscdb',
      new TextEncoder().encode('SQLite format 3\0\u0001'),
      { code: 'import-binary', params: { reason: 'database' } },
    ],
    [
      'r.jsonl.zst',
      new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 1]),
      { code: 'import-binary', params: { reason: 'zstd' } },
    ],
  ])('is none in %s, which is named truly', async (name, contents, problem) => {
    const [source] = groupFiles(filesOf({ [name]: contents }));
    await expect(recognise(source as NonNullable<typeof source>, IMPORTERS, never)).rejects.toMatchObject({
      problem,
    });
  });
});
