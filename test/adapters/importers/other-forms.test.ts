// Conversations in other forms than JSON for programs: logs of agents, ChatGPT's page, tables, YAML.
import { describe, expect, it } from 'vitest';
import { sessionsIn } from '../../../src/adapters/importers/agent-logs.ts';
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

  it('Copilot Chat as it grows, its thoughts apart from its words', async () => {
    const { said } = await read({
      'chat.jsonl': jsonl(
        { kind: 0, v: { sessionId: 'x', responderUsername: 'GitHub Copilot', requests: [] } },
        { kind: 2, k: ['requests'], v: [{ message: { text: 'Which loaf?' }, response: [] }] },
        {
          kind: 2,
          k: ['requests', 0, 'response'],
          v: [{ kind: 'thinking', value: 'Bread.' }, { value: 'Sp' }],
        },
        { kind: 2, k: ['requests', 0, 'response'], i: 1, v: [{ value: 'Ry' }, { value: 'e.' }] },
        { kind: 1, k: ['customTitle'], v: 'Loaves' },
      ),
    });
    expect(said).toEqual([
      {
        id: 'x',
        title: 'Loaves',
        said: [
          ['user', 'Which loaf?'],
          ['assistant', 'Bread.', 'Rye.'],
        ],
      },
    ]);
  });

  it('what codex exec prints', async () => {
    const item = (payload: object) => ({ type: 'item.completed', item: payload });
    const { said } = await read({
      'events.jsonl': jsonl(
        { type: 'thread.started', thread_id: 't' },
        { type: 'turn.started' },
        item({ id: '1', type: 'command_execution', command: 'ls', aggregated_output: 'flour' }),
        item({ id: '2', type: 'agent_message', text: 'Rye.' }),
        { type: 'turn.completed', usage: {} },
      ),
    });
    expect(said.map((one) => one.said)).toEqual([
      [
        ['assistant', 'tool-call'],
        ['tool', 'flour'],
        ['assistant', 'Rye.'],
      ],
    ]);
  });

  it.each<[string, readonly object[]]>([
    [
      'Claude Code’s audit',
      [
        { type: 'system', subtype: 'init', session_id: 's' },
        { type: 'user', message: { role: 'user', content: 'Which loaf?' }, session_id: 's' },
        {
          type: 'assistant',
          message: { role: 'assistant', content: [{ type: 'text', text: 'Rye.' }] },
          session_id: 's',
        },
      ],
    ],
    [
      'Qwen Code',
      [
        {
          uuid: 'a',
          parentUuid: null,
          sessionId: 's',
          type: 'user',
          message: { role: 'user', parts: [{ text: 'Which loaf?' }] },
        },
        {
          uuid: 'b',
          parentUuid: 'a',
          sessionId: 's',
          type: 'assistant',
          message: { role: 'model', parts: [{ text: 'Rye.' }] },
        },
      ],
    ],
    [
      'Droid and Pi',
      [
        { type: 'session', version: 3, id: 's', cwd: '/' },
        { type: 'message', id: 'b', message: { role: 'user', content: 'Which loaf?' } },
        {
          type: 'message',
          id: 'c',
          parentId: 'b',
          message: { role: 'assistant', content: [{ type: 'text', text: 'Rye.' }] },
        },
      ],
    ],
    [
      'Copilot’s command line',
      [
        { type: 'session.start', data: { sessionId: 's' }, id: 'e0' },
        { type: 'user.message', data: { content: 'Which loaf?' }, id: 'e1', parentId: 'e0' },
        { type: 'assistant.message', data: { content: 'Rye.' }, id: 'e2', parentId: 'e1' },
      ],
    ],
    [
      'SillyTavern, behind its head',
      [
        { user_name: 'Ada', character_name: 'Bot', chat_metadata: {} },
        { name: 'Ada', is_user: true, mes: 'Which loaf?' },
        { name: 'Bot', is_user: false, mes: 'Rye.' },
      ],
    ],
  ])('%s, whose first line says nothing', async (_, records) => {
    const { said } = await read({ 'log.jsonl': jsonl(...records) });
    expect(said.map((one) => one.said)).toEqual([talk]);
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

  it('kimi-code: its steps, its title, and what was put in as no one’s words', async () => {
    const loop = (event: object) => ({
      type: 'context.append_loop_event',
      time: Date.UTC(2026, 0, 1),
      event,
    });
    const message = (text: string, kind: string) => ({
      type: 'context.append_message',
      time: Date.UTC(2026, 0, 1),
      message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin: { kind } },
    });
    const wire = jsonl(
      { type: 'metadata', protocol_version: '1.5', created_at: 1_750_000_000_000 },
      { type: 'config.update', modelAlias: 'kimi-x' },
      { type: 'turn.prompt', input: [{ type: 'text', text: 'Which loaf?' }], origin: { kind: 'user' } },
      message('Which loaf?', 'user'),
      message('Be short.', 'injection'),
      loop({ type: 'step.begin', uuid: 's' }),
      loop({ type: 'content.part', stepUuid: 's', part: { type: 'think', think: 'Bread.' } }),
      loop({ type: 'tool.call', stepUuid: 's', toolCallId: 'c', name: 'LS', args: { path: '/' } }),
      loop({ type: 'tool.result', toolCallId: 'c', result: { output: 'flour' } }),
      loop({ type: 'content.part', stepUuid: 't', part: { type: 'text', text: 'Rye.' } }),
    );
    const folder = { 'ses_1/state.json': '{"title":"Loaves"}', 'ses_1/agents/main/wire.jsonl': wire };
    const { said, skipped, conversations } = await read(folder);
    expect(said).toEqual([
      {
        id: 'kimi-code 1750000000000',
        title: 'Loaves',
        said: [
          talk[0],
          ['system', 'Be short.'],
          ['assistant', 'Bread.', 'tool-call'],
          ['tool', 'flour'],
          talk[1],
        ],
      },
    ]);
    expect(skipped).toEqual({});
    expect(conversations[0]?.messages.at(-1)?.model).toBe('kimi-x');
    expect((await read({ 'wire.jsonl': wire })).said[0]?.id).toBe('kimi-code 1750000000000');
    const untitled = { ...folder, 'ses_1/state.json': '{"title":"","lastPrompt":"x"}' };
    expect((await read(untitled)).said[0]?.title).toBe('');
  });

  it('what was typed into Claude Code, with what was pasted, one conversation for each session', async () => {
    const typed = (sessionId: string, display: string, pastedContents = {}) => ({
      ...{ display, pastedContents, sessionId, project: '/home/p', timestamp: Date.UTC(2026, 0, 1) },
    });
    const pasted = { 1: { id: 1, type: 'text', content: 'rye' } };
    const { said } = await read({
      'history.jsonl': jsonl(typed('a', 'Which loaf?'), typed('b', 'One'), typed('a', 'This one?', pasted)),
    });
    expect(said).toEqual([
      { id: 'history a', title: 'p', said: [talk[0], ['user', 'This one?\n\nrye']] },
      { id: 'history b', title: 'p', said: [['user', 'One']] },
    ]);
  });

  const said = { role: 'user', content: 'x' };
  it.each<[string, (n: number) => object]>([
    [
      'Claude Code',
      (n) => ({ type: 'user', uuid: `u${n}`, parentUuid: `u${n - 1}`, sessionId: 's', message: said }),
    ],
    [
      'Claude Code, below records that are no messages',
      (n) =>
        n < 20_000
          ? { type: 'attachment', uuid: `u${n}`, parentUuid: `u${n - 1}` }
          : { type: 'user', uuid: `u${n}`, parentUuid: 'u19999', sessionId: 's', message: said },
    ],
    [
      'Gemini CLI',
      (n) =>
        n === 0
          ? { sessionId: 'g', projectHash: 'h', startTime: T(0) }
          : { id: `m${n}`, type: 'user', content: 'x' },
    ],
  ])('in time that grows with its length: %s', (_, record) => {
    const records = Array.from({ length: 40_000 }, (_, n) => record(n));
    expect(sessionsIn(records)).toHaveLength(1);
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

  const article = (role: string, id: string, words: string) =>
    `<article><h5 class="sr-only">Said:</h5><div data-message-author-role="${role}" data-message-id="${id}">${words}</div><button>Copy</button></article>`;

  it('a saved page of ChatGPT: its Markdown, without what only its buttons say', async () => {
    const answer =
      '<p>Rye &amp; <strong>spelt</strong>, <a href="https://a.example/b">here</a>.</p><ul><li>one<ul><li>two</li></ul></li></ul>' +
      '<pre><div>python<button>Copy code</button></div><code class="language-python">x &lt; 1\n\n\ny\n</code></pre>' +
      '<span class="katex"><span class="katex-mathml"><math><mi>E</mi><annotation encoding="application/x-tex">E=1</annotation></math></span><span class="katex-html">E1</span></span>';
    const saved = `<!DOCTYPE html><html><head><title>Loaves - ChatGPT</title><link rel="canonical" href="https://chatgpt.com/c/0123abcd-4567"></head><body>${article('user', 'm1', '<div class="whitespace-pre-wrap">Which\nloaf?</div>')}${article('assistant', 'm2', answer)}</body></html>`;
    const { said, conversations, skipped } = await read({ 'Loaves.html': saved });
    expect(said).toEqual([
      {
        id: '0123abcd-4567',
        title: 'Loaves',
        said: [
          ['user', 'Which\nloaf?'],
          [
            'assistant',
            'Rye & **spelt**, [here](https://a.example/b).\n\n- one\n  - two\n\n```python\nx < 1\n\n\ny\n```\n\n$E=1$',
          ],
        ],
      },
    ]);
    expect(conversations[0]?.messages.map(({ sourceId }) => sourceId)).toEqual(['m1', 'm2']);
    expect(skipped).toEqual({});
    expect(await lines({ 'Loaves.txt': saved })).toHaveLength(1);
    const cut = await read({ 'Loaves.html': saved.slice(0, -60) });
    expect([cut.said[0]?.said.length, cut.skipped]).toEqual([2, { 'damaged-file': 1 }]);
  });

  /** A value as a list of its pieces, which name one another by their places. */
  function flattened(value: unknown): unknown[] {
    const pieces: unknown[] = [];
    const add = (one: unknown): number => {
      const place = pieces.push(null) - 1;
      pieces[place] =
        typeof one !== 'object' || one === null
          ? one
          : Array.isArray(one)
            ? one.map(add)
            : Object.fromEntries(Object.entries(one).map(([key, inner]) => [`_${add(key)}`, add(inner)]));
      return place;
    };
    add(value);
    return pieces;
  }

  it.each(['quoted-printable', 'base64'])('the one file that a browser saved, in %s', async (encoding) => {
    const html = `<html><head><title>Loaves</title></head><body>${article('user', 'm1', 'Which lüaf?')}${article('assistant', 'm2', 'Rye.')}</body></html>`;
    const bytes = Buffer.from(html);
    const body =
      encoding === 'base64'
        ? bytes.toString('base64').replace(/.{70}/g, '$&\r\n')
        : [...bytes]
            .map((byte) => `=${byte.toString(16).toUpperCase()}`)
            .join('')
            .replace(/.{60}/g, '$&=\r\n');
    const file =
      'From: <Saved by Blink>\r\nSnapshot-Content-Location: https://chatgpt.com/c/0123abcd-4567\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--B--"\r\n\r\n' +
      `----B--\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n----B----\r\n`;
    expect((await read({ 'Loaves.mhtml': file })).said).toEqual([
      { id: '0123abcd-4567', title: 'Loaves', said: [['user', 'Which lüaf?'], talk[1]] },
    ]);
  });

  it('a saved page of Claude or Gemini, and a shared one that holds the conversation itself', async () => {
    const claude =
      '<html><head><title>Loaves - Claude</title></head><body><div data-testid="user-message"><p>Which loaf?</p></div><div class="font-claude-response"><p>Rye.</p></div></body></html>';
    const gemini =
      '<html><body><user-query><div class="query-text">Which loaf?</div></user-query><model-response><message-content><p>Rye.</p></message-content></model-response></body></html>';
    expect(await lines({ 'a.html': claude })).toEqual([talk]);
    expect(await lines({ 'b.htm': gemini })).toEqual([talk]);
    const data = { props: { pageProps: { serverResponse: { data: chatgpt.branched } } } };
    const stream = JSON.stringify(`${JSON.stringify(flattened(data))}\n`);
    const now = `<html><script>window.__reactRouterContext.streamController.enqueue(${stream});</script></html>`;
    expect((await read({ 'd.html': now })).said).toEqual(
      (await read({ 'conversations.json': JSON.stringify([chatgpt.branched]) })).said,
    );
    const shared = `<html><script id="__NEXT_DATA__" type="application/json">${JSON.stringify(data)}</script></html>`;
    expect((await read({ 'c.html': shared })).said[0]?.id).toBe('c-branched');
  });

  it('Gemini in Google’s activities, as JSON and as a page: a long pause begins a conversation', async () => {
    const entry = (title: string, time: string, html?: string) => ({
      ...{ header: 'Gemini Apps', title, time, products: ['Gemini Apps'] },
      ...(html === undefined ? {} : { safeHtmlItem: [{ html }] }),
    });
    const records = [
      entry('Used an app', '2026-01-01T10:12:00Z'),
      entry('Prompted And?', '2026-01-01T10:10:00Z', '<p>Spelt.</p>'),
      entry('Prompted Which loaf?', '2026-01-01T10:00:00Z', '<p>Rye.</p>'),
      entry('Prompted Old?', '2025-01-01T10:00:00Z', '<p>Yes.</p>'),
    ];
    const more = [
      ['user', 'And?'],
      ['assistant', 'Spelt.'],
    ];
    const asJson = await lines({ 'MyActivity.json': JSON.stringify(records) });
    expect(asJson).toEqual([
      [
        ['user', 'Old?'],
        ['assistant', 'Yes.'],
      ],
      [...talk, ...more, ['system', 'Used an app']],
    ]);
    const cell = (words: string) =>
      `<div class="outer-cell"><div class="header-cell"><p>Gemini Apps<br></p></div><div class="content-cell mdl-typography--body-1">${words}</div><div class="content-cell mdl-typography--caption">Products</div></div>`;
    const activityPage = `<html><body>${cell('Prompted&nbsp;And?<br>May 19, 2026, 7:09:02\u202fPM GMT-03:00<br><p>Spelt.</p>')}${cell('Prompted&nbsp;Which loaf?<br>May 19, 2026, 7:07:02\u202fPM GMT-03:00<br><p>Rye.</p>')}</body></html>`;
    const asPage = await read({ 'Takeout/My Activity/Gemini Apps/MyActivity.html': activityPage });
    expect(asPage.said[0]?.said).toEqual([...talk, ...more]);
    expect(asPage.conversations[0]?.messages[0]?.createdAt).toBe(Date.UTC(2026, 4, 19, 22, 7, 2));
  });

  it.each([
    ['de', 'Gemini-Apps', 'Prompt: ', '01.02.2026, 10:00:00 MEZ', 9],
    ['fr', 'Applications Gemini', 'Requête : ', '1 févr. 2026, 10:00:00 CET', 9],
    ['pt', 'Apps do Gemini', 'Comando: ', '1 de fev. de 2026, 10:00:00 BRT', 13],
    ['ru', 'Приложения Gemini', 'Запрос: ', '1 февр. 2026 г., 10:00:00 MSK', 7],
    ['ja', 'Gemini アプリ', '送信したメッセージ: ', '2026/02/01 10:00:00 JST', 1],
    ['ko', 'Gemini 앱', '입력: ', '2026. 2. 1. 오전 10:00:00 KST', 1],
  ])('Gemini in Google’s page of activities in another language: %s', async (_, header, verb, time, hour) => {
    const entry = (words: string) =>
      `<div class="outer-cell"><div class="header-cell"><p>${header}<br></p></div><div class="content-cell mdl-typography--body-1">${verb}${words}<br>${time}<br><p>Rye.</p></div></div>`;
    const page = `<html><body>${['Which loaf?', 'And?', 'And then?'].map(entry).join('')}</body></html>`;
    const { said, conversations } = await read({ 'activity.html': page });
    expect(said[0]?.said.filter(([role]) => role === 'user').map(([, words]) => words)).toEqual([
      ...['Which loaf?', 'And?', 'And then?'],
    ]);
    expect(conversations[0]?.messages[0]?.createdAt).toBe(Date.UTC(2026, 1, 1, hour));
  });

  it('XML: roles as attributes, as elements, and as names of elements', async () => {
    const xml =
      '<?xml version="1.0"?><chats><chat title="A"><message role="user">Which loaf?</message><message role="assistant">Rye.</message></chat>' +
      '<chat><title>B</title><messages><message><role>user</role><content>Which <b>loaf</b>?</content></message><message><role>assistant</role><content>Rye.</content></message></messages></chat>' +
      '<chat><user>Which loaf?</user><assistant>Rye.</assistant></chat></chats>';
    const { said, skipped } = await read({ 'chat.xml': xml });
    expect(said.map(({ title, said }) => [title, said])).toEqual([
      ['A', talk],
      ['B', talk],
      ['', talk],
    ]);
    const paragraphs = '<c><m role="user"><p>One</p><p>Two</p></m><m role="assistant">Rye.</m></c>';
    expect((await lines({ 'chat.xml': paragraphs }))[0]?.[0]).toEqual(['user', 'One\nTwo']);
    expect(skipped).toEqual({});
    const cut = await read({ 'chat.xml': xml.slice(0, -30) });
    expect([cut.said.length, cut.skipped]).toEqual([3, { 'damaged-file': 1 }]);
  });

  it('a messenger’s chat with a model, whatever the order of day and month', async () => {
    const chat =
      '[1/2/26, 10:00:00\u202fAM] Anna: Which loaf?\n[1/2/26, 10:01:00 AM] ChatGPT: Rye.\nOr: spelt\n';
    const { said, conversations } = await read({ '_chat.txt': `${chat}[1/15/26, 10:02:00 PM] Anna: x\n` });
    expect(said[0]?.said).toEqual([talk[0], ['assistant', 'Rye.\nOr: spelt'], ['user', 'x']]);
    expect(conversations[0]?.messages.at(-1)?.createdAt).toBe(Date.UTC(2026, 0, 15, 22, 2));
    const unsure = '1/2/26, 10:00 AM - Anna: Which loaf?\n1/2/26, 10:01 AM - Meta AI: Rye.\n';
    expect((await read({ 'a.txt': unsure })).conversations[0]?.messages[0]?.createdAt).toBe(
      Date.UTC(2026, 0, 2, 10),
    );
    const german = 'Encrypted.\n02.01.26, 10:00 - Anna: Which loaf?\n15.01.26, 10:01 - Meta AI: Rye.\n';
    const inGerman = (await read({ 'a.txt': german })).conversations[0]?.messages;
    expect(inGerman?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(inGerman?.[1]?.createdAt).toBe(Date.UTC(2026, 0, 2, 10));
    const bot = {
      ...{ name: 'Bot', type: 'bot_chat', id: 7 },
      messages: [
        { id: 1, type: 'message', date: '2026-01-01T10:00:00', from_id: 'user1', text: 'Which loaf?' },
        { id: 2, type: 'message', from_id: 'user7', text: ['R', { type: 'bold', text: 'ye.' }] },
      ],
    };
    expect(await lines({ 'result.json': JSON.stringify(bot) })).toEqual([talk]);
  });

  it('turns with candidates, threads of questions and answers, and Copilot’s table', async () => {
    const turn = (is_human: boolean, minute: number, ...words: string[]) => ({
      ...{ author: { is_human }, create_time: T(minute), primary_candidate_id: `${minute}-0` },
      candidates: words.map((raw_content, n) => ({ candidate_id: `${minute}-${n}`, raw_content })),
    });
    const turns = [turn(false, 1, 'Rye.', 'Spelt.'), turn(true, 0, 'Which loaf?')];
    const { conversations } = await read({
      'character.json': JSON.stringify({ chats: [{ chat_id: 'x', turns }] }),
    });
    expect(conversations[0]).toMatchObject({ source: { id: 'x' }, head: '1-0' });
    expect(conversations[0]?.messages.map(({ parentId }) => parentId)).toEqual([null, '0-0', '0-0']);
    const entries = [
      { query: 'Which loaf?', answer: 'Rye.' },
      { query: 'And?', answer: 'Spelt.' },
    ];
    const thread = await lines({ 'p.json': JSON.stringify({ threads: [{ id: 't', title: 'R', entries }] }) });
    expect(thread).toEqual([[...talk, ['user', 'And?'], ['assistant', 'Spelt.']]]);
    const table =
      'Conversation,Time,Author,Message\nA,2026-01-01T10:00:00,Human,Which loaf?\nA,2026-01-01T10:01:00,AI,Rye.\n';
    expect(await lines({ 'copilot.csv': table })).toEqual([talk]);
  });

  it('Copilot’s table begins with the newest answer, and tells conversations apart by their titles', async () => {
    const row = (minute: number, author: string, words: string) =>
      `Loaves,2026-01-01T10:0${minute}:00,${author},${words}\n`;
    const table = `Conversation,Time,Author,Message\n${row(1, 'AI', 'Rye.')}${row(0, 'Human', 'Which loaf?')}`;
    expect(await lines({ 'copilot.csv': table })).toEqual([talk]);
    const { conversations } = await read({ 'copilot.csv': table });
    expect(conversations.map(({ meta }) => meta.title)).toEqual(['Loaves']);
  });

  const asJson = JSON.stringify(talk.map(([role, content]) => ({ role, content })));
  it.each<[string, string, Contents]>([
    [
      'JSON with comments',
      'chat.json',
      '// mine\n[\n /* c */ {"role":"user","content":"Which loaf?"}, // it\'s\n {"role":"assistant","content":"Rye."},\n]',
    ],
    ['JSON', 'chat.txt', asJson],
    ['Markdown', 'chat.json', '# You\n\nWhich loaf?\n\n# ChatGPT\n\nRye.\n'],
    ['a table', 'chat.txt', 'role\tcontent\r\nuser\tWhich loaf?\r\nassistant\tRye.\r\n'],
    ['UTF-16', 'chat.json', new Uint8Array([0xff, 0xfe, ...Buffer.from(asJson, 'utf16le')])],
  ])('%s in %s', async (_, name, contents) => {
    expect(await lines({ [name]: contents })).toEqual([talk]);
  });

  it.each(['md', 'markdown', 'txt'])(
    'keeps the name of Markdown in .%s, on which its id rests',
    async (ending) => {
      const [source] = groupFiles(
        filesOf({ [`Loaves.${ending}`]: '# You\n\nWhich loaf?\n\n# ChatGPT\n\nRye.\n' }),
      );
      const { pieces } = await recognise(source as NonNullable<typeof source>, IMPORTERS, never);
      expect(pieces[0]?.source.files[0]?.path).toBe(`Loaves.${ending}`);
    },
  );

  it('keeps the signs of comments within strings', async () => {
    const text =
      '[ // c\n{"role":"user","content":"https://a.example /* b */"},{"role":"assistant","content":"Rye."}]';
    expect((await lines({ 'chat.json': text }))[0]?.[0]).toEqual(['user', 'https://a.example /* b */']);
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
    ['users.xml', '<users><user role="user">Anna</user></users>', { code: 'import-unknown' }],
    [
      'users.html',
      '<html><body><div data-role="user">Anna</div></body></html>',
      { code: 'import-unknown', params: { reason: 'page' } },
    ],
    ['feed.xml', '<rss><item><title>a</title></item></rss>', { code: 'import-unknown' }],
    [
      '_chat.txt',
      '12.03.24, 10:00 - Anna: Hello\n12.03.24, 10:01 - Ben: Hi\n',
      { code: 'import-unknown', params: { reason: 'messenger' } },
    ],
    [
      'state.vscdb',
      new TextEncoder().encode('SQLite format 3\0\u0001'),
      { code: 'import-binary', params: { reason: 'database' } },
    ],
    [
      'Loaves.webarchive',
      new TextEncoder().encode('bplist00\u0001\u0002'),
      { code: 'import-binary', params: { reason: 'webarchive' } },
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
