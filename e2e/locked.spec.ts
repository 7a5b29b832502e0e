// A locked device: no byte of its disk shows a canary written before or after the
// change, even after a crash in the middle.
import { createHash } from 'node:crypto';
import type { BrowserContext, Page } from '@playwright/test';
import { chatgptExport } from '../test/bench/corpus.ts';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  filesWith,
  type OwnBrowser,
  openApp,
  ours,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

test.use({ firstStart: true });

const BASE = `http://localhost:${process.env.E2E_PORT ?? 4317}`;
const PASSPHRASE = 'a kettle hums at dawn';
const BEFORE = 'zqx7wkv3jhm9tpl2fdy5';
const AFTER = 'bnr4scg8ewu6oai1xzk0';

async function unlock(page: Page): Promise<void> {
  await page.goto(`${BASE}/?console`);
  await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.documents.library.get().ready))
    .toBe(true);
}

/** Waits until the page has reloaded itself and asks: leaving earlier would race with the reload. */
async function finishNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Finish now' }).click();
  await expect(page.getByRole('heading', { name: 'Recollect is locked' })).toBeVisible();
}

/** Turns the lock on through the dialog, which is gone at the end. */
async function beginToSeal(page: Page): Promise<void> {
  await page.goto(`${BASE}/settings/privacy?console`);
  await page.getByRole('switch', { name: 'Lock this device' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await dialog.getByLabel('Passphrase again').fill(PASSPHRASE);
  await dialog.getByRole('button', { name: 'Next' }).click();
  const words = (await dialog.getByRole('listitem').allInnerTexts()).map((line) =>
    line.replace(/^\d+\s*/, ''),
  );
  expect(words).toHaveLength(24);
  await dialog.getByRole('button', { name: 'I wrote them down' }).click();
  for (const field of await dialog.getByRole('textbox').all()) {
    const label = await field.evaluate((one) => (one as HTMLInputElement).labels?.[0]?.textContent ?? '');
    await field.fill(words[Number(/\d+/.exec(label)?.[0]) - 1] ?? '');
  }
  await dialog.getByRole('button', { name: 'Encrypt this device' }).click();
  await expect(dialog).toBeHidden();
}

/** Turns the lock on, and waits until everything is copied. */
async function turnOn(page: Page): Promise<void> {
  await beginToSeal(page);
  await expect(page.getByRole('button', { name: 'Finish now' })).toBeVisible();
}

const texts = (page: Page, title: string): Promise<string> =>
  page.evaluate(async (title) => {
    const app = globalThis.recollect?.app;
    const entry = app?.documents.library.get().entries.find((one) => one.title === title);
    const conversation = entry && (await app?.documents.read(entry.id));
    return JSON.stringify([...(conversation?.messages.values() ?? [])].map(({ parts }) => parts));
  }, title);

test('what was said before and after is nowhere on the disk in clear, also after a crash in the middle', async () => {
  const browser = ownBrowser();
  try {
    let context = await browser.open();
    let page = context.pages()[0] ?? (await context.newPage());
    await openApp(page, `${BASE}/?console`);
    await bringExport(
      page,
      chatgptHistory([{ title: 'Kettles', turns: [`The code is ${BEFORE}.`, `Noted: ${BEFORE}`] }]),
    );
    await page.evaluate(
      (words) => globalThis.recollect?.app.settings.set('chat.instructions', words),
      BEFORE,
    );
    await saved(page);
    await remembered(page, 'words');
    await expect.poll(() => page.evaluate(() => globalThis.recollect?.app.logCopy.get()?.state)).toBe('kept');
    await context.close();
    // The search does find the words before they are sealed.
    const clear = ours(filesWith(browser.profile, BEFORE));
    expect(clear.some((path) => path.includes('IndexedDB'))).toBe(true);
    expect(clear.some((path) => path.includes('File System'))).toBe(true);

    context = await browser.open();
    page = context.pages()[0] ?? (await context.newPage());
    await turnOn(page);
    await finishNow(page);
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    // Kills the browser while the app finishes the change.
    await page.getByRole('button', { name: 'Unlock' }).click();
    await browser.kill();

    context = await browser.open();
    page = context.pages()[0] ?? (await context.newPage());
    await unlock(page);
    expect(await texts(page, 'Kettles')).toContain(BEFORE);
    await page.evaluate(async (words) => {
      const message = {
        id: crypto.randomUUID(),
        parentId: null,
        role: 'user',
        kind: 'message',
        createdAt: Date.now(),
        parts: [{ type: 'text', text: `And now ${words}.` }],
      };
      const change = { messages: [message], meta: { title: 'Later' } };
      await globalThis.recollect?.app.documents.change(crypto.randomUUID() as never, change as never);
    }, AFTER);
    await page.getByRole('textbox', { name: 'Message' }).fill(`A draft with ${AFTER}`);
    await saved(page);
    await remembered(page, 'words');
    await expect
      .poll(() =>
        page.evaluate(async (words) => {
          const { memory } = globalThis.recollect?.app ?? {};
          const hits = await new Promise((resolve) => {
            const onHits = (found: unknown, final: boolean) => final && resolve(found);
            const { signal } = new AbortController();
            void memory?.search({ text: words, filter: {}, limit: 5, signal, onHits });
          });
          return JSON.stringify(hits).includes(words);
        }, BEFORE),
      )
      .toBe(true);
    await browser.kill();
    const left = { before: filesWith(browser.profile, BEFORE), after: filesWith(browser.profile, AFTER) };
    expect({ before: ours(left.before), after: left.after }).toEqual({ before: [], after: [] });

    context = await browser.open();
    page = context.pages()[0] ?? (await context.newPage());
    await unlock(page);
    expect(await texts(page, 'Later')).toContain(AFTER);
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(`A draft with ${AFTER}`);
  } finally {
    await browser.dispose();
  }
});

test('what is typed is in no file that the browser keeps by itself', async () => {
  const browser = ownBrowser();
  try {
    const context = await browser.open();
    const page = context.pages()[0] ?? (await context.newPage());
    await openApp(page, `${BASE}/?console`);
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially(`Dear ${BEFORE}`);
    await saved(page);
    await page.goto(`${BASE}/settings/privacy`);
    await page.getByRole('textbox', { name: 'Add a private word' }).pressSequentially(AFTER);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: `Remove ${AFTER}` })).toBeVisible();
    await page.goto(`${BASE}/settings/about`);
    await expect(page.getByRole('heading', { name: 'About' }).first()).toBeVisible();
    await context.close();
    for (const words of [BEFORE, AFTER]) {
      const written = filesWith(browser.profile, words);
      expect(written.length).toBeGreaterThan(0);
      expect(written).toEqual(ours(written));
    }
  } finally {
    await browser.dispose();
  }
});

