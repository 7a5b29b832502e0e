import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatEvent, Prompt } from '../../../src/adapters/models/chat-model.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import {
  type Script,
  type ScriptedModelServer,
  type Step,
  startScriptedModel,
} from '../../server/scripted-model.ts';
import { collect, describeChatModel, endOf, promptOf, said } from '../../suites/chat-model.suite.ts';

let server: ScriptedModelServer;
beforeAll(async () => {
  server = await startScriptedModel();
});
beforeEach(() => server.reset());
afterAll(() => server.close());

const modelOf = (model: string, options: Partial<Parameters<typeof createEndpointModel>[0]> = {}) =>
  createEndpointModel({
    endpoint: { baseUrl: server.baseUrl },
    model,
    key: async () => 'sk-test',
    ...options,
  });

describeChatModel('The OpenAI-compatible model', async () => {
  const own = await startScriptedModel();
  return {
    model: (situation) =>
      createEndpointModel({
        endpoint: { baseUrl: own.baseUrl },
        model: situation === 'failing' ? 'error-401' : situation,
        key: async () => 'sk-test',
      }),
    close: () => own.close(),
  };
});

describe('what is sent', () => {
  it('has the parameters of the endpoint, and what one request needs before them', async () => {
    const parameters = {
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 300,
      reasoning_effort: 'low',
      more: { seed: 7, temperature: 1, provider: { order: ['a'] } },
    };
    const set = modelOf('plain', { endpoint: { baseUrl: server.baseUrl, parameters } });
    const { signal } = new AbortController();
    await collect(set, promptOf('Hello'), { signal });
    await collect(set, promptOf('Hello'), { signal, maxTokens: 50 });
    await collect(modelOf('plain'), promptOf('Hello'), { signal });
    const [first, second, bare] = server.chats();
    const sent = {
      temperature: 0.2,
      top_p: 0.9,
      reasoning_effort: 'low',
      seed: 7,
      provider: { order: ['a'] },
    };
    expect(first).toMatchObject({ ...sent, model: 'plain', stream: true, max_tokens: 300 });
    expect(set.parameters).toEqual({ ...sent, max_tokens: 300 });
    expect(second).toMatchObject({ ...sent, max_tokens: 50 });
    // The request has no parameter that was not set.
    const { messages: _messages, ...rest } = bare ?? { messages: [] };
    expect(rest).toEqual({ model: 'plain', stream: true, stream_options: { include_usage: true } });
    expect(modelOf('plain')).not.toHaveProperty('parameters');
  });

  it('names the longest answer as the endpoint does', () => {
    const at = (baseUrl: string) =>
      modelOf('x', { endpoint: { baseUrl, parameters: { max_tokens: 9 } } }).parameters;
    expect(at('https://api.openai.com/v1')).toEqual({ max_completion_tokens: 9 });
    expect(at('http://localhost:11434/v1')).toEqual({ max_tokens: 9 });
  });

  const prompt: Prompt = {
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'What is this?' },
          {
            type: 'file',
            mediaType: 'image/png',
            name: 'dot.png',
            url: 'data:image/png;base64,iVBORw0KGgo=',
          },
          {
            type: 'file',
            mediaType: 'text/plain',
            name: 'note.txt',
            url: `data:text/plain;base64,${Buffer.from('备份 at three').toString('base64')}`,
          },
          {
            type: 'file',
            mediaType: 'application/zip',
            name: 'a.zip',
            url: 'data:application/zip;base64,AAAA',
          },
          { type: 'file', mediaType: 'image/jpeg', reference: 'lost.jpg' },
          {
            type: 'file',
            mediaType: 'application/pdf',
            name: 'plan.pdf',
            url: 'data:application/pdf;base64,JVBERi0xLjc=',
          },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{"query": "x",  "n":1}' },
          { type: 'tool-call', callId: 'c2', name: 'lookup', arguments: 'not json' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c1', text: 'found' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c2', text: 'broken', isError: true }] },
      { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
    ],
  };

  it('is the conversation, in the words of the protocol', async () => {
    await collect(modelOf('plain'), prompt);
    const [request] = server.chats();
    expect(request).toMatchObject({ model: 'plain', stream: true, stream_options: { include_usage: true } });
    expect(request?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'text', text: '<file name="note.txt">\n备份 at three\n</file>' },
          { type: 'text', text: '[file: a.zip]' },
          { type: 'text', text: '[image: lost.jpg]' },
          {
            type: 'file',
            file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjc=' },
          },
        ],
      },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"query": "x",  "n":1}' } },
          { id: 'c2', type: 'function', function: { name: 'lookup', arguments: '{"arguments":"not json"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'tool', tool_call_id: 'c2', content: 'broken' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('carries the key of the moment and no header that CORS would have to allow', async () => {
    let key: string | undefined = 'sk-one';
    const model = modelOf('plain', { key: async () => key });
    await collect(model);
    key = undefined;
    await collect(model);
    const [first, second] = server.requests;
    expect(first?.headers.authorization).toBe('Bearer sk-one');
    expect(second?.headers.authorization).toBeUndefined();
    expect(String(first?.headers['user-agent'])).not.toContain('ai-sdk');
  });

  it('bounds the answer only where asked to, by the name that the endpoint knows', async () => {
    const { signal } = new AbortController();
    const bodies: Record<string, unknown>[] = [];
    const seen: typeof fetch = (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return fetch(`${server.baseUrl}/chat/completions`, init);
    };
    for (const baseUrl of [server.baseUrl, 'https://api.openai.com/v1'])
      for (const bound of [{}, { maxTokens: 700 }])
        for await (const _event of modelOf('plain', { endpoint: { baseUrl }, fetch: seen }).stream(prompt, {
          signal,
          ...bound,
        }));
    expect(
      bodies.map(({ max_tokens, max_completion_tokens }) => ({ max_tokens, max_completion_tokens })),
    ).toEqual([{}, { max_tokens: 700 }, {}, { max_completion_tokens: 700 }]);
  });

  it('goes to the endpoint alone, once, whatever happens', async () => {
    const asked: string[] = [];
    const watching: typeof fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    for (const id of ['plain', 'error-500', 'error-429', 'cut', 'cut-early', 'malformed-only'])
      await collect(modelOf(id, { fetch: watching }));
    expect(asked).toEqual(new Array(6).fill(`${server.baseUrl}/chat/completions`));
  });

  it('goes below the path of an address with a query, which stays', async () => {
    const asked: string[] = [];
    const watching: typeof fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    const endpoint = { baseUrl: `${server.baseUrl}?api-version=1` };
    expect(endOf(await collect(modelOf('plain', { endpoint, fetch: watching }))).finish).toBe('stop');
    expect(asked).toEqual([`${server.baseUrl}/chat/completions?api-version=1`]);
  });

  it('takes the key out of what was pasted with it', async () => {
    await collect(modelOf('plain', { key: async () => 'Bearer sk-test\n' }));
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-test');
  });

  it('does not call an empty answer a web page', async () => {
    server.next({ status: 204, body: '' });
    const end = endOf(await collect(modelOf('plain')));
    expect(end.problem).toMatchObject({ code: 'model-cut' });
  });

  it('does not follow a redirect', async () => {
    server.next({ status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' });
    const end = endOf(await collect(modelOf('plain')));
    expect(end.problem).toMatchObject({ code: 'model-not-found', params: { reason: 'redirect' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('what comes back', () => {
  it('tells the tokens', async () => {
    const events = await collect(modelOf('reasoning'));
    expect(events.find((event) => event.type === 'usage')).toEqual({
      type: 'usage',
      usage: { inputTokens: 120, outputTokens: 34, cachedInputTokens: 64, reasoningTokens: 12 },
    });
  });

  it('reads the cache figures of Moonshot and DeepSeek, and invents none', async () => {
    const usageOf = async (usage: Record<string, unknown>) => {
      server.next({ steps: [{ text: 'x' }, { finish: 'stop' }, { usage }] });
      const events = await collect(modelOf('plain'));
      return events.find((event) => event.type === 'usage');
    };
    expect(await usageOf({ prompt_tokens: 9, completion_tokens: 2, cached_tokens: 5 })).toEqual({
      type: 'usage',
      usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 5 },
    });
    expect(await usageOf({ prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 })).toEqual({
      type: 'usage',
      usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 },
    });
    expect((await collect(modelOf('echo'))).some((event) => event.type === 'usage')).toBe(false);
    // -1 is no number of tokens.
    expect(await usageOf({ prompt_tokens: -1, completion_tokens: 2 })).toEqual({
      type: 'usage',
      usage: { outputTokens: 2 },
    });
    expect(await usageOf({ prompt_tokens: 3, completion_tokens: 9e99 })).toEqual({
      type: 'usage',
      usage: { inputTokens: 3 },
    });
  });

  it('hands over two calls of one answer', async () => {
    const events = await collect(modelOf('two-tools'));
    expect(events.filter((event) => event.type === 'tool-call').map((event) => event.arguments)).toEqual([
      '{"query":"a"}',
      '{"query":"b"}',
    ]);
  });

  it('describes tools, and can name them without allowing a call', async () => {
    const tools = [
      {
        name: 'lookup',
        description: 'Looks things up.',
        schema: { type: 'object', properties: { query: { type: 'string' } } },
      },
    ];
    for (const toolChoice of ['auto', 'none'] as const)
      for await (const _ of modelOf('plain').stream(promptOf('hi'), {
        tools,
        toolChoice,
        signal: new AbortController().signal,
      }));
    const [auto, none] = server.chats();
    for (const request of [auto, none])
      expect(request?.tools).toMatchObject([
        {
          type: 'function',
          function: { name: 'lookup', parameters: { properties: { query: { type: 'string' } } } },
        },
      ]);
    expect([auto?.tool_choice, none?.tool_choice]).toEqual(['auto', 'none']);
    expect(modelOf('plain').endpoint).toBe(new URL(server.baseUrl).host);
  });

  it('takes a huge answer whole', async () => {
    expect(said(await collect(modelOf('huge')))).toHaveLength(1_000_000);
  });

  it('takes an invented finish reason, and [DONE] alone, for an end', async () => {
    server.next({ steps: [{ text: 'whole' }, { finish: 'eos' }] }, { steps: [{ text: 'whole' }] });
    for (let round = 0; round < 2; round++) {
      const events = await collect(modelOf('plain'));
      expect([said(events), endOf(events)]).toEqual(['whole', { type: 'end', finish: 'stop' }]);
    }
  });

  it('sends 10 MB', async () => {
    const text = 'x'.repeat(10 * 1024 * 1024);
    await collect(modelOf('plain'), promptOf(text));
    expect(server.chats()[0]?.messages[0]?.content).toHaveLength(text.length);
  });
});

describe('answers that are no event stream', () => {
  const completion = (
    message: Record<string, unknown>,
    finish: string,
    more: Record<string, unknown> = {},
  ): Script => ({
    status: 200,
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
      ...more,
    },
  });

  it('are taken whole: thoughts, words, tokens and how it ended', async () => {
    server.next(
      completion({ content: 'Backups run at three.', reasoning_content: 'The person asks.' }, 'length', {
        usage: { prompt_tokens: 9, completion_tokens: 4 },
      }),
    );
    const events = await collect(modelOf('plain'));
    expect(said(events, 'reasoning-delta')).toBe('The person asks.');
    expect(said(events)).toBe('Backups run at three.');
    expect(events).toContainEqual({ type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } });
    expect(endOf(events)).toEqual({ type: 'end', finish: 'length' });
  });

  it('bring every tool call', async () => {
    const call = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'lookup', arguments: text },
    });
    server.next(
      completion(
        { content: null, tool_calls: [call('c1', '{"query":"a"}'), call('c2', '{}')] },
        'tool_calls',
      ),
    );
    const events = await collect(modelOf('plain'));
    expect(events.filter((event) => event.type === 'tool-call')).toEqual([
      { type: 'tool-call', callId: 'c1', name: 'lookup', arguments: '{"query":"a"}' },
      { type: 'tool-call', callId: 'c2', name: 'lookup', arguments: '{}' },
    ]);
    expect(endOf(events).finish).toBe('tool-calls');
  });

  it('are known by what they are, not by what they call themselves', async () => {
    const { body } = completion({ content: '完整' }, 'stop') as { body: unknown };
    server.next(
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ` \r\n${JSON.stringify(body)}` },
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: 'data: {"choices":[{"delta":{"content":"完整"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      },
    );
    for (let round = 0; round < 2; round++) {
      const events = await collect(modelOf('plain'));
      expect([said(events), endOf(events)]).toEqual(['完整', { type: 'end', finish: 'stop' }]);
    }
  });

  it.each([
    [{ error: { message: 'Model is overloaded', code: 503 } }, 'model-server', 'Model is overloaded'],
    [{ error: { message: 'No more credit', code: 'insufficient_quota' } }, 'model-rate', 'No more credit'],
    [{ error: { message: 'Bad key', code: 'invalid_api_key' } }, 'model-key', 'Bad key'],
    [[{ error: { message: 'Too busy', status: 'UNAVAILABLE' } }], 'model-server', 'Too busy'],
    [{ error: 'model "x" not found' }, 'model-not-found', 'model "x" not found'],
    [{ error: 'model "x" not found', choices: null }, 'model-not-found', 'model "x" not found'],
    [{ detail: 'The queue is full' }, 'model-server', 'The queue is full'],
    [{ code: 1305, message: '模型繁忙', success: false }, 'model-server', '模型繁忙'],
  ])('and tell an error say why: %j', async (body, code, detail) => {
    server.next({ status: 200, body });
    const events = await collect(modelOf('plain'));
    expect(events).toHaveLength(1);
    expect(endOf(events)).toMatchObject({ finish: 'error', problem: { code, params: { detail } } });
  });

  it.each(['Service is warming up, try again', 'null', '{"choices":[{"mess'])(
    'and are none, or none that is whole, are told as that: %s',
    async (body) => {
      server.next({ status: 200, body });
      expect(endOf(await collect(modelOf('plain')))).toMatchObject({
        finish: 'error',
        problem: { code: 'model-format', params: { reason: 'malformed' } },
      });
    },
  );
});

