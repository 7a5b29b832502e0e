// A library too large for the ordinary round: logs of agents, imported file by file as far as the time goes, with
// figures after each file, so that a run that is ended still says something. In a browser that nothing watches
// (`memory.ts`), which counts memory as well.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryWords } from '../../src/domain/text/words.ts';
import { agentLogs } from './agent-logs.ts';
import { questions } from './corpus.ts';
import { fillVectors, importStaged, timeRecalls, timeSaves, timeSearches } from './in-page.ts';
import { type Led, open, ready } from './memory.ts';
import { appProcess, type Megabytes, untilQuiet, watchMemory } from './processes.ts';

/** Messages in one imported file: ten megabytes, as an export is. */
const FILE = 10_000;
/** Vectors made in one go, so that the time is looked at in between. */
const VECTORS = 5_000;
/** Messages at which saves and searches are measured on the way, besides the end. */
const MARKS = [10_000, 50_000, 100_000, 200_000, 300_000, 500_000, 750_000];
/** Shares of the time after which imports end, and after which no more vectors are made. */
const [IMPORT_SHARE, VECTORS_SHARE] = [0.68, 0.82];
const [SAVES, ASKED, WARM_UP] = [45, 45, 5];
/** More than any library takes: the app's own limit is not what is measured. */
const MAX_SIZE_MB = 1_048_576;

interface Deps<Spread> {
  readonly base: string;
  readonly spread: (numbers: readonly number[]) => Spread;
  readonly progress: (what: string) => void;
  /** Called with all figures after each new one. */
  readonly onFigures: (figures: object) => void;
}

interface Wanted {
  readonly messages: number;
  /** Most vectors: those of what the app embeds first, the newest of what was said. */
  readonly vectors: number;
  readonly withinMs: number;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const path = join(folder, name);
    return sum + (existsSync(path) && statSync(path).isFile() ? statSync(path).size : 0);
  }, 0);

const load = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;
const HANDLE = 'globalThis.recollect';
const stats = async ({ look }: Led) =>
  (await look(`${HANDLE}.app.memory.stats()`)) as {
    bytes: number;
    messages: number;
    chunks: number;
    vectors: number;
  };

/** A run under way: the profile it lives in, its time and its figures. */
interface Run<Spread> extends Deps<Spread> {
  readonly wanted: Wanted;
  readonly profile: string;
  readonly watch: ReturnType<typeof watchMemory>;
  /** Whether this share of the time is over. */
  readonly isTime: (share: number) => boolean;
  readonly put: (name: string, value: unknown) => void;
  /** Processor time of all of the page's threads, which others' work does not lengthen, ms. */
  readonly spent: () => number;
}

/** Saves, and searches of the index by words alone and by both. */
async function measureSearches<Spread>({ spread, spent }: Run<Spread>, page: Led) {
  const saves = await page.run(timeSaves, { count: SAVES, gapMs: 100 });
  const words = questions(ASKED, 7).map(queryWords);
  const before = spent();
  const { keyword, hybrid } = await page.run(timeSearches, { words });
  return {
    saveMs: spread(saves),
    wordsMs: spread(keyword),
    bothMs: spread(hybrid),
    /** Of a search by words and one by both together. */
    searchesCpuMs: Math.round((spent() - before) / ASKED),
    load: load(),
  };
}

async function fill<Spread>({ wanted, isTime, put, spent, progress }: Run<Spread>, page: Led): Promise<void> {
  let made = 0;
  const [since, before] = [Date.now(), spent()];
  while (made < wanted.vectors && !isTime(VECTORS_SHARE)) {
    const more = await page.run(fillVectors, { most: Math.min(VECTORS, wanted.vectors - made) });
    if (more === 0) break;
    made += more;
    put('vectors', { made, ms: Date.now() - since, cpuMs: spent() - before });
  }
  progress(`${made} vectors`);
}

async function measureRecalls<Spread>({ spread, spent }: Run<Spread>, page: Led) {
  const before = spent();
  const { rows } = await page.run(timeRecalls, { questions: questions(ASKED, 9), warmUp: WARM_UP });
  const parts = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    ...Object.fromEntries(parts.map((name) => [name, spread(rows.map((row) => row[name] ?? 0))])),
    cpuMs: Math.round((spent() - before) / ASKED),
    load: load(),
  };
}

async function opened<Spread>(
  { base, profile, watch }: Run<Spread>,
  phase: string,
  work: (page: Led) => Promise<void>,
): Promise<void> {
  watch.phase(phase);
  const page = await open(profile, `${base}/?console`);
  try {
    await ready(page);
    // Pauses embedding, which would take processor time from the measurement.
    await page.look(
      `(() => { const rest = () => ${HANDLE}.app.memory.setPaused(true); setInterval(rest, 5000); rest(); })()`,
    );
    await work(page);
  } finally {
    await page.close();
  }
}

