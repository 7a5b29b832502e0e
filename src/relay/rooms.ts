// The heart of the relay. A room is the set of clients that look at one log; what is in the log is loaded when somebody asks for it and
// dropped again soon after. Three orders make it safe:
//   commit, then echo    an update goes out, to its sender too, when it is durable: the echo is an acknowledgement
//   join, then load      a newcomer hears what is committed after its load, so nothing falls in between
//   fold, then forget    a room leaves memory when nothing is under way in it
import { type Frame, goneFrame, readFrame, step1Frame, step2Frame, updateFrame } from './frames.ts';
import { CLOSE, type CloseCode, type Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type Change, ErasedError, type RelayStore, type RoomId } from './store.ts';
import type { Holder, Unsent } from './unsent.ts';
import { TooManyPiecesError } from './update-table.ts';
import { covers, diff, inspect, merge, snapshot, vectorOf } from './updates.ts';

/** An account while somebody is connected to it. */
export interface AccountUse extends Holder {
  readonly tag: string;
  rooms: number;
  bytes: number;
}

/** One connection. */
export interface Peer {
  readonly account: AccountUse;
  send(frame: Uint8Array): void;
  close(code: CloseCode): void;
  /** Counts work of this many bytes against the account, and slows it down where that is too much. */
  charge(bytes: number): void;
  /** What it last said of itself, for newcomers and for the moment it is gone. */
  awareness: { readonly frame: Uint8Array; readonly clients: ReadonlyMap<number, number> } | null;
  /** A step 1 of its is being answered: the answer will do for another one too. */
  answering: boolean;
}

/** Everything in a room's log. */
interface State {
  readonly update: Uint8Array;
  /** The answer to whoever knows nothing yet. The update lies in it: one copy for all who ask. */
  readonly whole: Uint8Array;
  /** How much it would unpack to, see `UpdateTable`. */
  readonly pieces: number;
  /** Its state vector, encoded. */
  readonly vector: Uint8Array;
}

export interface Room {
  readonly id: RoomId;
  readonly peers: Set<Peer>;
  /** Resolves when the log was read once. Nothing is served before. */
  opened: Promise<void>;
  /** Everything up to this position went out to the peers. */
  seen: number;
  bytes: number;
  /** How much the log would unpack to, what is on its way to the store included. */
  pieces: number;
  /** The highest position known. */
  head: number;
  /** Up to where the log was folded last, and how large that made it. */
  folded: { position: number; bytes: number };
  /** When something was last added that a fold may shorten; 0: nothing since the room was loaded. */
  writtenAt: number;
  /** Bytes on their way to the store. */
  inFlight: number;
  state: Promise<State> | null;
  stateUsedAt: number;
  emptySince: number;
  behind: boolean;
  reading: boolean;
  folding: Promise<void> | null;
}

export interface Rooms {
  /** The peer hears of everything from now on; the greeting follows when the log was read. */
  join(id: RoomId, peer: Peer): Room;
  /** Resolves when the message is dealt with: an update is durable, a question answered. Never rejects. */
  receive(room: Room, peer: Peer, message: Uint8Array): Promise<void>;
  leave(room: Room, peer: Peer): void;
  /** Something happened in the store behind our back: look there. */
  look(change: Change): void;
  /** Drops what nobody uses. To be called every second or so. */
  sweep(now?: number): void;
  readonly size: number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  close(): void;
}

const FOLD_COUNT = 200;
const FOLD_BYTES = 256 * 1024;
const QUIET_COUNT = 16;
const STATE_MS = 5000;
const MAX_WARM_BYTES = 64 * 1024 * 1024;
const LOADS_AT_ONCE = 8;
/** A store that is away fails everybody: that is said once in a while. */
const COMPLAIN_MS = 10_000;
/** What going through a byte of a log once costs, in bytes received. */
const READING = 0.25;
/** What going through one piece costs, in bytes received. */
const READING_PIECE = 32;
const MAX_AWARENESS_CLIENTS = 16;
/** Pieces of one update: beyond them it is refused, whatever the room may hold. */
const MAX_UPDATE_PIECES = 250_000;

