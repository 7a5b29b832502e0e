// The window of forgetting: what is sought, where it is, the time for an undo, and the report; from a
// menu, from the palette, by a command.
import { expect, it, onTestFinished, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { asConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const CANARY = 'Quillfeather';
const TALK = asConversationId('00000000-0000-7000-8000-000000000001');

async function filled(options: Parameters<typeof createTestApp>[0] = {}): Promise<TestApp> {
  const app = await createTestApp({ undoMs: 600, ...options });
  const message = (text: string, parentId: Message['parentId'], role: Message['role']): Message => ({
    id: newMessageId(),
    parentId,
    role,
    kind: 'message',
    createdAt: Date.now() - 60_000,
    parts: [{ type: 'text', text }],
  });
  const asked = message(`What did my neighbour ${CANARY} say about the flood?`, null, 'user');
  const answered = message('That the garden was lost.', asked.id, 'assistant');
  await app.documents.change(TALK, {
    messages: [asked, answered],
    meta: { title: `About ${CANARY}`, head: answered.id, createdAt: Date.now() - 60_000 },
  });
  await app.notes.write({ text: `${CANARY} likes roses`, source: null });
  return app;
}
const dialog = () => page.getByRole('dialog', { name: 'Forget for good' });
const result = () => dialog().getByRole('list', { name: 'What became of it' });

it.each([
  ['en', 'Forget…'],
  ['zh', '遗忘…'],
] as const)('is reached from the settings, too: %s', async (language, open) => {
  const app = await createTestApp();
  await app.settings.set('ui.language', language);
  await show(app, '/settings/privacy');
  await page.getByRole('button', { name: open }).click();
  await expect.element(page.getByRole('dialog')).toBeVisible();
  await expectAccessible();
});

it('from words to a report: shows where they are, and nothing is left of them', async () => {
  const app = await filled();
  await show(app, '/memory');
  await page.getByRole('button', { name: 'Forget…' }).click();
  await expect.element(dialog().getByRole('button', { name: 'Show where it is' })).toBeDisabled();
  await expectAccessible();
  await dialog().getByLabelText('Words to forget').fill('nobody said this');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByText('It was found nowhere.')).toBeVisible();
  await dialog().getByRole('button', { name: 'Back' }).click();
  await dialog().getByLabelText('Words to forget').fill(CANARY);
  await dialog().getByRole('button', { name: 'Show where it is' }).click();
  await expect.element(dialog().getByText('1 message loses words, 1 title')).toBeVisible();
  await expect.element(dialog().getByText(`${CANARY} likes roses`)).toBeVisible();
  // The words that go are marked, in the titles as well.
  const lines = dialog().getByRole('list', { name: 'What is forgotten' }).element().querySelectorAll('li');
  const marked = [...lines].map((one) => [...one.querySelectorAll('mark')].map((mark) => mark.textContent));
  expect(new Set(marked.flat())).toEqual(new Set([CANARY]));
  expect(marked.every(({ length }) => length > 0)).toBe(true);
  await expect.element(dialog().getByText(/^Out of reach: files that you exported/)).toBeVisible();
  await expectAccessible();
  await dialog().getByRole('button', { name: 'Forget for good' }).click();
  await expect.element(dialog().getByRole('button', { name: 'Undo' })).toHaveFocus();
  expect((await app.documents.read(TALK))?.meta.title).toContain(CANARY);
  await expect.element(result().getByText('Conversations · 2 found')).toBeVisible();
  await expectAccessible();
  const files = vi.spyOn(URL, 'createObjectURL');
  onTestFinished(() => files.mockRestore());
  await dialog().getByRole('button', { name: 'Save the report' }).click();
  const saved = (await (files.mock.calls[0]?.[0] as Blob | undefined)?.text()) ?? '';
  expect(saved).toContain('- Conversations · 2 found');
  expect(saved).toContain('Out of reach: files that you exported');
  expect(saved).not.toContain(CANARY);
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect.element(dialog()).not.toBeInTheDocument();
  const read = await app.documents.read(TALK);
  expect(
    JSON.stringify([read?.meta, [...(read?.messages.values() ?? [])], app.notes.state.get()]),
  ).not.toContain(CANARY);
  await page.getByRole('button', { name: 'Forget…' }).click();
  const before = dialog().getByRole('region', { name: 'Forgotten before' });
  await before.getByRole('button', { name: /^Show the report of/ }).click();
  await expect.element(result().getByText('Conversations · 2 found')).toBeVisible();
});

it('a conversation from its menu: an undo keeps it, and after the next one it is gone', async () => {
  const app = await filled({ undoMs: 5000 });
  await show(app, `/c/${TALK}`);
  const open = async () => {
    await page
      .getByRole('button', { name: /^More for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Forget for good…' }).click();
    await dialog().getByRole('button', { name: 'Forget for good' }).click();
  };
  await open();
  await dialog().getByRole('button', { name: 'Undo' }).click();
  await expect.element(dialog().getByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  expect((await app.documents.read(TALK))?.messages.size).toBe(2);
});

deep('closed in the time for an undo, it goes on, and says how it ended', async () => {
  const app = await filled();
  await show(app, '/');
  await page.getByRole('textbox').first().fill(`/forget ${CANARY}`);
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByLabelText('Words to forget')).toHaveValue(CANARY);
  await dialog().getByRole('button', { name: 'Show where it is' }).click();
  await dialog().getByRole('button', { name: 'Forget for good' }).click();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(page.getByText('Forgotten for good. There is a report.')).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.element(result()).toBeVisible();
});

it('leaves no undo that would bring it back', async () => {
  const app = await filled({ undoMs: 0 });
  const message = [...((await app.documents.read(TALK))?.messages.values() ?? [])][1] as Message;
  await app.notes.judge({
    ...{ conversationId: TALK, messageId: message.id, title: 'Flood', query: null },
    ...{ passage: `${CANARY} lost it`, verdict: 'pinned' },
  } as Parameters<typeof app.notes.judge>[0]);
  await show(app, '/memory');
  await page
    .getByRole('listitem')
    .filter({ hasText: `${CANARY} lost it` })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.element(page.getByText('Feedback removed')).toBeVisible();
  const sought = { kind: 'phrase', words: [CANARY], whole: false } as const;
  await app.forget.begin(await app.forget.seek(sought, new AbortController().signal));
  await expect.element(page.getByText('Feedback removed')).not.toBeInTheDocument();
});

it('says no more of it aloud, and nothing at all once the page is gone or locked', async () => {
  const app = await filled({ undoMs: 0 });
  await show(app, `/c/${TALK}`);
  await expect.element(page.getByText(`What did my neighbour ${CANARY} say`).last()).toBeVisible();
  const silenced = vi.spyOn(speechSynthesis, 'cancel');
  onTestFinished(() => silenced.mockRestore());
  await app.forget.begin(await seekIn(app));
  await expect.poll(() => silenced.mock.calls.length).toBeGreaterThan(0);
  silenced.mockClear();
  // A locked page saves as when it is left, before it is loaded again.
  window.dispatchEvent(new Event('pagehide'));
  expect(silenced).toHaveBeenCalled();
});

it('takes it out of a composer, an editor and messages that wait, all on the screen', async () => {
  const answering = Promise.withResolvers<void>();
  const app = await filled({
    undoMs: 0,
    reply: () => [answering.promise, { type: 'text-delta', text: 'Yes.' }],
  });
  await show(app, `/c/${TALK}`);
  await app.say('And the roses?', TALK);
  await app.chat.send({
    conversationId: TALK,
    parts: [{ type: 'text', text: `Write to ${CANARY} at once` }],
  });
  const queue = page.getByRole('list', { name: 'Waiting messages' });
  await expect.element(queue.getByText(CANARY)).toBeVisible();
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await page.getByRole('article', { name: 'You' }).first().getByRole('button', { name: 'Edit' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  await editor.fill(`Ask ${CANARY} anew`);
  await composer.fill(`Dear ${CANARY}, thank you`);
  const sought = { kind: 'phrase', words: [CANARY], whole: false } as const;
  await app.forget.begin(await app.forget.seek(sought, new AbortController().signal));
  await expect.element(composer).toHaveValue('Dear •••, thank you');
  await expect.element(editor).toHaveValue('Ask ••• anew');
  await expect.element(queue.getByText('Write to ••• at once')).toBeVisible();
  // What is said of it later stays.
  await composer.fill(`${CANARY} again`);
  await expect.element(composer).toHaveValue(`${CANARY} again`);
  answering.resolve();
});

const seekIn = (app: TestApp) =>
  app.forget.seek({ kind: 'phrase', words: [CANARY], whole: false }, new AbortController().signal);
const underWay = (app: TestApp) => app.settings.recallItem('forgetting-told');

it('keeps what is under way, without a word of it, until it is undone', async () => {
  const app = await filled({ undoMs: 60_000 });
  const plan = await seekIn(app);
  await show(app, '/');
  await app.forget.begin(plan);
  await expect.poll(() => underWay(app)).toBe(plan.record.id);
  await app.forget.undo();
  await expect.poll(() => underWay(app)).toBeUndefined();
});

it('a page that was loaded anew meanwhile says how it ended', async () => {
  const app = await filled();
  const { record } = await seekIn(app);
  await app.settings.keepItem('forgetting-told', record.id);
  await show(app, '/');
  // As a page does that takes up what the one before it left.
  await app.notes.record(record);
  await app.notes.confirm(record.id, 'local', { at: Date.now(), left: 0 });
  await expect.element(page.getByText(/^Forgotten for good: nothing of it/)).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.element(dialog().getByRole('region', { name: 'Forgotten before' })).toBeVisible();
  await expect.poll(() => underWay(app)).toBeUndefined();
});

it('a message from its menu; failing, it says so and what goes on by itself', async () => {
  const app = await filled();
  await show(app, `/c/${TALK}`);
  await page.getByRole('article', { name: 'You' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Forget for good…' }).click();
  await expect.element(dialog().getByText(/^1 message, 1 title/)).toBeVisible();
  app.notes.record = () => Promise.reject(new Error('No room'));
  await dialog().getByRole('button', { name: 'Forget for good' }).click();
  await expect.element(dialog().getByText(/^It is not all removed yet/)).toBeVisible();
  await expectAccessible();
});

deep('speaks Chinese, and fits 320 px in the dark', async () => {
  const app = await filled();
  await app.settings.set('ui.language', 'zh');
  await app.settings.set('ui.theme', 'dark');
  await show(app, '/memory', { width: 320, height: 640 });
  await page.getByRole('button', { name: '遗忘…' }).click();
  const window = page.getByRole('dialog', { name: '彻底遗忘' });
  await window.getByLabelText('要遗忘的词句').fill(CANARY);
  await window.getByRole('button', { name: '查看它在哪里' }).click();
  await expect.element(window.getByText('1 条消息去掉词句、1 个标题')).toBeVisible();
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});
