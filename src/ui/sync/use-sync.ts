// Sync state for the screens.
import { useCallback, useEffect } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { JournalEntry, Sync, SyncAccount, SyncLocation, SyncStatus } from '../../services/sync/sync.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useRead } from '../hooks/read.ts';

/** Follows the status of sync. */
export const useSyncStatus = (): SyncStatus => useReadable(useApp().sync.status);

/** The account of this device, also while sync is off. */
export const useSyncAccount = (): SyncAccount | null => useReadable(useApp().sync.account);

/** True if this device belongs to an account and syncs. */
export const useHasAccount = (): boolean =>
  useReadable(useApp().sync.status, (status) => status.account !== null);

/** Asks again whenever the status changes. `ask` must keep its identity. */
function useAsked<T>(ask: (() => Promise<T>) | null): ReturnType<typeof useRead<T>> {
  const { sync } = useApp();
  const asked = useRead(ask);
  const { again } = asked;
  useEffect(() => sync.status.subscribe(() => void again()), [sync, again]);
  return asked;
}

/** Says where the conversation is saved; null until known, and without an account. */
export function useWhereabouts(id: ConversationId | null): SyncLocation | null {
  const { sync } = useApp();
  const wanted = useHasAccount() && id !== null;
  const ask = useCallback(() => sync.where(id as ConversationId), [sync, id]);
  return useAsked(wanted ? ask : null).value ?? null;
}

/** The sync log, newest first. */
export function useJournal(): ReturnType<typeof useRead<readonly JournalEntry[]>> {
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
