// Where words stand in a text, however they are written: case, accents, ligatures, full width, traditional or simplified, kinds of space,
// of quotes and of dashes.
import { folded } from './fold.ts';

/** A letter with its marks, a Hangul syllable from its parts, or a run of spaces: what is folded as one. */
const CLUSTER = /[\u1100-\u115f][\u1160-\u11a7]*[\u11a8-\u11ff]*|\s+|\P{M}\p{M}*|\p{M}+/gu;

/** Keyboards write straight quotes and one hyphen; phones, models and typesetters the others. */
const TYPED: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201b\u2032]/g, "'"],
  [/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/ς/g, 'σ'],
];

/** A text as it is compared: folded, in small letters, each run of spaces one space, quotes and dashes as typed. Linear in its length. */
export function comparable(text: string): string {
  const form = folded(text).toLowerCase().replace(/\s+/g, ' ');
  if (!/[^ -~]/.test(form)) return form;
  return TYPED.reduce((typed, [signs, sign]) => typed.replace(signs, sign), form);
}

/** How often `wanted` stands in `form`, without overlaps; both as `comparable` gives them. */
export function countIn(form: string, wanted: string): number {
  if (wanted === '') return 0;
  let count = 0;
  for (let at = form.indexOf(wanted); at >= 0; at = form.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

/** Where `wanted`, as `comparable` gives it, stands in a text as people see it: [from, to) in UTF-16 units, in order, without overlaps. */
export const placesIn = (text: string, wanted: string): [number, number][] =>
  wanted === '' || text === '' ? [] : placesFinder(text)(wanted);

/** The same for several words in one text, which is read once. */
export function placesFinder(text: string): (wanted: string) => [number, number][] {
  let form = '';
  /** Where in the text each unit of the form comes from. */
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const compared = comparable(cluster);
    for (let unit = 0; unit < compared.length; unit++) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
    form += compared;
  }
  return (wanted) => {
    const places: [number, number][] = [];
    if (wanted === '') return places;
    for (let at = form.indexOf(wanted); at >= 0; at = form.indexOf(wanted, at + wanted.length))
      places.push([starts[at] as number, ends[at + wanted.length - 1] as number]);
    return places;
  };
}