async function importAll<Spread>(run: Run<Spread>, page: Led): Promise<void> {
  const { wanted, profile, watch, isTime, put, spent, progress } = run;
  const steps: unknown[] = [];
  const marks: Record<string, unknown> = {};
  let at = 0;
  for (let file = 0; at < wanted.messages && !isTime(IMPORT_SHARE); file++) {
    const path = join(profile, 'conversations.json');
    writeFileSync(path, agentLogs(Math.min(FILE, wanted.messages - at), Date.now(), 1 + file * FILE));
    await page.stage(path);
    const before = spent();
    const { toLogMs, toKeywordSearchableMs } = await page.run(importStaged, {});
    const { bytes, messages, chunks } = await stats(page);
    // The app refused the import and would refuse it again.
    if (messages <= at) throw new Error(`The import stopped at ${messages} messages`);
    at = messages;
    const memory = appProcess(profile) as Megabytes;
    steps.push({
      messages,
      chunks,
      toLogMs,
      toWordsMs: toKeywordSearchableMs,
      cpuMs: spent() - before,
      indexBytes: bytes,
      footprint: memory.footprint,
      load: load(),
    });
    put('steps', steps);
    put('reached', { messages, chunks, indexBytes: bytes, bytesPerMessage: Math.round(bytes / messages) });
    progress(
      `${messages} messages, ${toKeywordSearchableMs} ms, ${Math.round(bytes / 1e6)} MB, memory ${memory.footprint}`,
    );
    if (MARKS.some((mark) => mark <= at && mark > at - FILE)) {
      watch.phase('measuring');
      marks[`at${at}`] = await measureSearches(run, page);
      put('marks', marks);
      progress(`measured at ${at}`);
      watch.phase('import');
    }
  }
}

/** Starts three times on the full profile, and measures recall at the last. */
async function measureStarts<Spread>(run: Run<Spread>): Promise<void> {
  const { profile, watch, put, spent, progress } = run;
  const starts: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    await untilQuiet(profile);
    await opened(run, 'warmStart', async (page) => {
      const memoryMs = Math.round((await page.look('performance.now()')) as number);
      const readableMs = await page.look(
        'Math.round(performance.getEntriesByName("recollect:readable")[0].startTime)',
      );
      const cpuMs = spent();
      const first = await page.run(timeRecalls, { questions: questions(1, 5), warmUp: 0 });
      starts.push({
        readableMs,
        memoryMs,
        /** Since the page began to load. */
        firstRecallMs: Math.round((await page.look('performance.now()')) as number),
        firstRecallTook: first.rows[0]?.total,
        cpuMs,
        load: load(),
      });
      put('warmStarts', starts);
      if (n < 2) return;
      watch.phase('recalls');
      put('recallMs', await measureRecalls(run, page));
      progress('measured recall');
      put('byBoth', await measureSearches(run, page));
      put('bytes', await stats(page));
    });
  }
}

/** Never throws: an error becomes one of the figures. */
export async function measureLarge<Spread>(deps: Deps<Spread>, wanted: Wanted): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'recollect-large-'));
  const began = Date.now();
  const figures: Record<string, unknown> = {
    kind: 'agent logs',
    asked: wanted.messages,
    loadAtStart: load(),
  };
  const run: Run<Spread> = {
    ...deps,
    wanted,
    profile,
    watch: watchMemory(profile, 2000),
    isTime: (share) => Date.now() - began > wanted.withinMs * share,
    put: (name, value) => {
      figures[name] = value;
      deps.onFigures(figures);
    },
    spent: () => appProcess(profile)?.cpuMs ?? Number.NaN,
  };
  const { watch, put, progress } = run;
  try {
    await opened(run, 'import', async (page) => {
      await page.look(`${HANDLE}.app.settings.set('storage.max_size_mb', ${MAX_SIZE_MB})`);
      await importAll(run, page);
      watch.phase('byWords');
      put('byWords', await measureSearches(run, page));
      watch.phase('vectors');
      await fill(run, page);
    });
    put('profileBytes', bytesIn(profile));
    await measureStarts(run);
  } catch (error) {
    put('failed', error instanceof Error ? error.message : String(error));
    progress(`failed: ${String(error)}`);
  } finally {
    put('memoryMegabytes', watch.end());
    put('tookMs', Date.now() - began);
    // A browser that is still ending may write into the profile; the figures are reported all the same.
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    } catch (error) {
      console.warn('The profile is left behind', error);
    }
  }
}