/** A device with one conversation that was sealed and unlocked. */
async function openSealed(browser: OwnBrowser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.open();
  const page = context.pages()[0] ?? (await context.newPage());
  await openApp(page, `${BASE}/?console`);
  await bringExport(
    page,
    chatgptHistory([{ title: 'Kettles', turns: [`The code is ${BEFORE}.`, `Noted: ${BEFORE}`] }]),
  );
  await saved(page);
  await turnOn(page);
  await finishNow(page);
  await unlock(page);
  await expect.poll(() => phase(page)).toBe('sealed');
  return { context, page };
}

const phase = (page: Page) => page.evaluate(() => globalThis.recollect?.app.lock.state.get().phase);

test('a device is sealed; locking one tab locks the other, and one passphrase unlocks both', {
  tag: '@gate',
}, async () => {
  const browser = ownBrowser();
  try {
    const { context, page } = await openSealed(browser);
    // A second tab gets the key from the first.
    const other = await context.newPage();
    await other.goto(`${BASE}/?console`);
    await expect(other.getByRole('textbox', { name: 'Message' })).toBeVisible();
    await expect.poll(() => texts(other, 'Kettles')).toContain(BEFORE);
    await other.getByRole('textbox', { name: 'Message' }).fill(AFTER);
    for (let round = 0; round < 2; round += 1) {
      await page.bringToFront();
      await page.keyboard.press('ControlOrMeta+Shift+L');
      for (const tab of [page, other]) {
        await expect(tab.getByRole('heading', { name: 'Recollect is locked' })).toBeVisible();
        await expect(tab.getByText('Kettles')).toHaveCount(0);
        expect(await tab.title()).not.toContain('Kettles');
      }
      // The requests for the key between the two tabs opened neither.
      await other.reload();
      await expect(other.getByRole('heading', { name: 'Recollect is locked' })).toBeVisible();
      await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
      await page.getByRole('button', { name: 'Unlock' }).click();
      for (const tab of [page, other])
        await expect(tab.getByRole('textbox', { name: 'Message' })).toBeVisible();
    }
    // The person typed it right before the lock: the first tab that reopens has it.
    const written = async () =>
      (
        await Promise.all(
          [page, other].map((tab) => tab.getByRole('textbox', { name: 'Message' }).inputValue()),
        )
      ).join();
    await expect.poll(written).toContain(AFTER);
  } finally {
    await browser.dispose();
  }
});

