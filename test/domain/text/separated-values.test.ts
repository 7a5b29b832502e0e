// Tables of separated values: what a writer quotes, the reader gives back.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { separatedRows } from '../../../src/domain/text/separated-values.ts';

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

it.each([',', ';', '\t'])('gives back what was quoted, by the separator %j', (separator) => {
  const table = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), (rows, end) => {
      const text = rows.map((row) => row.map(quoted).join(separator)).join(end);
      expect([...separatedRows(text, separator)]).toEqual(rows);
    }),
  );
});

it('reads cells without quotes, and one whose quote never ends', () => {
  expect([...separatedRows('a,b "c"\nd, "e\nf', ',')]).toEqual([
    ['a', 'b "c"'],
    ['d', 'e\nf'],
  ]);
});
