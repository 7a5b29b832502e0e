// The log in a Chromium that is killed again and again in the middle of writing. What was acknowledged must be there.
// KILLS=50 for a longer run.
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type KillableChromium, launchKillableChromium } from '../../server/killable-chromium.ts';
import type {} from './killed-page.ts';

const KILLS = Number(process.env.KILLS ?? 6);

describe('the log in a browser that is killed', () => {
  let server: Server;
  let address: string;
  let profile: string;
  let browser: KillableChromium | undefined;

  beforeAll(async () => {
    const script = await bundle();
    server = createServer(({ url }, response) => {
      const isScript = url === '/page.js';
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    address = `http://localhost:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  beforeEach(async () => {
    profile = await mkdtemp(join(tmpdir(), 'recollect-profile-'));
  });
  afterEach(async () => {
    await killBrowser();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  const killBrowser = async (): Promise<void> => {
    await browser?.kill();
    browser = undefined;
  };

  const openPage = async (): Promise<Page> => {
    browser ??= await launchKillableChromium(profile);
    const page = await browser.context.newPage();
    await page.goto(address);
    await page.waitForFunction(() => 'log' in window);
    return page;
  };

  it(`loses nothing acknowledged in ${KILLS} kills of browser, renderer and tab`, {
    timeout: 30_000 + KILLS * 10_000,
  }, async () => {
    const acknowledged = new Set<number>();
    let next = 0;
    let unacknowledged = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const page = await openPage();
      const enough = 1 + Math.floor(Math.random() * 60);
      let heard = 0;
      let notify = () => {};
      const reached = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await page.exposeFunction('acknowledge', (numbers: number[]) => {
        for (const number of numbers) acknowledged.add(number);
        heard += 1;
        if (heard >= enough) notify();
      });
      // Rejects when the page dies, which the test expects.
      const writing = page.evaluate((from) => window.log.write(from), next).catch(() => {});
      await reached;
      await die(page, round);
      await writing;

      const found = await (await openPage()).evaluate(() => window.log.find());
      const there = new Set(found.numbers);
      const lost = [...acknowledged].filter((number) => !there.has(number));
      expect(lost.length, `round ${round}: lost of ${acknowledged.size}`).toBe(0);
      expect(there.size, 'nothing is there twice').toBe(found.numbers.length);
      expect(found.last, 'the key-value store is as far as the log').toBe(Math.max(...found.numbers));
      expect(found.counted, 'the counts are right').toEqual(found.stats);
      unacknowledged = there.size - acknowledged.size;
      next = Math.max(...found.numbers) + 1;
      await killBrowser();
    }
    console.info(
      `${KILLS} kills: ${acknowledged.size} acknowledged, 0 lost, ${unacknowledged} kept without having been heard of`,
    );

    async function die(page: Page, round: number): Promise<void> {
      if (round % 3 === 0) {
        await killBrowser();
      } else if (round % 3 === 1) {
        const devtools = await page.context().newCDPSession(page);
        const crashed = page.waitForEvent('crash');
        devtools.send('Page.crash').catch(() => {});
        await crashed;
      } else await page.close();
    }
  });

  it('outlives a kill in the middle of a record, which Chromium itself would not', {
    timeout: 120_000,
  }, async () => {
    await (await openPage()).evaluate(() => window.log.time(20));
    await killBrowser();
    await tearLastRecord(profile);

    for (let start = 1; start <= 3; start += 1) {
      const page = await openPage();
      expect((await page.evaluate(() => window.log.find())).stats.entries, `start ${start}`).toBe(20 * start);
      await page.evaluate(() => window.log.time(20));
      await killBrowser();
    }
  });

  it('says so when Chromium deleted a damaged database, until someone has heard it', {
    timeout: 120_000,
  }, async () => {
    await (await openPage()).evaluate(() => window.log.time(20));
    await killBrowser();
    await damage(profile);

    const page = await openPage();
    expect(await page.evaluate(() => window.log.problems())).toEqual(['storage-lost']);
    expect((await page.evaluate(() => window.log.find())).stats.entries).toBe(0);
    const another = await openPage();
    expect(await another.evaluate(() => window.log.problems())).toEqual(['storage-lost']);
    await another.evaluate(() => window.log.dismiss());
    expect(await (await openPage()).evaluate(() => window.log.problems())).toEqual([]);
  });

  it('runs out of room: says so, keeps what it has, and goes on when there is room again', async () => {
    // Before the log is opened: Chromium remembers for a while how much room there was.
    browser = await launchKillableChromium(profile);
    const page = await browser.context.newPage();
    const devtools = await browser.context.newCDPSession(page);
    const origin = address.slice(0, -1);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 3_000_000 });
    await page.goto(address);
    await page.waitForFunction(() => 'log' in window);
    const kept = await page.evaluate(async () => {
      for (let n = 0; n < 1000; n += 1) if ((await window.log.fill(50_000)) === 'storage-full') return n;
      return 0;
    });
    expect(kept).toBeGreaterThan(10);
    const found = await page.evaluate(() => window.log.find());
    expect(found.stats).toEqual({ entries: kept, bytes: kept * 50_000 });
    expect(found.counted).toEqual(found.stats);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin });
    await expect
      .poll(() => page.evaluate(() => window.log.fill(50_000)), { timeout: 20_000 })
      .toBeUndefined();
    expect((await page.evaluate(() => window.log.find())).stats.entries).toBe(kept + 1);
  });

  it('saves 1 KB in a few milliseconds', async () => {
    const page = await openPage();
    await page.evaluate(() => window.log.time(50));
    const took = (await page.evaluate(() => window.log.time(500))).sort((a, b) => a - b);
    const at = (share: number) => took[Math.floor(took.length * share)] as number;
    console.info(
      `1 KB saved in ${at(0.5).toFixed(1)} ms (P50), ${at(0.95).toFixed(1)} ms (P95), ${at(0.99).toFixed(1)} ms (P99)`,
    );
    expect(at(0.5)).toBeLessThan(50);
  });
});

/** The file to which Chromium's LevelDB appends. */
async function newestFile(profile: string): Promise<string> {
  const folder = join(profile, 'Default', 'IndexedDB');
  const files = await readdir(folder, { recursive: true });
  const newest = files
    .filter((file) => /leveldb.\d+\.log$/.test(file))
    .sort()
    .at(-1);
  if (!newest) throw new Error('This Chromium does not keep IndexedDB in LevelDB');
  return join(folder, newest);
}

/**
 * Leaves the file as a kill between the two system calls for a record does: with the seven bytes of a header (checksum,
 * length 158, type "full") and nothing behind them.
 */
const tearLastRecord = async (profile: string): Promise<void> =>
  appendFile(await newestFile(profile), new Uint8Array([0xde, 0xad, 0xbe, 0xef, 158, 0, 1]));

/** Turns one byte, as a failing disk does. */
async function damage(profile: string): Promise<void> {
  const file = await newestFile(profile);
  const bytes = await readFile(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 0xff;
  await writeFile(file, bytes);
}

/** The page's script with all it imports, as one module. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry: join(import.meta.dirname, 'killed-page.ts'), formats: ['es'], fileName: 'page' },
    },
  });
  const [output] = [built].flat();
  const chunk =
    output && 'output' in output ? output.output.find((part) => part.type === 'chunk') : undefined;
  if (!chunk) throw new Error('The page could not be built');
  return chunk.code;
}
