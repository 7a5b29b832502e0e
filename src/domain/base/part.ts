// Parts of the app that are loaded when they are wanted.
import { RecollectError } from './errors.ts';

/** What `load` imports. Throws `part-missing` where its file cannot be had: a newer version took over, or the network is gone. */
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
