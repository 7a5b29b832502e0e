// Other forms in which a text can be read: without invisible characters, with escapes of addresses, JSON, program code,
// HTML and base64 resolved, and as a page shows it. Forgotten and private words must be found in each of them.
import { fromBase64 } from '../base/data-url.ts';
import { withoutInvisible } from './fold.ts';

// The platform's, whose type this floor does not have.
declare const TextDecoder: new () => { decode(bytes: Uint8Array, options: { stream: boolean }): string };

interface WrittenForm {
  readonly text: string;
  /**
   * Maps a character's position in the form to its start in the written text, which is also the end of the previous
   * character.
   */
  readonly startOf: (place: number) => number;
  readonly endOf: (place: number) => number;
  /** Positions in the form where it differs from the form that it was made from, ascending; none of the text itself. */
  readonly changes: readonly number[];
}

/** Most rounds of nested escapes that are resolved, such as JSON in JSON. */
const MOST_ROUNDS = 4;

const PERCENT = /(?:%[0-9a-f]{2})+/i;
const UNICODE = /(?:\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2})+/i;
const SIGN = /\\[\\"'/bfnrtv0]/;
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/i;
/** Also an ordinary long word, or the path of an address: what it decodes to tells. */
const BASE64 = /(?<![a-z0-9+/_=-])[a-z0-9+/_-]{16,}={0,2}(?![a-z0-9+/_=-])/i;
const ESCAPE = new RegExp(
  [PERCENT, UNICODE, SIGN, ENTITY, BASE64].map(({ source }) => source).join('|'),
  'gi',
);

/** Tags of HTML that begin a new line or cell; all others stand within a word or beside it. */
const BREAK =
  /^<\/?(?:address|article|blockquote|br|caption|dd|div|dl|dt|figcaption|footer|h[1-6]|header|hr|li|ol|option|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul)\b/i;
/**
 * Marks that nobody sees on a page: tags of HTML, the address of a Markdown link, the number of a footnote, stars and
 * the like at a letter, and the hyphen of a word that goes on in the next line.
 */
const MARK = new RegExp(
  [
    /<\/?[a-z][\w:-]{0,30}(?:\s{1,8}[a-z@][\w:.-]{0,40}(?:\s{0,2}=\s{0,2}(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'|[^\s"'<>=&]{1,300}))?){0,20}\s{0,8}\/?>/u,
    /\]\([^\s()]{0,500}(?: "[^"\n]{0,200}")?\)/u,
    /\[\^[\w-]{1,40}\]/u,
    /(?<=\p{L})(?:\*{1,3}|~~|==|__)(?=\p{L})/u,
    /(?<=\p{L})[-\u2010][ \t]{0,4}\r?\n[ \t>]{0,12}(?=\p{Ll})/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

/** HTML entities of accented letters: a letter and the name of its mark. */
const ACCENTED = /^([a-z])(acute|grave|circ|uml|tilde|ring|cedil|caron)$/i;
const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};
/** Other letters, and characters that are invisible. */
const NAMED: Readonly<Record<string, string>> = {
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  OElig: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
  eth: 'ð',
  ETH: 'Ð',
  thorn: 'þ',
  THORN: 'Þ',
  amp: '&',
  shy: '',
  zwj: '',
  zwnj: '',
};

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : ' ');

/** Characters, each with the length of its escape. */
type Read = readonly (readonly [character: string, length: number])[];

function readPercent(found: string): Read | null {
  let text: string;
  try {
    text = decodeURIComponent(found);
  } catch (error) {
    // Bytes of another encoding keep their escapes.
    if (!(error instanceof URIError)) throw error;
    return null;
  }
  const lengthOf = (code: number) => (code < 0x80 ? 3 : code < 0x800 ? 6 : code < 0x10000 ? 9 : 12);
  return [...text].map((one) => [one, lengthOf(one.codePointAt(0) as number)]);
}

const readUnicode = (found: string): Read =>
  [...found.matchAll(/\\u\{([0-9a-f]+)\}|\\[ux]([0-9a-f]+)/gi)].map(([{ length }, braced, plain]) => [
    character(Number.parseInt(braced ?? plain ?? '', 16)),
    length,
  ]);

function readEntity(found: string): Read {
  const name = found.slice(1, -1);
  const { length } = found;
  if (name.startsWith('#')) {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return [[character(code), length]];
  }
  const [, letter, mark = ''] = ACCENTED.exec(name) ?? [];
  const accented = letter && letter + MARKS[mark.toLowerCase()];
  // Any other named character is a sign or a space.
  return [[accented ?? NAMED[name] ?? ' ', length]];
}

/** Base64 digits from which one sees that the bytes are no text, as those of pictures; a multiple of four. */
const HEAD_DIGITS = 64;
/** Not in a text: control characters, and the mark of bytes that are none. */
const NO_TEXT = /(?![\t\n\r])\p{Cc}|\ufffd/u;

