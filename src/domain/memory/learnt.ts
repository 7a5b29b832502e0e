// Written by `npm run eval -- --learn --bench DIR --write` from test/eval/own, MADial-Bench and MemoryBank (both MIT): the weights that turn a
// score into a probability. Nothing here is chosen by hand; what each means is said in `fit.ts`.

export const LEARNT = {
  hybrid: {
    score: 5.564,
    stands: 0.52,
    words: 0.618,
    intercept: -8.163,
  },
  // As learnt before the scenes of 2026-11-25 came in: see the README's decisions.
  keyword: {
    score: 5.099,
    stands: 0.294,
    words: 0.837,
    intercept: -6.603,
  },
} as const;
