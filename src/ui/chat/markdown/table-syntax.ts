// Tables of GitHub's Markdown. In a row with more cells than the head, a bar within code or a formula separates no cells: most people forget to
// escape it, and text behind the last column would not be shown.
import { gfmTable } from 'micromark-extension-gfm-table';
import type { Construct, Extension } from 'micromark-util-types';
import { isDollarFormula } from './formula-rule.ts';
import { readingAs } from './reading-as.ts';

const BAR = 124;
/** Replaces a bar that separates no cells: any letter would do. */
const LETTER = 97;
const NO_BARS: ReadonlySet<number> = new Set();
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
        ? [[index, index + whole.length]]
        : [],
  );

/** Picks the bars of a row that separate no cells, so that it has at most `columns` cells. */
function wordsIn(row: string, columns: number): ReadonlySet<number> {
  let bars = barsIn(row);
  const words = new Set<number>();
  for (const stretchesIn of [codeIn, formulasIn]) {
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

/** Counts the columns of a table whose head begins at `at`, by the line below; 0 if it is no table. */
function columnsAt(source: string, at: number): number {
  const next = at + lineAt(source, at).length;
  const below = lineAt(source, source.startsWith('\r\n', next) ? next + 2 : next + 1)
    .replace(/^[ \t>]+/, '')
    .trimEnd();
  return DELIMITERS.test(below) ? cellsOf(below, barsIn(below)) : 0;
}

/** The micromark extension for one text. `partial`: it is still being written, and code in its last row will end. */
export function tableSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const table = [gfmTable().flow?.null].flat()[0] as Construct;
  /** Columns of the table that is being read. */
  let columns = 0;
  return {
    flow: {
      null: {
        ...table,
        tokenize: readingAs(table, (context) => {
          const before = context.events.findLast(([, { type }]) => !SPACE.has(type))?.[1].type ?? '';
          if (before !== 'tableHead' && before !== 'tableRow')
            columns = columnsAt(source, context.now().offset);
          let line = -1;
          let from = 0;
          let words = NO_BARS;
          return (code, offset, here) => {
            if (here !== line) {
              [line, from] = [here, offset];
              const row = columns === 0 ? '' : lineAt(source, offset);
              const isWritten = partial && offset + row.length === source.length;
              words = /[`$]|\\\(/.test(row) ? wordsIn(row, columns) : NO_BARS;
              if (isWritten && words.size === 0 && row.includes('`')) words = barsInOpenCode(row);
            }
            return code === BAR && words.has(offset - from) ? LETTER : code;
          };
        }),
      },
    },
  };
}

const SPACE: ReadonlySet<string> = new Set(['lineEnding', 'linePrefix']);
