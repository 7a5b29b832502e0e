// Normalises unusual writing for detectors: full-width letters and digits of a Chinese keyboard, non-breaking spaces
// and hyphens, dashes between digits, digits of other scripts, invisible characters, and what JSON or Markdown escaped
// in a text. A number copied from a page is then the same number.

interface PlainForm {
  readonly text: string;
  /** Position in the original text of the character at `place` in `text`. */
  readonly at: (place: number) => number;
}

/** Chinese commas, colons, question and exclamation marks stay: the detectors know them. */
const FULL_WIDTH = /[\uff02-\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5e]/g;
const SPACE = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const HYPHEN = /[\u2010\u2011]|(?<=[\d)] ?)[\u2012-\u2015\u2212](?= ?[\d(])/g;
const OTHER_DIGIT = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g;
/** Digits of Arabic, Persian, Hindi, Bengali and Thai stand in a row from zero to nine. */
const ZEROS = '\u0660\u06f0\u0966\u09e6\u0e50';
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/;
/** `{\"password\": \"…\"}`, JSON in JSON, also several times; and `sk\-proj\_…`, as Markdown is written out. */
const ESCAPE = /\\{1,15}(?=["'_*~-])/g;
const UNUSUAL = new RegExp(
  [FULL_WIDTH, SPACE, HYPHEN, OTHER_DIGIT, INVISIBLE, ESCAPE].map(({ source }) => source).join('|'),
);

/** Returns the digit of another script as ASCII. */
const asciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0);
  const zero = [...ZEROS].find((one) => code - one.charCodeAt(0) >= 0 && code - one.charCodeAt(0) < 10);
  return zero === undefined ? digit : String(code - zero.charCodeAt(0));
};

/** Returns the plain form; null if the text is already plain. */
export function plainForm(written: string): PlainForm | null {
  if (!UNUSUAL.test(written)) return null;
  const text = written
    .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
    .replace(SPACE, ' ')
    .replace(OTHER_DIGIT, asciiDigit)
    .replace(HYPHEN, '-')
    // As long as it was, and left out below.
    .replace(ESCAPE, (slashes) => '\u200b'.repeat(slashes.length));
  if (!INVISIBLE.test(text)) return { text, at: (place) => place };
  const places: number[] = [];
  let shown = '';
  for (let at = 0; at < text.length; at++)
    if (!INVISIBLE.test(text[at] as string)) {
      shown += text[at];
      places.push(at);
    }
  return { text: shown, at: (place) => places[place] ?? text.length };
}
