// A person exports everything, imports it into a fresh browser, and the libraries are equal.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { exportFiles } from '../test/fixtures/chatgpt.ts';
import { zipped } from '../test/fixtures/files.ts';
import { dmailSession } from '../test/fixtures/kimi-cli.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  expect,
  HISTORY,
  importThroughDialog,
  openApp,
  test,
} from './app.ts';

/** Everything in the library in a fixed order, for comparison. */
const everything = (page: Page) =>
  page.evaluate(async () => {
    const documents = globalThis.recollect?.app.documents;
    const all = [];
    for (const entry of documents?.library.get().entries ?? []) {
      const conversation = await documents?.read(entry.id);
      all.push({
        meta: conversation?.meta,
        pinned: entry.pinned,
        checkpoints: [...(conversation?.checkpoints ?? [])].sort(),
        compactions: [...(conversation?.compactions.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)),
        messages: [...(conversation?.messages.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)),
      });
    }
    const state = globalThis.recollect?.app.notes.state.get();
    return JSON.parse(
      JSON.stringify({
        conversations: all.sort((a, b) => ((a.messages[0]?.id ?? '') < (b.messages[0]?.id ?? '') ? -1 : 1)),
        notes: state?.notes,
        feedback: state?.feedback,
      }),
    );
  });

/** Adds to the conversation, or to any long one: a pin, a checkpoint, a reworded compaction, notes and feedback. */
const addOfTheirOwn = (page: Page, to?: string) =>
  page.evaluate(async (to) => {
    const app = globalThis.recollect?.app;
    const entry = app?.documents.library
      .get()
      .entries.find(({ title, messageCount }) => (to === undefined ? messageCount >= 4 : title === to));
    const conversation = entry && (await app?.documents.read(entry.id));
    const messages = [...(conversation?.messages.values() ?? [])];
    const [first, second] = messages;
    if (!app || !entry || !first || !second) throw new Error('The history did not come in');
    await app.documents.change(entry.id, {
      meta: { pinned: true, title: 'By another name', titleBy: 'person' },
      checkpoints: { 'before-it': second.id },
      compactions: {
        reworded: {
          id: 'reworded',
          at: second.id,
          createdAt: 1_790_000_000_000,
          strategy: 'smart',
          reason: 'manual',
          plan: { kept: [first.id] },
          summary: 'In my own words',
          tokensBefore: 100,
          tokensAfter: 20,
          durationMs: 5,
          undone: false,
        },
      },
    });
    await app.notes.write({ text: 'The staging server is called heron.' });
    await app.notes.write({ text: '我对坚果过敏。', by: 'model' });
    for (const [at, verdict] of (['pinned', 'never', 'not-related'] as const).entries())
      await app.notes.judge({
        verdict,
        conversationId: entry.id,
        messageId: (messages[at] ?? first).id,
        query: verdict === 'not-related' ? 'Which flour?' : null,
        passage: 'A passage',
        title: entry.title,
      });
  }, to);

test('export, a fresh profile, import: an equal library', { tag: ['@gate', '@take-it-with-you'] }, async ({
  page,
  browser,
}) => {
  await openApp(page);
  await importThroughDialog(page, [
    asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    asFile('chatgpt.zip', await zipped(exportFiles), 'application/zip'),
    asFile('session-44444444-4444-4444-8444-444444444444.zip', await zipped(dmailSession), 'application/zip'),
  ]);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await addOfTheirOwn(page);
  // The app gives an untitled conversation a title shortly after.
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          globalThis.recollect?.app.documents.library.get().entries.filter(({ title }) => title === '')
            .length,
      ),
    )
    .toBe(0);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'As JSON' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^recollect-.*\.json$/);
  const bytes = readFileSync(await file.path());
  const before = await everything(page);
  expect(before.conversations.length).toBeGreaterThan(7);
  expect([before.notes.length, before.feedback.length]).toEqual([2, 3]);
  expect(before.conversations.some((one: { compactions: unknown[] }) => one.compactions.length > 0)).toBe(
    true,
  );

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await openApp(other);
  await importThroughDialog(other, [asFile(file.suggestedFilename(), bytes, 'application/json')]);
  expect(await everything(other)).toEqual(before);
  await fresh.close();
});

test('one conversation goes out as JSON from its menu, and comes into a fresh profile as it was', async ({
  page,
  browser,
}) => {
  await openApp(page);
  await importThroughDialog(page, [
    asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    asFile('session-44444444-4444-4444-8444-444444444444.zip', await zipped(dmailSession), 'application/zip'),
  ]);
  await doneImporting(page);
  await addOfTheirOwn(page, 'The crash');
  const title = 'By another name';
  const library = await everything(page);
  expect(library.conversations).toHaveLength(HISTORY.length + 1);
  expect(library.notes).not.toEqual([]);
  const wanted = library.conversations.filter(
    ({ meta }: { meta: { title: string } }) => meta.title === title,
  );
  expect(wanted).toHaveLength(1);
  // Messages that the session sent back are a branch of their own.
  const parents = wanted[0].messages.map(({ parentId }: { parentId: string | null }) => parentId);
  expect(new Set(parents).size).toBeLessThan(parents.length);

  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  await page.getByRole('button', { name: /^Archived ?1$/ }).click();
  await sidebar.getByRole('link', { name: title }).hover();
  await sidebar.getByRole('button', { name: `More for “${title}”`, exact: true }).click();
  const download = page.waitForEvent('download');
  for (const name of ['Export', 'As JSON, complete'])
    await page.getByRole('menuitem', { name, exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/\.json$/);

  const fresh = await browser.newContext();
  const other = await fresh.newPage();
  await openApp(other);
  await importThroughDialog(other, [
    asFile(file.suggestedFilename(), readFileSync(await file.path()), 'application/json'),
  ]);
  expect(await everything(other)).toEqual({ conversations: wanted, notes: [], feedback: [] });
  await fresh.close();
});

test('one conversation goes out as Markdown', async ({ page }) => {
  await openApp(page);
  await importThroughDialog(page, [
    asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 1)), 'application/json'),
  ]);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'As Markdown' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  expect(text).toContain('Backup of the photos');
  expect(text).toContain('restic every night at three');
});

test('bad files are refused with a sentence and leave nothing behind', async ({ page }) => {
  await openApp(page);
  const bomb = await zipped({ 'conversations.json': '0'.repeat(60_000_000) });
  await importThroughDialog(page, [
    asFile(
      'photo.json',
      Uint8Array.from({ length: 4096 }, (_, index) => (index * 37) % 256),
    ),
    asFile('broken.json', '[{"mapping": {"a":', 'application/json'),
    asFile('bomb.zip', bomb, 'application/zip'),
  ]);
  const report = page.getByRole('dialog', { name: 'Import report' });
  for (const [name, sentence] of [
    ['photo.json', 'This file is not text and not a ZIP, so there are no conversations to read in it.'],
    ['broken.json', 'The file is damaged or cut off, and nothing in it can be imported.'],
    ['bomb.zip', 'This ZIP unpacks to far more than an export would. It was not unpacked.'],
  ] as const) {
    const refused = report.getByRole('listitem').filter({ hasText: name });
    await expect(refused).toContainText(sentence);
    await expect(refused).toContainText('Your library was not changed.');
  }
  expect(await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length)).toBe(0);
});
