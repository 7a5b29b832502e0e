// Reads the times that a question mentions, in English and Chinese, as spans: "last spring", "on 2 May", "two weeks
// ago", "5月2号", "上周三". Ranking uses them as a hint, never as a filter, so a misreading costs no answer; `--scope` of
// /recall takes only a time as a whole. Days are those of this device's time zone.
import { CHINESE_COUNT, COUNT, countOf, isVague } from './numbers.ts';
import { DAY, DAY_OF_MONTH, HAN_DAY, HAN_MONTH, inFigures, MONTH, readDate } from './written-dates.ts';

export interface TimeSpan {
  /** ms since 1970; `to` is excluded. */
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
/** Most spans read from one question. */
const MOST = 4;
/** Replaces a stretch that was read already; a private-use character, which people do not type. */
const TAKEN = '\uE000';

// --------------------------------------------------------------------------------------------------------------- names
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY = '(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?';
const weekdayOf = (name: string): number => WEEKDAYS.indexOf(name.slice(0, 3).toLowerCase());
/** A weekday in Chinese; not the beginning of a count, as in 上周三天 or 周三次. */
const HAN_WEEKDAY = '(?:周|星期|礼拜)([一二三四五六日天])(?![天个次回遍])';
const hanWeekdayOf = (name: string): number => '日一二三四五六'.indexOf(name === '天' ? '日' : name);
const SEASON = '(?<season>spring|summer|autumn|fall|winter)';
const SEASONS: Readonly<Record<string, number>> = {
  spring: 2,
  summer: 5,
  autumn: 8,
  fall: 8,
  winter: 11,
  春: 2,
  夏: 5,
  秋: 8,
  冬: 11,
};
/** 上 in the sense of "the one before", repeated for earlier ones; not the one in 晚上 or 马上. */
const BEFORE = '(?<![早晚马网路线身上])(上{1,4})个?';

/**
 * A year by its number or relative to today; `IN_YEAR` follows a date, `OF_YEAR` precedes
 * it, `HAN_YEAR` precedes a Chinese one.
 */
const YEAR = String.raw`(?:19|20)\d{2}\b|last\s+year|this\s+year|(?:the\s+)?year\s+before\s+last`;
const IN_YEAR = String.raw`(?:,?\s+(?:(?:of|in)\s+)?(?<year>${YEAR}))?`;
const OF_YEAR = String.raw`(?:\b(?<before>${YEAR})(?:['’]s|,)?\s+(?:(?:in|on|during|early|late|mid)[\s-]+)?(?:the\s+)?)?`;
const HAN_YEAR = '(?:(?<year>大?前年|去年|今年|(?<!\\d)(?:19|20)\\d{2}\\s?年)的?\\s?)?';
function yearOf(text: string | undefined, today: Date): number | undefined {
  if (text === undefined) return undefined;
  const written = /\d{4}/.exec(text);
  if (written) return Number(written[0]);
  const back = /大前年/.test(text) ? 3 : /前年|before/i.test(text) ? 2 : /去年|last/i.test(text) ? 1 : 0;
  return today.getFullYear() - back;
}

// --------------------------------------------------------------------------------------------------------------- spans
const time = (year: number, month = 0, day = 1): number => new Date(year, month, day).getTime();

/** Span of a day; null for a day that does not exist. */
function day(year: number, month: number, date: number): TimeSpan | null {
  const at = new Date(year, month, date);
  if (month < 0 || month > 11 || at.getMonth() !== month || at.getDate() !== date) return null;
  return { from: at.getTime(), to: time(year, month, date + 1) };
}
/** Most years between two occurrences of one date: 29 February. */
const LEAP = 8;
/** Span of this date in `year`; without a year, its latest occurrence up to today. */
function dayIn(year: number | undefined, today: Date, month: number, date: number): TimeSpan | null {
  if (year !== undefined) return day(year, month, date);
  for (let back = 0; back <= LEAP; back++) {
    const span = day(today.getFullYear() - back, month, date);
    if (span && span.from <= today.getTime()) return span;
  }
  return null;
}
/** Span of `count` months in `year`; without a year, the latest ones that had begun by today, or (`over`) had ended. */
function monthsIn(
  year: number | undefined,
  today: Date,
  at: number,
  count: number,
  over = false,
): TimeSpan | null {
  if (!(at >= 0 && at < 12)) return null;
  const span = (of: number): TimeSpan => ({ from: time(of, at), to: time(of, at + count) });
  if (year !== undefined) return span(year);
  let latest = span(today.getFullYear());
  for (let back = 1; (over ? latest.to : latest.from) > today.getTime(); back++)
    latest = span(today.getFullYear() - back);
  return latest;
}
const month = (today: Date, ago: number): TimeSpan => ({
  from: time(today.getFullYear(), today.getMonth() - ago),
  to: time(today.getFullYear(), today.getMonth() - ago + 1),
});
const year = (at: number): TimeSpan => ({ from: time(at), to: time(at + 1) });
/** Span of `count` days that begins `back` days before today. */
const days = (today: Date, back: number, count = 1): TimeSpan => {
  const from = time(today.getFullYear(), today.getMonth(), today.getDate() - back);
  const at = new Date(from);
  return { from, to: time(at.getFullYear(), at.getMonth(), at.getDate() + count) };
};
/** Span of the week, from Monday on, so many weeks ago. */
const week = (today: Date, ago: number): TimeSpan => days(today, ((today.getDay() + 6) % 7) + 7 * ago, 7);
/** Span from Friday to Monday around the end of the week so many weeks ago. */
const weekend = (today: Date, ago: number): TimeSpan =>
  days(today, ((today.getDay() + 6) % 7) + 7 * ago - 4, 4);
const weekday = (today: Date, wanted: number, ago: number): TimeSpan =>
  days(today, ((today.getDay() + 6) % 7) + 7 * ago - ((wanted + 6) % 7));
/** Latest such weekday; `beforeToday` leaves today out. */
const latest = (today: Date, wanted: number, beforeToday: boolean): TimeSpan =>
  days(today, beforeToday ? ((today.getDay() - wanted + 6) % 7) + 1 : (today.getDay() - wanted + 7) % 7);

/** Days of a unit, and the tolerance in days on each side when people name it. */
const UNITS = { day: [1, 1], week: [7, 4], month: [30.4, 16], year: [365.25, 120] } as const;
const unitOf = (text: string): readonly [length: number, blur: number] =>
  UNITS[
    /day|[天日]/i.test(text)
      ? 'day'
      : /week|周|星期|礼拜/i.test(text)
        ? 'week'
        : /month|月/i.test(text)
          ? 'month'
          : 'year'
  ];

/** Span so long ago, with the tolerance that people have when they say it. */
function ago(today: Date, count: string, unit: string): TimeSpan | null {
  const number = countOf(count);
  if (!(number > 0)) return null;
  const [length, blur] = unitOf(unit);
  const middle = Math.round(number * length);
  const isExact = length === 1 && Number.isInteger(number) && number <= 3;
  const around = isVague(count) ? 0.6 * middle : isExact ? 0 : blur * Math.min(1, number);
  return days(today, middle + Math.round(around), 2 * Math.round(around) + 1);
}
/** Span from so long ago until today. */
function since(today: Date, count: string, unit: string): TimeSpan | null {
  const number = countOf(count) * (isVague(count) ? 2 : 1);
  if (!(number > 0)) return null;
  const back = Math.round(number * unitOf(unit)[0]);
  return days(today, back, back + 1);
}

// ------------------------------------------------------------------------------------------------------------ patterns
/** Turns a pattern's match into a span; null: the stretch means no time and is not read any further. */
type Reader = (match: RegExpExecArray, today: Date) => TimeSpan | null;

/**
 * Span of the date that is named, a day or a month; its year may be relative to today. After "last", the month is over.
 */
const readDateSpan: Reader = ({ groups }, today) => {
  const { month, day } = readDate(groups);
  const year = yearOf(groups?.year ?? groups?.before, today);
  return day === undefined
    ? monthsIn(year, today, month - 1, 1, groups?.which?.toLowerCase() === 'last')
    : dayIn(year, today, month - 1, day);
};
const readSeason: Reader = ({ groups }, today) =>
  monthsIn(
    yearOf(groups?.year, today),
    today,
    SEASONS[(groups?.season ?? '').toLowerCase()] ?? Number.NaN,
    3,
    groups?.which?.toLowerCase() === 'last',
  );

const HAN_UNIT = '(天|日|周|个?(?:星期|礼拜)|个月|年)';
const like = (pattern: string): RegExp => new RegExp(pattern, 'iu');

const PATTERNS: readonly (readonly [RegExp, Reader])[] = [
  // A day
  [like(String.raw`${inFigures(String.raw`\s?`)}\s?[日号號]?`), readDateSpan],
  [like(String.raw`${OF_YEAR}\b${MONTH}\.?\s+(?:the\s+)?${DAY}(?!\d)${IN_YEAR}`), readDateSpan],
  [like(`${OF_YEAR}${DAY_OF_MONTH}${IN_YEAR}`), readDateSpan],
  [like(String.raw`${HAN_YEAR}${HAN_MONTH}\s?${HAN_DAY}`), readDateSpan],
  // A month
  [like(String.raw`\b${MONTH}\.?,?\s+(?:(?:of|in)\s+)?(?<year>${YEAR})`), readDateSpan],
  [
    like(String.raw`\b(?<year>${YEAR})(?:['’]s\s+|,?\s+(?:in|during|around|early|late|mid)[\s-]+)${MONTH}\b`),
    readDateSpan,
  ],
  [
    like(String.raw`\b(?<which>in|last|this|since|during|early|late|mid|of|until|by|around)[- ]${MONTH}\b`),
    (match, today) =>
      // As months these words have a capital: "I think this may help", "this march towards it".
      /^this$/i.test(match.groups?.which ?? '') && /^(?:may|march)$/.test(match.groups?.month ?? '')
        ? null
        : readDateSpan(match, today),
  ],
  [like(String.raw`${HAN_YEAR}${HAN_MONTH}(?:份|底|初|中)?(?![\d饼亮球])`), readDateSpan],
  // A season
  [
    like(String.raw`\b(?<year>${YEAR})(?:['’]s|,)?\s+(?:(?:in|during)\s+)?(?:the\s+)?${SEASON}\b`),
    readSeason,
  ],
  [like(String.raw`\b(?:(?<which>last|this|past)\s+)?${SEASON}\b${IN_YEAR}`), readSeason],
  [like(`${HAN_YEAR}(?<season>[春夏秋冬])[天季]`), readSeason],
  // So long ago, or since then
  [
    like(String.raw`${COUNT}\s+(days?|weeks?|months?|years?)\s+(?:ago|back|earlier)\b`),
    ([, count = '', unit = ''], today) => ago(today, count, unit),
  ],
  [
    like(String.raw`\b(?:last|past)\s+${COUNT}\s+(days?|weeks?|months?|years?)\b(?!\s+of\b)`),
    ([, count = '', unit = ''], today) => since(today, count, unit),
  ],
  [
    like(String.raw`${CHINESE_COUNT}\s?${HAN_UNIT}(?:之|以)?前`),
    ([, count = '', unit = ''], today) => ago(today, count, unit),
  ],
  [
    like(String.raw`(?:最近|过去|(?<!附)近|这)的?${CHINESE_COUNT}\s?${HAN_UNIT}(?!饼)`),
    ([, count = '', unit = ''], today) => since(today, count, unit),
  ],
  [
    like(`(?<![以之从目提当此面天日周月年期拜])前[几两些]${HAN_UNIT}`),
    ([, unit = ''], today) => ago(today, '几', unit),
  ],
  [/\bthe other day\b/iu, (_, today) => ago(today, 'a few', 'days')],
  // A day seen from today
  [/大前[天日]/u, (_, today) => days(today, 3)],
  [
    /\bday before yesterday\b|(?<![以之从目提当此面天日周月年期拜])前[天日](?!气)/iu,
    (_, today) => days(today, 2),
  ],
  [/\byesterday\b|\blast night\b|昨[天晚日夜]/iu, (_, today) => days(today, 1)],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今[天晚早日]/iu, (_, today) => days(today, 0)],
  [
    like(
      String.raw`\b${WEEKDAY}\s+(?:of\s+)?last\s+week\b|\blast\s+week(?:['’]s|,)?\s+(?:on\s+)?${WEEKDAY}\b`,
    ),
    ([, first, second = ''], today) => weekday(today, weekdayOf(first ?? second), 1),
  ],
  [like(String.raw`\blast\s+${WEEKDAY}\b`), ([, name = ''], today) => latest(today, weekdayOf(name), true)],
  // The short forms of these weekdays are words ("how long this sat there", "in this
  // sun"), so only the long forms count.
  [
    like(String.raw`\bthis\s+(?!s(?:at|un)\b)${WEEKDAY}\b`),
    ([, name = ''], today) => weekday(today, weekdayOf(name), 0),
  ],
  [
    like(`${BEFORE}${HAN_WEEKDAY}`),
    ([, before = '', name = ''], today) => weekday(today, hanWeekdayOf(name), before.length),
  ],
  [like(`[这本]个?${HAN_WEEKDAY}`), ([, name = ''], today) => weekday(today, hanWeekdayOf(name), 0)],
  // Only if no date stands beside it, since a date says more.
  [
    like(
      String.raw`(?<!\b(?:next|every|each|coming)\s|${TAKEN}[\s,(]{0,4})\b(sun|mon|tues|wednes|thurs|fri|satur)day\b(?![\s,(]{0,4}(?:the\s{1,4})?${TAKEN})`,
    ),
    ([, name = ''], today) => latest(today, weekdayOf(name), false),
  ],
  [
    like(
      String.raw`(?<![\d一二两三四五六七八九十几半每下]个?|${TAKEN}[\s,，(（]{0,4})${HAN_WEEKDAY}(?![\s,，(（]{0,4}${TAKEN})`,
    ),
    ([, name = ''], today) => latest(today, hanWeekdayOf(name), false),
  ],
  // A week, a month, a year
  [
    /\b(week|weekend|month|year)\s+before\s+last\b/iu,
    ([, unit = ''], today) =>
      ({
        week: week(today, 2),
        weekend: weekend(today, 2),
        month: month(today, 2),
        year: year(today.getFullYear() - 2),
      })[unit.toLowerCase()] ?? null,
  ],
  [/\blast weekend\b/iu, (_, today) => weekend(today, 1)],
  [like(`${BEFORE}周末`), ([, before = ''], today) => weekend(today, before.length)],
  [/\blast week\b/iu, (_, today) => week(today, 1)],
  [like(`${BEFORE}(?:周|星期|礼拜)`), ([, before = ''], today) => week(today, before.length)],
  [/\bthis week\b|[这本]个?(?:周|星期|礼拜)/iu, (_, today) => week(today, 0)],
  [/\blast month\b/iu, (_, today) => month(today, 1)],
  [like(`${BEFORE}月(?![饼亮球])`), ([, before = ''], today) => month(today, before.length)],
  [/\bthis month\b|[这本]个?月(?![饼亮球])/iu, (_, today) => month(today, 0)],
  [
    /\b(?:last|this) year\b|(?<![以之从目提当此面天日周月期拜])大?前年|[去今]年/iu,
    ([text], today) => year(yearOf(text, today) as number),
  ],
  [
    /(?:\b(?:in|during|of|since|year)\s+(20\d{2}|19\d{2})\b)|(?<!\d)(20\d{2}|19\d{2})年/iu,
    ([, a, b]) => year(Number(a ?? b)),
  ],
];

/**
 * Reads the times that a text names relative to `now` (ms since 1970), in whole days, and returns the rest of the text.
 * If two readings of a stretch compete, the more exact one wins.
 */
export function timesIn(
  text: string,
  now: number,
): { readonly spans: readonly TimeSpan[]; readonly rest: string } {
  const today = new Date(now);
  let left = text.slice(0, 2_000);
  const spans: TimeSpan[] = [];
  for (const [pattern, read] of PATTERNS)
    for (let match = pattern.exec(left); match && spans.length < MOST; match = pattern.exec(left)) {
      const span = read(match, today);
      if (span) spans.push(span);
      left = `${left.slice(0, match.index)}${TAKEN}${left.slice(match.index + match[0].length)}`;
    }
  return { spans, rest: left.replaceAll(TAKEN, ' ').trim() };
}

/**
 * Spans that a question mentions, widened on both sides: a person may have spoken of it
 * the day after, and time zones differ.
 */
export function datesIn(question: string, now: number): readonly TimeSpan[] | null {
  const { spans } = timesIn(question, now);
  return spans.length === 0
    ? null
    : spans.map(({ from, to }) => ({ from: from - DAY_MS / 2, to: to + DAY_MS }));
}
