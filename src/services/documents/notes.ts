// What a person told memory, as opposed to what was said in conversations: notes to keep, and feedback on what was recalled.
// Synced facts: one small Yjs document in the log, read whole.
//   n   note id -> note as JSON                       (last writer wins, note by note)
//   f   feedback id -> feedback as JSON
// Keys and values that this version does not know are left where they are.
import { v7 } from 'uuid';
import * as Y from 'yjs';
import { z } from 'zod';
import type { Store } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { NOTES_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { Known } from '../../domain/chat/message.ts';

/** Longest note, characters. */
export const MAX_NOTE = 4000;
/** The document is folded when this many entries have piled up on it. */
const FOLD_AFTER = 200;

const noteSchema = z.looseObject({
  id: z.string(),
  text: z.string(),
  /** ms since 1970 */
  createdAt: z.number(),
  updatedAt: z.number(),
  by: z.enum(['person', 'model']).catch('person'),
  /** The message it was taken from, where there is one. */
  source: z.looseObject({ conversationId: z.string(), messageId: z.string() }).nullable().catch(null),
});
/** Something to be remembered in words of its own; recalled before passages. */
export type MemoryNote = Known<z.infer<typeof noteSchema>>;

const feedbackSchema = z.looseObject({
  id: z.string(),
  conversationId: z.string(),
  messageId: z.string(),
  /** `pinned`: rather than others; `never`: not any more; `not-related`: not for `query` and what is like it. */
  verdict: z.enum(['pinned', 'never', 'not-related']),
  query: z.string().nullable().catch(null),
  /** What of the message was shown, for the list: at most 300 characters. */
  passage: z.string().catch(''),
  title: z.string().catch(''),
  /** ms since 1970 */
  at: z.number(),
});
/** What a person said of a passage that memory brought back. */
export type Feedback = Known<z.infer<typeof feedbackSchema>>;

export interface NotesState {
  /** False until the log was read once. */
  readonly ready: boolean;
  /** Newest first. */
  readonly notes: readonly MemoryNote[];
  /** Newest first. */
  readonly feedback: readonly Feedback[];
}

export interface Notes {
  readonly state: Readable<NotesState>;
  /**
   * Keeps a note; with the `id` of one that is there, its words are replaced (its birth and source stay). Resolves when it is durable.
   * Throws `note-empty`, `note-too-long`, `storage-full`, `storage-failed`: then nothing was changed.
   */
  write(note: {
    readonly text: string;
    readonly id?: string;
    readonly by?: MemoryNote['by'];
    readonly source?: MemoryNote['source'];
    readonly createdAt?: number;
  }): Promise<MemoryNote>;
  /** Removes a note for good. Unknown: nothing happens. */
  remove(id: string): Promise<void>;
  /** Keeps the verdict: one of pinned and never a message, and any number of not-related for different questions. */
  judge(verdict: Omit<Feedback, 'id' | 'at'>): Promise<Feedback>;
  /** Takes a verdict back. */
  takeBack(id: string): Promise<void>;
  close(): void;
}

/** Reads the document at once and follows it; what other tabs and devices write appears by itself. */
export function createNotes({
  store: { log },
  now,
  onProblem = () => undefined,
}: {
  store: Pick<Store, 'log'>;
  now: () => number;
  onProblem?: (problem: Problem) => void;
}): Notes {
  const doc = new Y.Doc();
  const n = doc.getMap<unknown>('n');
  const f = doc.getMap<unknown>('f');
  const state = writable<NotesState>({ ready: false, notes: [], feedback: [] });
  const applied = new Set<string>();
  // One author a tab: a new one for each change would stay in the document for ever.
  const author = new Y.Doc().clientID;
  let closed = false;
  let entries = 0;
  let line: Promise<unknown> = Promise.resolve();

  const announce = () =>
    state.set({
      ready: true,
      notes: all(n, noteSchema).sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)),
      feedback: all(f, feedbackSchema).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
    });

  /** Applies what the log has and this tab has not. */
  async function read(): Promise<void> {
    const kept = await log.read(NOTES_DOCUMENT);
    entries = kept.length;
    for (const entry of kept) {
      if (applied.has(entry.id)) continue;
      applied.add(entry.id);
      try {
        Y.applyUpdate(doc, entry.bytes, 'log');
      } catch (cause) {
        onProblem(
          toProblem(
            new RecollectError('damaged-entry', `Entry ${entry.seq} of the memory notes cannot be read`, {
              params: { seq: entry.seq, document: NOTES_DOCUMENT },
              cause,
            }),
          ),
        );
      }
    }
    announce();
  }

  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const result = line.then(work);
    line = result.catch(() => undefined);
    return result;
  };

  /** Shown once it is durable: the change is made on a copy, so that a failure leaves nothing behind. */
  const change = (make: (notes: Y.Map<unknown>, feedback: Y.Map<unknown>) => void): Promise<void> =>
    inLine(async () => {
      const copy = new Y.Doc();
      Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
      copy.clientID = author;
      let bytes: Uint8Array | undefined;
      copy.on('update', (update: Uint8Array) => {
        bytes = update;
      });
      copy.transact(() => make(copy.getMap('n'), copy.getMap('f')));
      copy.destroy();
      if (!bytes) return;
      const id = newEntryId();
      await log.append([{ id, document: NOTES_DOCUMENT, origin: 'user', bytes }]);
      applied.add(id);
      Y.applyUpdate(doc, bytes, 'log');
      entries += 1;
      announce();
      await fold();
    });

  /** Folds what the log has; an entry that does not decode must survive as it is, then nothing is folded. */
  async function fold(): Promise<void> {
    if (entries < FOLD_AFTER) return;
    const kept = await log.read(NOTES_DOCUMENT);
    const last = kept.at(-1);
    if (!last) return;
    const whole = new Y.Doc();
    try {
      for (const entry of kept) Y.applyUpdate(whole, entry.bytes);
      await log.fold(NOTES_DOCUMENT, Y.encodeStateAsUpdate(whole), last.seq);
      entries = 1;
    } catch (error) {
      onProblem(toProblem(error));
    } finally {
      whole.destroy();
    }
  }

  const follow = () => {
    if (!closed) inLine(read).catch((error) => onProblem(toProblem(error)));
  };
  const stop = log.subscribe((changed) => {
    if (changed.documents.includes(NOTES_DOCUMENT) && changed.foreign) follow();
  });
  follow();

  return {
    state,
    write: async ({ text, id, by = 'person', source = null, createdAt }) => {
      const words = text.trim();
      if (words === '') throw new RecollectError('note-empty', 'A memory note needs words.');
      if (words.length > MAX_NOTE)
        throw new RecollectError('note-too-long', `A memory note has at most ${MAX_NOTE} characters.`, {
          params: { length: words.length, limit: MAX_NOTE },
        });
      let note: MemoryNote | undefined;
      await change((notes) => {
        const before = id === undefined ? undefined : noteSchema.safeParse(notes.get(id)).data;
        const at = now();
        note = before
          ? { ...before, text: words, updatedAt: at }
          : { id: id ?? v7(), text: words, createdAt: createdAt ?? at, updatedAt: at, by, source };
        if (before?.text !== words) notes.set(note.id, plain(note));
      });
      return note as MemoryNote;
    },
    remove: (id) => change((notes) => notes.delete(id)),
    judge: async (verdict) => {
      const made: Feedback = {
        ...verdict,
        passage: verdict.passage.slice(0, 300),
        id:
          verdict.verdict === 'not-related'
            ? `${verdict.messageId} ${normal(verdict.query ?? '')}`
            : verdict.messageId,
        at: now(),
      };
      await change((_, feedback) => feedback.set(made.id, plain(made)));
      return made;
    },
    takeBack: (id) => change((_, feedback) => feedback.delete(id)),
    close: () => {
      closed = true;
      stop();
      doc.destroy();
    },
  };
}

/** One damaged value costs only itself. */
function all<T>(map: Y.Map<unknown>, schema: z.ZodType<T>): T[] {
  return [...map.values()].flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

const normal = (query: string): string =>
  query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().slice(0, 200);

/** JSON as Yjs stores it: no undefined, nothing shared with the caller. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
