// The menu of an answer: taken out as Markdown or text, read aloud by the device's own
// voice, asked again with another model.
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const ANSWER = '# Backups\n\nKeep **two** copies.';

async function answered(words = ANSWER) {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: words };
    },
  });
  const { connections } = app.settings;
  const [endpoint] = connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint');
  await app.settings.saveEndpoint({ ...endpoint, models: ['scripted', 'other'] }, undefined);
  const id = await app.say('How do I back up?');
  await app.idle(id);
  return { app, id };
}
const menu = async () => {
  const message = page.getByRole('article', { name: 'Answer' });
  await message.getByRole('button', { name: 'More' }).click();
};

afterEach(() => vi.restoreAllMocks());

it('copies as Markdown and as plain text', async () => {
  const { app, id } = await answered();
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await show(app, `/c/${id}`);
  await menu();
  await expectAccessible();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  expect(copied).toHaveBeenLastCalledWith(ANSWER);
  await menu();
  await page.getByRole('menuitem', { name: 'Copy as plain text' }).click();
  expect(copied).toHaveBeenLastCalledWith('Backups\n\nKeep two copies.');
});

it.each([
  ['en', 'Copy', 'More', 'Copy as Markdown', 'The browser did not allow copying.'],
  ['zh', '复制', '更多', '复制为 Markdown', '浏览器不允许复制。'],
])(
  'says so where the browser refuses to copy, and claims nothing: %s',
  async (language, copy, more, item, words) => {
    const { app, id } = await answered();
    await app.settings.set('ui.language', language);
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('No', 'NotAllowedError'));
    await show(app, `/c/${id}`);
    const message = page.getByRole('article').filter({ hasText: 'Keep two copies' }).last();
    await message.getByRole('button', { name: copy, exact: true }).click();
    await expect.element(page.getByText(words)).toBeVisible();
    await expect.element(message.getByRole('button', { name: copy, exact: true })).toBeVisible();
    await message.getByRole('button', { name: more, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await expect.poll(() => page.getByText(words).elements().length).toBe(2);
  },
);

it('takes the pages and documents that it cites along, numbered as they are shown', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'Two [1], three [2].' };
      yield {
        type: 'sources',
        sources: [
          { url: 'https://a.example/x_(y)', title: 'Backups [a]' },
          { url: 'javascript:alert(1)' },
          { url: '', title: 'Handbook', cited: 'Keep three.' },
        ],
      };
    },
  });
  const id = await app.say('How many?');
  await app.idle(id);
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await show(app, `/c/${id}`);
  await page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'Copy' }).click();
  const markdown =
    'Two [1], three [2].\n\nSources:\n\n1. [Backups &#91;a&#93;](https://a.example/x_%28y%29)\n2. Handbook: “Keep three.”';
  expect(copied).toHaveBeenLastCalledWith(markdown);
  await menu();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  expect(copied).toHaveBeenLastCalledWith(markdown);
  await menu();
  await page.getByRole('menuitem', { name: 'Copy as plain text' }).click();
  expect(copied).toHaveBeenLastCalledWith(
    'Two [1], three [2].\n\nSources:\n\n1. Backups [a] (https://a.example/x_%28y%29)\n2. Handbook: “Keep three.”',
  );
});

it('saves as a file that is named after the conversation, with the words as they are, and one line break at the end', async () => {
  const { app, id } = await answered(`${ANSWER}\n`);
  await app.library.setMeta([id], { title: 'Backups: “daily”, on /dev/sda?' });
  const files = vi.spyOn(URL, 'createObjectURL');
  await show(app, `/c/${id}`);
  await menu();
  await page.getByRole('menuitem', { name: 'Download as Markdown' }).click();
  await expect.poll(() => (files.mock.lastCall?.[0] as Blob | undefined)?.text()).toBe(`${ANSWER}\n`);
  await expect.element(page.getByText(/Backups daily on dev sda \d{4}-\d\d-\d\d\.md/)).toBeVisible();
});

