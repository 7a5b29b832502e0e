// The stretch of a passage where the question's words are.
import { cutToTokens, estimateTokens } from '../context/tokens.ts';
import { queryWords } from './words.ts';

const MAX_MATCHES = 200;

/** A word of a query and how it is written in a text. */
interface Written {
  readonly term: string;
  readonly pattern: RegExp;
}

/** Many passages are cut for one query after another: its words are looked up once. */
const writtenAs = (() => {
  let known: { readonly query: string; readonly written: readonly Written[] } = { query: '', written: [] };
  return (query: string): readonly Written[] => {
    if (known.query !== query) {
      const written = queryWords(query)
        .split(' ')
        .flatMap((term): Written[] => {
          const joined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
            term,
          );
          // Porter writes "potteri" for "pottery": what both begin with is looked for.
          const stem = (term.length > 4 ? term.replace(/i$/, '') : term).replace(/[^\p{L}\p{M}\p{N}]/gu, '');
          if (!stem) return [];
          const source = joined ? stem : String.raw`(?<![\p{L}\p{N}])${stem}[\p{L}\p{M}]{0,12}`;
          return [{ term, pattern: new RegExp(source, 'giu') }];
        });
      known = { query, written };
    }
    return known.written;
  };
})();

/** Start and end of every place where a word of the query is written, in order; a stem matches the beginning of a word. */
export function matchesIn(text: string, query: string): { start: number; end: number; term: string }[] {
  const found: { start: number; end: number; term: string }[] = [];
  for (const { term, pattern } of writtenAs(query))
    for (const match of text.matchAll(pattern)) {
      found.push({ start: match.index, end: match.index + match[0].length, term });
      if (found.length >= MAX_MATCHES) break;
    }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Where to begin so that `width` characters hold the most different words of the query; the earliest such place. */
function bestStart(text: string, query: string, width: number): number {
  const matches = matchesIn(text, query);
  let best = 0;
  let most = 0;
  for (const { start } of matches) {
    const terms = new Set(
      matches
        .filter((match) => match.start >= start && match.end <= start + width * 0.8)
        .map(({ term }) => term),
    );
    if (terms.size > most) [best, most] = [start, terms.size];
  }
  return best;
}

/** At most `width` characters on one line around the words of the query, with an ellipsis where something is left out. */
export function snippetOf(text: string, query: string, width = 240): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= width) return line;
  const at = bestStart(line, query, width);
  let start = Math.max(0, Math.min(at - Math.floor(width / 5), line.length - width + 2));
  if (start > 0) {
    const space = line.indexOf(' ', start);
    if (space >= 0 && space < at && space - start < 24) start = space + 1;
  }
  const end = Math.min(line.length, start + width - (start > 0 ? 2 : 1));
  const cut = line
    .slice(start, end)
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
    .trim();
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`;
}

/** A passage cut to at most `tokens`, keeping the stretch that holds the query's words. */
export function excerptOf(text: string, query: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  if (tokens < 4) return '';
  const width = Math.max(8, Math.floor((text.length * tokens) / estimateTokens(text)) - 4);
  const at = Math.max(0, bestStart(text, query, width) - Math.floor(width / 8));
  if (at === 0 || estimateTokens(text.slice(0, at)) < 12) return cutToTokens(text, tokens);
  const rest = text.slice(Math.min(at, Math.max(0, text.length - width))).replace(/^[\udc00-\udfff]/, '');
  return cutToTokens(`… ${rest.trimStart()}`, tokens);
}
