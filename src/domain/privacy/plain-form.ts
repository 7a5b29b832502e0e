// Normalises unusual writing for detectors: full-width letters and digits of a Chinese keyboard, non-breaking spaces
// and hyphens, dashes between digits, invisible characters. A number copied from a page is then the same number.

interface PlainForm {
  readonly text: string;
  /** Position in the original text of the character at `place` in `text`. */
  readonly at: (place: number) => number;
}

/** Chinese commas, colons, question and exclamation marks stay: the detectors know them. */
const FULL_WIDTH = /[\uff02-\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5e]/g;
const SPACE = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const HYPHEN = /[\u2010\u2011]|(?<=[\d)] ?)[\u2012\u2013\u2212](?= ?[\d(])/g;
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/;
const UNUSUAL = new RegExp([FULL_WIDTH, SPACE, HYPHEN, INVISIBLE].map(({ source }) => source).join('|'));

/** Returns the plain form; null if the text is already plain. */
export function plainForm(written: string): PlainForm | null {
  if (!UNUSUAL.test(written)) return null;
  const text = written
    .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
    .replace(SPACE, ' ')
    .replace(HYPHEN, '-');
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
