// All numbers that turn the results of a search into one probability. Those written here were chosen by hand to serve
// every set of the evaluation; `npm run eval -- --learn` searches for better ones and finds none that win on every set.
// The same command learns the step from score to probability, and writes it to `learnt.ts`.
import { LEARNT_LINES } from './learnt.ts';

export const FIT = {
  /** Common scale of cosines: each model's own calibration maps its cosines to it. */
  cosine: { related: 0.338, spread: 0.071 },
  /** A cosine, or a late interaction above its floor, of this much gives the full semantic score. */
  full: 0.6,
  /** Late interaction of two unrelated texts. */
  lateFloor: 0.15,
  /** Share of late interaction in the semantic score; the whole vectors have the rest. */
  late: 0.3,
  /** Estimate of MaxSim if it is not computed, as a part of the vectors' score. */
  lateFollows: 0.75,
  /** Exponent of the most that a question's words could add: a long question is not answered word for word. */
  reachPower: 0.6,
  /** IDF weight of a question whose words could all occur in one passage. */
  reach: 12,
  /** A share of that reach of this much gives the full keyword score. */
  keywordFull: 0.8,
  /** Weight of a word that only the previous or next message has. */
  window: 0.5,
  /** Weight of a word that the conversation's given title has, and the passage lacks. */
  title: 0.25,
  /**
   * A Chinese passage cannot have the words of a question in another language, and the other way round: so it counts as
   * if it had them, in this proportion to its semantic score, raised at most by this factor.
   */
  language: { words: 0.375, most: 1.25 },
  /** Parts of their own score that neighbours add, and that the mean of a conversation's best three adds. */
  previous: 0.05,
  /** The same from a short question to a person's reply: if the question is asked again, the reply is wanted. */
  reply: 0.15,
  next: 0.1,
  conversation: 0.6,
  best: 3,
  /** Said by a person whom the question names. */
  speaker: 1.25,
  /** Is a question itself, which seldom answers one. */
  question: 0.9,
  /** An unanswered question: a person who asks again does not look for the question. */
  unanswered: 0.7,
  /** Mentions a time, and the question asks when. */
  time: 1.15,
  /** Was said in the time that the question mentions. */
  date: 1.2,
  /** The person's own memory notes; pinned passages; passages called not related to this question. */
  note: 1.25,
  pin: 1.5,
  notRelated: 0.3,
  /**
   * Age counts as this power of exp(-factor · days): people ask about old things as often as about new
   * ones, but of two equals the newer wins.
   */
  age: 0.2,
  /**
   * Background scores: usual mean and deviation, how many usual scores complete a small
   * library, and the most deviations counted.
   */
  background: { mean: 0.12, deviation: 0.06, count: 4, most: 8 },
  /**
   * Usual z-score of a runner-up if there is none; the distance that counts as even, and the
   * most counted beyond it; deviations.
   */
  runnerUp: { usual: 3, even: 0.5, most: 3 },
  /**
   * Usual number of answers by assistant and tool for one of the person's; larger shares, as of long answers, cost
   * odds. `usual`: the person's in a small library. `asked`: log odds lost if another lane is asked for.
   */
  lanes: { assistant: 0.6, tool: 0.3, usual: 5, asked: 1.4 },
  /**
   * Log odds that a passage gains in the asking project, if memory searches that first. Measured in
   * `test/services/memory/project-scope.test.ts`.
   */
  project: 0.8,
  /** Longer questions count as this long, since nothing was learnt about them. */
  wordsMost: 40,
  /**
   * Weights from score to probability. `zScore`: among background scores. `margin`: over the runner-up, in deviations.
   * `words`: log of the number asked, since two soon match by chance. `keyword`: for passages judged by words alone.
   */
  hybrid: LEARNT_LINES.hybrid,
  keyword: LEARNT_LINES.keyword,
} as const;

type Numbers<T> = { readonly [K in keyof T]: T[K] extends number ? number : Numbers<T[K]> };
/** The same numbers with other values. */
export type Fit = Numbers<typeof FIT>;
