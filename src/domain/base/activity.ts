// Long work that a person can watch, pause and cancel.
import type { Problem } from './errors.ts';

/** One piece of long work. `label` names a sentence in the catalogue (`activity.<label>`). */
export interface Activity {
  readonly id: string;
  readonly label: 'import' | 'export' | 'index' | 'embed' | 'model-download' | 'rebuild';
  readonly params?: Readonly<Record<string, string | number>>;
  readonly done: number;
  /** 0 while unknown. */
  readonly total: number;
  /** ms since 1970 */
  readonly startedAt: number;
  readonly state: 'running' | 'paused' | 'finished' | 'cancelled' | 'failed';
  readonly problem?: Problem;
  /** The person has read the outcome. */
  readonly seen?: true;
}
