// The numbers that turn what a search found into one probability. Chosen by hand on MADial-Bench, MemoryBank (both MIT) and the
// conversations in test/eval/own; `npm run eval` prints what each part of the ranking is worth.

export const FIT = {
  /** How the default model's cosines read: those of every other model are put on this scale first. */
  cosine: { related: 0.338, spread: 0.071 },
  /** A cosine, or a late interaction above its floor, of this much fills the meaning half. */
  full: 0.6,
  /** Late interaction of two texts that have nothing to do with each other. */
  lateFloor: 0.15,
  /** Without late interaction the cosine stands for it; its counterpart follows it at three quarters. */
  withoutLate: 0.875,
  /** What a question's words could add, to this power: a long question is not answered word for word. */
  reachPower: 0.6,
  /** The worth of a question whose words could all be found in one passage. */
  reach: 12,
  /** A share of that reach of this much fills the keyword half. */
  keywordFull: 0.8,
  /** A word counts this much where only the message before or after has it. */
  window: 0.5,
  /** What the messages before and after add of their own score, and the conversation with the mean of its best three. */
  previous: 0.1,
  next: 0.2,
  conversation: 0.6,
  best: 3,
  /** Said by somebody whom the question names. */
  speaker: 1.4,
  /** Is a question itself: it seldom answers one. */
  question: 0.9,
  /** Speaks of a time, where the question asks when. */
  time: 1.15,
  /** Was said in the time that the question speaks of. */
  date: 1.2,
  /** The person's own memory notes; what was pinned; what the person called not related to this question. */
  note: 1.25,
  pin: 1.5,
  notRelated: 0.3,
  /** Age counts with this power of exp(-factor · days): people ask about old things as often as about new ones, and of two equals the newer wins all the same. */
  age: 0.25,
  /** Scores of what was found and is not meant, and how many such stand for a small library. */
  crowd: { mean: 0.12, deviation: 0.06, count: 4 },
  /**
   * final = 1 / (1 + exp(-(score · score + stands · how far it stands above the crowd + intercept))). Learnt from MADial-Bench and MemoryBank
   * and their questions put to other people's libraries, cross-validated by question: of what is called 0.5–0.75, 0.75–0.9 and above,
   * 56, 78 and 96 of 100 were related.
   */
  hybrid: { score: 7.62, stands: 0.255, intercept: -5.66 },
  /** The same where words are all there is. */
  keyword: { score: 7.15, stands: 0.103, intercept: -3.74 },
} as const;

/** The same numbers with other values. */
export type Fit = {
  readonly [K in keyof typeof FIT]: (typeof FIT)[K] extends number
    ? number
    : { readonly [P in keyof (typeof FIT)[K]]: number };
};
