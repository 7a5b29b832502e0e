// Parts of the app that are loaded when they are wanted.
import { RecollectError } from './errors.ts';

/**
 * Imports a part of the app. Throws `part-missing` if its file cannot be had: a newer version took over, or the network is
 * gone.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new RecollectError('part-missing', `A part of the app cannot be loaded: ${String(cause)}`, {
      params: { detail: String(cause) },
      cause,
    });
  }
}
