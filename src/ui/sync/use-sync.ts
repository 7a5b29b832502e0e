// Sync state for the screens.
import { useCallback, useEffect, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import type { JournalEntry, Sync, SyncAccount, SyncStatus, Whereabouts } from '../../services/sync/sync.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

/** Follows the status of sync. */
export const useSyncStatus = (): SyncStatus => useReadable(useApp().sync.status);

/** The account of this device, also while sync is off. */
export const useSyncAccount = (): SyncAccount | null => useReadable(useApp().sync.account);

/** True if this device belongs to an account and syncs. */
export const useHasAccount = (): boolean =>
  useReadable(useApp().sync.status, (status) => status.account !== null);

/** Asks again whenever the status changes, never twice at once. `ask` must keep its identity. */
function useAsked<T>(ask: (() => Promise<T>) | null): T | null {
  const { sync } = useApp();
  const [held, setHeld] = useState<{ by: unknown; answer: T } | null>(null);
  useEffect(() => {
    if (!ask) return;
    let gone = false;
    let busy = false;
    let again = false;
    const look = () => {
      again = true;
      if (busy) return;
      busy = true;
      again = false;
      ignore(
        ask()
          .then((answer) => !gone && setHeld({ by: ask, answer }))
          .finally(() => {
            busy = false;
            if (again && !gone) look();
          }),
        'what sync says of a document or its log; the next status asks again',
      );
    };
    look();
    const stop = sync.status.subscribe(look);
    return () => {
      gone = true;
      stop();
    };
  }, [sync, ask]);
  return held && held.by === ask ? held.answer : null;
}

/** Says where the conversation is saved; null until known, and without an account. */
export function useWhereabouts(id: ConversationId | null): Whereabouts | null {
  const { sync } = useApp();
  const wanted = useHasAccount() && id !== null;
  const ask = useCallback(() => sync.where(id as ConversationId), [sync, id]);
  return useAsked(wanted ? ask : null);
}

/** The sync log, newest first; null until read. */
export function useJournal(): readonly JournalEntry[] | null {
  const { sync } = useApp();
  const ask = useCallback(() => sync.journal(), [sync]);
  return useAsked(ask);
}

/** True if the relay gave this device, at its last joining, an older account than the other device's. */
export async function joinedOlder(sync: Pick<Sync, 'journal'>): Promise<boolean> {
  const lines = await sync.journal();
  // Logged together with the joining, so it stands right above it.
  return (
    lines[lines.findIndex(({ what, device }) => what === 'joined' && device === null) - 1]?.what ===
    'sync-older'
  );
}

/** Syncs the conversation on the screen at once. */
export function useOpenRooms(id: ConversationId | null): void {
  const { sync } = useApp();
  useEffect(() => {
    sync.setOpen(id === null ? [] : [id]);
    return () => sync.setOpen([]);
  }, [sync, id]);
}
