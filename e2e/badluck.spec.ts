// Faults that a test can cause in a real browser: damaged pages of the index, and a full disk while a person chats and
// imports. The app loses nothing and reports each of them.
import type { Page } from '@playwright/test';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  goToSettings,
  HISTORY,
  importThroughDialog,
  openApp,
  remembered,
  saved,
  test,
} from './app.ts';
import { settle } from './screens.ts';

test.use({ firstStart: true });

const BASE = `http://localhost:${process.env.E2E_PORT ?? 4317}`;

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Imports the little history in the page itself, without the dialog. */
const bringHistory = (page: Page) => bringExport(page, chatgptHistory(HISTORY));

/**
 * Overwrites every page of the index's tables that holds these words. Call it while no tab has the app open;
 * it waits for the files to be released.
 */
const damagePages = (page: Page, words: string): Promise<number> =>
  page.evaluate(async (words) => {
    const PAGE = 8192;
    const wanted = new TextEncoder().encode(words);
    const holds = (bytes: Uint8Array) => {
      for (let at = bytes.indexOf(wanted[0] as number); at >= 0; ) {
        if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return true;
        at = bytes.indexOf(wanted[0] as number, at + 1);
      }
      return false;
    };
    const noise = Uint8Array.from({ length: PAGE }, (_, at) => (at * 37 + 11) % 256);
    let damaged = 0;

    /** Retries, because the worker of a closed page may hold the file for a while. */
    const writable = async (file: FileSystemFileHandle): Promise<FileSystemWritableFileStream> => {
      for (const until = performance.now() + 30_000; ; )
        try {
          return await file.createWritable({ keepExistingData: true });
        } catch (error) {
          const held = (error as DOMException).name === 'NoModificationAllowedError';
          if (!held || performance.now() > until) throw error;
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
    };

    type Folder = { values(): AsyncIterable<FileSystemHandle> };
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const entry of (folder as unknown as Folder).values()) {
        if (entry.kind === 'directory') {
          await walk(entry as FileSystemDirectoryHandle);
          continue;
        }
        const file = await (entry as FileSystemFileHandle).getFile();
        // Leaves segments of the write-ahead log (1 MB) alone: Postgres reads those at
        // opening, and this is about later reads.
        if (file.size === 0 || file.size % PAGE > 0 || file.size === 2 ** 20) continue;
        const bytes = new Uint8Array(await file.arrayBuffer());
        const rotten: number[] = [];
        for (let at = 0; at < bytes.length; at += PAGE)
          if (holds(bytes.subarray(at, at + PAGE))) rotten.push(at);
        if (rotten.length === 0) continue;
        const writing = await writable(entry as FileSystemFileHandle);
        for (const position of rotten) await writing.write({ type: 'write', position, data: noise });
        await writing.close();
        damaged += rotten.length;
      }
    };
    await walk(await navigator.storage.getDirectory());

    // The files lie in a storage bucket of their own where the browser supports buckets.
    const { storageBuckets } = navigator as {
      storageBuckets?: { open(name: string): Promise<{ indexedDB: IDBFactory }> };
    };
    const bucket = await storageBuckets?.open('recollect-index');
    for (const place of bucket ? [indexedDB, bucket.indexedDB] : [indexedDB])
      for (const { name } of await place.databases()) {
        if (!name?.startsWith('recollect-index')) continue;
        const database = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = place.open(name);
          opening.onsuccess = () => resolve(opening.result);
          opening.onerror = () => reject(opening.error);
        });
        const ask = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
          });
        const writing = database.transaction(['files', 'pages'], 'readwrite');
        const files: { path: string; id: number }[] = await ask(writing.objectStore('files').getAll());
        const tables = new Set(files.filter(({ path }) => path.startsWith('/base/')).map(({ id }) => id));
        const pages = writing.objectStore('pages');
        for (const key of await ask(pages.getAllKeys())) {
          if (!tables.has(Math.floor((key as number) / 2 ** 32))) continue;
          if (!holds(await ask(pages.get(key)))) continue;
          await ask(pages.put(noise, key));
          damaged += 1;
        }
        database.close();
      }
    return damaged;
  }, words);

