// What a streamed answer costs the page's main thread: a scripted model says a long answer token by token, and the
// browser's own counters say for how long the thread worked.
import { chromium } from 'playwright';
import { BROWSER_ARGS, ensureBrowser } from '../browser.ts';
import { type Step, startScriptedModel } from '../server/scripted-model.ts';

/** Tokens of the answer, and how many come in one second, as of a quick model. */
const [TOKENS, PER_SECOND] = [8000, 400];
const CHUNK_MS = 20;

/**
 * Sections as a model writes them: headings, paragraphs, lists, code, a table,
 * formulas; a token is a word or a part of one.
 */
export function longAnswer(tokens: number): string[] {
  const section = (at: number) =>
    [
      `## Step ${at}: prepare the node`,
      'First make sure that **every service** is stopped before the copy begins, since a file that is written to while it is read may be torn in two. This takes `a few minutes` on a slow disk and costs nothing otherwise.',
      '- Stop the scheduler and wait for its last job\n- Note the size of the *old* folder\n- Look at the [manual](https://example.com/manual) for what else may hold it open',
      '```ts\nexport function copy(from: string, to: string): number {\n  let bytes = 0;\n  for (const name of list(from)) bytes += write(to, read(name));\n  return bytes;\n}\n```',
      'The time is about $t = n / r$ seconds, where the rate is what the table says.',
      '| disk | rate | note |\n| --- | ---: | --- |\n| old | 120 | spins |\n| new | 2400 | does not |',
    ].join('\n\n');
  const out: string[] = [];
  for (let at = 1; out.length < tokens; at += 1)
    out.push(...(`${section(at)}\n\n`.match(/\s*\S{1,6}/g) ?? []));
  return out.slice(0, tokens);
}

export interface StreamingFigures {
  readonly tokens: number;
  /** Seconds for which the main thread worked from the first word to the last, of which script, layout and styles. */
  readonly mainThreadSeconds: number;
  readonly scriptSeconds: number;
  readonly layoutSeconds: number;
  readonly wallSeconds: number;
}

/** Measures on the built app at `base`, in a browser of its own. */
export async function measureStreaming(base: string): Promise<StreamingFigures> {
  const model = await startScriptedModel();
  const browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
  try {
    const page = await browser.newPage();
    await page.goto(`${base}/?console`);
    await page.waitForFunction(() => 'recollect' in globalThis);
    await page.evaluate(async (baseUrl) => {
      const settings = (
        globalThis as never as {
          recollect: { app: { settings: Record<string, (...given: unknown[]) => Promise<void>> } };
        }
      ).recollect.app.settings;
      await settings.saveEndpoint?.(
        { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
        'sk-test',
      );
      await settings.choose?.({ endpointId: 'scripted', model: 'plain' });
    }, model.baseUrl);
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    const ask = async (steps: Step[]) => {
      model.next({ steps });
      await composer.fill('Go on');
      await composer.press('Enter');
    };
    // What is loaded once is loaded before: colours, formulas, titles.
    await ask([{ text: `${longAnswer(250).join('')}\n\nWarm.` }, { finish: 'stop' }]);
    await page.getByText('Warm.').waitFor();
    // So is memory: its start would be counted as the answer's.
    await page.waitForFunction(
      () =>
        (
          globalThis as never as {
            recollect: { app: { memory: { status: { get(): { embedding: { status: string } } } } } };
          }
        ).recollect.app.memory.status.get().embedding.status === 'ready',
      undefined,
      { polling: 500, timeout: 300_000 },
    );
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await page.waitForTimeout(3000);
    const session = await page.context().newCDPSession(page);
    // The thread's own time: what other programs of the machine take does not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const read = async () =>
      Object.fromEntries(
        (await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]),
      );
    const each = Math.round((PER_SECOND * CHUNK_MS) / 1000);
    const tokens = longAnswer(TOKENS);
    const steps: Step[] = [];
    for (let at = 0; at < tokens.length; at += each) {
      for (const text of tokens.slice(at, at + each)) steps.push({ text });
      steps.push({ wait: CHUNK_MS });
    }
    const [before, since] = [await read(), performance.now()];
    await ask([...steps, { text: '\n\nThat was all.' }, { finish: 'stop' }]);
    // Looked for seldom: the search is work of the same thread.
    await page.waitForFunction(
      () =>
        !document.querySelector('[aria-busy]') &&
        document
          .querySelector('article:last-of-type .prose')
          ?.lastElementChild?.textContent.endsWith('That was all.'),
      undefined,
      { polling: 2000, timeout: 300_000 },
    );
    const after = await read();
    const seconds = (name: string) => Math.round(((after[name] ?? 0) - (before[name] ?? 0)) * 100) / 100;
    return {
      tokens: TOKENS,
      mainThreadSeconds: seconds('TaskDuration'),
      scriptSeconds: seconds('ScriptDuration'),
      layoutSeconds: Math.round((seconds('LayoutDuration') + seconds('RecalcStyleDuration')) * 100) / 100,
      wallSeconds: Math.round((performance.now() - since) / 100) / 10,
    };
  } finally {
    await browser.close();
    await model.close();
  }
}
