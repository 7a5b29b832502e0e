// Takes pictures out of the words of an answer: gateways of models that draw write them as Markdown with all their
// bytes. As words they would be sent back with each later request, and no window is that large.
import { type Fence, fenceAfter } from '../../domain/text/code.ts';

const BEGINS = /!\[[^\]\n]{0,200}\]\(data:image\/[\w.+-]{1,40};base64,/i;
const MAY_BEGIN = /^!(?:\[[^\]\n]{0,200}(?:\](?:\([^)\s]{0,60})?)?)?$/;
/** More characters than such a beginning has. */
const LONGEST_BEGINNING = 270;
const PICTURE = /\((data:image\/[\w.+-]{1,40};base64,[\w+/=-]{64,})/i;
/** Ends the bytes of a picture: the bracket, or words behind one that has none. */
const NO_DIGIT = /[^\w+/=-]/;
/** Characters of a line that tell if it opens a fence. */
const LINE = 60;

/** Returns the place of what may be the beginning of a picture at the end of a text; −1 without one. */
function beginningIn(words: string): number {
  const at = words.lastIndexOf('![');
  if (at >= 0 && at >= words.length - LONGEST_BEGINNING && MAY_BEGIN.test(words.slice(at))) return at;
  return words.endsWith('!') ? words.length - 1 : -1;
}

/** Reads one answer; gives each picture to `draw`. In code it stays as it was written. */
export class PicturesInWords {
  readonly #draw: (url: string) => void;
  #held = '';
  /** A picture that has begun, in pieces. */
  #picture: string[] | undefined;
  #line = '';
  #fence: Fence | null = null;

  constructor(draw: (url: string) => void) {
    this.#draw = draw;
  }

  /** Returns the words that are certain. `isLast`: nothing follows. */
  read(text: string, isLast = false): string {
    let out = '';
    let rest = text;
    do {
      if (this.#picture) {
        const end = rest.search(NO_DIGIT);
        this.#picture.push(end < 0 ? rest : rest.slice(0, end));
        rest = end < 0 ? '' : rest.slice(end);
        if (end >= 0 || isLast) out += this.#finish(rest[0]);
        if (rest[0] === ')') rest = rest.slice(1);
        continue;
      }
      const words = this.#held + rest;
      const begun = BEGINS.exec(words);
      const until = begun?.index ?? (isLast ? -1 : beginningIn(words));
      out += this.#say(until < 0 ? words : words.slice(0, until));
      this.#held = begun || until < 0 ? '' : words.slice(until);
      rest = begun ? words.slice(begun.index + begun[0].length) : '';
      if (begun && this.#isCode()) out += this.#say(begun[0]);
      else if (begun) this.#picture = [begun[0]];
    } while (rest !== '');
    return out;
  }

  /** Returns the words to show for the picture that ends before this sign; undefined if nothing follows. */
  #finish(sign: string | undefined): string {
    const written = this.#picture?.join('') ?? '';
    this.#picture = undefined;
    const url = PICTURE.exec(written)?.[1];
    if (url === undefined) return this.#say(sign === ')' ? `${written})` : written);
    if (sign !== undefined) this.#draw(url);
    return '';
  }

  #isCode(): boolean {
    return this.#fence !== null || /^(?: {4}|\t)/.test(this.#line) || this.#line.split('`').length % 2 === 0;
  }

  #say(words: string): string {
    const lines = words.split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) {
        this.#fence = fenceAfter(this.#line, this.#fence);
        this.#line = '';
      }
      if (this.#line.length < LINE) this.#line += line.slice(0, LINE);
    }
    return words;
  }
}
