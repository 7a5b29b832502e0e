// An answer that ends out of sight: said in the tab, the sidebar and by a notice, for which the
// permission is asked at the first one.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
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
      constructor(title: string, options: NotificationOptions) {
        this.title = title;
        this.options = options;
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
