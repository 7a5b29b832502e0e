// Model of the conversation on the screen.
import { useCallback, useMemo } from 'react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { preferredModel } from '../../services/projects/preferred-model.ts';
import { type ModelInUse, modelInUse } from '../../services/settings/model-in-use.ts';
import { useApp, useReadable } from './app.tsx';
import { useSession } from './session.tsx';

/** Null: a conversation that has not begun. */
export function useModelInUse(conversation: Conversation | null): ModelInUse {
  const { settings, documents } = useApp();
  const connections = useReadable(settings.connections);
  const begins = useReadable(useSession().project);
  const id = conversation?.id ?? begins;
  const preferred = useReadable(
    documents.library,
    useCallback((library) => (id === null ? null : preferredModel(library, id)), [id]),
  );
  return useMemo(
    () => modelInUse(connections, conversation, preferred),
    [connections, conversation, preferred],
  );
}