/** The text as which these base64 digits can be read; null if they are none of a text. */
function readBase64(digits: string): string | null {
  const plain = digits.replace(/[-_]/g, (digit) => (digit === '-' ? '+' : '/')).replace(/={1,2}$/, '');
  if (plain.length % 4 === 1) return null;
  const head = textOf(plain.slice(0, HEAD_DIGITS), plain.length > HEAD_DIGITS);
  return head === null || plain.length <= HEAD_DIGITS ? head : textOf(plain, false);
}

function textOf(digits: string, isCut: boolean): string | null {
  const text = new TextDecoder().decode(fromBase64(digits), { stream: isCut });
  return NO_TEXT.test(text) ? null : text;
}

/** Escapes of single characters, each with its length. */
function read(found: string): Read | null {
  if (found.startsWith('%')) return readPercent(found);
  if (found.startsWith('&')) return readEntity(found);
  if (/^\\[ux]/i.test(found)) return readUnicode(found);
  if (!found.startsWith('\\')) {
    const text = readBase64(found);
    return text === null ? null : [[text, found.length]];
  }
  const sign = found[1] as string;
  return [[/[\\"'/]/.test(sign) ? sign : /[nr]/.test(sign) ? '\n' : ' ', found.length]];
}

const asWritten = (text: string): WrittenForm => ({
  text,
  changes: [],
  startOf: (place) => place,
  endOf: (place) => place,
});

/** A stretch of a form, with its start in the form and in the text that the form was made from. */
interface Stretch {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** True if each character was copied; otherwise the whole stretch stands for the whole original. */
  readonly isCopy: boolean;
}

/** Builds a form stretch by stretch, so that memory grows with the number of escapes and not with the text. */
class FormBuilder {
  readonly #above: WrittenForm;
  readonly #stretches: Stretch[] = [];
  readonly #pieces: string[] = [];
  readonly #changes: number[] = [];
  #length = 0;
  #read = 0;

  constructor(above: WrittenForm) {
    this.#above = above;
  }

  /** Copies [from, to) unchanged. */
  copy(from: number, to: number): void {
    this.#add(this.#above.text.slice(from, to), from, to, true);
  }

  /** Puts `text` in place of [from, to). */
  replace(text: string, from: number, to: number): void {
    this.#add(text, from, to, false);
  }

  form(): WrittenForm {
    const { text: above, startOf, endOf } = this.#above;
    return {
      text: this.#pieces.join(''),
      changes: this.#changes,
      startOf: (place) => {
        const found = place < this.#length ? this.#stretchAt(place) : undefined;
        if (!found) return startOf(above.length);
        return startOf(found.isCopy ? found.from + place - found.at : found.from);
      },
      endOf: (place) => {
        const found = place > 0 ? this.#stretchAt(place - 1) : undefined;
        if (!found) return endOf(0);
        return endOf(found.isCopy ? found.from + place - found.at : found.to);
      },
    };
  }

  #add(text: string, from: number, to: number, isCopy: boolean): void {
    if (from > this.#read || !isCopy) this.#changes.push(this.#length);
    this.#read = to;
    if (text === '') return;
    this.#stretches.push({ at: this.#length, from, to, isCopy });
    this.#pieces.push(text);
    this.#length += text.length;
  }

  /** Returns the last stretch that begins at or before `place`. */
  #stretchAt(place: number): Stretch | undefined {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle] as Stretch).at <= place) low = middle + 1;
      else high = middle;
    }
    return this.#stretches[low - 1];
  }
}

/** Resolves one round of escapes; null if there is none. */
function unescaped(form: WrittenForm): WrittenForm | null {
  const builder = new FormBuilder(form);
  let at = 0;
  for (const { 0: found, index } of form.text.matchAll(ESCAPE)) {
    const characters = read(found);
    if (!characters) continue;
    builder.copy(at, index);
    at = index;
    for (const [one, length] of characters) {
      builder.replace(one, at, at + length);
      at += length;
    }
  }
  if (at === 0) return null;
  builder.copy(at, form.text.length);
  return builder.form();
}

/** Removes invisible characters; null if there are none. */
function shown(form: WrittenForm): WrittenForm | null {
  const text = withoutInvisible(form.text);
  if (text === form.text) return null;
  const builder = new FormBuilder(form);
  let from = 0;
  for (let at = 0, place = 0; at <= form.text.length; at += 1) {
    if (at < form.text.length && form.text[at] === text[place]) place += 1;
    else {
      builder.copy(from, at);
      from = at + 1;
    }
  }
  return builder.form();
}

/** Removes marks of HTML and Markdown, and hyphens at the end of a line; null if there are none. */
function rendered(form: WrittenForm): WrittenForm | null {
  const builder = new FormBuilder(form);
  let at = 0;
  for (const { 0: found, index } of form.text.matchAll(MARK)) {
    builder.copy(at, index);
    at = index + found.length;
    if (BREAK.test(found)) builder.replace(' ', index, at);
  }
  if (at === 0) return null;
  builder.copy(at, form.text.length);
  return builder.form();
}

const BESIDE = String.raw`[*_~\x60"'“”‘’]{0,3}`;
const LINE = String.raw`[ \t]{0,4}\r?\n[ \t]{0,20}(?:(?:>|//|#|\*|--|\|)[ \t]{0,4}){0,3}`;
const BETWEEN = new RegExp(
  [
    // In a name of a file or address; beside marks of Markdown; at the end of a line of a quotation or comment.
    String.raw`(?<=[\p{L}\p{N}])(?:[-_.+]|${BESIDE},?(?:[ \t\u00a0]{1,4}|${LINE})${BESIDE})(?=[\p{L}\p{N}])`,
    String.raw`(?<=\p{Ll})(?=\p{Lu})`,
  ].join('|'),
  'gu',
);
/** The end of a line within quotation marks that code adds up, or that a terminal, a quotation or a comment divides. */
const CUT = String.raw`["'\x60]?[ \t]{0,4}[+\\]?${LINE}(?:\+[ \t]{0,4})?["'\x60]?`;
const CUT_KEY = new RegExp(String.raw`(?<=[\w+/=.-]{8})${CUT}(?=[\w+/=.-]{4})`, 'g');
const CUT_NUMBER = new RegExp(String.raw`(?<=[A-Z\d][A-Z\d -]{4}[A-Z\d])${LINE}(?=[A-Z\d]{2})`, 'g');
const BETWEEN_HAN = new RegExp(String.raw`(?<=\p{Script=Han})(?:[ \u3000]|${LINE})(?=\p{Script=Han})`, 'gu');

/**
 * Returns the text with one space between words, whatever stands there or nothing (*anna-bergmann*, *annaBergmann*,
 * **Anna** Bergmann, a line of a quotation), and with none between Chinese characters; null if that is how it is.
 */
export function partedForm(text: string): WrittenForm | null {
  const builder = new FormBuilder(asWritten(text));
  const found = [
    ...[...text.matchAll(BETWEEN_HAN)].map(({ 0: gap, index }) => ({ gap, index, by: '' })),
    ...[...text.matchAll(BETWEEN)].map(({ 0: gap, index }) => ({ gap, index, by: ' ' })),
  ].sort((one, other) => one.index - other.index);
  let at = 0;
  for (const { gap, index, by } of found) {
    if (gap === by || index < at) continue;
    builder.copy(at, index);
    at = index + gap.length;
    builder.replace(by, index, at);
  }
  if (at === 0) return null;
  builder.copy(at, text.length);
  return builder.form();
}

/** Most ends of lines in a row that a key has: more are a block of base64 or a list of digests. */
const MOST_CUTS = 3;

/** Returns the text without the ends of lines within what may be one key, or one number; null if there are none. */
export function joinedForm(text: string, what: 'key' | 'number'): WrittenForm | null {
  const cuts = [...text.matchAll(what === 'key' ? CUT_KEY : CUT_NUMBER)].map(({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
  }));
  const builder = new FormBuilder(asWritten(text));
  let at = 0;
  for (let first = 0, next = 1; first < cuts.length; first = next, next += 1) {
    // Cuts with one word between each two.
    while (next < cuts.length && !/\s/.test(text.slice(cuts[next - 1]?.to, cuts[next]?.from))) next += 1;
    if (next - first > MOST_CUTS) continue;
    for (const { from, to } of cuts.slice(first, next)) {
      if (what === 'key' && !isOfKey(text.slice(Math.max(0, from - 40), from), text.slice(to, to + 40)))
        continue;
      builder.copy(at, from);
      at = to;
      if (what === 'number') builder.replace(' ', from, to);
    }
  }
  if (at === 0) return null;
  builder.copy(at, text.length);
  return builder.form();
}

/** True if the last word of one line and the first of the next may be one key: it has letters and digits. */
function isOfKey(before: string, after: string): boolean {
  const word = (/(?<![\w+/=.-])[\w+/=.-]*$/.exec(before)?.[0] ?? '') + (/^[\w+/=.-]*/.exec(after)?.[0] ?? '');
  return word.length >= 20 && /\d/.test(word) && /[a-z]/i.test(word);
}

/** Returns the text as written and each other form in which it can be read. */
export function writtenForms(text: string): readonly WrittenForm[] {
  const asIs = asWritten(text);
  const forms = [asIs];
  let round = 0;
  for (let form: WrittenForm | null = asIs; form && round <= MOST_ROUNDS; round += 1) {
    const visible = shown(form);
    if (visible) forms.push(visible);
    const page = rendered(visible ?? form);
    if (page) forms.push(page);
    form = unescaped(form);
    if (form) forms.push(form);
  }
  return forms;
}
