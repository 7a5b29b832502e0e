// Contract of sync, as the interface sees it. Content travels sealed to a relay and is opened only on the person's
// other devices. Statuses never claim more than is known: `relay` means that the relay gave it back, a device's name
// under `devices` that this device itself announced to hold it.
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { PairingOffer } from '../../domain/sync/pairing.ts';

export type SyncMode = Config['sync']['mode'];

/** State of sync; it never claims more than is known. */
export type SyncState =
  /** Nothing leaves this browser. */
  | 'disabled'
  /** Nothing leaves this browser: its tabs share one log and need no relay. */
  | 'local'
  /** Sync is wanted, but this device has no account yet. */
  | 'unpaired'
  | 'connecting'
  /** Not connected; changes made here wait. */
  | 'offline'
  | 'syncing'
  /**
   * The relay has all changes of this device, findable by others; this device has
   * all it knows of, and compares nothing.
   */
  | 'synced'
  /** Sync does not continue by itself; `problem` says why. */
  | 'stopped';

export interface SyncDevice {
  /** Random, made when the device was paired. */
  readonly id: string;
  readonly name: string;
  /** True for this device. */
  readonly here: boolean;
  readonly pairedAt: number;
  /** Time of its last sign of life, by its own clock, ms since 1970. */
  readonly seenAt: number;
  /** Count of its announced changes that the relay does not give out (yet). */
  readonly missing: number;
}

export interface SyncAccount {
  /** The same on all its devices: four groups of four. */
  readonly fingerprint: string;
  /** Address of the relay. */
  readonly endpoint: string;
  /** An operator gave the token that the relay is shown: the key alone does not open it. */
  readonly managed: boolean;
  readonly since: number;
}

export interface SyncStatus {
  readonly mode: SyncMode;
  readonly state: SyncState;
  /** The account that is kept in step; null: none, or sync is off. */
  readonly account: SyncAccount | null;
  /** Count of changes that are saved here but not on the relay yet. */
  readonly waiting: number;
  /** Count of conversations with changes by others that are being fetched. */
  readonly fetching: number;
  /** Time at which relay and device were last known to be equal, ms since 1970; null: never. */
  readonly syncedAt: number | null;
  /** Count of entries on the relay that cannot be opened: kept there, harmless. */
  readonly unreadable: number;
  /**
   * Count of local-only conversations (excluded folders, samples, content that lost against a deletion). Leading
   * threads of earlier versions send it under this name.
   */
  readonly localOnly: number;
  readonly devices: readonly SyncDevice[];
  readonly problem: Problem | null;
}

/** Status while nothing syncs. */
export const SYNC_OFF: SyncStatus = {
  mode: 'disabled',
  state: 'disabled',
  account: null,
  waiting: 0,
  fetching: 0,
  syncedAt: null,
  unreadable: 0,
  localOnly: 0,
  devices: [],
  problem: null,
};

/** Place of one conversation right now. */
export interface SyncLocation {
  /**
   * `here`: the latest change is saved on this device only. `relay`: the relay has all of
   * it. `localOnly`: stays on this device.
   */
  readonly place: 'here' | 'relay' | 'localOnly';
  /** Names of the other devices that said they hold all of this device's changes. */
  readonly devices: readonly string[];
}

/**
 * Reason for which parts of the account are missing here: they are being fetched (`fetching`, also while the list is
 * read), the relay lacks them (`lacking`), or cannot be reached, so that nothing is known (`unreachable`).
 */
export type WhyUnfetched = 'fetching' | 'lacking' | 'unreachable';

/** One line of the sync log. The newest 300 are kept. */
export interface JournalEntry {
  readonly at: number;
  /** `conflict`: two devices changed something at once; `note`: a step worth knowing. */
  readonly kind: 'upload' | 'download' | 'conflict' | 'error' | 'note';
  /**
   * Detail of the kind.
   * - `upload`, `download`: `changes`
   * - `conflict`: `branches`, both kept side by side; `wordings` of a memory note, likewise; `deleted` elsewhere, so
   *   that words written here lie in the trash
   * - `note`: `created`, `joined`, `revoked`, `left`, `unlisted` (taken off the list of devices), `listed` (there again
   *   after that), `folded`, `rebuilt`, `healed`, `moved`, `forgotten`, `erased`
   * - `error`: a code of `PROBLEM_CODES`, or `unreadable`
   */
  readonly what: string;
  readonly document: string | null;
  /** Name of the device concerned; null: this one, or unknown. */
  readonly device: string | null;
  readonly count: number;
  readonly bytes: number;
}