describe('the letter of the event stream', () => {
  const chunk = (text: string, finish: string | null = null) =>
    JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] });
  it.each([
    [
      'CRLF',
      `: ping\r\n\r\ndata: ${chunk('a')}\r\n\r\n: ping\r\n\r\ndata: ${chunk('b', 'stop')}\r\n\r\ndata: [DONE]\r\n\r\n`,
    ],
    ['CRLF and only [DONE] to say that it is whole', `data: ${chunk('ab')}\r\n\r\ndata: [DONE]\r\n\r\n`],
    ['no space behind the colon', `data:${chunk('a')}\n\ndata:${chunk('b')}\n\ndata:[DONE]\n\n`],
    ['no [DONE]', `data: ${chunk('a')}\n\ndata: ${chunk('b', 'stop')}\n\n`],
    ['no blank line at the end', `data: ${chunk('a')}\n\ndata: ${chunk('b', 'stop')}`],
    [
      'event names, ids, no choices, usage alone',
      `event: message\nid: 1\ndata: {"choices":[]}\n\ndata: ${chunk('ab', 'stop')}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n`,
    ],
  ])('is read with %s', async (_name, raw) => {
    server.next({ steps: [{ raw }, { close: true }] });
    const events = await collect(modelOf('plain'));
    expect([said(events), endOf(events)]).toEqual(['ab', { type: 'end', finish: 'stop' }]);
  });

  it.each([
    ['event: error\ndata: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n', 'overloaded'],
    ['event: error\ndata: {"message":"out of memory","code":500}\n\n', 'out of memory'],
    ['event: error\ndata: {"detail":"out of memory"}\n\n', 'out of memory'],
    ['data: {"error":"out of memory"}\n\n', 'out of memory'],
    ['data: {"error":{"message":"out of memory","code":null}}\n\ndata: [DONE]\n\n', 'out of memory'],
  ])('keeps what came before %j, and says why', async (raw, detail) => {
    server.next({ steps: [{ text: 'It began ' }, { raw }, { close: true }] });
    const events = await collect(modelOf('plain'));
    expect(said(events)).toBe('It began ');
    expect(endOf(events)).toMatchObject({
      finish: 'error',
      problem: { code: 'model-server', params: { detail } },
    });
  });
});

