// Compacts a room: merges many blobs into one segment after a quiet time.
import { kindOf } from '../../domain/sync/blob.ts';
import {
  type BlobGroup,
  DEFAULT_COMPACTION,
  isCompactionDue,
  planRoomCompaction,
} from '../../domain/sync/compaction.ts';
import { type Coverage, EMPTY_COVERAGE, union } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { newTransaction } from './records.ts';
import { openApplied, type RoomContext, readBody } from './room-context.ts';

type Blobs = ReadonlyMap<string, Uint8Array>;

/** The parts of one segment. */
interface Segment {
  readonly bodies: readonly Uint8Array[];
  readonly replaces: readonly string[];
  readonly holds: Coverage;
}

export class RoomCompactor {
  readonly #context: RoomContext;
  readonly #isUnreadable: (name: string) => boolean;
  /** Units by the names of their blobs, cached since opening takes time. */
  readonly #units = new Map<string, BlobGroup>();
  /** Blobs in which there was nothing to compact. */
  #nothingIn: Blobs | undefined;
  #compactAt: number | null = null;
  #disabled = false;

  constructor(context: RoomContext, isUnreadable: (name: string) => boolean) {
    this.#context = context;
    this.#isUnreadable = isUnreadable;
  }

  /** Stops compacting: the room has no space for a segment beside the blobs it replaces. */
  disable(): void {
    this.#disabled = true;
  }

  /** Forgets the state of a connection that ended. */
  disconnected(): void {
    this.#nothingIn = undefined;
    this.#compactAt = null;
  }

  /** Queues one segment in place of many blobs, if that is due and the room was quiet. True if it did. */
  async compact(): Promise<boolean> {
    const { content, document, record, records, room, sealInto, onCoverageGrown } = this.#context;
    const blobs = room.blobs();
    if (this.#disabled || blobs === this.#nothingIn || !this.#isDue(blobs)) return false;
    await this.#openUnits(blobs);
    const { bodies, replaces, holds } = await this.#readSegment(blobs);
    if (bodies.length < 2) {
      this.#nothingIn = blobs;
      return false;
    }
    const transaction = newTransaction();
    const body = content.merge(bodies);
    const next = await sealInto(transaction, {
      document,
      record: record(),
      body,
      kind: 'segment',
      holds,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(transaction, document, next);
    transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
    if (document !== INDEX_ROOM)
      records.addToJournal({
        kind: 'note',
        what: 'folded',
        document,
        device: null,
        count: bodies.length,
        bytes: body.length,
      });
    return true;
  }

  /** True if enough blobs have accumulated, and the quiet time is over. */
  #isDue(blobs: Blobs): boolean {
    const { clock, wakeWithin, compaction = DEFAULT_COMPACTION } = this.#context;
    const unopened = this.#unopened(blobs).map(
      ([name, blob]): BlobGroup => ({ keys: [name], kind: kindOf(blob) ?? 'segment', bytes: blob.length }),
    );
    if (!isCompactionDue([...this.#unitsIn(blobs), ...unopened], compaction)) {
      this.#compactAt = null;
      return false;
    }
    this.#compactAt ??= clock() + compaction.afterMs + Math.random() * compaction.jitterMs;
    if (clock() < this.#compactAt) {
      wakeWithin(this.#compactAt - clock() + 1);
      return false;
    }
    this.#compactAt = null;
    return true;
  }

  #unopened(blobs: Blobs): [string, Uint8Array][] {
    return [...blobs].filter(([name]) => !this.#units.has(name) && !this.#isUnreadable(name));
  }

  #unitsIn(blobs: Blobs): Set<BlobGroup> {
    return new Set([...blobs.keys()].flatMap((name) => this.#units.get(name) ?? []));
  }

  async #openUnits(blobs: Blobs): Promise<void> {
    const unopened = this.#unopened(blobs).map(([name]) => name);
    for (const name of [...this.#units.keys()]) if (!blobs.has(name)) this.#units.delete(name);
    for (const { opened } of await openApplied(this.#context, unopened)) {
      const unit: BlobGroup = {
        keys: opened.map(({ key: name }) => name),
        kind: opened[0]?.kind ?? 'delta',
        bytes: opened.reduce((sum, blob) => sum + blob.bytes, 0),
      };
      for (const name of unit.keys) this.#units.set(name, unit);
    }
  }

  async #readSegment(blobs: Blobs): Promise<Segment> {
    const plan = planRoomCompaction(
      [...this.#unitsIn(blobs)],
      this.#context.compaction ?? DEFAULT_COMPACTION,
    );
    const bodies: Uint8Array[] = [];
    const replaces: string[] = [];
    let holds = EMPTY_COVERAGE;
    const names = plan.flatMap(({ keys }) => keys);
    for (const parts of await openApplied(this.#context, names)) {
      const body = await readBody(this.#context, parts);
      if (!body) continue;
      bodies.push(body);
      replaces.push(...parts.opened.map(({ key: name }) => name));
      holds = union(holds, parts.coverage);
    }
    return { bodies, replaces, holds };
  }
}
