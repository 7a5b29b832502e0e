// What people do every day in any chat app: find words, copy an answer, tidy the list, read meaningful titles.

import type { Page } from '@playwright/test';
import { wordFile } from '../test/fixtures/documents.ts';
import { type ScriptedModelServer, startScriptedModel } from '../test/server/scripted-model.ts';
import { asFile, expect, openApp, remembered, saved, test } from './app.ts';

let server: ScriptedModelServer;
test.beforeAll(async () => {
  server = await startScriptedModel();
});
test.afterAll(() => server.close());
test.beforeEach(() => server.reset());

/** Connects a model of the scripted server by the console. */
async function connect(page: Page): Promise<void> {
  await openApp(page);
  await page.evaluate(async (baseUrl) => {
    const settings = globalThis.recollect?.app.settings;
    await settings?.saveEndpoint(
      { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain', 'echo'] },
      'sk-test',
    );
    await settings?.choose({ endpointId: 'scripted', model: 'plain' });
  }, server.baseUrl);
  await expect(page.getByRole('button', { name: 'Model: plain' })).toBeVisible();
}
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
async function say(page: Page, words: string, answer: string): Promise<void> {
  server.next({ steps: [{ text: answer }, { finish: 'stop' }] });
  await composer(page).fill(words);
  await composer(page).press('Enter');
  const drawn = (answer.split('\n')[0] as string).replaceAll('**', '');
  await expect(page.getByText(drawn).last()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
}

test('words are found in a long conversation, also where nothing is drawn', { tag: '@gate' }, async ({
  page,
}) => {
  await connect(page);
  await say(page, 'Where do cranes sleep?', `In shallow wáter.\n\n${'More of it.\n\n'.repeat(60)}`);
  await say(page, 'And swallows?', `In reeds.\n\n${'More of it.\n\n'.repeat(60)}`);
  await page.keyboard.press('Control+f');
  const field = page.getByRole('textbox', { name: 'Find in conversation' });
  await expect(field).toBeFocused();
  await page.keyboard.type('water');
  await expect(page.getByText('1 of 1')).toBeVisible();
  await expect(page.getByText('In shallow wáter.')).toBeInViewport();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
  await expect(composer(page)).toBeFocused();
});

test('an answer is downloaded, and asked again of another model', async ({ page }) => {
  await connect(page);
  await say(page, 'Name a bird', 'A **crane**.');
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download as Markdown' }).click();
  expect((await download).suggestedFilename()).toMatch(/^Name a bird \d{4}-\d\d-\d\d\.md$/);
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Answer again with' }).hover();
  await page.getByRole('menuitem', { name: 'echo' }).click();
  await expect(page.getByRole('status', { name: 'Branch 2 of 2' })).toBeVisible();
  await expect.poll(() => server.chats().at(-1)?.model).toBe('echo');
});

test('several conversations are archived at once, and come back from the notice', async ({ page }) => {
  await connect(page);
  for (const bird of ['Cranes', 'Swallows', 'Herons']) {
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await say(page, `${bird} in winter`, 'They go south.');
  }
  await saved(page);
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list.getByRole('link', { name: /^Cranes/ }).click({ modifiers: ['ControlOrMeta'] });
  await list.getByRole('link', { name: /^Swallows/ }).click({ modifiers: ['ControlOrMeta'] });
  await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).click();
  await expect(list.getByRole('link')).toHaveCount(1);
  await page
    .getByText('2 conversations archived')
    .locator('xpath=ancestor::li')
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(list.getByRole('link')).toHaveCount(3);
});

test('the model names a conversation, unless that is switched off', async ({ page }) => {
  await connect(page);
  server.nameConversations('Birds in winter');
  await say(page, 'Where do cranes go?', 'They go south.');
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await expect(list.getByRole('link', { name: /^Birds in winter/ })).toBeVisible();
  await page.goto('/settings/models?console');
  await page.getByRole('switch', { name: 'Titles by the model' }).click();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(page, 'Where do swallows go?', 'To Africa.');
  await expect(list.getByRole('link', { name: /^Where do swallows go/ })).toBeVisible();
});

test('an answer that ended out of sight is marked in tab and list', async ({ page }) => {
  await connect(page);
  server.next({ steps: [{ text: 'Well. ' }, { gate: true }, { text: 'At last.' }, { finish: 'stop' }] });
  await composer(page).fill('A slow question');
  await composer(page).press('Enter');
  // These words mean that the server has reached the gate.
  await expect(page.getByText('Well.')).toBeVisible();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  server.go();
  await expect(page.getByText('An answer is ready')).toBeVisible();
  await expect(page).toHaveTitle(/^\(1\) /);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByText('At last.')).toBeVisible();
  await expect(page).toHaveTitle(/^A slow question/);
});

