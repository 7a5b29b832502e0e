// Private words in the settings: kinds and places, own lists, patterns that are refused, the try-it
// box; and their marks in a conversation.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Prompt } from '../../../src/adapters/models/chat-model.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const kinds = () => page.getByRole('region', { name: 'Private words' });
const lists = () => page.getByRole('region', { name: 'Your own lists' });
const tryIt = () => page.getByRole('region', { name: 'Try it' });

it('keeps a kind out of a place by one click or key, and shows at once what that replaces', async () => {
  const app = await createTestApp();
  await show(app, '/settings/privacy');
  await expect.element(tryIt().getByText(/is replaced|are replaced/)).not.toBeInTheDocument();
  await tryIt().getByLabelText('A text to try it on').fill('Call +1 415 555 0132, or 13800138000.');
  await expect.element(tryIt().getByText('Nothing in this text is replaced.')).toBeVisible();
  const box = kinds().getByRole('checkbox', { name: 'Keep Phone numbers out of: Models' });
  await box.click();
  await expect.element(tryIt().getByText('2 places are replaced:')).toBeVisible();
  await expect.element(tryIt().getByText('Call [phone-1], or [phone-2].')).toBeVisible();
  expect(app.settings.config.get().privacy.keep_out_of_prompts).toContain('phones');
  await tryIt().getByText('Sync', { exact: true }).click();
  await expect.element(tryIt().getByText('Nothing in this text is replaced.')).toBeVisible();
  (box.element() as HTMLElement).focus();
  await userEvent.keyboard(' ');
  expect(app.settings.config.get().privacy.keep_out_of_prompts).not.toContain('phones');
  expect(app.privacy.tokens.privateWordsOf('[phone-1]')).toBeUndefined();
  await expectAccessible();
});

it('takes names and patterns, and says why a slow pattern is not taken', async () => {
  const app = await createTestApp();
  await show(app, '/settings/privacy');
  await lists().getByLabelText('Add a name').fill('Anna Bergmann');
  await userEvent.keyboard('{Enter}');
  await expect.element(lists().getByText('Anna Bergmann')).toBeVisible();
  const pattern = lists().getByLabelText('Add a pattern');
  await pattern.fill('(a+)+$');
  await userEvent.keyboard('{Enter}');
  await expect
    .element(lists().getByRole('alert'))
    .toHaveTextContent(/cannot be used as a pattern.*very long/);
  await expectAccessible();
  await pattern.fill('EMP-\\d{4,8}');
  await userEvent.keyboard('{Enter}');
  await expect.element(lists().getByRole('alert')).not.toBeInTheDocument();
  expect(app.settings.config.get().privacy.own_patterns).toEqual(['EMP-\\d{4,8}']);
  await tryIt().getByLabelText('A text to try it on').fill('ANNA BERGMANN is EMP-20261.');
  await expect.element(tryIt().getByText('[name-1] is [word-1].')).toBeVisible();
});

deep('says all of it in Chinese', async () => {
  const app = await createTestApp();
  await app.settings.set('ui.language', 'zh');
  await show(app, '/settings/privacy');
  const region = page.getByRole('region', { name: '隐私内容' });
  await region.getByRole('checkbox', { name: '电话号码：不进入模型' }).click();
  await page.getByLabelText('用来试验的文字').fill('打 13800138000');
  await expect.element(page.getByText('打 [phone-1]')).toBeVisible();
  await expectAccessible();
});

it('marks in the conversation what the model got as a token, and lists it with what was sent', async () => {
  const read: Prompt[] = [];
  const app = await createTestApp({
    reply: (prompt) => {
      read.push(prompt);
      return ['Calling [pho', 'ne-1] now.'].map((text) => ({ type: 'text-delta', text }));
    },
  });
  await app.settings.set('privacy.keep_out_of_prompts', ['phones']);
  const id = await app.say('Call 13800138000 for me');
  await app.idle(id);
  expect(JSON.stringify(read)).not.toContain('13800138000');
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('Calling 13800138000 now.')).toBeVisible();
  const marks = page.getByTitle('Sent to the model as [phone-1]');
  await expect.element(marks.first()).toHaveTextContent('13800138000');
  expect(marks.elements()).toHaveLength(2);
  await expectAccessible();
  await page.getByRole('button', { name: 'More' }).last().click();
  await page.getByRole('menuitem', { name: 'What the model was sent' }).click();
  const sent = page.getByRole('region', { name: 'Private words, sent as placeholders' });
  await expect.element(sent.getByText('[phone-1]')).toBeVisible();
  await expect.element(sent.getByText('13800138000')).toBeVisible();
  await expect.element(page.getByText('Sent as it is, except for private words')).toBeVisible();
});
