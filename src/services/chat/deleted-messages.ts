// Deleted messages, kept on this device so that they can be brought back: a row beside the log for each, until it is
// back, deleted for good, forgotten, too old, or its conversation is gone.
import { z } from 'zod';
import type { KeyValues, KeyValueWrite } from '../../adapters/log/conversation-log.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Message, messageSchema } from '../../domain/chat/message.ts';
import { type Checkpoint, checkpointSchema } from '../../domain/chat/records.ts';
import { DELETED } from '../documents/deleted-rows.ts';
import { type Documents, readLibrary } from '../documents/documents.ts';

/** Time for which a deleted message is kept, as long as a conversation in the trash. */
const KEPT_MS = 30 * 24 * 3_600_000;

const rowSchema = z.object({
  /** Time of the deletion, ms since 1970. */
  at: z.number(),
  /** An answer with its steps, in order. */
  messages: z.array(messageSchema).min(1),
  /** Checkpoints that stood on them. */
  checkpoints: z.record(z.string(), checkpointSchema).catch({}),
});
type Row = z.infer<typeof rowSchema>;

/** A deleted message or answer. */
export interface DeletedMessage {
  /** Time of the deletion, ms since 1970. */
  readonly at: number;
  /** Names it: the last of its messages. */
  readonly id: MessageId;
  readonly messages: readonly Message[];
}

export interface DeletedMessages {
  /** Those of a conversation, the latest first. */
  list(id: ConversationId): Promise<readonly DeletedMessage[]>;
  /** Calls `listener` after each change of that list, here or in another tab; returns how to stop. */
  subscribe(id: ConversationId, listener: () => void): () => void;
  /** Puts one back at its place. Throws `conversation-missing`, and `message-missing` if it is not kept any more. */
  bringBack(id: ConversationId, message: MessageId): Promise<void>;
  /** Deletes one for good; `undo` keeps it again. */
  drop(id: ConversationId, message: MessageId): Promise<{ readonly undo: () => Promise<void> }>;
  /** Deletes those that are too old, or whose conversation is gone. */
  cleanUp(): Promise<void>;
}

const keyOf = (id: ConversationId, message: MessageId): string => `${DELETED}${id}/${message}`;

/** Keeps a deleted message, in the transaction of its deletion; `checkpoints` are those that stood on it. */
export const keepDeleted = (
  id: ConversationId,
  messages: readonly Message[],
  checkpoints: Readonly<Record<string, Checkpoint>>,
  at: number,
): KeyValueWrite => ({
  key: keyOf(id, messages.at(-1)?.id as MessageId),
  value: { at, messages, checkpoints },
});

/** Ends the keeping of a message that is back. */
export const endKeeping = (id: ConversationId, messages: readonly Message[]): KeyValueWrite => ({
  key: keyOf(id, messages.at(-1)?.id as MessageId),
  value: undefined,
});

/** Opens the deleted messages of this device. */
export function createDeletedMessages({
  keyValues,
  documents,
  now,
}: {
  readonly keyValues: KeyValues;
  readonly documents: Pick<Documents, 'read' | 'change' | 'library'>;
  readonly now: () => number;
}): DeletedMessages {
  /** A row that is too old counts as none. */
  const read = async (key: string): Promise<Row | undefined> => {
    const row = rowSchema.safeParse(await keyValues.get(key)).data;
    return row && now() - row.at < KEPT_MS ? row : undefined;
  };
  const messagesOf = (row: Row) => row.messages as unknown as readonly Message[];
  return {
    list: async (id) => {
      const found: DeletedMessage[] = [];
      for (const key of await keyValues.keys(`${DELETED}${id}/`)) {
        const row = await read(key);
        if (!row) continue;
        const messages = messagesOf(row);
        const last = messages.at(-1);
        if (last) found.push({ at: row.at, id: last.id, messages });
      }
      return found.sort((a, b) => b.at - a.at);
    },
    subscribe: (id, listener) =>
      keyValues.subscribe(({ keys }) => {
        if (keys.some((key) => key.startsWith(`${DELETED}${id}/`))) listener();
      }),
    bringBack: async (id, message) => {
      const conversation = await documents.read(id);
      if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
      const row = await read(keyOf(id, message));
      if (!row) throw new RecollectError('message-missing', `The message ${message} is not kept`);
      const messages = messagesOf(row);
      await documents.change(
        id,
        { restored: messages, checkpoints: row.checkpoints as Record<string, Checkpoint> },
        { writes: [endKeeping(id, messages)] },
      );
    },
    drop: async (id, message) => {
      const key = keyOf(id, message);
      const before = await keyValues.get(key);
      await keyValues.set(key, undefined);
      return { undo: () => keyValues.set(key, before) };
    },
    cleanUp: async () => {
      const keys = await keyValues.keys(DELETED);
      if (keys.length === 0) return;
      const { entries } = await readLibrary(documents.library);
      const known = new Set<string>(entries.map(({ id }) => id));
      for (const key of keys) {
        const [conversation = ''] = key.slice(DELETED.length).split('/');
        if (!known.has(conversation) || !(await read(key))) await keyValues.set(key, undefined);
      }
    },
  };
}
