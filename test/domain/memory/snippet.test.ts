// A passage is cut and marked where the index found it, however it is written there.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesIn, snippetOf } from '../../../src/domain/memory/snippet.ts';
import { folded, foldedWithOrigin } from '../../../src/domain/text/fold.ts';

const FILLER = 'Nothing of it stands in these lines about the weather. '.repeat(12);

describe('the place of a word', () => {
  it.each([
    ['cafe', 'Café'],
    ['café', 'cafe'],
    ['nodejs', 'Node.js'],
    ['Node.js', 'nodejs'],
    ['strasse', 'Straße'],
    ['1299', '1,299.00'],
    ['1.2', 'v1.2'],
    ['东京', '東京'],
    ['東京', '东京'],
    ['youtube', '用YouTube看'],
    ['snake_case', 'snake_case'],
    ['pottery', 'potteries'],
    ['한국', '한국어를'],
    ['ＦＵＬＬ', 'full'],
    ['fi', 'ﬁ'],
    ['らーめん', 'ラーメン'],
    ['コーヒー', 'コ－ヒ－'],
    ['한국', '한국어'.normalize('NFD')],
    ['1299', '1 299'],
    ['1299', '1 299,00'],
    ['1299', '１，２９９'],
    ['5551234567', '+1 (555) 123-4567'],
    ['wifi', 'Wi\u2011Fi'],
    ['cooperate', 'co\u00adoperate'],
    ['kg', '㎏'],
    ['👍🏽', '👍'],
    ['AT&T', 'AT&T'],
    ['हिंदी', 'हिन्दी'],
    ['กรุงเทพ', 'กรุงเทพฯ'],
    ['cicd', 'CI/CD'],
    ['8pm', '20:00'],
    ['aabbccddeeff', 'aa:bb:cc:dd:ee:ff'],
    ['接着', '接著'],
  ])('of %s is found at %s, and in the excerpt', (query, written) => {
    const text = `${FILLER}${written} ${FILLER}`;
    const [first] = matchesIn(text, query);
    expect(first && written.includes(text.slice(first.start, first.end))).toBe(true);
    expect(snippetOf(text, query)).toContain(written);
  });

  it('is the part of a name that was asked for, or the whole of it', () => {
    const text = 'See db-7.internal for it';
    const marked = (query: string) => matchesIn(text, query).map(({ start, end }) => text.slice(start, end));
    expect(marked('internal')).toEqual(['internal']);
    expect(marked('db7internal')).toEqual(['db-7.internal']);
  });
});

it('folded text tells where each of its characters comes from', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { folded: plain, origin } = foldedWithOrigin(text);
      expect(origin(plain.length)).toBe(text.length);
      for (let at = 1; at <= plain.length; at++) expect(origin(at)).toBeGreaterThanOrEqual(origin(at - 1));
    }),
  );
  const { folded: plain, origin } = foldedWithOrigin('Ein Café in 東京, Straße');
  expect(plain).toBe(folded('Ein Café in 東京, Straße'));
  expect(origin(plain.indexOf('东京'))).toBe('Ein Café in '.length);
});
