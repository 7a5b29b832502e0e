import { expect, it } from 'vitest';
import { partSchema } from '../../../src/domain/chat/message.ts';
import { recallOf, stretchesOf } from '../../../src/ui/chat/explained.ts';
import { passage } from '../../services/chat/setup.ts';

const scored = (id: string, final: number) => {
  const made = passage(id, `words of ${id}`);
  return { ...made, scores: { ...made.scores, final } };
};
const [sure, surer, shown, near] = [
  scored('a', 0.97),
  scored('b', 0.93),
  scored('c', 0.8),
  scored('d', 0.4),
] as const;
const found = { query: 'port', threshold: 0.9, passages: [sure, surer], nearMisses: [shown, near] };

it('what goes in, what is only shown, and what came close are told apart', () => {
  expect(stretchesOf(found, 0.75)).toEqual({ goesIn: [sure, surer], shown: [shown], missed: [near] });
});

it('what was left out by the person is kept as that, not as a near miss', () => {
  const recall = recallOf(found, new Set(['a', 'c']));
  expect(recall).toEqual({
    type: 'recall',
    query: 'port',
    quoting: 'lines',
    threshold: 0.9,
    passages: [sure, shown],
    nearMisses: [near],
    leftOut: [surer],
  });
  expect(partSchema.parse(recall)).toEqual(recall);
  expect(recallOf(found, new Set(['a', 'b']))).not.toHaveProperty('leftOut');
});

it('what is listed has the price at which it goes in: what is listed itself does not come along beside another', () => {
  const beside = { messageId: 'd', role: 'user' as const, createdAt: 1, text: 'words of d' };
  const dear = { ...sure, neighbours: [beside], tokens: 60 };
  const list = { ...found, passages: [dear, surer] };
  const { goesIn, missed } = stretchesOf(list, 0.75);
  expect(goesIn).toEqual(recallOf(list, new Set(['a', 'b'])).passages);
  expect(goesIn[0]?.tokens).toBeLessThan(60);
  expect(missed).toEqual([near]);
});
