// The menu of models asks each endpoint for its list when it opens, and shows what is new in it while it is open.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createTestApp, held, show } from '../harness.tsx';

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
