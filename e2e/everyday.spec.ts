// What happens to most people at some time: a new version, a missing file, a browser that keeps nothing, a wrong
// command, a change of language, a long conversation, a cancelled import.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  chatgptHistory,
  expect,
  goToSettings,
  HISTORY,
  host,
  importThroughDialog,
  openApp,
  remembered,
  saved,
  test,
} from './app.ts';

/** The app with a model of the scripted server, connected by the console. */
async function connected(page: Page, baseUrl: string): Promise<void> {
  await openApp(page);
  await page.evaluate(async (address) => {
    const settings = globalThis.recollect?.app.settings;
    await settings?.saveEndpoint(
      { id: 'scripted', label: 'Scripted', baseUrl: address, models: ['plain'] },
      undefined,
    );
    await settings?.choose({ endpointId: 'scripted', model: 'plain' });
  }, baseUrl);
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const entries = (page: Page) =>
  page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length);

test('the sample library comes with one click and goes with one click', { tag: ['@gate', '@start'] }, async ({
  page,
}) => {
  await openApp(page);
  await page.getByRole('button', { name: /Just look around/ }).click();
  await expect(page.getByText('Sourdough that stays flat')).toBeVisible();
  await page.goto('/settings/storage?console');
  await page.getByRole('button', { name: 'Remove samples' }).click();
  await expect(page.getByText(/Removed \d+ samples/)).toBeVisible();
  await expect.poll(() => entries(page)).toBe(0);
});

test('the page after looking around says that all is made up, has a question for it, and takes it away again', async ({
  page,
}) => {
  await openApp(page);
  await page.getByRole('button', { name: /Just look around/ }).click();
  await expect(page.getByText(/^These are \d+ made-up conversations/)).toBeVisible();
  await remembered(page);
  await page.getByRole('button', { name: /disc brakes squeal/ }).click();
  await composer(page).press('Enter');
  // The question and the best passages stay in view; near misses are collapsed.
  const question = page.getByRole('article', { name: 'You' });
  await expect(question).toContainText('disc brakes squeal');
  const card = page.locator('[data-recall]');
  await expect(card.getByRole('listitem').first()).toContainText('Disc brakes that squeal in the rain');
  await expect(question).toBeInViewport();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.getByText(/^These are \d+ made-up conversations/)).toBeHidden();
  await page.evaluate(async () => {
    const library = globalThis.recollect?.app.documents.library.get().entries ?? [];
    const own = library.filter(({ sample }) => !sample).map(({ id }) => id);
    await globalThis.recollect?.app.library.erase(own);
  });
  await page.getByRole('button', { name: 'Remove them' }).click();
  await expect.poll(() => entries(page)).toBe(0);
  await expect(page.getByRole('button', { name: /Just look around/ })).toBeVisible();
});

