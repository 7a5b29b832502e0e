// Cutting text where a reader would pause.

const LETTER = /\p{L}/u;
const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/** What a sign counts as, looked up once: ranking asks of the beginnings of hundreds of passages, and patterns make a string of each letter. */
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

/** Share of a text's letters that are Han, kana or Hangul, 0–1: those that are as wide as they are high. */
export function cjkShare(text: string): number {
  const { han, hangul } = sharesOf(text);
  return han + hangul;
}

const END =
  /(?<=[。！？]["'”’」』）)]*)(?=[^\s"'”’」』）)。！？])|(?<=[.!?…]["'”’)\]]*)\s+(?=\S)|(?<=[。！？][^\S\n]*)\n|\n+/u;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|no|fig|approx|[a-z])\.$/i;

/** Sentences in order, trimmed, without empty ones. Each is verbatim in the text. Lines end sentences; abbreviations do not. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split(/\n+/)) {
    let held = '';
    for (const piece of line.split(END)) {
      if (!piece) continue;
      const joined = held ? `${held} ${piece}` : piece;
      if (ABBREVIATION.test(piece.trimEnd()) && line.includes(joined)) {
        held = joined;
        continue;
      }
      held = '';
      sentences.push(joined.trim());
    }
    if (held) sentences.push(held.trim());
  }
  return sentences.filter(Boolean);
}

/** Prose as plain words: code fences, inline marks, link targets, headings, bullets and HTML tags taken away. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n[ \t]{0,3}\1[^\n]*|$)/gm, '\n')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>\n]{0,300}>/gi, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>+|[-*+]|\d+[.)])[ \t]+/gm, '')
    .replace(/(\*\*|__|~~|`)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+.*$/gm, '')
    .replace(/[ \t]+/g, ' ');
}

/**
 * Letters, digits and signs that say something (a currency, an arrow, a face, the minus of a number) alone, in lower case, with single spaces
 * between: two wordings that differ in punctuation only are one. Vowels that are written as marks are letters.
 */
export const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?:(?!(?<![\p{L}\p{N}])[-−]\p{N})[^\p{L}\p{M}\p{N}\p{S}])+/gu, ' ')
    .trim();
