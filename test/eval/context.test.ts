// The figure that compaction is held to, so that it cannot fall unnoticed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STRATEGIES } from '../../src/domain/context/compaction/index.ts';
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

const TALK = [
  {
    id: 'tiny',
    language: 'en',
    messages: Array.from({ length: 120 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content:
        at === 4
          ? 'The pilot of the harbour uses gate number 7731.'
          : `Message ${at}: the loader reads shard ${at} and writes ${at * 17} rows into table t${at}; nothing else was slow, and we go on.`,
    })),
    facts: [
      { ask: 'Which gate number does the pilot use?', answer: '7731' },
      { ask: 'What is the name of the cat?', answer: 'Ferdinand' },
    ],
  },
];

it('the command reads a file of others and writes what it found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-eval-'));
  const [file, out] = [join(folder, 'talks.json'), join(folder, 'out.json')];
  try {
    writeFileSync(file, JSON.stringify(TALK));
    const printed = execFileSync(
      'npx',
      ['tsx', 'test/eval/run.ts', '--context', '--conversations', file, '--json', out],
      { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const { rows, plans } = JSON.parse(readFileSync(out, 'utf8')) as Awaited<ReturnType<typeof measure>>;
    expect(new Set(rows.map(({ strategy }) => strategy))).toEqual(new Set(STRATEGIES.map(({ id }) => id)));
    expect(
      plans.every(({ window, conversationTokens }) => window === Math.round(conversationTokens / 10)),
    ).toBe(true);
    const [known, unknown] = rows.filter(({ strategy }) => strategy === 'session-memory');
    expect(known).toMatchObject({
      conversation: 'tiny',
      language: 'en',
      said: true,
      recalled: true,
      place: 'first',
    });
    expect(unknown).toMatchObject({ said: false, recalled: false });
    // What no model has written is called so, in the file and in the table.
    const extracts = new Set(
      rows.filter(({ summaryBy }) => summaryBy === 'extracts').map((row) => row.strategy),
    );
    expect([...extracts].sort()).toEqual(['hierarchical', 'summary', 'turns']);
    for (const { id } of STRATEGIES) expect(printed.includes(`${id} (extracts)`), id).toBe(extracts.has(id));
    expect(printed).toContain('1 of the answers stand nowhere in their conversation');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
