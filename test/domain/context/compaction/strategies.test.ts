// What each strategy does beyond what all of them promise.
import { describe, expect, it } from 'vitest';
import { RecollectError } from '../../../../src/domain/base/errors.ts';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import { compactionOn } from '../../../../src/domain/chat/compaction.ts';
import type { Message, Part } from '../../../../src/domain/chat/message.ts';
import { type Compaction, compactionSchema } from '../../../../src/domain/chat/records.ts';
import { COMPACTED, COMPACTED_TURNS } from '../../../../src/domain/context/compaction/headings.ts';
import { planCompaction, STRATEGIES, strategyOf } from '../../../../src/domain/context/compaction/index.ts';
import {
  boundaryOf,
  type CompactionPlan,
  dispositionsOf,
  summaryTextOf,
  withSummaryText,
} from '../../../../src/domain/context/compaction/plan.ts';
import type {
  CompactionBudget,
  CompactionTools,
  CompactionView,
  SummariseRequest,
} from '../../../../src/domain/context/compaction/strategy.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';
import { buildPrompt } from '../../../../src/domain/context/prompt.ts';
import { configSchema } from '../../../../src/domain/settings/config.ts';
import { extractiveSummary } from './extractive.ts';

const meter = createMeter();
const filler = (topic: string) =>
  `${topic} can be approached in several ways, and each has a price that only shows later. `.repeat(6);

/** A conversation of turns; `said` gives the words of single messages by their place. */
function conversation(turns: number, said: Record<number, string | readonly Part[]> = {}): Message[] {
  return Array.from({ length: turns * 2 }, (_, index): Message => {
    const own = said[index];
    const parts: readonly Part[] =
      typeof own === 'object'
        ? own
        : [
            {
              type: 'text',
              text: own ?? filler(`Subject ${'abcdefghijklmnopqrstuvwxyz'[index % 26]}${index}`),
            },
          ];
    const role =
      typeof own === 'object' && own[0]?.type === 'tool-result'
        ? 'tool'
        : index % 2 === 0
          ? 'user'
          : 'assistant';
    return {
      id: asMessageId(`m${index}`),
      parentId: index === 0 ? null : asMessageId(`m${index - 1}`),
      role,
      kind: 'message',
      createdAt: index,
      parts,
    };
  });
}

const budget = (target: number, more: Partial<CompactionBudget> = {}): CompactionBudget => ({
  window: target * 4,
  limit: target * 3,
  trigger: target * 3,
  target,
  extra: 0,
  keepTurns: 6,
  keepMessages: 2,
  maxAttempts: 2,
  ...more,
});
const view = (path: readonly Message[], more: Partial<CompactionView> = {}): CompactionView => ({
  path,
  system: null,
  previous: null,
  request: { reason: 'auto' },
  ...more,
});
/** A model that answers with these texts, one after another; records what it was asked. */
function scripted(...answers: readonly (string | Error)[]): CompactionTools & { asked: SummariseRequest[] } {
  const asked: SummariseRequest[] = [];
  return {
    asked,
    meter,
    summarise: async (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return { text: answer ?? '' };
    },
    signal: { aborted: false, throwIfAborted: () => undefined },
  };
}
const none: CompactionTools = {
  meter,
  summarise: null,
  signal: { aborted: false, throwIfAborted: () => undefined },
};
const actions = (plan: CompactionPlan, path: readonly Message[]) =>
  dispositionsOf(plan, path).map(({ action }) => action);
const built = (path: readonly Message[], plan: CompactionPlan) =>
  buildPrompt({
    path,
    recall: null,
    system: null,
    window: 1e9,
    reserve: 0,
    meter,
    applied: { id: 'c', plan },
  });

it('STRATEGIES has what `context.strategy` of the configuration offers', () => {
  const ids = configSchema.shape.context.unwrap().shape.strategy.unwrap().options;
  expect(
    STRATEGIES.map(({ id }) => id),
    'STRATEGY_IDS of src/domain/settings/config.ts, in the order of STRATEGIES',
  ).toEqual([...ids]);
  expect(strategyOf('of another time').id).toBe('session-memory');
});

