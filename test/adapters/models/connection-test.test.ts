import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testConnection } from '../../../src/adapters/models/connection-test.ts';
import type { Surroundings } from '../../../src/adapters/models/http.ts';
import { contextWindowOf, PRESETS } from '../../../src/adapters/models/index.ts';
import { SCRIPTS, type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';

let server: ScriptedModelServer;
beforeAll(async () => {
  server = await startScriptedModel();
});
beforeEach(() => server.reset());
afterAll(() => server.close());

const never = () => new AbortController().signal;
const test = (baseUrl: string, key?: string) => testConnection({ baseUrl }, key, never());

/** A server that answers `/models` in one way. */
async function answering(status: number, body: string, type = 'application/json') {
  const one = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(one.address() as AddressInfo).port}/v1`,
    close: () => new Promise<void>((resolve) => one.close(() => resolve())),
  };
}

describe('a connection test', () => {
  it('lists the models, whatever the slashes, and generates nothing', async () => {
    for (const baseUrl of [server.baseUrl, `${server.baseUrl}/`, ` ${server.baseUrl} `]) {
      const report = await test(baseUrl, 'sk-good');
      expect(report).toMatchObject({ ok: true });
      if (report.ok) expect(report.models).toEqual(Object.keys(SCRIPTS).sort((a, b) => a.localeCompare(b)));
    }
    expect(
      server.requests.every((request) => request.path === '/v1/models' && request.method === 'GET'),
    ).toBe(true);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-good');
  });

  it('tells the prices that a list has, per million tokens, and none that it has not', async () => {
    const priced = (id: string, pricing: unknown) => ({ id, pricing });
    const one = await answering(
      200,
      JSON.stringify({
        data: [
          priced('a/x', { prompt: '0.0000025', completion: '0.00001', input_cache_read: '0.00000025' }),
          priced('b/free', { prompt: '0', completion: '0' }),
          priced('c/router', { prompt: '-1', completion: '-1' }),
          priced('d/odd', { hourly: 0, input: 0.88, output: 0.88 }),
          priced('e/none', null),
          { id: 'f/untold' },
        ],
      }),
    );
    try {
      const report = await test(one.url);
      expect(report).toMatchObject({
        prices: {
          'a/x': { currency: 'USD', input: 2.5, output: 10, cachedInput: 0.25 },
          'b/free': { currency: 'USD', input: 0, output: 0 },
        },
      });
      if (report.ok) expect(Object.keys(report.prices ?? {})).toEqual(['a/x', 'b/free']);
      if (report.ok) expect(report.models.length).toBe(6);
    } finally {
      await one.close();
    }
  });

  it.each([
    ['wrong-key', 'model-key', { reason: 'refused' }],
    ['forbidden-key', 'model-forbidden', { reason: 'forbidden' }],
    ['busy-key', 'model-rate', { seconds: 7 }],
    ['sk-钥匙', 'model-key', { reason: 'characters' }],
  ])('explains the key %s', async (key, code, params) => {
    expect(await test(server.baseUrl, key)).toMatchObject({ ok: false, problem: { code, params } });
  });

  it('does not advise an ending that the address has', async () => {
    expect(await test(`${server.origin}/elsewhere`)).toMatchObject({
      problem: { params: { reason: 'path' } },
    });
    for (const path of ['/elsewhere/v1', '/elsewhere/v1/', '/api/paas/v4'])
      expect(await test(server.origin + path)).toMatchObject({
        ok: false,
        problem: { code: 'model-not-found', params: { reason: 'versioned' } },
      });
  });

  it.each([
    ['', '/v1'],
    ['/chat/completions', '/v1'],
    ['/v1/models', '/v1'],
    ['/api/chat', '/v1'],
    ['/v1/chat', '/v1'],
  ])('knows the better address for "%s"', async (path, better) => {
    expect(await test(server.origin + path)).toMatchObject({
      ok: false,
      problem: { code: 'model-not-found', params: { reason: 'path', suggestion: server.origin + better } },
    });
  });

  it('takes an address with its /chat/completions for the one before it, as every request does', async () => {
    expect(await test(` ${server.baseUrl}/chat/completions/ `)).toMatchObject({ ok: true });
  });

  it('keeps a query behind the path, and takes no fragment and no line break of a paste along', async () => {
    const asked: string[] = [];
    const watching: typeof fetch = (input, init) => {
      asked.push(String(input).replace(server.origin, ''));
      return fetch(input, init);
    };
    const ask = (address: string) =>
      testConnection({ baseUrl: server.origin + address }, 'sk', never(), { fetch: watching });
    for (const address of ['/v1?a=1', '/v1/chat/completions?a=1#top', '/\n v1/?a=1 '])
      expect(await ask(address)).toMatchObject({ ok: true });
    expect(asked).toEqual(Array(3).fill('/v1/models?a=1'));
    expect(await ask('?a=1')).toMatchObject({
      problem: { params: { suggestion: `${server.baseUrl}?a=1` } },
    });
  });

  it.each([
    ['localhost:1234/v1', 'http://localhost:1234/v1'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['192.168.1.4:11434/v1/', 'http://192.168.1.4:11434/v1'],
    ['//api.example.org/v1', 'https://api.example.org/v1'],
    ['api.example.org', 'https://api.example.org'],
  ])('offers %s with its scheme', async (typed, suggestion) => {
    expect(await test(typed)).toMatchObject({
      problem: { code: 'model-not-found', params: { reason: 'address', suggestion } },
    });
  });

  it('says that a browser sends no name and password in an address, and repeats neither', async () => {
    const report = await test('http://me:hush@localhost:1/v1');
    expect(report).toMatchObject({ problem: { code: 'model-not-found', params: { reason: 'credentials' } } });
    expect(JSON.stringify(report)).not.toContain('hush');
  });

  it.each(['Bearer sk-good', 'Authorization: Bearer sk-good', '"sk-good"', '\u200bsk-good\n'])(
    'takes the key out of %j',
    async (key) => {
      expect(await test(server.baseUrl, key)).toMatchObject({ ok: true });
      expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-good');
    },
  );

  it('says that a key is wanted where none was given', async () => {
    const one = await answering(401, '{"error":{"message":"Missing bearer"}}');
    expect(await test(one.url)).toMatchObject({
      problem: { code: 'model-key', params: { reason: 'missing' } },
    });
    await one.close();
  });

  it.each([
    ['{"error":{"message":"Invalid API key provided","code":"invalid_api_key"}}', 'model-key'],
    ['{"error":{"message":"Insufficient balance"}}', 'model-forbidden'],
    ['{"code":401,"msg":"invalid api key","data":null}', 'model-key'],
    ['{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', 'model-rate'],
  ])('reads the error in %s, though its status is 200', async (body, code) => {
    const one = await answering(200, body);
    expect(await test(one.url, 'sk-good')).toMatchObject({ ok: false, problem: { code } });
    await one.close();
  });

  it('advises nothing of a conversation where a list was asked for', async () => {
    const one = await answering(400, '{"error":{"message":"Missing header"}}');
    expect(await test(one.url)).toMatchObject({
      problem: { code: 'model-server', params: { reason: 'list' } },
    });
    await one.close();
  });

  it('suggests the address even where the key is refused there', async () => {
    const report = await test(server.origin, 'wrong-key');
    expect(report).toMatchObject({ problem: { params: { suggestion: server.baseUrl } } });
  });

  it.each([
    // A fresh Ollama.
    ['{"object":"list","data":null}', []],
    ['{"data":[]}', []],
    ['{"data":[{"id":" "},{"id":"\\u200b"},{"id":"m"}]}', ['m']],
    ['{"data":[{"id":" a "},{"id":"a"}]}', ['a']],
    // Only what answers in words, by the fields of Google, Cohere, xAI, GitHub, Azure, Copilot, LiteLLM and AWS.
    ...[
      [{ supported_generation_methods: ['generateContent'] }, { supportedActions: ['embedContent'] }],
      [{ endpoints: ['chat'] }, { endpoints: ['classify'] }],
      [{ output_modalities: ['text'] }, { modalities: { output: ['image'] } }],
      [{ supported_output_modalities: ['text'] }, { supported_output_modalities: ['embeddings'] }],
      [{ capabilities: { chat_completion: true } }, { capabilities: { chat_completion: false } }],
      [{ capabilities: { type: 'chat' } }, { capabilities: { type: 'embeddings' } }],
      [{ model_info: { mode: 'chat' } }, { model_info: { mode: 'embedding' } }],
      [{ outputModalities: ['TEXT'] }, { outputModalities: ['IMAGE'] }],
    ].map(([one, two]): [string, string[]] => [
      JSON.stringify({
        data: [
          { id: 'm', ...one },
          { id: 'other', ...two },
        ],
      }),
      ['m'],
    ]),
    ['{"modelSummaries":[{"modelId":"a.b"}]}', ['a.b']],
    ['{"publisherModels":[{"name":"publishers/google/models/gemini-3"}]}', ['gemini-3']],
    ['[{"id":"m","type":"chat"},{"id":"black-forest/flux","type":"image"}]', ['m']],
    [
      '{"data":[{"id":7},{"id":"bge-m3"},{"id":"nomic-embed-text:latest"},{"id":"text-embedding-3-small"},{"id":"whisper-1"},{"id":"qwen3:8b"}]}',
      ['7', 'qwen3:8b'],
    ],
    [
      JSON.stringify({
        data: [
          ...[
            'embeddinggemma:300m',
            'google/embeddinggemma-300m',
            'nvidia/nv-embedqa-e5-v5',
            'nv-rerankqa-1b-v2',
          ],
          ...['intfloat/multilingual-e5-large', 'sentence-transformers/LaBSE', 'moka-ai/m3e-base'],
          ...['shibing624/text2vec-base-chinese', 'jina-colbert-v2', 'multi-qa-mpnet-base-dot-v1'],
          ...['gpt-realtime', 'black-forest-labs/FLUX.1-schnell', 'stable-diffusion-3.5-large'],
          ...['deepseek-r1', 'model-embedded-chat', 'reflux-7b'],
        ].map((id) => ({ id })),
      }),
      ['deepseek-r1', 'model-embedded-chat', 'reflux-7b'],
    ],
    ['{"data":[{"id":"a","type":"embeddings"},{"id":"b","type":"llm"},{"id":"c","type":"vlm"}]}', ['b', 'c']],
    [
      '{"data":[{"id":"a","capabilities":{"completion_chat":false}},{"id":"b","capabilities":{"completion_chat":true}}]}',
      ['b'],
    ],
    [
      '{"data":[{"id":"a","architecture":{"output_modalities":["image"]}},{"id":"b","architecture":{"output_modalities":["text","image"]}}]}',
      ['b'],
    ],
    ['{"models":[{"name":"llama3.2:latest","model":"llama3.2:latest"}]}', ['llama3.2:latest']],
    ['{"object":"list","data":null,"models":[{"name":"llama3.2:latest"}]}', ['llama3.2:latest']],
    ['{"data":[],"models":[{"model":"qwen3:8b"}]}', ['qwen3:8b']],
    ['{"data":[{"id":"qwen3"}],"models":[{"name":"/models/qwen3.gguf"}]}', ['qwen3']],
    ['{"data":[{"name":"glm-4.6"}]}', ['glm-4.6']],
    ['{"data":[{"model_name":"my-gateway","litellm_params":{}}]}', ['my-gateway']],
    ['{"data":["a","b"]}', ['a', 'b']],
    ['["b","a"]', ['a', 'b']],
    ['{"models":["a"]}', ['a']],
    ['{"data":{"models":[{"id":"deep"}]}}', ['deep']],
    ['{"object":"list","items":[{"id":"kimi-k2"}]}', ['kimi-k2']],
    [
      '{"result":[{"id":"429b9e8b-d99e-44de-91ad-706cf8183658","name":"@cf/meta/llama-3"}],"success":true,"errors":[]}',
      ['@cf/meta/llama-3'],
    ],
    ['[{"id":"azureml://registries/x/models/y/versions/1","name":"Phi-4"}]', ['Phi-4']],
    ['\ufeff{"data":[{"id":"bom"}]}', ['bom']],
    ['{"data":{"qwen3":{"owned_by":"me"},"glm":{}}}', ['glm', 'qwen3']],
    ['{"models":{"qwen3":{"id":"qwen3:8b"}}}', ['qwen3:8b']],
    ['{"response":{"data":[{"id":"deep"}]}}', ['deep']],
    [
      JSON.stringify({
        data: [
          ...['embedding', 'image_generation', 'audio_transcription', 'rerank', 'chat'].map((mode) => ({
            id: mode,
            mode,
          })),
          { id: 'a', task: { name: 'Text Embeddings' } },
          { id: 'b', task: { name: 'Text Generation' } },
          { id: 'c', task: 'text-to-image' },
          { id: 'd', model_type: 'embedding' },
          { id: 'e', kind: 'chat', object: 'model' },
        ],
      }),
      ['b', 'chat', 'e'],
    ],
    [
      '{"data":[{"id":"mj_imagine"},{"id":"suno_music"},{"id":"kling-v2"},{"id":"wan2.2-t2v"},{"id":"m"}]}',
      ['m'],
    ],
    [
      JSON.stringify({
        data: [
          ...['gpt-audio', 'gpt-audio-mini', 'gpt-4o-audio-preview', 'davinci-002', 'babbage-002'],
          ...['ft:davinci-002:me', 'gpt-3.5-turbo-instruct', 'canopylabs/orpheus-v1-english', 'playai-tts'],
          ...[
            'whisper-large-v3',
            'omni-moderation-latest',
            'meta-llama/llama-guard-4-12b',
            'hexgrad/kokoro-82m',
          ],
          ...[
            'meta-llama/llama-prompt-guard-2-86m',
            'mistral-ocr-latest',
            'gemini-2.5-flash-native-audio-dialog',
          ],
          ...[
            'qwen2-audio-instruct',
            'mistral-7b-instruct',
            'gpt-4o',
            'guard-dog-7b',
            'text-davinci-003-like',
          ],
        ].map((id) => ({ id })),
      }),
      ['gpt-4o', 'guard-dog-7b', 'mistral-7b-instruct', 'qwen2-audio-instruct', 'text-davinci-003-like'],
    ],
  ])('reads %s', async (body, models) => {
    const fetching: typeof fetch = async () =>
      new Response(body, { headers: { 'content-type': 'application/json' } });
    const report = await testConnection({ baseUrl: server.baseUrl }, 'sk', new AbortController().signal, {
      fetch: fetching,
    });
    expect(report).toMatchObject({ ok: true, models });
  });

  it('suggests the address that works where LM Studio answers 200 without its /v1', async () => {
    const fetching: typeof fetch = async (input) =>
      new Response(
        String(input).endsWith('/v1/models')
          ? '{"data":[{"id":"qwen3-8b"}]}'
          : '{"error":"Unexpected endpoint or method. (GET /models)"}',
        { headers: { 'content-type': 'application/json' } },
      );
    const report = await testConnection(
      { baseUrl: 'http://localhost:1234' },
      '',
      new AbortController().signal,
      { fetch: fetching },
    );
    expect(report).toMatchObject({
      ok: false,
      problem: { params: { suggestion: 'http://localhost:1234/v1' } },
    });
  });

  it.each([
    ['<!doctype html><title>Hi</title>', 'text/html', 'web-page'],
    ['{"models": []}', 'application/json', 'not-a-list'],
    ['not json at all', 'text/plain', 'not-a-list'],
    ['{"data":[{"object":"no name"}]}', 'application/json', 'not-a-list'],
  ])('does not believe %s', async (body, type, reason) => {
    const other = await answering(200, body, type);
    expect(await test(other.url)).toMatchObject({
      ok: false,
      problem: { code: 'model-format', params: { reason } },
    });
    await other.close();
  });

  it.each<[string, object, readonly string[]]>([
    ['a number beside its name', { data: [{ id: 123, name: 'a' }, { id: 7 }] }, ['7', 'a']],
    ['models by what they do', { models: { chat: ['a', 'b'], embedding: ['e'] } }, ['a', 'b']],
    ['names under a name of its own', { provider: 'x', available_models: ['a'] }, ['a']],
    [
      'models that are no longer served',
      { data: [{ id: 'a' }, { id: 'b', active: false }, { id: 'c', archived: true }] },
      ['a'],
    ],
  ])('takes a list with %s', async (_, body, models) => {
    const one = await answering(200, JSON.stringify(body));
    expect(await test(one.url)).toMatchObject({ ok: true, models });
    await one.close();
  });

  it.each([
    ['chat', { data: [{ id: 'a' }], has_more: true, last_id: 'a' }, { data: [{ id: 'b' }] }, 'after=a'],
    [
      'anthropic',
      { data: [{ id: 'a' }], has_more: true, last_id: 'a' },
      { data: [{ id: 'b' }] },
      'after_id=a',
    ],
    [
      'google',
      { models: [{ name: 'models/a' }], nextPageToken: 't' },
      { models: [{ name: 'b' }] },
      'pageToken=t',
    ],
  ] as const)('asks for the further pages of a list: %s', async (protocol, first, second, parameter) => {
    const asked: string[] = [];
    const listed = async (rest: (at: number) => object | undefined) => {
      asked.length = 0;
      return await testConnection({ baseUrl: 'https://models.example/v1', protocol }, 'k', never(), {
        fetch: async (url) => {
          asked.push(String(url));
          const body = asked.length === 1 ? first : rest(asked.length);
          return new Response(JSON.stringify(body ?? {}), { status: body ? 200 : 500 });
        },
      });
    };
    expect(await listed(() => second)).toMatchObject({ ok: true, models: ['a', 'b'] });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain(parameter);
    // A server that gives the same page for ever, and one that fails.
    expect(await listed(() => first)).toMatchObject({ ok: true, models: ['a'] });
    expect(asked).toHaveLength(2);
    expect(await listed(() => undefined)).toMatchObject({ ok: true, models: ['a'] });
  });

  it('takes a bare list, and an empty one', async () => {
    const bare = await answering(200, '[{"id":"b"},{"id":"a"},{"id":"a"}]');
    expect(await test(bare.url)).toMatchObject({ ok: true, models: ['a', 'b'] });
    await bare.close();
    const empty = await answering(200, '{"object":"list","data":[]}');
    expect(await test(empty.url)).toMatchObject({ ok: true, models: [] });
    await empty.close();
  });

  it('explains what is no address and where nobody is', async () => {
    for (const baseUrl of ['', 'api.example.org', 'file:///etc'])
      expect(await test(baseUrl)).toMatchObject({
        problem: { code: 'model-not-found', params: { reason: 'address' } },
      });
    const gone = await answering(200, '');
    await gone.close();
    expect(await test(gone.url)).toMatchObject({ problem: { code: 'model-network', retry: true } });
  });

  it('can be cancelled', async () => {
    const control = new AbortController();
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/v1`;
    const report = testConnection({ baseUrl: url }, undefined, control.signal);
    control.abort();
    await expect(report).rejects.toMatchObject({ name: 'AbortError' });
    hanging.closeAllConnections();
    hanging.close();
  });
});

