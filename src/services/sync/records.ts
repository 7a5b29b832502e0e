// Records of sync in the key-value store: the account, one per room, the outbox, the account state, the journal. Each
// changes in one transaction with its log entries, so a kill leaves a whole step or nothing.
import { z } from 'zod';
import type { KeyValues, KeyValueWrite, NewEntry, Store } from '../../adapters/log/conversation-log.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { type ProblemCode, RecollectError } from '../../domain/base/errors.ts';
import {
  isLater,
  mergeState,
  type StateEntry,
  type StateRows,
  stateRowsSchema,
  type Tombstone,
  tombstoneKey,
  toRows,
} from '../../domain/sync/account-state.ts';
import { kindOf } from '../../domain/sync/blob.ts';
import { fromText } from '../../domain/sync/bytes.ts';
import type { Coverage } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import type { JournalEntry } from './sync.ts';

export const ACCOUNT = 'sync/account';
const JOURNAL = 'sync/journal';
export const BOOKMARK = 'sync/bookmark';
const SYNCED_AT = 'sync/agreed';
const ROOMS = 'sync/room/';
const OUTBOX = 'sync/out/';
const STATE = 'sync/facts/';
const STALE_LIST_ENTRIES = 'sync/unlisted/';
const ERASURES = 'sync/erase/';
const STALE_SECRETS = 'sync/stale/';

/** Account state is kept in this many rows, so that one change rewrites little. */
const BUCKETS = 64;
const MAX_JOURNAL_ENTRIES = 300;

const bucketOf = (key: string) => {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) >>> 0;
  return hash % BUCKETS;
};

export const accountSchema = z.object({
  /** Names the account's secrets in the vault. */
  id: z.string(),
  mode: z.enum(['remote', 'managed']),
  endpoint: z.string(),
  realm: z.string(),
  fingerprint: z.string(),
  device: z.string(),
  deviceName: z.string(),
  createdAt: z.number(),
  /** The account existed before this device: an empty relay then means a loss, not a beginning. */
  joined: z.boolean(),
  /** Epoch of the index when this device joined. */
  indexEpoch: z.number().default(0),
});
export type JoinedAccount = z.infer<typeof accountSchema>;

/** Name in the vault of an account's key. */
export const keyName = (account: string) => `sync/key/${account}`;
/** Name in the vault of an account's access token for its relay. */
export const tokenName = (account: string) => `sync/token/${account}`;

/** Reads the account key that the vault keeps under this id. Throws `vault-unavailable`. */
export async function accountKey(vault: Vault, id: string): Promise<Uint8Array> {
  const key = await vault.get(keyName(id));
  if (key === undefined)
    throw new RecollectError('vault-unavailable', 'The key of the account cannot be read');
  return fromText(key);
}

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const coverageSchema = z.record(z.string(), z.array(z.tuple([z.number(), z.number()])));

const storedRoomSchema = z.object({
  epoch: z.number(),
  /** Number of this device's last blob in the room, with that blob's hash. */
  seq: z.number(),
  before: bytes,
  /** Everything of the room that is committed here, own blobs included. */
  have: coverageSchema,
  /** Applied blobs with their coverage, for as long as they are in the room. */
  marks: z.record(z.string(), coverageSchema),
  /** Yjs clocks that the room certainly covers. */
  clocks: z.record(z.string(), z.number()),
  /** Stored under its old name: the record calls it `localOnly`. */
  withheld: z.enum(['excluded', 'sample']).nullable(),
  /** Epoch up to which the document is erased everywhere; later content is only in the trash of this device. */
  gone: z.number().nullable(),
  /** Count of its forgotten messages when it was last sent. */
  forgotten: z.number(),
  /** The room still holds forgotten words, so all of it is to be replaced. */
  squash: z.boolean(),
  /** The whole document is to be sent. */
  whole: z.boolean(),
  /** The room must be compared with the document. */
  compare: z.boolean(),
  /** Another device moved the document into this epoch and uploads all of it. */
  awaits: z.boolean().default(false),
});
/** Reads a stored record. `localOnly`: reason for which the document stays on this device; null: it does not. */
const roomSchema = storedRoomSchema.transform(({ withheld, ...record }) => ({
  ...record,
  localOnly: withheld,
}));
export type RoomRecord = z.infer<typeof roomSchema>;
const toStoredRoom = ({ localOnly, ...record }: RoomRecord): z.infer<typeof storedRoomSchema> => ({
  ...record,
  withheld: localOnly,
});

