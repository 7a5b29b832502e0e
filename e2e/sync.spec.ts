// Two browsers and a real relay between them: pairing, recall of what the other device said, writing offline,
// and every way in which the app must refuse a wrong key.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, Page } from '@playwright/test';
import { createSealing } from '../src/adapters/vault/sealing.ts';
import type { ConversationId } from '../src/domain/base/ids.ts';
import { toText } from '../src/domain/sync/bytes.ts';
import { accountTag, TOKEN_BYTES, tokenInfo } from '../src/domain/sync/keys.ts';
import { phraseOf, readPairing } from '../src/domain/sync/pairing.ts';
import { freePort } from '../test/server/free-port.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  expect,
  goToSettings,
  HISTORY,
  importThroughDialog,
  type OwnBrowser,
  openApp,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

/** The relay as its own process, on one port and one folder, so that it can be killed and started again. */
interface RelayProcess {
  readonly address: string;
  start(): Promise<void>;
  /** Kills it at once, as a power cut would. */
  kill(): Promise<void>;
  dispose(): Promise<void>;
}

function relayProcess(port: number): RelayProcess {
  const data = mkdtempSync(join(tmpdir(), 'recollect-relay-'));
  let running: ChildProcess | undefined;
  const kill = async () => {
    const process = running;
    running = undefined;
    if (!process || process.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  return {
    address: `ws://localhost:${port}`,
    start: async () => {
      const started = spawn(
        process.execPath,
        ['--import', 'tsx', join(import.meta.dirname, '../src/relay/main.ts')],
        {
          cwd: join(import.meta.dirname, '..'),
          env: { ...process.env, PORT: String(port), RELAY_DATA: data, DATABASE_URL: '' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      running = started;
      let listening = false;
      for await (const line of createInterface({ input: started.stdout })) {
        listening = line.includes('"listening"');
        if (listening) break;
      }
      if (!listening) throw new Error(`The relay ended before it listened on ${port}`);
      started.stdout.resume();
    },
    kill,
    dispose: async () => {
      await kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

let relay: RelayProcess;
let browsers: OwnBrowser[];
let base: string;

test.beforeEach(async ({ baseURL }) => {
  base = baseURL ?? '';
  browsers = [];
  // Another process may take the port first.
  for (let tries = 1; ; tries++)
    try {
      relay = relayProcess(await freePort());
      return await relay.start();
    } catch (error) {
      await relay.dispose();
      if (tries === 5) throw error;
    }
});
test.afterEach(async () => {
  for (const browser of browsers) await browser.dispose();
  await relay.dispose();
});

interface Device {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** A browser with a profile of its own: the devices share only the relay. */
async function device(path = '/?console', args: readonly string[] = []): Promise<Device> {
  const browser = ownBrowser(args);
  browsers.push(browser);
  const context = await browser.open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(base + path);
  await expect(page.getByRole('main')).toBeVisible();
  return { page, context };
}

const openSettings = async (page: Page) => {
  await goToSettings(page);
  await page.getByRole('navigation', { name: 'Settings' }).getByText('Sync', { exact: true }).click();
};

async function createAccount({ page }: Device, name = 'Desk'): Promise<void> {
  await openSettings(page);
  await page.getByRole('radio', { name: /My relay/ }).check();
  await page.getByLabel('Address of the relay').fill(relay.address);
  await page.getByRole('button', { name: 'Test the relay' }).click();
  await expect(page.getByText('would let this device in')).toBeVisible();
  await page.getByLabel('Name of this device').fill(name);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await inStep(page);
}

/** The status on Settings › Sync, which claims no more than the device knows. */
const inStep = (page: Page) =>
  expect(page.getByRole('main').getByText('Up to date')).toBeVisible({ timeout: 60_000 });

async function showKey(page: Page, way: 'QR code' | 'Link' | '24 words'): Promise<void> {
  await page.getByRole('button', { name: 'Show how' }).click();
  const dialog = page.getByRole('dialog');
  const show = dialog.getByRole('button', { name: 'Show the key' });
  await expect(show).toBeVisible();
  await expect(dialog.getByRole('img', { name: /QR code/ })).toHaveCount(0);
  await show.click();
  await dialog.getByText(way, { exact: true }).click();
}

async function linkOf({ page }: Device): Promise<string> {
  await showKey(page, 'Link');
  const link = await page.getByRole('dialog').getByRole('textbox', { name: 'Link' }).inputValue();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  return link;
}

const fingerprintOn = (page: Page) => page.locator('[data-fingerprint]').first().textContent();

async function confirmPairing(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of this device').last().fill(name);
  await page.getByRole('main').getByRole('button', { name: 'Pair this device' }).click();
}

async function pairedTo(desk: Device, name = 'Phone'): Promise<Device> {
  const link = await linkOf(desk);
  const phone = await device();
  // Pasted into the address of a running app, the link changes only the fragment.
  await phone.page.evaluate((fragment) => {
    location.hash = fragment;
  }, new URL(link).hash);
  await confirmPairing(phone.page, name);
  await inStep(phone.page);
  return phone;
}

/** What both devices hold of every conversation, as text. */
const contents = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    const entries = app?.documents.library.get().entries ?? [];
    const all = await Promise.all(
      entries.map(async ({ id, title, deletedAt }) => {
        const conversation = await app?.documents.read(id);
        const messages = [...(conversation?.messages.values() ?? [])]
          .map((message) => `${message.id} ${message.parentId} ${JSON.stringify(message.parts)}`)
          .sort();
        return JSON.stringify({ id, title, deleted: deletedAt !== null, messages });
      }),
    );
    return all.sort().join('\n');
  });
const same = (one: Page, other: Page) =>
  expect(async () => expect(await contents(one)).toBe(await contents(other))).toPass({
    timeout: 60_000,
    intervals: [300],
  });

/** Asks the relay for the rooms of this device's account. `status`: of HTTP, 404 for an erased account. */
async function accountOnRelay(page: Page): Promise<() => Promise<{ status: number; rooms: number | null }>> {
  const { link } = await page.evaluate(
    async () =>
      await (globalThis.recollect as NonNullable<typeof recollect>).app.sync.pairing(`${location.origin}/`),
  );
  const { key, realm } = readPairing(link);
  const ring = await createSealing().keyRing(key);
  const token = toText(await ring.derive(tokenInfo(realm), TOKEN_BYTES));
  const address = `${relay.address.replace(/^ws/, 'http')}/${accountTag(token)}`;
  return async () => {
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
    const usage: { rooms?: number } = answer.ok ? await answer.json() : {};
    return { status: answer.status, rooms: usage.rooms ?? null };
  };
}

/**
 * Says something and waits until it and its answer from memory are saved, so that a comparison afterwards is stable.
 */
async function say(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').getByText(words).first()).toBeVisible();
  await expect
    .poll(
      () =>
        page.evaluate(async (said) => {
          const app = globalThis.recollect?.app;
          const id = location.pathname.split('/').at(-1) as ConversationId;
          const messages = [...((await app?.documents.read(id))?.messages.values() ?? [])];
          const question = messages.find(({ parts }) => JSON.stringify(parts).includes(said));
          return messages.some(({ parentId, kind }) => parentId === question?.id && kind === 'recall');
        }, words),
      { timeout: 60_000 },
    )
    .toBe(true);
  await saved(page);
}

test('pair by link, import and chat on one, recall on the other', {
  tag: ['@gate', '@have-it-on-all-your-devices'],
}, async () => {
  test.setTimeout(240_000);
  const desk = await device();
  await importThroughDialog(desk.page, [
    asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
  ]);
  await doneImporting(desk.page);
  await createAccount(desk);
  const print = await fingerprintOn(desk.page);

  const link = await linkOf(desk);
  const phone = await device('/');
  await phone.page.goto(link);
  // The app first takes the key out of the address and the history.
  await expect(phone.page).toHaveURL(`${base}/pair`);
  expect(await phone.page.evaluate(() => `${location.href} ${document.referrer}`)).not.toContain('pair=');
  expect(await fingerprintOn(phone.page)).toBe(print);
  await confirmPairing(phone.page, 'Phone');
  await inStep(phone.page);
  await phone.page.goBack().catch(() => null);
  expect(phone.page.url()).not.toContain('pair=');

  await phone.page.goto(`${base}/?console`);
  await expect(phone.page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await expect
    .poll(() =>
      phone.page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length ?? 0),
    )
    .toBe(HISTORY.length);
  await same(desk.page, phone.page);

  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'The spare key of the cellar hangs behind the blue door.');
  await expect(desk.page.getByText(/Saved, also on Phone/)).toBeVisible({ timeout: 60_000 });
  await same(desk.page, phone.page);

  await remembered(phone.page);
  await phone.page
    .getByRole('textbox', { name: 'Message' })
    .fill('/recall where is the spare key of the cellar');
  await phone.page.keyboard.press('Enter');
  await expect(
    phone.page.getByRole('region', { name: 'Recalled from other conversations' }).first(),
  ).toContainText('behind the blue door');
  await phone.page.getByRole('textbox', { name: 'Message' }).fill('/recall when do we back up the photos');
  await phone.page.keyboard.press('Enter');
  await expect(
    phone.page.getByRole('region', { name: 'Recalled from other conversations' }).last(),
  ).toContainText('Backup of the photos');
});

test.describe('with a service worker that has the app where there is no network', () => {
  test.use({ serviceWorkers: 'allow' });

  test('both offline, both write in the same conversation, both back: nothing is lost, and it shows', async () => {
    test.setTimeout(240_000);
    const desk = await device();
    await createAccount(desk);
    await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
    await say(desk.page, 'Which colour shall the shed have?');
    await expect(desk.page).toHaveURL(/\/c\//);
    const path = new URL(desk.page.url()).pathname;
    await openSettings(desk.page);
    const phone = await pairedTo(desk);
    await same(desk.page, phone.page);
    for (const { page } of [desk, phone]) {
      await openApp(page, `${base}${path}?console`);
      await expect(page.getByRole('article').getByText('Which colour shall the shed have?')).toBeVisible();
    }
    await expect(desk.page.getByText(/Saved, also on Phone/)).toBeVisible({ timeout: 60_000 });
    await same(desk.page, phone.page);

    // The app is loaded completely before the network goes; other journeys cover loading offline.
    for (const { page } of [desk, phone]) await remembered(page, 'words');
    await relay.kill();
    await desk.context.setOffline(true);
    await phone.context.setOffline(true);
    await say(desk.page, 'Green, like the garden gate.');
    await say(phone.page, 'Red, like the barn next door.');
    for (const { page } of [desk, phone])
      await expect(page.getByText(/Offline\. Saved here, \d+ to sync/)).toBeVisible({ timeout: 60_000 });

    await relay.start();
    await desk.context.setOffline(false);
    await phone.context.setOffline(false);
    await expect(desk.page.getByText(/Saved, also on Phone/)).toBeVisible({ timeout: 120_000 });
    await expect(phone.page.getByText(/Saved, also on Desk/)).toBeVisible({ timeout: 120_000 });
    await same(desk.page, phone.page);
    const both = await contents(desk.page);
    expect(both).toContain('Green, like the garden gate.');
    expect(both).toContain('Red, like the barn next door.');
    // Each device still shows its own words; the other branch is one step away.
    await expect(desk.page.getByRole('article').getByText('Green, like the garden gate.')).toBeVisible();
    await expect(phone.page.getByRole('article').getByText('Red, like the barn next door.')).toBeVisible();
    for (const { page } of [desk, phone])
      await expect(page.getByText('2 / 2').or(page.getByText('1 / 2')).first()).toBeVisible();

    // The app notifies the device whose words reached the relay second; the network decides which one that is.
    const led: Page[] = [];
    for (const { page } of [desk, phone]) {
      await openSettings(page);
      await page.getByRole('button', { name: 'Conflicts', exact: true }).click();
    }
    await expect(async () => {
      for (const { page } of [desk, phone])
        if (await page.getByRole('button', { name: 'View the branches' }).first().isVisible()) led.push(page);
      expect(led).not.toEqual([]);
    }).toPass({ timeout: 60_000 });
    for (const page of led) {
      await page.getByRole('button', { name: 'View the branches' }).first().click();
      await expect(page).toHaveURL(new RegExp(path));
      await expect(page.getByText('2 / 2').or(page.getByText('1 / 2')).first()).toBeVisible();
    }
  });
});

/** A video of one frame for Chromium's fake camera: the code on a grey background. */
function filmOf(rows: readonly (readonly boolean[])[]): Buffer {
  const [width, height, module] = [640, 480, 6];
  const [left, top] = [(width - rows.length * module) >> 1, (height - rows.length * module) >> 1];
  const light = Buffer.alloc(width * height, 150);
  rows.forEach((row, y) => {
    row.forEach((dark, x) => {
      for (let line = 0; line < module; line += 1) {
        const from = (top + y * module + line) * width + left + x * module;
        light.fill(dark ? 20 : 235, from, from + module);
      }
    });
  });
  const colour = Buffer.alloc((width * height) / 2, 128);
  return Buffer.concat([
    Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`),
    Buffer.from('FRAME\n'),
    light,
    colour,
  ]);
}

test('two tabs of one device, and the one that syncs is killed: the other goes on, and the other device has the words of both', async () => {
  const desk = await device();
  await createAccount(desk);
  const phone = await pairedTo(desk);
  const second = await desk.context.newPage();
  await openApp(second, `${base}/?console`);
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'The barometer hangs in the hall.');
  const before = desk.page.url();
  // The first tab leads: the person says something in it and closes it at once.
  await desk.page.getByRole('textbox', { name: 'Message' }).fill('It fell last night.');
  await desk.page.keyboard.press('Enter');
  await expect(desk.page.getByRole('article').getByText('It fell last night.').first()).toBeVisible();
  await saved(desk.page);
  await desk.page.goto('chrome://crash').catch(() => {});
  await say(second, 'The almanac lies in the kitchen.');
  await expect(second.getByText(/Saved, also on Phone/)).toBeVisible({ timeout: 120_000 });
  await same(second, phone.page);
  const there = await contents(phone.page);
  for (const words of [
    'The barometer hangs in the hall.',
    'It fell last night.',
    'The almanac lies in the kitchen.',
  ])
    expect(there).toContain(words);
  // The same in the other direction.
  await openApp(phone.page, `${before}?console`);
  await say(phone.page, 'I shall put it up again.');
  await expect.poll(() => contents(second), { timeout: 60_000 }).toContain('I shall put it up again.');
});

test('the QR code on the screen is read back on the other device', async () => {
  const desk = await device();
  await createAccount(desk);
  const print = await fingerprintOn(desk.page);
  await showKey(desk.page, 'QR code');
  const code = desk.page.getByRole('img', { name: 'Pairing link as a QR code' });
  await expect(code).toBeVisible();
  const picture = await code.screenshot();
  await desk.page.getByRole('button', { name: 'Hide now' }).click();
  await expect(code).toHaveCount(0);

  const { qr } = await desk.page.evaluate(
    async () =>
      await (globalThis.recollect as NonNullable<typeof recollect>).app.sync.pairing(`${location.origin}/`),
  );
  const folder = mkdtempSync(join(tmpdir(), 'recollect-film-'));
  const film = join(folder, 'code.y4m');
  writeFileSync(film, filmOf(qr));
  const phone = await device('/pair', [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  await phone.page.locator('input[data-import=qr]').setInputFiles({
    name: 'empty.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"/>'),
  });
  await expect(phone.page.getByText('No QR code was found in this picture')).toBeVisible();
  await phone.page
    .locator('input[data-import=qr]')
    .setInputFiles({ name: 'code.png', mimeType: 'image/png', buffer: picture });
  await expect(phone.page.getByText('The QR code was read.')).toBeVisible();
  expect(await fingerprintOn(phone.page)).toBe(print);

  // The same with the camera.
  await phone.page.getByRole('button', { name: 'Use something else' }).click();
  await phone.page.getByRole('button', { name: 'Scan the QR code' }).click();
  await expect(phone.page.getByText('The QR code was read.')).toBeVisible();
  await expect(phone.page.getByRole('dialog')).toHaveCount(0);
  rmSync(folder, { recursive: true, force: true });
  expect(await fingerprintOn(phone.page)).toBe(print);
  await confirmPairing(phone.page, 'Phone');
  await inStep(phone.page);
  await expect(desk.page.getByText('Phone', { exact: true })).toBeVisible({ timeout: 60_000 });
});

test('wrong words are refused: misspelt, swapped, of another account; nothing is written', async () => {
  const desk = await device();
  await createAccount(desk);
  await showKey(desk.page, '24 words');
  const listed = desk.page.getByRole('list', { name: '24 words' }).getByRole('listitem');
  await expect(listed).toHaveCount(24);
  const words = (await listed.allInnerTexts()).map((item) => item.replace(/[\d\s]+/g, ''));
  await desk.page.keyboard.press('Escape');

  const phone = await device('/pair?console');
  const box = phone.page.getByLabel('Link or 24 words');
  const go = () => phone.page.getByRole('button', { name: 'Continue' }).click();

  await box.fill(['abandn', ...words.slice(1)].join(' '));
  await expect(phone.page.getByText('abandon?')).toBeVisible();
  await go();
  await expect(phone.page.getByRole('alert')).toContainText('One word is not in the list');

  await box.fill(words.slice(0, 20).join(' '));
  await go();
  await expect(phone.page.getByRole('alert')).toContainText('These are 20 words');

  const at = words.findIndex((word, index) => word !== words[index + 1]);
  const swapped = words.with(at, words[at + 1] as string).with(at + 1, words[at] as string);
  await box.fill(swapped.join(' '));
  await go();
  // One swap in 256 has a valid checksum; the relay then has no such account, which is the next case.
  const said = phone.page.getByRole('alert');
  if (await said.isVisible()) await expect(said).toContainText('together they open nothing');
  else await phone.page.getByRole('button', { name: 'Use something else' }).click();

  await box.fill(phraseOf(new Uint8Array(randomBytes(32))));
  await go();
  await phone.page.getByLabel('Address of the relay').fill(relay.address);
  await confirmPairing(phone.page, 'Phone');
  await expect(phone.page.getByRole('alert')).toContainText('The relay has nothing that this key opens', {
    timeout: 60_000,
  });
  const after = await phone.page.evaluate(() => globalThis.recollect?.app.sync.status.get());
  expect(after?.account).toBeNull();
  expect(after?.mode).toBe('disabled');

  await phone.page.getByRole('button', { name: 'Use something else' }).click();
  await box.fill(words.map((word, index) => `${index + 1}. ${word}`).join('\n'));
  await go();
  await phone.page.getByLabel('Address of the relay').fill(relay.address);
  await confirmPairing(phone.page, 'Phone');
  await inStep(phone.page);
});

test('by keyboard: what was pressed goes away with its page, and one goes on where the next one begins', async () => {
  const desk = await device();
  await createAccount(desk);
  await expect(desk.page.getByRole('button', { name: 'Sync now' })).toBeFocused();
  await showKey(desk.page, '24 words');
  const words = (
    await desk.page.getByRole('list', { name: '24 words' }).getByRole('listitem').allInnerTexts()
  ).map((item) => item.replace(/[\d\s]+/g, ''));

  const phone = await device('/pair?console');
  // With the comma of a Chinese keyboard.
  await phone.page.getByLabel('Link or 24 words').fill(words.join('，'));
  await phone.page.getByRole('button', { name: 'Continue' }).press('Enter');
  await expect(phone.page.getByText('This is complete and its checksum is right.')).toBeFocused();
  await phone.page.getByLabel('Address of the relay').fill(relay.address);
  await phone.page.getByLabel('Name of this device').fill('Phone');
  await phone.page.getByLabel('Name of this device').press('Enter');
  await inStep(phone.page);
  await phone.page.getByRole('button', { name: 'Leave', exact: true }).press('Enter');
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).press('Enter');
  await expect(phone.page.getByText('This device has left the account.')).toBeVisible();
  await expect(phone.page.getByRole('textbox', { name: 'Name of this device' })).toBeFocused();
});

/**
 * Makes the notes' room, which also gets the record of what is forgotten, so that the
 * room that goes is the conversation's.
 */
const takeNote = (page: Page) =>
  page.evaluate(async () => {
    await globalThis.recollect?.app.notes.write({ text: 'Tea, never coffee' });
  });

async function forgetEverywhere(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().hover();
  await page
    .getByRole('button', { name: /^More for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Forget for good…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget for good' });
  await dialog.getByRole('button', { name: 'Forget for good' }).click();
  // The report comes after the time for an undo.
  await expect(dialog.getByRole('list', { name: 'What became of it' })).toBeVisible({ timeout: 40_000 });
  // The relay's part is done once new blobs replace those of the room.
  await expect(dialog.getByText(/^Handed out no more/)).toBeVisible({ timeout: 60_000 });
  await expect(dialog.getByText(/^Searched again everywhere/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect.poll(() => contents(page)).toBe('');
}

test('what is decided in the inbox of one device is decided on the other, and so is taking it back', async () => {
  test.setTimeout(240_000);
  const desk = await device();
  await createAccount(desk);
  const phone = await pairedTo(desk);
  const openKnows = async ({ page }: Device) => {
    await page.getByRole('link', { name: 'Memory' }).first().click();
    await page
      .getByRole('navigation', { name: 'Parts of memory' })
      .getByRole('button', { name: 'What it knows' })
      .click();
  };
  const words = 'I live in Ghent with my sister.';
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, words);
  await openKnows(desk);
  await openKnows(phone);
  const asked = ({ page }: Device) =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Remember', exact: true }) });
  const kept = ({ page }: Device) =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Edit note' }) });
  for (const one of [desk, phone]) await expect(asked(one)).toContainText(words);
  await asked(phone).getByRole('button', { name: 'Remember', exact: true }).click();
  for (const one of [phone, desk]) {
    await expect(kept(one)).toContainText(words);
    await expect(asked(one)).toHaveCount(0);
  }
  await phone.page.getByRole('button', { name: 'Undo' }).click();
  for (const one of [phone, desk]) {
    await expect(asked(one)).toContainText(words);
    await expect(kept(one)).toHaveCount(0);
  }
  await asked(desk).getByRole('button', { name: 'No', exact: true }).click();
  for (const one of [desk, phone]) {
    await expect(asked(one)).toHaveCount(0);
    await expect(kept(one)).toHaveCount(0);
  }
});

test('forgotten everywhere: gone on the other device, and from the relay', async () => {
  const desk = await device();
  await createAccount(desk);
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'What I said about the surprise party.');
  await takeNote(desk.page);
  await openSettings(desk.page);
  const phone = await pairedTo(desk);
  await openApp(phone.page, `${base}/?console`);
  await same(desk.page, phone.page);
  expect(await contents(phone.page)).toContain('surprise party');

  const onRelay = await accountOnRelay(desk.page);
  const { status, rooms } = await onRelay();
  expect(rooms).toBeGreaterThan(1);
  await forgetEverywhere(desk.page);
  await expect.poll(() => contents(phone.page), { timeout: 60_000 }).toBe('');
  await expect.poll(onRelay, { timeout: 60_000 }).toEqual({ status, rooms: Number(rooms) - 1 });
});

test('a person forgotten on one device is gone on both, and all else stays', async () => {
  const desk = await device();
  await createAccount(desk);
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'Aunt Quillfeather brings the cake.');
  await desk.page.evaluate(async () => {
    await globalThis.recollect?.app.notes.write({ text: 'Quillfeather likes roses' });
    await globalThis.recollect?.app.notes.write({ text: 'Tea, never coffee' });
  });
  await openSettings(desk.page);
  const phone = await pairedTo(desk);
  await same(desk.page, phone.page);
  const held = async ({ page }: Device) => {
    const notes = await page.evaluate(() =>
      (globalThis.recollect?.app.notes.state.get().notes ?? []).map(({ text }) => text),
    );
    return { notes, said: await contents(page) };
  };
  expect((await held(phone)).said).toContain('Quillfeather');
  expect((await held(phone)).notes).toContain('Quillfeather likes roses');

  await desk.page.getByRole('link', { name: 'Memory' }).first().click();
  await desk.page.getByRole('button', { name: 'Forget…' }).click();
  const dialog = desk.page.getByRole('dialog', { name: 'Forget for good' });
  await dialog.getByRole('combobox').first().click();
  await desk.page.getByRole('option', { name: 'A person' }).click();
  await dialog.getByLabel('Names of the person').fill('Quillfeather');
  await dialog.getByRole('button', { name: 'Show where it is' }).click();
  await dialog.getByRole('button', { name: 'Forget for good' }).click();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Phone' })).toContainText('Confirmed', {
    timeout: 90_000,
  });
  for (const one of [desk, phone]) {
    await expect
      .poll(async () => JSON.stringify(await held(one)), { timeout: 60_000 })
      .not.toContain('Quillfeather');
    expect((await held(one)).notes).toEqual(['Tea, never coffee']);
  }
});

test('forgotten everywhere while the other device wrote: its words lie in its trash, and live on when they are restored', async () => {
  const desk = await device();
  await createAccount(desk);
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'Shall we sell the boat?');
  await expect(desk.page).toHaveURL(/\/c\//);
  const path = new URL(desk.page.url()).pathname;
  await takeNote(desk.page);
  await openSettings(desk.page);
  const phone = await pairedTo(desk);
  await same(desk.page, phone.page);
  const onRelay = await accountOnRelay(desk.page);
  const { status, rooms } = await onRelay();

  // The phone writes offline and is closed.
  await openApp(phone.page, `${base}${path}?console`);
  await expect(phone.page.getByRole('article').getByText('Shall we sell the boat?')).toBeVisible();
  await relay.kill();
  await say(phone.page, 'No, we take it to the islands.');
  const written = await contents(phone.page);
  await phone.page.goto('about:blank');
  await relay.start();
  await forgetEverywhere(desk.page);
  await expect.poll(onRelay, { timeout: 60_000 }).toEqual({ status, rooms: Number(rooms) - 1 });

  await openApp(phone.page, `${base}/?console`);
  await goToSettings(phone.page);
  await phone.page
    .getByRole('navigation', { name: 'Settings' })
    .getByText('Storage', { exact: true })
    .click();
  const lost = phone.page
    .getByRole('listitem')
    .filter({ hasText: 'Deleted on another device while you wrote here' });
  await expect(lost).toHaveCount(1, { timeout: 60_000 });
  await expect(lost).toContainText('Shall we sell the boat?');
  expect(await contents(desk.page)).toBe('');
  await lost.getByRole('button', { name: /^Restore/ }).click();
  await expect(phone.page.getByText('Restored 1 conversation')).toBeVisible();
  expect(await contents(phone.page)).toBe(written);
  await same(desk.page, phone.page);
  await expect.poll(onRelay, { timeout: 60_000 }).toEqual({ status, rooms });
});

test('a device that is locked out says so and keeps its library; the other goes on; the old account is gone', async () => {
  const desk = await device();
  await createAccount(desk);
  const print = await fingerprintOn(desk.page);
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'The tent is in the attic.');
  await openSettings(desk.page);
  const phone = await pairedTo(desk);
  await same(desk.page, phone.page);
  await inStep(desk.page);
  const kept = await contents(phone.page);
  const before = await accountOnRelay(desk.page);
  const { rooms } = await before();

  await desk.page.getByRole('button', { name: 'More for Phone' }).press('Enter');
  await desk.page.getByRole('menuitem', { name: 'Lock out Phone' }).press('Enter');
  await desk.page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).press('Enter');
  await expect(desk.page.getByText('A new key is made')).toBeVisible();
  await expect.poll(() => fingerprintOn(desk.page)).not.toBe(print);
  await inStep(desk.page);
  await expect.poll(before, { timeout: 60_000 }).toEqual({ status: 404, rooms: null });
  await expect(desk.page.getByRole('button', { name: 'More for Phone' })).toHaveCount(0);
  // A new account's list is empty for a moment, so the focus moves to its heading.
  await expect(desk.page.getByRole('heading', { name: 'Devices' })).toBeFocused();
  const after = await accountOnRelay(desk.page);
  await expect.poll(after).toEqual({ status: 200, rooms });

  const main = phone.page.getByRole('main');
  await expect(main.getByText('Sync has stopped')).toBeVisible({ timeout: 60_000 });
  await expect(main.getByText('This account was erased on the relay.').first()).toBeVisible();
  await expect(main.getByText('Everything is saved on this device.').first()).toBeVisible();
  expect(await contents(phone.page)).toBe(kept);
  // The app offers no pairing with a key that opens nothing.
  await expect(main.getByRole('button', { name: 'Start over' })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Show how' })).toHaveCount(0);

  // Each device goes on by itself.
  await desk.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(desk.page, 'The stove is in the cellar.');
  await expect(desk.page.getByText('Saved, on the relay')).toBeVisible({ timeout: 60_000 });
  await phone.page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(phone.page, 'The lamp is in the car.');
  await expect(phone.page.getByText('Saved here; sync has stopped')).toBeVisible({ timeout: 60_000 });
  expect(await contents(phone.page)).not.toContain('The stove is in the cellar.');
  expect(await contents(desk.page)).not.toContain('The lamp is in the car.');

  // The phone can begin a new account with everything it has.
  await openSettings(phone.page);
  await main.getByRole('button', { name: 'Start over' }).click();
  await expect(main.getByRole('button', { name: 'Pair this device' })).toBeVisible();
  await main.getByLabel('Address of the relay').fill(relay.address);
  await main.getByRole('button', { name: 'Create the account' }).click();
  await inStep(phone.page);
  expect(await fingerprintOn(phone.page)).not.toBe(print);
  expect(await contents(phone.page)).toContain('The lamp is in the car.');
});
