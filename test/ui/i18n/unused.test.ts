// Words that nothing says any more: each key of the catalogues stands in the code, whole or as a template makes it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const ENGLISH = join(ROOT, 'src/ui/i18n/en');
/** Looked up by a problem's code and a command's name, which other tests hold against all there are. */
const BY_CODE = ['commands.ts', 'problems.ts'];

interface Words {
  readonly [key: string]: string | Words;
}
const keysOf = (words: Words, path = ''): string[] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${path}${key}`] : keysOf(value, `${path}${key}.`),
  );

/** Texts in quotation marks, and templates as patterns. A namespace before a key is left out. */
function saidIn(code: string): { texts: string[]; templates: RegExp[] } {
  const bare = (text: string) => text.replace(/^\w+:/, '');
  const texts = [...code.matchAll(/'([^'\\\n]*)'|"([^"\\\n]*)"/g)].map((found) =>
    bare(found[1] ?? found[2] ?? ''),
  );
  const templates = [...code.matchAll(/`([^`\\]+)`/g)]
    .map(([, text = '']) => bare(text).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '*'))
    .filter((text) => /^[\w.*-]+$/.test(text) && /\w{2}/.test(text))
    .map((text) => new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('*', '.+')}$`));
  return { texts, templates };
}

it('has no words that nothing says', async () => {
  const code = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\/i18n\/(?:en|zh)\//.test(file))
    // It writes the first words into the page.
    .concat('vite.config.ts')
    .map((file) => saidIn(readFileSync(join(ROOT, file), 'utf8')));
  const texts = new Set(code.flatMap((file) => file.texts));
  const templates = code.flatMap((file) => file.templates);
  const isSaid = (key: string): boolean => texts.has(key) || templates.some((template) => template.test(key));
  const unsaid: string[] = [];
  for (const file of readdirSync(ENGLISH).filter((name) => !BY_CODE.includes(name))) {
    const [words = {}] = Object.values((await import(join(ENGLISH, file))) as Record<string, Words>);
    for (const key of keysOf(words)) {
      const plain = key.replace(/_(?:one|other)$/, '');
      // A context (`_temporary`) is added by the library.
      if (![key, plain, plain.replace(/_[\w-]+$/, '')].some(isSaid)) unsaid.push(`${file} ${key}`);
    }
  }
  expect(unsaid, 'take the words out of both languages').toEqual([]);
});
