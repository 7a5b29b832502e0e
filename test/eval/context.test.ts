// The figure that compaction is held to, so that it cannot fall unnoticed.
import { expect, it } from 'vitest';
import { ownConversations } from './context/conversations.ts';
import { conversationsSchema, measure, messagesOf, table } from './context.ts';

it('session memory and recall keep 95 % of planted facts at a tenth of the size, in both languages', async () => {
  const conversations = ownConversations();
  const facts = new Set(conversations.flatMap((one) => one.facts.map(({ ask }) => ask)));
  expect(facts.size).toBeGreaterThanOrEqual(200);
  const { rows, plans } = await measure(conversations, ['session-memory']);
  for (const language of ['en', 'zh']) {
    const own = rows.filter((row) => row.language === language);
    expect(own.filter(({ recalled }) => recalled).length / own.length).toBeGreaterThanOrEqual(0.95);
    // What is sent fits: that is what the compaction is for.
    expect(own.filter(({ tokens, limit }) => tokens > limit)).toEqual([]);
  }
  expect(rows.filter(({ recalled }) => recalled).length / rows.length).toBeGreaterThanOrEqual(0.95);
  for (const { window, conversationTokens } of plans) expect(window / conversationTokens).toBeCloseTo(0.1, 2);
  expect(table(rows).split('\n')).toHaveLength(4);
});

it('reads conversations of others: calls with and without ids, results inside and outside, answers of tools nobody called', () => {
  const [conversation] = conversationsSchema.parse([
    {
      id: 'x',
      language: 'en',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', content: null, toolCalls: [{ name: 'ls', arguments: { path: '/' } }] },
        { role: 'tool', content: 'a.txt' },
        {
          role: 'assistant',
          content: 'and',
          toolCalls: [
            { id: 'c', type: 'function', function: { name: 'cat', arguments: '{}' }, result: 'text' },
          ],
        },
        { role: 'tool', content: 'nobody asked' },
      ],
      facts: [],
    },
  ]);
  expect(
    messagesOf(conversation as never).map(({ role, parts }) => [role, parts.map(({ type }) => type)]),
  ).toEqual([
    ['user', ['text']],
    ['assistant', ['tool-call']],
    ['tool', ['tool-result']],
    ['assistant', ['text', 'tool-call']],
    ['tool', ['tool-result']],
    ['assistant', ['tool-call']],
    ['tool', ['tool-result']],
  ]);
});
