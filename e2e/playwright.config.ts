import { defineConfig } from '@playwright/test';
import { findBrowser, JOURNEY_ARGS } from '../test/browser.ts';
import { IS_ALL } from '../test/tiers.ts';

const browser = findBrowser();
const port = Number(process.env.E2E_PORT ?? 4317);
const isGate = Boolean(process.env.CI) && !IS_ALL;

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Journeys, not files: else the last file keeps one of the two for minutes while the other has nothing to do.
  fullyParallel: true,
  // Most of a journey is waiting. Two at a time keep two cores busy and a machine of one not much slower.
  workers: 2,
  // The longest journeys first, so that nothing is left for one of the two at the end.
  projects: [
    { name: 'two devices', testMatch: 'sync.spec.ts' },
    { name: 'one device', testIgnore: 'sync.spec.ts' },
  ],
  // In the gate a journey that fails has one more try; if it passes then, the gate names it as flaky.
  retries: process.env.CI ? 1 : 0,
  // One that hangs must not hold up all others; the few that take longer say so themselves.
  timeout: isGate ? 180_000 : 480_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
  use: {
    baseURL: `http://localhost:${port}`,
    locale: 'en-US',
    // A service worker keeps the whole app when a profile first opens it, which is most of a
    // journey's work. Journeys about it allow it.
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 800 },
    launchOptions: { ...(browser ? { executablePath: browser } : {}), args: [...JOURNEY_ARGS] },
  },
  webServer: {
    // The gate has built the app already. Otherwise as the README says it: installs, builds, serves where PORT says.
    command: process.env.E2E_BUILT ? 'npx vite preview' : 'npm start',
    env: { PORT: String(port) },
    cwd: '..',
    timeout: 600_000,
    url: `http://localhost:${port}`,
    reuseExistingServer: !process.env.CI,
  },
});
