// Events of the native protocols in forms that are new, odd or out of order, from changelogs and public reports.
import { describe, expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import type { ProtocolName } from '../../../src/adapters/models/protocols.ts';
import { addToDraft } from '../../../src/domain/chat/draft.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import { collect, endOf } from '../../suites/chat-model.suite.ts';

type Data = Readonly<Record<string, unknown>>;
const WORDS = 'Backups run at three.';
const stream = (...events: readonly Data[]) =>
  events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('');

/** How an answer ended, and its parts, one text each. */
async function answered(protocol: ProtocolName, body: string): Promise<readonly [string, ...string[]]> {
  const events = await collect(
    createEndpointModel({
      endpoint: { baseUrl: 'https://models.example/v1', protocol },
      model: 'm',
      key: async () => 'sk-test',
      silenceMs: 500,
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    }),
  );
  let parts: readonly Part[] = [];
  for (const event of events)
    if (event.type !== 'usage' && event.type !== 'end') parts = addToDraft(parts, event);
  const { finish, problem } = endOf(events);
  const told = parts.map((part) => {
    if (part.type === 'tool-call')
      return `${part.name} ${part.arguments} ${JSON.stringify(part.provider ?? {})}`;
    if (part.type === 'file') return String(part.url);
    if (part.type === 'reasoning') return `thought: ${part.text}`;
    const sources = part.type === 'text' ? (part.sources ?? []).map(({ url, title }) => url || title) : [];
    return 'text' in part ? [part.text, ...sources].join(' | ') : part.type;
  });
  return [problem ? `${finish} ${problem.code}` : finish, ...told];
}

it.each<[ProtocolName, Data | string, string]>([
  ['anthropic', { code: 401, msg: '令牌已过期或验证不正确', success: false }, 'error model-key'],
  ['anthropic', { code: 500, msg: '404 NOT_FOUND', success: false }, 'error model-server'],
  ['anthropic', { detail: 'Model is loading' }, 'error model-server'],
  ['anthropic', { error: 'model "m" not found' }, 'error model-not-found'],
  [
    'anthropic',
    { type: 'error', error: { type: '1305', message: '该模型当前访问量过大，请您稍后再试' } },
    'error model-rate',
  ],
  ['google', { detail: 'Model is loading' }, 'error model-server'],
  ['google', '[{\n  "error": {\n    "code": 503,\n    "message": "Busy."\n  }\n}\n]', 'error model-server'],
  ['openai-responses', { detail: 'Model is loading' }, 'error model-server'],
])(
  '%s: a failure with status 200 in a form of its own is told as one: %j',
  async (protocol, body, problem) => {
    const written = typeof body === 'string' ? body : JSON.stringify(body);
    expect(await answered(protocol, written)).toEqual([problem]);
  },
);

describe('anthropic', () => {
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm' };
  const start = {
    type: 'message_start',
    message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } },
  };
  const block = (index: number, given: Data, ...deltas: readonly Data[]) => [
    { type: 'content_block_start', index, content_block: given },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const said = (index: number) =>
    block(index, { type: 'text', text: '' }, { type: 'text_delta', text: WORDS });
  const end = (delta: Data = {}, more: Data = {}) => [
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', ...delta },
      usage: { output_tokens: 4 },
      ...more,
    },
    { type: 'message_stop' },
  ];
  const packed = (event: Data) => ({ bytes: btoa(JSON.stringify(event)), p: 'abc' });

  it.each<[string, readonly Data[]]>([
    [
      'words in a block of a new kind',
      [start, ...block(0, { type: 'answer' }, { type: 'text_delta', text: WORDS }), ...end()],
    ],
    [
      'a summary that the endpoint made for itself',
      [
        start,
        ...block(0, { type: 'compaction', content: null }, { type: 'compaction_delta', content: 'It.' }),
        ...said(1),
        ...end(),
      ],
    ],
    ['no reason at its end', [start, ...said(0), { type: 'message_stop' }]],
    ['an empty reason at its end', [start, ...said(0), ...end({ stop_reason: null })]],
    [
      'the whole message in one event',
      [{ ...message, content: [{ type: 'text', text: WORDS }], stop_reason: 'end_turn' }],
    ],
    [
      'the words in the opening',
      [
        { type: 'message_start', message: { ...message, content: [{ type: 'text', text: WORDS }] } },
        { type: 'message_stop' },
      ],
    ],
    [
      'edits of a new kind',
      [start, ...said(0), ...end({}, { context_management: { applied_edits: [{ type: 'fold', x: 1 }] } })],
    ],
    ['a container with skills', [start, ...said(0), ...end({ container: { id: 'c', skills: [{ a: 1 }] } })]],
    [
      'usage as texts and nulls',
      [
        { type: 'message_start', message: { ...message, content: null, usage: { input_tokens: '12' } } },
        ...said(0),
        { ...end()[0], usage: { input_tokens: null, output_tokens: null, iterations: null } },
        { type: 'message_stop' },
      ],
    ],
    ['events that a proxy of AWS packed', [start, ...said(0), ...end()].map(packed)],
    ['a reason in capitals', [start, ...said(0), ...end({ stop_reason: 'END_TURN' })]],
  ])('loses nothing and says nothing more: %s', async (_, events) => {
    expect(await answered('anthropic', stream(...events))).toEqual(['stop', WORDS]);
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['max_token', 'length'],
    ['guardrail_intervened', 'error model-refused'],
    ['content_filtered', 'error model-refused'],
    ['error', 'error model-server'],
    ['abort', 'cut model-cut'],
  ])('takes over the reason %s as %s', async (stop_reason, finish) => {
    expect(await answered('anthropic', stream(start, ...said(0), ...end({ stop_reason })))).toEqual([
      finish,
      WORDS,
    ]);
  });

  it.each<[string, Data, readonly Data[]]>([
    ['in its opening, as a text', { input: '{"query":"a"}' }, []],
    ['as an object', { input: {} }, [{ type: 'input_json_delta', partial_json: { query: 'a' } }]],
    [
      'behind an empty one',
      { input: '' },
      [
        { type: 'input_json_delta', partial_json: null },
        { type: 'input_json_delta', partial_json: '{"query":"a"}' },
      ],
    ],
  ])('keeps arguments that come %s', async (_, input, deltas) => {
    const call = block(0, { type: 'tool_use', id: 't', name: 'lookup', ...input }, ...deltas);
    const [finish, told] = await answered(
      'anthropic',
      stream(start, ...call, ...end({ stop_reason: 'tool_use' })),
    );
    expect([finish, told]).toEqual(['tool-calls', 'lookup {"query":"a"} {}']);
  });

  it('goes on behind an event that broke off', async () => {
    const [, opened, delta, closed] = [start, ...said(0)];
    const broken = `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_d`;
    const body = stream(start, opened as Data) + broken + stream(delta as Data, closed as Data, ...end());
    expect(await answered('anthropic', body)).toEqual(['stop model-format', WORDS]);
  });

  it('keeps a call that somebody unknown asked for', async () => {
    const call = block(
      0,
      { type: 'tool_use', id: 't', name: 'lookup', input: {}, caller: { type: 'weird' } },
      { type: 'input_json_delta', partial_json: '{"query":"a"}' },
    );
    expect(await answered('anthropic', stream(start, ...call, ...end({ stop_reason: 'tool_use' })))).toEqual([
      'tool-calls',
      'lookup {"query":"a"} {}',
    ]);
  });

  it('keeps a picture', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    expect(
      await answered(
        'anthropic',
        stream(start, ...block(0, { type: 'image', source }), ...said(1), ...end()),
      ),
    ).toEqual(['stop', WORDS, 'data:image/png;base64,iVBORw0KGgo=']);
  });
});

