// The index in a Chromium that is killed again and again in the middle of writing, on both engines that keep something.
// What was acknowledged must be there, the bookmark never ahead of the rows, and the database
// must open. KILLS=30 for a longer run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type KillableChromium, launchKillableChromium } from '../../server/killable-chromium.ts';
import { type HarnessServer, serveHarness } from './harness.ts';

const KILLS = Number(process.env.KILLS ?? 3);

describe('the index in a browser that is killed', () => {
  let server: HarnessServer;
  let profile: string;
  let browser: KillableChromium | undefined;

  beforeAll(async () => {
    server = await serveHarness();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    profile = await mkdtemp(join(tmpdir(), 'recollect-profile-'));
  });
  afterEach(async () => {
    await browser?.kill();
    browser = undefined;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  const openPage = () =>
    server.open(async () => {
      browser ??= await launchKillableChromium(profile);
      return browser.context.newPage();
    });

  async function die(page: Page, round: number): Promise<void> {
    if (round % 3 === 0) {
      await browser?.kill();
      browser = undefined;
    } else if (round % 3 === 1) {
      const devtools = await page.context().newCDPSession(page);
      const crashed = page.waitForEvent('crash');
      devtools.send('Page.crash').catch(() => {});
      await crashed;
    } else await page.close();
  }

  for (const engine of ['opfs', 'indexeddb'] as const)
    it(`${engine} loses nothing acknowledged in ${KILLS} kills of browser, renderer and tab`, {
      timeout: 60_000 + KILLS * 30_000,
    }, async () => {
      const applied = new Set<number>();
      const embedded = new Set<number>();
      let next = 0;
      for (let round = 0; round < KILLS; round++) {
        const page = await openPage();
        await page.evaluate((name) => window.harness.open(name), engine);
        const enough = 1 + Math.floor(Math.random() * 80);
        let heard = 0;
        let notify = () => {};
        const reached = new Promise<void>((resolve) => {
          notify = resolve;
        });
        await page.exposeFunction('acknowledge', (kind: 'applied' | 'embedded', n: number) => {
          (kind === 'applied' ? applied : embedded).add(n);
          if (++heard >= enough) notify();
        });
        // Rejects when the page dies, which the test expects.
        const failed = page
          .evaluate((from) => window.harness.write(from), next)
          .catch((error: unknown) => {
            if (heard === 0) throw error;
          });
        await Promise.race([reached, failed]);
        // Somewhere within the next write, not only right after an answer.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        await die(page, round);
        await failed;

        const after = await openPage();
        await after.evaluate((name) => window.harness.open(name), engine);
        const recent = [...applied].slice(-20);
        const found = await after.evaluate((numbers) => window.harness.find(numbers), recent);
        const last = Math.max(-1, ...applied);
        expect(
          found.bookmark,
          `round ${round}: the bookmark is as far as what was acknowledged`,
        ).toBeGreaterThan(last);
        expect(found.messages, 'the rows are as far as the bookmark, and no further').toBe(found.bookmark);
        expect(found.common, 'all of them can be found by words').toBe(found.messages);
        expect(found.vectors).toBeGreaterThanOrEqual(embedded.size);
        expect(found.lostWords).toEqual([]);
        expect(found.lostVectors.filter((n) => embedded.has(n))).toEqual([]);
        next = found.bookmark;
        await browser?.kill();
        browser = undefined;
      }
      console.info(
        `${engine}: ${KILLS} kills, ${applied.size} applies and ${embedded.size} vectors acknowledged, 0 lost`,
      );
    });

  it('goes on in every other tab when the leading tab is closed or crashes', {
    timeout: 180_000,
  }, async () => {
    const pages: Page[] = [];
    const heard = new Map<Page, number>();
    let wake = () => {};
    const join = async (from: number) => {
      const page = await openPage();
      await page.evaluate(() => window.harness.open('opfs'));
      heard.set(page, 0);
      await page.exposeFunction('acknowledge', () => {
        heard.set(page, (heard.get(page) ?? 0) + 1);
        wake();
      });
      page.evaluate((n) => window.harness.write(n), from).catch(() => heard.set(page, Number.NaN));
      pages.push(page);
    };
    /** Resolves when each of these tabs has been answered `more` times from now on. */
    const answers = async (these: readonly Page[], more: number) => {
      const wanted = new Map(these.map((page) => [page, (heard.get(page) ?? 0) + more]));
      while (these.some((page) => (heard.get(page) ?? 0) < (wanted.get(page) ?? 0)))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      for (const page of these) expect(heard.get(page)).not.toBeNaN();
    };

    for (const from of [0, 1000, 2000, 3000]) await join(from);
    const [first, second, third, fourth] = pages as [Page, Page, Page, Page];
    await answers(pages, 3);
    await first.close();
    await answers([second, third, fourth], 6);
    const led = await Promise.all(
      [second, third, fourth].map((page) => page.evaluate(() => window.harness.isLeader())),
    );
    expect(led.filter(Boolean)).toHaveLength(1);
    const leader = [second, third, fourth][led.indexOf(true)] as Page;
    const others = [second, third, fourth].filter((page) => page !== leader);
    const devtools = await leader.context().newCDPSession(leader);
    const crashed = leader.waitForEvent('crash');
    devtools.send('Page.crash').catch(() => {});
    await crashed;
    await answers(others, 6);
  });
});
