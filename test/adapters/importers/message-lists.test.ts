// Lists of messages in JSON, whoever wrote them, are conversations; other JSON is not.
import { describe, expect, it } from 'vitest';
import type { ImportedConversation } from '../../../src/adapters/importers/importer.ts';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { messageLists } from '../../../src/adapters/importers/message-lists.ts';
import { jsonl, sourceOf } from '../../fixtures/files.ts';
import * as fixture from '../../fixtures/message-lists.ts';
import { readAll } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;
const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const source = (value: unknown, name = 'chat.json') => sourceOf(name, { [name]: written(value) });
const read = async (value: unknown, name?: string) =>
  (await readAll(messageLists, source(value, name))).conversations;
/** Each message as `role: what it holds`, a call as its name, a result as its text. */
const said = ({ messages }: ImportedConversation) =>
  messages.map(
    ({ role, parts }) =>
      `${role}: ${parts
        .map((part) =>
          part.type === 'text' || part.type === 'tool-result'
            ? part.text
            : part.type === 'reasoning'
              ? `(${part.text})`
              : part.type === 'tool-call'
                ? `${part.name}${part.arguments}`
                : part.type,
        )
        .join(' | ')}`,
  );
/** The importer that takes a source. */
const reader = async (value: unknown, name?: string) => {
  let best = { id: '', sure: 0.3 };
  for (const importer of IMPORTERS) {
    const sure = await importer.sniff(source(value, name), never);
    if (sure > best.sure) best = { id: importer.id, sure };
  }
  return best.id;
};

