// Input, visible state and end of a turn.

import type { MessageId } from '../../domain/base/ids.ts';
import type { Writable } from '../../domain/base/readable.ts';
import type { Finish } from '../../domain/chat/message.ts';
import type { RecallResult } from '../memory/memory.ts';
import type { ModelChoice } from '../settings/settings.ts';
import type { Omission, TurnState } from './chat.ts';
import type { Recall } from './turn-recall.ts';

export interface TurnRequest {
  /** The question. */
  readonly asked: MessageId;
  /** Parent of the next message, if the answer has begun already. */
  readonly from?: MessageId;
  readonly without?: readonly MessageId[];
  readonly announced?: RecallResult;
  /** Memory of an earlier answer to the same message, used again as it is. */
  readonly recall?: Recall;
  /** The person asked for this answer: show the conversation at its question. */
  readonly explicit?: boolean;
  /** A failed answer without content that this one takes the place of. */
  readonly replaces?: MessageId;
  /** Left out because the endpoint refused it, as `refused` says. */
  readonly omit?: Omission;
  readonly refused?: { readonly message: string } | undefined;
  /** Model that answers, instead of the one in use. */
  readonly by?: ModelChoice;
  /** Answers to the very same request may be taken over from other branches. */
  readonly reuse?: boolean;
  /** The answer of the old branch that is to be patched, rather than written anew. */
  readonly patchOf?: MessageId;
  /** Questions of the old branch that are asked again afterwards, oldest first. */
  readonly after?: readonly MessageId[];
}

/** Parts of the conversation's session that a turn uses. */
export interface TurnSession {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it is "stop". */
  turn: AbortController | null;
}

/** How a turn ended: the last message it saved, and why there was no more. Null where nothing was saved. */
export interface TurnEnd {
  readonly last: MessageId;
  readonly finish: Finish;
}

/** Changes what the session shows of its turn. */
export function showTurn(session: Pick<TurnSession, 'state'>, change: Partial<TurnState>): void {
  session.state.update((state) => ({ ...state, ...change }));
}
