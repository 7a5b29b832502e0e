// Pages and documents that an answer is based on: which of them a person sees, and
// the list of them for copies and files.
import { asPlainMarkdown } from '../text/markdown.ts';
import { startOf } from '../text/whole-characters.ts';
import type { Part, PartOf } from './message.ts';

/** A page with an http(s) address, or a document: the address '', with its title, the cited words, or both. */
export type CitedSource = NonNullable<PartOf<'text'>['sources']>[number];

/** Longest words of a document that are kept as cited, characters. */
export const LONGEST_CITED = 600;

/**
 * Trims cited words; ends longer ones with an ellipsis after `LONGEST_CITED` characters, so
 * that nobody takes them for the whole.
 */
export function shortenCited(words: string): string {
  const cited = words.trim();
  if (cited.length <= LONGEST_CITED) return cited;
  return `${startOf(cited, LONGEST_CITED).trimEnd()}…`;
}

/** Returns the sources that can be shown, in the endpoint's order: the answer's numbers (`[2]`) count them. */
export const shownSources = (sources: readonly CitedSource[]): CitedSource[] =>
  sources.filter(({ url, title, cited }) =>
    url === '' ? Boolean(title || cited) : /^https?:\/\/[^\s/]/i.test(url),
  );

/** Escapes brackets by number: `\[a\]` is a formula to the readers of many models' answers, ours too. */
const inLine = (text: string): string =>
  asPlainMarkdown(text).replaceAll('\\[', '&#91;').replaceAll('\\]', '&#93;');

const percentEncoded = (sign: string): string =>
  /[()]/.test(sign) ? `%${sign.charCodeAt(0).toString(16)}` : encodeURIComponent(sign);

/** Writes the sources of a text as a numbered Markdown list below `heading`; '' if it has none. */
export function sourcesAsMarkdown({ sources = [] }: PartOf<'text'>, heading: string): string {
  const lines = shownSources(sources).map(({ url, title, cited }, at) => {
    const name = inLine(title ?? '');
    const quote = cited ? `“${inLine(cited)}”` : '';
    if (url === '') return `${at + 1}. ${[name, quote].filter(Boolean).join(': ')}`;
    // Any of these would end the target, or an address that stands alone.
    const address = url.replace(/[\s()<>]/g, percentEncoded);
    return `${at + 1}. ${name === '' ? `<${address}>` : `[${name}](${address})`}`;
  });
  return lines.length === 0 ? '' : `${heading}\n\n${lines.join('\n')}`;
}

/** Joins the texts of a message as they were said, each with its sources below: what a copy or a file of it has. */
export const textWithSources = (parts: readonly Part[], heading: string): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? [part.text, sourcesAsMarkdown(part, heading)] : []))
    .filter((text) => text !== '')
    .join('\n\n');
