// The far end of all lines: one queue over all ports in front of one model. Queries go first, passages one step at a time,
// so a query waits for one passage at most. Loads late; retires after idling, or after a failure to start clean.
import type { Problem } from '../../domain/base/errors.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import type { LocalModel, Pieces, Port, Reply } from './protocol.ts';
import { requestSchema } from './protocol.ts';

/** A model in memory. */
export interface EmbeddingRuntime {
  readonly dimensions: number;
  /** Texts worth running at once: 1 on a CPU, where padding costs more than a batch saves. */
  readonly batch: number;
  readonly device: 'cpu' | 'wasm' | 'webgpu';
  /** Vectors of length 1. */
  run(texts: readonly string[]): Promise<Float32Array[]>;
  /** One text with its pieces; the first `context` characters are only context. Absent: this runtime knows no pieces. */
  read?(
    text: string,
    context: number,
    kind: 'query' | 'passage',
  ): Promise<{ vector: Float32Array; pieces: Pieces }>;
  dispose(): Promise<void>;
}

export type LoadRuntime = (
  model: LocalModel,
  onProgress: (loaded: number, total: number) => void,
) => Promise<EmbeddingRuntime>;

/** Thrown by a loader or a running model when WebGPU is what failed: the same on the CPU may work. */
export class GpuError extends Error {
  override readonly name = 'GpuError';
}

export interface EmbeddingHost {
  /** Serves one more line. */
  accept(port: Port): void;
  /** Answers nobody any more and lets the model go. */
  close(): Promise<void>;
}

interface Caller {
  readonly port: Port;
  /** The model this caller was last told about as ready. */
  told: string | null;
}

interface Job {
  readonly caller: Caller;
  readonly call: number;
  readonly key: string;
  readonly model: LocalModel;
  readonly kind: 'query' | 'passage';
  readonly texts: readonly string[];
  readonly contexts: readonly number[] | null;
  readonly vectors: Float32Array[];
  readonly pieces: Pieces[];
}

/**
 * Makes the host. `onRetired` is called once, after which the host is of no use: the thread can be ended and its memory is free.
 * @param idleMs ms without work after which the host retires
 */