test('a library of 10,000 messages is sealed while one goes on chatting', async () => {
  const server = await startScriptedModel();
  const browser = ownBrowser();
  const everything = (page: Page) =>
    page.evaluate(async () => {
      const { documents, lock } = globalThis.recollect?.app ?? {};
      const entries = documents?.library.get().entries ?? [];
      const read = await Promise.all(entries.map(({ id }) => documents?.read(id)));
      const messages = read.reduce((sum, one) => sum + (one?.messages.size ?? 0), 0);
      return { messages, phase: lock?.state.get().phase };
    });
  try {
    const context = await browser.open();
    const page = context.pages()[0] ?? (await context.newPage());
    await openApp(page, `${BASE}/?console`);
    await bringExport(page, chatgptExport(10_000, Date.now(), 7));
    await saved(page);
    await page.evaluate(async (baseUrl) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint({ id: 'scripted', label: 'Scripted', baseUrl, models: ['markdown'] }, '');
      await settings?.choose({ endpointId: 'scripted', model: 'markdown' });
    }, server.baseUrl);
    const before = await everything(page);
    expect(before).toEqual({ messages: 10_000, phase: 'off' });

    await beginToSeal(page);
    expect(await page.evaluate(() => globalThis.recollect?.app.lock.state.get().ready)).toBe(false);
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await page.getByRole('textbox', { name: 'Message' }).fill(`Tell me of ${AFTER}`);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('article').getByText('The end.')).toBeVisible();
    await saved(page);
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('main').getByText('Privacy', { exact: true }).first().click();
    await finishNow(page);
    await unlock(page);
    await expect.poll(() => phase(page)).toBe('sealed');
    expect(await everything(page)).toEqual({ messages: 10_002, phase: 'sealed' });
    browser.kill();
    expect(filesWith(browser.profile, AFTER)).toEqual([]);
  } finally {
    await browser.dispose();
    await server.close();
  }
});

test('locking is turned off again with nothing lost', async () => {
  const browser = ownBrowser();
  try {
    const { page } = await openSealed(browser);
    // Words shared to a locked device wait until it is unlocked, and then leave the address.
    await page.goto(`${BASE}/?console&shared_text=${AFTER}`);
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(AFTER);
    expect(page.url()).not.toContain(AFTER);

    await page.goto(`${BASE}/settings/privacy?console`);
    // The last tab reloaded itself and asks.
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('switch', { name: 'Lock this device' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Passphrase', { exact: true }).fill('not this one');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await expect(dialog.getByRole('alert')).toContainText('That does not unlock this device.');
    await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await finishNow(page);
    await unlock(page);
    await expect.poll(() => phase(page)).toBe('off');
    expect(await texts(page, 'Kettles')).toContain(BEFORE);
    await page.goto(`${BASE}/?console`);
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
    await expect.poll(() => texts(page, 'Kettles')).toContain(BEFORE);
    await remembered(page, 'words');
    expect(
      await page.evaluate(() => globalThis.recollect?.app.settings.config.get().privacy.encrypt_local),
    ).toBe(false);
  } finally {
    await browser.dispose();
  }
});

const OTHER = 'seven geese over the weir';
const toAsk = (page: Page) =>
  expect(page.getByRole('heading', { name: 'Recollect is locked' })).toBeVisible();
const settingsOf = (page: Page) => page.getByRole('switch', { name: 'Lock this device' });

/** Wrong tries in a row, as the lock's record counts them. */
const wrongTries = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('recollect-lock');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction('records').objectStore('records').get('lock');
          reading.onerror = () => reject(reading.error);
          reading.onsuccess = () => {
            database.close();
            resolve((reading.result as { tries: { failed: number } }).tries.failed);
          };
        };
      }),
  );

