// Endpoints as they really are, through the built app: one of each kind of dialect.
import { expect, type Page } from '@playwright/test';
import type { ProtocolName } from '../src/adapters/models/protocols.ts';
import { startNative } from '../test/server/natives.ts';
import { type QuirksServer, startQuirks } from '../test/server/quirks.ts';
import { bringExport, chatgptHistory, ended, openApp, test } from './app.ts';

let server: QuirksServer;
test.beforeAll(async () => {
  server = await startQuirks();
});
test.beforeEach(() => {
  server.requests.length = 0;
});
test.afterAll(() => server.close());

async function begin(
  page: Page,
  model: string,
  { baseUrl, protocol }: { baseUrl: string; protocol?: ProtocolName } = server,
): Promise<void> {
  await openApp(page);
  await page.evaluate(
    async ({ baseUrl, model, protocol }) => {
      const settings = globalThis.recollect?.app.settings;
      const endpoint = { id: 'quirks', label: 'Quirks', baseUrl, models: [model], protocol };
      await settings?.saveEndpoint(endpoint, 'sk-test');
      await settings?.choose({ endpointId: 'quirks', model });
    },
    { baseUrl, model, protocol },
  );
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}
const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last();

test('a thinking model goes on after its tools, also after a reload', async ({ page }) => {
  await begin(page, 'thinking-tools');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await ended(page);
  await page.reload();
  await say(page, 'Sure?');
  await expect.poll(() => server.requests.length).toBe(4);
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(JSON.stringify(server.requests.at(-1))).toContain('"reasoning_content":"I should look it up."');
});

test('the signature of a call comes back with it, also after a reload', async ({ page }) => {
  await begin(page, 'signed-tools');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await ended(page);
  await page.reload();
  await expect(answer(page)).toContainText('Backups run at three.');
  server.requests.length = 0;
  await say(page, 'Sure?');
  // The call is an answer by itself.
  await expect(page.getByRole('article', { name: 'Answer' })).toHaveCount(4);
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  const asked = server.requests.find((request) => JSON.stringify(request).includes('Sure?'));
  expect(JSON.stringify(asked)).toContain('"thought_signature":"c2lnbmF0dXJl"');
});

test('a call whose arguments are an object is carried out, beside one without a function', async ({
  page,
}) => {
  await begin(page, 'odd-tools');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  const sent = JSON.stringify(server.requests);
  expect(sent).toContain('"role":"tool","tool_call_id":"c1"');
  expect(sent).toContain(JSON.stringify({ arguments: '{"query":"backup"}' }).slice(1, -1));
});

test('a request is sent again without what was refused, and after a reload at once without it', async ({
  page,
}) => {
  await begin(page, 'refuses-stream-options');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  const withOptions = () => server.requests.map((request) => 'stream_options' in request);
  expect(withOptions().slice(0, 2)).toEqual([true, false]);
  await expect(page.getByRole('alert')).toHaveCount(0);
  const conversation = page.url();
  await ended(page);
  await page.goto('/settings/context?console');
  await expect(page.getByRole('region', { name: 'Left out of requests' })).toContainText('stream_options');
  await page.goto(conversation);
  await expect(answer(page)).toContainText('Backups run at three.');
  server.requests.length = 0;
  await say(page, 'Sure?');
  await expect(page.getByRole('article', { name: 'Answer' })).toHaveCount(2);
  await expect(answer(page)).toContainText('Backups run at three.');
  expect(withOptions()).not.toContain(true);
});

