// The real worker with the real models in a real, isolated browser.
import { afterAll, describe, expect, it } from 'vitest';
import { readAssembly } from '../../../src/adapters/browser/assembly.ts';
import { BUNDLED_MODELS } from '../../../src/adapters/embedding/bundled-models.ts';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { createLocalEmbedding } from '../../../src/adapters/embedding/local.ts';
import { pathsToKeep } from '../../../src/adapters/embedding/offline.ts';
import { connectByTransfer, createEmbeddingThread } from '../../../src/adapters/embedding/thread.ts';
import { cosine } from '../../../src/adapters/embedding/vector.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import samples from '../../fixtures/embedding/sample-vectors.json';
import { ALL, deep } from '../../scale.ts';
import { describeEmbeddingProvider } from '../../suites/embedding-provider.suite.ts';

const spawn = () =>
  new Worker(new URL('../../../src/workers/embedding.worker.ts', import.meta.url), { type: 'module' });
const spawnWithout = () =>
  new Worker(new URL('./without-relaxed-simd.worker.ts', import.meta.url), { type: 'module' });
const spawnWithoutEncoder = () =>
  new Worker(new URL('./without-encoder.worker.ts', import.meta.url), { type: 'module' });
const spawnWithoutAssembly = () =>
  new Worker(new URL('./without-assembly.worker.ts', import.meta.url), { type: 'module' });
const spawnAlone = () =>
  new Worker(new URL('./without-isolation.worker.ts', import.meta.url), { type: 'module' });
const spawnBroken = () =>
  new Worker(new URL('./without-pool.worker.ts', import.meta.url), { type: 'module' });
const vectorsOf = (id: string): number[][] => (samples.vectors as Record<string, number[][]>)[id] ?? [];
const never = new AbortController().signal;
const local = (model: string, connect: Parameters<typeof createLocalEmbedding>[0]['connect']) =>
  createLocalEmbedding({ config: { ...defaultConfig.embedding.local, model, device: 'wasm' }, connect });

it('the page is isolated, so that ONNX Runtime may use threads', () => {
  expect(crossOriginIsolated).toBe(true);
});

const DEFAULT = defaultConfig.embedding.local.model;
for (const { id, languages } of BUNDLED_MODELS) {
  // In the gate the model that a new device has, read by our encoder; all others in `npm run test:all`.
  if (ALL || id === DEFAULT)
    describeEmbeddingProvider(`local ${id} in Chromium`, async () => {
      const thread = createEmbeddingThread(spawn);
      const provider = local(id, thread.connect);
      return {
        provider,
        meaning: languages.includes('zh') ? ['en', 'zh'] : ['en'],
        teardown: async () => thread.close(),
      };
    });

  const isRun = (start: unknown) => ALL || (id === DEFAULT && start === spawn);
  const ways = [
    // The last bit of a sum, which is another one on another processor, may round a state of seven bits up or down.
    ['by our encoder', spawn, 0.99],
    // ONNX Runtime rounds a whole text's states by one step.
    ['by our encoder, where a browser knows no relaxed SIMD', spawnWithout, 0.99],
    ['by ONNX Runtime, where our encoder does not run', spawnWithoutEncoder, 0.97],
    ['by ONNX Runtime, where our encoder is not to be had', spawnWithoutAssembly, 0.97],
  ] as const;
  it.each(ways.filter(([, start]) => isRun(start)))(
    `${id} gives the vectors it gives in Node, %s`,
    async (_, start, least) => {
      const thread = createEmbeddingThread(start);
      const vectors = await local(id, thread.connect).embed(samples.texts, {
        kind: 'passage',
        signal: never,
      });
      thread.close();
      for (const [at, vector] of vectors.entries()) {
        const expected = Float32Array.from(vectorsOf(id)[at] ?? []);
        const length = Math.sqrt(cosine(expected, expected));
        expect(cosine(vector, expected) / length, samples.texts[at] as string).toBeGreaterThan(least);
      }
    },
  );
}

describe('passages side by side', () => {
  const readings = samples.texts.map((text) => ({ context: 'User: as I said before. ', text }));
  const passages = { kind: 'passage', signal: never } as const;
  const read = async (start: () => Worker) => {
    const thread = createEmbeddingThread(start);
    const provider = local('all-MiniLM-L6-v2', thread.connect);
    await provider.embed(['loaded'], passages);
    const { concurrency } = provider;
    const made = await Promise.all(
      readings.map(async (reading) => (await provider.read?.([reading], passages))?.[0]),
    );
    thread.close();
    return { concurrency, made };
  };

  deep('are read as one after the other, on several workers or where none can be started', async () => {
    const alone = await read(spawnAlone);
    const pooled = await read(spawn);
    const broken = await read(spawnBroken);
    expect(alone.concurrency).toBe(1);
    expect(pooled.concurrency).toBeGreaterThan(2);
    expect(broken.concurrency).toBeGreaterThan(2);
    expect(pooled.made).toEqual(alone.made);
    expect(broken.made).toEqual(alone.made);
  });
});

