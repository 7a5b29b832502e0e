// A text with the words of a query marked, found the way the index finds them: by stem, by segment, by pair of Han characters.
import { type ReactNode, useMemo } from 'react';
import { queryWords, words } from '../../domain/memory/words.ts';
import { replaceCode, withoutLinks } from '../../domain/text/markdown.ts';

const HAN_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['_][\p{L}\p{M}\p{N}]+)*/gu;
const IS_HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Most tokens whose search words are kept at hand. */
const KNOWN_TOKENS = 4_000;

/** Many texts are marked for one query after another: its words are looked up once. */
const wordsOf = (() => {
  let known = { query: '', wanted: new Set<string>() };
  return (query: string): ReadonlySet<string> => {
    if (known.query !== query)
      known = { query, wanted: new Set(queryWords(query).split(' ').filter(Boolean)) };
    return known.wanted;
  };
})();

/** The search words of single tokens: the same ones come again with each key. */
const tokenWords = (() => {
  const known = new Map<string, readonly string[]>();
  return (token: string): readonly string[] => {
    let found = known.get(token);
    if (!found) {
      found = words(token).split(' ');
      if (known.size >= KNOWN_TOKENS) known.clear();
      known.set(token, found);
    }
    return found;
  };
})();

/** Stretches of `text` that match `query`, as [from, to) pairs in order. `typing`: the last word may be half written. */
export function matchesIn(text: string, query: string, typing = false): [number, number][] {
  const wanted = wordsOf(query);
  const half = typing ? (/(?<![\p{L}\p{N}])[\p{L}\p{N}]{2,}$/u.exec(query)?.[0] ?? '').toLowerCase() : '';
  if (wanted.size === 0 && half === '') return [];
  const hit = new Uint8Array(text.length);
  const mark = (from: number, to: number) => hit.fill(1, from, to);

  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (IS_HAN.test(token)) continue;
    const lower = token.toLowerCase();
    if ((half !== '' && lower.startsWith(half)) || tokenWords(token).some((word) => wanted.has(word)))
      mark(index, index + token.length);
  }
  for (const { 0: run, index } of text.matchAll(HAN_RUN)) {
    for (let at = 0; at + 1 < run.length; at++)
      if (wanted.has(run.slice(at, at + 2))) mark(index + at, index + at + 2);
    for (const word of wanted)
      if (IS_HAN.test(word))
        for (let at = run.indexOf(word); at >= 0; at = run.indexOf(word, at + 1))
          mark(index + at, index + at + word.length);
  }

  const stretches: [number, number][] = [];
  for (let at = 0; at < hit.length; at++) {
    if (!hit[at]) continue;
    const from = at;
    while (at < hit.length && hit[at]) at++;
    stretches.push([from, at]);
  }
  return stretches;
}

/** A paragraph with the line under a table's head, or with a line that is all cells. */
const TABLE = /\|\s*:?-{3}|-{3}:?\s*\||^[ \t]*\|.*\|[ \t]*$/m;

/** The cells of a table with a dot between two; a pipe in any other paragraph is the person's own. */
const cellsOf = (paragraph: string): string =>
  TABLE.test(paragraph)
    ? paragraph
        .replace(/[^\S\n]+/g, ' ')
        .replace(/\|?\s{0,3}:?(?<!-)-{3,}:?\s{0,3}(?=\||$)/gm, ' ')
        .replace(/\s{0,3}\|\s{0,3}/g, ' · ')
    : paragraph;

/** Markdown's own signs say nothing in a line or two of plain text; code is said word for word. */
export function plainText(text: string): string {
  const code: string[] = [];
  // Code is taken out while the signs around it are read, so that none of its own is taken for one.
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
      // Emphasis is not within a formula (`x**2`), and is of words: `__init__` is a name.
      .replace(/(?<![A-Za-z0-9_)\]])\*\*(?=\S)|(?<=\S)\*\*(?![A-Za-z0-9_(])/g, '')
      .replace(/__(?=[^\W_]*[^\w\n])([^_\n]+)__/g, '$1')
      .replace(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '$1')
      .replace(/\s+/g, ' ')
      .replace(/(?<! ·)(?: ·)+(?= |$)/g, ' ·')
      // A table after the words that announce it.
      .replace(/(?<=[:：]) ·(?= )/g, '')
      .replace(/^[\s·]+|(?<![\s·])[\s·]+$/g, '')
      .replace(/\ue000(\d+)\ue001/g, (mark, at: string) => code[Number(at)] ?? mark)
  );
}

/** A long text from a little before its first match, so that the match is seen in two lines. */
export function excerpt(text: string, query: string, room = 160): string {
  const plain = plainText(text);
  const first = matchesIn(plain, query)[0]?.[0] ?? 0;
  if (first < room * 0.6) return plain;
  const from = Math.max(0, first - Math.round(room * 0.3));
  const space = plain.indexOf(' ', from);
  return `… ${plain.slice(space > from && space < first ? space + 1 : from)}`;
}

export function MarkedText({
  text,
  query,
  typing = false,
}: {
  text: string;
  query: string;
  typing?: boolean;
}) {
  const pieces = useMemo(() => {
    const out: ReactNode[] = [];
    let at = 0;
    for (const [from, to] of matchesIn(text, query, typing)) {
      if (from > at) out.push(text.slice(at, from));
      out.push(<mark key={from}>{text.slice(from, to)}</mark>);
      at = to;
    }
    out.push(text.slice(at));
    return out;
  }, [text, query, typing]);
  return <>{pieces}</>;
}
