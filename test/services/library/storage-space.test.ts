// How much of the allowed size is taken.
import { describe, expect, it } from 'vitest';
import { inMegabytes, storageSpaceOf } from '../../../src/services/library/storage-space.ts';

describe('room', () => {
  const at = (usage: number | null, known: number) => storageSpaceOf({ usage, known, maxSizeMb: 100 });

  it('is warned of at 80 % and full at the limit', () => {
    expect(at(79_999_999, 0).state).toBe('free');
    expect(at(80_000_000, 0).state).toBe('warn');
    expect(at(99_999_999, 0).state).toBe('warn');
    expect(at(100_000_000, 0)).toEqual({ used: 100_000_000, limit: 100_000_000, state: 'full' });
  });

  it('counts what is there for certain where the browser says less or nothing', () => {
    expect(at(null, 90_000_000).state).toBe('warn');
    expect(at(5, 90_000_000).used).toBe(90_000_000);
  });

  it('is told in whole megabytes, never less than there is', () => {
    expect([0, 1, 1_000_000, 1_000_001].map(inMegabytes)).toEqual([0, 1, 1, 2]);
  });
});
