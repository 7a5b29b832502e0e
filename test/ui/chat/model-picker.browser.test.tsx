// The menu of models asks each endpoint for its list when it opens, and shows what is new in it while it is open.
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

it('fetches the list of models each time it opens, and shows what is new in it', async () => {
  const asked: AbortSignal[] = [];
  let answer = held();
  const lists = [
    ['scripted', 'new-model'],
    ['scripted', 'newer-model'],
  ];
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
    test: async (_endpoint, _key, signal) => {
      const models = lists[asked.push(signal) - 1] ?? [];
      await answer.promise;
      return { ok: true, models, tookMs: 1 };
    },
  });
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint is connected');
  await app.settings.saveEndpoint({ ...endpoint, listed: ['scripted'] }, undefined);
  await show(app, '/');
  const picker = page.getByRole('button', { name: /scripted/ });
  await expect.element(picker).toBeVisible();
  expect(asked).toHaveLength(0);

  await picker.click();
  const row = (name: string) => page.getByRole('menuitemradio', { name, exact: true });
  await expect.element(row('scripted')).toBeVisible();
  await expect.poll(() => asked.length).toBe(1);
  await expect.element(row('new-model')).not.toBeInTheDocument();
  answer.release();
  await expect.element(row('new-model')).toBeVisible();

  // Who closes it waits for nothing more.
  answer = held();
  await userEvent.keyboard('{Escape}');
  await expect.element(row('scripted')).not.toBeInTheDocument();
  await picker.click();
  await expect.poll(() => asked.length).toBe(2);
  await userEvent.keyboard('{Escape}');
  await expect.poll(() => asked.at(-1)?.aborted).toBe(true);
  answer.release();
  expect(app.settings.connections.get().endpoints[0]?.models).toEqual(['scripted', 'new-model']);
});

it('names the service of the chosen model where another service has one of that name', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint is connected');
  const picker = page.getByRole('button', { name: /^Model: scripted/ });
  await show(app, '/');
  await expect.element(picker).toHaveTextContent(/^scripted$/);
  await app.settings.saveEndpoint({ ...endpoint, id: 'other', label: 'Kimi · China' }, undefined);
  await expect.element(picker).toHaveTextContent(`scripted · ${endpoint.label}`);
  await picker.click();
  await page.getByRole('menuitemradio', { name: 'scripted', exact: true }).last().click();
  await expect.element(picker).toHaveTextContent('scripted · Kimi · China');
  await expectAccessible();
});

/** A connection with as many models as OpenRouter has. */
async function withMany() {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint is connected');
  const makers = ['anthropic/claude', 'google/gemini', 'mistral/small', 'qwen/coder'];
  const models = Array.from({ length: 300 }, (_, at) => `${makers[at % 4]}-${at}`);
  await app.settings.saveEndpoint({ ...endpoint, models: [...models, 'scripted'] }, undefined);
  return app;
}

describe('a list of hundreds of models', () => {
  const filter = () => page.getByRole('combobox', { name: 'Filter models' });
  const option = (name: string) => page.getByRole('option', { name, exact: true });
  const active = () => {
    const id = filter().element().getAttribute('aria-activedescendant');
    return id === null ? null : document.getElementById(id)?.textContent;
  };

  it('is filtered by the service as well where there are several', async () => {
    const app = await withMany();
    const [endpoint] = app.settings.connections.get().endpoints;
    if (!endpoint) throw new Error('No endpoint is connected');
    const other = { ...endpoint, id: 'other', label: 'Attic box', models: ['tiny-a', 'tiny-b'] };
    await app.settings.saveEndpoint(other, undefined);
    await show(app, '/');
    await page.getByRole('button', { name: /^Model: / }).click();
    await filter().fill('attic');
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .elements()
          .map((row) => row.textContent),
      )
      .toEqual(['tiny-a', 'tiny-b']);
    await filter().fill('tiny-b attic');
    await expect.element(page.getByRole('option')).toHaveTextContent('tiny-b');
  });

  it('is filtered by typing, walked with arrows, and chosen from with Enter', async () => {
    const app = await withMany();
    await show(app, '/');
    const picker = page.getByRole('button', { name: /^Model: / });
    await picker.click();
    await expect.element(filter()).toHaveFocus();
    await expect.element(option('scripted')).toHaveAttribute('aria-selected', 'true');
    // What is chosen is in view, however far down it stands.
    await expect.element(option('scripted')).toBeInViewport();
    expect(active()).toBe('scripted');
    await userEvent.keyboard('GEMINI 29');
    await expect.element(page.getByText('5 of 301')).toBeVisible();
    await expect.element(page.getByRole('status').filter({ hasText: '5 of 301' })).toBeInTheDocument();
    await expectAccessible();
    expect(active()).toBe('google/gemini-29');
    await userEvent.keyboard('{ArrowDown}');
    expect(active()).toBe('google/gemini-129');
    await userEvent.keyboard('{ArrowUp}{ArrowUp}');
    expect(active()).toBe('google/gemini-297');
    await userEvent.keyboard('{Enter}');
    await expect.element(filter()).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: 'Model: google/gemini-297' })).toHaveFocus();
  });

  it('says that nothing fits, and goes back to memory and to the settings', async () => {
    const app = await withMany();
    await app.settings.set('ui.language', 'zh');
    await show(app, '/', { width: 320, height: 640 });
    await page.getByRole('button', { name: /^模型：/ }).click();
    await page.getByRole('combobox', { name: '筛选模型' }).fill('llama');
    await expect.element(page.getByText('没有名称包含“llama”。')).toBeVisible();
    expect(page.getByRole('option').elements()).toHaveLength(0);
    await userEvent.keyboard('{Enter}');
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: '不用模型，只查记忆' }).last().click();
    await expect.element(page.getByRole('button', { name: /^模型：不用模型/ })).toBeVisible();
    await page.getByRole('button', { name: /^模型：不用模型/ }).click();
    await page.getByRole('button', { name: '管理模型' }).click();
    await expect.poll(() => location.pathname).toBe('/settings/models');
  });

  it('has the filter where an answer is asked for again and where models are compared', async () => {
    const app = await withMany();
    const id = await app.say('What is the answer?');
    await app.idle(id);
    await show(app, `/c/${id}`);
    const more = page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Compare models…' }).click();
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('small 11');
    await expect.element(page.getByText('3 of 300')).toBeVisible();
    await userEvent.keyboard('{Escape}{Escape}');
    await more.click();
    await page.getByRole('menuitem', { name: 'Answer again with' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Answer again with another model' })).toBeVisible();
    await filter().fill('coder-299');
    await expectAccessible();
    await userEvent.keyboard('{Enter}');
    await app.idle(id);
    await expect.element(page.getByText('coder-299').first()).toBeVisible();
  });
});
