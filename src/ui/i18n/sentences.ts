/** Space between a sentence and what follows it: none after full-width punctuation, which has its own. */
export const gapAfter = (text: string): string => (/[。！？；：，）]$/.test(text) ? '' : ' ');

/** Joins sentences, leaving out empty ones. */
export const sentences = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts
    .filter((part): part is string => Boolean(part))
    .reduce((text, part) => (text === '' ? part : `${text}${gapAfter(text)}${part}`), '');
