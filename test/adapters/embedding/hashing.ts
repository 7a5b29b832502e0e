// The small member of the family: feature hashing of words and Han bigrams. Deterministic, instant, nothing to
// download; it knows no meaning, only shared words, so it serves tests and demonstrations.

import type { Calibration, EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import { unit } from '../../../src/adapters/embedding/vector.ts';
import { writable } from '../../../src/domain/base/readable.ts';

const DIMENSIONS = 256;

/** Two texts that share about a third of their words are called related. */
const CALIBRATION: Calibration = { related: 0.33, spread: 0.08 };

/** Makes the provider. It never fails, loads nothing and calls no one. */
export function createHashingEmbedding(): EmbeddingProvider {
  return {
    id: `hashing/words-and-bigrams/${DIMENSIONS}`,
    dimensions: DIMENSIONS,
    languages: 'any',
    maxBatch: 1000,
    state: writable({ status: 'ready' }),
    calibration: async (signal) => {
      signal.throwIfAborted();
      return CALIBRATION;
    },
    embed: async (texts, { signal }) => {
      signal.throwIfAborted();
      return texts.map(vectorOf);
    },
    close: async () => {},
  };
}

function vectorOf(text: string): Float32Array {
  const counts = new Map<string, number>();
  for (const feature of featuresOf(text)) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, count] of counts) {
    const hash = fnv1a(feature);
    const sign = hash & 0x80000000 ? -1 : 1;
    const slot = hash % DIMENSIONS;
    vector[slot] = (vector[slot] as number) + sign * (1 + Math.log(count));
  }
  return unit(vector);
}

/** Words of the text, and for runs of Han each character and each pair of neighbours. */
function* featuresOf(text: string): Generator<string> {
  const runs = /\p{sc=Han}+|(?:(?!\p{sc=Han})[\p{L}\p{N}_])+/gu;
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(runs)) {
    if (!/^\p{sc=Han}/u.test(run)) {
      yield run;
      continue;
    }
    const characters = [...run];
    yield* characters;
    for (const [at, character] of characters.entries()) if (at > 0) yield `${characters[at - 1]}${character}`;
  }
}

/**
 * 32-bit FNV-1a over UTF-16 units (Fowler, Noll, Vo), finished with a mix so that the low bits depend on all of them.
 */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
