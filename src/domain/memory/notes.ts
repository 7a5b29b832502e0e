// What a person told memory: notes in words of their own, and what they said of passages that were brought back. Written to the log and
// to exports as plain JSON, so every shape here is also a schema for data from outside.
import { z } from 'zod';
import { asMessageId, type ConversationId, type MessageId, NOTES } from '../base/ids.ts';
import type { ConversationMeta } from '../chat/conversation.ts';
import { type Conversation, conversationMetaSchema } from '../chat/conversation.ts';
import type { Known, Message } from '../chat/message.ts';
import { queryWords } from './words.ts';

export const noteSchema = z.looseObject({
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

export const feedbackSchema = z.looseObject({
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

/**
 * Notes as a conversation, so that they are read, embedded and found like everything else. A note that was rewritten is another message:
 * messages never change.
 */
export const conversationOfNotes = (notes: readonly MemoryNote[]): Conversation => ({
  id: NOTES,
  meta: {
    ...(conversationMetaSchema.parse({}) as ConversationMeta),
    // A name of its own, or one would be made of its words and written.
    title: 'Memory notes',
    titleBy: 'person',
  },
  messages: new Map(
    notes.map((note): [MessageId, Message] => {
      const id = asMessageId(`${note.id}@${note.updatedAt}`);
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

export const isNotes = (conversation: string): conversation is ConversationId => conversation === NOTES;

const wordsOf = (text: string): ReadonlySet<string> => new Set(queryWords(text).split(' ').filter(Boolean));

/** Questions that share so many of their words are one question: what is not related to one is not related to the other. */
const SAME_QUESTION = 0.6;

/** Ids of the messages that the feedback says this of. */
const judged = (
  feedback: readonly Feedback[],
  as: Feedback['verdict'],
  counts: (one: Feedback) => boolean = () => true,
): ReadonlySet<string> =>
  new Set(feedback.filter((one) => one.verdict === as && counts(one)).map(({ messageId }) => messageId));

/** The messages that are never to be recalled, also not beside others. */
export const neverOf = (feedback: readonly Feedback[]): ReadonlySet<string> => judged(feedback, 'never');

/** What of the feedback speaks about this question, as ranking takes it. Ids are of messages. */
export function feedbackFor(
  feedback: readonly Feedback[],
  question: string,
): {
  readonly pinned: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly notRelated: ReadonlySet<string>;
} {
  const asked = wordsOf(question);
  const isSame = (other: string): boolean => {
    const others = wordsOf(other);
    let shared = 0;
    for (const word of asked) if (others.has(word)) shared += 1;
    const all = asked.size + others.size - shared;
    return all === 0 ? question.trim() === other.trim() : shared / all >= SAME_QUESTION;
  };
  return {
    pinned: judged(feedback, 'pinned'),
    never: neverOf(feedback),
    notRelated: judged(feedback, 'not-related', ({ query }) => isSame(query ?? '')),
  };
}
