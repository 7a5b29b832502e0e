// Things that a small button throws away come back from its notice, as they were.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { textOf } from '../../../src/domain/chat/message.ts';
import { createTestApp, expectAccessible, held, show } from '../harness.tsx';

const undo = (notice: string) =>
  page.getByRole('listitem').filter({ hasText: notice }).getByRole('button', { name: 'Undo' });

it('a message that waits for an answer, at its place', async () => {
  const gate = held();
  const app = await createTestApp({ reply: () => [gate.promise, { type: 'text-delta', text: 'Yes.' }] });
  const id = await app.say('Which bird is tallest?');
  for (const text of ['And the smallest?', 'And the fastest?']) await app.say(text, id);
  await show(app, `/c/${id}`);
  const waiting = page.getByRole('list', { name: 'Waiting messages' });
  await expect.element(waiting.getByText('And the fastest?')).toBeVisible();
  await waiting.getByRole('button', { name: 'Delete' }).first().click();
  await expect.element(waiting.getByText('And the smallest?')).not.toBeInTheDocument();
  await undo('Waiting message deleted').click();
  await expect
    .poll(() =>
      app.chat
        .turn(id)
        .get()
        .queue.map((queued) => textOf(queued)),
    )
    .toEqual(['And the smallest?', 'And the fastest?']);
  await expect.element(waiting.getByText('And the smallest?')).toBeVisible();
  await expectAccessible();
  gate.release();
  await expect.poll(async () => (await app.documents.read(id))?.messages.size).toBe(6);
});

it('a file of a draft, with the words it was pasted from', async () => {
  const app = await createTestApp({ reply: () => [] });
  await show(app, '/');
  const area = page.getByRole('textbox', { name: 'Message', exact: true });
  await expect.element(area).toBeVisible();
  const pasted = new DataTransfer();
  pasted.setData('text/plain', 'One long line. '.repeat(400));
  area
    .element()
    .dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }));
  const attached = page.getByRole('list', { name: 'Attached files' });
  await attached.getByRole('button', { name: /^Remove / }).click();
  await expect.element(attached).not.toBeInTheDocument();
  await undo('removed').click();
  await attached.getByRole('button', { name: 'Turn back into text' }).click();
  await expect.element(area).toHaveValue('One long line. '.repeat(400));
});

it('a word of a list in the settings, at its place', async () => {
  const app = await createTestApp();
  const path = 'privacy.exclude_work_dirs';
  await app.settings.set(path, ['/home/me/a', '/home/me/b']);
  await show(app, '/settings/privacy');
  await page.getByRole('button', { name: 'Remove /home/me/a' }).click();
  await expect.poll(() => app.settings.config.get().privacy.exclude_work_dirs).toEqual(['/home/me/b']);
  await undo('“/home/me/a” removed').click();
  await expect
    .poll(() => app.settings.config.get().privacy.exclude_work_dirs)
    .toEqual(['/home/me/a', '/home/me/b']);
});

it('the settings that were put back to their defaults', async () => {
  const app = await createTestApp();
  await app.settings.set('ui.theme', 'dark');
  await show(app, '/settings/about');
  await page.getByRole('button', { name: 'Reset all settings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await expect.poll(() => app.settings.config.get().ui.theme).toBe('auto');
  await undo('default').click();
  await expect.poll(() => app.settings.config.get().ui.theme).toBe('dark');
});

it('shortcuts that were put back to their defaults', async () => {
  const app = await createTestApp();
  await app.settings.set('ui.shortcuts.palette', 'Mod+J');
  await show(app, '/settings/shortcuts');
  await page.getByRole('button', { name: 'Use all defaults' }).click();
  await expect.poll(() => app.settings.config.get().ui.shortcuts).toEqual({});
  await undo('All shortcuts are at their defaults.').click();
  await expect.poll(() => app.settings.config.get().ui.shortcuts).toEqual({ palette: 'Mod+J' });
});

it('the samples, from the first page', async () => {
  const app = await createTestApp();
  await app.library.addSamples();
  const titles = () =>
    app.documents.library
      .get()
      .entries.map(({ title }) => title)
      .sort();
  const before = titles();
  await show(app, '/');
  await page.getByRole('button', { name: 'Remove them' }).click();
  await expect.poll(titles).toEqual([]);
  await undo('Removed').click();
  await expect.poll(titles).toEqual(before);
});

it('a folder of a project', async () => {
  const app = await createTestApp();
  const id = await app.projects.create({ name: 'Acme', workDirs: ['/home/me/acme'] });
  await show(app, `/p/${id}`);
  const folders = () => app.documents.library.get().projects[0]?.project.workDirs;
  await page.getByRole('button', { name: 'Take out “/home/me/acme”' }).click();
  await expect.poll(folders).toEqual([]);
  await undo('was taken out').click();
  await expect.poll(folders).toEqual(['/home/me/acme']);
});
