// Measures what locked storage costs: one library, plain and sealed, in turns in one run, so that other load on the
// machine affects both. The start excludes the time of the person and of deriving the key.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { chatgptExport, questions } from './corpus.ts';
import { fillVectors, importStaged, stage, timeRecalls, timeSaves } from './in-page.ts';
import { untilQuiet } from './processes.ts';
import { inTime, settled } from './waiting.ts';

/** Turns of each side; saves and recalls in a turn, and how many recalls only warm it up. */
const [TURNS, SAVES, RECALLS, WARM_UP] = [5, 45, 50, 10];
const FILE = 10_000;
/** Time limits of a start and of all work in one browser, ms: an old build may lack what this waits for. */
const [START_MS, WORK_MS] = [120_000, 60 * 60_000];
/** The longest that a message may wait for its words in the index, ms: ten times what a calm machine takes. */
const INDEX_MS = 50;
const PASSPHRASE = 'a kettle hums at dawn';

interface Deps {
  readonly base: string;
  readonly openBrowser: (profile: string) => Promise<BrowserContext>;
  readonly percentile: (numbers: readonly number[], share: number) => number;
  readonly progress: (what: string) => void;
}

interface Samples {
  readonly saveMs: number[];
  readonly recallMs: number[];
  /** Until messages can be read, and until memory answers: ms since the page began to load, without unlocking. */
  readonly readableMs: number[];
  readonly memoryMs: number[];
  /** From the click on *Unlock* until the key is there. */
  readonly derivationMs: number[];
}

const MARKS = `Object.fromEntries(performance.getEntriesByType('mark').map(({ name, startTime }) => [name, startTime]))`;
const STATE = 'globalThis.recollect?.app.memory.status.get().state';

class Side {
  readonly #deps: Deps;
  readonly #isLocked: boolean;
  readonly profile: string;
  readonly samples: Samples = { saveMs: [], recallMs: [], readableMs: [], memoryMs: [], derivationMs: [] };

  constructor(deps: Deps, profile: string, isLocked: boolean) {
    this.#deps = deps;
    this.profile = profile;
    this.#isLocked = isLocked;
  }

  /** Opens the app in a browser of its own, works in it, and closes that again. */
  async opened(work: (page: Page) => Promise<void>): Promise<void> {
    const { base, openBrowser } = this.#deps;
    const context = await openBrowser(this.profile);
    try {
      const page = context.pages()[0] ?? (await context.newPage());
      // The runner names inner functions with a helper that the page does not have.
      await page.addInitScript('globalThis.__name = (made) => made');
      await page.goto(`${base}/?console`);
      let [waited, derived] = [0, 0];
      if (this.#isLocked) {
        await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
        const clicked = (await page.evaluate('performance.now()')) as number;
        await page.getByRole('button', { name: 'Unlock' }).click();
        await settled(page, 'performance.getEntriesByName("recollect:unlocked").length > 0', START_MS);
        const { 'recollect:asks': asks = 0, 'recollect:unlocked': unlocked = 0 } = await this.#marks(page);
        [waited, derived] = [unlocked - asks, unlocked - clicked];
        this.samples.derivationMs.push(derived);
      }
      await settled(page, 'performance.getEntriesByName("recollect:readable").length > 0', START_MS);
      const { 'recollect:readable': readable = Number.NaN } = await this.#marks(page);
      await settled(page, `!!${STATE} && ${STATE} !== 'starting'`, START_MS);
      const memory = (await page.evaluate('performance.now()')) as number;
      this.samples.readableMs.push(readable - waited);
      this.samples.memoryMs.push(memory - waited);
      await pause(page);
      await inTime(WORK_MS, 'what is done in the page ends', () => work(page));
    } finally {
      await context.close();
      await untilQuiet(this.profile);
    }
  }

