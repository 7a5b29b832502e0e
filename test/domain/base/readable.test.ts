import { describe, expect, it } from 'vitest';
import { untilDone, writable } from '../../../src/domain/base/readable.ts';

describe('waiting until something asked is done', () => {
  it('asks at once, and again after each change', async () => {
    const source = writable(0);
    const asked: number[] = [];
    const done = untilDone(
      source,
      async () => {
        asked.push(source.get());
        return source.get() === 2;
      },
      new AbortController().signal,
    );
    source.set(1);
    await expect.poll(() => asked).toEqual([0, 1]);
    source.set(2);
    await done;
    expect(asked).toEqual([0, 1, 2]);
  });

  it('asks again for a change that came while it asked', async () => {
    const source = writable(false);
    const answers = [() => source.set(true), () => undefined];
    await untilDone(
      source,
      async () => {
        const before = source.get();
        answers.shift()?.();
        return before;
      },
      new AbortController().signal,
    );
    expect(answers).toEqual([]);
  });

  it('ends with the reason of the signal, and with the error of what is asked', async () => {
    const closing = new AbortController();
    const waiting = untilDone(writable(0), async () => false, closing.signal);
    closing.abort(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    const broken = async () => {
      throw new Error('broken');
    };
    await expect(untilDone(writable(0), broken, new AbortController().signal)).rejects.toThrow('broken');
  });
});
