// What opens above the composer on a screen at 200 %: the chosen command and all of the context meter
// are in sight, and no argument breaks in two.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
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
