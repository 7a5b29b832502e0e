// The library as a whole: importing, exporting, trash and samples. `Documents` is the only one that writes.

import { IMPORTERS } from '../../adapters/importers/index.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { until, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import type { ConversationChange } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { type Activities, createActivities } from './activities.ts';
import { createExporting, type ExportingDeps } from './exporting.ts';
import { asChanges, conversationIdOf, planImport, sourceKey } from './import-plan.ts';
import { createImporting, type ImportingDeps, WHOLE_UP_TO_BYTES } from './importing.ts';
import type { Library } from './library.ts';
import { sampleConversations } from './samples.ts';

export interface LibraryDeps
  extends Pick<ImportingDeps & ExportingDeps, 'documents' | 'words'>,
    Partial<
      Pick<
        ImportingDeps,
        'now' | 'estimate' | 'room' | 'onImported' | 'unfinished' | 'importers' | 'wholeUpToBytes'
      >
    > {
  /** What the person told memory: part of a whole export, and of an import of it. */
  readonly notes?: Pick<Notes, 'state' | 'known' | 'bring'>;
  /** Where the time of the last whole export is kept, ms since 1970. */
  readonly backups?: { recall(): Promise<number | undefined>; keep(at: number): Promise<void> };
  /** Long work of other services, shown in the same list. */
  readonly others?: NonNullable<Parameters<typeof createActivities>[0]['others']>;
  /** Runs one work at a time in all tabs: what one of them takes back must not be what another has just been told is here already. */
  readonly exclusive?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Builds the library over the documents. */
export function createLibrary({
  documents,
  notes,
  words,
  now = Date.now,
  estimate = async () => null,
  room,
  backups,
  onImported = () => {},
  others,
  exclusive = (work) => work(),
  unfinished,
  importers = IMPORTERS,
  wholeUpToBytes = WHOLE_UP_TO_BYTES,
}: LibraryDeps): Library {
  const activities: Activities = createActivities({ now, ...(others ? { others } : {}) });

  const entries = async () => (await until(documents.library, (library) => library.ready)).entries;

  const lastBackup = writable<number | null | undefined>(backups ? undefined : null);
  // Not being able to say when is no reason to trouble anybody: the next backup is noted again.
  backups?.recall().then(
    (at) => lastBackup.set(at ?? null),
    () => lastBackup.set(null),
  );

  const importing = createImporting({
    documents,
    notes,
    activities,
    entries,
    now,
    estimate,
    room,
    onImported,
    unfinished,
    importers,
    wholeUpToBytes,
  });
  const exportConversations = createExporting({
    documents,
    notes,
    activities,
    entries,
    words,
    now,
    onBackup: async (at) => {
      lastBackup.set(at);
      if (backups) await orElse(backups.keep(at), undefined, 'keeping the time of the last backup');
    },
  });

  /** Imports run one after the other: each sees what the one before brought. */
  const imports = new SerialQueue();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => imports.run(() => exclusive(work));

  if (unfinished)
    inTurn(importing.reportInterrupted).catch((error: unknown) => console.warn(toProblem(error).message));

  // -------------------------------------------------------------------------------------------- changes
  const changeAll = async (ids: readonly ConversationId[], change: ConversationChange) => {
    const there = new Set((await entries()).map((entry) => entry.id));
    // A temporary one is in no list, and has its name when it is kept.
    const known = [...new Set(ids)].filter((id) => there.has(id) || isTemporary(id));
    const [only] = known;
    if (only !== undefined && known.length === 1) await documents.change(only, change);
    else if (known.length > 1)
      await documents.changeMany(
        known.map((id) => ({ id, change })),
        'user',
      );
  };

  return {
    activities: activities.list,
    cancel: activities.cancel,
    dismiss: activities.dismiss,
    acknowledge: activities.acknowledge,

    importFiles: (files, signal) => inTurn(() => importing.importFiles(files, signal)),

    exportConversations,
    lastBackup,
    room: async () => (await room?.()) ?? null,

    addSamples: () =>
      inTurn(async () => {
        const there = new Map((await entries()).map((entry) => [entry.id, entry]));
        const bySource = new Map(
          [...there.values()].flatMap((entry) =>
            entry.source ? [[sourceKey(entry.source.tool, entry.source.id), entry.id] as const] : [],
          ),
        );
        const plans = new Map<ConversationId, ConversationChange>();
        for (const sample of sampleConversations(now())) {
          const known = bySource.get(sourceKey(sample.source.tool, sample.source.id));
          if (known !== undefined) {
            if (there.get(known)?.deletedAt != null)
              await documents.change(known, { meta: { deletedAt: null } });
            continue;
          }
          const id = conversationIdOf(sample);
          plans.set(id, planImport(sample, { id, parent: null }).change);
        }
        if (plans.size > 0) {
          await documents.changeMany(asChanges(plans), 'import');
          onImported([...plans.keys()]);
        }
        return plans.size;
      }),

    removeSamples: () =>
      inTurn(async () => {
        const made: ConversationId[] = [];
        for (const { id } of (await entries()).filter((entry) => entry.sample)) {
          const conversation = await documents.read(id);
          const lived = [...(conversation?.messages.values() ?? [])].some(
            (message) => message.sourceId === undefined,
          );
          // Where the person has written something it has become theirs.
          if (lived) await documents.change(id, { meta: { sample: false } });
          else made.push(id);
        }
        await documents.erase(made);
        return made.length;
      }),

    setMeta: (ids, meta) =>
      changeAll(ids, {
        meta: {
          ...meta,
          ...(meta.title === undefined ? {} : { titleBy: 'person' }),
          ...(meta.archived === undefined ? {} : { movedAt: now() }),
        },
      }),
    remove: (ids) => changeAll(ids, { meta: { deletedAt: now(), movedAt: now() } }),
    restore: (ids) => changeAll(ids, { meta: { deletedAt: null, movedAt: now() } }),
    erase: documents.erase,
  };
}
