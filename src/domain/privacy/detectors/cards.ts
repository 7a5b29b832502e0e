// Payment cards: 13 to 19 digits in printed groups, from a known issuer, with a
// valid check digit (ISO/IEC 7812-1, Luhn).
import { once } from '../../base/once.ts';
import type { Detector, TextSpan } from '../detector.ts';

const DIGITS = String.raw`[2-6]\d{3}(?:(?<sign>[ ._/+\t-]| {2}|%20)\d{3,7}(?:\k<sign>\d{1,7}){1,4}|\d{9,15})`;
/** A date or a code may follow, as in a table row: "…,12/27", "…/1227/123". */
const AFTER = String.raw`(?![\w-]|\.\d)`;
/** Patterns of a number; classes of letters are slow to compile, so the first text does it. */
const patterns = once((): readonly RegExp[] => [
  // Groups of 3 to 7 digits, or one row of digits; not inside a longer number, an id or a name.
  new RegExp(String.raw`(?<![\p{L}\p{N}_/=#-]|[\p{N}_-][.,])${DIGITS}${AFTER}`, 'gu'),
  // Chinese words have no space before a number, and addresses and forms may have none after the name of a card.
  new RegExp(
    String.raw`(?<=\p{Script=Han}|(?:card|cc|pan)[\w-]{0,12}["']?[=:#] ?["']?)${DIGITS}${AFTER}`,
    'giu',
  ),
]);

/** First digits of an issuer → lengths of its numbers. */
const ISSUERS: readonly (readonly [first: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]], // Visa
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, [16]], // Mastercard
  [/^3[47]/, [15]], // American Express
  [/^3(?:0[0-59]|[689])/, [14, 16]], // Diners Club
  [/^35(?:2[89]|[3-8])/, [16]], // JCB
  [/^6(?:011|4[4-9]|5)/, [16, 19]], // Discover
  [/^(?:62|81)/, [16, 17, 18, 19]], // UnionPay
  [/^(?:5018|5020|5038|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]], // Maestro
];

/** Validates the Luhn check digit over all digits. */
export function hasLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

const isCard = (number: string): boolean => {
  const digits = number.replace(/%20|\D/g, '');
  return (
    new Set(digits).size > 1 &&
    ISSUERS.some(([first, lengths]) => first.test(digits) && lengths.includes(digits.length)) &&
    hasLuhn(digits)
  );
};

export const cards: Detector = {
  category: 'cards',
  find: (text) =>
    patterns().flatMap((pattern): TextSpan[] =>
      [...text.matchAll(pattern)]
        .filter(([number]) => isCard(number))
        .map(({ 0: number, index }) => ({ from: index, to: index + number.length })),
    ),
};
