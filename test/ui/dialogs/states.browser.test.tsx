// States of dialogs and screens that wait for something: nothing there, being read, failed, there.
import { afterEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Overview } from '../../../src/adapters/index/memory-index.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { phraseOf } from '../../../src/domain/sync/pairing.ts';
import { createTestApp, expectAccessible, held, show, type TestApp } from '../harness.tsx';
import { expectHeld, expectShown, inAccount, pressed } from './dialogs.ts';

const NARROW = { width: 320, height: 640 };
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const broken = () => Promise.reject(new RecollectError('storage-failed', 'The disk is broken'));
const never = () => new Promise<never>(() => {});

afterEach(() => vi.restoreAllMocks());

it('shows the key of the account on request, says that it is read and that it failed, and hides it', async () => {
  const app = await createTestApp();
  inAccount(app);
  const { promise, release } = held();
  const phrase = phraseOf(new Uint8Array(32).fill(7));
  const rows = Array.from({ length: 29 }, () => Array.from({ length: 29 }, () => true));
  const pairing = vi
    .fn(app.sync.pairing)
    .mockImplementationOnce(broken)
    .mockImplementation(async () => {
      await promise;
      return {
        link: `https://app.example/pair#${'k'.repeat(300)}`,
        phrase,
        fingerprint: 'ab12-cd34-ef56-7890',
        qr: rows,
      };
    });
  Object.assign(app.sync, { pairing });
  await show(app, '/settings/sync', NARROW);
  const home = await pressed(button('Show how'));
  await button('Show the key').click();
  await expect.element(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await expectShown('Pair a device');
  await button('Show the key').click();
  await expect.element(page.getByRole('dialog').getByRole('alert')).not.toBeInTheDocument();
  await expect.element(page.getByRole('img', { name: 'Pairing link as a QR code' })).not.toBeInTheDocument();
  release();
  for (const way of ['QR code', 'Link', '24 words']) {
    await page.getByRole('dialog').getByText(way, { exact: true }).first().click();
    await expectShown('Pair a device');
  }
  await button('Hide now').click();
  await expect.element(page.getByText('The key is hidden again.')).toBeVisible();
  await expectHeld(page.getByRole('dialog'), home);
});

it('looks for a code with the camera, and says why it cannot', async () => {
  const app = await createTestApp();
  const camera = vi.spyOn(navigator.mediaDevices, 'getUserMedia');
  // A stream without pictures never begins to play.
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  await show(app, '/pair', NARROW);
  const states = [
    [never, 'Starting the camera'],
    [async () => new MediaStream(), 'Looking for a code'],
    [() => Promise.reject(new DOMException('no', 'NotAllowedError')), /^The browser does not let this page/],
    [() => Promise.reject(new DOMException('no', 'NotFoundError')), /^No camera was found/],
  ] as const;
  for (const [answer, words] of states) {
    camera.mockImplementation(answer);
    const home = await pressed(button('Scan the QR code'));
    await expect.element(page.getByRole('dialog').getByText(words)).toBeVisible();
    await expectHeld(await expectShown('Scan the QR code'), home);
  }
});

it('imports by keyboard, says that it checks the files and that the import failed', async () => {
  const app = await createTestApp();
  const { promise, release } = held();
  app.library.importFiles = () => promise.then(broken);
  await show(app, '/settings/storage', NARROW);
  const home = await pressed(button('Import'));
  const dialog = await expectShown('Import conversations');
  const input = document.querySelector<HTMLInputElement>('input[data-import=files]');
  if (!input) throw new Error('The dialog has no field for files');
  await userEvent.upload(input, new File(['{}'], 'a.json', { type: 'application/json' }));
  await expect.element(dialog.getByText('Checking the files')).toBeVisible();
  await expectShown('Import conversations');
  release();
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await expectHeld(await expectShown('Import conversations'), home);
});

it('reads the notice of a model, and says that it is read and that it is missing', async () => {
  const app = await createTestApp();
  await show(app, '/settings/about', NARROW);
  const read = button(/^Read the notice/).first();
  const answers = [
    [never, null],
    [async () => new Response(null, { status: 404 }), 'The notice could not be read.'],
    [async () => new Response('Apache licence '.repeat(400)), /^Apache licence/],
  ] as const;
  const title = `Notice of ${read.element().getAttribute('aria-label')?.split(': ')[1]}`;
  for (const [answer, words] of answers) {
    vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
    const home = await pressed(read);
    if (words) await expect.element(page.getByRole('dialog').getByText(words)).toBeVisible();
    await expectHeld(await expectShown(title), home);
  }
});

it('pairs this device by keys alone', async () => {
  const app = await createTestApp();
  await show(app, '/pair', NARROW);
  const field = page.getByRole('textbox', { name: 'Link or 24 words' });
  await expect.element(field).toBeVisible();
  (field.element() as HTMLElement).focus();
  await userEvent.keyboard('abandon abandon ');
  await expect.element(button('Continue')).toBeEnabled();
  for (let at = 0; at < 8 && document.activeElement !== button('Continue').element(); at++)
    await userEvent.keyboard('{Tab}');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('alert')).toHaveTextContent('These are 2 words; 24 are needed.');
});