describe('summary', () => {
  const plan = (
    path: readonly Message[],
    tools: CompactionTools,
    more: Partial<CompactionView> = {},
    size = 1_500,
  ) => planCompaction(strategyOf('summary'), view(path, more), budget(size), tools);

  it('keeps the last two messages of person and model, and one summary for the rest', async () => {
    const path = conversation(8);
    const made = await plan(path, scripted('<current_focus>all of it</current_focus>'));
    expect(actions(made, path)).toEqual([...Array.from({ length: 14 }, () => 'fold'), 'keep', 'keep']);
    const [first] = built(path, made).messages;
    expect(first?.role).toBe('user');
    expect(first?.parts[0]).toEqual({
      type: 'text',
      text: `${COMPACTED}\n<current_focus>all of it</current_focus>`,
    });
    expect(made).toMatchObject({ attempts: 1, fallback: null });
  });

  it('keeps more where it is told to', async () => {
    const path = conversation(8);
    const made = await planCompaction(
      strategyOf('summary'),
      view(path),
      budget(3_000, { keepMessages: 5 }),
      scripted('brief'),
    );
    expect(actions(made, path).filter((action) => action === 'keep')).toHaveLength(5);
  });

  it('tells the model of calls by name and arguments, and not of what a model thought', async () => {
    const path = conversation(8, {
      1: [
        { type: 'reasoning', text: 'SECRET THOUGHT' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool-call', callId: 'c', name: 'read_file', arguments: '{"path":"src/pool.ts"}' },
      ],
      2: [{ type: 'tool-result', callId: 'c', text: 'keepalive: false' }],
    });
    const tools = scripted('brief');
    await plan(path, tools, {
      request: { reason: 'manual-with-prompt', instruction: 'keep the pool settings' },
    });
    const { prompt, system } = tools.asked[0] as SummariseRequest;
    expect(prompt).toContain('[call read_file] {"path":"src/pool.ts"}');
    expect(prompt).toContain('[result] keepalive: false');
    expect(prompt).not.toContain('SECRET THOUGHT');
    expect(prompt).toContain('keep the pool settings');
    for (const section of [
      'current_focus',
      'environment',
      'completed_tasks',
      'active_issues',
      'code_state',
      'important_context',
    ])
      expect(prompt).toContain(`<${section}>`);
    expect(system).not.toBe('');
  });

  it('speaks Chinese where the conversation does, and takes a prompt of one’s own', async () => {
    const chinese = conversation(6).map((message) => ({
      ...message,
      parts: [{ type: 'text' as const, text: '我们先讨论数据库的选型，然后再看部署方式和监控。'.repeat(8) }],
    }));
    const tools = scripted('简短');
    await plan(chinese, tools);
    expect(tools.asked[0]?.language).toBe('zh');
    expect(tools.asked[0]?.prompt).toContain('请压缩以上对话');
    const own = scripted('x');
    await plan(chinese, own, { request: { reason: 'manual', prompt: 'ONLY THE TITLE' } });
    expect(own.asked[0]?.prompt).toContain('ONLY THE TITLE');
    expect(own.asked[0]?.prompt).not.toContain('请压缩以上对话');
  });

  it.each([
    ['fails', [new RecollectError('model-rate', 'Too many requests.', { retry: true })], 'failed', 1],
    ['is empty, twice', ['', ' '], 'empty', 2],
    ['is too long, twice', ['long '.repeat(20_000)], 'too-long', 2],
  ] as const)(
    'falls back on the session memory where the summary %s',
    async (_why, answers, code, attempts) => {
      const path = conversation(8, { 2: 'The port is 5433. Never touch the audit table.' });
      const made = await plan(path, scripted(...answers));
      expect(made).toMatchObject({ fallback: { code }, attempts, fits: true, strategy: 'summary' });
      expect(summaryTextOf(made)).toContain('Never touch the audit table.');
    },
  );

  it('tries again once where the first was too long, and says so to the model', async () => {
    const tools = scripted('long '.repeat(20_000), 'brief');
    const made = await plan(conversation(8), tools);
    expect(made).toMatchObject({ attempts: 2, fallback: null });
    expect(tools.asked[1]?.prompt).toContain('too long');
  });

  it('asks in pieces where the messages are more than the model reads at once, each with what came before', async () => {
    const tools = scripted('one', 'two', 'three', 'four', 'five', 'six', 'seven');
    const made = await planCompaction(strategyOf('summary'), view(conversation(40)), budget(1_000), tools);
    expect(tools.asked.length).toBeGreaterThan(1);
    expect(tools.asked[1]?.previous).toBe('one');
    expect(tools.asked.flatMap(({ messages }) => messages)).toHaveLength(78);
    expect(summaryTextOf(made)).toBe(
      ['one', 'two', 'three', 'four', 'five', 'six', 'seven'][tools.asked.length - 1],
    );
  });

  it('builds on the summary in force, and reads only what is new', async () => {
    const path = conversation(8);
    const first = await plan(path, scripted('FIRST'));
    const longer = [...path, ...conversation(12).slice(16)];
    const tools = scripted('SECOND');
    const second = await plan(longer, tools, { previous: { id: 'c', plan: first } });
    expect(tools.asked).toHaveLength(1);
    expect(tools.asked[0]?.previous).toBe('FIRST');
    expect(tools.asked[0]?.messages.map(({ id }) => id)).toEqual(longer.slice(14, 22).map(({ id }) => id));
    expect(summaryTextOf(second)).toBe('SECOND');
  });

  it('stays where a person asks for it before there is much to shorten', async () => {
    const path = conversation(3);
    const made = await planCompaction(
      strategyOf('summary'),
      view(path, { system: filler('The house rules').repeat(4), request: { reason: 'manual' } }),
      budget(9_000),
      scripted(`The way of the summary: ${'it was weighed and written down. '.repeat(12)}`),
    );
    expect(made.fallback).toBeNull();
    expect(summaryTextOf(made)).toContain('The way of the summary');
    expect(made.tokensAfter).toBeLessThan(made.tokensBefore);
  });

  it('passes on that it was stopped', async () => {
    const stop = Object.assign(new Error('stopped'), { name: 'AbortError' });
    await expect(plan(conversation(8), scripted(stop))).rejects.toBe(stop);
  });
});

describe('turns', () => {
  it('keeps whole turns and marks the summary', async () => {
    const path = conversation(12);
    const made = await planCompaction(
      strategyOf('turns'),
      view(path),
      budget(2_000),
      scripted('older turns, briefly'),
    );
    const dispositions = actions(made, path);
    const first = dispositions.indexOf('keep');
    expect(first).toBeGreaterThan(0);
    expect(first % 2).toBe(0);
    expect(dispositions.slice(first).every((action) => action === 'keep')).toBe(true);
    expect(made.summaries[0]).toMatchObject({ heading: COMPACTED_TURNS, text: 'older turns, briefly' });
  });

  it('prunes tool output first where there is no summary', async () => {
    const said: Record<number, string | readonly Part[]> = {};
    for (let at = 0; at < 24; at += 4) {
      said[at + 1] = [{ type: 'tool-call', callId: `c${at}`, name: 'shell', arguments: '{}' }];
      said[at + 2] = [
        { type: 'tool-result', callId: `c${at}`, text: 'a line of output that goes on\n'.repeat(60) },
      ];
      said[at + 3] = 'Done.';
      said[at] = 'Next.';
    }
    const path = conversation(12, said);
    const made = await planCompaction(
      strategyOf('turns'),
      view(path),
      budget(1_500),
      scripted(new Error('down')),
    );
    expect(made.fallback?.code).toBe('failed');
    expect(made.fits).toBe(true);
    expect(made.runs.filter(({ action }) => action === 'trim').length).toBeGreaterThan(1);
    expect(made.summaries).toEqual([]);
  });
});

describe('session memory', () => {
  it('keeps rules, the last correction, decisions, files and what is open', async () => {
    const path = conversation(30, {
      0: 'The gateway listens on port 8080. Please never commit to main directly.',
      4: 'no, port 8081.',
      6: 'We decided to use Redis 7 for the queue.',
      8: 'The failing file is src/net/pool.ts, it throws ECONNRESET after 30 seconds.',
      10: 'TODO: rotate the signing keys before June 3.',
    });
    const made = await planCompaction(strategyOf('session-memory'), view(path), budget(1_600), none);
    const text = summaryTextOf(made);
    for (const kept of [
      'Please never commit to main directly.',
      'no, port 8081.',
      'Redis 7',
      'src/net/pool.ts',
      'rotate the signing keys',
    ])
      expect(text).toContain(kept);
    expect(made.fits).toBe(true);
    expect(made.attempts).toBe(0);
  });

  it('says what was corrected with what it was, and not as if both held', async () => {
    const path = conversation(30, { 0: 'The gateway listens on port 8080 in staging.', 2: 'no, port 8081.' });
    const made = await planCompaction(strategyOf('session-memory'), view(path), budget(1_600), none);
    expect(summaryTextOf(made)).toContain('The gateway listens on port 8080 in staging. → no, port 8081.');
    expect(summaryTextOf(made)).not.toContain('- The gateway listens on port 8080 in staging.\n');
  });

  it('goes by rules where what a model wrote leaves no room for what came after', async () => {
    const path = conversation(12, {
      2: 'You must never restart the harbour database.',
      6: 'We decided that the ferry leaves at 6:40 from pier nine.',
    });
    const written = (length: number): CompactionView['modelMemory'] => ({
      text: `Written by a model. ${'It was weighed and noted. '.repeat(length)}`,
      upTo: asMessageId('m9'),
    });
    const of = async (length: number) =>
      summaryTextOf(
        await planCompaction(
          strategyOf('session-memory'),
          view(path, { modelMemory: written(length) }),
          budget(700),
          none,
        ),
      );
    expect(await of(2)).toContain('Written by a model.');
    const long = await of(400);
    expect(long).not.toContain('Written by a model.');
    expect(long).toContain('never restart the harbour database');
    expect(long).toContain('6:40');
  });

  it('builds on the person’s own wording', async () => {
    const path = conversation(30, { 0: 'Our budget is 9,000 euros. Never spend more.' });
    const first = await planCompaction(strategyOf('session-memory'), view(path), budget(1_600), none);
    const edited = withSummaryText(first, 'It is all about the garden.');
    expect(summaryTextOf(edited)).toBe('It is all about the garden.');
    const longer = [...path, ...conversation(40).slice(60)];
    const second = await planCompaction(
      strategyOf('session-memory'),
      view(longer, { previous: { id: 'c', plan: edited } }),
      budget(1_600),
      none,
    );
    expect(summaryTextOf(second)).toContain('It is all about the garden.');
    expect(JSON.stringify(built(longer, second).messages)).toContain('Never spend more.');
  });
});

describe('smart', () => {
  it('never keeps an agreement over the analysis before it', async () => {
    const analysis =
      'Analysis: the pool leaks because `release()` is not called in src/net/pool.ts line 88; with 40 workers it is exhausted after 12 minutes, so set idleTimeout to 30s.';
    const path = conversation(30, {
      20: 'Why does it hang?',
      21: analysis,
      22: '好的，按你说的做',
      23: 'ok',
    });
    const made = await planCompaction(strategyOf('smart'), view(path), budget(1_400), none);
    const dispositions = dispositionsOf(made, path);
    if (dispositions[22]?.action === 'keep') expect(dispositions[21]?.action).toBe('keep');
    expect(dispositions[21]?.action).toBe('keep');
    expect(dispositions[22]?.action).toBe('fold');
  });

  it('does not keep the same thing twice where vectors say that it is the same', async () => {
    const path = conversation(30, {
      10: 'The limit is 40 per minute.',
      20: 'Forty requests a minute is the limit, 40.',
    });
    const vectors = new Map(path.map(({ id }, at) => [id, Float32Array.from([Math.cos(at), Math.sin(at)])]));
    vectors.set(asMessageId('m10'), Float32Array.from([1, 0]));
    vectors.set(asMessageId('m20'), Float32Array.from([1, 0]));
    const made = await planCompaction(strategyOf('smart'), view(path), budget(700), {
      ...none,
      vectors: async () => vectors,
    });
    const dispositions = dispositionsOf(made, path);
    expect(
      [dispositions[10]?.action, dispositions[20]?.action].filter((action) => action === 'keep').length,
    ).toBeLessThanOrEqual(1);
  });

  /**
   * Three things of equal length are said; the vectors alone tell that the harbour is spoken of
   * again and again, in ever other words.
   */
  const ALIKE = new Set([4, 8, 12, 16, 20]);
  const meanings = (path: readonly Message[]) =>
    new Map(
      path.map(({ id }, at) => {
        const vector = new Float32Array(64);
        vector[ALIKE.has(at) ? 0 : at] = 1;
        return [id, vector] as const;
      }),
    );

  it('keeps by vectors what stands for most of what was meant, and asks for those it weighs only', async () => {
    const path = conversation(40, {
      4: 'The quay by the old mill gets a second crane next spring.',
      8: 'Ships will moor where the fish market used to stand.',
      12: 'Barges need two berths more, west of the bridge.',
      16: 'Dredging comes first, then piles, then the jetty itself.',
      20: 'Pilots asked for better lamps along the channel.',
      26: 'Somebody painted the kitchen door in another green.',
    });
    const asked: string[] = [];
    const plan = (vectors: boolean) =>
      planCompaction(strategyOf('smart'), view(path), budget(900), {
        ...none,
        ...(vectors
          ? {
              vectors: async (ids: readonly string[]) => {
                asked.push(...ids);
                return meanings(path);
              },
            }
          : {}),
      });
    const made = dispositionsOf(await plan(true), path);
    const kept = [...ALIKE].filter((at) => made[at]?.action === 'keep');
    expect(kept).toHaveLength(1);
    expect(made[kept[0] as number]).toMatchObject({ why: 'dense' });
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.every((id) => path.some((message) => message.id === id))).toBe(true);
    // By words alone the five are five things.
    const byWords = dispositionsOf(await plan(false), path);
    expect([...ALIKE].filter((at) => byWords[at]?.action === 'keep').length).toBeGreaterThan(1);
  });

  it('never keeps an agreement for its vector', async () => {
    const path = conversation(40, { 20: 'ok', 22: '好的，按你说的做' });
    const vectors = meanings(path);
    const made = await planCompaction(strategyOf('smart'), view(path), budget(900), {
      ...none,
      vectors: async () => new Map([...vectors].map(([id]) => [id, Float32Array.from([1, 0])])),
    });
    const dispositions = dispositionsOf(made, path);
    expect([dispositions[20], dispositions[22]].map((disposition) => disposition?.action)).toEqual([
      'fold',
      'fold',
    ]);
  });
});

