// Written by `npm run eval -- --learn --bench DIR --write` from test/eval/own, MADial-Bench and MemoryBank (both MIT): the weights that turn a
// score into a probability. Nothing here is chosen by hand; what each means is said in `fit.ts`.

export const LEARNT = {
  hybrid: {
    score: 6.042,
    stands: 0.486,
    words: 0.701,
    intercept: -8.34,
  },
  keyword: {
    score: 4.811,
    stands: 0.3,
    words: 0.898,
    intercept: -6.763,
  },
} as const;
