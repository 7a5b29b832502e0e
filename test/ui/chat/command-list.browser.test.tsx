// What opens above the composer on a screen at 200 %: the chosen command and all of the context meter
// are in sight, and no argument breaks in two.
import { expect, it, onTestFinished } from 'vitest';
import { page } from 'vitest/browser';
import { offer, withdrawNotices } from '../../../src/ui/shell/offer.ts';
import { createTestApp, show } from '../harness.tsx';

it.each([
  { width: 640, height: 400 },
  { width: 320, height: 640 },
])('stays below the header, $width × $height', async (size) => {
  await show(await createTestApp(), '/', size);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/');
  const chosen = page.getByRole('option', { selected: true });
  await expect.element(chosen).toBeVisible();
  const header = document.querySelector('main header')?.getBoundingClientRect().bottom ?? 0;
  await expect.poll(() => chosen.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(header);
});

it.each([
  { width: 390, height: 844 },
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
])('is covered by no notice, $width × $height', async (size) => {
  await show(await createTestApp(), '/', size);
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('/');
  const list = page.getByRole('listbox', { name: 'Commands' });
  await expect.element(list).toBeVisible();
  offer('Moved to the trash', { label: 'Undo', onClick: () => undefined });
  onTestFinished(withdrawNotices);
  const notice = page.getByRole('listitem').filter({ hasText: 'Moved to the trash' });
  await expect.element(notice).toBeVisible();
  const foot = () => notice.element().getBoundingClientRect().bottom;
  await expect.poll(foot).toBeLessThanOrEqual(list.element().getBoundingClientRect().top);
  expect(notice.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(0);
  await composer.fill('');
  await expect.element(list).not.toBeInTheDocument();
  await expect.poll(foot).toBeGreaterThan(composer.element().getBoundingClientRect().top - 60);
});

it('breaks the arguments of a command only between them', async () => {
  await show(await createTestApp(), '/', { width: 390, height: 844 });
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/');
  const chosen = page.getByRole('option', { selected: true });
  await expect.element(chosen).toBeVisible();
  const words = document.createTreeWalker(chosen.element(), NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  for (let node = words.nextNode(); node; node = words.nextNode())
    for (const { 0: argument, index } of (node.textContent ?? '').matchAll(/\[[^\]]*\]/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + argument.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(argument);
    }
  expect(chosen.element().textContent).toContain('limit');
  expect(broken).toEqual([]);
});

it('opens the context meter within the screen', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const id = await app.say('A question');
  await app.idle(id);
  await show(app, `/c/${id}`, { width: 640, height: 300 });
  await page.getByRole('button', { name: /^Context: / }).click();
  const open = page.getByRole('dialog');
  await expect.element(open).toBeVisible();
  await expect.poll(() => open.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(0);
  expect(open.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(300);
});
