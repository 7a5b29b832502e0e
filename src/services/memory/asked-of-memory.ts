// Hears what a message asks of memory with the head that ships for the bundled model. Any other model: the forms alone.
import { orElse } from '../../domain/base/log.ts';
import { type AskedOfMemory, askedOfMemory, type CallingHead } from '../../domain/memory/calling/asked.ts';
import { readHead } from '../../domain/memory/recognition/head.ts';

interface Learnt {
  readonly provider: string;
  readonly calling: CallingHead | null;
}

let learnt: Promise<Learnt | null> | undefined;

/**
 * Loads the head with the first vector, so that the page starts without it. Null if it cannot be had
 * now; the next question tries again.
 */
async function bring(): Promise<Learnt | null> {
  const loading = import('../../domain/memory/calling/learnt.ts').then(({ LEARNT }): Learnt => {
    const head = readHead(LEARNT.head);
    return { provider: LEARNT.provider, calling: head ? { head, words: LEARNT.words.split('\n') } : null };
  });
  const brought = await orElse(loading, null, 'the head for calls on memory');
  if (!brought) learnt = undefined;
  return brought;
}

const known = (): Promise<Learnt | null> => {
  learnt ??= bring();
  return learnt;
};

/** True if a head was learnt for this embedding model. Never rejects. */
export const hasHead = async (model: string): Promise<boolean> => (await known())?.provider === model;

/**
 * Decides what a message asks of memory, by its vector as a question if there is one. Never rejects.
 * @param vector `values` of length 1, made by `model`; null: forms alone
 */
export async function understandAsked(
  text: string,
  vector: { readonly model: string; readonly values: ArrayLike<number> } | null,
): Promise<AskedOfMemory> {
  if (!vector) return askedOfMemory(text, null, null);
  const brought = await known();
  const fits = brought?.provider === vector.model;
  return askedOfMemory(text, fits ? vector.values : null, fits ? brought.calling : null);
}