export function createRooms(deps: {
  store: RelayStore;
  limits: Limits;
  unsent: Unsent;
  metrics: Metrics;
  log: Log;
}): Rooms {
  const { store, limits, unsent, metrics, log } = deps;
  const rooms = new Map<string, Room>();
  const empty = new Set<Room>();
  const written = new Set<Room>();
  const warm = new Map<Room, number>();
  let warmBytes = 0;
  const busy = new Set<Promise<unknown>>();
  const complaints = new Map<string, { at: number; times: number }>();
  let folds: Promise<unknown> = Promise.resolve();
  const keyOf = ({ account, room }: RoomId) => `${account}/${room}`;
  /** A stored room may be larger than one that takes updates: relays that share a store may each add up to the limit. */
  const maxStoredPieces = 2 * limits.pieces;

  /** Keeps count of work that must end before the store closes. */
  function track<T>(work: Promise<T>): Promise<T> {
    busy.add(work);
    const done = () => busy.delete(work);
    work.then(done, done);
    return work;
  }

  let loads = 0;
  const queue: (() => void)[] = [];
  async function load(room: Room, after?: number) {
    if (loads >= LOADS_AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
    loads++;
    try {
      return await store.load(room.id, after);
    } finally {
      loads--;
      queue.shift()?.();
    }
  }

  function closeAll(room: Room, code: CloseCode) {
    for (const peer of [...room.peers]) peer.close(code);
  }

  /** Logs an event that many clients may cause at once, with how often it happened since it was logged last. */
  function complain(event: string, error: unknown) {
    const { at, times } = complaints.get(event) ?? { at: 0, times: 0 };
    const isDue = Date.now() - at >= COMPLAIN_MS;
    if (isDue) log.warn(event, { error, times: times + 1 });
    complaints.set(event, isDue ? { at: Date.now(), times: 0 } : { at, times: times + 1 });
  }

  /** An erased room tells everybody who is in it; a store that fails sends those away who were waiting for it, to come again. */
  function fail(room: Room, peers: Iterable<Peer>, error: unknown) {
    if (error instanceof ErasedError) {
      drop(room);
      closeAll(room, CLOSE.erased);
      return;
    }
    if (error instanceof UnreadableRoomError) {
      metrics.count('rooms_refused_total');
      complain('room-refused', error);
      drop(room);
      closeAll(room, error.isTooLarge ? CLOSE.quota : CLOSE.junk);
      return;
    }
    metrics.count('store_errors_total');
    complain('store-failed', error);
    for (const peer of [...peers]) peer.close(CLOSE.tryLater);
  }

  /** Forgets what the log holds, as it has changed or is not asked for. */
  function cool(room: Room) {
    room.state = null;
    warmBytes -= warm.get(room) ?? 0;
    warm.delete(room);
  }

  function keepWarm(room: Room, state: Promise<State>, size: number) {
    cool(room);
    room.state = state;
    warm.set(room, size);
    warmBytes += size;
    for (const old of warm.keys()) {
      if (warmBytes <= MAX_WARM_BYTES) break;
      cool(old);
    }
  }

  function drop(room: Room) {
    cool(room);
    empty.delete(room);
    written.delete(room);
    if (rooms.get(keyOf(room.id)) === room) rooms.delete(keyOf(room.id));
  }

  function stateFrom(updates: readonly Uint8Array[]): State {
    return stored(() => {
      const { update, pieces } = merge(updates, maxStoredPieces);
      const whole = step2Frame(update);
      return {
        update: whole.subarray(-update.length),
        whole,
        pieces,
        vector: vectorOf(update, maxStoredPieces),
      };
    });
  }

  /** Everything in the room's log. Newer than the call it may be, older never. */
  function stateOf(room: Room): Promise<State> {
    room.stateUsedAt = Date.now();
    if (room.state) return room.state;
    const state = load(room).then(({ updates }) => {
      const found = stateFrom(updates);
      if (room.state === state) keepWarm(room, state, found.whole.length);
      return found;
    });
    room.state = state;
    state.catch(() => {
      if (room.state === state) room.state = null;
    });
    return state;
  }

  const chargeReading = (peer: Peer, { update, pieces }: State) =>
    peer.charge(update.length * READING + pieces * READING_PIECE);

  function setBytes(room: Room, account: AccountUse | undefined, bytes: number) {
    if (account) account.bytes += bytes - room.bytes;
    room.bytes = bytes;
  }

  async function open(room: Room) {
    const { updates, position, bytes } = await load(room);
    room.seen = position;
    room.head = position;
    room.bytes = bytes;
    room.folded = { position: position - Math.max(0, updates.length - 1), bytes: updates[0]?.length ?? 0 };
    // Left behind by a relay that was killed, say.
    if (isWorthFolding(room)) {
      room.writtenAt = Date.now();
      written.add(room);
    }
    const state = stateFrom(updates);
    room.pieces += state.pieces;
    room.stateUsedAt = Date.now();
    keepWarm(room, Promise.resolve(state), state.whole.length);
  }

  const tailOf = ({ head, bytes, folded }: Room) => ({
    count: head - folded.position,
    bytes: bytes - folded.bytes,
  });
  /** When all is quiet a shorter tail is worth it. */
  function isWorthFolding(room: Room): boolean {
    const { count, bytes } = tailOf(room);
    return count >= QUIET_COUNT || (count > 0 && bytes * 4 >= room.folded.bytes);
  }

  function fold(room: Room): Promise<void> {
    const work = async () => {
      const { updates, position } = await load(room);
      if (updates.length < 2) {
        room.folded = { position, bytes: room.bytes };
        return;
      }
      const before = room.pieces;
      const { update: state, pieces } = stored(() => snapshot(updates, maxStoredPieces));
      const bytes = await store.fold(room.id, position, state);
      // What came meanwhile counts on top.
      room.pieces = pieces + Math.max(0, room.pieces - before);
      const [peer] = room.peers;
      setBytes(room, peer?.account, bytes);
      room.folded = { position, bytes: state.length };
      metrics.count('folds_total');
    };
    if (!room.folding) {
      // One at a time: a fold holds a whole document for a moment.
      const turn = folds.then(work);
      room.folding = track(turn)
        .catch((error: unknown) => {
          if (!(error instanceof ErasedError)) log.warn('fold-failed', { error });
          // Not again at once: the next try comes with the next tail.
          room.folded = { position: room.head, bytes: room.bytes };
        })
        .finally(() => {
          room.folding = null;
        });
      folds = room.folding;
    }
    return room.folding;
  }

  const isFull = (room: Room, account: AccountUse, more: number, pieces: number) =>
    room.bytes + room.inFlight + more > limits.room ||
    room.pieces + pieces > limits.pieces ||
    account.bytes + more > limits.account ||
    (room.bytes === 0 && account.rooms >= limits.rooms);

  /** A full room takes an update all the same if it is smaller with it than it may be: what makes room must get in. */
  async function wouldFit(room: Room, peer: Peer, update: Uint8Array): Promise<boolean> {
    const { account } = peer;
    if (room.bytes === 0) return false;
    peer.charge(room.bytes + room.pieces * READING_PIECE);
    const { updates } = await load(room);
    const { update: state, pieces } = stored(() => snapshot([...updates, update], maxStoredPieces));
    const size = state.length;
    return (
      size <= limits.room && pieces <= limits.pieces && account.bytes - room.bytes + size <= limits.account
    );
  }

  async function write(room: Room, peer: Peer, update: Uint8Array, pieces: number) {
    const { account } = peer;
    const isTight = isFull(room, account, update.length, pieces);
    if (isTight && !(await wouldFit(room, peer, update))) return peer.close(CLOSE.quota);
    const asked = performance.now();
    room.inFlight += update.length;
    room.pieces += pieces;
    const appended = await store
      .append(room.id, update)
      .catch((error: unknown) => {
        room.pieces -= pieces;
        throw error;
      })
      .finally(() => {
        room.inFlight -= update.length;
      });
    metrics.commit((performance.now() - asked) / 1000);
    metrics.count('updates_total');
    metrics.count('update_bytes_total', update.length);
    cool(room);
    if (appended.position === 1) account.rooms++;
    setBytes(room, account, appended.bytes);
    room.head = Math.max(room.head, appended.position);
    room.writtenAt = Date.now();
    written.add(room);
    const frame = updateFrame(update);
    for (const other of room.peers) other.send(frame);
    if (appended.position === room.seen + 1) room.seen++;
    else if (appended.position > room.seen) catchUp(room);
    const { count, bytes } = tailOf(room);
    if (isTight) await fold(room);
    else if (count >= FOLD_COUNT || bytes >= Math.max(FOLD_BYTES, room.folded.bytes)) void fold(room);
  }

  /** Sends what other relays have appended to the same log. */
  function catchUp(room: Room) {
    room.behind = true;
    if (room.reading) return;
    room.reading = true;
    const work = async () => {
      try {
        await room.opened;
        while (room.behind) {
          room.behind = false;
          const { updates, position, bytes } = await load(room, room.seen);
          // A store that knows less than it did was put back from a backup: everybody is asked to come again and push what it lacks.
          if (position < room.seen) {
            drop(room);
            closeAll(room, CLOSE.restart);
            return;
          }
          if (updates.length > 0) cool(room);
          room.bytes = bytes;
          room.head = Math.max(room.head, position);
          for (const update of updates) {
            room.pieces += stored(() => inspect(update, maxStoredPieces)).pieces;
            const frame = updateFrame(update);
            for (const peer of room.peers) peer.send(frame);
          }
          room.seen = Math.max(room.seen, position);
        }
      } finally {
        // In the same breath as the last look at `behind`: a call that comes now starts anew.
        room.reading = false;
      }
    };
    track(work()).catch((error: unknown) => fail(room, room.peers, error));
  }

  async function answer(room: Room, peer: Peer, frame: Frame, message: Uint8Array) {
    switch (frame.type) {
      case 'step1': {
        if (peer.answering) return;
        peer.answering = true;
        try {
          const giveBack = await unsent.setAside(peer, peer.account, room.bytes);
          if (!giveBack) return;
          let answer: Uint8Array;
          try {
            const state = await stateOf(room);
            chargeReading(peer, state);
            answer =
              frame.clocks.size === 0
                ? state.whole
                : step2Frame(diff(state.update, frame.clocks, maxStoredPieces));
          } finally {
            giveBack();
          }
          peer.send(answer);
        } finally {
          peer.answering = false;
        }
        return;
      }
      case 'update': {
        if (frame.update.length > limits.update) return peer.close(CLOSE.quota);
        const { isEmpty, pieces } = readable(() => inspect(frame.update, MAX_UPDATE_PIECES));
        peer.charge(pieces * READING_PIECE);
        if (isEmpty) return;
        if (frame.answer) {
          const state = await stateOf(room);
          chargeReading(peer, state);
          if (covers(state.update, frame.update, maxStoredPieces)) {
            metrics.count('repeated_updates_total');
            peer.send(updateFrame(frame.update));
            return;
          }
        }
        return write(room, peer, frame.update, pieces);
      }
      case 'awareness': {
        if (message.length > limits.awareness || frame.clients.size > MAX_AWARENESS_CLIENTS)
          return peer.close(CLOSE.junk);
        // A copy: the message is a window into a larger buffer, which would be held for as long as the peer is here.
        const copy = message.slice();
        peer.awareness = { frame: copy, clients: frame.clients };
        peer.charge(copy.length * room.peers.size);
        for (const other of room.peers) other.send(copy);
        return;
      }
      case 'query-awareness':
        for (const other of room.peers) if (other.awareness) peer.send(other.awareness.frame);
        return;
      default:
        return;
    }
  }

  async function greet(room: Room, peer: Peer) {
    await room.opened;
    const state = await stateOf(room);
    chargeReading(peer, state);
    peer.send(step1Frame(state.vector));
    for (const other of room.peers) if (other !== peer && other.awareness) peer.send(other.awareness.frame);
  }

  return {
    join(id, peer) {
      const key = keyOf(id);
      let room = rooms.get(key);
      if (!room) {
        room = {
          id,
          peers: new Set(),
          opened: Promise.resolve(),
          seen: 0,
          bytes: 0,
          pieces: 0,
          head: 0,
          folded: { position: 0, bytes: 0 },
          writtenAt: 0,
          inFlight: 0,
          state: null,
          stateUsedAt: 0,
          emptySince: 0,
          behind: false,
          reading: false,
          folding: null,
        };
        rooms.set(key, room);
        room.opened = open(room);
        // A room that could not be read is not kept: the next one who asks reads again.
        const opening = room;
        opening.opened.catch(() => drop(opening));
      }
      room.peers.add(peer);
      empty.delete(room);
      const joined = room;
      track(greet(joined, peer)).catch((error: unknown) => fail(joined, [peer], error));
      return joined;
    },
    receive(room, peer, message) {
      const work = async () => {
        const frame = readable(() => readFrame(message, limits.awareness));
        await room.opened;
        await answer(room, peer, frame, message);
      };
      return track(
        work().catch((error: unknown) => {
          if (error instanceof UnreadableFrameError) peer.close(CLOSE.junk);
          else fail(room, [peer], error);
        }),
      );
    },
    leave(room, peer) {
      if (!room.peers.delete(peer)) return;
      unsent.forget(peer);
      if (peer.awareness) {
        const frame = goneFrame(peer.awareness.clients);
        for (const other of room.peers) other.send(frame);
      }
      if (room.peers.size > 0) return;
      room.emptySince = Date.now();
      empty.add(room);
    },
    look(change) {
      if (change?.room !== undefined) {
        const room = rooms.get(keyOf({ account: change.account, room: change.room }));
        if (room) catchUp(room);
        return;
      }
      for (const room of rooms.values()) if (!change || room.id.account === change.account) catchUp(room);
    },
    sweep(now = Date.now()) {
      for (const room of warm.keys()) if (now - room.stateUsedAt >= STATE_MS) cool(room);
      for (const room of written) {
        if (now - room.writtenAt < limits.evictMs) continue;
        written.delete(room);
        if (isWorthFolding(room)) void fold(room);
      }
      for (const room of empty) {
        if (now - room.emptySince < limits.evictMs) continue;
        if (room.inFlight > 0 || room.reading || room.folding || written.has(room)) continue;
        drop(room);
      }
    },
    get size() {
      return rooms.size;
    },
    async idle() {
      while (busy.size > 0) await Promise.allSettled([...busy]);
    },
    close() {
      rooms.clear();
      empty.clear();
      written.clear();
      warm.clear();
    },
  };
}

/** What a client sent cannot be read. */
class UnreadableFrameError extends Error {
  override readonly name = 'UnreadableFrameError';
}
/** What the store holds of a room cannot be read, or would unpack to too much. The room is refused, alone. */
class UnreadableRoomError extends Error {
  override readonly name = 'UnreadableRoomError';
  readonly isTooLarge: boolean;
  constructor(cause: unknown) {
    super('a stored room cannot be opened', { cause });
    this.isTooLarge = cause instanceof TooManyPiecesError;
  }
}

function stored<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableRoomError(cause);
  }
}

/** What a client sent is read here; whatever the reader throws is the client's fault. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableFrameError('unreadable', { cause });
  }
}
