// Keeps temporary conversations out of the store: values under such a conversation's name stay in this
// tab's memory. Their documents never reach the log (`services/documents`).
import { isOfTemporary } from '../../domain/base/ids.ts';
import type { Store } from './conversation-log.ts';

/** Wraps a store: those keys are listed and announced nowhere. */
export function withoutTemporary(store: Store): Store {
  const passing = new Map<string, unknown>();
  const { keyValues, log } = store;
  const put = (key: string, value: unknown) => {
    if (value === undefined) passing.delete(key);
    else passing.set(key, structuredClone(value));
  };
  return {
    ...store,
    log: {
      ...log,
      append: async (entries, writes = []) => {
        const seq = await log.append(
          entries,
          writes.filter(({ key }) => !isOfTemporary(key)),
        );
        for (const { key, value } of writes) if (isOfTemporary(key)) put(key, value);
        return seq;
      },
    },
    keyValues: {
      ...keyValues,
      get: async (key) => (isOfTemporary(key) ? structuredClone(passing.get(key)) : keyValues.get(key)),
      set: async (key, value) => (isOfTemporary(key) ? put(key, value) : keyValues.set(key, value)),
    },
  };
}
