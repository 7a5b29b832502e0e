// An answer that ends out of sight: said in the tab, the sidebar and by a notice, for which the
// permission is asked at the first one.
import { afterEach, expect, it, vi } from 'vitest';
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