const one = (title: string, at: number): Overview['conversations'][number] => ({
  id: asConversationId(title),
  title,
  createdAt: Date.now() - at * 9e7,
  updatedAt: Date.now() - at * 9e7,
  messages: 3 + at,
  workDir: null,
  archived: false,
  keywords: [title],
  said: [],
  vector: Float32Array.from([Math.cos(at), Math.sin(at)]),
});

async function withTalk(): Promise<TestApp> {
  const app = await createTestApp();
  await app.documents.change(asConversationId('Bread'), { meta: { title: 'Bread', createdAt: Date.now() } });
  return app;
}

it('draws the pictures of the library, and says that they are read, that nothing is there, and that it failed', async () => {
  const app = await withTalk();
  const conversations = ['Bread', 'Cheese', 'Dates'].map(one);
  const { promise, release } = held();
  const overview = vi
    .fn(app.memory.overview)
    .mockImplementationOnce(async () => ({ conversations: [], recalled: [] }))
    .mockImplementationOnce(broken)
    .mockImplementation(() => promise.then(() => ({ conversations, recalled: [] })));
  Object.assign(app.memory, { overview });
  Object.assign(app.projection, {
    project: async (vectors: readonly Float32Array[]) => vectors.map((_, at) => ({ x: at / 3, y: at / 3 })),
  });
  await show(app, '/memory/pictures', NARROW);
  const again = async () => {
    await button('What it knows').click();
    await button('Pictures').click();
  };
  await expect.element(page.getByText('There is nothing to draw yet.')).toBeVisible();
  await expectAccessible();
  await again();
  await expect.element(page.getByRole('main').getByRole('alert')).toBeVisible();
  await expectAccessible();
  await again();
  await expect.element(page.getByRole('main').getByRole('alert')).not.toBeInTheDocument();
  await expect.element(page.getByRole('heading', { name: 'Topic map' })).not.toBeInTheDocument();
  await expectAccessible();
  release();
  await expect.element(page.getByRole('heading', { name: 'Timeline' })).toBeVisible();
  await expect.element(page.getByRole('heading', { name: 'Topic map' })).toBeVisible();
  await expect.element(page.getByText('Drawing the map')).not.toBeInTheDocument();
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});

it('says of an answer that it has no record of what was sent', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'Rye.' };
    },
  });
  const id = await app.say('Which bread?');
  await app.idle(id);
  Object.assign(app.context, { manifest: async () => null });
  await show(app, `/c/${id}`, NARROW);
  const home = await pressed(
    page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }),
    page.getByRole('menuitem', { name: 'What the model was sent' }),
  );
  const dialog = await expectShown('What the model was sent');
  await expect.element(dialog.getByText('This answer has no record of what was sent.')).toBeVisible();
  await expectHeld(dialog, home);
});

it('shows the index with a search to try, that it starts, and that it failed', async () => {
  const app = await withTalk();
  const started = app.states.memory.get();
  app.states.memory.set({ ...started, state: 'starting' });
  await show(app, '/memory/index', NARROW);
  const status = page.getByRole('region', { name: 'Index' }).getByRole('status');
  await expect.element(status).toBeInTheDocument();
  const starting = status.element().textContent;
  await expect.element(page.getByText('Loading', { exact: true }).first()).toBeInTheDocument();
  await expectAccessible();
  app.states.memory.set(started);
  await expect.element(status).not.toHaveTextContent(starting);
  await expect.element(page.getByText('Loading', { exact: true })).not.toBeInTheDocument();
  await expect.element(page.getByRole('heading', { name: 'Try it' })).toBeVisible();
  await expectAccessible();
  app.states.memory.update((status) => ({
    ...status,
    state: 'failed',
    problem: { code: 'index-damaged', message: 'The index is damaged', retry: false },
  }));
  await expect.element(page.getByRole('main').getByRole('alert').first()).toBeVisible();
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});

it('says why it cannot start, with a button to try again that Tab reaches', async () => {
  const app = await createTestApp();
  const problem = { code: 'storage-held', message: 'Another tab holds it', retry: true } as const;
  await show({ ...app, device: { ...app.device, fatal: writable(problem) } }, '/', NARROW);
  await expect.element(page.getByRole('heading', { name: 'Recollect cannot start here' })).toBeVisible();
  await expectAccessible();
  expect(document.documentElement.scrollWidth).toBe(320);
  for (let at = 0; at < 4 && document.activeElement !== button('Reload').element(); at++)
    await userEvent.keyboard('{Tab}');
  await expect.element(button('Reload')).toHaveFocus();
});
