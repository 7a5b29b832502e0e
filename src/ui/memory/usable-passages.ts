// Finds passages of an older recall that are still usable: conversations may have been
// deleted and passages forbidden since.
import { useMemo } from 'react';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { createUnusableTest } from '../../domain/memory/notes.ts';
import { type PassageMessage, withoutMessages } from '../../domain/memory/passages.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

/** Reports whether a message was deleted or forbidden since. */
export function useUnusableTest(): (said: PassageMessage) => boolean {
  const { documents, notes } = useApp();
  const library = useReadable(documents.library);
  const noteState = useReadable(notes.state);
  return useMemo(() => {
    if (last?.library !== library || last.noteState !== noteState)
      last = { library, noteState, out: createUnusableTest(library, noteState) };
    return last.out;
  }, [library, noteState]);
}

/** Cached because many passages ask at once and the library is large. */
let last:
  | {
      readonly library: unknown;
      readonly noteState: unknown;
      readonly out: (said: PassageMessage) => boolean;
    }
  | undefined;

/** Leaves out what was deleted or forbidden since, also among neighbours. */
export function useUsablePassages(): (passages: readonly RecalledPassage[]) => RecalledPassage[] {
  const out = useUnusableTest();
  return useMemo(() => (passages) => withoutMessages(passages, out), [out]);
}