it('is shared by the system where there is a way, and one that is put away is no error', async () => {
  const { app, id } = await answered();
  const share = vi.fn<(data: ShareData) => Promise<void>>();
  Object.defineProperty(navigator, 'share', { configurable: true, value: share });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'share'));
  share.mockRejectedValueOnce(new DOMException('put away', 'AbortError'));
  await show(app, `/c/${id}`);
  await menu();
  await page.getByRole('menuitem', { name: 'Share' }).click();
  expect(share).toHaveBeenLastCalledWith({ text: ANSWER });
  await expect.element(page.getByRole('menu')).not.toBeInTheDocument();
  await expectAccessible();
  await expect.element(page.getByText('put away')).not.toBeInTheDocument();
});

it('asks again with another model, as another branch', async () => {
  const { app, id } = await answered();
  const regenerate = vi.spyOn(app.chat, 'regenerate');
  await show(app, `/c/${id}`);
  await menu();
  await page.getByRole('menuitem', { name: 'Answer again with' }).click();
  await page.getByRole('menuitem', { name: 'other' }).click();
  await expect
    .poll(() => regenerate.mock.lastCall?.[2])
    .toEqual({ by: { endpointId: 'scripted', model: 'other' } });
  await expect.element(page.getByRole('status', { name: 'Branch 2 of 2' })).toBeVisible();
});

deep('reads with a voice of the device only, and says so where there is none', async () => {
  const { app, id } = await answered();
  const voice = (localService: boolean) => ({
    localService,
    lang: 'en-US',
    default: true,
    name: 'x',
    voiceURI: 'x',
  });
  const speak = vi.spyOn(speechSynthesis, 'speak').mockImplementation(() => undefined);
  const voices = vi.spyOn(speechSynthesis, 'getVoices').mockReturnValue([voice(false)]);
  await show(app, `/c/${id}`, { width: 390, height: 844 });
  await menu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expect.element(page.getByText(/no voice of its own/)).toBeVisible();
  expect(speak).not.toHaveBeenCalled();
  voices.mockReturnValue([]);
  await userEvent.keyboard('{Escape}');
  await expectAccessible();
});

