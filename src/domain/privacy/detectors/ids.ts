// National identity numbers, recognised by their form or check digits. If the form is only a row of digits,
// a word that names it must precede it.
import type { Detector, TextSpan } from '../detector.ts';
import { hasLuhn } from './cards.ts';

interface IdForm {
  readonly country: string;
  readonly pattern: RegExp;
  readonly check?: (written: string) => boolean;
  /** Must occur within a few words before the number. */
  readonly named?: RegExp;
}

const digitsOf = (written: string): string => written.replace(/\D/g, '');
const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
const isDay = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31;

/** GB 11643-1999: region, birthday, order, check character (ISO 7064, mod 11-2). */
function isChinese(spaced: string): boolean {
  const written = spaced.replace(/[ -]/g, '');
  if (!isDay(Number(written.slice(10, 12)), Number(written.slice(12, 14)))) return false;
  const sum = weighted(written, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return '10X98765432'[sum % 11] === written[17]?.toUpperCase();
}

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
const isSpanish = (written: string): boolean => {
  const number = written
    .slice(0, -1)
    .replace(/^[XYZ]/i, (letter) => String('XYZ'.indexOf(letter.toUpperCase())));
  return DNI_LETTERS[Number(number) % 23] === written.at(-1)?.toUpperCase();
};

const ODD = 'BAKPLCQDREVOSFTGUHMINJWZYX';
/** Codice fiscale: the last letter is a sum of all others; odd places use a table. */
function isItalian(written: string): boolean {
  const chars = written.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const char = chars[at] as string;
    const letter = /\d/.test(char) ? String.fromCharCode(65 + Number(char)) : char;
    sum += at % 2 === 0 ? ODD.indexOf(letter) : letter.charCodeAt(0) - 65;
  }
  return String.fromCharCode(65 + (sum % 26)) === chars[15];
}

/** INSEE: 97 minus the number modulo 97; Corsica uses letters. */
const isFrench = (written: string): boolean => {
  const number = written.replace(/ /g, '').toUpperCase().replace('2A', '19').replace('2B', '18');
  return 97 - (Number(number.slice(0, 13)) % 97) === Number(number.slice(13));
};

/** Steuer-ID: ISO 7064, mod 11-10. */
function isGerman(written: string): boolean {
  const digits = digitsOf(written);
  let product = 10;
  for (const digit of digits.slice(0, 10)) product = (((Number(digit) + product) % 10 || 10) * 2) % 11;
  return (11 - product) % 10 === Number(digits[10]);
}

