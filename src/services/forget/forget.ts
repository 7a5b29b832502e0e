// Forgetting for good, as the interface sees it.
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Imprint } from '../../domain/forget/imprint.ts';
import type { Forgotten, Sought } from '../../domain/forget/sought.ts';
import type { ForgottenRecord } from '../documents/forgotten-records.ts';
import type { Eraser } from './eraser.ts';
import type { Find, PlaceId, Verified } from './place.ts';

/** The things that would be forgotten, and their places. */
export interface ForgetPlan {
  readonly record: Forgotten;
  /** By these, quotations of messages that go are found. */
  readonly quotes: readonly Imprint[];
  readonly finds: readonly Find[];
}

export interface ForgetReport {
  readonly id: string;
  readonly kind: Forgotten['kind'];
  /** When it was asked for and when it was done, ms since 1970. */
  readonly at: number;
  readonly doneAt: number;
  /** How much was found in each place, and what reading it back gave. */
  readonly places: readonly ({ readonly place: PlaceId; readonly found: number } & Verified)[];
}

export type ForgetState =
  | { readonly step: 'idle' }
  /** Nothing is removed yet; `undo` ends it. `startsAt`: ms since 1970. */
  | { readonly step: 'waiting'; readonly plan: ForgetPlan; readonly startsAt: number }
  /** `done` of `total` places are cleaned. */
  | { readonly step: 'running'; readonly plan: ForgetPlan; readonly done: number; readonly total: number }
  | { readonly step: 'done'; readonly report: ForgetReport }
  /** Something stopped it; it goes on by itself, and at the next start. */
  | { readonly step: 'failed'; readonly plan: ForgetPlan; readonly problem: Problem };

export interface Forget {
  readonly state: Readable<ForgetState>;
  /** Everything forgotten, here and on other devices, newest first, with the devices that confirmed it. */
  readonly records: Readable<readonly ForgottenRecord[]>;
  /** Finds what would be forgotten. Changes nothing. Throws `forget-no-words` where nothing can be sought by. */
  seek(sought: Sought, signal: AbortSignal): Promise<ForgetPlan>;
  /**
   * Begins after the time for an undo; one at a time: throws `forget-busy`. Resolves when it is written down that it was asked for: a page
   * that is closed before then does it at the next start. Throws `storage-full`, `storage-failed`: then nothing is going to be removed.
   */
  begin(plan: ForgetPlan): Promise<void>;
  /** True where nothing was removed yet, and nothing will be. */
  undo(): Promise<boolean>;
  /** The person has read how it ended. */
  dismiss(): void;
  /**
   * Tells whoever holds words in memory to take them out: of each record that comes, before any place is cleaned, and at once of those that this
   * device has not carried out. Returns how to stop.
   */
  onForgetting(listener: (eraser: Eraser) => void): () => void;
}
