// The filter finds private words in any spelling, and restores them as they were written.
import { expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import { findPrivate, replaceFound } from '../../../src/domain/privacy/scan.ts';
import { bareToken } from '../../../src/domain/privacy/tokens.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';

const ALL = new Set(CATEGORIES);
const find = (text: string) => findPrivate(text, ALL, defaultConfig.privacy);
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z';
it.each([
  ['full-width digits', fullWidth('13800138000')],
  [
    'a full-width number abroad',
    `${fullWidth('+86')} ${fullWidth('138')} ${fullWidth('0013')} ${fullWidth('8000')}`,
  ],
  ['full-width digits of a card', fullWidth('4539148803436467')],
  ['a full-width id', fullWidth('11010519491231002X')],
  ['a full-width key', fullWidth(KEY)],
  ['a full-width at', 'anna＠example.com'],
  ['spaces that do not break', 'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000'],
  ['narrow spaces', '4539\u202f1488\u202f0343\u202f6467'],
  ['hyphens that do not break', '123\u201145\u20116789'],
  ['dashes between digits', '4539–1488–0343–6467'],
  ['hyphens in a bank account', 'DE89-3704-0044-0532-0130-00'],
  ['dots in a bank account', 'DE89.3704.0044.0532.0130.00'],
  ['plus signs of a form in a card', '4539+1488+0343+6467'],
  ['spaces of an address in a card', '4539%201488%200343%206467'],
  ['digits of Persian in a card', '۴۵۳۹ ۱۴۸۸ ۰۳۴۳ ۶۴۶۷'],
  ['digits of Arabic in a number abroad', '+٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨'],
  ['spaces in an id', '110105 19491231 002X'],
  ['a soft hyphen in a key', `${KEY.slice(0, 14)}\u00ad${KEY.slice(14)}`],
  ['dashes that Markdown escapes in a key', KEY.replaceAll('-', '\\-')],
  ['a space of no width in a key', `${KEY.slice(0, 20)}\u200b${KEY.slice(20)}`],
])('%s', (_, words) => {
  for (const [before, after] of [
    ['Take it: ', ' and go on'],
    ['我的是 ', '，谢谢'],
  ] as const) {
    const text = before + words + after;
    const found = find(text);
    expect(found.map((one) => one.words)).toEqual([words]);
    expect(replaceFound(text, found, bareToken)).toMatch(/\[\w+\]/);
  }
});

it('a password in JSON that stands in JSON, however often it was escaped', () => {
  let text = '{"user":"mira","password":"plum tree 7"}';
  for (let round = 0; round < 4; round++) {
    const found = find(text);
    expect([text, found.map(({ words }) => words)]).toEqual([text, ['plum tree 7']]);
    expect(replaceFound(text, found, bareToken)).not.toContain('plum');
    text = JSON.stringify({ arguments: text });
  }
  expect(find('{\\"passwords\\":\\"\\", \\"n\\": 1}')).toEqual([]);
});

it('a number that is known is found in another form, and what stood beside it stays', () => {
  const known = {
    find: (text: string) =>
      [...text.matchAll(/quiet falcon/g)].map(({ index }) => ({
        from: index,
        to: index + 12,
        category: 'words' as const,
      })),
  };
  const text = 'A quiet\u00a0falcon — and 2019–2021, 3–4 times，或者（一）：好';
  expect(findPrivate(text, ALL, defaultConfig.privacy, known).map(({ words }) => words)).toEqual([
    'quiet\u00a0falcon',
  ]);
});