/** Makes the record of a room about which nothing is known yet, in this epoch. */
export const freshRecord = (epoch: number): RoomRecord => ({
  epoch,
  seq: 0,
  before: new Uint8Array(16),
  have: {},
  marks: {},
  clocks: {},
  localOnly: null,
  gone: null,
  forgotten: 0,
  squash: false,
  whole: false,
  compare: false,
  awaits: false,
});

/** True if the document goes to the account's other devices: it neither stays here nor is erased everywhere. */
export const isShared = ({ localOnly, gone }: RoomRecord): boolean => localOnly === null && gone === null;

/** True if nothing has arrived yet of the document that another device brings into this epoch. */
export const awaitsMove = ({ awaits, compare, have }: RoomRecord): boolean =>
  awaits && compare && Object.keys(have).length === 0;

const staysSchema = z.looseObject({ withheld: z.string() });
/** True if a stored record of a room says that the document stays on this device. */
export const staysHere = (stored: unknown): boolean => staysSchema.safeParse(stored).success;

const outboxSchema = z.object({
  epoch: z.number(),
  blobs: z.array(bytes),
  keys: z.array(z.string()),
  /** Blobs to be removed from the room once these are confirmed. */
  replaces: z.array(z.string()),
  /** Count of this device's changes in it; 0 for a mere compaction or repair. */
  changes: z.number(),
  bytes: z.number(),
});
export type OutboxRow = z.infer<typeof outboxSchema>;

const erasureSchema = z.object({
  endpoint: z.string(),
  token: z.string().nullable(),
  /** Account whose token to use, if the device still belongs to it. */
  room: z.string().nullable(),
  /** Wait until everything is uploaded: the old account is the only copy on the relay until then. */
  afterUpload: z.boolean(),
  /** For a room that was left: the document that must be uploaded first. null: every one. */
  document: z.string().nullable().default(null),
});
export type RoomErasure = z.infer<typeof erasureSchema>;

const journalSchema = z.array(
  z.object({
    at: z.number(),
    kind: z.enum(['upload', 'download', 'conflict', 'error', 'note']),
    what: z.string(),
    document: z.string().nullable(),
    device: z.string().nullable(),
    count: z.number(),
    bytes: z.number(),
  }),
);

/** Reads the journal, newest entry first, at most 300; an unreadable one is empty. */
export async function readJournal(keyValues: KeyValues): Promise<JournalEntry[]> {
  const stored = journalSchema.safeParse(await keyValues.get(JOURNAL));
  return stored.success ? stored.data : [];
}

/**
 * Makes the write that adds a step of the account itself to the journal, while no other code
 * writes it. `problem`: adds an error, too.
 */
export async function journalWrite(
  keyValues: KeyValues,
  what: 'created' | 'joined' | 'left' | 'revoked',
  at: number,
  device: string | null = null,
  problem: ProblemCode | null = null,
): Promise<KeyValueWrite> {
  const line: JournalEntry = { at, kind: 'note', what, document: null, device, count: 1, bytes: 0 };
  const lines: JournalEntry[] = problem === null ? [line] : [{ ...line, kind: 'error', what: problem }, line];
  return { key: JOURNAL, value: [...lines, ...(await readJournal(keyValues))].slice(0, MAX_JOURNAL_ENTRIES) };
}

/** Makes the writes that delete all records of an account; the caller replaces or deletes its account record. */
export async function deleteRecordsWrites(keyValues: KeyValues): Promise<KeyValueWrite[]> {
  const keys = await Promise.all([ROOMS, OUTBOX, STATE, SYNCED_AT].map((prefix) => keyValues.keys(prefix)));
  return [...keys.flat(), BOOKMARK].map((key) => ({ key, value: undefined }));
}

/**
 * Makes the writes with which a new account continues after another: tombstones remain, as the first facts of the new
 * index. `gone`: erased documents, with the time, and whether this device has a record of them.
 */
