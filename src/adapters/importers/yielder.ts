// Long work on a thread that also draws: let others have a turn every few milliseconds.

/**
 * Returns a function to call often: it gives the thread away once `every` ms have passed since it last did, and costs next to
 * nothing otherwise. Does not use timers, which a tab in the background gets only once a second.
 */
export function createYielder(every = 12): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < every) return undefined;
    return nextTask().then(() => {
      last = performance.now();
    });
  };
}

/** Resolves in a later task of this thread. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