test('an imported conversation with a system message in its middle goes on where roles are strict', async ({
  page,
}) => {
  await begin(page, 'strict-roles');
  const turns = [
    'How often?',
    'Every night.',
    'Answer briefly from here on.',
    'And where to?',
    'To the shelf.',
  ];
  const [talk] = JSON.parse(chatgptHistory([{ title: 'Backup', turns }]));
  for (const [at, role] of ['user', 'assistant', 'system', 'user', 'assistant'].entries())
    talk.mapping[`talk-0-${at}`].message.author.role = role;
  expect(await bringExport(page, JSON.stringify([talk]))).toEqual([null]);
  await page.getByRole('link', { name: 'Backup', exact: true }).click();
  await expect(answer(page)).toContainText('To the shelf.');
  await say(page, 'Sure?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  const asked = JSON.stringify(server.requests.find((request) => JSON.stringify(request).includes('Sure?')));
  for (const words of turns) expect(asked).toContain(words);
});

test('an Ollama that has no model yet says what to run', async ({ page }) => {
  await page.route('http://localhost:11434/**', (route) =>
    route.fulfill({ json: { object: 'list', data: null }, headers: { 'access-control-allow-origin': '*' } }),
  );
  await page.goto('/settings/models?console');
  await page.getByRole('button', { name: 'Ollama' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ollama' });
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('status')).toContainText('Connected, no models yet.');
  await expect(dialog.getByRole('status')).toContainText('ollama pull');
});

test('odd events lose no word and bring no warning', { tag: '@gate' }, async ({ page }) => {
  await begin(page, 'message-for-delta');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a picture that a model draws is shown, kept, and named to the model afterwards', async ({ page }) => {
  await begin(page, 'pictures-twice');
  await say(page, 'When is the backup?');
  const picture = answer(page).getByRole('img', { name: 'image-1.png' });
  const width = () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth);
  await expect.poll(width).toBe(1);
  await expect(answer(page)).toContainText('Backups run at three.');
  await ended(page);
  await page.reload();
  await expect.poll(width).toBe(1);
  await say(page, 'Sure?');
  await expect(page.getByRole('article', { name: 'Answer' })).toHaveCount(2);
  // The last request may be the one for a title.
  await expect.poll(() => JSON.stringify(server.requests)).toContain('[image: image-1.png]');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('what goes wrong behind the end of an answer takes nothing from it', async ({ page }) => {
  await begin(page, 'error-after-finish');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(answer(page).getByRole('button', { name: 'Copy', exact: true })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('thoughts of which only the end is marked are thoughts', async ({ page }) => {
  await begin(page, 'thoughts-only-closed');
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
  await expect(answer(page)).not.toContainText('</think>');
  await expect(answer(page).getByText('The person asks.')).toBeHidden();
});

test('an answer without a word says so, and is asked for again', async ({ page }) => {
  for (const [model, words] of [
    ['no-words', 'The model gave no answer.'],
    ['no-words-but-thoughts', 'The model thought, but gave no answer.'],
  ] as const) {
    await begin(page, model);
    await say(page, 'When is the backup?');
    await expect(answer(page)).toContainText(words);
    const before = server.requests.length;
    await answer(page).getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => server.requests.length).toBe(before + 1);
  }
});

test('an answer that was cut says so and goes on', { tag: '@gate' }, async ({ page }) => {
  await begin(page, 'finish-empty');
  await say(page, 'When is the backup?');
  await expect(page.getByRole('alert')).toContainText('The answer broke off before its end.');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => server.requests.length).toBe(2);
});

test('a refused answer names what was refused and can be sent without tools', { tag: '@gate' }, async ({
  page,
}) => {
  await begin(page, 'refuses-all');
  await say(page, 'When is the backup?');
  await expect(page.getByRole('alert')).toContainText('stream_options');
  await expect(page.getByRole('button', { name: 'Send without thoughts' })).toBeVisible();
  const before = server.requests.length;
  await page.getByRole('button', { name: 'Send without tools' }).click();
  await expect.poll(() => server.requests.length).toBeGreaterThan(before);
  expect(server.requests.slice(before).some((request) => 'tools' in request)).toBe(false);
});

test('what was typed into a connection is thrown away on purpose only, and one without a model is not saved', async ({
  page,
}) => {
  await page.goto('/settings/models?console');
  await page.getByRole('button', { name: /Other service/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Base URL').fill(server.baseUrl);
  await dialog.getByLabel('Key', { exact: true }).fill('sk-typed');
  await page.keyboard.press('Escape');
  await expect(dialog.getByText('Not saved yet.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expect(dialog.getByLabel('Key', { exact: true })).toHaveValue('sk-typed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Choose or type a model', { exact: false })).toBeVisible();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Throw away' }).click();
  await expect(dialog).toHaveCount(0);
});

test('an address and a key are taken as people paste them', async ({ page }) => {
  await page.goto('/settings/models?console');
  await page.getByRole('button', { name: /Other service/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Base URL').fill(` ${server.baseUrl.replace('http://', '')}/chat/completions\n`);
  await dialog.getByLabel('Key', { exact: true }).fill('Bearer sk-pasted');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This is not a web address.');
  await dialog.getByRole('button', { name: /^Use http:/ }).click();
  await expect(dialog.getByText('It works')).toBeVisible();
  await dialog.getByLabel('Model that answers').fill('error-null');
  await dialog.getByRole('button', { name: 'Save and use' }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await say(page, 'When is the backup?');
  await expect(answer(page)).toContainText('Backups run at three.');
});

for (const [protocol, path, key] of [
  ['anthropic', '/v1/messages', 'x-api-key'],
  ['google', '/v1/models/reasoning:streamGenerateContent?alt=sse', 'x-goog-api-key'],
  ['openai-responses', '/v1/responses', 'authorization'],
] as const)
  test(`${protocol} is spoken natively: thoughts are folded, a second question takes the first along`, async ({
    page,
  }) => {
    const native = await startNative(protocol);
    try {
      await begin(page, 'reasoning', { baseUrl: native.baseUrl, protocol });
      await say(page, 'When is the backup?');
      await expect(answer(page)).toContainText('Backups run at three.');
      await expect(answer(page).getByText('The person asks about backups.')).toBeHidden();
      await answer(page)
        .getByRole('button', { name: /Thoughts|Thought/ })
        .click();
      await expect(answer(page).getByText('The person asks about backups.')).toBeVisible();
      await say(page, 'Sure?');
      // A title, and what is worth remembering, may be asked for meanwhile.
      const second = () =>
        native.requests.find(({ path: at, body }) => at === path && JSON.stringify(body).includes('Sure?'));
      await expect.poll(() => second() !== undefined).toBe(true);
      expect(second()?.headers[key]).toContain('sk-test');
      expect(JSON.stringify(second()?.body)).toContain('Backups run at three.');
      await expect(page.getByRole('alert')).toHaveCount(0);
    } finally {
      await native.close();
    }
  });