async function tryPassphrase(page: Page, passphrase: string): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeEnabled();
  await page.getByRole('button', { name: 'Unlock' }).click();
}

test('a passkey unlocks beside a passphrase that changes, until it is removed; wrong tries wait', async () => {
  const browser = ownBrowser();
  try {
    const { context, page } = await openSealed(browser);
    const debug = await context.newCDPSession(page);
    await debug.send('WebAuthn.enable');
    await debug.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        hasPrf: true,
      },
    });
    await page.goto(`${BASE}/settings/privacy?console`);
    await tryPassphrase(page, PASSPHRASE);
    const dialog = page.getByRole('dialog');
    const ways = page.getByRole('region', { name: 'Ways to unlock' });
    await page.getByRole('button', { name: 'Add a passkey…' }).click();
    await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(ways.getByText(/^Passkey Since/)).toBeVisible();

    await ways.getByRole('button', { name: 'Change…' }).click();
    await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByLabel('Passphrase', { exact: true }).fill(OTHER);
    await dialog.getByLabel('Passphrase again').fill(OTHER);
    await dialog.getByRole('button', { name: 'Change…' }).click();
    await expect(dialog).toHaveCount(0);

    await page.getByRole('button', { name: 'Lock now' }).click();
    await toAsk(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(settingsOf(page)).toBeVisible();
    expect(await texts(page, 'Kettles')).toContain(BEFORE);

    await page.getByRole('button', { name: 'Lock now' }).click();
    await toAsk(page);
    // The old passphrase is wrong now.
    while ((await wrongTries(page)) < 7) await tryPassphrase(page, PASSPHRASE);
    // The right passphrase has to wait as well, even after a reload.
    await page.reload();
    await tryPassphrase(page, OTHER);
    await expect(page.getByText('Too many wrong tries.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Unlock' })).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeDisabled();
    await tryPassphrase(page, OTHER);
    await expect(settingsOf(page)).toBeVisible();

    await ways.getByRole('button', { name: /^Remove this passkey/ }).click();
    await expect(ways.getByText(/^Passkey Since/)).toHaveCount(0);
    await page.getByRole('button', { name: 'Lock now' }).click();
    await toAsk(page);
    await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
    await tryPassphrase(page, OTHER);
    await expect(settingsOf(page)).toBeVisible();
  } finally {
    await browser.dispose();
  }
});

test('a browser that dies at any moment of turning it on or off loses nothing, and leaves nothing in clear', async () => {
  const browser = ownBrowser();
  const conversations = Array.from({ length: 300 }, (_, n) => ({
    title: `Kettle ${n}`,
    turns: [`The code ${n} is ${BEFORE}.`, `Noted: ${BEFORE}`],
  }));
  let page = null as unknown as Page;
  const opened = async () => {
    const context = await browser.open();
    page = context.pages()[0] ?? (await context.newPage());
    return page;
  };
  /** Kills the browser at once, while the app copies, or while it finishes the change. */
  const dies = async (when: 'at once' | 'copying' | 'finishing', wanted: 'sealed' | 'off') => {
    if (when === 'copying')
      await expect
        .poll(() =>
          page.evaluate(() => {
            const { ready, progress } = globalThis.recollect?.app.lock.state.get() ?? {};
            return ready || (progress?.done ?? 0) > 0;
          }),
        )
        .toBe(true);
    if (when === 'finishing') {
      // If the app had copied everything before it died, unlocking has finished the change already.
      const state = () =>
        page.evaluate(() => {
          const { ready, phase } = globalThis.recollect?.app.lock.state.get() ?? {};
          return ready ? 'ready' : phase;
        });
      await expect.poll(state).toMatch(new RegExp(`^(ready|${wanted})$`));
      if ((await state()) === wanted) return browser.kill();
      await page.evaluate(() => globalThis.recollect?.app.lock.lockNow());
      await tryPassphrase(page, PASSPHRASE);
      await expect(page.getByRole('button', { name: 'Unlock' })).toHaveCount(0);
    }
    browser.kill();
  };
  const all = () =>
    page.evaluate(() => {
      const entries = globalThis.recollect?.app.documents.library.get().entries ?? [];
      return entries.filter(({ title }) => title.startsWith('Kettle ')).length;
    });
  try {
    await openApp(await opened(), `${BASE}/?console`);
    await bringExport(page, chatgptHistory(conversations));
    await saved(page);
    for (const wanted of ['sealed', 'off'] as const) {
      // Calls what the switch and its dialog call.
      await page.evaluate(
        async ([isOn, passphrase]) => {
          const { settings, lock } = globalThis.recollect?.app ?? {};
          await settings?.set('privacy.encrypt_local', isOn);
          if (isOn) await lock?.turnOn(passphrase, lock.newPhrase());
          else await lock?.turnOff({ kind: 'passphrase', passphrase });
        },
        [wanted === 'sealed', PASSPHRASE] as const,
      );
      await dies('at once', wanted);
      await unlock(await opened());
      await dies('copying', wanted);
      await unlock(await opened());
      await dies('finishing', wanted);
      await opened();
      await page.goto(`${BASE}/?console`);
      const locked = page.getByRole('heading', { name: 'Recollect is locked' });
      await expect(locked.or(page.getByRole('textbox', { name: 'Message' }))).toBeVisible();
      if (await locked.isVisible()) await unlock(page);
      await expect.poll(() => phase(page)).toBe(wanted);
      await expect.poll(all).toBe(conversations.length);
      expect(await texts(page, 'Kettle 299')).toContain(BEFORE);
      browser.kill();
      if (wanted === 'sealed') {
        expect(ours(filesWith(browser.profile, BEFORE))).toEqual([]);
        await unlock(await opened());
      }
    }
  } finally {
    await browser.dispose();
  }
});

