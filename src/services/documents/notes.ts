// Memory notes, and feedback on recall: sentences for memory itself, not messages of conversations.
// Synced facts: one small Yjs document in the log, read whole.
//   n key -> one wording of a note as JSON (the note's id, or a random key if it was rewritten: see `wordingsOf`) f
//   feedback id -> feedback as JSON x, k what was forgotten for good: `forgotten-records.ts` p, d, w, s what is
//   proposed to memory, and what became of it: see `proposals.ts`
// Keys and values that this version does not know are left where they are.

import { v7 } from 'uuid';
import * as Y from 'yjs';
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { NOTES_DOCUMENT } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { Confirmation, Forgotten } from '../../domain/forget/sought.ts';
import {
  type Feedback,
  feedbackSchema,
  isOfNote,
  MAX_JUDGED,
  type MemoryNote,
  noteSchema,
  type Proposal,
} from '../../domain/memory/notes.ts';
import type { NoteKind } from '../../domain/memory/recognition/kinds.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { createEraser, type Eraser, withoutAll } from '../forget/eraser.ts';
import type { PurgeRules } from './documents.ts';
import {
  type ForgottenRecord,
  readForgotten,
  writeConfirmation,
  writeForgotten,
} from './forgotten-records.ts';
import {
  byTime,
  checkedWords,
  definedDetails,
  earlierWordingsOf,
  feedbackIn,
  groupOf,
  putWording,
  removeFeedback,
  storedForm,
  takeOutOf,
  verdictSubject,
  wordingsIn,
} from './note-maps.ts';
import { acrossPendingStructs } from './pending-structs.ts';
import {
  addProposals,
  decideOn,
  EMPTY_INBOX,
  type Inbox,
  proposalMapsOf,
  readInbox,
  reopenIn,
  withdraw,
  withdrawForgotten,
} from './proposals.ts';
import { plain, SmallDocument, type ValueMap, type ValueMaps } from './small-document.ts';
import { feedbackWithout, isProposalTakenOut, noteWithout } from './taking-out.ts';