describe('google', () => {
  const part = (parts: readonly Data[], more: Data = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  });
  const stop = { finishReason: 'STOP' };

  it.each(['IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'MODEL_ARMOR', 'safety'])(
    '%s is a refusal',
    async (finishReason) => {
      expect(await answered('google', stream({ candidates: [{ finishReason }] }))).toEqual([
        'error model-refused',
      ]);
    },
  );

  it.each([
    ['max_tokens', 'length'],
    ['FINISH_REASON_UNSPECIFIED', 'cut model-cut'],
  ])('%s ends as %s', async (finishReason, finish) => {
    expect(await answered('google', stream(part([{ text: WORDS }], { finishReason })))).toEqual([
      finish,
      WORDS,
    ]);
  });

  it.each([
    [
      'beside it',
      [part([{ thoughtSignature: 'sig' }, { functionCall: { name: 'lookup', args: {} } }], stop)],
    ],
    [
      'before it',
      [
        part([{ text: '', thoughtSignature: 'sig' }]),
        part([{ functionCall: { name: 'lookup', args: {} } }], stop),
      ],
    ],
  ])('a signature on a part of its own is its call’s: %s', async (_, events) => {
    expect(await answered('google', stream(...events))).toEqual([
      'tool-calls',
      'lookup {} {"google":{"thoughtSignature":"sig"}}',
    ]);
  });

  it.each<[string, Data, string]>([
    ['its parts are one object', part({ text: WORDS } as never, stop), WORDS],
    ['its candidates are one object', { candidates: part([{ text: WORDS }], stop).candidates[0] }, WORDS],
    [
      'arguments are a text',
      part([{ functionCall: { id: 1, name: 'lookup', args: '{"query":"a"}' } }], stop),
      'lookup {"query":"a"} {}',
    ],
    ['arguments are null', part([{ functionCall: { name: 'lookup', args: null } }], stop), 'lookup {} {}'],
  ])('loses nothing where %s', async (_, event, told) => {
    expect((await answered('google', stream(event))).slice(1)).toEqual([told]);
  });

  it('says the words of one of several candidates', async () => {
    const other = { candidates: [{ index: 1, content: { parts: [{ text: 'Other.' }] } }] };
    const events = [part([{ text: 'Backups ' }]), other, part([{ text: 'run at three.' }], stop)];
    expect(await answered('google', stream(...events))).toEqual(['stop', WORDS]);
    expect(
      await answered(
        'google',
        stream({ candidates: [{ ...part([{ text: WORDS }], stop).candidates[0], index: 1 }] }),
      ),
    ).toEqual(['stop', WORDS]);
  });

  it('keeps the places, files and quotations that it rests on', async () => {
    const grounding = {
      groundingChunks: [
        { maps: { uri: 'https://maps.example/1', title: 'Place' } },
        { retrievedContext: { uri: 'gs://b/x.pdf', title: 'Handbook' } },
      ],
    };
    const citationMetadata = { citationSources: [{ uri: 'https://a.example/l', license: 'mit' }] };
    const [, said = ''] = await answered(
      'google',
      stream(part([{ text: WORDS }], { ...stop, groundingMetadata: grounding, citationMetadata })),
    );
    expect(said.split(' | ').sort()).toEqual([
      WORDS,
      'Handbook',
      'https://a.example/l',
      'https://maps.example/1',
    ]);
  });

  it('tells that another protocol answered', async () => {
    const chat = { choices: [{ index: 0, delta: { content: WORDS }, finish_reason: 'stop' }] };
    expect(await answered('google', stream(chat))).toEqual(['error model-format']);
  });
});

