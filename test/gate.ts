// The gate: types, lint, unit tests, contract suites, component tests, and the journeys through the built app that
// are tagged `@gate`. `--all` runs everything: all journeys, the long tests, all simulator seeds, and other
// browsers. `tiers.ts` says what is in which. Ends with the line `N passed, N failed[, N skipped]` of what really
// ran; a suite that did not run counts as failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { ensureBrowser } from './browser.ts';
import { ensureNginx } from './nginx.ts';

const ALL = process.argv.includes('--all');
const RESULTS = 'test-results';
/** Lines of a failure's own words, and of the output of a step that failed without a report. */
const FAILURE_LINES = 25;
const OUTPUT_LINES = 60;
/** The slowest files and journeys that are named at the end. */
const SLOWEST = 12;

interface Result {
  passed: number;
  failed: number;
  skipped: number;
}
const total: Result = { passed: 0, failed: 0, skipped: 0 };
const failedSteps: string[] = [];
/** Printed once more at the end: of a long output, the end is what is kept. */
const failures: string[] = [];
const flaky: string[] = [];
const durations: { name: string; ms: number }[] = [];
/** What each step came to, in the order in which they ended. */
const ran: string[] = [];

const reportFailure = (name: string, lines: readonly string[]) =>
  failures.push([`✗ ${name}`, ...lines.map(stripVTControlCharacters)].join('\n'));
const firstLines = (messages: readonly string[]) => messages.join('\n').split('\n').slice(0, FAILURE_LINES);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const counted = ({ passed, failed, skipped }: Result) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
const noteRun = (title: string, ms: number, what: string) =>
  ran.push(`${seconds(ms).padStart(8)}  ${title}: ${what}`);

/** Runs a command and prefixes its lines with the title, since several run at once. */
async function run(title: string, command: string, args: string[], env: Record<string, string> = {}) {
  console.log(`— ${title}: ${command} ${args.join(' ')}`);
  const started = Date.now();
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let end: string[] = [];
  const print = (output: Readable) =>
    createInterface({ input: output }).on('line', (line) => {
      console.log(`[${title}] ${line}`);
      end = [...end, line].slice(-OUTPUT_LINES);
    });
  print(child.stdout);
  print(child.stderr);
  const [status] = await once(child, 'close');
  const ms = Date.now() - started;
  console.log(`— ${title}: ${status === 0 ? 'ok' : 'FAILED'} in ${seconds(ms)}`);
  return { ok: status === 0, end, ms };
}

/** A step that is one check by itself. */
async function check(title: string, command: string, args: string[]): Promise<boolean> {
  const { ok, end, ms } = await run(title, command, args);
  noteRun(title, ms, ok ? 'passed' : 'failed');
  total[ok ? 'passed' : 'failed'] += 1;
  if (!ok) {
    failedSteps.push(title);
    reportFailure(title, end);
  }
  return ok;
}

/** A step that reports how many tests ran. No report, or an empty one, is a failure. */
async function suite(
  title: string,
  command: string,
  args: string[],
  report: string,
  read: (json: unknown) => Result,
  env: Record<string, string> = {},
): Promise<void> {
  const file = `${RESULTS}/${report}`;
  rmSync(file, { force: true });
  const { ok, end, ms } = await run(title, command, args, env);
  const result = existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  noteRun(title, ms, result ? counted(result) : 'did not run');
  if (!result || result.passed + result.failed === 0) {
    total.failed += 1;
    failedSteps.push(`${title} (did not run)`);
    reportFailure(title, end);
    return;
  }
  total.passed += result.passed;
  total.skipped += result.skipped;
  const failedOtherwise = result.failed === 0 && !ok;
  if (failedOtherwise) reportFailure(`${title}: every test passed, the run did not`, end);
  total.failed += failedOtherwise ? 1 : result.failed;
  if (!ok || result.failed > 0) failedSteps.push(title);
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

function readVitest(json: unknown): Result {
  const report = vitestReport.parse(json);
  for (const { name, status, message, startTime, endTime, assertionResults } of report.testResults) {
    const file = relative('.', name);
    durations.push({ name: file, ms: endTime - startTime });
    if (status !== 'failed') continue;
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const test of failed) reportFailure(`${file} › ${test.fullName}`, firstLines(test.failureMessages));
    if (failed.length === 0) reportFailure(file, [message]);
  }
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
}

