// What Recollect knows about me: the inbox decided by keys, a fact with its past,
// contradictions, pasted memories; both languages.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const inbox = (name = 'Remember this?') => page.getByRole('region', { name });
const notes = (name = 'Memory notes') => page.getByRole('region', { name });
const texts = (app: TestApp) => app.notes.state.get().notes.map(({ text }) => text);

async function proposed() {
  const app = await createTestApp();
  const talk = await app.say('Hello there.');
  await app.idle(talk);
  const [message] = (await app.documents.read(talk))?.messages.values() ?? [];
  const port = await app.notes.write({ text: 'The port is 8080.', kind: 'fact' });
  const source = { conversationId: talk, messageId: message?.id ?? '' };
  await app.notes.propose([
    { text: 'Tests come first.', kind: 'rule', source, at: 3000, by: 'device' },
    { text: 'The port is 8081 now.', kind: 'fact', source, at: 2000, by: 'device', replaces: port.id },
    { text: 'I like tea.', kind: 'preference', source, at: 1000, by: 'device' },
  ]);
  return { app, talk, port };
}

it.each([
  { language: 'en', width: 1280, words: /3 to decide/, left: /2 to decide/, keep: 'Remember' },
  { language: 'zh', width: 390, words: /3.件待定/, left: /2.件待定/, keep: '记住' },
] as const)(
  'says beside Memory that something waits, $language',
  async ({ language, width, words, left, keep }) => {
    const { app, talk } = await proposed();
    await app.settings.set('ui.language', language);
    await show(app, `/c/${talk}`, { width, height: 800 });
    const sidebar = () => page.getByRole('button', { name: /^(Show sidebar|展开侧栏)$/ });
    if (width < 720) await sidebar().click();
    const memory = page.getByRole('link', { name: /^(Memory|记忆)$/ });
    await expect.element(memory).toHaveTextContent(words);
    await expect.element(memory).toHaveAccessibleDescription(/3/);
    await expectAccessible();
    await memory.click();
    await page.getByRole('listitem').first().getByRole('button', { name: keep, exact: true }).click();
    const tab = page.getByRole('button', { name: /^(What it knows|了解的内容)/ });
    await expect.element(tab).toHaveTextContent(left);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  },
);

it('begins empty, and what is written is kept', async () => {
  const app = await createTestApp();
  await show(app, '/memory');
  await expect.element(notes().getByText('No notes yet.')).toBeVisible();
  await expect.element(inbox()).not.toBeInTheDocument();
  await notes().getByRole('textbox').fill('From now on, be brief.');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  await expect.element(notes().getByRole('heading', { name: 'Rules' })).toBeVisible();
  await expectAccessible();
});

it('shows the examples for a note whole, however narrow the screen', async () => {
  const app = await createTestApp();
  await show(app, '/memory', { width: 320, height: 640 });
  const field = page.getByPlaceholder(/·/);
  const roomOf = () => {
    const box = field.element() as HTMLTextAreaElement;
    const shown = box.clientHeight;
    // The browser does not tell how tall a placeholder is: as a value it does.
    box.value = box.placeholder;
    const needed = box.scrollHeight;
    box.value = '';
    return shown - needed;
  };
  for (const language of ['zh', 'en']) {
    await app.settings.set('ui.language', language);
    await expect.poll(() => document.documentElement.lang).toContain(language);
    await expect.poll(roomOf).toBeGreaterThanOrEqual(0);
  }
});

it('one key accepts, replaces or refuses; a whole kind is not asked about again', async () => {
  const { app } = await proposed();
  await show(app, '/memory', { width: 390, height: 844 });
  await expect.element(page.getByRole('button', { name: /^What it knows 3 to decide$/ })).toBeVisible();
  const row = (text: string) => inbox().getByRole('listitem').filter({ hasText: text });
  const focus = (text: string) => (row(text).element() as HTMLElement).focus();
  await expectAccessible();
  focus('Tests come first.');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => texts(app)).toContain('Tests come first.');
  await expect.element(row('8081').getByText(/May replace “The port is 8080\.”/)).toBeVisible();
  focus('8081');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => texts(app)).toContain('The port is 8081 now.');
  expect(texts(app)).not.toContain('The port is 8080.');
  await notes().getByText('Was different before').click();
  await expect.element(notes().getByText('The port is 8080.')).toBeVisible();
  focus('I like tea.');
  await userEvent.keyboard('n');
  await expect.element(inbox().getByRole('button', { name: 'Preferences: suggest again' })).toBeVisible();
  await inbox().getByRole('button', { name: 'Preferences: suggest again' }).click();
  focus('I like tea.');
  await userEvent.keyboard('e');
  await inbox().getByRole('textbox').fill('I like green tea.');
  await inbox().getByRole('button', { name: 'Remember' }).click();
  await expect.poll(() => texts(app)).toContain('I like green tea.');
  await expect.element(inbox()).not.toBeInTheDocument();
});

