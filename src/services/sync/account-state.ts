// What devices tell one another in the index room: who belongs to the account, who holds what (beacons), what moved, what is gone.
// Follows the facts, compares them with what is here, and says what this device has to say.

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
import type { SealInto } from './envelope.ts';
import {
  type Account,
  freshRecord,
  isShared,
  newTransaction,
  type Records,
  type RoomRecord,
  type Transaction,
} from './records.ts';
import type { RoomContent } from './room-context.ts';

export interface AccountState {
  /** What lies in the index room. */
  readonly content: RoomContent;
  /** Documents whose facts changed and that were not looked at since. */
  readonly dirty: Set<string>;
  /** The latest time in the index. */
  latest(): string;
  /** Grows when a device says what it holds. */
  announcementCount(): number;
  /** Who belongs to the account: who left it said so, or was taken off the list. */
  devices(): ReadonlyMap<string, DeviceState>;
  /** Puts into the step that a device belongs to the account no more. One that does says so again when it is there. */
  removeDevice(transaction: Transaction, device: string): Promise<void>;
  /** Somebody told of this document. */
  isAnnounced(document: string): boolean;
  /** Somebody has the document in this epoch. */
  existsIn(document: string, epoch: number): boolean;
  tombstoneOf(document: string): Tombstone | null;
  /** Documents that are erased everywhere, or that this device alone has erased (`at` is null). `known`: this device has a record of it. */
  tombstones(): Map<string, { known: boolean; at: number | null }>;
  /** The epoch that was said to be the document's. */
  epochOf(document: string): number;
  /** Who moved the document into this epoch brings all of it. */
  isUploadedByMover(document: string, epoch: number): boolean;
  /** The epoch in which a document lives now, as far as anybody said. */
  currentEpoch(document: string): number;
  /** Others announced what is not here. */
  isBehind(document: string): boolean;
  /** Another device, which has told of this document, does not have what this one has put there. */
  othersLack(document: string): boolean;
  /** Ids of the other devices that said they hold all of what the record holds. */
  holdersOf(document: string, record: RoomRecord): string[];

  /** Puts facts into the step, and seals them for the index. */
  publish(transaction: Transaction, facts: readonly (readonly [string, unknown])[]): Promise<void>;
  /** Takes over that the index lives in this epoch now, without a word to the others, who are there. */
  putIndexEpoch(transaction: Transaction, epoch: number): void;
  /** The device holds more of a document than it told the others. */
  queueAnnouncement(document: string): void;
  /** Of what is to be sent of a document, the relay has no room for the rest: the others are told of what they can fetch. */
  setDeferred(document: string, held: boolean): void;
  /** What waits of this document waits for space on the relay, and nothing was added since. */
  isDeferred(document: string): boolean;
  /** This device has put something on the relay of which the others do not know yet that it is there. */
  hasUnannounced(): boolean;
  /** Tells the others what is to be told; only once the index was read. True where it did. */
  sendAnnouncements(signal: AbortSignal): Promise<boolean>;

  /** The facts of this document were followed: is it to be fetched? */
  updateFetchList(document: string): void;
  /** Documents to be fetched now. */
  toFetch(): string[];
  /** Of all documents to be fetched, how many the relay did not fail to give. */
  fetching(): number;
  /** What others announced and is not here: documents that may still lie on the relay, and those whose rooms were read to the end in vain. */
  unfetched(): { readonly unread: number; readonly lacking: number };
  /** A document's room was read to its end: it is here, or the relay does not have it. */
  markRead(document: string): void;
  /** The relay does not let this device into the document's room. */
  markRefused(document: string): void;
  /** What the relay did not give may be asked for again. */
  retryLacking(): void;
  /** Changes that a device says it made and that the relay does not give. */
  missingOf(device: string): number;
}

/** Beacons are gathered for this long, ms. */
const ANNOUNCEMENT_GAP_MS = 250;
/** A beacon waits this long for changes that are on their way to the relay just now: one then speaks of all of them, ms. */
const ANNOUNCEMENT_WAIT_MS = 40;
/** A device says that it is alive this often while connected, ms. */
const LAST_SEEN_EVERY_MS = 15 * 60_000;

const NO_ANNOUNCEMENTS: ReadonlyMap<string, VersionAnnouncement> = new Map();

