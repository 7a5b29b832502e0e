// The library that was used is what its README says: enough questions in both languages,
// every label on a message that is there.
import { expect, test } from 'vitest';
import { used } from './used.ts';

const { tasks, gold, superseded } = used([]);

test.each(tasks.sets)('$name has enough questions, each with a source', ({ name, stores }) => {
  const [store] = stores;
  const said = new Map(
    store?.sessions.flatMap(({ messages }) => messages.map((message) => [message.id, message] as const)),
  );
  const answers = [...(gold.get(name)?.entries() ?? [])];
  expect(answers.length).toBeGreaterThanOrEqual(name.includes('second') ? 48 : 100);
  for (const [id, { groups }] of answers)
    for (const unit of [...groups.flat(), ...(superseded.get(id) ?? [])])
      expect(said.get(unit)?.role).toBe('user');
  const ledgers = [...said.values()].flatMap(({ recalled }) => recalled ?? []);
  expect(ledgers.filter((id) => !said.has(id))).toEqual([]);
  expect([...said.values()].filter(({ content }) => content.trim() === '')).toEqual([]);
  const asked = store?.queries.map(({ text }) => text) ?? [];
  expect(new Set(asked).size).toBe(asked.length);
  // No question stands in the library as it is asked, but for those that were asked in vain.
  if (!name.includes('vain'))
    expect(asked.filter((text) => [...said.values()].some(({ content }) => content === text))).toEqual([]);
});

test('more than half of the questions are about something corrected', () => {
  const corrected = [...superseded.values()].filter((old) => old.length > 0);
  expect(corrected.length).toBeGreaterThan(superseded.size / 2);
});
