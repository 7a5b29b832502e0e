// Runs one import of one source: reads and plans every conversation, checks for space, then writes.
//
//   small:  read ──► plan ──► settle ──► room? ──► one append
//   large:  read ──► plan ──► room? ──► read again ──► plan ──► settle ──► append in parts, erased again on failure
import type { ImportedConversation, ImportSource, Skipped } from '../../adapters/importers/importer.ts';
import { rawChunksOf } from '../../adapters/importers/source-file.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { hasAnyEntry } from '../../domain/chat/archive.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { Documents, LibraryEntry } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { type ForgottenBefore, feedbackSince, forgottenBefore, withoutForgotten } from '../forget/imports.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { ActivityProgress } from './activities.ts';
import {
  applyChange,
  conversationIdOf,
  type ImportPlan,
  mergeChanges,
  planImport,
  sourceKey,
} from './import-plan.ts';
import type { ImportReport, Later } from './library.ts';
import { PendingChanges } from './pending-changes.ts';
import { inMegabytes, type StorageSpace } from './storage-space.ts';
import { isSameUnderOtherId } from './under-other-ids.ts';

/** Size of one append of a larger source, bytes. */
const APPEND_BYTES = 4 * 1024 * 1024;
/**
 * Final size of a conversation (log, rows, search columns) relative to its words.
 * Vectors are not counted: they can wait.
 */
const SPACE_FACTOR = 3;

export const NO_MESSAGES: Readonly<Record<Role, number>> = { system: 0, user: 0, assistant: 0, tool: 0 };
export const NOTHING_LATER: Later = { attachments: 0, answers: 0, titles: 0 };

/** Notes and feedback that a file brings along. */
type Brought = Parameters<Notes['bring']>[0] & Partial<Parameters<Prompts['bring']>[0]>;

/** Reads the conversations of a source, as an importer does. `onBrought` receives notes, feedback and prompts. */
export type SourceReader = (
  source: ImportSource,
  options: {
    readonly signal: AbortSignal;
    readonly skip: (skipped: Skipped) => void;
    readonly now: number;
    readonly onBrought?: (brought: Brought) => void;
  },
) => AsyncIterable<ImportedConversation>;

export interface ImportRunDeps {
  readonly documents: Documents;
  readonly prompts?: Pick<Prompts, 'bring'> | undefined;
  readonly notes: (Pick<Notes, 'bring'> & Partial<Pick<Notes, 'known' | 'forgotten'>>) | undefined;
  /** Resolves with all entries, once the library was read. */
  readonly entries: () => Promise<readonly LibraryEntry[]>;
  readonly now: () => number;
  /** Bytes used and allowed; null if the browser does not say. */
  readonly estimate: () => Promise<{ usage: number; quota: number } | null>;
  /** Measures against `storage.max_size_mb`. */
  readonly storageSpace: (() => Promise<StorageSpace>) | undefined;
  /** Reports new and grown conversations, for the index. */
  readonly onImported: (ids: readonly ConversationId[]) => void;
  /**
   * Records that an import in parts is under way, and removes the record. A record found later
   * means that its tab was closed meanwhile.
   */
  readonly interruption: { begin(name: string): Promise<void>; end(): Promise<void> };
  /** Sources up to this size, unpacked, are held in memory and appended at once, bytes. */
  readonly wholeUpToBytes: number;
}

interface ImportListener {
  /** All that was left out; the list grows during reading. */
  readonly onSkipped: (skipped: readonly Skipped[]) => void;
  /** Reports conversations of an undone import that could not be erased. */
  readonly onKept: (kept: readonly ConversationId[]) => void;
}

type ImportResult = Pick<
  ImportReport,
  'conversations' | 'messages' | 'branches' | 'attachments' | 'later' | 'skipped' | 'trashed' | 'first'
> & {
  /** Notes and feedback that were added or changed. */
  readonly brought: number;
  /** An error after the conversations were imported. */
  readonly failed: unknown;
};

/** Result of reading: the amount to write, and the plans without changes. */
interface SourceReading {
  /** Size of conversations with changes. */
  readonly bytes: number;
  /** Plans without changes, by position in the source: the second reading does not make them again. */
  readonly idle: readonly (ImportPlan | undefined)[];
  readonly first: ConversationId | null;
  readonly brought: readonly Brought[];
}

/** So many conversations of one time are compared at most: rows of a file without times share its own. */
const MOST_LIKELY = 8;
const timeKey = (tool: string, at: number): string => `${tool}\n${at}`;

export class ImportRun {
  readonly #deps: ImportRunDeps;
  readonly #reader: SourceReader;
  readonly #source: ImportSource;
  readonly #progress: ActivityProgress;
  readonly #listener: ImportListener;
  /** True if the source is held in memory and read once. */
  readonly #isHeld: boolean;
  readonly #startedAt: number;

