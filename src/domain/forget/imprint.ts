// Words that are known without being kept. Forgetting words must not mean keeping them somewhere: what remains is how many tokens they have
// and a salted hash, which finds them again in any text. Whoever guesses the words can check the guess.
import { folded, withoutInvisible } from '../text/fold.ts';
import { writtenForms } from './written-forms.ts';

/** A stretch of words: so many tokens (at least 1), and their hash, 16 hex digits. */
export interface Imprint {
  readonly tokens: number;
  readonly hash: string;
}

/** Stands where words were taken out. No letter in it, so it is no search word either. */
export const TAKEN_OUT = '•••';

/** Each letter of scripts without spaces is a token of its own; elsewhere a run of letters and digits is. Marks belong to their letter. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ーｰ][\p{M}ﾞﾟ]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ーｰ])[\p{L}\p{N}\p{M}])+/gu;
/** Scripts whose words stand together with others, or with endings: a run of them is looked through letter by letter, too. */
const JOINED = /[\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const JOINED_LETTERS =
  /[\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|(?:(?![\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}])+/gu;
/** Endings follow a Korean word: one that begins inside another is another. */
const HANGUL = /^\p{Script=Hangul}/u;

interface Token {
  readonly from: number;
  readonly to: number;
  readonly a: number;
  readonly b: number;
  /** Inside a Korean word: nothing that is sought begins here. */
  readonly isInside: boolean;
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
  /** Tokens of joined scripts are taken letter by letter. */
  readonly byLetter: boolean;
  /** Letters without their accents, and Han simplified, are the same token. */
  readonly isFolded: boolean;
}

/** Forms of one letter (full width, composed, capital) are the same token. */
function tokensOf(text: string, salt: string, { byLetter, isFolded }: TokenRules): Token[] {
  const [seedA, seedB] = [hash32(salt, 0x811c9dc5), hash32(salt, 0x2f0b4479)];
  const tokens: Token[] = [];
  const add = (word: string, from: number, isInside: boolean) => {
    const form = (isFolded ? folded(word) : word.normalize('NFKC')).toLowerCase();
    tokens.push({ from, to: from + word.length, a: hash32(form, seedA), b: hash32(form, seedB), isInside });
  };
  for (const { 0: word, index } of text.matchAll(TOKENS)) {
    if (!byLetter || !JOINED.test(word)) add(word, index, false);
    else
      for (const { 0: letter, index: at } of word.matchAll(JOINED_LETTERS))
        add(letter, index + at, at > 0 && HANGUL.test(letter));
  }
  return tokens;
}

/** The imprint of words; undefined where they have neither letter nor digit. Punctuation, spaces and capitals make no difference. */
export const imprintOf = (words: string, salt: string): Imprint | undefined =>
  imprintOfTokens(tokensOf(withoutInvisible(words), salt, { byLetter: true, isFolded: false }));

/** The fewest tokens that are sought without their accents, too: one word without them is often another one (*schon*, *schön*). */
const FOLDED_TOKENS = 2;

/** The imprint of words, and that of the same without accents and in simplified Han where it is another one. */
export function imprintsOf(words: string, salt: string): readonly Imprint[] {
  const asTyped = imprintOf(words, salt);
  if (!asTyped || asTyped.tokens < FOLDED_TOKENS) return asTyped ? [asTyped] : [];
  const plain = imprintOfTokens(tokensOf(withoutInvisible(words), salt, { byLetter: true, isFolded: true }));
  return plain && plain.hash !== asTyped.hash ? [asTyped, plain] : [asTyped];
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
  /** True where one of the stretches stands in the text. */
  has(text: string): boolean;
  /** Where they stand, [from, to) in order, without overlaps. */
  spansIn(text: string): readonly Span[];
  /** The text with a mark in the place of each stretch, and how many there were. */
  hide(text: string): { readonly text: string; readonly redacted: number };
}
type Span = readonly [from: number, to: number];

/** Finds what the imprints stand for. The work is linear in the text's length for each length of stretch that is sought. */
export function createMatcher(imprints: readonly Imprint[], salt: string): Matcher {
  const byLength = new Map<number, Set<string>>();
  for (const { tokens, hash } of imprints)
    byLength.set(tokens, (byLength.get(tokens) ?? new Set()).add(hash));
  // Longer ones first: what a shorter one stands in goes as a whole.
  const lengths = [...byLength].sort(([one], [other]) => other - one);

  function* spansOf(tokens: readonly Token[], shortest = 1): Generator<Span> {
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
        if (!first || first.isInside || !hashes.has(hex(a) + hex(b))) continue;
        yield [first.from, token.to];
      }
    }
  }

  const findsFolded = lengths.some(([length]) => length >= FOLDED_TOKENS);

  /** In the text as it stands, and as it is read. */
  function* everySpan(text: string): Generator<Span> {
    if (lengths.length === 0) return;
    for (const { text: form, startOf, endOf } of writtenForms(text)) {
      const both = findsFolded && folded(form) !== form ? [false, true] : [false];
      for (const byLetter of JOINED.test(form) ? [false, true] : [false])
        for (const isFolded of both) {
          const tokens = tokensOf(form, salt, { byLetter, isFolded });
          for (const [from, to] of spansOf(tokens, isFolded ? FOLDED_TOKENS : 1))
            yield [startOf(from), endOf(to)];
        }
    }
  }

  const spansIn = (text: string): readonly Span[] => {
    const spans: [number, number][] = [];
    for (const [from, to] of [...everySpan(text)].sort(([one], [other]) => one - other)) {
      const last = spans.at(-1);
      // One that overlaps the one before goes with it.
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
