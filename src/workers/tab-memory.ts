// Starts a tab's memory: the embedding model and the memory engine.
import { whenIdle } from '../adapters/browser/idle.ts';
import { createEmbedding } from '../adapters/embedding/index.ts';
import { createEmbeddingThread } from '../adapters/embedding/thread.ts';
import { writable } from '../domain/base/readable.ts';
import { followEmbedding } from '../services/memory/embedding-in-force.ts';
import { createLateStart } from '../services/memory/late-start.ts';
import { type MemoryStatus, STARTING } from '../services/memory/memory.ts';
import { createPause } from '../services/memory/pause.ts';
import { startTabEngine } from './tab-engine.ts';
import { startEmbeddingThread } from './threads.ts';

/** Longest delay of index and model after the first screen, if the page is never idle, ms. */
const IDLE_WITHIN_MS = 2_000;

/**
 * Starts index and model once the person can read and type, or when memory is searched. At once: `shared` (embedding
 * provider, null until made, and status), `engine` (requests), `pause` (of background work).
 */
export function startMemory({
  secret,
  fetch,
  config,
  firstScreen,
  ...parts
}: Pick<Parameters<typeof startTabEngine>[0], 'store' | 'documents' | 'config' | 'alert' | 'signal'> &
  Pick<Parameters<typeof createEmbedding>[0], 'secret' | 'fetch'> & {
    /** Resolves when the person can read and type. */
    readonly firstScreen: Promise<void>;
  }) {
  const { signal } = parts;
  const { keyValues } = parts.store;
  const start = createLateStart(firstScreen.then(() => whenIdle(IDLE_WITHIN_MS, signal)));
  const embeddingThread = createEmbeddingThread(startEmbeddingThread);
  const { connect } = embeddingThread;
  const embedding = followEmbedding({
    config,
    make: async (config) => {
      await start.begun;
      return await createEmbedding({ config, connect, secret, fetch, keyValues });
    },
    signal,
  });
  const shared = { ...parts, firstScreen, embedding, status: writable<MemoryStatus>(STARTING) };
  const engine = startTabEngine({ ...shared, keyValues, config, embeddingThread, start });
  return { shared, engine, pause: createPause(engine, signal) };
}
