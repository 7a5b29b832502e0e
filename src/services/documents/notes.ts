// What a person told memory, as opposed to what was said in conversations: notes to keep, and feedback on what was recalled.
// Synced facts: one small Yjs document in the log, read whole.
//   n   key -> one wording of a note as JSON          (the note's id, or a random key where it was rewritten: see `wordingsOf`)
//   f   feedback id -> feedback as JSON
//   x, k   what was forgotten for good: `forgotten-records.ts`
//   p, d, w   what is proposed to memory, and what became of it: see `proposals.ts`
// Keys and values that this version does not know are left where they are.

import { v7 } from 'uuid';
import * as Y from 'yjs';
import type { z } from 'zod';
import type { ConversationLog, Store } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { NOTES_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import type { Confirmation, Forgotten } from '../../domain/forget/sought.ts';
import {
  type Feedback,
  feedbackSchema,
  isAbout,
  isOfNote,
  MAX_JUDGED,
  type MemoryNote,
  noteSchema,
  type Proposal,
  proposalId,
  subjectOf,
  type Wording,
  wordingsOf,
} from '../../domain/memory/notes.ts';
import type { NoteKind } from '../../domain/memory/recognition/kinds.ts';
import type { PurgeRules } from './documents.ts';
import {
  type ForgottenRecord,
  readForgotten,
  writeConfirmation,
  writeForgotten,
} from './forgotten-records.ts';
import { hasGaps, withoutGaps } from './gaps.ts';
import {
  addProposals,
  decideOn,
  EMPTY_INBOX,
  type Inbox,
  proposalMapsOf,
  readInbox,
  withdraw,
  withdrawForgotten,
} from './proposals.ts';

export type { Feedback, MemoryNote, Proposal };

/** Longest note, characters. */
export const MAX_NOTE = 4000;
/** The document is folded when this many entries have piled up on it. */
const FOLD_AFTER = 200;

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
   * What is told by now, with what is still being written down: that counts as soon as it is durable. Whoever ranks or sends by it asks here,
   * so that nothing comes back that the person forbade a moment ago. Reads the log again where that failed before. Rejects never.
   */
  known(): Promise<NotesState>;
  /**
   * Keeps a note; with the `id` of one that is there, its words are replaced (its birth and source stay). What another note says word for
   * word is not kept a second time: that one is returned. `over`: the note as the writer saw it; where it reads otherwise by now, both
   * wordings are kept. Resolves when it is durable.
   * Throws `note-empty`, `note-too-long`, `storage-full`, `storage-failed`: then nothing was changed.
   */
  write(note: {
    readonly text: string;
    readonly id?: string;
    readonly over?: MemoryNote;
    readonly by?: MemoryNote['by'];
    readonly source?: MemoryNote['source'];
    readonly createdAt?: number;
    readonly kind?: NoteKind | undefined;
    readonly project?: string | undefined;
    readonly since?: number | undefined;
  }): Promise<MemoryNote>;
  /** Changes what is said about a note and not its words; `undefined` takes a detail away. Unknown: nothing happens. */
  revise(id: string, details: Partial<NoteDetails>): Promise<void>;
  /** Makes one note of two: `keep` stays, in the words given, `other` goes into what it was before. Unknown: nothing happens. */
  merge(keep: string, other: string, text: string): Promise<void>;
  readonly inbox: Readable<Inbox>;
  /** Puts sentences into the inbox that are not there and were never decided on, of kinds that are wanted. Returns how many are new. */
  propose(sentences: readonly Omit<Proposal, 'id'>[]): Promise<number>;
  /**
   * Makes a note of a proposal. `over`: the note that it takes the place of, whose words stay as what it was before.
   * `project` null: it holds everywhere. Null where it is not open
   * any more: somebody decided on another device. Throws as `write` does.
   */
  accept(
    id: string,
    as?: {
      readonly text?: string;
      readonly kind?: NoteKind;
      readonly project?: string | null;
      readonly over?: string;
    },
  ): Promise<MemoryNote | null>;
  /** They are not asked about again. */
  refuse(ids: readonly string[]): Promise<void>;
  /** Takes a decision back: the proposal is open again. */
  reopen(proposal: Proposal): Promise<void>;
  /** Whether sentences of a kind are proposed. Those that wait are hidden, and come back when it is allowed again. */
  setWanted(kind: NoteKind, wanted: boolean): Promise<void>;
  /** Takes out proposals whose message is gone. `isGone` is asked of each one's source. */
  withdraw(isGone: (source: Proposal['source']) => boolean): Promise<void>;
  /** Removes a note for good, and what was said of it. Returns what was removed, for `bring`. Unknown: nothing happens. */
  remove(id: string): Promise<Pick<NotesState, 'notes' | 'feedback'>>;
  /**
   * Settles what was worded in two ways at once, by the `id` of one wording. `alone`: it is the note, and the others go. `apart`: it becomes a
   * note of its own. Unknown: nothing happens.
   */
  settle(id: string, how: 'alone' | 'apart'): Promise<void>;
  /** Keeps the verdict: one of pinned and never a message, and any number of not-related for different questions. */
  judge(verdict: Omit<Feedback, 'id' | 'at'>): Promise<Feedback>;
  /** Takes a verdict back. */
  takeBack(id: string): Promise<void>;
  /** Conversations were erased for good: what was said of their passages goes with their words, from the log too. */
  forget(conversations: readonly string[]): Promise<void>;
  /** Records of what was forgotten for good, newest first. Empty until the log was read once. */
  readonly forgotten: Readable<readonly ForgottenRecord[]>;
  /** Keeps the record; durable when resolved. */
  record(forgotten: Forgotten): Promise<void>;
  /** This device did what the record asks. */
  confirm(id: string, device: string, confirmation: Confirmation): Promise<void>;
  /**
   * Takes out notes that came from something that is gone, what was said of its passages, and the words that the rules hide. `whole`: a note
   * with such words goes as a whole. Returns how many were removed or changed.
   */
  takeOut(rules: PurgeRules, whole: boolean): Promise<number>;
  /** Adds what an export brought and this library lacks; of a note that is there, the later words stay. Returns how many it added or changed. */
  bring(brought: {
    readonly notes: readonly MemoryNote[];
    readonly feedback: readonly Feedback[];
  }): Promise<number>;
  close(): void;
}

