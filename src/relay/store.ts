// Contract of a store, which keeps one log of Yjs updates for each room. Two members: store-level.ts (a folder on this
// machine) and store-postgres.ts (a server that several relays share). test/suites/relay-store.suite.ts tests both.

/** Names a room of an account. */
export interface RoomId {
  /** Hash of the account's token, see domain/sync/keys.ts. */
  readonly account: string;
  /** Name that the client chose: up to 128 characters A–Z a–z 0–9 _ . ~ - */
  readonly room: string;
}

/**
 * Change by another process: in a room, in a whole account (no `room`), or unknown (null: any room may have changed).
 */
export type Change = { readonly account: string; readonly room?: string } | null;

/** Place of an update in its room's log. */
export interface Appended {
  /** 1, 2, 3 … in the order in which appends to this room became durable. */
  readonly position: number;
  /** Size of the room with this update, bytes. */
  readonly bytes: number;
}

/** A room's log, or its end. */
export interface StoredLog {
  /** In order of position. After a snapshot the first one stands for all updates before it. */
  readonly updates: readonly Uint8Array[];
  /** Position of the last append to the room; 0: there was none. */
  readonly position: number;
  /** Size of the whole log, bytes. */
  readonly bytes: number;
}

/** Thrown for an erased room, or one of an erased account. An erased name is never used again. */
export class ErasedError extends Error {
  override readonly name = 'ErasedError';
}

/** A store. All methods but `subscribe` reject with the database's error if it fails. */
export interface RelayStore {
  /**
   * Appends an update to a room, new or not; durable when resolved. Rejects with ErasedError.
   * Appends at the same time share one flush.
   */
  append(id: RoomId, update: Uint8Array): Promise<Appended>;
  /**
   * Reads the updates after position `after` (absent: all); includes every append that had resolved. A snapshot among
   * them may hold older ones, too. Rejects with ErasedError.
   */
  load(id: RoomId, after?: number): Promise<StoredLog>;
  /**
   * Replaces the updates up to and including position `upTo` by `state`; later ones stay. Does nothing if another
   * snapshot has replaced `upTo`. Resolves with the room's size in bytes.
   * @param purges also takes the old ones off the disk, as far as the database can
   * @throws ErasedError
   */
  putSnapshot(id: RoomId, upTo: number, state: Uint8Array, purges?: boolean): Promise<number>;
  /** Erases a room, or all rooms of an account; durable when resolved. The names stay refused for good. */
  erase(account: string, room?: string): Promise<void>;
  /** Counts the stored rooms and bytes of an account. Rejects with ErasedError. */
  usage(account: string): Promise<{ readonly rooms: number; readonly bytes: number }>;
  /**
   * Calls `listener` with changes by other processes: a hint, which may be late, repeated, or null after
   * an interruption. Returns how to stop.
   */
  subscribe(listener: (change: Change) => void): () => void;
  /** Rejects while the store cannot be reached, or knows that it can take no updates in. */
  ping(): Promise<void>;
  /** Closes the store. Resolves when all appends under way are durable. */
  close(): Promise<void>;
}
