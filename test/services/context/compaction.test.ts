import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import { keptChange, keptIn } from '../../../src/domain/chat/kept.ts';
import { type Message, type Part, textOf } from '../../../src/domain/chat/message.ts';
import { STRATEGIES } from '../../../src/domain/context/compaction/index.ts';
import { GO_ON } from '../../../src/domain/context/prompt.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import type { CommandContext } from '../../../src/services/commands/command.ts';
import { COMMANDS, runCommand } from '../../../src/services/commands/index.ts';
import { MODELLED } from '../../fixtures/strategies.ts';
import type { Script } from '../../server/scripted-model.ts';
import { contextConfig, filler, startTalks, WINDOW, words } from './talk.ts';

const { server, talk } = await startTalks();

const SUMMARY = `<current_focus>Importing the regions, one file after the other.</current_focus>
<environment>Archive in shards; tables t0 to t40.</environment>
<completed_tasks>- Regions 0 to 20 are in.</completed_tasks>
<active_issues>- None.</active_issues>
<code_state></code_state>
<important_context>- Headers are skipped.</important_context>`;
const strategyIs = (strategy: string) =>
  contextConfig({ strategy: strategy as Config['context']['strategy'] });
const isSummaryCall = (request: { messages: readonly { content?: unknown }[] }) =>
  !JSON.stringify(request.messages.at(-1)?.content ?? '').includes('What was the last region?');
const costOf = (request: { messages: readonly { content?: unknown }[] }) =>
  estimateTokens(JSON.stringify(request.messages.map((message) => message.content)));

describe.each(STRATEGIES.filter(({ id }) => id !== 'interactive').map(({ id }) => ({ id })))(
  'the strategy $id',
  ({ id: strategy }) => {
    it('makes a long conversation fit by itself, tells of it, and can be undone after newer messages', async () => {
      const { grown, say, documents, paired, compactions, context, path, transcript } = talk({
        config: strategyIs(strategy),
        id: 'plain',
      });
      const id = await grown(22);
      const before = (await documents.read(id))?.messages.size ?? 0;
      server.answer((request) => (isSummaryCall(request) ? words(SUMMARY) : undefined));
      await say('What was the last region?', id);
      const ends = paired();
      expect(ends).toHaveLength(1);
      const [end] = ends;
      expect(end).toMatchObject({ outcome: 'applied', reason: 'auto', problem: null });
      expect(end?.tokensAfter).toBeLessThan(end?.tokensBefore ?? 0);
      expect(end?.ratio).toBeCloseTo((end?.tokensAfter ?? 0) / (end?.tokensBefore ?? 1), 5);
      const [made] = await compactions(id);
      expect(made).toMatchObject({ strategy: end?.strategy, reason: 'auto', undone: false });
      const asked = server.chats().at(-1);
      expect(costOf(asked as never)).toBeLessThan(WINDOW * 0.75);
      expect(JSON.stringify(asked?.messages.at(-1))).toContain('What was the last region?');
      // The question got its answer, and every message is still there.
      const conversation = await documents.read(id);
      expect(conversation?.messages.size).toBe(before + 2);
      const answer = (await path(id)).at(-1);
      expect(await context.manifest(id, answer?.id as MessageId)).toMatchObject({ compaction: made?.id });
      expect((await transcript(id))[0]).toBe(`user: ${filler(0)}`);
      const calls = server.chats().filter(isSummaryCall).length;
      if (MODELLED.includes(strategy)) expect(calls).toBeGreaterThan(0);
      if (calls > 0) {
        expect(end?.usage).toMatchObject({ inputTokens: 900 * calls, outputTokens: 50 * calls });
        expect(made?.usage).toEqual(end?.usage);
        expect(made?.model).toBe('plain');
      } else expect(end?.usage).toBeNull();

      await say('And then? What was the last region?', id);
      await context.undo(id, made?.id as string);
      const next = await context.next(id, []);
      expect(next?.manifest.compaction).toBeNull();
      await context.redo(id, made?.id as string);
      expect((await context.next(id, []))?.manifest.compaction).toBe(made?.id);
    });
  },
);

