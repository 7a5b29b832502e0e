// The hierarchy of summaries: a model summarises each topic, and the oldest topics together.
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import type { Message } from '../../../../src/domain/chat/message.ts';
import { planCompaction, strategyOf } from '../../../../src/domain/context/compaction/index.ts';
import type {
  CompactionBudget,
  SummariseRequest,
} from '../../../../src/domain/context/compaction/strategy.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';

const meter = createMeter();
/** Topics that share no words, so many turns each. */
const TOPICS = [
  'harbour',
  'orchard',
  'railway',
  'library',
  'bakery',
  'theatre',
  'garden',
  'museum',
  'quarry',
  'market',
];
function talk(turns: number): Message[] {
  const messages: Message[] = [];
  for (const topic of TOPICS)
    for (let turn = 0; turn < turns; turn++)
      for (const role of ['user', 'assistant'] as const) {
        const words = ['gate', 'crew', 'plan', 'cost', 'wall', 'road', 'roof'].map(
          (word) => `${topic}${word}`,
        );
        messages.push({
          id: asMessageId(`m${messages.length}`),
          parentId: messages.at(-1)?.id ?? null,
          role,
          kind: 'message',
          createdAt: messages.length,
          parts: [{ type: 'text', text: `${words.join(' ')} ${topic}${role}${turn} `.repeat(4) }],
        });
      }
  return messages;
}
const budget = (target: number): CompactionBudget => ({
  window: target * 4,
  limit: target * 3,
  trigger: target * 3,
  target,
  extra: 0,
  keepTurns: 1,
  keepMessages: 2,
  maxAttempts: 2,
});
async function planned(path: readonly Message[], target: number, answer: (at: number) => string | Error) {
  const asked: SummariseRequest[] = [];
  const plan = await planCompaction(
    strategyOf('hierarchical'),
    { path, system: null, previous: null, request: { reason: 'auto' } },
    budget(target),
    {
      meter,
      summarise: async (request) => {
        asked.push(request);
        const given = answer(asked.length);
        if (given instanceof Error) throw given;
        return { text: given };
      },
      signal: { aborted: false, throwIfAborted: () => undefined },
    },
  );
  return { plan, asked, topics: plan.summaries.filter(({ kind }) => kind === 'topic') };
}

describe('a hierarchy', () => {
  it('has the newest topics told by the model, at most six, and each in words of its own', async () => {
    const { plan, asked, topics } = await planned(talk(2), 2_400, (at) => `Told by a model, number ${at}.`);
    expect(asked.length).toBe(6);
    expect(plan.attempts).toBe(6);
    expect(plan.fallback).toBeNull();
    expect(topics.length).toBeGreaterThan(6);
    const numbers = topics.map(({ text }) => /number (\d)/.exec(text)?.[1] ?? '');
    expect(numbers.filter((number) => number !== '')).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(numbers.at(-1)).toBe('6');
    expect(topics[0]?.text).toContain('harbour');
    // A topic is asked about alone.
    for (const { messages } of asked) {
      const spoken = TOPICS.filter((topic) => JSON.stringify(messages).includes(`${topic}gate`));
      expect(spoken.length).toBeLessThanOrEqual(2);
    }
  });

  it('tells of the oldest topics together where there are more than there is room to tell of', async () => {
    const { topics, asked, plan } = await planned(talk(2), 600, (at) => `Told by a model, number ${at}.`);
    expect(plan.fits).toBe(true);
    expect(topics.length).toBeGreaterThan(1);
    expect(topics.length).toBeLessThan(TOPICS.length - 1);
    const [oldest, ...others] = topics;
    for (const { covers } of others) expect(oldest?.covers).toBeGreaterThan(covers);
    const first = asked.filter(({ messages }) => messages.some(({ id }) => id === 'm0'));
    expect(
      new Set(
        first.flatMap(({ messages }) => TOPICS.filter((t) => JSON.stringify(messages).includes(`${t}gate`))),
      ).size,
    ).toBeGreaterThan(2);
  });

  it('asks no further once the endpoint failed, and tells of the rest by their own sentences', async () => {
    const { topics, asked, plan } = await planned(talk(2), 2_400, (at) =>
      at === 2 ? new Error('down') : `Told by a model, number ${at}.`,
    );
    expect(asked).toHaveLength(2);
    expect(plan.fallback).toMatchObject({ code: 'failed', strategy: 'session-memory' });
    expect(topics.filter(({ text }) => text.startsWith('Told by a model'))).toHaveLength(1);
    expect(topics.at(-1)?.text).toContain('market');
  });
});
