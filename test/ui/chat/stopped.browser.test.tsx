// What is said of an answer that was stopped: whether anything had arrived.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, held, show } from '../harness.tsx';

it.each([
  ['nothing', [], 'Stopped before anything arrived.'],
  ['blank words', [{ type: 'text-delta' as const, text: '\n\n' }], 'Stopped before anything arrived.'],
  ['a thought', [{ type: 'reasoning-delta' as const, text: 'Hm.' }], 'Stopped. What had arrived is kept.'],
])('of an answer stopped after %s', async (_, arrived, sentence) => {
  const gate = held();
  const app = await createTestApp({
    *reply() {
      yield* arrived;
      yield gate.promise;
    },
  });
  const id = await app.say('Which bird is tallest?');
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.element(page.getByText(sentence)).toBeVisible();
});
