// Branded, time-ordered identifiers. All are UUID version 7 (RFC 9562), so sorting by id is sorting by time of birth.
import { v7 } from 'uuid';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A conversation, and at the same time the id of its document in the log. */
export type ConversationId = Branded<'conversation'>;
/** One immutable message of a conversation. Unique in the whole library. */
export type MessageId = Branded<'message'>;
/** One append to the log, named by its author: appending it twice is appending it once. */
export type EntryId = Branded<'entry'>;
/**
 * A document in the log: every conversation is one; `LIBRARY_DOCUMENT` lists them, `NOTES_DOCUMENT`
 * holds memory notes, feedback and prompts.
 */
export type DocumentId = ConversationId | typeof LIBRARY_DOCUMENT | typeof NOTES_DOCUMENT;

/** The one document that lists all conversations. */
export const LIBRARY_DOCUMENT = 'library';
/** The one document with the memory notes and the person's feedback on what was recalled. */
export const NOTES_DOCUMENT = 'notes';

/** The notes, read as if they were a conversation: that is how the index finds them. */
export const NOTES = NOTES_DOCUMENT as unknown as ConversationId;

/** True if a document of the log is a conversation. */
export const isConversation = (document: string): document is ConversationId =>
  document !== LIBRARY_DOCUMENT && document !== NOTES_DOCUMENT;

/** A temporary conversation is known by its name. */
const TEMPORARY = 'temporary-';
/**
 * True for a conversation that lives in one tab's memory only: log, library, index, sync and exports never hear of it.
 */
export const isTemporary = (id: string): boolean => id.startsWith(TEMPORARY);
/** True for keys under a temporary conversation's name: `draft/<its id>/…`, `item/composer.<its id>`. */
export const isOfTemporary = (key: string): boolean => /[/.]temporary-/.test(key);

/** A new id (UUIDv7) behind the prefix of temporary conversations. */
export const newTemporaryId = (): ConversationId => `${TEMPORARY}${v7()}` as ConversationId;
/** A new id (UUIDv7): ids sort by time. */
export const newConversationId = (): ConversationId => v7() as ConversationId;
/** A new id (UUIDv7): ids sort by time. */
export const newMessageId = (): MessageId => v7() as MessageId;
/** A new id (UUIDv7): ids sort by time. */
export const newEntryId = (): EntryId => v7() as EntryId;

/** Takes a string that has already been checked (a row of our own, a link) as an id. */
export const asConversationId = (id: string): ConversationId => id as ConversationId;
/** Takes a string that has already been checked as an id. */
export const asMessageId = (id: string): MessageId => id as MessageId;
