// Brings history in. `Documents` is the only one that writes.
//
//   files ──► sources ──► sniff ──► read ──► plan (ids, what is new) ──► room? ──► changeMany ──► onImported
//
// All of a source is read and understood before anything of it is written. Up to WHOLE_UP_TO_BYTES it is then one durable append; a larger
// source is read a second time and appended in a few large ones, and if one of those fails, or the person cancels, what was added is
// erased again. Changes to conversations that are already here come last, in one append, so they never need undoing.
import type {
  ImportedConversation,
  Importer,
  Skipped,
  Source,
  SourceFile,
} from '../../adapters/importers/importer.ts';
import { rawChunksOf } from '../../adapters/importers/source-file.ts';
import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { holdsSomething, type Told } from '../../domain/chat/archive.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { ConversationChange, Documents, LibraryEntry } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { Activities, Progress } from './activities.ts';
import {
  asChanges,
  changed,
  conversationIdOf,
  type ImportPlan,
  planImport,
  sourceKey,
  together,
} from './import-plan.ts';
import type { ImportReport, Later } from './library.ts';
import { groupFiles, type Recognised, recognise } from './sources.ts';
import { inMegabytes, type StorageSpace } from './storage-space.ts';

/** Sources up to this size, unpacked, are held in memory and appended at once. */
export const WHOLE_UP_TO_BYTES = 64 * 1024 * 1024;
/** Size of one append of a larger source. */
const APPEND_BYTES = 4 * 1024 * 1024;
/** What a conversation takes in the end, compared with its words: log, rows, search columns. Vectors are not counted: they can wait. */
const SPACE_FACTOR = 3;
/** Files left out of a folder that are named; the rest is counted. */
const NAMED = 20;

export interface ImportingDeps {
  readonly documents: Documents;
  readonly notes: Pick<Notes, 'bring'> | undefined;
  readonly activities: Activities;
  /** All lines of the library, once it was read. */
  readonly entries: () => Promise<readonly LibraryEntry[]>;
  readonly now: () => number;
  /** Bytes used and allowed; null where the browser does not say. */
  readonly estimate: () => Promise<{ usage: number; quota: number } | null>;
  /** Measures against `storage.max_size_mb`. */
  readonly room: (() => Promise<StorageSpace>) | undefined;
  /** Conversations that came in or grew: index them. */
  readonly onImported: (ids: readonly ConversationId[]) => void;
  /** The name of an import that is being written in parts, kept until it has ended. One that is found was cut off with its tab. */
  readonly unfinished:
    | { recall(): Promise<string | null | undefined>; keep(name: string | null): Promise<void> }
    | undefined;
  readonly importers: readonly Importer[];
  /** `WHOLE_UP_TO_BYTES`, but in tests. */
  readonly wholeUpToBytes: number;
}

interface Importing {
  /** What went wrong is in the reports. One call at a time: each sees what the one before brought. */
  importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<ImportReport[]>;
  /** Says of an import that was cut off that it was. */
  reportInterrupted(): Promise<void>;
}

/**
 * A disk that turned out to be full while it was written is to a person the same as one that was seen to be too small. Only of what has been
 * taken back whole: the sentence says that nothing was taken in.
 */
function takenBack(error: unknown): unknown {
  const problem = toProblem(error);
  if (problem.code !== 'storage-full') return error;
  return new RecollectError('import-storage', problem.message, { retry: true, cause: error });
}

const NO_MESSAGES: Readonly<Record<Role, number>> = { system: 0, user: 0, assistant: 0, tool: 0 };
const NOTHING_LATER: Later = { attachments: 0, answers: 0, titles: 0 };