describe('a manual compaction', () => {
  it('takes guidance, and is read, worded by the person, and made again', async () => {
    const { grown, context, compactions, paired } = talk({ config: strategyIs('summary') });
    const id = await grown(8);
    server.next(words(SUMMARY));
    const result = await context.compact(id, { guidance: 'keep the API decisions' });
    expect(result).toMatchObject({
      outcome: 'applied',
      compaction: { reason: 'manual-with-prompt', guidance: 'keep the API decisions' },
    });
    expect(JSON.stringify(server.chats()[0])).toContain('keep the API decisions');
    const [made] = await compactions(id);
    await context.rewrite(id, made?.id as string, 'Only this: the port is 8081.');
    const sent = await context.next(id, [{ type: 'text', text: 'which port?' }]);
    expect(sent?.manifest.lines.some((line) => line.form === 'summary')).toBe(true);
    server.next(words(SUMMARY.replace('one file', 'many files')));
    const again = await context.again(id, made?.id as string, 'shorter');
    expect(again).toMatchObject({ outcome: 'applied' });
    const all = await compactions(id);
    expect(all).toHaveLength(2);
    expect(all.filter((compaction) => !compaction.undone).map((compaction) => compaction.guidance)).toEqual([
      'shorter',
    ]);
    expect(paired().map((end) => end.outcome)).toEqual(['applied', 'applied']);
  });

  it('says what its summary cost, where the price is known', async () => {
    const priced = { currency: 'USD', input: 3, output: 15 };
    const { grown, context, compactions, paired } = talk({
      config: strategyIs('summary'),
      context: { priceOf: () => priced },
    });
    const id = await grown(8);
    server.next(words(SUMMARY));
    await context.compact(id);
    const cost = (900 * 3 + 50 * 15) / 1_000_000;
    expect(paired()[0]).toMatchObject({ usage: { inputTokens: 900, outputTokens: 50 }, cost });
    expect((await compactions(id))[0]).toMatchObject({ cost, currency: 'USD', model: 'plain' });
    expect((await context.next(id, []))?.contextMeter.price).toMatchObject({ currency: 'USD' });
  });

  it('twice is once', async () => {
    const { grown, context, compactions, paired } = talk();
    const id = await grown(12);
    expect((await context.compact(id)).outcome).toBe('applied');
    expect((await context.compact(id)).outcome).toBe('nothing');
    expect(await compactions(id)).toHaveLength(1);
    expect(paired().map((end) => end.outcome)).toEqual(['applied', 'nothing']);
  });

  it('twice is once with a summary prompt of one’s own, too, where no model is asked', async () => {
    const { grown, context, compactions } = talk({
      config: contextConfig({ summary_prompt: 'Write it as a ship’s log.' }),
    });
    const id = await grown(12);
    expect((await context.compact(id)).outcome).toBe('applied');
    expect((await context.compact(id)).outcome).toBe('nothing');
    expect(await compactions(id)).toHaveLength(1);
  });

  it('is made again by the model where its prompt is another now, and not where it is the same', async () => {
    const { grown, context, config } = talk({
      config: contextConfig({ strategy: 'summary', summary_prompt: 'Write it as a ship’s log.' }),
    });
    const id = await grown(8);
    server.answer(() => words(SUMMARY));
    expect((await context.compact(id)).outcome).toBe('applied');
    expect((await context.compact(id)).outcome).toBe('nothing');
    const now = config.get();
    config.set({ ...now, context: { ...now.context, summary_prompt: 'Write it as a poem.' } });
    expect((await context.compact(id)).outcome).toBe('applied');
    expect(server.chats()).toHaveLength(2);
    expect(JSON.stringify(server.chats()[1])).toContain('Write it as a poem.');
  });

  it('whose summary failed is tried again when it is asked for again, from the messages', async () => {
    const { grown, context, compactions } = talk();
    const id = await grown(8);
    server.next({ status: 429, body: { error: { message: 'slow down' } } });
    expect(await context.compact(id, { strategy: 'summary' })).toMatchObject({ outcome: 'applied' });
    expect((await compactions(id))[0]?.problem).toMatchObject({ code: 'compaction-fallback' });
    server.next(words(SUMMARY));
    const again = await context.compact(id, { strategy: 'summary' });
    expect(again).toMatchObject({ outcome: 'applied' });
    expect(JSON.stringify(again)).toContain('Importing the regions');
    expect(JSON.stringify(server.chats().at(-1))).toContain(filler(0));
    expect((await context.compact(id, { strategy: 'summary' })).outcome).toBe('nothing');
    expect(server.chats()).toHaveLength(2);
  });

  it('shows its plan first with --preview: blocks to keep or compact, other guidance, apply or cancel', async () => {
    const { grown, context, compactions, documents, paired } = talk();
    const id = await grown(12);
    const result = await context.compact(id, { preview: true });
    expect(result.outcome).toBe('preview');
    const pending = context.state(id).get().pending;
    expect(pending?.blocks.length).toBeGreaterThan(3);
    expect(pending?.tokensAfter).toBeLessThan(pending?.tokensBefore ?? 0);
    expect(await compactions(id)).toEqual([]);
    // Each block counts its own tokens: a long turn adds none to a short one.
    const conversation = await documents.read(id);
    for (const { ids, tokens } of pending?.blocks ?? [])
      expect(tokens).toBe(
        ids.reduce(
          (sum, each) => sum + estimateTokens(textOf(conversation?.messages.get(each) as Message)) + 4,
          0,
        ),
      );
    const older = pending?.blocks.find((block) => block.state === 'fold');
    await context.adjust(id, { keep: older?.ids ?? [] });
    expect(
      context
        .state(id)
        .get()
        .pending?.blocks.find((block) => block.id === older?.id),
    ).toMatchObject({ state: 'keep' });
    // Choices add up over other requests; the last choice for a block counts.
    const stateOf = (block: { id: MessageId } | undefined) =>
      context
        .state(id)
        .get()
        .pending?.blocks.find(({ id: first }) => first === block?.id)?.state;
    const other = pending?.blocks.filter((block) => block.state === 'fold')[1];
    const tail = pending?.blocks.filter((block) => block.state === 'keep').at(-3);
    await context.adjust(id, { keep: other?.ids ?? [] });
    await context.adjust(id, { compact: tail?.ids ?? [] });
    await context.adjust(id, { strategy: 'sliding-window' });
    expect([older, other, tail].map(stateOf)).toEqual(['keep', 'keep', 'fold']);
    await context.adjust(id, { compact: older?.ids ?? [] });
    expect([older, other, tail].map(stateOf)).toEqual(['fold', 'keep', 'fold']);
    context.cancel(id);
    expect(context.state(id).get().pending).toBeNull();
    expect(await context.apply(id)).toEqual({ outcome: 'nothing' });
    await context.compact(id, { preview: true });
    expect(await context.apply(id, 'In my words.')).toMatchObject({
      outcome: 'applied',
      compaction: { summary: 'In my words.' },
    });
    expect(context.state(id).get().pending).toBeNull();
    expect(paired().map((end) => end.outcome)).toEqual(['preview', 'preview', 'applied']);
  });
});

