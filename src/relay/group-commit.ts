// Lets many writers share the flushes of one disk: requests that come during a commit go into the next one together.
// Commits run one after the other, in the order of the requests.
import { ignore } from '../domain/base/log.ts';
import { SerialQueue } from '../domain/base/serial-queue.ts';

interface Job<In, Out> {
  readonly input: In;
  readonly weight: number;
  resolve(output: Out): void;
  reject(reason: unknown): void;
}

interface GroupCommit<In, Out> {
  /**
   * Adds an input of `weight` bytes to the next commit. Resolves with its result; rejects with
   * its error, or with that of the commit.
   */
  add(input: In, weight: number): Promise<Out>;
  /** Runs `work` alone, between two commits. Rejects with its error. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all requests are done. Never rejects. */
  idle(): Promise<void>;
}

/** Bytes after which a commit takes no further input. */
const MAX_WEIGHT = 8 * 1024 * 1024;
/** Most inputs of one commit. */
const MAX_JOBS = 1000;

/**
 * Makes the queue. `commit` returns one entry for each input, in their order: a result, or an Error that rejects this
 * input alone. If `commit` rejects, all its inputs are rejected.
 */
export function createGroupCommit<In, Out>(
  commit: (inputs: readonly In[]) => Promise<readonly (Out | Error)[]>,
): GroupCommit<In, Out> {
  let waiting: Job<In, Out>[] = [];
  const turns = new SerialQueue();

  async function flush() {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && count < MAX_JOBS && weight < MAX_WEIGHT)
      weight += waiting[count++]?.weight ?? 0;
    const jobs = waiting.slice(0, count);
    waiting = waiting.slice(count);
    if (waiting.length > 0) queueFlush();
    if (jobs.length === 0) return;
    try {
      const outputs = await commit(jobs.map((job) => job.input));
      jobs.forEach((job, index) => {
        const output = outputs[index];
        if (output === undefined || output instanceof Error) job.reject(output);
        else job.resolve(output);
      });
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }

  function queueFlush() {
    ignore(turns.run(flush), 'a commit answers each of its callers');
  }

  return {
    add: (input, weight) =>
      new Promise((resolve, reject) => {
        waiting.push({ input, weight, resolve, reject });
        if (waiting.length === 1) queueFlush();
      }),
    alone: (work) => turns.run(work),
    async idle() {
      while (waiting.length > 0) await turns.idle();
      await turns.idle();
    },
  };
}
