// Adds one common word for things with several spellings: figures, telephone numbers, names with signs or in two words, emoji, dates, times of day.
import { addWord } from './stems.ts';

const FIGURE = /(?<![\d.,])(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,6})?|\d{1,15}\.0{1,2})(?!\d|[.,]\d)/g;

/** Turns `1,299.00` into `1299`, and `1,234.50` into `1234.5`; adds the written form to `out` as a word. */
export const plainFigures = (text: string, out: string[]): string =>
  text.replace(FIGURE, (figure) => {
    const [whole = '', decimals = ''] = figure.replaceAll(',', '').split('.');
    const rest = decimals.replace(/(?<!0)0+$/, '');
    out.push(figure.replace(/[.,]/g, 'x'));
    return rest === '' ? whole : `${whole}.${rest}`;
  });

/** Figures as most of Europe writes them: `1.299,00`, `1 299,50`, `1 299`. */
const OTHER_FIGURE = /(?<![\d.,]|\d )\d{1,3}(?:(?:[. ]\d{3}){1,4},\d{1,2}|(?: \d{3}){1,4})(?! ?\d|[.,]\d)/g;
/** Digits in groups, as in telephone numbers: `+86 138-0013-8000`, `(555) 123-4567`, `0170 1234567`. */
const GROUPS = /(?<![\d.,])\+?\(?\d{2,4}\)?(?:[ .-]\d{2,8}){1,5}(?!\d|[.,]\d)/g;
/** The zero that is dialled only within the country. */
const OWN_ZERO = /(?<=\+\d{1,3} ?)\(0\) ?/g;
/** Names that are written as one word or as two: `Node js`, `Wi Fi`, `e mail`. */
const TWO_WORDS =
  /(?<![\p{L}\p{N}'])(?:(\p{L}{2,12}) (js|fi)|([etx]) (mail|books?|commerce|shirts?|rays?))(?![\p{L}\p{N}'])/giu;
