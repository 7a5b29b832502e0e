import { describe, expect, it } from 'vitest';
import { until } from '../../../src/domain/base/readable.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import { contextConfig, filler, startTalks, words } from './talk.ts';

const { server, talk } = await startTalks();
const byModel =
  (change: Partial<Config['context']['session_memory']> = {}) =>
  (config: Config): Config => {
    const made = contextConfig({ window_tokens: 40_000 })(config);
    return {
      ...made,
      context: {
        ...made.context,
        session_memory: { ...made.context.session_memory, every_tokens: 500, model_from_ratio: 0, ...change },
      },
    };
  };

const MEMORY = '# Import\n## Current state\nRegion 9 is being read.';
const isJob = (request: { messages: readonly { content?: unknown }[] }) =>
  JSON.stringify(request.messages).includes('## Message 1');

describe('a session memory in a model’s words', () => {
  it('is written while the conversation goes on, counted, and stands for what is compacted without another call', async () => {
    server.answer((request) => (isJob(request) ? words(MEMORY) : undefined));
    const { grown, say, context, paired } = talk({ config: byModel() });
    const id = await grown(10);
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.calls === 1);
    expect(context.state(id).get().sessionMemory).toMatchObject({
      running: false,
      tokens: 950,
      budget: 50_000,
      problem: null,
    });
    const before = server.chats().length;
    const result = await context.compact(id);
    expect(result.outcome === 'applied' && JSON.stringify(result.compaction.plan)).toContain(
      'Region 9 is being read.',
    );
    expect(server.chats()).toHaveLength(before);
    expect(paired()).toHaveLength(1);
    expect(server.chats().filter(isJob)).toHaveLength(1);
  });

  it('is written after so many calls of tools, too', async () => {
    server.answer((request) => (isJob(request) ? words(MEMORY) : undefined));
    const { grown, say, context } = talk({
      config: byModel({ every_tokens: 1_000_000, every_tool_calls: 2 }),
    });
    const id = await grown(3, (at) => ({
      user: [{ type: 'text', text: `Look at ${at}` }],
      more: [
        {
          role: 'assistant',
          parts: [{ type: 'tool-call', callId: `c${at}`, name: 'look', arguments: '{}' }],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: `c${at}`, text: 'nothing' }] },
      ],
    }));
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.calls === 1);
    await say('And then?', id);
    expect(server.chats().filter(isJob)).toHaveLength(1);
  });

  it('costs nothing where nobody allowed it, and no more than what was allowed', async () => {
    const off = talk({ config: byModel({ by_model: false }) });
    const id = await off.grown(10);
    await off.say('And now?', id);
    await off.context.compact(id);
    expect(server.chats().filter(isJob)).toHaveLength(0);
    expect(off.context.state(id).get().sessionMemory).toBeNull();
    const tight = talk({ config: byModel({ model_budget_tokens: 1000 }) });
    const other = await tight.grown(10);
    await tight.say('And now?', other);
    await until(tight.context.state(other), (state) => state.sessionMemory !== null);
    expect(tight.context.state(other).get().sessionMemory).toMatchObject({
      calls: 0,
      tokens: 0,
      budget: 1000,
    });
    expect(server.chats().filter(isJob)).toHaveLength(0);
  });

  it('that fails is told, and rules stand in', async () => {
    server.answer((request) =>
      isJob(request) ? { status: 429, body: { error: { message: 'slow down' } } } : undefined,
    );
    const { grown, say, context } = talk({ config: byModel() });
    const id = await grown(10);
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.problem != null);
    expect(context.state(id).get().sessionMemory?.problem).toMatchObject({ code: 'model-rate' });
    expect((await context.compact(id)).outcome).toBe('applied');
  });

  it('that fails after it was billed counts against what may be spent', async () => {
    server.answer((request) =>
      isJob(request)
        ? {
            steps: [
              { text: 'The beginning of' },
              { finish: 'length' },
              { usage: { prompt_tokens: 900, completion_tokens: 50, total_tokens: 950 } },
            ],
          }
        : undefined,
    );
    const { grown, say, context } = talk({ config: byModel({ model_budget_tokens: 4_000 }) });
    const id = await grown(10);
    await say('And now?', id);
    const failed = await until(context.state(id), (state) => state.sessionMemory?.problem != null);
    expect(failed.sessionMemory).toMatchObject({
      running: false,
      calls: 1,
      tokens: 950,
      upTo: null,
      problem: { code: 'compaction-failed' },
    });
    // The memory file lacks the last message, and no budget is left for it.
    await say(Array.from({ length: 8 }, (_, at) => filler(at)).join('\n'), id);
    await until(context.state(id), (state) => state.sessionMemory?.problem === null);
    expect(context.state(id).get().sessionMemory).toMatchObject({ calls: 1, tokens: 950, running: false });
    expect(server.chats().filter(isJob)).toHaveLength(1);
  });

  it('keeps nothing of words that were forgotten while it was written', async () => {
    server.answer((request) =>
      isJob(request) ? { steps: [{ text: MEMORY }, { wait: 300 }, { finish: 'stop' }] } : undefined,
    );
    const { grown, say, context, store, documents } = talk({ config: byModel() });
    const id = await grown(10);
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.running === true);
    const first = [...((await documents.read(id))?.messages.keys() ?? [])][0];
    await documents.change(id, { removed: first ? [first] : [], takesOut: true });
    await until(context.state(id), (state) => state.sessionMemory?.running === false);
    const [key = ''] = await store.keyValues.keys('session-memory/');
    expect(await store.keyValues.get(key)).toMatchObject({ text: '', calls: 1 });
  });

  it('brings no earlier words of it back that were forgotten while it was written anew', async () => {
    let text = 'Quillfeather lost a garden.';
    server.answer((request) =>
      isJob(request) ? { steps: [{ text }, { wait: 300 }, { finish: 'stop' }] } : undefined,
    );
    const { grown, say, context, store } = talk({ config: byModel() });
    const id = await grown(10);
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.calls === 1);
    const [key = ''] = await store.keyValues.keys('session-memory/');
    expect(await store.keyValues.get(key)).toMatchObject({ text });
    text = 'Quillfeather, as was said, lost a garden.';
    await say(Array.from({ length: 8 }, (_, at) => filler(at)).join('\n'), id);
    await until(context.state(id), (state) => state.sessionMemory?.running === true);
    // So does forgetting.
    await store.keyValues.set(key, undefined);
    await until(context.state(id), (state) => state.sessionMemory?.calls === 2);
    expect(await store.keyValues.get(key)).toMatchObject({ text: '', calls: 2 });
  });

  it('is erased with its conversation', async () => {
    server.answer((request) => (isJob(request) ? words(MEMORY) : undefined));
    const { grown, say, context, store, documents } = talk({ config: byModel() });
    const id = await grown(10);
    await say('And now?', id);
    await until(context.state(id), (state) => state.sessionMemory?.calls === 1);
    expect(await store.keyValues.keys('session-memory/')).toHaveLength(1);
    const gone = new Promise<void>((resolve) => {
      const stop = store.keyValues.subscribe(({ keys }) => {
        if (!keys.some((key) => key.startsWith('session-memory/'))) return;
        stop();
        resolve();
      });
    });
    await documents.erase([id]);
    await gone;
    expect(await store.keyValues.keys('session-memory/')).toEqual([]);
  });
});
