import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/adapters/embedding/body.ts';

const pieces = fc.array(
  fc
    .integer({ min: 1, max: 100_000 })
    .map((length) => Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 251)),
  { maxLength: 6 },
);
const streamOf = (all: readonly Uint8Array[], type: 'bytes' | undefined): ReadableStream<Uint8Array> => {
  const left = all.map((piece) => piece.slice());
  const next = (controller: ReadableByteStreamController | ReadableStreamDefaultController): boolean => {
    const piece = left.shift();
    if (piece) controller.enqueue(piece as Uint8Array<ArrayBuffer>);
    else controller.close();
    return piece !== undefined;
  };
  if (type === undefined) return new ReadableStream({ pull: (controller) => void next(controller) });
  const source: UnderlyingByteSource = {
    type,
    pull: (controller) => {
      if (!next(controller)) controller.byobRequest?.respond(0);
    },
  };
  return new ReadableStream(source);
};

describe('a body that is read into one buffer', () => {
  it.each(['bytes', undefined] as const)('has every byte, whatever length was said (stream: %s)', (type) =>
    fc.assert(
      fc.asyncProperty(pieces, fc.nat(300_000), fc.boolean(), async (all, said, right) => {
        const whole = Buffer.concat(all);
        const counted: number[] = [];
        const buffer = await collect(streamOf(all, type), right ? whole.length : said, (count) =>
          counted.push(count),
        );
        expect(Buffer.from(buffer).equals(whole)).toBe(true);
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(whole.length);
      }),
      { numRuns: 60 },
    ),
  );

  it('fails as the body does', async () => {
    const source: UnderlyingByteSource = {
      type: 'bytes',
      pull: (controller) => controller.error(new TypeError('network error')),
    };
    const broken: ReadableStream<Uint8Array> = new ReadableStream(source);
    await expect(collect(broken, 10, () => {})).rejects.toThrow('network error');
  });
});
