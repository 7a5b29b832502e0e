// The times a question speaks of, in English and Chinese, as spans: "last spring", "on 2 May", "two weeks ago", "5月2号", "上周三".
// A hint for ranking, never a filter: what is read wrongly costs nobody an answer. Days are those of this device's time zone.

export interface Span {
  /** ms since 1970; `to` is excluded. */
  readonly from: number;
  readonly to: number;
}

const DAY = 86_400_000;
/** Most spans that are read out of one question. */
const MOST = 4;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  'a couple of': 2,
  'a few': 3,
  several: 4,
  few: 3,
  一: 1,
  两: 2,
  二: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
  几: 3,
  半: 0.5,
};
const numberOf = (text: string): number => NUMBERS[text.toLowerCase()] ?? Number(text);
const monthOf = (text: string): number => MONTHS.indexOf(text.slice(0, 3).toLowerCase());
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
const time = (year: number, month = 0, day = 1): number => new Date(year, month, day).getTime();

/** What a pattern's match means; null: nothing after all. */
type Reader = (match: RegExpExecArray, today: Date) => Span | null;

const day = (year: number, month: number, date: number): Span | null =>
  month >= 0 && month < 12 && date >= 1 && date <= 31
    ? { from: time(year, month, date), to: time(year, month, date + 1) }
    : null;
const month = (year: number, at: number): Span => ({ from: time(year, at), to: time(year, at + 1) });
/** The latest year in which this had begun by today. */
const lately = (today: Date, at: number, date = 1): number =>
  today.getFullYear() - (time(today.getFullYear(), at, date) > today.getTime() ? 1 : 0);
const season = (year: number, at: number): Span => ({ from: time(year, at), to: time(year, at + 3) });
/** `count` days that begin `back` days before today. */
const days = (today: Date, back: number, count = 1): Span => {
  const from = time(today.getFullYear(), today.getMonth(), today.getDate() - back);
  const at = new Date(from);
  return { from, to: time(at.getFullYear(), at.getMonth(), at.getDate() + count) };
};
/** The week from Monday on, so many weeks ago. */
const week = (today: Date, ago: number): Span => days(today, ((today.getDay() + 6) % 7) + 7 * ago, 7);
const weekday = (today: Date, wanted: number, ago: number): Span =>
  days(today, ((today.getDay() + 6) % 7) + 7 * ago - ((wanted + 6) % 7));

/** A span so long ago, as blurred as people are when they say it. */
function ago(today: Date, count: number, unit: string): Span | null {
  if (!(count > 0)) return null;
  if (/^(?:day|天)/.test(unit))
    return days(today, Math.round(count) + (count > 3 ? 1 : 0), count > 3 ? 3 : 1);
  if (/^(?:week|周|个?星期)/.test(unit)) return days(today, Math.round(count * 7) + 4, 8);
  if (/^(?:month|个?月)/.test(unit)) return days(today, Math.round(count * 30.4) + 16, 32);
  return days(today, Math.round(count * 365) + 120, 240);
}

