// What the settings say of a compaction is what is done, and its events tell all of it.
import { describe, expect, it } from 'vitest';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import { type CompactionPlan, summaryTextOf } from '../../../src/domain/context/compaction/plan.ts';
import type { Script } from '../../server/scripted-model.ts';
import { contextConfig, filler, startTalks, WINDOW, words } from './talk.ts';

const { server, talk } = await startTalks();

const SUMMARY = '<current_focus>Importing the regions, one file after the other.</current_focus>';
const TOO_LONG = words(Array.from({ length: 60 }, (_, at) => filler(at)).join('\n'));
const QUESTION = 'What was the last region?';
const asksForSummary = (request: { messages: readonly { content?: unknown }[] }) =>
  JSON.stringify(request.messages).includes('## Message ');
/** Messages at the end that a plan sends as they are. */
const keptAtEnd = (plan: unknown): number => {
  const { runs } = plan as CompactionPlan;
  let kept = 0;
  for (let at = runs.length - 1; runs[at]?.action === 'keep'; at--) kept += runs[at]?.count ?? 0;
  return kept;
};

describe('a setting', () => {
  it.each([1, 2, 6])(
    'summary_keep_messages keeps the last %i messages of person and model',
    async (count) => {
      const { grown, context, compactions } = talk({
        config: contextConfig({ strategy: 'summary', summary_keep_messages: count }),
      });
      const id = await grown(8);
      server.answer(() => words(SUMMARY));
      expect((await context.compact(id)).outcome).toBe('applied');
      // The app sends the newest question under any configuration.
      expect(keptAtEnd((await compactions(id))[0]?.plan)).toBe(Math.max(2, count));
    },
  );

  it.each([1, 2, 4])('max_attempts lets a model try %i times', async (max_attempts) => {
    const { grown, context, paired } = talk({ config: contextConfig({ strategy: 'summary', max_attempts }) });
    const id = await grown(8);
    server.answer(() => TOO_LONG);
    expect((await context.compact(id)).outcome).toBe('applied');
    expect(server.chats()).toHaveLength(max_attempts);
    expect(paired()[0]?.problem).toMatchObject({
      code: 'compaction-fallback',
      params: { reason: 'too-long' },
    });
  });

  it.each([
    [{}, 12],
    [{ keep_last_turns: 3 }, 6],
  ] as const)(
    'keep_last_turns keeps so many turns, six where nothing is said: %j',
    async (change, messages) => {
      const { grown, context, compactions } = talk({
        config: contextConfig({ strategy: 'turns', window_tokens: 40_000, ...change }),
      });
      const id = await grown(30);
      server.answer(() => words(SUMMARY));
      expect((await context.compact(id)).outcome).toBe('applied');
      const [made] = await compactions(id);
      expect(made).toMatchObject({ strategy: 'turns', plan: { fallback: null } });
      expect(keptAtEnd(made?.plan)).toBe(messages);
    },
  );
});

describe('compact_threshold', () => {
  const talkWith = (compact_threshold: number) =>
    talk({ config: contextConfig({ window_tokens: 100_000, keep_last_turns: 2, compact_threshold }) });

  it('compacts at so many messages though there is room, once, and tells what stands for them', async () => {
    const { grown, say, paired, compactions } = talkWith(20);
    const id = await grown(9);
    await say('And now the region after it?', id);
    expect(paired()).toEqual([]);
    await say('And the one after that?', id);
    const [end] = paired();
    expect(end).toMatchObject({ reason: 'auto', outcome: 'applied', strategy: 'session-memory' });
    const [made] = await compactions(id);
    expect(end?.summary).toBe(summaryTextOf(made?.plan as CompactionPlan));
    expect(end?.summary).toMatch(/table t\d+/);
    await say('And then?', id);
    expect(paired()).toHaveLength(1);
  });

  it('is off where nothing is said', async () => {
    const { grown, say, paired } = talkWith(0);
    await say('And now the region after it?', await grown(40));
    expect(paired()).toEqual([]);
  });
});

