// Contract of a store, which keeps one log of Yjs updates per room. Two members: store-level.ts (a folder on this machine) and store-postgres.ts (a
// server that
// several relays share). test/suites/relay-store.suite.ts tests it.

export interface RoomId {
  /** Hash of the account's token, see domain/sync/keys.ts. */
  readonly account: string;
  readonly room: string;
}

/** Change made elsewhere: in a room, in a whole account (no `room`), or unknown (null: look everywhere). */
export type Change = { readonly account: string; readonly room?: string } | null;

export interface Appended {
  /** 1, 2, 3 … in the order in which appends to this room became durable. */
  readonly position: number;
  /** Size of the room with this update, bytes. */
  readonly bytes: number;
}

export interface StoredLog {
  /** In order of position. After a snapshot the first one replaces all before it. */
  readonly updates: readonly Uint8Array[];
  /** Position of the last append to the room; 0: there was none. */
  readonly position: number;
  readonly bytes: number;
}

/** Thrown for an erased room, or one of an erased account. An erased name is never used again. */
export class ErasedError extends Error {
  override readonly name = 'ErasedError';
}

export interface RelayStore {
  /** Durable when resolved. Throws ErasedError. Appends that wait for the same disk flush share it. */
  append(id: RoomId, update: Uint8Array): Promise<Appended>;
  /** Everything newer than `after`, and all that a snapshot has joined with it. Includes every append that was resolved before the call. */
  load(id: RoomId, after?: number): Promise<StoredLog>;
  /**
   * Replaces the updates up to and including `upTo` by `state`; later ones stay. Does nothing if another snapshot has replaced `upTo`.
   * Resolves with the size of the room. `purges`: also takes the old ones off the disk, as far as the database allows.
   */
  putSnapshot(id: RoomId, upTo: number, state: Uint8Array, purges?: boolean): Promise<number>;
  /** Erases a room, or all rooms of an account. Durable when resolved; the names stay refused. */
  erase(account: string, room?: string): Promise<void>;
  /** Usage of an account. Throws ErasedError. */
  usage(account: string): Promise<{ readonly rooms: number; readonly bytes: number }>;
  /** Reports changes of other processes on the same store. Only a hint: it may be late, repeated, or null after an interruption. */
  subscribe(listener: (change: Change) => void): () => void;
  /** Rejects while the store cannot be reached. */
  ping(): Promise<void>;
  /** Resolves when everything under way is durable. */
  close(): Promise<void>;
}
