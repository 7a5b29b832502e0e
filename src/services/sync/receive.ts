// Receives: opens the blobs of a room and commits their bodies with the record that marks
// them as applied, in one transaction.
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { blobHash } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { covers, union } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { groupParts, type OpenedBlob, openBlob } from './envelope.ts';
import { newTransaction, type RoomRecord, type Transaction, toStoredCoverage } from './records.ts';
import { type RoomContext, readBody } from './room-context.ts';

type Blobs = ReadonlyMap<string, Uint8Array>;

interface Received {
  /** Something was applied. */
  readonly did: boolean;
  /** Every body in the room has all of its parts. */
  readonly complete: boolean;
}

/** Bodies that were read and are not committed yet. */
interface ReadBodies {
  readonly bodies: Uint8Array[];
  /** Bodies whose numbers this device already holds. */
  readonly known: Uint8Array[];
  readonly marks: Record<string, RoomRecord['have']>;
  /** Other devices that wrote some of it. */
  readonly authors: Set<string>;
  foreign: number;
  bytes: number;
  /** This device's own blobs came back under numbers that this store has already used. */
  repeatsOwn: boolean;
  /** The highest of this device's numbers that any body covers. */
  lastOwn: number;
  /** The body under that number, if this device wrote it. */
  lastOwnBody: Uint8Array | null;
  record: RoomRecord;
}

/** Most unreadable blobs opened in one round, so that the thread and other rooms get their turn. */
const MAX_UNREADABLE_PER_ROUND = 2_048;

export class RoomReceiver {
  readonly #context: RoomContext;
  readonly #onRolledBack: (transaction: Transaction) => void;
  /** Keys of blobs that could not be opened: not tried again while the connection lasts. */
  readonly #unreadable = new Set<string>();
  /** Blobs opened in interrupted rounds; applied once the whole room was opened. */
  readonly #opened = new Map<string, OpenedBlob>();
  /** Position in the same blobs where the next round resumes. */
  #cursor: { blobs: Blobs; rest: MapIterator<[string, Uint8Array]> } | undefined;
  /** The last state without anything new: the same state is not read again. */
  #lastRead: { blobs: Blobs; record: RoomRecord; complete: boolean } | undefined;

  /**
   * `onRolledBack`: called with the transaction if the room has own blobs that this store does not know: it was
   * restored from a backup, a copy of it runs elsewhere, or others compacted them before the confirmation arrived.
   */
  constructor(context: RoomContext, onRolledBack: (transaction: Transaction) => void) {
    this.#context = context;
    this.#onRolledBack = onRolledBack;
  }

  get unreadableCount(): number {
    return this.#unreadable.size;
  }

  isUnreadable(name: string): boolean {
    return this.#unreadable.has(name);
  }

  /** Starts over with the room's blobs. */
  restart(): void {
    this.#cursor = undefined;
  }

  /** Forgets the state of a connection that ended. */
  disconnected(wasSynced: boolean): void {
    if (wasSynced) this.#unreadable.clear();
    this.#opened.clear();
    this.#lastRead = undefined;
    this.#cursor = undefined;
  }

