// What people do every day in any chat app: find words, copy an answer, tidy the list, read meaningful titles.

import type { Page } from '@playwright/test';
import { type ScriptedModelServer, startScriptedModel } from '../test/server/scripted-model.ts';
import { expect, openApp, saved, test } from './app.ts';

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
  expect((await download).suggestedFilename()).toMatch(/^Answer \d{4}-\d\d-\d\d\.md$/);
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
