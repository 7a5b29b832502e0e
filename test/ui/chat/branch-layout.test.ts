import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import { branchLayoutOf, neighbourOf } from '../../../src/ui/chat/branch-layout.ts';

const said = (name: string, parent: string | null, at: number): Message => ({
  id: asMessageId(name),
  parentId: parent === null ? null : asMessageId(parent),
  role: 'user',
  kind: 'message',
  createdAt: at,
  parts: [{ type: 'text', text: name }],
});
const tree = (pairs: readonly (readonly [string, string | null])[], head: string | null): Conversation => ({
  id: asConversationId('c'),
  meta: { ...conversationMetaSchema.parse({}), head: head === null ? null : asMessageId(head) },
  messages: new Map(pairs.map(([id, parent], at) => [asMessageId(id), said(id, parent, at + 1)])),
  checkpoints: new Map(),
  compactions: new Map(),
});

describe('branches', () => {
  it('show forks, ends and names, and count what lies between', () => {
    const conversation = tree(
      [
        ['a', null],
        ['b', 'a'],
        ['c', 'b'],
        ['d', 'c'],
        ['e', 'b'],
        ['f', 'e'],
      ],
      'f',
    );
    const named: Conversation = {
      ...conversation,
      checkpoints: new Map([
        ['start', { messageId: asMessageId('a'), createdAt: 0, auto: false, by: 'person' as const }],
      ]),
    };
    const { places, columnCount, branches } = branchLayoutOf(named);
    expect(
      places.map(({ id, kinds, between, row, column }) => [id, kinds.join('+'), between, row, column]),
    ).toEqual([
      ['a', 'checkpoint', 1, 0, 0],
      ['b', 'fork', 1, 1, 0],
      ['f', 'head+leaf', 2, 2, 0],
      ['d', 'leaf', 2, 2, 1],
    ]);
    expect([columnCount, branches]).toEqual([2, 2]);
    const lines = branchLayoutOf(named);
    expect(neighbourOf(lines, asMessageId('f'), 'ArrowRight')?.id).toBe('d');
    expect(neighbourOf(lines, asMessageId('d'), 'ArrowLeft')?.id).toBe('f');
    expect(neighbourOf(lines, asMessageId('d'), 'ArrowUp')?.id).toBe('b');
    expect(neighbourOf(lines, asMessageId('a'), 'ArrowUp')).toBeUndefined();
  });

  it('show where a letter arrived and where messages are compacted, not where that was taken back', () => {
    const { messages, ...conversation } = tree(
      [
        ['a', null],
        ['b', 'a'],
        ['c', 'b'],
        ['mail', 'b'],
        ['d', 'mail'],
        ['e', 'd'],
        ['f', 'e'],
      ],
      'f',
    );
    const compactionOf = (id: string, at: string, undone: boolean): [string, Compaction] => [
      id,
      {
        ...{ id, at: asMessageId(at), undone, plan: {}, strategy: 'summary', reason: 'auto' },
        ...{ createdAt: 1, tokensBefore: 2, tokensAfter: 1, durationMs: 0 },
      },
    ];
    const { places } = branchLayoutOf({
      ...conversation,
      messages: new Map(
        [...messages].map(([id, message]) => [
          id,
          id === 'mail' ? { ...message, dmail: { from: 'c', checkpoint: 'b', by: 'model' } } : message,
        ]),
      ),
      compactions: new Map([compactionOf('one', 'e', false), compactionOf('other', 'd', true)]),
    });
    expect(places.map(({ id, kinds }) => [id, kinds.join('+')])).toEqual([
      ['a', ''],
      ['b', 'fork'],
      ['mail', 'dmail'],
      ['c', 'leaf'],
      ['e', 'compaction'],
      ['f', 'head+leaf'],
    ]);
  });

  it('hold every message of every tree, each place once, no two on one spot', () => {
    const anyTree = fc
      .array(fc.nat(), { maxLength: 60 })
      .map((picks) =>
        picks.map((pick, at): readonly [string, string | null] => [
          `m${at}`,
          at === 0 || pick % (at + 1) === at ? null : `m${pick % at}`,
        ]),
      );
    fc.assert(
      fc.property(anyTree, fc.nat(), (pairs, pick) => {
        const conversation = tree(pairs, pairs.length > 0 ? `m${pick % pairs.length}` : null);
        const { places, messages } = branchLayoutOf(conversation);
        expect(places.reduce((sum, { between }) => sum + between, 0)).toBe(messages);
        expect(new Set(places.map(({ row, column }) => `${row} ${column}`)).size).toBe(places.length);
        for (const place of places)
          for (const child of place.children)
            expect(places.find(({ id }) => id === child)?.parent).toBe(place.id);
      }),
    );
  });

  it('are drawn for a conversation of ten thousand messages in one line', () => {
    const pairs = Array.from(
      { length: 10_000 },
      (_, at) => [`m${at}`, at === 0 ? null : `m${at - 1}`] as const,
    );
    expect(branchLayoutOf(tree(pairs, null)).places).toHaveLength(2);
  });
});
