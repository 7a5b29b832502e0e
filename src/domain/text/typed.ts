// Keeps typed text exact. Pure.

/** Trims a text's empty lines and spaces, but keeps the first line's indentation, which code needs. */
export const withoutEmptyEdges = (text: string): string =>
  text.replace(/^(?:[^\S\r\n]*(?:\r\n|\n|\r))+/, '').trimEnd();

/**
 * Restores line breaks that a text field has changed to `\n`: an unchanged text becomes `former` itself; a changed one
 * gets `\r\n` if all line breaks of `former` were.
 */
export function restoreLineBreaks(value: string, former: string): string {
  if (value === former.replace(/\r\n?/g, '\n')) return former;
  const isCrlf = former.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(former);
  return isCrlf ? value.replaceAll('\n', '\r\n') : value;
}
