// `npm run test:browsers`: the main job in Firefox and WebKitGTK, on the built app. Connect a model, ask, load the page
// again, search, import, recall. A browser that is not installed is skipped with a sentence.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatgptHistory } from '../../e2e/history.ts';
import type { App } from '../../src/services/app.ts';
import { startScriptedModel } from '../server/scripted-model.ts';
import { type Driver, findFirefox, findWebKit, until } from './drivers.ts';

declare global {
  var recollect: { readonly app: App } | undefined;
}

const PORT = Number(process.env.E2E_PORT ?? 4391);
const QUESTION = 'When does the backup of the greenhouse computer run?';
const ENTER = '\uE007';
const CONTROL = '\uE009';
const HISTORY = chatgptHistory([
  {
    title: 'Bicycle workshop',
    turns: [
      'Which pads did I buy for the squealing disc brakes?',
      'You bought the organic pads B01S from the shop in Weaver Lane.',
    ],
  },
  { title: 'Bread', turns: ['How long does the rye dough rest?', 'Fourteen hours, in the cool pantry.'] },
]);

/** What a person sees and does, on one page. */
function walker(driver: Driver, origin: string) {
  // `tsx` wraps functions with a helper that pages do not have.
  const run = <A extends readonly unknown[], R>(work: (...given: A) => R, ...given: A) =>
    driver.evaluate(
      `(() => { globalThis.__name ??= (one) => one; return (${work})(...${JSON.stringify(given)}); })()`,
    ) as Promise<Awaited<R>>;
  /**
   * The middle of the first visible element that matches, stands still and whose name
   * contains these words; null: none does.
   */
  const spot = (selector: string, words: string) =>
    run(
      async (selector, words) => {
        const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
        for (const element of document.querySelectorAll<HTMLElement>(selector)) {
          const labels = [...((element as HTMLInputElement).labels ?? [])].map(
            ({ textContent }) => textContent,
          );
          const name = element.ariaLabel ?? (labels.length > 0 ? labels.join(' ') : element.textContent);
          if (!name?.includes(words) || element.matches(':disabled,[aria-disabled=true]')) continue;
          element.scrollIntoView({ block: 'nearest' });
          await frame();
          const before = element.getBoundingClientRect();
          await frame();
          const { x, y, width, height } = element.getBoundingClientRect();
          if (before.x !== x || before.y !== y) return null;
          const at = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
          const top = document.elementFromPoint(at.x, at.y);
          if (width > 0 && top && (element.contains(top) || top.contains(element))) return at;
        }
        return null;
      },
      selector,
      words,
    );
  const click = async (selector: string, words: string) => {
    const found: { x: number; y: number }[] = [];
    await until(`“${words}” (${selector})`, async () => {
      const at = await spot(selector, words);
      if (at) found.push(at);
      return at !== null;
    });
    const [at] = found;
    const actions = [
      { type: 'pointerMove', duration: 0, ...at },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await driver.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  };
  const press = (...keys: string[]) =>
    driver.act([
      {
        type: 'key',
        id: 'keys',
        actions: [
          ...keys.map((value) => ({ type: 'keyDown', value })),
          ...keys.toReversed().map((value) => ({ type: 'keyUp', value })),
        ],
      },
    ]);
  const type = (words: string) =>
    driver.act([
      {
        type: 'key',
        id: 'keys',
        actions: [...words].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      },
    ]);
  const shows = (selector: string, words: string, withinMs?: number) =>
    until(
      `“${words}” in ${selector}`,
      () =>
        run(
          (selector, words) =>
            [...document.querySelectorAll(selector)].some(({ textContent }) => textContent?.includes(words)),
          selector,
          words,
        ),
      withinMs,
    );
  const open = async () => {
    await driver.goto(`${origin}/?console`);
    await until('the library', () =>
      run(() => globalThis.recollect?.app.documents.library.get().ready ?? false),
    );
  };
  return { run, click, press, type, shows, open };
}

const STATE_OF_MEMORY = async () => {
  const app = globalThis.recollect?.app;
  const status = app?.memory.status.get();
  if (!app || status?.state !== 'ready' || status.unread > 0 || status.waiting > 0)
    return JSON.stringify(status ?? null);
  const { messages, chunks, vectors } = await app.memory.stats();
  const said = app.documents.library.get().entries.reduce((sum, entry) => sum + entry.messageCount, 0);
  return (messages >= said && vectors === chunks) || JSON.stringify({ messages, said, chunks, vectors });
};

/** Chooses the scripted model `plain`; false while the endpoint is not there yet. */
const choosePlain = async () => {
  const settings = globalThis.recollect?.app.settings;
  const endpoint = settings?.connections.get().endpoints[0];
  if (!endpoint || document.querySelector('[role=dialog]')) return false;
  await settings?.choose({ endpointId: endpoint.id, model: 'plain' });
  return true;
};

/** The steps in their order, each with its name. */
function steps(driver: Driver, origin: string, baseUrl: string, file: string) {
  const { run, click, press, type, shows, open } = walker(driver, origin);
  const composer = 'textarea,[role=textbox]';
  const ask = async (question: string) => {
    await click(composer, 'Message');
    await type(question);
    await press(ENTER);
  };
  const remembered = () => until('memory to be ready', () => run(STATE_OF_MEMORY), 400_000);
  return {
    opens: open,
    'connects a model': async () => {
      await click('button', 'Connect a model');
      await click('li button', 'Other service');
      await click('[role=dialog] input', 'Base URL');
      await type(baseUrl);
      await click('[role=dialog] input', 'Key');
      await type('sk-test');
      await click('[role=dialog] button', 'Test');
      await click('[role=dialog] button', 'Save and use');
      await until('the endpoint to be kept', () => run(choosePlain));
      await click('button,a', 'New conversation');
    },
    'asks, and is answered': async () => {
      await ask(QUESTION);
      await shows('article[aria-label=Answer]', 'backup');
      await until('the answer to be saved', () =>
        run(() => globalThis.recollect?.app.documents.saving.get().state === 'saved'),
      );
    },
    'has it all after the page was loaded again': async () => {
      await driver.goto(await run(() => location.href));
      await shows('article[aria-label=You]', QUESTION);
      await shows('article[aria-label=Answer]', 'backup');
    },
    'imports a history': async () => {
      await driver.goto(`${origin}/settings/storage?console`);
      await click('button', 'Import');
      await until('the place for files', () =>
        run(() => document.querySelector('input[data-import=files]') !== null),
      );
      await driver.setFile('input[data-import=files]', file);
      await shows('[role=dialog]', 'Import report');
      await click('[role=dialog] button', 'Done');
    },
    'finds it by words and by meaning': async () => {
      await open();
      await remembered();
      await press(CONTROL, 'k');
      await until('the palette', () => run(() => document.querySelector('[role=dialog] input') !== null));
      await type('fourteen hours');
      await shows('[role=dialog] [role=option]', 'cool pantry');
      await press('\uE00C');
    },
    'recalls what was said before an answer': async () => {
      await ask('Which pads did I buy for the squealing disc brakes?');
      await click('button', 'Show what was recalled');
      await shows('main', 'B01S');
    },
  };
}

async function walk(driver: Driver, origin: string): Promise<boolean> {
  const server = await startScriptedModel();
  const folder = mkdtempSync(join(tmpdir(), 'recollect-browsers-'));
  const file = join(folder, 'conversations.json');
  writeFileSync(file, HISTORY);
  let step = '';
  try {
    for (const [name, work] of Object.entries(steps(driver, origin, server.baseUrl, file))) {
      step = name;
      const started = Date.now();
      await work();
      console.log(`✓ ${driver.name} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    }
    return true;
  } catch (error) {
    console.log(`✗ ${driver.name} ${step}: ${error instanceof Error ? error.message : error}`);
    const page = await driver
      .evaluate('document.body.innerText')
      .catch((problem: unknown) => `The page answers nothing: ${problem}`);
    console.log(`On the screen:\n${page}`);
    return false;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

const only = process.argv[2]?.toLowerCase();
const wanted = Object.entries({ firefox: findFirefox, webkit: findWebKit }).filter(
  ([name]) => only === undefined || name === only,
);
let [passed, failed, skipped] = [0, 0, 0];
const there = wanted.flatMap(([, find]) => {
  const found = find();
  if ('open' in found) return [found.open];
  console.log(`Skipped: ${found.missing}`);
  skipped += 1;
  return [];
});
if (there.length > 0) {
  if (!existsSync('dist/index.html'))
    spawnSync('npx', ['vite', 'build', '--logLevel', 'error'], { stdio: 'inherit' });
  const host = spawn('node_modules/.bin/vite', ['preview', '--port', String(PORT), '--strictPort'], {
    stdio: 'ignore',
  });
  const origin = `http://localhost:${PORT}`;
  try {
    await until('the app to be served', () =>
      fetch(origin).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    for (const open of there) {
      const driver = await open();
      const isGood = await walk(driver, origin).finally(() => driver.close());
      if (isGood) passed += 1;
      else failed += 1;
    }
  } finally {
    host.kill();
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
