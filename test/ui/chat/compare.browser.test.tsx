// Two models beside the answer that is there: chosen, written at the same time, stopped one by one, gone
// on with; on a phone below each other.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { some } from '../../scale.ts';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

async function answered() {
  const gate = held();
  let asked = 0;
  const app = await createTestApp({
    *reply() {
      asked += 1;
      const mine = asked;
      yield { type: 'text-delta', text: `Answer number ${mine}.` };
      if (mine === 3) yield gate.promise;
      yield { type: 'usage', usage: { inputTokens: 100, outputTokens: 200 } };
    },
  });
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint');
  await app.settings.saveEndpoint(
    { ...endpoint, models: ['scripted', 'heron', 'crane', 'stork'] },
    undefined,
  );
  const id = await app.say('Which bird is tallest?');
  await app.idle(id);
  return { app, id, gate };
}
async function open() {
  await page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare models…' }).click();
}

it('asks two models by keyboard, stops one, and goes on with the other', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`);
  await open();
  const start = page.getByRole('button', { name: 'Compare', exact: true });
  await expect.element(start).toBeDisabled();
  await page.getByRole('checkbox', { name: 'heron' }).element().focus();
  await userEvent.keyboard(' {Tab} ');
  await expect.element(page.getByRole('checkbox', { name: 'stork' })).toBeDisabled();
  await expectAccessible();
  await start.click();
  const heron = page.getByRole('article', { name: 'heron' });
  const crane = page.getByRole('article', { name: 'crane' });
  await expect.element(heron.getByText('Answer number 2.')).toBeVisible();
  await expect.element(crane.getByText('Answer number 3.')).toBeVisible();
  await crane.getByRole('button', { name: 'Stop crane' }).click();
  await expect.element(crane.getByText('Stopped. What had arrived is kept.')).toBeVisible();
  await expect.poll(() => heron.element().textContent).toContain('$0.0005');
  await expectAccessible();
  await heron.getByRole('button', { name: 'Continue with this: heron' }).click();
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  await expect.element(page.getByRole('status', { name: 'Branch 2 of 3' })).toBeVisible();
  await expect.element(page.getByText('Answer number 2.')).toBeVisible();
});

it('goes on with the model whose answer was chosen, and back to the first', async () => {
  const { app, id, gate } = await answered();
  gate.release();
  // As the app keeps it when a conversation begins.
  await app.settings.choose({ endpointId: 'scripted', model: 'scripted' }, id);
  await show(app, `/c/${id}`);
  const inUse = (model: string) => page.getByRole('button', { name: `Model: ${model}` });
  await expect.element(inUse('scripted')).toBeVisible();
  await open();
  await page.getByText('heron', { exact: true }).click();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('button', { name: 'Continue with this: heron' }).click();
  await expect.element(inUse('heron')).toBeVisible();
  await page.getByRole('button', { name: 'Previous branch' }).click();
  await open();
  await page.getByRole('button', { name: 'Continue with this: scripted' }).click();
  await expect.element(inUse('scripted')).toBeVisible();
});

it.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])('keeps names and buttons in sight beside an answer of many screens, $width wide', async (size) => {
  let asked = 0;
  const app = await createTestApp({
    *reply() {
      asked += 1;
      const lines = asked === 2 ? 120 : 1;
      yield {
        type: 'text-delta',
        text: Array.from({ length: lines }, (_, at) => `Line ${at}.`).join('\n\n'),
      };
    },
  });
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint');
  await app.settings.saveEndpoint({ ...endpoint, models: ['scripted', 'heron'] }, undefined);
  const id = await app.say('Which bird is tallest?');
  await app.idle(id);
  await show(app, `/c/${id}`, size);
  await open();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const pick = page.getByRole('button', { name: 'Continue with this: heron' });
  const heron = page.getByRole('article', { name: 'heron' });
  await expect.element(heron.getByText('Line 119.')).toBeInTheDocument();
  heron.getByText('Line 40.', { exact: true }).element().scrollIntoView({ block: 'center' });
  await expect.element(pick).toBeInViewport({ ratio: 0.9 });
  await expect.element(heron.getByRole('heading', { name: 'heron' })).toBeInViewport({ ratio: 0.9 });
  await expectAccessible();
  await pick.click();
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
});

it.each(some(['light', 'dark'], 1))('stands below each other on a phone, %s', async (theme) => {
  const { app, id, gate } = await answered();
  await app.settings.set('ui.theme', theme);
  await app.settings.set('ui.language', 'zh');
  gate.release();
  await show(app, `/c/${id}`, { width: 320, height: 700 });
  await page.getByRole('article', { name: '回答' }).getByRole('button', { name: '更多' }).click();
  await page.getByRole('menuitem', { name: '对比模型…' }).click();
  await page.getByText('heron', { exact: true }).click();
  await page.getByText('crane', { exact: true }).click();
  await page.getByRole('button', { name: '开始对比' }).click();
  await expect.element(page.getByRole('button', { name: '用这个继续：crane' })).toBeVisible();
  const box = (name: string) => page.getByRole('article', { name }).element().getBoundingClientRect();
  expect(box('crane').top).toBeGreaterThan(box('heron').bottom);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await expectAccessible();
});
