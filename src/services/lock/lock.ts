// Contract of this device's lock, as the interface sees it.
import type { NewSlot, Opener } from '../../adapters/vault/key-slots.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';

export interface LockState {
  /**
   * `sealing` and `opening`: the log is copied in the background; `ready`: only a restart is left. A device that is
   * `sealing` asks for its passphrase at every start already.
   */
  readonly phase: 'off' | 'sealing' | 'sealed' | 'opening';
  readonly ready: boolean;
  /** Entries of the log that were copied; null before it is known. */
  readonly progress: { readonly done: number; readonly all: number } | null;
  /** Key slots that unlock this device. */
  readonly slots: readonly { readonly id: string; readonly kind: NewSlot['kind']; readonly at: number }[];
  /** Problem because of which the copying waits. */
  readonly problem: Problem | null;
}

export interface DeviceLock {
  readonly state: Readable<LockState>;
  /** False if the browser stores nothing, or lacks cryptography or locks. */
  readonly isAvailable: boolean;
  /** Makes a new recovery phrase: 24 words. */
  newPhrase(): string;
  /** Begins sealing. Passphrase and phrase both unlock the device from now on. */
  turnOn(passphrase: string, words: string): Promise<void>;
  /** Begins unsealing for good; a sealing under way ends. Throws `lock-wait`, `lock-wrong`. */
  turnOff(opener: Opener): Promise<void>;
  /** Both throw `lock-wait`, `lock-wrong`; the previous phrase no longer unlocks. */
  changePassphrase(opener: Opener, passphrase: string): Promise<void>;
  changePhrase(opener: Opener, words: string): Promise<void>;
  /** Makes a passkey that unlocks. Throws as the above, and `lock-passkey`. */
  addPasskey(opener: Opener): Promise<void>;
  /** Throws `lock-last`. */
  remove(id: string): Promise<void>;
  /**
   * Passes words that another app shared, also while the device was locked, to `deliver`;
   * they wait until it resolves with true.
   */
  takeShared(deliver: (words: string) => Promise<boolean>): Promise<void>;
  /** Locks all tabs: each reloads and asks. Also applies a change that is `ready`. */
  lockNow(): void;
}
