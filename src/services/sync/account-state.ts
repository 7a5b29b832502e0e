// Account state that devices share in the index room: members, version announcements, moves, tombstones. Follows the
// state, compares it with what is here, and publishes this device's own facts.

import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import {
  announcementKey,
  announcementSchema,
  type DeviceState,
  deviceKey,
  deviceSchema,
  epochKey,
  epochSchema,
  isLater,
  mergeState,
  type StateEntry,
  type StateRows,
  stateRowsSchema,
  type Tombstone,
  tombstoneKey,
  tombstoneSchema,
  toRows,
  type VersionAnnouncement,
} from '../../domain/sync/account-state.ts';
import { versionOf, versionVector } from '../../domain/sync/coverage.ts';
import { nextHlc, readHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { shownName } from '../../domain/text/shown.ts';
import type { SealInto } from './envelope.ts';
import {
  freshRecord,
  isShared,
  type JoinedAccount,
  newTransaction,
  type Records,
  type RoomRecord,
  type Transaction,
} from './records.ts';
import type { RoomContent } from './room-context.ts';

export interface AccountState {
  /** Content of the index room. */
  readonly content: RoomContent;
  /** Documents whose state changed and that were not handled since. */
  readonly dirty: Set<string>;
  /** Latest time in the index. */
  latest(): string;
  /** Grows with each version announcement of a device. */
  announcementCount(): number;
  /** Devices of the account, without those that left or were taken off the list. */
  devices(): ReadonlyMap<string, DeviceState>;
  /**
   * Adds to the transaction that a device has left the account. One that has not lists itself again when it connects.
   */
  removeDevice(transaction: Transaction, device: string): Promise<void>;
  /** True if a device has announced this document. */
  isAnnounced(document: string): boolean;
  /** True if a device has the document in this epoch. */
  existsIn(document: string, epoch: number): boolean;
  tombstoneOf(document: string): Tombstone | null;
  /** Documents erased everywhere, or by this device alone (`at` is null). `known`: this device has a record of it. */
  tombstones(): Map<string, { known: boolean; at: number | null }>;
  /** The announced epoch of the document. */
  epochOf(document: string): number;
  /** True if the device that moved the document into this epoch brings all of it. */
  isUploadedByMover(document: string, epoch: number): boolean;
  /** The epoch in which a document lives now, as far as announced. */
  currentEpoch(document: string): number;
  /** True if others announced versions that are not here. */
  isBehind(document: string): boolean;
  /** True if another device, which has announced this document, lacks what this one has put there. */
  othersLack(document: string): boolean;
  /** Ids of the other devices that announced all that the record holds. */
  devicesUpToDate(document: string, record: RoomRecord): string[];

  /** Adds facts to the transaction, and seals them for the index. */
  publish(transaction: Transaction, facts: readonly (readonly [string, unknown])[]): Promise<void>;
  /** Records the index's present epoch, without announcing it to the others, which are there already. */
  putIndexEpoch(transaction: Transaction, epoch: number): void;
  /** Notes that the device holds more of a document than it has announced. */
  queueAnnouncement(document: string): void;
  /** Notes that the relay has no space for the rest of a document: only versions that can be fetched are announced. */
  setDeferred(document: string, held: boolean): void;
  /** True if the document's queue waits for space on the relay, and nothing was added since. */
  isDeferred(document: string): boolean;
  /** True if this device has put something on the relay that is not announced yet. */
  hasUnannounced(): boolean;
  /** Announces versions, only once the index was read. True if it did. */
  sendAnnouncements(signal: AbortSignal): Promise<boolean>;

  /** Decides again if this document is to be fetched, after its state was followed. */
  updateFetchList(document: string): void;
  /** Documents to be fetched now. */
  toFetch(): string[];
  /** Counts documents to fetch that the relay has not failed to give. */
  fetching(): number;
  /**
   * Announced documents that are missing here: unread ones may still be on the relay, lacking
   * ones were not in rooms read to the end.
   */
  unfetched(): { readonly unread: number; readonly lacking: number };
  /** A document's room was read to its end: the document is here, or the relay does not have it. */
  markRead(document: string): void;
  /** The relay refuses this device entry to the document's room. */
  markRefused(document: string): void;
  /** Requests again what the relay did not give. */
  retryLacking(): void;
  /** Counts announced changes of a device that the relay does not give. */
  missingOf(device: string): number;
}

/** Announcements are collected for so long, ms. */
const ANNOUNCEMENT_GAP_MS = 250;
/** An announcement waits so long for changes that are just on their way to the relay, so that it covers them, ms. */
const ANNOUNCEMENT_WAIT_MS = 40;
/** Time between two signs of life of a connected device, ms. */
const LAST_SEEN_EVERY_MS = 15 * 60_000;

const NO_ANNOUNCEMENTS: ReadonlyMap<string, VersionAnnouncement> = new Map();

const encodeRows = (rows: StateRows): Uint8Array => new TextEncoder().encode(JSON.stringify(rows));
/** Decodes the facts in a body of the index; null if it is none. */
export function decodeRows(body: Uint8Array): StateRows | null {
  try {
    const rows = stateRowsSchema.safeParse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)),
    );
    return rows.success ? rows.data : null;
  } catch (error) {
    log.debug('Account state that cannot be read was left out', error);
    return null;
  }
}

