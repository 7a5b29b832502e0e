// Marks the words of a query in a text, matched as the index matches them.
import { type ReactNode, useMemo } from 'react';
import { matchesIn } from '../../domain/memory/snippet.ts';
import { replaceCode, withoutLinks } from '../../domain/text/markdown.ts';
import { useReadableWords } from '../shell/private-text.tsx';

/**
 * Parts of `text` that match `query`, as ordered, separate [from, to) pairs. `typing`: the last word may be incomplete.
 */
export function markedRanges(text: string, query: string, typing = false): [number, number][] {
  const half = typing ? (/(?<![\p{L}\p{N}])[\p{L}\p{N}]{2,}$/u.exec(query)?.[0] ?? '').toLowerCase() : '';
  const stretches: [number, number][] = [];
  for (const { start, end } of matchesIn(text, query, half)) {
    const last = stretches.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else stretches.push([start, end]);
  }
  return stretches;
}

/**
 * Matches a paragraph with the line below a table's head, with a line that is all
 * cells, or with rows joined to one line.
 */
const TABLE = /\|\s*:?-{3}|-{3}:?\s*\||^[ \t]*\|.*\|[ \t]*$|\|[ \t]+\|[^|\n]+\|/m;

/** Joins the cells of a table with dots; a pipe in any other paragraph is the person's own. */
const cellsOf = (paragraph: string): string =>
  TABLE.test(paragraph)
    ? paragraph
        .replace(/[^\S\n]+/g, ' ')
        .replace(/\|?\s{0,3}:?(?<!-)-{3,}:?\s{0,3}(?=\||$)/gm, ' ')
        .replace(/\s{0,3}\|\s{0,3}/g, ' · ')
    : paragraph;

/** Removes Markdown syntax, which means nothing in one or two lines of plain text; code stays verbatim. */
export function plainLine(text: string): string {
  const code: string[] = [];
  // Takes code out first, so that its characters are not read as Markdown.
  const prose = replaceCode(text, (said, isFenced) => {
    code.push(said.replace(/\s+/g, ' ').trim());
    return isFenced ? ` \ue000${code.length - 1}\ue001 ` : `\ue000${code.length - 1}\ue001`;
  });
  return (
    withoutLinks(prose)
      .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '')
      .split(/\n[ \t]*\n/)
      .map(cellsOf)
      .join('\n')
      .replace(/`/g, '')
      // Emphasis stands outside of formulas (`x**2`) and around words: `__init__` is a name.
      .replace(/(?<![A-Za-z0-9_)\]])\*\*(?=\S)|(?<=\S)\*\*(?![A-Za-z0-9_(])/g, '')
      .replace(/__(?=[^\W_]*[^\w\n])([^_\n]+)__/g, '$1')
      .replace(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '$1')
      .replace(/\s+/g, ' ')
      .replace(/(?<! ·)(?: ·)+(?= |$)/g, ' ·')
      // Drops the separator if a table follows words that announce it.
      .replace(/(?<=[:：]) ·(?= )/g, '')
      .replace(/^[\s·]+|(?<![\s·])[\s·]+$/g, '')
      .replace(/\ue000(\d+)\ue001/g, (mark, at: string) => code[Number(at)] ?? mark)
  );
}

/** Cuts a long text to start a little before its first match, so that it is seen within `length` characters. */
export function excerpt(text: string, query: string, length = 160): string {
  const plain = plainLine(text);
  const first = markedRanges(plain, query)[0]?.[0] ?? 0;
  if (first < length * 0.6) return plain;
  const from = Math.max(0, first - Math.round(length * 0.3));
  const space = plain.indexOf(' ', from);
  return `… ${plain.slice(space > from && space < first ? space + 1 : from)}`;
}

export function MarkedText({
  text: found,
  query,
  typing = false,
}: {
  text: string;
  query: string;
  typing?: boolean;
}) {
  const text = useReadableWords()(found);
  const pieces = useMemo(() => {
    const out: ReactNode[] = [];
    let at = 0;
    for (const [from, to] of markedRanges(text, query, typing)) {
      if (from > at) out.push(text.slice(at, from));
      out.push(<mark key={from}>{text.slice(from, to)}</mark>);
      at = to;
    }
    out.push(text.slice(at));
    return out;
  }, [text, query, typing]);
  return <>{pieces}</>;
}
