/**
 * Joins sentences, leaving out empty ones: with a space, but none after full-width
 * punctuation, which has its own space.
 */
export const sentences = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts
    .filter((part): part is string => Boolean(part))
    .reduce(
      (text, part) => (text === '' ? part : `${text}${/[。！？；：，）]$/.test(text) ? '' : ' '}${part}`),
      '',
    );
