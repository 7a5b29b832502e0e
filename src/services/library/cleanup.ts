// What might be put away because nobody has touched it for long. It only proposes: a person looks at it and carries it out.
import type { Config } from '../../domain/settings/config.ts';
import type { LibraryEntry } from '../documents/documents.ts';

const DAY = 86_400_000;

interface Cleanup {
  /** To be archived. Longest untouched first, as below. */
  readonly archive: readonly LibraryEntry[];
  /** Archived, to be moved to the trash. */
  readonly trash: readonly LibraryEntry[];
}

/**
 * Pinned conversations, samples, and what lies in the trash are never in it, nor are those that another conversation started: they
 * have no place of their own. What counts is the newest message. `now` in ms since 1970.
 */
export function cleanupOf(
  entries: readonly LibraryEntry[],
  {
    archive_after_days,
    delete_archived_after_days,
  }: Pick<Config['storage']['cleanup'], 'archive_after_days' | 'delete_archived_after_days'>,
  now: number,
): Cleanup {
  const old = entries
    .filter(({ pinned, sample, child, deletedAt }) => !pinned && !sample && !child && deletedAt === null)
    .sort((a, b) => a.updatedAt - b.updatedAt);
  const untouchedFor = (days: number) => (entry: LibraryEntry) => now - entry.updatedAt >= days * DAY;
  return {
    archive: old.filter(({ archived }) => !archived).filter(untouchedFor(archive_after_days)),
    trash: old.filter(({ archived }) => archived).filter(untouchedFor(delete_archived_after_days)),
  };
}
