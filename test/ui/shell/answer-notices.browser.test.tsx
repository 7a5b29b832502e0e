// An answer that ends out of sight: said in the tab, the sidebar and by a notice, for which the
// permission is asked at the first one.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
import { closeSystemNotices } from '../../../src/adapters/browser/system-notices.ts';
import { newConversationId } from '../../../src/domain/base/ids.ts';
import type { Writable } from '../../../src/domain/base/readable.ts';
import type { LockState } from '../../../src/services/lock/lock.ts';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

afterEach(() => vi.restoreAllMocks());

async function waiting() {
  const gate = held();
  const app = await createTestApp({
    *reply() {
      yield gate.promise;
      yield { type: 'text-delta', text: 'At last.' };
    },
  });
  const id = await app.say('A question that takes its time');
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('A question that takes its time').last()).toBeVisible();
  // The screen knows of the answer: from here on a notice reports its end on any page.
  await expect.element(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  return { app, id, gate };
}

it('is marked in the tab and the sidebar, and opened from its notice', async () => {
  const { app, id, gate } = await waiting();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect.poll(() => location.pathname).toBe('/');
  await expect.poll(() => document.title).not.toContain('takes its time');
  gate.release();
  await app.idle(id);
  await expect.element(page.getByText('An answer is ready')).toBeVisible();
  await expect.poll(() => document.title).toMatch(/^\(1\) /);
  await expect.element(page.getByRole('img', { name: 'New answer' })).toBeVisible();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect.poll(() => location.pathname).toBe(`/c/${id}`);
  await expect.poll(() => document.title).not.toMatch(/^\(/);
  await expectAccessible();
});

it('asks for the permission only by a button, once the page was out of sight', async () => {
  const { app, id, gate } = await waiting();
  const asked = vi.spyOn(Notification, 'requestPermission').mockResolvedValue('granted');
  vi.spyOn(Notification, 'permission', 'get').mockReturnValue('default');
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  gate.release();
  await app.idle(id);
  await expect.element(page.getByRole('button', { name: 'Notify me next time' })).toBeVisible();
  expect(asked).not.toHaveBeenCalled();
  await page.getByRole('button', { name: 'Notify me next time' }).click();
  expect(asked).toHaveBeenCalledOnce();
});

it('is counted at the app’s icon until it is looked at', async () => {
  const counts: number[] = [];
  const counted = (count?: number) => {
    counts.push(count ?? 0);
    return Promise.resolve();
  };
  Object.defineProperty(navigator, 'setAppBadge', { configurable: true, value: counted });
  Object.defineProperty(navigator, 'clearAppBadge', { configurable: true, value: () => counted(0) });
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'setAppBadge');
    Reflect.deleteProperty(navigator, 'clearAppBadge');
  });
  const { app, id, gate } = await waiting();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect.poll(() => location.pathname).toBe('/');
  gate.release();
  await app.idle(id);
  await expect.poll(() => counts.at(-1)).toBe(1);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect.poll(() => counts.at(-1)).toBe(0);
});

