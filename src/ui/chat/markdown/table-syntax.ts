// Tables of GitHub's Markdown. In a row with more cells than the head, a bar within code or a formula separates no
// cells: most people forget to escape it, and text behind the last column would not be shown. A row of dashes with
// another number of cells than the head makes a table, too.
import { gfmTable } from 'micromark-extension-gfm-table';
import type { Construct, Extension } from 'micromark-util-types';
import { isDollarFormula } from './formula-rule.ts';
import { readingAs } from './reading-as.ts';

const BAR = 124;
/** Replaces a bar that separates no cells: any letter would do. */
const LETTER = 97;
const NO_BARS: ReadonlySet<number> = new Set();
/** Line ends are codes below that of a tab. */
const TAB = -2;
const SPACE_SIGN = 32;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** Lists the offsets of a row's bars, escaped ones left out. */
const barsIn = (row: string): number[] =>
  [...row.matchAll(/\\[\s\S]|\|/g)].flatMap(({ 0: sign, index }) => (sign === '|' ? [index] : []));

/** Counts the cells of a row with these `bars`; bars at its ends only enclose it. */
function cellsOf(row: string, bars: readonly number[]): number {
  const words = row.trim();
  const opens = words.startsWith('|') ? 1 : 0;
  const closes = words.length > 1 && bars.at(-1) === row.trimEnd().length - 1 ? 1 : 0;
  return bars.length + 1 - opens - closes;
}

/** Stretches of code between equally long runs of backticks. */
function codeIn(row: string): [from: number, to: number][] {
  const runs = [...row.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, length: run.length }));
  const last = new Map(runs.map(({ length }, place) => [length, place]));
  const found: [number, number][] = [];
  for (let place = 0; place < runs.length; place += 1) {
    const { at, length } = runs[place] as { at: number; length: number };
    if ((last.get(length) ?? 0) <= place) continue;
    let end = place + 1;
    while (runs[end]?.length !== length) end += 1;
    found.push([at, (runs[end] as { at: number }).at]);
    place = end;
  }
  return found;
}

/** Stretches of formulas in a row, between dollar signs or brackets with a backslash. */
const formulasIn = (row: string): [from: number, to: number][] =>
  [...row.matchAll(/\\\((?:[^\\]|\\[^()])*\\\)|\\[\s\S]|\$((?:[^$\\]|\\[\s\S])+)\$/g)].flatMap(
    ({ 0: whole, 1: inside, index }): [number, number][] =>
      whole.startsWith('\\(') || (inside !== undefined && isDollarFormula(inside, '', ''))
        ? [[index, index + whole.length - 1]]
        : [],
  );

/** The bars of `a || b`, which stand side by side. */
const doubledIn = (row: string): [from: number, to: number][] =>
  [...row.matchAll(/(?<=[^\s|\\] )\|\|(?= [^\s|])/g)].map(({ index }) => [index - 1, index + 1]);

/** Stretches of addresses of links, and of links between notes: `[[a|b]]`. */
const linksIn = (row: string): [from: number, to: number][] =>
  [...row.matchAll(/\]\([^\s()]{1,2000}\)|\[\[[^[\]]{1,500}\]\]/g)].map(({ 0: whole, index }) => [
    index,
    index + whole.length - 1,
  ]);

/** A row that may have such a stretch. */
const MAY_HAVE_WORDS = /[`$]|\\\(|\|\||\]\(|\[\[/;

/** Picks the bars of a row that separate no cells, so that it has at most `columns` cells. */
function wordsIn(row: string, columns: number): ReadonlySet<number> {
  let bars = barsIn(row);
  const words = new Set<number>();
  for (const stretchesIn of [codeIn, formulasIn, linksIn, doubledIn]) {
    if (cellsOf(row, bars) <= columns) break;
    const stretches = stretchesIn(row);
    const within: number[] = [];
    const others: number[] = [];
    let next = 0;
    for (const at of bars) {
      while ((stretches[next]?.[1] ?? at) < at) next += 1;
      ((stretches[next]?.[0] ?? at) < at ? within : others).push(at);
    }
    if (cellsOf(row, others) < columns) continue;
    for (const at of within) words.add(at);
    bars = others;
  }
  return words;
}

/** The bars behind code of a row that has not ended. */
function barsInOpenCode(row: string): ReadonlySet<number> {
  const last = codeIn(row).at(-1)?.[1] ?? -1;
  const open = [...row.matchAll(/`+/g)].find(({ index }) => index > last)?.index;
  return open === undefined ? NO_BARS : new Set(barsIn(row).filter((at) => at > open));
}

