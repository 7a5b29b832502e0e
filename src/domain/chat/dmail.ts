// Links of D-Mails, both ways: from the old branch to the D-Mail, and back. Read from
// the messages; nothing else is stored.
import type { MessageId } from '../base/ids.ts';
import type { Conversation } from './conversation.ts';
import type { Dmail, Message } from './message.ts';

export interface DmailLink {
  /** The message that carries the D-Mail. */
  readonly mail: Message;
  readonly dmail: Dmail;
}

/** D-Mails by the last message of the branch they left: "sent back from here". Linear in the conversation. */
export function dmailsFrom(conversation: Conversation): Map<MessageId, DmailLink[]> {
  const links = new Map<MessageId, DmailLink[]>();
  for (const mail of conversation.messages.values()) {
    if (!mail.dmail) continue;
    const from = mail.dmail.from as MessageId;
    const known = links.get(from);
    if (known) known.push({ mail, dmail: mail.dmail });
    else links.set(from, [{ mail, dmail: mail.dmail }]);
  }
  return links;
}

const FRAME = [
  '<system>You just got a D-Mail: a note from yourself, sent back from later in this conversation. What you did after this point is not part of it any more, but its effects outside (notes, files) may remain. Use what it says; the person can see it.\n\nD-Mail content:\n',
  '</system>',
] as const;

/** Words a D-Mail for its model: one message that says where it comes from, without any of the person's own words. */
export const dmailText = (message: string): string => FRAME.join(message.trim());

/** Returns the words of a model's D-Mail, without the frame; null for any other message. */
export function dmailNoteOf(message: Message): string | null {
  const [first] = message.parts;
  if (message.dmail?.by !== 'model' || first?.type !== 'text') return null;
  const { text } = first;
  const framed = text.startsWith(FRAME[0]) && text.endsWith(FRAME[1]);
  return framed ? text.slice(FRAME[0].length, -FRAME[1].length) : text;
}