describe('another task', () => {
  const talkWith = (change: Parameters<typeof contextConfig>[0]) =>
    talk({ config: contextConfig({ window_tokens: 10_000, keep_last_turns: 2, ...change }) });
  const TRIP = 'Thanks, that works. Help me plan a weekend in the mountains with my grandmother, easy paths.';

  it('is where a conversation of some size is compacted before it is full', async () => {
    const { grown, say, paired } = talkWith({});
    const id = await grown(34);
    await say('And now the region after it?', id);
    expect(paired()).toEqual([]);
    await say(TRIP, id);
    expect(paired()).toHaveLength(1);
    expect(paired()[0]).toMatchObject({ reason: 'auto', outcome: 'applied' });
    await say('Which of the paths has the fewest steps for her?', id);
    expect(paired()).toHaveLength(1);
  });

  it('compacts nothing of a short conversation, nor where it is switched off', async () => {
    const short = talkWith({});
    await short.say(TRIP, await short.grown(6));
    expect(short.paired()).toEqual([]);
    const off = talkWith({ compact_on_new_task: false });
    await off.say(TRIP, await off.grown(34));
    expect(off.paired()).toEqual([]);
  });
});

describe('`turns`, whose first summary is above its target', () => {
  const output = Array.from({ length: 60 }, (_, at) => `shard ${at}: ${at * 17} rows`).join('\n');
  const scene = async (...summaries: Script[]) => {
    const made = talk({ config: contextConfig({ strategy: 'turns' }) });
    const id = await made.grown(22, (at) => ({
      user: [{ type: 'text', text: filler(2 * at) }],
      more: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: `Thinking of ${at}.` },
            { type: 'tool-call', callId: `c${at}`, name: 'count', arguments: '{}' },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: `c${at}`, text: output, name: 'count' }] },
      ],
    }));
    server.answer((request) => (asksForSummary(request) ? (summaries.shift() ?? words(SUMMARY)) : undefined));
    await made.say(QUESTION, id);
    const [end, ...more] = made.paired();
    expect(more).toEqual([]);
    const calls = server.chats();
    return {
      end,
      asked: calls.filter(asksForSummary).map((call) => JSON.stringify(call)),
      sent: calls.at(-1),
    };
  };

  it('asks a second time, for a shorter one', async () => {
    const { end, asked, sent } = await scene(TOO_LONG);
    expect(asked.map((call) => call.includes('Your last summary was too long'))).toEqual([
      false,
      true,
      ...asked.slice(2).map(() => false),
    ]);
    expect(end).toMatchObject({ strategy: 'turns', outcome: 'applied', problem: null });
    expect(JSON.stringify(sent)).toContain('Importing the regions');
  });

  it('prunes after the second, old tool output first, and keeps the newest turns', async () => {
    const { end, asked, sent } = await scene(TOO_LONG, TOO_LONG);
    expect(asked).toHaveLength(2);
    expect(end).toMatchObject({
      strategy: 'sliding-window',
      outcome: 'applied',
      problem: { code: 'compaction-fallback', params: { wanted: 'turns', reason: 'too-long' } },
    });
    expect(end?.tokensAfter).toBeLessThanOrEqual(WINDOW / 2);
    const text = JSON.stringify(sent);
    // Thoughts travel with the calls they led to, as thinking models ask, and with nothing else.
    const messages = sent?.messages ?? [];
    const withoutCalls = messages.filter((message) => !('tool_calls' in message));
    expect(JSON.stringify(withoutCalls)).not.toContain('Thinking of');
    expect(text).toMatch(/\[… \d+ …\]/);
    expect(text).toContain('Step 42');
    expect(text).not.toContain('Step 2:');
  });
});