describe('/compact', () => {
  const withCommands = (options: Parameters<typeof talk>[0]) => {
    const made = talk(options);
    const { documents, chat, context } = made;
    const run = (line: string, conversationId: ConversationId) =>
      runCommand(COMMANDS, line, {
        documents,
        chat,
        context,
        conversationId,
        signal: new AbortController().signal,
        now: Date.now,
      } as unknown as CommandContext);
    return { ...made, run };
  };

  it('alone compacts with the strategy of the settings, and asks no model where that is the session memory', async () => {
    const { grown, run, compactions } = withCommands({ config: contextConfig() });
    const id = await grown(22);
    const done = await run('/compact', id);
    expect(done).toMatchObject({ type: 'compaction', result: { outcome: 'applied' } });
    expect(await compactions(id)).toMatchObject([{ strategy: 'session-memory', reason: 'manual' }]);
    expect(server.chats()).toEqual([]);
    if (done.type === 'compaction') await done.undo?.();
    expect(await compactions(id)).toMatchObject([{ undone: true }]);
  });

  it('with words hands them to the model, with the prompt of the settings in place of the shipped one', async () => {
    const { grown, run, compactions } = withCommands({
      config: contextConfig({ strategy: 'summary', summary_prompt: 'Write it as a ship’s log.' }),
    });
    const id = await grown(8);
    server.next(words(SUMMARY));
    await run('/compact keep the API decisions', id);
    expect(await compactions(id)).toMatchObject([
      { reason: 'manual-with-prompt', guidance: 'keep the API decisions' },
    ]);
    const asked = JSON.stringify(server.chats()[0]);
    expect(asked).toContain('keep the API decisions');
    expect(asked).toContain('Write it as a ship’s log.');
    expect(asked).not.toContain('<current_focus>');
  });

  it.each(STRATEGIES.map(({ id }) => id))(
    '--strategy %s takes that one; --preview changes nothing',
    async (strategy) => {
      const { grown, run, compactions, context } = withCommands({ config: contextConfig() });
      const id = await grown(22);
      server.answer(() => words(SUMMARY));
      expect(await run(`/compact --preview --strategy ${strategy}`, id)).toMatchObject({
        result: { outcome: 'preview', pending: { strategy } },
      });
      expect(await compactions(id)).toEqual([]);
      await context.apply(id);
      expect(await compactions(id)).toMatchObject([{ strategy, undone: false }]);
    },
  );
});

