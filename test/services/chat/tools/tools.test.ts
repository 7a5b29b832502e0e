import { describe, expect, it } from 'vitest';
import type { MessageId } from '../../../../src/domain/base/ids.ts';
import { until } from '../../../../src/domain/base/readable.ts';
import { listCheckpoints, modelCheckpoints } from '../../../../src/domain/chat/checkpoint.ts';
import { pathTo } from '../../../../src/domain/chat/conversation.ts';
import { dmailsFrom } from '../../../../src/domain/chat/dmail.ts';
import {
  type Message,
  type Part,
  partSchema,
  passagesGivenBy,
  textOf,
} from '../../../../src/domain/chat/message.ts';
import { estimateTokens } from '../../../../src/domain/context/tokens.ts';
import type { Config } from '../../../../src/domain/settings/config.ts';
import { descriptionOf, TOOLS } from '../../../../src/services/chat/tools/index.ts';
import type { Script } from '../../../server/scripted-model.ts';
import { startTalks, words } from '../../context/talk.ts';
import { emptyNotes, notesOf, passage } from '../setup.ts';

const allTools = (config: Config): Config => ({
  ...config,
  tools: { ...config.tools, checkpoint: true, send_dmail: true, max_steps: 6 },
});
const { server, talk } = await startTalks({ config: allTools });

let serial = 0;
const nextId = () => {
  serial += 1;
  return `call_${serial}`;
};
const calls = (...all: readonly [name: string, input: unknown][]): Script => ({
  steps: [
    ...all.map(([name, input]) => ({
      call: {
        id: nextId(),
        name,
        arguments: typeof input === 'string' ? input : JSON.stringify(input),
      },
    })),
    { finish: 'tool_calls' },
  ],
});
const resultsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => message.parts.filter((part) => part.type === 'tool-result'));
const offered = (at: number) =>
  (server.chats()[at]?.tools as { function: { name: string } }[] | undefined)?.map(
    (tool) => tool.function.name,
  );