describe('an answer that has no room', () => {
  const cut: Script = { steps: [{ text: 'The last region was' }, { finish: 'length' }] };
  const refused: Script = {
    status: 400,
    body: { error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } },
  };

  it('makes `turns` compact by force, once', async () => {
    const { grown, say, paired, compactions, path } = talk({ config: contextConfig({ strategy: 'turns' }) });
    const id = await grown(14);
    let answers = 0;
    server.answer((request) => {
      if (asksForSummary(request)) return words(SUMMARY);
      answers += 1;
      return answers === 1 ? cut : words('The last region was 27.');
    });
    await say(QUESTION, id);
    expect(paired()).toMatchObject([{ reason: 'length', strategy: 'turns', outcome: 'applied' }]);
    expect((await compactions(id))[0]).toMatchObject({ reason: 'length', strategy: 'turns' });
    expect(server.chats().filter(asksForSummary)).toHaveLength(1);
    const again = JSON.stringify(server.chats().at(-1));
    expect(again).toContain('[COMPACTED_CONTEXT]');
    expect(again).toContain('Importing the regions');
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    expect(answers).toBe(2);
  });

  it.each(['turns', 'session-memory', 'sliding-window'] as const)(
    'in a window that is smaller than it is said to be is made room for by the share that is aimed at: %s',
    async (strategy) => {
      const target_ratio = 0.3;
      const { grown, say, paired, path } = talk({
        config: contextConfig({ strategy, window_tokens: 10 * WINDOW, target_ratio }),
      });
      const id = await grown(14);
      let answers = 0;
      server.answer((request) => {
        if (asksForSummary(request)) return words(SUMMARY);
        answers += 1;
        return answers === 1 ? refused : words('The last region was 27.');
      });
      await say(QUESTION, id);
      const [end] = paired();
      expect(end).toMatchObject({ reason: 'length', strategy, outcome: 'applied' });
      expect(end?.tokensBefore).toBeLessThan(WINDOW);
      expect(end?.ratio).toBeLessThanOrEqual(target_ratio);
      expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    },
  );
});

describe('hierarchical', () => {
  const config = contextConfig({ strategy: 'hierarchical' });

  it('lets the model tell of topics, each at its place, and books what that cost', async () => {
    const { grown, say, paired, compactions } = talk({ config });
    const id = await grown(22);
    let number = 0;
    server.answer((request) => (asksForSummary(request) ? words(`Topic number ${++number}.`) : undefined));
    await say(QUESTION, id);
    const [end] = paired();
    expect(end).toMatchObject({ strategy: 'hierarchical', outcome: 'applied', problem: null });
    expect(number).toBeGreaterThan(1);
    expect(end?.usage).toMatchObject({ inputTokens: 900 * number, outputTokens: 50 * number });
    const plan = (await compactions(id))[0]?.plan as CompactionPlan;
    const texts = plan.summaries.map(({ text }) => text);
    for (let at = 1; at <= number; at++) expect(texts).toContain(`Topic number ${at}.`);
    const sent = JSON.stringify(server.chats().at(-1));
    for (let at = 1; at <= number; at++) expect(sent).toContain(`Topic number ${at}.`);
  });

  const failures: Readonly<Record<string, Script>> = {
    'an error of the server': { status: 500, body: { error: { message: 'broken' } } },
    'too many requests': {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { message: 'slow down' } },
    },
    'nothing at all': { steps: [{ finish: 'stop' }] },
    'one cut off for its length': { steps: [{ text: 'The beginning of' }, { finish: 'length' }] },
    'one that is too long': TOO_LONG,
    'a broken connection': { steps: [{ text: 'The beg' }, { cut: true }] },
    'one that does not come': { steps: [{ text: 'I am' }, { hang: true }] },
  };

  it.each(Object.entries(failures))(
    'tells of topics by their own sentences where the model gives %s, and says so',
    async (_name, script) => {
      const { grown, say, documents, paired, compactions, path } = talk({
        config,
        context: { summaryTimeoutMs: 1500 },
      });
      const id = await grown(22);
      const before = (await documents.read(id))?.messages.size ?? 0;
      server.answer((request) => (asksForSummary(request) ? script : undefined));
      await say(QUESTION, id);
      const problem = {
        code: 'compaction-fallback',
        params: { wanted: 'hierarchical', strategy: 'session-memory' },
      };
      expect(paired()).toMatchObject([{ strategy: 'session-memory', outcome: 'applied', problem }]);
      const [made] = await compactions(id);
      expect(made).toMatchObject({ strategy: 'session-memory', wanted: 'hierarchical', problem });
      const { summaries } = (made as Compaction).plan as CompactionPlan;
      const topics = summaries.filter(({ kind }) => kind === 'topic');
      expect(topics.length).toBeGreaterThan(1);
      for (const { text } of topics) expect(text).toMatch(/shard|region|timing|file/i);
      // The app does not repeat a failing request for every topic.
      if (!/nothing|too long/.test(_name)) expect(server.chats().filter(asksForSummary)).toHaveLength(1);
      expect((await documents.read(id))?.messages.size).toBe(before + 2);
      expect((await path(id)).at(-1)).toMatchObject({ role: 'assistant', finish: 'stop' });
    },
  );
});

