// Recognises what was imported before under other ids: an export, or a later version of this app, may name things anew.
import { isFingerprint } from '../../adapters/importers/fingerprint.ts';
import type { ImportedConversation, ImportedMessage } from '../../adapters/importers/importer.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { allWordsOf } from '../../domain/chat/complete-message.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';

/** Letters and digits alone: marks and spaces may be read otherwise by another version of the app. */
export const lettersIn = (words: string): string => words.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Time and letters of a message, which stay the same under another id; undefined if it says nothing. */
function sayingOf({ createdAt, parts }: Pick<Message, 'createdAt' | 'parts'>): string | undefined {
  const letters = lettersIn(textOf({ parts })) || (parts.length > 0 ? lettersIn(allWordsOf({ parts })) : '');
  return letters === '' ? undefined : `${createdAt}\n${letters}`;
}

/** Imported messages alone: not what was said here, nor a copy made here by going back. */
const importedIn = ({ messages }: Conversation): Message[] =>
  [...messages.values()].filter(({ sourceId, copyOf }) => sourceId !== undefined && copyOf === undefined);

/**
 * Gives each imported message that has a new id the existing one that says the same at the same time, each at most
 * once. `isNamed`: true for the source id of a message that the import still names.
 */
export function createSayings(existing: Conversation, isNamed: (sourceId: string) => boolean) {
  const bySaying = new Map<string, MessageId[]>();
  for (const message of importedIn(existing)) {
    const saying = isNamed(message.sourceId ?? '') ? undefined : sayingOf(message);
    if (saying === undefined) continue;
    const list = bySaying.get(saying);
    if (list) list.push(message.id);
    else bySaying.set(saying, [message.id]);
  }
  return {
    take: (message: ImportedMessage): MessageId | undefined => bySaying.get(sayingOf(message) ?? '')?.shift(),
  };
}

/**
 * True if every message that was imported into `existing` stands in `imported`, by what it says and when. False where
 * the app named both: then they are two.
 */
export function isSameUnderOtherId(imported: ImportedConversation, existing: Conversation): boolean {
  const { source } = existing.meta;
  if (!source || !(isFingerprint(source.id) || isFingerprint(imported.source.id))) return false;
  const before = importedIn(existing)
    .map(sayingOf)
    .filter((saying) => saying !== undefined);
  const said = new Set(imported.messages.map(sayingOf));
  return before.length > 0 && before.every((saying) => said.has(saying));
}
