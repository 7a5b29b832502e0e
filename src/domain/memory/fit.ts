// The numbers that turn what a search found into one probability, all in one place. Those written here were chosen by hand, so that they
// serve every set of the evaluation; `npm run eval -- --learn` looks for better ones by itself and finds none that win on every set.
// The line from score to probability is learnt by the same command: `learnt.ts`, which it writes.
import { LEARNT } from './learnt.ts';

export const FIT = {
  /** The scale on which every model's cosines are read: first put on it by the model's own calibration. */
  cosine: { related: 0.338, spread: 0.071 },
  /** A cosine, or a late interaction above its floor, of this much fills the meaning half. */
  full: 0.6,
  /** Late interaction of two texts that have nothing to do with each other. */
  lateFloor: 0.15,
  /** Its share of the meaning half; the whole vectors have the rest. */
  late: 0.3,
  /** Estimate of MaxSim where it is not computed, as a part of the vectors' score. */
  lateFollows: 0.75,
  /** Exponent of the most that a question's words could add: a long question is not answered word for word. */
  reachPower: 0.6,
  /** The worth of a question whose words could all be found in one passage. */
  reach: 12,
  /** A share of that reach of this much fills the keyword half. */
  keywordFull: 0.8,
  /** A word counts this much where only the message before or after has it. */
  window: 0.5,
  /** A word that is in the title a conversation was given, and not in the passage, counts this much of what it is worth. */
  title: 0.25,
  /**
   * A Chinese passage cannot have the words of a question that is not, nor the other way round: as if they were found in it to this part of its
   * meaning, and at most by this factor.
   */
  language: { words: 0.375, most: 1.25 },
  /** Parts of their own score that neighbours add, and that the mean of a conversation's best three does. */
  previous: 0.05,
  /** The same of a short question, to the reply of a person: asked again in its words, the reply is what is looked for. */
  reply: 0.15,
  next: 0.1,
  conversation: 0.6,
  best: 3,
  /** Said by somebody whom the question names. */
  speaker: 1.25,
  /** Is a question itself: it seldom answers one. */
  question: 0.9,
  /** And nobody answered it: who asks again does not look for the question. */
  unanswered: 0.7,
  /** Speaks of a time, where the question asks when. */
  time: 1.15,
  /** Was said in the time that the question speaks of. */
  date: 1.2,
  /** The person's own memory notes; what was pinned; what the person called not related to this question. */
  note: 1.25,
  pin: 1.5,
  notRelated: 0.3,
  /** Age counts with this power of exp(-factor · days): people ask about old things as often as about new ones, and of two equals the newer wins all the same. */
  age: 0.2,
  /** Background scores: the usual mean and deviation, how many such stand in for a small library, and the most deviations that are counted. */
  background: { mean: 0.12, deviation: 0.06, count: 4, most: 8 },
  /** The usual z-score of a runner-up where there is none; how near to it is even, and the most that is counted beyond that; deviations. */
  runnerUp: { usual: 3, even: 0.5, most: 3 },
  /**
   * Usual answers of the assistant and of a tool for one of the person's own; larger shares, as long answers make them, cost probability.
   * `usual`: person's messages that stand in for a small library. `asked`: log odds lost if another lane is asked for.
   */
  lanes: { assistant: 0.6, tool: 0.3, usual: 5, asked: 1.4 },
  /** Log odds that a passage gains in the project that is asked from, where memory looks there first. Measured in `test/services/memory/project-scope.test.ts`. */
  project: 0.8,
  /** Nothing was learnt of longer questions: more words make nothing more certain. */
  wordsMost: 40,
  /**
   * Weights from score to probability. `zScore`: among background scores. `margin`: over the runner-up, in deviations. `words`: log of the
   * number of words asked, since two are soon met by chance. `keyword`: for passages judged by words alone.
   */
  hybrid: LEARNT.hybrid,
  keyword: LEARNT.keyword,
} as const;

type Numbers<T> = { readonly [K in keyof T]: T[K] extends number ? number : Numbers<T[K]> };
/** The same numbers with other values. */
export type Fit = Numbers<typeof FIT>;
