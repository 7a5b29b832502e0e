// The remote members against a real HTTP server that answers as OpenAI's does, and as servers do on bad days.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CalibrationKeyValues } from '../../../src/adapters/embedding/calibration.ts';
import { CALIBRATION_PAIRS } from '../../../src/adapters/embedding/calibration-pairs.ts';
import { createCustomEmbedding } from '../../../src/adapters/embedding/custom.ts';
import { createEmbedding, EMBEDDING_MEMBERS } from '../../../src/adapters/embedding/index.ts';
import { createOpenAiEmbedding } from '../../../src/adapters/embedding/openai.ts';
import { cosine } from '../../../src/adapters/embedding/vector.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { describeEmbeddingProvider } from '../../suites/embedding-provider.suite.ts';
import { createHashingEmbedding } from './hashing.ts';

const bodySchema = z.object({
  model: z.string(),
  input: z.array(z.string().min(1)),
  dimensions: z.number().optional(),
});
type Body = z.infer<typeof bodySchema>;

const never = new AbortController().signal;
const query = { kind: 'query', signal: never } as const;
const hashing = createHashingEmbedding();
const seen: { body: Body; authorization: string | undefined; url: string | undefined }[] = [];
/** What the next requests get instead of vectors; `null` leaves one unanswered. */
let instead: ((response: ServerResponse) => void)[] = [];
let base = '';

const json = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};

/** Of a model that knows which texts belong together. */
const knownVector = (text: string): Float32Array => {
  const pair = CALIBRATION_PAIRS.findIndex(({ query, passage }) => query === text || passage === text);
  const apart = CALIBRATION_PAIRS[pair]?.related === false && CALIBRATION_PAIRS[pair].passage === text;
  return Float32Array.from({ length: 256 }, (_, at) => (at === (apart ? 200 : pair) ? 1 : 0.01));
};

const server = createServer(async (request: IncomingMessage, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  seen.push({ body, authorization: request.headers.authorization, url: request.url });
  const other = instead.shift();
  if (other) return other(response);
  const vectors = body.model.startsWith('knowing')
    ? body.input.map(knownVector)
    : await hashing.embed(body.input, { kind: 'passage', signal: never });
  // Twice as long as they should be, and in any order but the right one.
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from(vector, (x) => 2 * x),
  }));
  json(response, 200, { object: 'list', model: body.model, data: data.reverse() });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  instead = [];
});

const config = (model = 'bge-m3') => ({ base_url: base, model, dimensions: 256 });
const custom = (model?: string, key?: string) =>
  createCustomEmbedding({ config: config(model), key: async () => key, fetch, backoffMs: 5 });

describeEmbeddingProvider('custom over HTTP', async () => {
  const provider = custom();
  return { provider, meaning: [], teardown: () => provider.close() };
});
describeEmbeddingProvider('openai over HTTP', async () => {
  const provider = createOpenAiEmbedding({
    config: config('text-embedding-3-small'),
    key: async () => 'sk-1',
    fetch,
    backoffMs: 5,
  });
  return { provider, meaning: [], teardown: () => provider.close() };
});

describe('what is sent', () => {
  it('carries the key, the model and, for OpenAI alone, the dimensions', async () => {
    await createOpenAiEmbedding({
      config: config('text-embedding-3-large'),
      key: async () => 'sk-1',
      fetch,
    }).embed(['x'], query);
    await custom('bge-m3').embed(['x'], query);
    expect(seen).toMatchObject([
      {
        url: '/v1/embeddings',
        authorization: 'Bearer sk-1',
        body: { model: 'text-embedding-3-large', dimensions: 256 },
      },
      { url: '/v1/embeddings', authorization: undefined, body: { model: 'bge-m3' } },
    ]);
    expect(seen[1]?.body.dimensions).toBeUndefined();
  });

  it('puts the family’s prefixes in front', async () => {
    await custom('multilingual-e5-large').embed(['x'], query);
    await custom('multilingual-e5-large').embed(['x'], { kind: 'passage', signal: never });
    expect(seen.map(({ body }) => body.input)).toEqual([['query: x'], ['passage: x']]);
  });

  it('comes in requests a server will take, and back in order', async () => {
    const texts = Array.from(
      { length: 150 },
      (_, at) => `text number ${at} ${'long '.repeat(at % 7 === 0 ? 3000 : 1)}`,
    );
    const provider = custom();
    const vectors = await provider.embed(texts, { kind: 'passage', signal: never });
    expect(seen.length).toBeGreaterThan(2);
    for (const { body } of seen) expect(body.input.length).toBeLessThanOrEqual(provider.maxBatch);
    const [one] = await provider.embed([texts[97] as string], { kind: 'passage', signal: never });
    expect(cosine(vectors[97] as Float32Array, one as Float32Array)).toBeCloseTo(1, 4);
  });
});

