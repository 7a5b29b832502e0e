// Memory notes in the person's own words, and feedback on passages. The log and exports hold them as plain JSON, so
// every shape here is also a schema for data from outside.

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { hashOfText } from '../base/hash.ts';
import { asMessageId, type ConversationId, type MessageId, NOTES } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import type { ConversationMeta } from '../chat/conversation.ts';
import { type Conversation, conversationMetaSchema } from '../chat/conversation.ts';
import type { Known, Message } from '../chat/message.ts';
import { withoutTokens } from '../privacy/tokens.ts';
import { squeezed } from '../text/sentences.ts';
import type { PassageMessage } from './passages.ts';
import { NOTE_KINDS } from './recognition/kinds.ts';

export const noteSchema = z.looseObject({
  id: z.string(),
  text: z.string(),
  /** ms since 1970 */
  createdAt: timeSchema,
  updatedAt: timeSchema,
  by: z.enum(['person', 'model']).catch('person'),
  /** The message it was taken from, if any. */
  source: z.looseObject({ conversationId: z.string(), messageId: z.string() }).nullable().catch(null),
  /** Id of the note that another device reworded at once: this is the second wording, until the person settles it. */
  beside: z.string().optional().catch(undefined),
  /** Kind of the note; absent if it was written freely. */
  kind: z.enum(NOTE_KINDS).optional().catch(undefined),
  /** The project it holds for; absent: everywhere. */
  project: z.string().optional().catch(undefined),
  /** Beginning and end of its validity, ms since 1970. After its end it is neither recalled nor applied. */
  since: timeSchema.optional().catch(undefined),
  until: timeSchema.optional().catch(undefined),
  /** Earlier wordings, oldest first. */
  before: z
    .array(z.looseObject({ text: z.string(), since: timeSchema, until: timeSchema }))
    .optional()
    .catch(undefined),
  /** Contradicting notes that were kept on purpose. */
  against: z.array(z.string()).optional().catch(undefined),
  /** `false`: it is recalled, but does not accompany requests that it applies to. */
  applies: z.boolean().optional().catch(undefined),
});
/** A memory note; recalled before passages. */
export type MemoryNote = Known<z.infer<typeof noteSchema>>;

export const feedbackSchema = z.looseObject({
  id: z.string(),
  conversationId: z.string(),
  messageId: z.string(),
  /** `pinned`: preferred; `never`: not any more; `not-related`: not for `query` and similar ones. */
  verdict: z.enum(['pinned', 'never', 'not-related']),
  query: z.string().nullable().catch(null),
  /** Shown part of the message, for the list: at most 300 characters. */
  passage: z.string().catch(''),
  title: z.string().catch(''),
  /** ms since 1970 */
  at: timeSchema,
  /** When the passage was said, and the question asked that `query` is, ms since 1970; absent in older feedback. */
  said: timeSchema.optional().catch(undefined),
  asked: timeSchema.optional().catch(undefined),
});
/** Feedback of a person on a recalled passage. */
export type Feedback = Known<z.infer<typeof feedbackSchema>>;

export const proposalSchema = z.looseObject({
  id: z.string(),
  /** The sentence, verbatim. */
  text: z.string().min(1).max(4000),
  kind: z.enum(NOTE_KINDS),
  /** The message in which it was said. */
  source: z.looseObject({ conversationId: z.string(), messageId: z.string() }),
  /** Time at which it was said, ms since 1970. */
  at: timeSchema,
  by: z.enum(['device', 'model']).catch('device'),
  /** The note that it may replace. */
  replaces: z.string().optional().catch(undefined),
  /** The project of its conversation. */
  project: z.string().optional().catch(undefined),
});
/** A sentence that the person is asked about: *Remember this?* */
export type Proposal = Known<z.infer<typeof proposalSchema>>;

/**
 * Makes the id of a proposal, equal for the same sentence on all devices of the person. `salt`: the person's
 * own; without one as in earlier versions.
 */
export const proposalId = (text: string, salt?: string): string => {
  const words = squeezed(text);
  if (salt === undefined) return hashOfText(words, 24);
  return bytesToHex(hmac(sha256, utf8ToBytes(salt), utf8ToBytes(words))).slice(0, 24);
};

/** True if a note holds at this time, ms since 1970. */
export const isNoteValidAt = ({ since, until }: MemoryNote, at: number): boolean =>
  (since === undefined || since <= at) && (until === undefined || until > at);

/** One wording of a note, with its keys: two if two devices wrote the same words. */
export interface Wording {
  readonly note: MemoryNote;
  readonly keys: readonly string[];
}

/**
 * Groups the wordings of notes, `[key, note]`. A rewrite replaces those that its device knew by a new key, so those of
 * two devices both remain. The one under the note's own id counts, else the latest; others are notes `beside` it.
 */
export function wordingsOf(kept: Iterable<readonly [string, MemoryNote]>): Wording[] {
  const byNote = new Map<string, (readonly [string, MemoryNote])[]>();
  for (const row of kept) byNote.set(row[1].id, [...(byNote.get(row[1].id) ?? []), row]);
  return [...byNote].flatMap(([id, rows]) => {
    rows.sort(
      ([a, one], [b, other]) =>
        Number(b === id) - Number(a === id) || other.updatedAt - one.updatedAt || (a < b ? 1 : -1),
    );
    const byText = new Map<string, (readonly [string, MemoryNote])[]>();
    for (const row of rows) byText.set(row[1].text, [...(byText.get(row[1].text) ?? []), row]);
    return [...byText.values()].map((same, at): Wording => {
      const [key, note] = same[0] as readonly [string, MemoryNote];
      return {
        note: at === 0 ? note : { ...note, id: key, beside: id },
        keys: same.map(([one]) => one),
      };
    });
  });
}

