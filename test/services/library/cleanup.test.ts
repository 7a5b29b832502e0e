// What is proposed to be put away, and what never is.
import { describe, expect, it } from 'vitest';
import type { LibraryEntry } from '../../../src/services/documents/documents.ts';
import { cleanupOf } from '../../../src/services/library/cleanup.ts';
import { inMegabytes, storageSpaceOf } from '../../../src/services/library/storage-space.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);

const entry = (title: string, days: number, more: Partial<LibraryEntry> = {}) =>
  libraryEntry(title, { updatedAt: NOW - days * DAY, ...more });
const titles = (entries: readonly LibraryEntry[]) => entries.map(({ title }) => title);

describe('tidying up', () => {
  const settings = { archive_after_days: 90, delete_archived_after_days: 365 };

  it('proposes what nobody has touched for long, longest first', () => {
    const { archive, trash } = cleanupOf(
      [
        entry('new', 1),
        entry('just not', 89.9),
        entry('just', 90),
        entry('old', 400),
        entry('put away', 364, { archived: true }),
        entry('long put away', 366, { archived: true }),
      ],
      settings,
      NOW,
    );
    expect(titles(archive)).toEqual(['old', 'just']);
    expect(titles(trash)).toEqual(['long put away']);
  });

  it('never proposes what is pinned, in the trash, a sample, or part of another conversation', () => {
    for (const more of [{ pinned: true }, { deletedAt: 1 }, { sample: true }, { child: true }])
      for (const archived of [true, false])
        expect(cleanupOf([entry('x', 5000, { archived, ...more })], settings, NOW)).toEqual({
          archive: [],
          trash: [],
        });
  });
});

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