describe('the reason of a refusal', () => {
  const refused = async (status: number, body: unknown, headers: Record<string, string> = {}) => {
    server.next({ status, body, headers });
    return endOf(await collect(modelOf('plain'))).problem;
  };

  it.each([
    [
      { error: 'model "llama9" not found, try pulling it first' },
      'model "llama9" not found, try pulling it first',
    ],
    [{ detail: 'Not a chat model' }, 'Not a chat model'],
    [
      { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] },
      'model: Field required',
    ],
    [{ message: 'Unknown field', code: 1210 }, 'Unknown field'],
    [
      { statusCode: 400, error: 'Bad Request', message: 'body must have messages' },
      'body must have messages',
    ],
    [[{ error: { code: 400, message: 'Invalid value', status: 'INVALID_ARGUMENT' } }], 'Invalid value'],
    [
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: 'tools are not known here' },
        },
      },
      'Provider returned error: tools are not known here',
    ],
    ['no such thing', 'no such thing'],
    [`<html>\n<head><title>413 Request\nEntity</title></head><body>x</body></html>`, '413 Request Entity'],
    ['<html><body><center><h1>Blocked</h1></center></body></html>', 'Blocked'],
    ['x'.repeat(5000), `${'x'.repeat(300)}…`],
  ])('is found in %j', async (body, detail) => {
    expect((await refused(400, body))?.params?.detail).toBe(detail);
  });

  it('tells a used up quota from too many requests', async () => {
    const reasonOf = async (message: string, code: string | null, type: string) =>
      (await refused(429, { error: { message, code, type } }))?.params;
    expect(
      await reasonOf('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'),
    ).toMatchObject({ reason: 'quota' });
    // With a time to wait beside a link to pay, waiting is enough.
    expect(
      await reasonOf(
        'Rate limit reached. Please try again in 7.66s. Upgrade at https://example.org/settings/billing',
        'rate_limit_exceeded',
        'tokens',
      ),
    ).toMatchObject({ reason: 'seconds', seconds: 8 });
  });

  it.each([
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [404, 'No endpoints found that support image input'],
    [400, 'This model does not support images.'],
    [422, 'messages[0]: unknown variant `image_url`, expected `text`'],
    [400, 'llama-3 is not a multimodal model'],
  ])('knows a model that takes no images: %s %s', async (status, message) => {
    expect(await refused(status, message)).toMatchObject({
      code: 'model-server',
      params: { reason: 'images' },
    });
  });

  it.each([
    [400, 'The image is too large: this model accepts images of up to 5 MB.'],
    [400, 'Could not download the image.'],
    [400, 'Unknown parameter: temperature.'],
  ])('takes nothing else for that: %s %s', async (status, message) => {
    expect((await refused(status, message))?.params?.reason).not.toBe('images');
  });

  it.each([
    [529, 'Overloaded'],
    [503, 'The model is overloaded. Please try again later.'],
    [429, 'engine_overloaded_error'],
  ])('knows an endpoint that is overloaded: %s %s', async (status, message) => {
    expect((await refused(status, message))?.params?.cause).toBe('overloaded');
  });

  it('leaves images out where it was told to, and says that they were there', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const image = { type: 'file', mediaType: 'image/png', name: 'cat.png', url } as const;
    const prompt = {
      system: null,
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'What?' }, image] }],
    } as const;
    await collect(modelOf('plain'), prompt, { signal: new AbortController().signal, without: ['images'] });
    expect(server.chats().at(-1)?.messages).toEqual([{ role: 'user', content: 'What?\n\n[image: cat.png]' }]);
  });

  it('says when to try again, also of an endpoint that is busy', async () => {
    expect(await refused(503, 'busy', { 'retry-after': '90' })).toMatchObject({
      code: 'model-rate',
      retry: true,
      params: { reason: 'seconds', seconds: 90 },
    });
    const at = new Date(Date.now() + 120_000).toUTCString();
    const seconds = Number((await refused(429, 'slow down', { 'retry-after': at }))?.params?.seconds);
    expect(seconds).toBeGreaterThan(110);
    expect(seconds).toBeLessThanOrEqual(120);
    expect(await refused(503, 'busy', { 'retry-after': 'soon' })).toMatchObject({ code: 'model-server' });
    const inMs = await refused(429, 'slow down', { 'retry-after-ms': '1500', 'retry-after': '60' });
    expect(inMs).toMatchObject({ params: { reason: 'seconds', seconds: 2 } });
  });

  it('reads from the body when a limit that a provider sets is over', async () => {
    const reset = String(Date.now() + 90_000);
    const error = {
      message: 'Rate limit exceeded',
      code: 429,
      metadata: { headers: { 'X-RateLimit-Reset': reset } },
    };
    const problem = await refused(429, { error });
    expect(problem).toMatchObject({ code: 'model-rate', params: { reason: 'seconds' } });
    expect(Number(problem?.params?.seconds)).toBeGreaterThan(80);
  });

  it.each([
    ['-5', 'slow down', { reason: 'soon' }],
    ['0', 'slow down', { reason: 'soon' }],
    ['5, 10', 'slow down', { reason: 'seconds', seconds: 5 }],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 'slow down', { reason: 'soon' }],
    ['9'.repeat(400), 'slow down', { reason: 'soon' }],
    ['9'.repeat(20), 'slow down', { reason: 'soon' }],
    ['1.2', 'slow down', { reason: 'seconds', seconds: 2 }],
    ['', 'Please try again in 1m30.5s.', { reason: 'seconds', seconds: 91 }],
    ['', 'Please try again in 6m0s.', { reason: 'minutes', minutes: 6 }],
    ['', 'Please try again in 1h2m3s.', { reason: 'minutes', minutes: 63 }],
    ['', 'Please try again in 20 seconds.', { reason: 'seconds', seconds: 20 }],
    ['', 'Please retry after 2 hours.', { reason: 'minutes', minutes: 120 }],
    ['', 'Please try again in 340ms.', { reason: 'seconds', seconds: 1 }],
  ])('reads %j and %j as a time to wait', async (header, message, expected) => {
    const problem = await refused(429, message, header === '' ? {} : { 'retry-after': header });
    expect(problem).toMatchObject({ code: 'model-rate', params: expected });
  });
});

