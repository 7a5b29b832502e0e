// The queue in front of the model, its failures and its retirement, with a model that does what the test says.
import { afterEach, describe, expect, it } from 'vitest';
import type { EmbeddingRuntime, LoadRuntime } from '../../../src/adapters/embedding/host.ts';
import { createEmbeddingHost, GpuError, StaleFilesError } from '../../../src/adapters/embedding/host.ts';
import { createLocalEmbedding } from '../../../src/adapters/embedding/local.ts';
import type { LocalModel, ModelConnection } from '../../../src/adapters/embedding/protocol.ts';
import { RETIRED } from '../../../src/adapters/embedding/protocol.ts';
import {
  connectByTransfer,
  createEmbeddingThread,
  threadNewsSchema,
} from '../../../src/adapters/embedding/thread.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import type { Thread } from '../../../src/domain/threads/endpoint.ts';

const never = new AbortController().signal;
const query = { kind: 'query', signal: never } as const;
const passage = { kind: 'passage', signal: never } as const;

/** A model whose every run waits for `go`; notes what it was given, in order. */
function scripted(options: { batch?: number; held?: boolean; concurrency?: number } = {}) {
  const ran: string[][] = [];
  const loads: LocalModel[] = [];
  let disposed = 0;
  let waiting: (() => void)[] = [];
  let held = options.held ?? false;
  let failing: unknown = null;
  const load: LoadRuntime = async (model, onProgress) => {
    loads.push(model);
    onProgress(50, 100);
    if (failing) throw failing;
    const runtime: EmbeddingRuntime = {
      dimensions: 2,
      batch: options.batch ?? 1,
      device: 'cpu',
      run: async (texts) => {
        ran.push([...texts]);
        if (held) await new Promise<void>((resolve) => waiting.push(resolve));
        return texts.map(() => Float32Array.of(1, 0));
      },
      ...(options.concurrency
        ? {
            concurrency: options.concurrency,
            read: async (text) => {
              const [vector] = await runtime.run([text]);
              const none = {
                bits: new Uint8Array(0),
                tokens: new Float32Array(0),
                weights: new Float32Array(0),
              };
              return { vector: vector as Float32Array, tokenVectors: none };
            },
          }
        : {}),
      dispose: async () => void disposed++,
    };
    return runtime;
  };
  return {
    load,
    ran,
    loads,
    get disposed() {
      return disposed;
    },
    fail: (error: unknown) => {
      failing = error;
    },
    go: () => {
      held = false;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    step: async () => {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
      waiting.shift()?.();
    },
  };
}

/** Worker without a thread: the same messages, served by a host in this one. */
function threads(load: LoadRuntime, idleMs = 60_000) {
  const spawned: { crash: (message: string) => void; terminated: boolean }[] = [];
  const spawn = (): Thread => {
    const listeners = new Map<string, (event: never) => void>();
    const host = createEmbeddingHost({
      load,
      idleMs,
      onRetired: () => listeners.get('message')?.({ data: { type: 'retired' } } as never),
    });
    const entry = {
      terminated: false,
      crash: (message: string) => listeners.get('error')?.({ message } as never),
    };
    spawned.push(entry);
    return {
      postMessage: (message, [port]) => {
        if (!entry.terminated && threadNewsSchema.safeParse(message).success)
          host.accept(port as MessagePort);
      },
      addEventListener: (type: string, listener: (event: never) => void) =>
        void listeners.set(type, listener),
      terminate: () => {
        entry.terminated = true;
        void host.close();
      },
    };
  };
  const owner = createEmbeddingThread(spawn);
  open.push(() => owner.close());
  return { owner, spawned };
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const provider = (connect: () => ModelConnection | Promise<ModelConnection>, model = 'all-MiniLM-L6-v2') => {
  const made = createLocalEmbedding({ config: { ...defaultConfig.embedding.local, model }, connect });
  open.push(() => void made.close());
  return made;
};

describe('the queue', () => {
  it('runs passages one at a time and lets the query of another asker go before them', async () => {
    const model = scripted({ held: true });
    const { owner, spawned } = threads(model.load);
    const [indexer, tab] = [provider(owner.connect), provider(owner.connect)];
    const bulk = indexer.embed(['p1', 'p2', 'p3'], passage);
    await model.step();
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 2);
    const answer = tab.embed(['q'], query);
    await new Promise((resolve) => setTimeout(resolve, 5));
    model.go();
    await Promise.all([bulk, answer]);
    expect(model.ran).toEqual([['p1'], ['p2'], ['q'], ['p3']]);
    expect(model.loads).toHaveLength(1);
    expect(spawned).toHaveLength(1);
  });

  it('is loaded before it is asked where that was wished for, once, and says nothing of a failure', async () => {
    const model = scripted();
    const { owner } = threads(model.load);
    const tab = provider(owner.connect);
    tab.prepare?.();
    tab.prepare?.();
    await until(tab.state, ({ status }) => status === 'ready');
    tab.prepare?.();
    await tab.embed(['q'], query);
    expect(model.loads).toHaveLength(1);
    expect(model.ran).toHaveLength(2);
    const broken = scripted();
    broken.fail(new RecollectError('embedding-missing', 'gone'));
    const other = provider(threads(broken.load).owner.connect);
    other.prepare?.();
    await until(other.state, ({ status }) => status === 'failed');
    other.prepare?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(broken.loads).toHaveLength(1);
    const config = { ...defaultConfig.embedding.local, source: 'hub' };
    const inAnotherTab = createLocalEmbedding({ config, connect: owner.connect });
    expect(inAnotherTab.prepare, 'nothing is fetched from elsewhere unasked').toBeUndefined();
  });

  it('reads as many passages at a time as the model can, and a query beside them at once', async () => {
    const model = scripted({ held: true, concurrency: 2 });
    const { owner } = threads(model.load);
    const [indexer, tab] = [provider(owner.connect), provider(owner.connect)];
    const reading = (text: string) => ({ context: '', text });
    const bulk = indexer.read?.(['p1', 'p2', 'p3'].map(reading), passage);
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 2);
    await until({ get: () => indexer.concurrency, subscribe: poll }, (count) => count === 2);
    const answer = tab.read?.([reading('q')], query);
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 3);
    model.go();
    expect(await bulk).toHaveLength(3);
    expect(await answer).toHaveLength(1);
    expect(model.ran).toEqual([['p1'], ['p2'], ['q'], ['p3']]);
  });

  it('keeps the order of passages whatever the order in which they are read', async () => {
    const order: string[] = [];
    const waits = new Map<string, () => void>();
    const load: LoadRuntime = async () => ({
      dimensions: 2,
      batch: 1,
      device: 'cpu',
      concurrency: 3,
      run: async (texts) => texts.map(() => Float32Array.of(1, 0)),
      read: async (text) => {
        await new Promise<void>((resolve) => waits.set(text, resolve));
        order.push(text);
        const at = Number(text.at(-1));
        const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
        return { vector: Float32Array.of(at, 0), tokenVectors: none };
      },
      dispose: async () => undefined,
    });
    const { owner } = threads(load);
    const bulk = provider(owner.connect).read?.(
      ['p1', 'p2', 'p3'].map((text) => ({ context: '', text })),
      passage,
    );
    await until({ get: () => waits.size, subscribe: poll }, (count) => count === 3);
    for (const text of ['p3', 'p1', 'p2']) {
      waits.get(text)?.();
      await until({ get: () => order.includes(text), subscribe: poll }, (over) => over);
    }
    expect((await bulk)?.map(({ vector }) => vector[0])).toEqual([1, 2, 3]);
    expect(order).toEqual(['p3', 'p1', 'p2']);
  });

  it('lets what is under way end before another model takes the place, and drops what was cancelled or fails beside it', async () => {
    const log: string[] = [];
    const waits = new Map<string, (failing?: Error) => void>();
    const load: LoadRuntime = async ({ model }) => {
      log.push(`load ${model}`);
      return {
        dimensions: 2,
        batch: 1,
        device: 'cpu',
        concurrency: 2,
        run: async (texts) => texts.map(() => Float32Array.of(1, 0)),
        read: async (text) => {
          log.push(text);
          await new Promise<void>((resolve, reject) =>
            waits.set(text, (failing) => (failing ? reject(failing) : resolve())),
          );
          const none = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
          return { vector: Float32Array.of(1, 0), tokenVectors: none };
        },
        dispose: async () => void log.push(`dispose ${model}`),
      };
    };
    const { owner } = threads(load);
    const begun = (text: string) =>
      until({ get: () => waits.has(text), subscribe: poll }, (is) => is).then(() => waits.get(text));
    const reading = (text: string) => [{ context: '', text }];
    const [one, other] = [provider(owner.connect), provider(owner.connect, 'multilingual-e5-small-en-zh')];
    const stop = new AbortController();
    const first = one.read?.(reading('a'), passage);
    const cancelled = one.read?.(reading('b'), { kind: 'passage', signal: stop.signal });
    const [a, b] = [await begun('a'), await begun('b')];
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    const second = other.read?.(reading('c'), passage);
    const failing = other.read?.(reading('d'), passage);
    for (const asked of [second, failing]) asked?.catch(() => undefined);
    a?.();
    await first;
    expect(log.filter((line) => /load|dispose/.test(line))).toEqual(['load all-MiniLM-L6-v2']);
    b?.();
    const c = await begun('passage: c');
    (await begun('passage: d'))?.(new RecollectError('embedding-broken', 'no', { retry: true }));
    await expect(failing).rejects.toMatchObject({ problem: { code: 'embedding-broken' } });
    await expect(second).rejects.toMatchObject({ problem: { code: 'embedding-broken' } });
    expect(log.filter((line) => /load|dispose/.test(line))).toEqual([
      'load all-MiniLM-L6-v2',
      'dispose all-MiniLM-L6-v2',
      'load multilingual-e5-small-en-zh',
    ]);
    c?.();
    await until(
      { get: () => log.at(-1), subscribe: poll },
      (line) => line === 'dispose multilingual-e5-small-en-zh',
    );
  });

  it('hands over batches where the model wants them', async () => {
    const model = scripted({ batch: 4 });
    const { owner } = threads(model.load);
    expect(await provider(owner.connect).embed(['a', 'b', 'c', 'd', 'e'], passage)).toHaveLength(5);
    expect(model.ran).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  });

  it('drops what was cancelled, whatever still waits', async () => {
    const model = scripted({ held: true });
    const { owner } = threads(model.load);
    const indexer = provider(owner.connect);
    const stop = new AbortController();
    const bulk = indexer.embed(['p1', 'p2', 'p3'], { kind: 'passage', signal: stop.signal });
    const other = indexer.embed(['p4'], passage);
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 1);
    stop.abort();
    await expect(bulk).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    model.go();
    await other;
    expect(model.ran).toEqual([['p1'], ['p4']]);
  });

  it('puts the prefixes of the family in front, or what the configuration says', async () => {
    const model = scripted();
    const { owner } = threads(model.load);
    const e5 = provider(owner.connect, 'multilingual-e5-small-en-zh');
    await e5.embed(['x'], query);
    await e5.embed(['x'], passage);
    const own = createLocalEmbedding({
      config: { ...defaultConfig.embedding.local, query_prefix: 'Q> ', passage_prefix: '' },
      connect: owner.connect,
    });
    await own.embed(['x'], query);
    await own.embed(['x'], passage);
    expect(model.ran.flat()).toEqual(['query: x', 'passage: x', 'Q> x', 'x']);
  });
});

