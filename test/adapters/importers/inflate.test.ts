// Unpacking without the browser: whole data come back whole, and damaged ones up to the damage.
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzipped, inflated } from '../../../src/adapters/importers/inflate.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(unpacking: AsyncGenerator<Uint8Array, boolean>) {
  const parts: Uint8Array[] = [];
  for (;;) {
    const step = await unpacking.next();
    if (step.done) return { bytes: Buffer.concat(parts), isWhole: step.value };
    parts.push(step.value);
  }
}
const words = Buffer.from(Array.from({ length: 6_000 }, (_, n) => `line ${n * n} 一二三 `).join('\n'));

describe('unpacking', () => {
  it('gives what was packed, however it was packed and however it arrives', async () => {
    const contents = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(words, Buffer.alloc(300_000, 1), Buffer.alloc(0)),
    );
    const strategy = fc.constantFrom(
      constants.Z_DEFAULT_STRATEGY,
      constants.Z_FIXED,
      constants.Z_HUFFMAN_ONLY,
    );
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.constantFrom(0, 1, 6, 9),
        strategy,
        fc.constantFrom(997, 65_536, 1 << 24),
        async (bytes, level, strategy, size) => {
          const packed = deflateRawSync(bytes, { level, strategy });
          const once = await all(inflated(pieces(packed, size)));
          expect([once.isWhole, once.bytes.equals(bytes)]).toEqual([true, true]);
          const member = gzipSync(bytes, { level, strategy });
          const both = Buffer.concat([member, member, Buffer.alloc(5)]);
          const twice = await all(gunzipped(pieces(both, size)));
          expect([twice.isWhole, twice.bytes.equals(Buffer.concat([bytes, bytes]))]).toEqual([true, true]);
        },
      ),
    );
  });

  it('gives what stands before the place where the data are cut off', async () => {
    const packed = gzipSync(words);
    for (let part = 0; part < 1; part += 1 / 16) {
      const cut = packed.subarray(0, Math.floor(packed.length * part));
      const { bytes, isWhole } = await all(gunzipped(pieces(cut, 4096)));
      expect(isWhole).toBe(false);
      expect(words.subarray(0, bytes.length).equals(bytes)).toBe(true);
      expect(bytes.length).toBeGreaterThan(words.length * (part - 0.1));
    }
  });

  it('says of changed bytes that they are not whole, and answers any bytes without an error', async () => {
    const packed = gzipSync(words);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 12, max: packed.length - 5 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const changed = Buffer.from(packed);
          changed[at] = (changed[at] as number) ^ by;
          expect((await all(gunzipped(pieces(changed, 5000)))).isWhole).toBe(false);
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        await all(inflated(pieces(bytes, 50)));
        await all(gunzipped(pieces(Buffer.concat([packed.subarray(0, 10), bytes]), 50)));
      }),
    );
  });
});
