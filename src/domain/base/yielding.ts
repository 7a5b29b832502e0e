// Yields to the event loop. There are two ways, since browsers treat them differently: a timer waits 4 ms, in a
// hidden tab up to a second, which suits background work; a message is delivered at once, after those that had
// arrived, which work that a person waits for needs.
import type { Cancellation } from './readable.ts';

// Declared here because `domain` has no types of the platform.
declare const setTimeout: (work: () => void, ms: number) => unknown;
declare const performance: { now(): number };
interface MessageEnd {
  onmessage: (() => void) | null;
  postMessage(message: null): void;
  close(): void;
}
declare const MessageChannel: new () => { readonly port1: MessageEnd; readonly port2: MessageEnd };

/**
 * Lets everything else that waits have its turn, in background work. Rejects with
 * the signal's reason once it is aborted.
 */
export async function yieldToEvents(signal?: Cancellation): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  if (signal?.aborted) throw signal.reason;
}

/**
 * Resolves in a later task of this thread, after messages that have arrived were
 * delivered; in a hidden tab just as soon.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Returns a function to call often in long work on a thread that also draws: it yields once `every` ms have passed
 * since the last time, and costs next to nothing otherwise.
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