describe('retirement', () => {
  it('ends an idle thread and starts another for the next call', async () => {
    const model = scripted();
    const { owner, spawned } = threads(model.load, 5);
    const tab = provider(owner.connect);
    await tab.embed(['x'], query);
    await until(tab.state, ({ status }) => status === 'idle');
    await until({ get: () => spawned[0]?.terminated, subscribe: poll }, (gone) => gone === true);
    expect(model.disposed).toBe(1);
    await tab.embed(['x'], query);
    expect(spawned).toHaveLength(2);
    expect(tab.state.get().status).toBe('ready');
  });

  it('asks again on a new thread what the old one took to its grave', async () => {
    const model = scripted({ held: true });
    const { owner } = threads(model.load);
    const tab = provider(owner.connect);
    const lost = new AbortController();
    const [first, second] = [owner.connect(), owner.connect()];
    let connections = 0;
    const other = provider(() => (++connections === 1 ? { port: first.port, lost: lost.signal } : second));
    const answer = other.embed(['y'], query);
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 1);
    lost.abort(RETIRED);
    await until({ get: () => connections, subscribe: poll }, (count) => count === 2);
    model.go();
    expect(await answer).toHaveLength(1);
    expect(connections).toBe(2);
    await tab.embed(['z'], query);
  });

  it('rejects what waits when the owner ends the thread', async () => {
    const model = scripted({ held: true });
    const { owner } = threads(model.load);
    const { port1, port2 } = new MessageChannel();
    owner.serve(port1);
    open.push(() => port1.close());
    const [tab, engine] = [provider(owner.connect), provider(connectByTransfer(port2))];
    const waiting = [tab.embed(['x'], query), engine.embed(['y'], passage)];
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 1);
    const settled = Promise.allSettled(waiting);
    // The engine's port is on its way through two ports: it must have arrived before it can be lost.
    await new Promise((resolve) => setTimeout(resolve, 10));
    owner.close();
    model.go();
    for (const result of await settled) expect(result).toMatchObject({ reason: { name: 'AbortError' } });
  });
});

