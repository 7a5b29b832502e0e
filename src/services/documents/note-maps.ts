// Notes and feedback as they lie in the maps of their document: reads wordings, writes one in the place of others, takes words out. Pure.
import { v7 } from 'uuid';
import type { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import {
  type Feedback,
  feedbackSchema,
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

/** One damaged value costs only itself. */
const parsed = <T>(map: ValueMap, schema: z.ZodType<T>): [string, T][] =>
  [...map].flatMap(([key, value]) => {
    const { success, data } = schema.safeParse(value);
    return success ? [[key, data]] : [];
  });
/** Wordings of the notes in the map. */
export const wordingsIn = (notes: ValueMap): Wording[] => wordingsOf(parsed(notes, noteSchema));
/** Feedback in the map, as far as it can be read. */
export const feedbackIn = (feedback: ValueMap): Feedback[] =>
  parsed(feedback, feedbackSchema).map(([, one]) => one);

/** The note that this is a wording of. */
export const groupOf = ({ note }: Wording): string => note.beside ?? note.id;

/** As it is kept: under the id of the note that it is a wording of. */
export const kept = ({ beside, ...note }: MemoryNote): MemoryNote => ({ ...note, id: beside ?? note.id });

/** Writes a wording in the place of others, under a key that nobody else writes: what others write at the same time stays beside it. */
export function put(notes: ValueMap, note: MemoryNote, over: readonly string[]): void {
  for (const key of over) notes.delete(key);
  notes.set(v7(), plain(kept(note)));
}

/** Changes one map after the other; returns how many notes and verdicts were removed or changed. */
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
    else put(notes, { ...left, updatedAt: Math.max(at, note.updatedAt + 1) }, keys);
  }
  for (const one of feedbackIn(feedback)) {
    const stays = feedbackWithout(one, rules, whole);
    const left = stays && renamed(stays);
    if (left === one) continue;
    count += 1;
    if (left === null) feedback.delete(one.id);
    else feedback.set(one.id, plain(left));
  }
  return count;
}

/** The words of a note. Throws `note-empty`, `note-too-long`. */
export function checked(text: string): string {
  const words = text.trim();
  if (words === '') throw new RecollectError('note-empty', 'A memory note needs words.');
  if (words.length > MAX_NOTE)
    throw new RecollectError('note-too-long', `A memory note has at most ${MAX_NOTE} characters.`, {
      params: { length: words.length, limit: MAX_NOTE },
    });
  return words;
}

/** Only what is there: absent and undefined are one thing in JSON. */
export const details = (known: Partial<MemoryNote>): Partial<MemoryNote> =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));

type Past = NonNullable<MemoryNote['before']>;

/** Earlier wordings of a note, with the current one until `at`; without its words if they stay. */
export const pastOf = (note: MemoryNote, at: number, stays?: string): Past => [
  ...(note.before ?? []),
  ...(note.text === stays?.trim()
    ? []
    : [{ text: note.text, since: note.since ?? note.updatedAt, until: at }]),
];
/** A copy in order of `until`, then of `since`. */
export const byTime = (past: Past): Past => [...past].sort((a, b) => a.until - b.until || a.since - b.since);

/** A query as it is compared: NFKC, small letters, single spaces, at most 200 UTF-16 units. */
export const normal = (query: string): string =>
  query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().slice(0, 200);