/** Moves the index there; resolves when it is done. */
async function keepIndexIn(page: Page, engine: 'opfs' | 'indexeddb'): Promise<void> {
  await page.evaluate((engine) => globalThis.recollect?.app.settings.set('storage.engine', engine), engine);
  await expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine))
    .toBe(engine);
}

for (const engine of ['opfs', 'indexeddb'] as const)
  test(`an index that is damaged inside is made again by itself, and says so (${engine})`, async ({
    page,
  }) => {
    test.setTimeout(240_000);
    await openApp(page);
    await keepIndexIn(page, engine);
    await bringHistory(page);
    await remembered(page, 'words');

    // Opened again, because a page that closed leaves its last changes in the write-ahead log, not in the tables.
    await openApp(page);
    await remembered(page, 'words');
    await page.goto('/screenshot.png');
    expect(await damagePages(page, 'restic every night')).toBeGreaterThan(0);

    await openApp(page);
    await composer(page).fill('/recall restic every night');
    await composer(page).press('Enter');
    const notice = page.getByText('The memory index was damaged.');
    await expect(notice).toBeVisible();
    // The search that met the damage gets its answer from the new index.
    await expect(
      page
        .getByRole('region', { name: '/recall restic every night' })
        .getByText(/Run restic every night at three/)
        .first(),
    ).toBeVisible({ timeout: 90_000 });
    await remembered(page, 'words');
    expect(await page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine)).toBe(engine);
    await page.getByText('Close', { exact: true }).click();
    await expect(notice).toHaveCount(0);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('restic');
    await expect(page.getByRole('option', { name: /restic/ }).first()).toBeVisible();
    const kept = await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length);
    expect(kept).toBe(HISTORY.length);

    // The index is whole again: the next start reports nothing.
    await openApp(page);
    await remembered(page, 'words');
    await expect(notice).toHaveCount(0);
  });

test('what a first start left that was cut off is made anew without a word; files that were whole once are not', async ({
  page,
}) => {
  /** Makes an empty pool of files, as a tab leaves it that closes right after the very first start. */
  const emptyPool = async () => {
    await page.goto('/screenshot.png');
    // The previous tab may not have released it yet.
    await expect(() =>
      page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle('recollect-index-18', { create: true });
        const writing = await (await folder.getFileHandle('state.txt', { create: true })).createWritable();
        await writing.write(
          '{"root":{"type":"directory","lastModified":0,"mode":16384,"children":{}},"pool":[]}',
        );
        await writing.close();
      }),
    ).toPass();
  };
  const notice = page.getByText('The memory index was damaged.');
  await emptyPool();
  await openApp(page);
  await bringHistory(page);
  await remembered(page, 'words');
  await expect(notice).toHaveCount(0);
  await emptyPool();
  await openApp(page);
  await expect(notice).toBeVisible();
  await remembered(page, 'words');
});

/** Makes the index look as if a newer app made it: the leader writes that for this page, as for any other tab. */
const makeIndexNewer = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const id = 'newer';
    const tab = new BroadcastChannel(`pglite-tab:${id}`);
    const hears = (type: string) =>
      new Promise<{ type: string; error?: { message: string } }>((resolve) => {
        tab.addEventListener('message', ({ data }) =>
          data.type.startsWith(type) ? resolve(data) : undefined,
        );
      });
    // Held while the page lives: so the leader knows that the tab is there.
    await new Promise<void>((held) => {
      void navigator.locks.request(`pglite-tab-close:${id}`, () => {
        held();
        return new Promise(() => {});
      });
    });
    const connected = hears('connected');
    new BroadcastChannel('pglite-broadcast:recollect-index').postMessage({ type: 'tab-here', id });
    await connected;
    const sql = 'insert into schema_version (version) select max(version) + 1 from schema_version';
    const words = new TextEncoder().encode(`${sql}\0`);
    // A simple query in Postgres' protocol: Q, the length of the rest, the statement.
    const query = new Uint8Array(5 + words.length);
    query[0] = 'Q'.charCodeAt(0);
    new DataView(query.buffer).setUint32(1, 4 + words.length);
    query.set(words, 5);
    const answer = hears('rpc-');
    tab.postMessage({ type: 'rpc-call', callId: id, method: 'execProtocol', args: [query] });
    const { error } = await answer;
    if (error) throw new Error(error.message);
  });

