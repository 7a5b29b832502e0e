// Written by `npm run eval -- --learn --bench DIR --write` from test/eval/own, MADial-Bench and MemoryBank (both MIT):
// the weights that turn a score into a probability, explained in `fit.ts`. The weights for words alone, `keyword`, are
// learnt again only with `--words`: decision 0012.

export const LEARNT_LINES = {
  hybrid: {
    score: 4.826,
    zScore: 0.319,
    margin: 0.393,
    words: 0.881,
    intercept: -7.574,
  },
  keyword: {
    score: 5.099,
    zScore: 0.294,
    margin: 0,
    words: 0.837,
    intercept: -6.603,
  },
} as const;
