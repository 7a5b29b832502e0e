// Gives different spellings one form: accents, ligatures, full width, digits, traditional and simplified characters. Index and question are
// folded alike. The table of characters is OpenCC's (Apache-2.0), from opencc-js.
// @ts-expect-error The dictionary has no types: pairs "traditional simplified", separated by bars.
import untyped from 'opencc-js/dict/TSCharacters';
import { once } from '../base/once.ts';

const pairs = untyped as string;

const simplified = once(() => {
  const simplified = new Map<string, string>();
  for (const pair of pairs.split('|')) {
    const [from = '', to = ''] = pair.split(' ');
    if (from !== to) simplified.set(from, to);
  }
  return simplified;
});

/** Letters that no decomposition splits. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  ı: 'i',
  // The apostrophe of Hawaiian, Ukrainian and transcriptions, a letter in Unicode.
  ʻ: "'",
  ʼ: "'",
  ʹ: "'",
  // Arabic letters that people type for one another.
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ے: 'ي',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
};
const SPELT_OUT = new RegExp(`[${Object.keys(SPELT).join('')}]`, 'gu');
// Vowel marks of Arabic and Hebrew and the dots of ё are seldom written. Marks of other scripts make another letter.
const ACCENTS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}{0,4})\p{M}|(?<=[еЕ])\u0308|\u0640/gu;
/** Invisible characters: break opportunities, direction marks, and selectors that say how letters and pictures are drawn. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\u034f|[\ufe00-\ufe0f]/g;

/** Removes invisible characters. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

const HAN = /\p{Script=Han}/gu;
const DIGIT = /(?![0-9])\p{Nd}/gu;

/** Each script's digits are ten consecutive characters, zero first. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** Removes accents, spells out ligatures and simplifies Han; letters keep their case. Expects and returns NFKC. */
export function folded(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text;
  return withoutInvisible(text)
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .replace(SPELT_OUT, (letter) => SPELT[letter] as string)
    .replace(DIGIT, plainDigit)
    .replace(HAN, (sign) => simplified().get(sign) ?? sign);
}

/** A character with its marks, including those of half-width kana. */
const WITH_MARKS = /[^\p{M}][\p{M}\uff9e\uff9f]*|\p{M}+/gsu;

/** The folded text, and a map back: `origin(i)` is an index into `text`, `origin(length)` is its length. */
export function foldedWithOrigin(text: string): { folded: string; origin: (index: number) => number } {
  if (!/[^ -~\s]/.test(text)) return { folded: text, origin: (index) => index };
  const pieces: string[] = [];
  const from: number[] = [];
  for (const { 0: piece, index } of text.matchAll(WITH_MARKS)) {
    const plain = folded(piece);
    pieces.push(plain);
    for (let at = 0; at < plain.length; at++) from.push(index);
  }
  return { folded: pieces.join(''), origin: (index) => from[index] ?? text.length };
}
