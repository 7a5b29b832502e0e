// Runs asynchronous work one piece at a time, in the order of the calls.
import type { Cancellation } from './readable.ts';
import { unlessAborted } from './time-limit.ts';

export class SerialQueue {
  /** Settles with the last added work; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` after all earlier work, whether that failed or not. Rejects with what the work throws. Aborting
   * `signal` while the work still waits rejects at once with its reason, and the work does not run.
   */
  run<T>(work: () => Promise<T> | T, signal?: Cancellation): Promise<T> {
    const turn = signal ? this.#last.then(() => throwIfAborted(signal)) : this.#last;
    const result = turn.then(work);
    const settled = () => undefined;
    this.#last = result.then(settled, settled);
    return signal ? unlessAborted(turn, signal).then(() => result) : result;
  }

  /** Resolves when all work that was added until now has ended. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

function throwIfAborted(signal: Cancellation): void {
  if (signal.aborted) throw signal.reason;
}
