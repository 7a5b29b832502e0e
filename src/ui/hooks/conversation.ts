// Opens a conversation while the screen shows it, and releases it afterwards.
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { OpenConversation } from '../../services/documents/documents.ts';
import { useApp } from './app.tsx';

type ConversationState =
  | { readonly state: 'loading' }
  | {
      readonly state: 'open';
      readonly conversation: Conversation;
      readonly originOf: OpenConversation['originOf'];
    }
  | { readonly state: 'failed'; readonly problem: Problem; readonly again: () => Promise<void> };

const never = () => () => undefined;

/** Follows a conversation; null follows none. Opening another one gives `loading`, never the old one. */
export function useConversation(id: ConversationId | null): ConversationState {
  const { documents } = useApp();
  const [held, setHeld] = useState<{ id: ConversationId; open?: OpenConversation; problem?: Problem } | null>(
    null,
  );
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens it again
  useEffect(() => {
    if (id === null) return;
    let wanted = true;
    let opened: OpenConversation | undefined;
    documents.open(id).then(
      (open) => {
        opened = open;
        if (wanted) setHeld({ id, open });
        else open.close();
      },
      (error: unknown) => wanted && setHeld({ id, problem: toProblem(error) }),
    );
    return () => {
      wanted = false;
      opened?.close();
    };
  }, [documents, id, attempt]);
  const again = useCallback(async () => setAttempt((before) => before + 1), []);
  const open = held?.id === id ? held.open : undefined;
  const conversation = useSyncExternalStore(open?.subscribe ?? never, () => open?.get() ?? null);
  if (held !== null && held.id === id && held.problem)
    return { state: 'failed', problem: held.problem, again };
  return open && conversation && conversation.id === id
    ? { state: 'open', conversation, originOf: open.originOf }
    : { state: 'loading' };
}