/** Shares words as the system does: posts them, and opens the app. */
async function share(context: BrowserContext, words: string): Promise<Page> {
  const page = await context.newPage();
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${BASE}/shared"><input name="shared_text" value="${words}"></form>`,
  );
  await page.locator('form').evaluate((form) => (form as HTMLFormElement).submit());
  await page.waitForURL(`${BASE}/`);
  return page;
}

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test('what another app shares with a locked device waits sealed, and comes once', async () => {
    const browser = ownBrowser();
    try {
      let { context, page } = await openSealed(browser);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      await page.keyboard.press('ControlOrMeta+Shift+L');
      await toAsk(page);
      await toAsk(await share(context, AFTER));
      browser.kill();
      expect(filesWith(browser.profile, AFTER)).toEqual([]);

      context = await browser.open();
      page = context.pages()[0] ?? (await context.newPage());
      await unlock(page);
      await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(AFTER);
      const waiting = () =>
        page.evaluate(async () => {
          const found: string[] = [];
          await globalThis.recollect?.app.lock.takeShared(async (words) => found.push(words) === 0);
          return found;
        });
      await expect.poll(waiting).toEqual([]);
      // The shared words are an ordinary draft now.
      await page.keyboard.press('ControlOrMeta+Shift+L');
      await toAsk(page);
      await unlock(page);
      await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(AFTER);
    } finally {
      await browser.dispose();
    }
  });
});

/** Places that keep a person's words; each gets a word of its own. */
const PLACES = [
  'message',
  'draft',
  'title',
  'imported',
  'file name',
  'text file',
  'table',
  'web page',
  'project',
  'project instructions',
  'folder',
  'pinned note',
  'note',
  'instructions',
  'own name',
  'prompt',
  'prompt words',
  'persona',
  'persona instructions',
  'connection',
  'key',
  'device name',
  'find',
  'palette',
  'memory search',
] as const;
type Place = (typeof PLACES)[number];
/** Letters that no other file of a browser contains, the same in each run. */
const wordOf = (place: Place): string =>
  [...createHash('sha256').update(place).digest()]
    .map((byte) => 'bcdfghjkmpqrstvw'[byte % 16])
    .slice(0, 18)
    .join('');

