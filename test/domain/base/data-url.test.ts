import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfDataUrl, dataUrlOf, fromBase64, toBase64 } from '../../../src/domain/base/data-url.ts';

const textIn = (url: string) => {
  const bytes = bytesOfDataUrl(url);
  return bytes && new TextDecoder().decode(bytes);
};

it('brings bytes back as they were (property)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
      expect(bytesOfDataUrl(dataUrlOf('text/plain;charset=utf-8', bytes))).toEqual(bytes);
    }),
  );
  const many = new Uint8Array(100_000).map((_, at) => at);
  expect(fromBase64(toBase64(many))).toEqual(many);
});

it.each([
  ['data:text/plain;base64,5rC0', '水'],
  ['DATA:;BASE64,YQ==', 'a'],
  ['data:text/plain,50%25%20of%20%E6%B0%B4', '50% of 水'],
  ['data:,', ''],
  ['data:text/plain;base64,not base64!', null],
  ['data:text/plain,50% of it', null],
  ['data:text/plain', null],
  ['https://example.com/a,b', null],
])('reads %s', (url, text) => expect(textIn(url)).toBe(text));
