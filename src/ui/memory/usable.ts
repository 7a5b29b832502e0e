// What of an older recall can still be used: a conversation may have been deleted since, a passage forbidden.
import { useMemo } from 'react';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { goneSince, neverOf } from '../../domain/memory/notes.ts';
import { withoutMessages } from '../../domain/memory/passages.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

/** Leaves out what was deleted or forbidden since, also beside others. */
export function useUsable(): (passages: readonly RecalledPassage[]) => RecalledPassage[] {
  const { documents, notes: told } = useApp();
  const library = useReadable(documents.library);
  const state = useReadable(told.state);
  return useMemo(() => {
    const gone = goneSince(library, state);
    const never = neverOf(state.feedback);
    return (passages) => withoutMessages(passages, (said) => never(said) || gone(said));
  }, [library, state]);
}
