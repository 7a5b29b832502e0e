// The hash of a text: what devices stored with it must be found again.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOfText } from '../../../src/domain/base/hash.ts';

it('is SHA-256 in UTF-8, and stays so', () => {
  expect(hashOfText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hashOfText('abc', 32)).toBe('ba7816bf8f01cfea414140de5dae2223');
  expect(hashOfText('', 12)).toBe('e3b0c44298fc');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 64 }), (text, digits) => {
      const whole = createHash('sha256').update(text, 'utf8').digest('hex');
      expect(hashOfText(text, digits)).toBe(whole.slice(0, digits));
    }),
  );
});
