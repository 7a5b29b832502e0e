// Shows a rebuild of the index as long work: requested here, done elsewhere, followed by memory's status.

import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { log, orElse } from '../../domain/base/log.ts';
import { type Readable, until } from '../../domain/base/readable.ts';
import { withTimeLimit } from '../../domain/base/time-limit.ts';
import type { Activities } from '../library/activities.ts';
import { type Counters, updateCounters } from '../library/counters.ts';
import type { MemoryStatus } from './memory.ts';

/** An open index that has not begun to read within this time has nothing to read, ms. */
const BEGINS_WITHIN_MS = 10_000;

/** Throws the index's error. */
function refuseFailed({ state, problem }: Pick<MemoryStatus, 'state' | 'problem'>): void {
  if (state !== 'failed') return;
  const { code, message, ...more } = problem ?? {
    code: 'index-unavailable' as const,
    message: 'The index stopped',
  };
  throw new RecollectError(code, message, more);
}

/**
 * Makes the function that asks for a rebuild and shows it under `rebuild` until everything is found by words again.
 * That resolves once the rebuild is asked for, rejects if it cannot be. `messages`: how many there are to read.
 */
export function createRebuilding({
  activities,
  status,
  request,
  messages,
  signal,
}: {
  activities: Pick<Activities, 'run'>;
  status: Readable<Pick<MemoryStatus, 'state' | 'unread' | 'problem'>>;
  request: () => Promise<void>;
  messages: () => number;
  signal: AbortSignal;
}): () => Promise<void> {
  let shown = false;
  return async () => {
    await request();
    if (shown) return;
    shown = true;
    activities
      .run(
        { label: 'rebuild', total: messages() },
        async (progress) => {
          await until(status, ({ state }) => state !== 'starting', progress.signal);
          const begun = await orElse(
            withTimeLimit(progress.signal, BEGINS_WITHIN_MS, (bounded) =>
              until(status, ({ state, unread }) => unread > 0 && state !== 'failed', bounded),
            ),
            null,
            'the begin of a rebuild, which had nothing to read',
          );
          progress.signal.throwIfAborted();
          if (begun === null) return refuseFailed(status.get());
          let counters: Counters = { done: 0, left: 0 };
          const report = () => {
            const { unread } = status.get();
            if (unread === 0) return;
            const next = updateCounters(counters, unread);
            // Counted as they are read, since new messages are read as well.
            progress.setTotal(Math.max(messages(), next.done + next.left));
            progress.add(next.done - counters.done);
            counters = next;
          };
          report();
          const stop = status.subscribe(report);
          try {
            refuseFailed(
              await until(status, (now) => now.unread === 0 || now.state === 'failed', progress.signal),
            );
          } finally {
            stop();
          }
        },
        signal,
      )
      .catch((error: unknown) => {
        // The activity shows it.
        if (!isAbort(error)) log.warn('The rebuild of the index stopped', error);
      })
      .finally(() => {
        shown = false;
      });
  };
}
