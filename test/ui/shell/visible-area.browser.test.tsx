// A keyboard that lies over the page, as Safari's does: the composer stays above it, dialogs too.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';
import { PHONE, type StandInViewport, standInViewport } from '../stand-in-viewport.ts';

async function phone(): Promise<StandInViewport> {
  const viewport = standInViewport();
  await show(await createTestApp(), '/', PHONE);
  await expect.element(composer()).toBeVisible();
  return viewport;
}
const composer = () => page.getByRole('textbox', { name: 'Message', exact: true });
const send = () => page.getByRole('button', { name: 'Send', exact: true });
const boxOf = (locator: ReturnType<typeof page.getByRole>) => locator.element().getBoundingClientRect();
const bottom = () => Math.round(boxOf(send()).bottom);
const header = () => Math.round(boxOf(page.getByRole('button', { name: 'Show sidebar' })).top);

it('covers neither composer nor header, wherever the page is scrolled to, and leaves no trace', async () => {
  const viewport = await phone();
  const [below, above] = [bottom(), header()];
  viewport.becomes({ height: 500 });
  expect(bottom()).toBe(below - 344);
  expect(header()).toBe(above);
  viewport.becomes({ offsetTop: 120 }, 'scroll');
  expect(bottom()).toBe(below - 224);
  expect(header()).toBe(above + 120);
  viewport.becomes({ height: 844, offsetTop: 0 });
  expect([bottom(), header()]).toEqual([below, above]);
  expect(document.documentElement.style.getPropertyValue('--visible-height')).toBe('');
});

it('covers no dialog and no search', async () => {
  const viewport = await phone();
  viewport.becomes({ height: 300, offsetTop: 60 });
  await userEvent.keyboard('{Control>}k{/Control}');
  const search = page.getByRole('dialog');
  await expect.element(search).toBeVisible();
  await expect.poll(() => Math.round(boxOf(search).bottom)).toBeLessThanOrEqual(360);
  expect(Math.round(boxOf(search).top)).toBeGreaterThanOrEqual(60);
});

it('is not what a zoom is, nor a page that has shrunk by itself', async () => {
  const viewport = await phone();
  const [below, above] = [bottom(), header()];
  viewport.becomes({ height: 422, offsetTop: 200, scale: 2 });
  expect([bottom(), header()]).toEqual([below, above]);
  // Chromium and Firefox shrink the page: both heights are the same.
  await page.viewport(390, 500);
  viewport.becomes({ height: 500, offsetTop: 0, scale: 1 });
  expect(document.documentElement.style.getPropertyValue('--visible-height')).toBe('');
  await expect.poll(bottom).toBe(below - 344);
});

it('covers no list of commands', async () => {
  const viewport = await phone();
  viewport.becomes({ height: 380 });
  await composer().fill('/');
  const list = page.getByRole('listbox');
  await expect.element(list).toBeVisible();
  expect(boxOf(list).top).toBeGreaterThanOrEqual(0);
});