const lineAt = (source: string, at: number): string => {
  const end = source.slice(at).search(/[\r\n]/);
  return end < 0 ? source.slice(at) : source.slice(at, at + end);
};

/** Numbers of cells that a table's first two lines tell. */
interface Shape {
  /** Cells of the row of dashes; 0: no table. */
  readonly columns: number;
  /** Cells of the head, where the row of dashes has another number and is read as if it had as many; else 0. */
  readonly head: number;
}
const NO_TABLE: Shape = { columns: 0, head: 0 };

const BLANK_THEN_ROW = /(?:\r\n|\n|\r(?!\n))[ \t>]*(?:\r\n|\n|\r(?!\n))[ \t>]*(?=\|)/y;
/** Offset of a line that begins with a bar below the one empty line that the line end at `at` begins; -1: none. */
function rowBehindBlank(source: string, at: number): number {
  BLANK_THEN_ROW.lastIndex = at;
  return BLANK_THEN_ROW.test(source) ? BLANK_THEN_ROW.lastIndex : -1;
}
const isDelimiters = (source: string, at: number): boolean => DELIMITERS.test(lineAt(source, at).trimEnd());

/** True if a row of dashes stands below the line at `at`, which makes that the head of another table. */
function isHeadAt(source: string, at: number): boolean {
  const end = at + lineAt(source, at).length;
  const below = end + (source.startsWith('\r\n', end) ? 2 : 1);
  const next = below + (/^[ \t>]*/.exec(source.slice(below, below + 100))?.[0].length ?? 0);
  const apart = rowBehindBlank(source, end);
  return isDelimiters(source, next) || (apart >= 0 && isDelimiters(source, apart));
}

/**
 * True if a table goes on below the empty line that the line end at `at` begins: many models set rows apart. Such a row
 * has bars at both ends and as many cells as the head. `partial`: a row that ends the text may have fewer yet.
 */
function goesOnBelow(
  source: string,
  at: number,
  { columns, partial }: { columns: number; partial: boolean },
): boolean {
  const next = rowBehindBlank(source, at);
  if (next < 0 || isHeadAt(source, next)) return false;
  const row = lineAt(source, next);
  const words = MAY_HAVE_WORDS.test(row) ? wordsIn(row, columns) : NO_BARS;
  const cells = cellsOf(
    row,
    barsIn(row).filter((bar) => !words.has(bar)),
  );
  const isWritten = partial && next + row.length === source.length;
  return isWritten ? cells <= columns + 1 : cells === columns && row.trimEnd().endsWith('|');
}

/** Reads the shape of a table whose head begins at `at`. `partial`: a row of dashes that ends the text may go on. */
function shapeAt(source: string, at: number, partial: boolean): Shape {
  const head = lineAt(source, at);
  const next = at + head.length;
  const apart = head.trimStart().startsWith('|') ? rowBehindBlank(source, next) : -1;
  if (apart >= 0) return shapeApart(head, lineAt(source, apart).trimEnd());
  const line = lineAt(source, source.startsWith('\r\n', next) ? next + 2 : next + 1);
  const below = line.replace(/^[ \t>]+/, '').trimEnd();
  if (!DELIMITERS.test(below)) return NO_TABLE;
  const columns = cellsOf(below, barsIn(below));
  const isWritten = partial && source.endsWith(line) && next + 2 + line.length >= source.length;
  // Bars at the edge of both lines tell a table from words above a rule.
  if (isWritten || !head.trimStart().startsWith('|') || !below.startsWith('|')) return { columns, head: 0 };
  const words = wordsIn(head, columns);
  const cells = cellsOf(
    head,
    barsIn(head).filter((bar) => !words.has(bar)),
  );
  return { columns: Math.max(columns, cells), head: cells === columns ? 0 : cells };
}

/** The shape of a table with an empty line below its head: only where both lines have as many cells. */
function shapeApart(head: string, below: string): Shape {
  const columns = DELIMITERS.test(below) ? cellsOf(below, barsIn(below)) : 0;
  const words = wordsIn(head, columns);
  const bars = barsIn(head).filter((bar) => !words.has(bar));
  return columns > 0 && cellsOf(head, bars) === columns ? { columns, head: 0 } : NO_TABLE;
}

