// Leaves the page when the device is locked: removes the drawn page first, then its memory by reloading.

import type { KeyValues } from '../adapters/log/conversation-log.ts';
import { ignore, orElse } from '../domain/base/log.ts';
import { until } from '../domain/base/readable.ts';
import { yieldToEvents } from '../domain/base/yielding.ts';
import type { Documents } from '../services/documents/documents.ts';
import type { KeyHolder } from '../services/lock/key-holder.ts';

/** Longest time before a locked page is left, ms: messages are in the log long before. */
const SETTLE_MS = 2_000;

/**
 * Makes every tab of a locked device drop everything; `settle` saves unfinished writes first. Runs until the signal
 * aborts.
 */
export function leaveWhenLocked(holder: KeyHolder, settle: () => Promise<void>, signal: AbortSignal): void {
  let isLeaving = false;
  const leave = async () => {
    if (isLeaving) return;
    isLeaving = true;
    document.documentElement.hidden = true;
    document.title = 'Recollect';
    await orElse(settle(), undefined, 'unfinished writes when the device was locked');
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

/** Saves unfinished writes, as when a page is left. The write at the end comes after all earlier ones. */
export async function settle(documents: Documents, keyValues: KeyValues): Promise<void> {
  window.dispatchEvent(new Event('pagehide'));
  await until(documents.saving, ({ state }) => state === 'saved', AbortSignal.timeout(SETTLE_MS));
  // A draft reaches the store a few promises later, within this task.
  await yieldToEvents();
  await keyValues.set('settled', undefined);
}
