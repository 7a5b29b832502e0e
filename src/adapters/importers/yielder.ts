// Yields to the event loop during long work on a thread that also draws.

/**
 * Returns a function to call often: it yields once `every` ms have passed since the last time, and costs next to nothing otherwise.
 * Uses no timer, which a background tab gets only once a second.
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