export function tombstoneWrites(
  gone: ReadonlyMap<string, { readonly known: boolean; readonly at: number | null }>,
  indexEpoch: number,
  stamp: () => string,
): KeyValueWrite[] {
  const writes: KeyValueWrite[] = [
    // The comparison adds every fact that the index lacks.
    { key: ROOMS + INDEX_ROOM, value: toStoredRoom({ ...freshRecord(indexEpoch), compare: true }) },
  ];
  const rows: StateRows = [];
  for (const [document, { known, at }] of gone) {
    if (at !== null)
      rows.push([tombstoneKey(document), { epoch: 0, have: {}, at } satisfies Tombstone, stamp()]);
    if (known) writes.push({ key: ROOMS + document, value: toStoredRoom({ ...freshRecord(0), gone: 0 }) });
  }
  const buckets = new Map<number, StateRows>();
  for (const row of rows) buckets.set(bucketOf(row[0]), [...(buckets.get(bucketOf(row[0])) ?? []), row]);
  for (const [bucket, value] of buckets) writes.push({ key: STATE + bucket, value });
  return writes;
}

/** Makes the write that requests an erasure on a relay. */
export const erasureWrite = (name: string, erasure: RoomErasure): KeyValueWrite => ({
  key: ERASURES + name,
  value: erasure,
});

/**
 * Makes the write that marks an account's secrets for deletion, or (`false`) unmarks them; the next start deletes them.
 * The vault has no transactions: a new account's are marked before they are stored.
 */
export const staleSecretsWrite = (account: string, stale: boolean): KeyValueWrite => ({
  key: STALE_SECRETS + account,
  value: stale ? true : undefined,
});

/** Lists accounts whose secrets are to be deleted. */
export const staleAccounts = async (keyValues: KeyValues): Promise<string[]> =>
  (await keyValues.keys(STALE_SECRETS)).map((key) => key.slice(STALE_SECRETS.length));

/**
 * Withdraws a room's outbox rows, within the transaction: none goes out any more, and parts that may be in the room
 * already are removed at the next opening. True if one of them was to replace everything in the room.
 */
export function retractOutbox(
  records: Records,
  transaction: Transaction,
  document: string,
  epoch: number,
): boolean {
  const rows = [...(records.outbox.get(document) ?? [])];
  const sent: string[] = [];
  for (const [number, row] of rows) {
    records.putOutboxRow(transaction, document, number, undefined);
    if (row.epoch === epoch) sent.push(...row.keys);
  }
  const [number] = rows.at(-1) ?? [];
  const replaced = rows.some(([, row]) => replacesWithSnapshot(row));
  if (number === undefined || sent.length === 0) return replaced;
  // Under the same number, the later write of a transaction counts.
  records.putOutboxRow(transaction, document, number, {
    epoch,
    blobs: [],
    keys: [],
    replaces: sent,
    changes: 0,
    bytes: 0,
  });
  return replaced;
}

/** True if the row replaces everything in the room by the whole document. */
export const replacesWithSnapshot = ({ replaces, blobs: [first] }: OutboxRow): boolean =>
  replaces.length > 0 && first !== undefined && kindOf(first) === 'snapshot';

/** Changes of one step, to be committed together. */
export interface Transaction {
  readonly entries: NewEntry[];
  readonly writes: KeyValueWrite[];
  /** Called after the commit. */
  readonly after: (() => void)[];
}
/** Makes an empty transaction, to be filled and passed to `Records.commit`. */
export const newTransaction = (): Transaction => ({ entries: [], writes: [], after: [] });