for (const busy of [false, true])
  test(`a new version says that it is there, and starts when the person wants it${busy ? ', also while the old one is busy' : ''}`, async ({
    browser,
  }) => {
    test.setTimeout(240_000);
    let version = 1;
    let end = () => {};
    const slow = new Promise<number>((resolve) => {
      end = () => resolve(404);
    });
    const app = await host((path) =>
      path.startsWith('/service-worker.js')
        ? { after: `\n// ${version}` }
        : path.startsWith('/models/slow')
          ? slow
          : undefined,
    );
    const context = await browser.newContext({ serviceWorkers: 'allow' });
    try {
      const page = await context.newPage();
      await openApp(page, `${app.url}/?console`);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      await expect
        .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state))
        .toBe('activated');
      await composer(page).fill('Half a sentence that is not');
      version = 2;
      await page.evaluate(() =>
        navigator.serviceWorker
          .getRegistration()
          .then((registration) => registration?.update().then(() => undefined)),
      );
      const notice = page.getByRole('status').filter({ hasText: 'A new version is ready.' });
      await expect(notice).toBeVisible();
      await expect(composer(page)).toHaveValue('Half a sentence that is not');
      if (busy) await page.evaluate(() => void fetch('/models/slow').catch(() => {}));
      // Marks the page: the mark is gone after a reload.
      await page.evaluate(() => Object.assign(globalThis, { isBefore: true }));
      const now = () =>
        page
          .evaluate(async () => {
            const found = await navigator.serviceWorker.getRegistration();
            const [page, waiting] = ['isBefore' in globalThis ? 'before' : 'after', found?.waiting?.state];
            return `${page} ${document.readyState}, waiting: ${waiting ?? 'nothing'}`;
          })
          .catch(() => 'between');
      const press = (timeout = 1000) =>
        notice.getByRole('button', { name: 'Reload' }).click({ timeout, noWaitAfter: true });
      // A click also waits for the page it loads, which takes many seconds on a busy machine.
      await press(30_000);
      if (busy) {
        // The page reloads although the old version still runs, and once more by itself when the new one takes over.
        await expect.poll(now).toBe('after complete, waiting: installed');
        await page.evaluate(() => Object.assign(globalThis, { isBefore: true }));
        end();
      }
      // A busy browser may keep the new version waiting: the notice stays, and the person presses again.
      await expect(async () => {
        await expect
          .poll(now, { timeout: 45_000 })
          .toBe('after complete, waiting: nothing')
          .catch(async (error: unknown) => {
            await press();
            throw error;
          });
      }).toPass({ timeout: 150_000 });
      await expect(composer(page)).toHaveValue('Half a sentence that is not');
      await expect(notice).toHaveCount(0);
    } finally {
      await context.close();
      app.close();
    }
  });

test('without the files of the model, recall goes on by words and says so; with them it goes on by meaning', async ({
  browser,
}) => {
  let missing = true;
  const app = await host((path) => (missing && path.startsWith('/models/') ? 404 : undefined));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await openApp(page, `${app.url}/?console`);
    await importThroughDialog(page, [
      asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 1)), 'application/json'),
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await remembered(page, 'words');
    await page.goto(`${app.url}/?console`);
    // The question comes before the index is open and waits for it.
    await composer(page).fill('/recall restic snapshots');
    await composer(page).press('Enter');
    await expect(page.getByText(/restic every night at three/).first()).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => globalThis.recollect?.app.memory.status.get().problem?.code ?? null))
      .toBe('embedding-missing');
    await page.goto(`${app.url}/memory/index?console`);
    await expect(page.getByText(/The files of the embedding model are not here/).first()).toBeVisible();
    // The charts work without the file.
    await page.goto(`${app.url}/memory/pictures?console`);
    await expect(page.getByText(/The files of the embedding model are not here/).first()).toBeVisible();
    await expect(page.getByRole('region', { name: 'Timeline' }).locator('svg a')).toHaveCount(1);
    missing = false;
    // The app retries by itself.
    await remembered(page, 'meaning');
  } finally {
    await context.close();
    app.close();
  }
});

test.describe('with a service worker that keeps what it passes on', () => {
  test.use({ serviceWorkers: 'allow' });

  test('another model comes from the hub once, and then recalls offline', async ({ page, context }) => {
    const asked: string[] = [];
    // A hub with one model: the shipped model's smaller weights under another name. ONNX Runtime runs it.
    await context.route('https://huggingface.co/**', async (route) => {
      const path = new URL(route.request().url()).pathname.split('/resolve/main/')[1] ?? '';
      asked.push(path);
      const file = `../public/models/multilingual-e5-small-en-zh/${path.replace('model_quantized', 'model_q4')}`;
      const body = await readFile(new URL(file, import.meta.url)).catch(() => null);
      const headers = { 'access-control-allow-origin': '*' };
      await route.fulfill(body ? { status: 200, body, headers } : { status: 404, headers });
    });
    await openApp(page);
    await importThroughDialog(page, [
      asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 1)), 'application/json'),
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await remembered(page);
    expect(asked).toEqual([]);

    await page.goto('/settings/memory?console');
    await page.getByRole('radio', { name: /Another model/ }).check();
    await page.getByLabel('Model id').fill('somebody/multilingual-e5-small');
    await expect(page.getByText(/4 messages are read again/)).toBeVisible();
    await page.getByRole('button', { name: 'Change model' }).click();
    const chosen = () =>
      page.evaluate(() => globalThis.recollect?.app.settings.config.get().embedding.local.model);
    await expect.poll(chosen).toBe('somebody/multilingual-e5-small');
    await remembered(page);
    expect(asked).toContain('onnx/model_quantized.onnx');
    const recalled = () =>
      page.evaluate(async () => {
        const found = await globalThis.recollect?.app.memory.recall({
          text: 'when is everything saved at night',
          signal: new AbortController().signal,
        });
        return `${found?.mode} ${[...(found?.passages ?? []), ...(found?.nearMisses ?? [])][0]?.passage}`;
      });
    await expect.poll(recalled).toMatch(/^hybrid .*restic every night at three/);

    // The app asks the hub for nothing again, and works offline.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const before = asked.length;
    await context.setOffline(true);
    await page.reload();
    await remembered(page);
    await expect.poll(recalled, { timeout: 60_000 }).toMatch(/^hybrid .*restic every night at three/);
    expect(asked.slice(before).filter((path) => /onnx|tokenizer\.json/.test(path))).toEqual([]);
  });
});

