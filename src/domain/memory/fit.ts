// The few numbers that turn two searches into one probability. Fitted, not guessed: `npx tsx test/eval/fit.ts` prints the lines below
// from MADial-Bench and MemoryBank (both MIT); the three shares were chosen by recall@5 and @10 on the same two.

export const FIT = {
  /**
   * keyword = x / (x + keywordHalf), where x is BM25 as a share of what a query of such length could reach in a library of this size.
   * The x at which half the scale is reached.
   */
  keywordHalf: 0.1,
  /** Terms in the query count with this power: a long question cannot be answered word for word. */
  keywordLength: 0.75,
  /** BM25's gain of the first occurrence of a word, k1 + 1, with the usual k1 = 1.2: the most one word can add is this times its rarity. */
  keywordGain: 2.2,
  /**
   * The calibrated cosine's spread is widened by this before it is mixed with words: a cosine that is nearly sure of itself would leave
   * them no say among the best. Where half of the pairs are related stays where it is.
   */
  vectorSoftness: 1.5,
  /** final = 1 / (1 + exp(-(slope · hybrid + intercept))): even odds at a hybrid of 0.52; 0.61 reaches the default threshold of 0.75. */
  hybrid: { slope: 12.8, intercept: -6.67 },
  /** The same where words are all there is: even odds at 0.61; 0.67 reaches 0.75. */
  keyword: { slope: 16.5, intercept: -10 },
} as const;
