// The parts of a turn that a conversation's screen draws: everything except the words,
// which change some thirty times a second.
import { useMemo } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Part } from '../../domain/chat/message.ts';
import type { TurnState } from '../../services/chat/chat.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

export interface TurnView extends Omit<TurnState, 'parts'> {
  /** Passages given to the answer being written. */
  readonly recall?: Part | undefined;
}

function viewOf({ parts, ...rest }: TurnState): TurnView {
  return { ...rest, recall: parts.find((part) => part.type === 'recall') };
}

/** A turn from another tab arrives as a new copy each time, so compares contents, not identity. */
const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ||
  (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other));

/** Returns the same object while only the answer's words change. */
function turnViewOf(turn: Readable<TurnState>): Readable<TurnView> {
  let seen: TurnState | undefined;
  let view: TurnView | undefined;
  return {
    get: () => {
      const now = turn.get();
      if (view && Object.is(now, seen)) return view;
      seen = now;
      const next = viewOf(now);
      const before = view;
      const keys = Object.keys(next) as (keyof TurnView)[];
      if (!before || keys.some((key) => !isSame(before[key], next[key]))) view = next;
      return view ?? next;
    },
    subscribe: turn.subscribe,
  };
}

/** Renders again when anything except the words changes. */
export function useTurnView(id: ConversationId): TurnView {
  const { chat } = useApp();
  return useReadable(useMemo(() => turnViewOf(chat.turn(id)), [chat, id]));
}

const NO_TURN: Readable<null> = { get: () => null, subscribe: () => () => undefined };

/** The whole turn, for the one component that draws its words; null without a conversation. */
export function useTurn(id: ConversationId | null): TurnState | null {
  const { chat } = useApp();
  return useReadable<TurnState | null>(useMemo(() => (id === null ? NO_TURN : chat.turn(id)), [chat, id]));
}