describe('bad days', () => {
  it('asks again when the server is busy, and as late as it says', async () => {
    instead = [
      (response) => json(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '0.05' }),
      (response) => json(response, 503, {}),
      (response) => response.destroy(),
    ];
    const started = Date.now();
    expect(await custom().embed(['x'], query)).toHaveLength(1);
    expect(Date.now() - started).toBeGreaterThanOrEqual(45);
    expect(seen).toHaveLength(4);
  });

  it('gives up after four times and says why', async () => {
    instead = Array.from(
      { length: 4 },
      () => (response: ServerResponse) => json(response, 500, { error: 'out of memory' }),
    );
    const provider = custom();
    await expect(provider.embed(['x'], query)).rejects.toMatchObject({
      problem: { code: 'embedding-remote', retry: true, params: { status: 500, detail: 'out of memory' } },
    });
    expect(seen).toHaveLength(4);
    expect(provider.state.get()).toMatchObject({ status: 'failed', problem: { code: 'embedding-remote' } });
    await provider.embed(['x'], query);
    expect(provider.state.get()).toEqual({ status: 'ready' });
  });

  it('does not ask again what was refused for good', async () => {
    instead = [(response) => json(response, 401, { error: { message: 'Incorrect API key provided' } })];
    await expect(custom().embed(['x'], query)).rejects.toMatchObject({
      problem: { retry: false, params: { status: 401, detail: 'Incorrect API key provided' } },
    });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['an HTML page', (response: ServerResponse) => response.end('<!doctype html><p>hello')],
    ['too few vectors', (response: ServerResponse) => json(response, 200, { data: [] })],
    [
      'text for numbers',
      (response: ServerResponse) => json(response, 200, { data: [{ index: 0, embedding: 'AAAA' }] }),
    ],
    [
      'an index beyond the texts',
      (response: ServerResponse) =>
        json(response, 200, { data: [{ index: 7, embedding: new Array(256).fill(1) }] }),
    ],
    [
      'another length',
      (response: ServerResponse) => json(response, 200, { data: [{ index: 0, embedding: [1, 2, 3] }] }),
    ],
  ])('does not believe %s', async (_, answer) => {
    instead = [answer];
    await expect(custom().embed(['x'], query)).rejects.toMatchObject({
      problem: { code: 'embedding-remote', retry: false },
    });
  });

  it('stops waiting when told', async () => {
    instead = [() => undefined];
    const stop = new AbortController();
    const waiting = custom().embed(['x'], { kind: 'query', signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('stops between two attempts, and when closed', async () => {
    instead = Array.from(
      { length: 3 },
      () => (response: ServerResponse) => json(response, 503, {}, { 'retry-after': '30' }),
    );
    const stop = new AbortController();
    const waiting = custom().embed(['x'], { kind: 'query', signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    const closing = custom();
    const closed = closing.embed(['x'], query);
    setTimeout(() => void closing.close(), 20);
    await expect(closed).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('says so where no address is configured, and where nobody listens', async () => {
    const nowhere = (base_url: string) =>
      createCustomEmbedding({
        config: { ...config(), base_url },
        key: async () => undefined,
        fetch,
        backoffMs: 1,
      });
    await expect(nowhere('').embed(['x'], query)).rejects.toMatchObject({
      problem: { code: 'embedding-remote' },
    });
    await expect(nowhere('http://127.0.0.1:9/v1').embed(['x'], query)).rejects.toMatchObject({
      problem: { code: 'embedding-remote', retry: true, params: { status: 0 } },
    });
  });
});

/** A device's key-value store. */
const keyValues = (kept = new Map<string, unknown>()): CalibrationKeyValues => ({
  get: async (key) => kept.get(key),
  set: async (key, value) => void kept.set(key, value),
});

it('measures a model once a device, and another model or address anew; what cannot be read or kept is measured again', async () => {
  const kept = new Map<string, unknown>();
  const measured = async (model: string, base_url: string, where = keyValues(kept)) => {
    seen.length = 0;
    const provider = createCustomEmbedding({
      config: { ...config(model), base_url },
      key: async () => undefined,
      fetch,
      keyValues: where,
    });
    const calibration = await provider.calibration(never);
    return { calibration, asked: seen.length > 0 };
  };
  const first = await measured('knowing', base);
  expect(first.asked).toBe(true);
  expect(await measured('knowing', base)).toEqual({ ...first, asked: false });
  expect((await measured('knowing-more', base)).asked).toBe(true);
  // Vectors that distinguish nothing may come from a misconfigured server, so the app measures again.
  await measured('bge-m3', base);
  expect((await measured('bge-m3', base)).asked).toBe(true);
  expect((await measured('knowing', `${base}/`)).asked).toBe(true);
  // The cache's keys contain no address.
  expect([...kept.keys()].join()).not.toContain('127.0.0.1');
  for (const [key] of kept) kept.set(key, { related: 'much' });
  expect(await measured('knowing', base)).toEqual(first);
  const broken: CalibrationKeyValues = {
    get: () => Promise.reject(new Error('no disk')),
    set: () => Promise.reject(new Error('no disk')),
  };
  expect(await measured('knowing', base, broken)).toEqual(first);
});

it('every member of the registry makes a provider without connecting or downloading', async () => {
  for (const member of EMBEDDING_MEMBERS) {
    const provider = await member.create({
      config: defaultConfig.embedding,
      connect: () => {
        throw new Error('not yet');
      },
      secret: async () => undefined,
      fetch,
      keyValues: keyValues(),
    });
    expect(provider.id.startsWith(`${member.id}/`)).toBe(true);
    expect(provider.state.get()).toEqual({ status: 'idle' });
  }
});

it('keeps vectors under another key for each thing that changes them, and for nothing else', async () => {
  const keyOf = async (change: object, provider: 'local' | 'openai' | 'custom') => {
    const { embedding } = defaultConfig;
    const config = { ...embedding, provider, [provider]: { ...embedding[provider], ...change } };
    const deps = {
      connect: () => Promise.reject(),
      secret: async () => undefined,
      fetch,
      keyValues: keyValues(),
    };
    return (await createEmbedding({ config, ...deps })).id;
  };
  const keys = await Promise.all([
    keyOf({}, 'local'),
    keyOf({ model: 'all-MiniLM-L6-v2' }, 'local'),
    keyOf({ model: 'org/another' }, 'local'),
    keyOf({ passage_prefix: '' }, 'local'),
    keyOf({ passage_prefix: 'text: ' }, 'local'),
    keyOf({}, 'openai'),
    keyOf({ dimensions: 256 }, 'openai'),
    keyOf({ model: 'text-embedding-3-large' }, 'openai'),
    keyOf({ model: 'text-embedding-3-small', dimensions: 1536 }, 'custom'),
  ]);
  expect(new Set(keys).size, keys.join(' ')).toBe(keys.length);
  for (const same of [
    { device: 'webgpu' },
    { batch_size: 1 },
    { query_prefix: 'Q> ' },
    { passage_prefix: 'passage: ' },
  ])
    expect(await keyOf(same, 'local')).toBe(keys[0]);
});
