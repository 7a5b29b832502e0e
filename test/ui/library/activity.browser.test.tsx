// The list of long work: nothing going on, running, failed, done; each with its action, by keyboard.
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Activity } from '../../../src/domain/base/activity.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';
import { expectReached } from '../reading.ts';

const work = (id: string, more: Partial<Activity> = {}): Activity => ({
  id,
  label: 'import',
  done: 3,
  total: 12,
  startedAt: Date.now() - 3000,
  state: 'running',
  ...more,
});

it('says that nothing goes on, then how far each work is, what failed and what to do', async () => {
  const app = await createTestApp();
  const activities = writable<readonly Activity[]>([]);
  const cancel = vi.fn();
  const dismiss = vi.fn();
  Object.assign(app.library, { activities, cancel, dismiss });
  await show(app);
  const home = await pressed(page.getByRole('button', { name: /^Activity/ }));
  const list = page.getByRole('dialog', { name: 'Activity' });
  await expect.element(list.getByText('Nothing is going on.')).toBeVisible();
  await expectAccessible();
  activities.set([
    ...Array.from({ length: 12 }, (_, at) => work(`chats-${at}`)),
    work('old', {
      state: 'failed',
      problem: { code: 'storage-full', message: 'The disk is full', retry: true },
    }),
  ]);
  await expect.poll(() => list.getByRole('progressbar').elements().length).toBe(12);
  await expect.element(list.getByRole('listitem').last()).toHaveTextContent(/no room left.*Make room/);
  await expectAccessible();
  await expectReached(list.element());
  await pressed(list.getByRole('button', { name: 'Cancel' }).first());
  expect(cancel).toHaveBeenCalledWith('chats-0');
  await pressed(list.getByRole('button', { name: 'Remove from the list' }));
  expect(dismiss).toHaveBeenCalledWith('old');
  activities.set([work('chats-0', { state: 'finished' })]);
  await expect.element(list.getByText(/^finished/)).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(home).toHaveFocus();
});