const PATTERNS: readonly (readonly [RegExp, Reader])[] = [
  [
    /(?<!\d)(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)/u,
    ([, y, m, d]) => day(Number(y), Number(m) - 1, Number(d)),
  ],
  [/(?<!\d)(\d{4})\s?年\s?(\d{1,2})\s?月/u, ([, y, m]) => month(Number(y), Number(m) - 1)],
  [
    new RegExp(`\\b${MONTH}\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s+(\\d{4}))?`, 'i'),
    ([, m = '', d, y], today) =>
      day(y ? Number(y) : lately(today, monthOf(m), Number(d)), monthOf(m), Number(d)),
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}\\b\\.?(?:,?\\s+(\\d{4}))?`, 'i'),
    ([, d, m = '', y], today) =>
      day(y ? Number(y) : lately(today, monthOf(m), Number(d)), monthOf(m), Number(d)),
  ],
  [
    new RegExp(`\\b${MONTH}\\.?,?\\s+(?:of\\s+)?(\\d{4})\\b`, 'i'),
    ([, m = '', y]) => month(Number(y), monthOf(m)),
  ],
  [
    new RegExp(`\\b(?:in|last|since|during|early|late|mid|of|until|by|around)[- ]${MONTH}\\b`, 'i'),
    ([, m = ''], today) => month(lately(today, monthOf(m)), monthOf(m)),
  ],
  [
    /(?<!\d)(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]/u,
    ([, m, d], today) => day(lately(today, Number(m) - 1, Number(d)), Number(m) - 1, Number(d)),
  ],
  [
    /(今年|去年|前年)?\s?(?<!\d)(\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份|底|初|中)?(?!\d)/u,
    ([, y, m = ''], today) => {
      const at = (/^十/.test(m) ? 10 + (numberOf(m.slice(1)) || 0) : numberOf(m)) - 1;
      if (!(at >= 0 && at < 12)) return null;
      const year = { 今年: 0, 去年: 1, 前年: 2 }[y ?? ''];
      return month(year === undefined ? lately(today, at) : today.getFullYear() - year, at);
    },
  ],
  [
    /\b(last|this|past)?\s?(spring|summer|autumn|fall|winter)\b(?:\s+(?:of\s+)?(\d{4}))?/i,
    ([, , name = '', y], today) => {
      const at = SEASONS[name.toLowerCase()] as number;
      return season(y ? Number(y) : lately(today, at), at);
    },
  ],
  [
    /(今年|去年|前年)?([春夏秋冬])(?:天|季)/u,
    ([, y, name = ''], today) => {
      const at = SEASONS[name] as number;
      const year = { 今年: 0, 去年: 1, 前年: 2 }[y ?? ''];
      return season(year === undefined ? lately(today, at) : today.getFullYear() - year, at);
    },
  ],
  [/\bday before yesterday\b|前天/iu, (_, today) => days(today, 2)],
  [/\byesterday\b|\blast night\b|昨[天晚]/iu, (_, today) => days(today, 1)],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今[天晚早]/iu, (_, today) => days(today, 0)],
  [
    /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few|several)\s+(days?|weeks?|months?|years?)\s+(?:ago|back|earlier)\b/i,
    ([, n = '', unit = ''], today) => ago(today, numberOf(n), unit.toLowerCase()),
  ],
  [
    /(\d{1,3}|[一两二三四五六七八九十几半])\s?(天|周|个?星期|个月|年)(?:之|以)?前/u,
    ([, n = '', unit = ''], today) => ago(today, numberOf(n), unit),
  ],
  [
    /\blast\s+(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?\b/i,
    ([, name = ''], today) => weekday(today, WEEKDAYS.indexOf(name.slice(0, 3).toLowerCase()), 1),
  ],
  [
    /上(?:个)?(?:周|星期|礼拜)([一二三四五六日天])/u,
    ([, name = ''], today) => weekday(today, '日一二三四五六'.indexOf(name === '天' ? '日' : name), 1),
  ],
  [/\blast weekend\b|上(?:个)?周末/iu, (_, today) => days(today, ((today.getDay() + 6) % 7) + 3, 4)],
  [/\blast week\b|上(?:个)?(?:周|星期|礼拜)/iu, (_, today) => week(today, 1)],
  [/\bthis week\b|[这本](?:个)?(?:周|星期|礼拜)/iu, (_, today) => week(today, 0)],
  [/\blast month\b|上(?:个)?月/iu, (_, today) => month(today.getFullYear(), today.getMonth() - 1)],
  [/\bthis month\b|[这本](?:个)?月/iu, (_, today) => month(today.getFullYear(), today.getMonth())],
  [
    /\blast year\b|去年/iu,
    (_, today) => ({ from: time(today.getFullYear() - 1), to: time(today.getFullYear()) }),
  ],
  [/前年/u, (_, today) => ({ from: time(today.getFullYear() - 2), to: time(today.getFullYear() - 1) })],
  [
    /\bthis year\b|今年/iu,
    (_, today) => ({ from: time(today.getFullYear()), to: time(today.getFullYear() + 1) }),
  ],
  [
    /(?:\b(?:in|during|of|since|year)\s+(20\d{2}|19\d{2})\b)|(?<!\d)(20\d{2}|19\d{2})年/iu,
    ([, a, b]) => ({ from: time(Number(a ?? b)), to: time(Number(a ?? b) + 1) }),
  ],
];

/** The spans a question speaks of, seen from `now` (ms since 1970); null where it speaks of none. The more exact reading of a stretch wins. */
export function datesIn(question: string, now: number): readonly Span[] | null {
  const today = new Date(now);
  let left = question.slice(0, 2_000);
  const spans: Span[] = [];
  for (const [pattern, read] of PATTERNS) {
    const match = pattern.exec(left);
    if (!match || spans.length >= MOST) continue;
    const span = read(match, today);
    if (!span || !(span.to > span.from)) continue;
    // Somebody may have spoken of it the day after, and time zones differ.
    spans.push({ from: span.from - DAY / 2, to: span.to + DAY });
    left = `${left.slice(0, match.index)} ${left.slice(match.index + match[0].length)}`;
  }
  return spans.length > 0 ? spans : null;
}
