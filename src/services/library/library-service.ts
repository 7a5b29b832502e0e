// Brings history in and takes it out, keeps trash and samples. `Documents` is the only one that writes.
//
//   files ──► sources ──► sniff ──► read ──► plan (ids, what is new) ──► room? ──► changeMany ──► onImported
//
// All of a source is read and understood before anything of it is written. Up to HELD_BYTES it is then one durable append; a larger
// source is read a second time and appended in a few large ones, and if one of those fails, or the person cancels, what was added is
// erased again. Changes to conversations that are already here come last, in one append, so they never need undoing.
import type { ExportWords } from '../../adapters/exporters/exporter.ts';
import { EXPORTERS } from '../../adapters/exporters/index.ts';
import type {
  ImportedConversation,
  Importer,
  Skipped,
  Source,
  SourceFile,
} from '../../adapters/importers/importer.ts';
import { IMPORTERS } from '../../adapters/importers/index.ts';
import { chunksOf } from '../../adapters/importers/source-file.ts';
import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { until, writable } from '../../domain/base/readable.ts';
import { holdsSomething, type Told } from '../../domain/chat/archive.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { ConversationChange, Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { type Activities, createActivities, type Progress } from './activities.ts';
import { conversationIdOf, type ImportPlan, planImport } from './import-plan.ts';
import type { ImportReport, Library } from './library.ts';
import { inMegabytes, type Room } from './room.ts';
import { sampleConversations } from './samples.ts';
import { groupFiles, recognise } from './sources.ts';

/** Sources up to this size, unpacked, are held in memory and appended at once. */
export const HELD_BYTES = 64 * 1024 * 1024;
/** Size of one append of a larger source. */
const APPEND_BYTES = 4 * 1024 * 1024;
/** What a conversation takes in the end, compared with its words: log, rows, search columns. Vectors are not counted: they can wait. */
const ROOM_FACTOR = 3;
/** Export text that is handed to the browser as one piece. */
const BLOB_BYTES = 8 * 1024 * 1024;

