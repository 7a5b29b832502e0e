// The session memory in its window: opened from the menu and by a command, edited,
// pinned, and kept for the next compaction.
import { beforeAll, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { linesOf, textOfLines } from '../../../src/domain/chat/memory-file.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const app = await createTestApp({
  *reply() {
    yield { type: 'text-delta', text: 'The photos go to the disk that is called Birch. '.repeat(20) };
  },
});
let id: ConversationId;
const dialog = () => page.getByRole('dialog', { name: 'Session memory' });
const button = (name: string | RegExp) => dialog().getByRole('button', { name });
const topOf = (name: RegExp) => button(name).element().getBoundingClientRect().top;
const text = async () => textOfLines((await app.context.memoryFile(id)).lines);

beforeAll(async () => {
  id = await app.say('Never write to the disk Birch without asking me. Which disk is for the photos?');
  await app.idle(id);
  for (const words of ['And for the videos?', 'How often?', 'Where do copies go?']) {
    await app.say(words, id);
    await app.idle(id);
  }
});

it('is opened from the menu, read by sections, edited as text and taken back', async () => {
  await show(app, `/c/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Session memory' }).click();
  await expect.element(dialog().getByRole('heading', { level: 3 }).first()).toBeVisible();
  await expect.element(dialog().getByText('Nothing is shortened yet.')).toBeVisible();
  await expectAccessible();
  await button('Edit').click();
  const field = dialog().getByRole('textbox');
  await field.fill(`## Mine\n- The key is under the pot.\n\n${await text()}`);
  await button('Save').click();
  await expect.element(dialog().getByText('The key is under the pot.')).toBeVisible();
  await expect.element(button('Discard my edits')).toBeVisible();
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
  // On a phone no button is left over for a line of its own that leaves most of it empty.
  for (const width of [320, 390]) {
    await page.viewport(width, 640);
    await expect.poll(() => topOf(/^Edit$/) - topOf(/^Save as .md$/)).toBe(0);
  }
  await page.viewport(1280, 800);
  await button('Undo').click();
  await expect.element(dialog().getByText('The key is under the pot.')).not.toBeInTheDocument();
});

it('is opened by a command; a pinned line is in what the model reads after a compaction', async () => {
  await show(app, `/c/${id}`);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('/memory session');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog()).toBeVisible();
  await button(/^Pin “Never write to the disk Birch/)
    .first()
    .click();
  await expect.element(button(/^Unpin “Never write to the disk Birch/)).toBeVisible();
  await userEvent.keyboard('{Escape}');
  const result = await app.context.compact(id);
  expect(result.outcome).toBe('applied');
  const file = await app.context.memoryFile(id);
  expect(file.compaction).not.toBeNull();
  expect(file.lines.find(({ pinned }) => pinned)?.text).toContain('Never write to the disk Birch');
});

it('shows what another device saved at the same time, and takes it in', async () => {
  const from = await app.context.memoryFile(id);
  await app.context.saveMemoryFile(id, from, linesOf('- Kept here.', from.lines));
  const meta = {
    'memoryFile:other': {
      at: Date.now() - 1000,
      device: 'Phone',
      lines: [{ text: '- Kept on the phone.', by: 'person' }],
      upTo: null,
      out: [],
      seen: {},
    },
  };
  await app.documents.change(id, { meta: meta as never });
  await show(app, `/c/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Session memory' }).click();
  await expect.element(dialog().getByText(/^Phone saved another version/)).toBeVisible();
  await expectAccessible();
  await button('Add what is missing here').click();
  await expect.element(dialog().getByText('Kept on the phone.')).toBeVisible();
  await expect.element(dialog().getByText(/^Phone saved another version/)).not.toBeInTheDocument();
});
