// The card of what memory gave: a word for how near, a click that leads to the message,
// why in words, numbers one level deeper.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { some } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function answered({ far }: { far?: number } = {}) {
  const app = await createTestApp();
  const old = await app.say('The spare key hangs behind the clock.');
  await app.idle(old);
  const [source] = (await app.documents.read(old))?.messages.values() ?? [];
  if (!source) throw new Error('Nothing was said');
  const note = await app.notes.write({ text: 'Answer in one line.', kind: 'rule' });
  const passage = (final: number, text: string): RecalledPassage => ({
    conversationId: old,
    messageId: source.id,
    title: 'Keys',
    createdAt: source.createdAt,
    role: 'user',
    passage: text,
    neighbours: [],
    scores: {
      vector: 0.8,
      keyword: 0.5,
      hybrid: 0.7,
      decay: 1,
      final,
      boosts: [{ name: 'context', factor: 1.4 }],
    },
    tokens: 9,
  });
  const id = newConversationId();
  const question: Message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: Date.now(),
    parts: [{ type: 'text', text: 'Where is the spare key?' }],
  };
  const answer: Message = {
    ...question,
    id: newMessageId(),
    parentId: question.id,
    role: 'assistant',
    createdAt: question.createdAt + 1,
    parts: [
      {
        type: 'recall',
        query: 'Where is the spare key?',
        threshold: 0.75,
        passages: [
          passage(0.95, 'The spare key hangs behind the clock.'),
          passage(0.8, 'A second key is at the office.'),
        ],
        nearMisses: [
          passage(0.7, 'The clock runs ten minutes fast.'),
          ...(far === undefined ? [] : [passage(far, 'Bread rises overnight.')]),
        ],
        applied: [{ id: note.id, at: note.updatedAt, text: note.text, kind: 'rule', tokens: 5 }],
      },
      { type: 'text', text: 'Behind the clock.' },
    ],
  };
  await app.documents.change(id, { messages: [question, answer], meta: { head: answer.id, title: 'Key' } });
  return { app, id, old, source };
}
const card = () => page.getByRole('region', { name: /Recalled from|从其他对话/ });

it('says how near each is, in the order of the list, and nothing in numbers', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`);
  await card().getByRole('button').first().click();
  const marks = card().getByRole('img');
  await expect
    .element(marks.first())
    .toHaveAccessibleName(
      'very close: says the same thing · has some of the same words · the messages around it fit',
    );
  await card().getByRole('button', { name: '1 weaker match, not used' }).click();
  await expect
    .poll(() => marks.elements().map((mark) => mark.textContent))
    .toEqual(['very close', 'close', 'weak']);
  expect(card().element().textContent).not.toMatch(/0\.\d/);
  await expectAccessible();
});

it('leads to the message by a click on the passage', async () => {
  const { app, id, old, source } = await answered();
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  await card().getByRole('button').first().click();
  await card().getByRole('button', { name: 'The spare key hangs behind the clock.' }).click();
  await expect.poll(() => location.pathname).toContain(old);
  expect(location.href).toContain(source.id);
});

it('lets a passage be thrown out on a phone in two taps, card and button', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`, { width: 320, height: 700 });
  await card().getByRole('button').first().click();
  await card().getByRole('button', { name: 'Not related to this question' }).first().click();
  await expect
    .poll(() => app.notes.state.get().feedback.map(({ verdict }) => verdict))
    .toEqual(['not-related']);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await expectAccessible();
});

it.each(some(['light', 'dark'], 1))('tells why by keyboard, and every number below it, %s', async (theme) => {
  const { app, id } = await answered();
  await app.settings.set('ui.theme', theme);
  await show(app, `/c/${id}`, { width: 320, height: 700 });
  await card().getByRole('button').first().click();
  const why = card().getByRole('button', { name: 'Why this?' }).first();
  (why.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(card().getByText('Why it came up')).toBeVisible();
  const numbers = card().getByText('Numbers', { exact: true });
  await expect.element(card().getByText('0.95')).not.toBeVisible();
  await numbers.click();
  await expect.element(card().getByText('0.95')).toBeVisible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await expectAccessible();
});

it('shows the notes that applied, each with a switch for the next time', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  await expect.element(card().getByText('2 passages · 1 of your notes applies')).toBeVisible();
  await card().getByRole('button').first().click();
  await expect.element(card().getByText('Answer in one line.')).toBeVisible();
  await card().getByRole('button', { name: 'Don’t send this note automatically' }).click();
  await expect
    .element(card().getByRole('button', { name: 'Not sent automatically: allow it again' }))
    .toBeVisible();
  expect(app.notes.state.get().notes[0]?.applies).toBe(false);
  await expectAccessible();
});