  /** Existing conversations by their source. */
  readonly #bySource = new Map<string, ConversationId>();
  /** Existing imported conversations by tool and time, for those that come under another id. */
  readonly #byTime = new Map<string, ConversationId[]>();
  readonly #ids = new Set<ConversationId>();
  readonly #callers = new Map<string, ReadonlyMap<string, MessageId>>();
  /**
   * Planned but unwritten changes. Overlapping exports may hold a conversation twice: the
   * second copy adds what the first lacks.
   */
  readonly #pending = new PendingChanges();

  readonly #states = new Map<ConversationId, ImportPlan['state']>();
  readonly #trashed = new Set<ConversationId>();
  readonly #skipped: Skipped[] = [];
  readonly #messages: Record<Role, number> = { ...NO_MESSAGES };
  readonly #later = { ...NOTHING_LATER };
  #branches = 0;
  #attachments = 0;

  constructor(
    deps: ImportRunDeps,
    reader: SourceReader,
    source: ImportSource,
    progress: ActivityProgress,
    listener: ImportListener,
  ) {
    this.#deps = deps;
    this.#reader = reader;
    this.#progress = progress;
    this.#listener = listener;
    this.#startedAt = deps.now();
    const size = source.files.reduce((sum, file) => sum + file.size, 0);
    this.#isHeld = size <= deps.wholeUpToBytes;
    progress.setTotal(this.#isHeld ? size : size * 2);
    this.#source = watch(source, progress);
  }

  /**
   * Carries it out once. Rejects with `import-empty`, `import-broken`, `import-storage`,
   * `import-limit`, or as the log does.
   */
  async run(): Promise<ImportResult> {
    for (const entry of await this.#deps.entries()) {
      this.#ids.add(entry.id);
      if (!entry.source) continue;
      this.#bySource.set(sourceKey(entry.source.tool, entry.source.id), entry.id);
      const time = timeKey(entry.source.tool, entry.createdAt);
      const others = this.#byTime.get(time);
      if (others) others.push(entry.id);
      else this.#byTime.set(time, [entry.id]);
    }
    const reading = await this.#read();
    await this.#refuseWithoutSpace(reading.bytes);
    this.#progress.signal.throwIfAborted();
    const touched = await this.#write(reading);
    if (touched.length > 0) this.#deps.onImported(touched);
    const { count, failed } = await this.#bring(reading.brought);
    const conversations = { added: 0, changed: 0, unchanged: 0 };
    for (const state of this.#states.values()) conversations[state] += 1;
    return {
      conversations,
      messages: this.#messages,
      branches: this.#branches,
      attachments: this.#attachments,
      later: this.#later,
      brought: count,
      skipped: this.#skipped,
      trashed: [...this.#trashed],
      first: reading.first,
      failed,
    };
  }

  // ------------------------------------------------------------------------------------------------ planning
  async #planOf(imported: ImportedConversation): Promise<ImportPlan> {
    const { readingCopy: copy } = imported;
    // The signature shows that nothing in it is new; a changed file is another conversation.
    if (copy?.isUnchanged && this.#ids.has(copy.of)) return await this.#nothingNew(copy.of, imported);
    const key = sourceKey(imported.source.tool, imported.source.id);
    const known = imported.own?.id ?? this.#bySource.get(key) ?? (await this.#underOtherId(imported));
    const id = known ?? conversationIdOf(imported);
    const written = this.#ids.has(id) ? await this.#deps.documents.read(id) : undefined;
    const planned = this.#pending.get(id);
    const existing = planned ? applyChange(id, written, planned) : written;
    const plan = planImport(imported, {
      id,
      existing,
      parent: this.#parentOf(imported),
      again: this.#states.has(id),
    });
    this.#bySource.set(key, id);
    if (plan.callers.size > 0) this.#callers.set(key, plan.callers);
    return plan;
  }

  /** The existing conversation that this one holds whole, if its source named it otherwise then. */
  async #underOtherId(imported: ImportedConversation): Promise<ConversationId | undefined> {
    const likely = this.#byTime.get(timeKey(imported.source.tool, imported.meta.createdAt ?? 0)) ?? [];
    for (const id of likely.length > MOST_LIKELY ? [] : likely) {
      if (this.#states.has(id)) continue;
      const existing = await this.#deps.documents.read(id);
      if (existing && isSameUnderOtherId(imported, existing)) return id;
    }
    return undefined;
  }

  async #nothingNew(id: ConversationId, imported: ImportedConversation): Promise<ImportPlan> {
    const existing = await this.#deps.documents.read(id);
    const empty = { ...imported, meta: {}, messages: [], head: null };
    return planImport(empty, { id, existing, parent: null, again: true });
  }

  #parentOf(imported: ImportedConversation): ConversationMeta['parent'] {
    if (!imported.parent) return null;
    const key = sourceKey(imported.source.tool, imported.parent.sourceId);
    const conversationId = this.#bySource.get(key);
    if (conversationId === undefined) return null;
    const { messageSourceId } = imported.parent;
    const messageId = messageSourceId === null ? undefined : this.#callers.get(key)?.get(messageSourceId);
    return { conversationId, messageId: messageId ?? null };
  }

  /** Adds the plan's changes to the pending ones and counts them. */
  #settle(plan: ImportPlan): void {
    const before = this.#states.get(plan.id);
    if (before === undefined || before === 'unchanged') this.#states.set(plan.id, plan.state);
    for (const role of Object.keys(this.#messages) as Role[]) this.#messages[role] += plan.roles[role];
    if (plan.trashed) this.#trashed.add(plan.id);
    this.#branches += plan.branches;
    this.#attachments += plan.attachments;
    for (const kind of Object.keys(this.#later) as (keyof Later)[]) this.#later[kind] += plan.later[kind];
    if (plan.state !== 'unchanged')
      this.#pending.set(plan.id, mergeChanges(this.#pending.get(plan.id), plan.change));
  }

  /** Lists what the person has forgotten for good, which no import may bring back. */
  #forgotten(): Promise<readonly ForgottenBefore[]> {
    return forgottenBefore(this.#deps.notes?.forgotten?.get() ?? [], this.#deps.documents);
  }

  // ------------------------------------------------------------------------------------------------- reading
  async #read(): Promise<SourceReading> {
    const { signal } = this.#progress;
    const idle: (ImportPlan | undefined)[] = [];
    const brought: Brought[] = [];
    let bytes = 0;
    let first: ConversationId | null = null;
    // Passed on before reading: if that fails, the report still shows what had been left out by then.
    this.#listener.onSkipped(this.#skipped);
    await this.#deps.notes?.known?.();
    const skip = (skipped: Skipped) => addSkipped(this.#skipped, skipped);
    const read = this.#reader(this.#source, {
      signal,
      skip,
      now: this.#startedAt,
      onBrought: (one) => brought.push(one),
    });
    for await (const imported of withoutForgotten(read, await this.#forgotten(), skip)) {
      signal.throwIfAborted();
      const plan = await this.#planOf(imported);
      first ??= plan.id;
      idle.push(plan.state === 'unchanged' ? plan : undefined);
      bytes += plan.state === 'unchanged' ? 0 : plan.bytes;
      if (this.#isHeld) this.#settle(plan);
    }
    const isForgotten = this.#skipped.some(({ reason }) => reason === 'forgotten');
    if (first === null && !isForgotten && !brought.some(hasAnyEntry)) {
      const isBroken = this.#skipped.some(
        ({ reason }) => reason === 'malformed-line' || reason === 'damaged-file',
      );
      throw new RecollectError(
        isBroken ? 'import-broken' : 'import-empty',
        `There is no conversation in ${this.#source.name}`,
        { params: { file: this.#source.name } },
      );
    }
    return { bytes, idle, first, brought };
  }

  async #refuseWithoutSpace(bytes: number): Promise<void> {
    const needed = bytes * SPACE_FACTOR;
    const given = await this.#deps.estimate();
    if (given && needed > given.quota - given.usage)
      throw new RecollectError('import-storage', 'There is no room for this import', {
        params: { needed, available: Math.max(0, given.quota - given.usage) },
        retry: true,
      });
    const allowed = bytes > 0 ? await this.#deps.storageSpace?.() : undefined;
    if (allowed && allowed.used + needed > allowed.limit)
      throw new RecollectError('import-limit', 'The import would go beyond storage.max_size_mb', {
        params: {
          needed: inMegabytes(needed),
          used: inMegabytes(allowed.used),
          limit: inMegabytes(allowed.limit),
        },
        retry: true,
      });
  }

  // ------------------------------------------------------------------------------------------------- writing
  /** Writes the changes; returns the new and grown conversations. */
  async #write({ bytes, idle }: SourceReading): Promise<ConversationId[]> {
    if (!this.#isHeld && bytes > 0) return await this.#appendInParts(idle);
    if (!this.#isHeld) for (const plan of idle) if (plan) this.#settle(plan);
    const touched = this.#pending.ids();
    if (this.#isHeld && touched.length > 0)
      await this.#deps.documents.changeMany(this.#pending.take(touched), 'import').catch((error: unknown) => {
        throw takenBack(error);
      });
    return touched;
  }

  /**
   * Reads again and appends in parts. After a failure or cancel it erases all additions, except
   * conversations that others have touched since.
   */
  async #appendInParts(idle: SourceReading['idle']): Promise<ConversationId[]> {
    const { signal } = this.#progress;
    const { interruption } = this.#deps;
    const added = new Set<ConversationId>();
    const grown = new Set<ConversationId>();
    let size = 0;
    try {
      await interruption.begin(this.#source.name);
      let at = 0;
      const again = { signal, skip: () => {}, now: this.#startedAt };
      const read = this.#reader(this.#source, again);
      for await (const imported of withoutForgotten(read, await this.#forgotten(), () => {})) {
        signal.throwIfAborted();
        const plan = idle[at++] ?? (await this.#planOf(imported));
        this.#settle(plan);
        if (plan.state === 'unchanged') continue;
        // Recorded before the append, since an append that fails half-way must be undone, too.
        if (plan.state === 'added') added.add(plan.id);
        if (!added.has(plan.id)) grown.add(plan.id);
        else size += plan.bytes;
        if (size < APPEND_BYTES) continue;
        if (await this.#appendPending(added)) size = 0;
      }
      await this.#appendPending(added);
      signal.throwIfAborted();
      await this.#appendPending(grown);
    } catch (error) {
      const untouched = new Set(await this.#deps.documents.onlyImported([...added]));
      const stuck = await this.#takeBack([...untouched]);
      const kept = [...added].filter((id) => !untouched.has(id) || stuck.has(id));
      await interruption.end();
      if (kept.length === 0) throw takenBack(error);
      this.#listener.onKept(kept);
      throw error;
    }
    await interruption.end();
    return [...added, ...grown];
  }

  /** Erases them. Returns those that remain: a disk may be too full even for erasing. */
  async #takeBack(ids: readonly ConversationId[]): Promise<ReadonlySet<ConversationId>> {
    if (ids.length === 0) return new Set();
    try {
      await this.#deps.documents.erase(ids);
      return new Set();
    } catch (error) {
      if (toProblem(error).code !== 'storage-full') throw error;
      const listed = new Set((await this.#deps.entries()).map(({ id }) => id));
      return new Set(ids.filter((id) => listed.has(id)));
    }
  }

  /** Appends the pending changes of these; false if there are none. */
  async #appendPending(which: ReadonlySet<ConversationId>): Promise<boolean> {
    const ids = this.#pending.ids().filter((id) => which.has(id));
    if (ids.length === 0) return false;
    await this.#deps.documents.changeMany(this.#pending.take(ids), 'import');
    for (const id of ids) this.#ids.add(id);
    return true;
  }

  /** Imports notes, feedback and prompts. If that fails, the conversations stay, with the error beside them. */
  async #bring(brought: readonly Brought[]): Promise<{ count: number; failed: unknown }> {
    let count = 0;
    try {
      const before = await this.#forgotten();
      for (const one of brought) {
        const feedback = one.feedback.map((said) => feedbackSince(said, before));
        count += (await this.#deps.notes?.bring({ ...one, feedback })) ?? 0;
        const { prompts = [], personas = [] } = one;
        count += (await this.#deps.prompts?.bring({ prompts, personas }))?.added ?? 0;
      }
    } catch (failed) {
      return { count, failed };
    }
    return { count, failed: undefined };
  }
}

/**
 * Translates a write that failed on a full disk into the same problem as one refused beforehand. Only after everything
 * was erased again, since the sentence says that nothing was imported.
 */
function takenBack(error: unknown): unknown {
  const problem = toProblem(error);
  if (problem.code !== 'storage-full') return error;
  return new RecollectError('import-storage', problem.message, { retry: true, cause: error });
}

/** Adds an omission to the list; files that are damaged are named together. */
function addSkipped(list: Skipped[], skipped: Skipped): void {
  const at = list.findIndex(({ reason }) => reason === skipped.reason && reason === 'damaged-file');
  const known = list[at];
  if (!known) list.push(skipped);
  else
    list[at] = {
      ...known,
      count: known.count + skipped.count,
      example: [known.example, skipped.example].filter(Boolean).join('\n'),
    };
}

/** Wraps a source so that reading it counts as progress; bytes read before, for sniffing, do not count twice. */
function watch(source: ImportSource, progress: ActivityProgress): ImportSource {
  return {
    name: source.name,
    files: source.files.map((file) => ({
      ...file,
      bytes: async (signal) => {
        const bytes = await file.bytes(signal);
        progress.add(bytes.length);
        return bytes;
      },
      async *stream(signal) {
        for await (const chunk of rawChunksOf(file, signal)) {
          progress.add(chunk.length);
          yield chunk;
        }
      },
    })),
  };
}
