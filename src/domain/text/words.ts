// The search words of a text: what BM25 sees of it. Passages and queries go through the same door, so that they meet.
// Only letters and digits come out, in lower case and separated by single spaces: whatever splits them again splits them alike.
import { stemmer } from 'stemmer';
import { once } from '../base/once.ts';
import { folded, withoutInvisible } from './fold.ts';
import { type Segment, wordSegments } from './segments.ts';

/** Words that say nothing about a passage. Contractions appear without what follows their apostrophe. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be been being but by can could d did didn do does doesn doing don for from had has hasn have haven having he her hers ' +
    'herself him himself his how i if in into is isn it its itself just ll m me my myself no nor not of on or our ours ourselves out re s ' +
    'she should so some such t than that the their theirs them themselves then there these they this those to too ve very was wasn we were ' +
    'weren what when where which while who whom whose why will with won would wouldn you your yours yourself'
  ).split(' '),
);

/** Chinese function words and particles, as the segmenter cuts them. */
const STOP_WORDS_ZH = new Set(
  '的 了 吗 呢 啊 吧 呀 哦 嗯 是 在 我 你 他 她 它 我们 你们 他们 她们 它们 和 与 及 或 也 都 就 还 又 很 这 那 这个 那个 这些 那些 有 没 没有 不 着 过 得 地 之 其 而 但 但是 因为 所以 如果 什么 怎么 怎样 哪 哪个 哪些 谁 一个 一下 一些 上 下 里 中 对 对于 把 被 给 让 向 从 到 说 要 会 能 可以 请 么'.split(
    ' ',
  ),
);

/** True for words that say nothing by themselves, in lower case. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word) || STOP_WORDS_ZH.has(word);

const STOP_CHARACTERS = new Set([...STOP_WORDS_ZH].filter((word) => word.length === 1));

/** Longest text that is read, in characters: chunks are far shorter, a pasted book as a query need not be read to its end. */
const MAX_TEXT = 60_000;
/** Longest word kept, in characters. */
const MAX_WORD = 48;
/** Most terms in a query: each costs a walk through the index. */
const MAX_QUERY_TERMS = 96;

// Scripts written without spaces between words; the first three also get pairs of characters.
const JOINED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const runPattern = once(
  () =>
    new RegExp(
      // a joined run, or a name: letters and digits with the marks that hold identifiers, paths, versions and dates together
      String.raw`(?:(?=[\p{L}\p{M}\p{N}])[${JOINED}])+|(?:(?![${JOINED}])[\p{L}\p{M}\p{N}])+(?:['_\-./\\:@#+](?:(?![${JOINED}])[\p{L}\p{M}\p{N}_])+)*`,
      'gu',
    ),
);
const joinedPattern = once(() => new RegExp(`^[${JOINED}]`, 'u'));
const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const HANGUL = /^\p{Script=Hangul}{3,}$/u;
const PIECES = /[\p{L}\p{M}\p{N}]+/gu;
// fooBar → foo Bar, HTTPServer → HTTP Server
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Plurals that no ending tells: `plural singular`. */
const PLURALS: ReadonlyMap<string, string> = new Map(
  (
    'children child,men man,women woman,feet foot,teeth tooth,geese goose,mice mouse,oxen ox,wolves wolf,knives knife,wives wife,' +
    'leaves leaf,halves half,shelves shelf,loaves loaf,thieves thief,calves calf,scarves scarf,buses bus,indices index,' +
    'vertices vertex,matrices matrix,appendices appendix,analyses analysis,crises crisis,hypotheses hypothesis,' +
    'diagnoses diagnosis,criteria criterion,phenomena phenomenon'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);
/** A name and its number written as one: `rtx4090`, `python3`, `gpt4o`. */
const NUMBERED = /^(\p{L}{2,12})(\p{N}[\p{L}\p{N}]{0,5})$/u;

function plainWord(word: string, out: string[]): void {
  if (word.length > MAX_WORD || STOP_WORDS.has(word)) return;
  if (/^[a-z]{3,}$/.test(word)) {
    out.push(stemmer(PLURALS.get(word) ?? word));
    return;
  }
  out.push(word);
  const [, name, number] = NUMBERED.exec(word) ?? [];
  if (name !== undefined && number !== undefined) {
    plainWord(name, out);
    out.push(number);
  }
  if (HANGUL.test(word)) pairs(word, out);
}

function pairs(run: string, out: string[]): void {
  const characters = [...run];
  for (let i = 0; i + 1 < characters.length; i++) {
    const [a, b] = [characters[i] as string, characters[i + 1] as string];
    if (!(STOP_CHARACTERS.has(a) && STOP_CHARACTERS.has(b))) out.push(a + b);
  }
}

/** Pairs of traditional characters as they were written, beside their simplified ones. */
function exactPairs(run: string, form: string, out: string[]): void {
  const [characters, others] = [[...run], [...form]];
  for (let i = 0; i + 1 < characters.length; i++)
    if (characters[i] !== others[i] || characters[i + 1] !== others[i + 1])
      out.push(`${characters[i]}${characters[i + 1]}`);
}

function joinedRun(run: string, segments: readonly Segment[], out: string[]): void {
  // A word of two characters comes again as a pair below, and so weighs double: measured better than once.
  for (const { text, isWord } of segments)
    if (isWord && text.length <= MAX_WORD && !STOP_WORDS_ZH.has(text)) out.push(text);
  for (const [stretch] of run.matchAll(PAIRED)) pairs(stretch, out);
}

/** Capitals within a word: a name of two parts, as `YouTube`. What is asked for must not depend on how its letters were typed. */
const isBrand = (pieces: readonly string[], humps: readonly string[]): boolean =>
  pieces.length === 1 && humps.length === 2 && /^\p{L}+$/u.test(pieces[0] as string);

/** A digest in hexadecimal, as of a commit: it is told by its first seven digits. */
const DIGEST = /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,128}$/i;
const SHORT_DIGEST = 7;

