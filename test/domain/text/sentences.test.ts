// What a text is written in.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cjkShare, hanShare, squeezed } from '../../../src/domain/text/sentences.ts';

it('counts Han, kana and Hangul among the letters of any text', () => {
  const asPatternsDo = (text: string) => {
    const letters = text.match(/\p{L}/gu) ?? [];
    const cjk = letters.filter((one) =>
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(one),
    );
    return letters.length === 0 ? 0 : cjk.length / letters.length;
  };
  const signs = fc.constantFrom(
    'a',
    'É',
    '7',
    ' ',
    '。',
    '备',
    'の',
    '한',
    '々',
    '𠀋',
    '𝒜',
    '🙂',
    '\ud840',
    'я',
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: signs }), fc.string({ unit: 'binary' })), (text) => {
      expect(cjkShare(text)).toBeCloseTo(asPatternsDo(text), 12);
    }),
    { numRuns: 500 },
  );
  expect(cjkShare('备份 at night')).toBeCloseTo(2 / 9);
  expect([cjkShare, hanShare].map((share) => share('한국어 备份'))).toEqual([1, 0.4]);
});

it('takes two wordings for one that differ in punctuation, and no two that differ in what they say', () => {
  expect(squeezed('  The **key**, please! ')).toBe(squeezed('the key – please'));
  expect(squeezed('早上 7:30。')).toBe(squeezed('早上7：30').replace('早上7', '早上 7'));
  for (const [one, other] of [
    ['it must be -5 degrees', 'it must be 5 degrees'],
    ['मेरा बेटा स्कूल जाता है', 'मेरी बेटी स्कूल जाती है'],
    ['C++', 'C#'],
    ['👍', '🎉🎉'],
    ['it costs $5', 'it costs €5'],
  ] as const)
    expect(squeezed(one)).not.toBe(squeezed(other));
  expect(squeezed('sub-5 and well-known')).toBe('sub 5 and well known');
});