  /** Applies new bodies of the room; null: the next round has more to open. */
  async receive(signal: AbortSignal): Promise<Received | null> {
    const { room, record, records, document } = this.#context;
    const blobs = room.blobs();
    const before = record();
    const last = this.#lastRead;
    if (blobs === last?.blobs && before === last.record) return { did: false, complete: last.complete };
    if (!(await this.#openNew(blobs, before, signal))) return null;
    const fresh = [...this.#opened.values()].filter((blob) => blobs.has(blob.key));
    this.#opened.clear();

    const firstUnconfirmed = this.#firstUnconfirmed(before);
    const read = await this.#readBodies(fresh, before, signal);
    const chain = followOwnChain(fresh, read, before, blobs, this.#context.device);
    const continues = chain.seq > before.seq && chain.seq >= read.lastOwn;
    if (continues) read.record = { ...read.record, before: chain.hash };
    const complete = fresh.every((blob) => read.marks[blob.key] || this.#unreadable.has(blob.key));
    const outgoing = new Set([...(records.outbox.get(document)?.values() ?? [])].flatMap((row) => row.keys));
    const kept = Object.entries(before.marks).filter(([name]) => blobs.has(name) || outgoing.has(name));
    const did = read.bodies.length + read.known.length > 0;
    if (!did && kept.length === Object.keys(before.marks).length) {
      this.#lastRead = { blobs, record: before, complete };
      return { did: false, complete };
    }
    const isRolledBack = read.lastOwn >= firstUnconfirmed;
    await this.#commit(read, kept, { isRolledBack, continues }, signal);
    return { did, complete };
  }

  /** Opens new blobs. False if it stopped to let others have their turn. */
  async #openNew(blobs: Blobs, before: RoomRecord, signal: AbortSignal): Promise<boolean> {
    if (this.#cursor?.blobs !== blobs) this.#cursor = { blobs, rest: blobs.entries() };
    const { rest } = this.#cursor;
    let unreadable = 0;
    // By hand, since leaving a `for … of` may close the iterator.
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const [name, blob] = next.value;
      if (before.marks[name] || this.#unreadable.has(name) || this.#opened.has(name)) continue;
      const content = await openBlob(this.#context.keys, blob);
      signal.throwIfAborted();
      if (content) {
        this.#opened.set(name, { key: name, bytes: blob.length, ...content });
        continue;
      }
      this.#unreadable.add(name);
      unreadable += 1;
      if (unreadable < MAX_UNREADABLE_PER_ROUND) continue;
      await yieldToEvents(signal);
      return false;
    }
    this.#cursor = undefined;
    return true;
  }

  async #readBodies(
    fresh: readonly OpenedBlob[],
    before: RoomRecord,
    signal: AbortSignal,
  ): Promise<ReadBodies> {
    const { content, device } = this.#context;
    const read: ReadBodies = {
      bodies: [],
      known: [],
      marks: {},
      authors: new Set(),
      foreign: 0,
      bytes: 0,
      repeatsOwn: false,
      lastOwn: 0,
      lastOwnBody: null,
      record: before,
    };
    for (const parts of groupParts(fresh)) {
      const body = await readBody(this.#context, parts);
      signal.throwIfAborted();
      if (!body) {
        for (const { key: name } of parts.opened) this.#unreadable.add(name);
        continue;
      }
      const isKnown = covers(before.have, parts.coverage);
      (isKnown ? read.known : read.bodies).push(body);
      for (const blob of parts.opened) {
        read.marks[blob.key] = toStoredCoverage(blob.payload.coverage);
        read.bytes += blob.bytes;
      }
      const author = parts.opened[0]?.payload.device;
      if (author !== undefined && author !== device) {
        read.foreign += 1;
        read.authors.add(author);
      } else read.repeatsOwn ||= isKnown;
      // Own numbers unknown to this store: it was rolled back, and continues after them.
      for (const [, to] of parts.coverage[device] ?? []) {
        if (to > read.lastOwn || (to === read.lastOwn && author === device))
          read.lastOwnBody = author === device ? body : null;
        read.lastOwn = Math.max(read.lastOwn, to);
      }
      read.record = {
        ...read.record,
        seq: Math.max(read.record.seq, read.lastOwn),
        have: toStoredCoverage(union(read.record.have, parts.coverage)),
        clocks: content.advanceClocks(read.record.clocks, body),
      };
    }
    return read;
  }

  /** Lowest own number that is not known to be on the relay. */
  #firstUnconfirmed(before: RoomRecord): number {
    const { records, document, epoch, room } = this.#context;
    const unconfirmed = [...(records.outbox.get(document) ?? [])].flatMap(([number, row]) =>
      row.epoch === epoch && !row.keys.every((name) => room.isConfirmed(name)) ? [number] : [],
    );
    return Math.min(before.seq + 1, ...unconfirmed);
  }

  async #commit(
    read: ReadBodies,
    kept: readonly (readonly [string, RoomRecord['have']])[],
    { isRolledBack, continues }: { readonly isRolledBack: boolean; readonly continues: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { content, document, records, onCoverageGrown } = this.#context;
    const transaction = newTransaction();
    const applied = await content.apply(transaction, read.bodies, read.known);
    // A rolled-back store may have used a number twice, and a device with one of them never asks for the other. So
    // everything is sent again under a new number. The index needs none of this, since every device reads all of it.
    const reused = (isRolledBack && !continues) || (read.repeatsOwn && applied > read.bodies.length);
    // If the last own body lacks nothing, another copy of this device has sent
    // everything; answering it would never end.
    const isSentAlready = async () =>
      read.lastOwnBody !== null && (await content.diff(read.lastOwnBody)) === null;
    const squash = read.record.squash || (reused && document !== INDEX_ROOM && !(await isSentAlready()));
    const marks = { ...Object.fromEntries(kept), ...read.marks };
    records.putRoom(transaction, document, { ...read.record, squash, marks });
    transaction.after.push(onCoverageGrown);
    if (isRolledBack) this.#onRolledBack(transaction);
    signal.throwIfAborted();
    await records.commit(transaction);
    if (applied > 0 && read.foreign > 0 && document !== INDEX_ROOM)
      records.addToJournal({
        kind: 'download',
        what: 'changes',
        document,
        device: read.authors.size === 1 ? ([...read.authors][0] ?? null) : null,
        count: read.foreign,
        bytes: read.bytes,
      });
  }
}

/**
 * Follows own blobs after the store's last one, each of which names its predecessor: nothing
 * else was ever sent under their numbers.
 */
function followOwnChain(
  fresh: readonly OpenedBlob[],
  { marks }: ReadBodies,
  before: RoomRecord,
  blobs: Blobs,
  device: string,
): { seq: number; hash: Uint8Array } {
  const following = new Map(
    fresh
      .filter(({ key: name, payload }) => marks[name] && payload.device === device)
      .map((blob) => [`${blob.payload.seq}/${toText(blob.payload.previous)}`, blob]),
  );
  let last = { seq: before.seq, hash: before.before };
  for (;;) {
    const blob = blobs.get(following.get(`${last.seq + 1}/${toText(last.hash)}`)?.key ?? '');
    if (!blob) return last;
    last = { seq: last.seq + 1, hash: blobHash(blob) };
  }
}
