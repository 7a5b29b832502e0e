// Progress of memory's reading as a person sees it: short pauses for their own typing do not count as pauses.
import { useEffect, useMemo, useState } from 'react';
import type { MemoryStatus } from '../../services/memory/memory.ts';
import { useApp, useReadable } from './app.tsx';
import { useSession } from './session.tsx';

/** A pause that was not requested in this tab is shown after this time, ms: another tab may have requested it. */
const NOTIFY_AFTER_MS = 5000;

interface ReadingProgress {
  readonly status: MemoryStatus;
  setPaused(paused: boolean): void;
}

/**
 * Follows memory's work and lets the person pause it. A pause from another tab is
 * shown after 5 s, since it may be short.
 */
export function useReading(): ReadingProgress {
  const { memory } = useApp();
  const { pausedHere } = useSession();
  const asked = useReadable(pausedHere);
  const status = useReadable(memory.status);
  const paused = status.state === 'paused';
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!paused) return setLasts(false);
    const timer = setTimeout(() => setLasts(true), NOTIFY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [paused]);
  return useMemo(
    () => ({
      status: paused && !asked && !lasts ? { ...status, state: 'indexing' } : status,
      setPaused: (wanted) => {
        pausedHere.set(wanted);
        memory.setPaused(wanted);
      },
    }),
    [status, paused, asked, lasts, pausedHere, memory],
  );
}