/** Returns a row of dashes of the same length that has `cells` cells; the row itself if there is no room. */
function withCells(row: string, cells: number): string {
  const bars = barsIn(row);
  if (cellsOf(row, bars) > cells) {
    const end = bars[cells] as number;
    return row.slice(0, end + 1) + row.slice(end + 1).replace(/./g, ' ');
  }
  // The last cell becomes several, or, where it is too short, the whole row.
  const last = (bars[cellsOf(row, bars) - 1] ?? -1) + 1;
  for (const [from, count] of [
    [last, cells - cellsOf(row, bars) + 1],
    [0, cells],
  ] as const)
    if (2 * count - 1 <= row.length - from)
      return (
        row.slice(0, from) +
        '-|'
          .repeat(count)
          .slice(0, -1)
          .padEnd(row.length - from, '-')
      );
  return row;
}

/** The micromark extension for one text. `partial`: it is still being written, and code in its last row will end. */
export function tableSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const table = [gfmTable().flow?.null].flat()[0] as Construct;
  /** The table that is being read, and the line of its head. */
  let { columns, head } = NO_TABLE;
  let headLine = 0;
  /** The head begins with a bar, so its rows have one. */
  let isBarred = false;
  let isRow = false;
  const reading = readingAs(table, (context) => {
    const before = context.events.findLast(([, { type }]) => !SPACE.has(type))?.[1].type ?? '';
    isRow = before === 'tableHead' || before === 'tableRow';
    if (!isRow) {
      const start = context.now();
      isBarred = /^[ \t]*\|/.test(lineAt(source, start.offset));
      headLine = start.line;
      ({ columns, head } = shapeAt(source, start.offset, partial));
    }
    let line = -1;
    let from = 0;
    let words = NO_BARS;
    let dashes = '';
    const isApart = (at: number, here: number): boolean =>
      !isRow && here === headLine
        ? rowBehindBlank(source, at) >= 0
        : goesOnBelow(source, at, { columns, partial });
    return (code, offset, here) => {
      if (here !== line) {
        [line, from] = [here, offset];
        const row = columns === 0 ? '' : lineAt(source, offset);
        const isWritten = partial && offset + row.length === source.length;
        words = MAY_HAVE_WORDS.test(row) ? wordsIn(row, columns) : NO_BARS;
        if (isWritten && words.size === 0 && row.includes('`')) words = barsInOpenCode(row);
        dashes = head > 0 && here === headLine + 1 ? withCells(row, head) : '';
      }
      // The line end before an empty line is a space of its row, so that the row goes on to the next one.
      if (code !== null && code < TAB && columns > 0 && isBarred && isApart(offset, here)) return SPACE_SIGN;
      // A tab keeps its own sign.
      if (code !== null && code >= 0 && dashes !== '') return dashes.charCodeAt(offset - from);
      return code === BAR && words.has(offset - from) ? LETTER : code;
    };
  });
  return {
    flow: {
      null: {
        ...table,
        tokenize(effects, ok, nok) {
          const inner = reading.call(this, effects, ok, nok);
          const mayBeWords = isRow && isBarred;
          // Words right below a table are words, although GitHub makes a row of them.
          return (code) =>
            mayBeWords && !lineAt(source, this.now().offset).includes('|') ? nok(code) : inner(code);
        },
      },
      ...(/\n[ \t>]*\|/.test(source) ? { [BAR]: tableBelow(source, partial) } : {}),
    },
  };
}

/** Ends the list or the quotation above a table at the edge, which CommonMark takes for words of the last item. */
const tableBelow = (source: string, partial: boolean): Construct => ({
  name: 'tableBelow',
  tokenize(_effects, ok, nok) {
    return (code) => {
      const { line, offset } = this.now();
      if (!this.interrupt || !this.parser.lazy[line]) return nok(code);
      const below = offset + lineAt(source, offset).length + 1;
      const isWhole = !partial || below + lineAt(source, below + 1).length + 1 < source.length;
      return isWhole && shapeAt(source, offset, false).columns > 0 ? ok(code) : nok(code);
    };
  },
});

/** True if a line with a bar in it follows one that begins with a bar: while it comes, it is words. */
export const mayMixRows = (text: string): boolean =>
  /^[ \t>]*\|[^\r\n]*\r?\n[ \t>]*[^|\s>][^|\r\n]*\|/m.test(text);

const SPACE: ReadonlySet<string> = new Set(['lineEnding', 'linePrefix']);
