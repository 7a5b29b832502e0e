// Written by `npm run eval -- --learn --bench DIR --write` from test/eval/own, MADial-Bench and MemoryBank (both MIT): the weights that turn a
// score into a probability. Nothing here is chosen by hand; what each means is said in `fit.ts`.

export const LEARNT = {
  hybrid: {
    score: 6.649,
    stands: 0.46,
    words: 0.642,
    intercept: -8.275,
  },
  keyword: {
    score: 5.117,
    stands: 0.291,
    words: 0.857,
    intercept: -6.637,
  },
} as const;