const QA = ['user: a b?', 'assistant: c d.'];
describe('lists of messages', () => {
  it.each<[string, unknown, string[]]>([
    [
      'a list',
      [
        { role: 'user', content: 'a b?' },
        { role: 'assistant', content: 'c d.' },
      ],
      QA,
    ],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'a b?' },
          { role: 'assistant', content: 'c d.' },
        ],
      },
      QA,
    ],
    [
      'a list of lists',
      [
        [
          { role: 'user', content: 'a b?' },
          { role: 'assistant', content: 'c d.' },
        ],
      ],
      QA,
    ],
    [
      'Gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'a b?' }] },
          { role: 'model', parts: [{ text: 'c d.' }] },
        ],
      },
      QA,
    ],
    [
      'ShareGPT',
      [
        {
          conversations: [
            { from: 'human', value: 'a b?' },
            { from: 'gpt', value: 'c d.' },
          ],
        },
      ],
      QA,
    ],
    [
      'a batch',
      {
        custom_id: 'r1',
        body: {
          model: 'm',
          messages: [
            { role: 'user', content: 'a b?' },
            { role: 'assistant', content: 'c d.' },
          ],
        },
      },
      QA,
    ],
    [
      'a request of Responses',
      {
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'a b?' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'c d.' }] },
        ],
      },
      QA,
    ],
    [
      'an instruction',
      { instruction: 'a', input: 'b?', output: 'c d.' },
      ['user: a\n\nb?', 'assistant: c d.'],
    ],
    [
      'an instruction with a history',
      { system: 's', instruction: 'e', output: 'f', history: [['a b?', 'c d.']] },
      ['system: s', ...QA, 'user: e', 'assistant: f'],
    ],
    [
      'LangChain',
      [
        { type: 'human', data: { content: 'a b?' } },
        { type: 'ai', data: { content: 'c d.' } },
      ],
      QA,
    ],
    [
      'LangChain, serialised',
      {
        messages: [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'schema', 'HumanMessage'],
            kwargs: { content: 'a b?' },
          },
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'schema', 'AIMessage'],
            kwargs: { content: 'c d.' },
          },
        ],
      },
      QA,
    ],
    [
      'LibreChat',
      {
        title: 'T',
        messages: [
          { messageId: '1', sender: 'User', isCreatedByUser: true, text: 'a b?' },
          { messageId: '2', parentMessageId: '1', sender: 'GPT-5', isCreatedByUser: false, text: 'c d.' },
        ],
      },
      QA,
    ],
    [
      'SillyTavern',
      [
        { name: 'Me', is_user: true, mes: 'a b?' },
        { name: 'Bot', is_user: false, mes: 'c d.' },
      ],
      QA,
    ],
    [
      'Anthropic',
      {
        system: 's',
        messages: [
          { role: 'user', content: 'a b?' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 't' },
              { type: 'text', text: 'c d.' },
            ],
          },
        ],
      },
      ['system: s', 'user: a b?', 'assistant: (t) | c d.'],
    ],
    [
      'LibreChat, answers in questions',
      {
        conversationId: 'c',
        messages: [
          {
            messageId: '1',
            isCreatedByUser: true,
            text: 'a b?',
            children: [{ messageId: '2', sender: 'GPT-5', isCreatedByUser: false, text: 'c d.' }],
          },
        ],
      },
      QA,
    ],
    [
      'LobeChat',
      {
        exportType: 'sessions',
        state: {
          sessions: [],
          messages: [
            { id: '1', role: 'user', content: 'a b?', sessionId: 's' },
            { id: '2', role: 'assistant', content: 'c d.', sessionId: 's' },
          ],
        },
      },
      QA,
    ],
    [
      'Chatbox',
      {
        'chat-sessions-list': [],
        'session:1': {
          name: 'T',
          messages: [
            { id: '1', role: 'user', contentParts: [{ type: 'text', text: 'a b?' }] },
            { id: '2', role: 'assistant', contentParts: [{ type: 'text', text: 'c d.' }] },
          ],
        },
      },
      QA,
    ],
    [
      'TypingMind',
      {
        data: {
          chats: [
            {
              chatTitle: 'T',
              messages: [
                { role: 'user', content: 'a b?' },
                { role: 'assistant', content: 'c d.' },
              ],
            },
          ],
        },
      },
      QA,
    ],
    [
      'AI Studio',
      {
        runSettings: { model: 'm' },
        chunkedPrompt: {
          chunks: [
            { text: 'a b?', role: 'user' },
            { text: 't', role: 'model', isThought: true },
            { text: 'c d.', role: 'model' },
          ],
        },
      },
      ['user: a b?', 'assistant: (t)', 'assistant: c d.'],
    ],
    [
      'Grok',
      {
        conversations: [
          {
            conversation: { id: 'g', title: 'T' },
            responses: [
              { response: { _id: '1', sender: 'human', message: 'a b?' } },
              { response: { _id: '2', sender: 'ASSISTANT', message: 'c d.' } },
            ],
          },
        ],
      },
      QA,
    ],
    [
      'DeepSeek',
      [
        {
          id: 'd',
          title: 'T',
          mapping: {
            root: { id: 'root', parent: null, message: null },
            1: {
              id: '1',
              parent: 'root',
              message: {
                inserted_at: '2025-01-01T00:00:00+08:00',
                fragments: [{ type: 'REQUEST', content: 'a b?' }],
              },
            },
            2: {
              id: '2',
              parent: '1',
              message: {
                model: 'r1',
                fragments: [
                  { type: 'THINK', content: 't' },
                  { type: 'RESPONSE', content: 'c d.' },
                ],
              },
            },
          },
        },
      ],
      ['user: a b?', 'assistant: (t) | c d.'],
    ],
    [
      'LM Studio',
      {
        name: 'T',
        messages: [
          { versions: [{ role: 'user', content: [{ type: 'text', text: 'a b?' }] }], currentlySelected: 0 },
          {
            versions: [{ role: 'assistant', steps: [{ content: [{ type: 'text', text: 'c d.' }] }] }],
            currentlySelected: 0,
          },
        ],
      },
      QA,
    ],
    [
      'Poe',
      {
        messages: [
          { author: 'human', text: 'a b?' },
          { author: 'gpt-4o', text: 'c d.' },
        ],
      },
      QA,
    ],
    [
      'a log of requests',
      {
        request: { messages: [{ role: 'user', content: 'a b?' }] },
        response: { choices: [{ message: { role: 'assistant', content: 'c d.' } }] },
      },
      QA,
    ],
    [
      'OpenAI Responses, as logged',
      {
        object: 'response',
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'a b?' }] }],
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 't' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'c d.' }] },
        ],
      },
      ['user: a b?', 'assistant: (t)', 'assistant: c d.'],
    ],
    [
      'agents of OpenAI',
      [
        { role: 'user', content: 'a b?' },
        { type: 'function_call', call_id: 'k', name: 'w', arguments: '{}' },
        { type: 'function_call_output', call_id: 'k', output: 'r' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'c d.' }] },
      ],
      ['user: a b?', 'assistant: w{}', 'tool: r', 'assistant: c d.'],
    ],
    [
      'traces',
      [
        {
          input: [{ role: 'user', content: 'a b?' }],
          output: { role: 'assistant', content: 'c d.' },
        },
      ],
      QA,
    ],
    [
      'Poe, with a bot of one’s own',
      {
        messages: [
          { author: 'human', text: 'a b?' },
          { author: 'chinchilla', text: 'c d.' },
        ],
      },
      QA,
    ],
    [
      'an answer that was refused or spoken',
      [
        { role: 'user', content: 'a b?' },
        { role: 'assistant', content: null, refusal: 'I cannot.' },
        { role: 'assistant', content: null, audio: { id: 'a', transcript: 'c d.' } },
      ],
      ['user: a b?', 'assistant: I cannot.', 'assistant: c d.'],
    ],
    [
      'thoughts among the words',
      [
        { role: 'user', content: 'a b?' },
        { role: 'assistant', content: '<think>\nt\n</think>\n\nc d.' },
        {
          role: 'assistant',
          content:
            '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n> t\n</details>\nc d.',
        },
      ],
      ['user: a b?', 'assistant: (t) | c d.', 'assistant: (t) | c d.'],
    ],
    [
      'thoughts by other names',
      [
        { role: 'user', content: 'a b?' },
        { role: 'assistant', content: 'c d.', reasoning: { content: 't' } },
        { role: 'assistant', content: 'c d.', thinking_trace: 't' },
      ],
      ['user: a b?', 'assistant: (t) | c d.', 'assistant: (t) | c d.'],
    ],
    [
      'LM Studio, with thoughts',
      {
        messages: [
          { versions: [{ role: 'user', content: [{ type: 'text', text: 'a b?' }] }], currentlySelected: 0 },
          {
            versions: [
              {
                role: 'assistant',
                steps: [
                  { style: { type: 'thinking' }, content: [{ type: 'text', text: 't' }] },
                  { content: [{ type: 'text', text: 'c d.' }] },
                ],
              },
            ],
            currentlySelected: 0,
          },
        ],
      },
      ['user: a b?', 'assistant: (t) | c d.'],
    ],
    [
      'AI Studio, with a document',
      {
        runSettings: {},
        chunkedPrompt: {
          chunks: [
            { driveDocument: { id: 'x' }, role: 'user' },
            { text: 'a b?', role: 'user' },
            { text: 'c d.', role: 'model' },
          ],
        },
      },
      QA,
    ],
    [
      'Qwen',
      {
        data: [
          {
            chat: {
              history: {
                messages: {
                  a: { id: 'a', role: 'user', content: 'a b?' },
                  b: {
                    id: 'b',
                    parentId: 'a',
                    role: 'assistant',
                    content: '',
                    content_list: [{ content: 'c d.' }],
                  },
                },
              },
            },
          },
        ],
      },
      QA,
    ],
    [
      'Cherry Studio',
      {
        indexedDB: {
          topics: [
            {
              id: 't',
              messages: [
                { id: 'm', role: 'user', blocks: ['1'] },
                { id: 'n', role: 'assistant', blocks: ['2', '3'] },
              ],
            },
          ],
          message_blocks: [
            { id: '1', messageId: 'm', type: 'main_text', content: 'a b?' },
            { id: '2', messageId: 'n', type: 'thinking', content: 't' },
            { id: '3', messageId: 'n', type: 'main_text', content: 'c d.' },
          ],
        },
      },
      ['user: a b?', 'assistant: (t) | c d.'],
    ],
    [
      'big-AGI',
      {
        messages: [
          { role: 'user', fragments: [{ ft: 'content', part: { pt: 'text', text: 'a b?' } }] },
          {
            role: 'assistant',
            fragments: [
              { ft: 'void', part: { pt: 'ma', aText: 't' } },
              { ft: 'content', part: { pt: 'text', text: 'c d.' } },
            ],
          },
        ],
      },
      ['user: a b?', 'assistant: (t) | c d.'],
    ],
    ['pairs under the names of both', [{ user: 'a b?', assistant: 'c d.' }], QA],
    ['inputs and outputs', [{ input: 'a b?', output: 'c d.' }], QA],
    [
      'roles in Chinese',
      [
        { role: '用户', content: 'a b?' },
        { role: '助手', content: 'c d.' },
      ],
      QA,
    ],
    [
      'the AI SDK, version 4',
      [
        { role: 'user', content: 'a b?' },
        {
          role: 'assistant',
          content: 'c d.',
          toolInvocations: [{ toolCallId: 't', toolName: 'w', args: {}, result: 'r' }],
        },
      ],
      ['user: a b?', 'assistant: c d. | w{}', 'tool: r'],
    ],
    [
      'Ollama, with a picture',
      {
        messages: [
          { role: 'user', content: 'a b?', images: ['iVBORw0KGgo='] },
          { role: 'assistant', content: 'c d.' },
        ],
      },
      ['user: a b? | file', 'assistant: c d.'],
    ],
  ])('of %s are conversations', async (_, value, expected) => {
    expect(await reader(value)).toBe('messages');
    const conversations = await read(value);
    expect(conversations.map(said)).toEqual([expected]);
  });

  it.each<[string, unknown]>([
    ['settings', { users: [{ role: 'admin', name: 'a' }], messages: { hello: 'Hello' } }],
    ['translations', [{ key: 'a', value: 'b', type: 'text' }]],
    ['a table', [{ prompt: 'a', rating: 5 }]],
    ['an answer of an endpoint', { object: 'list', data: [{ id: 'gpt', object: 'model' }] }],
    ['notes', [{ text: 'a', author: 'Anna' }]],
  ])('are not %s', async (_, value) => expect(await reader(value)).toBe(''));

  it('keep calls, results, thoughts and the model', async () => {
    const [conversation] = await read(fixture.request);
    expect(conversation && said(conversation)).toEqual([
      'system: Be brief.',
      'user: What is the weather in Kyoto?',
      'assistant: weather{"city":"Kyoto"}',
      'tool: rain, 9 degrees',
      'assistant: (It rains.) | Rain, nine degrees.',
    ]);
    expect(conversation?.messages.at(-1)?.model).toBe('gpt-5');
    const [drawn] = await read(fixture.uiMessages);
    expect(drawn && said(drawn)).toEqual([
      'user: Draw a line. | file',
      'assistant: (A line, then.) | draw{"shape":"line"}',
      'tool: {"ok":true}',
      'assistant: Here it is.',
    ]);
  });

  it('keep all branches, and the one that was open', async () => {
    const [conversation] = await read(fixture.openWebui);
    expect(conversation?.messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['u1', null],
      ['a1', 'u1'],
      ['a2', 'u1'],
    ]);
    expect(conversation?.head).toBe('a2');
    expect(conversation?.meta.title).toBe('Two answers');
    expect(conversation?.messages[0]?.createdAt).toBe(1_760_000_000_000);
  });

  it('are as many conversations as there are lines, and a broken line costs only itself', async () => {
    const lines = `${fixture.sharegptLines}{"conversations": [{"from": "hu\n${fixture.openaiLines}`;
    const { conversations, skipped } = await readAll(messageLists, source(lines, 'train.jsonl'));
    expect(conversations.map(said).map((all) => all.length)).toEqual([2, 5, 2, 2]);
    expect(skipped).toEqual({ 'malformed-line': 1 });
    expect(await reader(fixture.openaiLines, 'train.jsonl')).toBe('messages');
  });

  it('are known again when a conversation has grown', async () => {
    const [before] = await read({ messages: fixture.bareList });
    const [after] = await read({
      messages: [...fixture.bareList, { role: 'user', content: 'And green tea?' }],
    });
    expect(after?.source).toEqual(before?.source);
    expect(after?.messages.slice(0, 2).map(({ sourceId }) => sourceId)).toEqual(
      before?.messages.map(({ sourceId }) => sourceId),
    );
  });

  it('of several conversations in one list are told apart', async () => {
    const messages = ['s1', 's2', 's1'].map((sessionId, at) => ({
      id: `${at}`,
      role: 'user',
      content: `a${at}`,
      sessionId,
    }));
    expect((await read({ state: { messages } })).map(said)).toEqual([['user: a0', 'user: a2'], ['user: a1']]);
  });

  it('that break off are kept as far as they came', async () => {
    const cut = '[{"role":"user","content":"a b?"},{"role":"assist';
    const { conversations, skipped } = await readAll(messageLists, source(cut));
    expect(conversations.map(said)).toEqual([['user: a b?']]);
    expect(skipped).toEqual({ 'damaged-file': 1 });
  });

  const damaged: Readonly<Record<string, string>> = {
    'cut within its only line': '{"messages":[{"role":"user","content":"lost',
    'that begins in the middle':
      '{"messages":[{"role":"us\n{"messages":[{"role":"user","content":"kept?"}]}\n',
    'cut as a list': '[{"messages":[{"role":"user","content":"kept?"}]},{"messages":[{"role":"us',
    'without an end': '{"role":"user","content":"kept?"}\n{"role":"assistant","cont',
  };
  it.each(Object.keys(damaged))('come from a good file beside a damaged one, %s', async (name) => {
    for (const order of [
      ['bad.jsonl', 'good.jsonl'],
      ['good.jsonl', 'bad.jsonl'],
    ])
      for (const good of [fixture.openaiLines, '{"role":"user","content":"good?"}\n']) {
        const texts: Readonly<Record<string, string>> = {
          'bad.jsonl': damaged[name] ?? '',
          'good.jsonl': good,
        };
        const alone = await read(good, 'good.jsonl');
        const files = Object.fromEntries(order.map((path) => [path, texts[path] ?? '']));
        const { conversations, skipped } = await readAll(messageLists, sourceOf('lists', files));
        const all = conversations.map(said);
        expect(alone.length).toBeGreaterThan(0);
        for (const one of alone) expect(all).toContainEqual(said(one));
        expect(all.flat().includes('user: kept?')).toBe(damaged[name]?.includes('kept') ?? false);
        expect((skipped['damaged-file'] ?? 0) + (skipped['malformed-line'] ?? 0)).toBe(1);
      }
  });

  it('of a file of lines too large to be read whole lose of a broken line only that line', async () => {
    const lines = `${fixture.sharegptLines}{"conversations": [{"from": "hu\n${fixture.openaiLines}`;
    const small = source(lines, 'train.jsonl');
    const large = { ...small, files: small.files.map((file) => ({ ...file, size: 65 * 1024 * 1024 })) };
    const { conversations, skipped } = await readAll(messageLists, large);
    expect(conversations.length).toBe(4);
    expect(skipped).toEqual({ 'malformed-line': 1 });
  });

  it('may stand on several lines, one document after another', async () => {
    const pretty = [fixture.bareList, fixture.bareList.slice(0, 1)]
      .map((messages) => JSON.stringify({ messages }, null, 2))
      .join('\n');
    expect((await read(pretty, 'train.jsonl')).map(({ messages }) => messages.length)).toEqual([2, 1]);
  });

  it('of one message a line, which are one conversation', async () => {
    const lines = fixture.bareList
      .map(({ role, content }) => JSON.stringify({ from: role, value: content }))
      .join('\n');
    expect(await reader(lines, 'log.jsonl')).toBe('messages');
    expect((await read(lines, 'log.jsonl')).map(said)).toEqual([
      ['user: Which tea has the least caffeine?', 'assistant: Rooibos has none.'],
    ]);
  });
});

