// Measures the built app in a real Chromium and prints JSON. Builds it first where the build is missing or older than
// the sources; one that `--dist` names is measured as it is (`built.ts`).
//   npm run bench -- [--browser] [--sizes 1000,10000] [--embed-seconds 30] [--typing-seconds 15] [--peers-up-to 10000]
//                    [--json FILE] [--history] [--dist FOLDER] [--port N] [--locked]
//   npm run bench -- --sizes 1000000 [--vectors 100000] [--within-minutes 35] [--json FILE] [--history]
//   above 100,000 messages (`large.ts`) npm run bench -- --page [--runs 3] [--json FILE] [--history] how
//   soon the page is there, alone (`page.ts`)
// The index rate and the first vectors are measured with the real model; the rest of a large library's vectors are
// random, since what a search costs does not depend on what they say (`vectors` in the figures tells how many). Memory
// is measured last, in a browser of its own (`memory.ts`). `--history` appends a line to history.jsonl and writes
// docs/benchmarks.md. `--locked` measures what locked storage costs, and nothing else (`locked.ts`).
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright';
import { preview } from 'vite';
import { queryWords } from '../../src/domain/text/words.ts';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { builtFolder, notBuiltFrom } from './built.ts';
import { chatgptExport, questions, textsOf } from './corpus.ts';
import {
  fillVectors,
  framesSeen,
  importStaged,
  letCopy,
  paletteSeen,
  recallOnce,
  stage,
  stopCopy,
  timeBareWrites,
  timeRecalls,
  timeSaves,
  timeSearches,
  timeTyped,
  typingHeard,
  watchFrames,
  watchPalette,
  watchTyping,
} from './in-page.ts';
import { measureLarge } from './large.ts';
import { measureLocked } from './locked.ts';
import { measureMemory } from './memory.ts';
import { measurePage } from './page.ts';
import type { PeerFigures, peers } from './peers.ts';
import { appProcess, untilQuiet } from './processes.ts';
import { measureStreaming } from './streaming.ts';
import { settled } from './waiting.ts';
import { writeBenchmarks } from './write-docs.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    'embed-seconds': { type: 'string', default: '30' },
    'typing-seconds': { type: 'string', default: '15' },
    'peers-up-to': { type: 'string', default: '10000' },
    json: { type: 'string' },
    history: { type: 'boolean', default: false },
    dist: { type: 'string' },
    port: { type: 'string', default: '4399' },
    locked: { type: 'boolean', default: false },
    vectors: { type: 'string', default: '100000' },
    'within-minutes': { type: 'string', default: '120' },
    page: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    /** Has no effect: every run is in a browser. Kept because people pass it. */
    browser: { type: 'boolean', default: true },
  },
});
const sizes = values.sizes.split(',').map(Number);
/** Messages in one imported file. */
const FILE = 10_000;
/** Messages of the conversation that is scrolled through. */
const LONG = 5000;
/** Larger libraries are agent logs, measured alone until the time is over. */
const LARGE_FROM = 100_001;
const DIMENSIONS = 384;
const WARM_UP = 10;
/**
 * From this size on copying vectors to memory takes seconds; how many recalls run meanwhile, and their distance (ms).
 */
const [COPIED_FROM, COPYING, COPYING_GAP_MS] = [4_000, 60, 250];
const WARM_STARTS = 5;
/** Rest after which the palette counts as settled, ms; questions typed there, and how many of them only warm it up. */
const [SETTLED_MS, TYPED, WARM_TYPED] = [400, 25, 5];
/** Between two keys, ms: at 200 words a minute, faster than nearly all people, and at 100, faster than most. */
const KEYS_MS = [60, 120] as const;

const round = (value: number): number => Math.round(value * 10) / 10;
const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
};
interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly n: number;
}
const spread = (numbers: readonly number[]): Spread => ({
  p50: percentile(numbers, 0.5),
  p95: percentile(numbers, 0.95),
  max: percentile(numbers, 1),
  n: numbers.length,
});

function shipped(folder: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, file);
    if (!statSync(path).isFile()) continue;
    const kind = file.startsWith('models/') ? 'models' : (/\.([a-z0-9]+)$/.exec(file)?.[1] ?? 'other');
    sums[kind] = (sums[kind] ?? 0) + statSync(path).size;
  }
  return sums;
}

