// Pieces of Markdown. Signs in the words are left as they are: people search for `snake_case`, not for `snake\_case`.

/** A heading of Markdown on one line, its level held between 1 and 6; without words, ''. */
export const heading = (level: number, text: string): string => {
  const words = oneLine(text);
  return words === '' ? '' : `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${words}`;
};

/** The words of a heading. */
export const plainHeading = (text: string): string => text.replace(/^#+\s*/, '');

/** The text on one line: every run of white space becomes one space. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|');

/** Rows of cells as a table, the first of them its head; cells that a row lacks are empty. Empty where there are no words. */
export function table(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((text) => text.trim() !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cell(row[at] ?? '')).join(' | ')} |`;
  const [head = [], ...rest] = filled;
  return [line(head), `|${' --- |'.repeat(width)}`, ...rest.map(line)].join('\n');
}
