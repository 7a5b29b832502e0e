// Defines what a person can have forgotten, and finds it in a conversation. Pure: the caller reads the conversations.
import { z } from 'zod';
import type { ConversationId, MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import type { Conversation } from '../chat/conversation.ts';
import { planDeletion } from '../chat/deletion.ts';
import { type Message, textOf } from '../chat/message.ts';
import { cjkShare, sentencesOf } from '../text/sentences.ts';
import { type Imprint, imprintOf } from './imprint.ts';

export type Sought =
  /** An answer with its steps, where it is the last of them. */
  | { readonly kind: 'message'; readonly conversation: ConversationId; readonly message: MessageId }
  | { readonly kind: 'conversation'; readonly conversation: ConversationId }
  /** `whole`: messages that name it go as a whole; else the words alone. Of a person: every name, one is enough. */
  | { readonly kind: 'person' | 'phrase'; readonly words: readonly string[]; readonly whole: boolean }
  /** From this time up to that one, which is not part of it; ms since 1970. */
  | { readonly kind: 'span'; readonly from: number; readonly to: number }
  /** Everything that was imported from this tool, with what was said in it since. */
  | { readonly kind: 'source'; readonly tool: string };

type SoughtKind = Sought['kind'];

const imprintSchema = z.looseObject({
  tokens: z.number().int().positive(),
  hash: z.string(),
  form: z.string().optional(),
});

/**
 * Record of something forgotten, which travels to the person's other devices: they forget it too, and no import brings
 * it back. Ids and hashes; no words.
 */
export const forgottenSchema = z.looseObject({
  id: z.string(),
  /** When, ms since 1970. What was said later is not meant. */
  at: timeSchema,
  kind: z.enum(['message', 'conversation', 'person', 'phrase', 'span', 'source']).catch('phrase'),
  /** Conversations and messages. */
  ids: z.array(z.string()).catch([]),
  /** Conversations that stay, and lose something. */
  inside: z.array(z.string()).catch([]),
  /** Hashes (`imprintOf`) of `tool`, line break, id, by which imports know a conversation. */
  sources: z.array(z.string()).catch([]),
  words: z.array(imprintSchema).catch([]),
  whole: z.boolean().catch(false),
  /** Marks of what was found although it is dated later than `at`: it was there, by a clock that is ahead or a wrong date. */
  ahead: z.array(z.string()).catch([]),
});
export interface Forgotten {
  readonly id: string;
  readonly at: number;
  readonly kind: SoughtKind;
  readonly ids: readonly string[];
  readonly inside: readonly string[];
  readonly sources: readonly string[];
  readonly words: readonly Imprint[];
  readonly whole: boolean;
  readonly ahead?: readonly string[];
}

/** A device did what was asked: `left` places in which it could not. */
export const confirmationSchema = z.looseObject({ at: timeSchema, left: z.number().catch(0) });
export interface Confirmation {
  readonly at: number;
  readonly left: number;
}

/** Shortest sentence that is taken for a quotation where it stands once more: below that, many people say the same. Characters. */
const LEAST_QUOTE = 40;
/** The same for scripts in which a letter is a syllable or a word. */
const LEAST_CJK_QUOTE = 14;

/** Sentences of a text by which a quotation of it is known. */
export const tellingSentences = (text: string): string[] =>
  sentencesOf(text).filter(
    (sentence) => sentence.length >= (cjkShare(sentence) > 0.5 ? LEAST_CJK_QUOTE : LEAST_QUOTE),
  );

/** The part of one conversation that is to be forgotten. */
interface SoughtPart {
  /** All of it. */
  readonly whole: boolean;
  /** These messages; of a whole conversation all of its messages. */
  readonly messages: readonly Message[];
}

/** `isNamed`: one of the words stands in the message. */
export function soughtIn(
  conversation: Conversation,
  sought: Sought,
  isNamed: (message: Message) => boolean,
): SoughtPart {
  const { id, meta, messages } = conversation;
  const all = [...messages.values()];
  const some = (found: readonly Message[]): SoughtPart => ({
    // A project is more than its notes and files.
    whole: found.length > 0 && found.length === all.length && !meta.project,
    messages: found,
  });
  switch (sought.kind) {
    case 'conversation':
      return { whole: id === sought.conversation, messages: id === sought.conversation ? all : [] };
    case 'source': {
      const isFrom = meta.source?.tool === sought.tool;
      return { whole: isFrom, messages: isFrom ? all : [] };
    }
    case 'span':
      return some(all.filter(({ createdAt }) => createdAt >= sought.from && createdAt < sought.to));
    case 'message': {
      if (id !== sought.conversation) return some([]);
      // An answer with its steps, and copies of them on other branches.
      const meant = new Set(planDeletion(conversation, sought.message)?.messages.map((one) => one.id));
      return some(all.filter((one) => meant.has(one.id) || meant.has(one.copyOf as MessageId)));
    }
    default:
      return some(sought.whole ? all.filter(isNamed) : []);
  }
}

/** The imprints by which quotations of these messages are known elsewhere. */
export function quotesOf(messages: readonly Message[], salt: string): Imprint[] {
  const found = new Map<string, Imprint>();
  for (const message of messages)
    for (const sentence of tellingSentences(textOf(message))) {
      const imprint = imprintOf(sentence, salt);
      if (imprint) found.set(imprint.hash, imprint);
    }
  return [...found.values()];
}
