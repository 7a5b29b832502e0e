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
 * `connecting`: what the room holds is not known yet. `synced`: it is known, and followed. `offline`: the relay does not answer; it is
 * tried again by itself. `refused`: the relay refused for good; only `retry` asks again.
 */
export type RoomState = 'connecting' | 'synced' | 'offline' | 'refused';

export interface SyncRoom {
  readonly state: RoomState;
  /** Why it was refused. */
  readonly problem: Problem | null;
  /** By key (`blobKey`), in the room's order: what the relay gave and what was inserted here since. Empty unless synced. */
  blobs(): ReadonlyMap<string, Uint8Array>;
  /** Things in the room that are no bytes. */
  readonly junk: number;
  /**
   * Puts blobs at the end. Only while synced; one that is there already is not put twice. `instead`: keys of blobs that they take the place
   * of, in one step: a full room has space for the one without the other.
   */
  insert(blobs: readonly Uint8Array[], replacing?: readonly string[]): void;
  /** Takes out every blob with one of these keys. Only while synced. */
  remove(keys: readonly string[]): void;
  /** True once the relay gave this blob back: it has committed it. What was taken out here since is confirmed no more. */
  isConfirmed(key: string): boolean;
  /**
   * Connects now rather than at the end of the pause. `anew`: also where a connection is being made on which nothing has come for longer than
   * usual: it may have died.
   */
  retry(force?: boolean): void;
  close(): void;
}

export interface SyncBackend {
  /** Opens a room until `close`. `onChange` says only "look again". A room exists on the relay once something was put into it. */
  open(account: RelayAccount, room: string, onChange: () => void): SyncRoom;
  /** Erases one room, or the whole account, on the relay. Throws `sync-offline`, `sync-auth` …; what is not there counts as erased. */
  erase(account: RelayAccount, room: string | null, signal: AbortSignal): Promise<void>;
}