describe('retrieval', () => {
  it('keeps the older messages that bear on the newest question', async () => {
    const path = conversation(30, {
      6: 'The invoice number of the piano is PN-4471.',
      58: 'What was the invoice number of the piano?',
    });
    const made = await planCompaction(strategyOf('retrieval'), view(path), budget(1_200), none);
    const dispositions = dispositionsOf(made, path);
    expect(dispositions[6]).toMatchObject({ action: 'keep', why: 'relevant' });
    expect(dispositions[8]?.action).toBe('fold');
  });

  it('goes by meaning, too, where it is known', async () => {
    const path = conversation(30, { 6: 'Das Klavier kam im Mai.', 58: 'When did the piano arrive?' });
    const made = await planCompaction(strategyOf('retrieval'), view(path), budget(1_200), {
      ...none,
      relevance: async () => new Map([[asMessageId('m6'), 0.9]]),
    });
    expect(dispositionsOf(made, path)[6]?.action).toBe('keep');
  });
});

describe('hierarchical', () => {
  it('has a summary for each topic where it was spoken of, and one for the oldest together', async () => {
    const path = conversation(40);
    const made = await planCompaction(strategyOf('hierarchical'), view(path), budget(2_400), none);
    expect(made.summaries.filter(({ kind }) => kind === 'topic').length).toBeGreaterThan(2);
    const covered = made.summaries.reduce((sum, { covers }) => sum + covers, 0);
    const compacted = made.runs.reduce((sum, { action, count }) => sum + (action === 'fold' ? count : 0), 0);
    expect(covered).toBe(compacted);
    const places = made.summaries.map(({ before }) => path.findIndex(({ id }) => id === before));
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });
});

