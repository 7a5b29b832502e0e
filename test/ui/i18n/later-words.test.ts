// Words loaded after the first screen: no part of that screen uses one without waiting for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTree } from '../../house/source.ts';

const FIRST = ['src/main.tsx', 'src/ui/chat/conversation-screen.tsx'];
const catalogues = readFileSync(join(import.meta.dirname, '../../../src/ui/i18n/index.ts'), 'utf8');

it('are waited for by whatever the first screen is made of', () => {
  const [, names = ''] = /englishLater = [^;]*\{([\w,]+)\}/.exec(catalogues) ?? [];
  const later = names.split(',').join('|');
  expect(later).toMatch(/\w/);
  const says = new RegExp(`(?:useTranslation|wordsFor)\\([^)]*'(?:${later})'|['"\`](?:${later}):`);
  const files = new Map(readTree().source.map((file) => [file.path, file]));
  const reached = new Set(FIRST);
  for (const path of reached)
    for (const { file, isType } of files.get(path)?.imports ?? [])
      if (file && !isType && files.has(file)) reached.add(file);
  const saying = [...reached].filter(
    (path) => path.startsWith('src/ui/') && says.test(files.get(path)?.text ?? ''),
  );
  expect(reached.size).toBeGreaterThan(200);
  expect(saying.length).toBeGreaterThan(1);
  expect(saying.filter((path) => !files.get(path)?.text.includes('useAllWords('))).toEqual([]);
});