test('a browser that keeps nothing: it says so, and chat and recall work until the tab closes', async ({
  page,
}) => {
  await page.addInitScript(`
    Object.defineProperty(globalThis, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } });
  `);
  await openApp(page);
  await expect(page.getByText(/does not let Recollect keep anything/).first()).toBeVisible();
  await page.evaluate(() =>
    globalThis.recollect?.app.chat.send({
      parts: [{ type: 'text', text: 'The key lies under the blue pot.' }],
    }),
  );
  await remembered(page, 'words');
  await composer(page).fill('/recall blue pot');
  await composer(page).press('Enter');
  // The words are the title in the list, too.
  const outcome = page.getByRole('region', { name: '/recall blue pot' });
  await expect(outcome.getByText(/key lies under the blue pot/).first()).toBeVisible();
});

test('an unknown command, a bad flag and a bad value are refused with what would work; the words stay', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  for (const [words, sentence] of [
    ['/rcall potassium', /There is no command \/rcall\..*Did you mean \/recall\?/],
    ['/recall potassium --depth 3', /\/recall does not know --depth\..*--limit/],
    // With the signs of a Chinese input method.
    ['／recall　potassium　－－depth　３', /\/recall does not know --depth\..*--limit/],
    ['/recall potassium --limit many', /“many” does not work as/],
  ] as const) {
    await composer(page).fill(words);
    await composer(page).press('Enter');
    await expect(page.getByRole('main')).toContainText(sentence);
    await expect(composer(page)).toHaveValue(words);
  }
  // The page shows only the last problem, until the person types a letter or leaves.
  const problems = page
    .getByRole('main')
    .getByText('does not work as')
    .or(page.getByText('There is no command'));
  await expect(problems).toHaveCount(1);
  await composer(page).press('End');
  await composer(page).press('Backspace');
  await expect(problems).toHaveCount(0);
  await composer(page).fill('/rcall potassium');
  await composer(page).press('Enter');
  await expect(problems).toHaveCount(1);
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await page.goBack();
  await expect(composer(page)).toBeVisible();
  await expect(problems).toHaveCount(0);
});

test('the language is changed and stays; settings go out as YAML and come in elsewhere', async ({
  page,
  browser,
}) => {
  await page.goto('/settings/appearance?console');
  await page.getByText('中文', { exact: true }).click();
  await expect(page.getByRole('heading', { name: '外观' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: '外观' })).toBeVisible();
  await page.goto('/settings/about');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: '导出 YAML' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('recollect.yaml');
  const text = readFileSync(await file.path(), 'utf8');
  expect(text).toMatch(/language: zh/);
  expect(text).toMatch(/theme: auto/);

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await openApp(other);
  await other.goto('/settings/about');
  const give = async (name: string, contents: string) => {
    const chooser = other.waitForEvent('filechooser');
    await other.getByRole('button', { name: 'Import YAML' }).click();
    await (await chooser).setFiles([asFile(name, contents, 'application/yaml')]);
  };
  await give('wrong.yaml', 'ui:\n  theme: plaid\n');
  await expect(other.getByRole('main').getByRole('alert')).toContainText('theme');
  await expect(other.locator('html')).toHaveAttribute('data-theme', 'light');
  await give('recollect.yaml', text.replace('theme: auto', 'theme: dark'));
  await expect(other.getByRole('heading', { name: '关于' })).toBeVisible();
  await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark');
  await fresh.close();
});

