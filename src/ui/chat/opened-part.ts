// The code of an opened conversation: who begins a new one can type without it. Loaded ahead, and drawn at once where it is there; what
// React loads lazily it keeps back by a third of a second.
import { useEffect, useState } from 'react';
import { part } from '../../domain/base/part.ts';
import { writable } from '../../domain/base/readable.ts';
import { useReadable } from '../hooks/app.tsx';
import type { OpenedConversation } from './opened-conversation.tsx';

const opened = writable<typeof OpenedConversation | null>(null);

/** Loads it. Throws `part-missing`. */
export async function loadOpened(): Promise<void> {
  const { OpenedConversation } = await part(() => import('./opened-conversation.tsx'));
  opened.set(OpenedConversation);
}

/** Component of an opened conversation; null while it is loaded. If it cannot be, the boundary around it says so. */
export function useOpenedPart(): typeof OpenedConversation | null {
  const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
  const shown = useReadable(opened);
  useEffect(() => {
    if (opened.get() === null) loadOpened().catch((error: unknown) => setFailure({ error }));
  }, []);
  if (failure) throw failure.error;
  return shown;
}
