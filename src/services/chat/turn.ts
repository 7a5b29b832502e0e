// Input, visible state and end of a turn.

import type { MessageId } from '../../domain/base/ids.ts';
import type { Writable } from '../../domain/base/readable.ts';
import type { Finish } from '../../domain/chat/message.ts';
import type { Recall } from '../../domain/context/recalled.ts';
import type { RecallResult } from '../memory/memory.ts';
import type { ModelChoice } from '../settings/settings.ts';
import type { Omission, TurnState } from './chat.ts';

export interface TurnRequest {
  /** The question. */
  readonly asked: MessageId;
  /** Parent of the next message, if the answer has begun already. */
  readonly from?: MessageId;
  readonly without?: readonly MessageId[];
  readonly announced?: RecallResult;
  /** Memory of an earlier answer to the same message, used again unchanged. */
  readonly recall?: Recall;
  /** The person asked for this answer: show the conversation at its question. */
  readonly explicit?: boolean;
  /** A failed answer without content, which this one replaces. */
  readonly replaces?: MessageId;
  /** Left out because the endpoint refused it, as `refused` says. */
  readonly omit?: Omission;
  readonly refused?: { readonly message: string } | undefined;
  /** Model that answers, instead of the one in use. */
  readonly by?: ModelChoice;
  /** Answers to an identical request may be reused from other branches. */
  readonly reuse?: boolean;
  /** Answer of the old branch to patch instead of writing a new one. */
  readonly patchOf?: MessageId;
  /** Questions of the old branch to ask again afterwards, oldest first. */
  readonly after?: readonly MessageId[];
}

/** Parts of the conversation's session that a turn uses. */
export interface TurnSession {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it stops the turn. */
  turn: AbortController | null;
}

/** End of a turn: the last message it saved, and the reason for which it ended. Null if nothing was saved. */
export interface TurnEnd {
  readonly last: MessageId;
  readonly finish: Finish;
}

/** Changes what the session shows of its turn. */
export function showTurn(session: Pick<TurnSession, 'state'>, change: Partial<TurnState>): void {
  session.state.update((state) => ({ ...state, ...change }));
}
