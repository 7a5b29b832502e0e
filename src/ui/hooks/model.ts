// Who answers in the conversation on the screen.
import { useMemo } from 'react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type ModelInUse, modelInUse } from '../../services/settings/model-in-use.ts';
import { useApp, useReadable } from './app.tsx';

/** Null: a conversation that has not begun. */
export function useModelInUse(conversation: Conversation | null): ModelInUse {
  const connections = useReadable(useApp().settings.connections);
  return useMemo(() => modelInUse(connections, conversation), [connections, conversation]);
}
