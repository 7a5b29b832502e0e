// Loads parts of the app on demand.
import { RecollectError } from './errors.ts';

/** Imports a part of the app. Throws `part-missing` if its file is unavailable: a newer version replaced it, or the network is down. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new RecollectError('part-missing', `A part of the app cannot be loaded: ${String(cause)}`, {
      params: { detail: String(cause) },
      cause,
    });
  }
}
