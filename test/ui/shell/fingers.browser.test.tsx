// Screens under fingers: no words on dragging or keys, and no window that a covering drawer hides.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

const withFingers = (enabled: boolean) =>
  cdp().send('Emulation.setTouchEmulationEnabled', { enabled, maxTouchPoints: 5 });
beforeEach(async () => {
  await withFingers(true);
  await expect.poll(() => matchMedia('(pointer: coarse)').matches).toBe(true);
});
afterEach(() => withFingers(false));

const answering = () =>
  createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
// biome-ignore lint/performance/useDomNodeTextContent: only what is drawn counts
const seen = () => document.body.innerText;

it('says nothing of dropping on the page of a project', async () => {
  const app = await answering();
  await app.settings.set('ui.language', 'zh');
  const project = await app.projects.create({ name: '论文' });
  await show(app, `/p/${project}`, { width: 390, height: 844 });
  await expect.element(page.getByText('由这台设备上的记忆读取')).toBeVisible();
  expect(seen()).not.toContain('拖');
});

it('names no keys in a menu', async () => {
  const app = await answering();
  const id = await app.say('Hello');
  await app.idle(id);
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  await page.getByRole('button', { name: 'More', exact: true }).first().click();
  await expect.element(page.getByRole('menuitem', { name: 'Find in conversation' })).toBeVisible();
  expect(seen()).not.toContain('Ctrl');
});

it('imports by choosing, without a word of dropping', async () => {
  const app = await createTestApp();
  await show(app, '/', { width: 390, height: 844 });
  await page.getByRole('button', { name: /^Import my conversations/ }).click();
  await expect.element(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  expect(seen()).not.toMatch(/\b(drop|drag)/i);
});

it('shows the page of a project that was made from the drawer', async () => {
  const app = await answering();
  await app.idle(await app.say('Hello'));
  await show(app, '/', { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  const drawer = page.getByRole('dialog', { name: 'Sidebar' });
  await drawer.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('main').getByRole('heading', { name: 'Acme' })).toBeVisible();
  await expect.element(drawer).not.toBeInTheDocument();
});

it('begins the row below an answer with an icon below the first letter of the words', async () => {
  const app = await answering();
  const id = await app.say('Hello');
  await app.idle(id);
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  const answer = page.getByRole('article', { name: 'Answer' });
  // The row below an answer is drawn after its words.
  await expect.element(answer.getByRole('button', { name: 'Copy' })).toBeVisible();
  const copy = answer.getByRole('button', { name: 'Copy' }).element();
  const left = (element: Element | null) => element?.getBoundingClientRect().left ?? Number.NaN;
  expect(copy.getBoundingClientRect().width).toBeGreaterThanOrEqual(44);
  expect(
    Math.abs(left(copy.querySelector('svg')) - left(answer.getByText('An answer.').element())),
  ).toBeLessThanOrEqual(1);
});

it('gives each model of a long list room for a finger', async () => {
  const app = await createTestApp();
  const models = Array.from({ length: 60 }, (_, at) => `model-${at}`);
  Object.assign(app.settings, { test: async () => ({ ok: true, models, tookMs: 120 }) });
  await show(app, '/settings/models', { width: 390, height: 844 });
  await page.getByRole('button', { name: /^Other service/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  const row = dialog.getByRole('checkbox', { name: 'model-7', exact: true });
  await expect.element(row).toBeInTheDocument();
  expect(row.element().closest('label')?.getBoundingClientRect().height).toBeGreaterThanOrEqual(44);
});