/** Writes words through the services. */
const keepWords = (page: Page, baseUrl: string, words: Record<Place, string>) =>
  page.evaluate(
    async ({ baseUrl, words }) => {
      const app = globalThis.recollect?.app;
      if (!app) throw new Error('There is no console.');
      const { settings, prompts, projects, notes, deviceName } = app;
      const endpoint = { id: 'scripted', label: words.connection, baseUrl, models: ['markdown'] };
      await settings.saveEndpoint(endpoint, `sk-${words.key}`);
      await settings.choose({ endpointId: 'scripted', model: 'markdown' });
      await settings.set('privacy.own_names', [words['own name']]);
      await settings.set('chat.instructions', words.instructions);
      await prompts.savePrompt({ name: words.prompt, description: '', text: words['prompt words'] });
      await prompts.savePersona({
        name: words.persona,
        description: '',
        sign: '',
        colour: 'blue',
        instructions: words['persona instructions'],
        model: null,
        parameters: {},
        memory: 'all',
        project: null,
      });
      const project = await projects.create({
        name: words.project,
        instructions: words['project instructions'],
        workDirs: [`/home/${words.folder}`],
      });
      await projects.pinNote(project, words['pinned note']);
      await notes.write({ text: words.note });
      await deviceName.set(words['device name']);
    },
    { baseUrl, words },
  );