/** Languages whose names end in a sign: the letter alone says nothing. */
const SIGNED = /(?<![\p{L}\p{N}])(?:([a-z])(\+\+|#)(?![\p{L}\p{N}+#])|(\.net|cpp)(?![\p{L}\p{N}]))/giu;
const SIGNED_AS: Readonly<Record<string, string>> = {
  '++': 'plusplus',
  '#': 'sharp',
  '.net': 'dotnet',
  cpp: 'cplusplus',
};
/** Two short names joined by a sign: `AT&T`, `R&D`. */
const JOINED_NAMES = /(?<![\p{L}\p{N}])(\p{L}{1,3})&(\p{L}{1,3})(?![\p{L}\p{N}])/gu;
const EMOJI = /[\u{1f000}-\u{1f3fa}\u{1f400}-\u{1faff}\u{2600}-\u{27bf}\u{2b50}]/gu;

/** Adds words for figures, telephone numbers, names with signs or in two words, and emoji. */
function addNames(text: string, out: string[]): void {
  for (const [figure] of text.matchAll(OTHER_FIGURE)) {
    const [whole = '', decimals = ''] = figure.replace(/[. ]/g, '').split(',');
    const rest = decimals.replace(/(?<!0)0+$/, '');
    out.push(rest === '' ? whole : `${whole}x${rest}`);
  }
  for (const [groups] of text.replace(OWN_ZERO, '').matchAll(GROUPS)) {
    const digits = groups.replace(/\D/g, '');
    if (digits.length < 7 || digits.length > 15) continue;
    out.push(digits);
    const country = /^\+\d+/.exec(groups)?.[0].length ?? 0;
    if (country > 0) out.push(digits.slice(country - 1));
    else if (/^0[^0]/.test(digits)) out.push(digits.slice(1));
  }
  for (const [, name = '', tail = '', letter = '', word = ''] of text.matchAll(TWO_WORDS))
    addWord(`${name}${tail}${letter}${word}`.toLowerCase(), out);
  for (const [, letter = '', sign = '', name = ''] of text.matchAll(SIGNED))
    addWord(`${letter}${SIGNED_AS[(sign || name).toLowerCase()]}`.toLowerCase(), out);
  for (const [, one = '', other = ''] of text.matchAll(JOINED_NAMES)) out.push((one + other).toLowerCase());
  for (const [sign] of text.matchAll(EMOJI)) out.push(`emoji${sign.codePointAt(0)?.toString(16)}`);
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const MONTH = `(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')}|sept)`;
const DATES: readonly { readonly pattern: RegExp; readonly order: readonly ('y' | 'm' | 'd')[] }[] = [
  { pattern: /(?<!\d)(\d{4})[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})(?!\d)/gu, order: ['y', 'm', 'd'] },
  // Also without signs between, as files are named.
  {
    pattern: /(?<![\d.,])((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.,]\d|\d)/gu,
    order: ['y', 'm', 'd'],
  },
  { pattern: /(?<!\d)(\d{1,2})月(\d{1,2})[日号號]/gu, order: ['m', 'd'] },
  { pattern: /(?<!\d)(\d{4})年(\d{1,2})月(?!\d)/gu, order: ['y', 'm'] },
  {
    pattern: new RegExp(String.raw`\b${MONTH}\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b`, 'gi'),
    order: ['m', 'd', 'y'],
  },
  {
    pattern: new RegExp(
      String.raw`\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?${MONTH}\b\.?(?:,?\s+(\d{4}))?`,
      'gi',
    ),
    order: ['d', 'm', 'y'],
  },
  { pattern: new RegExp(String.raw`\b${MONTH}\.?,?\s+(\d{4})\b`, 'gi'), order: ['m', 'y'] },
];

/** Times of day: `14h30`, `14:30 Uhr`, `14点30`, `2:30 pm`, `下午2点半`, `3pm`. */
const CLOCK =
  /(?<![\d.:])(上午|早上|凌晨|中午|下午|晚上)?(\d{1,2})(?:(?:\s?h\s?|[点點時时]|:)(半|[0-5]\d)(?![\d:])(?:\s?([ap])\.?m\b)?|\s?([ap])\.?m\b|[点點]整?(?![\d半一二三四五]))/giu;

/** Adds the word that `14:30` gets from `addName`, for a time of day in another spelling. */
function addClocks(text: string, out: string[]): void {
  for (const [written, part = '', hours = '', past = '0', half, whole] of text.matchAll(CLOCK)) {
    const noon = (half ?? whole ?? (/下午|晚上/.test(part) ? 'p' : '')).toLowerCase();
    const said = Number(hours);
    const hour = noon === 'p' && said < 12 ? said + 12 : noon === 'a' && said === 12 ? 0 : said;
    const clock = `${hour}:${past === '半' ? '30' : past.padStart(2, '0')}`;
    if (hour < 24 && clock !== written) out.push(clock.replace(':', 'x'));
  }
}

const two = (n: number): string => String(n).padStart(2, '0');
const dayWord = (month: number, day: number): string => `day${two(month)}x${two(day)}`;
const monthWord = (year: number, month: number): string => `month${year}x${two(month)}`;

/** Adds one word for all ways to write a date: `2 May 2023`, `May 2nd`, `5月2日`, `2023-05-02` all share `day05x02`. */
function addDates(text: string, out: string[]): void {
  const dates = new Set<string>();
  for (const { pattern, order } of DATES)
    for (const match of text.matchAll(pattern)) {
      const found: Partial<Record<'y' | 'm' | 'd', number>> = {};
      order.forEach((unit, i) => {
        const value = match[i + 1];
        if (value === undefined) return;
        found[unit] = /^\d/.test(value)
          ? Number(value)
          : MONTHS.findIndex((name) => name.startsWith(value.toLowerCase().slice(0, 3))) + 1;
      });
      const { y, m, d } = found;
      if (m === undefined || m < 1 || m > 12) continue;
      if (d !== undefined && d >= 1 && d <= 31) dates.add(dayWord(m, d));
      if (y !== undefined) dates.add(monthWord(y, m));
    }
  out.push(...dates);
}

/** Words by which a message's own day is found, in this device's time zone. Empty for an unknown time. */
export function dateWords(time: number): string {
  const date = new Date(time);
  if (time <= 0 || Number.isNaN(date.getTime())) return '';
  return `${dayWord(date.getMonth() + 1, date.getDate())} ${monthWord(date.getFullYear(), date.getMonth() + 1)}`;
}

/** Adds to `out`, for each thing in a text with several spellings, the word that all spellings share. */
export function addSpellings(text: string, out: string[]): void {
  addNames(text, out);
  addDates(text, out);
  addClocks(text, out);
}
