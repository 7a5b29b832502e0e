// Comma- or tab-separated values (RFC 4180): rows in pieces, each below the column headers.
import { decodeFile } from '../../domain/text/encoding.ts';
import { ExtractionRefused, type Extractor, Sections } from './extractor.ts';
import { addTable, MAX_CELL, MAX_COLUMNS, type TableRow } from './table-sections.ts';

/** Characters at the beginning in which the separator of cells is detected. */
const SAMPLE = 8_192;

function separatorOf(text: string): string {
  const head = text.slice(0, SAMPLE).replace(/"[^"]*"/g, '');
  const count = (sign: string) => head.split(sign).length;
  return ['\t', ';', ',', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best), ',');
}

/** Parses the rows of a text; an unclosed quote ends with the text. Linear. */
function* rowsOf(text: string): Generator<TableRow> {
  const separator = separatorOf(text);
  let cells: string[] = [];
  let held = '';
  let at = 1;
  let quoted = false;
  const end = () => {
    if (cells.length < MAX_COLUMNS) cells.push(held.slice(0, MAX_CELL));
    held = '';
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i] as string;
    if (quoted) {
      if (sign !== '"') held += sign;
      else if (text[i + 1] === '"') {
        held += '"';
        i += 1;
      } else quoted = false;
    } else if (sign === '"' && held.trim() === '') {
      quoted = true;
      held = '';
    } else if (sign === separator) end();
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[i + 1] === '\n') i += 1;
      end();
      yield { at, cells };
      cells = [];
      at += 1;
    } else held += sign;
  }
  end();
  yield { at, cells };
}

export const csv: Extractor = {
  extract: async (bytes) => {
    const decoded = decodeFile(bytes);
    if (!decoded) throw new ExtractionRefused('damaged', 'It is no text');
    const sections = new Sections();
    addTable(sections, [...rowsOf(decoded.text)], (first, last) => ({
      kind: 'rows',
      name: first === last ? String(first) : `${first}–${last}`,
    }));
    return sections.done();
  },
};
