// Builds Markdown. It does not escape signs in words, since people search for `snake_case` and not for `snake\_case`.

/** Returns a one-line heading of level 1 to 6; an empty string if there are no words. */
export const heading = (level: number, text: string): string => {
  const words = oneLine(text);
  return words === '' ? '' : `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${words}`;
};

/** Returns the words of a heading. */
export const plainHeading = (text: string): string => text.replace(/^#+\s*/, '');

/** The text on one line: every run of white space becomes one space. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|');

/**
 * Formats rows of cells as a table with the first row as its head; missing cells are empty. Returns an empty string
 * if there are no words.
 */
export function table(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((text) => text.trim() !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cell(row[at] ?? '')).join(' | ')} |`;
  const [head = [], ...rest] = filled;
  return [line(head), `|${' --- |'.repeat(width)}`, ...rest.map(line)].join('\n');
}
