// The set of short everyday questions is what it says: short, in two languages, every label on a message that is there.
import { expect, test } from 'vitest';
import { everyday } from './own.ts';

const { tasks, gold } = everyday(new URL('./everyday', import.meta.url).pathname);
const [set] = tasks.sets;
const [store] = set?.stores ?? [];
const answers = gold.get('everyday') ?? new Map();

test('every label points at a message, every conversation has a title', () => {
  const units = new Set(store?.sessions.flatMap(({ messages }) => messages.map(({ unit }) => unit)));
  const labels = [...answers.values()].flatMap(({ groups }) => groups.flat());
  expect(labels.filter((unit) => !units.has(unit))).toEqual([]);
  expect(store?.sessions.filter(({ title }) => !title)).toEqual([]);
});

test('questions are short, not repeated, and called unrelated exactly when nothing is right', () => {
  const asked = store?.queries.map(({ text }) => text) ?? [];
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.filter((text) => text.split(' ').length > 8 || text.length > 40)).toEqual([]);
  for (const { groups, slice } of answers.values()) expect(slice === 'unrelated').toBe(groups.length === 0);
});

test('there is enough of it', () => {
  const all = [...answers.values()];
  expect(all.filter(({ groups }) => groups.length > 0).length).toBeGreaterThanOrEqual(50);
  expect(all.filter(({ groups }) => groups.length === 0).length).toBeGreaterThanOrEqual(30);
});