test('two models stand beside each other, one is gone on with, and a message that is deleted comes back', async ({
  page,
}) => {
  await connect(page);
  await say(page, 'Name a bird', 'A crane.');
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare models…' }).click();
  server.next({ steps: [{ text: 'A heron.' }, { finish: 'stop' }] });
  // It is ticked already where there is only one other model.
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const compared = page.getByRole('dialog');
  await expect(compared.getByRole('article', { name: 'plain' })).toContainText('A crane.');
  await expect(compared.getByRole('article', { name: 'echo' })).toContainText('A heron.');
  await compared.getByRole('button', { name: 'Continue with this: echo' }).click();
  await expect(page.getByRole('status', { name: 'Branch 2 of 2' })).toBeVisible();
  await expect(answer).toContainText('A heron.');
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete message' }).click();
  await expect(page.getByText('A heron.')).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(answer).toContainText('A heron.');
});

test('a Word document is read on the device, goes along, and is recalled in another conversation', async ({
  page,
}) => {
  await connect(page);
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles(asFile('Lease.docx', Buffer.from(await wordFile()), word));
  await expect(page.getByRole('list', { name: 'Attached files' })).toContainText('Lease.docx');
  await say(page, 'Keep this', 'Kept.');
  expect(JSON.stringify(server.chats().at(-1))).toContain('due on the third working day');
  await saved(page);
  await remembered(page);
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await composer(page).fill('On which working day is the rent due?');
  await composer(page).press('Enter');
  const recalled = page.getByRole('region', { name: 'Recalled from other conversations' });
  await recalled.getByRole('button', { name: /Show what was recalled/ }).click();
  await expect(recalled).toContainText('third working day');
});

test('what is dictated stands in the composer, once the person has agreed', async ({ page }) => {
  await page.addInitScript(() => {
    class Recogniser {
      onstart: (() => void) | null = null;
      onresult: ((event: unknown) => void) | null = null;
      onend: (() => void) | null = null;
      start() {
        this.onstart?.();
        this.onresult?.({ results: [Object.assign([{ transcript: 'Buy some milk.' }], { isFinal: true })] });
      }
      stop() {
        this.onend?.();
      }
      abort() {
        this.onend?.();
      }
    }
    Object.assign(globalThis, { SpeechRecognition: Recogniser, webkitSpeechRecognition: Recogniser });
  });
  await openApp(page);
  await page.getByRole('button', { name: 'Dictate', exact: true }).click();
  await page.getByRole('button', { name: 'Agree and dictate' }).click();
  await expect(composer(page)).toHaveValue('Buy some milk.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Dictate', exact: true })).toBeVisible();
});

test('looks that were chosen stand after a reload', async ({ page }) => {
  await page.goto('/settings/appearance?console');
  const size = () =>
    page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
  const before = await size();
  await page.getByText('Larger', { exact: true }).click();
  await expect.poll(size).toBeGreaterThan(before);
  const larger = await size();
  await expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.settings.config.get().ui.font_size))
    .toBe('larger');
  await page.reload();
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
  expect(await size()).toBe(larger);
});

test('what another app shared begins a message; the first screen leads to a device that has all', async ({
  page,
}) => {
  await openApp(page, '/?console&shared_title=A%20page&shared_url=https%3A%2F%2Fexample.org%2Fa');
  await expect(composer(page)).toHaveValue('A page\nhttps://example.org/a');
  await composer(page).fill('');
  await page.getByRole('button', { name: /I have Recollect on another device/ }).click();
  await expect(page).toHaveURL(/\/pair/);
});

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  test('files that another app shared are attached to a message', async ({ page, baseURL }) => {
    await openApp(page);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const other = await page.context().newPage();
    await other.setContent(
      `<form method="post" enctype="multipart/form-data" action="${baseURL}/shared"><input name="shared_text" value="Sum it up"><input type="file" name="shared_files"></form>`,
    );
    await other
      .locator('input[type="file"]')
      .setInputFiles(asFile('kettle.txt', 'A kettle hums.', 'text/plain'));
    await other.locator('form').evaluate((form) => (form as HTMLFormElement).submit());
    await expect(other.getByRole('list', { name: 'Attached files' })).toContainText('kettle.txt');
    await expect(composer(other)).toHaveValue('Sum it up');
    await expect(other).not.toHaveURL(/open=files/);
  });
});
