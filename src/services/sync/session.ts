// One account on one relay: brings log and rooms into step, round by round, and tells how far it is.
//
//   log ──since(bookmark), not 'remote'──► clean ─► merge ─► seal ─► outbox ─► room          the index room carries facts: who holds
//   log ◄──append('remote') + marks───────────────────────── open ◄─ room                    what (beacons), what moved, what is gone
//
// One thread of control: a round looks at what is and what should be, and does the difference. Whatever happens only asks for a round.
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { KeyRing, Sealing } from '../../adapters/vault/sealing.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { isConversation } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { CompactionPolicy } from '../../domain/sync/compaction.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { createLines } from '../documents/lines.ts';
import { leave, revoke } from './account.ts';
import { createAccountState } from './account-state.ts';
import { createDocumentContents } from './content.ts';
import { createRoomKeys, createSealInto } from './envelope.ts';
import { createOutboxWriter } from './outbox-writer.ts';
import { isShared, newTransaction, openRecords } from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import { createRoomPool } from './room-pool.ts';
import type { SessionContext } from './session-context.ts';
import type { SyncDevice, SyncState, SyncStatus, Whereabouts, WhyUnfetched } from './sync.ts';
import { createTombstones } from './tombstones.ts';

export interface SyncSessionDeps
  extends Pick<SessionContext, 'account' | 'backend' | 'relay' | 'now' | 'clock' | 'wake' | 'wakeWithin'> {
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Readable<Config>;
  readonly sealing: Sealing;
  readonly deflate: Deflate;
  readonly ring: KeyRing;
  readonly signal: AbortSignal;
  /** When rooms are folded; the usual where it is not said. */
  readonly compaction?: CompactionPolicy | undefined;
  /** Documents on somebody's screen. */
  readonly onScreen: () => Iterable<string>;
}

export interface SyncSession {
  /** Does what is due. True where more is due at once. */
  round(): Promise<boolean>;
  status(): SyncStatus;
  /** Grows when a device says what it holds: where conversations are may be another matter now. */
  announcementCount(): number;
  answer(request: SyncRequest): Promise<SyncAnswer>;
  markChanged(documents: readonly string[]): void;
  requestCheck(force: boolean): void;
  retry(): void;
  setProblem(problem: Problem): void;
  close(): void;
}

/** Lines of the library are made when a conversation has been quiet for this long, ms. */
const LIST_ENTRIES_AFTER_MS = 40;
const WATCH_MS = 5_000;
/** Who leaves waits this long at most for the relay to take the word of it, and looks this often, ms. */
const DEPARTURE_TIMEOUT_MS = 3_000;
const DEPARTURE_POLL_MS = 20;
/** The time of the last agreement is told anew this often at most, ms: it is not worth a message each round. */
const SYNCED_AT_EVERY_MS = 10_000;

