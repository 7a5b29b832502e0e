// Estimates how hard a passphrase is to guess, by its length and how little it repeats.
// Argon2id makes each guess expensive.

export const SHORTEST = 10;

type Strength = 'weak' | 'fair' | 'strong';

/** Counts by code point; a repeated character counts little, as does one that continues a sequence (123, abc). */
export function strengthOf(passphrase: string): Strength {
  const seen = new Set<number>();
  let points = 0;
  let last = 0;
  for (const character of passphrase.normalize('NFKC')) {
    const code = character.codePointAt(0) as number;
    const isNew = !seen.has(code) && Math.abs(code - last) > 1;
    // A Chinese character is one of thousands.
    points += isNew ? (code > 0x2e80 ? 3 : 1) : 0.35;
    seen.add(code);
    last = code;
  }
  return points < 9 ? 'weak' : points < 14 ? 'fair' : 'strong';
}
