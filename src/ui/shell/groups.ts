// Orders the sidebar's conversations: pinned first, then by day, then by month. Pure.
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { hasTwin } from './twin-titles.ts';

export type SidebarView = 'open' | 'archived' | 'trash';

export type SidebarRow =
  | { readonly type: 'heading'; readonly key: string; readonly group: Group; readonly at: number }
  | { readonly type: 'entry'; readonly key: string; readonly entry: LibraryEntry; readonly twin: boolean };

type Group = 'pinned' | 'today' | 'yesterday' | 'week' | 'month' | 'older';

/** True if a view shows the entry. Conversations started by another one are not at the top level. */
export function inView(entry: LibraryEntry, view: SidebarView): boolean {
  if (entry.child) return false;
  if (view === 'trash') return entry.deletedAt !== null;
  return entry.deletedAt === null && entry.archived === (view === 'archived');
}

/**
 * Rows of a view, newest first, with a heading before each group; `twin` if several have the same title. `older` has
 * one heading for each month. Times in ms since 1970.
 */
export function sidebarRows(entries: readonly LibraryEntry[], view: SidebarView, now: number): SidebarRow[] {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  const today = day.getTime();
  const daysAgo = (days: number) => new Date(day).setDate(day.getDate() - days);
  const [yesterday, week, month] = [daysAgo(1), daysAgo(7), daysAgo(30)];
  const groupOf = (entry: LibraryEntry): Group => {
    const at = entry.updatedAt;
    if (view === 'open' && entry.pinned) return 'pinned';
    if (at >= today) return 'today';
    if (at >= yesterday) return 'yesterday';
    if (at >= week) return 'week';
    if (at >= month) return 'month';
    return 'older';
  };

  const shown = entries.filter((entry) => inView(entry, view));
  shown.sort(
    (a, b) =>
      (view === 'open' ? Number(b.pinned) - Number(a.pinned) : 0) ||
      b.updatedAt - a.updatedAt ||
      (a.id < b.id ? 1 : -1),
  );
  const rows: SidebarRow[] = [];
  let last = '';
  for (const entry of shown) {
    const group = groupOf(entry);
    const date = new Date(entry.updatedAt);
    const key = group === 'older' ? `older-${date.getFullYear()}-${date.getMonth()}` : group;
    if (key !== last) rows.push({ type: 'heading', key, group, at: entry.updatedAt });
    last = key;
    rows.push({ type: 'entry', key: entry.id, entry, twin: hasTwin(shown, entry) });
  }
  return rows;
}