/** Everything that another device needs in order to join. All of it is secret: it opens the whole account. */
export interface Pairing {
  /** Opens the app with the key in the fragment, which browsers do not send. `base` is the address of the app. */
  readonly link: string;
  /**
   * 24 words with a checksum. They carry only the key: the relay's address, and an
   * operator's token, are entered separately.
   */
  readonly phrase: string;
  /** For people to compare on both devices. */
  readonly fingerprint: string;
  /** The link as a QR code: rows of modules, true is dark, a quiet zone of 2 included. */
  readonly qr: readonly (readonly boolean[])[];
}

export interface Sync {
  readonly status: Readable<SyncStatus>;
  /** The account this device belongs to, also while sync is switched off or cannot run. Null: none, or not read yet. */
  readonly account: Readable<SyncAccount | null>;
  /** Ask again after each change of `status`. */
  where(conversation: ConversationId): Promise<SyncLocation>;
  /**
   * Makes an account with a new key, this device its first, and switches sync on. Durable when resolved; the relay may
   * be reached later. `token`: an operator's account. Throws `sync-endpoint`, `vault-unavailable`, `storage-…`.
   */
  create(account: {
    readonly endpoint: string;
    readonly deviceName: string;
    readonly mode?: 'remote' | 'managed';
    readonly token?: string;
  }): Promise<void>;
  /**
   * Probes a relay as `create` would use it, and leaves nothing there. `token`: of an operator's account. Throws
   * `sync-endpoint`, `sync-offline`, `sync-auth`, `sync-refused` …
   */
  test(endpoint: string, token?: string): Promise<void>;
  /** Everything another device needs. Throws `sync-unpaired`. */
  pairing(base: string): Promise<Pairing>;
  /**
   * Reads a link, its fragment or 24 words; writes nothing, contacts no host. Throws `sync-link`, `sync-phrase` (a word
   * or the checksum is wrong: `params.words` names unknown words).
   */
  readOffer(text: string): PairingOffer;
  /** Text of the QR code in a picture, or null. */
  readQr(picture: ImageData): Promise<string | null>;
  /**
   * Joins the account of another device; everything here is kept and goes to the others. The relay is asked first.
   * @param device `endpoint` is needed with a phrase, `token` with the phrase of an operator's account
   * @throws `sync-no-account`, with nothing written, if the relay has nothing that this key opens; `sync-offline`,
   * `sync-endpoint`, `sync-auth` …
   */
  join(
    offer: PairingOffer,
    device: { readonly deviceName: string; readonly endpoint?: string; readonly token?: string },
  ): Promise<void>;
  renameDevice(name: string): Promise<void>;
  /**
   * Locks all other devices out: new key, new rooms, everything is uploaded again, then the relay erases the old
   * account. Devices that stay must be paired once more. Durable when resolved, and carried on after any interruption.
   * @param options.anyway the `why` that the person was shown: continues anyway. Unread documents, and all of the old
   * account, then stay on the relay under the old key; if the relay lacks them (`lacking`), it is erased
   * @throws `sync-unfetched` if documents are missing here and `anyway` does not say
   *   so (`params.why`: a `WhyUnfetched`,
   * `params.count`: conversations, 0 if unknown)
   */
  revoke(device: string, options?: { readonly anyway?: WhyUnfetched }): Promise<void>;
  /**
   * Takes a device off the list that left the account without announcing it, or is gone. It is not locked out: with the
   * key it is listed again as soon as it syncs.
   */
  takeOff(device: string): Promise<void>;
  /**
   * Erases conversations here, on the relay and on all devices for good. Later words of another device go to its trash.
   */
  forget(conversations: readonly ConversationId[]): Promise<void>;
  /**
   * Checks at once. `force`: compares every room with this device, and restores what the relay lost.
   * Resolves when requested, not when done.
   */
  syncNow(options?: { readonly force?: boolean }): Promise<void>;
  /**
   * Leaves the account: this device's key is erased, its conversations stay. While connected it tells the other
   * devices, which unlist it. `erase`: the account on the relay is erased as well.
   */
  leave(options?: { readonly erase?: boolean }): Promise<void>;
  /** Newest first. */
  journal(): Promise<readonly JournalEntry[]>;
  /** Conversations on the screen: their rooms stay open, so that changes arrive at once. */
  setOpen(conversations: readonly ConversationId[]): void;
  close(): void;
}
