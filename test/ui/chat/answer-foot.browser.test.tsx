// The row below an answer comes when the answer has ended: the words above it stay where they are.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, held, show } from '../harness.tsx';

it.each([390, 320, 1280])('has its room before it comes, at %d px', async (width) => {
  const gate = held();
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An ostrich.' };
      yield gate.promise;
      yield { type: 'end', finish: 'stop', usage: { inputTokens: 1200, outputTokens: 340 } };
    },
  });
  const id = await app.say('Which bird is tallest?');
  await show(app, `/c/${id}`, { width, height: 844 });
  const answer = page.getByRole('article').filter({ hasText: 'An ostrich.' });
  await expect.element(answer).toHaveAttribute('aria-busy', 'true');
  const height = () => answer.element().getBoundingClientRect().height;
  const written = height();
  gate.release();
  await app.idle(id);
  await expect.element(answer.getByRole('button', { name: 'Answer again' })).toBeVisible();
  expect(Math.abs(height() - written)).toBeLessThanOrEqual(1);
});
