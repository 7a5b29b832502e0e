// Letters to the past, both ways: from the branch that was left to where it was sent, and back. Read from the messages; nothing else is kept.
import type { MessageId } from '../base/ids.ts';
import type { Conversation } from './conversation.ts';
import type { Dmail, Message } from './message.ts';

export interface DmailLink {
  /** The message that was sent back. */
  readonly mail: Message;
  readonly dmail: Dmail;
}

/** Letters by the last message of the branch they left: "sent back from here". Linear in the conversation. */
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

/** Text for a past self: one message that says where it comes from, with none of the person's own words in it or below it. */
export const dmailText = (message: string): string => FRAME.join(message.trim());

/** The words of a model's letter, without what tells the model that it is one; null where the message is none. */
export function letterOf(message: Message): string | null {
  const [first] = message.parts;
  if (message.dmail?.by !== 'model' || first?.type !== 'text') return null;
  const { text } = first;
  const framed = text.startsWith(FRAME[0]) && text.endsWith(FRAME[1]);
  return framed ? text.slice(FRAME[0].length, -FRAME[1].length) : text;
}