it('shows with a question that was found what answered it, one click from its message', async () => {
  const app = await createTestApp();
  const old = await app.say('Which port does the staging server use?');
  await app.idle(old);
  const [asked] = (await app.documents.read(old))?.messages.values() ?? [];
  if (!asked) throw new Error('Nothing was said');
  const reply: Message = {
    ...asked,
    id: newMessageId(),
    parentId: asked.id,
    role: 'assistant',
    parts: [{ type: 'text', text: 'It listens on port 8081.' }],
  };
  await app.documents.change(old, { messages: [reply], meta: { head: reply.id } });
  const id = newConversationId();
  const question: Message = {
    ...asked,
    id: newMessageId(),
    parts: [{ type: 'text', text: 'staging port?' }],
  };
  const answer: Message = {
    ...question,
    id: newMessageId(),
    parentId: question.id,
    role: 'assistant',
    kind: 'recall',
    createdAt: question.createdAt + 1,
    parts: [
      {
        type: 'recall',
        query: 'staging port?',
        threshold: 0.75,
        passages: [
          {
            conversationId: old,
            messageId: asked.id,
            title: 'Staging',
            createdAt: asked.createdAt,
            role: 'user',
            passage: 'Which port does the staging server use?',
            neighbours: [
              {
                messageId: reply.id,
                role: 'assistant',
                text: 'It listens on port 8081.',
                createdAt: reply.createdAt,
                side: 'after',
              },
            ],
            scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.95 },
            tokens: 9,
          },
        ],
        nearMisses: [],
      },
    ],
  };
  await app.documents.change(id, { messages: [question, answer], meta: { head: answer.id, title: 'Port' } });
  await show(app, `/c/${id}`);
  await expect.element(card().getByText('It listens on')).toBeVisible();
  await expectAccessible();
  await card().getByText('It listens on').click();
  await expect.poll(() => location.pathname + location.search).toContain(reply.id);
});

it('says of weaker matches that a model was given that they were sent', async () => {
  const { app, id } = await answered();
  const before = (await app.documents.read(id))?.messages ?? new Map();
  const answer = [...before.values()].at(-1);
  const recalled = answer?.parts.find((part: Message['parts'][number]) => part.type === 'recall');
  if (!answer || recalled?.type !== 'recall') throw new Error('Nothing was recalled');
  const called: Message = {
    ...answer,
    id: newMessageId(),
    parentId: answer.id,
    createdAt: answer.createdAt + 1,
    parts: [{ type: 'tool-call', callId: 'c', name: 'recall', arguments: '{}' }],
  };
  const result: Message = {
    ...called,
    id: newMessageId(),
    parentId: called.id,
    role: 'tool',
    createdAt: called.createdAt + 1,
    parts: [
      {
        type: 'tool-result',
        callId: 'c',
        name: 'recall',
        text: 'found',
        recalled: {
          query: 'the clock',
          threshold: 0.75,
          passages: [],
          nearMisses: recalled.nearMisses,
          nearMissesGiven: true,
        },
      },
    ],
  };
  await app.documents.change(id, { messages: [called, result], meta: { head: result.id } });
  await show(app, `/c/${id}`);
  const given = page.getByRole('button', { name: /Asked by the model/ });
  await expect.element(given).toHaveTextContent('1 weaker match, sent as uncertain');
  await given.click();
  await expect.element(page.getByText('the model got these marked as uncertain')).toBeVisible();
  expect(document.body.textContent).not.toContain('weaker match, not used · ');
  await expectAccessible();
});

it('lists below it only what is near, and nothing far', async () => {
  const { app, id } = await answered({ far: 0.03 });
  await show(app, `/c/${id}`);
  await card().getByRole('button').first().click();
  await card().getByRole('button', { name: '1 weaker match, not used' }).click();
  await expect.element(card()).toHaveTextContent('ten minutes fast');
  await expect.element(card()).not.toHaveTextContent('Bread rises overnight.');
});

it('offers to take *never* back in a notice, and keeps the room of the title', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`);
  await card().getByRole('button').first().click();
  const row = card().getByRole('listitem').filter({ hasText: 'behind the clock' }).first();
  const title = row.getByRole('button', { name: 'Open the message in “Keys”' }).first();
  const before = title.element().getBoundingClientRect().width;
  await row.getByRole('button', { name: 'Never recall this passage' }).first().click();
  await expect.poll(() => app.notes.state.get().feedback.map(({ verdict }) => verdict)).toEqual(['never']);
  expect(title.element().getBoundingClientRect().width).toBe(before);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Never recalled again' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => app.notes.state.get().feedback).toEqual([]);
});
