// Measures the built app in a real Chromium and prints JSON. Needs `npm run build` first.
//   npm run bench -- [--sizes 1000,10000] [--embed-seconds 60] [--json FILE]
// Vectors of the large library are random: what a search costs does not depend on what they say. The index rate is measured with the
// real model. `pagehandle` is the app's own handle for the console (`?console`).
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright';
import { preview } from 'vite';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { chatgptExport, questions } from './corpus.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    'embed-seconds': { type: 'string', default: '60' },
    json: { type: 'string' },
    browser: { type: 'boolean', default: true },
  },
});
const sizes = values.sizes.split(',').map(Number);

const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 10) /
    10
  );
};
const spread = (numbers: readonly number[]) => ({
  p50: percentile(numbers, 0.5),
  p95: percentile(numbers, 0.95),
  n: numbers.length,
});

/** Resident memory of all processes that were started with `marker` in their command line, MB. Linux only. */
function residentMegabytes(marker: string): number {
  let pages = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (line.includes(marker) && line.includes('--type=renderer'))
        pages += Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    } catch {
      // The process ended while we looked.
    }
  return Math.round((pages * 4096) / 1e6);
}

function shipped(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    const path = join('dist', file);
    if (!statSync(path).isFile()) continue;
    const kind = file.startsWith('models/') ? 'models' : (/\.([a-z0-9]+)$/.exec(file)?.[1] ?? 'other');
    sums[kind] = (sums[kind] ?? 0) + statSync(path).size;
  }
  return sums;
}

/** Waits until an expression is true in the page; through the debugger, because the page's policy forbids `eval`. */
async function settled(page: Page, condition: string, timeout = 600_000): Promise<void> {
  const deadline = Date.now() + timeout;
  while (!(await page.evaluate(condition))) {
    if (Date.now() > deadline) throw new Error(`not within ${timeout} ms: ${condition}`);
    await page.waitForTimeout(50);
  }
}
/** Figures of one page that holds the app. Runs in the page. */
const inPage = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;

const server = await preview({ preview: { port: 4399, strictPort: true }, logLevel: 'silent' });
const base = 'http://localhost:4399';
const profile = mkdtempSync(join(tmpdir(), 'recollect-bench-'));
const open = () =>
  chromium.launchPersistentContext(profile, {
    executablePath: ensureBrowser(),
    args: [...BROWSER_ARGS, '--enable-precise-memory-info'],
    viewport: { width: 1280, height: 800 },
  });

const report: Record<string, unknown> = {
  date: new Date().toISOString(),
  machine: { cores: cpus().length, cpu: cpus()[0]?.model, node: process.version },
  shippedBytes: shipped(),
};

const readable = 'performance.getEntriesByName("recollect:readable").length > 0';
const startOf = async (page: Page) => {
  // The runner names inner functions with a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (made) => made');
  await page.goto(`${base}/?console`);
  await settled(page, readable);
  const toReadable = await inPage<number>(
    page,
    'performance.getEntriesByName("recollect:readable")[0].startTime',
  );
  await settled(page, 'globalThis.recollect?.app.memory.status.get().state !== "starting"', 120_000);
  return {
    readableMs: Math.round(toReadable),
    memoryMs: Math.round(await inPage<number>(page, 'performance.now()')),
  };
};

