// What was spent: empty, counted by day, model and conversation, a price of one's own, a
// limit that is said above the message box.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep, some } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const talked = async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'Forty-two.' };
      yield { type: 'usage', usage: { inputTokens: 1_000_000, outputTokens: 500_000 } };
    },
  });
  const id = await app.say('What is the answer?');
  await app.idle(id);
  return { app, id };
};

it('says that nothing was spent, and what is counted', async () => {
  const app = await createTestApp();
  await show(app, '/settings/costs');
  await expect.element(page.getByText('Nothing was spent yet')).toBeVisible();
  await expect.element(page.getByText('Connect a model and its price stands here.')).toBeVisible();
  await expectAccessible();
});

it('shows what was spent today and this month, by model and conversation, as picture and table', async () => {
  const { app, id } = await talked();
  app.spending.record({
    endpoint: 'api.example',
    model: 'riddle',
    conversation: 'erased',
    usage: { inputTokens: 10, outputTokens: 20, estimated: true },
    price: null,
  });
  await show(app, '/settings/costs');
  await expect.element(page.getByRole('term').filter({ hasText: 'Today' })).toBeVisible();
  await expect.poll(() => page.getByText('$2', { exact: true }).elements().length).toBe(5);
  await expect
    .element(page.getByRole('img', { name: /^Spending from .* \$2\. The most was \$2/ }))
    .toBeVisible();
  const models = page.getByRole('region', { name: 'By model' });
  await expect.element(models.getByRole('row', { name: /scripted/ })).toHaveTextContent('$2');
  await expect.element(models.getByRole('row', { name: /riddle/ })).toHaveTextContent('no price known');
  await expect.element(models.getByRole('row', { name: /riddle/ })).toHaveTextContent('1 estimated');
  const conversations = page.getByRole('region', { name: 'By conversation' });
  await expect.element(conversations.getByText('Deleted conversation')).toBeVisible();
  await page.getByText('12 months').click();
  await page.getByText('As a table').click();
  await expect.element(page.getByRole('columnheader', { name: 'When' })).toBeVisible();
  await expectAccessible();
  await page.getByRole('button', { name: 'Forget', exact: true }).click();
  await expect.element(page.getByText('Nothing was spent yet')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await conversations.getByRole('link').click();
  await expect.poll(() => location.pathname).toBe(`/c/${id}`);
});

it('takes a price of one’s own, refuses half of one, and goes back to what is known', async () => {
  const { app } = await talked();
  await show(app, '/settings/costs');
  const prices = page.getByRole('region', { name: 'Prices of models' });
  await expect.element(prices.getByText('Runs on your own machine or network')).toBeVisible();
  const edit = prices.getByRole('button', { name: 'Change the price of scripted' });
  await expect.element(edit).toHaveTextContent('Change');
  await edit.click();
  const input = page.getByRole('spinbutton', { name: 'Input' });
  await input.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByText(/Both figures are needed/)).toBeVisible();
  await input.fill('1.5');
  await page.getByRole('spinbutton', { name: 'Output' }).fill('6');
  await expectAccessible();
  await userEvent.keyboard('{Enter}');
  await expect.element(prices.getByText('$1.50 in · $6 out, per million tokens')).toBeVisible();
  await expect.element(prices.getByText('Your price')).toBeVisible();
  await edit.click();
  await page.getByRole('button', { name: 'Use the known price' }).click();
  await expect.element(prices.getByText('Runs on your own machine or network')).toBeVisible();
});

it('lists the prices of models that were used first, those that cost most before the others', async () => {
  const { app } = await talked();
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('no endpoint');
  const others = Array.from({ length: 9 }, (_, at) => `another-${at}`);
  await app.settings.saveEndpoint({ ...endpoint, models: [...others, 'dear', 'scripted'] }, undefined);
  app.spending.record({
    endpoint: 'localhost:9',
    model: 'dear',
    conversation: undefined,
    usage: { inputTokens: 1_000_000, outputTokens: 0 },
    price: { currency: 'USD', input: 30, output: 30 },
  });
  await show(app, '/settings/costs');
  const prices = page.getByRole('region', { name: 'Prices of models' });
  const edits = prices.getByRole('button', { name: /^Change the price of/ });
  await expect
    .poll(() => edits.elements().map((edit) => edit.getAttribute('aria-label')))
    .toEqual(['dear', 'scripted', ...others.slice(0, 6)].map((model) => `Change the price of ${model}`));
});

it('says the currency and the period of the limit before one is set', async () => {
  const app = await createTestApp();
  await show(app, '/settings/costs', { width: 320, height: 700 });
  const limit = page.getByRole('textbox', { name: 'Limit' });
  await expect.element(limit).toHaveAccessibleDescription(/^USD a month/);
  await expect.element(page.getByText('USD a month', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Currency of the limit' }).click();
  await page.getByRole('option', { name: 'EUR' }).click();
  await expect.element(limit).toHaveAccessibleDescription(/^EUR a month/);
  await expectAccessible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
});

it.each(some(['light', 'dark'], 1))(
  'tells of a limit above the message box, on a narrow phone, %s',
  async (theme) => {
    const { app, id } = await talked();
    await app.settings.set('ui.theme', theme);
    await app.settings.set('ui.language', 'zh');
    await app.settings.set('costs.limit', 2.2);
    await show(app, `/c/${id}`, { width: 320, height: 700 });
    await expect.element(page.getByText('本月的限额 US$2.20 已用 US$2。')).toBeVisible();
    await app.settings.set('costs.limit', 1);
    await expect.element(page.getByText(/已超出本月的限额/)).toBeVisible();
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: '费用', exact: true }).click();
    await expect.element(page.getByText('按模型')).toBeVisible();
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  },
);

deep('keeps quiet for the day once it was put away', async () => {
  const { app, id } = await talked();
  await app.settings.set('costs.limit', 1);
  await show(app, `/c/${id}`);
  const line = page.getByText(/^Past your limit for this month: \$2 of \$1/);
  await expect.element(line).toBeVisible();
  await page.getByRole('button', { name: 'Hide until tomorrow' }).click();
  await expect.element(line).not.toBeInTheDocument();
});