for (const engine of ['opfs', 'indexeddb'] as const)
  test(`an index that a newer app made: all can be read, and Rebuild makes it anew, in every tab (${engine})`, async ({
    page,
    context,
  }) => {
    await openApp(page);
    await keepIndexIn(page, engine);
    await bringHistory(page);
    await remembered(page, 'words');
    await makeIndexNewer(page);
    await page.goto('/screenshot.png');

    await openApp(page);
    await page.getByRole('link', { name: 'Backup of the photos' }).click();
    await expect(page.getByRole('article').getByText(/Run restic every night/)).toBeVisible();
    await page.getByRole('link', { name: 'Memory' }).first().click();
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    const reason = page.getByText('The memory index was made by a newer version of Recollect.');
    await expect(reason).toBeVisible();
    const other = await context.newPage();
    await openApp(other);
    const stateOf = (tab: Page) =>
      tab.evaluate(() => {
        const now = globalThis.recollect?.app.memory.status.get();
        return `${now?.state}: ${now?.problem?.code ?? 'no problem'}`;
      });
    await expect.poll(() => stateOf(other)).toBe('failed: newer-index');

    await page.getByRole('button', { name: 'Rebuild', exact: true }).click();
    const asking = page.getByRole('alertdialog').or(page.getByRole('dialog'));
    await expect(asking).toContainText(`from your ${HISTORY.flatMap(({ turns }) => turns).length} messages`);
    await asking.getByRole('button', { name: 'Rebuild', exact: true }).click();
    await remembered(page, 'words');
    await expect(reason).toHaveCount(0);
    await remembered(other, 'words');
    expect(await page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine)).toBe(engine);
    await composer(other).fill('/recall restic every night');
    await composer(other).press('Enter');
    await expect(
      other
        .getByRole('region', { name: '/recall restic every night' })
        .getByText(/Run restic every night at three/)
        .first(),
    ).toBeVisible();
    await other.close();

    // The index has this app's version now: the next start makes nothing.
    await openApp(page);
    await remembered(page, 'words');
    await expect(page.getByText('The memory index was damaged.')).toHaveCount(0);
  });

/**
 * Opens the log's database as another version of the app would, `above` versions higher. Resolves when
 * it is open or blocked by other tabs.
 */
const openLog = (page: Page, above: number): Promise<string> =>
  page.evaluate(async (above) => {
    const now = (await indexedDB.databases()).find(({ name }) => name === 'recollect')?.version ?? 0;
    const opening = indexedDB.open('recollect', now + above);
    return await new Promise<string>((resolve, reject) => {
      opening.onsuccess = () => {
        if (above > 0) opening.result.close();
        resolve('open');
      };
      opening.onblocked = () => resolve('blocked');
      opening.onerror = () => reject(opening.error);
    });
  }, above);

/** What is in the log's database, read beside the app. */
const rawLog = (page: Page): Promise<{ version: number; entries: string[] }> =>
  page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await answer(indexedDB.open('recollect'));
    const entries = await answer(database.transaction('entries').objectStore('entries').getAll());
    const { version } = database;
    database.close();
    return { version, entries: entries.map(({ seq, id, bytes }) => `${seq} ${id} ${bytes}`) };
  });

