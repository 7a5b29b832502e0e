// The one tokeniser: the search words of a text. Passages and questions are split in the same way, so that they match.
// Only letters and digits come out, in lower case, so splitting them again changes nothing.
import { asHiragana, folded, withLongVowels, withoutInvisible, withPlainDigits } from './fold.ts';
import { languageOf, stemIn, type TextLanguage } from './language-stems.ts';
import { partedIn } from './parted-words.ts';
import { type Segment, wordSegments } from './segments.ts';
import { addSpellings, joinTelephones, plainFigures } from './spellings.ts';
import { addPairs, addWord, MAX_WORD } from './stems.ts';
import { isClearlyMeaningfulPair, isMeaningfulPair, isStopWord } from './stop-words.ts';
import { inWordsOfChina } from './words-of-taiwan.ts';

/**
 * Longest text that is read, characters: chunks are far shorter, and a pasted book used as
 * a query need not be read to its end.
 */
const MAX_TEXT = 60_000;
/** Most terms in a query: each costs the index a search, and a pasted page has thousands. */
export const MAX_QUERY_TERMS = 96;

// ---------------------------------------------------------------------------------------------------------------- runs
/**
 * Kind of a character. JOINED: of a script without spaces between words. PAIRED: of such
 * a script that is also read as pairs.
 */
const [UNKNOWN, BETWEEN, NAME, JOINED, PAIRED] = [0, 1, 2, 3, 4];
const SAYS = /^[\p{L}\p{M}\p{N}]$/u;
const IS_PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]$/u;
const IS_JOINED = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
/** Computed once for each character of the first plane: patterns make a string of each. */
const kinds = new Uint8Array(0x1_0000);

function newKind(sign: string): number {
  if (!SAYS.test(sign)) return BETWEEN;
  return IS_PAIRED.test(sign) ? PAIRED : IS_JOINED.test(sign) ? JOINED : NAME;
}

/** Kind of the character at `at`. */
function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  // Above the first plane a character is two units long.
  if (unit >= 0xd800 && unit <= 0xdfff) return newKind(String.fromCodePoint(text.codePointAt(at) as number));
  const known = kinds[unit] as number;
  if (known !== UNKNOWN) return known;
  const kind = newKind(String.fromCharCode(unit));
  kinds[unit] = kind;
  return kind;
}
const lengthAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1;

/** End of the run of characters of one kind that begins at `at`. */
function endOf(text: string, at: number, isOf: (kind: number, unit: number) => boolean): number {
  let to = at;
  while (to < text.length && isOf(kindAt(text, to), text.charCodeAt(to))) to += lengthAt(text, to);
  return to;
}
const isName = (kind: number): boolean => kind === NAME;
const isNameOrLine = (kind: number, unit: number): boolean => kind === NAME || unit === 0x5f;
const isJoined = (kind: number): boolean => kind >= JOINED;
const isPaired = (kind: number): boolean => kind === PAIRED;
/** Signs within identifiers, paths, versions and dates. */
const JOINERS = new Set(Array.from("'_-./\\:@#+", (sign) => sign.charCodeAt(0)));

/** Splits a text into runs, in order: stretches of a script without spaces, and names with the signs within them. */
function runsOf(text: string): string[] {
  const runs: string[] = [];
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind === BETWEEN) {
      at += lengthAt(text, at);
      continue;
    }
    let to = endOf(text, at, kind === NAME ? isName : isJoined);
    while (kind === NAME && JOINERS.has(text.charCodeAt(to))) {
      const next = endOf(text, to + 1, isNameOrLine);
      if (next === to + 1) break;
      to = next;
    }
    runs.push(text.slice(at, to));
    at = to;
  }
  return runs;
}
const isJoinedRun = (run: string): boolean => isJoined(kindAt(run, 0));

/** Finds the stretches of a run that are read as pairs. */
function pairedIn(run: string): string[] {
  const stretches: string[] = [];
  for (let at = 0; at < run.length; ) {
    const to = endOf(run, at, isPaired);
    if (to > at) stretches.push(run.slice(at, to));
    at = to > at ? to : at + lengthAt(run, at);
  }
  return stretches;
}

// --------------------------------------------------------------------------------------------------------------- names
const PIECES = /[\p{L}\p{M}\p{N}]+/gu;
// fooBar → foo Bar, HTTPServer → HTTP Server
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** An ordinary word: no signs, inner capitals or figures. */
const PLAIN = /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/;

/** A name in code whose parts are words: `HTTPServer`, `httpServer`. */
const IDENTIFIER = /^(?:\p{Lu}{2,}|\p{Ll}{3,})\p{Lu}\p{Ll}{2,}$/u;
/**
 * A name of two parts with inner capitals, such as `YouTube`. A search must not depend on
 * how the letters of a query were typed.
 */
const isBrand = (pieces: readonly string[], humps: readonly string[]): boolean =>
  pieces.length === 1 &&
  humps.length === 2 &&
  /^\p{L}+$/u.test(pieces[0] as string) &&
  !IDENTIFIER.test(pieces[0] as string);

