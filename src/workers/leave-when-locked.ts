// The end of a page whose device is locked: what is drawn goes first, then what is in memory.
import type { KeyValues } from '../adapters/log/conversation-log.ts';
import { ignore, orElse } from '../domain/base/log.ts';
import { until } from '../domain/base/readable.ts';
import type { Documents } from '../services/documents/documents.ts';
import type { KeyHolder } from '../services/lock/key-holder.ts';

/** A page that is locked is left at the latest after this time, ms: what was said is in the log long before. */
const SETTLE_MS = 2_000;

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

/** Keeps what is being written, as when a page is left. The write at the end comes after all that were asked for before it. */
export async function settle(documents: Documents, keyValues: KeyValues): Promise<void> {
  window.dispatchEvent(new Event('pagehide'));
  await until(documents.saving, ({ state }) => state === 'saved', AbortSignal.timeout(SETTLE_MS));
  // A draft is handed to the store some promises later, within this turn.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await keyValues.set('settled', undefined);
}