/** The records, read once and kept in memory: only the leader writes them. */
export interface Records {
  readonly rooms: ReadonlyMap<string, RoomRecord>;
  /** By document, in the order of sealing. */
  readonly outbox: ReadonlyMap<string, ReadonlyMap<number, OutboxRow>>;
  readonly state: ReadonlyMap<string, StateEntry>;
  readonly staleListEntries: ReadonlySet<string>;
  readonly erasures: ReadonlyMap<string, RoomErasure>;
  readonly bookmark: number;
  readonly journal: readonly JournalEntry[];
  /** Time at which this device and its relay were last in step; null: never yet. */
  readonly syncedAt: number | null;
  putRoom(transaction: Transaction, document: string, record: RoomRecord | undefined): void;
  putOutboxRow(transaction: Transaction, document: string, number: number, row: OutboxRow | undefined): void;
  /** Merges later facts. */
  putState(transaction: Transaction, rows: StateRows, changed?: (keys: readonly string[]) => void): void;
  putBookmark(transaction: Transaction, seq: number): void;
  putListEntryStale(transaction: Transaction, document: string, value: boolean): void;
  putErasure(transaction: Transaction, name: string, erasure: RoomErasure | undefined): void;
  addToJournal(entry: Omit<JournalEntry, 'at'>): void;
  /** Commits all of it or nothing. In memory it counts once it is durable. */
  commit(transaction: Transaction): Promise<void>;
  putSyncedAt(at: number): Promise<void>;
  /** Writes the journal if it has new entries. */
  flushJournal(): Promise<void>;
}

/**
 * Reads all records from the key-value store. Only the leader may open them: it follows its own writes in memory. `now`
 * in ms since 1970. Throws `storage-failed`.
 */
export async function openRecords(deps: Store, now: () => number): Promise<Records> {
  return await new StoredRecords(deps, now).load();
}

class StoredRecords implements Records {
  readonly #deps: Store;
  readonly #now: () => number;
  readonly rooms = new Map<string, RoomRecord>();
  readonly outbox = new Map<string, Map<number, OutboxRow>>();
  readonly state = new Map<string, StateEntry>();
  /** The same facts in their stored buckets. */
  readonly #buckets = new Map<number, Map<string, StateEntry>>();
  readonly staleListEntries = new Set<string>();
  readonly erasures = new Map<string, RoomErasure>();
  #bookmark = 0;
  #agreedAt: number | null = null;
  #journal: readonly JournalEntry[] = [];
  #journalChanged = false;

  constructor(deps: Store, now: () => number) {
    this.#deps = deps;
    this.#now = now;
  }