/** A hexadecimal digest, as of a commit; people use its first seven digits. */
const DIGEST = /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,128}$/i;
const SHORT_DIGEST = 7;

/** For the index, for a question (only the whole of `YouTube`), or quick: no word is split any further. */
type Purpose = 'index' | 'question' | 'quick';

/** Adds the pieces of `snake_case`, `camelCase`, `a/path.ts`, `1.2.3`, and the whole as one word. */
function addName(run: string, purpose: Purpose, out: string[]): void {
  const add = (word: string) => addWord(word.toLowerCase(), out, purpose !== 'quick');
  if (PLAIN.test(run)) {
    add(run);
    return;
  }
  let bare = run;
  if (run.includes("'")) {
    const own = run.replace(/'(?:s|re|ve|ll|d|m|t)$/i, '');
    // A plural of figures, `90's`, or their possessive: `iOS 17's`.
    const [figures] = /(?<!\d)\d{1,9}(?='s$)/i.exec(run) ?? [];
    if (figures !== undefined) add(`${figures}s`);
    bare = own.replaceAll("'", '');
    // `l'hôtel` and `O'Brien` are also found without their first part.
    for (const part of own.split("'").slice(1))
      for (const piece of part.match(PIECES) ?? []) if (piece.length > 2) add(piece);
  }
  const pieces = bare.match(PIECES) ?? [];
  const humps = pieces.flatMap((piece) => piece.split(HUMPS));
  if (purpose !== 'question' || !isBrand(pieces, humps)) for (const piece of humps) add(piece);
  for (const piece of pieces) {
    if (DIGEST.test(piece)) out.push(piece.slice(0, SHORT_DIGEST).toLowerCase());
    // Within a longer name, a name of two words is also one word: `React.useState`.
    else if (pieces.length > 1 && /\p{Ll}\p{Lu}/u.test(piece)) add(piece);
  }
  if (humps.length < 2) return;
  // A name of code with the words user and name has the word `username`.
  if (purpose !== 'quick' && humps.length > 2) for (const { word } of partedIn(humps.join(' '))) add(word);
  let whole = '';
  for (const piece of pieces) {
    // An x between digits keeps 1.23 apart from 123.
    whole += whole && /\p{N}$/u.test(whole) && /^\p{N}/u.test(piece) ? `x${piece}` : piece;
    if (whole.length > MAX_WORD) return;
  }
  // Otherwise `youtube` would not find `YouTube`, nor `nodejs` `Node.js`.
  add(whole);
  const [, version] = /^v(\d+(?:x\d+)+)$/i.exec(whole) ?? [];
  if (version !== undefined) out.push(version);
}

/** Caches the terms of recent names: people and models repeat them. */
const names = new Map<string, readonly string[]>();
function wordsOfName(run: string): readonly string[] {
  const known = names.get(run);
  if (known) return known;
  const found: string[] = [];
  addName(run, 'quick', found);
  if (names.size > 50_000) names.clear();
  if (run.length <= MAX_WORD) names.set(run, found);
  return found;
}

// --------------------------------------------------------------------------------------------- for index and questions
/** Adds pairs of traditional characters and katakana as written, beside their simplified ones and hiragana. */
function exactPairs(run: string, form: string, out: string[]): void {
  const [characters, others] = [[...run], [...form]];
  // Signs that fold together move all that stand behind them.
  if (characters.length !== others.length) return;
  for (let i = 0; i + 1 < characters.length; i++)
    if (characters[i] !== others[i] || characters[i + 1] !== others[i + 1])
      out.push(`${characters[i]}${characters[i + 1]}`);
}

/** Kana that end a verb within a Japanese word, which many leave out: 打ち合わせ is 打合せ as well. */
const OKURIGANA = /(\p{Script=Han})[ちりいしきみびっけえめれべせげ](?=(\p{Script=Han}))/gu;

function joinedRun(run: string, segments: readonly Segment[], out: string[]): void {
  // A word of two characters returns as a pair below, and so weighs double: this measured better than once.
  for (const { text, isWord } of segments)
    if (isWord && text.length <= MAX_WORD && !isStopWord(text)) out.push(text);
  for (const stretch of pairedIn(asHiragana(run))) addPairs(stretch, isMeaningfulPair, out);
  for (const [, one, other] of run.matchAll(OKURIGANA)) out.push(`${one}${other}`);
}

/** Some writers separate the parts of a Persian word by this character, others by a space or by nothing. */
const NON_JOINER = /(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

function everyWord(text: string, purpose: Purpose, known?: TextLanguage): string[] {
  const out: string[] = [];
  const clean = withoutInvisible(
    withLongVowels(text.slice(0, MAX_TEXT)).normalize('NFKC').replace(NON_JOINER, '-'),
  )
    .replaceAll('’', "'")
    // Non-breaking hyphens, and the minus sign.
    .replace(/[\u2010\u2212]/g, '-');
  const plain = withPlainDigits(clean);
  const runs = runsOf(plainFigures(purpose === 'question' ? joinTelephones(clean) : clean, out));
  const forms = runs.map(folded);
  const segments = wordSegments(forms.filter(isJoinedRun)).values();
  const language = known ?? languageOf(clean);
  runs.forEach((run, at) => {
    const form = forms[at] as string;
    if (isJoinedRun(form)) {
      joinedRun(form, segments.next().value ?? [], out);
      exactPairs(run, asHiragana(form), out);
      // Each pair once, so that a passage with the word itself ranks first.
      const others: string[] = [];
      for (const word of inWordsOfChina(run)) addPairs(word, isMeaningfulPair, others);
      out.push(...[...new Set(others)].filter((pair) => !form.includes(pair)));
      return;
    }
    addName(form, purpose, out);
    if (language !== undefined)
      for (const [piece] of form.toLowerCase().matchAll(PIECES)) {
        const stem = stemIn(language, piece);
        if (stem !== undefined) out.push(stem);
      }
    // The written form is a word as well, so that the same spelling ranks first.
    if (form === run || run.length > MAX_WORD) return;
    const written = run.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
    out.push(written);
    // The spelling of keyboards without umlauts, with the same stem.
    if (/[äöüøå]/.test(written))
      addWord(folded(written.replace(/[äöüøå]/g, (letter) => UMLAUTS[letter] as string)), out);
  });
  addSpellings(plain, out);
  return out;
}

/**
 * The search words of a passage, space-separated, with accents, ligatures, widths, traditional characters and
 * figures folded (written forms beside):
 * - English: Porter stems (Porter, "An algorithm for suffix stripping", 1980) without stop words
 * - Chinese and Japanese: words and pairs of characters; those of Taiwan also as China has them
 * - identifiers and paths: pieces and the whole
 * - dates: one canonical form beside their own
 * - texts in one of ten other languages: its stems, too; `language`: that of the text around it
 */
export const words = (text: string, language?: TextLanguage): string =>
  everyWord(text, 'index', language).join(' ');

/**
 * The search words of a question: like `words`, each once, at most 96. A longer question keeps the terms of its end.
 */
export function queryWords(text: string): string {
  const all = [...new Set(everyWord(text, 'question'))];
  return (all.length > MAX_QUERY_TERMS ? all.slice(-MAX_QUERY_TERMS) : all).join(' ');
}

// ----------------------------------------------------------------------------------------------- for every send: quick
/**
 * The search words of a text in order, with repetitions, quickly, as every send needs them: no segmenter, no second
 * spellings. Han and kana become pairs, or a single character; another script without spaces stays whole.
 */
export function termsOf(text: string): string[] {
  const out: string[] = [];
  for (const run of runsOf(folded(text.slice(0, MAX_TEXT)).slice(0, MAX_TEXT))) {
    if (!isJoinedRun(run)) for (const word of wordsOfName(run)) out.push(word);
    else if (run.length === 1 || !isPaired(kindAt(run, 0))) out.push(run.slice(0, MAX_WORD));
    else addPairs(asHiragana(run), isClearlyMeaningfulPair, out);
  }
  return out;
}

/** Counts each term of a text. */
export function termCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** A beginning of so many characters nearly always has two terms. */
const BEGINNING = 30;

/** True if a text has at least two different terms. */
export function hasTerms(text: string): boolean {
  const several = (some: string) => new Set(termsOf(some)).size >= 2;
  const end = text.length > 2 * BEGINNING ? text.lastIndexOf(' ', BEGINNING) : -1;
  // Cut at a space, so that words of the beginning are words of the whole.
  return (end > 0 && several(text.slice(0, end))) || several(text);
}

// --------------------------------------------------------------------------------------- whether two speak of the same
/** Most characters of a passage that are compared, and most letters of a word: enough to match inflected forms. */
const [COMPARED, LETTERS] = [1_500, 5];
const FIGURE_OR_LETTERS = /\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}]+/gu;

/** Reduces a text to rough words: beginnings of words, pairs of characters, figures unchanged. Linear in the text. */
export function roughWords(text: string): { readonly words: Set<string>; readonly figures: Set<string> } {
  const words = new Set<string>();
  const figures = new Set<string>();
  const start = text.slice(0, COMPARED).normalize('NFKC').toLowerCase();
  for (const run of runsOf(plainFigures(start, []))) {
    if (isJoinedRun(run)) {
      const pairs: string[] = [];
      addPairs(run, () => true, pairs);
      for (const pair of pairs) words.add(pair);
      continue;
    }
    for (const [piece] of run.matchAll(FIGURE_OR_LETTERS))
      if (/^\p{N}/u.test(piece)) {
        figures.add(piece);
        words.add(piece);
      } else if (!isStopWord(piece)) words.add(piece.slice(0, LETTERS));
  }
  return { words, figures };
}