/** Id of the message for a note's present wording. */
const messageOf = ({ id, updatedAt }: MemoryNote): string => `${id}@${updatedAt}`;

/**
 * Turns notes that hold now into a conversation, so that they are read, embedded and found like everything else. A
 * rewritten note is another message, since messages never change.
 */
export const conversationOfNotes = (
  notes: readonly MemoryNote[],
  now: number = Date.now(),
): Conversation => ({
  id: NOTES,
  meta: {
    ...(conversationMetaSchema.parse({}) as ConversationMeta),
    // Without a title of its own, one would be made from its words and stored.
    title: 'Memory notes',
    titleBy: 'person',
  },
  messages: new Map(
    notes
      .filter((note) => isNoteValidAt(note, now))
      .map((note): [MessageId, Message] => {
        const id = asMessageId(messageOf(note));
        return [
          id,
          {
            id,
            parentId: null,
            role: 'user',
            kind: 'message',
            createdAt: note.updatedAt,
            parts: [{ type: 'text', text: note.text }],
          },
        ];
      }),
  ),
  checkpoints: new Map(),
  compactions: new Map(),
});

/** True for the id that notes have in place of a conversation's. */
export const isNotes = (conversation: string): conversation is ConversationId => conversation === NOTES;

/** Id of the note behind a message of `conversationOfNotes`. */
const noteIdOf = (messageId: string): string => messageId.replace(/@\d+$/, '');

/** Subject of permanent feedback; for a note it covers all its wordings. */
export const feedbackSubject = ({
  conversationId,
  messageId,
}: Pick<PassageMessage, 'conversationId' | 'messageId'>): string =>
  isNotes(conversationId) ? noteIdOf(messageId) : messageId;

/**
 * True if feedback is about this message. Pinned and never follow a note through
 * rewrites; not related belongs to its words.
 */
export const isFeedbackOn = (
  verdict: Feedback,
  said: Pick<PassageMessage, 'conversationId' | 'messageId'>,
): boolean =>
  verdict.verdict === 'not-related'
    ? verdict.messageId === said.messageId
    : feedbackSubject(verdict) === feedbackSubject(said);

/**
 * Makes the test for recalled passages that are gone: the conversation deleted, or no valid note with
 * these words. Unread ones count as there.
 */
export function createDeletedTest(
  library: {
    readonly ready: boolean;
    readonly entries: readonly { readonly id: string; readonly deletedAt: number | null }[];
    /** Files and pinned notes of projects are found, too. */
    readonly projects?: readonly { readonly id: string; readonly deletedAt: number | null }[];
  },
  noteState: { readonly ready: boolean; readonly notes: readonly MemoryNote[] },
): (said: Pick<PassageMessage, 'conversationId' | 'messageId'>) => boolean {
  const living = new Set(
    [...library.entries, ...(library.projects ?? [])].flatMap(({ id, deletedAt }) =>
      deletedAt === null ? [id] : [],
    ),
  );
  const now = Date.now();
  const wordings = new Set(noteState.notes.filter((note) => isNoteValidAt(note, now)).map(messageOf));
  return ({ conversationId, messageId }) =>
    isNotes(conversationId)
      ? noteState.ready && !wordings.has(messageId)
      : library.ready && !living.has(conversationId);
}

/** True if feedback is about this note, in any of its wordings. */
export const isOfNote = ({ conversationId, messageId }: Feedback, note: MemoryNote['id']): boolean =>
  isNotes(conversationId) && noteIdOf(messageId) === note;

/** Longest part of a passage that is stored with feedback, characters. */
export const MAX_JUDGED = 300;
/** Shortest part that identifies a wording of which not all was stored, characters. */
const LEAST_STRETCH = 20;

/**
 * Makes the test for messages that are never to be recalled, nor shown beside others: those
 * judged so, and all that say the same.
 */
export function createNeverTest(feedback: readonly Feedback[]): (said: PassageMessage) => boolean {
  const judged = feedback.filter(({ verdict }) => verdict === 'never');
  const subjects = new Set(judged.map(feedbackSubject));
  const whole = new Set<string>();
  const stretches: string[] = [];
  for (const { passage } of judged) {
    const wording = squeezed(withoutTokens(passage));
    const isCut = passage.length >= MAX_JUDGED || /^…|…$/.test(passage.trim());
    if (!isCut) whole.add(wording);
    else if (wording.length >= LEAST_STRETCH) stretches.push(wording);
  }
  whole.delete('');
  return (said) => {
    if (subjects.has(feedbackSubject(said))) return true;
    if (whole.size + stretches.length === 0) return false;
    const wording = squeezed(withoutTokens(said.text));
    return whole.has(wording) || stretches.some((stretch) => wording.includes(stretch));
  };
}

/**
 * Makes the test for passages of an older recall that may no longer be used: deleted since, or never to be recalled.
 */
export function createUnusableTest(
  library: Parameters<typeof createDeletedTest>[0],
  noteState: Parameters<typeof createDeletedTest>[1] & { readonly feedback: readonly Feedback[] },
): (said: PassageMessage) => boolean {
  const [gone, never] = [createDeletedTest(library, noteState), createNeverTest(noteState.feedback)];
  return (said) => never(said) || gone(said);
}