it('pauses, goes on and stops reading aloud with the buttons of its answer', async () => {
  const { app, id } = await answered();
  const said: string[] = [];
  vi.spyOn(speechSynthesis, 'speak').mockImplementation(({ text }) => void said.push(text));
  const cancel = vi.spyOn(speechSynthesis, 'cancel').mockImplementation(() => undefined);
  const own = { localService: true, lang: 'en-US', default: true, name: 'x', voiceURI: 'x' };
  vi.spyOn(speechSynthesis, 'getVoices').mockReturnValue([own]);
  // The browser takes only voices of its own.
  vi.stubGlobal(
    'SpeechSynthesisUtterance',
    class {
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  await show(app, `/c/${id}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await menu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expect.element(button('Pause reading aloud')).toBeVisible();
  expect(said).toHaveLength(1);
  await expectAccessible();
  const before = cancel.mock.calls.length;
  await button('Pause reading aloud').click();
  expect(cancel.mock.calls.length).toBe(before + 1);
  await button('Go on reading aloud').click();
  expect(said).toEqual([said[0], said[0]]);
  await button('Stop reading aloud').click();
  await expect.element(button('Stop reading aloud')).not.toBeInTheDocument();
  await expect.element(button('Pause reading aloud')).not.toBeInTheDocument();
  await menu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expect.element(button('Stop reading aloud')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(button('Stop reading aloud')).not.toBeInTheDocument();
});

it('deletes a message as the last row but forgetting of its menu, and puts it back from the notice', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`);
  const answer = page.getByRole('article', { name: 'Answer' });
  await menu();
  const last = page.getByRole('menuitem').elements().at(-2);
  expect(last?.textContent).toBe('Delete message');
  // Key by key, as each moves the focus a moment later.
  await expect.poll(() => document.activeElement?.getAttribute('role')).toMatch(/^menu/);
  await userEvent.keyboard('{End}');
  await expect.poll(() => document.activeElement?.textContent).toMatch(/^Forget/);
  await userEvent.keyboard('{ArrowUp}');
  await expect.element(page.getByRole('menuitem', { name: 'Delete message' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('menu')).not.toBeInTheDocument();
  await expect.element(answer).not.toBeInTheDocument();
  await expect.element(page.getByText('How do I back up?').last()).toBeVisible();
  // First of all, as the notice goes by itself.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(answer).toBeVisible();
  expect((await app.documents.read(id))?.messages.size).toBe(2);
  await expectAccessible();
});

it.each([
  ['en', 1280, 'More', 'Deleted messages', 'Restore'],
  ['zh', 320, '更多', '已删除的消息', '恢复'],
] as const)(
  'brings a deleted message back once its notice is gone, %s, %d px',
  async (language, width, more, title, restore) => {
    const { app, id } = await answered();
    await app.settings.set('ui.language', language);
    const { messages } = (await app.documents.read(id)) ?? { messages: new Map() };
    const [question, answer] = [...messages.keys()];
    await app.chat.deleteMessage(id, answer as never);
    await show(app, `/c/${id}`, { width, height: 700 });
    const opener = page.getByRole('main').getByRole('button', { name: more }).first();
    await expect.element(page.getByText('How do I back up?').last()).toBeVisible();
    await opener.click();
    await page.getByRole('menuitem', { name: title }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await expect.element(dialog.getByText('Backups Keep two copies.')).toBeVisible();
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    await dialog.getByRole('button', { name: restore }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(page.getByText('Keep two copies.')).toBeVisible();
    const after = await app.documents.read(id);
    expect(after?.messages.get(answer as never)?.parentId).toBe(question);
    // With nothing to bring back the menu does not speak of it.
    await opener.click();
    await expect.element(page.getByRole('menuitem').first()).toBeVisible();
    await expect.element(page.getByRole('menuitem', { name: title })).not.toBeInTheDocument();
  },
);

it('deletes a kept message for good, with an undo', async () => {
  const { app, id } = await answered();
  const [, answer] = [...((await app.documents.read(id))?.messages.keys() ?? [])];
  await app.chat.deleteMessage(id, answer as never);
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('How do I back up?').last()).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Deleted messages' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deleted messages' });
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await expect.element(dialog.getByText('Nothing here any more.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(dialog.getByRole('button', { name: 'Restore' })).toBeVisible();
});

deep('deletes a question by its own menu; its answer stays', async () => {
  const { app, id } = await answered();
  await show(app, `/c/${id}`, { width: 320, height: 700 });
  const question = page.getByRole('article', { name: 'You' });
  await question.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete message' }).click();
  await expect.element(question).not.toBeInTheDocument();
  await expect.element(page.getByText('Keep two copies.')).toBeVisible();
});

it('keeps a list of models inside a low window and asks the last of them', async () => {
  const { app, id } = await answered();
  const [endpoint] = app.settings.connections.get().endpoints;
  if (!endpoint) throw new Error('No endpoint');
  const models = Array.from({ length: 10 }, (_, at) => `model-${at}`);
  await app.settings.saveEndpoint({ ...endpoint, models: ['scripted', ...models] }, undefined);
  await show(app, `/c/${id}`, { width: 1280, height: 320 });
  await menu();
  await page.getByRole('menuitem', { name: 'Answer again with' }).hover();
  const last = page.getByRole('menuitem', { name: 'model-9' });
  await expect.element(last).toBeInTheDocument();
  const list = last.element().closest('[role="menu"]') as HTMLElement;
  expect(list.getBoundingClientRect().bottom).toBeLessThanOrEqual(320);
  expect(list.getBoundingClientRect().top).toBeGreaterThanOrEqual(0);
  list.scrollTop = list.scrollHeight;
  await expect.poll(() => last.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(320);
  const asked = vi.spyOn(app.chat, 'regenerate');
  await last.click();
  await expect
    .poll(() => asked.mock.lastCall?.[2])
    .toEqual({ by: { endpointId: 'scripted', model: 'model-9' } });
});
