// Written by `npm run eval -- --learn --bench DIR --write` from test/eval/own, MADial-Bench and MemoryBank (both MIT): the weights that turn a
// score into a probability; what each means is said in `fit.ts`. The line for words alone, `keyword`, is learnt anew only with `--words`: see README's decisions.

export const LEARNT = {
  hybrid: {
    score: 6,
    zScore: 0.197,
    margin: 0.404,
    words: 0.741,
    intercept: -6.832,
  },
  keyword: {
    score: 5.099,
    zScore: 0.294,
    margin: 0,
    words: 0.837,
    intercept: -6.603,
  },
} as const;
