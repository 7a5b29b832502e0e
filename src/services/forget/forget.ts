// Forgetting for good: the contract for the interface.
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Imprint } from '../../domain/forget/imprint.ts';
import type { Forgotten, Sought } from '../../domain/forget/sought.ts';
import type { ForgottenRecord } from '../documents/forgotten-records.ts';
import type { Eraser } from './eraser.ts';
import type { Find, PlaceId, Verified } from './place.ts';

/** The items to be forgotten, and the places that hold them. */
export interface ForgetPlan {
  readonly record: Forgotten;
  /** Imprints that identify quotations of forgotten messages. */
  readonly quotes: readonly Imprint[];
  readonly finds: readonly Find[];
}

export interface ForgetReport {
  readonly id: string;
  readonly kind: Forgotten['kind'];
  /** Times of the request and of its end, ms since 1970. */
  readonly at: number;
  readonly doneAt: number;
  /** Number of finds in each place, and what verifying the place gave. */
  readonly places: readonly ({ readonly place: PlaceId; readonly found: number } & Verified)[];
}

export type ForgetState =
  | { readonly step: 'idle' }
  /** Nothing is removed yet, and `undo` cancels it. `startsAt`: ms since 1970. */
  | { readonly step: 'waiting'; readonly plan: ForgetPlan; readonly startsAt: number }
  /** `done` of `total` places are cleaned. */
  | { readonly step: 'running'; readonly plan: ForgetPlan; readonly done: number; readonly total: number }
  | { readonly step: 'done'; readonly report: ForgetReport }
  /** An error stopped it; it continues by itself, also after a restart. */
  | { readonly step: 'failed'; readonly plan: ForgetPlan; readonly problem: Problem };

export interface Forget {
  readonly state: Readable<ForgetState>;
  /** Everything forgotten on any device, newest first, with the devices that confirmed it. */
  readonly records: Readable<readonly ForgottenRecord[]>;
  /** Finds what would be forgotten and changes nothing. Throws `forget-no-words` if there is nothing to search for. */
  seek(sought: Sought, signal: AbortSignal): Promise<ForgetPlan>;
  /**
   * Begins after the time for an undo, one at a time (throws `forget-busy`). Resolves when the request is stored, so
   * that the next start continues it. Throws `storage-full`, `storage-failed`: nothing will be removed.
   */
  begin(plan: ForgetPlan): Promise<void>;
  /** Returns true if nothing was removed yet; then nothing will be. */
  undo(): Promise<boolean>;
  /**
   * Report of a record that this device carried out for a person here; undefined if there is
   * none. It counts and holds no words.
   */
  reportOf(id: string): Promise<ForgetReport | undefined>;
  /** Shows an earlier report, unless something is being forgotten now. */
  reopen(report: ForgetReport): void;
  /** Closes the report that the person has read. */
  dismiss(): void;
  /**
   * Calls listeners that hold words in memory, before any place is cleaned, for each new record and at once for those
   * not yet carried out here. Returns a function that unsubscribes.
   */
  onForgetting(listener: (eraser: Eraser) => void): () => void;
}
