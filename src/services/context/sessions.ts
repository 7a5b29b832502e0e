// Keeps the state of each conversation in this tab for the interface; runs its attempts one after another and notifies
// subscribers.

import type { ConversationId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { type CompactionEvent, type ContextState, IDLE_CONTEXT } from './context.ts';
import type { Bill, CompactionAttempt, Planned } from './planning.ts';

/** Most events kept for a conversation. */
const MAX_EVENTS = 50;

export interface ContextSession {
  readonly state: Writable<ContextState>;
  /** Serial queue of this conversation's attempts. */
  readonly attempts: SerialQueue;
  /** Aborts the running attempt. */
  control: AbortController | null;
  /** Tokens at which the last attempt did not help; 0: it did. */
  futile: number;
  /**
   * The pending plan, how it was made, and the latest request for it: the same, unless it is
   * being remade. All its calls are billed.
   */
  pendingPlan: {
    readonly attempt: CompactionAttempt;
    readonly planned: Planned;
    readonly asked: CompactionAttempt;
    readonly bill: Bill;
    /** Count of billed calls that the preview's end has reported. */
    readonly reportedCalls: number;
  } | null;
  /** Continues a turn that waits for the person. */
  decided: ((applied: boolean) => void) | null;
}

export interface Sessions {
  of(id: ConversationId): ContextSession;
  set(session: ContextSession, change: Partial<ContextState>): void;
  /** Stores the event with the conversation and calls every listener. */
  emit(session: ContextSession, event: CompactionEvent): void;
  onEvent(listener: (event: CompactionEvent) => void): () => void;
  /**
   * Runs `work` after all earlier work on the conversation. Aborting `signal` while it waits rejects at once, and the
   * work never begins; work that has begun is awaited.
   */
  enqueue<T>(session: ContextSession, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Removes the pending plan and continues the turn behind it. */
  settle(session: ContextSession, applied: boolean): void;
  /** Settles pending plans and resolves when nothing runs any more. */
  end(): Promise<void>;
}

/** Makes the store of context states: one for each conversation, made at its first use, with the newest 50 events. */
export function createSessions(): Sessions {
  const sessions = new Map<ConversationId, ContextSession>();
  const listeners = new Set<(event: CompactionEvent) => void>();

  const set: Sessions['set'] = (session, change) =>
    session.state.update((state) => ({ ...state, ...change }));
  const settle: Sessions['settle'] = (session, applied) => {
    session.pendingPlan = null;
    set(session, { pending: null });
    const { decided } = session;
    session.decided = null;
    decided?.(applied);
  };

  return {
    set,
    settle,
    of: (id) => {
      const known = sessions.get(id);
      if (known) return known;
      const session: ContextSession = {
        state: writable(IDLE_CONTEXT),
        attempts: new SerialQueue(),
        control: null,
        futile: 0,
        pendingPlan: null,
        decided: null,
      };
      sessions.set(id, session);
      return session;
    },
    emit: (session, event) => {
      set(session, { events: [...session.state.get().events, event].slice(-MAX_EVENTS) });
      for (const listener of [...listeners]) listener(event);
    },
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    enqueue: (session, work, signal) => session.attempts.run(work, signal),
    end: async () => {
      for (const session of sessions.values()) if (session.state.get().pending) settle(session, false);
      await Promise.all([...sessions.values()].map(({ attempts }) => attempts.idle()));
    },
  };
}
