// Adds one common word for things with several spellings: figures, telephone and account numbers, names with signs or
// in two words, emoji, dates, times of day.
import { folded } from './fold.ts';
import { chineseFigures, chineseNumber, zerosOf } from './numbers.ts';
import { partedIn } from './parted-words.ts';
import { addWord } from './stems.ts';
import { writtenDates } from './written-dates.ts';

const FIGURE = /(?<![\d.,])(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,6})?|\d{1,15}\.0{1,2})(?!\d|[.,]\d)/g;

/** Turns `1,299.00` into `1299`, and `1,234.50` into `1234.5`; adds the written form to `out` as a word. */
export const plainFigures = (text: string, out: string[]): string =>
  text.replace(FIGURE, (figure) => {
    const [whole = '', decimals = ''] = figure.replaceAll(',', '').split('.');
    const rest = decimals.replace(/(?<!0)0+$/, '');
    out.push(figure.replace(/[.,]/g, 'x'));
    return rest === '' ? whole : `${whole}.${rest}`;
  });

/**
 * Figures as other countries write them: `1.299,00`, `1 299,50`, `1.299`, `1 299`;
 * `12,34,567` in India, `1٬299` in Arabic, `1_299` in programs.
 */
const OTHER_FIGURE =
  /(?<![\d.,]|\d )\d{1,3}(?:(?:[. ]\d{3}){1,4},\d{1,2}|(?: \d{3}){1,4}|(?:_\d{3}){1,4}|(?:\.\d{3}){1,4}|(?:,\d{2}){1,4},\d{3}|(?:٬\d{3}){1,4}(?:٫\d{1,2})?)(?! ?\d|[.,]\d)/g;
