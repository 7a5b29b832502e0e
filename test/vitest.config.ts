import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { IN_BROWSER, IS_ALL, LEFT_OUT, longFirst } from './tiers.ts';

/**
 * Files with a process of their own: those that stop the clock of parts which outlive a test, stand in for a global and
 * must be the first to load what reads it, or count every step of the process.
 */
const ALONE = [
  'test/adapters/index/engines.test.ts',
  'test/adapters/sync/{slow-line,y-websocket}.test.ts',
  'test/house.test.ts',
  'test/services/context/post-turn-tasks.test.ts',
  'test/services/memory/{embedding-in-force,index-supervisor,memory-service,naming,pause,rebuilding,suggesting,titling}.test.ts',
  'test/sync/*.test.ts',
  'test/text/**/*.test.ts',
  'test/ui/memory/passage-title.test.ts',
  'test/ui/shell/offer.test.ts',
];
/** Run in a real browser, or by `npm run test:all` only. */
const ELSEWHERE = [...IN_BROWSER, ...LEFT_OUT];

const options = {
  setupFiles: ['test/properties.ts', 'test/own-databases.ts', 'test/equal-arrays.ts'],
  // There are as many of these processes as cores: helping threads of the garbage collector take a tenth more.
  execArgv: ['--single-threaded-gc'],
  // Long seeds of the simulator take this long on a busy machine, and only `npm run test:all` draws them.
  testTimeout: IS_ALL ? 180_000 : 30_000,
  hookTimeout: 60_000,
  // As in the browser: in the gate a test that fails has one more try, and is named as flaky if it passes then.
  retry: process.env.CI || process.env.FLAKY_REPORT ? 1 : 0,
  // A state that comes late on a busy machine is not a wrong one.
  expect: { poll: { timeout: 15_000 } },
};

/** Vitest begins with the largest files, and long tests are often small ones that wait for other processes. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files));
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...options, name: 'own process', include: ALONE, exclude: ELSEWHERE } },
      // All others share one process on each core: starting one and loading the modules anew costs
      // more than most of these files' tests.
      {
        test: {
          ...options,
          name: 'shared process',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...ELSEWHERE, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
});
