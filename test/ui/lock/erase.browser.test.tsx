// Deleting everything on this device: what the window says before, in both places that open
// it, and the screen while it is done.
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { setLanguage } from '../../../src/ui/i18n/index.ts';
import { EraseDialog } from '../../../src/ui/lock/erase-dialog.tsx';
import { eraseOnScreen } from '../../../src/ui/lock/erase-screen.tsx';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

const dialog = () =>
  page
    .getByRole('dialog', { name: 'Delete everything on this device?' })
    .or(page.getByRole('dialog', { name: '删除这台设备上的一切？' }));
const confirm = () => dialog().getByRole('button', { name: 'Delete everything' });

it('stands last among privacy, says what goes and what stays, and wants a word typed', async () => {
  await show(await createTestApp(), '/settings/privacy');
  const open = page.getByRole('main').getByRole('button', { name: 'Delete everything…' });
  await open.click();
  await expect.element(dialog()).toHaveTextContent('It cannot be undone');
  await expect.element(dialog()).toHaveTextContent('What stays: files you exported');
  await expect.element(dialog()).not.toHaveTextContent('paired');
  await expect.element(confirm()).toBeDisabled();
  await dialog().getByLabelText('Type “delete” to go on').fill('delet');
  await userEvent.keyboard('{Enter}');
  await expect.element(confirm()).toBeDisabled();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(open).toHaveFocus();
});

it('is done by the word and Enter, speaks Chinese, fits 320 px, and says when the browser refuses', async () => {
  await setLanguage('zh');
  await page.viewport(320, 640);
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  const erase = vi.fn(() => {
    throw new Error('no storage');
  });
  root.render(<EraseDialog open onClose={() => {}} paired={null} onErase={erase} />);
  try {
    await expect.element(dialog()).toHaveTextContent('与它配对的设备保留各自的副本');
    await dialog().getByLabelText('输入“删除”以继续').fill('删除');
    expect(document.documentElement.scrollWidth).toBe(320);
    await expectAccessible();
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog()).toHaveTextContent('没能全部删除');
    expect(erase).toHaveBeenCalledTimes(1);
  } finally {
    root.unmount();
    container.remove();
    await page.viewport(1280, 800);
    await setLanguage('en');
  }
});

it('tells what it does while it does it, and tries again where something could not be deleted', async () => {
  const container = document.createElement('div');
  document.body.append(container);
  const slow = held();
  const work = vi
    .fn<() => Promise<void>>()
    .mockImplementationOnce(() => slow.promise.then(() => Promise.reject(new Error('held'))))
    .mockResolvedValueOnce();
  const done = eraseOnScreen(container, work);
  try {
    await expect.element(page.getByRole('heading', { name: 'Deleting everything' })).toBeVisible();
    await expect.element(page.getByText('close the other tabs')).toBeVisible();
    await expectAccessible();
    slow.release();
    await expect.element(page.getByText('Not everything on this device could be deleted.')).toBeVisible();
    await expectAccessible();
    await page.getByRole('button', { name: 'Try again' }).click();
    await done;
    expect(work).toHaveBeenCalledTimes(2);
  } finally {
    container.remove();
  }
});
