// Excel files (ECMA-376, SpreadsheetML): each sheet as a table in pieces, with their range of cells. A formula is shown
// by its last result, or by its own text if no result is stored.
import { Parser } from 'htmlparser2';
import { startOf } from '../../domain/text/whole-characters.ts';
import { type Extractor, Sections } from './extractor.ts';
import { addTable, MAX_CELL, MAX_COLUMNS, type TableRow } from './table-sections.ts';
import { allOf, childrenOf, firstOf, parseTree, relationships, textIn } from './xml.ts';
import { openPackage, pathFrom } from './zip-package.ts';

interface Workbook {
  readonly strings: readonly string[];
  readonly formats: readonly Format[];
  /** Days from the start of the calendar to 1970. */
  readonly epoch: number;
}
type Format = 'plain' | 'date' | 'percent';

/** Ids of built-in date formats (ECMA-376, 18.8.30). */
const DATES = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);
const PERCENT = new Set([9, 10]);
const DAY_MS = 86_400_000;

export const xlsx: Extractor = {
  extract: async (bytes, { onProgress }) => {
    const zip = await openPackage(bytes);
    const path = 'xl/workbook.xml';
    const book = parseTree(await zip.text(path), 'xml');
    const related = relationships(await zip.text('xl/_rels/workbook.xml.rels'));
    const optional = async (type: string): Promise<string | null> => {
      const target = related.ofType(type);
      const at = target === undefined ? undefined : pathFrom(path, target);
      return at !== undefined && zip.has(at) ? await zip.text(at) : null;
    };
    const styles = await optional('styles');
    const strings = await optional('sharedStrings');
    const workbook: Workbook = {
      strings: strings === null ? [] : allOf(parseTree(strings, 'xml'), 'si').map(stringOf),
      formats: styles === null ? [] : formatsOf(styles),
      epoch: ['1', 'true'].includes(firstOf(book, 'workbookPr')?.attributes.date1904 ?? '') ? 24_107 : 25_569,
    };
    const sheets = allOf(book, 'sheet');
    const sections = new Sections();
    for (const [at, { attributes }] of sheets.entries()) {
      onProgress(at, sheets.length);
      const target = related.target(attributes.id);
      const sheet = target === undefined ? undefined : pathFrom(path, target);
      if (sheet === undefined || !zip.has(sheet)) continue;
      const { rows, columns } = cellsOf(await zip.text(sheet), workbook);
      const isMore = addTable(sections, rows, (first, last) => ({
        kind: 'sheet',
        name: `${attributes.name ?? String(at + 1)} A${first}:${columnName(columns)}${last}`,
      }));
      if (!isMore) break;
    }
    return sections.done();
  },
};

/** Leaves out reading aids of East Asian cells. */
const stringOf = (element: Parameters<typeof allOf>[0]): string =>
  element.children
    .map((child) =>
      typeof child === 'string' || child.name === 'rPh'
        ? ''
        : child.name === 't'
          ? textIn(child)
          : stringOf(child),
    )
    .join('');

function formatsOf(styles: string): Format[] {
  const tree = parseTree(styles, 'xml');
  const own = new Map(
    allOf(tree, 'numFmt').map(({ attributes }) => [Number(attributes.numFmtId), attributes.formatCode ?? '']),
  );
  const cells = firstOf(tree, 'cellXfs');
  return (cells ? childrenOf(cells, 'xf') : []).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0);
    // Skips text in quotes, in brackets or after a backslash, since it does not mean a date.
    const code = (own.get(id) ?? '').replace(/"[^"]*"|\[[^[\]]*\]|\\./g, '');
    if (PERCENT.has(id) || code.includes('%')) return 'percent';
    return DATES.has(id) || (code !== 'General' && /[dmyhs]/i.test(code)) ? 'date' : 'plain';
  });
}

/** Returns 1 for A, 27 for AA; 0 if the reference names no column. */
const columnOf = (reference: string): number => {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
};

const columnName = (column: number): string => {
  let name = '';
  for (let left = Math.max(1, column); left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
};

/** Reads the rows of a sheet as they are displayed, without building a tree: a sheet may have a million rows. */
function cellsOf(text: string, workbook: Workbook): { rows: TableRow[]; columns: number } {
  const rows: TableRow[] = [];
  let columns = 1;
  let cells: string[] = [];
  let at = 0;
  let cell: { column: number; type: string; format: Format } | null = null;
  let value = '';
  let formula = '';
  let reads: 'value' | 'formula' | null = null;
  /** True inside a reading aid above East Asian words. */
  let aside = false;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag(given, { r, t, s }) {
        const name = local(given);
        if (name === 'row') {
          cells = [];
          at = Number(r) || at + 1;
        } else if (name === 'c') {
          cell = {
            column: columnOf(r ?? '') || cells.length + 1,
            type: t ?? 'n',
            format: workbook.formats[Number(s ?? 0)] ?? 'plain',
          };
          value = '';
          formula = '';
        } else if (name === 'rPh') aside = true;
        else if (name === 'v' || name === 't') reads = aside ? null : 'value';
        else if (name === 'f') reads = 'formula';
      },
      ontext(piece) {
        if (!cell || !reads) return;
        if (reads === 'value') value += piece;
        else formula += piece;
      },
      onclosetag(given) {
        const name = local(given);
        if (name === 'v' || name === 't' || name === 'f') reads = null;
        else if (name === 'rPh') aside = false;
        else if (name === 'c' && cell) {
          const result = shownValue(value, cell.type, cell.format, workbook);
          // Programs that write workbooks without calculating store no result.
          const shown = startOf(result === '' && formula !== '' ? `=${formula}` : result, MAX_CELL);
          if (shown !== '' && cell.column <= MAX_COLUMNS) {
            while (cells.length < cell.column) cells.push('');
            cells[cell.column - 1] = shown;
            columns = Math.max(columns, cell.column);
          }
          cell = null;
        } else if (name === 'row' && cells.length > 0) rows.push({ at, cells });
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  return { rows, columns };
}

function shownValue(value: string, type: string, format: Format, { strings, epoch }: Workbook): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || value === '') return value;
  const number = Number(value);
  if (!Number.isFinite(number) || format === 'plain') return value;
  if (format === 'percent') return `${Number((number * 100).toPrecision(12))}%`;
  const when = new Date(Math.round((number - epoch) * DAY_MS));
  if (Number.isNaN(when.getTime())) return value;
  const [day, time] = when.toISOString().slice(0, 16).split('T') as [string, string];
  if (number < 1 && number >= 0) return time;
  return time === '00:00' ? day : `${day} ${time}`;
}