/** What can be said about a note beside its words. */
type NoteDetails = Pick<MemoryNote, 'kind' | 'project' | 'since' | 'until' | 'applies' | 'against'>;

interface SyncedNotesDeps {
  readonly store: Pick<Store, 'log'>;
  readonly now: () => number;
  readonly onProblem?: (problem: Problem) => void;
}

/** Reads the document at once and follows it; what other tabs and devices write appears by itself. */
export function createNotes(deps: SyncedNotesDeps): Notes {
  return new SyncedNotes(deps);
}

class SyncedNotes implements Notes {
  readonly #deps: SyncedNotesDeps;
  readonly #log: ConversationLog;
  readonly #onProblem: NonNullable<SyncedNotesDeps['onProblem']>;
  readonly #doc = new Y.Doc();
  readonly state = writable<NotesState>({ ready: false, notes: [], feedback: [] });
  readonly forgotten = writable<readonly ForgottenRecord[]>([]);
  readonly inbox = writable<Inbox>(EMPTY_INBOX);
  readonly #applied = new Set<string>();
  // One author a tab: a new one for each change would stay in the document for ever.
  readonly #author = new Y.Doc().clientID;
  #closed = false;
  /** The log was read once: before that nothing is known, which is not the same as nothing being there. */
  #isRead = false;
  #entries = 0;
  /** Something did not decode. */
  #damaged = false;
  readonly #queue = new SerialQueue();
  readonly #stop: () => void;