const hasPesel = (written: string): boolean =>
  isDay(((Number(written.slice(2, 4)) - 1) % 20) + 1, Number(written.slice(4, 6))) &&
  weighted(written, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;

const isDutch = (written: string): boolean => {
  const digits = digitsOf(written);
  return weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && Number(digits) > 0;
};

const isBelgian = (written: string): boolean => {
  const digits = digitsOf(written);
  const check = Number(digits.slice(9));
  return ['', '2'].some((century) => 97 - (Number(century + digits.slice(0, 9)) % 97) === check);
};

const isFinnish = (written: string): boolean => {
  const digits = digitsOf(written.slice(0, 6) + written.slice(7, 10));
  return '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(digits) % 31] === written.at(-1)?.toUpperCase();
};

/** AHV: the check digit of an EAN-13. */
const isSwiss = (written: string): boolean =>
  weighted(digitsOf(written), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;

/** Hong Kong: a letter counts as its place in the alphabet plus nine, a missing one as 36. */
function isHongKong(written: string): boolean {
  const [, letters = '', digits = '', check = ''] = /^([A-Z]{1,2})(\d{6})\(([\dA])\)$/.exec(written) ?? [];
  const values = [...letters.padStart(2, ' ')].map((one) => (one === ' ' ? 36 : one.charCodeAt(0) - 55));
  const sum = [...values, ...[...digits].map(Number)].reduce((all, value, at) => all + value * (9 - at), 0);
  return (sum + (check === 'A' ? 10 : Number(check))) % 11 === 0;
}

/** Taiwan: a letter stands for two digits of its county. */
function isTaiwanese(written: string): boolean {
  const county = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(written[0] as string) + 10;
  return weighted(String(county) + written.slice(1), [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0;
}

const FORMS: readonly IdForm[] = [
  {
    country: 'CN',
    pattern:
      /(?<![\dA-Za-z_.-])[1-9]\d{5}(?<gap>[ -]?)(?:18|19|20)\d{6}\k<gap>\d{3}[\dXx](?![\dA-Za-z_]|[.-]\d)/g,
    check: isChinese,
  },
  {
    country: 'CN',
    pattern:
      /(?<![\dA-Za-z_.-])[1-9]\d{5}(?<gap>[ -])(?:18|19|20)\d{2}\k<gap>\d{4}\k<gap>\d{3}[\dXx](?![\dA-Za-z_]|[.-]\d)/g,
    check: isChinese,
  },
  {
    country: 'any, of a passport',
    pattern: /(?<![\dA-Za-z_.-])[A-Z]{1,2}\d{7,8}(?![\dA-Za-z_]|[.-]\d)/g,
    named: /护照|護照|通行证|\bpassport\b/i,
  },
  { country: 'HK', pattern: /(?<![\w.-])[A-Z]{1,2}\d{6}\([\dA]\)/g, check: isHongKong },
  {
    country: 'TW',
    pattern: /(?<![\dA-Za-z_.-])[A-Z][1289]\d{8}(?![\dA-Za-z_]|[.-]\d)/g,
    check: isTaiwanese,
    named: /身[分份][證证]|\bnational id\b/i,
  },
  // Taxpayers without a social security number
  {
    country: 'US',
    pattern: /(?<![\w.-])9\d{2}-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])-\d{4}(?![\w-]|\.\d)/g,
  },
  // Never issued: prefixes with D, F, I, Q, U, V, and some pairs
  {
    country: 'GB',
    pattern:
      /(?<![\w-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?<gap> ?)\d{2}\k<gap>\d{2}\k<gap>\d{2}\k<gap>[A-D](?![\w-])/g,
    named: /\bni (?:number|no)\b|\bnino\b|national insurance/i,
  },
  { country: 'CH', pattern: /(?<![\w.-])756\.\d{4}\.\d{4}\.\d{2}(?![\w-]|\.\d)/g, check: isSwiss },
  // Never issued: 000, 666 and 900 to 999, and groups of zeros.
  {
    country: 'US',
    pattern: /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-]|\.\d)/g,
  },
  {
    country: 'US',
    pattern: /(?<![\w.-])(?!000|666|9)\d{3} ?(?!00)\d{2} ?(?!0000)\d{4}(?![\w-]|\.\d)/g,
    named: /\b(?:ssn|social security)\b/i,
  },
  {
    country: 'ES',
    pattern: /(?<![\w.-])(?:\d{8}|[XYZ]\d{7})-?[A-Z](?![\w-])/g,
    check: (written) => isSpanish(written.replace('-', '')),
  },
  {
    country: 'IT',
    pattern: /(?<![\w-])[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![\w-])/gi,
    check: isItalian,
  },
  {
    country: 'FR',
    pattern:
      /(?<![\w.-])[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?![\w-]|[.,]\d)/gi,
    check: isFrench,
    named: /s[ée]curit[ée] sociale|\b(?:insee|nir|num[ée]ro de s[ée]cu)\b/i,
  },
  {
    country: 'DE',
    pattern: /(?<![\w.-])[1-9]\d ?\d{3} ?\d{3} ?\d{3}(?![\w-]|[.,]\d)/g,
    check: isGerman,
    named: /steuer-?\s?id|\bidnr\b|steuer(?:liche )?identifikation|\btax id/i,
  },
  { country: 'PL', pattern: /(?<![\w.-])\d{11}(?![\w-]|[.,]\d)/g, check: hasPesel, named: /\bpesel\b/i },
  {
    country: 'NL',
    pattern: /(?<![\w.-])\d{8,9}(?![\w-]|[.,]\d)/g,
    check: (written) => isDutch(written.padStart(9, '0')),
    named: /\bbsn\b|burgerservicenummer|sofinummer/i,
  },
  {
    country: 'BE',
    pattern: /(?<![\w.-])\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}(?![\w-])/g,
    check: isBelgian,
  },
  {
    country: 'SE',
    pattern: /(?<![\w.-])(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])[-+]\d{4}(?![\w-])/g,
    check: (written) => hasLuhn(digitsOf(written).slice(-10)),
  },
  {
    country: 'FI',
    pattern: /(?<![\w.-])(?:[0-2]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A-F]\d{3}[0-9A-FHJ-NPR-Y](?![\w-])/g,
    check: isFinnish,
  },
];

/** Farthest distance between a number and the word that names it, in characters. */
const NAMED_WITHIN = 48;

export const ids: Detector = {
  category: 'ids',
  find(text) {
    const spans: TextSpan[] = [];
    const ends = new Set<number>();
    for (const { pattern, check, named } of FORMS)
      for (const { 0: written, index: from } of text.matchAll(pattern)) {
        const to = from + written.length;
        if (ends.has(to) || (check && !check(written))) continue;
        if (named && !named.test(text.slice(Math.max(0, from - NAMED_WITHIN), from))) continue;
        ends.add(to);
        spans.push({ from, to });
      }
    return spans
      .sort((one, other) => one.from - other.from)
      .filter((span, at, all) => at === 0 || span.from >= (all[at - 1] as TextSpan).to);
  },
};