  async #marks(page: Page): Promise<Record<string, number>> {
    return (await page.evaluate(MARKS)) as Record<string, number>;
  }

  /** One turn. */
  measure(turn: number): Promise<void> {
    return this.opened(async (page) => {
      this.samples.saveMs.push(...(await page.evaluate(timeSaves, { count: SAVES, gapMs: 100 })));
      const asked = { questions: questions(RECALLS, turn + 1), warmUp: WARM_UP };
      const { rows } = await page.evaluate(timeRecalls, asked);
      this.samples.recallMs.push(...rows.map(({ total }) => total ?? Number.NaN));
    });
  }

  /** Drops the figures so far: the first start is slower while the browser compacts its database. */
  forget(): void {
    for (const numbers of Object.values(this.samples)) numbers.length = 0;
  }

  figures(): Record<keyof Samples, { p50: number; p95: number; n: number }> {
    const { percentile } = this.#deps;
    const spread = (numbers: readonly number[]) => ({
      p50: percentile(numbers, 0.5),
      p95: percentile(numbers, 0.95),
      n: numbers.length,
    });
    const { saveMs, recallMs, readableMs, memoryMs, derivationMs } = this.samples;
    return {
      saveMs: spread(saveMs),
      recallMs: spread(recallMs),
      readableMs: spread(readableMs),
      memoryMs: spread(memoryMs),
      derivationMs: spread(derivationMs),
    };
  }
}

/** Keeps the engine from embedding; repeats the pause, which it forgets after a while. */
const pause = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const say = () => globalThis.recollect.app.memory.setPaused(true);
    setInterval(say, 5000);
    say();
  })()`);

/** Waits until words find every message and every passage has a vector. */
async function indexed(page: Page, messages: number): Promise<void> {
  await settled(
    page,
    `(async () => {
      const { memory } = globalThis.recollect.app;
      return memory.status.get().unread === 0 && (await memory.stats()).messages >= ${messages};
    })()`,
    START_MS + messages * INDEX_MS,
  );
  await page.evaluate(fillVectors, {});
}

async function turnOn(side: Side): Promise<void> {
  await side.opened(async (page) => {
    // Nobody touches the page, which would lock it again while it is measured.
    await page.evaluate(`globalThis.recollect.app.settings.set('privacy.lock_after_minutes', 0)`);
    await page.evaluate(
      `globalThis.recollect.app.lock.turnOn(${JSON.stringify(PASSPHRASE)}, globalThis.recollect.app.lock.newPhrase())`,
    );
    await settled(page, 'globalThis.recollect.app.lock.state.get().ready', WORK_MS);
  });
}

/** Measures both sides of a library of `size` messages, and how much more the second takes. */
async function compare(deps: Deps, size: number): Promise<unknown> {
  const { progress } = deps;
  const folders = ['plain', 'locked'].map((name) => mkdtempSync(join(tmpdir(), `recollect-bench-${name}-`)));
  const [plainFolder = '', lockedFolder = ''] = folders;
  try {
    const plain = new Side(deps, plainFolder, false);
    await plain.opened(async (page) => {
      for (let made = 0; made < size; made += FILE) {
        const json = chatgptExport(Math.min(FILE, size - made), Date.now(), size + made);
        await page.evaluate(stage, { piece: json });
        await page.evaluate(importStaged, {});
      }
      await indexed(page, size);
    });
    progress(`imported ${size}`);
    cpSync(plainFolder, lockedFolder, { recursive: true });
    await turnOn(new Side(deps, lockedFolder, false));
    const locked = new Side(deps, lockedFolder, true);
    await locked.opened(async (page) => {
      await settled(page, 'globalThis.recollect.app.lock.state.get().phase === "sealed"', WORK_MS);
      await indexed(page, size);
    });
    progress(`sealed ${size}`);
    // The browser compacts its database at the first start after many writes.
    for (const side of [plain, locked]) await side.opened(async () => {});
    for (const side of [plain, locked]) side.forget();
    for (let turn = 0; turn < TURNS; turn += 1)
      // The first side alternates, so that a machine that grows slower affects both.
      for (const side of turn % 2 === 0 ? [plain, locked] : [locked, plain]) {
        await side.measure(turn);
        progress(`turn ${turn + 1} of ${TURNS}`);
      }
    const [without, within] = [plain.figures(), locked.figures()];
    const percent = (more: number, of: number) => Math.round((more / of - 1) * 1000) / 10;
    return {
      without,
      within,
      cost: {
        saveP95Ms: Math.round((within.saveMs.p95 - without.saveMs.p95) * 10) / 10,
        recallP95Percent: percent(within.recallMs.p95, without.recallMs.p95),
        readableMs: Math.round(within.readableMs.p50 - without.readableMs.p50),
        memoryMs: Math.round(within.memoryMs.p50 - without.memoryMs.p50),
      },
    };
  } finally {
    for (const folder of folders)
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

/** The cost of locked storage at each size. */
export async function measureLocked(deps: Deps, sizes: readonly number[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const size of sizes) found[`at${size}`] = await compare(deps, size);
  return found;
}