test('a log that a newer app wrote, or that another tab holds: the app says which, and touches nothing', async ({
  page,
  context,
}) => {
  await openApp(page);
  await bringHistory(page);
  await saved(page);
  await page.goto('/screenshot.png');
  const screen = page.getByRole('main');
  const fatal = page.getByRole('heading', { name: 'Recollect cannot start here' });
  const before = await rawLog(page);

  // One tab holds the database and does not react; another waits to upgrade it.
  const holding = await context.newPage();
  await holding.goto('/screenshot.png');
  expect(await openLog(holding, 0)).toBe('open');
  const waiting = await context.newPage();
  await waiting.goto('/screenshot.png');
  expect(await openLog(waiting, 1)).toBe('blocked');
  await page.goto('/?console');
  await expect(fatal).toBeVisible();
  await expect(screen).toContainText('holds your conversations and does not let go of them');
  await expect(screen).toContainText('Nothing was changed.');
  await expect(screen).not.toContainText(/private|on the screen|Settings/);
  await waiting.close();
  await holding.close();
  await screen.getByRole('button', { name: 'Reload' }).click();
  await expect(page.getByRole('link', { name: 'Backup of the photos' })).toBeVisible();

  await page.goto('/screenshot.png');
  expect(await rawLog(page)).toEqual(before);
  expect(await openLog(page, 1)).toBe('open');
  await page.goto('/?console');
  await expect(fatal).toBeVisible();
  await expect(screen).toContainText('Your conversations were written by a newer version of Recollect.');
  await expect(screen).toContainText('Nothing was changed.');
  expect(await rawLog(page)).toEqual({ ...before, version: before.version + 1 });
});

/** Sets how much the browser lets this site store, while the page lives. */
interface Quota {
  /** Allows nothing more from now on. */
  fill(): Promise<void>;
  /** Restores the usual quota. */
  clear(): Promise<void>;
}

/**
 * Call it before the app stores anything: for half a minute Chromium still allows what fitted before.
 * `estimate()` does not report this quota.
 */
async function quotaOf(page: Page): Promise<Quota> {
  const devtools = await page.context().newCDPSession(page);
  const allow = (quotaSize?: number) =>
    devtools.send('Storage.overrideQuotaForOrigin', {
      origin: BASE,
      ...(quotaSize === undefined ? {} : { quotaSize }),
    });
  await allow(150_000_000);
  return {
    fill: async () => {
      await allow(1);
      const refused = await page.evaluate(async () => {
        const opened = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve) => {
            request.onsuccess = () => resolve(request.result);
          });
        const opening = indexedDB.open('filler', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('filler');
        const database = await opened(opening);
        const noise = new Uint8Array(4_000_000);
        for (let at = 0; at < noise.length; at += 50_000)
          crypto.getRandomValues(noise.subarray(at, at + 50_000));
        let name = 'none';
        for (let tries = 0; tries < 100 && name === 'none'; tries++) {
          const writing = database.transaction('filler', 'readwrite');
          writing.objectStore('filler').put(noise, 0);
          name = await new Promise<string>((resolve) => {
            writing.oncomplete = () => resolve('none');
            writing.onabort = () => resolve(writing.error?.name ?? '');
          });
        }
        database.close();
        return name;
      });
      expect(refused).toBe('QuotaExceededError');
    },
    clear: async () => void (await allow()),
  };
}

/** Everything that the log has, by conversation. */
const words = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const documents = globalThis.recollect?.app.documents;
    const all: string[] = [];
    for (const { id } of documents?.library.get().entries ?? [])
      for (const { parts } of (await documents?.read(id))?.messages.values() ?? [])
        for (const part of parts) if (part.type === 'text') all.push(part.text);
    return all;
  });

