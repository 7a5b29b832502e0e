// What is said of a joining is read beside the line of this device's own: others join as well.
import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/services/sync/sync.ts';
import { joinedOlder } from '../../../src/ui/sync/use-sync.ts';

const line = (kind: JournalEntry['kind'], what: string, device: string | null = null): JournalEntry => ({
  at: 0,
  kind,
  what,
  document: null,
  device,
  count: 1,
  bytes: 0,
});

it('an older account is told of beside the line of this device’s joining, whoever joined since', async () => {
  const lines = [line('note', 'joined', 'Tablet'), line('error', 'sync-older'), line('note', 'joined')];
  expect(await joinedOlder({ journal: async () => lines })).toBe(true);
  const others = [line('error', 'sync-older'), line('note', 'joined', 'Tablet'), line('note', 'joined')];
  expect(await joinedOlder({ journal: async () => others })).toBe(false);
});
