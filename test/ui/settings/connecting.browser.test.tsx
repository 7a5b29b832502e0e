// A model is connected: its key can be looked at, what is missing is where one goes
// on, and nothing typed goes by itself.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const dialog = page.getByRole('dialog');
const key = () => dialog.getByRole('textbox', { name: 'Key', exact: true });

it('shows a key that was typed, and goes to what is missing', async () => {
  const app = await createTestApp();
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.element(dialog.getByRole('textbox', { name: 'Base URL' })).toHaveFocus();
  await userEvent.keyboard('http://localhost:9/v1');
  await key().fill('sk-wrong');
  await expect.element(key()).toHaveAttribute('type', 'password');
  await dialog.getByRole('button', { name: 'Show what I type' }).click();
  await expect.element(key()).toHaveAttribute('type', 'text');
  await dialog.getByRole('button', { name: 'Save' }).click();
  // A key is tested first: it may tell the models.
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.element(dialog.getByRole('combobox', { name: 'Model that answers' })).toHaveFocus();
  await expectAccessible();
});

it('on a phone, offers any address at once, and shows which model a test chose', async () => {
  const app = await createTestApp();
  const models = ['cut', 'plain'];
  Object.assign(app.settings, { test: async () => ({ ok: true, models, tookMs: 120 }) });
  await show(app, '/settings/models', { width: 390, height: 844 });
  const other = page.getByRole('button', { name: /^Other service/ });
  await expect.element(other).toBeInViewport();
  await other.click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await page.viewport(390, 480);
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByText('Answers will come from cut.')).toBeInViewport();
  const model = dialog.getByRole('combobox', { name: 'Model that answers' });
  await expect.element(model).toBeInViewport();
  await expect.element(model).toHaveTextContent('cut');
  await model.click();
  await page.getByRole('option', { name: 'plain' }).click();
  await expect.element(dialog.getByText('Answers will come from plain.')).toBeVisible();
  await expectAccessible();
});

it('no longer says that a key is refused once another one is typed', async () => {
  const app = await createTestApp();
  const problem = { code: 'model-key', message: '401', params: { reason: 'invalid' } } as const;
  Object.assign(app.settings, { test: async () => ({ ok: false, problem }) });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await key().fill('sk-wrong');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await key().fill('sk-right');
  await expect.element(dialog.getByRole('alert')).not.toBeInTheDocument();
  await key().fill('sk-wrong');
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:10/v1');
  await expect.element(dialog.getByRole('alert')).not.toBeInTheDocument();
});

it('asks for no model any more once a test has chosen one', async () => {
  const app = await createTestApp();
  const models = ['cut', 'plain'];
  let list: string[] = [];
  Object.assign(app.settings, { test: async () => ({ ok: true, models: list, tookMs: 120 }) });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByText(/^Connected/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.element(dialog.getByText(/^Choose or type a model/)).toBeVisible();
  list = models;
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByText('Answers will come from cut.')).toBeVisible();
  await expect.element(dialog.getByText(/^Choose or type a model/)).not.toBeInTheDocument();
});

it('tests a connection that is saved with a key and no model, and saves it with the model it found', async () => {
  const app = await createTestApp();
  let tests = 0;
  const test = async () => {
    tests += 1;
    return { ok: true, models: ['cut', 'plain'], tookMs: 120 };
  };
  Object.assign(app.settings, { test });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await key().fill('sk-right');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog.getByText('Answers will come from cut.')).toBeVisible();
  await expect.element(dialog.getByText(/^Choose or type a model/)).not.toBeInTheDocument();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('cut answers from now on.')).toBeVisible();
  expect(tests).toBe(1);
});

it.each([
  ['en', 'Connected, no models yet.', /^Ollama/, 'Test connection'],
  ['zh', '已连接，还没有模型。', /^Ollama/, '测试连接'],
] as const)(
  'says of a fresh Ollama what fetches its first model: %s',
  async (language, words, ollama, test) => {
    const app = await createTestApp();
    await app.settings.set('ui', { language });
    Object.assign(app.settings, { test: async () => ({ ok: true, models: [], tookMs: 120 }) });
    await show(app, '/settings/models');
    await page.getByRole('button', { name: ollama }).click();
    await dialog.getByRole('button', { name: test }).click();
    await expect.element(dialog.getByRole('status')).toHaveTextContent(words);
    await expect.element(dialog.getByRole('status')).toHaveTextContent('ollama pull llama3.2');
    await expectAccessible();
  },
);

it('chooses a model for a person whose focus only passed through the empty field', async () => {
  const app = await createTestApp();
  Object.assign(app.settings, { test: async () => ({ ok: true, models: ['cut', 'plain'], tookMs: 120 }) });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await dialog.getByRole('combobox', { name: 'Model that answers' }).click();
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByText('Answers will come from cut.')).toBeVisible();
});

it('brings one to what it says of a new connection, whatever was scrolled away meanwhile', async () => {
  const app = await createTestApp();
  await show(app, '/settings/models', { width: 1280, height: 500 });
  for (const model of ['first', 'second']) {
    await page.getByRole('button', { name: /^Other service/ }).click();
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
    await dialog.getByRole('combobox', { name: 'Model that answers' }).fill(model);
    await dialog.getByRole('button', { name: 'Save and use' }).click();
    await expect.element(page.getByText(`Saved. ${model} is to answer from now on;`)).toBeInViewport();
    await expect.element(page.getByRole('button', { name: 'Back to where you were' })).toHaveFocus();
  }
});

