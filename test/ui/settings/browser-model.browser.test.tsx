// The browser's own model in the settings: hidden where there is none, downloaded, refused, used without a key.
import { afterEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { type Script, scriptedLanguageModel } from '../../server/language-model.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

afterEach(() => vi.unstubAllGlobals());

async function opened(script: Script | null, language = 'en') {
  const model = script && scriptedLanguageModel(script);
  vi.stubGlobal('LanguageModel', model?.global);
  const app = await createTestApp();
  await app.settings.set('ui.language', language);
  await show(app, '/settings/models', { width: 390 });
  return app;
}
const preset = (name = /^This browser/) => page.getByRole('button', { name });
const dialog = () => page.getByRole('dialog');

it.each([null, { state: 'unavailable' } as const])(
  'is not offered where there is none: %o',
  async (script) => {
    await opened(script);
    await expect.element(page.getByRole('button', { name: /^Ollama/ })).toBeVisible();
    await expect.element(preset()).not.toBeInTheDocument();
  },
);

it('is downloaded with a click, by keyboard, and answers without a key from then on', async () => {
  let arrive = () => {};
  const downloaded = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const app = await opened({ state: 'downloadable', downloaded });
  await preset().click();
  await expect.element(dialog().getByText(/has to be downloaded once/)).toBeVisible();
  await expectAccessible();
  const button = dialog().getByRole('button', { name: 'Download and use' });
  (button.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByRole('progressbar')).toBeVisible();
  arrive();
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(page.getByRole('status').filter({ hasText: 'This browser' })).toBeVisible();
  const { endpoints, chosen } = app.settings.connections.get();
  expect(endpoints).toMatchObject([
    { id: 'browser', baseUrl: 'browser:', protocol: 'browser', models: ['built-in'] },
  ]);
  expect(chosen).toEqual({ endpointId: 'browser', model: 'built-in' });
  await expect.element(page.getByText(/^On this device/).first()).toBeVisible();
  await expectAccessible();
  expect(document.documentElement.scrollWidth).toBe(390);
});

deep('says what is wrong when the browser refuses, and stays open', async () => {
  await opened({ state: 'downloadable', forbidden: true }, 'zh');
  await preset(/^这个浏览器/).click();
  await dialog().getByRole('button', { name: '下载并使用' }).click();
  await expect.element(dialog().getByRole('alert')).toHaveTextContent('浏览器自带的模型需要先下载');
  await expectAccessible();
});
