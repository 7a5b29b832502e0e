// Splits text where a reader would pause.

const LETTER = /\p{L}/u;
const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/**
 * Class of a character, looked up once: ranking reads the beginnings of hundreds of passages, and a
 * pattern makes a string of each letter.
 */
const [UNKNOWN, NO_LETTER, OTHER, HAN, KOREAN] = [0, 1, 2, 3, 4];
const kinds = new Uint8Array(0x1_0000);
function kindOf(sign: string): number {
  if (!LETTER.test(sign)) return NO_LETTER;
  return HAN_OR_KANA.test(sign) ? HAN : HANGUL.test(sign) ? KOREAN : OTHER;
}

/** Shares of a text's letters, 0–1: those that are Han or kana, and those that are Hangul. */
function sharesOf(text: string): { han: number; hangul: number } {
  let [letters, han, hangul] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number;
    if (code > 0xffff) at++;
    let kind = kinds[code] ?? kindOf(String.fromCodePoint(code));
    if (kind === UNKNOWN) {
      kind = kindOf(String.fromCharCode(code));
      kinds[code] = kind;
    }
    if (kind !== NO_LETTER) letters++;
    if (kind === HAN) han++;
    if (kind === KOREAN) hangul++;
  }
  return letters === 0 ? { han: 0, hangul: 0 } : { han: han / letters, hangul: hangul / letters };
}

/** Share of a text's letters that are Han or kana, 0–1. */
export const hanShare = (text: string): number => sharesOf(text).han;

/** True for a text written mostly in Chinese or Japanese. */
export const isHan = (text: string): boolean => hanShare(text.slice(0, 2_000)) > 0.3;

/** True if a model that knows `languages` can read this text. Looks at scripts only: Latin counts as known. */
export const knowsLanguageOf = (languages: readonly string[] | 'any', text: string): boolean =>
  knowsHan(languages) || !isHan(text);
/** True if a model knows a language that Han characters belong to. */
export const knowsHan = (languages: readonly string[] | 'any'): boolean =>
  languages === 'any' || languages.some((language) => ['zh', 'ja', 'ko'].includes(language));

/** Share of a text's letters that are Han, kana or Hangul, 0–1: as wide as they are high. */
export function cjkShare(text: string): number {
  const { han, hangul } = sharesOf(text);
  return han + hangul;
}

const CJK_STOPS = '。！？';
const LATIN_STOPS = '.!?…';
/**
 * Parts that a sign can have in splitting. Signs that close a sentence behind its
 * stop differ for the two kinds of stop.
 */
const [SPACE, CJK_STOP, CJK_CLOSER, LATIN_STOP, LATIN_CLOSER] = [1, 2, 4, 8, 16];
/** Parts of each sign by its code, since a set would make a string of each letter. */
const parts = new Uint8Array(0x1_0000);
for (const [part, signs] of [
  // All that `\s` means.
  [
    SPACE,
    '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
  ],
  [CJK_STOP, CJK_STOPS],
  [CJK_CLOSER, '"\'”’」』）)'],
  [LATIN_STOP, LATIN_STOPS],
  [LATIN_CLOSER, '"\'”’)]'],
] as const)
  for (const sign of signs) parts[sign.charCodeAt(0)] = (parts[sign.charCodeAt(0)] ?? 0) | part;
const partOf = (line: string, at: number): number => parts[line.charCodeAt(at)] ?? 0;
/** Abbreviations that never end a sentence; neither does a single letter. */
const SHORT = ['e\\.g', 'i\\.e', ...'etc vs mr mrs ms dr st no fig approx [a-z]'.split(' ')];
/** Abbreviations that may end one: "at Acme Inc. He left". */
const SHORT_AT_END = [...'prof sr jr nr inc ltd co ca resp dept ext'.split(' '), '\\p{Lu}'];
const endingIn = (words: readonly string[]): RegExp =>
  new RegExp(`(?:^|[\\s(])(?:${words.join('|')})\\.$`, 'iu');
const ABBREVIATION = endingIn(SHORT);
const ANY_ABBREVIATION = endingIn([...SHORT, ...SHORT_AT_END]);

/** True for a text that ends in an abbreviation, including those that may end a sentence. */
export const endsAbbreviated = (text: string): boolean => ANY_ABBREVIATION.test(text);

/** Characters of the longest abbreviation with the sign before it. */
const LONGEST_ABBREVIATION = 8;

/**
 * Bounds of a line's pieces: a CJK stop with its closing quotes ends one at once, another stop only
 * before a space, which belongs to no piece.
 */
