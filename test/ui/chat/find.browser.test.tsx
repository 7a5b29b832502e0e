// Find in conversation: over all branches and past what is drawn, by keyboard, with the focus given back.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const field = () => page.getByRole('textbox', { name: 'Find in conversation' });

/** Thirty questions with long answers; a rewording of one makes two branches. */
async function longConversation(): Promise<{ app: TestApp; id: ConversationId }> {
  let answers = 0;
  const app = await createTestApp({
    *reply() {
      answers += 1;
      const about = answers === 2 ? 'The **Zürich** train leaves at noon.' : 'Nothing about trains.';
      yield { type: 'text-delta', text: `${about}\n\n${'A line of the answer.\n\n'.repeat(20)}` };
    },
  });
  let id: ConversationId | undefined;
  for (let at = 0; at < 12; at++) {
    id = await app.say(`Question ${at}`, id);
    await app.idle(id);
  }
  const conversation = await app.documents.read(id as ConversationId);
  const second = [...(conversation?.messages.values() ?? [])].find(({ parts }) =>
    parts.some((part) => part.type === 'text' && part.text === 'Question 9'),
  );
  await app.chat.edit(
    id as ConversationId,
    second?.id as never,
    [{ type: 'text', text: 'Zurich by night' }],
    false,
  );
  return { app, id: id as ConversationId };
}

const marked = () => [...(CSS.highlights.get('found-current') ?? [])].map((range) => String(range));

it('finds what is not drawn and what is on another branch, in any spelling', async () => {
  const { app, id } = await longConversation();
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('Zurich by night')).toBeVisible();
  await userEvent.keyboard('{Control>}f{/Control}');
  await expect.element(field()).toHaveFocus();
  await userEvent.keyboard('ZURICH');
  await expect.element(page.getByText('2 of 2')).toBeVisible();
  await expect.poll(marked).toEqual(['Zurich']);
  await expectAccessible();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('1 of 2')).toBeVisible();
  await expect.poll(marked).toEqual(['Zürich']);
  await expect.element(page.getByText('The Zürich train leaves at noon.')).toBeInViewport();
  await userEvent.fill(field(), 'question 11');
  // The hit is on the other branch: the page shows that branch and keeps the head.
  await expect.element(page.getByText('Question 11')).toBeInViewport();
  await expect.poll(marked).toEqual(['Question 11']);
});

it('goes to the match before, by keyboard and by its button, around the ends', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'A pear, then a pear.' };
    },
  });
  const id = await app.say('Is a pear a fruit?');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await userEvent.keyboard('{Control>}f{/Control}');
  await userEvent.fill(field(), 'pear');
  const at = async (place: string, message: string) => {
    await expect.element(page.getByText(place)).toBeVisible();
    await expect
      .poll(() =>
        [...(CSS.highlights.get('found-current') ?? [])].map((range) =>
          range.startContainer.parentElement?.closest('article')?.getAttribute('aria-label'),
        ),
      )
      .toEqual([message]);
  };
  await at('1 of 3', 'You');
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
  await at('3 of 3', 'Answer');
  const previous = page.getByRole('button', { name: 'Previous match' });
  await previous.click();
  await at('2 of 3', 'Answer');
  await previous.click();
  await at('1 of 3', 'You');
  await page.getByRole('button', { name: 'Next match' }).click();
  await at('2 of 3', 'Answer');
});

it('says that nothing was found, and closes with Escape to where one was', async () => {
  const { app, id } = await longConversation();
  await show(app, `/c/${id}`, { width: 320, height: 700 });
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.click();
  await userEvent.keyboard('{Control>}f{/Control}');
  await userEvent.keyboard('zzqq');
  await expect.element(page.getByText('Nothing found')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Next match' })).toBeDisabled();
  await expectAccessible();
  // The second press is left to the browser.
  const second = new KeyboardEvent('keydown', {
    key: 'f',
    code: 'KeyF',
    ctrlKey: true,
    bubbles: true,
    cancelable: true,
  });
  document.activeElement?.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
  await userEvent.keyboard('{Escape}');
  await expect.element(field()).not.toBeInTheDocument();
  await expect.element(composer).toHaveFocus();
  expect(CSS.highlights.has('found')).toBe(false);
});

deep('opens from the menu, for whoever has no keys', async () => {
  const { app, id } = await longConversation();
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Find in conversation' }).click();
  await userEvent.fill(field(), 'by night');
  await expect.element(page.getByText('1 of 1')).toBeVisible();
  await page.getByRole('button', { name: 'Close find' }).click();
  await expect.element(field()).not.toBeInTheDocument();
});

it('finds words as they are seen, through formatting, cells, notes and tags, and marks the very place', async () => {
  const text = [
    'Say ~~old \\_name~~ and AT&amp;T, <kbd>Ctrl</kbd>+<kbd>C</kbd>, <https://example.com/a_b> once[^1].',
    '| head | cost |\n|-|-|\n| one<br>two | **$5**–$10 |',
    '~~~sh\nexport NEEDLE=$A:$B\n~~~',
    '**kwargs and __init__.py, $x$ and 5\\% of _all_ needle.',
    '[^1]: The needle *note*.',
  ].join('\n\n');
  const app = await createTestApp({
    *reply() {
      yield { type: 'reasoning-delta', text: 'A needle of thought.' };
      yield { type: 'text-delta', text };
    },
  });
  const id = await app.say('Where?');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: /^Thought/ }).click();
  await userEvent.keyboard('{Control>}f{/Control}');
  for (const [words, seen = words] of [
    ['old _name and AT&T'],
    ['Ctrl+C'],
    ['a_b once'],
    ['one two', 'onetwo'],
    ['$5–$10'],
    ['**kwargs and __init__.py'],
    ['5% of all'],
    ['needle note'],
  ] as const) {
    await userEvent.fill(field(), words);
    await expect.element(page.getByText('1 of 1')).toBeVisible();
    await expect.poll(marked, { message: words }).toEqual([seen]);
  }
  // A name that only the head of the code has, and one in a thought, count for nothing.
  await userEvent.fill(field(), 'needle');
  await expect.element(page.getByText('1 of 3')).toBeVisible();
  const around = () =>
    [...(CSS.highlights.get('found-current') ?? [])].map(
      (range) => range.startContainer.parentElement?.closest('p, pre, li')?.textContent,
    );
  await expect.poll(() => around()[0]).toContain('export NEEDLE');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => around()[0]).toContain('5% of all needle');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => around()[0]).toContain('The needle note');
});

it('takes the keys once; pressed again in its field they are the browser’s own', async () => {
  const { app, id } = await longConversation();
  await show(app, `/c/${id}`);
  await expect.element(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible();
  const press = () =>
    !(document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'f',
        code: 'KeyF',
        ctrlKey: true,
        bubbles: true,
        cancelable: true,
      }),
    );
  expect(press()).toBe(true);
  await expect.element(field()).toHaveFocus();
  expect(press()).toBe(false);
});
