// When the device locks by itself, and how a passphrase is judged.
import { expect, it } from 'vitest';
import { strengthOf } from '../../../src/ui/lock/strength.ts';
import { isTimeToLock } from '../../../src/ui/lock/time-to-lock.ts';

const limits = { idle: 900, hidden: 60 };

it('locks after a time without use in any tab, and after a time out of sight', () => {
  const seen = { active: 1000, hiddenSince: null };
  expect(isTimeToLock(1899, seen, limits)).toBe(false);
  expect(isTimeToLock(1900, seen, limits)).toBe(true);
  const away = { active: 1000, hiddenSince: 1010 };
  expect(isTimeToLock(1069, away, limits)).toBe(false);
  expect(isTimeToLock(1070, away, limits)).toBe(true);
  // Another tab is used meanwhile.
  expect(isTimeToLock(1070, { active: 1050, hiddenSince: 1010 }, limits)).toBe(false);
  expect(isTimeToLock(9e9, away, { idle: 0, hidden: 0 })).toBe(false);
});

it('judges a passphrase by its length and what is new in it', () => {
  for (const weak of ['', 'password', '1234567890123', 'aaaaaaaaaaaaaaaa', 'abcdefghijkl'])
    expect(strengthOf(weak)).toBe('weak');
  for (const fair of ['kettle-hums', '雨夜茶香']) expect(strengthOf(fair)).toBe('fair');
  for (const strong of ['a kettle hums at dawn, quietly', '雨夜听风煮茶看书'])
    expect(strengthOf(strong)).toBe('strong');
});
