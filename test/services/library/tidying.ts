// A tab that cleans up: real documents, notes and clean-up over a store, with a clock that a test moves.
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import { SerialQueue } from '../../../src/domain/base/serial-queue.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createRetention } from '../../../src/services/library/retention.ts';

/** `kept.state`: what is kept of its runs. */
export function tidyingTab(
  store: Store,
  now: () => number,
  cleanup: Partial<Config['storage']['cleanup']> = {},
) {
  const notes = createNotes({ store, now });
  const documents = createDocuments({ store, notes });
  const config = writable<Config>({
    ...defaultConfig,
    storage: {
      ...defaultConfig.storage,
      cleanup: { ...defaultConfig.storage.cleanup, enabled: true, ...cleanup },
    },
  });
  const kept: { state?: unknown } = {};
  const turns = new SerialQueue();
  const closed = new AbortController();
  const retention = createRetention({
    documents,
    notes,
    settings: {
      config,
      recallItem: async <T>() => structuredClone(kept.state) as T | undefined,
      keepItem: async (_key, state) => {
        kept.state = structuredClone(state);
      },
    },
    now,
    exclusive: (work) => turns.run(work),
    signal: closed.signal,
  });
  return {
    notes,
    documents,
    config,
    kept,
    retention,
    entry: async (id: ConversationId) =>
      (await until(documents.library, ({ ready }) => ready)).entries.find((one) => one.id === id),
    close: async () => {
      closed.abort();
      await documents.close();
    },
  };
}