describe('interactive', () => {
  it('keeps what is ticked, compacts what is not, and follows the guidance', async () => {
    const path = conversation(10);
    const tools = scripted('guided');
    const made = await planCompaction(
      strategyOf('interactive'),
      view(path, {
        request: {
          reason: 'manual-with-prompt',
          instruction: 'the costs above all',
          keep: new Set([asMessageId('m3')]),
          compact: new Set([asMessageId('m17')]),
        },
      }),
      budget(1_600),
      tools,
    );
    const dispositions = dispositionsOf(made, path);
    expect(dispositions[3]).toMatchObject({ action: 'keep', why: 'chosen' });
    expect(dispositions[17]).toMatchObject({ action: 'fold', why: 'chosen' });
    expect(tools.asked[0]?.prompt).toContain('the costs above all');
    expect(summaryTextOf(made)).toBe('guided');
  });
});

describe('a record', () => {
  const path = conversation(12);
  const record = (id: string, createdAt: number, at: string, undone: boolean): Compaction =>
    compactionSchema.parse({
      ...{ id, createdAt, at, undone, plan: {}, strategy: 'summary', reason: 'auto' },
      ...{ tokensBefore: 2, tokensAfter: 1, durationMs: 0 },
    }) as unknown as Compaction;
  /** Which of three is in force: one on the branch, a newer one, and the newest on another branch. */
  const inForce = (undone: readonly string[], messages: readonly Message[]) =>
    compactionOn(
      {
        compactions: new Map(
          (
            [
              ['a', 1, 'm4'],
              ['b', 2, 'm10'],
              ['c', 3, 'elsewhere'],
            ] as const
          ).map(([id, createdAt, at]) => [id, record(id, createdAt, at, undone.includes(id))]),
        ),
      },
      messages,
    );

  it('of which the newest on the branch is in force, and undoing it brings back the one before', () => {
    expect(inForce([], path)?.id).toBe('b');
    expect(inForce(['b'], path)?.id).toBe('a');
    expect(inForce(['a', 'b'], path)).toBeNull();
    expect(inForce([], path.slice(0, 6))?.id).toBe('a');
  });

  it('is none where nothing was compacted', async () => {
    const short = conversation(1, { 0: 'hi', 1: 'hello' });
    const plan = await planCompaction(strategyOf('session-memory'), view(short), budget(4_000), none);
    expect(boundaryOf(plan)).toBeNull();
  });

  it('sends what it does not speak of, and what stands beside a message that is gone', async () => {
    const plan = await planCompaction(strategyOf('session-memory'), view(path), budget(900), none);
    const newer = [...path, ...conversation(14).slice(24)];
    expect(actions(plan, newer).slice(24)).toEqual(['keep', 'keep', 'keep', 'keep']);
    const first = plan.runs[0]?.from;
    const gone = path.filter(({ id }) => id !== first);
    expect(actions(plan, gone).slice(0, 2)).toEqual(['keep', 'keep']);
  });
});

it('the extractive summariser stands in for a model', () => {
  const text = extractiveSummary(
    {
      system: '',
      prompt: '',
      messages: conversation(3, { 0: 'The port is 5433 and the host is db-7.' }),
      previous: 'EARLIER',
      language: 'en',
      maxTokens: 200,
    },
    meter,
  );
  expect(text).toContain('EARLIER');
  expect(text).toContain('5433');
});
