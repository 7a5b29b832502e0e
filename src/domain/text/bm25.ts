// BM25: how much each word of a query says about each of a few chunks.
// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which is
// never negative; k1 and b are those of the database's index.

/** Saturation (k1): how soon a repeated word stops counting more. */
const K1 = 1.2;
/** Length normalisation: how much long texts lose. */
export const B = 0.75;

/**
 * Share of a word's greatest gain that `count` occurrences reach, 0 to 1. `norm`: 1 - b + b · length / average length.
 */
const saturated = (count: number, norm: number): number => count / (count + K1 * norm);

/** Statistics of the whole library that BM25 needs. */
export interface WordStatistics {
  /** Word → idf · (k1 + 1); words that no chunk has are missing or 0. */
  readonly weights: ReadonlyMap<string, number>;
  /** b divided by the average number of words in a chunk. */
  readonly perWord: number;
}

/** Splits a string of words, in lower case, with repetitions. */
export const splitWords = (words: string): string[] => words.toLowerCase().split(/\s+/u).filter(Boolean);

/**
 * The one Han character that a query is: most words have two, so it is looked for within them, too. Undefined for
 * any other query.
 */
export const signIn = (query: readonly string[]): string | undefined =>
  query.length === 1 && /^\p{Script=Han}$/u.test(query[0] as string) ? query[0] : undefined;
/** Share of a character's gain that a text has with it only within words. */
const WITHIN = 0.5;

/** Inverse document frequency of a word that `holding` of `all` texts have. */
export const idfOf = (holding: number, all: number): number =>
  Math.log(1 + (all - holding + 0.5) / (holding + 0.5));

/** Weight of a word that `holding` of `all` chunks have. */
export const weightOf = (holding: number, all: number): number => idfOf(holding, all) * (K1 + 1);

/**
 * Gain of a word that occurs `count` times in a text: its share of the text's BM25.
 * `norm` as above; 1 leaves the length out.
 */
export const gainOf = (idf: number, count: number, norm = 1): number =>
  idf * (K1 + 1) * saturated(count, norm);

/** Slots for the shapes of words: two different words mostly get different slots. */
const SHAPES = 4_096;
const shapeOf = (firstCode: number, length: number): number => (firstCode * 31 + length) % SHAPES;

/**
 * Computes what each word of the query adds to the BM25 of a chunk with these space-separated words; a repeated one
 * counts as often, a single Han character within words for less. A word is cut out only if its shape is the query's.
 */
export function gainsOf(
  query: readonly string[],
  { weights, perWord }: WordStatistics,
): (words: string) => number[] {
  const shapes = new Uint8Array(SHAPES);
  for (const word of query) shapes[shapeOf(word.charCodeAt(0), word.length)] = 1;
  const sign = signIn(query);
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
      const isWithin = found === undefined && word === sign && text.includes(sign);
      const gain = (weights.get(word) ?? 0) * saturated(found ?? 1, 1 - B + perWord * length);
      return found ? gain : isWithin ? WITHIN * gain : 0;
    });
  };
}

/** Sums the gains to BM25: > 0 if any word matches, else 0. */
export const bm25Of = (terms: readonly number[]): number => terms.reduce((sum, one) => sum + one, 0);

/** IDF weight of each word of the query; a word that no chunk has counts as the rarest. */
export function idfWeights(query: readonly string[], { weights }: WordStatistics, chunks: number): number[] {
  const rarest = weightOf(0, chunks);
  return query.map((word) => weights.get(word) || rarest);
}

// The formulas below recover both numbers from an index's scores: score(word, in a text of n
// words) = weight / (A + k1 · perWord · n).
const A = 1 + K1 * (1 - B);

/** Recovers `perWord` from a word's scores in a text of that word alone and in one of `length` words. */
export const perWordFrom = (alone: number, among: number, length: number): number => {
  const ratio = alone / among;
  return Math.max(0, (A * (ratio - 1)) / (K1 * (length - ratio)));
};

/** Recovers a word's weight from its score in a text of that word alone. */
export const weightFrom = (alone: number, perWord: number): number => alone * (A + K1 * perWord);