function* piecesOf(line: string): Generator<readonly [from: number, to: number]> {
  let [from, afterCjk, afterLatin] = [0, false, false];
  for (let at = 0; at < line.length; at++) {
    const part = partOf(line, at);
    if (part === 0 && !afterCjk && !afterLatin) continue;
    const isSpace = (part & SPACE) > 0;
    const isCjkStop = (part & CJK_STOP) > 0;
    const closesCjk = (part & CJK_CLOSER) > 0;
    if (afterCjk && !isSpace && !isCjkStop && !closesCjk) {
      yield [from, at];
      from = at;
    }
    if (afterLatin && isSpace) {
      let to = at + 1;
      while (to < line.length && (partOf(line, to) & SPACE) > 0) to++;
      if (to < line.length) {
        yield [from, at];
        from = to;
      }
      at = to - 1;
      afterCjk = false;
      afterLatin = false;
      continue;
    }
    afterCjk = isCjkStop || (afterCjk && closesCjk);
    afterLatin = (part & LATIN_STOP) > 0 || (afterLatin && (part & LATIN_CLOSER) > 0);
  }
  yield [from, line.length];
}

/** Bounds of a line's stretch without the spaces around it, moved by `start`; null if nothing is left. */
function trimmed(line: string, from: number, to: number, start: number): readonly [number, number] | null {
  const said = line.slice(from, to);
  const length = said.trim().length;
  const begin = start + from + said.length - said.trimStart().length;
  return length > 0 ? [begin, begin + length] : null;
}

/** Finds sentence after sentence, and reads no further than it is asked. */
function* spansIn(text: string): Generator<readonly [from: number, to: number] | null> {
  let start = 0;
  for (const line of text.split('\n')) {
    // Start of the sentence that continues behind an abbreviation; -1 for none.
    let held = -1;
    let before = 0;
    for (const [from, to] of piecesOf(line)) {
      const begin = held >= 0 && line.slice(before, from) === ' ' ? held : from;
      // A piece continues the sentence only if a single space separates it from the abbreviation.
      if (held >= 0 && begin === from) yield trimmed(line, held, before, start);
      const end = line.slice(Math.max(from, to - LONGEST_ABBREVIATION - 16), to).trimEnd();
      held = ABBREVIATION.test(end.slice(-LONGEST_ABBREVIATION)) ? begin : -1;
      if (held < 0) yield trimmed(line, begin, to, start);
      before = to;
    }
    if (held >= 0) yield trimmed(line, held, before, start);
    start += line.length + 1;
  }
}

/**
 * Finds the sentences, without the spaces around them: [from, to) in order. Lines end sentences; abbreviations do not.
 */
export function sentenceSpans(text: string): (readonly [from: number, to: number])[] {
  const spans: (readonly [number, number])[] = [];
  for (const span of spansIn(text)) if (span) spans.push(span);
  return spans;
}

/** Sentences in order, trimmed, without empty ones. Each occurs verbatim in the text. */
export const sentencesOf = (text: string): string[] =>
  sentenceSpans(text).map(([from, to]) => text.slice(from, to));

/** The same one by one, for those who need only the first ones. */
export function* eachSentence(text: string): Generator<string> {
  for (const span of spansIn(text)) if (span) yield text.slice(span[0], span[1]);
}

/** True if a text ends with a sentence, judged by its last sign. */
export const endsSentence = (text: string): boolean => /[.!?…。！？]["'”’」』）)\]]*$/u.test(text);

const SAYS = /[\p{L}\p{N}]/u;
const STRONG = ['. ', '; ', '。', '；', '\n'];
const WEAK = [', ', '，', '、', ',', ' '];

/** Cuts a text of more than `longest` UTF-16 units into pieces, behind pauses; drops pieces without words. */
export function cutAtPauses(text: string, longest: number): string[] {
  if (text.length <= longest) return [text];
  const out: string[] = [];
  let from = 0;
  while (text.length - from > longest) {
    const window = text.slice(from, from + longest);
    const lastOf = (marks: readonly string[]) =>
      Math.max(...marks.map((mark) => window.lastIndexOf(mark) + mark.length - 1));
    let cut = lastOf(STRONG);
    if (cut < longest / 3) cut = lastOf(WEAK);
    if (cut < longest / 3) cut = longest - 1;
    // A surrogate pair stays whole.
    const code = text.charCodeAt(from + cut);
    if (code >= 0xd800 && code <= 0xdbff) cut -= 1;
    const piece = text.slice(from, from + cut + 1).trim();
    if (SAYS.test(piece)) out.push(piece);
    from += cut + 1;
  }
  const rest = text.slice(from).trim();
  if (SAYS.test(rest)) out.push(rest);
  return out;
}

/**
 * Keeps letters (with their vowel marks), digits and meaningful signs (a currency, an arrow, a face, a number's minus),
 * in lower case with single spaces between: two wordings that differ only in punctuation become equal.
 */
export const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?:(?!(?<![\p{L}\p{N}])[-−]\p{N})[^\p{L}\p{M}\p{N}\p{S}])+/gu, ' ')
    .trim();
