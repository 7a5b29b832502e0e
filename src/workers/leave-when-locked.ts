// Leaves the page when the device is locked: hides what is drawn at once, then reloads, which frees the page's memory.

import { closeSystemNotices } from '../adapters/browser/system-notices.ts';
import type { KeyValues } from '../adapters/log/conversation-log.ts';
import { ignore, orElse } from '../domain/base/log.ts';
import { until } from '../domain/base/readable.ts';
import { yieldToEvents } from '../domain/base/yielding.ts';
import type { Documents } from '../services/documents/documents.ts';
import type { KeyHolder } from '../services/lock/key-holder.ts';

/** Longest wait for unfinished writes of a locked page, ms. Messages are in the log long before. */
const SETTLE_MS = 2_000;

/**
 * Hides and reloads this page when any tab locks the device, or did during this tab's start, until the signal aborts;
 * closes the system's notices. `settle` saves unfinished writes first; if it rejects, the page reloads all the same.
 */
export function leaveWhenLocked(
  holder: Pick<KeyHolder, 'subscribe' | 'wasLocked'>,
  settle: () => Promise<void>,
  signal: AbortSignal,
): void {
  let isLeaving = false;
  const leave = async () => {
    if (isLeaving) return;
    isLeaving = true;
    document.documentElement.hidden = true;
    document.title = 'Recollect';
    ignore(closeSystemNotices(), 'notices of the system; on a locked device they show no title');
    await orElse(settle(), undefined, 'unfinished writes when the device was locked');
    location.reload();
  };
  const leaveSoon = () => ignore(leave(), 'leaving a page that is locked');
  signal.addEventListener(
    'abort',
    holder.subscribe((type) => type === 'lock' && leaveSoon()),
    { once: true },
  );
  // Another tab may have locked the device while this one was starting.
  if (holder.wasLocked) leaveSoon();
}

/**
 * Saves unfinished writes as when a page is left; they are durable when it resolves. Rejects with a
 * TimeoutError after `SETTLE_MS`, or as the store.
 */
export async function settle(documents: Documents, keyValues: KeyValues): Promise<void> {
  window.dispatchEvent(new Event('pagehide'));
  await until(documents.saving, ({ state }) => state === 'saved', AbortSignal.timeout(SETTLE_MS));
  // A draft reaches the store a few promises later, within this task. The write below then
  // comes after it, and so waits for it.
  await yieldToEvents();
  await keyValues.set('settled', undefined);
}