describe('with context.confirm', () => {
  const confirm = contextConfig({ confirm: true });

  it('a turn shows its plan and waits; applied, it goes on with the smaller request', async () => {
    const { grown, chat, context, idle, compactions } = talk({ config: confirm });
    const id = await grown(22);
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'What was the last region?' }] });
    await until(chat.turn(id), (state) => state.status === 'confirming');
    expect(context.state(id).get().pending).toMatchObject({ blocking: true, reason: 'auto' });
    expect(server.chats()).toEqual([]);
    expect(await context.apply(id)).toMatchObject({ outcome: 'applied' });
    await idle(id);
    expect(await compactions(id)).toHaveLength(1);
    expect(costOf(server.chats()[0] as never)).toBeLessThan(WINDOW * 0.75);
  });

  it('cancelled in the very moment it is shown, it goes on without', async () => {
    const { grown, chat, context, idle, compactions, path } = talk({ config: confirm });
    const id = await grown(22);
    const stop = context.state(id).subscribe(() => {
      if (context.state(id).get().pending) context.cancel(id);
    });
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'What was the last region?' }] });
    await idle(id);
    stop();
    expect(await compactions(id)).toEqual([]);
    expect((await path(id)).at(-1)).toMatchObject({ role: 'assistant', finish: 'stop' });
  });

  it('carries out the plan that is shown, also while another is being made', async () => {
    const { grown, context, compactions } = talk();
    const id = await grown(8);
    await context.compact(id, { preview: true });
    const shown = context.state(id).get().pending;
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    const asked = context.adjust(id, { strategy: 'summary', guidance: 'keep the API decisions' });
    await expect.poll(() => server.chats().length).toBe(1);
    expect(await context.apply(id)).toMatchObject({ outcome: 'applied' });
    const [made] = await compactions(id);
    expect(made).toMatchObject({ strategy: 'session-memory', reason: 'manual', plan: shown?.plan });
    expect(made?.guidance).toBeUndefined();
    expect(made?.wanted).toBeUndefined();
    context.cancel(id);
    await asked;
    expect(await compactions(id)).toHaveLength(1);
  });

  it('cancelled, it goes on without; stopped, it stops', async () => {
    const { grown, chat, context, idle, compactions, path } = talk({ config: confirm });
    const id = await grown(22);
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'What was the last region?' }] });
    await until(chat.turn(id), (state) => state.status === 'confirming');
    context.cancel(id);
    await idle(id);
    expect(await compactions(id)).toEqual([]);
    expect((await path(id)).at(-1)).toMatchObject({ role: 'assistant', finish: 'stop' });
    const other = await grown(22);
    await chat.send({ conversationId: other, parts: [{ type: 'text', text: 'What was the last region?' }] });
    await until(chat.turn(other), (state) => state.status === 'confirming');
    chat.stop(other);
    await idle(other);
    expect(context.state(other).get().pending).toBeNull();
    expect((await path(other)).at(-1)).toMatchObject({ role: 'assistant', finish: 'stopped' });
    expect(server.chats()).toHaveLength(1);
  });
});