test('a full disk: chat, import and memory say so, lose nothing, and go on when there is room', async ({
  browser,
}) => {
  // A private window: in a profile Chromium reserves far more space for each open
  // file of the index than the file needs.
  const page = await browser.newPage();
  await page.goto('/screenshot.png');
  const quota = await quotaOf(page);
  await openApp(page);
  await bringHistory(page);
  await remembered(page, 'words');
  const before = await words(page);
  await quota.fill();

  // Chat: the words stay on the screen, unsaved, and both notices say why.
  await composer(page).fill('Written while the disk was full');
  await composer(page).press('Enter');
  await expect(page.getByText('Not saved: storage is full')).toBeVisible();
  await expect(page.getByText('The browser has no room left for Recollect.')).toBeVisible();
  await expect(page.getByRole('log').or(page.getByRole('main')).first()).toContainText(
    'Written while the disk was full',
  );

  // Recall still answers from what is indexed.
  const found = await page.evaluate(async () => {
    const signal = new AbortController().signal;
    const request = { text: 'how often is the photo disk backed up', signal };
    return (await globalThis.recollect?.app.memory.recall(request))?.passages[0]?.title;
  });
  expect(found).toBe('Backup of the photos');

  // Import: the app refuses all of it, and keeps the message that waits.
  await importThroughDialog(page, [
    asFile('later.json', chatgptHistory(HISTORY).replaceAll('talk-', 'later-'), 'application/json'),
  ]);
  const report = page.getByRole('dialog');
  await expect(report.getByText('There is no room to import this.')).toBeVisible();
  await expect(report.getByText(/Nothing of it was taken in/)).toBeVisible();
  await report.getByRole('button', { name: 'Done' }).click();
  const listed = await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length);
  expect(listed, 'the history and the conversation that waits').toBe(HISTORY.length + 1);

  // With room again the app writes the waiting message by itself.
  await quota.clear();
  await saved(page);
  await expect(page.getByText('Not saved: storage is full')).toHaveCount(0);
  await openApp(page);
  const after = await words(page);
  expect(after).toContain('Written while the disk was full');
  for (const text of before) expect(after).toContain(text);
  await remembered(page, 'words');
  await page.close();
});

for (const engine of ['opfs', 'indexeddb'] as const)
  test(`a full disk, and the app is opened again: all can be read, nothing new is lost, and it is saved when there is room (${engine})`, async ({
    browser,
  }) => {
    const page = await browser.newPage();
    await page.goto('/screenshot.png');
    const quota = await quotaOf(page);
    await openApp(page);
    await keepIndexIn(page, engine);
    await bringHistory(page);
    await remembered(page, 'words');
    await saved(page);
    const before = await words(page);
    await quota.fill();

    await openApp(page);
    expect((await words(page)).toSorted()).toEqual(before.toSorted());
    await page.getByRole('link', { name: 'Backup of the photos' }).click();
    await expect(page.getByRole('article').getByText(/Run restic every night/)).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await composer(page).fill('/recall restic every night');
    await composer(page).press('Enter');
    const answer = page.getByRole('region', { name: '/recall restic every night' });
    await expect(
      answer.getByText(/Run restic every night at three|The browser has no room left/).first(),
    ).toBeVisible();

    await composer(page).fill('Written while the disk was full');
    await composer(page).press('Enter');
    await expect(page.getByText('Not saved: storage is full')).toBeVisible();
    await expect(page.getByRole('main')).toContainText('Written while the disk was full');
    // The page asks before it lets a person leave.
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();

    await quota.clear();
    await saved(page);
    await expect(page.getByText('Not saved: storage is full')).toHaveCount(0);
    await remembered(page, 'words');
    await openApp(page);
    expect((await words(page)).toSorted()).toEqual([...before, 'Written while the disk was full'].toSorted());
    await remembered(page, 'words');
    await expect(page.getByText('The memory index was damaged.')).toHaveCount(0);
    await page.close();
  });

test('little room from the first: the index is kept in IndexedDB, which needs less', async ({ page }) => {
  await page.goto('/screenshot.png');
  // In a profile Chromium reserves a megabyte for each open file of OPFS.
  await quotaOf(page);
  await openApp(page);
  const engine = () =>
    page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine ?? 'none yet');
  await expect.poll(engine).toBe('indexeddb');
  await bringHistory(page);
  await remembered(page, 'words');
  const commandList = await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const names: string[] = [];
    for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
    return names.filter((name) => name.startsWith('recollect-index'));
  });
  expect(commandList).toEqual([]);

  await openApp(page);
  await expect.poll(engine).toBe('indexeddb');
  await composer(page).fill('/recall restic every night');
  await composer(page).press('Enter');
  await expect(
    page
      .getByRole('region', { name: '/recall restic every night' })
      .getByText(/Run restic every night at three/)
      .first(),
  ).toBeVisible();
});

