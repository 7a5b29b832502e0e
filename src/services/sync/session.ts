// One account on one relay: brings log and rooms into step, round by round, and reports its progress.
//
//   log ──since(bookmark), not 'remote'──► clean ─► merge ─► seal ─► outbox ─► room
//   log ◄──append('remote') + marks───────────────────────── open ◄─ room
//
// The index room carries facts: which device holds what (announced), what moved, what is gone.
// One thread of control: a round compares the present state with the wanted one, and does the
// difference. Every event only requests a round.
import type { ConversationLog, Store } from '../../adapters/log/conversation-log.ts';
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { KeyRing, Sealing } from '../../adapters/vault/sealing.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { isConversation } from '../../domain/base/ids.ts';
import { type Readable, until } from '../../domain/base/readable.ts';
import { isTimeout, withTimeLimit } from '../../domain/base/time-limit.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { CompactionPolicy } from '../../domain/sync/compaction.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { createListEntryWriter } from '../documents/list-entries.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { leaveAccount, revoke } from './account.ts';
import type { AccountState } from './account-state.ts';
import { createAccountState } from './account-state.ts';
import { createDocumentContents } from './content.ts';
import type { RoomKeys } from './envelope.ts';
import { createRoomKeys, createSealInto } from './envelope.ts';
import { createOutboxWriter } from './outbox-writer.ts';
import type { Records } from './records.ts';
import { isShared, newTransaction, openRecords } from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import type { RoomPool } from './room-pool.ts';
import { createRoomPool } from './room-pool.ts';
import type { SessionContext } from './session-context.ts';
import type { SyncDevice, SyncLocation, SyncState, SyncStatus, WhyUnfetched } from './sync.ts';
import { createTombstones } from './tombstones.ts';

export interface SyncSessionDeps
  extends Pick<SessionContext, 'account' | 'backend' | 'relay' | 'now' | 'clock' | 'wake' | 'wakeWithin'> {
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Readable<Config>;
  /** Applied to everything that leaves. */
  readonly filter: PrivacyFilter;
  readonly sealing: Sealing;
  readonly deflate: Deflate;
  readonly ring: KeyRing;
  readonly signal: AbortSignal;
  /** Policy of compaction; absent: the usual one. */
  readonly compaction?: CompactionPolicy | undefined;
  /** Documents on a screen. */
  readonly onScreen: () => Iterable<string>;
}

export interface SyncSession {
  /** Does what is due. True if more is due at once. */
  round(): Promise<boolean>;
  status(): SyncStatus;
  /** Grows with each version announcement: the whereabouts of conversations may have changed. */
  announcementCount(): number;
  answer(request: SyncRequest): Promise<SyncAnswer>;
  markChanged(documents: readonly string[]): void;
  requestCheck(force: boolean): void;
  retry(): void;
  setProblem(problem: Problem): void;
  close(): void;
}

/** List entries are made after a conversation has been quiet for so long, ms. */
const LIST_ENTRIES_AFTER_MS = 40;
const WATCH_MS = 5_000;
/** Longest wait of a leaving device for the relay to accept its announcement, ms. */
const DEPARTURE_TIMEOUT_MS = 3_000;
/** Least time between two reports of the last agreement, ms: not every round is worth a message. */
const SYNCED_AT_EVERY_MS = 10_000;

/** Opens the records and runs from there; nothing happens before the first round. */
export async function createSyncSession(deps: SyncSessionDeps): Promise<SyncSession> {
  return new ConnectedSession(deps, await openRecords(deps.store, deps.now));
}

class ConnectedSession implements SyncSession {
  readonly #deps: SyncSessionDeps;
  readonly #log: ConversationLog;
  readonly #device: string;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #records: Records;
  readonly #keysOf: RoomKeys;
  readonly #accountState: AccountState;
  readonly #rooms: RoomPool;
  readonly #tombstones: ReturnType<typeof createTombstones>;
  readonly #outboxWriter: ReturnType<typeof createOutboxWriter>;
  readonly #listEntries: ReturnType<typeof createListEntryWriter>;
  #listEntriesDueAt: number | null = null;
  /**
   * List entries made just now, watched until this time: a tab may have written the same
   * entry at once, from other messages.
   */
  readonly #watched = new Map<string, number>();
  readonly #rewrittenRemotely = new Set<string>();
  /** Documents for which the relay had no space, each reported once. */
  readonly #overQuota = new Set<string>();
  #problem: Problem | null = null;
  #wasSynced = false;
  #nextSyncedAtWrite = 0;
  readonly #stopConfig: () => void;
  readonly #membership: SyncSessionDeps & { readonly signal: AbortSignal };
  readonly announcementCount: SyncSession['announcementCount'];
  readonly markChanged: SyncSession['markChanged'];
  readonly requestCheck: SyncSession['requestCheck'];
  readonly retry: SyncSession['retry'];

