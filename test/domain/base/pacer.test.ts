import { describe, expect, it } from 'vitest';
import { createPacer, pauseWhileWriting, speedOf } from '../../../src/domain/base/pacer.ts';

/** Characters in one ms of a model that writes so many tokens a second. */
const speed = (tokens: number) => (tokens * 4.6) / 1000;

describe('the pace of words', () => {
  it('shows a model that one can read along with 15 times a second at first', () => {
    expect(pauseWhileWriting(0, 0)).toBe(50);
    expect(pauseWhileWriting(0, speed(30))).toBeLessThan(67);
  });

  it('shows a long answer more seldom, and one that can be followed at least four times a second', () => {
    expect(pauseWhileWriting(10_000, speed(30))).toBeGreaterThanOrEqual(150);
    for (const length of [0, 1_000, 50_000, 1_000_000])
      for (const tokens of [0, 30, 60])
        expect(pauseWhileWriting(length, speed(tokens))).toBeLessThanOrEqual(250);
  });

  it('shows a quick model more seldom, and never more seldom than five times in two seconds', () => {
    expect(pauseWhileWriting(0, speed(400))).toBeGreaterThan(200);
    expect(pauseWhileWriting(20_000, speed(100))).toBeLessThan(300);
    for (const length of [0, 1_000, 50_000, 1_000_000])
      for (const tokens of [0, 30, 400, 5_000]) {
        expect(pauseWhileWriting(length, speed(tokens))).toBeLessThanOrEqual(400);
        expect(pauseWhileWriting(length + 100, speed(tokens))).toBeGreaterThanOrEqual(
          pauseWhileWriting(length, speed(tokens)),
        );
      }
  });

  it('takes no first piece for a speed', () => {
    expect(speedOf(100, 0)).toBe(0.1);
    expect(speedOf(8_000, 4_000)).toBe(2);
  });

  it('acts at once when it is quiet, and asks for the interval after each call', async () => {
    const acted: number[] = [];
    let pause = 1;
    const pacer = createPacer(
      () => pause,
      () => acted.push(pause),
    );
    pacer.touch();
    expect(acted).toEqual([1]);
    pause = 100_000;
    pacer.touch();
    expect(acted).toEqual([1]);
    await expect.poll(() => acted).toEqual([1, 100_000]);
    pacer.touch();
    expect(acted).toEqual([1, 100_000]);
    pacer.flush();
    expect(acted).toEqual([1, 100_000, 100_000]);
    pacer.stop();
  });
});