  constructor(deps: SyncedNotesDeps) {
    this.#deps = deps;
    const {
      store: { log },
      onProblem = () => undefined,
    } = deps;
    this.#log = log;
    this.#onProblem = onProblem;
    this.#stop = this.#log.subscribe((changed) => {
      if (changed.documents.includes(NOTES_DOCUMENT) && changed.foreign) this.#follow();
    });
    this.#follow();
  }

  readonly known: Notes['known'] = async () => {
    await this.#queue.idle();
    if (!this.#isRead)
      await this.#queue.run(() => this.#read()).catch((error) => this.#onProblem(toProblem(error)));
    return this.state.get();
  };

  readonly write: Notes['write'] = async ({
    text,
    over,
    id = over?.id,
    by = 'person',
    source = null,
    createdAt,
    kind,
    project,
    since,
  }) => {
    const words = checked(text);
    let note: MemoryNote | undefined;
    await this.#change((notes) => {
      const all = wordingsIn(notes);
      const named = all.find(({ note }) => (id === undefined ? note.text === words : note.id === id));
      const same = named && all.filter((one) => groupOf(one) === groupOf(named));
      // What came in while somebody was writing is not what they meant to replace.
      const before = over ? same?.find(({ note }) => note.text === over.text) : named;
      const at = this.#deps.now();
      if (before?.note.text === words) {
        note = before.note;
        return;
      }
      note = before
        ? { ...before.note, text: words, updatedAt: at }
        : {
            id: id ?? v7(),
            text: words,
            createdAt: over?.createdAt ?? createdAt ?? at,
            updatedAt: at,
            by,
            source,
            ...details({ kind, project, since }),
          };
      if (before || over) put(notes, note, before?.keys ?? []);
      else notes.set(note.id, plain(note));
    });
    return note as MemoryNote;
  };

  readonly remove: Notes['remove'] = async (id) => {
    const removed = { notes: [] as MemoryNote[], feedback: [] as Feedback[] };
    await this.#change((notes, feedback) => {
      const all = wordingsIn(notes);
      const gone = all.find(({ note }) => note.id === id);
      if (!gone) return;
      for (const key of gone.keys) notes.delete(key);
      const [left] = all.filter((one) => one !== gone && groupOf(one) === groupOf(gone));
      if (left) {
        // Kept anew: who takes this one out elsewhere at the same time, and keeps the other, takes no more than they see.
        put(notes, left.note, left.keys);
        removed.notes = [{ ...gone.note, id: v7(), beside: groupOf(gone) }];
        return;
      }
      removed.notes = [gone.note];
      removed.feedback = feedbackIn(feedback).filter((one) => isOfNote(one, id));
      for (const one of removed.feedback) feedback.delete(one.id);
    });
    return removed;
  };

  readonly settle: Notes['settle'] = (id, how) =>
    this.#change((notes) => {
      const all = wordingsIn(notes);
      const meant = all.find(({ note }) => note.id === id);
      if (!meant) return;
      const others = all.filter((one) => one !== meant && groupOf(one) === groupOf(meant));
      if (others.length === 0) return;
      if (how === 'alone')
        put(
          notes,
          meant.note,
          [meant, ...others].flatMap(({ keys }) => keys),
        );
      else if (meant.note.beside !== undefined) {
        const { beside: _, ...apart } = meant.note;
        for (const key of meant.keys) notes.delete(key);
        // Under the key it has: two devices that settle it so at once make one note.
        notes.set(apart.id, plain(apart));
      }
    });

  readonly judge: Notes['judge'] = async (verdict) => {
    const made: Feedback = {
      ...verdict,
      passage: verdict.passage.slice(0, MAX_JUDGED),
      id:
        verdict.verdict === 'not-related'
          ? `${verdict.messageId} ${normal(verdict.query ?? '')}`
          : subjectOf(verdict),
      at: this.#deps.now(),
    };
    await this.#change((_, feedback) => {
      // Earlier versions named a verdict on a note after one of its wordings.
      if (made.verdict !== 'not-related')
        for (const one of feedbackIn(feedback))
          if (one.verdict !== 'not-related' && isAbout(one, made)) feedback.delete(one.id);
      feedback.set(made.id, plain(made));
    });
    return made;
  };

  readonly takeBack: Notes['takeBack'] = (id) => this.#change((_, feedback) => feedback.delete(id));

  readonly forget: Notes['forget'] = (conversations) => {
    const gone = new Set(conversations);
    return this.#change((_, feedback, doc) => {
      withdraw(proposalMapsOf(doc), ({ conversationId }) => gone.has(conversationId));
      for (const [id, value] of [...feedback]) {
        const about = feedbackSchema.safeParse(value).data?.conversationId;
        if (about !== undefined && gone.has(about)) feedback.delete(id);
      }
    }, 1);
  };

  readonly record: Notes['record'] = (record) => this.#change((_, __, copy) => writeForgotten(copy, record));

  readonly confirm: Notes['confirm'] = (id, device, confirmation) =>
    this.#change((_, __, copy) => writeConfirmation(copy, id, device, confirmation));

  readonly takeOut: Notes['takeOut'] = async (rules, whole) => {
    let count = 0;
    await this.#change((notes, feedback, doc) => {
      count = takeOutOf(notes, feedback, rules, { whole, at: this.#deps.now() });
      count += withdrawForgotten(proposalMapsOf(doc), rules);
    }, 1);
    return count;
  };

  readonly bring: Notes['bring'] = async (brought) => {
    let count = 0;
    await this.#change((notes, feedback) => {
      for (const note of brought.notes) {
        const before = wordingsIn(notes).find((one) => one.note.id === note.id);
        if (before && before.note.updatedAt >= note.updatedAt) continue;
        if (before) put(notes, { ...note, beside: before.note.beside }, before.keys);
        else notes.set(note.id, plain(kept(note)));
        count += 1;
      }
      for (const one of brought.feedback) {
        if (feedback.has(one.id)) continue;
        feedback.set(one.id, plain(one));
        count += 1;
      }
    });
    return count;
  };

  readonly revise: Notes['revise'] = (id, changed) =>
    this.#change((notes) => {
      const wording = wordingsIn(notes).find(({ note }) => note.id === id);
      if (!wording) return;
      // Under the key it has: the words are the same, so nothing of two devices is lost by it.
      for (const key of wording.keys) {
        const known = noteSchema.safeParse(notes.get(key)).data;
        if (known) notes.set(key, plain({ ...known, ...changed }));
      }
    });

  readonly merge: Notes['merge'] = (keep, other, text) =>
    this.#change((notes) => {
      const all = wordingsIn(notes);
      const [kept, gone] = [keep, other].map((id) => all.find(({ note }) => note.id === id));
      if (!kept || !gone || kept === gone) return;
      for (const key of gone.keys) notes.delete(key);
      const at = this.#deps.now();
      const past = [...pastOf(gone.note, at), ...pastOf(kept.note, at, text)];
      put(
        notes,
        { ...kept.note, text: text.trim() || kept.note.text, updatedAt: at, before: byTime(past) },
        kept.keys,
      );
    });

  readonly propose: Notes['propose'] = async (sentences) => {
    let count = 0;
    const all = sentences.map((one) => ({ ...one, id: proposalId(one.text) }));
    await this.#change((_notes, _feedback, doc) => {
      count = addProposals(proposalMapsOf(doc), all, plain);
    });
    return count;
  };

  readonly accept: Notes['accept'] = async (id, as = {}) => {
    let note: MemoryNote | null = null;
    await this.#change((notes, _, doc) => {
      const inbox = proposalMapsOf(doc);
      const proposal = readInbox(inbox, []).proposals.find((one) => one.id === id);
      if (!proposal) return;
      const at = this.#deps.now();
      const text = checked(as.text ?? proposal.text);
      const all = wordingsIn(notes);
      const old = as.over === undefined ? undefined : all.find((one) => one.note.id === as.over);
      const same = all.find((one) => one.note.text === text);
      const made: MemoryNote = {
        id: old?.note.id ?? v7(),
        text,
        createdAt: old?.note.createdAt ?? at,
        updatedAt: at,
        by: 'person',
        source: proposal.source,
        ...details({
          kind: as.kind ?? proposal.kind,
          project: as.project === null ? undefined : (as.project ?? proposal.project ?? old?.note.project),
          since: proposal.at,
          ...(old ? { applies: old.note.applies, before: byTime(pastOf(old.note, at)) } : {}),
          // Kept beside the note that it may replace: both stand, and each is shown with the other.
          ...(!old && proposal.replaces && all.some((one) => one.note.id === proposal.replaces)
            ? { against: [proposal.replaces] }
            : {}),
        }),
      };
      if (same && !old) note = same.note;
      else {
        if (old) put(notes, made, old.keys);
        else notes.set(made.id, plain(made));
        note = made;
      }
      decideOn(inbox, id, 'accepted', at);
    });
    return note;
  };

  readonly refuse: Notes['refuse'] = (ids) =>
    this.#change((_notes, _feedback, doc) => {
      for (const id of ids) decideOn(proposalMapsOf(doc), id, 'refused', this.#deps.now());
    });

  readonly reopen: Notes['reopen'] = (proposal) =>
    this.#change((_notes, _feedback, doc) => {
      const inbox = proposalMapsOf(doc);
      inbox.decisions.delete(proposal.id);
      inbox.proposals.set(proposal.id, plain(proposal));
    });

  readonly setWanted: Notes['setWanted'] = (kind, wanted) =>
    this.#change((_notes, _feedback, doc) => {
      const { never } = proposalMapsOf(doc);
      if (wanted) never.delete(kind);
      else never.set(kind, true);
    });

  readonly withdraw: Notes['withdraw'] = (isGone) =>
    this.#change((_notes, _feedback, doc) => withdraw(proposalMapsOf(doc), isGone));

  readonly close: Notes['close'] = () => {
    this.#closed = true;
    this.#stop();
    this.#doc.destroy();
  };

  #announce(): void {
    const [shownNotes, shownFeedback, records, inbox] = acrossGaps(this.#doc, this.#damaged, (shown) => {
      const notes = wordingsIn(shown.getMap('n')).map(({ note }) => note);
      return [
        notes,
        feedbackIn(shown.getMap('f')),
        readForgotten(shown),
        readInbox(proposalMapsOf(shown), notes),
      ] as const;
    });
    this.forgotten.set(records);
    this.state.set({
      ready: true,
      notes: shownNotes.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)),
      feedback: shownFeedback.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
    });
    if (!isSameInbox(this.inbox.get(), inbox)) this.inbox.set(inbox);
  }

  /** Applies what the log has and this tab has not. */
  async #read(): Promise<void> {
    const kept = await this.#log.read(NOTES_DOCUMENT);
    this.#isRead = true;
    this.#entries = kept.length;
    for (const entry of kept) {
      if (this.#applied.has(entry.id)) continue;
      this.#applied.add(entry.id);
      try {
        Y.applyUpdate(this.#doc, entry.bytes, 'log');
      } catch (cause) {
        this.#damaged = true;
        this.#onProblem(
          toProblem(
            new RecollectError('damaged-entry', `Entry ${entry.seq} of the memory notes cannot be read`, {
              params: { seq: entry.seq, document: NOTES_DOCUMENT },
              cause,
            }),
          ),
        );
      }
    }
    this.#announce();
  }

  /**
   * Shown once it is durable: the change is made on a copy, so that a failure leaves nothing behind. `foldAfter`: as many entries of the
   * document are folded into one, and what was taken out is nowhere in that.
   */
  #change(
    make: (notes: Y.Map<unknown>, feedback: Y.Map<unknown>, copy: Y.Doc) => void,
    foldAfter: number = FOLD_AFTER,
  ): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isRead) await this.#read();
      // What is shown from behind a gap can be changed like all else: the change then waits in the document with what it changes.
      const across = this.#damaged && hasGaps(this.#doc);
      const copy = across ? withoutGaps(this.#doc) : new Y.Doc();
      if (!across) {
        Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.#doc));
        // Across a gap each change is of an author of its own: whatever this one says after a change that waits would wait with it.
        copy.clientID = this.#author;
      }
      let bytes: Uint8Array | undefined;
      copy.on('update', (update: Uint8Array) => {
        bytes = update;
      });
      copy.transact(() => make(copy.getMap('n'), copy.getMap('f'), copy));
      copy.destroy();
      if (bytes) {
        const id = newEntryId();
        await this.#log.append([{ id, document: NOTES_DOCUMENT, origin: 'user', bytes }]);
        this.#applied.add(id);
        Y.applyUpdate(this.#doc, bytes, 'log');
        this.#entries += 1;
        this.#announce();
      }
      // What was taken out before lies in the log until it is folded.
      if (this.#entries >= (bytes ? foldAfter : Math.max(foldAfter, 2))) await this.#fold();
    });
  }

  /** Folds what the log has; an entry that does not decode must survive as it is, then nothing is folded. */
  async #fold(): Promise<void> {
    const kept = await this.#log.read(NOTES_DOCUMENT);
    const last = kept.at(-1);
    if (!last) return;
    const whole = new Y.Doc();
    try {
      for (const entry of kept) Y.applyUpdate(whole, entry.bytes);
      await this.#log.fold(NOTES_DOCUMENT, Y.encodeStateAsUpdate(whole), last.seq);
      this.#entries = 1;
    } catch (error) {
      this.#onProblem(toProblem(error));
    } finally {
      whole.destroy();
    }
  }

  #follow(): void {
    if (!this.#closed)
      this.#queue.run(() => this.#read()).catch((error) => this.#onProblem(toProblem(error)));
  }
}

