// The whole gate, one command: types, lint, unit and room tests, the suites in a real browser, the build, the walk through the built app.
// Ends with the line `N passed, N failed[, N skipped]` of what really ran; a suite that did not run counts as failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { ensureBrowser } from './browser.ts';
import { ensureNginx } from './nginx.ts';

const RESULTS = 'test-results';
const counts = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
/** Told once more at the end: of a long output the end is what is kept. */
const told: string[] = [];
const tell = (name: string, lines: string[]) =>
  told.push([`✗ ${name}`, ...lines.map(stripVTControlCharacters)].join('\n'));
/** What of a failure's own words is repeated, and of the output of a step that failed otherwise: lines. */
const REPEATED = 25;
const KEPT = 60;
const repeated = (messages: string[]) => messages.join('\n').split('\n').slice(0, REPEATED);

const run = async (title: string, command: string, args: string[], env: Record<string, string> = {}) => {
  console.log(`\n— ${title}: ${command} ${args.join(' ')}`);
  const started = Date.now();
  const child = spawn(command, args, {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let end: string[] = [];
  const pass = (output: NodeJS.WriteStream) => (piece: Buffer) => {
    output.write(piece);
    end = [...end, ...piece.toString().split('\n')].slice(-KEPT);
  };
  child.stdout.on('data', pass(process.stdout));
  child.stderr.on('data', pass(process.stderr));
  const [status] = await once(child, 'close');
  console.log(
    `— ${title}: ${status === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  return { ok: status === 0, end };
};

/** A step that is one check by itself. */
const check = async (title: string, command: string, args: string[]): Promise<boolean> => {
  const { ok, end } = await run(title, command, args);
  counts[ok ? 'passed' : 'failed'] += 1;
  if (!ok) {
    failures.push(title);
    tell(title, end);
  }
  return ok;
};

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});
const walk = z.object({
  title: z.string(),
  ok: z.boolean(),
  tests: z.array(
    z.object({
      results: z.array(z.object({ errors: z.array(z.object({ message: z.string().optional() })) })),
    }),
  ),
});
const walks = z.object({
  title: z.string(),
  specs: z.array(walk),
  get suites() {
    return z.array(walks).optional();
  },
});
const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  suites: z.array(walks),
});

/** A step that reports how many tests ran. No report, or an empty one, is a failure. */
const suite = async (
  title: string,
  command: string,
  args: string[],
  report: string,
  read: (json: unknown) => typeof counts,
  env: Record<string, string> = {},
): Promise<void> => {
  const file = `${RESULTS}/${report}`;
  rmSync(file, { force: true });
  const { ok, end } = await run(title, command, args, env);
  const found = existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  if (!found || found.passed + found.failed === 0) {
    counts.failed += 1;
    failures.push(`${title} (did not run)`);
    tell(title, end);
    return;
  }
  counts.passed += found.passed;
  counts.skipped += found.skipped;
  const otherwise = found.failed === 0 && !ok;
  if (otherwise) tell(`${title}: every test passed, the run did not`, end);
  counts.failed += otherwise ? 1 : found.failed;
  if (!ok || found.failed > 0) failures.push(title);
};

const fromVitest = (json: unknown) => {
  const report = vitestReport.parse(json);
  for (const file of report.testResults.filter(({ status }) => status === 'failed')) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    for (const test of failed)
      tell(`${relative('.', file.name)} › ${test.fullName}`, repeated(test.failureMessages));
    if (failed.length === 0) tell(relative('.', file.name), [file.message]);
  }
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
};
const fromPlaywright = (json: unknown) => {
  const { stats, suites } = playwrightReport.parse(json);
  const tellOf = (group: z.infer<typeof walks>, above: string) => {
    const name = `${above}${group.title} › `;
    for (const { title, tests } of group.specs.filter(({ ok }) => !ok)) {
      const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors));
      tell(`${name}${title}`, repeated(errors.map(({ message }) => message ?? '')));
    }
    for (const inner of group.suites ?? []) tellOf(inner, name);
  };
  for (const group of suites) tellOf(group, '');
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
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

await check('types', 'npx', ['tsc', '-p', '.']);
await check('types of the ground floor', 'npx', ['tsc', '-p', 'src/domain']);
await check('lint and format', 'npx', ['biome', 'check', '.']);
await vitest('unit, contracts and rooms', 'test/vitest.config.ts', 'spec.json');
await vitest('contracts in a real browser', 'test/vitest.browser.config.ts', 'browser.json');
// Playwright starts the app as a person does: `npm start` builds and serves it.
await suite(
  'the built app',
  'npx',
  ['playwright', 'test', '-c', 'e2e/playwright.config.ts'],
  'e2e.json',
  fromPlaywright,
  { CI: '1' },
);

if (told.length > 0) console.log(`\n${told.join('\n\n')}`);
if (failures.length > 0) console.log(`\nFailed: ${failures.join('; ')}`);
console.log(
  `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exit(counts.failed === 0 ? 0 : 1);