describe('the notification of the system', () => {
  /** Stands for the system's, which a test page may not show. */
  function standIn() {
    const shown: {
      title: string;
      options: NotificationOptions;
      onclick: (() => void) | null;
      closed: boolean;
    }[] = [];
    class StandIn {
      static permission = 'granted';
      onclick: (() => void) | null = null;
      closed = false;
      readonly title: string;
      readonly options: NotificationOptions;
      readonly tag: string;
      constructor(title: string, options: NotificationOptions) {
        this.title = title;
        this.options = options;
        this.tag = options.tag ?? '';
        shown.push(this);
      }
      close() {
        this.closed = true;
      }
    }
    vi.stubGlobal('Notification', StandIn);
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    onTestFinished(() => void vi.unstubAllGlobals());
    return shown;
  }

  it('names the conversation, none of its words, and leads there', async () => {
    const shown = standIn();
    const { app, id, gate } = await waiting();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await expect.poll(() => location.pathname).toBe('/');
    gate.release();
    await app.idle(id);
    await expect.poll(() => shown.length).toBe(1);
    expect(shown[0]).toMatchObject({
      title: 'An answer is ready',
      options: { tag: id, data: { conversation: id } },
    });
    expect(JSON.stringify(shown[0]?.options)).not.toContain('At last');
    await expect.element(page.getByText('An answer is ready')).not.toBeInTheDocument();
    shown[0]?.onclick?.();
    await expect.poll(() => location.pathname).toBe(`/c/${id}`);
    expect(shown[0]?.closed).toBe(true);
  });

  it('does not name the conversation on a device that is locked at rest', async () => {
    const shown = standIn();
    const { app, id, gate } = await waiting();
    const state = app.lock.state.get();
    vi.spyOn(app.lock.state, 'get').mockReturnValue({ ...state, phase: 'sealed' });
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    gate.release();
    await app.idle(id);
    await expect.poll(() => shown.length).toBe(1);
    expect(shown[0]?.title).toBe('An answer is ready');
    expect(JSON.stringify(shown[0]?.options)).not.toContain('takes its time');
  });

  /** Ends an answer out of sight, and returns its notice. */
  async function noticed() {
    const shown = standIn();
    const { app, id, gate } = await waiting();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    gate.release();
    await app.idle(id);
    await expect.poll(() => shown.length).toBe(1);
    const notice = shown[0];
    if (!notice) throw new Error('No notice');
    expect(notice).toMatchObject({ closed: false, options: { tag: id } });
    expect(notice.options.body).toContain('takes its time');
    return { app, id, notice };
  }

  it('goes when something is forgotten, as its title may say it', async () => {
    const { app, notice } = await noticed();
    const sought = { kind: 'phrase', words: ['time'], whole: false } as const;
    await app.forget.begin(await app.forget.seek(sought, new AbortController().signal));
    expect(notice.closed).toBe(false);
    await expect.poll(() => notice.closed, { timeout: 15_000 }).toBe(true);
  });

  it.each(['deleted', 'deleted for good'])('goes with its conversation, when that is %s', async (how) => {
    const { app, id, notice } = await noticed();
    const other = newConversationId();
    await app.documents.change(other, { meta: { title: 'Something else' } });
    await app.documents.erase([other]);
    expect(notice.closed).toBe(false);
    if (how === 'deleted') await app.documents.change(id, { meta: { deletedAt: Date.now() } });
    else await app.documents.erase([id]);
    await expect.poll(() => notice.closed).toBe(true);
  });

  it('goes when the device is to be locked from now on', async () => {
    const { app, notice } = await noticed();
    const state = app.lock.state as Writable<LockState>;
    state.update((before) => ({ ...before, phase: 'sealing' }));
    await expect.poll(() => notice.closed).toBe(true);
  });

  it('of the service worker goes, too, whichever tab asked for it', async () => {
    const shown = standIn();
    vi.stubGlobal(
      'Notification',
      class {
        static permission = 'granted';
        constructor() {
          throw new TypeError('Illegal constructor');
        }
      },
    );
    const kept = ['one', 'other'].map((tag) => ({ tag, close: vi.fn() }));
    const registration = {
      showNotification: vi.fn(async (_title: string, _options: NotificationOptions) => {}),
      getNotifications: async () => kept,
    };
    vi.spyOn(navigator.serviceWorker, 'getRegistration').mockResolvedValue(
      registration as unknown as ServiceWorkerRegistration,
    );
    const { app, id, gate } = await waiting();
    gate.release();
    await app.idle(id);
    await expect.poll(() => registration.showNotification.mock.calls.length).toBe(1);
    expect(registration.showNotification.mock.calls[0]?.[1]).toMatchObject({ tag: id });
    expect(shown).toEqual([]);
    await closeSystemNotices((tag) => tag === 'one');
    expect(kept.map(({ close }) => close.mock.calls.length)).toEqual([1, 0]);
    const state = app.lock.state as Writable<LockState>;
    state.update((before) => ({ ...before, phase: 'sealing' }));
    await expect.poll(() => kept[1]?.close.mock.calls.length).toBe(1);
  });

  it('does not come while the page is looked at', async () => {
    const shown = standIn();
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
    const { app, id, gate } = await waiting();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    gate.release();
    await app.idle(id);
    await expect.element(page.getByText('An answer is ready')).toBeVisible();
    expect(shown).toEqual([]);
  });
});
