// Writes what a person says into a conversation: a message and the head in one change, and a
// name for a conversation that has none.
import type { Problem } from '../../domain/base/errors.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Message, Part } from '../../domain/chat/message.ts';
import type { ConversationChange, Documents } from '../documents/documents.ts';

const TITLE_LENGTH = 60;

interface MessageAppenderDeps {
  readonly documents: Pick<Documents, 'change' | 'read'>;
  /** ms since 1970 */
  readonly now: () => number;
  /** This device's name in the messages it writes. */
  readonly device: () => string;
}

export class MessageAppender {
  readonly #deps: MessageAppenderDeps;

  constructor(deps: MessageAppenderDeps) {
    this.#deps = deps;
  }

  /**
   * Appends a message of a person, by default a question, and moves the head to it. `conversation`: absent for a new
   * one. `unsaved`: null once it is durable, else why it waits. Throws as `change` does.
   */
  async appendMessage(
    id: ConversationId,
    conversation: Conversation | undefined,
    message: {
      id?: MessageId;
      parts: readonly Part[];
      parentId: MessageId | null;
      role?: Message['role'];
      more?: Pick<Message, 'dmail' | 'copyOf'>;
    },
  ): Promise<{ said: Message; unsaved: Problem | null }> {
    const parent = message.parentId === null ? undefined : conversation?.messages.get(message.parentId);
    const said: Message = {
      id: message.id ?? newMessageId(),
      parentId: message.parentId,
      role: message.role ?? 'user',
      kind: 'message',
      // After a clock was set back, an answer must not be older than its question.
      createdAt: Math.max(this.#deps.now(), (parent?.createdAt ?? 0) + 1),
      parts: message.parts,
      device: this.#deps.device(),
      ...message.more,
    };
    const change: ConversationChange = {
      messages: [said],
      meta: {
        head: said.id,
        ...(conversation ? {} : { createdAt: said.createdAt }),
        // A conversation that began with instructions or in a project exists already, without a name.
        ...(isNameless(conversation) && !isTemporary(id) ? { title: provisionalTitle(said.parts) } : {}),
      },
    };
    return { said, unsaved: await this.change(id, change, said.id) };
  }

  /**
   * Makes a change that contains `message`. Null once it is durable; the problem if the conversation has it but it
   * waits for the disk. Throws if even the conversation does not have it.
   */
  async change(id: ConversationId, change: ConversationChange, message: MessageId): Promise<Problem | null> {
    try {
      await this.#deps.documents.change(id, change);
      return null;
    } catch (error) {
      const conversation = await orElse(
        this.#deps.documents.read(id),
        undefined,
        'looking whether a change is there; its own error says more',
      );
      if (!conversation?.messages.has(message)) throw error;
      return toProblem(error);
    }
  }
}

/** True if it has no messages, and no name from a person. */
const isNameless = (conversation: Conversation | undefined): boolean =>
  !conversation || (conversation.messages.size === 0 && conversation.meta.title === '');

/** Makes a name until a better one is known: the first line, cut between words. */
function provisionalTitle(parts: readonly Part[]): string {
  const line =
    parts
      .filter((part) => part.type === 'text')
      .flatMap((part) => part.text.slice(0, 2000).split('\n'))
      .map((text) => text.replace(/^[#>*\-\s]+/, '').trim())
      .find((text) => text !== '') ??
    parts.find((part) => part.type === 'file')?.name ??
    '';
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line;
  const cut = characters.slice(0, TITLE_LENGTH - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
