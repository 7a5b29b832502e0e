import { describe, expect, it } from 'vitest';
import type { Encoder, EncoderShare } from '../../../src/adapters/embedding/encoder/encoder.ts';
import { createEncoderPool } from '../../../src/adapters/embedding/encoder/encoder-pool.ts';
import { threadsFor } from '../../../src/adapters/embedding/transformers-runtime.ts';
import type { Thread } from '../../../src/domain/threads/endpoint.ts';

describe('threads that read', () => {
  it('are never more than there are cores', () => {
    const taken = [1, 2, 3, 4, 5, 8, 64].map((cores) => threadsFor(cores, true));
    expect(taken).toEqual([1, 2, 2, 3, 4, 4, 4]);
  });

  it('are one where a browser tells no cores, or the page is not isolated', () => {
    expect([undefined, 0].map((cores) => threadsFor(cores, true))).toEqual([1, 1]);
    expect(threadsFor(8, false)).toBe(1);
  });

  it('are no more than were allowed, however many texts come at once', async () => {
    const { port1: silent } = new MessageChannel();
    let started = 0;
    const spawn = (): Thread => {
      started++;
      return Object.assign(silent, { terminate: () => undefined }) as unknown as Thread;
    };
    const pool = createEncoderPool({
      count: threadsFor(3, true),
      spawn,
      share: () => ({}) as EncoderShare,
      here: {} as Encoder,
    });
    const read = Promise.allSettled(Array.from({ length: 12 }, () => pool.run([1], () => null)));
    expect(started).toBe(2);
    pool.close();
    expect((await read).map(({ status }) => status)).toEqual(Array(12).fill('rejected'));
    silent.close();
  });
});
