import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import {
  diffOf,
  firstLineOf,
  listCheckpoints,
  modelCheckpoints,
  writtenCheckpoint,
} from '../../../src/domain/chat/checkpoint.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import { type Checkpoint, checkpointSchema } from '../../../src/domain/chat/records.ts';

const DAY = 86_400_000;
const said = (
  id: string,
  parent: string | null,
  role: Message['role'],
  createdAt: number,
  parts?: readonly Part[],
): Message => ({
  id: asMessageId(id),
  parentId: parent === null ? null : asMessageId(parent),
  role,
  kind: 'message',
  createdAt,
  parts: parts ?? [{ type: 'text', text: `${id} says` }],
});
const conversation = (
  messages: readonly Message[],
  checkpoints: Record<string, Partial<Checkpoint>> = {},
): Conversation => ({
  id: asConversationId('c'),
  meta: { ...conversationMetaSchema.parse({}), head: messages.at(-1)?.id ?? null },
  messages: new Map(messages.map((message) => [message.id, message])),
  checkpoints: new Map(
    Object.entries(checkpoints).map(([name, checkpoint]) => [
      name,
      { messageId: 'a1' as MessageId, createdAt: 0, auto: false, by: 'person' as const, ...checkpoint },
    ]),
  ),
  compactions: new Map(),
});
/** q1 a1 q2 a2 …, one turn a day. */
const talk = (turns: number) =>
  Array.from({ length: turns }, (_, at) => [
    said(`q${at + 1}`, at === 0 ? null : `a${at}`, 'user', at * DAY),
    said(`a${at + 1}`, `q${at + 1}`, 'assistant', at * DAY + 1),
  ]).flat();
const rules = { keep: 50, expire_after_days: 0 };

describe('checkpoints', () => {
  it('stand before every turn but the first, newest first, beside those with names', () => {
    const listed = listCheckpoints(conversation(talk(3), { mine: { createdAt: 5 } }), {
      rules,
      now: 3 * DAY,
    });
    expect(listed.map(({ name, messageId, kind, here }) => [name, messageId, kind, here])).toEqual([
      ['turn-3', 'a2', 'turn', true],
      ['turn-2', 'a1', 'turn', true],
      ['mine', 'a1', 'named', true],
    ]);
    expect(listed[0]?.firstLine).toBe('q3 says');
  });

  it('expire by count and by age, but never those a person named', () => {
    const tree = conversation(talk(20), { mine: { createdAt: 1 }, theirs: { createdAt: 1, auto: true } });
    const names = (change: Partial<typeof rules>) =>
      listCheckpoints(tree, { rules: { ...rules, ...change }, now: 20 * DAY }).map(({ name }) => name);
    expect(names({ keep: 2 })).toEqual(['turn-20', 'turn-19', 'mine']);
    expect(names({ expire_after_days: 3 })).toEqual(['turn-20', 'turn-19', 'turn-18', 'mine']);
    expect(names({})).toHaveLength(21);
  });

  it('of a model keep their numbers, whatever letters it sent', () => {
    const path = [
      ...talk(1),
      said('q2', 'a1', 'user', 9),
      said('call', 'q2', 'assistant', 10, [
        { type: 'tool-call', callId: 'x', name: 'checkpoint', arguments: '{}' },
      ]),
      said('set', 'call', 'tool', 11, [
        { type: 'tool-result', callId: 'x', text: 'This is checkpoint 2.', checkpoint: true },
      ]),
      { ...said('mail', 'set', 'user', 12), dmail: { from: 'z', checkpoint: 'set', by: 'model' as const } },
    ];
    expect(modelCheckpoints(path)).toEqual(['q1', 'q2', 'set']);
    const listed = listCheckpoints(conversation(path), { rules, now: 20 });
    expect(listed.map(({ name }) => name)).toEqual(['model-1', 'turn-2']);
  });

  it('differ in what only one of them has', () => {
    const tree = conversation([...talk(2), said('b2', 'q2', 'assistant', 3 * DAY)]);
    const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);
    const { common, left, right } = diffOf(tree, 'a2' as MessageId, 'b2' as MessageId);
    expect([common, ids(left), ids(right)]).toEqual(['q2', ['a2'], ['b2']]);
    expect(diffOf(tree, 'a1' as MessageId, 'a1' as MessageId)).toEqual({ common: 'a1', left: [], right: [] });
    expect(diffOf(tree, 'a1' as MessageId, 'gone' as MessageId).common).toBeNull();
  });

  it('are written short where there is nothing to say, and read from either form', () => {
    fc.assert(
      fc.property(
        fc.record({
          messageId: fc.string({ minLength: 1 }).map(asMessageId),
          createdAt: fc.nat(),
          auto: fc.boolean(),
          by: fc.constantFrom('person' as const, 'model' as const, 'app' as const),
        }),
        (checkpoint) => {
          expect(checkpointSchema.parse(writtenCheckpoint(checkpoint))).toEqual(checkpoint);
        },
      ),
    );
    expect(writtenCheckpoint({ messageId: 'm' as MessageId, createdAt: 0, auto: false, by: 'person' })).toBe(
      'm',
    );
  });

  it('have a first line, whatever the message is', () => {
    const line = (...parts: Part[]) => firstLineOf(said('x', null, 'user', 0, parts));
    expect(line({ type: 'text', text: '\n\n  two   words \nmore' })).toBe('two words');
    expect(
      line(
        { type: 'reasoning', text: 'hm' },
        { type: 'tool-call', callId: 'c', name: 'Shell', arguments: '{"a":1}' },
      ),
    ).toBe('Shell({"a":1})');
    expect(line({ type: 'file', mediaType: 'image/png', name: 'cat.png' })).toBe('cat.png');
    expect(line()).toBe('');
    expect([...line({ type: 'text', text: '备份'.repeat(200) })]).toHaveLength(120);
    expect(line({ type: 'text', text: '👩‍🚀'.repeat(200) })).not.toMatch(/[\ud800-\udbff]$/);
  });
});
