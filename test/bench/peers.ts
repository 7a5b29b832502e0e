// What others would take for the same: Orama's hybrid search, and MiniSearch with every vector multiplied in
// plain JavaScript. The same texts, the same questions, random vectors as in ours, in the same browser.
// Bundled and run in a page of its own.
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';

export interface PeerFigures {
  readonly buildMs: number;
  readonly queryMs: readonly number[];
}

const CANDIDATES = 60;
/** Han in pairs, everything else by words: what a person who knows Chinese needs would configure. */
const tokensOf = (text: string): string[] =>
  (text.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? []).flatMap((run) =>
    /\p{Script=Han}/u.test(run) && run.length > 2
      ? Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
      : [run],
  );
const randomVector = (dimensions: number): Float32Array => {
  const values = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};

async function orama(
  texts: readonly string[],
  questions: readonly string[],
  dimensions: number,
): Promise<PeerFigures> {
  const began = performance.now();
  const database = create({
    schema: { text: 'string', vector: `vector[${dimensions}]` } as const,
    components: {
      tokenizer: {
        language: 'english',
        normalizationCache: new Map(),
        tokenize: (raw: string) => tokensOf(raw),
      },
    },
  });
  await insertMultiple(
    database,
    texts.map((text) => ({ text, vector: Array.from(randomVector(dimensions)) })),
    500,
  );
  const buildMs = performance.now() - began;
  const queryMs: number[] = [];
  for (const term of questions) {
    const vector = Array.from(randomVector(dimensions));
    const started = performance.now();
    const found = await search(database, {
      mode: 'hybrid',
      term,
      vector: { value: vector, property: 'vector' },
      similarity: 0,
      threshold: 1,
      limit: CANDIDATES,
    });
    queryMs.push(performance.now() - started);
    if (found.hits.length === 0) throw new Error(`Orama found nothing for ${term}`);
  }
  return { buildMs, queryMs };
}

function miniSearch(texts: readonly string[], questions: readonly string[], dimensions: number): PeerFigures {
  const began = performance.now();
  const database = new MiniSearch<{ id: number; text: string }>({ fields: ['text'], tokenize: tokensOf });
  database.addAll(texts.map((text, id) => ({ id, text })));
  const vectors = new Float32Array(texts.length * dimensions);
  for (let row = 0; row < texts.length; row++) vectors.set(randomVector(dimensions), row * dimensions);
  const buildMs = performance.now() - began;
  const queryMs: number[] = [];
  for (const term of questions) {
    const vector = randomVector(dimensions);
    const started = performance.now();
    const words = database.search(term).slice(0, CANDIDATES);
    const scores = new Float32Array(texts.length);
    for (let row = 0; row < texts.length; row++) {
      let sum = 0;
      for (let at = 0, from = row * dimensions; at < dimensions; at++)
        sum += (vectors[from + at] as number) * (vector[at] as number);
      scores[row] = sum;
    }
    const nearest = Array.from(scores.keys())
      .sort((a, b) => (scores[b] as number) - (scores[a] as number))
      .slice(0, CANDIDATES);
    queryMs.push(performance.now() - started);
    if (words.length === 0 || nearest.length === 0) throw new Error(`MiniSearch found nothing for ${term}`);
  }
  return { buildMs, queryMs };
}

export const peers = { orama, miniSearch };
