// The few numbers that turn two searches into one probability. Fitted, not guessed: `npx vite-node test/eval/fit.ts` prints them,
// from MADial-Bench and MemoryBank (both MIT), with questions put to other people's memories as the ones without an answer.

export const FIT = {
  /**
   * keyword = x / (x + keywordHalf), where x is BM25 as a share of what a query of such length could reach in a library of this size.
   * The x at which half the scale is reached.
   */
  keywordHalf: 0.2,
  /** Terms in the query count with this power: a long question cannot be answered word for word. */
  keywordLength: 0.75,
  /** BM25's gain of the first occurrence of a word, k1 + 1, with the usual k1 = 1.2: the most one word can add is this times its rarity. */
  keywordGain: 2.2,
  /** final = 1 / (1 + exp(-(slope · hybrid + intercept))): how fast related becomes certain … */
  slope: 12.4,
  /** … and where: a hybrid of 0.41 is even odds, 0.50 reaches the default threshold of 0.75. */
  intercept: -5.1,
} as const;
