// Cutting text where a reader would pause.

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Share of a text's letters that are Han, kana or Hangul, 0–1. */
export function cjkShare(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 ? 0 : (text.match(CJK)?.length ?? 0) / letters;
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

/** Letters and digits alone, in lower case, with single spaces between: two wordings that differ in marks only are one. */
export const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
