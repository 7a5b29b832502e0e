// A relay, as sync sees it: rooms that hold opaque blobs. Nothing here knows what is in a blob.
import type { Problem } from '../../domain/base/errors.ts';

/** Address of a relay, and the account on it. */
export interface RelayAccount {
  /** ws: or wss: address of the relay. */
  readonly endpoint: string;
  /** base64url; its hash names the account. */
  readonly token: string;
}

/**
 * `connecting`: the content of the room is still unknown. `synced`: it is known and followed. `offline`: the relay does
 * not answer, and the backend tries again by itself. `refused`: the relay refused for good; only `retry` asks again.
 */
export type RoomState = 'connecting' | 'synced' | 'offline' | 'refused';

export interface SyncRoom {
  readonly state: RoomState;
  /** Reason of a refusal. */
  readonly problem: Problem | null;
  /**
   * By key (`blobKey`), in the room's order: what the relay gave and what was inserted here since. Empty unless synced.
   */
  blobs(): ReadonlyMap<string, Uint8Array>;
  /** Number of items in the room that are not bytes. */
  readonly junk: number;
  /**
   * Appends blobs; only while synced. A blob that the room holds already is not added twice. `replacing`: keys of blobs
   * that go in the same step, since a full room has space for new blobs only once the old ones are gone.
   */
  insert(blobs: readonly Uint8Array[], replacing?: readonly string[]): void;
  /** Removes every blob with one of these keys. Only while synced. */
  remove(keys: readonly string[]): void;
  /**
   * True once the relay has sent this blob back, which means it has committed it. A blob that was
   * removed here since is no longer confirmed.
   */
  isConfirmed(key: string): boolean;
  /**
   * Connects now rather than at the end of the pause. `force`: also replaces a connection in the making that has been
   * silent for longer than usual and may be dead.
   */
  retry(force?: boolean): void;
  close(): void;
}

export interface SyncBackend {
  /**
   * Opens a room until `close`. `onChange` says only that something changed. The relay creates
   * a room when it gets the first blob.
   */
  open(account: RelayAccount, room: string, onChange: () => void): SyncRoom;
  /**
   * Erases one room or the whole account on the relay; a missing one counts as erased. Throws
   * `sync-offline`, `sync-auth` and others.
   */
  erase(account: RelayAccount, room: string | null, signal: AbortSignal): Promise<void>;
}
