// The panel on a conversation: passages and checkpoints in the words of people.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

it('shows passages without Markdown, and automatic checkpoints by what the person asked', async () => {
  const app = await createTestApp();
  const id = newConversationId();
  const message = (
    role: Message['role'],
    parentId: Message['id'] | null,
    parts: Message['parts'],
  ): Message => ({
    id: newMessageId(),
    parentId,
    role,
    kind: 'message',
    createdAt: Date.now(),
    parts,
  });
  const asked = message('user', null, [{ type: 'text', text: 'Why is the page slow?' }]);
  const answered = message('assistant', asked.id, [
    {
      type: 'recall',
      query: 'Why is the page slow?',
      threshold: 0.75,
      passages: [
        {
          conversationId: id,
          messageId: asked.id,
          title: 'Orders',
          createdAt: asked.createdAt,
          role: 'assistant',
          passage:
            '**Index** on `customer_id`:\n\n| | before | after |\n|---|---:|---:|\n| page | 4,100 ms | 9 ms |',
          neighbours: [],
          scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.95, boosts: [] },
          tokens: 9,
        },
      ],
      nearMisses: [],
    },
    { type: 'text', text: 'The index is missing.' },
  ]);
  const again = message('user', answered.id, [{ type: 'text', text: '**Which** index do we `build`?' }]);
  const other = message('user', answered.id, [{ type: 'text', text: 'Another one' }]);
  await app.documents.change(id, {
    messages: [asked, answered, again, other],
    meta: { head: again.id, title: 'Slow' },
  });
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Show context' }).click();
  const panel = page.getByRole('complementary', { name: 'Context' });
  const passage = panel.getByRole('button', { name: /Orders/ });
  await expect
    .element(passage)
    .toHaveTextContent('Index on customer_id: before · after · page · 4,100 ms · 9 ms');
  await expect
    .element(panel.getByRole('button', { name: /^Before “Which index do we build\?”/ }))
    .toBeVisible();
  expect(panel.element().textContent).not.toContain('turn-2');
  // The fork as well is told by its words.
  await expect
    .element(panel.getByRole('button', { name: 'Which index do we build?', exact: true }))
    .toBeVisible();
  expect(panel.element().textContent).not.toMatch(/\*\*|`/);
});

it('says in words what can be done with a checkpoint, and leads back from each', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: '**Rye**, then wheat.' };
    },
  });
  const id = await app.say('Which bread do we bake?');
  await app.idle(id);
  await app.context.checkpoint(id, 'before lunch');
  await app.say('And which flour?', id);
  await app.idle(id);
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Show context' }).click();
  const panel = page.getByRole('complementary', { name: 'Context' });
  const more = panel.getByRole('button', { name: 'More for before lunch' });
  await expect.element(panel.getByText('Rye, then wheat.')).toBeVisible();
  await userEvent.hover(panel.getByText('before lunch'));
  await more.click();
  await expect
    .poll(() =>
      page
        .getByRole('menuitem')
        .elements()
        .map((item) => item.textContent),
    )
    .toEqual(['Go back to it', 'Rename', 'Remove']);
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(more).toHaveFocus();
  // Key by key, as each moves the focus a moment later.
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('menuitem', { name: 'Go back to it' })).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  const name = panel.getByRole('textbox', { name: 'Name of the checkpoint' });
  await expect.element(name).toHaveFocus();
  await name.fill('after lunch');
  await userEvent.keyboard('{Enter}');
  const renamed = panel.getByRole('button', { name: 'More for after lunch' });
  await expect.element(renamed).toBeInTheDocument();
  await userEvent.hover(panel.getByText('after lunch'));
  await renamed.click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await expect.element(renamed).not.toBeInTheDocument();
  const notice = page.getByRole('listitem').filter({ hasText: 'Checkpoint “after lunch” removed' });
  await notice.getByRole('button', { name: 'Undo' }).click();
  await expect.element(renamed).toBeInTheDocument();
  // An automatic one has no name to change.
  await panel.getByRole('button', { name: 'More for Before “And which flour?”' }).click();
  await expect.poll(() => page.getByRole('menuitem').elements().length).toBe(1);
});
