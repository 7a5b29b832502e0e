// One room: the clients that read and write one log of Yjs updates. The order of three steps makes it safe:
//   commit, then echo an update is sent to all clients, its sender too, once it is durable: the echo acknowledges it
//   join, then load a new client first joins and then gets the loaded log, so it misses no update that is committed
//   meanwhile snapshot, then forget a room leaves memory only when nothing is under way in it
import { ignore } from '../domain/base/log.ts';
import { type Frame, step1Frame, step2Frame, updateFrame } from './frames.ts';
import { CLOSE, type CloseCode, type Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { BudgetOwner, OutgoingBudget } from './outgoing-budget.ts';
import type { StateCache } from './state-cache.ts';
import { ErasedError, type RelayStore, type RoomId, type StoredLog } from './store.ts';
import { TooManyPiecesError } from './update-table.ts';
import { covers, diff, inspect, merge, snapshot, vectorOf } from './updates.ts';

/** An account in use, as its rooms see it. */
export interface AccountUsage extends BudgetOwner {
  /** Name of the account: hash of its token (domain/sync/keys.ts). */
  readonly tag: string;
  /** Counts of stored rooms and bytes. */
  rooms: number;
  bytes: number;
}

/** A client in a room. */
export interface Peer {
  readonly account: AccountUsage;
  /** Queues a frame. Closes the connection instead if too much waits already. */
  send(frame: Uint8Array): void;
  /** Closes the connection. Does nothing the second time. */
  close(code: CloseCode): void;
  /** Charges the account for work on this many bytes; beyond its rate the client is read later. */
  charge(bytes: number): void;
  /** Last awareness of the client: new clients get it, and the others learn from it who has left. */
  awareness: { readonly frame: Uint8Array; readonly clients: ReadonlyMap<number, number> } | null;
  /**
   * True while the client's step 1 is being answered. That answer serves a second step 1 as
   * well, so the second one is dropped.
   */
  isAnswered: boolean;
}

/** A room's whole log as one update. */
interface RoomState {
  readonly update: Uint8Array;
  /** Step 2 for a client that has nothing yet. `update` is a view into it, so that both take the memory of one. */
  readonly whole: Uint8Array;
  /** Count of the pieces that the update would unpack to, see `UpdateTable`. */
  readonly pieces: number;
  /** Its state vector, encoded. */
  readonly vector: Uint8Array;
}

/** Services that all rooms share; `Rooms` provides them. */
export interface RoomServices {
  readonly store: RelayStore;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly outgoing: OutgoingBudget;
  readonly states: StateCache<Room, RoomState>;
  /**
   * Calls `store.load` for a few rooms at a time. `after`: position from which on
   * updates are wanted. Throws ErasedError.
   */
  load(id: RoomId, after?: number): Promise<StoredLog>;
  /** Runs `work` when no other snapshot is being made: each takes the memory of a room several times over. */
  oneSnapshot(work: () => Promise<void>): Promise<void>;
  /** Notes that the room got an entry that a snapshot may shorten. */
  onWrite(room: Room): void;
  /** Drops the room from memory. */
  forget(room: Room): void;
  /** Closes these clients, or for an erased or unreadable room all of its clients, and logs the failure. */
  fail(room: Room, peers: Iterable<Peer>, error: unknown): void;
  /** Logs an event that many clients may cause at once, every few seconds at most. */
  logThrottled(event: string, error: unknown): void;
  /** Registers work that must end before the store closes, and returns it. */
  track<T>(work: Promise<T>): Promise<T>;
}

/** Thrown for a client's frame that cannot be read: its sender is closed with `CLOSE.junk`. */
export class UnreadableFrameError extends Error {
  override readonly name = 'UnreadableFrameError';
}
/** Thrown for a stored room that cannot be read, or would unpack to too many pieces. Only this room is refused. */
export class UnreadableRoomError extends Error {
  override readonly name = 'UnreadableRoomError';
  /** True if it would unpack to too many pieces. */
  readonly isTooLarge: boolean;
  constructor(cause: unknown) {
    super('a stored room cannot be opened', { cause });
    this.isTooLarge = cause instanceof TooManyPiecesError;
  }
}

/** Runs `read` on a client's bytes. Throws an UnreadableFrameError for any error: the client has sent the bytes. */
export function readClientBytes<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableFrameError('unreadable', { cause });
  }
}
/** Runs `read` on stored bytes. Throws an UnreadableRoomError for any error. */
function readStored<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableRoomError(cause);
  }
}

/**
 * A log becomes one update after this many appends, or when its tail has this many bytes and is larger than the rest …
 */
