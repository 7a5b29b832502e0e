import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import { keptChange } from '../../../src/domain/chat/kept.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import { branchOf, leafThrough } from '../../../src/ui/chat/rows.ts';

const id = (name: string) => asMessageId(name);
let clock = 1_700_000_000_000;
const said = (name: string, parent: string | null, more: Partial<Message> = {}): Message => {
  clock += 1000;
  return {
    id: id(name),
    parentId: parent === null ? null : id(parent),
    role: 'user',
    kind: 'message',
    createdAt: clock,
    parts: [{ type: 'text', text: name }],
    ...more,
  };
};
const conversation = (...messages: Message[]): Conversation => ({
  id: asConversationId('c'),
  meta: { ...conversationMetaSchema.parse({}), head: null },
  messages: new Map(messages.map((message) => [message.id, message])),
  checkpoints: new Map(),
  compactions: new Map(),
});
const shown = (tree: Conversation, leaf: string, until: string | null = null) =>
  branchOf(tree, id(leaf), until === null ? null : id(until)).rows.filter((row) => row.type !== 'day');

const compactionOf = (name: string, createdAt: number, undone: boolean, to = 'a'): Compaction => ({
  id: name,
  at: id(to),
  createdAt,
  strategy: 'summary',
  reason: 'manual',
  plan: {
    strategy: 'summary',
    runs: [{ action: 'fold', from: 'q', to, count: 2, tokens: 10, why: 'older', summary: null }],
    summaries: [],
    tokensBefore: 20,
    tokensAfter: 10,
    target: 10,
    fits: true,
    whyNot: null,
  },
  tokensBefore: 20,
  tokensAfter: 10,
  durationMs: 1,
  undone,
});

