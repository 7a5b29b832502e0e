// What going back to a checkpoint costs, counted in messages that are looked at; and that lists tell when each was set.
import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import type { CommandContext } from '../../../src/services/commands/command.ts';
import { COMMANDS, runCommand } from '../../../src/services/commands/index.ts';
import { createCheckpoints } from '../../../src/services/context/checkpoints.ts';
import type { ConversationChange } from '../../../src/services/documents/documents.ts';

const SET_AT = 1_770_000_000_000;
const FIRST_AT = 1_760_000_000_000;
const idOf = (at: number) => asMessageId(`message-${at}`);

/** Messages that count how many of them are looked at: asked for by their id, or met on a walk through all of them. */
class Counted extends Map<MessageId, Message> {
  seen = 0;
  override has(id: MessageId): boolean {
    this.seen += 1;
    return super.has(id);
  }
  override get(id: MessageId): Message | undefined {
    this.seen += 1;
    return super.get(id);
  }
  private *each<T>(all: MapIterator<T>): MapIterator<T> {
    for (const one of all) {
      this.seen += 1;
      yield one;
    }
  }
  override keys(): MapIterator<MessageId> {
    return this.each(super.keys());
  }
  override values(): MapIterator<Message> {
    return this.each(super.values());
  }
  override entries(): MapIterator<[MessageId, Message]> {
    return this.each(super.entries());
  }
  override [Symbol.iterator](): MapIterator<[MessageId, Message]> {
    return this.entries();
  }
}

/** One branch of questions and answers, a checkpoint `here` at its fourth message, and the commands over it. */
function createDevice(size: number) {
  const messages = new Counted();
  for (let at = 0; at < size; at += 1)
    messages.set(idOf(at), {
      id: idOf(at),
      parentId: at === 0 ? null : idOf(at - 1),
      role: at % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      createdAt: FIRST_AT + at,
      parts: [{ type: 'text', text: `message ${at}` }],
    });
  const id = asConversationId('c');
  const conversation: Conversation = {
    id,
    meta: { ...conversationMetaSchema.parse({}), head: idOf(size - 1) },
    messages,
    checkpoints: new Map([
      ['here', { messageId: idOf(3), createdAt: SET_AT, auto: false, by: 'person' as const }],
    ]),
    compactions: new Map(),
  };
  const changes: ConversationChange[] = [];
  const control = createCheckpoints({
    documents: {
      read: async () => conversation,
      change: async (_id, change) => {
        changes.push(change);
      },
    },
    config: writable(defaultConfig),
    now: () => SET_AT + 1,
  });
  const run = (line: string) =>
    runCommand(COMMANDS, line, {
      context: control,
      conversationId: id,
      signal: new AbortController().signal,
    } as unknown as CommandContext);
  return {
    run,
    changes,
    /** Messages that were looked at until the line was carried out. */
    async cost(line: string): Promise<number> {
      messages.seen = 0;
      await run(line);
      return messages.seen;
    },
  };
}

describe('going back to a checkpoint', () => {
  it.each([
    ['a name that was given', '/restore here'],
    ['the id of a message', `/restore ${idOf(3)}`],
  ])('by %s looks at no more messages of ten thousand than of a hundred', async (_what, line) => {
    const [small, large] = [createDevice(100), createDevice(10_000)];
    expect(await large.cost(line)).toBe(await small.cost(line));
    for (const { changes } of [small, large]) expect(changes).toEqual([{ meta: { head: idOf(3) } }]);
  });

  it('by the number of a turn, which counts from the beginning, looks at each message of the branch once', async () => {
    const large = createDevice(10_000);
    expect(await large.cost('/restore turn-3')).toBeLessThan(10_010);
    expect(large.changes).toEqual([{ meta: { head: idOf(3) } }]);
  });

  it('by a bare number is by the turn of that number', async () => {
    const { run, changes } = createDevice(6);
    await run('/restore 2');
    expect(changes).toEqual([{ meta: { head: idOf(1) } }]);
    expect(await run('/restore 9')).toMatchObject({
      type: 'problem',
      problem: { code: 'checkpoint-unknown' },
    });
  });

  it('without a name shows what there is, and changes nothing', async () => {
    const { run, changes } = createDevice(6);
    expect(await run('/restore')).toEqual(await run('/checkpoints'));
    expect(changes).toEqual([]);
  });
});

it('checkpoints are listed with the time they were set, those of a turn with the time of its question', async () => {
  const { run } = createDevice(6);
  expect(await run('/checkpoints')).toMatchObject({
    type: 'checkpoints',
    checkpoints: [
      { name: 'here', createdAt: SET_AT },
      { name: 'turn-3', createdAt: FIRST_AT + 4 },
      { name: 'turn-2', createdAt: FIRST_AT + 2 },
    ],
  });
});

it('a checkpoint is set at the time of its command', async () => {
  const { run, changes } = createDevice(6);
  await run('/checkpoint now');
  expect(changes).toMatchObject([{ checkpoints: { now: { messageId: idOf(5), createdAt: SET_AT + 1 } } }]);
});
