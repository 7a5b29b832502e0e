// "Pair this device": words while they are typed, what is refused and why, the fingerprint before
// anything happens, a relay that fails.
import { beforeEach, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fragmentOf, phraseOf } from '../../../src/domain/sync/pairing.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const app = await createTestApp();
const PHRASE = phraseOf(new Uint8Array(32).fill(7));
const LINK = `https://app.example/pair${fragmentOf({
  ...app.sync.readOffer(PHRASE),
  endpoint: 'wss://relay.example',
})}`;
const field = () => page.getByRole('textbox', { name: 'Link or 24 words' });
const next = () => page.getByRole('button', { name: 'Continue' });
const pair = () => page.getByRole('button', { name: 'Pair this device' });

beforeEach(() => show(app, '/pair'));

it('shows each word as it is understood, and says why too few or wrong ones open nothing', async () => {
  await expect.element(next()).toBeDisabled();
  await field().fill('abandon abandn zzzzzz ');
  const words = page.getByRole('list', { name: '24 words' });
  await expect.element(words.getByRole('listitem').nth(1)).toHaveTextContent('abandon?');
  await expect.element(words.getByRole('listitem').nth(2)).toHaveTextContent('not in the list');
  await next().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/^2 words are not in the list/);
  await expectAccessible();
  await field().fill('abandon abandon ');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await next().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('These are 2 words; 24 are needed.');
  const [first, second, ...rest] = PHRASE.split(' ');
  await field().fill([second, first, ...rest].join(' ').replace(/\w+$/, 'zoo'));
  await next().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/^Every word is in the list/);
});

it('goes on from the words by Enter', async () => {
  await field().fill(PHRASE);
  await userEvent.keyboard('{Enter}');
  await expect.element(pair()).toBeVisible();
});

deep('refuses what is neither a link nor words, and half a link', async () => {
  await field().fill('{"a":1}');
  await userEvent.click(next());
  await expect.element(page.getByRole('alert')).toHaveTextContent(/^This is neither/);
  await field().fill(LINK.slice(0, -20));
  await next().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/^This pairing link is not complete/);
});

it('asks for the relay with words, shows the fingerprint first, keeps what was typed when the relay fails', async () => {
  await field().fill(PHRASE);
  await next().click();
  await expect.element(page.getByText('This is complete and its checksum is right.')).toHaveFocus();
  await expect.element(page.getByText(app.sync.readOffer(PHRASE).fingerprint)).toBeVisible();
  await expect.element(pair()).toBeDisabled();
  await page.getByRole('textbox', { name: 'Relay', exact: false }).fill('wss://relay.example');
  await expectAccessible();
  await pair().click();
  await expect.element(page.getByRole('alert')).toBeVisible();
  await expect.element(pair()).toBeEnabled();
  await page.getByRole('button', { name: 'Use something else' }).click();
  await expect.element(field()).toHaveValue('');
});

it('takes the relay from a link, and fits 320 px in Chinese and in the dark', async () => {
  await field().fill(LINK);
  await next().click();
  await expect.element(page.getByText('wss://relay.example')).toBeVisible();
  await expect.element(pair()).toBeEnabled();
  await app.settings.set('ui.language', 'zh');
  await app.settings.set('ui.theme', 'dark');
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});