describe('tools', () => {
  it('are described in JSON Schema, and only those that are switched on are offered', async () => {
    for (const tool of TOOLS)
      expect(descriptionOf(tool)).toMatchObject({ name: tool.name, schema: { type: 'object' } });
    const { say } = talk({ config: (config) => config });
    await say('hello');
    // Notes cannot be kept here, checkpoints and letters are off by default.
    expect(offered(0)).toEqual(['recall', 'open_conversation']);
    const off = talk({ config: (config) => ({ ...config, tools: { ...config.tools, enabled: false } }) });
    await off.say('hello');
    expect(offered(1)).toBeUndefined();
  });

  it('answer in steps: each call and each result is a message that can be seen, and in the ledger', async () => {
    const { say, path, context, asked } = talk({
      recall: async () => ({ passages: [passage('m1', 'The backup runs at three.')] }),
    });
    server.next(calls(['recall', { query: 'backup time', limit: 2 }]), words('At three.'));
    const id = await say('When is the backup?');
    const messages = await path(id);
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(messages[1]).toMatchObject({
      finish: 'tool-calls',
      parts: [{ type: 'recall' }, { type: 'tool-call', name: 'recall' }],
    });
    expect(messages[2]?.parts[0]).toMatchObject({ type: 'tool-result', name: 'recall' });
    expect(resultsOf(messages)[0]?.text).toContain('The backup runs at three.');
    expect(resultsOf(messages)[0]?.text).toContain('message m1');
    expect(textOf(messages[3] as Message)).toBe('At three.');
    expect(asked.at(-1)).toMatchObject({ text: 'backup time', limit: 2, currentConversation: id });
    const [first, last] = [
      await context.manifest(id, messages[1]?.id as MessageId),
      await context.manifest(id, messages[3]?.id as MessageId),
    ];
    expect(first?.tokens.tools).toBeGreaterThan(50);
    expect(last?.lines.map((line) => line.count).reduce((a, b) => a + b)).toBeGreaterThan(2);
    // The call that was made meanwhile is there by its name, with what it cost.
    expect(first?.calls).toBeUndefined();
    expect(last?.calls).toEqual([{ name: 'recall', count: 1, tokens: expect.any(Number) }]);
    expect(last?.calls?.[0]?.tokens).toBeGreaterThan(10);
    expect(last?.calls?.[0]?.tokens).toBeLessThan(last?.tokens.messages ?? 0);
    const sent = server.chats()[1]?.messages;
    expect(sent?.at(-1)).toMatchObject({ role: 'tool' });
    // What memory gave stays with its question, byte for byte.
    expect(sent?.[1]).toEqual(server.chats()[0]?.messages[1]);
  });

  it('keep where memory looked with what it gave', async () => {
    const scope = { project: 'p1', name: 'Kitchen', reach: 'only' as const };
    const { say, path } = talk({
      recall: async () => ({ passages: [passage('m1', 'The backup runs at three.')], scope }),
    });
    server.next(calls(['recall', { query: 'backup time' }]), words('At three.'));
    const [result] = resultsOf(await path(await say('When is the backup?')));
    expect(result?.recalled?.scope).toEqual(scope);
  });

  it('keep what was recalled with the result: every number, at the price of what the model reads of it', async () => {
    const near = { ...passage('n1', 'The bakery opens at three.'), tokens: 99 };
    const { say, path } = talk({
      recall: async () => ({
        passages: [passage('m1', 'The backup runs at three.'), passage('m2', 'It takes an hour.')],
        nearMisses: [near],
      }),
    });
    server.next(calls(['recall', { query: 'backup time' }]), words('At three.'));
    const [result] = resultsOf(await path(await say('When is the backup?')));
    expect(result?.recalled).toMatchObject({
      query: 'backup time',
      threshold: 0.75,
      passages: [
        { messageId: 'm1', scores: passage('m1', '').scores },
        { messageId: 'm2', passage: 'It takes an hour.' },
      ],
      nearMisses: [{ messageId: 'n1' }],
    });
    expect(result?.recalled).not.toHaveProperty('nearMissesGiven');
    expect(result?.text).not.toContain('bakery');
    const prices = result?.recalled?.passages.map(({ tokens }) => tokens) ?? [];
    const whole = estimateTokens(result?.text ?? '');
    expect(whole - prices.reduce((a, b) => a + b)).toBeLessThan(8);
    expect(partSchema.parse(result)).toEqual(result);
    // The model is sent the words alone.
    const sent = JSON.stringify(server.chats()[1]?.messages.at(-1));
    expect(sent).toContain('It takes an hour.');
    expect(sent).not.toMatch(/threshold|scores|bakery/);
    expect(passagesGivenBy(result as Part).map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  it('say so where the near misses are what the model was given', async () => {
    const { say, path } = talk({
      recall: async () => ({ nearMisses: [passage('n1', 'The bakery opens at three.')] }),
    });
    server.next(calls(['recall', { query: 'backup' }]), words('I do not know.'));
    const [result] = resultsOf(await path(await say('hello there')));
    expect(result?.recalled).toMatchObject({ passages: [], nearMissesGiven: true });
    expect(result?.text).toContain('bakery');
    expect(passagesGivenBy(result as Part).map(({ messageId }) => messageId)).toEqual(['n1']);
  });

  it('count as given what was not cut off only', async () => {
    const { say, path } = talk({
      recall: async () => ({
        passages: ['m1', 'm2', 'm3'].map((id) => passage(id, `${id} ${'word '.repeat(5000)}`)),
      }),
    });
    server.next(calls(['recall', { query: 'word' }]), words('Long.'));
    const [result] = resultsOf(await path(await say('hello there')));
    expect(result?.text).toMatch(/^2 passages:/);
    expect(result?.text).not.toContain('[cut here]');
    expect(result?.recalled?.passages).toHaveLength(2);
  });

  it('have no card where nothing was found, memory could not be asked, or the person worded the result', async () => {
    const { say, path, chat, idle } = talk({
      recall: async ({ text }) => {
        if (text === 'broken') return { unavailable: true };
        return text === 'backup' ? { passages: [passage('m1', 'At three.')] } : {};
      },
    });
    server.next(
      calls(
        ['recall', { query: 'nothing' }],
        ['recall', { query: 'broken' }],
        ['recall', { query: 'backup' }],
      ),
      words('At three.'),
    );
    const id = await say('hello there');
    const found = (await path(id))[2] as Message;
    expect(resultsOf([found]).map(({ recalled }) => recalled !== undefined)).toEqual([false, false, true]);
    await chat.sendBack(id, {
      type: 'edit',
      message: found.id,
      callId: resultsOf([found])[2]?.callId as string,
      parts: [{ type: 'text', text: 'At five.' }],
      replay: 'none',
    });
    await idle(id);
    const edited = resultsOf(await path(id)).at(-1);
    expect(edited).toMatchObject({ text: 'At five.', edited: true });
    expect(edited).not.toHaveProperty('recalled');
  });

  it('read other conversations, but not what memory must not hold', async () => {
    const { say, path, documents } = talk();
    const other = await say('My password: hunter2hunter2 and the port is 8081');
    const secret = await say('hidden words');
    await documents.change(secret, { meta: { workDir: '/x/secret-project/y' } });
    const at = (await path(other))[0]?.id;
    server.next(
      calls(
        ['open_conversation', { id: other, around: at }],
        ['open_conversation', { id: secret }],
        ['open_conversation', { id: 'ffffffff-0000' }],
      ),
      words('ok'),
    );
    const results = resultsOf(await path(await say('look')));
    expect(results[0]?.text).toContain('the port is 8081');
    // By it sync knows what is quoted here.
    expect(results[0]?.text).toContain(`(conversation ${other})`);
    expect(results[0]?.text).not.toContain('hunter2');
    expect(results[1]).toMatchObject({ isError: true });
    expect(JSON.stringify(results[1])).not.toContain('hidden');
    expect(results[2]).toMatchObject({ isError: true });
  });

  it('read nothing of another conversation that is never to be recalled', async () => {
    const state = emptyNotes();
    const { say, path } = talk({ notes: notesOf(state, async () => ({ id: 'n1' })) });
    const other = await say('Listen');
    await say('The doctor said it is the knee.', other);
    await say('My port is 8081 and my password: hunter2hunter2', other);
    const [, , knee] = await path(other);
    const verdict = { verdict: 'never', conversationId: other, query: null, title: '', at: 1 } as const;
    const seen = 'My port is 8081 and my password: •••';
    state.set({
      ...state.get(),
      feedback: [
        { ...verdict, id: 'knee', messageId: knee?.id as string, passage: 'The doctor said it is the knee.' },
        { ...verdict, id: 'port', conversationId: 'c', messageId: 'elsewhere', passage: seen },
      ],
    });
    server.next(calls(['open_conversation', { id: other }]), words('ok'));
    const [result] = resultsOf(await path(await say('look')));
    expect(result?.text).toContain('assistant:');
    expect(result?.text).not.toContain('knee');
    expect(result?.text).not.toContain('8081');
  });

  it('keep no note of what is said in an excluded folder', async () => {
    const kept: unknown[] = [];
    const { say, path, documents } = talk({
      config: (config) => ({
        ...config,
        privacy: { ...config.privacy, exclude_work_dirs: ['secret-project'] },
      }),
      notes: notesOf(emptyNotes(), async (note) => {
        kept.push(note);
        return { id: 'n1' };
      }),
    });
    const id = await say('hello');
    await documents.change(id, { meta: { workDir: '/x/secret-project/y' } });
    server.next(calls(['remember', { note: 'The door code is 4711.' }]), words('ok'));
    await say('Remember the door code', id);
    expect(resultsOf(await path(id)).at(-1)).toMatchObject({ isError: true });
    expect(kept).toEqual([]);
  });

  it('quote no conversation with what memory quoted in it', async () => {
    const { say } = talk({ recall: async () => ({ passages: [passage('m1', 'The slip of the tongue.')] }) });
    server.next(calls(['recall', { query: 'slip' }]), words('It was found.'));
    const id = await say('What did I say?');
    server.next(calls(['open_conversation', { id }]), words('ok'));
    await say('And before?');
    const sent = JSON.stringify(server.chats().at(-1)?.messages.at(-1));
    expect(sent).toContain('It was found.');
    expect(sent).not.toContain('slip of the tongue');
  });

  it('keep notes where there is a place for them, with an automatic checkpoint before', async () => {
    const kept: unknown[] = [];
    const { say, path, documents } = talk({
      notes: notesOf(emptyNotes(), async (note) => {
        kept.push(note);
        return { id: 'n1' };
      }),
    });
    server.next(calls(['remember', { note: 'Backups run at three.' }]), words('Noted.'));
    const id = await say('Remember that backups run at three');
    const messages = await path(id);
    expect(kept).toEqual([
      {
        text: 'Backups run at three.',
        by: 'model',
        source: { conversationId: id, messageId: messages[1]?.id },
      },
    ]);
    expect(resultsOf(messages)[0]).toMatchObject({ changed: true });
    const conversation = await documents.read(id);
    const listed = listCheckpoints(conversation as never, {
      rules: { keep: 50, expire_after_days: 0 },
      now: Date.now(),
    });
    expect(listed).toMatchObject([{ name: 'tool-1', kind: 'tool', messageId: messages[0]?.id, auto: true }]);
  });

  it('tell a model of its mistakes, and never break the answer', async () => {
    const { say, path } = talk({
      recall: async ({ text }) => {
        if (text === 'boom') throw new Error('index broke');
        return text === 'damaged' ? { unavailable: true } : {};
      },
    });
    server.next(
      calls(
        ['nosuch', {}],
        ['recall', '{"query": '],
        ['recall', { query: '' }],
        ['recall', { query: 'boom' }],
        ['recall', { query: 'nothing' }],
        ['recall', { query: 'damaged' }],
      ),
      words('I see.'),
    );
    const messages = await path(await say('hello there'));
    const results = resultsOf(messages);
    expect(results.map((result) => result.isError === true)).toEqual([true, true, true, true, false, false]);
    expect(results[0]?.text).toContain('There are: recall, open_conversation');
    expect(results[1]?.text).toContain('not JSON');
    expect(results[3]?.text).toContain('index broke');
    expect(results[4]?.text).toBe('Nothing was found.');
    expect(results[5]?.text).toContain('That does not mean that nothing was said.');
    expect(textOf(messages.at(-1) as Message)).toBe('I see.');
  });

  it('read arguments as models write them: a text within a text, in a fence, twice', async () => {
    const asked: string[] = [];
    const { say, path } = talk({
      recall: async ({ text }) => {
        asked.push(text);
        return {};
      },
    });
    const json = '{"query":"bees"}';
    const written = [JSON.stringify(json), `\`\`\`json\n${json}\n\`\`\``, json + json];
    server.next(calls(...written.map((text): [string, unknown] => ['recall', text])), words('I see.'));
    const results = resultsOf(await path(await say('hello there')));
    expect(results.map((result) => result.isError === true)).toEqual([false, false, false]);
    expect(asked.filter((text) => text === 'bees')).toHaveLength(3);
  });

  it('stop at the limit of steps: the last request forbids calls', async () => {
    const { say, path } = talk({
      config: (config) => ({ ...config, tools: { ...config.tools, max_steps: 3 } }),
    });
    server.answer(() => calls(['recall', { query: 'again' }]));
    const id = await say('loop');
    const messages = await path(id);
    expect(server.chats()).toHaveLength(3);
    expect(server.chats().map((chat) => chat.tool_choice)).toEqual(['auto', 'auto', 'none']);
    expect(messages.at(-1)).toMatchObject({
      finish: 'error',
      problem: { code: 'tool-limit', params: { limit: 3 } },
    });
    expect(resultsOf(messages)).toHaveLength(2);
  });

  it('are stopped by the person; calls and results stay together', async () => {
    let called: () => void = () => undefined;
    const calling = new Promise<void>((resolve) => {
      called = resolve;
    });
    const { chat, idle, path } = talk({
      config: (config) => ({
        ...allTools(config),
        recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, enabled: false } },
      }),
      recall: () => {
        called();
        return new Promise(() => undefined);
      },
    });
    server.next(calls(['recall', { query: 'slow' }], ['recall', { query: 'slower' }]), words('never'));
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'go' }] });
    await calling;
    expect(chat.turn(conversationId).get()).toMatchObject({
      status: 'calling',
      calls: [{ name: 'recall' }, { name: 'recall' }],
    });
    chat.stop(conversationId);
    await idle(conversationId);
    const messages = await path(conversationId);
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
    expect(resultsOf(messages)).toHaveLength(2);
    expect(server.chats()).toHaveLength(1);
  });

  it('an endpoint that refuses a request because of them is asked once without, and remembered', async () => {
    const { say, path, chat, store } = talk();
    server.answer((request) =>
      request.tools
        ? {
            status: 400,
            body: { error: { message: 'plain does not support tools', type: 'invalid_request_error' } },
          }
        : undefined,
    );
    const id = await say('hello');
    expect((await path(id)).at(-1)).toMatchObject({ finish: 'stop' });
    await say('again', id);
    expect(server.chats().map((request) => request.tools !== undefined)).toEqual([true, false, false]);
    expect(chat.modelRefusals.get()).toMatchObject([
      { model: 'plain', detail: 'plain does not support tools' },
    ]);
    const later = talk({ store });
    await until(later.chat.modelRefusals, (all) => all.length === 1);
    await later.chat.forgetModelRefusals();
    expect(later.chat.modelRefusals.get()).toEqual([]);
  });

  it('a refusal that has nothing to do with tools is told as it is, and not remembered', async () => {
    const { say, path, chat } = talk({ id: 'error-400' });
    expect((await path(await say('hello'))).at(-1)).toMatchObject({
      finish: 'error',
      problem: { code: 'model-server' },
    });
    expect(chat.modelRefusals.get()).toEqual([]);
  });
});