it('leads back to the conversation from which a model was connected, with what was written there', async () => {
  const app = await createTestApp();
  const id = await app.say('Where is the ladder?');
  await app.idle(id);
  await show(app, `/c/${id}`);
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('Half a question');
  await page.getByRole('button', { name: /^Model: No model/ }).click();
  await page.getByRole('menuitem', { name: 'Connect a model' }).click();
  await expect.poll(() => location.pathname).toBe('/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await dialog.getByRole('combobox', { name: 'Model that answers' }).fill('first');
  await dialog.getByRole('button', { name: 'Save and use' }).click();
  await page.getByRole('button', { name: 'Back to where you were' }).click();
  await expect.poll(() => location.pathname).toBe(`/c/${id}`);
  await expect.element(composer).toHaveValue('Half a question');
  await expect.element(page.getByRole('button', { name: 'Model: first' })).toBeVisible();
});

it('says of a connection whose test failed that it did, and tells it from another one to the same place', async () => {
  const app = await createTestApp();
  await show(app, '/settings/models');
  for (const model of ['first', 'second']) {
    await page.getByRole('button', { name: /^Other service/ }).click();
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
    await dialog.getByRole('combobox', { name: 'Model that answers' }).fill(model);
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect.element(dialog.getByRole('alert')).toBeVisible();
    await dialog.getByRole('button', { name: 'Save and use' }).click();
    await expect
      .element(page.getByText(`Saved, and ${model} is chosen, but the last test of the connection failed.`))
      .toBeVisible();
  }
  await expect.element(page.getByText('localhost:9', { exact: true }).first()).toBeVisible();
  await expect.element(page.getByText('localhost:9 2', { exact: true }).first()).toBeVisible();
});

it('asks before typed words go, in every way a window closes, and Cancel means it', async () => {
  const app = await createTestApp();
  await show(app, '/settings/prompts');
  const begin = page.getByRole('button', { name: 'New prompt' });
  const words = dialog.getByRole('textbox', { name: 'Prompt' });
  const notSaved = dialog.getByText('Not saved yet.');
  await begin.click();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();

  await begin.click();
  await words.fill('Sum up what we decided.');
  await userEvent.keyboard('{Escape}');
  await expect.element(notSaved).toBeVisible();
  await expect.element(dialog.getByRole('button', { name: 'Keep editing' })).toHaveFocus();
  await expectAccessible();
  await userEvent.keyboard('{Enter}');
  await expect.element(words).toHaveFocus();
  await expect.element(words).toHaveValue('Sum up what we decided.');

  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.element(notSaved).toBeVisible();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  for (const isAsked of [true, false, true]) {
    history.back();
    if (isAsked) await expect.element(notSaved).toBeVisible();
    else await expect.element(notSaved).not.toBeInTheDocument();
    await expect.element(words).toHaveValue('Sum up what we decided.');
  }
  await dialog.getByRole('button', { name: 'Throw away' }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await begin.click();
  await expect.element(notSaved).not.toBeInTheDocument();
  await words.fill('Again');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(page.getByRole('heading', { name: 'Prompts & personas' })).toBeVisible();
});

it('leads from a key that is refused to where keys are', async () => {
  const app = await createTestApp({
    // biome-ignore lint/correctness/useYield: an endpoint that refuses before it says anything
    *reply() {
      throw new RecollectError('model-key', 'The server answered 401', { params: { reason: 'invalid' } });
    },
  });
  const id = await app.say('Hello');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Open Settings › Models' }).click();
  await expect.element(page.getByRole('heading', { name: 'Models' })).toBeVisible();
});

it('keeps the ways of the first screen at hand until they were taken', async () => {
  const app = await createTestApp();
  await app.idle(await app.say('Hello'));
  await show(app, '/');
  await page.getByRole('button', { name: 'Import my conversations' }).click();
  await expect.element(page.getByRole('dialog', { name: 'Import conversations' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'Connect a model' }).click();
  await expect.element(page.getByRole('heading', { name: 'Models' })).toBeVisible();
});

it('filters the models that a service offers by hundreds, and says how many fit', async () => {
  const app = await createTestApp();
  const models = Array.from({ length: 120 }, (_, at) => `maker/model-${at}`);
  Object.assign(app.settings, { test: async () => ({ ok: true, models, tookMs: 120 }) });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Other service/ }).click();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/v1');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  const filter = dialog.getByRole('searchbox', { name: 'Filter models' });
  await filter.fill('model-11 maker');
  const status = dialog.getByRole('status').filter({ hasText: 'of 120' });
  await expect.element(status).toHaveTextContent('11 of 120');
  expect(dialog.getByRole('checkbox').elements()).toHaveLength(11);
  await filter.fill('nobody');
  await expect.element(dialog.getByText('No name has “nobody” in it.')).toBeVisible();
  await expectAccessible();
});

it('says in words what can be done with a connection, at any width', async () => {
  const app = await createTestApp({ reply: () => [] });
  await show(app, '/settings/models', { width: 320, height: 640 });
  const edit = page.getByRole('button', { name: 'Edit: Scripted' });
  await expect.element(edit).toHaveTextContent('Edit');
  await page.getByRole('button', { name: 'More for Scripted' }).click();
  const remove = page.getByRole('menuitem', { name: 'Remove' });
  await expect.element(remove).toBeVisible();
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
  await remove.click();
  const before = app.settings.connections.get();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => app.settings.connections.get().endpoints).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => app.settings.connections.get()).toEqual(before);
});