const inPage = <T>(page: Page, script: string): Promise<T> => page.evaluate(script) as Promise<T>;

const progress = (what: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
const root = join(import.meta.dirname, '../..');
const outDir = await builtFolder(values.dist, root, progress);
/** Set where the build is not of the sources as they are. */
const otherBuild = notBuiltFrom(outDir, root);
const report: Record<string, unknown> = {
  date: new Date().toISOString(),
  machine: {
    cores: cpus().length,
    cpu: cpus()[0]?.model,
    node: process.version,
    /** Above the number of cores other programs were busy, and every time below is too long. */
    loadAtStart: round(loadavg()[0] ?? 0),
  },
  ...(otherBuild === null ? {} : { otherBuild }),
  shippedBytes: shipped(outDir),
};

/** Prints the figures, and saves them where an option asks for it. */
function keep(): void {
  const json = JSON.stringify(report, null, 2);
  if (values.json) writeFileSync(values.json, `${json}\n`);
  if (values.history) {
    appendFileSync(join(import.meta.dirname, 'history.jsonl'), `${JSON.stringify(report)}\n`);
    writeBenchmarks();
  }
  console.log(json);
}

if (values.page) {
  report.page = await measurePage(outDir, Number(values.runs), progress);
  keep();
  process.exit();
}

const port = Number(values.port);
const server = await preview({
  preview: { port, strictPort: true },
  build: { outDir },
  logLevel: 'silent',
});
const base = `http://localhost:${port}`;
const profile = mkdtempSync(join(tmpdir(), 'recollect-bench-'));
const openBrowser = async (folder: string) => {
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: ensureBrowser(),
    args: [...BROWSER_ARGS, '--enable-precise-memory-info', '--window-size=1280,887'],
    // The window's own size: an emulated viewport is as high as the window with its bars, so that the composer stands
    // below the edge, where nothing is presented: a key's paint would be timed by the next thing above it.
    viewport: null,
  });
  await untilQuiet(folder);
  return context;
};

const READABLE = 'performance.getEntriesByName("recollect:readable")';
const opened = async (page: Page) => {
  // The runner names inner functions with a helper that the page does not have.
  await page.addInitScript('globalThis.__name = (made) => made');
  await page.goto(`${base}/?console`);
  await settled(page, `${READABLE}.length > 0 && globalThis.recollect !== undefined`);
};
const startOf = async (page: Page) => {
  await opened(page);
  const readable = await inPage<number>(page, `${READABLE}[0].startTime`);
  await settled(page, 'globalThis.recollect?.app.memory.status.get().state !== "starting"', 120_000);
  return {
    readableMs: Math.round(readable),
    memoryMs: Math.round(await inPage<number>(page, 'performance.now()')),
  };
};
const importing = async (page: Page, json: string) => {
  await page.evaluate(stage, { piece: json });
  return page.evaluate(importStaged, {});
};
/** Repeats the pause, because the engine forgets it after a while. */
const setPaused = (page: Page, paused: boolean) =>
  inPage<void>(
    page,
    `(() => {
      const say = () => globalThis.recollect.app.memory.setPaused(${paused});
      clearInterval(globalThis.pausing);
      if (${paused}) globalThis.pausing = setInterval(say, 5000);
      say();
    })()`,
  );
const stats = (page: Page) =>
  inPage<{ bytes: number; messages: number; chunks: number; vectors: number }>(
    page,
    'globalThis.recollect.app.memory.stats()',
  );