const encodeRows = (rows: StateRows): Uint8Array => new TextEncoder().encode(JSON.stringify(rows));
/** The facts in a body of the index; null where it is none. */
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
  readonly account: Account;
  readonly records: Records;
  readonly config: Readable<Config>;
  readonly sealInto: SealInto;
  /** Wall clock, ms since 1970. May be wrong. */
  readonly now: () => number;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** Asks for a round in this many ms at the latest. */
  readonly wakeWithin: (ms: number) => void;
}

export function createAccountState({
  account,
  records,
  config,
  sealInto,
  now,
  clock,
  wakeWithin,
}: AccountStateDeps): AccountState {
  const { device } = account;
  const dirty = new Set<string>();
  /** Heads by document and device, as the facts have them. */
  const announcements = new Map<string, Map<string, VersionAnnouncement>>();
  let announcementCount = 0;
  let latest = '';
  /** Documents of which others announced more than is here. */
  const toFetch = new Set<string>();
  /** Rooms whose relay did not give what others announced; looked at again later. */
  const lacking = new Map<string, number>();
  /** Of these, rooms that did not let this device in: what lies in them is not known. */
  const refused = new Set<string>();
  /** Documents whose rooms have no space for something of this device. */
  const deferred = new Set<string>();
  /** Documents of which the others are to be told. */
  const unannounced = new Set<string>(records.rooms.keys());
  let nextAnnouncementAt = 0;
  /** When there was first something to tell while more was on its way. */
  let dueSince: number | null = null;
  let lastSeenSentAt = Number.NEGATIVE_INFINITY;

  function changed(keys: Iterable<string>): void {
    for (const key of keys) {
      const entry = records.state.get(key);
      if (entry && entry.time > latest) latest = entry.time;
      const [kind, document, id] = key.split('/');
      if (document === undefined) continue;
      if (kind === 'head' && id !== undefined) {
        const announcement = announcementSchema.safeParse(entry?.value);
        const all = announcements.get(document) ?? new Map<string, VersionAnnouncement>();
        announcements.set(document, all);
        if (announcement.success) all.set(id, announcement.data);
        announcementCount += 1;
        lacking.delete(document);
      }
      if (kind !== 'device') dirty.add(document);
    }
  }
  const announcementsOf = (document: string): ReadonlyMap<string, VersionAnnouncement> =>
    announcements.get(document) ?? NO_ANNOUNCEMENTS;
  const tombstoneOf = (document: string): Tombstone | null => {
    const fact = tombstoneSchema.safeParse(records.state.get(tombstoneKey(document))?.value);
    return fact.success ? fact.data : null;
  };
  const epochOf = (document: string): number => {
    const fact = epochSchema.safeParse(records.state.get(epochKey(document))?.value);
    return fact.success ? fact.data.epoch : 0;
  };
  const currentEpoch = (document: string): number => {
    const gone = tombstoneOf(document);
    return Math.max(epochOf(document), gone ? gone.epoch + 1 : 0);
  };
  const existsIn = (document: string, epoch: number): boolean =>
    [...announcementsOf(document).values()].some((head) => head.epoch === epoch);
  const deviceOf = (id: string): DeviceState | null => {
    const fact = deviceSchema.safeParse(records.state.get(deviceKey(id))?.value);
    return fact.success ? fact.data : null;
  };
  const belongs = (id: string): boolean => deviceOf(id) !== null;
  const isBehind = (document: string): boolean => {
    const record = records.rooms.get(document);
    if (record && record.gone !== null) return false;
    const epoch = record?.epoch ?? currentEpoch(document);
    for (const head of announcementsOf(document).values())
      if (head.epoch === epoch)
        for (const [author, count] of Object.entries(head.have))
          if (count > versionOf(record?.have ?? {}, author)) return true;
    return false;
  };
  const lackingUntil = () => clock() + config.get().sync.auto_sync_interval * 1000;

  const stamp = (): string => {
    latest = nextHlc(now(), device, latest === '' ? null : latest);
    return latest;
  };
  /** Puts into the journal, once these facts are taken over, who came to the account and who is gone from it. */
  const journalDeviceChanges = (transaction: Transaction, rows: StateRows): void => {
    // Before this device told of itself it had not read who else is there: they were there before it.
    if (!deviceOf(device)) return;
    const ids = new Set(
      rows.flatMap(([key]) => (key.startsWith('device/') ? [key.slice('device/'.length)] : [])),
    );
    ids.delete(device);
    for (const id of ids) {
      const before = deviceOf(id);
      const wasListed = records.state.has(deviceKey(id));
      transaction.after.push(() => {
        const after = deviceOf(id);
        const name = (after ?? before)?.name;
        if (name === undefined || (after === null) === (before === null)) return;
        const isOwnWord = readHlc(records.state.get(deviceKey(id))?.time ?? '')?.node === id;
        const what = after ? (wasListed ? 'listed' : 'joined') : isOwnWord ? 'left' : 'unlisted';
        records.addToJournal({ kind: 'note', what, document: null, device: name, count: 1, bytes: 0 });
      });
    }
  };
  const content: RoomContent = {
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
      records.putState(transaction, rows, changed);
      journalDeviceChanges(transaction, rows);
      return bodies.length;
    },
    snapshot: async () => encodeRows(toRows(records.state)),
    diff: async (held) => {
      const there = new Map<string, StateEntry>();
      if (held) mergeState(there, decodeRows(held) ?? []);
      const rows = toRows([...records.state].filter(([key, fact]) => isLater(fact, there.get(key))));
      return rows.length > 0 ? encodeRows(rows) : null;
    },
  };

  async function publish(
    transaction: Transaction,
    facts: readonly (readonly [string, unknown])[],
  ): Promise<void> {
    const rows: StateRows = facts.map(([key, value]) => [key, value, stamp()]);
    records.putState(transaction, rows, changed);
    const record = records.rooms.get(INDEX_ROOM) ?? freshRecord(account.indexEpoch);
    const next = await sealInto(transaction, {
      document: INDEX_ROOM,
      record,
      body: encodeRows(rows),
      kind: 'delta',
      changes: 0,
      content,
    });
    records.putRoom(transaction, INDEX_ROOM, next);
  }

  async function sendAnnouncements(signal: AbortSignal): Promise<boolean> {
    const due: [string, unknown][] = [];
    if (deviceOf(device)?.name !== account.deviceName || clock() - lastSeenSentAt >= LAST_SEEN_EVERY_MS) {
      due.push([deviceKey(device), { name: account.deviceName, pairedAt: account.createdAt, seenAt: now() }]);
    }
    const announced: string[] = [];
    let morePending = false;
    for (const document of unannounced) {
      if (document === INDEX_ROOM) {
        announced.push(document);
        continue;
      }
      const record = records.rooms.get(document);
      if (!record || !isShared(record)) {
        announced.push(document);
        continue;
      }
      // What is not on the relay yet would only be looked for there in vain.
      if ((records.outbox.has(document) && !deferred.has(document)) || record.whole || record.compare) {
        morePending = true;
        continue;
      }
      announced.push(document);
      const head: VersionAnnouncement = { epoch: record.epoch, have: versionVector(record.have) };
      const before = announcementsOf(document).get(device);
      if (Object.keys(head.have).length > 0 && JSON.stringify(before) !== JSON.stringify(head))
        due.push([announcementKey(document, device), head]);
    }
    if (due.length === 0) {
      dueSince = null;
      for (const document of announced) unannounced.delete(document);
      return false;
    }
    dueSince ??= clock();
    const at = morePending
      ? Math.max(nextAnnouncementAt, dueSince + ANNOUNCEMENT_WAIT_MS)
      : nextAnnouncementAt;
    if (clock() < at) {
      wakeWithin(at - clock() + 1);
      return false;
    }
    dueSince = null;
    const transaction = newTransaction();
    await publish(transaction, due);
    signal.throwIfAborted();
    await records.commit(transaction);
    for (const document of announced) unannounced.delete(document);
    nextAnnouncementAt = clock() + ANNOUNCEMENT_GAP_MS;
    if (due.some(([key]) => key === deviceKey(device))) lastSeenSentAt = clock();
    wakeWithin(Math.max(lastSeenSentAt + LAST_SEEN_EVERY_MS - clock(), 0) + 1);
    return true;
  }

  changed(records.state.keys());

  return {
    content,
    dirty,
    latest: () => latest,
    announcementCount: () => announcementCount,
    devices: () => {
      const all = new Map<string, DeviceState>();
      for (const [key, { value }] of records.state) {
        if (!key.startsWith('device/')) continue;
        const fact = deviceSchema.safeParse(value);
        if (fact.success) all.set(key.slice('device/'.length), fact.data);
      }
      return all;
    },
    removeDevice: (transaction, id) => {
      const name = id === device ? undefined : deviceOf(id)?.name;
      if (name !== undefined)
        transaction.after.push(() =>
          records.addToJournal({
            kind: 'note',
            what: 'unlisted',
            document: null,
            device: name,
            count: 1,
            bytes: 0,
          }),
        );
      return publish(transaction, [[deviceKey(id), null]]);
    },
    isAnnounced: (document) => announcementsOf(document).size > 0,
    existsIn,
    tombstoneOf,
    tombstones: () => {
      const all = new Map<string, { known: boolean; at: number | null }>();
      for (const [document, record] of records.rooms)
        if (record.gone !== null) all.set(document, { known: true, at: tombstoneOf(document)?.at ?? null });
      for (const key of records.state.keys()) {
        if (!key.startsWith('gone/')) continue;
        const document = key.slice('gone/'.length);
        const fact = tombstoneOf(document);
        const record = records.rooms.get(document);
        // What lives on in a later room is not gone.
        const lives = record ? record.epoch > (fact?.epoch ?? 0) : existsIn(document, currentEpoch(document));
        if (fact && !lives && !all.has(document)) all.set(document, { known: false, at: fact.at });
      }
      return all;
    },
    epochOf,
    isUploadedByMover: (document, epoch) => {
      const fact = epochSchema.safeParse(records.state.get(epochKey(document))?.value);
      return fact.success && fact.data.epoch === epoch && fact.data.brought;
    },
    currentEpoch,
    isBehind,
    othersLack: (document) => {
      const record = records.rooms.get(document);
      if (!record || !isShared(record) || records.outbox.has(document)) return false;
      return [...announcementsOf(document)].some(
        ([id, head]) =>
          id !== device &&
          belongs(id) &&
          head.epoch === record.epoch &&
          (head.have[device] ?? 0) < record.seq,
      );
    },
    holdersOf: (document, record) => {
      const all = Object.entries(versionVector(record.have));
      return [...announcementsOf(document)]
        .filter(
          ([id, head]) =>
            id !== device &&
            belongs(id) &&
            head.epoch === record.epoch &&
            all.every(([author, count]) => (head.have[author] ?? 0) >= count),
        )
        .map(([id]) => id);
    },

    publish,
    putIndexEpoch: (transaction, epoch) =>
      records.putState(transaction, [[epochKey(INDEX_ROOM), { epoch }, stamp()]], changed),
    queueAnnouncement: (document) => {
      unannounced.add(document);
    },
    setDeferred: (document, held) => {
      if (held) deferred.add(document);
      else deferred.delete(document);
    },
    isDeferred: (document) => deferred.has(document),
    hasUnannounced: () => {
      for (const document of unannounced) {
        const record = records.rooms.get(document);
        if (document === INDEX_ROOM || !record || !isShared(record)) continue;
        const told = announcementsOf(document).get(device);
        if (versionOf(record.have, device) > (told?.epoch === record.epoch ? (told.have[device] ?? 0) : 0))
          return true;
      }
      return false;
    },
    sendAnnouncements,

    updateFetchList: (document) => {
      if (document !== INDEX_ROOM && isBehind(document)) toFetch.add(document);
      else toFetch.delete(document);
    },
    toFetch: () =>
      [...toFetch].filter((document) => {
        const again = lacking.get(document);
        return (again === undefined || again <= clock()) && isBehind(document);
      }),
    fetching: () => {
      let count = 0;
      for (const document of toFetch) if (isBehind(document) && !lacking.has(document)) count += 1;
      return count;
    },
    unfetched: () => {
      let [unread, lacks] = [0, 0];
      for (const document of new Set([...toFetch, ...dirty])) {
        if (document === INDEX_ROOM || !isBehind(document)) continue;
        if (lacking.has(document) && !refused.has(document)) lacks += 1;
        else unread += 1;
      }
      return { unread, lacking: lacks };
    },
    markRead: (document) => {
      refused.delete(document);
      if (isBehind(document)) {
        // Looked, and it is not there: the relay lacks it, or keeps it back.
        if (!lacking.has(document)) lacking.set(document, lackingUntil());
      } else {
        lacking.delete(document);
        toFetch.delete(document);
      }
    },
    markRefused: (document) => {
      refused.add(document);
      lacking.set(document, lackingUntil());
    },
    retryLacking: () => lacking.clear(),
    missingOf: (id) => {
      let count = 0;
      for (const document of lacking.keys()) {
        const head = announcementsOf(document).get(id);
        const record = records.rooms.get(document);
        if (head) count += Math.max(0, (head.have[id] ?? 0) - versionOf(record?.have ?? {}, id));
      }
      return count;
    },
  };
}
