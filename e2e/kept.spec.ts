// Memory in daily use: a question asked repeatedly, and a rule for requests that share no word with it.
import type { Page } from '@playwright/test';
import {
  type ChatRequest,
  type Script,
  type ScriptedModelServer,
  startScriptedModel,
} from '../test/server/scripted-model.ts';
import {
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  type OwnBrowser,
  openApp,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

let own: OwnBrowser;
let page: Page;
let server: ScriptedModelServer;
const field = () => page.getByRole('textbox', { name: 'Message', exact: true });
const say = (text: string): Script => ({ steps: [{ text }, { finish: 'stop' }] });
const connect = (on: boolean) =>
  page.evaluate(
    async ({ on, baseUrl }) => {
      const settings = globalThis.recollect?.app.settings;
      if (!on) return settings?.removeEndpoint('scripted');
      await settings?.saveEndpoint(
        { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
        undefined,
      );
      await settings?.choose({ endpointId: 'scripted', model: 'plain' });
    },
    { on, baseUrl: server.baseUrl },
  );
/** Says something in a new conversation; resolves when the answer is complete and saved. */
const ask = async (words: string) => {
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page).not.toHaveURL(/\/c\//);
  await field().fill(words);
  await field().press('Enter');
  await expect(page).toHaveURL(/\/c\//);
  await expect(page.getByRole('article', { name: 'You' }).getByText(words)).toBeVisible();
  await expect(page.getByRole('article', { name: /^(Answer|From memory)$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await saved(page);
};
/** Leaves the conversation, which embeds it at once, together with a title that would wait a minute. */
const leave = async () => {
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page).not.toHaveURL(/\/c\//);
  await page.evaluate(() => globalThis.recollect?.app.memory.wake('ended'));
  await remembered(page);
};
/**
 * Asks a model; asks once more where a busy machine kept memory too long. The answer
 * without memory stays as one more echo.
 */
const askInTime = (words: string, answer: string) =>
  expect(async () => {
    await leave();
    server.next(say(answer));
    await ask(words);
    expect(await page.getByText('Recall did not finish in time').count()).toBe(0);
  }).toPass({ timeout: 240_000 });
/** Titles of the conversations that the passages of the open conversation's last recall are of, first to last. */
const recalledFrom = (): Promise<readonly string[] | undefined> =>
  page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    const conversation = await app?.documents.read(location.pathname.split('/').at(-1) as never);
    const parts = [...(conversation?.messages.values() ?? [])].flatMap((message) => message.parts);
    const last = parts.findLast((part) => part.type === 'recall');
    return last?.type === 'recall' ? last.passages.map(({ title }) => title ?? '') : undefined;
  });
const lastUser = (request: ChatRequest | undefined): string =>
  String(request?.messages.findLast(({ role }) => role === 'user')?.content);
const openKnows = async () => {
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await page
    .getByRole('navigation', { name: 'Parts of memory' })
    .getByRole('button', { name: 'What it knows' })
    .click();
};

test.describe('one library, used', () => {
  test.describe.configure({ mode: 'serial' });
  test.beforeAll(async ({ baseURL }) => {
    server = await startScriptedModel();
    own = ownBrowser();
    const context = await own.open();
    page = context.pages()[0] ?? (await context.newPage());
    await openApp(page, `${baseURL}/?console`);
    await bringExport(page, chatgptHistory(HISTORY));
    await remembered(page);
  });
  test.afterAll(async () => {
    await own.dispose();
    await server.close();
  });

  const SOURCE = 'Backup of the photos';
  const ANSWER = 'Run restic every night at three';

  test('asked three times in other words without a model: what answers stays first and above the line', async () => {
    for (const words of [
      'When does the backup of the photo disk run?',
      'How often do we back up the disk with the photos?',
      'What did we say about backups of the photo disk?',
    ]) {
      await ask(words);
      expect((await recalledFrom())?.[0], words).toBe(SOURCE);
      const answer = page.getByRole('article', { name: 'From memory' });
      await expect(answer.getByRole('listitem').first()).toContainText(/photo disk|restic/);
      await expect(answer.getByText(ANSWER).first()).toBeVisible();
      await leave();
    }
  });

  test('and three times more with a model: it is given the source, not the echoes of it', async () => {
    await connect(true);
    for (const words of [
      'When did we say the backup of the photo disk runs?',
      'How often did we say the photo disk is backed up?',
      'Remember our schedule for the backup of the photo disk?',
    ]) {
      await askInTime(words, 'Every night at three, with restic.');
      expect((await recalledFrom())?.[0], words).toBe(SOURCE);
      const block = lastUser(server.chats().at(-1));
      expect(block, words).toContain(ANSWER);
      expect(block, words).not.toContain('Every night at three, with restic.');
    }
  });

  test('a rule goes along with a request that shares no word with it, until it is held back', async () => {
    await openKnows();
    const note = page.getByRole('textbox', { name: 'New memory note' });
    await note.fill('TypeScript strict, tests first.');
    await note.press('Control+Enter');
    await expect(page.getByRole('listitem').filter({ hasText: 'TypeScript strict' })).toBeVisible();
    const request = 'Could you write a small function that parses dates?';
    const sent = async () => {
      await askInTime(request, 'Here it is.');
      return JSON.stringify(server.chats().at(-1)?.messages);
    };
    // The first read of the notes may be too late for an answer.
    const goesAlong = () =>
      expect(async () => {
        const words = await sent();
        expect(words).toContain('<standing_notes>');
        expect(words).toContain('TypeScript strict, tests first.');
      }).toPass({ timeout: 240_000 });
    await goesAlong();
    const card = page
      .getByRole('article', { name: 'Answer' })
      .getByRole('region', { name: 'Recalled from other conversations' });
    const head = card.getByRole('button').first();
    await expect(head).toContainText('1 of your notes applies');
    await head.click();
    await card.getByRole('button', { name: 'Don’t send this note automatically' }).click();
    const allow = card.getByRole('button', { name: 'Not sent automatically: allow it again' });
    await expect(allow).toBeVisible();
    const asked = page.url();
    expect(await sent()).not.toContain('<standing_notes>');
    await page.goto(`${asked}?console`);
    await head.click();
    await allow.click();
    await expect(card.getByRole('button', { name: 'Don’t send this note automatically' })).toBeVisible();
    await goesAlong();
  });
});