describe('one thread for two askers', () => {
  const thread = createEmbeddingThread(spawn);
  afterAll(() => thread.close());
  const { port1, port2 } = new MessageChannel();
  thread.serve(port1);
  const tab: EmbeddingProvider = local('all-MiniLM-L6-v2', thread.connect);
  const indexer: EmbeddingProvider = local('all-MiniLM-L6-v2', connectByTransfer(port2));

  deep('lets a query overtake the bulk of the other', async () => {
    const order: string[] = [];
    const bulk = indexer
      .embed(
        Array.from(
          { length: 60 },
          (_, at) => `Note ${at}: ${'we talked about the garden and the weather. '.repeat(6)}`,
        ),
        { kind: 'passage', signal: never },
      )
      .then(() => order.push('bulk'));
    await indexer.embed(['is it loaded?'], { kind: 'query', signal: never });
    await tab.embed(['what about the garden?'], { kind: 'query', signal: never });
    order.push('query');
    await bulk;
    expect(order).toEqual(['query', 'bulk']);
  });

  it('answers on a new thread what the old one left unanswered', async () => {
    const waiting = tab.embed(['still there?'], { kind: 'query', signal: never });
    // The last other caller disconnects, and the owner ends the thread while one still waits.
    await indexer.close();
    await waiting;
    thread.close();
    const [vector] = await tab.embed(['and again'], { kind: 'query', signal: never });
    expect(vector).toHaveLength(384);
  });
});

it('says that a missing model is missing when the server answers with its start page', async () => {
  const thread = createEmbeddingThread(spawn);
  const provider = local('no-such-model', thread.connect);
  await expect(provider.embed(['x'], { kind: 'query', signal: never })).rejects.toMatchObject({
    problem: { code: 'embedding-missing', params: { model: 'no-such-model' } },
  });
  expect(provider.state.get()).toMatchObject({ status: 'failed', problem: { code: 'embedding-missing' } });
  thread.close();
});

it('says so when the thread itself cannot start', async () => {
  const thread = createEmbeddingThread(() => new Worker('/no-such-script.js', { type: 'module' }));
  const provider = local('all-MiniLM-L6-v2', thread.connect);
  await expect(provider.embed(['x'], { kind: 'query', signal: never })).rejects.toMatchObject({
    problem: { code: 'embedding-broken' },
  });
});

it('falls back to the CPU where WebGPU is promised but fails', async () => {
  const thread = createEmbeddingThread(spawn);
  const provider = createLocalEmbedding({
    config: { ...defaultConfig.embedding.local, device: 'auto' },
    connect: thread.connect,
  });
  const [vector] = await provider.embed(['anything'], { kind: 'query', signal: never });
  expect(vector).toHaveLength(384);
  thread.close();
});

it('keeps for offline use what this browser reads: ONNX Runtime only where our encoder does not run', async () => {
  const [model] = BUNDLED_MODELS;
  const kept = async () => (await pathsToKeep(model, readAssembly)).join(' ');
  expect(await kept()).toMatch(/onnx_data/);
  expect(await kept()).not.toMatch(/ort-wasm|config\.json .*encoder_quantized\.onnx /);
  expect((await pathsToKeep(undefined, readAssembly)).join(' ')).toMatch(/ort-wasm-simd-threaded\.wasm/);
  await import('./forget-encoder.ts');
  expect(await kept()).toMatch(/encoder_quantized\.onnx .*onnx_data .*ort-wasm-simd-threaded\.mjs.*\.wasm/);
});

it('says that the weights are missing where there is no network and they are not kept', async () => {
  const thread = createEmbeddingThread(
    () => new Worker(new URL('./without-network.worker.ts', import.meta.url), { type: 'module' }),
  );
  const file = 'onnx/encoder_quantized.onnx_data';
  await expect(
    local('all-MiniLM-L6-v2', thread.connect).embed(['x'], { kind: 'query', signal: never }),
  ).rejects.toMatchObject({
    problem: { code: 'embedding-missing', params: { model: 'all-MiniLM-L6-v2', file } },
  });
  thread.close();
});

it('says so as well where the network went before the tokenizer came', async () => {
  const thread = createEmbeddingThread(
    () => new Worker(new URL('./without-tokenizer.worker.ts', import.meta.url), { type: 'module' }),
  );
  await expect(
    local('all-MiniLM-L6-v2', thread.connect).embed(['x'], { kind: 'query', signal: never }),
  ).rejects.toMatchObject({
    problem: { code: 'embedding-missing', params: { file: expect.stringContaining('tokenizer') } },
  });
  thread.close();
});
