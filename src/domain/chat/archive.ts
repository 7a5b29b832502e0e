// Format of our own file: a whole library, or a part of it. The exporter writes it and the importer reads it.
//
//   { "format": "recollect", "version": 1, "exportedAt": ms, "told": { notes, feedback, prompts, personas },
//   "conversations": [ { id, meta, said, checkpoints, compactions, messages: [ … ] }, … ] }
//
// Unknown keys are kept at every level. A file with a higher `version` may give the same
// words another meaning, so it is refused.

import { z } from 'zod';
import { isFields } from '../base/json.ts';
import { type Feedback, feedbackSchema, type MemoryNote, noteSchema } from '../memory/notes.ts';
import { type Persona, personaSchema } from '../prompts/persona.ts';
import { promptSchema, type SavedPrompt } from '../prompts/prompt.ts';
import { writtenCheckpoint } from './checkpoint.ts';
import type { Conversation } from './conversation.ts';

export const ARCHIVE_FORMAT = 'recollect';
export const ARCHIVE_VERSION = 1;

/**
 * Largest items that can be read back, bytes in the file. A message has to fit into one string of a browser, some 512
 * million characters; a conversation into memory. The file itself may be of any size.
 */
export const ARCHIVE_LIMITS = { message: 480 * 1024 * 1024, conversation: 2 * 1024 * 1024 * 1024 } as const;
export type ArchiveLimits = { readonly [K in keyof typeof ARCHIVE_LIMITS]: number };

/** An object under arbitrary names. Unlike `z.record`, it keeps an entry called `__proto__`. */
export const namedSchema = z.custom<Readonly<Record<string, unknown>>>(isFields);

/** Header before the conversations. */
export const archiveHeaderSchema = z.looseObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.number().int().min(1),
  /** ms since 1970 */
  exportedAt: z.number().optional(),
});

/** Notes and feedback of an archive. Checked one by one, so that a damaged one costs only itself. */
export interface NotesAndFeedback {
  readonly notes: readonly MemoryNote[];
  readonly feedback: readonly Feedback[];
  /** Saved prompts and personas; absent in older files. */
  readonly prompts?: readonly SavedPrompt[];
  readonly personas?: readonly Persona[];
}

/** True if there is anything in it, also beside memory. */
export const hasAnyEntry = (
  notesAndFeedback:
    | { readonly [list in keyof NotesAndFeedback]?: readonly unknown[] | undefined }
    | undefined,
): boolean => Object.values(notesAndFeedback ?? {}).some((list) => (list?.length ?? 0) > 0);

/** True if it has a note or feedback. */
export const hasNotesOrFeedback = (
  notesAndFeedback: NotesAndFeedback | undefined,
): notesAndFeedback is NotesAndFeedback =>
  notesAndFeedback !== undefined && notesAndFeedback.notes.length + notesAndFeedback.feedback.length > 0;

const listed = z.array(z.unknown()).catch([]);
const notesAndFeedbackSchema = z.looseObject({
  notes: listed,
  feedback: listed,
  prompts: listed,
  personas: listed,
});

/** Reads this part of a file; null if the file has none. `damaged` counts unreadable items. */
export function readNotesAndFeedback(
  value: unknown,
): (NotesAndFeedback & { readonly damaged: number }) | null {
  const parsed = notesAndFeedbackSchema.safeParse(value);
  if (!parsed.success) return null;
  const notes = parsed.data.notes.flatMap((one) => noteSchema.safeParse(one).data ?? []);
  const feedback = parsed.data.feedback.flatMap((one) => feedbackSchema.safeParse(one).data ?? []);
  const prompts = parsed.data.prompts.flatMap((one) => promptSchema.safeParse(one).data ?? []);
  const personas = parsed.data.personas.flatMap((one) => personaSchema.safeParse(one).data ?? []);
  const counted = (lists: readonly (readonly unknown[])[]) =>
    lists.reduce((sum, { length }) => sum + length, 0);
  const { data } = parsed;
  return {
    notes,
    feedback,
    prompts,
    personas,
    damaged:
      counted([data.notes, data.feedback, data.prompts, data.personas]) -
      counted([notes, feedback, prompts, personas]),
  };
}

/** A conversation in the file. Meta and messages are checked one by one, so that a damaged one costs only itself. */
export const archivedConversationSchema = z.looseObject({
  id: z.string().min(1),
  meta: z.looseObject({}).default({}),
  /** Title or flag → time of the change (`Conversation.said`), as a hybrid time; absent in older files. */
  said: namedSchema.default({}),
  /**
   * Name → checkpoint, or the bare message id. Checked one by one, as compactions are: a damaged one costs only itself.
   */
  checkpoints: namedSchema.default({}),
  /** Id → compaction. */
  compactions: namedSchema.default({}),
  messages: z.array(z.unknown()),
});

/** Returns the conversation in its form for the file, without its messages. */
export const archivedFrame = (conversation: Conversation) => ({
  id: conversation.id,
  meta: conversation.meta,
  ...(conversation.said ? { said: conversation.said } : {}),
  checkpoints: Object.fromEntries(
    [...conversation.checkpoints].map(([name, checkpoint]) => [name, writtenCheckpoint(checkpoint)]),
  ),
  ...(conversation.compactions.size > 0 ? { compactions: Object.fromEntries(conversation.compactions) } : {}),
});
