// Spending of this device on models: every request made here, by a person or by the app.

import type { Readable } from '../../domain/base/readable.ts';
import type { Usage } from '../../domain/chat/message.ts';
import type { Price } from '../../domain/context/budget.ts';
import type { SpendingRow } from '../../domain/context/spending.ts';

export interface SpendingState {
  /** The first day that was read; null: none yet. */
  readonly since: string | null;
  readonly rows: readonly SpendingRow[];
}

/** One request, as it ended. */
export interface SpentRequest {
  readonly endpoint: string;
  readonly model: string;
  /** Absent or temporary: the request belongs to no stored conversation. */
  readonly conversation?: string | undefined;
  readonly usage: Usage;
  /** Null: unknown. */
  readonly price: Price | null;
}

export interface Spending {
  readonly state: Readable<SpendingState>;
  /**
   * Reads what was spent from that day on (`2026-11-01`); older days are read when they are
   * asked for. Throws `storage-failed`.
   */
  load(since: string): Promise<void>;
  /** Counts a request at once, and keeps it in the background. */
  record(request: SpentRequest): void;
  /** Takes away all that was counted; what it gives puts it back. */
  clear(): Promise<() => Promise<void>>;
}
