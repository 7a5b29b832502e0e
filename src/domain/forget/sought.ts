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
  /** An answer with all its steps, given by the last of them. */
  | { readonly kind: 'message'; readonly conversation: ConversationId; readonly message: MessageId }
  | { readonly kind: 'conversation'; readonly conversation: ConversationId }
  /**
   * `whole` removes messages that contain the words; otherwise only the words go. For a person, any one of the names
   * is enough.
   */
  | { readonly kind: 'person' | 'phrase'; readonly words: readonly string[]; readonly whole: boolean }
  /** From `from` until before `to`, ms since 1970. */
  | { readonly kind: 'span'; readonly from: number; readonly to: number }
  /** Everything imported from this tool, with what was later said in it. */
  | { readonly kind: 'source'; readonly tool: string };

type SoughtKind = Sought['kind'];

const imprintSchema = z.looseObject({
  tokens: z.number().int().positive(),
  hash: z.string(),
  form: z.string().optional(),
});

/**
 * Record of something forgotten. It travels to the person's other devices so that they forget it too and no import
 * brings it back. It holds ids and hashes, no words.
 */
export const forgottenSchema = z.looseObject({
  id: z.string(),
  /** Time of the request, ms since 1970. Messages said later are not affected. */
  at: timeSchema,
  kind: z.enum(['message', 'conversation', 'person', 'phrase', 'span', 'source']).catch('phrase'),
  /** Ids of conversations and messages. */
  ids: z.array(z.string()).catch([]),
  /** Conversations that stay but lose something. */
  inside: z.array(z.string()).catch([]),
  /** Hashes (`imprintOf`) of `tool`, line break, id: imports recognise a conversation by them. */
  sources: z.array(z.string()).catch([]),
  words: z.array(imprintSchema).catch([]),
  whole: z.boolean().catch(false),
  /** Marks of finds dated later than `at`: they existed then, but have a wrong date or a clock that was ahead. */
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

/** A device has carried out the record, except in `left` places. */
export const confirmationSchema = z.looseObject({ at: timeSchema, left: z.number().catch(0) });
export interface Confirmation {
  readonly at: number;
  readonly left: number;
}

/**
 * Shortest sentence that counts as a quotation if it occurs elsewhere, in characters: many people write the same
 * shorter ones.
 */
const LEAST_QUOTE = 40;
/** The same for scripts in which a letter is a syllable or a word. */
const LEAST_CJK_QUOTE = 14;

/** Returns the sentences of a text by which a quotation of it is recognised. */
export const tellingSentences = (text: string): string[] =>
  sentencesOf(text).filter(
    (sentence) => sentence.length >= (cjkShare(sentence) > 0.5 ? LEAST_CJK_QUOTE : LEAST_QUOTE),
  );

/** The part of one conversation that is to be forgotten. */
interface SoughtPart {
  /** True if all of it is meant. */
  readonly whole: boolean;
  /** The messages that are meant; all of them if the whole conversation is meant. */
  readonly messages: readonly Message[];
}

/** Finds the messages of a conversation that are meant. `isNamed` says if a message contains one of the words. */
export function soughtIn(
  conversation: Conversation,
  sought: Sought,
  isNamed: (message: Message) => boolean,
): SoughtPart {
  const { id, meta, messages } = conversation;
  const all = [...messages.values()];
  const some = (found: readonly Message[]): SoughtPart => ({
    // A project also has instructions and settings, so it is never removed as a whole.
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
      // An answer goes with its steps, and with copies of them on other branches.
      const meant = new Set(planDeletion(conversation, sought.message)?.messages.map((one) => one.id));
      return some(all.filter((one) => meant.has(one.id) || meant.has(one.copyOf as MessageId)));
    }
    default:
      return some(sought.whole ? all.filter(isNamed) : []);
  }
}

/** Returns the imprints by which quotations of these messages are recognised elsewhere. */
export function quotesOf(messages: readonly Message[], salt: string): Imprint[] {
  const found = new Map<string, Imprint>();
  for (const message of messages)
    for (const sentence of tellingSentences(textOf(message))) {
      const imprint = imprintOf(sentence, salt);
      if (imprint) found.set(imprint.hash, imprint);
    }
  return [...found.values()];
}
