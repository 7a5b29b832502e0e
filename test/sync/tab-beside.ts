// The tab of a device beside its engine of sync, as the app wires it: it forgets for good,
// cleans up, and writes and reads backups.

import { EXPORTERS } from '../../src/adapters/exporters/index.ts';
import { fileFromBytes } from '../../src/adapters/importers/source-file.ts';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { type ConversationId, isConversation, isTemporary } from '../../src/domain/base/ids.ts';
import { type Readable, until } from '../../src/domain/base/readable.ts';
import { SerialQueue } from '../../src/domain/base/serial-queue.ts';
import type { Conversation } from '../../src/domain/chat/conversation.ts';
import type { Forgotten, Sought } from '../../src/domain/forget/sought.ts';
import type { Config } from '../../src/domain/settings/config.ts';
import { createActivities } from '../../src/services/library/activities.ts';
import { createImporting } from '../../src/services/library/importing.ts';
import { createRetention, type Retention } from '../../src/services/library/retention.ts';
import { ACCOUNT, accountSchema } from '../../src/services/sync/records.ts';
import { englishWords } from '../fixtures/words.ts';
import { openDevice } from '../services/forget/device.ts';
import type { TestDevice } from '../services/sync/device.ts';

export interface TabBeside {
  readonly retention: Retention;
  /** From seeking to the report; `onPlan` hears what is about to be forgotten. */
  forget(sought: Sought, onPlan: (record: Forgotten) => Promise<void>): Promise<void>;
  /** Ids of everything that was ever forgotten for good in this account. */
  forgotten(): Promise<readonly string[]>;
  /** Null: there is nothing to keep. */
  backup(): Promise<Uint8Array | null>;
  restore(backup: Uint8Array): Promise<void>;
  /** As a closed tab ends. */
  close(): void;
}

/** As a tab sees the log to which the thread of sync appends. */
const fromTab = ({ log, ...rest }: Store): Store => ({
  ...rest,
  log: { ...log, subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })) },
});

/** Key of what the clean-up remembers of its runs. */
const RUNS = 'test/retention';

interface Options {
  readonly config: Readable<Config>;
  readonly now: () => number;
  /** The clean-up is about to erase these from the trash. */
  readonly onErase: (gone: readonly Conversation[]) => void;
}

export function openTabBeside({ store, sync }: TestDevice, { config, now, onErase }: Options): TabBeside {
  const { keyValues } = store;
  const tab = openDevice({
    store: fromTab(store),
    sync,
    now,
    engine: false,
    device: async () => accountSchema.safeParse(await keyValues.get(ACCOUNT)).data?.device ?? null,
  });
  const { documents, notes, prompts, forget } = tab;
  const { signal } = tab.deps;
  const turns = new SerialQueue();
  const readAll = async (ids: readonly ConversationId[]) => {
    const found = await Promise.all(ids.map((id) => documents.read(id)));
    return found.filter((one) => one !== undefined);
  };
  const retention = createRetention({
    documents: {
      ...documents,
      erase: async (ids) => {
        onErase(await readAll(ids));
        await documents.erase(ids);
      },
    },
    notes,
    settings: {
      config,
      recallItem: async <T>() => (await keyValues.get(RUNS)) as T | undefined,
      keepItem: (_name, state) => keyValues.set(RUNS, state),
    },
    now,
    exclusive: (work) => turns.run(work),
    signal,
  });
  // Loaded with this file: what the library loads later takes real time, of which the seeded clock knows nothing.
  const importing = createImporting({
    documents,
    notes,
    prompts,
    activities: createActivities({ now }),
    entries: async () => {
      const { entries, projects } = await until(documents.library, ({ ready }) => ready, signal);
      return [...projects, ...entries];
    },
    now,
    estimate: async () => null,
    storageSpace: undefined,
    onImported: () => {},
    unfinished: undefined,
  });
  return {
    retention,
    forget: async (sought, onPlan) => {
      const plan = await forget.seek(sought, signal);
      await onPlan(plan.record);
      await forget.begin(plan);
      const ended = await until(forget.state, ({ step }) => step === 'done' || step === 'failed', signal);
      if (ended.step !== 'done') throw new Error(JSON.stringify(ended));
    },
    forgotten: async () => {
      await notes.known();
      return forget.records.get().map(({ id }) => id);
    },
    backup: async () => {
      const ids = (await store.log.documents()).filter(isConversation).filter((id) => !isTemporary(id));
      const all = await readAll(ids);
      if (all.length === 0) return null;
      const conversations = (async function* () {
        yield* all;
      })();
      const pieces: Uint8Array[] = [];
      const options = { count: all.length, now: now(), signal, words: englishWords };
      for await (const piece of EXPORTERS.json.write(conversations, options)) pieces.push(piece);
      return new Uint8Array(Buffer.concat(pieces));
    },
    restore: async (backup) => {
      const [report] = await importing.importFiles([fileFromBytes('backup.json', backup)], signal);
      if (report?.problem) throw new Error(JSON.stringify(report.problem));
    },
    close: () => void tab.close(),
  };
}