for (const engine of ['opfs', 'indexeddb'] as const)
  test(`the index has no room: what is there is found, what is not waits, and comes when there is room (${engine})`, async ({
    page,
  }) => {
    await page.goto('/screenshot.png');
    const devtools = await page.context().newCDPSession(page);
    await openApp(page);
    await keepIndexIn(page, engine);
    await bringHistory(page);
    await remembered(page, 'words');
    const talks = Array.from({ length: 60 }, (_, talk) => ({
      title: `Talk ${talk}`,
      turns: Array.from(
        { length: 8 },
        (_, turn) => `Word ${talk} ${turn}: ${crypto.randomUUID()} ${'about many things '.repeat(60)}`,
      ),
    }));
    // This is about the index alone: the log may still write for half a minute after its last change.
    // Tries again where that time was over and nothing came in.
    await expect(async () => {
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: BASE });
      await page.evaluate(() =>
        globalThis.recollect?.app.notes.write({ text: `A little thing, ${crypto.randomUUID()}` }),
      );
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: BASE, quotaSize: 1 });
      const problems = await bringExport(page, chatgptHistory(talks).replaceAll('talk-', 'many-'));
      expect(problems).toEqual([null]);
    }).toPass({ timeout: 180_000 });
    const status = () =>
      page.evaluate(() => {
        const now = globalThis.recollect?.app.memory.status.get();
        return `${now?.engine}: ${now?.problem?.code ?? 'no problem'}`;
      });
    await expect.poll(status).toBe(`${engine}: storage-full`);
    const found = await page.evaluate(async () => {
      const signal = new AbortController().signal;
      const request = { text: 'how often is the photo disk backed up', signal };
      const result = await globalThis.recollect?.app.memory.recall(request);
      return result?.passages[0]?.title ?? result?.degraded?.code;
    });
    // In IndexedDB the index answers nothing while a change waits to be written; the answer then says why.
    expect(found).toBe(engine === 'opfs' ? 'Backup of the photos' : 'storage-full');
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: BASE });
    await remembered(page, 'words');
    await expect(page.getByText('The memory index was damaged.')).toHaveCount(0);
  });

test('a sidebar that fails leaves the rest standing, and comes back', async ({ page }) => {
  await openApp(page);
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
  const broken = page.getByRole('complementary', { name: 'Sidebar' }).getByRole('alert');
  // Makes a line of the list that fails to draw.
  await page.evaluate(() => {
    const chat = globalThis.recollect?.app.chat as unknown as { turn: unknown };
    const { turn } = chat;
    chat.turn = () => {
      throw new Error('A defect');
    };
    Object.assign(globalThis, { repair: () => Object.assign(chat, { turn }) });
  });
  await bringHistory(page);
  await expect(broken).toContainText('did not expect');
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
  await page.evaluate(() => (globalThis as unknown as { repair(): void }).repair());
  await broken.getByRole('button', { name: 'Try again' }).click();
  await expect(broken).toHaveCount(0);
  await expect(page.getByRole('link', { name: /backup/i }).first()).toBeVisible();
});

/** Markup too deep to lay out, or that overflows the stack. The last kind cannot be recognised in the text. */
const NESTED = {
  list: `${'- '.repeat(1000)}the end`,
  quotes: `${'> '.repeat(3000)}the end`,
  elements: `${'<div>'.repeat(3000)}the end`,
  // Without end tags the renderer would take them for text.
  shouted: `${'<DIV>'.repeat(3000)}the end${'</DIV>'.repeat(3000)}`,
};
const PLAINLY = 'This text could not be formatted. All of it is shown as plain text.';