describe('a summary that does not work out', () => {
  const failures = {
    'an error of the server': { status: 500, body: { error: { message: 'broken' } } },
    'too many requests': {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { message: 'slow down' } },
    },
    'a refusal of its length': {
      status: 400,
      body: { error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } },
    },
    'nothing at all': { steps: [{ finish: 'stop' }] },
    'one cut off for its length': { steps: [{ text: 'The beginning of' }, { finish: 'length' }] },
    'one that is longer than what it stands for': words(
      Array.from({ length: 60 }, (_, at) => filler(at)).join('\n'),
    ),
    'a broken connection': { steps: [{ text: 'The beg' }, { cut: true as const }] },
  };

  it.each(Object.entries(failures))(
    'for %s loses nothing: another way is taken, and said',
    async (_name, script) => {
      for (const strategy of MODELLED) {
        server.reset();
        const { grown, say, documents, paired, path, compactions } = talk({ config: strategyIs(strategy) });
        const id = await grown(22);
        const before = (await documents.read(id))?.messages.size ?? 0;
        server.answer((request) => (isSummaryCall(request) ? (script as Script) : undefined));
        await say('What was the last region?', id);
        const [end] = paired();
        expect(end).toMatchObject({ outcome: 'applied' });
        const instead = strategy === 'turns' ? 'sliding-window' : 'session-memory';
        expect(end?.strategy).toBe(instead);
        const problem = { code: 'compaction-fallback', params: { wanted: strategy, strategy: instead } };
        expect(end?.problem).toMatchObject(problem);
        expect((await compactions(id))[0]).toMatchObject({ strategy: instead, wanted: strategy, problem });
        expect((await documents.read(id))?.messages.size).toBe(before + 2);
        const answer = (await path(id)).at(-1);
        expect(answer).toMatchObject({ role: 'assistant', finish: 'stop' });
        expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('What was the last region?');
        expect(costOf(server.chats().at(-1) as never)).toBeLessThan(WINDOW);
      }
    },
  );

  it.each(MODELLED)('in time is given up: %s', async (strategy) => {
    const { grown, context, paired, compactions, say } = talk({
      config: strategyIs(strategy),
      context: { summaryTimeoutMs: 150 },
    });
    const id = await grown(22);
    server.answer((request) =>
      isSummaryCall(request) ? { steps: [{ text: 'I am' }, { hang: true }] } : undefined,
    );
    expect(await context.compact(id)).toMatchObject({ outcome: 'applied' });
    expect(paired()[0]?.problem).toMatchObject({ code: 'compaction-fallback' });
    expect(await compactions(id)).toHaveLength(1);
    await say('What was the last region?', id);
    expect(costOf(server.chats().at(-1) as never)).toBeLessThan(WINDOW);
  });

  it('because the person stops it leaves all as it was', async () => {
    const { grown, context, paired, compactions, chat, idle, path } = talk({ config: strategyIs('summary') });
    const id = await grown(22);
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    const running = context.compact(id);
    await until(context.state(id), (state) => state.running !== null);
    // A request on its way would be answered in the next test.
    await expect.poll(() => server.chats().length).toBe(1);
    context.cancel(id);
    expect(await running).toEqual({ outcome: 'cancelled' });
    server.reset();
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'What was the last region?' }] });
    await until(chat.turn(id), (state) => state.status === 'compacting');
    await expect.poll(() => server.chats().length).toBe(1);
    chat.stop(id);
    await idle(id);
    expect(paired().map((end) => end.outcome)).toEqual(['cancelled', 'cancelled']);
    expect(await compactions(id)).toEqual([]);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stopped' });
  });

  it('of a person does not hold up a turn that is stopped meanwhile', async () => {
    const { grown, context, documents, path, paired, model } = talk();
    const id = await grown(22);
    server.next({ steps: [{ text: 'I am' }, { hang: true }] });
    const running = context.compact(id, { strategy: 'summary' });
    await expect.poll(() => server.chats().length).toBe(1);
    const conversation = await documents.read(id);
    const stop = new AbortController();
    const step = context.prepare({
      id,
      conversation: () => conversation as Conversation,
      leaf: (await path(id)).at(-1)?.id as MessageId,
      model: model(),
      recall: null,
      tools: [],
      signal: stop.signal,
      onStatus: () => undefined,
    });
    stop.abort(new DOMException('Stopped', 'AbortError'));
    await expect(step).rejects.toMatchObject({ name: 'AbortError' });
    expect(context.state(id).get().running).not.toBeNull();
    context.cancel(id);
    expect(await running).toEqual({ outcome: 'cancelled' });
    expect(paired()).toHaveLength(1);
  });

  it('is not kept where a message that it tells of was forgotten before', async () => {
    const { grown, context, documents } = talk();
    const id = await grown(20);
    await context.compact(id, { preview: true });
    const first = [...((await documents.read(id))?.messages.keys() ?? [])][0];
    await documents.change(id, { removed: first ? [first] : [], takesOut: true });
    expect(await context.apply(id)).toMatchObject({
      outcome: 'failed',
      problem: { code: 'message-missing' },
    });
    expect((await documents.read(id))?.compactions.size).toBe(0);
    // A second request compacts what is left.
    context.cancel(id);
    expect(await context.compact(id)).toMatchObject({ outcome: 'applied' });
  });

  it('is not kept where words were forgotten in what a tool had found', async () => {
    const { grown, context, documents } = talk();
    const found = (text: string): Part => ({ type: 'tool-result', callId: 'c', text });
    const id = await grown(20, (at) => ({
      user: [{ type: 'text', text: filler(2 * at) }],
      more: [
        { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', name: 'look', arguments: '{}' }] },
        { role: 'tool', parts: [found('Quillfeather')] },
      ],
    }));
    await context.compact(id, { preview: true });
    const tool = [...((await documents.read(id))?.messages.values() ?? [])].find(
      ({ role }) => role === 'tool',
    );
    await documents.change(id, {
      rewritten: tool ? [{ ...tool, parts: [found('•••')] }] : [],
      takesOut: true,
    });
    expect(await context.apply(id)).toMatchObject({
      outcome: 'failed',
      problem: { code: 'message-missing' },
    });
  });

  it('that cannot be stored leaves all as it was, and says so', async () => {
    const { grown, context, paired, documents } = talk();
    const id = await grown(22);
    const change = documents.change;
    Object.assign(documents, { change: () => Promise.reject(new Error('disk')) });
    expect(await context.compact(id)).toMatchObject({
      outcome: 'failed',
      problem: { code: 'compaction-failed' },
    });
    Object.assign(documents, { change });
    expect(paired().map((end) => end.outcome)).toEqual(['failed']);
    expect(context.state(id).get()).toMatchObject({ running: null, problem: { code: 'compaction-failed' } });
  });
});

