// State of each conversation in this tab as the interface sees it; runs its attempts one after another and notifies
// subscribers.

import type { ConversationId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { type CompactionEvent, type ContextState, IDLE_CONTEXT } from './context.ts';
import type { Bill, CompactionAttempt, Planned } from './planning.ts';

/** Events of one conversation that the interface keeps. */
const MAX_EVENTS = 50;

export interface Session {
  readonly state: Writable<ContextState>;
  /** Attempts of this conversation one after another. */
  readonly attempts: SerialQueue;
  /** Ends what runs. */
  control: AbortController | null;
  /** Tokens at which the last attempt did not help; 0: it did. */
  futile: number;
  /** The waiting plan, how it was made, and what was asked for last: the same, unless it is being made again. All its calls are billed. */
  pendingPlan: {
    readonly attempt: CompactionAttempt;
    readonly planned: Planned;
    readonly asked: CompactionAttempt;
    readonly bill: Bill;
    /** Calls of the bill that the preview's end told. */
    readonly reportedCalls: number;
  } | null;
  /** A turn that waits for the person. */
  decided: ((applied: boolean) => void) | null;
}

export interface Sessions {
  of(id: ConversationId): Session;
  set(session: Session, change: Partial<ContextState>): void;
  /** Keeps the event with the conversation and tells every listener. */
  emit(session: Session, event: CompactionEvent): void;
  onEvent(listener: (event: CompactionEvent) => void): () => void;
  /**
   * Runs `work` after all earlier work on the conversation. Aborting `signal` while it waits rejects at once, and the work does not begin;
   * work that has begun is waited for.
   */
  enqueue<T>(session: Session, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Takes the waiting plan away and lets the turn behind it go on. */
  settle(session: Session, applied: boolean): void;
  /** Settles what waits and resolves when nothing runs any more. */
  end(): Promise<void>;
}

/** Makes the store of context states: one for each conversation, made at its first use, with the newest 50 events. */
export function createSessions(): Sessions {
  const sessions = new Map<ConversationId, Session>();
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
      const session: Session = {
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