describe('openai-responses', () => {
  const created = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
  const done = (response: Data = {}) => ({ type: 'response.completed', response: { id: 'r', ...response } });
  const message = (...content: readonly Data[]) => ({ type: 'message', id: 'i', role: 'assistant', content });
  const ended = (item: Data) => ({ type: 'response.output_item.done', output_index: 0, item });
  const refusal = { type: 'refusal', refusal: 'I cannot.' };

  it.each<[string, readonly Data[]]>([
    ['in its ended item', [created, ended(message(refusal)), done()]],
    ['in its last event', [created, done({ output: [message(refusal)] })]],
    [
      'in an event of its own',
      [
        created,
        { ...{ type: 'response.refusal.done', item_id: 'i', content_index: 0 }, refusal: 'I cannot.' },
        done(),
      ],
    ],
    ['in a document', [{ object: 'response', id: 'r', status: 'completed', output: [message(refusal)] }]],
  ])('says a refusal in words: %s', async (_, events) => {
    expect((await answered('openai-responses', stream(...events))).slice(1)).toEqual(['I cannot.']);
  });

  it('says every part of a message', async () => {
    const part = (content_index: number, text: string) => ({
      ...{ type: 'response.output_text.done', output_index: 0, item_id: 'i', content_index, text },
    });
    const events = [created, part(0, 'Backups '), part(1, 'run at three.'), done()];
    expect(await answered('openai-responses', stream(...events))).toEqual(['stop', WORDS]);
  });

  it('reads words from an object', async () => {
    const event = {
      type: 'response.output_text.delta',
      output_index: 0,
      item_id: 'i',
      delta: { text: WORDS },
    };
    expect(await answered('openai-responses', stream(created, event, done()))).toEqual(['stop', WORDS]);
  });

  it('passes over places of a new kind, and those without a name', async () => {
    const places = [
      { type: 'maps_citation', place: 'x' },
      { type: 'file_path', file_id: 'f', index: 3 },
    ];
    const events = [
      created,
      { type: 'response.output_text.delta', output_index: 0, item_id: 'i', delta: WORDS },
      ...places.map((annotation) => ({
        type: 'response.output_text.annotation.added',
        item_id: 'i',
        annotation,
      })),
      ended(message({ type: 'output_text', text: WORDS, annotations: places })),
      done(),
    ];
    expect(await answered('openai-responses', stream(...events))).toEqual(['stop', WORDS]);
  });

  it('keeps a picture that only the last event holds, once', async () => {
    const picture = { type: 'image_generation_call', id: 'g', status: 'completed', result: 'BBBB' };
    const output = [picture, message({ type: 'output_text', text: WORDS, annotations: [] })];
    const url = 'data:image/png;base64,BBBB';
    expect(await answered('openai-responses', stream(created, done({ output })))).toEqual([
      'stop',
      WORDS,
      url,
    ]);
    expect(await answered('openai-responses', stream(created, ended(picture), done({ output })))).toEqual([
      ...['stop', WORDS, url],
    ]);
  });

  it.each<[string, Data, string]>([
    ['incomplete', { incomplete_details: { reason: 'max_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'length' } }, 'length'],
    ['completed', { status: 'failed', error: { code: 'server_error', message: 'x' } }, 'error model-server'],
    ['completed', { error: { code: null, message: '' } }, 'stop'],
  ])('%s with %j ends as %s', async (type, response, finish) => {
    const said = { type: 'response.output_text.delta', output_index: 0, item_id: 'i', delta: WORDS };
    const end = { type: `response.${type}`, response: { id: 'r', ...response } };
    expect(await answered('openai-responses', stream(created, said, end))).toEqual([finish, WORDS]);
  });

  it('tells calls at one place apart', async () => {
    const call = (id: string) => ({
      type: 'function_call',
      id,
      call_id: `c${id}`,
      name: 'lookup',
      arguments: '',
    });
    const args = (id: string) => `{"query":"${id}"}`;
    const each = (make: (id: string) => Data) => ['a', 'b'].map((id) => ({ output_index: 0, ...make(id) }));
    const events = [
      created,
      ...each((id) => ({ type: 'response.output_item.added', item: call(id) })),
      ...each((id) => ({ type: 'response.function_call_arguments.delta', item_id: id, delta: args(id) })),
      ...each((id) => ({ type: 'response.output_item.done', item: { ...call(id), arguments: args(id) } })),
      done(),
    ];
    const [finish, ...calls] = await answered('openai-responses', stream(...events));
    expect([finish, ...calls.map((one) => one.slice(0, 20))]).toEqual([
      ...['tool-calls', 'lookup {"query":"a"}', 'lookup {"query":"b"}'],
    ]);
  });
});