const journeySchema = z.object({
  title: z.string(),
  ok: z.boolean(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.array(
        z.object({
          duration: z.number(),
          errors: z.array(z.object({ message: z.string().optional() })),
        }),
      ),
    }),
  ),
});
const groupSchema = z.object({
  title: z.string(),
  specs: z.array(journeySchema),
  get suites() {
    return z.array(groupSchema).optional();
  },
});
const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  suites: z.array(groupSchema),
});

/** A journey that failed once and passed on its retry has passed; it is named at the end. */
function readPlaywright(json: unknown): Result {
  const { stats, suites } = playwrightReport.parse(json);
  const readGroup = (group: z.infer<typeof groupSchema>, above: string) => {
    const path = `${above}${group.title} › `;
    for (const { title, ok, tests } of group.specs) {
      const name = `${path}${title}`;
      const results = tests.flatMap((test) => test.results);
      const words = firstLines(results.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')));
      durations.push({ name, ms: results.reduce((sum, { duration }) => sum + duration, 0) });
      if (!ok) reportFailure(name, words);
      else if (tests.some(({ status }) => status === 'flaky'))
        flaky.push(
          [name, ...words.slice(0, 3).map((line) => `    ${stripVTControlCharacters(line)}`)].join('\n'),
        );
    }
    for (const inner of group.suites ?? []) readGroup(inner, path);
  };
  for (const group of suites) readGroup(group, '');
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
}

async function vitest(title: string, config: string, report: string): Promise<void> {
  const flakyReport = `${RESULTS}/flaky-${report}`;
  rmSync(flakyReport, { force: true });
  await suite(
    title,
    'npx',
    [
      'vitest',
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      '--reporter=./test/flaky-reporter.ts',
      `--outputFile.json=${RESULTS}/${report}`,
    ],
    report,
    readVitest,
    { FLAKY_REPORT: flakyReport, ...(ALL ? { TEST_ALL: '1' } : {}) },
  );
  if (existsSync(flakyReport))
    flaky.push(...z.array(z.string()).parse(JSON.parse(readFileSync(flakyReport, 'utf8'))));
}

/** Firefox and WebKit have a command of their own; where they are not installed, it says so. */
async function otherBrowsers(): Promise<void> {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  if (scripts['test:browsers']) await check('other browsers', 'npm', ['run', '--silent', 'test:browsers']);
  else ran.push(`${'–'.padStart(8)}  other browsers: skipped, no journeys run in Firefox or WebKit yet`);
}

mkdirSync(RESULTS, { recursive: true });
const browser = ensureBrowser();
process.env.CHROMIUM = browser;
console.log(`Browser: ${browser}`);
ensureNginx();

const started = Date.now();
// Each stage keeps two cores busy: the first with short single-threaded steps, the second with two workers beside
// suites on one page. Journeys have the machine for themselves: what they wait for comes late on a busy one.
const [built] = await Promise.all([
  check('build', 'npx', ['vite', 'build', '--logLevel', 'error']),
  check('types', 'npm', ['run', '--silent', 'test:types', '--', '--fresh']),
  check('lint and format', 'npx', ['biome', 'check', '.']),
]);
await Promise.all([
  vitest('unit and contracts', 'test/vitest.config.ts', 'spec.json'),
  // Component tests end first, the more so with all tests: other browsers use what they leave.
  vitest('browser', 'test/vitest.browser.config.ts', 'browser.json').then(() =>
    ALL && built ? otherBrowsers() : undefined,
  ),
]);
if (built)
  await suite(
    'journeys',
    'npx',
    ['playwright', 'test', '-c', 'e2e/playwright.config.ts', ...(ALL ? [] : ['--grep', '@gate'])],
    'e2e.json',
    readPlaywright,
    { CI: '1', E2E_BUILT: '1', ...(ALL ? { TEST_ALL: '1' } : {}) },
  );

console.log(`\nWhat ran in ${seconds(Date.now() - started)}:\n${ran.join('\n')}`);
if (!ALL) console.log('The other journeys, the long and deep tests and all seeds: `npm run test:all`.');
durations.sort((one, other) => other.ms - one.ms);
console.log('\nSlowest:');
for (const { name, ms } of durations.slice(0, SLOWEST)) console.log(`${seconds(ms).padStart(8)}  ${name}`);
if (flaky.length > 0)
  console.log(
    `\nFlaky, failed once and passed on the retry:\n${flaky.map((name) => `~ ${name}`).join('\n')}`,
  );
if (failures.length > 0) console.log(`\n${failures.join('\n\n')}`);
if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join('; ')}`);
console.log(`\n${counted(total)}`);
process.exit(total.failed === 0 ? 0 : 1);
