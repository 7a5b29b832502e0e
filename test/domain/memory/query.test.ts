import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import { literalQuery, parseDay, parseSearch } from '../../../src/domain/memory/query.ts';
import { excerptOf, matchesIn, snippetOf } from '../../../src/domain/memory/snippet.ts';

const NOW = new Date(2026, 5, 15, 12).getTime();
const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).getTime();

describe('a search line', () => {
  it('is words where it names no filter', () => {
    expect(parseSearch('  how to   back up: everything ', NOW)).toEqual({
      text: 'how to back up: everything',
      filter: {},
      unknown: [],
    });
  });

  it('knows every filter', () => {
    const { text, filter, unknown } = parseSearch(
      'sourdough in:"My bread" from:me dir:~/work project:shop before:2026-05 after:2025-01-02 has:code is:pinned is:archived starter',
      NOW,
    );
    expect(text).toBe('sourdough starter');
    expect(unknown).toEqual([]);
    expect(filter).toEqual({
      titleContains: 'My bread',
      roles: ['user'],
      workDir: '~/work',
      project: 'shop',
      before: day(2026, 5, 1),
      after: day(2025, 1, 2),
      hasCode: true,
      pinned: true,
      archived: true,
    });
  });

  it('is tolerant: several roles, negation, curly quotes, full-width colons, an open quote', () => {
    expect(parseSearch('from:me from:model', NOW).filter.roles).toEqual(['user', 'assistant']);
    expect(parseSearch('-from:tool', NOW).filter.roles).toEqual(['user', 'assistant']);
    expect(parseSearch('-is:archived -has:code', NOW).filter).toEqual({ archived: false, hasCode: false });
    expect(parseSearch('in：“面包” 酵母', NOW)).toMatchObject({
      text: '酵母',
      filter: { titleContains: '面包' },
    });
    expect(parseSearch('in:"half open', NOW).filter.titleContains).toBe('half open');
  });

  it('searches what it does not understand as words, and says so', () => {
    expect(parseSearch('from:nobody before:soon re: plan', NOW)).toEqual({
      text: 'from:nobody before:soon re: plan',
      filter: {},
      unknown: ['from:nobody', 'before:soon'],
    });
  });

  it('reads days as people write them', () => {
    expect(parseDay('2026', NOW)).toBe(day(2026, 1, 1));
    expect(parseDay('2026/5/2', NOW)).toBe(day(2026, 5, 2));
    expect(parseDay('2026年5月2日', NOW)).toBe(day(2026, 5, 2));
    expect(parseDay('yesterday', NOW)).toBe(day(2026, 6, 14));
    expect(parseDay('今天', NOW)).toBe(day(2026, 6, 15));
    expect(parseDay('7d', NOW)).toBe(NOW - 7 * 86_400_000);
    expect(parseDay('2026-13-01', NOW)).toBeUndefined();
    expect(parseDay('2024-02-29', NOW)).toBe(day(2024, 2, 29));
    for (const none of ['2026-02-30', '2026-02-29', '2026年4月31日', '2026-00-10', '2026-05-00'])
      expect([none, parseDay(none, NOW)]).toEqual([none, undefined]);
    expect(parseSearch('after:2026-02-30 bread', NOW)).toMatchObject({
      filter: {},
      unknown: ['after:2026-02-30'],
    });
    expect(parseDay('soon', NOW)).toBeUndefined();
  });

  it('reads the usual forms of both languages, and words for days', () => {
    const wanted: readonly (readonly [number, readonly string[]])[] = [
      [day(2026, 5, 23), ['23.5.2026', '23.05.2026', '23/5/2026', '5/23/2026', '2026.5.23', '2026年5月23号']],
      [day(2026, 5, 23), ['5月23日', '23 May', 'May 23', 'May 23, 2026', '五月二十三日']],
      // The latest by today.
      [day(2025, 11, 23), ['11月23日', 'Nov 23']],
      [day(2026, 3, 1), ['March', '2026年3月', 'Mar 2026', '3月']],
      [day(2026, 6, 8), ['last week', '上周', '上周一']],
      [day(2025, 1, 1), ['去年', 'last year', '2025年']],
      [NOW - 14 * 86_400_000, ['14d', '14 days ago', '14天前', '2 weeks ago', '2周前', '2个星期前']],
    ];
    for (const [at, forms] of wanted)
      for (const form of forms) expect([form, parseDay(form, NOW)]).toEqual([form, at]);
    // One day to some and another to others, no day, or so rough that a filter would leave out what is meant.
    for (const none of [
      '5/6/2026',
      '32.5.2026',
      '30.2.2026',
      '23.13.2026',
      'abc',
      '1',
      'a few weeks ago',
      '前几天',
    ])
      expect([none, parseDay(none, NOW)]).toEqual([none, undefined]);
  });

  it('looks for what has no search words letter by letter', () => {
    const asIs: readonly (readonly [string, string | null])[] = [
      ['备', '备'],
      [' の ', 'の'],
      ['🚀', '🚀'],
      ['❤️', '❤'],
      ['👩‍🚀', '👩‍🚀'],
      ['=>', '=>'],
      ['备份', null],
      ['a', null],
      ['7', null],
      ['🚀 launch', null],
      ['', null],
    ];
    for (const [text, held] of asIs) expect([text, literalQuery(text)]).toEqual([text, held]);
  });

  it('never throws', () => {
    const bit = fc.constantFrom(
      'in:',
      '"',
      'from:',
      '-',
      'before:',
      '2026',
      ' ',
      'x',
      '：',
      '“',
      'is:',
      'has:code',
    );
    fc.assert(
      fc.property(
        fc.array(bit, { maxLength: 12 }),
        (bits) => typeof parseSearch(bits.join(''), NOW).text === 'string',
      ),
    );
  });
});

describe('a snippet', () => {
  it('shows the place where the words are, in English and in Chinese', () => {
    const text = `${'lorem ipsum '.repeat(80)}the pottery class was great ${'dolor sit '.repeat(80)}`;
    expect(snippetOf(text, 'pottery classes')).toContain('the pottery class was great');
    const han = `${'今天天气很好。'.repeat(60)}我们每天凌晨备份数据库。${'今天天气很好。'.repeat(60)}`;
    expect(snippetOf(han, '什么时候备份数据库？')).toContain('备份数据库');
    expect(matchesIn('Backups run nightly', 'backup').map(({ start, end }) => [start, end])).toEqual([
      [0, 7],
    ]);
  });

  it('prefers the place that holds more of the words', () => {
    const text = `one key here ${'filler '.repeat(100)} the key of the cellar door ${'filler '.repeat(100)}`;
    expect(snippetOf(text, 'cellar key')).toContain('cellar');
  });

  it('is at most as wide as asked, one line, with whole characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 900 }),
        fc.string({ maxLength: 20 }),
        (text, query) => {
          const snippet = snippetOf(text, query);
          expect(snippet.length).toBeLessThanOrEqual(240);
          expect(snippet).not.toMatch(/\n/);
          expect(snippet.isWellFormed()).toBe(text.isWellFormed());
        },
      ),
    );
  });

  it('cuts a passage to its share and keeps the matching stretch', () => {
    const text = `${'Nothing of interest is said here. '.repeat(40)}The cellar key hangs behind the clock. ${'More words follow. '.repeat(40)}`;
    const cut = excerptOf(text, 'where is the cellar key', 60);
    expect(cut).toContain('cellar key');
    expect(estimateTokens(cut)).toBeLessThanOrEqual(61);
    expect(excerptOf('short', 'x', 60)).toBe('short');
  });
});
