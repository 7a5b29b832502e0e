// Holds README and guide to the words of the interface: a name in italics is what a person reads there,
// and so is a section of the settings.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const ENGLISH = join(ROOT, 'src/ui/i18n/en');

const textsOf = (words: unknown): string[] =>
  typeof words === 'string' ? [words] : Object.values(words as object).flatMap(textsOf);
const shown = new Set(
  (await Promise.all(readdirSync(ENGLISH).map(async (file) => textsOf(await import(`${ENGLISH}/${file}`)))))
    .flat()
    .map((text) => text.replace(/…$/, '')),
);

it.each(['README.md', 'docs/guide.md'])('%s calls things as the interface does', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8').replace(/```[\s\S]*?```|\*\*[^*]+\*\*/g, '');
  const italics = [...page.matchAll(/(?<![\w*])\*([^*\n]+(?:\n[^*\n]+)?)\*(?![\w*])/g)].flatMap(
    ([, name = '']) => name.replace(/\s+/g, ' ').split(' → '),
  );
  expect(italics.length).toBeGreaterThan(1);
  expect(italics.filter((name) => !shown.has(name.replace(/…$/, '')))).toEqual([]);
  const sections = [...page.matchAll(/Settings → ((?:[A-Z]\w+)(?: & \w+)?)/g)].map(([, name = '']) => name);
  expect(sections.length).toBeGreaterThan(2);
  expect(sections.filter((name) => !shown.has(name))).toEqual([]);
});
