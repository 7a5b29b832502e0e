// The model's own thread: one queue over all ports in front of one model. Queries go first and passages one step at a
// time, so a query waits for one passage at most, and for none if passages are read beside it. Loads at the first job;
// retires when idle, and after a failure, since only a new thread starts clean.

import type { Problem } from '../../domain/base/errors.ts';
import { RecollectError, toError } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Cancellation } from '../../domain/base/readable.ts';
import { nextTask } from '../../domain/base/yielding.ts';
import { type Served, serveCalls } from '../../domain/threads/calls.ts';
import { withTransfer } from '../../domain/threads/endpoint.ts';
import { joinNews } from '../../domain/threads/news.ts';
import type { LocalModel, Port, PortNews, TokenVectors } from './protocol.ts';
import { modelCalls, portNewsSchema } from './protocol.ts';

/** A model in memory. */
export interface EmbeddingRuntime {
  readonly dimensions: number;
  /** Number of texts to run at once: 1 on a CPU, since padding costs more there than a batch saves. */
  readonly batch: number;
  readonly device: 'cpu' | 'wasm' | 'webgpu';
  /**
   * How many passages may be read at the same time, all of them beside a query. Absent:
   * one text after another of either kind.
   */
  readonly concurrency?: number | undefined;
  /** Vectors of length 1. */
  run(texts: readonly string[]): Promise<Float32Array[]>;
  /**
   * One text with its token vectors; the first `context` characters are only context. Absent: this runtime makes none.
   */
  read?(
    text: string,
    context: number,
    kind: 'query' | 'passage',
  ): Promise<{ vector: Float32Array; tokenVectors: TokenVectors }>;
  dispose(): Promise<void>;
}

export type LoadRuntime = (
  model: LocalModel,
  onProgress: (loaded: number, total: number) => void,
) => Promise<EmbeddingRuntime>;

/** Thrown by a loader or a running model when WebGPU failed: the CPU may still work. */
export class GpuError extends Error {
  override readonly name = 'GpuError';
}

/** Thrown by a loader that found kept files damaged and deleted them: another thread fetches them again. */
export class StaleFilesError extends Error {
  override readonly name = 'StaleFilesError';
}

interface EmbeddingHost {
  /** Serves one more port. */
  accept(port: Port): void;
  /** Stops answering and frees the model. */
  close(): Promise<void>;
}

interface Caller {
  readonly port: Port;
  readonly notify: (news: PortNews) => void;
  /** Key of the model last reported to this caller as ready. */
  lastNotified: string | null;
}

type Embed = Parameters<Served<typeof modelCalls>['embed']>[0];
type EmbedAnswer = Awaited<ReturnType<Served<typeof modelCalls>['embed']>>;

interface Job {
  readonly caller: Caller;
  readonly key: string;
  readonly model: LocalModel;
  readonly kind: 'query' | 'passage';
  readonly texts: readonly string[];
  readonly contexts?: readonly number[] | undefined;
  /** Vectors by position, filled as they arrive. */
  readonly vectors: Float32Array[];
  readonly tokenVectors: TokenVectors[];
  /** How many texts have begun their step, and how many have finished it. */
  begun: number;
  over: number;
  resolve(answer: EmbedAnswer): void;
  reject(error: unknown): void;
}

type ModelHostDependencies = {
  readonly load: LoadRuntime;
  readonly idleMs: number;
  readonly onRetired: () => void;
};

/**
 * Makes the host. `onRetired` is called once; the host is then useless, and ending its thread frees the memory.
 * @param idleMs ms without work after which the host retires
 */
export function createEmbeddingHost(deps: ModelHostDependencies): EmbeddingHost {
  return new ModelHost(deps);
}

