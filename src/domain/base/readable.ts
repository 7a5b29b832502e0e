// Gives every changing value one shape: its current value, and a way to hear of changes.

/** A value that changes. `get` returns the same object until the next change. */
export interface Readable<T> {
  get(): T;
  /** Calls `listener` after each change; returns a function that stops this. */
  subscribe(listener: () => void): () => void;
}

/** A readable that its owner can set. */
export interface Writable<T> extends Readable<T> {
  /** Announces only if the value differs by `Object.is`. */
  set(value: T): void;
  update(change: (value: T) => T): void;
}

/** Makes a value that its owner sets and others watch. */
export function writable<T>(initial: T): Writable<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T) => {
    if (Object.is(value, next)) return;
    value = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Announces a change of any of `sources`. Its value says nothing: wait for a state of several readables with `until`.
 */
export const anyOf = (sources: readonly Readable<unknown>[]): Readable<null> => ({
  get: () => null,
  subscribe: (listener) => {
    const stops = sources.map((source) => source.subscribe(listener));
    return () => {
      for (const stop of stops) stop();
    };
  },
});

/** Parts of an `AbortSignal` that are used here; `domain` has no types of the browser. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Resolves with the first value that satisfies `wanted`; rejects with the signal's reason. */
export function until<T>(
  source: Readable<T>,
  wanted: (value: T) => boolean,
  signal?: Cancellation,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (wanted(source.get())) return resolve(source.get());
    if (signal?.aborted) return reject(signal.reason);
    const stop = source.subscribe(() => {
      if (wanted(source.get())) finish(() => resolve(source.get()));
    });
    const onAbort = () => finish(() => reject(signal?.reason));
    const finish = (settle: () => void) => {
      stop();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Resolves once `isDone` does so with true: it is asked now and after each change of `source`, one call at a time.
 * Rejects with the signal's reason, and with the error of `isDone`.
 */
export async function untilDone(
  source: Readable<unknown>,
  isDone: () => Promise<boolean>,
  signal: Cancellation,
): Promise<void> {
  const changes = writable(0);
  const stop = source.subscribe(() => changes.update((count) => count + 1));
  try {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      const seen = changes.get();
      if (await isDone()) return;
      await until(changes, (count) => count !== seen, signal);
    }
  } finally {
    stop();
  }
}