describe('letters of a model to itself', () => {
  it('go back to its checkpoint after the step: one message, the question stands, the left branch is linked', async () => {
    const { say, path, documents, transcript } = talk();
    server.next(
      calls(['checkpoint', {}]),
      calls(['recall', { query: 'a long search' }]),
      calls(['sendDMail', { message: 'The search found nothing; ask the person.', checkpointId: 1 }]),
      words('Where should I look?'),
    );
    const id = await say('Find the file');
    const messages = await path(id);
    expect(messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
    ]);
    const letter = messages[3] as Message;
    expect(textOf(letter)).toContain('The search found nothing; ask the person.');
    expect(textOf(letter)).toMatch(/^<system>You just got a D-Mail/);
    expect(letter.dmail).toMatchObject({ by: 'model', checkpoint: messages[2]?.id });
    expect((await transcript(id))[0]).toBe('user: Find the file');
    const conversation = await documents.read(id);
    const left = pathTo(conversation?.messages ?? new Map(), letter.dmail?.from as MessageId);
    expect(left.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(dmailsFrom(conversation as never).get(left.at(-1)?.id as MessageId)?.[0]?.mail.id).toBe(letter.id);
    // The past self saw the question, its checkpoint and the letter: nothing of what came after.
    const sent = JSON.stringify(server.chats()[3]?.messages);
    expect(sent).toContain('Find the file');
    expect(sent).toContain('D-Mail content');
    expect(sent).not.toContain('a long search');
    expect(modelCheckpoints(messages)).toEqual([messages[0]?.id, messages[2]?.id]);
  });

  it('never erase the question, are one at a time, and are checked', async () => {
    const { say, path } = talk();
    server.next(
      calls(
        ['sendDMail', { message: 'x', checkpointId: 7 }],
        ['sendDMail', { message: 'x', checkpointId: -1 }],
        ['sendDMail', { message: 'start over', checkpointId: 0 }],
        ['sendDMail', { message: 'and again', checkpointId: 0 }],
      ),
      words('Fresh start.'),
    );
    const id = await say('The question');
    const messages = await path(id);
    expect(messages.map((message) => textOf(message).slice(0, 20))).toEqual([
      'The question',
      '<system>You just got',
      'Fresh start.',
    ]);
    const sent = JSON.stringify(server.chats()[1]?.messages);
    expect(sent).toContain('The question');
    expect(sent).toContain('start over');
    expect(sent).not.toContain('and again');
  });

  it('to before the question take the question along: it stands below the letter, and is answered', async () => {
    const { say, path, documents } = talk();
    const id = await say('First question');
    server.next(
      calls(['sendDMail', { message: 'Mind what was learnt.', checkpointId: 0 }]),
      calls(['sendDMail', { message: 'Once more.', checkpointId: 0 }]),
      words('The answer to the second.'),
    );
    await say('Second question', id);
    const messages = await path(id);
    expect(messages.map((message) => textOf(message).slice(0, 25))).toEqual([
      'First question',
      '<system>You just got a D-',
      'Second question',
      'The answer to the second.',
    ]);
    const all = [...((await documents.read(id))?.messages.values() ?? [])];
    const asked = all.find((message) => textOf(message) === 'Second question' && !message.copyOf);
    expect(messages[2]).toMatchObject({ role: 'user', copyOf: asked?.id });
    expect(messages[2]?.dmail).toBeUndefined();
    const sent = JSON.stringify(server.chats().at(-1)?.messages);
    expect(sent).toContain('Second question');
    expect(sent).toContain('Once more.');
  });

  it('keep the memory that the question was given', async () => {
    const { say } = talk({
      recall: async () => ({ passages: [passage('m1', 'The backup runs at three.')] }),
    });
    server.next(calls(['sendDMail', { message: 'shorter please', checkpointId: 0 }]), words('At three.'));
    await say('When is the backup?');
    expect(JSON.stringify(server.chats()[1]?.messages)).toContain('The backup runs at three.');
  });
});
