// Imprints of forgotten words: forgetting words must not mean keeping them. An imprint is the number of tokens and a
// salted hash, which finds the words again in any text. Anyone who guesses the words can check the guess.
import { folded, withoutInvisible } from '../text/fold.ts';
import { writtenForms } from '../text/written-forms.ts';

/**
 * Words as their number of tokens (at least 1) and hash (16 hex digits). `form`: a person's name with accents, a digit
 * or an *s* after it (`name`), as one word (`handle`); a `number` in any groups. Versions pass over unknown forms.
 */
export interface Imprint {
  readonly tokens: number;
  readonly hash: string;
  readonly form?: string | undefined;
}

/** Replaces removed words. It contains no letter, so it is not a search word either. */
export const TAKEN_OUT = '•••';

/**
 * In scripts without spaces each letter is a token; elsewhere each run of letters and digits. Marks belong to their
 * letter.
 */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ーｰ][\p{M}ﾞﾟ]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ーｰ])[\p{L}\p{N}\p{M}])+/gu;
/** Scripts that write words together, or with endings: a run of them is also searched letter by letter. */
const JOINED = /[\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const JOINED_LETTERS =
  /[\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|(?:(?![\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}])+/gu;
/** Scripts that put no spaces between words and have no capitals. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Korean words take endings, so a match must begin at the start of a word. */
const HANGUL = /^\p{Script=Hangul}/u;

interface Token extends Hash {
  readonly from: number;
  readonly to: number;
  /** Inside a Korean word, where no match may begin. */
  readonly isInside: boolean;
  /** True if it begins as a name does, in scripts with capitals. */
  readonly isCapital: boolean;
  /** The same hashes without endings that a name may take. */
  readonly stems: readonly Hash[];
}
interface Hash {
  readonly a: number;
  readonly b: number;
}

/** FNV-1a over UTF-16 units with a murmur finish: 32 bits. */
function hash32(text: string, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Multipliers of the two rolling hashes; odd, so that no token loses its weight. */
const [FACTOR_A, FACTOR_B] = [0x9e3779b1 | 0, 0x27d4eb2f];

const hex = (number: number): string => (number >>> 0).toString(16).padStart(8, '0');

interface TokenRules {
  /** Splits tokens of joined scripts into letters. */
  readonly byLetter: boolean;
  /** Treats letters with and without accents, and Han simplified or not, as the same token. */
  readonly isFolded: boolean;
  /** Reads `AnnSmith2` as three tokens, since program names write words together. */
  readonly byHump?: boolean;
  /** Adds stems, which words of a text have and those of an imprint do not. */
  readonly isName?: boolean;
}

/** Splits words that are written together: before a capital, and between letters and digits. */
const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** Endings that a name may take: an *s* without its apostrophe, the number of an account, or both. */
const HANGING = [/(?<!\d)\d+$/, /(?<=\p{L}{2})s$/u, /(?<=\p{L}{2})s\d+$/u];
/**
 * Names have another seed than words: an earlier version, which only searches for words, must not match a name by its
 * stem.
 */
const NAMES = '/name';
/** Numbers have one as well: their tokens are single characters. */
const NUMBERS = '/number';
/** Fewest digits of a number that is also searched in other groups: fewer stand beside one another by chance. */
const LEAST_DIGITS = 7;
/** People write these between the groups of one number. */
const GROUPS = /^[ .\u00a0\u202f()\-\u2010-\u2013/]{0,3}$/;
/** A country, or how it is dialled, before a number that was forgotten without it. */
const COUNTRY = /(?:\+|\b00)\d{0,3}$/;

/** Treats forms of one letter (full width, composed, capital) as the same token. */
function tokensOf(text: string, salt: string, { byLetter, isFolded, byHump, isName }: TokenRules): Token[] {
  const seed = isName ? salt + NAMES : salt;
  const [seedA, seedB] = [hash32(seed, 0x811c9dc5), hash32(seed, 0x2f0b4479)];
  const hashOf = (form: string): Hash => ({ a: hash32(form, seedA), b: hash32(form, seedB) });
  const tokens: Token[] = [];
  const add = (word: string, from: number, isInside: boolean) => {
    const form = (isFolded ? folded(word) : word.normalize('NFKC')).toLowerCase();
    const stems = isName ? HANGING.map((end) => form.replace(end, '')) : [];
    tokens.push({
      from,
      to: from + word.length,
      ...hashOf(form),
      isInside,
      isCapital: !/^\p{Ll}/u.test(word),
      stems: stems.filter((stem) => stem !== '' && stem !== form).map(hashOf),
    });
  };
  for (const { 0: word, index } of text.matchAll(TOKENS)) {
    if (byHump) {
      let from = index;
      for (const part of word.split(HUMP)) {
        add(part, from, false);
        from += part.length;
      }
    } else if (!byLetter || !JOINED.test(word)) add(word, index, false);
    else
      for (const { 0: letter, index: at } of word.matchAll(JOINED_LETTERS))
        add(letter, index + at, at > 0 && HANGUL.test(letter));
  }
  return tokens;
}

/**
 * Returns the imprint of words; undefined if they have neither letters nor digits. Punctuation, spaces and capitals
 * do not matter.
 */
export const imprintOf = (words: string, salt: string): Imprint | undefined =>
  imprintOfTokens(tokensOf(withoutInvisible(words), salt, { byLetter: true, isFolded: false }));

/**
 * Fewest tokens that are also searched without accents: a single word without them is often a different word
 * (*schon*, *schön*).
 */
const FOLDED_TOKENS = 2;

/** Shortest name that is also searched as one word, in letters: *Li Na* is not *Lina*. */
const LEAST_HANDLE = 8;

/**
 * Returns the imprint of words, and a second one without accents and in simplified Han if that differs. `isName` adds
 * the forms of a name.
 */
export function imprintsOf(words: string, salt: string, isName = false): readonly Imprint[] {
  const asTyped = imprintOf(words, salt);
  if (!asTyped) return [];
  const shown = withoutInvisible(words);
  const found = [asTyped];
  const plain = imprintOfTokens(tokensOf(shown, salt, { byLetter: true, isFolded: true }));
  if (plain && plain.tokens >= FOLDED_TOKENS && plain.hash !== asTyped.hash) found.push(plain);
  const number =
    isNumber(shown) && imprintOfTokens(charactersOf(shown.replace(/^\s{0,4}00(?=\d)/, ''), salt).tokens);
  if (number) found.push({ ...number, form: 'number' });
  return isName ? [...found, ...nameImprints(shown, salt)] : found;
}

/** True for telephone numbers, cards, accounts and ids: digits, with few letters among them. */
function isNumber(words: string): boolean {
  const digits = words.match(/\p{Nd}/gu)?.length ?? 0;
  const letters = words.match(/\p{L}/gu)?.length ?? 0;
  return digits >= LEAST_DIGITS && letters <= digits / 2;
}

/** Splits a text into characters, however a number in it is grouped; `ends`: places where a number may end. */
function charactersOf(
  text: string,
  salt: string,
): { readonly tokens: readonly Token[]; readonly ends: ReadonlySet<number> } {
  const seed = salt + NUMBERS;
  const [seedA, seedB] = [hash32(seed, 0x811c9dc5), hash32(seed, 0x2f0b4479)];
  const tokens: Token[] = [];
  const ends = new Set<number>();
  const add = (form: string, from: number, to: number, isInside: boolean) =>
    tokens.push({
      ...{ from, to, isInside, isCapital: false, stems: [] },
      ...{ a: hash32(form, seedA), b: hash32(form, seedB) },
    });
  let before = 0;
  for (const { 0: word, index } of text.matchAll(TOKENS)) {
    // Stands for what ends a number.
    if (before > 0 && !GROUPS.test(text.slice(before, index))) add('', before, index, true);
    let at = index;
    for (const one of word) {
      const isAfterCountry =
        at > index && at <= index + 5 && COUNTRY.test(text.slice(Math.max(0, index - 2), at));
      add(folded(one).toLowerCase(), at, at + one.length, at > index && !isAfterCountry);
      at += one.length;
    }
    before = at;
    ends.add(at);
  }
  return { tokens, ends };
}

function nameImprints(name: string, salt: string): Imprint[] {
  const of = (text: string, form: 'name' | 'handle'): Imprint[] => {
    // The end of the name itself is not an ending.
    const tokens = tokensOf(text, salt + NAMES, { byLetter: true, isFolded: true });
    const imprint = imprintOfTokens(tokens);
    return imprint ? [{ ...imprint, form }] : [];
  };
  const letters = [...name.matchAll(TOKENS)].map(([word]) => word);
  const together = letters.join('');
  const isHandle = letters.length > 1 && together.length >= LEAST_HANDLE && !UNSPACED.test(together);
  // One or two letters occur at the end of any word.
  const isLong = together.length > 2 || UNSPACED.test(together);
  return [...(isLong ? of(name, 'name') : []), ...(isHandle ? of(together, 'handle') : [])];
}

function imprintOfTokens(tokens: readonly Token[]): Imprint | undefined {
  if (tokens.length === 0) return undefined;
  let [a, b] = [0, 0];
  for (const token of tokens) {
    a = (Math.imul(a, FACTOR_A) + token.a) | 0;
    b = (Math.imul(b, FACTOR_B) + token.b) | 0;
  }
  return { tokens: tokens.length, hash: hex(a) + hex(b) };
}

interface Matcher {
  /** True if the text contains one of the stretches. */
  has(text: string): boolean;
  /** Lists the stretches found: [from, to) in order, without overlaps. */
  spansIn(text: string): readonly Span[];
  /** Replaces each stretch in the text with a mark, and counts them. */
  hide(text: string): { readonly text: string; readonly redacted: number };
}
type Span = readonly [from: number, to: number];

type Lengths = readonly (readonly [length: number, hashes: ReadonlySet<string>])[];

/** Sorts longer stretches first, since a longer one also covers the shorter one within it. */
function byLength(imprints: readonly Imprint[]): Lengths {
  const hashes = new Map<number, Set<string>>();
  for (const { tokens, hash } of imprints) hashes.set(tokens, (hashes.get(tokens) ?? new Set()).add(hash));
  return [...hashes].sort(([one], [other]) => other - one);
}

/** Finds stretches of these lengths and hashes, with the token that each begins with. */
function* stretchesOf(
  tokens: readonly Token[],
  lengths: Lengths,
  shortest = 1,
): Generator<{ readonly first: Token; readonly to: number }> {
  for (const [length, hashes] of lengths) {
    if (length > tokens.length || length < shortest) continue;
    let [powerA, powerB] = [1, 1];
    for (let at = 0; at < length; at++) {
      powerA = Math.imul(powerA, FACTOR_A);
      powerB = Math.imul(powerB, FACTOR_B);
    }
    let [a, b] = [0, 0];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as Token;
      a = (Math.imul(a, FACTOR_A) + token.a) | 0;
      b = (Math.imul(b, FACTOR_B) + token.b) | 0;
      const gone = tokens[at - length];
      if (gone) {
        a = (a - Math.imul(powerA, gone.a)) | 0;
        b = (b - Math.imul(powerB, gone.b)) | 0;
      }
      const first = tokens[at - length + 1];
      if (!first || first.isInside) continue;
      // Only the last word of a name can have an ending.
      const isFound =
        hashes.has(hex(a) + hex(b)) ||
        token.stems.some((stem) => hashes.has(hex(a - token.a + stem.a) + hex(b - token.b + stem.b)));
      if (isFound) yield { first, to: token.to };
    }
  }
}

/** Builds a matcher for the imprints. Its work is linear in the text's length for each length of stretch. */
export function createMatcher(imprints: readonly Imprint[], salt: string): Matcher {
  const words = byLength(imprints.filter(({ form }) => !form));
  const names = byLength(imprints.filter(({ form }) => form === 'name'));
  const handles = byLength(imprints.filter(({ form }) => form === 'handle'));
  const numbers = byLength(imprints.filter(({ form }) => form === 'number'));
  const findsFolded = words.some(([length]) => length >= FOLDED_TOKENS);
  const findsNames = names.length + handles.length > 0;

  function* spansOf(text: string, byLetter: boolean): Generator<Span> {
    const rules = { byLetter, isFolded: false };
    for (const { first, to } of stretchesOf(tokensOf(text, salt, rules), words)) yield [first.from, to];
    const found = findsFolded && folded(text) !== text;
    if (found)
      for (const { first, to } of stretchesOf(
        tokensOf(text, salt, { ...rules, isFolded: true }),
        words,
        FOLDED_TOKENS,
      ))
        yield [first.from, to];
    if (findsFolded && !byLetter && HUMP.test(text))
      for (const isFolded of found ? [false, true] : [false])
        for (const { first, to } of stretchesOf(
          tokensOf(text, salt, { byLetter, isFolded, byHump: true }),
          words,
          FOLDED_TOKENS,
        ))
          yield [first.from, to];
    if (numbers.length > 0 && !byLetter) {
      const { tokens, ends } = charactersOf(text, salt);
      for (const { first, to } of stretchesOf(tokens, numbers)) if (ends.has(to)) yield [first.from, to];
    }
    if (!findsNames) return;
    const tokens = tokensOf(text, salt, { byLetter, isFolded: true, isName: true });
    for (const { first, to } of stretchesOf(tokens, handles)) yield [first.from, to];
    // A single word in another form may be another word: *bar* is not *Bär*.
    for (const { first, to } of stretchesOf(tokens, names))
      if (first.isCapital || first.to !== to) yield [first.from, to];
  }

  /** Lists matches in the text as written, and in each form in which people read it. */
  function* everySpan(text: string): Generator<Span> {
    if (imprints.length === 0) return;
    for (const { text: form, startOf, endOf } of writtenForms(text))
      for (const byLetter of JOINED.test(form) ? [false, true] : [false])
        for (const [from, to] of spansOf(form, byLetter)) yield [startOf(from), endOf(to)];
  }

  const spansIn = (text: string): readonly Span[] => {
    const spans: [number, number][] = [];
    for (const [from, to] of [...everySpan(text)].sort(([one], [other]) => one - other)) {
      const last = spans.at(-1);
      // Overlapping spans become one.
      if (last && from < last[1]) last[1] = Math.max(last[1], to);
      else spans.push([from, to]);
    }
    return spans;
  };

  return {
    has: (text) => !everySpan(text).next().done,
    spansIn,
    hide: (text) => {
      const spans = spansIn(text);
      if (spans.length === 0) return { text, redacted: 0 };
      let [out, at] = ['', 0];
      for (const [from, to] of spans) {
        out += text.slice(at, from) + TAKEN_OUT;
        at = to;
      }
      return { text: out + text.slice(at), redacted: spans.length };
    },
  };
}