describe('what an app keeps beside the line that it shows', () => {
  const words = (text: string) => [{ type: 'text', text }];
  const asked = { id: 'm1', role: 'user', contentParts: words('a b?') };
  const answered = { id: 'm2', role: 'assistant', contentParts: words('c d.') };
  const shape = ({ source, meta, messages, head }: ImportedConversation) => ({
    ...{ id: source.id, title: meta.title, head, said: said({ messages } as ImportedConversation) },
    above: messages.map(({ parentId }) => parentId),
  });

  it('Chatbox: a fork is a branch, an earlier thread a conversation', async () => {
    const fork = { id: 'm3', role: 'assistant', contentParts: words('e f.') };
    const thread = {
      id: 't',
      name: 'Before',
      messages: [
        { ...asked, id: 'o1' },
        { ...fork, id: 'o2' },
      ],
    };
    const session = {
      ...{ id: 's', name: 'T', messages: [asked, answered], threads: [thread] },
      messageForksHash: { m1: { position: 1, lists: [{ id: 'l', messages: [fork] }, { messages: [] }] } },
    };
    const found = (await read({ 'session:s': session })).map(shape);
    expect(found[0]).toEqual({
      ...{ id: 's', title: 'T', head: 'm2', said: [...QA, 'assistant: e f.'], above: [null, 'm1', 'm1'] },
    });
    expect(found.slice(1)).toMatchObject([
      { id: 's/t', title: 'Before', said: ['user: a b?', 'assistant: e f.'] },
    ]);
  });

  it('LM Studio: other versions, the model, the instructions, calls', async () => {
    const version = (role: string, text: string) => ({ type: 'singleStep', role, content: words(text) });
    const steps = [
      { content: words('e f.') },
      { content: [{ type: 'toolCallRequest', toolCallRequestId: 'r', name: 'look', parameters: {} }] },
      { content: [{ type: 'toolCallResult', toolCallId: 'r', content: 'g' }] },
    ];
    const senderInfo = { senderName: 'qwen3' };
    const answers = [{ role: 'assistant', steps, senderInfo }, version('assistant', 'c d.')];
    const [found] = await read({
      ...{ name: 'T', systemPrompt: 'Be brief.' },
      messages: [
        { versions: [version('user', 'a b?')], currentlySelected: 0 },
        { versions: answers, currentlySelected: 1 },
      ],
    });
    expect(found && said(found)).toEqual([
      ...['system: Be brief.', 'user: a b?', 'assistant: e f. | look{}', 'tool: g', 'assistant: c d.'],
    ]);
    const [, question, other, , answer] = found?.messages ?? [];
    expect([other?.parentId, answer?.parentId, found?.head]).toEqual([
      question?.id,
      question?.id,
      answer?.id,
    ]);
    expect(other?.model).toBe('qwen3');
  });

  it('SillyTavern: swipes, thoughts, the model, and times of its own', async () => {
    const line = { name: 'B', is_user: false, mes: 'c d.', swipes: ['e f.', 'c d.'], swipe_id: 1 };
    const log = jsonl(
      { user_name: 'A', character_name: 'B', create_date: '2026-01-01@10h00m00s', chat_metadata: {} },
      { name: 'A', is_user: true, mes: 'a b?', send_date: '2026-1-1 @10h 00m 05s 123ms' },
      { ...line, send_date: '2026-01-01@10h01m00s', extra: { model: 'gpt-4o', reasoning: 't' } },
    );
    const { conversations, skipped } = await readAll(messageLists, source(log, 'B.jsonl'));
    const [found] = conversations;
    expect(skipped).toEqual({});
    expect(found && said(found)).toEqual(['user: a b?', 'assistant: e f.', 'assistant: (t) | c d.']);
    expect(found?.messages.map(({ createdAt }) => new Date(createdAt).toISOString().slice(11, 19))).toEqual([
      ...['10:00:05', '10:01:00', '10:01:00'],
    ]);
    expect(found).toMatchObject({ head: found?.messages[2]?.id, messages: [{}, {}, { model: 'gpt-4o' }] });
  });

  it('Grok: its ids, so that a second answer is a branch, and its title', async () => {
    const response = (_id: string, parent_response_id: string | null, sender: string, message: string) => ({
      response: { _id, parent_response_id, sender, message },
    });
    const responses = [
      ...[response('1', null, 'human', 'a b?'), response('2', '1', 'ASSISTANT', 'c d.')],
      response('3', '1', 'ASSISTANT', 'e f.'),
    ];
    const conversation = { id: 'g', title: 'T', leaf_response_id: '2' };
    expect((await read({ conversations: [{ conversation, responses }] })).map(shape)).toEqual([
      { id: 'g', title: 'T', head: '2', said: [...QA, 'assistant: e f.'], above: [null, '1', '1'] },
    ]);
  });

  it('counts of tokens among the messages', async () => {
    const messages = [
      ...['user', 'assistant'].map((role) => ({ role, content: role })),
      { type: 'tokens', n: 1 },
    ];
    const { conversations, skipped } = await readAll(messageLists, source({ chatTitle: 'T', messages }));
    expect(conversations.map(said)).toEqual([['user: user', 'assistant: assistant']]);
    expect(skipped).toEqual({});
  });

  it('Cherry Studio: the name of a topic, and the model', async () => {
    const assistants = JSON.stringify({ assistants: [{ topics: [{ id: 't', name: 'T' }] }] });
    const model = { id: 'gpt-4o', name: 'GPT' };
    const found = await read({
      localStorage: { 'persist:cherry-studio': JSON.stringify({ assistants }) },
      indexedDB: {
        topics: [
          {
            id: 't',
            messages: [
              { id: 'm', role: 'user' },
              { id: 'n', role: 'assistant', model },
            ],
          },
        ],
        message_blocks: ['m', 'n'].map((messageId) => ({ messageId, type: 'main_text', content: messageId })),
      },
    });
    expect(found).toMatchObject([{ meta: { title: 'T' }, messages: [{}, { model: 'gpt-4o' }] }]);
  });
});

it('reads a phase of thought, and a call that holds its result, for what they are', async () => {
  const blocks = [
    { phase: 'think', content: 't' },
    { phase: 'answer', content: 'c d.' },
    { type: 'tool_call', tool_call: { id: 'x', name: 'look', args: '{}', output: 'g' } },
  ];
  const [found] = await read([
    { role: 'user', content: 'a b?' },
    { role: 'assistant', content: '', content_list: blocks },
  ]);
  expect(found && said(found)).toEqual(['user: a b?', 'assistant: (t) | c d. | look{}', 'tool: g']);
});
