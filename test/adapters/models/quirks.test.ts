// Every dialect of `test/server/quirks.ts` through the real adapter: no word is lost, no false warning,
// and a refused request finds its way.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Prompt } from '../../../src/adapters/models/chat-model.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { addToDraft } from '../../../src/domain/chat/draft.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import { ANSWERS, type QuirksServer, REFUSALS, startQuirks } from '../../server/quirks.ts';
import { collect, endOf, promptOf } from '../../suites/chat-model.suite.ts';

let server: QuirksServer;
beforeAll(async () => {
  server = await startQuirks();
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(() => server.close());

const lookup = {
  name: 'lookup',
  description: 'Looks something up',
  schema: {
    type: 'object',
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { query: { type: 'string' } },
  },
};

function modelOf(model: string, repairs: string[] = []) {
  return createEndpointModel({
    endpoint: {
      baseUrl: server.baseUrl,
      parameters: {
        temperature: 0.2,
        top_p: 0.9,
        max_tokens: 300,
        reasoning_effort: 'low',
        more: { presence_penalty: 1, seed: 7 },
      },
    },
    model,
    key: async () => 'sk-test',
    repairs: { get: () => repairs, remember: (more) => repairs.push(...more) },
  });
}
const options = () => ({ tools: [lookup], signal: new AbortController().signal });

/** Ways to make a new answer of ANSWERS pass. */
const DIALECT =
  'a dialect that is not understood: a field in THOUGHT_FIELDS of chunk.ts, a tag in TAGS of thoughts.ts, or code that reads it';

describe('answers', () => {
  it.each(Object.entries(ANSWERS))('%s', async (id, { expected }) => {
    const events = await collect(modelOf(id), promptOf('When?'), options());
    let parts: readonly Part[] = [];
    for (const event of events)
      if (event.type !== 'usage' && event.type !== 'end') parts = addToDraft(parts, event);
    const end = endOf(events);
    const usage = events.find((event) => event.type === 'usage');
    const textIn = (type: 'text' | 'reasoning') =>
      parts.map((part) => (part.type === type ? part.text : '')).join('');
    const got = {
      words: textIn('text'),
      thoughts: textIn('reasoning'),
      calls: parts.flatMap((part) =>
        part.type === 'tool-call' ? [{ name: part.name, arguments: part.arguments }] : [],
      ),
      finish: end.finish,
      problem: end.problem?.code,
      usage: usage?.usage,
      sources: events.flatMap((event) =>
        event.type === 'sources' ? event.sources.map(({ url }) => url) : [],
      ),
      pictures: parts.flatMap((part) => (part.type === 'file' ? [part.url] : [])),
    };
    expect(got, DIALECT).toEqual({
      thoughts: '',
      calls: [],
      problem: undefined,
      usage: undefined,
      sources: [],
      pictures: [],
      ...expected,
    });
    const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('an answer in another protocol', () => {
  it.each([
    ['another-protocol', undefined, 'anthropic'],

    ['plain', 'anthropic', 'chat'],
    ['of-gemini', undefined, 'google'],
    ['of-responses', undefined, 'openai-responses'],
    ['another-document', undefined, 'malformed'],
    ...(['text/html', 'text/plain', 'text/event-stream', 'application/json'] as const).flatMap(
      (type) =>
        [
          [`a-web-page-as-${type}`, undefined, 'web-page'],
          [`a-web-page-as-${type}`, 'anthropic', 'web-page'],
        ] as const,
    ),
  ] as const)('%s to %s is named: %s', async (model, protocol, reason) => {
    const events = await collect(
      createEndpointModel({
        endpoint: { baseUrl: server.baseUrl, ...(protocol ? { protocol } : {}) },
        model,
        key: async () => 'sk-test',
      }),
      promptOf('When?'),
      options(),
    );
    expect(endOf(events).problem).toMatchObject({ code: 'model-format', params: { reason } });
  });
});

/** A conversation with everything that some endpoint refuses. */
const history: Prompt = {
  system: 'Be brief.',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'When is the backup?' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'I should look.' },
        { type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{"query":"backup"}' },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'c1', text: 'At three.' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'At three.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Sure?' }] },
  ],
};

/** What is sent again, and how it is remembered; empty: it is taken as it is. */
const REPAIRED: Readonly<Record<string, readonly string[]>> = {
  'refuses-stream-options': ['drop:stream_options'],
  'refuses-stream-options-in-words': ['drop:stream_options'],
  'refuses-stream-options-in-the-stream': ['drop:stream_options'],
  'refuses-temperature': ['drop:temperature'],
  'refuses-top-p': ['drop:top_p'],
  'refuses-temperature-and-top-p': ['drop:top_p'],
  'refuses-max-tokens': ['rename:max_completion_tokens'],
  'refuses-effort': ['drop:reasoning_effort'],
  'refuses-tool-choice': ['drop:tool_choice'],
  'refuses-penalty': ['drop:presence_penalty'],
  'refuses-seed': ['drop:seed'],
  'refuses-strict': ['drop:$schema'],
  'refuses-several': ['drop:stream_options', 'drop:temperature', 'drop:top_p'],
  'refuses-thoughts': ['drop:reasoning_content'],
  'wants-thoughts': [],
  'refuses-seed-behind-a-colon': ['drop:seed'],
  'refuses-stream-options-as-a-property': ['drop:stream_options'],
  'refuses-penalty-of-gemini': ['drop:presence_penalty'],
  'wants-text-in-other-words': ['text-content'],
  'wants-words': ['fill:content'],
  'wants-no-system-in-a-number': ['roles'],
  'wants-no-system-by-its-place': ['roles'],
  'wants-signatures': ['fill:thought_signature'],
  'wants-short-ids': ['call-ids'],
  'wants-text': ['text-content'],
  'wants-no-system': ['roles'],
  'wants-no-stream': ['no-stream'],
  'strict-roles': [],
  'wants-object-arguments': [],
};

/** Refusals that nothing repairs by itself; each has a test of its own below. */
const ASKED_ABOUT = ['refuses-tools', 'refuses-all'];

describe('refusals', () => {
  it('are all tried here', () => {
    const tried = [...Object.keys(REPAIRED), ...ASKED_ABOUT];
    expect(Object.keys(REFUSALS).sort(), 'each of REFUSALS has its line in REPAIRED of this file').toEqual(
      tried.sort(),
    );
  });

  it.each(Object.keys(REFUSALS).filter((id) => id in REPAIRED))('%s', async (id) => {
    const expected = REPAIRED[id] as readonly string[];
    const kept: string[] = [];
    expect(
      endOf(await collect(modelOf(id, kept), history, options())),
      'no entry of RULES in src/adapters/models/repairs.ts fits this refusal',
    ).toEqual({ type: 'end', finish: 'stop' });
    expect(kept, 'an entry of RULES in src/adapters/models/repairs.ts made another repair').toEqual(expected);
    expect(server.requests).toHaveLength(expected.length + 1);
    // Known from now on.
    expect(endOf(await collect(modelOf(id, kept), history, options()))).toEqual({
      type: 'end',
      finish: 'stop',
    });
    expect(server.requests).toHaveLength(expected.length + 2);
    expect(kept).toEqual(expected);
  });

  it('change nothing but what was refused', async () => {
    await collect(modelOf('refuses-temperature'), history, options());
    const [first, second] = server.requests;
    const { temperature, ...rest } = first ?? { messages: [] };
    expect(temperature).toBe(0.2);
    expect(second).toEqual(rest);
  });

  it('end, and name what was refused', async () => {
    const kept: string[] = [];
    const end = endOf(await collect(modelOf('refuses-all', kept), history, options()));
    expect(end).toMatchObject({
      finish: 'error',
      problem: { code: 'model-server', params: { reason: 'input', input: 'stream_options, temperature' } },
    });
    expect(server.requests).toHaveLength(3);
    expect(kept).toEqual([]);
  });

  it('of what is needed are not repaired', async () => {
    const end = endOf(await collect(modelOf('refuses-tools'), history, options()));
    expect(end).toMatchObject({
      finish: 'error',
      problem: { code: 'model-server', params: { reason: 'request' } },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('fill thoughts in that were never known', async () => {
    const messages = history.messages.map(({ role, parts }) => ({
      role,
      parts: parts.filter(({ type }) => type !== 'reasoning'),
    }));
    const kept: string[] = [];
    expect(
      endOf(await collect(modelOf('wants-thoughts', kept), { ...history, messages }, options())).finish,
    ).toBe('stop');
    expect(kept).toEqual(['fill:reasoning_content']);
  });
});

describe('what goes back', () => {
  it('are the thoughts of a call, with it and with nothing else', async () => {
    await collect(modelOf('thinking-tools'), history, options());
    const [request] = server.requests;
    expect(request?.messages.map((message) => message.reasoning_content)).toEqual([
      undefined,
      undefined,
      'I should look.',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is the signature of a call that comes behind it', async () => {
    const signature = { extra_content: { google: { thought_signature: 'c2ln' } } };
    const call = { id: 'c1', function: { name: 'lookup', arguments: '{"query":"a"}' } };
    const body = [{ tool_calls: [call] }, { tool_calls: [signature] }]
      .map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`)
      .join('');
    const model = createEndpointModel({
      endpoint: { baseUrl: 'https://models.example/v1' },
      model: 'm',
      key: async () => undefined,
      fetch: async () => new Response(`${body}data: [DONE]\n\n`),
    });
    expect(await collect(model, promptOf('When?'), options())).toContainEqual(
      expect.objectContaining({ type: 'tool-call', provider: { endpoint: { thoughtSignature: 'c2ln' } } }),
    );
  });

  it('is the signature of a call', async () => {
    const events = await collect(modelOf('signed-tools'), promptOf('When?'), options());
    let parts: readonly Part[] = [];
    for (const event of events)
      if (event.type !== 'usage' && event.type !== 'end') parts = addToDraft(parts, event);
    // As it is kept: plain JSON.
    const kept = JSON.parse(JSON.stringify(parts)) as Part[];
    const messages = [
      ...promptOf('When?').messages,
      { role: 'assistant' as const, parts: kept },
      { role: 'tool' as const, parts: [{ type: 'tool-result' as const, callId: 'c1', text: 'At three.' }] },
    ];
    const memory: string[] = [];
    expect(
      endOf(await collect(modelOf('signed-tools', memory), { system: null, messages }, options())),
    ).toEqual({ type: 'end', finish: 'stop' });
    expect(memory).toEqual([]);
    expect(JSON.stringify(server.requests.at(-1))).toContain('"thought_signature":"c2lnbmF0dXJl"');
  });

  it.each([
    ['not json', '{"arguments":"not json"}'],
    ['{"query": "ba', '{"arguments":"{\\"query\\": \\"ba"}'],
    ['', '{}'],
    ['null', '{}'],
    ['[1]', '{"arguments":[1]}'],
    ['"text"', '{"arguments":"text"}'],
    ['{"a":  1}', '{"a":  1}'],
  ])('are arguments as an object: %j', async (written, sent) => {
    const messages = [
      ...promptOf('When?').messages,
      {
        role: 'assistant' as const,
        parts: [{ type: 'tool-call' as const, callId: 'c1', name: 'lookup', arguments: written }],
      },
      { role: 'tool' as const, parts: [{ type: 'tool-result' as const, callId: 'c1', text: 'At three.' }] },
    ];
    expect(
      endOf(await collect(modelOf('wants-object-arguments'), { system: null, messages }, options())).finish,
    ).toBe('stop');
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0])).toContain(JSON.stringify(sent));
  });
});
