import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, startOf } from '../../src/domain/text/whole-characters.ts';

const FAMILY = '👩🏽‍👩🏻‍👧🏿‍👦🏾';

describe('the beginning of a text', () => {
  it.each([
    ['plain words', 'plain', 'plain'],
    ['a👍b', 'a', 'a👍'],
    [`ab${FAMILY}c`, 'ab', `ab${FAMILY}`],
    ['Zoe\u0308 x', 'Zo', 'Zoe\u0308'],
    ['x🇩🇪🇫🇷y', 'x', 'x🇩🇪'],
    ['한국어', '한', '한국'],
    ['नमस्ते', 'न', 'नम'],
  ])('%s keeps whole characters', (text, few, more) => {
    for (let most = few.length; most < more.length; most += 1) {
      const cut = startOf(text, most);
      expect(text.startsWith(cut)).toBe(true);
      expect([...new Intl.Segmenter().segment(text)].map(({ index }) => index)).toContain(cut.length);
    }
    expect(startOf(text, more.length)).toBe(more);
  });

  it('never grows, and never ends with half of a pair', () => {
    const signs = fc.constantFrom('a', '字', '👍', '\u0301', '\u200d', '🏽', '🇩', ' ');
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 300 }), fc.nat(300), (parts, most) => {
        const text = parts.join('');
        const [start, end] = [startOf(text, most), endOf(text, most)];
        expect(start.length).toBeLessThanOrEqual(most);
        expect(start.isWellFormed()).toBe(true);
        expect(end.isWellFormed()).toBe(true);
        expect(end.length).toBeGreaterThanOrEqual(Math.min(most, text.length));
      }),
    );
  });

  it('cuts a heap of marks where it must', () => {
    expect(startOf(`e${'\u0301'.repeat(500)}`, 200)).toHaveLength(200);
  });
});
