// Going back with other words and changing only what must change in the answer: what it saved is said
// beside it, and where it did not work out.
import { beforeAll, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const LINES = Array.from({ length: 30 }, (_, at) => `- Disk ${at} is copied after disk ${at + 100}.`).join(
  '\n',
);
let found = 'runs at two';
const app = await createTestApp({
  *reply({ messages }) {
    const last = textOf({ parts: messages.at(-1)?.parts ?? [] });
    const text = last.includes('FIND')
      ? `<<<<<<< FIND\n${found}\n=======\nruns at four\n>>>>>>> REPLACE`
      : `The backup runs at two.\n\n${LINES}`;
    yield { type: 'text-delta', text };
  },
});
let id: ConversationId;

beforeAll(async () => {
  id = await app.say('When is the backup? At two.');
  await app.idle(id);
});

async function goBack(words: string) {
  await show(app, `/c/${id}`);
  const question = page.getByRole('article', { name: 'You' });
  await question.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Go back here with a note' }).click();
  const window = page.getByRole('dialog', { name: 'Go back here with a note' });
  await window.getByRole('textbox').fill(words);
  await window.getByRole('radio', { name: 'Change only what must change in the answer' }).click();
  await expectAccessible();
  await pressed(window.getByRole('button', { name: 'Go back' }));
  await expect.element(window).not.toBeInTheDocument();
  await app.idle(id);
}

it('says what was saved beside the patched answer', async () => {
  await goBack('When is the backup? At four.');
  await expect.element(page.getByText('The backup runs at four.', { exact: true })).toBeVisible();
  await expect
    .element(page.getByText(/^Only what had to change was written: saved about \d+ tokens$/))
    .toBeVisible();
  // Nothing was replayed: it says nothing of answers that were, nor of calls that no one saved.
  await expect.element(page.getByText(/^Replay/)).not.toBeInTheDocument();
  await expectAccessible();
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await page.viewport(1280, 800);
});

it('says that the edits did not fit, and has the answer all the same', async () => {
  found = 'runs at nine';
  await goBack('When is the backup? At five.');
  await expect
    .element(page.getByText('Its edits did not fit the old answer, so it was written anew'))
    .toBeVisible();
  await expect.element(page.getByText('The backup runs at two.', { exact: true })).toBeVisible();
});
