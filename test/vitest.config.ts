import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // These need a real browser: vitest.browser.config.ts runs them.
    exclude: ['test/**/*.browser.test.*'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
