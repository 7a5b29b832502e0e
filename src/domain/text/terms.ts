// The search words of a text, made fast: what happens at every send must not wait for a segmenter. Latin words as stems, names and
// paths in pieces and whole, Han and kana as pairs.
import { stemmer } from 'stemmer';
import { folded } from './fold.ts';
import { isStopWord } from './words.ts';

/** Longest text that is read, characters. */
const MAX_TEXT = 60_000;
const MAX_WORD = 48;

/** Pairs with one of these say nothing. */
const PARTICLES = new Set('的了吗呢吧啊么呀哦嗯着过之');
/** Pairs of two of these say nothing. */
const LIGHT = new Set(
  '是在我你他她它们这那和与就都也还又很不有没什怎哪谁个把被给让向从到说要会能可以请一下为其而但或及对得地所',
);

const NAME = /[\p{L}\p{N}\p{M}]/u;
const HUMPS = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

const isHan = (code: number): boolean =>
  (code >= 0x3400 && code <= 0x9fff) ||
  (code >= 0x3040 && code <= 0x30ff) ||
  (code >= 0xf900 && code <= 0xfaff);
const isAsciiName = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
const isName = (code: number, text: string, at: number): boolean =>
  code < 0x80 ? isAsciiName(code) : !isHan(code) && code > 0xaa && NAME.test(text[at] as string);
/** . / - _ : @ # + ' inside a name. */
const isJoiner = (code: number): boolean =>
  code === 46 ||
  code === 47 ||
  code === 45 ||
  code === 95 ||
  code === 58 ||
  code === 64 ||
  code === 43 ||
  code === 39;

const stems = new Map<string, string>();
/** Lower-case stem; empty for words that say nothing. */
function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const lower = word.toLowerCase();
  const stem =
    lower.length > MAX_WORD || isStopWord(lower) ? '' : /^[a-z]{3,}$/.test(lower) ? stemmer(lower) : lower;
  if (stems.size > 50_000) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** Terms in order, with repetitions. */
export function termsOf(written: string): string[] {
  const text = folded(written.slice(0, MAX_TEXT));
  const out: string[] = [];
  const end = Math.min(text.length, MAX_TEXT);
  for (let at = 0; at < end; ) {
    const code = text.charCodeAt(at);
    if (isHan(code)) {
      let to = at + 1;
      while (to < end && isHan(text.charCodeAt(to))) to++;
      for (let i = at; i + 1 < to; i++) {
        const [a, b] = [text[i] as string, text[i + 1] as string];
        if (!PARTICLES.has(a) && !PARTICLES.has(b) && !(LIGHT.has(a) && LIGHT.has(b))) out.push(a + b);
      }
      if (to === at + 1) out.push(text[at] as string);
      at = to;
    } else if (isName(code, text, at)) {
      let to = at + 1;
      let joined = false;
      while (to < end) {
        const next = text.charCodeAt(to);
        if (isName(next, text, to)) to++;
        else if (isJoiner(next) && to + 1 < end && isName(text.charCodeAt(to + 1), text, to + 1)) {
          joined = true;
          to += 2;
        } else break;
      }
      name(text.slice(at, to), joined, out);
      at = to;
    } else at++;
  }
  return out;
}

function name(run: string, joined: boolean, out: string[]): void {
  // What has a stem already is a plain word: names are taken to pieces first.
  const simple = !joined && (stems.has(run) || !/[a-z][A-Z]|[A-Z]{2}[a-z]/.test(run));
  if (simple) {
    const stem = stemOf(run);
    if (stem) out.push(stem);
    return;
  }
  const bare = run.replace(/'(?:s|re|ve|ll|d|m|t)$/i, '');
  const pieces = bare.split(/[^\p{L}\p{N}\p{M}]+/u).flatMap((piece) => piece.split(HUMPS));
  for (const piece of pieces) {
    const stem = piece && stemOf(piece);
    if (stem) out.push(stem);
  }
  if (pieces.length > 1 && bare.length <= MAX_WORD) {
    const whole = joined ? bare.toLowerCase() : stemOf(bare);
    if (whole) out.push(whole);
  }
}

/** How often each term stands in a text. */
export function termCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** A text this long has two terms at its beginning nearly always, characters. */
const BEGINNING = 30;

/** True where a text has two different terms at least. */
export function hasTerms(text: string): boolean {
  const several = (some: string) => new Set(termsOf(some)).size >= 2;
  const end = text.length > 2 * BEGINNING ? text.lastIndexOf(' ', BEGINNING) : -1;
  // Words of the beginning are words of the whole: cut at a space.
  return (end > 0 && several(text.slice(0, end))) || several(text);
}
