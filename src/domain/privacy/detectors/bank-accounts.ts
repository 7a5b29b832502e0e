// International bank account numbers (ISO 13616): a country, two check digits (ISO 7064, mod 97-10), and the number
// of characters that this country uses.
import type { Detector, TextSpan } from '../detector.ts';

/** Country → length of its numbers, from the IBAN registry. */
const LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22
  GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30
  NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const BEGINNING = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?=[ .-]?[A-Z0-9])/gi;

/**
 * Returns the end of the number that begins at `from`, in groups separated by spaces, hyphens or dots; null if none
 * begins there.
 */
function endOf(text: string, from: number): number | null {
  const length = LENGTHS[text.slice(from, from + 2).toUpperCase()];
  if (!length) return null;
  let written = '';
  let at = from;
  for (; written.length < length && at < text.length; at++) {
    const char = text[at] as string;
    if (/[A-Za-z0-9]/.test(char)) written += char;
    else if (!/[ .-]/.test(char) || /[ .-]{2}/.test(text.slice(at + 1, at + 3))) return null;
  }
  if (written.length < length || /[A-Za-z0-9]/.test(text[at] ?? '')) return null;
  return hasCheckDigits(written.toUpperCase()) ? at : null;
}

/** Checks that the number, with its first four characters moved to the end and letters as 10 to 35, is 1 modulo 97. */
function hasCheckDigits(number: string): boolean {
  let rest = 0;
  for (const char of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

export const bankAccounts: Detector = {
  category: 'bank_accounts',
  find: (text) =>
    [...text.matchAll(BEGINNING)].flatMap(({ index }): TextSpan[] => {
      const to = endOf(text, index);
      return to === null ? [] : [{ from: index, to }];
    }),
};