describe('failure', () => {
  const missing = new RecollectError('embedding-missing', 'not there', { retry: true });

  it('says what is wrong, answers at once for a while, and tries again after close()', async () => {
    const model = scripted();
    model.fail(missing);
    const { owner } = threads(model.load);
    const tab = provider(owner.connect);
    await expect(tab.embed(['x'], query)).rejects.toMatchObject({ problem: { code: 'embedding-missing' } });
    expect(tab.state.get()).toMatchObject({ status: 'failed', problem: { code: 'embedding-missing' } });
    await expect(tab.embed(['x'], query)).rejects.toMatchObject({ problem: { code: 'embedding-missing' } });
    expect(model.loads).toHaveLength(1);
    model.fail(null);
    await tab.close();
    await tab.embed(['x'], query);
    expect(model.loads).toHaveLength(2);
    expect(tab.state.get().status).toBe('ready');
  });

  it('fails all who wait for the model that is broken, with a sentence', async () => {
    const model = scripted();
    model.fail(new Error('protobuf parsing failed'));
    const { owner } = threads(model.load);
    const [a, b] = [provider(owner.connect), provider(owner.connect)];
    const results = await Promise.allSettled([a.embed(['x'], query), b.embed(['y'], passage)]);
    for (const result of results)
      expect(result).toMatchObject({
        reason: { problem: { code: 'embedding-broken', params: { detail: 'protobuf parsing failed' } } },
      });
  });

  it('asks for the CPU on a new thread after WebGPU failed', async () => {
    const model = scripted();
    const load: LoadRuntime = async (spec, onProgress) => {
      const runtime = await model.load(spec, onProgress);
      if (spec.device !== 'wasm') throw new GpuError('device lost');
      return runtime;
    };
    const { owner, spawned } = threads(load);
    const tab = provider(owner.connect);
    expect(await tab.embed(['x'], query)).toHaveLength(1);
    expect(model.loads.map(({ device }) => device)).toEqual(['auto', 'wasm']);
    expect(spawned).toHaveLength(2);
  });

  it('asks a new thread once kept files were found damaged and let go of', async () => {
    const model = scripted();
    const load: LoadRuntime = async (spec, onProgress) => {
      const runtime = await model.load(spec, onProgress);
      if (model.loads.length === 1) throw new StaleFilesError();
      return runtime;
    };
    const { owner, spawned } = threads(load);
    const [tab, engine] = [provider(owner.connect), provider(owner.connect)];
    const both = await Promise.all([tab.embed(['x'], query), engine.embed(['y'], passage)]);
    expect(both.map((vectors) => vectors.length)).toEqual([1, 1]);
    expect(model.loads.map(({ device }) => device)).toEqual(['auto', 'auto']);
    expect(spawned).toHaveLength(2);
  });

  it('survives a thread that crashes', async () => {
    const model = scripted({ held: true });
    const { owner, spawned } = threads(model.load);
    const tab = provider(owner.connect);
    const waiting = tab.embed(['x'], query);
    await until({ get: () => model.ran.length, subscribe: poll }, (count) => count === 1);
    spawned[0]?.crash('out of memory');
    await expect(waiting).rejects.toMatchObject({
      problem: { code: 'embedding-broken', params: { detail: 'out of memory' } },
    });
    model.go();
    await tab.close();
    expect(await tab.embed(['x'], query)).toHaveLength(1);
  });

  it('reports bytes while loading', async () => {
    const model = scripted();
    const { owner } = threads(model.load);
    const tab = provider(owner.connect);
    const seen: unknown[] = [];
    tab.state.subscribe(() => seen.push(tab.state.get()));
    await tab.embed(['x'], query);
    expect(seen).toContainEqual({ status: 'loading', loaded: 50, total: 100 });
    expect(seen.at(-1)).toEqual({ status: 'ready' });
  });
});

/** Checks again after each turn of the event loop, for values without an event. */
function poll(listener: () => void): () => void {
  const timer = setInterval(listener, 1);
  return () => clearInterval(timer);
}
