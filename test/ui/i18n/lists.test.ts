// Names in a row are separated as the language of the page separates them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import i18next from 'i18next';
import { expect, it, onTestFinished } from 'vitest';
import { formatList } from '../../../src/ui/i18n/index.ts';

it('separates names by the comma of the language', async () => {
  if (!i18next.isInitialized) await i18next.init({ lng: 'en', resources: {} });
  onTestFinished(async () => {
    await i18next.changeLanguage('en');
  });
  expect(formatList(['chat.html', 'user.json'])).toBe('chat.html, user.json');
  await i18next.changeLanguage('zh');
  expect(formatList(['chat.html', 'user.json'])).toBe('chat.html、user.json');
});

it('is what the components use', () => {
  const folder = resolve(import.meta.dirname, '../../../src/ui');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  const own = files.filter((file) => readFileSync(join(folder, file), 'utf8').includes("join(', ')"));
  expect(own).toEqual([]);
});
