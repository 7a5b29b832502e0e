// The clean-up in the settings: what the next run does, consent to deletion, past runs and
// their undo; and the notice of a run.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { deep } from '../../scale.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const DAY = 86_400_000;

/** Conversations of so many days ago, by title. */
async function fill(app: TestApp, days: Readonly<Record<string, number>>, meta = {}): Promise<void> {
  for (const [title, ago] of Object.entries(days))
    await app.documents.change(asConversationId(title), {
      meta: { title, createdAt: Date.now() - ago * DAY, ...meta },
    });
}
const entry = (app: TestApp, title: string) =>
  app.documents.library.get().entries.find((one) => one.title === title);
const group = () => page.getByRole('region', { name: 'Clean up' });

it('shows what the next run moves, runs, reports it, and takes it back', async () => {
  const app = await createTestApp();
  await fill(app, { 'Old talk': 120, 'New talk': 2 });
  await show(app, '/settings/storage');
  await expect.element(group().getByText('The next run')).not.toBeInTheDocument();
  await group().getByRole('switch', { name: 'Clean up once a day' }).click();
  await expect.element(group().getByText('The next run archives 1 conversation.')).toBeVisible();
  await expect.element(group().getByRole('listitem').filter({ hasText: 'Old talk' })).toBeVisible();
  await expectAccessible();
  await group().getByRole('button', { name: 'Run now' }).click();
  await expect.element(group().getByText(/: 1 archived$/)).toBeVisible();
  expect(entry(app, 'Old talk')?.archived).toBe(true);
  expect(entry(app, 'New talk')?.archived).toBe(false);
  await group().getByRole('button', { name: 'Undo' }).click();
  await expect.element(group().getByText('Undone', { exact: true })).toBeVisible();
  expect(entry(app, 'Old talk')?.archived).toBe(false);
  await expect.element(group().getByText('The next run has nothing to do.')).toBeVisible();
});

it('deletes nothing before a consent that says what it means, and lists what goes when', async () => {
  const app = await createTestApp();
  await fill(app, { 'Long archived': 500 }, { archived: true });
  await app.settings.set('storage.cleanup.enabled', true);
  await show(app, '/settings/storage');
  await pressed(group().getByRole('button', { name: 'Agree…' }));
  const dialog = page.getByRole('dialog', { name: 'Delete what has been archived for long?' });
  await expect.element(dialog).toHaveTextContent(/listed here for 30 days.*1 conversation would be listed/);
  await expectAccessible();
  await pressed(dialog.getByRole('button', { name: 'Agree' }));
  await expect
    .element(
      group()
        .getByText(/^1 archived conversation goes to the trash/)
        .first(),
    )
    .toBeVisible();
  expect(entry(app, 'Long archived')?.deletedAt).toBeNull();
  await group().getByRole('button', { name: 'Stop deleting' }).click();
  await expect.element(group().getByRole('button', { name: 'Agree…' })).toBeVisible();
  expect(app.retention.state.get()?.announced).toEqual({});
});

it('leaves out a project and what is in the projects within it', async () => {
  const app = await createTestApp();
  const outer = await app.projects.create({ name: 'Outer' });
  const inner = await app.projects.create({ name: 'Inner', within: outer });

  await fill(app, { 'Within it': 120 });
  await app.projects.move([asConversationId('Within it')], inner);
  await app.settings.set('storage.cleanup.enabled', true);
  await show(app, '/settings/storage');
  await expect.element(group().getByText('The next run archives 1 conversation.')).toBeVisible();
  await expect.element(group().getByRole('switch', { name: 'Outer / Inner' })).toBeVisible();
  await group().getByRole('switch', { name: 'Outer', exact: true }).click();
  await expect.element(group().getByText('The next run has nothing to do.')).toBeVisible();
  await expectAccessible();
});

deep('leaves out a source with one switch, fits 320 px, and speaks Chinese', async () => {
  const app = await createTestApp();
  await fill(app, { 'From there': 120 }, { source: { tool: 'chatgpt', id: '1' } });
  await app.settings.set('storage.cleanup.enabled', true);
  await app.settings.set('ui.language', 'zh');
  await app.settings.set('ui.theme', 'dark');
  await show(app, '/settings/storage', { width: 320, height: 640 });
  const tidy = page.getByRole('region', { name: '整理', exact: true });
  await expect.element(tidy.getByText('下次整理会归档 1 个对话。')).toBeVisible();
  await tidy.getByRole('switch', { name: 'ChatGPT' }).click();
  await expect.element(tidy.getByText('下次整理没有要做的。')).toBeVisible();
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});
