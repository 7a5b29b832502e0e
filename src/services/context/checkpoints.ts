// Checkpoints of a conversation: naming a message, going back to one, comparing two. Going
// back moves the head and copies nothing.
import { distance } from 'fastest-levenshtein';
import { RecollectError } from '../../domain/base/errors.ts';
import { asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { diffOf, firstLineOf, listCheckpoints, startsTurn } from '../../domain/chat/checkpoint.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { Documents } from '../documents/documents.ts';
import type { ContextControl } from './context.ts';

/** Shortest beginning of a message id that counts as one. */
const MIN_ID = 8;
const MAX_NAME = 100;

type CheckpointControl = Pick<
  ContextControl,
  'checkpoints' | 'find' | 'checkpoint' | 'removeCheckpoint' | 'renameCheckpoint' | 'restore' | 'diff'
>;

/**
 * Makes the checkpoint half of the context service.
 * @throws (its methods) `conversation-missing` for an unknown conversation, `checkpoint-unknown` or `checkpoint-none`
 *   for an unknown name, `message-missing` if there is no message to name
 */
export function createCheckpoints({
  documents,
  config,
  now,
}: {
  documents: Pick<Documents, 'read' | 'change'>;
  config: Readable<Config>;
  now: () => number;
}): CheckpointControl {
  async function needed(id: ConversationId): Promise<Conversation> {
    const conversation = await documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }

  const listed = (conversation: Conversation) =>
    listCheckpoints(conversation, { rules: config.get().context.checkpoints, now: now() });

  /**
   * Finds the message of a name or an id; one without a name gets its first words. Names and whole ids
   * are found without reading the branch.
   */
  function find(conversation: Conversation, nameOrId: string): { name: string; messageId: MessageId } {
    const wanted = nameOrId.trim();
    const named = conversation.checkpoints.get(wanted);
    if (named && conversation.messages.has(named.messageId))
      return { name: wanted, messageId: named.messageId };
    const whole = conversation.messages.get(asMessageId(wanted));
    if (whole) return called(whole);
    const turn = /^(?:turn-)?(\d{1,9})$/i.exec(wanted)?.[1];
    const before = turn === undefined ? null : beforeTurn(conversation, Number(turn));
    if (before !== null) return { name: `turn-${turn}`, messageId: before };
    const all = listed(conversation);
    const lower = wanted.toLowerCase();
    const hit =
      all.find(({ name }) => name === wanted) ?? all.find(({ name }) => name.toLowerCase() === lower);
    if (hit) return { name: hit.name, messageId: hit.messageId };
    if (wanted.length >= MIN_ID) {
      const begun = [...conversation.messages.values()].filter(({ id }) => id.startsWith(lower));
      if (begun.length === 1) return called(begun[0] as Message);
    }
    if (all.length === 0)
      throw new RecollectError('checkpoint-none', 'There is no checkpoint in this conversation yet.');
    const nearest = all
      .map(({ name }) => ({ name, away: farness(lower, name.toLowerCase()) }))
      .sort((a, b) => a.away - b.away)
      .slice(0, 3)
      .map(({ name }) => name);
    throw new RecollectError('checkpoint-unknown', `There is no checkpoint ${wanted}.`, {
      params: { name: wanted, nearest: nearest.join(', ') },
    });
  }

  return {
    checkpoints: async (id) => listed(await needed(id)),

    find: async (id, nameOrId) => find(await needed(id), nameOrId),

    checkpoint: async (id, name, at) => {
      const conversation = await needed(id);
      const messageId = at ?? effectiveHead(conversation);
      if (messageId === null || !conversation.messages.has(messageId))
        throw new RecollectError('message-missing', 'There is no message to name yet.');
      const wanted = nameFrom(name) || freeName(conversation);
      const before = conversation.checkpoints.get(wanted) ?? null;
      await documents.change(id, {
        checkpoints: { [wanted]: { messageId, createdAt: now(), auto: false, by: 'person' } },
      });
      return {
        name: wanted,
        messageId,
        moved: before !== null && before.messageId !== messageId,
        undo: () => documents.change(id, { checkpoints: { [wanted]: before } }),
      };
    },

    removeCheckpoint: async (id, name) => {
      const conversation = await needed(id);
      const before = conversation.checkpoints.get(name);
      // Automatic ones are stored nowhere, so there is nothing to remove.
      if (!before) find(conversation, name);
      await documents.change(id, { checkpoints: { [name]: null } });
      return {
        undo: () => (before ? documents.change(id, { checkpoints: { [name]: before } }) : Promise.resolve()),
      };
    },

    renameCheckpoint: async (id, name, to) => {
      const conversation = await needed(id);
      const before = conversation.checkpoints.get(name);
      const wanted = nameFrom(to);
      // Automatic ones are stored nowhere, so there is nothing to rename.
      if (!before) find(conversation, name);
      if (!before || wanted === '' || wanted === name) return { name, undo: () => Promise.resolve() };
      const displaced = conversation.checkpoints.get(wanted) ?? null;
      await documents.change(id, { checkpoints: { [name]: null, [wanted]: before } });
      return {
        name: wanted,
        undo: () => documents.change(id, { checkpoints: { [name]: before, [wanted]: displaced } }),
      };
    },

    restore: async (id, nameOrId) => {
      const conversation = await needed(id);
      const { name, messageId } = find(conversation, nameOrId);
      const before = effectiveHead(conversation);
      await documents.change(id, { meta: { head: messageId } });
      return { name, messageId, undo: () => documents.change(id, { meta: { head: before } }) };
    },

    diff: async (id, left, right) => {
      const conversation = await needed(id);
      return diffOf(conversation, find(conversation, left).messageId, find(conversation, right).messageId);
    },
  };
}

/** Finds the parent of that question of the shown branch, without listing all checkpoints; null for none. */
function beforeTurn(conversation: Conversation, turn: number): MessageId | null {
  let seen = 0;
  for (const message of pathTo(conversation.messages, effectiveHead(conversation))) {
    if (!startsTurn(message)) continue;
    seen += 1;
    if (seen === turn) return message.parentId;
  }
  return null;
}

/** Names a message by its first words. */
const called = (message: Message): { name: string; messageId: MessageId } => ({
  name: firstLineOf(message) || message.id,
  messageId: message.id,
});

/** Share of letters that differ, 0–1: a short name without anything in common is not nearer for being short. */
const farness = (wanted: string, name: string): number =>
  distance(wanted, name) / Math.max(wanted.length, name.length, 1);

/** Normalises a name: one line, limited length; empty if none was given. */
const nameFrom = (given = ''): string => startOf(given.replace(/\s+/g, ' ').trim(), MAX_NAME).trimEnd();

function freeName(conversation: Conversation): string {
  let number = 1;
  while (conversation.checkpoints.has(`checkpoint-${number}`)) number += 1;
  return `checkpoint-${number}`;
}
