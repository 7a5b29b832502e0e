// Finds conversations of one title in a list. Pure.
import { comparableForm } from '../../domain/text/find.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';

/** Most twins whose first lines are compared: an import can bring a thousand of one title. */
const COMPARED = 4;

/** Equal for twins: the trash has its own. */
const titleFormOf = ({ title, deletedAt }: LibraryEntry): string =>
  `${deletedAt === null ? '' : 'trash '}${comparableForm(title).trim()}`;
const known = new WeakMap<readonly LibraryEntry[], ReadonlyMap<string, readonly LibraryEntry[]>>();

/** Entries by their title as it is compared; made once for each list. */
function byTitle(entries: readonly LibraryEntry[]): ReadonlyMap<string, readonly LibraryEntry[]> {
  const there = known.get(entries);
  if (there) return there;
  const made = new Map<string, LibraryEntry[]>();
  for (const entry of entries) {
    if (entry.child) continue;
    const form = titleFormOf(entry);
    const same = made.get(form);
    if (same) same.push(entry);
    else made.set(form, [entry]);
  }
  known.set(entries, made);
  return made;
}

/** True if another one of these entries has the same title. */
export const hasTwin = (entries: readonly LibraryEntry[], entry: LibraryEntry): boolean =>
  (byTitle(entries).get(titleFormOf(entry))?.length ?? 0) > 1;

/** Ids of the twins next to an entry in the library, in one text, so that it stays the same while they do. */
export function nearestTwins(entries: readonly LibraryEntry[], entry: LibraryEntry): string {
  const same = byTitle(entries).get(titleFormOf(entry)) ?? [];
  const at = same.findIndex(({ id }) => id === entry.id);
  if (same.length < 2 || at < 0) return '';
  const from = Math.max(0, at - COMPARED / 2);
  const near = same.slice(from, from + COMPARED + 1).filter(({ id }) => id !== entry.id);
  return near.map(({ id }) => id).join(' ');
}
