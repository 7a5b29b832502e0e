// Keeps the rooms in use: lets clients join and leave, loads logs, and forgets unused rooms.
import { ignore } from '../domain/base/log.ts';
import { SerialQueue } from '../domain/base/serial-queue.ts';
import { goneFrame, readFrame } from './frames.ts';
import { CLOSE, type Limits } from './limits.ts';
import type { OperatorLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { OutgoingBudget } from './outgoing-budget.ts';
import {
  type Peer,
  Room,
  type RoomServices,
  readClientBytes,
  UnreadableFrameError,
  UnreadableRoomError,
} from './room.ts';
import { StateCache } from './state-cache.ts';
import { type Change, ErasedError, type RelayStore, type RoomId, type StoredLog } from './store.ts';

/** Time for which the state of a room is cached after its last use, ms. */
const STATE_KEEP_MS = 5000;
const MAX_STATE_BYTES = 64 * 1024 * 1024;
/** Most logs that are read from the store at once. */
const LOADS_AT_ONCE = 8;
/** Longest delay between the last write to a room and the removal of deleted content from the store, ms. */
const PURGE_MS = 5000;
/** Least time between two log entries about the same kind of failure, ms. */
const COMPLAIN_MS = 10_000;

const keyOf = ({ account, room }: RoomId) => `${account}/${room}`;

/** All rooms of this process. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();
  /** Rooms without clients, and rooms whose log may be worth a snapshot. */
  readonly #empty = new Set<Room>();
  readonly #written = new Set<Room>();
  /** Work that must end before the store closes. */
  readonly #work = new Set<Promise<unknown>>();
  /** Last log entry of each kind of failure, ms since 1970, and failures since. */
  readonly #complaints = new Map<string, { at: number; times: number }>();
  /** Loads that wait for one of `LOADS_AT_ONCE` to end. */
  readonly #loadQueue: (() => void)[] = [];
  readonly #store: RelayStore;
  readonly #limits: Limits;
  readonly #metrics: Metrics;
  readonly #outgoing: OutgoingBudget;
  readonly #log: OperatorLog;
  readonly #services: RoomServices;
  #loads = 0;
  readonly #snapshots = new SerialQueue();

  constructor(deps: {
    readonly store: RelayStore;
    readonly limits: Limits;
    readonly outgoing: OutgoingBudget;
    readonly metrics: Metrics;
    readonly log: OperatorLog;
  }) {
    this.#store = deps.store;
    this.#limits = deps.limits;
    this.#metrics = deps.metrics;
    this.#outgoing = deps.outgoing;
    this.#log = deps.log;
    this.#services = {
      ...deps,
      states: new StateCache({ maxBytes: MAX_STATE_BYTES, keepMs: STATE_KEEP_MS }),
      load: (id, after) => this.#load(id, after),
      oneSnapshot: (work) => this.#oneSnapshot(work),
      onWrite: (room) => {
        room.writtenAt = Date.now();
        this.#written.add(room);
      },
      forget: (room) => this.#forget(room),
      fail: (room, peers, error) => this.#fail(room, peers, error),
      logThrottled: (event, error) => this.#logThrottled(event, error),
      track: (work) => this.#track(work),
    };
  }

  /** Count of rooms in memory. */
  get size(): number {
    return this.#rooms.size;
  }

  /**
   * Adds a client to a room, and loads the room if needed. The client gets every update from now on,
   * and the greeting once the log is read.
   */
  join(id: RoomId, peer: Peer): Room {
    const room = this.#rooms.get(keyOf(id)) ?? this.#create(id);
    room.peers.add(peer);
    this.#empty.delete(room);
    this.#track(room.greet(peer)).catch((error: unknown) => this.#fail(room, [peer], error));
    return room;
  }

  #create(id: RoomId): Room {
    const room = new Room(id, this.#services);
    this.#rooms.set(keyOf(id), room);
    // A room that could not be read is dropped, so that the next request reads it again.
    room.opened.catch(() => this.#forget(room));
    return room;
  }

  /**
   * Processes a client's message; an update is then durable, a request answered. Never
   * rejects: a failure closes the client.
   */
  receive(room: Room, peer: Peer, message: Uint8Array): Promise<void> {
    const work = async () => {
      const frame = readClientBytes(() => readFrame(message, this.#limits.awareness));
      await room.receive(peer, frame, message);
    };
    return this.#track(
      work().catch((error: unknown) => {
        if (error instanceof UnreadableFrameError) peer.close(CLOSE.junk);
        else this.#fail(room, [peer], error);
      }),
    );
  }

  /** Removes a client from its room. Does nothing the second time. */
  leave(room: Room, peer: Peer): void {
    if (!room.peers.delete(peer)) return;
    this.#outgoing.cancel(peer);
    if (peer.awareness) {
      const frame = goneFrame(peer.awareness.clients);
      for (const other of room.peers) other.send(frame);
    }
    if (room.peers.size > 0) return;
    room.emptySince = Date.now();
    this.#empty.add(room);
  }

  /** Reads rooms again that another process, or an erasure, has changed. null: any room may have changed. */
  storeChanged(change: Change): void {
    if (change?.room !== undefined) {
      this.#rooms.get(keyOf({ account: change.account, room: change.room }))?.catchUp();
      return;
    }
    for (const room of this.#rooms.values())
      if (!change || room.id.account === change.account) room.catchUp();
  }

  /** Writes snapshots of quiet rooms, and drops unused ones. Call it every second or so. `now`: ms since 1970. */
  sweep(now = Date.now()): void {
    const { evictMs } = this.#limits;
    this.#services.states.sweep(now);
    for (const room of this.#written) {
      if (now - room.writtenAt < (room.mustPurge ? Math.min(PURGE_MS, evictMs) : evictMs)) continue;
      this.#written.delete(room);
      if (room.isWorthSnapshot) ignore(room.writeSnapshot(), 'a snapshot, which logs its own failures');
    }
    for (const room of this.#empty) {
      if (now - room.emptySince < evictMs || room.isBusy || this.#written.has(room)) continue;
      this.#forget(room);
    }
  }

  /**
   * Removes deleted content from the store before a stop, since no client may ever
   * open these rooms again. Never rejects.
   */
  async purge(): Promise<void> {
    const rooms = [...this.#written].filter((room) => room.mustPurge);
    await Promise.all(rooms.map((room) => room.writeSnapshot()));
  }

  /** Resolves when no work is under way. Never rejects. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work]);
  }

  /** Drops all rooms. Call it after `idle` and `purge`. */
  close(): void {
    this.#rooms.clear();
    this.#empty.clear();
    this.#written.clear();
    this.#services.states.clear();
  }

  async #load(id: RoomId, after?: number): Promise<StoredLog> {
    if (this.#loads >= LOADS_AT_ONCE)
      await new Promise<void>((resolve) => {
        this.#loadQueue.push(resolve);
      });
    this.#loads++;
    try {
      return await this.#store.load(id, after);
    } finally {
      this.#loads--;
      this.#loadQueue.shift()?.();
    }
  }

  #oneSnapshot(work: () => Promise<void>): Promise<void> {
    return this.#track(this.#snapshots.run(work));
  }

  #forget(room: Room): void {
    this.#services.states.drop(room);
    this.#empty.delete(room);
    this.#written.delete(room);
    if (this.#rooms.get(keyOf(room.id)) === room) this.#rooms.delete(keyOf(room.id));
  }

  #fail(room: Room, peers: Iterable<Peer>, error: unknown): void {
    if (error instanceof ErasedError) {
      this.#forget(room);
      room.closeAll(CLOSE.erased);
    } else if (error instanceof UnreadableRoomError) {
      this.#metrics.count('rooms_refused_total');
      this.#logThrottled('room-refused', error);
      this.#forget(room);
      room.closeAll(error.isTooLarge ? CLOSE.quota : CLOSE.junk);
    } else {
      this.#metrics.count('store_errors_total');
      this.#logThrottled('store-failed', error);
      for (const peer of [...peers]) peer.close(CLOSE.tryLater);
    }
  }

  #logThrottled(event: string, error: unknown): void {
    const { at, times } = this.#complaints.get(event) ?? { at: 0, times: 0 };
    const isDue = Date.now() - at >= COMPLAIN_MS;
    if (isDue) this.#log.warn(event, { error, times: times + 1 });
    this.#complaints.set(event, isDue ? { at: Date.now(), times: 0 } : { at, times: times + 1 });
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const done = () => this.#work.delete(work);
    work.then(done, done);
    return work;
  }
}