test('a conversation of 5,000 messages opens at its end, draws only what is near, and leads to its beginning', async ({
  page,
}) => {
  await openApp(page);
  const turns = Array.from({ length: 5000 }, (_, at) =>
    at % 2 === 0
      ? `Question ${at}: what of station ${at}?`
      : `Station ${at - 1} is **open**, and so are the next two.`,
  );
  await importThroughDialog(page, [
    asFile('conversations.json', chatgptHistory([{ title: 'All stations', turns }]), 'application/json'),
  ]);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('link', { name: /All stations/ })
    .first()
    .click();
  await expect(page.getByText('Station 4998 is open')).toBeVisible();
  const drawn = () => page.locator('[data-message-id]').count();
  expect(await drawn()).toBeLessThan(80);
  const list = page.getByRole('region', { name: 'Messages' });
  const asked = page.getByRole('article').filter({ hasText: 'Question 4998' });
  await asked.hover();
  await asked.getByRole('button', { name: 'Edit', exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  await editor.fill('Half of a better question');
  // By hand, because the list keeps a clicked row in place until the person goes on.
  await list.hover({ position: { x: 20, y: 20 } });
  await page.mouse.wheel(0, -400);
  await list.evaluate((box) => {
    box.scrollTop = box.scrollHeight / 2;
  });
  await expect(page.getByText('Station 4998 is open')).toHaveCount(0);
  expect(await drawn()).toBeLessThan(80);
  await expect(async () => {
    await list.evaluate((box) => {
      box.scrollTop = 0;
    });
    await expect(page.getByText('Question 0: what of station 0?')).toBeVisible({ timeout: 1000 });
  }).toPass();
  expect(await drawn()).toBeLessThan(80);
  // The open editor keeps its words while the person reads elsewhere.
  await expect(editor).toHaveValue('Half of a better question');
});

test('a number out of range is refused with what would work; nothing is changed', async ({ page }) => {
  await page.goto('/settings/memory?console');
  const most = page.getByRole('textbox', { name: 'Passages', exact: true });
  const inForce = () =>
    page.evaluate(() => globalThis.recollect?.app.settings.config.get().recall.filters.max_results);
  await most.fill('999');
  await most.press('Enter');
  await expect(page.getByRole('alert')).toHaveText(/^“?Passages”? cannot be 999\. Allowed: .*1.*50/);
  await expect(most).toHaveValue('999');
  expect(await inForce()).toBe(5);
  await most.press('Escape');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(most).toHaveValue('5');
  await page.reload();
  await expect(most).toHaveValue('5');
  await most.fill('7');
  await most.press('Enter');
  await expect.poll(inForce).toBe(7);
});

test('an import shows how far it is; called off it leaves nothing behind', async ({ page }) => {
  await openApp(page);
  const turns = (topic: number) =>
    Array.from(
      { length: 40 },
      (_, at) => `Talk ${topic}, turn ${at}: ${'words of a long history '.repeat(12)}`,
    );
  const talks = Array.from({ length: 1500 }, (_, at) => ({ title: `Talk ${at}`, turns: turns(at) }));
  await page.goto('/settings/storage?console');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page
    .locator('input[data-import=files]')
    .setInputFiles([asFile('conversations.json', chatgptHistory(talks), 'application/json')]);
  const bar = page.getByRole('dialog').getByRole('progressbar', { name: 'Importing' });
  const percent = async () => Number(await bar.getAttribute('aria-valuenow'));
  const moves = async (from: number) => {
    await expect.poll(percent, { intervals: [50] }).toBeGreaterThan(from);
    return percent();
  };
  expect(await moves(await moves(0))).toBeLessThan(100);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
  await expect(page.getByRole('dialog')).toContainText(/Stopped/);
  await expect.poll(() => entries(page)).toBe(0);
});

test('a conversation that a newer version wrote is read, and left as it is', { tag: '@gate' }, async ({
  page,
}) => {
  await openApp(page);
  await page.getByRole('textbox', { name: 'Message' }).fill('When does the backup run?');
  await page.keyboard.press('Enter');
  // Memory answers and has nothing. An unfinished answer is one article more and not saved yet.
  await expect(page.getByText('From memory, without a model')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await expect(page.getByRole('article')).toHaveCount(2);
  await saved(page);
  await page.evaluate(async () => {
    const documents = globalThis.recollect?.app.documents;
    const [entry] = documents?.library.get().entries ?? [];
    // A newer app writes its format among the flags.
    if (entry) await documents?.change(entry.id, { meta: { v: 2 } as object });
  });
  const note = page.getByRole('alert').filter({ hasText: 'written by a newer version of Recollect' });
  await expect(note).toBeVisible();
  await expect(note.getByRole('button', { name: 'Reload' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveCount(0);
  await expect(page.getByRole('article').getByText('When does the backup run?').first()).toBeVisible();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
});

test.describe('with a service worker, which an installed app must have', () => {
  test.use({ serviceWorkers: 'allow' });

  test('it can be installed: the browser finds nothing missing, and every icon has the size it names', async ({
    page,
  }) => {
    await openApp(page);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const devtools = await page.context().newCDPSession(page);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // Playwright's window is private, where no app can be installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
    const { data, errors } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '');
    expect(manifest).toMatchObject({
      name: 'Recollect',
      short_name: 'Recollect',
      start_url: '/',
      scope: '/',
      display: 'standalone',
      theme_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      background_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    });
    const icons: { src: string; sizes: string; purpose?: string }[] = manifest.icons;
    expect(icons.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`)).toEqual(
      expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']),
    );
    for (const { src, sizes } of icons) {
      const [width, height] = await page.evaluate(async (src) => {
        const image = new Image();
        image.src = src;
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      }, src);
      if (sizes === 'any') expect(width, src).toBeGreaterThan(0);
      else expect(`${width}x${height}`, src).toBe(sizes);
    }
  });
});

for (const kept of [true, false])
  test(`the browser is asked to keep things once something of one's own is here, and its ${kept ? 'promise' : 'refusal'} is shown`, async ({
    page,
  }) => {
    await page.addInitScript((kept) => {
      const counted = globalThis as { asked?: number };
      counted.asked = 0;
      navigator.storage.persist = async () => {
        counted.asked = (counted.asked ?? 0) + 1;
        return kept;
      };
      navigator.storage.persisted = async () => kept && (counted.asked ?? 0) > 0;
    }, kept);
    const asked = () => page.evaluate(() => (globalThis as { asked?: number }).asked);
    await openApp(page);
    await page.getByRole('button', { name: /Just look around/ }).click();
    await expect(page.getByText('Sourdough that stays flat')).toBeVisible();
    expect(await asked(), 'not for samples').toBe(0);
    await composer(page).fill('The key lies under the blue pot.');
    await composer(page).press('Enter');
    await expect.poll(asked).toBe(1);
    await goToSettings(page);
    await page.getByRole('main').getByText('Storage', { exact: true }).first().click();
    const ask = page.getByRole('button', { name: 'Protect my data' });
    await expect(page.getByText(kept ? 'Protected' : 'Not protected', { exact: true })).toBeVisible();
    await expect(ask).toHaveCount(kept ? 0 : 1);
    if (kept) return;
    await ask.click();
    await expect(page.getByText('The browser said no for now.')).toBeVisible();
    await expect(ask).toHaveCount(0);
    expect(await asked()).toBe(2);
  });

test('nothing moves where the person wants no motion', async ({ page }) => {
  await openApp(page);
  /** Animations on the screen that take longer than a frame, or never end. */
  const moving = () =>
    page.evaluate(() => {
      const ms = (times: string) =>
        Math.max(
          ...times
            .split(',')
            .map((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000)),
        );
      return [...document.querySelectorAll('*')].flatMap((element) =>
        [null, '::before', '::after'].flatMap((pseudo) => {
          const style = getComputedStyle(element, pseudo);
          const moves =
            ms(style.transitionDuration) > 16 ||
            (style.animationName !== 'none' &&
              (ms(style.animationDuration) > 16 || style.animationIterationCount === 'infinite')) ||
            style.scrollBehavior === 'smooth';
          return moves ? [`${element.tagName}${pseudo ?? ''} ${element.getAttribute('class')}`] : [];
        }),
      );
    });
  const main = page.getByRole('main');
  const screens = [
    [
      () => page.getByRole('button', { name: /Just look around/ }).click(),
      page.getByText('Sourdough that stays flat'),
    ],
    [() => page.keyboard.press('ControlOrMeta+k'), page.getByRole('dialog')],
    [() => page.goto('/settings/storage?console'), main.getByText('Protected from clearing')],
    [() => page.goto('/memory?console'), main.getByRole('heading').first()],
  ] as const;
  expect(await moving(), 'else this proves nothing').not.toEqual([]);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving()).toEqual([]);
  for (const [go, there] of screens) {
    await go();
    await expect(there).toBeVisible();
    expect(await moving()).toEqual([]);
  }
});

test('a prompt that was saved once is called by its name after a reload, filled in, and answered by a persona', async ({
  page,
}) => {
  const server = await startScriptedModel();
  try {
    await connected(page, server.baseUrl);
    await page.goto('/settings/prompts?console');
    await page.getByRole('button', { name: 'New prompt' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Kind mail');
    await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Write to {{whom}}, {{tone: warm | brief}}.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'New persona' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Pirate');
    await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Talk like a pirate.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('/kind-mail')).toBeVisible();
    await expect(page.getByText('Pirate', { exact: true })).toBeVisible();

    await page.goto('/?console');
    await page.getByRole('button', { name: 'Choose a persona' }).click();
    await page.getByRole('menuitemradio', { name: /Pirate/ }).click();
    await composer(page).fill('/kind');
    await composer(page).press('Enter');
    await page.getByRole('textbox', { name: 'whom' }).fill('Ada');
    await page.getByRole('textbox', { name: 'whom' }).press('Enter');
    await expect(composer(page)).toHaveValue('Write to Ada, warm.');
    await composer(page).press('Enter');
    await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible();
    const asked = () => JSON.stringify(server.chats()[0] ?? null);
    await expect.poll(asked).toContain('Talk like a pirate.');
    expect(asked()).toContain('Write to Ada, warm.');
    await saved(page);
    await page.reload();
    await expect(page.getByRole('button', { name: 'Persona: Pirate' })).toBeVisible();
  } finally {
    await server.close();
  }
});

test('what answers cost adds up over a reload, and a limit says when it is passed', async ({ page }) => {
  const server = await startScriptedModel();
  try {
    await connected(page, server.baseUrl);
    await page.goto('/settings/costs?console');
    await page.getByRole('button', { name: 'Change the price of plain' }).click();
    await page.getByRole('spinbutton', { name: 'Input' }).fill('1000');
    await page.getByRole('spinbutton', { name: 'Output' }).fill('1000');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('$1,000 in · $1,000 out, per million tokens')).toBeVisible();
    await page.getByRole('textbox', { name: 'Limit', exact: true }).fill('0.001');
    await page.getByRole('textbox', { name: 'Limit', exact: true }).press('Enter');
    // A page that is left at once takes a setting with it that is not stored yet.
    await expect
      .poll(() => page.evaluate(() => globalThis.recollect?.app.settings.config.get().costs.limit))
      .toBe(0.001);

    await page.goto('/?console');
    await composer(page).fill('What is the answer?');
    await composer(page).press('Enter');
    await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible();
    await expect(page.getByText(/Past your limit for this month/)).toBeVisible();
    await saved(page);
    await page.reload();
    await expect(page.getByText(/Past your limit for this month/)).toBeVisible();
    await page.getByRole('button', { name: 'Costs', exact: true }).click();
    await expect(page.getByRole('region', { name: 'By model' })).toContainText('plain');
    await expect(page.getByRole('img', { name: /^Spending from/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'By conversation' }).getByRole('link')).toHaveCount(1);
  } finally {
    await server.close();
  }
});