/** `snake_case`, `camelCase`, `a/path.ts`, `1.2.3`: its pieces, and the whole as one word. `asked`: of `YouTube` the whole alone. */
function nameRun(run: string, out: string[], asked: boolean): void {
  const own = run.replace(/'(?:s|re|ve|ll|d|m|t)$/i, '');
  const bare = own.replaceAll("'", '');
  // `l'hôtel` and `O'Brien` are found without what stands before.
  for (const part of own.split("'").slice(1))
    for (const piece of part.match(PIECES) ?? []) if (piece.length > 2) plainWord(piece.toLowerCase(), out);
  const pieces = bare.match(PIECES) ?? [];
  const humps = pieces.flatMap((piece) => piece.split(HUMPS));
  if (!asked || !isBrand(pieces, humps)) for (const piece of humps) plainWord(piece.toLowerCase(), out);
  for (const piece of pieces) {
    if (DIGEST.test(piece)) out.push(piece.slice(0, SHORT_DIGEST).toLowerCase());
    // Within a longer name, a name of two words is one word as well: `React.useState`.
    else if (pieces.length > 1 && /\p{Ll}\p{Lu}/u.test(piece)) plainWord(piece.toLowerCase(), out);
  }
  if (humps.length < 2) return;
  let whole = '';
  for (const piece of pieces) {
    // Between digits an x keeps 1.23 apart from 123.
    whole += whole && /\p{N}$/u.test(whole) && /^\p{N}/u.test(piece) ? `x${piece}` : piece;
    if (whole.length > MAX_WORD) return;
  }
  // A name of several parts is a word like any other, or `youtube` would not find `YouTube`, nor `nodejs` `Node.js`.
  plainWord(whole.toLowerCase(), out);
  const [, version] = /^v(\d+(?:x\d+)+)$/i.exec(whole) ?? [];
  if (version !== undefined) out.push(version);
}

const FIGURE = /(?<![\d.,])(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,6})?|\d{1,15}\.0{1,2})(?!\d|[.,]\d)/g;

/** `1,299.00` becomes `1299`, and `1,234.50` becomes `1234.5`; what was written is one word beside it. */
const plainFigures = (text: string, out: string[]): string =>
  text.replace(FIGURE, (figure) => {
    const [whole = '', decimals = ''] = figure.replaceAll(',', '').split('.');
    const rest = decimals.replace(/(?<!0)0+$/, '');
    out.push(figure.replace(/[.,]/g, 'x'));
    return rest === '' ? whole : `${whole}.${rest}`;
  });

/** As most of Europe writes it: `1.299,00`, `1 299,50`, `1 299`. */
const OTHER_FIGURE = /(?<![\d.,]|\d )\d{1,3}(?:(?:[. ]\d{3}){1,4},\d{1,2}|(?: \d{3}){1,4})(?! ?\d|[.,]\d)/g;
/** Digits in groups, as telephone numbers are written: `+86 138-0013-8000`, `(555) 123-4567`, `0170 1234567`. */
const GROUPS = /(?<![\d.,])\+?\(?\d{2,4}\)?(?:[ .-]\d{2,8}){1,5}(?!\d|[.,]\d)/g;
/** The zero that is dialled within the country only. */
const OWN_ZERO = /(?<=\+\d{1,3} ?)\(0\) ?/g;
/** Names that are written as one word or as two: `Node js`, `Wi Fi`, `e mail`. */
const TWO_WORDS =
  /(?<![\p{L}\p{N}'])(?:(\p{L}{2,12}) (js|fi)|([etx]) (mail|books?|commerce|shirts?|rays?))(?![\p{L}\p{N}'])/giu;