describe('a full disk', () => {
  it('does not undo what is in force: it is told as applied, with what the disk said', async () => {
    const store = createInMemoryStore();
    let full = false;
    const append = store.log.append.bind(store.log);
    const scene = talk({
      store: {
        ...store,
        log: {
          ...store.log,
          append: async (...args) => {
            if (full) throw new RecollectError('storage-full', 'full', { retry: true });
            return await append(...args);
          },
        },
      },
    });
    const id = await scene.grown(22);
    await scene.context.compact(id, { preview: true });
    full = true;
    const result = await scene.context.apply(id);
    expect(result).toMatchObject({ outcome: 'applied', unsaved: { code: 'storage-full' } });
    const [made] = await scene.compactions(id);
    expect((await scene.context.next(id, []))?.manifest.compaction).toBe(made?.id);
    expect(scene.context.state(id).get()).toMatchObject({ pending: null, problem: { code: 'storage-full' } });
    await scene.context.undo(id, made?.id as string).catch(() => undefined);
    const again = await scene.context.compact(id, { strategy: 'sliding-window' });
    expect(again).toMatchObject({ outcome: 'applied', unsaved: { code: 'storage-full' } });
    full = false;
    expect(scene.paired().map(({ outcome }) => outcome)).toEqual(['preview', 'applied', 'applied']);
    expect(scene.paired().at(-1)?.problem).toMatchObject({ code: 'storage-full' });
  });
});

