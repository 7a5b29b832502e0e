// The whole gate, one command: types, lint, unit and room tests, the suites in a real browser, the build, the walk through the built app.
// Ends with the line `N passed, N failed[, N skipped]` of what really ran; a suite that did not run counts as failed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { ensureBrowser } from './browser.ts';
import { ensureNginx } from './nginx.ts';

const RESULTS = 'test-results';
const counts = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];

const run = (title: string, command: string, args: string[], env: Record<string, string> = {}): boolean => {
  console.log(`\n— ${title}: ${command} ${args.join(' ')}`);
  const started = Date.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  console.log(
    `— ${title}: ${status === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  return status === 0;
};

/** A step that is one check by itself. */
const check = (title: string, command: string, args: string[]): boolean => {
  const ok = run(title, command, args);
  counts[ok ? 'passed' : 'failed'] += 1;
  if (!ok) failures.push(title);
  return ok;
};

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTotalTests: z.number(),
});
const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
});

/** A step that reports how many tests ran. No report, or an empty one, is a failure. */
const suite = (
  title: string,
  command: string,
  args: string[],
  report: string,
  read: (json: unknown) => typeof counts,
  env: Record<string, string> = {},
): void => {
  const file = `${RESULTS}/${report}`;
  rmSync(file, { force: true });
  const ok = run(title, command, args, env);
  const found = existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  if (!found || found.passed + found.failed === 0) {
    counts.failed += 1;
    failures.push(`${title} (did not run)`);
    return;
  }
  counts.passed += found.passed;
  counts.skipped += found.skipped;
  counts.failed += found.failed === 0 && !ok ? 1 : found.failed;
  if (!ok || found.failed > 0) failures.push(title);
};

const fromVitest = (json: unknown) => {
  const report = vitestReport.parse(json);
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
};
const vitest = (title: string, config: string, report: string) =>
  suite(
    title,
    'npx',
    [
      'vitest',
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${RESULTS}/${report}`,
    ],
    report,
    fromVitest,
  );

mkdirSync(RESULTS, { recursive: true });
const browser = ensureBrowser();
process.env.CHROMIUM = browser;
console.log(`Browser: ${browser}`);
ensureNginx();

check('types', 'npx', ['tsc', '-p', '.']);
check('types of the ground floor', 'npx', ['tsc', '-p', 'src/domain']);
check('lint and format', 'npx', ['biome', 'check', '.']);
vitest('unit, contracts and rooms', 'test/vitest.config.ts', 'spec.json');
vitest('contracts in a real browser', 'test/vitest.browser.config.ts', 'browser.json');
if (check('build', 'npx', ['vite', 'build', '--logLevel', 'warn']))
  suite(
    'the built app',
    'npx',
    ['playwright', 'test', '-c', 'e2e/playwright.config.ts'],
    'e2e.json',
    (json) => {
      const { stats } = playwrightReport.parse(json);
      return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
    },
    { CI: '1' },
  );

if (failures.length > 0) console.log(`\nFailed: ${failures.join('; ')}`);
console.log(
  `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exit(counts.failed === 0 ? 0 : 1);
