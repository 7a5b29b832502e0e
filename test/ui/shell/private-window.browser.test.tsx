// A window that looks private says that what it keeps may go when it is closed: in the status
// line, and where storage is explained.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { writable } from '../../../src/domain/base/readable.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

it.each([
  [
    'en',
    'Saved; this looks like a private window, and closing it may delete everything',
    /This looks like a private window: what is kept here may be gone when it is closed\. Export what matters/,
  ],
  [
    'zh',
    '已保存；这里像是隐私窗口，关闭后内容可能全部消失',
    /这里像是隐私窗口：窗口关闭后，保存的内容可能全部消失。请导出重要的内容/,
  ],
])('says so on the screen, %s', async (language, line, explained) => {
  const app = await createTestApp();
  await app.settings.set('ui.language', language);
  const isPrivate = writable(false);
  await show(
    { ...app, storageKind: 'persistent', device: { ...app.device, isPrivate } },
    '/settings/storage',
  );
  const status = page.getByRole('status').filter({ hasText: line });
  await expect.element(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  await expect.element(status).not.toBeInTheDocument();
  await expect.element(page.getByText(explained)).not.toBeInTheDocument();
  isPrivate.set(true);
  await expect.element(status).toBeVisible();
  await expect.element(page.getByText(explained)).toBeVisible();
  await expectAccessible();
});
