// The end of a page whose device is locked: what is drawn goes first, then what is in memory.
import { ignore, orElse } from '../domain/base/log.ts';
import type { KeyHolder } from '../services/lock/key-holder.ts';

/** Lets every tab of a device that is locked let go of everything. `settle` keeps what is being written. Until the signal. */
export function leaveWhenLocked(holder: KeyHolder, settle: () => Promise<void>, signal: AbortSignal): void {
  let isLeaving = false;
  const leave = async () => {
    if (isLeaving) return;
    isLeaving = true;
    document.documentElement.hidden = true;
    document.title = 'Recollect';
    await orElse(settle(), undefined, 'what was still being kept when the device was locked');
    location.reload();
  };
  const leaveSoon = () => ignore(leave(), 'leaving a page that is locked');
  signal.addEventListener(
    'abort',
    holder.subscribe((type) => type === 'lock' && leaveSoon()),
    { once: true },
  );
  // Locked by another tab while this one was still starting.
  if (holder.wasLocked) leaveSoon();
}