/** A person types into the composer while `work` goes on. */
async function typing(page: Page, work: Promise<unknown>, leastSeconds: number): Promise<unknown> {
  await page.evaluate(watchTyping);
  const composer = page.locator('textarea').first();
  await composer.focus();
  let going = true;
  const done = work.finally(() => {
    going = false;
  });
  const until = Date.now() + leastSeconds * 1000;
  let keys = 0;
  while (going || Date.now() < until) {
    // In bursts, because the engine pauses while a person types and goes on in between.
    const burst = 'it comes back to me '.slice(0, 8 + (keys % 12));
    await composer.pressSequentially(burst, { delay: 70 });
    keys += burst.length;
    await page.waitForTimeout(keys % 3 === 0 ? 1800 : 300);
    if (keys > 2000) break;
  }
  await done;
  await page.waitForTimeout(300);
  const heard = await page.evaluate(typingHeard);
  await composer.fill('');
  return {
    keys,
    /** From the key to the next paint; the browser reports those of 16 ms and more, in steps of 8. */
    keyToPaintMs: { ...spread(heard.paintMs), above50: heard.paintMs.filter((ms) => ms > 56).length },
    keyToHandlerMs: spread(heard.delayMs),
    longTasksMs: heard.longTasksMs,
  };
}

/** A person types questions into the palette, letter by letter, each key a search of its own. */
async function palette(page: Page, asked: readonly string[], delay: number): Promise<unknown> {
  await page.keyboard.press('Control+k');
  const box = page.getByRole('dialog').getByRole('combobox');
  await box.waitFor();
  await page.evaluate(watchPalette, {});
  // Drops searches that ran before the first key.
  await page.evaluate(paletteSeen, {});
  for (const question of asked) {
    await box.fill('');
    await box.pressSequentially(question, { delay });
    await page.waitForTimeout(SETTLED_MS);
  }
  const wanted = new Set(asked.map((question) => question.trim()));
  const rows = (await page.evaluate(paletteSeen, {})).filter(({ text }) => wanted.has(text.trim()));
  await page.keyboard.press('Escape');
  const part = (name: 'words' | 'wordsDrawn' | 'merged' | 'mergedDrawn') =>
    spread(rows.slice(WARM_TYPED).map((row) => row[name]));
  return {
    words: part('words'),
    wordsDrawn: part('wordsDrawn'),
    merged: part('merged'),
    mergedDrawn: part('mergedDrawn'),
  };
}

/** A person scrolls by wheel through a conversation of 5,000 messages, up from its end. */
async function scroll(page: Page): Promise<unknown> {
  const title = 'A very long conversation';
  const at = Date.now() - LONG * 60_000;
  await importing(page, chatgptExport(LONG, at, 5000, { title, each: LONG, at }));
  await page.getByRole('link', { name: title }).first().click();
  await page.locator('[data-message-id]').first().waitFor();
  await page.mouse.move(700, 400);
  await page.evaluate(watchFrames);
  for (let turn = 0; turn < 300; turn += 1) {
    await page.mouse.wheel(0, -240);
    await page.waitForTimeout(16);
  }
  const { framesMs, longTasksMs } = await page.evaluate(framesSeen);
  return { messages: LONG, frameMs: spread(framesMs), longTasksMs };
}

/** Orama and MiniSearch on the same texts and questions, in a browser of their own. */
async function comparePeers(texts: readonly string[], asked: readonly string[]) {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'peers.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'bench',
    write: false,
  });
  const folder = mkdtempSync(join(tmpdir(), 'recollect-peers-'));
  const context = await openBrowser(folder);
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.addInitScript('globalThis.__name = (made) => made');
    await page.goto('about:blank');
    await page.addScriptTag({ content: bundle.outputFiles[0]?.text ?? '' });
    const run = (name: keyof typeof peers) =>
      page.evaluate(
        ({ name, texts, asked, dimensions }) =>
          (globalThis as unknown as { bench: { peers: typeof peers } }).bench.peers[name](
            texts,
            asked,
            dimensions,
          ),
        { name, texts, asked, dimensions: DIMENSIONS },
      ) as Promise<PeerFigures>;
    const figures = async (name: keyof typeof peers) => {
      const { buildMs, queryMs } = await run(name);
      return { buildMs: Math.round(buildMs), queryMs: spread(queryMs.slice(WARM_UP)) };
    };
    return { orama: await figures('orama'), miniSearchAndDotProducts: await figures('miniSearch') };
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

const large = Math.max(...sizes);
if (large >= LARGE_FROM) {
  if (sizes.length > 1) throw new Error('A size above 100,000 is measured alone');
  const onFigures = (figures: object) => {
    report.large = figures;
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  };
  try {
    await measureLarge(
      { base, spread, progress, onFigures },
      {
        messages: large,
        vectors: Number(values.vectors),
        withinMs: Number(values['within-minutes']) * 60_000,
      },
    );
  } finally {
    await server.close();
    rmSync(profile, { recursive: true, force: true });
  }
  keep();
  process.exit();
}