deep('a refusal is taken back by Undo; what was kept beside another is shown with both', async () => {
  const { app } = await proposed();
  await show(app, '/memory');
  const row = (text: string) => inbox().getByRole('listitem').filter({ hasText: text });
  await row('I like tea.').getByRole('button', { name: 'No', exact: true }).click();
  await expect.element(row('I like tea.')).not.toBeInTheDocument();
  // Notices of the test before may still be there.
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Not remembered, and not asked again' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.element(row('I like tea.')).toBeVisible();
  await row('8081').getByRole('button', { name: 'Keep both' }).click();
  await expect.element(notes().getByText(/Another note says otherwise/)).toBeVisible();
  await expectAccessible();
  await notes().getByRole('button', { name: 'This one is right' }).click();
  await expect.poll(() => texts(app)).toEqual(['The port is 8081 now.']);
});

it('each decision is taken back by its notice: kept, corrected, in other words, all at once', async () => {
  const { app } = await proposed();
  await show(app, '/memory');
  const row = (text: string) => inbox().getByRole('listitem').filter({ hasText: text });
  const notice = (words: string) =>
    page
      .getByRole('region', { name: /^Notices/ })
      .getByRole('listitem')
      .filter({ hasText: words });
  const undo = async (words: string) => {
    await notice(words).getByRole('button', { name: 'Undo' }).click();
    await expect.element(notice(words)).not.toBeInTheDocument();
  };
  const before = () => expect.poll(() => texts(app)).toEqual(['The port is 8080.']);
  await row('Tests come first.').getByRole('button', { name: 'Remember' }).click();
  await expect.poll(() => texts(app)).toContain('Tests come first.');
  await undo('Remembered');
  await expect.element(row('Tests come first.')).toBeVisible();
  await before();
  await row('8081').getByRole('button', { name: 'Replace the old note' }).click();
  await expect.poll(() => texts(app)).toEqual(['The port is 8081 now.']);
  await undo('Remembered');
  await expect.element(row('8081')).toBeVisible();
  await before();
  await row('I like tea.').getByRole('button', { name: 'Edit' }).click();
  await inbox().getByRole('textbox').fill('I like green tea.');
  const edited = inbox()
    .getByRole('listitem')
    .filter({ has: page.getByRole('textbox') });
  await edited.getByRole('button', { name: 'Remember' }).click();
  await expect.poll(() => texts(app)).toContain('I like green tea.');
  await undo('Remembered');
  await expect.element(row('I like tea.')).toBeVisible();
  await before();
  await inbox().getByRole('button', { name: 'None of these' }).click();
  await expect.element(inbox()).not.toBeInTheDocument();
  await undo('3 suggestions put away');
  await expect.element(row('I like tea.')).toBeVisible();
  await expect.element(row('8081')).toBeVisible();
});

deep('what the model suggests says so, and stops in one click', async () => {
  const { app } = await proposed();
  const [one] = app.notes.inbox.get().proposals;
  if (!one) throw new Error('a proposal was expected');
  await app.notes.propose([{ ...one, text: 'Ruth is my sister.', kind: 'person', by: 'model' }]);
  await show(app, '/memory', { width: 390, height: 844 });
  const row = inbox().getByRole('listitem').filter({ hasText: 'Ruth is my sister.' });
  await expect.element(row.getByText('suggested by the model')).toBeVisible();
  await expectAccessible();
  await inbox().getByRole('button', { name: 'No suggestions by the model' }).click();
  await expect.poll(() => app.settings.config.get().notes.propose_by_model).toBe(false);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The model suggests nothing any more' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => app.settings.config.get().notes.propose_by_model).toBe(true);
});

deep('speaks Chinese, at 320 px', async () => {
  const { app } = await proposed();
  await app.settings.set('ui.language', 'zh');
  await show(app, '/memory', { width: 320, height: 700 });
  await expect
    .element(inbox('要记住吗？').getByText('可能取代“The port is 8080.”', { exact: false }))
    .toBeVisible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await expectAccessible();
});

it('takes in pasted memories, those that are chosen', async () => {
  const app = await createTestApp();
  await app.notes.write({ text: 'I have two cats.', kind: 'fact' });
  await show(app, '/memory');
  await notes().getByRole('button', { name: 'Paste or import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste memories' });
  await dialog
    .getByRole('textbox')
    .fill('Saved memories\nUser prefers tea.\nI have two cats.\nUser lives in Ghent.');
  await expect.element(dialog.getByRole('button', { name: 'Add 2 notes' })).toBeVisible();
  await dialog.getByRole('checkbox').nth(1).click();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Add 1 note' }).click();
  await expect.poll(() => texts(app)).toEqual(['User prefers tea.', 'I have two cats.']);
});