/** Reads the document; where something of it did not decode, with what waits behind that gap. */
function acrossGaps<T>(doc: Y.Doc, damaged: boolean, read: (doc: Y.Doc) => T): T {
  if (!damaged || !hasGaps(doc)) return read(doc);
  const whole = withoutGaps(doc);
  try {
    return read(whole);
  } finally {
    whole.destroy();
  }
}

/** One damaged value costs only itself. */
const parsed = <T>(map: Y.Map<unknown>, schema: z.ZodType<T>): [string, T][] =>
  [...map].flatMap(([key, value]) => {
    const { success, data } = schema.safeParse(value);
    return success ? [[key, data]] : [];
  });
const wordingsIn = (notes: Y.Map<unknown>): Wording[] => wordingsOf(parsed(notes, noteSchema));
const feedbackIn = (feedback: Y.Map<unknown>): Feedback[] =>
  parsed(feedback, feedbackSchema).map(([, one]) => one);

/** The note that this is a wording of. */
const groupOf = ({ note }: Wording): string => note.beside ?? note.id;

/** As it is kept: under the id of the note that it is a wording of. */
const kept = ({ beside, ...note }: MemoryNote): MemoryNote => ({ ...note, id: beside ?? note.id });

/** Writes a wording in the place of others, under a key that nobody else writes: what others write at the same time stays beside it. */
function put(notes: Y.Map<unknown>, note: MemoryNote, over: readonly string[]): void {
  for (const key of over) notes.delete(key);
  notes.set(v7(), plain(kept(note)));
}

