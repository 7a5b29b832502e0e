// A person uses the library: a conversation's menu, the ways to import history, and the report of an import.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { drawnFiles } from '../test/fixtures/chatgpt.ts';
import { jsonl, zipped } from '../test/fixtures/files.ts';
import { BUCKET, compactedSession, dmailSession, SESSIONS } from '../test/fixtures/kimi-cli.ts';
import {
  apart,
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  holdToast,
  importThroughDialog,
  openApp,
  remembered,
  saved,
  test,
} from './app.ts';

const [PHOTOS, , TOMATOES] = HISTORY;

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const line = (page: Page, title: string) => list(page).getByRole('link', { name: title, exact: true });

/** Imports the history by the console; other journeys below import as a person does. */
async function bring(page: Page, history: Parameters<typeof chatgptHistory>[0]): Promise<void> {
  await openApp(page);
  await bringExport(page, chatgptHistory(history));
  await expect(list(page).getByRole('link')).toHaveCount(history.length);
}

/** Chooses from the menu of a line in the sidebar. */
async function choose(page: Page, title: string, ...path: string[]): Promise<void> {
  // The button appears under the pointer.
  await line(page, title).hover();
  await list(page)
    .getByRole('button', { name: `More for “${title}”`, exact: true })
    .click();
  for (const name of path) await page.getByRole('menuitem', { name, exact: true }).click();
}

