// State of the second copy of the log, read from the key-value store: the worker that writes the copy is another thread, of
// any tab.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { LOG_HEALED } from '../../adapters/log/recovering.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';

/** Key of the key-value store: `CopyState`. */
export const COPY_STATE = 'log/copy';

const copyState = z.object({
  /** `unavailable`: this browser, or this window of it, gives no files. */
  state: z.enum(['kept', 'full', 'failed', 'unavailable']),
  /** Since when, ms since 1970. */
  at: z.number(),
});
export type CopyState = z.infer<typeof copyState>;

const healed = z.object({ restored: z.number(), missing: z.number() });

interface StorageNews {
  /** State of the copy; null before a worker looked. */
  readonly copy: Readable<CopyState | null>;
  /** The person has read the problem with this code. */
  dismiss(code: Problem['code'] | undefined): void;
}

/** Shows what came back from the copy, what is missing, and that there is no room for one, unless something else is being told. */
export function createStorageNews({
  keyValues,
  alert,
}: {
  readonly keyValues: Pick<KeyValues, 'get' | 'set' | 'subscribe'>;
  readonly alert: Writable<Problem | null>;
}): StorageNews {
  const copy = writable<CopyState | null>(null);
  const look = async () => {
    copy.set(copyState.safeParse(await keyValues.get(COPY_STATE)).data ?? null);
    const news = healed.safeParse(await keyValues.get(LOG_HEALED)).data;
    if (alert.get() !== null) return;
    if (news) alert.set(healedProblem(news));
    else if (copy.get()?.state === 'full')
      alert.set(new RecollectError('copy-full', 'There is no room for the second copy of the log').problem);
  };
  const failed = (error: unknown) => log.warn('News of the storage could not be read', error);
  look().catch(failed);
  keyValues.subscribe(({ keys }) => {
    if (keys.includes(LOG_HEALED) || keys.includes(COPY_STATE)) look().catch(failed);
  });
  return {
    copy,
    dismiss: (code) => {
      if (code === 'storage-healed' || code === 'storage-truncated')
        keyValues.set(LOG_HEALED, undefined).catch(failed);
    },
  };
}

function healedProblem({ restored, missing }: z.infer<typeof healed>): Problem {
  const params = { restored, missing };
  return missing > 0
    ? new RecollectError('storage-truncated', `${missing} entries of the log are missing`, { params }).problem
    : new RecollectError('storage-healed', `${restored} entries came back from the second copy`, { params })
        .problem;
}