export type { Feedback, MemoryNote, Proposal };

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
  /** Why the notes could not be read yet; null once they were, and while nothing failed. `known` reads again. */
  readonly failure: Readable<Problem | null>;
  /**
   * Notes including those still being saved, which count once they are durable. Ask here before ranking or sending, so
   * that nothing returns that was just forbidden. Reads the log again if that failed before. Never rejects.
   */
  known(): Promise<NotesState>;
  /**
   * Keeps a note, and resolves when it is durable. A note with the same words is not kept twice: the existing one is
   * returned.
   * @param note.id replaces the words of this note; its birth and source stay
   * @param note.over the note as the writer saw it; if it reads otherwise by now, both wordings are kept
   * @throws `note-empty`, `note-too-long`, `storage-full`, `storage-failed`, with nothing changed
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
  /** Changes details of a note, not its words; `undefined` removes a detail. Unknown id: nothing happens. */
  revise(id: string, details: Partial<NoteDetails>): Promise<void>;
  /** Merges two notes: `keep` gets the given words, `other` becomes part of its past. Unknown id: nothing happens. */
  merge(keep: string, other: string, text: string): Promise<void>;
  readonly inbox: Readable<Inbox>;
  /** Adds sentences to the inbox that are new, undecided and of wanted kinds. Returns how many. */
  propose(sentences: readonly Omit<Proposal, 'id'>[]): Promise<number>;
  /**
   * Makes a note of a proposal. `over`: the note it replaces, whose words stay as its past. `project` null: it holds
   * everywhere. Null if another device has decided already. Throws as `write` does.
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
  /** Refuses proposals, so that they are never made again. */
  refuse(ids: readonly string[]): Promise<void>;
  /** Undoes a decision: the proposal is open again, unless its words were forgotten since. */
  reopen(proposal: Proposal): Promise<void>;
  /** Turns proposals of a kind on or off. Waiting ones are hidden, and come back when the kind is allowed again. */
  setWanted(kind: NoteKind, wanted: boolean): Promise<void>;
  /** Withdraws proposals whose message is gone. `isGone` is called with the source of each. */
  withdraw(isGone: (source: Proposal['source']) => boolean): Promise<void>;
  /** Removes a note for good, with its feedback. Returns what was removed, for `bring`. Unknown id: nothing happens. */
  remove(id: string): Promise<Pick<NotesState, 'notes' | 'feedback'>>;
  /**
   * Settles concurrent wordings of a note, by the `id` of one. `alone`: it becomes the note, and the others go.
   * `apart`: it becomes a note of its own. Unknown id: nothing happens.
   */
  settle(id: string, how: 'alone' | 'apart'): Promise<void>;
  /**
   * Stores feedback: one of pinned and never for a message, any number of not-related for different questions. Nothing
   * of what was forgotten meanwhile, and none at all on a passage that is gone.
   */
  judge(verdict: Omit<Feedback, 'id' | 'at'>): Promise<Feedback>;
  /** Removes feedback. */
  takeBack(id: string): Promise<void>;
  /** Conversations were erased for good: feedback on their passages goes too, also from the log. */
  forget(conversations: readonly string[]): Promise<void>;
  /** Records of what was forgotten for good, newest first. Empty until the log was read once. */
  readonly forgotten: Readable<readonly ForgottenRecord[]>;
  /** Adds a record; durable when resolved. */
  record(forgotten: Forgotten): Promise<void>;
  /** Notes that this device has carried out the record. */
  confirm(id: string, device: string, confirmation: Confirmation): Promise<void>;
  /**
   * Removes notes from forgotten sources, feedback on their passages, and words that the rules hide (`whole`: with all
   * of their note). `renamed` gives feedback its conversation's present title. Returns how many changed or went.
   */
  takeOut(rules: PurgeRules, whole: boolean, renamed?: (one: Feedback) => Feedback): Promise<number>;
  /**
   * Adds notes and feedback of an export or an undo that this library lacks, without forgotten ones; for an existing
   * note the later words win. Returns how many it added or changed.
   */
  bring(brought: {
    readonly notes: readonly MemoryNote[];
    readonly feedback: readonly Feedback[];
  }): Promise<number>;
  close(): void;
}

/** Properties of a note beside its words. */
type NoteDetails = Pick<MemoryNote, 'kind' | 'project' | 'since' | 'until' | 'applies' | 'against'>;

interface SyncedNotesDeps {
  readonly store: Pick<Store, 'log'>;
  readonly now: () => number;
  readonly onProblem?: (problem: Problem) => void;
}

/** Reads the document at once and follows it, including changes by other tabs and devices. */
export function createNotes(deps: SyncedNotesDeps): Notes {
  return new SyncedNotes(deps);
}

class SyncedNotes implements Notes {
  readonly #now: () => number;
  readonly #document: SmallDocument;
  readonly state = writable<NotesState>({ ready: false, notes: [], feedback: [] });
  readonly forgotten = writable<readonly ForgottenRecord[]>([]);
  readonly inbox = writable<Inbox>(EMPTY_INBOX);
  readonly failure: Notes['failure'];

