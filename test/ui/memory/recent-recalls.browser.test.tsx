// The first part of Memory shows the passages that were recalled lately, newest first, a click from their messages.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const section = () => page.getByRole('region', { name: 'Recalled lately' });

/** Keeps an answer at `at` that used `texts`, said in a conversation of their own. */
async function used(app: TestApp, at: number, texts: readonly string[]) {
  const source = await app.say(texts.join(' '));
  await app.idle(source);
  const [said] = (await app.documents.read(source))?.messages.values() ?? [];
  if (!said) throw new Error('Nothing was said');
  const passages = texts.map(
    (passage): RecalledPassage => ({
      conversationId: source,
      messageId: said.id,
      title: 'Keys',
      createdAt: said.createdAt,
      role: 'user',
      passage,
      neighbours: [],
      scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.95 },
      tokens: 9,
    }),
  );
  const question: Message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: at,
    parts: [{ type: 'text', text: 'Where is it?' }],
  };
  const answer: Message = {
    ...question,
    id: newMessageId(),
    parentId: question.id,
    role: 'assistant',
    createdAt: at + 1,
    parts: [{ type: 'recall', query: 'Where is it?', threshold: 0.75, passages, nearMisses: [] }],
  };
  const id = newConversationId();
  await app.documents.change(id, { messages: [question, answer], meta: { head: answer.id, title: 'Asked' } });
  return said;
}

it('says that nothing was recalled yet', async () => {
  const app = await createTestApp();
  await show(app, '/memory');
  await expect.element(section()).toHaveTextContent('Nothing has been recalled yet.');
  await expectAccessible();
});

it('lists what answers used, newest first, without numbers, and opens the message by a click', async () => {
  const app = await createTestApp();
  const now = Date.now();
  const clock = await used(app, now - 60_000, ['The spare key hangs behind the clock.']);
  await used(app, now, ['The bicycle stands in the cellar.', 'Its lock opens with 4711 turns.']);
  await show(app, '/memory', { width: 390, height: 844 });
  const rows = section().getByRole('listitem');
  await expect
    .poll(() =>
      rows.elements().map(({ textContent }) => /bicycle|lock opens|clock/.exec(textContent ?? '')?.[0]),
    )
    .toEqual(['bicycle', 'lock opens', 'clock']);
  expect(section().element().textContent).not.toMatch(/tokens|0\.\d/);
  await expectAccessible();
  await section().getByText('hangs behind the clock').click();
  await expect.poll(() => location.href).toContain(clock.id);
  await expect.element(page.getByText('Opened from memory.')).toBeVisible();
});

it('says that it is being read, and that it could not be, with a button that reads again by keyboard', async () => {
  const app = await createTestApp();
  await used(app, Date.now(), ['The spare key hangs behind the clock.']);
  const { read } = app.documents;
  const first = Promise.withResolvers<undefined>();
  Object.assign(app.documents, { read: () => first.promise });
  await show(app, '/memory');
  await expect.element(section()).toHaveTextContent('Loading');
  await expectAccessible();
  first.reject(new RecollectError('storage-failed', 'The disk does not answer'));
  const again = section().getByRole('button', { name: 'Try again' });
  await expect.element(again).toBeVisible();
  await expectAccessible();
  Object.assign(app.documents, { read });
  await pressed(again);
  await expect.element(section()).toHaveTextContent('hangs behind the clock');
});
