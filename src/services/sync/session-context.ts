// Shared state of a session's parts: one account on one relay, this device's records of it, and the time.
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import type { RelayAccount, SyncBackend } from '../../adapters/sync/sync-backend.ts';
import type { AccountState } from './account-state.ts';
import type { DocumentContents } from './content.ts';
import type { RoomKeys, SealInto } from './envelope.ts';
import type { JoinedAccount, Records } from './records.ts';

export interface SessionContext {
  readonly account: JoinedAccount;
  readonly log: ConversationLog;
  readonly backend: SyncBackend;
  readonly relay: RelayAccount;
  readonly records: Records;
  readonly accountState: AccountState;
  readonly contents: DocumentContents;
  readonly keysOf: RoomKeys;
  readonly sealInto: SealInto;
  /** Wall clock, ms since 1970. May be wrong. */
  readonly now: () => number;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** Ends with the session. */
  readonly signal: AbortSignal;
  /** Asks for a round. */
  readonly wake: () => void;
  /** Asks for a round within so many ms. */
  readonly wakeWithin: (ms: number) => void;
}
