// Planned changes that wait to be written, packed outside the JavaScript heap: messages that stay alive while an import
// reads on make the heap grow, and browsers give it back only long after.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { ConversationChange } from '../documents/documents.ts';

/** JSON packed at once, UTF-16 units: a conversation with its files may be longer than any string can be. */
const PIECE_LENGTH = 4 * 1024 * 1024;

interface PackedChange {
  readonly rest: Uint8Array;
  readonly messages: readonly Uint8Array[];
}

/** Changes by conversation, in the order in which they were first set. They hold what JSON can carry. */
export class PendingChanges {
  readonly #packed = new Map<ConversationId, PackedChange>();

  /** Returns what is planned for a conversation; undefined if nothing is. */
  get(id: ConversationId): ConversationChange | undefined {
    const packed = this.#packed.get(id);
    return packed && unpack(packed);
  }

  /** Replaces what is planned for a conversation. */
  set(id: ConversationId, change: ConversationChange): void {
    this.#packed.set(id, pack(change));
  }

  /** Conversations with a change. */
  ids(): ConversationId[] {
    return [...this.#packed.keys()];
  }

  /** Takes them out one by one, as they are read. */
  *take(ids: Iterable<ConversationId>): Generator<{ id: ConversationId; change: ConversationChange }> {
    for (const id of ids) {
      const change = this.get(id);
      this.#packed.delete(id);
      if (change) yield { id, change };
    }
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function pack({ messages = [], ...rest }: ConversationChange): PackedChange {
  const pieces: Uint8Array[] = [];
  let lines: string[] = [];
  let length = 0;
  const endPiece = () => {
    if (lines.length > 0) pieces.push(encoder.encode(`[${lines.join(',')}]`));
    lines = [];
    length = 0;
  };
  for (const message of messages) {
    const line = JSON.stringify(message);
    lines.push(line);
    length += line.length;
    if (length >= PIECE_LENGTH) endPiece();
  }
  endPiece();
  return { rest: encoder.encode(JSON.stringify(rest)), messages: pieces };
}

function unpack({ rest, messages }: PackedChange): ConversationChange {
  const parsed = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
  return {
    ...(parsed(rest) as ConversationChange),
    messages: messages.flatMap((piece) => parsed(piece) as Message[]),
  };
}
