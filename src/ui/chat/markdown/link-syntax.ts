// Links whose address has spaces, which models forget to write as `%20`: `[report](https://example.com/My report.pdf)`.
// CommonMark takes them for words, and the first half of the address for a link.
import { labelEnd } from 'micromark-core-commonmark';
import type { Extension } from 'micromark-util-types';
import { readingAs } from './reading-as.ts';

const CLOSING = 93;
const SPACE = 32;
/** Replaces a space within an address: any letter would do. */
const LETTER = 97;
const LONGEST = 1_000;

const TARGET = /^\]\((https?:\/\/[^\s()<>/]+\/[^\r\n()<>]*(?:\([^\r\n()<>]*\)[^\r\n()<>]*)*)\)/i;
/**
 * The last word of an address goes on with its path or its query, or ends as a file's
 * name does; words of a sentence do not.
 */
const GOES_ON = /[/=]|\.[A-Za-z0-9]{2,5}(?:[?#]|$)/;

/** Leaves out the title that stands between quotation marks behind an address. */
function withoutTitle(target: string): string {
  const said = target.trimEnd();
  const quote = said.at(-1) ?? '';
  const from = /["']/.test(quote) ? said.lastIndexOf(` ${quote}`, said.length - 2) : -1;
  return from < 0 ? said : said.slice(0, from).trimEnd();
}

/** Returns the end of the address with spaces that stands behind the bracket at `at`; `at` if there is none. */
function spacedEnd(source: string, at: number): number {
  const address = withoutTitle(TARGET.exec(source.slice(at, at + LONGEST))?.[1] ?? '');
  const last = address.lastIndexOf(' ') + 1;
  return last > 0 && GOES_ON.test(address.slice(last)) ? at + 2 + address.length : at;
}

/** The micromark extension for one text. */
export function linkSyntax(source: string): Extension {
  if (!/\]\(http/i.test(source)) return {};
  const spaced = {
    ...labelEnd,
    name: 'labelEndSpaced',
    tokenize: readingAs(labelEnd, (context) => {
      const end = spacedEnd(source, context.now().offset);
      return (code, offset) => (code === SPACE && offset < end ? LETTER : code);
    }),
  };
  return { disable: { null: ['labelEnd'] }, text: { [CLOSING]: spaced } };
}