/** Changes one map after the other; returns how many notes and verdicts were removed or changed. */
function takeOutOf(
  notes: Y.Map<unknown>,
  feedback: Y.Map<unknown>,
  { hide, isGone }: PurgeRules,
  { whole, at }: { readonly whole: boolean; readonly at: number },
): number {
  let count = 0;
  for (const { note, keys } of wordingsIn(notes)) {
    const isFromGone = note.source && (isGone(note.source.conversationId) || isGone(note.source.messageId));
    const text = hide(note.text);
    // What the note was before goes as a whole: it is there to be looked back at, and no more.
    const before = note.before?.filter((past) => hide(past.text).redacted === 0);
    if (!isFromGone && text.redacted === 0 && before?.length === note.before?.length) continue;
    count += 1;
    if (isFromGone || whole) for (const key of keys) notes.delete(key);
    else
      put(
        notes,
        {
          ...note,
          ...(before ? { before } : {}),
          text: text.text,
          updatedAt: Math.max(at, note.updatedAt + 1),
        },
        keys,
      );
  }
  for (const one of feedbackIn(feedback)) {
    const [passage, title, query] = [hide(one.passage), hide(one.title), hide(one.query ?? '')];
    const isOfGone = isGone(one.conversationId) || isGone(one.messageId);
    if (!isOfGone && passage.redacted + title.redacted + query.redacted === 0) continue;
    count += 1;
    feedback.delete(one.id);
    if (!isOfGone && !whole && query.redacted === 0)
      feedback.set(one.id, plain({ ...one, passage: passage.text, title: title.text }));
  }
  return count;
}

