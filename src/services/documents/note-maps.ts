// Reads and writes notes and feedback in the maps of their document: wordings, replacements, removal of words. Pure.
import { v7 } from 'uuid';
import type { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import {
  type Feedback,
  feedbackSchema,
  feedbackSubject,
  type MemoryNote,
  noteSchema,
  type Wording,
  wordingsOf,
} from '../../domain/memory/notes.ts';
import type { PurgeRules } from './documents.ts';
import { plain, type ValueMap } from './small-document.ts';
import { feedbackWithout, noteWithout } from './taking-out.ts';

/** Longest note, characters. */
export const MAX_NOTE = 4000;

/** Skips unreadable values, so that a damaged one costs only itself. */
const parsed = <T>(map: ValueMap, schema: z.ZodType<T>): [string, T][] =>
  [...map].flatMap(([key, value]) => {
    const { success, data } = schema.safeParse(value);
    return success ? [[key, data]] : [];
  });
/** Wordings of the notes in the map. */
export const wordingsIn = (notes: ValueMap): Wording[] => wordingsOf(parsed(notes, noteSchema));
/** Reads the feedback in the map, skipping damaged entries. */
export const feedbackIn = (feedback: ValueMap): Feedback[] =>
  parsed(feedback, feedbackSchema).map(([, one]) => one);

/** Removes the feedback for which `isMeant` is true. Its key may be another than its id: words leave keys, too. */
export function removeFeedback(feedback: ValueMap, isMeant: (one: Feedback) => boolean): void {
  for (const [key, one] of parsed(feedback, feedbackSchema)) if (isMeant(one)) feedback.delete(key);
}

/** Subject of feedback: one of pinned and never for each message or note, one of not related for each question, too. */
export const verdictSubject = (one: Omit<Feedback, 'id' | 'at'>): string =>
  one.verdict === 'not-related'
    ? `${one.messageId} ${normalizedQuery(one.query ?? '')}`
    : feedbackSubject(one);

/** Id of the note that this is a wording of. */
export const groupOf = ({ note }: Wording): string => note.beside ?? note.id;

/** Stored form: under the id of the note that it is a wording of. */
export const storedForm = ({ beside, ...note }: MemoryNote): MemoryNote => ({
  ...note,
  id: beside ?? note.id,
});

/** Writes a wording in the place of others, under a new key: a concurrent wording of another device stays beside it. */
export function putWording(notes: ValueMap, note: MemoryNote, over: readonly string[]): void {
  for (const key of over) notes.delete(key);
  notes.set(v7(), plain(storedForm(note)));
}

/**
 * Removes forgotten words from both maps; returns the number of removed or changed items.
 * @param whole items with forgotten words are removed as a whole
 * @param at time of the change, ms since 1970
 * @param renamed gives feedback its conversation's present title
 */
export function takeOutOf(
  notes: ValueMap,
  feedback: ValueMap,
  rules: PurgeRules,
  {
    whole,
    at,
    renamed,
  }: {
    readonly whole: boolean;
    readonly at: number;
    readonly renamed: (one: Feedback) => Feedback;
  },
): number {
  let count = 0;
  for (const { note, keys } of wordingsIn(notes)) {
    const left = noteWithout(note, rules, whole);
    if (left === note) continue;
    count += 1;
    if (left === null) for (const key of keys) notes.delete(key);
    else putWording(notes, { ...left, updatedAt: Math.max(at, note.updatedAt + 1) }, keys);
  }
  for (const [key, one] of parsed(feedback, feedbackSchema)) {
    const stays = feedbackWithout(one, rules, whole);
    const left = stays && renamed(stays);
    if (left === one) continue;
    count += 1;
    if (left === null) feedback.delete(key);
    else feedback.set(key, plain(left));
  }
  return count;
}

/** Trims a note's words. Throws `note-empty`, `note-too-long`. */
export function checkedWords(text: string): string {
  const words = text.trim();
  if (words === '') throw new RecollectError('note-empty', 'A memory note needs words.');
  if (words.length > MAX_NOTE)
    throw new RecollectError('note-too-long', `A memory note has at most ${MAX_NOTE} characters.`, {
      params: { length: words.length, limit: MAX_NOTE },
    });
  return words;
}

/** Drops undefined details, which JSON cannot distinguish from absent ones. */
export const definedDetails = (known: Partial<MemoryNote>): Partial<MemoryNote> =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));

type Past = NonNullable<MemoryNote['before']>;

/** Earlier wordings of a note, with the current one until `at`; without its words if they stay. */
export const earlierWordingsOf = (note: MemoryNote, at: number, stays?: string): Past => [
  ...(note.before ?? []),
  ...(note.text === stays?.trim()
    ? []
    : [{ text: note.text, since: note.since ?? note.updatedAt, until: at }]),
];
/** Copies them in order of `until`, then of `since`. */
export const byTime = (past: Past): Past => [...past].sort((a, b) => a.until - b.until || a.since - b.since);

/** Normalises a query for comparison: NFKC, small letters, single spaces, at most 200 UTF-16 units. */
const normalizedQuery = (query: string): string =>
  query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().slice(0, 200);