/** Digits in groups, as in telephone numbers: `+86 138-0013-8000`, `(555) 123-4567`, `0170 1234567`. */
const GROUPS = /(?<![\d.,])(?:\+\d{1,3}[ .-]\d(?=[ .-])|\+?\(?\d{2,5}\)?)(?:[ .-]\d{2,8}){1,5}(?!\d|[.,]\d)/g;
/** A telephone number without spaces. */
const DIGITS = /(?<![\p{L}\d.,+_-])(?:\+\d{9,15}|\d{10,14})(?![\p{L}\d_]|[.,-]\d)/gu;
/** Digits by which a telephone number is known, with its country's number or without. */
const OWN_DIGITS = 8;
/** A telephone number for sure: with a sign of its country, brackets or a leading zero, and no date. */
const SURELY = /^(?:\+|\(|0\d)(?!\d?[.-]\d\d[.-]\d{4}$)/;
const telephoneIn = (groups: string): string | undefined => {
  const digits = groups.replace(/\D/g, '');
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined;
};

/**
 * Writes telephone numbers without the signs within them: a question asks for the whole, since a part of one is no hit.
 */
export const joinTelephones = (text: string): string =>
  text
    .replace(OWN_ZERO, '')
    .replace(GROUPS, (groups) => (SURELY.test(groups) && telephoneIn(groups)) || groups);

/** The zero that is dialled only within the country. */
const OWN_ZERO = /(?<=\+\d{1,3} ?)\(0\) ?/g;
/** Names that are written as one word or as two: `Node js`, `Wi Fi`, `e mail`. */
const TWO_WORDS =
  /(?<![\p{L}\p{N}'])(?:(\p{L}{2,12}) (js|fi)|([etx]) (mail|books?|commerce|shirts?|rays?))(?![\p{L}\p{N}'])/giu;
/** A power of ten as programs write it, without a sign or with a plus: `1e6`, `2.5E+3`. */
const SCIENTIFIC = /(?<![\p{L}\d.,_-])(\d)(?:\.(\d{1,6}))?e\+?(\d{1,2})(?![\p{L}\d_]|[.,]\d)/giu;
/** Longest figure that is written out, digits. */
const MOST_DIGITS = 15;
/** Number up to 99 before a measure word, in figures or in Chinese; 一 is mostly an article. */
const COUNTED =
  /(?<![\d.,零〇一二两兩三四五六七八九十百千万萬亿億几幾数數])(?:(\d{1,2}) ?|([二三四五六七八九]?十[一二三四五六七八九]?|[二两兩三四五六七八九]))(小[时時]|分[钟鐘]|公里|公斤|[个個]月|[台个個次天周年秒倍条條张張本只隻件块塊元页頁章节節步层層位名人份项項种種岁歲回期级級题題家间間杯瓶箱辆輛套组組轮輪届屆季遍双雙对對颗顆棵盒包集课課])/gu;
/** A long number in groups, each with a figure: of a bank account (`DE89 3704 …`), a book, a card, an order. */
const LONG_NUMBER =
  /(?<![\p{L}\d.,+-])(?:[a-z]{2}\d{2}|\d{1,7})(?:[ -](?=[a-z]{0,4}\d)[a-z\d]{1,8}){2,8}(?![\p{L}\d]|[.,-]\d)/giu;
/** Shortest such number, characters without its signs: shorter ones are telephone numbers and figures. */
const SHORTEST_LONG_NUMBER = 13;
/** A number behind letters, in groups: `INV-2024-0042`. */
const SERIAL = /(?<![\p{L}\p{N}])[a-z]{2,8}(?:[-_]\d{3,8}){2,4}(?![\p{L}\p{N}]|-\d)/giu;
/** A number in Chinese with hundreds or more: `三千五百`. Smaller ones count before a measure word only. */
const CHINESE_NUMBER =
  /(?<![\d.零〇一二两兩三四五六七八九十百千万萬亿億几幾数數])[一二两兩三四五六七八九十][零〇一二两兩三四五六七八九十]{0,3}(?:[百千万萬亿億][零〇一二两兩三四五六七八九十]{0,3}){1,8}(?![百千万萬亿億几幾数數])/g;
/** A figure with a word for its zeros: `10k`, `1.5 million`, `5万`. */
const WITH_ZEROS =
  /(?<![\p{L}\d.,])(\d{1,4})(?:\.(\d{1,3}))? ?(?:(k|million|mio|billion|bn|trillion)(?![\p{L}\d])|([百千]?[万萬亿億]))/giu;
/** The same with a capital: `$1.5M`. */
const WITH_CAPITAL = /(?<![\p{L}\d.,])(\d{1,4})(?:\.(\d{1,3}))?([MB])(?![\p{L}\d])/gu;
/** A number and its unit, which many write without the space. */
const WITH_UNIT =
  /(?<![\p{L}\d.,])(\d{1,9})(?:[.,](\d{1,3}))? (k|[kmgt]i?b|[km]?g|[cmkn]?m|[mµn]?s|min|hrs?|[kmg]?hz|k?wh?|v|mah|px|pt|fps|[cm]?l|h|[kmg]bps|[kmg]bit|ft|yd|lbs?|oz|rpm|psi|db)(?![\p{L}\d])/giu;
/** A number and a unit in words, or in the plural, which many write short: `24 hours`, `30 mins`, `1 terabyte`. */
const WITH_LONG_UNIT =
  /(?<![\p{L}\d.,])(\d{1,9}) ?(hours?|hrs?|minutes?|mins?|seconds?|secs?|kilobytes?|megabytes?|gigabytes?|terabytes?|kilomet(?:er|re)s?|met(?:er|re)s?|kilograms?|kilos?|grams?|volts?|watts?)(?![\p{L}\d])/giu;
const SHORT_UNITS: readonly (readonly [begin: string, unit: string])[] = [
  ['hr', 'h'],
  ['hour', 'h'],
  ['min', 'min'],
  ['sec', 's'],
  ['kilob', 'kb'],
  ['mega', 'mb'],
  ['giga', 'gb'],
  ['tera', 'tb'],
  ['kilom', 'km'],
  ['kilo', 'kg'],
  ['met', 'm'],
  ['gram', 'g'],
  ['volt', 'v'],
  ['watt', 'w'],
];
/** A size of two numbers, with spaces or the sign of a product: `1920 × 1080` is `1920x1080`. */
const SIZE = /(?<![\p{L}\d.,])(\d{1,5})(?: ?× ?| x )(\d{1,5})(?![\p{L}\d]|[.,]\d)/gu;
/** A number in the form of programs, as in codes of errors: `0x80070005`. */
const HEXADECIMAL = /(?<![\p{L}\d])0x([\da-f]{2,16})(?![\p{L}\d])/giu;
/** A day of the week, by any of its three names. A number before it counts weeks: 一周三次. */
const WEEKDAY =
  /(?:(?<![一两兩二三四五六七八九十几幾\d])[周週](?!.[次天个個遍回])|星期|礼拜|禮拜)([一二三四五六日天])/gu;
/** A year in Chinese figures. */
const YEAR = /[〇零一二三四五六七八九]{4}(?=年)/g;
/** Languages whose names end in a sign: the letter alone says nothing. */
const SIGNED = /(?<![\p{L}\p{N}])(?:([a-z])(\+\+|#)(?![\p{L}\p{N}+#])|(\.net|cpp)(?![\p{L}\p{N}]))/giu;
const SIGNED_AS: Readonly<Record<string, string>> = {
  '++': 'plusplus',
  '#': 'sharp',
  '.net': 'dotnet',
  cpp: 'cplusplus',
};
/** A quarter of a year in Chinese: 第三季度 is Q3. */
const QUARTER = /([一二三四1-4])季度/gu;
/** Words that are written by their first and last letter and the number of those between. */
const NUMERONYM = /(?<![\p{L}\p{N}])(?:k8s|i18n|l10n|a11y|o11y)(?![\p{L}\p{N}])/giu;
const NUMERONYMS: Readonly<Record<string, string>> = {
  k8s: 'kubernetes',
  i18n: 'internationalization',
  l10n: 'localization',
  a11y: 'accessibility',
  o11y: 'observability',
};
/** Two short names joined by a sign: `AT&T`, `R&D`. */
const JOINED_NAMES = /(?<![\p{L}\p{N}])(\p{L}{1,3})&(\p{L}{1,3})(?![\p{L}\p{N}])/gu;
const EMOJI = /[\u{1f000}-\u{1f3fa}\u{1f400}-\u{1faff}\u{2600}-\u{27bf}\u{2b50}]/gu;

const SPACES = /[\u00a0\u2007\u2009\u202f]/g;
const HYPHENS = /[\u2010\u2011\u2212]/g;
const PATTERNS = [
  OTHER_FIGURE,
  GROUPS,
  TWO_WORDS,
  WITH_UNIT,
  SCIENTIFIC,
  COUNTED,
  YEAR,
  SIGNED,
  JOINED_NAMES,
  LONG_NUMBER,
  CHINESE_NUMBER,
  WITH_ZEROS,
  WITH_LONG_UNIT,
  WEEKDAY,
  SIZE,
];
/** Things of several tokens that have one word: figures and telephone numbers with spaces, names of two words. */
export function* spacedIn(
  text: string,
): Generator<{ readonly start: number; readonly end: number; readonly words: string[] }> {
  const plain = text.replace(SPACES, ' ').replace(HYPHENS, '-');
  for (const pattern of PATTERNS)
    for (const { 0: found, index } of plain.matchAll(pattern)) {
      const words: string[] = [];
      addNames(found, words);
      yield { start: index, end: index + found.length, words };
    }
  for (const { start, end, word } of partedIn(plain)) {
    const words: string[] = [];
    addWord(word, words);
    yield { start, end, words };
  }
}

const zerosOfAll = (signs: string): number =>
  Array.from(signs, (sign) => zerosOf(sign) ?? 0).reduce((sum, zeros) => sum + zeros, 0);

/** Adds words for figures, telephone numbers, names with signs or in two words, and emoji. */
function addNames(text: string, out: string[]): void {
  for (const [figure] of text.matchAll(OTHER_FIGURE)) {
    const [, whole = '', decimals = ''] = /^(.*?)(?:[,٫](\d{1,2}))?$/.exec(figure) ?? [];
    const rest = decimals.replace(/(?<!0)0+$/, '');
    out.push(whole.replace(/\D/g, ''));
    if (rest !== '') out.push(`${whole.replace(/\D/g, '')}x${rest}`);
  }
  for (const [digits] of text.matchAll(DIGITS)) out.push(`tel${digits.slice(-OWN_DIGITS)}`);
  for (const [groups] of text.replace(OWN_ZERO, '').matchAll(GROUPS)) {
    const digits = telephoneIn(groups);
    if (digits === undefined) continue;
    out.push(digits);
    // Written alike, it ranks first; with hyphens alone it is a name, which has such a word.
    if (/[ (]/.test(groups))
      out.push(groups.replace(/^\D+/, '').replace(/\D+/g, (sign) => (sign.includes(' ') ? 's' : 'x')));
    if (digits.length > OWN_DIGITS) out.push(`tel${digits.slice(-OWN_DIGITS)}`);
    const country = /^\+\d+/.exec(groups)?.[0].length ?? 0;
    if (country > 0) out.push(digits.slice(country - 1));
    else if (/^0[^0]/.test(digits)) out.push(digits.slice(1));
  }
  for (const [, name = '', tail = '', letter = '', word = ''] of text.matchAll(TWO_WORDS))
    addWord(`${name}${tail}${letter}${word}`.toLowerCase(), out);
  for (const { word } of partedIn(text)) addWord(word, out);
  for (const [, whole = '', decimals = '', power] of text.matchAll(SCIENTIFIC)) {
    const zeros = Number(power) - decimals.length;
    if (zeros >= 0 && whole.length + decimals.length + zeros <= MOST_DIGITS && whole !== '0')
      out.push(whole + decimals + '0'.repeat(zeros));
  }
  for (const [, figures, said = '', measure = ''] of text.matchAll(COUNTED))
    out.push(`${figures === undefined ? chineseNumber(said) : Number(figures)}${folded(measure)}`);
  for (const [, number = '', decimals, unit = ''] of text.matchAll(WITH_UNIT))
    out.push(`${number}${decimals === undefined ? '' : `x${decimals}`}${unit}`.toLowerCase());
  for (const [, number = '', unit = ''] of text.matchAll(WITH_LONG_UNIT)) {
    const short = SHORT_UNITS.find(([begin]) => unit.toLowerCase().startsWith(begin))?.[1] ?? '';
    out.push(`${number}${short}`);
  }
  for (const [, one, other] of text.matchAll(SIZE)) out.push(`${one}x${other}`);
  for (const [, digits = ''] of text.matchAll(HEXADECIMAL)) out.push(digits.toLowerCase());
  for (const [, day = ''] of text.matchAll(WEEKDAY))
    out.push(`weekday${'一二三四五六日'.indexOf(day.replace('天', '日')) + 1}`);
  for (const [year] of text.matchAll(YEAR)) out.push(chineseFigures(year).join(''));
  for (const [, letter = '', sign = '', name = ''] of text.matchAll(SIGNED))
    addWord(`${letter}${SIGNED_AS[(sign || name).toLowerCase()]}`.toLowerCase(), out);
  for (const [, number = ''] of text.matchAll(QUARTER))
    out.push(`q${Number(number) || chineseNumber(number)}`);
  for (const [short] of text.matchAll(NUMERONYM)) addWord(NUMERONYMS[short.toLowerCase()] as string, out);
  for (const [, one = '', other = ''] of text.matchAll(JOINED_NAMES)) out.push((one + other).toLowerCase());
  for (const [groups] of text.matchAll(LONG_NUMBER)) {
    const whole = groups.replace(/[ -]/g, '').toLowerCase();
    if (whole.length >= SHORTEST_LONG_NUMBER) out.push(whole);
  }
  for (const [serial] of text.matchAll(SERIAL)) out.push(serial.replace(/[-_]/g, '').toLowerCase());
  for (const [said] of text.matchAll(CHINESE_NUMBER)) out.push(String(chineseNumber(said)));
  const addWithZeros = (whole: string, decimals: string, zeros: number) => {
    if (zeros >= decimals.length)
      out.push(String(Number(whole + decimals + '0'.repeat(zeros - decimals.length))));
  };
  for (const [, whole = '', decimals = '', word, signs = ''] of text.matchAll(WITH_ZEROS))
    addWithZeros(whole, decimals, word ? (zerosOf(word) ?? 0) : zerosOfAll(signs));
  for (const [, whole = '', decimals = '', sign] of text.matchAll(WITH_CAPITAL))
    addWithZeros(whole, decimals, sign === 'M' ? 6 : 9);
  for (const [sign] of text.matchAll(EMOJI)) out.push(`emoji${sign.codePointAt(0)?.toString(16)}`);
}

/** Times of day: `14h30`, `14:30 Uhr`, `14点30`, `2:30 pm`, `下午2点半`, `3pm`, `午後3時`, `오후 3시 30분`. */
const CLOCK =
  /(?<![\d.:])(?:(上午|早上|凌晨|中午|下午|傍晚|晚上|午前|午後|午后|오전|오후)\s?)?(\d{1,2})(?:(?:\s?h\s?|[点點時时]|시\s?|:)(半|반|[0-5]\d)(?![\d:])(?:\s?([ap])\.?m\b)?|\s?([ap])\.?m\b|([点點時时시])整?(?![\d半반一二三四五]))/giu;
/** The same in Chinese figures: only behind a part of the day, since 三点 are also three points. */
const CHINESE_CLOCK =
  /(上午|早上|凌晨|中午|下午|傍晚|晚上)(二?十[一二三]?|[一二两兩三四五六七八九])[点點時时](半|[一三]刻|[二三四五]?十[一二三四五六七八九]?|[零〇][一二三四五六七八九])?/gu;
const AFTERNOON = /下午|傍晚|晚上|午後|午后|오후/;
const PAST: Readonly<Record<string, string>> = { 半: '30', 반: '30', 一刻: '15', 三刻: '45' };

/** The dot of `7.30 pm`, which is a colon elsewhere. */
const DOTTED_CLOCK = /(?<=(?<![\d.,])\d{1,2})\.(?=[0-5]\d\s?[ap]\.?m\b)/gi;

/** Adds the word that `14:30` gets from `addName`, for a time of day in another spelling. */
function addClocks(written: string, out: string[]): void {
  const text = written.replace(DOTTED_CLOCK, ':');
  for (const [written, part = '', hours = '', past = '0', half, whole, sign] of text.matchAll(CLOCK)) {
    // Without a part of the day 3时 is a span of time.
    if (part === '' && sign !== undefined && /[時时]/.test(sign)) continue;
    const noon = (half ?? whole ?? (AFTERNOON.test(part) ? 'p' : '')).toLowerCase();
    const said = Number(hours);
    const hour = noon === 'p' && said < 12 ? said + 12 : noon === 'a' && said === 12 ? 0 : said;
    const clock = `${hour}:${PAST[past] ?? past.padStart(2, '0')}`;
    if (hour < 24 && clock !== written) out.push(clock.replace(':', 'x'));
  }
  for (const [, part = '', hours = '', past = '零'] of text.matchAll(CHINESE_CLOCK)) {
    const said = chineseNumber(hours);
    const hour = said < 12 && (AFTERNOON.test(part) || (part === '中午' && said < 3)) ? said + 12 : said;
    const minutes = PAST[past] ?? String(chineseNumber(past)).padStart(2, '0');
    if (hour < 24) out.push(`${hour}x${minutes}`);
  }
}

const two = (n: number): string => String(n).padStart(2, '0');
const dayWord = (month: number, day: number): string => `day${two(month)}x${two(day)}`;
const monthWord = (year: number, month: number): string => `month${year}x${two(month)}`;

/** Adds one word for all ways to write a date: `2 May 2023`, `May 2nd`, `5月2日`, `2023-05-02` all share `day05x02`. */
function addDates(text: string, out: string[]): void {
  const dates = new Set<string>();
  for (const { year, month, day } of writtenDates(text)) {
    if (month < 1 || month > 12) continue;
    if (day !== undefined && day >= 1 && day <= 31) dates.add(dayWord(month, day));
    if (year !== undefined) dates.add(monthWord(year, month));
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