test('a message that cannot be laid out is shown as plain words, whole, and takes none of the others along', async ({
  page,
}) => {
  await openApp(page);
  await bringExport(
    page,
    chatgptHistory(
      Object.entries(NESTED).map(([name, words]) => ({
        title: `Deep ${name}`,
        turns: ['Nest it', words, 'Thanks', 'A **good** answer'],
      })),
    ),
  );
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [name, words] of Object.entries(NESTED)) {
    await page.getByRole('link', { name: `Deep ${name}` }).click();
    await expect(page.getByRole('heading', { name: `Deep ${name}` })).toBeVisible();
    await expect(page.getByRole('article').getByText('good', { exact: true })).toBeVisible();
    const message = page.getByRole('article').filter({ hasText: PLAINLY });
    await expect(message).toHaveCount(1);
    expect(await message.evaluate((element, words) => element.textContent?.includes(words), words)).toBe(
      true,
    );
    await message.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(words);
  }
});

test('an answer that nests too deep shows as plain words already while it is written, and the conversation goes on', async ({
  page,
}) => {
  const server = await startScriptedModel();
  try {
    await openApp(page);
    await page.evaluate(async (baseUrl) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint(
        { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
        'sk-test',
      );
      await settings?.choose({ endpointId: 'scripted', model: 'plain' });
    }, server.baseUrl);
    const say = async (words: string) => {
      await composer(page).fill(words);
      await composer(page).press('Enter');
    };
    const said = (words: string) => page.getByRole('article').getByText(words).first();
    await say('Good morning');
    await expect(said('The backup runs every night')).toBeVisible();
    for (const [name, sign, ends] of [
      ['list', '- ', ''],
      ['shouted', '<DIV>', '</DIV>'.repeat(3000)],
    ] as const) {
      const half = sign.repeat(1500);
      server.next({
        steps: [
          { text: `Well ${name}:\n\n${half}` },
          { text: `${half}so far` },
          { gate: true },
          { text: ` the end${ends}` },
          { finish: 'stop' },
        ],
      });
      await say(`Nest the ${name}`);
      const message = page.getByRole('article').filter({ hasText: `Well ${name}` });
      await expect(message).toContainText(PLAINLY);
      await expect(message).toContainText('so far');
      await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
      await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
      server.go();
      await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
      await expect(message).toContainText('so far the end');
      await expect(message).toContainText(PLAINLY);
    }
    await say('Good night');
    await expect(page.getByRole('article').last()).toContainText('The backup runs every night');
    await saved(page);
    await page.reload();
    await expect(said('Good night')).toBeVisible();
  } finally {
    await server.close();
  }
});

test.describe('without a service worker, which would have the file', () => {
  test.use({ serviceWorkers: 'block' });

  test('a palette that cannot be loaded says so in its place', async ({ page }) => {
    await page.route(/assets\/palette-[^/]*\.js/, (route) => route.abort());
    await openApp(page);
    await page.keyboard.press('ControlOrMeta+k');
    await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
    await settle(page);
    await expect(composer(page)).toBeVisible();
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  });

  test('a screen that cannot be loaded, as after a new version took over in another tab, says so and comes with a reload', async ({
    page,
  }) => {
    const missing = /assets\/settings-screen-[^/]*\.js/;
    await page.route(missing, (route) => route.fulfill({ status: 404, body: 'gone' }));
    await openApp(page);
    await goToSettings(page);
    const alert = page.getByRole('main').getByRole('alert');
    await expect(alert).toContainText('This part of the app could not be loaded.');
    await expect(alert.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await page.unroute(missing);
    await alert.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByRole('heading', { name: 'Settings', exact: true }).first()).toBeVisible();
  });

  test('a window that is long on its way says so, and is closed by Escape', async ({ page }) => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/assets\/import-dialog-[^/]*\.js/, async (route) => {
      await arrived;
      await route.continue();
    });
    await openApp(page);
    const open = () =>
      page.getByRole('main').getByRole('button', { name: 'Import my conversations' }).click();
    await open();
    const dialog = page.getByRole('dialog', { name: 'Import' });
    await expect(dialog.getByText('Loading')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await open();
    await expect(dialog.getByText('Loading')).toBeVisible();
    arrive();
    await expect(page.locator('input[data-import=files]')).toBeAttached();
    await expect(dialog.getByText('Loading')).toHaveCount(0);
  });
});
