import { describe, expect, it } from 'vitest';
import { asks, asksWhen, isNamed, speakerIn, tellsTime } from '../../../src/domain/memory/cues.ts';
import { datesIn } from '../../../src/domain/memory/dates.ts';

describe('hints in words', () => {
  it('tell who speaks, and whether a question names them', () => {
    expect(speakerIn('Mara: we moved')).toBe('Mara');
    expect(speakerIn('Mel B: hello')).toBe('Mel B');
    expect(speakerIn('小明：你好')).toBe('小明');
    expect(speakerIn('https://example.org')).toBeNull();
    expect(speakerIn('it is so: we moved')).toBeNull();
    expect(isNamed('Mara', 'When did mara move?')).toBe(true);
    expect(isNamed('Mara', 'the marathon')).toBe(false);
    expect(isNamed('小明', '小明什么时候搬家')).toBe(true);
  });

  it('tell a question from an answer, also behind a picture', () => {
    expect(asks('Did you go?')).toBe(true);
    expect(asks('Did you go?\n[image: a beach]')).toBe(true);
    expect(asks('去了吗？')).toBe(true);
    expect(asks('We went. Why? Because.')).toBe(false);
  });

  it('tell what is asked of time, and what speaks of it', () => {
    expect(asksWhen('When did we go?')).toBe(true);
    expect(asksWhen('我们几号去的')).toBe(true);
    expect(asksWhen('Where did we go?')).toBe(false);
    expect(tellsTime('we went last Friday')).toBe(true);
    expect(tellsTime('上周去的')).toBe(true);
    expect(tellsTime('we went there')).toBe(false);
  });
});

describe('dates in a question', () => {
  const now = new Date(2026, 5, 17, 12).getTime();
  const holds = (question: string, year: number, month: number, day: number) =>
    datesIn(question, now)?.some(
      ({ from, to }) =>
        from <= new Date(year, month - 1, day, 12).getTime() &&
        to > new Date(year, month - 1, day, 12).getTime(),
    ) ?? false;

  it.each([
    ['what did I say on 2 May?', 2026, 5, 2],
    ['what did I say on December 24th', 2025, 12, 24],
    ['the trip of 2024-03-09', 2024, 3, 9],
    ['5月2号说了什么', 2026, 5, 2],
    ['2025年11月的计划', 2025, 11, 20],
    ['what happened last spring', 2026, 4, 10],
    ['去年冬天', 2025, 12, 30],
    ['what did we decide yesterday', 2026, 6, 16],
    ['昨天说的', 2026, 6, 16],
    ['the talk two weeks ago', 2026, 6, 3],
    ['三天前', 2026, 6, 14],
    ['last week', 2026, 6, 10],
    ['上周三', 2026, 6, 10],
    ['上个月', 2026, 5, 15],
    ['last year', 2025, 2, 1],
    ['in 2023', 2023, 8, 8],
  ])('reads %s', (question, year, month, day) => {
    expect(holds(question, year, month, day)).toBe(true);
    expect(holds(question, year - 2, month, day)).toBe(false);
  });

  it('reads none where there is none', () => {
    for (const text of ['', 'may I ask you something', 'version 2.3 of the app', '一个月饼'])
      expect(datesIn(text, now)).toBeNull();
  });
});
