// The grammars that colour code.
import { afterEach, expect, it, vi } from 'vitest';
import { createHighlighter } from '../../../src/ui/chat/languages.ts';

afterEach(() => vi.restoreAllMocks());

it('asks again for a grammar that could not be loaded', async () => {
  let asked = 0;
  const late = async () => {
    asked += 1;
    if (asked === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return await import('shiki/langs/diff.mjs');
  };
  const highlighter = await createHighlighter({ themes: ['github-dark'], langs: [late] });
  expect(highlighter.getLoadedLanguages()).toContain('diff');
  expect(asked).toBe(2);
});

it('colours a whole line, also where a busy machine takes a second for the patterns of its language', async () => {
  const highlighter = await createHighlighter({ themes: ['github-dark'], langs: ['typescript'] });
  const start = Date.now();
  let looks = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => start + (looks++ === 0 ? 0 : 1_000));
  const { tokens } = highlighter.codeToTokens('const area = Math.PI * radius ** 2;', {
    lang: 'typescript',
    theme: 'github-dark',
  });
  expect(looks).toBeGreaterThan(1);
  expect(new Set(tokens.flat().map(({ color }) => color)).size).toBeGreaterThan(1);
});
