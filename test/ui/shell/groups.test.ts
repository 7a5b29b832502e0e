import { describe, expect, it } from 'vitest';
import type { LibraryEntry } from '../../../src/services/documents/documents.ts';
import { sidebarRows } from '../../../src/ui/shell/groups.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';

const NOW = new Date(2026, 10, 21, 15, 0).getTime();
const entry = (name: string, at: Date | number, more: Partial<LibraryEntry> = {}) =>
  libraryEntry(name, { createdAt: Number(at), updatedAt: Number(at), ...more });
const keys = (...all: Parameters<typeof sidebarRows>) => sidebarRows(...all).map((row) => row.key);

describe('the sidebar’s order', () => {
  it('is pinned, then days, then months, newest first', () => {
    const entries = [
      entry('midnight', new Date(2026, 10, 21, 0, 0)),
      entry('late yesterday', new Date(2026, 10, 20, 23, 59)),
      entry('a week', new Date(2026, 10, 14, 12, 0)),
      entry('a month', new Date(2026, 9, 25)),
      entry('september', new Date(2026, 8, 2)),
      entry('september too', new Date(2026, 8, 20)),
      entry('last year', new Date(2025, 8, 20)),
      entry('kept', new Date(2024, 1, 1), { pinned: true }),
    ];
    expect(keys(entries, 'open', NOW)).toEqual([
      'pinned',
      'kept',
      'today',
      'midnight',
      'yesterday',
      'late yesterday',
      'week',
      'a week',
      'month',
      'a month',
      'older-2026-8',
      'september too',
      'september',
      'older-2025-8',
      'last year',
    ]);
  });

  it('keeps archive, trash and conversations started by others apart', () => {
    const entries = [
      entry('open', NOW),
      entry('archived', NOW, { archived: true, pinned: true }),
      entry('trashed', NOW, { deletedAt: NOW, archived: true }),
      entry('child', NOW, { child: true }),
    ];
    expect(keys(entries, 'open', NOW)).toEqual(['today', 'open']);
    expect(keys(entries, 'archived', NOW)).toEqual(['today', 'archived']);
    expect(keys(entries, 'trash', NOW)).toEqual(['today', 'trashed']);
  });
});

it('tells apart conversations of one title, and no others', () => {
  const named = (id: string, title: string) => entry(id, NOW, { title });
  const rows = sidebarRows([named('a', 'Café'), named('b', 'cafe '), named('c', 'Tea')], 'open', NOW);
  expect(rows.flatMap((row) => (row.type === 'entry' && row.twin ? [row.entry.id] : [])).sort()).toEqual([
    'a',
    'b',
  ]);
});