describe('an answer that ends for want of room', () => {
  const cut = { steps: [{ text: 'The last region was' }, { finish: 'length' }] };

  it('is asked for once more after a forced compaction; what had come stays beside it', async () => {
    const { grown, say, paired, path, documents } = talk();
    const id = await grown(14);
    server.next(cut, words('The last region was 19.'));
    await say('What was the last region?', id);
    expect(paired()).toMatchObject([{ reason: 'length', outcome: 'applied' }]);
    const answer = (await path(id)).at(-1);
    expect(textOf(answer as never)).toBe('The last region was 19.');
    const siblings = [...((await documents.read(id))?.messages.values() ?? [])].filter(
      (message) => message.parentId === answer?.parentId,
    );
    expect(siblings.map((message) => [textOf(message), message.finish])).toEqual([
      ['The last region was', 'length'],
      ['The last region was 19.', 'stop'],
    ]);
    expect(costOf(server.chats()[1] as never)).toBeLessThan(costOf(server.chats()[0] as never));
  });

  it('twice is kept as it is: there is one attempt', async () => {
    const { grown, say, paired, path } = talk();
    const id = await grown(14);
    server.next(cut, cut, words('never asked'));
    await say('What was the last region?', id);
    expect(paired()).toHaveLength(1);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'length' });
    expect(server.chats()).toHaveLength(2);
  });

  it.each(['turns', 'session-memory'])(
    'goes on when asked to, also below what %s compacted for it',
    async (strategy) => {
      const { grown, say, paired, path, chat, idle } = talk({ config: strategyIs(strategy) });
      const id = await grown(14);
      server.answer(({ messages }) => {
        const last = messages.at(-1)?.content;
        if (last === GO_ON) return words(' 19.');
        return String(last).includes('What was the last region?') ? cut : words(SUMMARY);
      });
      await say('What was the last region?', id);
      const first = (await path(id)).at(-1) as Message;
      await chat.goOn(id, first.id);
      await idle(id);
      expect(paired()[0]).toMatchObject({ reason: 'length', outcome: 'applied' });
      expect((await path(id)).slice(-2).map(textOf)).toEqual(['The last region was', ' 19.']);
      const sent = server.chats().at(-1)?.messages ?? [];
      expect(sent.slice(-2).map(({ content }) => content)).toEqual(['The last region was', GO_ON]);
      const roles = sent.slice(1).map(({ role }) => role);
      expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')));
    },
  );

  it('is kept where the window has room: it met the limit of an answer', async () => {
    const { grown, say, paired, path } = talk();
    const id = await grown(4);
    server.next(cut);
    await say('What was the last region?', id);
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'length' });
    expect(paired()).toEqual([]);
    expect(server.chats()).toHaveLength(1);
  });

  it('is kept where there is nothing to compact', async () => {
    const { say, paired, path } = talk();
    server.next(cut);
    const id = await say(Array.from({ length: 24 }, (_, at) => filler(at)).join('\n'));
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'length' });
    expect(paired().map((end) => end.outcome)).toEqual(['nothing']);
    expect(server.chats()).toHaveLength(1);
  });

  it('is asked for once more where the request had been compacted for it already', async () => {
    const { grown, say, paired, path } = talk();
    const id = await grown(22);
    const refused = {
      status: 400,
      body: { error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } },
    };
    server.next(refused, words('The last region was 43.'));
    await say('What was the last region?', id);
    expect(paired()).toMatchObject([
      { reason: 'auto', outcome: 'applied' },
      { reason: 'length', outcome: 'applied' },
    ]);
    expect(textOf((await path(id)).at(-1) as never)).toBe('The last region was 43.');
    expect(costOf(server.chats()[1] as never)).toBeLessThan(costOf(server.chats()[0] as never));
  });

  it('of a model whose window is smaller than it is said to be is asked for again as well', async () => {
    const { grown, say, paired, path, all } = talk();
    const id = await grown(10);
    server.next(
      {
        status: 400,
        body: { error: { message: 'maximum context length is 900 tokens', code: 'context_length_exceeded' } },
      },
      words('The last region was 19.'),
    );
    await say('What was the last region?', id);
    expect(paired()).toMatchObject([{ reason: 'length', outcome: 'applied' }]);
    expect(textOf((await path(id)).at(-1) as never)).toBe('The last region was 19.');
    expect(await all(id)).toHaveLength(22);
  });
});

