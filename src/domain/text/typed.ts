// What a person types, to the letter. Pure.

/** Without the empty lines and spaces around it; its first line keeps its indentation, which code needs. */
export const withoutEmptyEdges = (text: string): string =>
  text.replace(/^(?:[^\S\r\n]*(?:\r\n|\n|\r))+/, '').trimEnd();

/**
 * What a text field holds of a text that was there before, `former`: a field makes each line break `\n`. Words that were not changed come back
 * as they were, and others with the line breaks of `former` where all of those are `\r\n`.
 */
export function fromField(value: string, former: string): string {
  if (value === former.replace(/\r\n?/g, '\n')) return former;
  const isCrlf = former.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(former);
  return isCrlf ? value.replaceAll('\n', '\r\n') : value;
}