/** Reads files into the library, one after the other: `activities` tell how far it is. */
export function createImporting({
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
}: ImportingDeps): Importing {
  /** Of a mark that cannot be taken away the next start speaks in vain: no reason to call what came in a failure. */
  const ended = async () =>
    unfinished?.keep(null).catch((error: unknown) => console.warn(toProblem(error).message));
  const reportInterrupted = async () => {
    const name = await unfinished?.recall();
    if (typeof name !== 'string') return;
    const cutOff = new RecollectError('import-cut-off', `The import of ${name} was cut off`, {
      params: { name },
    });
    const told = activities.run({ label: 'import', params: { name }, total: 0 }, () =>
      Promise.reject(cutOff),
    );
    await orElse(told, undefined, 'an import that was cut off, which the list of activities shows');
    await ended();
  };

  /** `known`: who reads it, where that was found out already. */
  async function importSource(
    dropped: Source,
    signal: AbortSignal | undefined,
    known?: Importer,
  ): Promise<ImportReport[]> {
    const started = performance.now();
    const empty = (): ImportReport => ({
      source: dropped.name,
      importer: null,
      conversations: { added: 0, changed: 0, unchanged: 0 },
      messages: NO_MESSAGES,
      branches: 0,
      attachments: 0,
      later: NOTHING_LATER,
      told: 0,
      skipped: [],
      tookMs: Math.round(performance.now() - started),
      problem: null,
      cancelled: false,
      trashed: [],
      first: null,
    });
    let importer = known;
    let skipped: readonly Skipped[] = [];
    let unread: readonly Skipped[] = [];
    let done: Partial<ImportReport> = {};
    let activity: string | undefined;
    try {
      return await activities.run(
        { label: 'import', params: { name: dropped.name }, total: 0 },
        async (progress) => {
          activity = progress.id;
          const found: Recognised = known
            ? { pieces: [{ source: dropped, importer: known }], zips: [], unread: [] }
            : await recognise(dropped, importers, progress.signal);
          unread = leftOver(found.unread);
          const [piece] = found.pieces;
          if (!piece || found.pieces.length + found.zips.length > 1) {
            const reports: ImportReport[] = [];
            for (const { source, importer } of found.pieces)
              reports.push(...(await importSource(source, progress.signal, importer)));
            for (const source of found.zips) reports.push(...(await importSource(source, progress.signal)));
            return reports.map((report, at) =>
              at === 0 ? { ...report, skipped: [...report.skipped, ...unread] } : report,
            );
          }
          importer = piece.importer;
          const { failed, ...result } = await importWith(piece.importer, piece.source, progress, {
            onSkipped: (all) => {
              skipped = all;
            },
            onKept: (kept) => {
              done = {
                conversations: { added: kept.length, changed: 0, unchanged: 0 },
                first: kept[0] ?? null,
              };
            },
          });
          done = result;
          if (failed !== undefined) throw failed;
          return [
            { ...empty(), ...result, skipped: [...result.skipped, ...unread], importer: piece.importer.id },
          ];
        },
        signal,
      );
    } catch (error) {
      const stopped = isAbort(error);
      return [
        {
          ...empty(),
          ...done,
          importer: importer?.id ?? null,
          skipped: [...skipped, ...unread],
          cancelled: stopped,
          problem: stopped ? null : toProblem(error),
          ...(activity === undefined || stopped ? {} : { activity }),
        },
      ];
    }
  }

  async function importWith(
    importer: Importer,
    source: Source,
    progress: Progress,
    {
      onSkipped,
      onKept,
    }: {
      readonly onSkipped: (skipped: readonly Skipped[]) => void;
      /** What stays of an import that is taken back, if anything. */
      readonly onKept: (kept: readonly ConversationId[]) => void;
    },
  ): Promise<
    Pick<
      ImportReport,
      | 'conversations'
      | 'messages'
      | 'branches'
      | 'attachments'
      | 'later'
      | 'told'
      | 'skipped'
      | 'trashed'
      | 'first'
    > & { readonly failed: unknown }
  > {
    const { signal } = progress;
    const size = source.files.reduce((sum, file) => sum + file.size, 0);
    const held = size <= wholeUpToBytes;
    progress.setTotal(held ? size : size * 2);
    const watched = watch(source, progress);
    const latest = now();

    const here = new Map<string, ConversationId>();
    const ids = new Set<ConversationId>();
    for (const entry of await entries()) {
      ids.add(entry.id);
      if (entry.source) here.set(sourceKey(entry.source.tool, entry.source.id), entry.id);
    }
    const callers = new Map<string, ReadonlyMap<string, MessageId>>();
    /** Planned and not yet written. A source may hold a conversation twice, in overlapping exports: the second adds what the first lacks. */
    const pending = new Map<ConversationId, ConversationChange>();
    const figures = new Map<ConversationId, ImportPlan['state']>();
    const trashed = new Set<ConversationId>();
    const messages: Record<Role, number> = { ...NO_MESSAGES };
    const later = { ...NOTHING_LATER };
    let [branches, attachments] = [0, 0];

    const planOf = async (imported: ImportedConversation): Promise<ImportPlan> => {
      const key = sourceKey(imported.source.tool, imported.source.id);
      const id = imported.own?.id ?? here.get(key) ?? conversationIdOf(imported);
      const written = ids.has(id) ? await documents.read(id) : undefined;
      const planned = pending.get(id);
      const existing = planned ? changed(id, written, planned) : written;
      const plan = planImport(imported, { id, existing, parent: parentOf(imported), again: figures.has(id) });
      here.set(key, id);
      if (plan.callers.size > 0) callers.set(key, plan.callers);
      return plan;
    };
    /** Takes what it changes up into what is pending, and counts it. */
    const settle = (plan: ImportPlan) => {
      const before = figures.get(plan.id);
      if (before === undefined || before === 'unchanged') figures.set(plan.id, plan.state);
      for (const role of Object.keys(messages) as Role[]) messages[role] += plan.roles[role];
      if (plan.trashed) trashed.add(plan.id);
      branches += plan.branches;
      attachments += plan.attachments;
      for (const kind of Object.keys(later) as (keyof Later)[]) later[kind] += plan.later[kind];
      if (plan.state !== 'unchanged') pending.set(plan.id, together(pending.get(plan.id), plan.change));
    };
    const parentOf = (imported: ImportedConversation): ConversationMeta['parent'] => {
      if (!imported.parent) return null;
      const key = sourceKey(imported.source.tool, imported.parent.sourceId);
      const conversationId = here.get(key);
      if (conversationId === undefined) return null;
      const { messageSourceId } = imported.parent;
      const messageId = messageSourceId === null ? undefined : callers.get(key)?.get(messageSourceId);
      return { conversationId, messageId: messageId ?? null };
    };

    // READ AND UNDERSTAND
    let bytes = 0;
    /** By place in the source: plans that change nothing. They are not made twice where the source is read twice. */
    const idle: (ImportPlan | undefined)[] = [];
    let first: ConversationId | null = null;
    const all: Skipped[] = [];
    const brought: Told[] = [];
    // Handed over before the reading: where that fails, what it had left out by then is told as well.
    onSkipped(all);
    for await (const imported of importer.read(watched, {
      signal,
      skip: (s) => all.push(s),
      now: latest,
      onTold: (told) => brought.push(told),
    })) {
      signal.throwIfAborted();
      const plan = await planOf(imported);
      first ??= plan.id;
      idle.push(plan.state === 'unchanged' ? plan : undefined);
      bytes += plan.state === 'unchanged' ? 0 : plan.bytes;
      if (held) settle(plan);
    }
    if (first === null && !brought.some(holdsSomething)) {
      const damaged = all.some(({ reason }) => reason === 'malformed-line');
      throw new RecollectError(
        damaged ? 'import-broken' : 'import-empty',
        `There is no conversation in ${source.name}`,
        { params: { file: source.name } },
      );
    }

    // ROOM
    const given = await estimate();
    if (given && bytes * SPACE_FACTOR > given.quota - given.usage)
      throw new RecollectError('import-storage', 'There is no room for this import', {
        params: { needed: bytes * SPACE_FACTOR, available: Math.max(0, given.quota - given.usage) },
        retry: true,
      });
    const allowed = bytes > 0 ? await room?.() : undefined;
    if (allowed && allowed.used + bytes * SPACE_FACTOR > allowed.limit)
      throw new RecollectError('import-limit', 'The import would go beyond storage.max_size_mb', {
        params: {
          needed: inMegabytes(bytes * SPACE_FACTOR),
          used: inMegabytes(allowed.used),
          limit: inMegabytes(allowed.limit),
        },
        retry: true,
      });
    signal.throwIfAborted();

    // WRITE
    if (!held && bytes === 0) for (const plan of idle) if (plan) settle(plan);
    const touched =
      held || bytes === 0
        ? [...pending.keys()]
        : await appendInParts(importer.read(watched, { signal, skip: () => {}, now: latest }));
    if (held && pending.size > 0)
      await documents.changeMany(asChanges(pending), 'import').catch((error: unknown) => {
        throw takenBack(error);
      });
    if (touched.length > 0) onImported(touched);
    // The conversations are in and stay: what goes wrong from here on is told beside them.
    let told = 0;
    let failed: unknown;
    try {
      for (const one of brought) told += (await notes?.bring(one)) ?? 0;
    } catch (error) {
      failed = error;
    }
    const conversations = { added: 0, changed: 0, unchanged: 0 };
    for (const state of figures.values()) conversations[state] += 1;
    const figuresOf = { conversations, messages, branches, attachments, later, told };
    return { ...figuresOf, skipped: all, trashed: [...trashed], first, failed };

    /** Reads once more and appends as it goes. On failure or cancel all that was added is erased again, but what others have touched since. */
    async function appendInParts(read: AsyncIterable<ImportedConversation>): Promise<ConversationId[]> {
      const added = new Set<ConversationId>();
      const grown = new Set<ConversationId>();
      let size = 0;
      const write = async (which: Set<ConversationId>) => {
        const batch = new Map([...pending].filter(([id]) => which.has(id)));
        if (batch.size === 0) return;
        await documents.changeMany(asChanges(batch), 'import');
        for (const id of batch.keys()) {
          pending.delete(id);
          ids.add(id);
        }
        size = 0;
      };
      try {
        await unfinished?.keep(source.name);
        let at = 0;
        for await (const imported of read) {
          signal.throwIfAborted();
          const plan = idle[at++] ?? (await planOf(imported));
          settle(plan);
          if (plan.state === 'unchanged') continue;
          // Named before they are written: an append that fails half-way known must be undone as well.
          if (plan.state === 'added') added.add(plan.id);
          if (!added.has(plan.id)) grown.add(plan.id);
          else size += plan.bytes;
          if (size >= APPEND_BYTES) await write(added);
        }
        await write(added);
        signal.throwIfAborted();
        await write(grown);
      } catch (error) {
        const untouched = new Set(await documents.onlyImported([...added]));
        const kept = [...added].filter((id) => !untouched.has(id));
        if (untouched.size > 0) await documents.erase([...untouched]);
        await ended();
        if (kept.length === 0) throw takenBack(error);
        onKept(kept);
        throw error;
      }
      await ended();
      return [...added, ...grown];
    }
  }

  return {
    importFiles: async (files, signal) => {
      const reports: ImportReport[] = [];
      for (const source of groupFiles(files)) reports.push(...(await importSource(source, signal)));
      return reports;
    },
    reportInterrupted,
  };
}

/** Files that nobody reads, as one thing that was left out. */
function leftOver(files: readonly SourceFile[]): readonly Skipped[] {
  if (files.length === 0) return [];
  const named = files.slice(0, NAMED).map(({ path }) => path);
  const example = [...named.sort(), ...(files.length > NAMED ? ['…'] : [])].join(', ');
  return [{ reason: 'unread-file', count: files.length, example }];
}

/** The same source; what is read of it counts as progress. Bytes read for sniffing again do not count twice. */
function watch(source: Source, progress: Progress): Source {
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
