// How soon the page is there: Lighthouse on the built app, served packed as a usual host does, on a phone and on a
// desktop. Lighthouse is fetched when it is wanted (decision 0411).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { z } from 'zod';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { type Host, serveAsHost } from './host.ts';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const PRESETS = { mobile: [], desktop: ['--preset=desktop'] } as const;
type Preset = keyof typeof PRESETS;

const category = z.object({ score: z.number() });
const audit = z.object({ numericValue: z.number() });
const resultSchema = z.object({
  categories: z.object({
    performance: category,
    accessibility: category,
    'best-practices': category,
    seo: category,
  }),
  audits: z.object({
    'first-contentful-paint': audit,
    'largest-contentful-paint': audit,
    'total-blocking-time': audit,
    interactive: audit,
  }),
});

/** Times in ms, scores of 100. */
export interface PageFigures {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly blockingMs: number;
  readonly interactiveMs: number;
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
}

function figuresOf(json: string): PageFigures {
  const { categories, audits } = resultSchema.parse(JSON.parse(json));
  const ms = (name: keyof typeof audits) => Math.round(audits[name].numericValue);
  const score = (name: keyof typeof categories) => Math.round(categories[name].score * 100);
  return {
    firstPaintMs: ms('first-contentful-paint'),
    largestPaintMs: ms('largest-contentful-paint'),
    blockingMs: ms('total-blocking-time'),
    interactiveMs: ms('interactive'),
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
  };
}

/** One visit with an empty profile. Rejects with what Lighthouse said where it could not measure. */
async function visit(address: string, preset: Preset): Promise<PageFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-page-'));
  try {
    const out = join(folder, 'result.json');
    const child = spawn(
      'npx',
      [
        '--yes',
        LIGHTHOUSE,
        address,
        '--quiet',
        '--no-enable-error-reporting',
        '--output=json',
        `--output-path=${out}`,
        `--chrome-flags=--headless=new ${BROWSER_ARGS.join(' ')}`,
        ...PRESETS[preset],
      ],
      { env: { ...process.env, CHROME_PATH: ensureBrowser() }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`Lighthouse could not measure: ${said.slice(-2000)}`);
    return figuresOf(readFileSync(out, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

/** The app's composer, which takes over from the first page's field. */
const COMPOSER = '#root textarea:enabled';

/**
 * The bytes, packed, of all files that are asked for until one can type: into the first page's field (`typing`: until
 * it is painted) and into the app's composer, workers' files as well.
 */
async function bytesUntil(host: Host): Promise<{ readonly typing: number; readonly composer: number }> {
  const before = host.sent.length;
  const browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
  try {
    const page = await browser.newPage();
    // The page itself tells the host when: until a script outside has asked, more files are under way.
    await page.addInitScript((selector) => {
      const watch = setInterval(() => {
        if (!document.querySelector(selector)) return;
        clearInterval(watch);
        void fetch('/seen-composer');
      }, 5);
    }, COMPOSER);
    const reported = page.waitForResponse('**/seen-composer');
    await page.goto(host.address, { waitUntil: 'commit' });
    await page.locator('#first-paint textarea:enabled').first().waitFor();
    await reported;
    const asked = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
      const files = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
      return files.map(({ name }) => new URL(name).pathname);
    });
    const sent = host.sent.slice(before);
    const sum = (files: typeof sent) => files.reduce((total, { bytes }) => total + bytes, 0);
    return {
      typing: sum(sent.filter(({ file }) => file === '/' || asked.includes(file))),
      composer: sum(
        sent.slice(
          0,
          sent.findIndex(({ file }) => file === '/seen-composer'),
        ),
      ),
    };
  } finally {
    await browser.close();
  }
}

const medianOf = (numbers: readonly number[]): number =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Medians of `runs` visits each (odd, so that a median is a real visit), and the bytes before a person can type. */
export async function measurePage(folder: string, runs: number, progress: (what: string) => void) {
  const host = await serveAsHost(folder);
  try {
    const all: Record<Preset, PageFigures[]> = { mobile: [], desktop: [] };
    const median = (seen: readonly PageFigures[]): PageFigures => {
      const of = (name: keyof PageFigures) => medianOf(seen.map((one) => one[name]));
      return {
        firstPaintMs: of('firstPaintMs'),
        largestPaintMs: of('largestPaintMs'),
        blockingMs: of('blockingMs'),
        interactiveMs: of('interactiveMs'),
        performance: of('performance'),
        accessibility: of('accessibility'),
        bestPractices: of('bestPractices'),
        seo: of('seo'),
      };
    };
    const bytes: Awaited<ReturnType<typeof bytesUntil>>[] = [];
    for (let run = 0; run < runs; run += 1) {
      for (const preset of ['mobile', 'desktop'] as const) {
        all[preset].push(await visit(host.address, preset));
        progress(`visited as ${preset}, ${run + 1} of ${runs}`);
      }
      bytes.push(await bytesUntil(host));
    }
    return {
      runs,
      mobile: median(all.mobile),
      desktop: median(all.desktop),
      bytesUntilTyping: medianOf(bytes.map(({ typing }) => typing)),
      bytesUntilComposer: medianOf(bytes.map(({ composer }) => composer)),
      visits: all,
    };
  } finally {
    await host.close();
  }
}