  constructor(deps: SyncSessionDeps, records: Records) {
    this.#deps = deps;
    const { log } = deps.store;
    this.#log = log;
    const { device } = deps.account;
    this.#device = device;
    deps.signal.addEventListener('abort', () => this.#closing.abort(deps.signal.reason), { once: true });
    const { signal } = this.#closing;
    this.#signal = signal;
    this.#records = records;
    this.#keysOf = createRoomKeys(this.#deps.ring);
    const sealInto = createSealInto({
      records: this.#records,
      keysOf: this.#keysOf,
      device: this.#device,
      deflate: this.#deps.deflate,
      random: this.#deps.sealing.random,
    });
    this.#accountState = createAccountState({
      account: this.#deps.account,
      records: this.#records,
      config: this.#deps.config,
      sealInto,
      now: this.#deps.now,
      clock: this.#deps.clock,
      wakeWithin: this.#deps.wakeWithin,
    });
    const contents = createDocumentContents({
      log: this.#log,
      config: this.#deps.config,
      records: this.#records,
      filter: deps.filter,
    });
    const context = {
      ...this.#deps,
      log: this.#log,
      records: this.#records,
      accountState: this.#accountState,
      contents,
      keysOf: this.#keysOf,
      sealInto,
      signal: this.#signal,
    };
    this.#rooms = createRoomPool({ ...context, checkEveryMs: () => this.#checkEveryMs() });
    this.#tombstones = createTombstones({ ...context, rooms: this.#rooms });
    this.#outboxWriter = createOutboxWriter({
      ...context,
      onLogRead: (document) => {
        this.#tombstones.markRead(document);
        if ((this.#watched.get(document) ?? 0) > this.#deps.clock()) this.#rewrittenRemotely.add(document);
      },
      onQueued: this.#rooms.markDirty,
      keepInTrash: this.#tombstones.keepInTrash,
      handleTombstonedWrite: this.#tombstones.handleTombstonedWrite,
    });
    this.#listEntries = createListEntryWriter(this.#deps.store);
    let rulesSeen = this.#rules();
    this.#stopConfig = this.#deps.config.subscribe(() => {
      if (this.#rules() !== rulesSeen) this.#outboxWriter.markRulesChanged();
      rulesSeen = this.#rules();
      this.#deps.wake();
    });
    this.#tombstones.markChanged(
      [...this.#records.rooms.keys()].filter((document) => document !== INDEX_ROOM),
    );
    this.#membership = { ...this.#deps, signal: this.#signal };
    this.announcementCount = this.#accountState.announcementCount;
    this.markChanged = this.#tombstones.markChanged;
    this.requestCheck = this.#rooms.requestCheck;
    this.retry = this.#rooms.retry;
  }

  async round(): Promise<boolean> {
    this.#problem = null;
    let more = await this.#outboxWriter.pushChanges();
    more = (await this.#tombstones.detectErased()) || more;
    more = (await this.#outboxWriter.recheckLocalOnly()) || more;
    await this.#rooms.runCheck();
    await this.#rooms.openWanted();
    if (this.#rooms.index) {
      more = (await this.#rooms.index.sync(this.#signal)) || more;
      this.#problem =
        this.#rooms.index.room.state === 'refused'
          ? this.#rooms.index.room.problem
          : this.#rooms.index.quotaProblem;
    }
    more = (await this.#tombstones.applyAccountState()) || more;
    if (this.#rooms.index?.isRead) {
      more = (await this.#outboxWriter.adoptDocuments()) || more;
      more = (await this.#outboxWriter.pushSnapshots()) || more;
    }
    more = (await this.#syncRooms()) || more;
    more = (await this.#tombstones.moveDamagedRooms()) || more;
    // Read the index first: it may know more of this device than this store does.
    if (this.#rooms.index?.isRead) more = (await this.#accountState.sendAnnouncements(this.#signal)) || more;
    more = (await this.#refreshListEntries()) || more;
    if (this.#rooms.index?.room.state === 'synced')
      await this.#tombstones.eraseOnRelay(() => this.#isUploaded());
    if (this.#state() === 'synced' && (!this.#wasSynced || this.#deps.clock() >= this.#nextSyncedAtWrite)) {
      await this.#records.putSyncedAt(this.#deps.now());
      this.#nextSyncedAtWrite = this.#deps.clock() + SYNCED_AT_EVERY_MS;
    }
    this.#wasSynced = this.#state() === 'synced';
    await this.#records.flushJournal();
    return more || this.#rooms.hasUnopened;
  }

  status(): SyncStatus {
    return {
      mode: this.#deps.account.mode,
      state: this.#state(),
      account: {
        fingerprint: this.#deps.account.fingerprint,
        endpoint: this.#deps.relay.endpoint,
        managed: this.#deps.account.mode === 'managed',
        since: this.#deps.account.createdAt,
      },
      waiting: this.#waiting(),
      fetching: this.#accountState.fetching(),
      syncedAt: this.#records.syncedAt,
      unreadable: this.#rooms.all().reduce((sum, link) => sum + link.unreadableCount, 0),
      localOnly: [...this.#records.rooms].filter(([document, { localOnly, gone }]) =>
        gone === null ? localOnly !== null : this.#tombstones.isInTrash(document),
      ).length,
      devices: [...this.#accountState.devices()].map(
        ([id, fact]): SyncDevice => ({
          id,
          name: fact.name,
          here: id === this.#device,
          pairedAt: fact.pairedAt,
          seenAt: fact.seenAt,
          missing: id === this.#device ? 0 : this.#accountState.missingOf(id),
        }),
      ),
      problem: this.#problem,
    };
  }

  async answer(request: SyncRequest): Promise<SyncAnswer> {
    if (request.do === 'where') return this.#where(request.document);
    if (request.do === 'index') return this.#accountState.latest();
    if (request.do === 'revoke') {
      const missing = this.#unfetched();
      const { anyway } = request;
      if (missing && (anyway === null || (anyway === 'lacking' && missing.why !== 'lacking')))
        throw new RecollectError('sync-unfetched', 'Not everything of the account is on this device', {
          params: { ...missing },
          retry: true,
        });
      await this.#records.flushJournal();
      await revoke(this.#membership, {
        // Documents in rooms that were read to the end are not lost with the old account; unread ones would be.
        erase: missing === null || (missing.why === 'lacking' && anyway === 'lacking'),
        name: this.#accountState.devices().get(request.device)?.name ?? null,
        rooms: () => this.#roomNames(),
        tombstones: this.#accountState.tombstones(),
      });
    } else if (request.do === 'leave') {
      if (!request.erase) await this.#announceDeparture();
      await this.#records.flushJournal();
      await leaveAccount(this.#membership, request);
    } else if (request.do === 'take-off') {
      const transaction = newTransaction();
      await this.#accountState.removeDevice(transaction, request.device);
      await this.#records.commit(transaction);
      this.#rooms.index?.markDirty();
    } else if (request.do === 'forget') await this.#tombstones.eraseEverywhere(request.documents);
    return null;
  }

  setProblem(found: Problem): void {
    this.#problem = found;
    this.#records.addToJournal({
      kind: 'error',
      what: found.code,
      document: null,
      device: null,
      count: 1,
      bytes: 0,
    });
  }

  close(): void {
    this.#closing.abort();
    this.#stopConfig();
    this.#rooms.closeAll();
  }

  #checkEveryMs(): number {
    return this.#deps.config.get().sync.auto_sync_interval * 1000;
  }

  #rules(): string {
    const { privacy, sync } = this.#deps.config.get();
    return JSON.stringify([privacy.exclude_work_dirs, sync.exclude_projects]);
  }

  /** Makes the list entries of conversations that changed elsewhere, once they are quiet. */
  async #refreshListEntries(): Promise<boolean> {
    if (this.#records.staleListEntries.size + this.#rewrittenRemotely.size === 0) {
      this.#listEntriesDueAt = null;
      return false;
    }
    this.#listEntriesDueAt ??= this.#deps.clock() + LIST_ENTRIES_AFTER_MS;
    if (this.#deps.clock() < this.#listEntriesDueAt) {
      this.#deps.wakeWithin(this.#listEntriesDueAt - this.#deps.clock() + 1);
      return false;
    }
    this.#listEntriesDueAt = null;
    const ids = [...new Set([...this.#rewrittenRemotely, ...this.#records.staleListEntries])].slice(0, 100);
    const transaction = newTransaction();
    for (const id of ids) this.#records.putListEntryStale(transaction, id, false);
    await this.#listEntries.refresh(ids.filter(isConversation), transaction.writes);
    for (const done of transaction.after) done();
    for (const [id, until] of this.#watched) if (until <= this.#deps.clock()) this.#watched.delete(id);
    for (const id of ids) {
      this.#watched.set(id, this.#deps.clock() + WATCH_MS);
      this.#rewrittenRemotely.delete(id);
    }
    return true;
  }

  /** Announced documents of the account that are missing here; null: none. */
  #unfetched(): { why: WhyUnfetched; count: number } | null {
    const { index } = this.#rooms;
    if (!index?.isRead) {
      const isAway = index?.room.state === 'offline' || index?.room.state === 'refused';
      return { why: isAway ? 'unreachable' : 'fetching', count: 0 };
    }
    const { unread, lacking } = this.#accountState.unfetched();
    const isToBeRead = [...this.#records.rooms.values()].filter(
      (record) => record.compare && isShared(record),
    ).length;
    if (unread + isToBeRead + this.#accountState.dirty.size > 0)
      return { why: 'fetching', count: Math.max(unread, isToBeRead) };
    return lacking > 0 ? { why: 'lacking', count: lacking } : null;
  }

  /** Counts documents that are still to be sent whole, without those that stay here. */
  #unsentDocuments(): number {
    return [...this.#records.rooms.values()].filter((record) => record.whole && isShared(record)).length;
  }

  #isUploaded(): boolean {
    return (
      !this.#outboxWriter.isAdopting &&
      this.#records.outbox.size === 0 &&
      this.#unsentDocuments() === 0 &&
      !this.#isComparing()
    );
  }

  #waiting(): number {
    let count = 0;
    for (const [document, rows] of this.#records.outbox)
      if (document !== INDEX_ROOM) for (const row of rows.values()) count += row.changes;
    return count + this.#unsentDocuments() + this.#tombstones.unread.size;
  }

  /** True if the relay may lack something of a room, or still have what is to be replaced there. */
  #isComparing(): boolean {
    for (const record of this.#records.rooms.values())
      if ((record.compare || record.squash) && isShared(record)) return true;
    return this.#rooms.all().some((link) => link.isRepairing);
  }

  #state(): SyncState {
    if (this.#problem && !this.#problem.retry) return 'stopped';
    const { index } = this.#rooms;
    if (!index) return 'connecting';
    if (index.room.state === 'refused') return 'stopped';
    if (index.room.state === 'offline') return 'offline';
    if (index.room.state === 'connecting') return 'connecting';
    return this.#waiting() === 0 &&
      this.#accountState.fetching() === 0 &&
      index.isSettled &&
      this.#records.outbox.size === 0 &&
      !this.#outboxWriter.isAdopting &&
      !this.#accountState.hasUnannounced() &&
      !this.#rooms.isChecking() &&
      !this.#isComparing()
      ? 'synced'
      : 'syncing';
  }

  async #syncRooms(): Promise<boolean> {
    let more = false;
    for (const link of this.#rooms.documents()) {
      if (!this.#rooms.has(link)) continue;
      const { document } = link;
      more = (await link.sync(this.#signal)) || more;
      if (link.isSettled) {
        this.#rooms.markChecked(document);
        this.#accountState.markRead(document);
        this.#overQuota.delete(document);
      } else if (link.room.state === 'refused') {
        this.#rooms.markChecked(document);
        this.#accountState.markRefused(document);
      } else if (link.quotaProblem && link.isRead) {
        this.#rooms.markChecked(document);
        if (link.isComplete) this.#accountState.markRead(document);
      }
      this.#accountState.setDeferred(document, link.isDeferred);
      const full = link.quotaProblem ?? (link.room.problem?.code === 'sync-quota' ? link.room.problem : null);
      // A room that is about to be left is no problem.
      if (!full || link.isOverQuota) continue;
      this.#problem = full;
      if (!this.#overQuota.has(document))
        this.#records.addToJournal({
          kind: 'error',
          what: 'sync-quota',
          document,
          device: null,
          count: 1,
          bytes: 0,
        });
      this.#overQuota.add(document);
    }
    return more;
  }

  #where(document: string): SyncLocation {
    const record = this.#records.rooms.get(document);
    if (record && !isShared(record)) return { place: 'localOnly', devices: [] };
    const waits =
      (this.#records.outbox.get(document)?.size ?? 0) > 0 || this.#tombstones.unread.has(document);
    // A document under comparison is not known to be there.
    if (!record || record.whole || record.compare || waits || this.#rooms.isChecking(document))
      return { place: 'here', devices: [] };
    const names = this.#accountState.devices();
    return {
      place: 'relay',
      devices: this.#accountState.devicesUpToDate(document, record).map((id) => names.get(id)?.name ?? id),
    };
  }

  /** Announces that this device has left the account, as far as that is possible now. */
  async #announceDeparture(): Promise<void> {
    const { index } = this.#rooms;
    if (!index?.isRead) return;
    const transaction = newTransaction();
    await this.#accountState.removeDevice(transaction, this.#device);
    await this.#records.commit(transaction);
    const announced = async (signal: AbortSignal) => {
      for (;;) {
        const before = index.changes.get();
        index.markDirty();
        const more = await index.sync(this.#signal);
        if (!this.#records.outbox.has(INDEX_ROOM) || index.room.state !== 'synced') return;
        if (!more) await until(index.changes, (count) => count !== before, signal);
        signal.throwIfAborted();
      }
    };
    try {
      await withTimeLimit(this.#signal, DEPARTURE_TIMEOUT_MS, announced);
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }

  #roomNames() {
    return Promise.all(
      [...this.#records.rooms].map(
        async ([document, { epoch }]) => (await this.#keysOf(document, epoch)).roomId,
      ),
    );
  }
}
