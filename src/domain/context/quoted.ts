// Quotes other people's words in a prompt, so that they cannot be mistaken for the
// app's, the person's or the model's own.
import { hashOfText } from '../base/hash.ts';

const TAGS = /<(?=\/?(?:recalled_memory|standing_notes|passage|earlier)\b)/gi;
/** Everything that some reader takes for the end of a line. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Makes our own tags in a text harmless. */
export const escapeOwnTags = (text: string): string => text.replace(TAGS, '‹');

/**
 * Puts `> ` before each line of a text. No line of a quotation can then pass for a role, a tag or an instruction of the
 * app, in whichever letters: only lines without the sign are unquoted.
 */
export const quotedLines = (text: string): string =>
  escapeOwnTags(text)
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join('\n');

/** Zero-width characters and spaces: an end of a file may be written with them in between. */
const UNSEEN = /[\p{Cf}\p{Z}\s]+/gu;

/**
 * Puts an attached text between marks that name it. If its words contain something like the end of a file, the marks
 * carry a number computed from the words, which therefore cannot occur in them.
 */
export function quotedFile(name: string, words: string): string {
  const label = `name="${name.replaceAll('"', "'").replace(/[\p{Cc}\p{Zl}\p{Zp}<>]+/gu, ' ')}"`;
  const holdsEnd = words.normalize('NFKC').replace(UNSEEN, '').toLowerCase().includes('/file>');
  const number = holdsEnd ? ` id="${hashOfText(words, 12)}"` : '';
  return `<file ${label}${number}>\n${words}\n</file${number}>`;
}