const SNAPSHOT_APPENDS = 200;
const SNAPSHOT_BYTES = 256 * 1024;
/** … or after this many appends, once no client writes any more. */
const QUIET_APPENDS = 16;
/** Charge for a byte of a log that is read, and for a piece that is counted, as received bytes. */
const READ_COST = 0.25;
const PIECE_COST = 32;
/** Most Yjs clients of which one connection may announce the presence. */
const MAX_AWARENESS_CLIENTS = 16;
/** Most pieces of one update, whatever the room may hold. */
const MAX_UPDATE_PIECES = 250_000;

/** One room in memory. Its clients are in `peers`; `Rooms` adds and removes them. */
export class Room {
  readonly id: RoomId;
  readonly peers = new Set<Peer>();
  /** Departure of the last client, and last entry that a snapshot may shorten, ms since 1970; 0: none since loading. */
  emptySince = 0;
  writtenAt = 0;
  /**
   * Resolves when the log was read once; nothing is served before. Rejects with ErasedError,
   * UnreadableRoomError or the store's error.
   */
  readonly opened: Promise<void>;
  readonly #services: RoomServices;
  readonly #maxStoredPieces: number;
  /** Position in the log up to which the peers got everything. */
  #sent = 0;
  /** Highest known position in the log. */
  #head = 0;
  /** Stored size of the log. */
  #bytes = 0;
  /** Pieces that the log would unpack to, including those on their way to the store. */
  #pieces = 0;
  /** Position up to which the log is one update, and that update's size in bytes. */
  #snapshot = { position: 0, bytes: 0 };
  /** Bytes on their way to the store. */
  #inFlight = 0;
  /** Position of the last update with a deletion, and position up to which deleted content has left the log. */
  #deletedAt = 0;
  #purgedTo = 0;
  /** True if the log may have updates of other relays that the peers lack. */
  #isBehind = false;
  #isCatchingUp = false;
  #snapshotting: Promise<void> | null = null;

  constructor(id: RoomId, services: RoomServices) {
    this.id = id;
    this.#services = services;
    // Relays that share a store may each add up to the limit, so a stored room may exceed the one for new updates.
    this.#maxStoredPieces = 2 * services.limits.pieces;
    this.opened = this.#open();
  }

