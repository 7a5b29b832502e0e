// The figure that compaction is held to, so that it cannot fall unnoticed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STRATEGIES } from '../../src/domain/context/compaction/index.ts';
import { queryOf } from '../../src/domain/context/query.ts';
import { termsIn } from '../../src/domain/context/reading.ts';
import { unitsOf } from '../../src/domain/context/units.ts';
import { ALL, some } from '../scale.ts';
import { ownConversations, paraphrasedConversations, scenesOf } from './context/conversations.ts';
import { type byKind, conversationsSchema, measure, messagesOf, saysValue, table } from './context.ts';

it('session memory and recall keep 95 % of planted facts at a tenth of the size, in both languages', async () => {
  const conversations = ownConversations();
  const facts = new Set(conversations.flatMap((one) => one.facts.map(({ ask }) => ask)));
  expect(facts.size).toBeGreaterThanOrEqual(200);
  // The gate measures the two longest, which hold all scenes of their language.
  const measured = ALL ? conversations : conversations.filter(({ id }) => String(id).endsWith('-4'));
  const { rows, plans } = await measure(measured, ['session-memory']);
  for (const language of ['en', 'zh']) {
    const own = rows.filter((row) => row.language === language);
    expect(own.filter(({ recalled }) => recalled).length / own.length).toBeGreaterThanOrEqual(0.95);
    // Compaction must make the prompt fit.
    expect(own.filter(({ tokens, limit }) => tokens > limit)).toEqual([]);
  }
  expect(rows.filter(({ recalled }) => recalled).length / rows.length).toBeGreaterThanOrEqual(0.95);
  for (const { window, conversationTokens } of plans) expect(window / conversationTokens).toBeCloseTo(0.1, 2);
  expect(table(rows).split('\n')).toHaveLength(4);
});

it('session memory keeps what it kept of facts that are asked for in other words, and fits', async () => {
  for (const [half, least] of some(
    [
      ['apart', 0.4],
      ['development', 0.37],
    ] as const,
    1,
  )) {
    const { rows } = await measure(paraphrasedConversations(half), ['session-memory']);
    expect(rows.filter(({ recalled }) => recalled).length / rows.length, half).toBeGreaterThanOrEqual(least);
    expect(rows.filter(({ tokens, limit }) => tokens > limit)).toEqual([]);
  }
});

const plain = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

it('paraphrased questions share no content word with what answers them, and only that answers them', () => {
  let facts = 0;
  for (const language of ['en', 'zh']) {
    const scenes = (file: string) =>
      scenesOf(readFileSync(new URL(`context/${file}-${language}.txt`, import.meta.url), 'utf8'));
    const own = scenes('paraphrased');
    const all = [...own, ...scenes('scenes')].map(
      (scene) => [scene, scene.messages.map(({ content }) => plain(String(content)))] as const,
    );
    for (const scene of own)
      for (const { ask, answer, kind } of scene.facts) {
        facts += 1;
        expect(['constraint', 'tool', 'assistant', 'person', 'list', 'table', 'code']).toContain(kind);
        const [{ messages = [] } = {}] = conversationsSchema.parse([
          { id: 'x', language, messages: scene.messages, facts: [] },
        ]);
        const units = messagesOf({ id: 'x', language, messages, facts: [] }).flatMap((one) =>
          unitsOf(one).filter(({ text }) => saysValue(plain(text), plain(answer))),
        );
        expect(units, ask).not.toEqual([]);
        // Question words ("how long", 多少) are no content.
        const { weights, asked } = queryOf(ask);
        const content = [...weights].flatMap(([term, weight]) =>
          asked.has(term) && weight > 0.3 ? term : [],
        );
        for (const unit of units)
          expect(
            content.filter((term) => termsIn(unit).has(term)),
            ask,
          ).toEqual([]);
        const inAnotherTab = all.filter(
          ([other, said]) => other !== scene && said.some((one) => saysValue(one, plain(answer))),
        );
        expect(inAnotherTab.length, `${answer} stands elsewhere`).toBe(0);
      }
  }
  expect(facts).toBeGreaterThanOrEqual(150);
  const halves = (['development', 'apart'] as const).map(
    (half) => new Set(paraphrasedConversations(half).flatMap((one) => one.facts.map(({ ask }) => ask))),
  );
  expect([...(halves[0] ?? [])].filter((ask) => halves[1]?.has(ask))).toEqual([]);
});

it('a value is said where it stands by itself, not within a longer number', () => {
  expect(saysValue('port 8081.', '8081')).toBe(true);
  expect(saysValue('18081 and 8081.5 and 2,8081', '8081')).toBe(false);
  expect(saysValue('18081, then 8081', '8081')).toBe(true);
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
      { ask: 'Which gate number does the pilot use?', answer: '7731', kind: 'person' },
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
    const { rows, plans, kinds } = JSON.parse(readFileSync(out, 'utf8')) as Awaited<
      ReturnType<typeof measure>
    > & { kinds: ReturnType<typeof byKind> };
    expect(kinds.find(({ strategy }) => strategy === 'session-memory')).toEqual({
      set: 'given',
      strategy: 'session-memory',
      language: 'en',
      kind: 'person',
      facts: 1,
      bare: rows.find(({ strategy, kind }) => strategy === 'session-memory' && kind)?.bare ? 1 : 0,
      recalled: 1,
    });
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
    // File and table name summaries that no model wrote.
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
