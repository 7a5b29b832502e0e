// Dictation in the composer: its button, the question before, words as they are recognised, and
// its end, with a scripted recogniser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { StandInRecogniser } from '../../fixtures/recogniser.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

let Recogniser = StandInRecogniser.fresh();
beforeEach(() => {
  Recogniser = StandInRecogniser.fresh();
  vi.stubGlobal('SpeechRecognition', Recogniser);
});
afterEach(() => vi.unstubAllGlobals());

const field = () => page.getByRole('textbox', { name: 'Message' });
const words = () => (field().element() as HTMLTextAreaElement).value;
const start = () => page.getByRole('button', { name: 'Dictate', exact: true }).click();
const reply = function* () {
  yield { type: 'text-delta' as const, text: 'Fine.' };
};

it('asks before sound leaves the device, once, shows what it hears, and stops by Esc', async () => {
  const app = await createTestApp({ reply });
  await show(app, '/', { width: 320, height: 700 });
  await field().fill('Note:');
  await start();
  const dialog = page.getByRole('dialog', { name: 'Let your speech leave this device?' });
  await expect.element(dialog).toBeVisible();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  expect(Recogniser.all).toHaveLength(0);
  expect(app.settings.config.get().privacy.dictation_by_service).toBe(false);

  await start();
  await page.getByRole('button', { name: 'Agree and dictate' }).click();
  await expect.poll(() => app.settings.config.get().privacy.dictation_by_service).toBe(true);
  await expect.element(page.getByText('Opening the microphone…')).toBeVisible();
  Recogniser.last.onstart?.();
  Recogniser.last.hear(['buy some milk', false]);
  await expect.element(page.getByText('buy some milk')).toBeVisible();
  expect(words()).toBe('Note:');
  await expectAccessible();
  Recogniser.last.hear(['Buy some milk.', true]);
  await expect.poll(words).toBe('Note: Buy some milk.');
  await userEvent.keyboard('{Escape}');
  expect(Recogniser.last.stopped).toBe(true);
  Recogniser.last.onend?.();
  await expect.element(page.getByRole('button', { name: 'Dictate', exact: true })).toBeVisible();

  // Agreed once.
  await start();
  await expect.element(page.getByText('Opening the microphone…')).toBeVisible();
  Recogniser.last.onerror?.({ error: 'not-allowed' });
  Recogniser.last.onend?.();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/may not be used here.*words are kept/);
  await expectAccessible();
});

deep('belongs to what is sent, and to the draft of a conversation that is left', async () => {
  const app = await createTestApp({ reply });
  await app.settings.set('privacy.dictation_by_service', true);
  const id = await app.say('First');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await start();
  await expect.poll(() => Recogniser.all.length).toBe(1);
  Recogniser.last.onstart?.();
  Recogniser.last.hear(['what about now', false]);
  await expect.element(page.getByText('what about now')).toBeVisible();
  await field().click();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('article', { name: 'You' }).last()).toHaveTextContent('what about now');
  expect(Recogniser.last.stopped).toBe(true);
  await app.idle(id);

  await start();
  await expect.poll(() => Recogniser.all.length).toBe(2);
  Recogniser.last.onstart?.();
  Recogniser.last.hear(['half a thought', false]);
  await expect.element(page.getByText('half a thought')).toBeVisible();
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await expect.poll(() => Recogniser.last.stopped).toBe(true);
  history.back();
  await expect.poll(words).toBe('half a thought');
});

deep('offers recognition on the device, in Chinese', async () => {
  Recogniser = StandInRecogniser.fresh('downloadable');
  vi.stubGlobal('SpeechRecognition', Recogniser);
  const app = await createTestApp({ reply });
  await app.settings.set('ui.language', 'zh');
  await app.settings.set('ui.dictation_language', 'zh-CN');
  await show(app, '/', { width: 390, height: 844 });
  await page.getByRole('button', { name: '听写', exact: true }).click();
  await expect
    .element(page.getByRole('dialog', { name: '在这台设备上识别语音吗？' }))
    .toHaveTextContent('中文');
  await expectAccessible();
  await page.getByRole('button', { name: '下载', exact: true }).click();
  await expect.poll(() => Recogniser.all.length).toBe(1);
  expect(Recogniser.installed).toEqual(['zh-CN']);
  expect(Recogniser.last.processLocally).toBe(true);
  Recogniser.last.onstart?.();
  await expect.element(page.getByText('正在听。按 Esc 停止。')).toBeVisible();
});

it('has no button where the browser has no recogniser', async () => {
  vi.stubGlobal('SpeechRecognition', undefined);
  vi.stubGlobal('webkitSpeechRecognition', undefined);
  await show(await createTestApp({ reply }), '/');
  await expect.element(field()).toBeVisible();
  expect(page.getByRole('button', { name: 'Dictate', exact: true }).elements()).toEqual([]);
});

it.each([
  ['en', 'This browser does not turn speech into words.'],
  ['zh', '这个浏览器不能把语音转成文字。'],
])('is said to be missing where a browser has none: %s', async (language, words) => {
  vi.stubGlobal('SpeechRecognition', undefined);
  vi.stubGlobal('webkitSpeechRecognition', undefined);
  const app = await createTestApp({ reply });
  await app.settings.set('ui.language', language);
  await show(app, '/settings/appearance');
  await expect.element(page.getByText(words)).toBeVisible();
  await expectAccessible();
});

deep('can be taken back under Privacy', async () => {
  const app = await createTestApp({ reply });
  await app.settings.set('privacy.dictation_by_service', true);
  await show(app, '/settings/privacy');
  await page.getByRole('switch', { name: 'Dictation by the browser’s service' }).click();
  await expect.poll(() => app.settings.config.get().privacy.dictation_by_service).toBe(false);
  await expectAccessible();
});
