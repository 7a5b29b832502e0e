// Takes pictures out of the words of an answer: gateways of models that draw write them as Markdown, as a tag of HTML
// or bare, with all their bytes. As words they would be sent back with each later request; no window is that large.
import { type Fence, fenceAfter } from '../../domain/text/code.ts';

/** Writing around the bytes of a picture. */
type Form = 'markdown' | 'tag' | 'bare';

const ALT = String.raw`!\[(?:[^[\]]|\[[^[\]\n]{0,100}\]){0,200}`;
const DATA = String.raw`data:image\/[\w.+-]{1,40}(?:;[\w.=-]{1,60}){0,4};base64,`;
const BEGINS = new RegExp(
  String.raw`(${ALT}\]\(\s{0,5}<?)${DATA}|(<img\s(?:[^<>]{0,400}\s)?src\s{0,3}=\s{0,3}["']?)${DATA}|(?<!\S)${DATA}`,
  'i',
);
const MAY_BEGIN: readonly RegExp[] = [
  new RegExp(String.raw`^!$|^${ALT}(?:\[[^[\]\n]{0,100}|\](?:\(\s{0,5}<?[^)\s]{0,150})?)?$`),
  /^<(?:i(?:m(?:g(?:\s[^<>]{0,600})?)?)?)?$/i,
  /^(?:d(?:a(?:t(?:a(?::(?:i(?:m(?:a(?:g(?:e(?:\/[\w.+;=-]{0,150})?)?)?)?)?)?)?)?)?)?)$/i,
];
/** More characters than such a beginning has. */
const LONGEST_BEGINNING = 620;
/** Ends the bytes of a picture. */
const NO_DIGIT = /[^\w+/=%-]/;
/** Digits of a picture that is one; fewer are an example of how one is written. */
const LEAST = 64;
/** Digits of a line that is certainly one of a picture's bytes. */
const WHOLE_LINE = 40;
/** Closing of each form, behind the bytes. */
const CLOSES: Readonly<Record<Form, RegExp>> = {
  markdown: /^>?(?:\s{1,9}(?:"[^"]{0,300}"|'[^']{0,300}'|\([^()]{0,300}\)))?\s{0,9}\)/,
  tag: /^["']?[^<>]{0,600}>/,
  bare: /^/,
};
/** The beginnings of these. */
const MAY_CLOSE: Readonly<Record<Form, RegExp>> = {
  markdown: /^>?(?:\s{1,9}(?:"[^"]{0,300}"?|'[^']{0,300}'?|\([^()]{0,300}\)?)?)?\s{0,9}$/,
  tag: /^["']?[^<>]{0,600}$/,
  bare: /^$/,
};
/** A line end within the bytes, and the digits of the next line. */
const NEXT_LINE = /^[ \t]{0,9}\r?\n[ \t]{0,9}([\w+/=%-]*)/;
/** Characters of a line that tell if it opens a fence. */
const LINE = 60;

/** Returns the place of what may be the beginning of a picture at the end of a text; −1 without one. */
function beginningIn(words: string): number {
  const end = words.slice(-LONGEST_BEGINNING);
  const places = [
    end.endsWith('!') ? end.length - 1 : end.lastIndexOf('!['),
    end.lastIndexOf('<'),
    Math.max(end.lastIndexOf(' '), end.lastIndexOf('\n')) + 1,
  ];
  const found = places.filter((at, n) => at >= 0 && MAY_BEGIN[n]?.test(end.slice(at)) && at < end.length);
  return found.length === 0 ? -1 : words.length - end.length + Math.min(...found);
}

/** The address of a picture, with its bytes in one line and the usual digits; undefined for an example of one. */
function addressOf([begun = '', ...digits]: readonly string[]): string | undefined {
  const at = begun.toLowerCase().lastIndexOf('data:');
  const type = /^data:(image\/[\w.+-]{1,40})/i.exec(begun.slice(at))?.[1] ?? '';
  const bytes = digits
    .join('')
    .replace(/\s/g, '')
    .replace(/%2b/gi, '+')
    .replace(/%2f/gi, '/')
    .replace(/%3d/gi, '=')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return bytes.length < LEAST || bytes.includes('%') ? undefined : `data:${type};base64,${bytes}`;
}

/** Reads one answer; gives each picture to `draw`. In code it stays as it was written. */
export class PicturesInWords {
  readonly #draw: (url: string) => void;
  #held = '';
  /** A picture that has begun, in pieces, and what may end it. */
  #picture: { readonly form: Form; readonly pieces: string[] } | undefined;
  #line = '';
  #fence: Fence | null = null;

  constructor(draw: (url: string) => void) {
    this.#draw = draw;
  }

  /** Returns the words that are certain. `isLast`: nothing follows. */
  read(text: string, isLast = false): string {
    let out = '';
    let rest = this.#held + text;
    this.#held = '';
    while (rest !== '' || (isLast && this.#picture)) {
      const picture = this.#picture;
      if (picture) {
        const end = rest.search(NO_DIGIT);
        picture.pieces.push(end < 0 ? rest : rest.slice(0, end));
        rest = end < 0 ? '' : rest.slice(end);
        if (rest === '' && !isLast) break;
        const next = this.#behind(picture.form, rest, isLast);
        if (next === 'held') {
          this.#held = rest;
          break;
        }
        if (next === 'bytes') {
          const line = NEXT_LINE.exec(rest)?.[0] ?? '';
          picture.pieces.push(line);
          rest = rest.slice(line.length);
          continue;
        }
        this.#picture = undefined;
        const url = addressOf(picture.pieces);
        if (url === undefined) out += this.#say(picture.pieces.join(''));
        else {
          // One that breaks off is none.
          if (rest !== '' || picture.form === 'bare') this.#draw(url);
          rest = rest.slice(next);
        }
        continue;
      }
      const begun = BEGINS.exec(rest);
      const isWithin = begun && begun.index === 0 && begun[1] === undefined && begun[2] === undefined;
      // Bare bytes begin a word.
      if (isWithin && /\S$/.test(this.#line)) {
        out += this.#say(begun[0]);
        rest = rest.slice(begun[0].length);
        continue;
      }
      const until = begun?.index ?? (isLast ? -1 : beginningIn(rest));
      out += this.#say(until < 0 ? rest : rest.slice(0, until));
      this.#held = begun || until < 0 ? '' : rest.slice(until);
      if (!begun) break;
      rest = rest.slice(begun.index + begun[0].length);
      // A definition names its picture elsewhere.
      if (this.#isCode() || /^\[[^\]]{1,40}\]:\s*<?$/.test(this.#line)) out += this.#say(begun[0]);
      else this.#picture = { form: pictureForm(begun), pieces: [begun[0]] };
    }
    return out;
  }

  /** Tells what stands behind bytes: more of them, characters that close the picture, or what cannot be told yet. */
  #behind(form: Form, rest: string, isLast: boolean): 'bytes' | 'held' | number {
    const [, digits] = NEXT_LINE.exec(rest) ?? [];
    if (digits !== undefined && digits.length >= WHOLE_LINE) return 'bytes';
    const closed = form === 'bare' ? undefined : CLOSES[form].exec(rest)?.[0];
    if (closed !== undefined) return closed.length;
    if (digits !== undefined && form !== 'bare') {
      const behind = NEXT_LINE.exec(rest)?.[0].length ?? 0;
      const after = rest.slice(behind);
      if (digits !== '' && CLOSES[form].test(after)) return 'bytes';
      if (!isLast && MAY_CLOSE[form].test(after)) return 'held';
    }
    if (isLast) return 0;
    if (form === 'bare') return /^[ \t]{0,9}(?:\r?\n[ \t]{0,9}[\w+/=%-]{0,39})?$/.test(rest) ? 'held' : 0;
    return MAY_CLOSE[form].test(rest) ? 'held' : 0;
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

const pictureForm = ([, markdown, tag]: RegExpExecArray): Form =>
  markdown !== undefined ? 'markdown' : tag !== undefined ? 'tag' : 'bare';
