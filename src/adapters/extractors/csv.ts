// Comma- or tab-separated values (RFC 4180): rows in pieces, each below the column headers.
import { decodeFile } from '../../domain/text/encoding.ts';
import { separatedRows } from '../../domain/text/separated-values.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { addTable, MAX_CELL, MAX_COLUMNS, type TableRow } from './table-sections.ts';

/** Characters at the beginning in which the separator of cells is detected. */
const SAMPLE = 8_192;

function separatorOf(text: string): string {
  const head = text.slice(0, SAMPLE).replace(/"[^"]*"/g, '');
  const count = (sign: string) => head.split(sign).length;
  return ['\t', ';', ',', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best), ',');
}

function rowsOf(text: string): TableRow[] {
  return [...separatedRows(text, separatorOf(text))].map((cells, at) => ({
    at: at + 1,
    cells: cells.slice(0, MAX_COLUMNS).map((cell) => startOf(cell, MAX_CELL)),
  }));
}

export const csv: Extractor = {
  extract: async (bytes) => {
    const decoded = decodeFile(bytes);
    if (!decoded) throw new ExtractionRefused('damaged', 'It is no text');
    const sections = new Sections();
    addTable(sections, rowsOf(decoded.text), (first, last) => ({
      kind: 'rows',
      name: first === last ? String(first) : `${first}–${last}`,
    }));
    return sections.done();
  },
};
