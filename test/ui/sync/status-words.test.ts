// The status line never says more than is known.
import { describe, expect, it } from 'vitest';
import type { SyncLocation, SyncState, SyncStatus } from '../../../src/services/sync/sync.ts';
import { sync as en } from '../../../src/ui/i18n/en/sync.ts';
import { syncLine } from '../../../src/ui/sync/status-words.ts';

const status = (state: SyncState, more: Partial<SyncStatus> = {}): SyncStatus => ({
  mode: 'remote',
  state,
  account: { fingerprint: '0000-0000-0000-0000', endpoint: 'wss://relay.example', managed: false, since: 0 },
  waiting: 0,
  fetching: 0,
  syncedAt: null,
  unreadable: 0,
  localOnly: 0,
  devices: [],
  problem: null,
  ...more,
});
const at = (place: SyncLocation['place'], ...devices: string[]): SyncLocation => ({ place, devices });

describe('the status line', () => {
  it('says nothing about sync without an account', () => {
    expect(syncLine(status('unpaired', { account: null }), null, true)).toBeNull();
    expect(syncLine(status('connecting', { account: null }), null, true)).toBeNull();
  });

  it('says that sync has stopped also where that is all that is known', () => {
    expect(syncLine(status('stopped', { account: null }), null, true)?.key).toBe('stopped');
  });

  it('names the relay only once the relay confirmed, and a device only once it said so', () => {
    expect(syncLine(status('synced'), null, true)?.key).toBe('relay');
    expect(syncLine(status('synced'), at('relay'), true)?.key).toBe('relay');
    expect(syncLine(status('synced'), at('here'), true)?.key).toBe('here');
    expect(syncLine(status('synced'), at('localOnly', 'Phone'), true)?.key).toBe('localOnly');
    expect(syncLine(status('synced'), at('relay', 'Phone'), true)).toMatchObject({
      key: 'one',
      values: { device: 'Phone' },
    });
    expect(syncLine(status('synced'), at('relay', 'Phone', 'Desk', 'Tablet', 'Old'), true)).toMatchObject({
      key: 'many',
      values: { device: 'Phone', other: 'Desk', count: 2 },
    });
  });

  it('never speaks of relay or devices while anything waits, connects, is away or has stopped', () => {
    const everywhere = at('relay', 'Phone');
    const careful: readonly SyncState[] = ['connecting', 'offline', 'syncing', 'stopped'];
    for (const online of [true, false])
      for (const waiting of [0, 3])
        for (const state of careful) {
          const line = syncLine(status(state, { waiting }), everywhere, online);
          expect(['relay', 'one', 'two', 'many'], `${state} ${waiting} ${online}`).not.toContain(line?.key);
          if (waiting > 0 && state !== 'stopped') expect(line?.values).toMatchObject({ count: 3 });
        }
    expect(syncLine(status('synced', { waiting: 1 }), everywhere, true)?.key).toBe('waiting');
    expect(syncLine(status('synced'), everywhere, false)).toBeNull();
  });

  it('has words for every line', () => {
    const words = en.line as Record<string, string>;
    for (const state of ['connecting', 'offline', 'syncing', 'synced', 'stopped'] as const)
      for (const waiting of [0, 2])
        for (const fetching of [0, 2])
          for (const online of [true, false])
            for (const where of [
              null,
              at('here'),
              at('localOnly'),
              at('relay'),
              at('relay', 'a'),
              at('relay', 'a', 'b'),
              at('relay', 'a', 'b', 'c'),
            ]) {
              const line = syncLine(status(state, { waiting, fetching }), where, online);
              if (line) expect(words[line.key] ?? words[`${line.key}_other`], line.key).toBeTruthy();
            }
  });
});
