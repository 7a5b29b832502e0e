import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datesIn, type TimeSpan } from '../../../src/domain/text/dates.ts';

const DAY = 86_400_000;
const at = (text: string): Date => {
  const [year, month, day] = text.split('-').map(Number);
  return new Date(year as number, (month as number) - 1, day as number, 12);
};
const holds = (spans: readonly TimeSpan[] | null, when: Date): boolean =>
  spans?.some(({ from, to }) => from <= when.getTime() && to > when.getTime()) ?? false;
/** The days that are meant, without what is added on both sides; null where none are. */
const meant = (question: string, today = '2026-11-22'): string | null => {
  const iso = (time: number) => {
    const date = new Date(time);
    return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
  };
  const spans = datesIn(question, at(today).getTime());
  return (
    spans
      ?.map(({ from, to }) => {
        const [first, last] = [iso(from + DAY / 2 + 7_200_000), iso(to - DAY - DAY / 2)];
        return first === last ? first : `${first}..${last}`;
      })
      .join(' ') ?? null
  );
};

describe('dates in a question', () => {
  it.each([
    ['what did I say on 2 May?', '2026-5-2'],
    ['what did I say on December 24th', '2025-12-24'],
    ['the trip of 2024-03-09', '2024-03-09'],
    ['5月2号说了什么', '2026-5-2'],
    ['2025年11月的计划', '2025-11-20'],
    ['what happened last spring', '2026-4-10'],
    ['去年冬天', '2025-12-30'],
    ['what did we decide yesterday', '2026-6-16'],
    ['昨天说的', '2026-6-16'],
    ['the talk two weeks ago', '2026-6-3'],
    ['三天前', '2026-6-14'],
    ['last week', '2026-6-10'],
    ['上周三', '2026-6-10'],
    ['上个月', '2026-5-15'],
    ['last year', '2025-2-1'],
    ['in 2023', '2023-8-8'],
  ])('reads %s', (question, day) => {
    const spans = datesIn(question, at('2026-6-17').getTime());
    const when = at(day);
    expect(holds(spans, when)).toBe(true);
    when.setFullYear(when.getFullYear() - 2);
    expect(holds(spans, when)).toBe(false);
  });

  it('reads none where there is none', () => {
    for (const text of [
      '',
      'may I ask you something',
      'version 2.3 of the app',
      '一个月饼',
      '这个月饼',
      '以前天气很好',
      '一百二十天前',
      'a hundred and two days ago',
      '下周三',
      '每周三',
      '一周三次',
      'every Wednesday',
      'next Friday',
      '晚上月亮很圆',
      '几十天前',
      'two thousand and one days ago',
      'I think this may help with login',
      'is this march towards TLS worth it',
      'how long this sat in the queue',
      'too much of this sun',
    ])
      expect([text, meant(text)]).toEqual([text, null]);
  });

  // The day of asking is Sunday, 22 November 2026, where none is said.
  it.each([
    ['十五天前', '2026-11-6..2026-11-8'],
    ['二十天前说的', '2026-11-1..2026-11-3'],
    ['两三天前', '2026-11-17..2026-11-21'],
    ['twelve days ago', '2026-11-9..2026-11-11'],
    ['twenty-one days ago', '2026-10-31..2026-11-2'],
    ['上上周', '2026-11-2..2026-11-8'],
    ['上上个月', '2026-9-1..2026-9-30'],
    ['上上周三', '2026-11-4'],
    ['the week before last', '2026-11-2..2026-11-8'],
    ['the month before last', '2026-9-1..2026-9-30'],
    ['大前天', '2026-11-19'],
    ['前天', '2026-11-20'],
    ['大前年', '2023-1-1..2023-12-31'],
    ['去年5月2号', '2025-5-2'],
    ['去年的五月二号', '2025-5-2'],
    ['5月2号', '2026-5-2'],
    ['十二月二十四号', '2025-12-24'],
    ['May 2 last year', '2025-5-2'],
    ['2 May last year', '2025-5-2'],
    ['last year on 2 May', '2025-5-2'],
    ['last year in May', '2025-5-1..2025-5-31'],
    ['in May last year', '2025-5-1..2025-5-31'],
    ["last year's May", '2025-5-1..2025-5-31'],
    ['去年五月', '2025-5-1..2025-5-31'],
    ['去年的春天', '2025-3-1..2025-5-31'],
    ['the spring of last year', '2025-3-1..2025-5-31'],
    ['last November', '2025-11-1..2025-11-30'],
    ['in November', '2026-11-1..2026-11-30'],
    ['last May', '2026-5-1..2026-5-31'],
    ['last Friday', '2026-11-20'],
    ['last Sunday', '2026-11-15'],
    ['last week on Friday', '2026-11-13'],
    ['上周五', '2026-11-13'],
    ['本周三', '2026-11-18'],
    ['这个星期三', '2026-11-18'],
    ['周三', '2026-11-18'],
    ['this Wednesday', '2026-11-18'],
    ['this wed', '2026-11-18'],
    ['this Saturday', '2026-11-21'],
    ['this May', '2026-5-1..2026-5-31'],
    ['this may 2025', '2025-5-1..2025-5-31'],
    ['this november', '2026-11-1..2026-11-30'],
    ['since may', '2026-5-1..2026-5-31'],
    ['what was it on Wednesday?', '2026-11-18'],
    ['on Friday, 13 November', '2026-11-13'],
    ['11月13号（周五）', '2026-11-13'],
    ['两个礼拜前', '2026-11-4..2026-11-12'],
    ['前几天', '2026-11-17..2026-11-21'],
    ['in the last two weeks', '2026-11-8..2026-11-22'],
    ['最近两周', '2026-11-8..2026-11-22'],
    ['2月29日', '2024-2-29'],
    ['2月30号', null],
    ['30 February', null],
    ['2024年13月', null],
  ])('means by %s %s', (question, days) => {
    expect(meant(question)).toBe(days);
  });

  it.each([
    ['last spring', '2026-4-10', '2025-3-1..2025-5-31'],
    ['last summer', '2026-7-10', '2025-6-1..2025-8-31'],
    ['last summer', '2026-10-1', '2026-6-1..2026-8-31'],
    ['this summer', '2026-7-10', '2026-6-1..2026-8-31'],
    ['last winter', '2027-1-10', '2025-12-1..2026-2-28'],
  ])('means by %s, asked on %s, %s', (question, today, days) => {
    expect(meant(question, today)).toBe(days);
  });

  it('is blurred as people are where it is long ago', () => {
    const now = at('2026-11-22').getTime();
    const read = (question: string, day: string) => holds(datesIn(question, now), at(day));
    for (const half of ['half a year ago', '半年前']) {
      expect(read(half, '2026-5-22')).toBe(true);
      expect(read(half, '2025-11-22')).toBe(false);
      expect(read(half, '2026-10-1')).toBe(false);
    }
    expect(read('十二年前', '2014-11-22')).toBe(true);
    expect(read('十二年前', '2024-11-22')).toBe(false);
  });

  const HAN = '零一二三四五六七八九';
  const han = (n: number): string =>
    n < 10
      ? (HAN[n] as string)
      : `${n < 20 ? '' : HAN[Math.floor(n / 10)]}十${n % 10 === 0 ? '' : HAN[n % 10]}`;
  const today = fc.date({ min: new Date(2020, 0, 1), max: new Date(2035, 0, 1), noInvalidDate: true });
  const back = (now: Date, days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days, 12);
  const widest = (spans: readonly TimeSpan[] | null) =>
    Math.max(0, ...(spans ?? []).map(({ from, to }) => (to - from) / DAY));

  it('reads a day back from every form it is written in', () => {
    fc.assert(
      fc.property(today, fc.integer({ min: 0, max: 1_000 }), (now, ago) => {
        const when = back(now, ago);
        const [y, m, d] = [when.getFullYear(), when.getMonth(), when.getDate()];
        const name = when.toLocaleString('en', { month: 'long' });
        const forms = [
          `${y}-${m + 1}-${d}`,
          `${y}/${String(m + 1).padStart(2, '0')}/${d}`,
          `${y}年${m + 1}月${d}日`,
          `${y}年${han(m + 1)}月${han(d)}号`,
          `${name} ${d}, ${y}`,
          `on ${d} ${name} ${y}`,
          `the ${d}th of ${name.slice(0, 3)} ${y}`,
        ];
        const years = now.getFullYear() - y;
        const [words, signs] = [
          ['this year', 'last year', 'the year before last'][years],
          ['今年', '去年', '前年', '大前年'][years],
        ];
        if (words) forms.push(`${name} ${d} ${words}`, `${d} ${name} ${words}`);
        if (signs) forms.push(`${signs}${m + 1}月${d}号`, `${signs}的${han(m + 1)}月${han(d)}日`);
        if (ago < 365)
          forms.push(`${name} ${d}`, `${d} ${name}`, `${m + 1}月${d}日`, `${han(m + 1)}月${han(d)}号`);
        for (const form of forms) {
          const spans = datesIn(`what was said ${form}?`, now.getTime());
          expect([form, spans?.length, holds(spans, when)]).toEqual([form, 1, true]);
          expect(widest(spans)).toBeLessThan(3);
        }
      }),
    );
  });

  it('counts back from 1 to 99 in every unit', () => {
    const units = fc.constantFrom(
      ['天', 'days', 1],
      ['周', 'weeks', 7],
      ['个礼拜', 'weeks', 7],
      ['个月', 'months', 30.4],
      ['年', 'years', 365.25],
    );
    fc.assert(
      fc.property(today, fc.integer({ min: 1, max: 99 }), units, (now, count, [sign, word, length]) => {
        const when = back(now, Math.round(count * (length as number)));
        for (const form of [
          `${count}${sign}前`,
          `${han(count)}${sign}前`,
          `${han(count)}${sign}以前`,
          `${count} ${word} ago`,
        ]) {
          const spans = datesIn(form, now.getTime());
          expect([form, spans?.length, holds(spans, when)]).toEqual([form, 1, true]);
          expect(widest(spans)).toBeLessThan((length as number) * 1.2 + 5);
        }
      }),
    );
  });

  it('never throws, and ends', () => {
    const bit = fc.constantFrom(
      '上',
      '前',
      '大',
      '周',
      '三',
      '十',
      '月',
      '年',
      '天',
      ' ',
      '2',
      'May',
      'last ',
      'year ',
      'ago',
      'of ',
      '号',
    );
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 40 }), (bits) => {
        const spans = datesIn(bits.join(''), at('2026-11-22').getTime());
        for (const { from, to } of spans ?? []) expect(to).toBeGreaterThan(from);
      }),
    );
  });

  it('is quick on hostile input', () => {
    const before = process.cpuUsage();
    const wide = ' '.repeat(950);
    for (const text of [
      '上'.repeat(2_000),
      '十'.repeat(2_000),
      ' '.repeat(2_000),
      '2 '.repeat(1_000),
      'May '.repeat(500),
      'last year '.repeat(200),
      `last year,${wide}in${wide}`,
      `May 2,${wide}of${wide}`,
      `a${wide}couple${wide}of`,
    ])
      datesIn(text, at('2026-11-22').getTime());
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