/** Opens the records and runs from there; nothing is done before the first round. */
export async function createSyncSession(deps: SyncSessionDeps): Promise<SyncSession> {
  const { store, config, sealing, deflate, now, clock, account, ring, relay, wakeWithin } = deps;
  const { log } = store;
  const { device } = account;
  const closing = new AbortController();
  deps.signal.addEventListener('abort', () => closing.abort(deps.signal.reason), { once: true });
  const { signal } = closing;

  const records = await openRecords(store, now);
  const keysOf = createRoomKeys(ring);
  const sealInto = createSealInto({ records, keysOf, device, deflate, random: sealing.random });
  const checkEveryMs = () => config.get().sync.auto_sync_interval * 1000;
  const accountState = createAccountState({ account, records, config, sealInto, now, clock, wakeWithin });
  const contents = createDocumentContents({ log, config, records });
  const context = { ...deps, log, records, accountState, contents, keysOf, sealInto, signal };
  const rooms = createRoomPool({ ...context, checkEveryMs });
  const tombstones = createTombstones({ ...context, rooms });
  const outboxWriter = createOutboxWriter({
    ...context,
    onLogRead: (document) => {
      tombstones.markRead(document);
      if ((watched.get(document) ?? 0) > clock()) rewrittenElsewhere.add(document);
    },
    onQueued: rooms.markDirty,
    keepInTrash: tombstones.keepInTrash,
    handleTombstonedWrite: tombstones.handleTombstonedWrite,
  });
  const lines = createLines(store);

  let listEntriesDueAt: number | null = null;
  /** Lines made just now, until when they are watched: a tab may have written the same line at the same time, from fewer messages or more. */
  const watched = new Map<string, number>();
  const rewrittenElsewhere = new Set<string>();
  /** Documents that the relay had no room for, each told once. */
  const overQuota = new Set<string>();
  let problem: Problem | null = null;
  let wasSynced = false;
  let nextSyncedAtWrite = 0;

  const rules = () => JSON.stringify(config.get().privacy.exclude_work_dirs);
  let rulesSeen = rules();
  const stopConfig = config.subscribe(() => {
    if (rules() !== rulesSeen) outboxWriter.markRulesChanged();
    rulesSeen = rules();
    deps.wake();
  });

  /** Makes the library's lines of what changed elsewhere, once it has been quiet. */
  async function refreshListEntries(): Promise<boolean> {
    if (records.staleListEntries.size + rewrittenElsewhere.size === 0) {
      listEntriesDueAt = null;
      return false;
    }
    listEntriesDueAt ??= clock() + LIST_ENTRIES_AFTER_MS;
    if (clock() < listEntriesDueAt) {
      wakeWithin(listEntriesDueAt - clock() + 1);
      return false;
    }
    listEntriesDueAt = null;
    const ids = [...new Set([...rewrittenElsewhere, ...records.staleListEntries])].slice(0, 100);
    const transaction = newTransaction();
    for (const id of ids) records.putListEntryStale(transaction, id, false);
    await lines.refresh(ids.filter(isConversation), transaction.writes);
    for (const done of transaction.after) done();
    for (const [id, until] of watched) if (until <= clock()) watched.delete(id);
    for (const id of ids) {
      watched.set(id, clock() + WATCH_MS);
      rewrittenElsewhere.delete(id);
    }
    return true;
  }

  /** What of the account is not here; null: everything that anybody told of is. */
  const unfetched = (): { why: WhyUnfetched; count: number } | null => {
    const { index } = rooms;
    if (!index?.isRead) {
      const isAway = index?.room.state === 'offline' || index?.room.state === 'refused';
      return { why: isAway ? 'unreachable' : 'fetching', count: 0 };
    }
    const { unread, lacking } = accountState.unfetched();
    const isToBeRead = [...records.rooms.values()].filter(
      (record) => record.compare && isShared(record),
    ).length;
    if (unread + isToBeRead + accountState.dirty.size > 0)
      return { why: 'fetching', count: Math.max(unread, isToBeRead) };
    return lacking > 0 ? { why: 'lacking', count: lacking } : null;
  };

  /** Documents of which all is still to be sent; what stays here is none of them. */
  const unsentDocuments = (): number =>
    [...records.rooms.values()].filter((record) => record.whole && isShared(record)).length;
  const isUploaded = () =>
    !outboxWriter.isAdopting && records.outbox.size === 0 && unsentDocuments() === 0 && !isComparing();

  const waiting = (): number => {
    let count = 0;
    for (const [document, rows] of records.outbox)
      if (document !== INDEX_ROOM) for (const row of rows.values()) count += row.changes;
    return count + unsentDocuments() + tombstones.unread.size;
  };
  /** The relay may lack something of a room, or still have what is to be replaced there. */
  const isComparing = (): boolean => {
    for (const record of records.rooms.values())
      if ((record.compare || record.squash) && isShared(record)) return true;
    return rooms.all().some((link) => link.isRepairing);
  };
  const state = (): SyncState => {
    if (problem && !problem.retry) return 'stopped';
    const { index } = rooms;
    if (!index) return 'connecting';
    if (index.room.state === 'refused') return 'stopped';
    if (index.room.state === 'offline') return 'offline';
    if (index.room.state === 'connecting') return 'connecting';
    return waiting() === 0 &&
      accountState.fetching() === 0 &&
      index.isSettled &&
      records.outbox.size === 0 &&
      !outboxWriter.isAdopting &&
      !accountState.hasUnannounced() &&
      !rooms.isChecking() &&
      !isComparing()
      ? 'synced'
      : 'syncing';
  };

  async function syncRooms(): Promise<boolean> {
    let more = false;
    for (const link of rooms.documents()) {
      if (!rooms.has(link)) continue;
      const { document } = link;
      more = (await link.sync(signal)) || more;
      if (link.isSettled) {
        rooms.markChecked(document);
        accountState.markRead(document);
        overQuota.delete(document);
      } else if (link.room.state === 'refused') {
        rooms.markChecked(document);
        accountState.markRefused(document);
      } else if (link.quotaProblem && link.isRead) {
        rooms.markChecked(document);
        if (link.isComplete) accountState.markRead(document);
      }
      accountState.setDeferred(document, link.isDeferred);
      const full = link.quotaProblem ?? (link.room.problem?.code === 'sync-quota' ? link.room.problem : null);
      // What is about to be left has no trouble.
      if (!full || link.isOverQuota) continue;
      problem = full;
      if (!overQuota.has(document))
        records.addToJournal({
          kind: 'error',
          what: 'sync-quota',
          document,
          device: null,
          count: 1,
          bytes: 0,
        });
      overQuota.add(document);
    }
    return more;
  }

  async function round(): Promise<boolean> {
    problem = null;
    let more = await outboxWriter.pushChanges();
    more = (await tombstones.detectErased()) || more;
    more = (await outboxWriter.recheckWithheld()) || more;
    await rooms.runCheck();
    await rooms.openWanted();
    if (rooms.index) {
      more = (await rooms.index.sync(signal)) || more;
      problem = rooms.index.room.state === 'refused' ? rooms.index.room.problem : rooms.index.quotaProblem;
    }
    more = (await tombstones.applyAccountState()) || more;
    if (rooms.index?.isRead) {
      more = (await outboxWriter.adoptDocuments()) || more;
      more = (await outboxWriter.pushSnapshots()) || more;
    }
    more = (await syncRooms()) || more;
    more = (await tombstones.moveDamagedRooms()) || more;
    // What lies in the index comes first: it may know more of this device than this store does.
    if (rooms.index?.isRead) more = (await accountState.sendAnnouncements(signal)) || more;
    more = (await refreshListEntries()) || more;
    if (rooms.index?.room.state === 'synced') await tombstones.eraseOnRelay(isUploaded);
    if (state() === 'synced' && (!wasSynced || clock() >= nextSyncedAtWrite)) {
      await records.putSyncedAt(now());
      nextSyncedAtWrite = clock() + SYNCED_AT_EVERY_MS;
    }
    wasSynced = state() === 'synced';
    await records.flushJournal();
    return more || rooms.hasUnopened;
  }

  function where(document: string): Whereabouts {
    const record = records.rooms.get(document);
    if (record && !isShared(record)) return { place: 'withheld', devices: [] };
    const waits = (records.outbox.get(document)?.size ?? 0) > 0 || tombstones.unread.has(document);
    // What is being looked at is not known to be there.
    if (!record || record.whole || record.compare || waits || rooms.isChecking(document))
      return { place: 'here', devices: [] };
    const names = accountState.devices();
    return {
      place: 'relay',
      devices: accountState.holdersOf(document, record).map((id) => names.get(id)?.name ?? id),
    };
  }

  tombstones.markChanged([...records.rooms.keys()].filter((document) => document !== INDEX_ROOM));

  /** Tells the others that this device belongs to the account no more, as far as they can be told now. */
  async function announceDeparture(): Promise<void> {
    const { index } = rooms;
    if (!index?.isRead) return;
    const transaction = newTransaction();
    await accountState.removeDevice(transaction, device);
    await records.commit(transaction);
    const end = clock() + DEPARTURE_TIMEOUT_MS;
    for (;;) {
      index.markDirty();
      await index.sync(signal);
      if (!records.outbox.has(INDEX_ROOM) || index.room.state !== 'synced' || clock() >= end) return;
      await new Promise((resolve) => setTimeout(resolve, DEPARTURE_POLL_MS));
    }
  }

  const membership = { ...deps, signal };
  const roomNames = () =>
    Promise.all(
      [...records.rooms].map(async ([document, { epoch }]) => (await keysOf(document, epoch)).roomId),
    );
  return {
    round,
    announcementCount: accountState.announcementCount,
    status: () => ({
      mode: account.mode,
      state: state(),
      account: {
        fingerprint: account.fingerprint,
        endpoint: relay.endpoint,
        managed: account.mode === 'managed',
        since: account.createdAt,
      },
      waiting: waiting(),
      fetching: accountState.fetching(),
      syncedAt: records.syncedAt,
      unreadable: rooms.all().reduce((sum, link) => sum + link.unreadableCount, 0),
      withheld: [...records.rooms].filter(([document, { withheld, gone }]) =>
        gone === null ? withheld !== null : tombstones.isInTrash(document),
      ).length,
      devices: [...accountState.devices()].map(
        ([id, fact]): SyncDevice => ({
          id,
          name: fact.name,
          here: id === device,
          pairedAt: fact.pairedAt,
          seenAt: fact.seenAt,
          missing: id === device ? 0 : accountState.missingOf(id),
        }),
      ),
      problem: problem,
    }),
    answer: async (request) => {
      if (request.do === 'where') return where(request.document);
      if (request.do === 'index') return accountState.latest();
      if (request.do === 'revoke') {
        const missing = unfetched();
        const { anyway } = request;
        if (missing && (anyway === null || (anyway === 'lacking' && missing.why !== 'lacking')))
          throw new RecollectError('sync-unfetched', 'Not everything of the account is on this device', {
            params: { ...missing },
            retry: true,
          });
        await records.flushJournal();
        await revoke(membership, {
          // What was read to its end in vain is not lost with the old account; what was not read would be.
          erase: missing === null || (missing.why === 'lacking' && anyway === 'lacking'),
          name: accountState.devices().get(request.device)?.name ?? null,
          rooms: roomNames,
          tombstones: accountState.tombstones(),
        });
      } else if (request.do === 'leave') {
        if (!request.erase) await announceDeparture();
        await records.flushJournal();
        await leave(membership, request);
      } else if (request.do === 'take-off') {
        const transaction = newTransaction();
        await accountState.removeDevice(transaction, request.device);
        await records.commit(transaction);
        rooms.index?.markDirty();
      } else if (request.do === 'forget') await tombstones.eraseEverywhere(request.documents);
      return null;
    },
    markChanged: tombstones.markChanged,
    requestCheck: rooms.requestCheck,
    retry: rooms.retry,
    setProblem: (found) => {
      problem = found;
      records.addToJournal({
        kind: 'error',
        what: found.code,
        document: null,
        device: null,
        count: 1,
        bytes: 0,
      });
    },
    close: () => {
      closing.abort();
      stopConfig();
      rooms.closeAll();
    },
  };
}