describe('a window that became smaller', () => {
  it('is met with a compaction for it, also where nothing was said since the last one', async () => {
    const { grown, say, paired, path, chat, config, idle, context } = talk();
    const id = await grown(22);
    await say('What was the last region?', id);
    const answer = (await path(id)).at(-1)?.id as MessageId;
    const now = config.get();
    config.set({ ...now, context: { ...now.context, window_tokens: WINDOW / 2, reserved_tokens: 200 } });
    await chat.regenerate(id, answer);
    await idle(id);
    expect(paired().map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
    const ledger = await context.manifest(id, (await path(id)).at(-1)?.id as MessageId);
    expect(ledger?.lines.filter(({ why }) => why === 'window')).toEqual([]);
  });
});

describe('a plan that cannot make it small enough', () => {
  it('is not tried with every step', async () => {
    const { grown, say, paired } = talk({ config: contextConfig({ keep_last_turns: 1 }) });
    const id = await grown(2);
    const huge = Array.from({ length: 40 }, (_, at) => filler(at)).join('\n');
    await say(huge, id);
    const tries = paired().length;
    expect(tries).toBeLessThanOrEqual(2);
    expect(JSON.stringify(server.chats().at(-1))).toContain('Step 39');
  });
});

describe('an answer that misses what is compacted', () => {
  it('is noticed, and what it missed comes back with the next question, as the ledger says', async () => {
    const { grown, say, context, path, idle, compactions } = talk({ config: strategyIs('sliding-window') });
    const id = await grown(22, (at) => ({
      user: [
        { type: 'text', text: at === 1 ? 'The pilot of the harbour uses gate number 7731.' : filler(2 * at) },
      ],
    }));
    const said = (await path(id))[2]?.id;
    await context.compact(id);
    server.next(
      words('I do not know the gate. Could you tell me which gate number the pilot of the harbour uses?'),
    );
    await say('Write a line about it.', id);
    const state = await until(context.state(id), ({ loss }) => loss !== null);
    expect(state.loss?.answer).toBe((await path(id)).at(-1)?.id);
    // Undone, the app sends everything and nothing is missing; in force again, something is.
    const made = (await compactions(id)).at(-1)?.id as string;
    await context.undo(id, made);
    expect(context.state(id).get().loss).toBeNull();
    await context.redo(id, made);
    expect(state.loss?.losses).toContainEqual(
      expect.objectContaining({ why: 'asks', evidence: 'The pilot of the harbour uses gate number 7731.' }),
    );
    await say('Well, look again.', id);
    await idle(id);
    expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('gate number 7731');
    const ledger = await context.manifest(id, (await path(id)).at(-1)?.id as MessageId);
    expect(ledger?.lines).toContainEqual(
      expect.objectContaining({ form: 'returned', from: said, why: 'missed' }),
    );
  });
});

describe('a message that the person marked as kept', () => {
  const formSentOf = async (scene: ReturnType<typeof talk>, id: ConversationId, message: MessageId) =>
    (await scene.context.next(id, []))?.manifest.lines.find(({ from }) => from === message)?.form;

  it.each(STRATEGIES.map(({ id }) => id))('stays whole through a compaction by %s', async (strategy) => {
    const scene = talk();
    const id = await scene.grown(22);
    server.answer(() => words(SUMMARY));
    const said = (await scene.path(id))[6]?.id as MessageId;
    await scene.documents.change(id, { meta: keptChange(said, true) });
    expect(await scene.context.compact(id, { strategy, preview: false })).toMatchObject({
      outcome: 'applied',
    });
    expect(await formSentOf(scene, id, said)).toBe('whole');
    const [made] = await scene.compactions(id);
    expect(JSON.stringify(made?.plan)).toContain('pinned');
    await scene.say('What was the last region?', id);
    expect(JSON.stringify(server.chats().at(-1))).toContain(filler(6));
  });

  it('is sent again where it was compacted before, until the mark is taken away', async () => {
    const scene = talk();
    const id = await scene.grown(22);
    const [, , , , , , said, answer] = (await scene.path(id)).map((message) => message.id);
    await scene.context.compact(id, { strategy: 'sliding-window' });
    expect(await formSentOf(scene, id, said as MessageId)).toBeUndefined();
    await scene.documents.change(id, { meta: keptChange(said as MessageId, true) });
    expect(await formSentOf(scene, id, said as MessageId)).toBe('whole');
    await scene.say('What was the last region?', id);
    expect(JSON.stringify(server.chats().at(-1))).toContain(filler(6));
    await scene.documents.change(id, { meta: keptChange(said as MessageId, false) });
    expect(await formSentOf(scene, id, said as MessageId)).toBeUndefined();
    // A person cannot mark a model's message, because it may contain half of a call.
    await scene.documents.change(id, { meta: keptChange(answer as MessageId, true) });
    expect(keptIn((await scene.documents.read(id)) as Conversation).size).toBe(0);
  });
});

describe('branches', () => {
  it('from before a compaction are seen whole; what lies after it keeps it', async () => {
    const { grown, say, context, documents, compactions, chat } = talk();
    const id = await grown(22);
    await say('What was the last region?', id);
    const [made] = await compactions(id);
    const conversation = await documents.read(id);
    const path = pathTo(
      conversation?.messages ?? new Map(),
      conversation ? effectiveHead(conversation) : null,
    );
    await context.restore(id, path[5]?.id as string);
    expect((await context.next(id, []))?.manifest.compaction).toBeNull();
    await context.restore(id, path.at(-1)?.id as string);
    expect((await context.next(id, []))?.manifest.compaction).toBe(made?.id);
    // Editing the newest question keeps it in force.
    await chat.edit(id, path.at(-2)?.id as MessageId, [{ type: 'text', text: 'Which one?' }], false);
    expect((await context.next(id, []))?.manifest.compaction).toBe(made?.id);
  });
});