  /** True while forgetting the room could lose track of something. */
  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#isCatchingUp || this.#snapshotting !== null;
  }

  /** Closes the connections of all clients. */
  closeAll(code: CloseCode): void {
    for (const peer of [...this.peers]) peer.close(code);
  }

  /** Sends a new client the room's state vector (step 1), and the others' awareness. Rejects as `opened`. */
  async greet(peer: Peer): Promise<void> {
    await this.opened;
    const state = await this.#state();
    this.#chargeReading(peer, state);
    peer.send(step1Frame(state.vector));
    for (const other of this.peers) if (other !== peer && other.awareness) peer.send(other.awareness.frame);
  }

  /**
   * Processes a client's frame; an update is then durable. `message`: the bytes of the frame. Rejects as
   * `opened`, or with UnreadableFrameError.
   */
  async receive(peer: Peer, frame: Frame, message: Uint8Array): Promise<void> {
    await this.opened;
    switch (frame.type) {
      case 'step1':
        return await this.#answer(peer, frame.clocks);
      case 'update':
        return await this.#update(peer, frame.update, frame.answer);
      case 'awareness':
        this.#shareAwareness(peer, frame.clients, message);
        return;
      case 'query-awareness':
        for (const other of this.peers) if (other.awareness) peer.send(other.awareness.frame);
    }
  }

  /** True if the log may still hold content that clients have deleted. */
  get mustPurge(): boolean {
    return this.#deletedAt > this.#purgedTo;
  }

  /** True if a snapshot is worth its work once the room is quiet. */
  get isWorthSnapshot(): boolean {
    const { appends, bytes } = this.#tail();
    return this.mustPurge || appends >= QUIET_APPENDS || (appends > 0 && bytes * 4 >= this.#snapshot.bytes);
  }

  async #open(): Promise<void> {
    const { updates, position, bytes } = await this.#services.load(this.id);
    this.#sent = position;
    this.#head = position;
    this.#bytes = bytes;
    this.#snapshot = {
      position: position - Math.max(0, updates.length - 1),
      bytes: updates[0]?.length ?? 0,
    };
    const state = this.#stateFrom(updates);
    this.#pieces += state.pieces;
    if (updates.slice(1).some((update) => this.#deletes(update))) this.#deletedAt = position;
    // A relay that was killed may have left a long tail.
    if (this.isWorthSnapshot) this.#services.onWrite(this);
    this.#services.states.put(this, Promise.resolve(state), state.whole.length);
  }

  #deletes(update: Uint8Array): boolean {
    return readStored(() => inspect(update, this.#maxStoredPieces)).deletes;
  }

  #stateFrom(updates: readonly Uint8Array[]): RoomState {
    return readStored(() => {
      const { update, pieces } = merge(updates, this.#maxStoredPieces);
      const whole = step2Frame(update);
      const vector = vectorOf(update, this.#maxStoredPieces);
      return { update: whole.subarray(-update.length), whole, pieces, vector };
    });
  }

  /** Returns the state of the whole log, at least as new as the call. */
  #state(): Promise<RoomState> {
    const { load, states } = this.#services;
    return states.get(this, async () => {
      const { updates } = await load(this.id);
      return this.#stateFrom(updates);
    });
  }

  #chargeReading(peer: Peer, { update, pieces }: RoomState): void {
    peer.charge(update.length * READ_COST + pieces * PIECE_COST);
  }

  /** Sends step 2: everything that a client with these clocks lacks. */
  async #answer(peer: Peer, clocks: ReadonlyMap<number, number>): Promise<void> {
    if (peer.isAnswered) return;
    peer.isAnswered = true;
    try {
      const release = await this.#services.outgoing.reserve(peer, peer.account, this.#bytes);
      if (!release) return;
      let answer: Uint8Array;
      try {
        const state = await this.#state();
        this.#chargeReading(peer, state);
        answer =
          clocks.size === 0 ? state.whole : step2Frame(diff(state.update, clocks, this.#maxStoredPieces));
      } finally {
        release();
      }
      peer.send(answer);
    } finally {
      peer.isAnswered = false;
    }
  }

  /** Stores a client's update, unless it is too large, empty, or an answer that holds nothing new. */
  async #update(peer: Peer, update: Uint8Array, isAnswer: boolean): Promise<void> {
    const { limits, metrics } = this.#services;
    if (update.length > limits.update) {
      peer.close(CLOSE.quota);
      return;
    }
    const { isEmpty, deletes, pieces } = readClientBytes(() => inspect(update, MAX_UPDATE_PIECES));
    peer.charge(pieces * PIECE_COST);
    if (isEmpty) return;
    if (isAnswer) {
      const state = await this.#state();
      this.#chargeReading(peer, state);
      if (covers(state.update, update, this.#maxStoredPieces)) {
        metrics.count('repeated_updates_total');
        peer.send(updateFrame(update));
        return;
      }
    }
    await this.#write(peer, update, { pieces, deletes });
  }

  #shareAwareness(peer: Peer, clients: ReadonlyMap<number, number>, message: Uint8Array): void {
    if (message.length > this.#services.limits.awareness || clients.size > MAX_AWARENESS_CLIENTS) {
      peer.close(CLOSE.junk);
      return;
    }
    // The message is a view into a larger buffer, which would stay in memory for as long as the peer is here.
    const frame = message.slice();
    peer.awareness = { frame, clients };
    peer.charge(frame.length * this.peers.size);
    for (const other of this.peers) other.send(frame);
  }

  /** True if an update of this size exceeds a limit of the room or the account. */
  #isFull(account: AccountUsage, bytes: number, pieces: number): boolean {
    const { limits } = this.#services;
    return (
      this.#bytes + this.#inFlight + bytes > limits.room ||
      this.#pieces + pieces > limits.pieces ||
      account.bytes + bytes > limits.account ||
      (this.#bytes === 0 && account.rooms >= limits.rooms)
    );
  }

  /**
   * True if a snapshot with this update would be within the limits: a full room must
   * accept updates that delete content.
   */
  async #wouldFit(peer: Peer, update: Uint8Array): Promise<boolean> {
    const { limits, load } = this.#services;
    const { account } = peer;
    if (this.#bytes === 0) return false;
    peer.charge(this.#bytes + this.#pieces * PIECE_COST);
    const { updates } = await load(this.id);
    const { update: state, pieces } = readStored(() => snapshot([...updates, update], this.#maxStoredPieces));
    const isSmall = state.length <= limits.room && pieces <= limits.pieces;
    return isSmall && account.bytes - this.#bytes + state.length <= limits.account;
  }

  /** Makes an update durable, then sends it to all peers. */
  async #write(
    peer: Peer,
    update: Uint8Array,
    { pieces, deletes }: { readonly pieces: number; readonly deletes: boolean },
  ): Promise<void> {
    const { metrics, states } = this.#services;
    const { account } = peer;
    const isTight = this.#isFull(account, update.length, pieces);
    if (isTight && !(await this.#wouldFit(peer, update))) {
      peer.close(CLOSE.quota);
      return;
    }
    const { position, bytes } = await this.#append(update, pieces);
    if (deletes) this.#deletedAt = Math.max(this.#deletedAt, position);
    metrics.count('updates_total');
    metrics.count('update_bytes_total', update.length);
    states.drop(this);
    if (position === 1) account.rooms++;
    this.#setBytes(account, bytes);
    this.#head = Math.max(this.#head, position);
    this.#services.onWrite(this);
    this.#broadcast(update);
    if (position === this.#sent + 1) this.#sent++;
    else if (position > this.#sent) this.catchUp();
    const tail = this.#tail();
    if (isTight) await this.writeSnapshot();
    else if (tail.appends >= SNAPSHOT_APPENDS || tail.bytes >= Math.max(SNAPSHOT_BYTES, this.#snapshot.bytes))
      ignore(this.writeSnapshot(), 'a snapshot, which logs its own failures');
  }

  async #append(update: Uint8Array, pieces: number): Promise<{ position: number; bytes: number }> {
    const { metrics, store } = this.#services;
    const askedAt = performance.now();
    this.#inFlight += update.length;
    this.#pieces += pieces;
    try {
      const appended = await store.append(this.id, update);
      metrics.commit((performance.now() - askedAt) / 1000);
      return appended;
    } catch (error) {
      this.#pieces -= pieces;
      throw error;
    } finally {
      this.#inFlight -= update.length;
    }
  }

  #broadcast(update: Uint8Array): void {
    const frame = updateFrame(update);
    for (const peer of this.peers) peer.send(frame);
  }

  /** Sets the room's stored size, and adds the change to its account's. */
  #setBytes(account: AccountUsage | undefined, bytes: number): void {
    if (account) account.bytes += bytes - this.#bytes;
    this.#bytes = bytes;
  }

  /** Size of the log after its first update. */
  #tail(): { appends: number; bytes: number } {
    return {
      appends: this.#head - this.#snapshot.position,
      bytes: this.#bytes - this.#snapshot.bytes,
    };
  }

  /** Replaces the log by one update without deleted content. Logs a failure and never rejects. */
  writeSnapshot(): Promise<void> {
    this.#snapshotting ??= this.#services
      .oneSnapshot(() => this.#writeSnapshot())
      .catch((error: unknown) => {
        if (!(error instanceof ErasedError)) this.#services.logThrottled('snapshot-failed', error);
        // A log that cannot be shortened is tried again only after as many new appends.
        this.#snapshot = { position: this.#head, bytes: this.#bytes };
      })
      .finally(() => {
        this.#snapshotting = null;
      });
    return this.#snapshotting;
  }

  async #writeSnapshot(): Promise<void> {
    const { load, metrics, store } = this.#services;
    const { updates, position } = await load(this.id);
    if (updates.length < 2) {
      this.#snapshot = { position, bytes: this.#bytes };
      this.#purgedTo = position;
      return;
    }
    const piecesBefore = this.#pieces;
    const { update: state, pieces } = readStored(() => snapshot(updates, this.#maxStoredPieces));
    const bytes = await store.putSnapshot(this.id, position, state, this.mustPurge);
    this.#purgedTo = position;
    const [peer] = this.peers;
    this.#setBytes(peer?.account, bytes);
    // Pieces that arrived during the snapshot still count.
    this.#pieces = pieces + Math.max(0, this.#pieces - piecesBefore);
    this.#snapshot = { position, bytes: state.length };
    metrics.count('snapshots_total');
  }

  /** Sends peers the updates that other relays have appended to the same log. A failure closes them. */
  catchUp(): void {
    this.#isBehind = true;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.#services.track(this.#catchUp()).catch((error: unknown) => {
      this.#services.fail(this, this.peers, error);
    });
  }

  async #catchUp(): Promise<void> {
    try {
      await this.opened;
      while (this.#isBehind) {
        this.#isBehind = false;
        const { updates, position, bytes } = await this.#services.load(this.id, this.#sent);
        // A store that knows less than before was restored from a backup: all clients reconnect and send what it lacks.
        if (position < this.#sent) {
          this.#services.forget(this);
          this.closeAll(CLOSE.restart);
          return;
        }
        if (updates.length > 0) this.#services.states.drop(this);
        this.#bytes = bytes;
        this.#head = Math.max(this.#head, position);
        for (const update of updates) {
          this.#pieces += readStored(() => inspect(update, this.#maxStoredPieces)).pieces;
          this.#broadcast(update);
        }
        this.#sent = Math.max(this.#sent, position);
      }
    } finally {
      // No `await` stands between the last test of `#isBehind` and this, so a later call starts a new loop.
      this.#isCatchingUp = false;
    }
  }
}
