// Measures the index in a real Chromium, on both engines that keep something, and prints JSON.
//   npx tsx test/adapters/index/engines.bench.ts [messages, default 10000]
// Tried on a recall's search by processor time (Node, 4,000 messages, 8 words, 286
// candidates, 35 to 45 ms) and not kept:
// - the statement prepared once: as fast as sent each time, planning is 3 ms of it;
// - the next message found for all at once instead of by one look-up each: the same. What stands around takes 10 to 14
//   ms, half of it for some hundreds of look-ups, half for twice as many texts;
// - whole numbers instead of fractions in `nearest.ts`: the same, 4 ms for 10,000 vectors.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchKillableChromium } from '../../server/killable-chromium.ts';
import { serveHarness } from './harness.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
const round = (n: number) => Math.round(n * 10) / 10;
const spread = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
  return { p50: at(0.5), p95: at(0.95), n: times.length };
};

/**
 * Processor time that the browser on this profile has used in all its processes, ms: says more than the
 * clock on a busy machine. Linux only.
 */
function processorTime(profile: string): number {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // The process ended while we looked.
      return '';
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const browser = pids.find((pid) => {
    const command = read(`/proc/${pid}/cmdline`);
    return command.includes(`--user-data-dir=${profile}`) && !command.includes('--type=');
  });
  let ticks = 0;
  for (const pid of pids) {
    const fields = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /, '')
      .split(' ');
    if (fields[2] === browser) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10;
}

const server = await serveHarness();
const result: Record<string, unknown> = {};
for (const engine of ['opfs', 'indexeddb'] as const) {
  const profile = await mkdtemp(join(tmpdir(), 'recollect-profile-'));
  let browser = await launchKillableChromium(profile);
  const start = () => server.open(() => browser.context.newPage());
  let page = await start();
  const create = await page.evaluate((name) => window.harness.open(name), engine);
  const empty = await page.evaluate(() => window.harness.bytes());
  const beforeFill = processorTime(profile);
  const applyAll = await page.evaluate((count) => window.harness.lead('fill', count), COUNT);
  const processorFill = processorTime(profile) - beforeFill;
  const withoutVectors = await page.evaluate(() => window.harness.bytes());
  const embed = await page.evaluate(() => window.harness.lead('embedAll'));
  const bytes = await page.evaluate(() => window.harness.bytes());
  const searches = async () => {
    const times: Record<string, unknown> = {};
    for (const [name, words, mode, exclude] of [
      ['both, 6 words, one conversation excluded', 6, 'both', true],
      ['both, 6 words', 6, 'both', false],
      ['both, 30 words, one conversation excluded', 30, 'both', true],
      ['words only, 6 words, one conversation excluded', 6, 'words', true],
      ['vector only, one conversation excluded', 6, 'vector', true],
    ] as const) {
      await page.evaluate(([w, m, e]) => window.harness.timeSearches(5, w, m, e), [
        words,
        mode,
        exclude,
      ] as const);
      const before = processorTime(profile);
      const took = await page.evaluate(([w, m, e]) => window.harness.timeSearches(40, w, m, e), [
        words,
        mode,
        exclude,
      ] as const);
      times[name] = {
        ...spread(took),
        'processor time of each': round((processorTime(profile) - before) / 40),
      };
    }
    return times;
  };
  const search = await searches();
  const beforeOne = processorTime(profile);
  const inLeader = await page.evaluate((from) => window.harness.lead('timeApplies', from, 100), COUNT);
  const processorInLeader = round((processorTime(profile) - beforeOne) / 100);
  const throughWorker = await page.evaluate((from) => window.harness.timeApplies(from, 100), COUNT + 100);
  await browser.kill();
  browser = await launchKillableChromium(profile);
  page = await start();
  const reopen = await page.evaluate((name) => window.harness.open(name), engine);
  const searchAfter = await page.evaluate(() => window.harness.timeSearches(40, 6, 'both', true));
  await page.evaluate(() => window.harness.close());
  await browser.kill();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  result[engine] = {
    messages: COUNT,
    'create, ms': round(create),
    'reopen after kill, ms': round(reopen),
    'apply all in steps of 500, ms': round(applyAll),
    'its processor time': round(processorFill),
    'stale 32, ms': spread(embed.stale),
    'put 32, ms': spread(embed.put),
    'apply one in the leader, ms': { ...spread(inLeader), 'processor time of each': processorInLeader },
    'apply one through the worker, ms': spread(throughWorker),
    'search through the worker, ms': search,
    'search after reopening, ms': spread(searchAfter),
    'empty database, MB': round(empty / 1e6),
    'bytes per message without vectors': Math.round((withoutVectors - empty) / COUNT),
    'bytes per message': Math.round((bytes - empty) / COUNT),
    'bytes per message, empty database included': Math.round(bytes / COUNT),
  };
}
await server.close();
console.log(JSON.stringify(result, null, 1));