describe('the end of an attempt', () => {
  const priced = { currency: 'USD', input: 3, output: 15 };
  /** A clock that goes on by a second and a half while the model writes. */
  const timed = (): { now: () => number; pass: (ms: number) => void } => {
    let time = 1_760_000_000_000;
    return {
      now: () => time,
      pass: (ms) => {
        time += ms;
      },
    };
  };
  const scene = () => {
    const clock = timed();
    const made = talk({
      config: contextConfig({ strategy: 'summary' }),
      context: { now: clock.now, priceOf: () => priced },
    });
    server.answer(() => {
      clock.pass(1500);
      return words(SUMMARY);
    });
    return { ...made, clock };
  };
  const paid = {
    usage: expect.objectContaining({ inputTokens: 900, outputTokens: 50 }),
    cost: (900 * 3 + 50 * 15) / 1e6,
  };

  it('that failed tells as much as that of one that was carried out', async () => {
    const { grown, context, documents, events, clock } = scene();
    const id = await grown(8);
    const startedAt = clock.now();
    const { change } = documents;
    Object.assign(documents, {
      change: () => {
        clock.pass(250);
        return Promise.reject(new Error('disk'));
      },
    });
    const { outcome } = await context.compact(id, { guidance: 'keep the API decisions' });
    Object.assign(documents, { change });
    expect(outcome).toBe('failed');
    const [begin, end] = events;
    const common = { conversationId: id, reason: 'manual-with-prompt', strategy: 'summary' };
    expect(begin).toEqual({
      type: 'compaction-begin',
      id: expect.any(String),
      ...common,
      tokensBefore: expect.any(Number),
      at: startedAt,
    });
    expect(end).toEqual({
      type: 'compaction-end',
      id: begin?.id,
      ...common,
      outcome: 'failed',
      tokensBefore: begin?.tokensBefore,
      tokensAfter: begin?.tokensBefore,
      ratio: 1,
      durationMs: 1750,
      summary: null,
      ...paid,
      problem: expect.objectContaining({ code: 'compaction-failed' }),
      at: startedAt + 1750,
    });
    expect(context.state(id).get().events).toEqual(events);
  });

  it('tells of a change only where there is one', async () => {
    const { grown, context, documents, paired, events } = scene();
    const id = await grown(8);
    await context.compact(id, { preview: true });
    const { change } = documents;
    Object.assign(documents, { change: () => Promise.reject(new Error('disk')) });
    await context.apply(id);
    Object.assign(documents, { change });
    await context.apply(id);
    await context.compact(id);
    const [preview, failed, applied, nothing] = paired();
    const share = (preview?.tokensAfter ?? 0) / (preview?.tokensBefore ?? 1);
    expect(share).toBeLessThan(1);
    expect(preview).toMatchObject({ outcome: 'preview', ratio: share });
    const whole = preview?.tokensBefore;
    expect(failed).toMatchObject({ outcome: 'failed', tokensBefore: whole, tokensAfter: whole, ratio: 1 });
    expect(applied).toMatchObject({ outcome: 'applied', tokensAfter: preview?.tokensAfter, ratio: share });
    const compacted = events.at(-2)?.tokensBefore ?? Number.NaN;
    expect(compacted).toBeLessThan(whole ?? 0);
    expect(nothing).toMatchObject({
      outcome: 'nothing',
      tokensBefore: compacted,
      tokensAfter: compacted,
      ratio: 1,
    });
  });

  it('tells how long it took, of what is carried out, of a plan, and of one that was confirmed', async () => {
    const { grown, context, compactions, paired, clock } = scene();
    const id = await grown(8);
    await context.compact(id);
    expect((await compactions(id))[0]).toMatchObject({ durationMs: 1500 });
    await context.compact(id, { preview: true, guidance: 'shorter' });
    await context.apply(id);
    expect(paired()).toMatchObject([
      { outcome: 'applied', durationMs: 1500, at: clock.now() - 1500, ...paid },
      { outcome: 'preview', durationMs: 1500, at: clock.now(), ...paid },
      { outcome: 'applied', durationMs: 0, at: clock.now() },
    ]);
  });
});