/** Types, sends, searches and attaches words as a person does. */
async function typeEverywhere(page: Page, words: Record<Place, string>): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await page
    .locator('form input[type=file]')
    .first()
    .setInputFiles([
      asFile(`${words['file name']}.txt`, words['text file'], 'text/plain'),
      asFile('table.csv', `a,b\n${words.table},2`, 'text/csv'),
      asFile('page.html', `<p>${words['web page']}</p>`, 'text/html'),
    ]);
  await expect(page.getByRole('list', { name: 'Attached files' }).getByRole('listitem')).toHaveCount(3);
  await box.pressSequentially(`About ${words.message}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').getByText('The end.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await page.keyboard.press('ControlOrMeta+f');
  await page.getByRole('textbox', { name: 'Find in conversation' }).pressSequentially(words.find);
  await expect(page.getByText('Nothing found').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').pressSequentially(words.palette);
  await page.keyboard.press('Escape');
  await box.fill(`Draft ${words.draft}`);
  await saved(page);
}

test('no word from any place of a locked device is in a file of the browser', async () => {
  const words = Object.fromEntries(PLACES.map((place) => [place, wordOf(place)])) as Record<Place, string>;
  const server = await startScriptedModel();
  const browser = ownBrowser();
  try {
    const { page } = await openSealed(browser);
    await page.goto(`${BASE}/?console`);
    await unlock(page);
    const talks = ['Kettles', words.title].map((title) => ({ title, turns: [words.imported, 'Noted.'] }));
    // The first conversation exists already and keeps its messages.
    await bringExport(page, chatgptHistory(talks));
    await keepWords(page, server.baseUrl, words);
    await typeEverywhere(page, words);
    await page.getByRole('link', { name: 'Memory' }).first().click();
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await page.getByRole('searchbox').first().pressSequentially(words['memory search']);
    await page.keyboard.press('Enter');
    await saved(page);
    await remembered(page, 'words');
    await page.keyboard.press('ControlOrMeta+Shift+L');
    await toAsk(page);
    browser.kill();
    // The app stores attached files in base64.
    const forms = (word: string) => [word, Buffer.from(word).toString('base64')];
    const left = PLACES.flatMap((place) =>
      forms(words[place]).flatMap((form) =>
        filesWith(browser.profile, form).map((file) => `${place}: ${file}`),
      ),
    );
    expect(left).toEqual([]);

    const context = await browser.open();
    const again = context.pages()[0] ?? (await context.newPage());
    await unlock(again);
    const kept = await again.evaluate(async () => {
      const app = globalThis.recollect?.app;
      const { entries } = app?.documents.library.get() ?? { entries: [] };
      const read = await Promise.all(entries.map(({ id }) => app?.documents.read(id)));
      const said = read.map((one) => [one?.meta, [...(one?.messages.values() ?? [])]]);
      return JSON.stringify([
        said,
        app?.prompts.state.get(),
        app?.settings.connections.get(),
        app?.deviceName.get(),
      ]);
    });
    for (const place of [
      'message',
      'title',
      'imported',
      'web page',
      'prompt words',
      'connection',
      'device name',
    ] as const)
      expect(kept, place).toContain(words[place]);
  } finally {
    await browser.dispose();
    await server.close();
  }
});

/** Everything that lies on a device, as a page without the key can read it: each store and file once. */
const lyingReadable = (page: Page) =>
  page.evaluate(async () => {
    const found: { where: string; readable: string[]; bytes: number }[] = [];
    /** Rows of letters that chance does not make, without ids and numbers. */
    const rowsIn = (bytes: Uint8Array) =>
      [...(new TextDecoder('latin1').decode(bytes).match(/[ -~]{24,}/g) ?? [])]
        .map((row) => row.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*').replace(/\d+/g, '#'))
        .filter((row) => /[a-z]{5}|"/.test(row));
    const sizeOf = (value: unknown): number => {
      if (value instanceof Uint8Array || value instanceof ArrayBuffer) return value.byteLength;
      if (typeof value !== 'object' || value === null) return String(value ?? '').length;
      return Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 0);
    };
    /** Ways to everything in a value that is not sealed. */
    const readableIn = (value: unknown, way: string): string[] => {
      if (value instanceof ArrayBuffer) return readableIn(new Uint8Array(value), way);
      if (value instanceof Uint8Array) return rowsIn(value).map((row) => `${way} ${row}`);
      if (value instanceof CryptoKey) return value.extractable ? [`${way} key`] : [];
      if (Array.isArray(value)) return value.flatMap((one) => readableIn(one, `${way}[]`));
      if (typeof value === 'object' && value !== null)
        return Object.entries(value).flatMap(([key, one]) => readableIn(one, `${way}.${key}`));
      return value === null || value === undefined ? [] : [`${way} ${typeof value}`];
    };
    const asked = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const readDatabases = async (factory: IDBFactory, at: string) => {
      for (const { name = '' } of await factory.databases()) {
        const database = await asked(factory.open(name));
        for (const store of database.objectStoreNames) {
          const objects = database.transaction(store).objectStore(store);
          const [keys, values] = [await asked(objects.getAllKeys()), await asked(objects.getAll())];
          const named = (key: IDBValidKey | undefined) =>
            typeof key === 'string' ? key.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*') : '#';
          const readable = values.flatMap((value, place) => readableIn(value, named(keys[place])));
          const bytes = values.reduce<number>((sum, one) => sum + sizeOf(one), 0);
          found.push({ where: `${at}${name} ${store}`, readable: [...new Set(readable)].sort(), bytes });
        }
        database.close();
      }
    };
    const readFolder = async (folder: FileSystemDirectoryHandle, at: string): Promise<void> => {
      for await (const [name, handle] of folder as unknown as AsyncIterable<[string, FileSystemHandle]>) {
        const where = `${at}/${name}`;
        if (handle.kind === 'directory') await readFolder(handle as FileSystemDirectoryHandle, where);
        else {
          const bytes = new Uint8Array(
            await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer(),
          );
          const isJson = name.endsWith('.json');
          const readable = isJson
            ? readableIn(JSON.parse(new TextDecoder().decode(bytes)), '')
            : rowsIn(bytes);
          found.push({ where, readable: [...new Set(readable)].sort(), bytes: bytes.length });
        }
      }
    };
    await readDatabases(indexedDB, '');
    await readFolder(await navigator.storage.getDirectory(), 'file');
    const { storageBuckets } = navigator as unknown as {
      storageBuckets: {
        keys(): Promise<string[]>;
        open(name: string): Promise<{
          indexedDB: IDBFactory;
          caches: CacheStorage;
          getDirectory(): Promise<FileSystemDirectoryHandle>;
        }>;
      };
    };
    for (const name of await storageBuckets.keys()) {
      const bucket = await storageBuckets.open(name);
      await readDatabases(bucket.indexedDB, `bucket ${name} `);
      await readFolder(await bucket.getDirectory(), `bucket ${name} file`);
      for (const cache of await bucket.caches.keys())
        found.push({ where: `bucket ${name} cache`, readable: [cache], bytes: 0 });
    }
    for (const [where, storage] of [
      ['local storage', localStorage],
      ['session storage', sessionStorage],
    ] as const)
      for (const key of Object.keys(storage))
        found.push({ where, readable: [key], bytes: storage.getItem(key)?.length ?? 0 });
    for (const cache of await caches.keys()) found.push({ where: 'cache', readable: [cache], bytes: 0 });
    return found;
  });

/** What the settings say stays readable, in their words, and where it lies. */
const READABLE: readonly (readonly [says: string, where: RegExp, readable: RegExp])[] = [
  ['How many entries', / tallies$/, /^#\.(?:bytes|entries|head) number$/],
  ['the ids and names', / documents$/, /^(?:\*|library|notes) boolean$/],
  [
    'how large, when they came',
    / entries$/,
    /^#\.(?:(?:at|seq|size|sum) number|(?:document|id|origin) string)$/,
  ],
  // PGlite's own files: their names and sizes, never what is in them.
  ['the ids and names', /^bucket recollect-index \S+ files$/, /^\/\S+\.(?:(?:id|size) number|path string)$/],
  [
    'How many entries',
    /^recollect-\d+ (?!entries|documents|tallies)\w+$/,
    /^(?:log\/values boolean|storage\/\w+(?:\.\w+)* \w+)$/,
  ],
  [
    'when they came',
    /-log-copy\/#$/,
    /"document":"[^" ]{1,80}","origin":"\w+","seq":#,"at":#\}|^[^ ]{0,8}"?(?:binary|bytes)","type":"Uint#Array","at":#\}/,
  ],
  [
    'Which ways to unlock there are',
    /recollect-lock/,
    /^(?:lock)?\.(?:slots|check|conversion|generation|sealed|stale|version)/,
  ],
  ['how many tries were wrong', /recollect-lock/, /^(?:lock)?\.tries\.(?:failed|until) number$/],
  ['language of the lock screen', /recollect-lock/, /^(?:lock)?\.language string$/],
  ['How much another app shared', /recollect-lock/, /^(?:lock)?\.box\.(?:publicKey|privateKey) string$/],
  ['Theme', /^local storage$/, /^recollect\.(?:theme|first-paint)$/],
  ['when Recollect was last used', /^local storage$/, /^recollect\.active$/],
  ['the ids and names', /^session storage$/, /^recollect\.tab$/],
  ['The app itself and its language models', /^cache$/, /^recollect-|^workbox-|-precache-/],
];

/** What can be read and is not said. */
const unsaid = (found: Awaited<ReturnType<typeof lyingReadable>>): string[] =>
  found.flatMap(({ where, readable, bytes }) => {
    const place = where.replace(/\d+/g, '#');
    const rules = READABLE.filter(([, one]) => one.test(place) || one.test(where));
    const left = readable.filter((one) => !rules.some(([, , said]) => said.test(one)));
    return left.map((one) => `${where} (${bytes} bytes): ${one.slice(0, 200)}`);
  });

test('what is readable on a locked device is what the settings say, also after something was forgotten', async () => {
  const browser = ownBrowser();
  try {
    const { page } = await openSealed(browser);
    await page.goto(`${BASE}/settings/privacy?console`);
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Unlock' }).click();
    const says = page.getByText('How many entries and settings there are');
    for (const [words] of READABLE) await expect(says).toContainText(words);
    await remembered(page, 'words');
    // Forgetting rewrites the files of the index.
    await page.evaluate(async () => {
      const forget = globalThis.recollect?.app.forget;
      const { signal } = new AbortController();
      const plan = await forget?.seek({ kind: 'phrase', words: ['Noted'], whole: false }, signal);
      if (plan) await forget?.begin(plan);
    });
    const step = () => page.evaluate(() => globalThis.recollect?.app.forget.state.get());
    await expect.poll(async () => (await step())?.step, { timeout: 60_000 }).toBe('done');
    await saved(page);
    await remembered(page, 'words');
    await page.keyboard.press('ControlOrMeta+Shift+L');
    await toAsk(page);
    const found = await lyingReadable(page);
    expect(unsaid(found)).toEqual([]);
    const index = found.filter(({ where }) => where.startsWith('bucket recollect-index'));
    expect(index.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(100_000);
    browser.kill();
    expect(ours(filesWith(browser.profile, BEFORE))).toEqual([]);
  } finally {
    await browser.dispose();
  }
});

test('a device that is not locked has more to read: the list above is no list of everything', async () => {
  const browser = ownBrowser();
  try {
    const context = await browser.open();
    const page = context.pages()[0] ?? (await context.newPage());
    await openApp(page, `${BASE}/?console`);
    await bringExport(
      page,
      chatgptHistory([{ title: 'Kettles', turns: [`The code is ${BEFORE}.`, 'Noted'] }]),
    );
    await saved(page);
    await remembered(page, 'words');
    const found = unsaid(await lyingReadable(page)).join('\n');
    for (const where of [/ entries \(/, /-log-copy\/\d+ \(/, /file\/recollect-index-/])
      expect(found).toMatch(where);
  } finally {
    await browser.dispose();
  }
});