describe('in a page, "Failed to fetch" is', () => {
  const page = (more: Partial<Surroundings> = {}): Surroundings => ({
    browser: true,
    online: () => true,
    pageProtocol: 'http:',
    onPolicy: () => () => undefined,
    ...more,
  });
  /** Fails as a browser does; `there`: a request without CORS gets through. */
  const failing =
    (there: boolean): typeof fetch =>
    async (_input, init) => {
      if (init?.mode === 'no-cors' && there) return new Response(null, { status: 204 });
      throw new TypeError('Failed to fetch');
    };
  const ask = (baseUrl: string, surroundings: Surroundings, there: boolean) =>
    testConnection({ baseUrl }, 'k', never(), { fetch: failing(there), surroundings });

  it.each([
    [
      'no network',
      'https://api.example.org/v1',
      page({ online: () => false }),
      false,
      'model-network',
      'offline',
    ],
    [
      'a secure page and plain http',
      'http://192.168.1.5:1234/v1',
      page({ pageProtocol: 'https:' }),
      true,
      'model-network',
      'mixed-content',
    ],
    ['somebody who does not allow us', 'https://api.example.org/v1', page(), true, 'model-cors', 'remote'],
    [
      'a local server that does not allow us',
      'http://localhost:11434/v1',
      page({ pageProtocol: 'https:' }),
      true,
      'model-cors',
      'local',
    ],
    ['nobody', 'https://api.example.org/v1', page(), false, 'model-network', 'unreachable'],
    [
      'nobody at home, offline',
      'http://localhost:11434/v1',
      page({ online: () => false }),
      false,
      'model-network',
      'unreachable',
    ],
    [
      'our own policy',
      'https://api.example.org/v1',
      page({
        onPolicy: (notify) => {
          notify('https://api.example.org/v1/models');
          return () => undefined;
        },
      }),
      false,
      'model-network',
      'policy',
    ],
  ])('%s', async (_name, baseUrl, surroundings, there, code, reason) => {
    expect(await ask(baseUrl, surroundings, there)).toMatchObject({
      ok: false,
      problem: { code, params: { reason } },
    });
  });
});