if (values.locked) {
  try {
    report.locked = await measureLocked({ base, openBrowser, percentile, progress }, sizes);
  } finally {
    await server.close();
    rmSync(profile, { recursive: true, force: true });
  }
  keep();
  process.exit();
}

let context = await openBrowser(profile);
try {
  let page = context.pages()[0] ?? (await context.newPage());
  report.coldStart = await startOf(page);
  progress('started cold');

  const texts: string[] = [];
  const typed: Record<string, unknown> = {};
  report.typingWhileImportingAndIndexing = typed;
  const typeWhileImporting = async (page: Page, size: number) => {
    const json = chatgptExport(500, Date.now(), 77 + size);
    texts.push(...textsOf(json));
    typed[`at${size}`] = await typing(page, importing(page, json), Number(values['typing-seconds']));
    await setPaused(page, true);
    progress(`typed at ${size}`);
  };
  for (const size of sizes) {
    const at: Record<string, unknown> = {};
    report[`at${size}`] = at;
    await setPaused(page, true);
    const imports: Awaited<ReturnType<typeof importStaged>>[] = [];
    const before = texts.length;
    while (texts.length < size) {
      const json = chatgptExport(Math.min(FILE, size - texts.length), Date.now(), size + texts.length);
      texts.push(...textsOf(json));
      imports.push(await importing(page, json));
      progress(`imported ${texts.length} of ${size}`);
    }
    at.import = {
      files: imports.length,
      /** Counts only new messages. */
      messages: texts.length - before,
      toLogMs: imports.reduce((sum, { toLogMs }) => sum + toLogMs, 0),
      toKeywordSearchableMs: imports.reduce(
        (sum, { toKeywordSearchableMs }) => sum + toKeywordSearchableMs,
        0,
      ),
    };

    at.saveIdleMs = spread(await page.evaluate(timeSaves, { count: 65, gapMs: 100 }));
    await page.evaluate(stopCopy);
    at.saveWithoutCopyMs = spread(await page.evaluate(timeSaves, { count: 65, gapMs: 100 }));
    await page.evaluate(letCopy);
    /** The lower limit of any save on this machine. */
    at.bareWriteMs = spread(await page.evaluate(timeBareWrites, { count: 65, gapMs: 100 }));

    if (size === sizes[0]) {
      const seconds = Number(values['embed-seconds']);
      await setPaused(page, false);
      await inPage(page, 'globalThis.recollect.app.memory.wake("now")');
      await settled(
        page,
        'globalThis.recollect.app.memory.status.get().embedding.status === "ready"',
        60_000,
      );
      await page.waitForTimeout(2000);
      const before = (await stats(page)).vectors;
      const [started, busy] = [Date.now(), appProcess(profile)?.cpuMs ?? Number.NaN];
      await page.waitForTimeout(seconds * 1000);
      const made = (await stats(page)).vectors - before;
      const perSecond = made / ((Date.now() - started) / 1000);
      const cpuMs = (appProcess(profile)?.cpuMs ?? Number.NaN) - busy;
      const characters = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
      report.indexRate = {
        passagesPerSecond: round(perSecond),
        charactersEach: Math.round(characters),
        seconds,
        /** Of all threads of the page, while the clock ran. */
        processorMsEach: Math.round(cpuMs / Math.max(1, made)),
        load: round(loadavg()[0] ?? 0),
      };
      progress('measured the index rate');
      at.saveWhileIndexingMs = spread(await page.evaluate(timeSaves, { count: 65, gapMs: 100 }));

      await typeWhileImporting(page, size);
    }

    const real = (await stats(page)).vectors;
    const random = await page.evaluate(fillVectors, {});
    at.vectors = { real, random };

    const asked = questions(60, size);
    if (size >= COPIED_FROM) {
      // The index has just written the vectors and needs seconds to copy them to memory.
      const before: number[] = [];
      for (const question of questions(COPYING, 3)) {
        const { rows } = await page.evaluate(timeRecalls, { questions: [question], warmUp: 0 });
        before.push(rows[0]?.total ?? Number.NaN);
        await page.waitForTimeout(COPYING_GAP_MS);
      }
      at.recallBeforeMs = spread(before);
    }
    const recalls = await page.evaluate(timeRecalls, { questions: asked, warmUp: WARM_UP });
    const parts = [...new Set(recalls.rows.flatMap((row) => Object.keys(row)))];
    at.recallMs = Object.fromEntries(
      parts.map((name) => [name, spread(recalls.rows.map((row) => row[name] ?? 0))]),
    );
    at.emptyCallToIndexMs = spread(recalls.emptyCall);
    const typed = await page.evaluate(timeTyped, { questions: asked, warmUp: WARM_UP });
    at.paletteMs = {
      words: spread(typed.map(({ words }) => words)),
      merged: spread(typed.map(({ merged }) => merged)),
    };
    const byKeys: Record<string, unknown> = {};
    for (const delay of KEYS_MS)
      byKeys[`${delay} ms a key`] = await palette(page, asked.slice(-TYPED), delay);
    at.paletteTypedMs = byKeys;
    const searches = await page.evaluate(timeSearches, { words: asked.map(queryWords) });
    at.searchMs = { keyword: spread(searches.keyword), both: spread(searches.hybrid) };
    const { bytes, messages, chunks } = await stats(page);
    at.index = { messages, chunks, bytes, bytesPerMessage: Math.round(bytes / Math.max(1, messages)) };
    progress(`measured recall at ${size}`);

    if (size <= Number(values['peers-up-to'])) {
      const others = await comparePeers(texts, asked);
      const ours = spread(searches.hybrid);
      const ratio = (other: Spread) => ({
        p50: round(ours.p50 / other.p50),
        p95: round(ours.p95 / other.p95),
      });
      at.compared = {
        ...others,
        /** Times ours takes of theirs; below 1 we are faster. Ours is asked from another thread and is on disk. */
        oursToOrama: ratio(others.orama.queryMs),
        oursToMiniSearch: ratio(others.miniSearchAndDotProducts.queryMs),
      };
      progress(`compared at ${size}`);
    }
    // Imports more meanwhile, so only where nothing else of this size is measured.
    if (size !== sizes[0]) {
      await setPaused(page, false);
      await typeWhileImporting(page, size);
    }
  }
  report.scrolling = await scroll(page);
  progress('scrolled');
  await context.close();

  const starts: { readableMs: number; memoryMs: number; firstRecallMs: number }[] = [];
  /**
   * Asks as soon as the composer is there, while index and model still open: by words alone until the model is known.
   */
  const atOnce: { mode: string; doneMs: number }[] = [];
  for (let n = 0; n < WARM_STARTS; n++) {
    context = await openBrowser(profile);
    page = context.pages()[0] ?? (await context.newPage());
    const warm = await startOf(page);
    const { doneMs } = await page.evaluate(recallOnce, { question: questions(1, 5)[0] ?? '' });
    starts.push({ ...warm, firstRecallMs: doneMs });
    await context.close();
    context = await openBrowser(profile);
    page = context.pages()[0] ?? (await context.newPage());
    await opened(page);
    atOnce.push(await page.evaluate(recallOnce, { question: questions(1, 5)[0] ?? '' }));
    await context.close();
  }
  const median = (times: readonly number[]) => percentile(times, 0.5);
  /** Medians; the first start after many writes takes longer, because the browser compacts its database. */
  report.warmStart = {
    readableMs: median(starts.map(({ readableMs }) => readableMs)),
    memoryMs: median(starts.map(({ memoryMs }) => memoryMs)),
    firstRecallMs: median(starts.map(({ firstRecallMs }) => firstRecallMs)),
    starts,
    atOnce,
  };
  progress('started warm');
  report.streaming = await measureStreaming(base);
  progress('streamed an answer');
  report.memoryMegabytes = await measureMemory(`${base}/?console`, Math.min(FILE, Math.max(...sizes)));
} catch (error) {
  report.failed = String(error);
  process.exitCode = 1;
} finally {
  await context.close().catch(() => {});
  await server.close();
  // A browser that is still closing may write into it.
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

keep();
process.exit();
