// BM25 by the numbers: how much each word of a query says about each of a few chunks.
// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which is never
// negative; k1 and b as the database's index has them.

/** How soon a repeated word stops counting more. */
const K1 = 1.2;
/** How much long texts are held back. */
export const B = 0.75;

/** How far a word that stands `count` times is on its way to all that it can add, 0 to 1. `norm`: 1 - b + b · length / average length. */
const saturated = (count: number, norm: number): number => count / (count + K1 * norm);

/** What BM25 must know of the whole library. */
export interface WordStatistics {
  /** Word → idf · (k1 + 1); words that no chunk has are missing or 0. */
  readonly weights: ReadonlyMap<string, number>;
  /** b divided by the average number of words in a chunk. */
  readonly perWord: number;
}

/** The words in a string of words, in lower case, as often as they stand there. */
export const splitWords = (words: string): string[] => words.toLowerCase().split(/\s+/u).filter(Boolean);

/** How rare a word is that `holding` of `all` texts have. */
export const idfOf = (holding: number, all: number): number =>
  Math.log(1 + (all - holding + 0.5) / (holding + 0.5));

/** Weight of a word that `holding` of `all` chunks have. */
export const weightOf = (holding: number, all: number): number => idfOf(holding, all) * (K1 + 1);

/** Gives what a word adds to the BM25 of a text in which it stands `count` times. `norm` as above; 1 where the text's length is nothing. */
export const gainOf = (idf: number, count: number, norm = 1): number =>
  idf * (K1 + 1) * saturated(count, norm);

/** Places for the shapes of words: two words that are not equal mostly stand in different ones. */
const SHAPES = 4_096;
const shapeOf = (firstCode: number, length: number): number => (firstCode * 31 + length) % SHAPES;

/**
 * What each word of the query adds to the BM25 of a chunk with these words, parted by spaces; a word that stands twice in the query
 * counts twice. One search asks it of hundreds of chunks: a word is cut out only where it may be one of the query's.
 */
export function gainsOf(
  query: readonly string[],
  { weights, perWord }: WordStatistics,
): (words: string) => number[] {
  const shapes = new Uint8Array(SHAPES);
  for (const word of query) shapes[shapeOf(word.charCodeAt(0), word.length)] = 1;
  return (words) => {
    const text = words.toLowerCase();
    const times = new Map<string, number>();
    let length = 0;
    for (let start = 0; start < text.length; ) {
      const space = text.indexOf(' ', start);
      const end = space < 0 ? text.length : space;
      if (end > start) {
        length += 1;
        if (shapes[shapeOf(text.charCodeAt(start), end - start)] === 1) {
          const word = text.slice(start, end);
          times.set(word, (times.get(word) ?? 0) + 1);
        }
      }
      start = end + 1;
    }
    return query.map((word) => {
      const found = times.get(word);
      return found ? (weights.get(word) ?? 0) * saturated(found, 1 - B + perWord * length) : 0;
    });
  };
}

/** BM25 from what its words add: > 0 where any word matches, else 0. */
export const bm25Of = (terms: readonly number[]): number => terms.reduce((sum, one) => sum + one, 0);

/** What each word of the query is worth; one that no chunk has counts as the rarest there is. */
export function worthOf(query: readonly string[], { weights }: WordStatistics, chunks: number): number[] {
  const rarest = weightOf(0, chunks);
  return query.map((word) => weights.get(word) || rarest);
}

// The two numbers, read back out of scores that an index gave: score(word, in a text of n words) = weight / (A + k1 · perWord · n).
const A = 1 + K1 * (1 - B);

/** `perWord` from the scores of a word in a text of that word alone, and in one of `length` words. */
export const perWordFrom = (alone: number, among: number, length: number): number => {
  const ratio = alone / among;
  return Math.max(0, (A * (ratio - 1)) / (K1 * (length - ratio)));
};

/** A word's weight from its score in a text of that word alone. */
export const weightFrom = (alone: number, perWord: number): number => alone * (A + K1 * perWord);