class ModelHost implements EmbeddingHost {
  readonly #deps: ModelHostDependencies;
  readonly #callers = new Set<Caller>();
  #jobs: Job[] = [];
  #loaded: { key: string; runtime: EmbeddingRuntime } | null = null;
  #retired = false;
  /** Steps that are running, with the kind of their job. */
  readonly #steps = new Map<Promise<void>, Job['kind']>();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: ModelHostDependencies) {
    this.#deps = deps;
  }

  accept(port: Port): void {
    if (this.#retired) {
      port.close();
      return;
    }
    const receive = ({ type }: PortNews) => type === 'bye' && this.#leave(caller);
    const caller: Caller = { port, notify: joinNews(port, portNewsSchema, receive), lastNotified: null };
    this.#callers.add(caller);
    serveCalls(modelCalls, port, { embed: (given, { signal }) => this.#embed(caller, given, signal) });
  }

  close(): Promise<void> {
    return this.#retire(false);
  }

  async #load({ key, model }: Job): Promise<void> {
    await this.#loaded?.runtime.dispose();
    this.#loaded = null;
    for (const caller of this.#callers) caller.lastNotified = null;
    // All callers that wait for this model see its progress, including those that ask while it loads.
    const report = (done: number, total: number) => {
      for (const caller of new Set(
        this.#jobs.filter((other) => other.key === key).map((other) => other.caller),
      ))
        caller.notify({ type: 'loading', loaded: done, total });
    };
    report(0, 0);
    this.#loaded = { key, runtime: await this.#deps.load(model, report) };
  }

  async #advance(job: Job, runtime: EmbeddingRuntime): Promise<void> {
    const { caller, contexts, texts, begun: from } = job;
    if (caller.lastNotified !== job.key) {
      caller.lastNotified = job.key;
      caller.notify({ type: 'ready', dimensions: runtime.dimensions, concurrency: runtime.concurrency ?? 1 });
    }
    if (contexts && runtime.read) {
      job.begun = from + 1;
      const { vector, tokenVectors } = await runtime.read(
        texts[from] as string,
        contexts[from] ?? 0,
        job.kind,
      );
      job.vectors[from] = vector;
      job.tokenVectors[from] = tokenVectors;
      job.over++;
    } else {
      const some = texts.slice(from, from + runtime.batch);
      job.begun = from + some.length;
      for (const [at, vector] of (await runtime.run(some)).entries()) job.vectors[from + at] = vector;
      job.over += some.length;
    }
    if (job.over < texts.length || !this.#jobs.includes(job)) return;
    this.#jobs = this.#jobs.filter((other) => other !== job);
    const { vectors, tokenVectors } = job;
    const arrays = [
      ...vectors,
      ...tokenVectors.flatMap(({ bits, tokens, weights }) => [bits, tokens, weights]),
    ];
    job.resolve(
      withTransfer(
        { vectors, ...(tokenVectors.length > 0 ? { tokenVectors } : {}) },
        arrays.map(({ buffer }) => buffer),
      ),
    );
  }

  /** Picks the job whose step may begin now. */
  #next(): Job | undefined {
    const waiting = this.#jobs.filter(({ begun, texts }) => begun < texts.length);
    const job = waiting.find(({ kind }) => kind === 'query') ?? waiting[0];
    if (!job || this.#steps.size === 0) return job;
    const concurrency = this.#loaded?.key === job.key ? this.#loaded.runtime.concurrency : undefined;
    if (!concurrency) return undefined;
    const sameKind = [...this.#steps.values()].filter((kind) => kind === job.kind).length;
    return sameKind < (job.kind === 'query' ? 1 : concurrency) ? job : undefined;
  }

  #work(): void {
    clearTimeout(this.#idle);
    for (let job = this.#next(); job && !this.#retired; job = this.#next()) {
      const mine = job;
      // Loading takes long, so the first job is chosen again afterwards.
      const step =
        this.#loaded?.key === mine.key ? this.#advance(mine, this.#loaded.runtime) : this.#load(mine);
      this.#steps.set(step, mine.kind);
      void step
        .catch((error: unknown) => this.#fail(mine, error))
        // Messages are heard between two steps only in a task of its own: a chain of promises would starve the ports.
        .then(nextTask)
        .then(() => {
          this.#steps.delete(step);
          this.#work();
        });
    }
    if (!this.#retired && this.#steps.size === 0)
      this.#idle = setTimeout(() => void this.#retire(false), this.#deps.idleMs);
  }

  async #fail(job: Job, error: unknown): Promise<void> {
    if (error instanceof GpuError) return this.#retire(true);
    if (error instanceof StaleFilesError) return this.#retire(false);
    const problem = problemOf(error, job.model.model);
    const [failing, others] = [
      this.#jobs.filter(({ key }) => key === job.key),
      this.#jobs.filter(({ key }) => key !== job.key),
    ];
    this.#jobs = others;
    for (const { reject } of failing) reject(toError(problem));
    // The answers must be on their way before the ports close.
    await nextTask();
    // The library remembers a failure for as long as its thread lives, so the next try needs a new thread.
    await this.#retire(false);
  }

  async #retire(withoutGpu: boolean): Promise<void> {
    if (this.#retired) return;
    this.#retired = true;
    clearTimeout(this.#idle);
    for (const caller of this.#callers) {
      caller.notify({ type: 'retired', withoutGpu });
      caller.port.close();
    }
    this.#callers.clear();
    this.#jobs = [];
    // The model must not be freed under a running step; the outcome of those steps no longer matters.
    await Promise.allSettled(this.#steps.keys());
    if (this.#loaded)
      await orElse(this.#loaded.runtime.dispose(), undefined, 'the memory of a retired model');
    this.#loaded = null;
    this.#deps.onRetired();
  }

  #embed(caller: Caller, given: Embed, signal: Cancellation): Promise<EmbedAnswer> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify(given.model);
      const job: Job = {
        ...given,
        caller,
        key,
        vectors: [],
        tokenVectors: [],
        begun: 0,
        over: 0,
        resolve,
        reject,
      };
      this.#jobs.push(job);
      const cancel = () => {
        this.#jobs = this.#jobs.filter((other) => other !== job);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#work();
    });
  }

  #leave(caller: Caller): void {
    this.#jobs = this.#jobs.filter((job) => job.caller !== caller);
    this.#callers.delete(caller);
    caller.port.close();
    if (this.#callers.size === 0) void this.#retire(false);
  }
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
