// State of the log's second copy, read from the key-value store, since a worker of any tab may write the copy.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { LOG_REPAIRED } from '../../adapters/log/recovering.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';

/** Key of the key-value store: `CopyState`. */
export const COPY_STATE = 'log/copy';

const copyState = z.object({
  /** `unavailable`: this browser or window offers no files. */
  state: z.enum(['kept', 'full', 'failed', 'unavailable']),
  /** Time of the change, ms since 1970. */
  at: z.number(),
});
export type CopyState = z.infer<typeof copyState>;

const repaired = z.object({ restored: z.number(), missing: z.number() });

interface StorageNews {
  /** State of the copy; null until a worker has checked it. */
  readonly copy: Readable<CopyState | null>;
  /** Marks the problem with this code as read. */
  dismiss(code: Problem['code'] | undefined): void;
}

/**
 * Shows what was restored from the copy, what is missing, or that there is no room for a copy, unless another problem
 * is shown.
 */
export function createStorageNews({
  keyValues,
  alert,
}: {
  readonly keyValues: Pick<KeyValues, 'get' | 'set' | 'subscribe'>;
  readonly alert: Writable<Problem | null>;
}): StorageNews {
  const copy = writable<CopyState | null>(null);
  const read = async () => {
    copy.set(copyState.safeParse(await keyValues.get(COPY_STATE)).data ?? null);
    const news = repaired.safeParse(await keyValues.get(LOG_REPAIRED)).data;
    if (alert.get() !== null) return;
    if (news) alert.set(repairedProblem(news));
    else if (copy.get()?.state === 'full')
      alert.set(new RecollectError('copy-full', 'There is no room for the second copy of the log').problem);
  };
  const failed = (error: unknown) => log.warn('News of the storage could not be read', error);
  read().catch(failed);
  keyValues.subscribe(({ keys }) => {
    if (keys.includes(LOG_REPAIRED) || keys.includes(COPY_STATE)) read().catch(failed);
  });
  return {
    copy,
    dismiss: (code) => {
      if (code === 'storage-healed' || code === 'storage-truncated')
        keyValues.set(LOG_REPAIRED, undefined).catch(failed);
    },
  };
}

function repairedProblem({ restored, missing }: z.infer<typeof repaired>): Problem {
  const params = { restored, missing };
  return missing > 0
    ? new RecollectError('storage-truncated', `${missing} entries of the log are missing`, { params }).problem
    : new RecollectError('storage-healed', `${restored} entries came back from the second copy`, { params })
        .problem;
}