  /** Reads all records. Call it once, before anything else. */
  async load(): Promise<this> {
    await this.#readPrefix(ROOMS, (document, value) => {
      const record = roomSchema.safeParse(value);
      if (record.success) this.rooms.set(document, record.data);
    });
    await this.#readPrefix(OUTBOX, (rest, value) => {
      const slash = rest.lastIndexOf('/');
      const row = outboxSchema.safeParse(value);
      if (row.success)
        this.#putRow(rest.slice(0, slash), Number.parseInt(rest.slice(slash + 1), 36), row.data);
    });
    await this.#readPrefix(STATE, (_, value) => {
      const rows = stateRowsSchema.safeParse(value);
      if (rows.success) this.#mergeIntoMemory(rows.data);
    });
    await this.#readPrefix(STALE_LIST_ENTRIES, (document) => this.staleListEntries.add(document));
    await this.#readPrefix(ERASURES, (name, value) => {
      const erasure = erasureSchema.safeParse(value);
      if (erasure.success) this.erasures.set(name, erasure.data);
    });
    const storedBookmark = z.number().safeParse(await this.#deps.keyValues.get(BOOKMARK));
    this.#bookmark = storedBookmark.success ? storedBookmark.data : 0;
    const storedSyncedAt = z.number().safeParse(await this.#deps.keyValues.get(SYNCED_AT));
    this.#agreedAt = storedSyncedAt.success ? storedSyncedAt.data : null;
    this.#journal = await readJournal(this.#deps.keyValues);
    return this;
  }

  get bookmark() {
    return this.#bookmark;
  }

  get journal() {
    return this.#journal;
  }

  get syncedAt() {
    return this.#agreedAt;
  }

  putRoom(transaction: Transaction, document: string, record: RoomRecord | undefined): void {
    transaction.writes.push({ key: ROOMS + document, value: record && toStoredRoom(record) });
    transaction.after.push(() => {
      if (record) this.rooms.set(document, record);
      else this.rooms.delete(document);
    });
  }

  putOutboxRow(transaction: Transaction, document: string, number: number, row: OutboxRow | undefined): void {
    transaction.writes.push({ key: this.#outboxKey(document, number), value: row });
    transaction.after.push(() => this.#putRow(document, number, row));
  }

  putState(transaction: Transaction, rows: StateRows, changed?: (keys: readonly string[]) => void): void {
    const later = new Map<number, StateRows>();
    for (const row of rows) {
      const [key, value, time] = row;
      if (!isLater({ value, time }, this.state.get(key))) continue;
      later.set(bucketOf(key), [...(later.get(bucketOf(key)) ?? []), row]);
    }
    for (const [bucket, news] of later) {
      const next = new Map(this.#buckets.get(bucket));
      mergeState(next, news);
      transaction.writes.push({ key: STATE + bucket, value: toRows(next) });
    }
    if (later.size > 0) transaction.after.push(() => changed?.(this.#mergeIntoMemory(rows)));
  }

  putBookmark(transaction: Transaction, seq: number): void {
    transaction.writes.push({ key: BOOKMARK, value: seq });
    transaction.after.push(() => {
      this.#bookmark = seq;
    });
  }

  putListEntryStale(transaction: Transaction, document: string, value: boolean): void {
    transaction.writes.push({ key: STALE_LIST_ENTRIES + document, value: value ? true : undefined });
    transaction.after.push(() => {
      if (value) this.staleListEntries.add(document);
      else this.staleListEntries.delete(document);
    });
  }

  putErasure(transaction: Transaction, name: string, erasure: RoomErasure | undefined): void {
    transaction.writes.push({ key: ERASURES + name, value: erasure });
    transaction.after.push(() => {
      if (erasure) this.erasures.set(name, erasure);
      else this.erasures.delete(name);
    });
  }

  addToJournal(entry: Omit<JournalEntry, 'at'>): void {
    this.#journal = [{ at: this.#now(), ...entry }, ...this.#journal].slice(0, MAX_JOURNAL_ENTRIES);
    this.#journalChanged = true;
  }

  async commit(transaction: Transaction): Promise<void> {
    if (transaction.entries.length > 0 || transaction.writes.length > 0)
      await this.#deps.log.append(transaction.entries, transaction.writes);
    for (const done of transaction.after) done();
  }

  async putSyncedAt(at: number): Promise<void> {
    this.#agreedAt = at;
    await this.#deps.keyValues.set(SYNCED_AT, at);
  }

  async flushJournal(): Promise<void> {
    if (!this.#journalChanged) return;
    this.#journalChanged = false;
    await this.#deps.keyValues.set(JOURNAL, this.#journal);
  }

  /** Merges later facts; returns the keys that changed. */
  #mergeIntoMemory(rows: StateRows): string[] {
    const keys = mergeState(this.state, rows);
    for (const key of keys) {
      const bucket = this.#buckets.get(bucketOf(key)) ?? new Map<string, StateEntry>();
      this.#buckets.set(bucketOf(key), bucket.set(key, this.state.get(key) as StateEntry));
    }
    return keys;
  }

  async #readPrefix(prefix: string, take: (rest: string, value: unknown) => void): Promise<void> {
    const keys = await this.#deps.keyValues.keys(prefix);
    const values = await Promise.all(keys.map((key) => this.#deps.keyValues.get(key)));
    keys.forEach((key, at) => {
      take(key.slice(prefix.length), values[at]);
    });
  }

  #putRow(document: string, number: number, row: OutboxRow | undefined): void {
    const rows = this.outbox.get(document) ?? new Map<number, OutboxRow>();
    if (row) rows.set(number, row);
    else rows.delete(number);
    if (rows.size > 0) this.outbox.set(document, rows);
    else this.outbox.delete(document);
  }

  #outboxKey(document: string, number: number): string {
    return `${OUTBOX}${document}/${number.toString(36).padStart(8, '0')}`;
  }
}

/** Converts a coverage to its stored form. */
export const toStoredCoverage = (coverage: Coverage): RoomRecord['have'] =>
  Object.fromEntries(
    Object.entries(coverage).map(([device, ranges]) => [
      device,
      ranges.map(([from, to]) => [from, to] as [number, number]),
    ]),
  );