interface AccountStateDeps {
  readonly account: JoinedAccount;
  readonly records: Records;
  readonly config: Readable<Config>;
  readonly sealInto: SealInto;
  /** Wall clock, ms since 1970. May be wrong. */
  readonly now: () => number;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** Asks for a round within so many ms. */
  readonly wakeWithin: (ms: number) => void;
}

/** Makes the follower of account state for this device's session with the relay. */
export function createAccountState(deps: AccountStateDeps): AccountState {
  return new SyncedAccountState(deps);
}

class SyncedAccountState implements AccountState {
  readonly #deps: AccountStateDeps;
  readonly #device: string;
  readonly dirty = new Set<string>();
  /** Versions by document and device, as announced. */
  readonly #announcements = new Map<string, Map<string, VersionAnnouncement>>();
  #announcementCount = 0;
  #latest = '';
  /** Documents of which others announced more than is here. */
  readonly #toFetch = new Set<string>();
  /** Rooms whose relay did not give what others announced; they are read again later. */
  readonly #lacking = new Map<string, number>();
  /** Documents whose rooms refused this device: their content is unknown. */
  readonly #refused = new Set<string>();
  /** Documents whose rooms have no space for something of this device. */
  readonly #deferred = new Set<string>();
  /** Documents whose versions are to be announced. */
  readonly #unannounced: Set<string>;
  #nextAnnouncementAt = 0;
  /** Time of the first waiting announcement while more changes were on their way. */
  #dueSince: number | null = null;
  #lastSeenSentAt = Number.NEGATIVE_INFINITY;
  readonly content: RoomContent;

