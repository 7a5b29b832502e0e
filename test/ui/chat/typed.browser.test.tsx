// What a person types or rewords is theirs to the letter: the first line keeps its
// indentation, and line breaks stay of their kind.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { createTestApp, show } from '../harness.tsx';

const app = await createTestApp({
  *reply() {
    yield { type: 'text-delta', text: 'An answer.' };
  },
});
const questions = async (id: ConversationId) =>
  [...((await app.documents.read(id))?.messages.values() ?? [])]
    .filter(({ role }) => role === 'user')
    .map(textOf);
const newest = () =>
  app.documents.library.get().entries.reduce((one, other) => (other.createdAt > one.createdAt ? other : one))
    .id;

it('sends code as it was typed, without the empty lines around it', async () => {
  await show(app, '/');
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('\n    if a:\n\t\tb\n    c\n\n');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('article', { name: 'Answer' })).toHaveTextContent('An answer.');
  expect(await questions(newest())).toEqual(['    if a:\n\t\tb\n    c']);
});

it('keeps the line breaks of a message that is reworded', async () => {
  const said = '\tset A=1\r\n\r\n  echo %A%';
  const id = await app.say(said);
  await app.idle(id);
  await show(app, `/c/${id}`);
  const message = page.getByRole('article', { name: 'You' });
  await message.getByRole('button', { name: 'Edit', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Edit the message' });
  await field.fill('\tset A=2\n\n  echo %A%');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.element(message).toHaveTextContent('A=2');
  await expect.poll(() => questions(id)).toEqual([said, '\tset A=2\r\n\r\n  echo %A%']);
});

it('shows tags that a person wrote as text, and none of them as an element', async () => {
  const said =
    'Replace <your-api-key> in List<String>, <br> and <b>bold</b>.\n<script>alert(1)</script> <!-- left --> &amp; <details>\n1 < 2 <';
  const id = await app.say(said);
  await app.idle(id);
  await show(app, `/c/${id}`);
  const message = page.getByRole('article', { name: 'You' });
  await expect.element(message).toHaveTextContent('Replace <your-api-key>');
  const words = message.element().querySelector('.reading');
  expect(words?.textContent).toBe(said);
  expect(words?.querySelectorAll('script, br, b, details, your-api-key, string')).toHaveLength(0);
});
