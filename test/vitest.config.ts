import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // Browser tests need a real browser: vitest.browser.config.ts runs them. Tests that kill processes run in `npm run test:all`.
    exclude: ['test/**/*.browser.test.*', ...(process.env.TEST_ALL ? [] : ['test/**/*.kill.test.ts'])],
    setupFiles: ['test/properties.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A state that comes late on a busy machine is not a wrong one.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
  },
});