  constructor({ store, now, onProblem = () => undefined }: SyncedNotesDeps) {
    this.#now = now;
    this.#document = new SmallDocument({
      log: store.log,
      document: NOTES_DOCUMENT,
      onChange: (maps) => this.#announce(maps),
      onProblem,
    });
    this.failure = this.#document.failure;
  }

  readonly known: Notes['known'] = async () => {
    await this.#document.known();
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
    const words = checkedWords(text);
    let note: MemoryNote | undefined;
    await this.#change((notes) => {
      const all = wordingsIn(notes);
      const named = all.find(({ note }) => (id === undefined ? note.text === words : note.id === id));
      const same = named && all.filter((one) => groupOf(one) === groupOf(named));
      // Don't replace a wording that arrived while the person was writing.
      const before = over ? same?.find(({ note }) => note.text === over.text) : named;
      const at = this.#now();
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
            ...definedDetails({ kind, project, since }),
          };
      if (before || over) putWording(notes, note, before?.keys ?? []);
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
        // Under a new key: a device that removes this wording at the same time removes only what it has seen.
        putWording(notes, left.note, left.keys);
        removed.notes = [{ ...gone.note, id: v7(), beside: groupOf(gone) }];
        return;
      }
      removed.notes = [gone.note];
      removed.feedback = feedbackIn(feedback).filter((one) => isOfNote(one, id));
      removeFeedback(feedback, (one) => isOfNote(one, id));
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
        putWording(
          notes,
          meant.note,
          [meant, ...others].flatMap(({ keys }) => keys),
        );
      else if (meant.note.beside !== undefined) {
        const { beside: _, ...apart } = meant.note;
        for (const key of meant.keys) notes.delete(key);
        // Under its own key, so that two devices that settle it at once make one note.
        notes.set(apart.id, plain(apart));
      }
    });

  readonly judge: Notes['judge'] = async (verdict) => {
    const made: Feedback = {
      ...verdict,
      passage: startOf(verdict.passage, MAX_JUDGED),
      // No words: an id is a key, and keys outlive what is removed.
      id: verdict.verdict === 'not-related' ? v7() : verdictSubject(verdict),
      at: this.#now(),
    };
    await this.#change((_, feedback, maps) => {
      // The card may have been drawn before its words were forgotten.
      const erasers = readForgotten(maps).map((record) => createEraser(record));
      const left = withoutAll(made, erasers, feedbackWithout);
      if (!left) return;
      // Earlier versions stored feedback on a note under one of its wordings.
      removeFeedback(feedback, (one) => one.id !== left.id && verdictSubject(one) === verdictSubject(left));
      feedback.set(left.id, plain(left));
    });
    return made;
  };

  readonly takeBack: Notes['takeBack'] = (id) =>
    this.#change((_, feedback) => {
      const meant = feedbackIn(feedback).find((one) => one.id === id);
      // Two devices may have said the same at once.
      if (meant) removeFeedback(feedback, (one) => verdictSubject(one) === verdictSubject(meant));
    });

  readonly forget: Notes['forget'] = (conversations) => {
    const gone = new Set(conversations);
    return this.#change((_, feedback, maps) => {
      withdraw(proposalMapsOf(maps), ({ conversationId }) => gone.has(conversationId));
      for (const [id, value] of [...feedback]) {
        const about = feedbackSchema.safeParse(value).data?.conversationId;
        if (about !== undefined && gone.has(about)) feedback.delete(id);
      }
    }, 1);
  };

  readonly record: Notes['record'] = (record) => this.#change((_, __, maps) => writeForgotten(maps, record));

  readonly confirm: Notes['confirm'] = (id, device, confirmation) =>
    this.#change((_, __, maps) => writeConfirmation(maps, id, device, confirmation));

  readonly takeOut: Notes['takeOut'] = async (rules, whole, renamed = (one) => one) => {
    let count = 0;
    await this.#change((notes, feedback, maps) => {
      count = takeOutOf(notes, feedback, rules, { whole, at: this.#now(), renamed });
      count += withdrawForgotten(proposalMapsOf(maps), rules);
    }, 1);
    return count;
  };

  readonly bring: Notes['bring'] = async (brought) => {
    let count = 0;
    await this.#change((notes, feedback, maps) => {
      const erasers = readForgotten(maps).map((record) => createEraser(record));
      const without = <T>(all: readonly T[], takenOut: (one: T, rules: Eraser, whole: boolean) => T | null) =>
        all.flatMap((one) => withoutAll(one, erasers, takenOut) ?? []);
      for (const note of without(brought.notes, noteWithout)) {
        const before = wordingsIn(notes).find((one) => one.note.id === note.id);
        if (before && before.note.updatedAt >= note.updatedAt) continue;
        if (before) putWording(notes, { ...note, beside: before.note.beside }, before.keys);
        else notes.set(note.id, plain(storedForm(note)));
        count += 1;
      }
      const known = new Set(feedbackIn(feedback).map(verdictSubject));
      for (const one of without(brought.feedback, feedbackWithout)) {
        if (known.has(verdictSubject(one))) continue;
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
      // Under its own key: the words are the same, so nothing of two devices is lost.
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
      const at = this.#now();
      const past = [...earlierWordingsOf(gone.note, at), ...earlierWordingsOf(kept.note, at, text)];
      putWording(
        notes,
        { ...kept.note, text: text.trim() || kept.note.text, updatedAt: at, before: byTime(past) },
        kept.keys,
      );
    });

  readonly propose: Notes['propose'] = async (sentences) => {
    let count = 0;
    await this.#change((_notes, _feedback, maps) => {
      count = addProposals(proposalMapsOf(maps), sentences);
    });
    return count;
  };

  readonly accept: Notes['accept'] = async (id, as = {}) => {
    let note: MemoryNote | null = null;
    await this.#change((notes, _, maps) => {
      const inbox = proposalMapsOf(maps);
      const proposal = readInbox(inbox, []).proposals.find((one) => one.id === id);
      if (!proposal) return;
      const at = this.#now();
      const text = checkedWords(as.text ?? proposal.text);
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
        ...definedDetails({
          kind: as.kind ?? proposal.kind,
          project: as.project === null ? undefined : (as.project ?? proposal.project ?? old?.note.project),
          since: proposal.at,
          ...(old ? { applies: old.note.applies, before: byTime(earlierWordingsOf(old.note, at)) } : {}),
          // Stored beside the note that it may replace: both remain, each shown with the other.
          ...(!old && proposal.replaces && all.some((one) => one.note.id === proposal.replaces)
            ? { against: [proposal.replaces] }
            : {}),
        }),
      };
      if (same && !old) note = same.note;
      else {
        if (old) putWording(notes, made, old.keys);
        else notes.set(made.id, plain(made));
        note = made;
      }
      decideOn(inbox, id, 'accepted', at);
    });
    return note;
  };

  readonly refuse: Notes['refuse'] = (ids) =>
    this.#change((_notes, _feedback, maps) => {
      for (const id of ids) decideOn(proposalMapsOf(maps), id, 'refused', this.#now());
    });

  readonly reopen: Notes['reopen'] = (proposal) =>
    this.#change((_notes, _feedback, maps) => {
      if (readForgotten(maps).some((record) => isProposalTakenOut(proposal, createEraser(record)))) return;
      reopenIn(proposalMapsOf(maps), proposal);
    });

  readonly setWanted: Notes['setWanted'] = (kind, wanted) =>
    this.#change((_notes, _feedback, maps) => {
      const { never } = proposalMapsOf(maps);
      if (wanted) never.delete(kind);
      else never.set(kind, true);
    });

  readonly withdraw: Notes['withdraw'] = (isGone) =>
    this.#change((_notes, _feedback, maps) => withdraw(proposalMapsOf(maps), isGone));

  readonly close: Notes['close'] = () => this.#document.close();

  #announce(maps: ValueMaps): void {
    const notes = wordingsIn(maps('n')).map(({ note }) => note);
    this.forgotten.set(readForgotten(maps));
    this.state.set({
      ready: true,
      notes: [...notes].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)),
      feedback: feedbackIn(maps('f')).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
    });
    const inbox = readInbox(proposalMapsOf(maps), notes);
    if (!isSameInbox(this.inbox.get(), inbox)) this.inbox.set(inbox);
  }

  #change(
    make: (notes: ValueMap, feedback: ValueMap, maps: ValueMaps) => void,
    snapshotAfter?: number,
  ): Promise<void> {
    return this.#document.change((maps) => make(maps('n'), maps('f'), maps), snapshotAfter);
  }
}

const isSameInbox = (one: Inbox, other: Inbox): boolean => JSON.stringify(one) === JSON.stringify(other);

/** True if an update of another device adds a wording beside one that is `here`: both rewrote a note at once. */
export function wordingsConflict(here: Uint8Array, update: Uint8Array): boolean {
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

/**
 * Reads the notes in updates of the log, newest first, without following changes. Counts updates that do not decode.
 */
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
  const notes = acrossPendingStructs(doc, damaged > 0, (shown) =>
    wordingsIn(shown.getMap('n')).map(({ note }) => note),
  );
  notes.sort((a, b) => b.updatedAt - a.updatedAt);
  doc.destroy();
  return { notes, damaged };
}