describe('thoughts in the words', () => {
  const answerOf = async (...pieces: string[]) => {
    server.next({ steps: [...pieces.map((text) => ({ text })), { finish: 'stop' }] });
    const events = await collect(modelOf('plain'));
    expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
    return [said(events, 'reasoning-delta'), said(events)];
  };

  it.each(['think', 'thinking', 'Think'])('are told apart: <%s>', async (tag) => {
    const text = `<${tag}>\nIs 1 < 2? Yes.\n</${tag}>\n\nYes, 1 < 2.`;
    const expected = ['Is 1 < 2? Yes.\n', 'Yes, 1 < 2.'];
    expect(await answerOf(text)).toEqual(expected);
    expect(await answerOf(...text)).toEqual(expected);
    expect(await answerOf('\n\n', ...text)).toEqual(expected);
  });

  it('are none where there are none', async () => {
    expect(await answerOf('<think>\n\n</think>\n\nHello.')).toEqual(['', 'Hello.']);
  });

  it.each([
    'The model writes `<think>` and </think> around its thoughts.',
    '```\n<think>x</think>\n```',
    '<thinker> is no tag of it',
    '<thi',
    '  <',
  ])('are only at the start: %j', async (text) => {
    expect(await answerOf(text)).toEqual(['', text]);
    expect(await answerOf(...text)).toEqual(['', text]);
  });

  it('stay thoughts where the answer was cut within them', async () => {
    server.next({ steps: [{ text: '<think>Let me see </th' }, { finish: 'length' }] });
    const events = await collect(modelOf('plain'));
    expect([said(events, 'reasoning-delta'), said(events)]).toEqual(['Let me see </th', '']);
    expect(endOf(events).finish).toBe('length');
  });

  it('come before a tool call', async () => {
    server.next({
      steps: [
        { text: '<think>Look.</think>' },
        { call: { id: 'c1', name: 'lookup', arguments: '{}' } },
        { finish: 'tool_calls' },
      ],
    });
    const events = await collect(modelOf('plain'));
    expect(events.map(({ type }) => type)).toEqual(['reasoning-delta', 'tool-call', 'end']);
  });
});

