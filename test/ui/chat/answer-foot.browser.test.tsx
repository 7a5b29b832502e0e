// The row below an answer comes when the answer has ended: the words above it stay where they are.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
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

it('begins with an icon below the first letter of the words, not right of it', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An ostrich.' };
      yield { type: 'end', finish: 'stop', usage: { inputTokens: 1200, outputTokens: 340 } };
    },
  });
  const id = await app.say('Which bird is tallest?');
  await app.idle(id);
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  const answer = page.getByRole('article', { name: 'Answer' });
  await expect.element(answer.getByRole('button', { name: 'Copy' })).toBeVisible();
  const icon = answer.getByRole('button', { name: 'Copy' }).element().querySelector('svg');
  const words = answer.getByText('An ostrich.').element();
  const left = (element: Element | null | undefined) => element?.getBoundingClientRect().left ?? Number.NaN;
  expect(Math.abs(left(icon) - left(words))).toBeLessThanOrEqual(1);
});

it('keeps its distance from the day where no question stands between', async () => {
  const app = await createTestApp();
  const id = newConversationId();
  await app.documents.change(id, {
    messages: [
      {
        id: newMessageId(),
        parentId: null,
        role: 'assistant',
        kind: 'message',
        createdAt: Date.now(),
        parts: [{ type: 'text', text: 'An ostrich.' }],
        finish: 'stop',
      },
    ],
    meta: { title: 'Birds', createdAt: Date.now() },
  });
  await show(app, `/c/${id}`);
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect.element(messages.getByText('An ostrich.')).toBeVisible();
  const day = messages.getByText('Today').element().getBoundingClientRect();
  const words = messages.getByText('An ostrich.').element().getBoundingClientRect();
  expect(words.top - day.bottom).toBeGreaterThanOrEqual(20);
});
