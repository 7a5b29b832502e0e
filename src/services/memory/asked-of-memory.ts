// Hears what a message asks of memory with the head that ships for the bundled model. Any other model: the forms alone.
import { orElse } from '../../domain/base/log.ts';
import { lazily } from '../../domain/base/part.ts';
import { type AskedOfMemory, askedOfMemory, type CallingHead } from '../../domain/memory/calling/asked.ts';
import { readHead } from '../../domain/memory/recognition/head.ts';

interface Learnt {
  readonly provider: string;
  readonly calling: CallingHead | null;
}

/** Loads the head with the first vector, so that the page starts without it. */
const learnt = lazily(async (): Promise<Learnt> => {
  const { LEARNT_CALLS } = await import('../../domain/memory/calling/learnt.ts');
  const head = readHead(LEARNT_CALLS.head);
  return {
    provider: LEARNT_CALLS.provider,
    calling: head ? { head, words: LEARNT_CALLS.words.split('\n') } : null,
  };
});

/** Null if the head cannot be had now; the next question tries again. */
const known = (): Promise<Learnt | null> => orElse(learnt(), null, 'the head for calls on memory');

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
