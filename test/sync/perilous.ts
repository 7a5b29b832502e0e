// A store and a vault at whose operations a process can die, before or after they take
// effect. Reports what sync committed.
import type { KeyValueWrite, Store } from '../../src/adapters/log/conversation-log.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { RecollectError } from '../../src/domain/base/errors.ts';
import { INDEX_ROOM } from '../../src/domain/sync/keys.ts';
import type { OutboxRow, RoomRecord } from '../../src/services/sync/records.ts';

/** Maintenance that sync does on the room of a conversation. */
export type Upkept = 'fold' | 'squash' | 'heal' | 'move';

export interface Commit {
  readonly upkept: readonly Upkept[];
  /** Blobs that are to be taken out of a room. */
  readonly replaces: readonly string[];
}

const KINDS = ['delta', 'segment', 'snapshot'] as const;

/** Reads from the writes of one commit what it is for. */
export function readCommit(writes: readonly KeyValueWrite[]): Commit {
  const upkept: Upkept[] = [];
  const replaces: string[] = [];
  for (const { key, value } of writes) {
    if (!key.startsWith('sync/out/') || key.startsWith(`sync/out/${INDEX_ROOM}/`) || !value) continue;
    const row = value as OutboxRow;
    const kind = KINDS[row.blobs[0]?.[1] ?? 0];
    if (row.changes > 0 || kind === 'delta') continue;
    replaces.push(...row.replaces);
    if (row.replaces.length === 0) upkept.push('heal');
    else upkept.push(kind === 'segment' ? 'fold' : 'squash');
  }
  const begins = ({ key, value }: KeyValueWrite) =>
    key.startsWith('sync/room/') && (value as RoomRecord | undefined)?.seq === 0;
  const leaves = ({ key, value }: KeyValueWrite) => key.startsWith('sync/erase/') && value !== undefined;
  const isGone = ({ key, value }: KeyValueWrite) =>
    key.startsWith('sync/room/') && (value as RoomRecord | undefined)?.gone != null;
  if (writes.some(begins) && writes.some(leaves) && !writes.some(isGone)) upkept.push('move');
  return { upkept, replaces };
}

/** Decides what happens at each operation of a process. */
export interface Peril {
  /** Asked before each operation: whether the process dies at it. `lasts`: it changes what is on the disk. */
  strikes(lasts: boolean, commit: Commit | undefined): 'before' | 'after' | null;
  /** Called when it died: none of its later operations takes effect. */
  onDeath(): void;
  /** Whether the disk is full for this write. */
  isFull(): boolean;
  onCommit(commit: Commit): void;
}

/** Store and vault of a process in peril; the vault's operations count as well. */
export function perilous(store: Store, vault: Vault, peril: Peril): { store: Store; vault: Vault } {
  const { log, keyValues } = store;
  let dead = false;
  const never = <T>() => new Promise<T>(() => {});
  const guard = async <T>(
    work: () => Promise<T>,
    writes: boolean,
    commit?: Commit,
    lasts = writes,
  ): Promise<T> => {
    if (dead) return await never();
    const strike = peril.strikes(lasts, commit);
    if (strike !== null) {
      dead = true;
      if (strike === 'after') await work().catch(() => {});
      peril.onDeath();
      return await never();
    }
    if (writes && peril.isFull()) throw new RecollectError('storage-full', 'No room', { retry: true });
    const result = await work();
    if (dead) return await never();
    if (commit) peril.onCommit(commit);
    return result;
  };
  return {
    store: {
      kind: 'persistent',
      log: {
        append: (entries, writes) => guard(() => log.append(entries, writes), true, readCommit(writes ?? [])),
        since: (seq, limit) => guard(() => log.since(seq, limit), false),
        read: (document, after) => guard(() => log.read(document, after), false),
        replaceBySnapshot: (document, snapshot, upTo) =>
          guard(() => log.replaceBySnapshot(document, snapshot, upTo), true),
        erase: (document) => guard(() => log.erase(document), true),
        documents: () => guard(() => log.documents(), false),
        head: () => guard(() => log.head(), false),
        subscribe: (listener) => log.subscribe((change) => !dead && listener(change)),
        stats: () => log.stats(),
        close: async () => {
          dead = true;
        },
      },
      keyValues: {
        get: (key) => guard(() => keyValues.get(key), false),
        set: (key, value) => guard(() => keyValues.set(key, value), true),
        keys: (prefix) => guard(() => keyValues.keys(prefix), false),
        subscribe: (listener) => keyValues.subscribe((change) => !dead && listener(change)),
      },
    },
    vault: {
      // A full disk has room for a key.
      put: (name, secret) => guard(() => vault.put(name, secret), false, undefined, true),
      get: (name) => guard(() => vault.get(name), false),
      names: () => guard(() => vault.names(), false),
    },
  };
}