/** Languages whose names end in a sign: one letter alone says nothing. */
const SIGNED = /(?<![\p{L}\p{N}])(?:([a-z])(\+\+|#)(?![\p{L}\p{N}+#])|(\.net|cpp)(?![\p{L}\p{N}]))/giu;
const SIGNED_AS: Readonly<Record<string, string>> = {
  '++': 'plusplus',
  '#': 'sharp',
  '.net': 'dotnet',
  cpp: 'cplusplus',
};
/** Two short names with a sign between that is no letter: `AT&T`, `R&D`. */
const JOINED_NAMES = /(?<![\p{L}\p{N}])(\p{L}{1,3})&(\p{L}{1,3})(?![\p{L}\p{N}])/gu;
const EMOJI = /[\u{1f000}-\u{1f3fa}\u{1f400}-\u{1faff}\u{2600}-\u{27bf}\u{2b50}]/gu;
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** Words for what is written in one of several ways: figures, telephone numbers, names with signs or in two words, emoji. */
function otherForms(text: string, out: string[]): void {
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
    plainWord(`${name}${tail}${letter}${word}`.toLowerCase(), out);
  for (const [, letter = '', sign = '', name = ''] of text.matchAll(SIGNED))
    plainWord(`${letter}${SIGNED_AS[(sign || name).toLowerCase()]}`.toLowerCase(), out);
  for (const [, one = '', other = ''] of text.matchAll(JOINED_NAMES)) out.push((one + other).toLowerCase());
  for (const [sign] of text.matchAll(EMOJI)) out.push(`emoji${sign.codePointAt(0)?.toString(16)}`);
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const MONTH = `(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')}|sept)`;
const DATES: readonly { readonly pattern: RegExp; readonly order: readonly ('y' | 'm' | 'd')[] }[] = [
  { pattern: /(?<!\d)(\d{4})[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})(?!\d)/gu, order: ['y', 'm', 'd'] },
  // Without signs between, as files are named.
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

/** The time of day: `14h30`, `14:30 Uhr`, `14点30`, `2:30 pm`, `下午2点半`, `3pm`. */
const CLOCK =
  /(?<![\d.:])(上午|早上|凌晨|中午|下午|晚上)?(\d{1,2})(?:(?:\s?h\s?|[点點時时]|:)(半|[0-5]\d)(?![\d:])(?:\s?([ap])\.?m\b)?|\s?([ap])\.?m\b|[点點]整?(?![\d半一二三四五]))/giu;

/** The word of `14:30`, which `nameRun` gives, for a time of day that is written in another way. */
function writtenClocks(text: string, out: string[]): void {
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

/** One word for every way of writing a date: `2 May 2023`, `May 2nd`, `5月2日`, `2023-05-02` all share `day05x02`. */
function writtenDates(text: string, out: string[]): void {
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

/** The words under which a message's own day is found, in this device's time zone. Empty for a time that is not known. */
export function dateWords(time: number): string {
  const date = new Date(time);
  if (time <= 0 || Number.isNaN(date.getTime())) return '';
  return `${dayWord(date.getMonth() + 1, date.getDate())} ${monthWord(date.getFullYear(), date.getMonth() + 1)}`;
}

/** Parts a Persian word without a space, as a hyphen does; others write a space, or nothing. */
const NON_JOINER = /(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;

function terms(text: string, asked: boolean): string[] {
  const out: string[] = [];
  const clean = withoutInvisible(text.slice(0, MAX_TEXT).normalize('NFKC').replace(NON_JOINER, '-'))
    .replaceAll('’', "'")
    // Hyphens that do not break, and the sign for minus.
    .replace(/[\u2010\u2212]/g, '-');
  const runs = plainFigures(clean, out).match(runPattern()) ?? [];
  const isJoined = (run: string) => joinedPattern().test(run);
  const forms = runs.map(folded);
  const segments = wordSegments(forms.filter(isJoined)).values();
  runs.forEach((run, at) => {
    const form = forms[at] as string;
    if (isJoined(form)) {
      joinedRun(form, segments.next().value ?? [], out);
      if (form !== run) exactPairs(run, form, out);
      return;
    }
    nameRun(form, out, asked);
    // The form that was written is a word as well: who writes it so finds it first.
    if (form === run || run.length > MAX_WORD) return;
    const written = run.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
    out.push(written);
    // As who has no umlauts types it, with the same stem.
    if (/[äöü]/.test(written))
      plainWord(folded(written.replace(/[äöü]/g, (letter) => UMLAUTS[letter] as string)), out);
  });
  otherForms(clean, out);
  writtenDates(clean, out);
  writtenClocks(clean, out);
  return out;
}

/**
 * The search words of a passage, space-separated: English without stop words and as Porter stems; Chinese and Japanese as words
 * and as pairs of characters; identifiers and paths in pieces and whole; dates in one canonical form beside their own. Accents, ligatures,
 * widths, traditional characters and marks in figures are folded; what was written stands beside it.
 */
export const words = (text: string): string => terms(text, false).join(' ');

/** The search words of a question: like `words`, each once, at most 96. Of a longer one the terms of its end are kept. */
export function queryWords(text: string): string {
  const all = [...new Set(terms(text, true))];
  return (all.length > MAX_QUERY_TERMS ? all.slice(-MAX_QUERY_TERMS) : all).join(' ');
}
