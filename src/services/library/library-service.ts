// The library as a whole: importing, exporting, trash and samples. `Documents` is the only writer.

import type { SourceFile } from '../../adapters/importers/importer.ts';
import { type ConversationId, isTemporary } from '../../domain/base/ids.ts';
import { log, orElse } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';
import { writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import { type ConversationChange, readLibrary } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { type Activities, createActivities } from './activities.ts';
import type { ExportingDeps } from './exporting.ts';
import type { ImportingDeps } from './importing.ts';
import type { ImportReport, Library } from './library.ts';
import type { StorageSpace } from './storage-space.ts';

export interface LibraryDeps
  extends Pick<ImportingDeps & ExportingDeps, 'documents' | 'words'>,
    Partial<
      Pick<
        ImportingDeps,
        'now' | 'estimate' | 'storageSpace' | 'onImported' | 'unfinished' | 'importers' | 'wholeUpToBytes'
      >
    > {
  /** Memory notes and feedback: part of a whole export, and of its import. */
  readonly notes?: Pick<Notes, 'known' | 'failure' | 'bring'> & Partial<Pick<Notes, 'forgotten'>>;
  /** Saved prompts and personas: part of it as well. */
  readonly prompts?: Pick<Prompts, 'known' | 'failure' | 'bring'>;
  /** Keeps the time of the last whole export, ms since 1970. */
  readonly backups?: { recall(): Promise<number | undefined>; keep(at: number): Promise<void> };
  /** Puts placeholders for private words into an export for people; absent: the export has the words. */
  readonly forReading?: ExportingDeps['forReading'];
  /** Activities of other services, shown in the same list. */
  readonly others?: NonNullable<Parameters<typeof createActivities>[0]['others']>;
  /**
   * Runs one piece of work at a time over all tabs: an import must not rely on
   * conversations that another is about to undo.
   */
  readonly exclusive?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Makes the library over the documents. */
export function createLibrary(deps: LibraryDeps): Library {
  return new LibraryService(deps);
}

class LibraryService implements Library {
  readonly #deps: LibraryDeps;
  readonly #now: NonNullable<LibraryDeps['now']>;
  readonly #onImported: NonNullable<LibraryDeps['onImported']>;
  readonly #exclusive: NonNullable<LibraryDeps['exclusive']>;
  readonly #activities: Activities;
  readonly lastBackup;
  readonly #importingDeps: ImportingDeps;
  readonly #exportingDeps: ExportingDeps;
  /** Imports run one after the other, so that each sees what the one before brought. */
  readonly #imports = new SerialQueue();
  readonly activities: Library['activities'];
  readonly cancel: Library['cancel'];
  readonly dismiss: Library['dismiss'];
  readonly acknowledge: Library['acknowledge'];
  readonly erase: Library['erase'];

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
    const {
      now = Date.now,
      estimate = async () => null,
      onImported = () => {},
      exclusive = (work) => work(),
    } = deps;
    this.#now = now;
    this.#onImported = onImported;
    this.#exclusive = exclusive;
    this.#activities = createActivities({ now: this.#now, ...(deps.others ? { others: deps.others } : {}) });
    this.lastBackup = writable<number | null | undefined>(deps.backups ? undefined : null);
    // An unknown time of the last backup needs no report: the next backup is noted again.
    if (deps.backups)
      void orElse(deps.backups.recall(), undefined, 'the time of the last backup').then((at) =>
        this.lastBackup.set(at ?? null),
      );
    this.#importingDeps = {
      documents: deps.documents,
      notes: deps.notes,
      prompts: deps.prompts,
      activities: this.#activities,
      entries: () => this.#entries(),
      now: this.#now,
      estimate,
      storageSpace: deps.storageSpace,
      onImported: this.#onImported,
      unfinished: deps.unfinished,
      importers: deps.importers,
      wholeUpToBytes: deps.wholeUpToBytes,
    };
    this.#exportingDeps = {
      documents: deps.documents,
      notes: deps.notes,
      prompts: deps.prompts,
      activities: this.#activities,
      entries: () => this.#entries(),
      words: deps.words,
      now: this.#now,
      forReading: deps.forReading,
      onBackup: async (at) => {
        this.lastBackup.set(at);
        if (deps.backups)
          await orElse(deps.backups.keep(at), undefined, 'keeping the time of the last backup');
      },
    };
    if (deps.unfinished)
      this.#inTurn(() => this.#reportInterrupted()).catch((error: unknown) =>
        log.warn('An interrupted import could not be reported', error),
      );
    this.activities = this.#activities.list;
    this.cancel = this.#activities.cancel;
    this.dismiss = this.#activities.dismiss;
    this.acknowledge = this.#activities.acknowledge;
    this.erase = deps.documents.erase;
  }

  importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<readonly ImportReport[]> {
    return this.#inTurn(async () => await (await this.#importing()).importFiles(files, signal));
  }

  readonly exportConversations: Library['exportConversations'] = async (...asked) => {
    const { createExporting } = await loadPart(() => import('./exporting.ts'));
    return await createExporting(this.#exportingDeps)(...asked);
  };

  async storageSpace(): Promise<StorageSpace | null> {
    return (await this.#deps.storageSpace?.()) ?? null;
  }

  addSamples(): Promise<number> {
    return this.#inTurn(async () => {
      const [{ sampleConversations }, { asChanges, conversationIdOf, planImport, sourceKey }] =
        await loadPart(() => Promise.all([import('./samples.ts'), import('./import-plan.ts')]));
      const there = new Map((await this.#entries()).map((entry) => [entry.id, entry]));
      const bySource = new Map(
        [...there.values()].flatMap((entry) =>
          entry.source ? [[sourceKey(entry.source.tool, entry.source.id), entry.id] as const] : [],
        ),
      );
      const plans = new Map<ConversationId, ConversationChange>();
      for (const sample of sampleConversations(this.#now())) {
        const known = bySource.get(sourceKey(sample.source.tool, sample.source.id));
        if (known !== undefined) {
          if (there.get(known)?.deletedAt != null)
            await this.#deps.documents.change(known, { meta: { deletedAt: null } });
          continue;
        }
        const id = conversationIdOf(sample);
        plans.set(id, planImport(sample, { id, parent: null }).change);
      }
      if (plans.size > 0) {
        await this.#deps.documents.changeMany(asChanges(plans), 'import');
        this.#onImported([...plans.keys()]);
      }
      return plans.size;
    });
  }

  removeSamples(): Promise<number> {
    return this.#inTurn(async () => {
      const made: ConversationId[] = [];
      for (const { id } of (await this.#entries()).filter((entry) => entry.sample)) {
        const conversation = await this.#deps.documents.read(id);
        const lived = [...(conversation?.messages.values() ?? [])].some(
          (message) => message.sourceId === undefined,
        );
        // A sample in which the person has written is no sample any more.
        if (lived) await this.#deps.documents.change(id, { meta: { sample: false } });
        else made.push(id);
      }
      await this.#deps.documents.erase(made);
      return made.length;
    });
  }

  setMeta(
    ids: readonly ConversationId[],
    meta: Partial<Pick<ConversationMeta, 'title' | 'pinned' | 'archived' | 'workDir'>>,
  ): Promise<void> {
    return this.#changeAll(ids, {
      meta: {
        ...meta,
        ...(meta.title === undefined ? {} : { titleBy: 'person' }),
        ...(meta.archived === undefined ? {} : { movedAt: this.#now() }),
      },
    });
  }

  remove(ids: readonly ConversationId[]): Promise<void> {
    return this.#changeAll(ids, { meta: { deletedAt: this.#now(), movedAt: this.#now() } });
  }

  restore(ids: readonly ConversationId[]): Promise<void> {
    return this.#changeAll(ids, { meta: { deletedAt: null, movedAt: this.#now() } });
  }

  /** The code that reads files is loaded at the first import. */
  async #importing() {
    const { createImporting } = await loadPart(() => import('./importing.ts'));
    return createImporting(this.#importingDeps);
  }

  async #reportInterrupted(): Promise<void> {
    if (typeof (await this.#deps.unfinished?.recall()) === 'string')
      await (await this.#importing()).reportInterrupted();
  }

  async #entries() {
    const { entries, projects } = await readLibrary(this.#deps.documents.library);
    return [...projects, ...entries];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#imports.run(() => this.#exclusive(work));
  }

  async #changeAll(ids: readonly ConversationId[], change: ConversationChange): Promise<void> {
    const there = new Set((await this.#entries()).map((entry) => entry.id));
    // A temporary conversation is in no list, and gets its name when it is kept.
    const known = [...new Set(ids)].filter((id) => there.has(id) || isTemporary(id));
    const [only] = known;
    if (only !== undefined && known.length === 1) await this.#deps.documents.change(only, change);
    else if (known.length > 1)
      await this.#deps.documents.changeMany(
        known.map((id) => ({ id, change })),
        'user',
      );
  }
}
