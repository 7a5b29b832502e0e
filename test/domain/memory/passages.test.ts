import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecalledPassage } from '../../../src/domain/chat/message.ts';
import {
  divideBudget,
  neighboursOf,
  neighbourTokens,
  tickedPassages,
  withoutMessages,
} from '../../../src/domain/memory/passages.ts';
import { onlyAsks } from '../../../src/domain/memory/replies.ts';

const FRAME = 24;
/** A passage with what was said beside it. */
const passage = (messageId: string, ...beside: string[]): RecalledPassage => {
  const neighbours = beside.map((id) => ({
    messageId: id,
    role: 'user',
    text: `The words of ${id}.`,
    createdAt: 2,
  }));
  return {
    conversationId: 'c',
    messageId,
    title: 'Talk',
    createdAt: 1,
    role: 'user',
    passage: `The words of ${messageId}.`,
    neighbours,
    scores: { vector: null, keyword: 0.8, hybrid: 0.8, decay: 1, final: 0.8 },
    tokens: FRAME + neighbours.reduce((sum, { text }) => sum + neighbourTokens(text), 0),
  };
};

it.each([
  ['Which port does the staging server use?', true],
  ['Hi! What port was it?', true],
  ['服务器用哪个端口？', true],
  ['We moved to Lyon in May. Which school is near?', false],
  ['My cat is called Miso', false],
  ['我对青霉素过敏。能吃阿莫西林吗？', false],
])('a text that only asks gives way to its reply: %s', (text, only) => {
  expect(onlyAsks(text)).toBe(only);
});

describe('what is left out of a recall', () => {
  it('is left out beside others, too, and costs nothing there', () => {
    const left = withoutMessages(
      [passage('a', 'b', 'c'), passage('b')],
      ({ messageId }) => messageId === 'b',
    );
    expect(left).toEqual([passage('a', 'c')]);
    expect(withoutMessages([passage('a', 'b')], ({ text }) => text.includes('of b'))).toEqual([passage('a')]);
  });

  it('is what is not ticked in a list; what is ticked goes in once', () => {
    const listed = [passage('a', 'b', 'x'), passage('b', 'a'), passage('c', 'b')];
    expect(tickedPassages(listed, new Set(['a', 'c']))).toEqual([passage('a', 'x'), passage('c')]);
    expect(tickedPassages(listed, new Set(['a', 'b']))).toEqual([passage('a', 'x'), passage('b')]);
  });
});

describe('what stands beside a passage', () => {
  const at = (messageId: string, createdAt: number, side?: 'before' | 'after') => ({
    messageId,
    role: 'user',
    text: messageId,
    createdAt,
    ...(side ? { side } : {}),
  });
  const ids = (one: RecalledPassage) => {
    const { before, after } = neighboursOf(one);
    return [before, after].map((rows) => rows.map(({ messageId }) => messageId).join());
  };

  it('keeps its side, whatever the clock said', () => {
    const neighbours = [at('z', 1, 'before'), at('a', 1, 'after'), at('b', 0, 'after')];
    expect(ids({ ...passage('m'), neighbours })).toEqual(['z', 'a,b']);
  });

  it('is told by time and name in an older answer', () => {
    const neighbours = [at('z', 1), at('n', 0), at('b', 1)];
    expect(ids({ ...passage('m'), neighbours })).toEqual(['n,b', 'z']);
  });
});

it('shares a budget out fairly and fully', () => {
  expect(divideBudget([100, 400, 400], 500)).toEqual([100, 200, 200]);
  expect(divideBudget([10, 10], 500)).toEqual([10, 10]);
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000), { maxLength: 12 }),
      fc.integer({ min: -5, max: 5_000 }),
      (wants, budget) => {
        const shares = divideBudget(wants, budget);
        const sum = shares.reduce((a, b) => a + b, 0);
        expect(sum).toBeLessThanOrEqual(Math.max(0, budget));
        shares.forEach((value, i) => {
          expect(value).toBeLessThanOrEqual(wants[i] as number);
        });
        if (wants.reduce((a, b) => a + b, 0) <= budget) expect(shares).toEqual(wants);
      },
    ),
  );
});