test('a conversation is pinned and renamed in the sidebar; both outlive a reload', async ({ page }) => {
  await bring(page, HISTORY);
  const rows = list(page).getByRole('heading').or(list(page).getByRole('link'));
  const pinned = list(page).getByRole('heading', { name: 'Pinned' });
  await expect(pinned).toHaveCount(0);
  await choose(page, TOMATOES.title, 'Pin');
  // It stands alone under its own heading at the top.
  const atTop = async (title: string) => {
    await expect(rows.nth(0)).toHaveText('Pinned');
    await expect(rows.nth(1)).toHaveText(title);
    await expect(rows.nth(2)).toHaveRole('heading');
  };
  await atTop(TOMATOES.title);

  await choose(page, TOMATOES.title, 'Rename');
  const field = list(page).getByRole('textbox', { name: 'Title of the conversation' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(TOMATOES.title);
  await page.keyboard.type('Yellow leaves');
  await page.keyboard.press('Enter');
  await atTop('Yellow leaves');
  await expect(line(page, TOMATOES.title)).toHaveCount(0);
  await saved(page);
  await page.reload();
  await atTop('Yellow leaves');
  await line(page, 'Yellow leaves').click();
  await expect(page.getByRole('article').getByText(TOMATOES.turns[0])).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Yellow leaves' })).toBeVisible();

  await choose(page, 'Yellow leaves', 'Unpin');
  await expect(pinned).toHaveCount(0);
  await expect(line(page, 'Yellow leaves')).toBeVisible();
});

test('what is archived leaves the list, is found under Archived, and is taken out again', {
  tag: '@gate',
}, async ({ page }) => {
  await bring(page, [PHOTOS, TOMATOES]);
  await choose(page, PHOTOS.title, 'Archive');
  await expect(line(page, PHOTOS.title)).toHaveCount(0);
  await expect(line(page, TOMATOES.title)).toBeVisible();

  const archived = page.getByRole('button', { name: /^Archived ?1$/ });
  await archived.click();
  await expect(page.getByRole('heading', { name: 'Archived' })).toBeVisible();
  await expect(list(page).getByRole('link')).toHaveText([PHOTOS.title]);
  await choose(page, PHOTOS.title, 'Take out of the archive');
  // The empty archive gives way to the list.
  await expect(line(page, TOMATOES.title)).toBeVisible();
  await expect(line(page, PHOTOS.title)).toBeVisible();
  await expect(archived).toHaveCount(0);
});

test('a deleted conversation comes back with Undo, whole', { tag: '@gate' }, async ({ page }) => {
  await bring(page, [PHOTOS, TOMATOES]);
  // The person deletes the conversation that is open: the page leaves it.
  await line(page, PHOTOS.title).click();
  await expect(page).toHaveURL(/\/c\//);
  await choose(page, PHOTOS.title, 'Delete');
  await holdToast(page);
  await expect(line(page, PHOTOS.title)).toHaveCount(0);
  await expect(page).not.toHaveURL(/\/c\//);
  const trash = page.getByRole('button', { name: /^Trash ?1$/ });
  await expect(trash).toBeVisible();

  const toast = page.locator('[data-sonner-toast]').filter({ hasText: 'Moved to the trash' });
  await expect(toast).toContainText(PHOTOS.title);
  await apart(toast, page.getByRole('textbox', { name: 'Message', exact: true }));
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expect(line(page, PHOTOS.title)).toBeVisible();
  await expect(trash).toHaveCount(0);
  // The person stayed on the page, so the restored conversation is open again.
  await expect(page).toHaveURL(/\/c\//);
  for (const words of PHOTOS.turns) await expect(page.getByRole('article').getByText(words)).toBeVisible();
});

test('the list follows the conversation that is open; on a phone Back closes what lies over the page, then leads back', async ({
  page,
}) => {
  const many = Array.from({ length: 60 }, (_, at) => ({
    title: `Talk number ${at}`,
    turns: [`What of ${at}?`, `This of ${at}.`],
  }));
  await openApp(page);
  await bringExport(page, chatgptHistory(many));
  await expect(line(page, 'Talk number 59')).toBeVisible();
  for (let step = 0; step < 40; step++) await page.keyboard.press('Alt+ArrowDown');
  await expect(page.getByRole('heading', { name: 'Talk number 20' })).toBeVisible();
  await expect(line(page, 'Talk number 20')).toBeInViewport();

  await page.setViewportSize({ width: 390, height: 844 });
  const sidebar = page.getByRole('dialog', { name: 'Sidebar' });
  const here = page.url();
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  await expect(line(page, 'Talk number 20')).toBeInViewport();
  await page.goBack();
  await expect(sidebar).toBeHidden();
  await expect(page).toHaveURL(here);
  // Back does not reopen a sidebar that was closed by another way.
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  await line(page, 'Talk number 21').click();
  await expect(sidebar).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Talk number 21' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Talk number 21' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Talk number 20' })).toBeVisible();
  await expect(page).toHaveURL(here);
  await page.goForward();
  await expect(page.getByRole('heading', { name: 'Talk number 21' })).toBeVisible();
});

test('what lies under the pointer can be clicked while a list still moves', async ({ page }) => {
  const many = Array.from({ length: 60 }, (_, at) => ({
    title: `Talk number ${at}`,
    turns: Array.from(
      { length: 12 },
      (_, turn) => `Turn ${turn} of talk ${at}. ${'Word by word. '.repeat(30)}`,
    ),
  }));
  await openApp(page);
  await bringExport(page, chatgptHistory(many));
  await line(page, 'Talk number 59').click();
  await expect(page.getByRole('article').last()).toBeVisible();
  /**
   * Scrolls `by` px a frame until the library has disabled clicks; resolves to whether the
   * middle of the list still gets them.
   */
  const isClickable = (inside: Locator, by: number, what: string) =>
    inside.evaluate(
      async (inside, { by, what }) => {
        let moving: Element | null = inside;
        while (moving && moving.scrollHeight <= moving.clientHeight + 1) moving = moving.parentElement;
        if (!moving) throw new Error('Nothing here scrolls');
        const isHeld = () => moving.querySelector('[style*="pointer-events: none"]') !== null;
        for (let frame = 0; frame < 120 && !isHeld(); frame++) {
          moving.scrollTop += by;
          await new Promise((done) => requestAnimationFrame(done));
        }
        if (!isHeld()) throw new Error('The library takes no clicks away any more');
        const { left, top, width, height } = moving.getBoundingClientRect();
        return [0.4, 0.45, 0.5, 0.55].some((part) =>
          document.elementFromPoint(left + width * 0.4, top + height * part)?.closest(what),
        );
      },
      { by, what },
    );
  expect(await isClickable(line(page, 'Talk number 59'), 4, '[data-entry]')).toBe(true);
  expect(await isClickable(page.getByRole('article').last(), -4, 'article')).toBe(true);
});

test('one conversation of two goes out as Markdown from its menu, and only that one', {
  tag: '@gate',
}, async ({ page }) => {
  await bring(page, [PHOTOS, TOMATOES]);
  const download = page.waitForEvent('download');
  await choose(page, TOMATOES.title, 'Export', 'As Markdown');
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/\.md$/);
  expect(file.suggestedFilename()).toContain(TOMATOES.title);
  const text = readFileSync(await file.path(), 'utf8');
  expect(text).toContain(`# ${TOMATOES.title}\n`);
  // Each section has role and time, and below them the words.
  const sections = text.split(/^## /m).slice(1);
  expect(sections).toHaveLength(2);
  for (const [at, speaker] of ['You', 'Assistant'].entries()) {
    expect(sections[at]).toMatch(new RegExp(`^${speaker} · \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\n`));
    expect(sections[at]).toContain(TOMATOES.turns[at]);
  }
  for (const words of [PHOTOS.title, ...PHOTOS.turns]) expect(text).not.toContain(words);
});

test('an export that is dropped onto the window is imported', { tag: '@gate' }, async ({ page }) => {
  await openApp(page);
  const dataTransfer = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'conversations.json', { type: 'application/json' }));
    return transfer;
  }, chatgptHistory(HISTORY));
  const offered = page.getByText('Drop to import conversations');
  // Drops over the sidebar, where no other element takes files.
  const target = page.getByRole('navigation', { name: 'Conversations' });
  await target.dispatchEvent('dragenter', { dataTransfer });
  await target.dispatchEvent('dragover', { dataTransfer });
  await expect(offered).toBeVisible();
  await target.dispatchEvent('dragleave', { dataTransfer });
  await expect(offered).toBeHidden();
  await target.dispatchEvent('dragenter', { dataTransfer });
  await target.dispatchEvent('dragover', { dataTransfer });
  await expect(offered).toBeVisible();
  await target.dispatchEvent('drop', { dataTransfer });
  await expect(offered).toBeHidden();

  const dialog = page.getByRole('dialog', { name: 'Import report' });
  await expect(dialog).toContainText('6 conversations added');
  await expect(dialog).toContainText('ChatGPT export');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await line(page, PHOTOS.title).click();
  await expect(page.getByRole('article').getByText(PHOTOS.turns[1])).toBeVisible();
});

test('pictures that a tool made are seen in the conversation and open large; what it said stays folded', async ({
  page,
}) => {
  const picture = readFileSync(join(import.meta.dirname, '../public/icons/icon-192.png'));
  await openApp(page);
  await importThroughDialog(page, [
    asFile('chatgpt.zip', await zipped(drawnFiles(picture)), 'application/zip'),
  ]);
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await line(page, 'A mark for the shop').click();
  const result = page.getByRole('article', { name: 'Tool result' });
  for (const name of ['round.png', 'square.png']) {
    const shown = result.getByRole('img', { name });
    await expect(shown).toBeVisible();
    // A broken picture has no natural width.
    await expect
      .poll(() => shown.evaluate((element) => (element as HTMLImageElement).naturalWidth))
      .toBe(192);
  }
  await expect(result.getByRole('button', { name: 'Tool result' })).toHaveAttribute('aria-expanded', 'false');
  await result.getByRole('button', { name: 'Enlarge square.png' }).click();
  await expect(
    page.getByRole('dialog', { name: 'square.png' }).getByRole('img', { name: 'square.png' }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  // The opened line shows the rest, and no picture twice.
  await result.getByRole('button', { name: 'Tool result' }).click();
  await expect(result.getByRole('button', { name: /dalle\.text2im/ })).toBeVisible();
  await expect(result.getByRole('img')).toHaveCount(2);
});

test('a folder of kimi-cli sessions comes in; what was said there is recalled and opens, or that of this work dir alone', async ({
  page,
}) => {
  const home = mkdtempSync(join(tmpdir(), 'recollect-kimi-'));
  try {
    const workDirs = ['/proj/demo', '/proj/other'];
    const [, other = ''] = workDirs.map((path) => createHash('md5').update(path).digest('hex'));
    writeFileSync(
      join(home, 'kimi.json'),
      JSON.stringify({ work_dirs: workDirs.map((path) => ({ path, kaos: 'local' })) }),
    );
    const talk = (title: string, answer: string) => ({
      'context.jsonl': jsonl(
        { role: 'user', content: 'Which port does it use?' },
        { role: 'assistant', content: answer },
      ),
      'state.json': JSON.stringify({ version: 1, custom_title: title }),
    });
    for (const [bucket, id, files] of [
      [BUCKET, SESSIONS.dmail, dmailSession],
      [BUCKET, SESSIONS.compacted, compactedSession],
      [BUCKET, SESSIONS.cleared, talk('The printer', 'The printer uses port 9100.')],
      [other, SESSIONS.forked, talk('The scanner', 'The scanner uses port 9200.')],
    ] as const)
      for (const [name, contents] of Object.entries(files)) {
        const path = join(home, 'sessions', bucket, id, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, contents);
      }
    await openApp(page);
    await page.getByRole('button', { name: 'Import my conversations' }).click();
    await page.locator('input[data-import=folder]').setInputFiles(home);
    const dialog = page.getByRole('dialog', { name: 'Import report' });
    await expect(dialog).toContainText('4 conversations added');
    await expect(dialog).toContainText('kimi-cli session');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await remembered(page, 'words');

    const said = 'The port in the config is taken.';
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.fill('/recall which port in the config is taken');
    await field.press('Enter');
    const card = page.getByRole('region', { name: 'Recalled from other conversations' });
    await card
      .getByRole('listitem')
      .filter({ hasText: said })
      .first()
      .getByRole('button', { name: 'Open the message in “The crash”' })
      .first()
      .click();
    await expect(page).toHaveURL(/\/c\/[^/]+\?m=./);
    // The message that the address names is in view.
    const id = new URL(page.url()).searchParams.get('m');
    const message = page.locator(`[data-message-id="${id}"]`);
    await expect(message).toContainText(said);
    await expect(message).toBeInViewport();
    await expect(page.getByRole('heading', { name: 'The crash' })).toBeVisible();

    const recall = async (words: string) => {
      await field.fill(words);
      await field.press('Enter');
      const outcome = page.getByRole('region', { name: words, exact: true }).last();
      await expect(outcome.getByText(/(By words and meaning|By words only), /)).toBeVisible();
      return outcome;
    };
    const of = (outcome: Locator, title: string) =>
      outcome.getByRole('button', { name: `Open the message in “${title}”` });
    const anywhere = await recall('/recall which port does it use');
    await expect(of(anywhere, 'The printer').first()).toBeVisible();
    await expect(of(anywhere, 'The scanner').first()).toBeVisible();
    const here = await recall('/recall --scope here which port does it use');
    await expect(of(here, 'The printer').first()).toBeVisible();
    await expect(of(here, 'The scanner')).toHaveCount(0);
    // A new conversation has no work directory.
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    const asked = '/recall --scope here which port does it use';
    await field.fill(asked);
    await field.press('Enter');
    await expect(page.getByRole('alert')).toContainText(
      '/recall: this conversation has no folder, so “here” is nowhere.',
    );
    await expect(field).toHaveValue(asked);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

/** A picture of one dot. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * A ChatGPT export with a question answered twice, one picture of two, an unknown part, a
 * damaged node and an empty conversation.
 */
function imperfectExport(): Promise<Uint8Array> {
  const talks = JSON.parse(chatgptHistory([PHOTOS, TOMATOES]));
  const { mapping } = talks[0];
  const [question, answer] = [mapping['talk-0-0'], mapping['talk-0-1']];
  question.message.metadata.attachments = [
    { id: 'file-Disk1', name: 'disk.png', mime_type: 'image/png' },
    { id: 'file-Shelf2', name: 'shelf.png', mime_type: 'image/png' },
  ];
  mapping.again = {
    id: 'again',
    parent: question.id,
    children: [],
    message: {
      ...answer.message,
      id: 'again',
      create_time: answer.message.create_time + 1,
      content: { content_type: 'text', parts: ['Once a week will do.', { content_type: 'hologram' }] },
    },
  };
  mapping.damaged = 'no node at all';
  talks.push({
    title: 'Never began',
    conversation_id: 'never',
    mapping: { root: { id: 'root', parent: null, children: [], message: null } },
  });
  return zipped({
    'conversations.json': JSON.stringify(talks),
    'file-Disk1-disk.png': Buffer.from(DOT, 'base64'),
  });
}

test('the report counts what came in and what was left out, and why; once more, nothing is new', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  const files = [asFile('chatgpt.zip', await imperfectExport(), 'application/zip')];
  await importThroughDialog(page, files);
  const dialog = page.getByRole('dialog', { name: 'Import report' });
  await expect(dialog.getByRole('heading', { name: '2 conversations added' })).toBeVisible();
  const figure = (name: string) =>
    dialog.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await expect(figure('Messages').getByRole('definition')).toHaveText(['7', '3 yours · 4 from models']);
  // The second answer to one question.
  await expect(figure('Branches').getByRole('definition')).toHaveText('1');
  await expect(figure('Attachments').getByRole('definition')).toHaveText('1');
  const reason = (words: string) =>
    dialog.getByRole('listitem').getByRole('listitem').filter({ hasText: words });
  for (const [words, example] of [
    ['damaged entry', 'no node at all'],
    ['part of an unknown kind', 'hologram'],
    ['attachment that is not in the export', 'shelf.png'],
    ['conversation without messages', 'Never began'],
  ] as const) {
    await expect(reason(words)).toHaveText(/^1/);
    await expect(reason(words)).toContainText(example);
  }
  await expect(reason('')).toHaveCount(4);

  // The conversation has what the report counted: both answers, and the picture.
  await dialog.getByRole('button', { name: 'Open the first one' }).click();
  await expect(page).toHaveURL(/\/c\//);
  await expect(page.getByText('1 / 2').first()).toBeVisible();
  await expect(page.getByRole('article').getByRole('button', { name: /disk\.png/ })).toBeVisible();

  await importThroughDialog(page, files);
  await expect(
    dialog.getByRole('heading', { name: 'Nothing new: all that can be taken in was here already' }),
  ).toBeVisible();
  await expect(dialog).not.toContainText('added');
  await expect(figure('Messages')).toHaveCount(0);
  // However the person closes the dialog, the next import begins with a choice of files.
  await page.keyboard.press('Escape');
  await expect(list(page).getByRole('link')).toHaveCount(2);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
});

test('the report tells of words that were not in UTF-8, with the encoding that fits or would have fitted', async ({
  page,
}) => {
  const session = (words: string) =>
    Buffer.from(
      [
        { role: 'user', content: words },
        { role: 'assistant', content: 'Gladly.' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
      'latin1',
    );
  await openApp(page);
  await importThroughDialog(page, [
    { name: 'cafe.jsonl', mimeType: 'application/jsonl', buffer: session('Which caf\u00e9 is na\u00efve?') },
    { name: 'odd.jsonl', mimeType: 'application/jsonl', buffer: session('Two odd bytes: \u00b0\u00a1 !') },
  ]);
  const dialog = page.getByRole('dialog', { name: 'Import report' });
  const [read, lost] = ['cafe.jsonl', 'odd.jsonl'].map((name) =>
    dialog
      .getByRole('listitem')
      .filter({ has: page.getByText(name) })
      .getByRole('listitem'),
  );
  await expect(read as Locator).toHaveText(/^2words that were not in UTF-8 .*windows-1252: caf\u00e9/);
  await expect(lost as Locator).toHaveText(
    /^1word in an encoding that could not be told for sure .*for example: [\w-]+: /,
  );
  await dialog.getByRole('button', { name: 'Open the first one' }).first().click();
  await expect(page.getByRole('article', { name: 'You' })).toHaveText(/Which caf\u00e9 is na\u00efve\?/);
});
