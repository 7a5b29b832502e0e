// Finds words in a text whatever their spelling: case, accents, ligatures, full width, traditional or simplified, kinds
// of space, of quotes and of dashes, kana, and umlauts with an e.
import { asHiragana, FOLD_TOGETHER, folded, withLongVowels } from './fold.ts';

/**
 * The unit of folding: a letter with its marks, half-width kana with theirs, a Hangul
 * syllable from its parts, or a run of spaces.
 */
const CLUSTER = new RegExp(String.raw`\s+|${FOLD_TOGETHER}|\P{M}[\p{M}\uff9e\uff9f]*|\p{M}+`, 'gu');

/** Keyboards write straight quotes and one hyphen; phones, models and typesetters write the others. */
const TYPED: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201b\u2032]/g, "'"],
  [/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u301c/g, '~'],
  [/ς/g, 'σ'],
];

/**
 * Marks a vowel that has an umlaut, which may be written with an e instead. A private-use
 * character, which people do not type.
 */
const UMLAUT = '\uf8f3';
const UMLAUTS = /[äöüø]/gi;
const VOWELS: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u', ø: 'o' };

/**
 * Makes the form in which texts are compared: folded, in small letters, single spaces, quotes and dashes as typed, kana
 * as hiragana, umlauts marked. The functions below search in it. Linear in the text's length.
 */
export function comparableForm(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase().replace(/ +/g, ' ');
  const marked = text.normalize('NFC').replace(UMLAUTS, (vowel) => VOWELS[vowel.toLowerCase()] + UMLAUT);
  const form = folded(marked).toLowerCase().replace(/\s+/g, ' ');
  if (!/[^ -~]/.test(form)) return form;
  return asHiragana(TYPED.reduce((typed, [signs, sign]) => typed.replace(signs, sign), form));
}

/** Longer words are searched for without spelling variants, characters. */
const MOST_SPELT = 1000;

/** Makes a pattern for `wanted` in which each umlaut may have its dots, no dots, or an e behind the vowel. */
const spellingsOf = (wanted: string): RegExp =>
  new RegExp(
    wanted.length > MOST_SPELT
      ? wanted.replace(SIGNS, '\\$&')
      : wanted.replace(VOWEL_OR_SIGN, (found, vowel: string | undefined, rest: string | undefined) =>
          vowel === undefined
            ? `\\${found}`
            : rest === 'e'
              ? `${vowel}(?:${UMLAUT}e?|e)`
              : rest
                ? `${vowel}[${UMLAUT}e]?`
                : `${vowel}${UMLAUT}?`,
        ),
    'g',
  );
const SIGNS = /[\\^$.*+?()[\]{}|/-]/g;
const VOWEL_OR_SIGN = /([aou])([e\uf8f3]?)|[\\^$.*+?()[\]{}|/-]/g;

/** Yields where `wanted` occurs in `form`, both made by `comparableForm`: [from, to) in order, without overlaps. */
export function* spotsIn(form: string, wanted: string): Generator<readonly [from: number, to: number]> {
  if (wanted === '') return;
  for (const { 0: found, index } of form.matchAll(spellingsOf(wanted))) yield [index, index + found.length];
}

/** True if `wanted` occurs in `form`, both made by `comparableForm`; the empty text occurs everywhere. */
export const isIn = (form: string, wanted: string): boolean =>
  wanted === '' || form.includes(wanted) || !spotsIn(form, wanted).next().done;

/** True if both, made by `comparableForm`, are the same words. */
export function isSame(form: string, other: string): boolean {
  const [[from, to] = [0, -1]] = spotsIn(form, other);
  return form === other || (from === 0 && to === form.length);
}

/** Counts `wanted` in `form`, without overlaps; both made by `comparableForm`. */
export function countIn(form: string, wanted: string): number {
  let count = 0;
  for (const _ of spotsIn(form, wanted)) count += 1;
  return count;
}

/**
 * Lists where `wanted`, made by `comparableForm`, occurs in a visible text: [from, to) in
 * UTF-16 units, in order, without overlaps.
 */
export const placesIn = (text: string, wanted: string): [number, number][] =>
  wanted === '' || text === '' ? [] : placesFinder(text)(wanted);

/** The same for several words in one text, which is folded only once. */
export function placesFinder(text: string): (wanted: string) => [number, number][] {
  let form = '';
  /** For each unit of the form, its position in the text. */
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: cluster, index } of withLongVowels(text).matchAll(CLUSTER)) {
    const compared = comparableForm(cluster);
    for (let unit = 0; unit < compared.length; unit++) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
    form += compared;
  }
  return (wanted) =>
    [...spotsIn(form, wanted)].map(([from, to]) => [starts[from] as number, ends[to - 1] as number]);
}
