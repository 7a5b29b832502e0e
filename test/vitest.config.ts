import { defineConfig } from 'vitest/config';
import { IN_BROWSER, LEFT_OUT } from './tiers.ts';

/**
 * Folders whose files may share one process with those that ran before them: they leave nothing behind. Starting a process and loading the
 * modules anew costs more than most of these files' tests.
 */
const SHARED = [
  'test/domain',
  'test/ui',
  'test/house',
  'test/adapters/importers',
  'test/adapters/exporters',
  'test/adapters/extractors',
  'test/adapters/models',
  'test/adapters/projection',
  'test/adapters/prompts',
  'test/adapters/tokenizers',
  'test/services/chat',
  'test/services/commands',
  'test/services/context',
  'test/services/documents',
  'test/services/library',
  'test/services/privacy',
  'test/services/projects',
  'test/services/prompts',
  'test/services/settings',
  'test/services/spending',
].map((folder) => `${folder}/**/*.test.{ts,tsx}`);
/** These stand in for a global, and must be the first to load what reads it. */
const ALONE = [
  'test/ui/shell/offer.test.ts',
  'test/ui/memory/passage-title.test.ts',
  'test/services/context/post-turn-tasks.test.ts',
];
/** Run in a real browser, or by `npm run test:all` only. */
const ELSEWHERE = [...IN_BROWSER, ...LEFT_OUT];

const options = {
  setupFiles: ['test/properties.ts'],
  // There are as many of these processes as cores: helping threads of the garbage collector take a tenth more.
  execArgv: ['--single-threaded-gc'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // A state that comes late on a busy machine is not a wrong one.
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...options,
          name: 'own process',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...ELSEWHERE, ...SHARED],
        },
      },
      { test: { ...options, name: 'own globals', include: ALONE, exclude: ELSEWHERE } },
      {
        test: {
          ...options,
          name: 'shared process',
          include: SHARED,
          exclude: [...ELSEWHERE, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
});