describe('a branch on the screen', () => {
  it('shows the path to its leaf, with siblings where time forked', () => {
    const tree = conversation(
      said('q', null),
      said('a1', 'q', { role: 'assistant' }),
      said('a2', 'q', { role: 'assistant' }),
      said('next', 'a1'),
    );
    const rows = shown(tree, 'next');
    expect(rows.map((row) => row.key)).toEqual(['q', 'a1', 'next']);
    expect(rows[1]).toMatchObject({ siblings: { index: 0, ids: ['a1', 'a2'] } });
    expect(rows[0]).toMatchObject({ siblings: null });
    expect(leafThrough(tree, id('a1'))).toBe('next');
    expect(leafThrough(tree, id('a2'))).toBe('a2');
  });

  it('shows the pieces of an answer that was cut off and went on as one', () => {
    const tree = conversation(
      said('q', null),
      said('a1', 'q', { role: 'assistant', finish: 'length' }),
      said('a2', 'a1', { role: 'assistant', finish: 'cut' }),
      said('a3', 'a2', { role: 'assistant', finish: 'stop' }),
      said('b1', 'q', { role: 'assistant', finish: 'stop' }),
      said('b2', 'b1', { role: 'assistant', finish: 'stop' }),
      said('next', 'a3'),
    );
    const branch = branchOf(tree, id('next'));
    const rows = branch.rows.filter((row) => row.type !== 'day');
    expect(rows.map((row) => row.key)).toEqual(['q', 'a1', 'next']);
    expect(rows[1]).toMatchObject({
      message: { id: 'a3' },
      pieces: [{ id: 'a1' }, { id: 'a2' }],
      siblings: { ids: ['a1', 'b1'] },
    });
    expect(branch.rowOf.get(id('a1'))).toBe(branch.rowOf.get(id('a3')));
    // One answer below another that was whole is another answer.
    expect(shown(tree, 'b2').map((row) => row.key)).toEqual(['q', 'b1', 'b2']);
  });

  it('shows letters that reword a tool’s result where the result is shown', () => {
    const call = { type: 'tool-call', callId: '1', name: 'look', arguments: '{}' } as const;
    const tree = conversation(
      said('q', null),
      said('call', 'q', { role: 'assistant', parts: [call] }),
      said('r1', 'call', { role: 'tool', parts: [{ type: 'tool-result', callId: '1', text: 'seen' }] }),
      said('a1', 'r1', { role: 'assistant' }),
      said('r2', 'call', {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: '1', text: 'other' }],
        dmail: { from: 'a1', checkpoint: 'call', by: 'person', edits: 'r1' },
      }),
      said('a2', 'r2', { role: 'assistant' }),
    );
    const arrived = shown(tree, 'a2').map((row) =>
      row.type === 'message' ? row.arrived.map((one) => one.id) : [],
    );
    expect(arrived).toEqual([[], ['r2'], []]);
    const left = shown(tree, 'a1').map((row) =>
      row.type === 'message' ? row.left.map(({ mail }) => mail.id) : [],
    );
    expect(left).toEqual([[], [], ['r2']]);
  });

  it('never parts a call from its result', () => {
    const tree = conversation(
      said('q', null),
      said('call', 'q', {
        role: 'assistant',
        parts: [{ type: 'tool-call', callId: '1', name: 'look', arguments: '{}' }],
      }),
      said('result', 'call', { role: 'tool', parts: [{ type: 'tool-result', callId: '1', text: 'seen' }] }),
      said('note', 'result', { role: 'system', kind: 'note' }),
      said('answer', 'note', { role: 'assistant' }),
    );
    const branch = branchOf(tree, id('answer'));
    expect(branch.results.get('1')?.text).toBe('seen');
    expect(branch.rows.filter((row) => row.type !== 'day').map((row) => row.type)).toEqual([
      'message',
      'message',
      'notes',
      'message',
    ]);
    expect(branch.rowOf.get(id('result'))).toBe(branch.rowOf.get(id('call')));
    expect(branch.rows[branch.rowOf.get(id('call')) as number]).toMatchObject({ continued: true });
  });

  it('shows a result that lost its call', () => {
    const tree = conversation(
      said('q', null),
      said('orphan', 'q', { role: 'tool', parts: [{ type: 'tool-result', callId: 'x', text: 'seen' }] }),
    );
    expect(shown(tree, 'orphan').map((row) => row.key)).toEqual(['q', 'orphan']);
  });

  it('says of a compaction that was taken back whether another stands in its place', () => {
    const tree = conversation(said('q', null), said('a', 'q', { role: 'assistant' }), said('next', 'a'));
    const states = (...made: Compaction[]) =>
      shown({ ...tree, compactions: new Map(made.map((one) => [one.id, one])) }, 'next').flatMap((row) =>
        row.type === 'compaction' ? [row.state] : [],
      );
    expect(states(compactionOf('first', 1, true))).toEqual(['undone']);
    // Made again: the new one compacts what the old one had compacted.
    expect(states(compactionOf('first', 1, true), compactionOf('second', 2, false))).toEqual([
      'superseded',
      'inForce',
    ]);
    expect(states(compactionOf('first', 1, true), compactionOf('second', 2, true))).toEqual([
      'undone',
      'undone',
    ]);
    expect(states(compactionOf('first', 1, false), compactionOf('second', 2, true))).toEqual([
      'inForce',
      'undone',
    ]);
    expect(states(compactionOf('first', 1, false), compactionOf('second', 2, false))).toEqual([
      'superseded',
      'inForce',
    ]);
  });

  it('reads a plan once, however often the conversation changes', () => {
    const tree = conversation(said('q', null), said('a', 'q', { role: 'assistant' }), said('next', 'a'));
    let reads = 0;
    const watched = (name: string, createdAt: number, undone: boolean): Compaction => {
      const made = compactionOf(name, createdAt, undone);
      return {
        ...made,
        get plan() {
          reads += 1;
          return made.plan;
        },
      };
    };
    const made = [watched('first', 1, true), watched('second', 2, false)];
    const compacted = { ...tree, compactions: new Map(made.map((one) => [one.id, one])) };
    shown(compacted, 'next');
    shown({ ...compacted }, 'next');
    expect(reads).toBe(2);
  });

  it('shows what the person marked as kept', () => {
    const tree = conversation(said('q', null), said('a', 'q', { role: 'assistant' }));
    const marked = {
      ...tree,
      meta: { ...tree.meta, ...keptChange(id('q'), true), ...keptChange(id('a'), true) },
    };
    const kept = (of: Conversation) => shown(of, 'a').map((row) => row.type === 'message' && row.kept);
    expect(kept(tree)).toEqual([false, false]);
    expect(kept(marked)).toEqual([true, false]);
  });

  it('counts the passages of memory that went into an answer, by a tool too, each once', () => {
    const passage = (messageId: string): RecalledPassage => ({
      conversationId: 'o',
      messageId,
      title: '',
      createdAt: 1,
      role: 'user',
      passage: messageId,
      neighbours: [],
      scores: { vector: 1, keyword: 1, hybrid: 1, decay: 1, final: 1 },
      tokens: 1,
    });
    const given = (...ids: string[]) => ({
      query: '',
      threshold: 0,
      passages: ids.map(passage),
      nearMisses: [passage('near')],
    });
    const tree = conversation(
      said('q', null),
      said('a', 'q', {
        role: 'assistant',
        parts: [
          { type: 'recall', ...given('one') },
          { type: 'tool-call', callId: 'c', name: 'recall', arguments: '{}' },
        ],
      }),
      said('t', 'a', {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'c', name: 'recall', text: '', recalled: given('one', 'two') },
        ],
      }),
      said('b', 't', { role: 'assistant' }),
      said('next', 'b'),
      said('c', 'next', { role: 'assistant' }),
    );
    const counted = shown(tree, 'c').map((row) => row.type === 'message' && [row.key, row.remembered]);
    expect(counted).toEqual([
      ['q', 0],
      ['a', 1],
      ['b', 2],
      ['next', 0],
      ['c', 0],
    ]);
  });

  it('ends at the question while its answer is being written', () => {
    const tree = conversation(said('q', null), said('old', 'q', { role: 'assistant' }));
    expect(shown(tree, 'old', 'q').map((row) => row.key)).toEqual(['q']);
    expect(shown(tree, 'old', 'elsewhere').map((row) => row.key)).toEqual(['q', 'old']);
  });

  it('knows the row of every message of the branch', () => {
    const messages: Message[] = [];
    for (let at = 0; at < 5000; at++)
      messages.push(said(`m${at}`, at === 0 ? null : `m${at - 1}`, at % 7 === 0 ? { kind: 'note' } : {}));
    const branch = branchOf(conversation(...messages), id('m4999'));
    const lost = messages.filter((message) => {
      const row = branch.rows[branch.rowOf.get(message.id as MessageId) as number];
      return row?.type === 'notes' ? !row.messages.includes(message) : row?.key !== message.id;
    });
    expect(lost).toEqual([]);
  });
});