describe('the presets', () => {
  it('has a preset for each service that many people use, in its own protocol', () => {
    const spoken = (protocol: string) =>
      PRESETS.filter((preset) => (preset.protocol ?? 'chat') === protocol).map(({ label }) => label);
    expect(spoken('browser')).toEqual(['This browser']);
    expect(spoken('openai-responses')).toEqual(['OpenAI']);
    expect(spoken('anthropic')).toEqual(['Anthropic']);
    expect(spoken('google')).toEqual(['Google Gemini']);
    expect(spoken('chat')).toEqual([
      ...['Custom', 'OpenRouter', 'DeepSeek', 'Kimi · moonshot.ai', 'Kimi · moonshot.cn', 'Mistral', 'Groq'],
      ...['xAI', 'Together', 'Azure OpenAI', 'Ollama', 'LM Studio', 'vLLM', 'llama.cpp'],
    ]);
    const keyless = PRESETS.filter(({ key }) => key === 'none').map(({ label }) => label);
    expect(keyless).toEqual(['This browser', 'Ollama', 'LM Studio', 'vLLM', 'llama.cpp']);
  });

  it('has presets that can be asked', () => {
    expect(new Set(PRESETS.map((preset) => preset.id)).size).toBe(PRESETS.length);
    for (const preset of PRESETS.filter(({ id }) => id !== 'custom' && id !== 'azure')) {
      expect(new URL(preset.baseUrl).href.replace(/\/$/, '')).toBe(preset.baseUrl);
      if (preset.key === 'required') expect(preset.keyFrom).toBeTruthy();
    }
  });

  it.each([
    ['kimi-k2-0905-preview', 262_144],
    ['moonshotai/kimi-k2-thinking', 262_144],
    ['kimi-k2-0711-preview', 131_072],
    ['moonshot-v1-8k', 8_192],
    ['moonshot-v1-128k-vision-preview', 131_072],
    ['gpt-4o-mini', 128_000],
    ['openai/gpt-4.1', 1_047_576],
    ['gpt-5-mini', 400_000],
    ['deepseek-chat', 128_000],
    ['deepseek/deepseek-r1:free', 128_000],
    ['llama3:8b', null],
    ['deepseek-r1:7b', null],
    ['somebody-elses-model', null],
  ])('knows the window of %s', (model, tokens) => {
    expect(contextWindowOf(model)).toBe(tokens);
  });
});