describe('bad days', () => {
  it.each([
    ['error-401', 'model-key', false, { reason: 'refused' }],
    ['error-402', 'model-forbidden', false, { reason: 'balance' }],
    ['error-403', 'model-forbidden', false, { reason: 'forbidden' }],
    ['error-404', 'model-not-found', false, { reason: 'model', model: 'error-404' }],
    ['error-429', 'model-rate', true, { seconds: 7, reason: 'seconds' }],
    ['error-429-bare', 'model-rate', true, { reason: 'soon' }],
    ['error-400', 'model-server', false, { status: 400, reason: 'request' }],
    ['error-context', 'model-context', false, {}],
    ['error-refused', 'model-refused', false, {}],
    ['error-500', 'model-server', true, { status: 500 }],
    ['error-503-html', 'model-server', true, { status: 503, detail: '503 Service Unavailable' }],
    ['html-page', 'model-format', false, { reason: 'web-page' }],
  ])('%s is %s', async (id, code, retry, params) => {
    const events = await collect(modelOf(id));
    const end = endOf(events);
    expect(events).toHaveLength(1);
    expect(end.finish).toBe('error');
    expect(end.problem).toMatchObject({
      code,
      retry,
      params: { ...params, endpoint: new URL(server.origin).host },
    });
  });

  it.each([
    ['unfinished', 'What arrived before the end ', 'cut', 'model-cut'],
    ['cut-early', '', 'error', 'model-cut'],
    ['malformed-only', '', 'error', 'model-format'],
    ['filter', 'I was going to', 'error', 'model-refused'],
    ['error-in-stream', 'It starts well ', 'error', 'model-server'],
  ])('%s keeps what came and ends as it did', async (id, text, finish, code) => {
    const events = await collect(modelOf(id));
    expect(said(events)).toBe(text);
    expect(endOf(events)).toMatchObject({ finish, problem: { code } });
  });

  it('reads on after a broken line, and says that a piece was lost', async () => {
    const events = await collect(modelOf('malformed'));
    expect(said(events)).toBe('Before after.');
    expect(endOf(events)).toMatchObject({
      finish: 'stop',
      problem: { code: 'model-format', params: { reason: 'pieces' } },
    });
  });

  it('understands an error of unknown shape inside the stream', async () => {
    const steps: Step[] = [
      { text: 'a ' },
      { raw: 'data: {"error":"rate limit reached"}\n\n' },
      { close: true },
    ];
    server.next({ steps });
    expect(endOf(await collect(modelOf('plain')))).toMatchObject({
      finish: 'error',
      problem: { code: 'model-rate' },
    });
  });

  it.each([
    ['silent', 'error', 0],
    ['stall', 'cut', 1],
  ])('does not wait for ever: %s', async (id, finish, texts) => {
    // On the test's own clock: a busy machine may take longer to answer than any short limit.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const events: ChatEvent[] = [];
    const answer = collect(modelOf(id, { silenceMs: 60_000 }), undefined, undefined, events);
    await vi.waitUntil(() => server.requests.length === 1 && events.length >= texts, { timeout: 15_000 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(endOf(await answer)).toMatchObject({
      finish,
      problem: { code: 'model-network', params: { reason: 'silent' }, retry: true },
    });
  });

  it('can be stopped while nothing has come', async () => {
    const control = new AbortController();
    const answer = collect(modelOf('silent'), undefined, { signal: control.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    control.abort();
    expect(await answer).toEqual([{ type: 'end', finish: 'stopped' }]);
  });

  it('says that nobody is there', async () => {
    const gone = await startScriptedModel();
    await gone.close();
    const end = endOf(await collect(modelOf('plain', { endpoint: { baseUrl: gone.baseUrl } })));
    expect(end.problem).toMatchObject({
      code: 'model-network',
      retry: true,
      params: { reason: 'unreachable', detail: 'ECONNREFUSED' },
    });
  });

  it('explains a key that cannot be one, and an address that is none, without asking', async () => {
    const key = endOf(await collect(modelOf('plain', { key: async () => 'sk-密钥' })));
    expect(key.problem).toMatchObject({ code: 'model-key', params: { reason: 'characters' } });
    const address = endOf(await collect(modelOf('plain', { endpoint: { baseUrl: 'ftp://x' } })));
    expect(address.problem).toMatchObject({ code: 'model-not-found', params: { reason: 'address' } });
    expect(server.requests).toHaveLength(0);
  });

  it('never repeats the key in a sentence', async () => {
    server.next({ status: 401, body: { error: { message: 'Bad key sk-test-12345 given' } } });
    const end = endOf(await collect(modelOf('plain', { key: async () => 'sk-test-12345' })));
    expect(JSON.stringify(end)).not.toContain('sk-test-12345');
  });

  it('reports a vault that cannot be opened', async () => {
    const end = endOf(await collect(modelOf('plain', { key: () => Promise.reject(new Error('locked')) })));
    expect(end).toMatchObject({ finish: 'error', problem: { code: 'unexpected' } });
  });
});
