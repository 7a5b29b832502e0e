// Loads parts of the app on demand.
import { RecollectError } from './errors.ts';
import { log } from './log.ts';

/**
 * Imports a part of the app, a second time if the first fails: one lost connection must not close a screen. Throws
 * `part-missing` if its file is unavailable: a newer version replaced it, or the network is down.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load().catch((error: unknown) => {
      log.debug('A part of the app did not load and is fetched again', error);
      return load();
    });
  } catch (cause) {
    throw new RecollectError('part-missing', `A part of the app cannot be loaded: ${String(cause)}`, {
      params: { detail: String(cause) },
      cause,
    });
  }
}

/**
 * Makes something whose code is loaded with its first use, once. Rejects as `loadPart` does; the next use tries again.
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    made ??= loadPart(load);
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}