try {
  let context = await open();
  let page = context.pages()[0] ?? (await context.newPage());
  report.coldStart = await startOf(page);

  // Index rate with the real model, before the library is large.
  const rates: Record<string, unknown> = {};
  const seconds = Number(values['embed-seconds']);
  let imported = 0;
  for (const size of sizes) {
    const json = chatgptExport(size - imported, Date.now(), size);
    const result = await page.evaluate(
      async ({ json }) => {
        const { app } = (
          globalThis as unknown as { recollect: { app: import('../../src/services/app.ts').App } }
        ).recollect;
        app.memory.setPaused(true);
        const bytes = new TextEncoder().encode(json);
        const started = performance.now();
        const [imported] = await app.library.importFiles([
          {
            path: 'conversations.json',
            size: bytes.length,
            modifiedAt: Date.now(),
            bytes: async () => bytes,
          },
        ]);
        const logged = performance.now();
        app.memory.setPaused(false);
        await new Promise<void>((resolve) => {
          const look = () => {
            if (app.memory.status.get().unread === 0) {
              stop();
              resolve();
            }
          };
          const stop = app.memory.status.subscribe(look);
          setTimeout(look, 3000);
        });
        return { report: imported, loggedMs: logged - started, searchableMs: performance.now() - started };
      },
      { json },
    );
    imported = size;

    if (size === sizes[0] && seconds > 0) {
      const before = await inPage<number>(
        page,
        'globalThis.recollect.app.memory.stats().then((s) => s.vectors)',
      );
      await page.evaluate(() =>
        (
          globalThis as unknown as { recollect: { app: import('../../src/services/app.ts').App } }
        ).recollect.app.memory.wake('now'),
      );
      // Long tasks while a person types and the background works.
      await page.evaluate(() => {
        const slow: number[] = [];
        (globalThis as unknown as { slow: number[] }).slow = slow;
        new PerformanceObserver((list) =>
          slow.push(...list.getEntries().map((entry) => entry.duration)),
        ).observe({ type: 'longtask', buffered: false });
      });
      await page.waitForTimeout(seconds * 1000);
      const after = await inPage<number>(
        page,
        'globalThis.recollect.app.memory.stats().then((s) => s.vectors)',
      );
      rates.chunksPerSecond = Math.round(((after - before) / seconds) * 10) / 10;
      rates.longTasksMs = await inPage<number[]>(page, 'globalThis.slow.map(Math.round)');
    }
    await page.evaluate(() =>
      (
        globalThis as unknown as { recollect: { app: import('../../src/services/app.ts').App } }
      ).recollect.app.memory.setPaused(true),
    );
    // The rest of the vectors, at random.
    const filled = await page.evaluate(async () => {
      const { index, model, dimensions } = (
        globalThis as unknown as {
          recollect: {
            index: import('../../src/adapters/index/memory-index.ts').MemoryIndex;
            model: string;
            dimensions: number;
          };
        }
      ).recollect;
      let count = 0;
      for (;;) {
        const stale = await index.stale(model, 200);
        if (stale.length === 0) return count;
        await index.put(
          model,
          stale.map((chunk) => {
            const values = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
            const length = Math.hypot(...values);
            return { chunkId: chunk.id, values: values.map((value) => value / length) };
          }),
        );
        count += stale.length;
      }
    });

    const asked = questions(60, size);
    const recall = await page.evaluate(async (asked) => {
      const { app } = (
        globalThis as unknown as { recollect: { app: import('../../src/services/app.ts').App } }
      ).recollect;
      const times: number[] = [];
      for (const text of asked) {
        const started = performance.now();
        await app.memory.recall({ text, signal: new AbortController().signal });
        times.push(performance.now() - started);
      }
      return times.slice(10);
    }, asked);
    const saves = await page.evaluate(async () => {
      const { app } = (
        globalThis as unknown as { recollect: { app: import('../../src/services/app.ts').App } }
      ).recollect;
      const times: number[] = [];
      const id = crypto.randomUUID() as never;
      for (let n = 0; n < 210; n++) {
        const started = performance.now();
        await app.documents.change(id, {
          messages: [
            {
              id: crypto.randomUUID() as never,
              parentId: null,
              role: 'user',
              kind: 'message',
              createdAt: Date.now(),
              parts: [{ type: 'text', text: `saved ${n} `.repeat(40) }],
            },
          ],
        });
        times.push(performance.now() - started);
      }
      await app.documents.erase([id]);
      return times.slice(10);
    });
    const stats = await inPage<{ bytes: number; messages: number; chunks: number; vectors: number }>(
      page,
      'globalThis.recollect.app.memory.stats()',
    );
    report[`at${size}`] = {
      import: {
        toLogMs: Math.round(result.loggedMs),
        toKeywordSearchableMs: Math.round(result.searchableMs),
        messages: result.report?.messages,
      },
      vectorsFilled: filled,
      recallMs: spread(recall),
      saveMs: spread(saves),
      index: { ...stats, bytesPerMessage: Math.round(stats.bytes / Math.max(1, stats.messages)) },
      rendererMegabytes: residentMegabytes(profile),
    };
  }
  report.indexRate = rates;
  await context.close();

  context = await open();
  page = context.pages()[0] ?? (await context.newPage());
  report.warmStart = await startOf(page);
  await context.close();
} catch (error) {
  report.failed = String(error);
  process.exitCode = 1;
} finally {
  await server.close();
  // A browser that is still ending writes a little more.
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

const json = JSON.stringify(report, null, 2);
if (values.json) writeFileSync(values.json, `${json}\n`);
console.log(json);
process.exit();