  constructor(deps: AccountStateDeps) {
    this.#deps = deps;
    const { device } = deps.account;
    this.#device = device;
    this.#unannounced = new Set<string>(deps.records.rooms.keys());
    this.content = {
      isBody: (body) => decodeRows(body) !== null,
      merge: (bodies) => {
        const all = new Map<string, StateEntry>();
        for (const body of bodies) mergeState(all, decodeRows(body) ?? []);
        return encodeRows(toRows(all));
      },
      advanceClocks: (before) => before,
      forgottenCount: () => 0,
      apply: async (transaction, bodies, known) => {
        const rows = [...bodies, ...known].flatMap((body) => decodeRows(body) ?? []);
        deps.records.putState(transaction, rows, (keys) => this.#changed(keys));
        this.#journalDeviceChanges(transaction, rows);
        return bodies.length;
      },
      snapshot: async () => encodeRows(toRows(deps.records.state)),
      diff: async (held) => {
        const there = new Map<string, StateEntry>();
        if (held) mergeState(there, decodeRows(held) ?? []);
        const rows = toRows([...deps.records.state].filter(([key, fact]) => isLater(fact, there.get(key))));
        return rows.length > 0 ? encodeRows(rows) : null;
      },
    };
    this.#changed(deps.records.state.keys());
  }

  readonly announcementCount: AccountState['announcementCount'] = () => this.#announcementCount;

  latest(): string {
    return this.#latest;
  }

  devices(): ReadonlyMap<string, DeviceState> {
    const all = new Map<string, DeviceState>();
    for (const [key, { value }] of this.#deps.records.state) {
      if (!key.startsWith('device/')) continue;
      const fact = deviceSchema.safeParse(value);
      if (!fact.success) continue;
      const id = key.slice('device/'.length);
      // An invisible name would make an empty row.
      all.set(id, { ...fact.data, name: shownName(fact.data.name) || id.slice(0, 6) });
    }
    return all;
  }

  removeDevice(transaction: Transaction, id: string): Promise<void> {
    const name = id === this.#device ? undefined : this.#deviceOf(id)?.name;
    if (name !== undefined)
      transaction.after.push(() =>
        this.#deps.records.addToJournal({
          kind: 'note',
          what: 'unlisted',
          document: null,
          device: name,
          count: 1,
          bytes: 0,
        }),
      );
    return this.publish(transaction, [[deviceKey(id), null]]);
  }

  isAnnounced(document: string): boolean {
    return this.#announcementsOf(document).size > 0;
  }

  existsIn(document: string, epoch: number): boolean {
    return [...this.#announcementsOf(document).values()].some((head) => head.epoch === epoch);
  }

  tombstoneOf(document: string): Tombstone | null {
    const fact = tombstoneSchema.safeParse(this.#deps.records.state.get(tombstoneKey(document))?.value);
    return fact.success ? fact.data : null;
  }

  tombstones(): Map<string, { known: boolean; at: number | null }> {
    const all = new Map<string, { known: boolean; at: number | null }>();
    for (const [document, record] of this.#deps.records.rooms)
      if (record.gone !== null)
        all.set(document, { known: true, at: this.tombstoneOf(document)?.at ?? null });
    for (const key of this.#deps.records.state.keys()) {
      if (!key.startsWith('gone/')) continue;
      const document = key.slice('gone/'.length);
      const fact = this.tombstoneOf(document);
      const record = this.#deps.records.rooms.get(document);
      // A document that lives on in a later room is not erased.
      const lives = record
        ? record.epoch > (fact?.epoch ?? 0)
        : this.existsIn(document, this.currentEpoch(document));
      if (fact && !lives && !all.has(document)) all.set(document, { known: false, at: fact.at });
    }
    return all;
  }

  epochOf(document: string): number {
    const fact = epochSchema.safeParse(this.#deps.records.state.get(epochKey(document))?.value);
    return fact.success ? fact.data.epoch : 0;
  }

  isUploadedByMover(document: string, epoch: number): boolean {
    const fact = epochSchema.safeParse(this.#deps.records.state.get(epochKey(document))?.value);
    return fact.success && fact.data.epoch === epoch && fact.data.brought;
  }

  currentEpoch(document: string): number {
    const gone = this.tombstoneOf(document);
    return Math.max(this.epochOf(document), gone ? gone.epoch + 1 : 0);
  }

  isBehind(document: string): boolean {
    const record = this.#deps.records.rooms.get(document);
    if (record && record.gone !== null) return false;
    const epoch = record?.epoch ?? this.currentEpoch(document);
    for (const head of this.#announcementsOf(document).values())
      if (head.epoch === epoch)
        for (const [author, count] of Object.entries(head.have))
          if (count > versionOf(record?.have ?? {}, author)) return true;
    return false;
  }

  othersLack(document: string): boolean {
    const record = this.#deps.records.rooms.get(document);
    if (!record || !isShared(record) || this.#deps.records.outbox.has(document)) return false;
    return [...this.#announcementsOf(document)].some(
      ([id, head]) =>
        id !== this.#device &&
        this.#belongs(id) &&
        head.epoch === record.epoch &&
        (head.have[this.#device] ?? 0) < record.seq,
    );
  }

  devicesUpToDate(document: string, record: RoomRecord): string[] {
    const all = Object.entries(versionVector(record.have));
    return [...this.#announcementsOf(document)]
      .filter(
        ([id, head]) =>
          id !== this.#device &&
          this.#belongs(id) &&
          head.epoch === record.epoch &&
          all.every(([author, count]) => (head.have[author] ?? 0) >= count),
      )
      .map(([id]) => id);
  }

  async publish(transaction: Transaction, facts: readonly (readonly [string, unknown])[]): Promise<void> {
    const rows: StateRows = facts.map(([key, value]) => [key, value, this.#stamp()]);
    this.#deps.records.putState(transaction, rows, (keys) => this.#changed(keys));
    const record = this.#deps.records.rooms.get(INDEX_ROOM) ?? freshRecord(this.#deps.account.indexEpoch);
    const next = await this.#deps.sealInto(transaction, {
      document: INDEX_ROOM,
      record,
      body: encodeRows(rows),
      kind: 'delta',
      changes: 0,
      content: this.content,
    });
    this.#deps.records.putRoom(transaction, INDEX_ROOM, next);
  }

  putIndexEpoch(transaction: Transaction, epoch: number): void {
    this.#deps.records.putState(transaction, [[epochKey(INDEX_ROOM), { epoch }, this.#stamp()]], (keys) =>
      this.#changed(keys),
    );
  }

  queueAnnouncement(document: string): void {
    this.#unannounced.add(document);
  }

  setDeferred(document: string, held: boolean): void {
    if (held) this.#deferred.add(document);
    else this.#deferred.delete(document);
  }

  isDeferred(document: string): boolean {
    return this.#deferred.has(document);
  }

  hasUnannounced(): boolean {
    for (const document of this.#unannounced) {
      const record = this.#deps.records.rooms.get(document);
      if (document === INDEX_ROOM || !record || !isShared(record)) continue;
      const announced = this.#announcementsOf(document).get(this.#device);
      if (
        versionOf(record.have, this.#device) >
        (announced?.epoch === record.epoch ? (announced.have[this.#device] ?? 0) : 0)
      )
        return true;
    }
    return false;
  }

  async sendAnnouncements(signal: AbortSignal): Promise<boolean> {
    const due: [string, unknown][] = [];
    if (
      this.#deviceOf(this.#device)?.name !== this.#deps.account.deviceName ||
      this.#deps.clock() - this.#lastSeenSentAt >= LAST_SEEN_EVERY_MS
    ) {
      due.push([
        deviceKey(this.#device),
        {
          name: this.#deps.account.deviceName,
          pairedAt: this.#deps.account.createdAt,
          seenAt: this.#deps.now(),
        },
      ]);
    }
    const announced: string[] = [];
    let morePending = false;
    for (const document of this.#unannounced) {
      if (document === INDEX_ROOM) {
        announced.push(document);
        continue;
      }
      const record = this.#deps.records.rooms.get(document);
      if (!record || !isShared(record)) {
        announced.push(document);
        continue;
      }
      // Don't announce versions that are not uploaded yet.
      if (
        (this.#deps.records.outbox.has(document) && !this.#deferred.has(document)) ||
        record.whole ||
        record.compare
      ) {
        morePending = true;
        continue;
      }
      announced.push(document);
      const head: VersionAnnouncement = { epoch: record.epoch, have: versionVector(record.have) };
      const before = this.#announcementsOf(document).get(this.#device);
      if (Object.keys(head.have).length > 0 && JSON.stringify(before) !== JSON.stringify(head))
        due.push([announcementKey(document, this.#device), head]);
    }
    if (due.length === 0) {
      this.#dueSince = null;
      for (const document of announced) this.#unannounced.delete(document);
      return false;
    }
    this.#dueSince ??= this.#deps.clock();
    const at = morePending
      ? Math.max(this.#nextAnnouncementAt, this.#dueSince + ANNOUNCEMENT_WAIT_MS)
      : this.#nextAnnouncementAt;
    if (this.#deps.clock() < at) {
      this.#deps.wakeWithin(at - this.#deps.clock() + 1);
      return false;
    }
    this.#dueSince = null;
    const transaction = newTransaction();
    await this.publish(transaction, due);
    signal.throwIfAborted();
    await this.#deps.records.commit(transaction);
    for (const document of announced) this.#unannounced.delete(document);
    this.#nextAnnouncementAt = this.#deps.clock() + ANNOUNCEMENT_GAP_MS;
    if (due.some(([key]) => key === deviceKey(this.#device))) this.#lastSeenSentAt = this.#deps.clock();
    this.#deps.wakeWithin(Math.max(this.#lastSeenSentAt + LAST_SEEN_EVERY_MS - this.#deps.clock(), 0) + 1);
    return true;
  }

  updateFetchList(document: string): void {
    if (document !== INDEX_ROOM && this.isBehind(document)) this.#toFetch.add(document);
    else this.#toFetch.delete(document);
  }

  toFetch(): string[] {
    return [...this.#toFetch].filter((document) => {
      const again = this.#lacking.get(document);
      return (again === undefined || again <= this.#deps.clock()) && this.isBehind(document);
    });
  }

  fetching(): number {
    let count = 0;
    for (const document of this.#toFetch)
      if (this.isBehind(document) && !this.#lacking.has(document)) count += 1;
    return count;
  }

  unfetched(): { readonly unread: number; readonly lacking: number } {
    let [unread, lacks] = [0, 0];
    for (const document of new Set([...this.#toFetch, ...this.dirty])) {
      if (document === INDEX_ROOM || !this.isBehind(document)) continue;
      if (this.#lacking.has(document) && !this.#refused.has(document)) lacks += 1;
      else unread += 1;
    }
    return { unread, lacking: lacks };
  }

  markRead(document: string): void {
    this.#refused.delete(document);
    if (this.isBehind(document)) {
      // The room was read and it is not there: the relay lacks it, or withholds it.
      if (!this.#lacking.has(document)) this.#lacking.set(document, this.#lackingUntil());
    } else {
      this.#lacking.delete(document);
      this.#toFetch.delete(document);
    }
  }

  markRefused(document: string): void {
    this.#refused.add(document);
    this.#lacking.set(document, this.#lackingUntil());
  }

  retryLacking(): void {
    this.#lacking.clear();
  }

  missingOf(id: string): number {
    let count = 0;
    for (const document of this.#lacking.keys()) {
      const head = this.#announcementsOf(document).get(id);
      const record = this.#deps.records.rooms.get(document);
      if (head) count += Math.max(0, (head.have[id] ?? 0) - versionOf(record?.have ?? {}, id));
    }
    return count;
  }

  #changed(keys: Iterable<string>): void {
    for (const key of keys) {
      const entry = this.#deps.records.state.get(key);
      if (entry && entry.time > this.#latest) this.#latest = entry.time;
      const [kind, document, id] = key.split('/');
      if (document === undefined) continue;
      if (kind === 'head' && id !== undefined) {
        const announcement = announcementSchema.safeParse(entry?.value);
        const all = this.#announcements.get(document) ?? new Map<string, VersionAnnouncement>();
        this.#announcements.set(document, all);
        if (announcement.success) all.set(id, announcement.data);
        this.#announcementCount += 1;
        this.#lacking.delete(document);
      }
      if (kind !== 'device') this.dirty.add(document);
    }
  }

  #announcementsOf(document: string): ReadonlyMap<string, VersionAnnouncement> {
    return this.#announcements.get(document) ?? NO_ANNOUNCEMENTS;
  }

  #deviceOf(id: string): DeviceState | null {
    const fact = deviceSchema.safeParse(this.#deps.records.state.get(deviceKey(id))?.value);
    return fact.success ? fact.data : null;
  }

  #belongs(id: string): boolean {
    return this.#deviceOf(id) !== null;
  }

  #lackingUntil(): number {
    return this.#deps.clock() + this.#deps.config.get().sync.auto_sync_interval * 1000;
  }

  #stamp(): string {
    this.#latest = nextHlc(this.#deps.now(), this.#device, this.#latest === '' ? null : this.#latest);
    return this.#latest;
  }

  /** Adds to the journal, once these facts are applied, which devices joined and left. */
  #journalDeviceChanges(transaction: Transaction, rows: StateRows): void {
    // Devices found at its first reading were there before this device.
    if (!this.#deviceOf(this.#device)) return;
    const ids = new Set(
      rows.flatMap(([key]) => (key.startsWith('device/') ? [key.slice('device/'.length)] : [])),
    );
    ids.delete(this.#device);
    for (const id of ids) {
      const before = this.#deviceOf(id);
      const wasListed = this.#deps.records.state.has(deviceKey(id));
      transaction.after.push(() => {
        const after = this.#deviceOf(id);
        const name = (after ?? before)?.name;
        if (name === undefined || (after === null) === (before === null)) return;
        const isOwnWord = readHlc(this.#deps.records.state.get(deviceKey(id))?.time ?? '')?.node === id;
        const what = after ? (wasListed ? 'listed' : 'joined') : isOwnWord ? 'left' : 'unlisted';
        this.#deps.records.addToJournal({
          kind: 'note',
          what,
          document: null,
          device: name,
          count: 1,
          bytes: 0,
        });
      });
    }
  }
}
