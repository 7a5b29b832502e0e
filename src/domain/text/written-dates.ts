// The one reader of dates as people write them, in English, Chinese, Korean, figures and some more languages: their
// months and days, and the order of these. Index and questions find a date by these words (`spellings.ts`); `dates.ts`
// adds years and days seen from today.
import { chineseNumber } from './numbers.ts';

/** Parts that a date names; months and days count from 1, and are not checked. */
interface WrittenDate {
  readonly year: number | undefined;
  readonly month: number;
  readonly day: number | undefined;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Pieces of patterns, to be put together with `i`; each sets the group that its name says, once in a pattern. */
export const MONTH =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
export const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
/** `2nd of May`. */
export const DAY_OF_MONTH = String.raw`\b${DAY}\s+(?:of\s+)?${MONTH}\b\.?`;
const CHINESE_MONTH = '十[一二]?|[一二三四五六七八九]';
const CHINESE_DAY = '[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]';
/** A month and a day in Chinese, in figures or in characters, with spaces or without. */
export const HAN_MONTH = String.raw`(?<![\d十])(?<month>\d{1,2}|${CHINESE_MONTH})\s?月`;
export const HAN_DAY = String.raw`(?<day>\d{1,2}|${CHINESE_DAY})\s?[日号號]`;
/** Year, month and day in figures; `gap` may stand before each sign. */
export const inFigures = (gap: string): string =>
  String.raw`(?<!\d)(?<year>\d{4})${gap}[-/.年]\s?(?<month>\d{1,2})${gap}[-/.月]\s?(?<day>\d{1,2})(?!\d)`;

/** Months in German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Russian, in order. */
const OTHER_NAMES = `
januar jänner janvier enero gennaio janeiro januari января
februar février febrero febbraio fevereiro februari февраля
märz mars marzo março maart марта
april avril abril aprile апреля
mai mayo maggio maio mei maj мая
juni juin junio giugno junho июня
juli juillet julio luglio julho июля
august août agosto augustus augusti августа
september septembre septiembre settembre setembro сентября
oktober octobre octubre ottobre outubro октября
november novembre noviembre ноября
dezember décembre diciembre dicembre dezembro december декабря`;
const OTHER_MONTHS: ReadonlyMap<string, number> = new Map(
  OTHER_NAMES.trim()
    .split('\n')
    .flatMap((names, at) =>
      names.split(' ').flatMap((name): [string, number][] => [
        [name, at + 1],
        [
          name
            .normalize('NFD')
            .replace(/[\u0300-\u036f]/g, '')
            .normalize('NFC'),
          at + 1,
        ],
      ]),
    ),
);
const OTHER_MONTH = `(?<month>${[...OTHER_MONTHS.keys()].join('|')})(?!\\p{L})`;

const FORMS: readonly RegExp[] = [
  new RegExp(inFigures(''), 'gu'),
  // Also without signs between, as files are named.
  /(?<![\d.,])(?<year>(?:19|20)\d{2})(?<month>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])(?![\d.,]\d|\d)/gu,
  /(?<!\d)(?<month>\d{1,2})月(?<day>\d{1,2})[日号號]/gu,
  new RegExp(
    `(?<![〇零一二三四五六七八九十])(?<month>${CHINESE_MONTH})月(?<day>${CHINESE_DAY})[日号號]`,
    'gu',
  ),
  /(?<!\d)(?<year>\d{4})年(?<month>\d{1,2})月(?!\d)/gu,
  /(?<!\d)(?<year>\d{4})년 ?(?<month>\d{1,2})월(?: ?(?<day>\d{1,2})일)?/gu,
  // With dots the day comes first, unlike with strokes, which each country reads in its own way.
  /(?<![\d.])(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>(?:19|20)\d{2})(?![.,]?\d)/gu,
  new RegExp(String.raw`\b${MONTH}\.?\s+${DAY}(?:,?\s+(?<year>\d{4}))?\b`, 'gi'),
  new RegExp(String.raw`${DAY_OF_MONTH}(?:,?\s+(?<year>\d{4}))?`, 'gi'),
  new RegExp(String.raw`\b${MONTH}\.?,?\s+(?<year>\d{4})\b`, 'gi'),
  // `3. Mai 2024`, `1er mai`, `3 de mayo de 2024`.
  new RegExp(
    String.raw`(?<![\d.,])(?<day>\d{1,2})(?:\.|er|º)?\s(?:de\s)?${OTHER_MONTH}(?:\s(?:del?\s)?(?<year>\d{4})(?!\d))?`,
    'giu',
  ),
  new RegExp(String.raw`(?<!\p{L})${OTHER_MONTH}\s(?:del?\s)?(?<year>\d{4})(?!\d)`, 'giu'),
];

/** Reads a number in figures or in Chinese. */
const numberOf = (written: string): number =>
  /^\d/.test(written) ? Number(written) : chineseNumber(written);

/**
 * Reads the groups that these pieces set: `month`, `day` and `year`, which is a number
 * only where it is written in figures.
 */
export function readDate(groups: Readonly<Partial<Record<string, string>>> = {}): WrittenDate {
  const { year, month = '', day } = groups;
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  return {
    year: year === undefined ? undefined : Number(/\d{4}/.exec(year)?.[0]),
    month: OTHER_MONTHS.get(month.toLowerCase()) ?? (named >= 0 ? named + 1 : numberOf(month)),
    day: day === undefined ? undefined : numberOf(day),
  };
}

/**
 * Reads the dates of a text that say their month, form by form. A stretch can be read
 * twice: as a day, and as a month of a year.
 */
export function* writtenDates(text: string): Generator<WrittenDate> {
  for (const form of FORMS) for (const { groups } of text.matchAll(form)) yield readDate(groups);
}
