// What a text is written in.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cjkShare } from '../../../src/domain/memory/sentences.ts';

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
      expect(cjkShare(text)).toBe(asPatternsDo(text));
    }),
    { numRuns: 500 },
  );
  expect(cjkShare('备份 at night')).toBeCloseTo(2 / 9);
});
