// How other people's words stand in a prompt: whatever they are, they cannot be taken for the app's, the person's or the model's own.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const TAGS = /<(?=\/?(?:recalled_memory|standing_notes|passage|earlier)\b)/gi;
/** All that some reader takes for the end of a line. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** The text with our own tags in it made harmless. */
export const quoted = (text: string): string => text.replace(TAGS, '‹');

/**
 * The text with `> ` in front of each line. No line of a quotation can pass for a role, a tag or an instruction of the app, whichever
 * letters it is written in: what begins without the sign is not quoted.
 */
export const quotedLines = (text: string): string =>
  quoted(text)
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join('\n');

/** Letters that take no room, and spaces: an end of a file may be written with them in between. */
const UNSEEN = /[\p{Cf}\p{Z}\s]+/gu;

/**
 * An attached text between marks that name it. Where its words hold something like the end of a file, the marks carry a number made
 * of the words themselves, which therefore cannot stand in them.
 */
export function quotedFile(name: string, words: string): string {
  const label = `name="${name.replaceAll('"', "'").replace(/[\p{Cc}<>]+/gu, ' ')}"`;
  const holdsEnd = words.normalize('NFKC').replace(UNSEEN, '').toLowerCase().includes('/file>');
  const number = holdsEnd ? ` id="${bytesToHex(sha256(utf8ToBytes(words))).slice(0, 12)}"` : '';
  return `<file ${label}${number}>\n${words}\n</file${number}>`;
}
