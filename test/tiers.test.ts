// Which files of a run come first.
import { expect, it } from 'vitest';
import { longFirst } from './tiers.ts';

it('long files come first, and otherwise all stay in their order', () => {
  const names = ['a.test.ts', 'b.long.test.ts', 'c.test.ts', 'd.long.browser.test.tsx'];
  expect(longFirst(names.map((moduleId) => ({ moduleId }))).map(({ moduleId }) => moduleId)).toEqual([
    'b.long.test.ts',
    'd.long.browser.test.tsx',
    'a.test.ts',
    'c.test.ts',
  ]);
});