export function createEmbeddingHost(deps: {
  readonly load: LoadRuntime;
  readonly idleMs: number;
  readonly onRetired: () => void;
}): EmbeddingHost {
  const callers = new Set<Caller>();
  let jobs: Job[] = [];
  let loaded: { key: string; runtime: EmbeddingRuntime } | null = null;
  let working = false;
  let retired = false;
  let running: Promise<void> = Promise.resolve();
  let idle: ReturnType<typeof setTimeout> | undefined;

  const tell = (caller: Caller, reply: Reply) => {
    const transfer =
      reply.type === 'vectors'
        ? [
            ...reply.vectors.map((vector) => vector.buffer as ArrayBuffer),
            ...(reply.pieces ?? []).flatMap(({ bits, tokens, weights }) =>
              [bits, tokens, weights].map((numbers) => numbers.buffer as ArrayBuffer),
            ),
          ]
        : [];
    if (callers.has(caller)) caller.port.postMessage(reply, transfer);
  };

  const runtimeFor = async (job: Job): Promise<EmbeddingRuntime> => {
    if (loaded?.key !== job.key) {
      await loaded?.runtime.dispose();
      loaded = null;
      for (const caller of callers) caller.told = null;
      // Whoever waits for this model sees it come, also those who ask while it is coming.
      const report = (done: number, total: number) => {
        for (const caller of new Set(jobs.filter(({ key }) => key === job.key).map((other) => other.caller)))
          tell(caller, { type: 'loading', loaded: done, total });
      };
      report(0, 0);
      loaded = { key: job.key, runtime: await deps.load(job.model, report) };
    }
    if (job.caller.told !== job.key) {
      job.caller.told = job.key;
      tell(job.caller, { type: 'ready', dimensions: loaded.runtime.dimensions });
    }
    return loaded.runtime;
  };

  const step = async (job: Job) => {
    const runtime = await runtimeFor(job);
    // Loading takes long: look again who is first.
    if (job !== next()) return;
    const done = job.vectors.length;
    if (job.contexts && runtime.read) {
      const { vector, pieces } = await runtime.read(
        job.texts[done] as string,
        job.contexts[done] ?? 0,
        job.kind,
      );
      job.vectors.push(vector);
      job.pieces.push(pieces);
    } else job.vectors.push(...(await runtime.run(job.texts.slice(done, done + runtime.batch))));
    if (job.vectors.length < job.texts.length) return;
    jobs = jobs.filter((other) => other !== job);
    tell(job.caller, {
      type: 'vectors',
      call: job.call,
      vectors: job.vectors,
      ...(job.pieces.length > 0 ? { pieces: job.pieces } : {}),
    });
  };

  const next = (): Job | undefined => jobs.find(({ kind }) => kind === 'query') ?? jobs[0];

  const work = async () => {
    if (working || retired) return;
    working = true;
    clearTimeout(idle);
    for (let job = next(); job && !retired; job = next()) {
      try {
        running = step(job);
        await running;
      } catch (error) {
        await fail(job, error);
      }
      // Between two steps the ports are heard: a task of its own, since a chain of promises would starve them.
      await task();
    }
    working = false;
    if (!retired) idle = setTimeout(() => void retire(false), deps.idleMs);
  };

  const fail = async (job: Job, error: unknown) => {
    if (error instanceof GpuError) return retire(true);
    const problem = problemOf(error, job.model.model);
    const [failing, others] = [
      jobs.filter(({ key }) => key === job.key),
      jobs.filter(({ key }) => key !== job.key),
    ];
    jobs = others;
    for (const { caller, call } of failing) tell(caller, { type: 'failed', call, problem });
    // The runtime's library remembers a failure for as long as its thread lives, so the next try gets a new one.
    await retire(false);
  };

  const retire = async (withoutGpu: boolean) => {
    if (retired) return;
    retired = true;
    clearTimeout(idle);
    for (const caller of callers) {
      tell(caller, { type: 'retired', withoutGpu });
      caller.port.close();
    }
    callers.clear();
    jobs = [];
    // A model must not be taken away under a step that uses it; how the step ends interests nobody any more.
    await running.catch(() => undefined);
    await loaded?.runtime.dispose().catch(() => undefined);
    loaded = null;
    deps.onRetired();
  };

  const hear = (caller: Caller, data: unknown) => {
    const parsed = requestSchema.safeParse(data);
    if (!parsed.success) return console.warn('embedding host: message not understood', parsed.error.message);
    const request = parsed.data;
    if (request.type === 'embed') {
      const { call, model, kind, texts, contexts = null } = request;
      const key = JSON.stringify(model);
      jobs.push({ caller, call, key, model, kind, texts, contexts, vectors: [], pieces: [] });
      void work();
    } else if (request.type === 'cancel') {
      jobs = jobs.filter((job) => job.caller !== caller || job.call !== request.call);
    } else {
      jobs = jobs.filter((job) => job.caller !== caller);
      callers.delete(caller);
      caller.port.close();
      if (callers.size === 0) void retire(false);
    }
  };

  return {
    accept: (port) => {
      if (retired) return port.close();
      const caller: Caller = { port, told: null };
      callers.add(caller);
      port.addEventListener('message', (event) => hear(caller, event.data));
      port.start();
    },
    close: () => retire(false),
  };
}

function problemOf(error: unknown, model: string): Problem {
  if (error instanceof RecollectError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return {
    code: 'embedding-broken',
    message: `The embedding model ${model} cannot be run: ${detail}`,
    params: { model, detail },
    retry: true,
  };
}

/** Resolves in a later task, after messages that have arrived were delivered. Timers are clamped to 4 ms; a port is not. */
function task(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