/** The words of a note. Throws `note-empty`, `note-too-long`. */
function checked(text: string): string {
  const words = text.trim();
  if (words === '') throw new RecollectError('note-empty', 'A memory note needs words.');
  if (words.length > MAX_NOTE)
    throw new RecollectError('note-too-long', `A memory note has at most ${MAX_NOTE} characters.`, {
      params: { length: words.length, limit: MAX_NOTE },
    });
  return words;
}

/** Only what is there: absent and undefined are one thing in JSON. */
const details = (known: Partial<MemoryNote>): Partial<MemoryNote> =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));

type Past = NonNullable<MemoryNote['before']>;

/** What a note was, and its words until `at`; without them where they stay. */
const pastOf = (note: MemoryNote, at: number, stays?: string): Past => [
  ...(note.before ?? []),
  ...(note.text === stays?.trim()
    ? []
    : [{ text: note.text, since: note.since ?? note.updatedAt, until: at }]),
];
const byTime = (past: Past): Past => [...past].sort((a, b) => a.until - b.until || a.since - b.since);

const isSameInbox = (one: Inbox, other: Inbox): boolean => JSON.stringify(one) === JSON.stringify(other);

const normal = (query: string): string =>
  query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().slice(0, 200);

/** JSON as Yjs stores it: no undefined, nothing shared with the caller. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** True where an update of somebody else puts another wording beside one that is `here`: two rewrote a note at once. */
export function wordsMeet(here: Uint8Array, update: Uint8Array): boolean {
  const before = new Set(readNotes([here]).notes.map(({ text }) => text));
  const { notes } = readNotes([here, update]);
  return notes.some(
    (one) =>
      one.beside !== undefined &&
      notes.some(
        (other) =>
          (other.beside ?? other.id) === one.beside && before.has(other.text) !== before.has(one.text),
      ),
  );
}

/** The notes in updates of the log, newest first, for whoever reads without following. Updates that do not decode are counted. */
export function readNotes(updates: readonly Uint8Array[]): { notes: MemoryNote[]; damaged: number } {
  const doc = new Y.Doc();
  let damaged = 0;
  for (const update of updates) {
    try {
      Y.applyUpdate(doc, update);
    } catch (error) {
      log.warn('A change of the memory notes is damaged', error);
      damaged += 1;
    }
  }
  const notes = acrossGaps(doc, damaged > 0, (shown) =>
    wordingsIn(shown.getMap('n')).map(({ note }) => note),
  );
  notes.sort((a, b) => b.updatedAt - a.updatedAt);
  doc.destroy();
  return { notes, damaged };
}