export interface LibraryDeps {
  readonly documents: Documents;
  /** What the person told memory: part of a whole export, and of an import of it. */
  readonly notes?: Pick<Notes, 'state' | 'bring'>;
  /** Labels of what is exported to be read. */
  readonly words: ExportWords;
  readonly now?: () => number;
  /** Bytes used and allowed; null where the browser does not say. */
  readonly estimate?: () => Promise<{ usage: number; quota: number } | null>;
  /** Measures against `storage.max_size_mb`. */
  readonly room?: () => Promise<Room>;
  /** Where the time of the last whole export is kept, ms since 1970. */
  readonly backups?: { recall(): Promise<number | undefined>; keep(at: number): Promise<void> };
  /** Conversations that came in or grew: index them. */
  readonly onImported?: (ids: readonly ConversationId[]) => void;
  /** Long work of other services, shown in the same list. */
  readonly others?: NonNullable<Parameters<typeof createActivities>[0]['others']>;
  readonly importers?: readonly Importer[];
  readonly heldBytes?: number;
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
  importers = IMPORTERS,
  heldBytes = HELD_BYTES,
}: LibraryDeps): Library {
  const activities: Activities = createActivities({ now, ...(others ? { others } : {}) });

  const lastBackup = writable<number | null | undefined>(backups ? undefined : null);
  // Not being able to say when is no reason to trouble anybody: the next backup is noted again.
  backups?.recall().then(
    (at) => lastBackup.set(at ?? null),
    () => lastBackup.set(null),
  );

  /** Imports run one after the other: each sees what the one before brought. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };

  const entries = async () => (await until(documents.library, (library) => library.ready)).entries;

  // -------------------------------------------------------------------------------------------- import
  async function importSource(dropped: Source, signal: AbortSignal | undefined): Promise<ImportReport[]> {
    const started = performance.now();
    const empty = (): ImportReport => ({
      source: dropped.name,
      importer: null,
      conversations: { added: 0, changed: 0, unchanged: 0 },
      messages: NO_MESSAGES,
      branches: 0,
      attachments: 0,
      told: 0,
      skipped: [],
      tookMs: Math.round(performance.now() - started),
      problem: null,
      cancelled: false,
      first: null,
    });
    let importer: Importer | undefined;
    let skipped: readonly Skipped[] = [];
    try {
      return await activities.run(
        { label: 'import', params: { name: dropped.name }, total: 0 },
        async (progress) => {
          const found = await recognise(dropped, importers, progress.signal);
          if ('inside' in found) {
            const reports: ImportReport[] = [];
            for (const source of found.inside) reports.push(...(await importSource(source, progress.signal)));
            return reports;
          }
          importer = found.importer;
          const result = await importWith(found.importer, found.source, progress, (all) => {
            skipped = all;
          });
          return [{ ...empty(), ...result, importer: found.importer.id }];
        },
        signal,
      );
    } catch (error) {
      const stopped = isAbort(error);
      return [
        {
          ...empty(),
          importer: importer?.id ?? null,
          skipped,
          cancelled: stopped,
          problem: stopped ? null : toProblem(error),
        },
      ];
    }
  }

  async function importWith(
    importer: Importer,
    source: Source,
    progress: Progress,
    onSkipped: (skipped: readonly Skipped[]) => void,
  ): Promise<
    Pick<
      ImportReport,
      'conversations' | 'messages' | 'branches' | 'attachments' | 'told' | 'skipped' | 'first'
    >
  > {
    const { signal } = progress;
    const size = source.files.reduce((sum, file) => sum + file.size, 0);
    const held = size <= heldBytes;
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

    const planOf = async (imported: ImportedConversation): Promise<ImportPlan> => {
      const key = sourceKey(imported.source.tool, imported.source.id);
      const id = imported.own?.id ?? here.get(key) ?? conversationIdOf(imported);
      const existing = ids.has(id) ? await documents.read(id) : undefined;
      const plan = planImport(imported, { id, existing, parent: parentOf(imported) });
      here.set(key, id);
      if (plan.callers.size > 0) callers.set(key, plan.callers);
      return plan;
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
    const figures = { added: 0, changed: 0, unchanged: 0 };
    const messages: Record<Role, number> = { ...NO_MESSAGES };
    let [branches, attachments, bytes] = [0, 0, 0];
    let first: ConversationId | null = null;
    const plans: ImportPlan[] = [];
    const all: Skipped[] = [];
    /** A source may hold a conversation twice, in overlapping exports: the second adds what the first lacks. */
    const planned = new Set<ConversationId>();
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
      if (!planned.has(plan.id)) {
        planned.add(plan.id);
        figures[plan.state] += 1;
        for (const role of Object.keys(messages) as Role[]) messages[role] += plan.roles[role];
        branches += plan.branches;
        attachments += plan.attachments;
      }
      bytes += plan.state === 'unchanged' ? 0 : plan.bytes;
      if (held && plan.state !== 'unchanged') plans.push(plan);
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
    if (given && bytes * ROOM_FACTOR > given.quota - given.usage)
      throw new RecollectError('import-storage', 'There is no room for this import', {
        params: { needed: bytes * ROOM_FACTOR, available: Math.max(0, given.quota - given.usage) },
        retry: true,
      });
    const allowed = bytes > 0 ? await room?.() : undefined;
    if (allowed && allowed.used + bytes * ROOM_FACTOR > allowed.limit)
      throw new RecollectError('import-limit', 'The import would go beyond storage.max_size_mb', {
        params: {
          needed: inMegabytes(bytes * ROOM_FACTOR),
          used: inMegabytes(allowed.used),
          limit: inMegabytes(allowed.limit),
        },
        retry: true,
      });
    signal.throwIfAborted();

    // WRITE
    const touched: ConversationId[] = held
      ? plans.map(({ id }) => id)
      : await appendInParts(importer.read(watched, { signal, skip: () => {}, now: latest }), planOf, signal);
    if (held && plans.length > 0)
      await documents.changeMany(merged(plans), 'import').catch((error: unknown) => {
        throw takenBack(error);
      });
    if (touched.length > 0) onImported([...new Set(touched)]);
    let told = 0;
    for (const one of brought) told += (await notes?.bring(one)) ?? 0;
    return { conversations: figures, messages, branches, attachments, told, skipped: all, first };
  }

  /** Reads once more and appends as it goes. On failure or cancel everything that was added is erased again. */
  async function appendInParts(
    conversations: AsyncIterable<ImportedConversation>,
    planOf: (imported: ImportedConversation) => Promise<ImportPlan>,
    signal: AbortSignal,
  ): Promise<ConversationId[]> {
    const added: ConversationId[] = [];
    const grown: ImportPlan[] = [];
    let batch: ImportPlan[] = [];
    let bytes = 0;
    const write = async () => {
      // Named before they are written: an append that fails half-way known must be undone as well.
      added.push(...batch.map(({ id }) => id));
      await documents.changeMany(merged(batch), 'import');
      [batch, bytes] = [[], 0];
    };
    try {
      for await (const imported of conversations) {
        signal.throwIfAborted();
        const plan = await planOf(imported);
        if (plan.state === 'unchanged') continue;
        if (plan.state === 'changed') {
          grown.push(plan);
          continue;
        }
        batch.push(plan);
        bytes += plan.bytes;
        if (bytes >= APPEND_BYTES) await write();
      }
      if (batch.length > 0) await write();
      signal.throwIfAborted();
      if (grown.length > 0) await documents.changeMany(merged(grown), 'import');
    } catch (error) {
      if (added.length > 0) await documents.erase([...new Set(added)]);
      throw takenBack(error);
    }
    return [...added, ...grown.map(({ id }) => id)];
  }

  // -------------------------------------------------------------------------------------------- export
  async function exportConversations(
    wanted: readonly ConversationId[] | 'all',
    format: 'json' | 'markdown',
    signal?: AbortSignal,
  ) {
    const exporter = EXPORTERS[format];
    const listed = await entries();
    // A backup holds the trash too; what is meant for reading does not.
    const chosen =
      wanted === 'all'
        ? listed.filter((entry) => format === 'json' || entry.deletedAt === null).map(({ id }) => id)
        : wanted;
    const told = wanted === 'all' && notes ? await until(notes.state, ({ ready }) => ready) : undefined;
    return activities.run(
      { label: 'export', params: { name: exporter.label }, total: chosen.length },
      async (progress) => {
        let title = '';
        async function* conversations(): AsyncGenerator<Conversation> {
          for (const id of chosen) {
            progress.signal.throwIfAborted();
            const conversation = await documents.read(id);
            progress.add(1);
            if (!conversation) continue;
            title = conversation.meta.title;
            yield conversation;
          }
        }
        // For readers the notes are a file of their own.
        const count = chosen.length + (format === 'markdown' && holdsSomething(told) ? 1 : 0);
        const mediaType = exporter.mediaType(count);
        // Handed over piece by piece: the browser may keep finished pieces outside this tab's memory.
        const pieces: Blob[] = [];
        let open: Uint8Array<ArrayBuffer>[] = [];
        let bytes = 0;
        const close = () => {
          if (open.length > 0) pieces.push(new Blob(open));
          [open, bytes] = [[], 0];
        };
        const at = now();
        for await (const piece of exporter.write(conversations(), {
          count,
          now: at,
          signal: progress.signal,
          words,
          ...(told ? { told: { notes: told.notes, feedback: told.feedback } } : {}),
        })) {
          open.push(piece as Uint8Array<ArrayBuffer>);
          bytes += piece.length;
          if (bytes >= BLOB_BYTES) close();
        }
        close();
        if (wanted === 'all' && format === 'json') {
          lastBackup.set(at);
          await backups?.keep(at).catch(() => {});
        }
        const day = new Date(at).toISOString().slice(0, 10);
        const stem = count === 1 && format === 'markdown' ? fileStem(title) : '';
        return {
          name: `${stem || `recollect-${day}`}.${exporter.extension(count)}`,
          mediaType,
          blob: new Blob(pieces, { type: mediaType }),
        };
      },
      signal,
    );
  }

  // -------------------------------------------------------------------------------------------- changes
  const changeAll = async (ids: readonly ConversationId[], change: ConversationChange) => {
    const there = new Set((await entries()).map((entry) => entry.id));
    const known = [...new Set(ids)].filter((id) => there.has(id));
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

    importFiles: (files: readonly SourceFile[], signal) =>
      inTurn(async () => {
        const reports: ImportReport[] = [];
        for (const source of groupFiles(files)) reports.push(...(await importSource(source, signal)));
        return reports;
      }),

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
        const plans: ImportPlan[] = [];
        for (const sample of sampleConversations(now())) {
          const known = bySource.get(sourceKey(sample.source.tool, sample.source.id));
          if (known !== undefined) {
            if (there.get(known)?.deletedAt != null)
              await documents.change(known, { meta: { deletedAt: null } });
            continue;
          }
          const id = conversationIdOf(sample);
          plans.push(planImport(sample, { id, parent: null }));
        }
        if (plans.length > 0) {
          await documents.changeMany(merged(plans), 'import');
          onImported(plans.map(({ id }) => id));
        }
        return plans.length;
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
        if (made.length > 0) await documents.erase(made);
        return made.length;
      }),

    setMeta: (ids, meta) =>
      changeAll(ids, { meta: meta.title === undefined ? meta : { ...meta, titleBy: 'person' } }),
    remove: (ids) => changeAll(ids, { meta: { deletedAt: now() } }),
    restore: (ids) => changeAll(ids, { meta: { deletedAt: null } }),
    erase: async (ids) => {
      if (ids.length > 0) await documents.erase(ids);
    },
  };
}

const sourceKey = (tool: string, id: string): string => `${tool}\n${id}`;

/** One change per conversation: the documents want each named once. */
function merged(plans: readonly ImportPlan[]): { id: ConversationId; change: ConversationChange }[] {
  const changes = new Map<ConversationId, ConversationChange>();
  for (const { id, change } of plans) {
    const before = changes.get(id);
    if (!before) {
      changes.set(id, change);
      continue;
    }
    const messages = new Map((before.messages ?? []).map((message) => [message.id, message]));
    for (const message of change.messages ?? []) messages.set(message.id, message);
    changes.set(id, {
      messages: [...messages.values()],
      meta: { ...before.meta, ...change.meta },
      checkpoints: { ...before.checkpoints, ...change.checkpoints },
      compactions: { ...before.compactions, ...change.compactions },
    });
  }
  return [...changes].map(([id, change]) => ({ id, change }));
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
        for await (const chunk of chunksOf(file, signal)) {
          progress.add(chunk.length);
          yield chunk;
        }
      },
    })),
  };
}

/** A title as the name of a file. */
const fileStem = (title: string): string =>
  [
    ...title
      .replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, 60)
    .join('')
    .trim();
