// Exports conversations as one file.
import type { ExportWords } from '../../adapters/exporters/exporter.ts';
import { EXPORTERS } from '../../adapters/exporters/index.ts';
import { type Problem, RecollectError, toError } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { localDay } from '../../domain/base/time.ts';
import { hasNotesOrFeedback } from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { fileStem } from '../../domain/text/shown.ts';
import type { Documents, LibraryEntry } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { readableExport } from '../privacy/readable-export.ts';
import type { Prompts, PromptsState } from '../prompts/prompts.ts';
import type { Activities } from './activities.ts';
import type { Library } from './library.ts';

/** Export text is handed to the browser in pieces of this size, bytes. */
const BLOB_BYTES = 8 * 1024 * 1024;

export interface ExportingDeps {
  readonly documents: Pick<Documents, 'read'>;
  readonly notes: Pick<Notes, 'known' | 'failure'> | undefined;
  readonly prompts: Pick<Prompts, 'known' | 'failure'> | undefined;
  readonly activities: Pick<Activities, 'run'>;
  /** Resolves with all entries, once the library was read. */
  readonly entries: () => Promise<readonly LibraryEntry[]>;
  /** Labels in exports for people. */
  readonly words: ExportWords;
  readonly now: () => number;
  /** Puts placeholders for private words into an export for people; null: the person wants their words. */
  readonly forReading?: (() => ReturnType<typeof readableExport> | null) | undefined;
  /** Notes the time of a whole export, ms since 1970. Never rejects. */
  readonly onBackup: (at: number) => Promise<void>;
}

/** Makes `Library.exportConversations`. */
export function createExporting({
  documents,
  notes,
  prompts,
  activities,
  entries,
  words,
  now,
  forReading,
  onBackup,
}: ExportingDeps): Library['exportConversations'] {
  return async function exportConversations(
    wanted: readonly ConversationId[] | 'all',
    format: 'json' | 'markdown',
    signal?: AbortSignal,
  ) {
    const exporter = EXPORTERS[format];
    const hidden = format === 'markdown' ? (forReading?.() ?? null) : null;
    const listed = await entries();
    // A backup includes the trash; an export for people does not.
    const chosen =
      wanted === 'all'
        ? listed.filter((entry) => format === 'json' || entry.deletedAt === null).map(({ id }) => id)
        : wanted;
    const known = wanted === 'all' && notes ? await wholeStateOf(notes) : undefined;
    const notesAndFeedback = known && hidden ? await hidden.value(known) : known;
    const prompted = wanted === 'all' && prompts ? await wholeStateOf(prompts) : undefined;
    const saved = prompted && hidden ? await hidden.value(prompted) : prompted;
    return activities.run(
      { label: 'export', params: { name: exporter.label }, total: chosen.length },
      async (progress) => {
        let title = '';
        async function* conversations(): AsyncGenerator<Conversation> {
          for (const id of chosen) {
            progress.signal.throwIfAborted();
            const found = await documents.read(id);
            progress.add(1);
            if (!found) continue;
            const conversation = hidden ? await hidden.conversation(found) : found;
            title = conversation.meta.title;
            yield conversation;
          }
        }
        // An export for people has the notes as a file of their own.
        const count = chosen.length + (format === 'markdown' && hasNotesOrFeedback(notesAndFeedback) ? 1 : 0);
        const mediaType = exporter.mediaType(count);
        // Piece by piece: the browser may keep finished pieces outside this tab's memory.
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
          ...(notesAndFeedback
            ? {
                notesAndFeedback: {
                  notes: notesAndFeedback.notes,
                  feedback: notesAndFeedback.feedback,
                  ...savedWords(saved),
                },
              }
            : {}),
        })) {
          open.push(piece as Uint8Array<ArrayBuffer>);
          bytes += piece.length;
          if (bytes >= BLOB_BYTES) close();
        }
        close();
        if (wanted === 'all' && format === 'json') await onBackup(at);
        const day = localDay(at);
        const stem = count === 1 && format === 'markdown' ? fileStem(title) : '';
        return {
          name: `${stem || `recollect-${day}`}.${exporter.extension(count)}`,
          mediaType,
          blob: new Blob(pieces, { type: mediaType }),
        };
      },
      signal,
    );
  };
}

const savedWords = (saved: PromptsState | undefined) =>
  saved ? { prompts: saved.prompts, personas: saved.personas } : {};

/**
 * Waits for writes under way, then returns all. A failed read is repeated; fails with
 * its problem rather than leave them out.
 */
async function wholeStateOf<State extends { readonly ready: boolean }>(part: {
  known(): Promise<State>;
  readonly failure: Readable<Problem | null>;
}): Promise<State> {
  const state = await part.known();
  const problem = part.failure.get();
  if (!state.ready)
    throw problem ? toError(problem) : new RecollectError('storage-failed', 'It was not read');
  return state;
}
