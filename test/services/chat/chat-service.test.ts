import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createEndpointModel, createScriptedModel } from '../../../src/adapters/models/index.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { asConversationId, asMessageId, newConversationId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import { type Imprint, imprintOf } from '../../../src/domain/forget/imprint.ts';
import type { Forgotten } from '../../../src/domain/forget/sought.ts';
import type { TurnState } from '../../../src/services/chat/chat.ts';
import { MAX_TEXT_BYTES } from '../../../src/services/chat/message-size.ts';
import { createEraser } from '../../../src/services/forget/eraser.ts';
import { remainsSince } from '../../../src/services/forget/traces.ts';
import { deep } from '../../scale.ts';
import { type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import { createLocks, createScene, emptyNotes, notesOf, passage } from './setup.ts';

let server: ScriptedModelServer;
let id = 'plain';
const scenes: { close(): Promise<void> }[] = [];
const model = () =>
  createEndpointModel({
    endpoint: { baseUrl: server.baseUrl },
    model: id,
    key: async () => 'sk-test',
  });
const scene = (options: Parameters<typeof createScene>[0] = {}) => {
  const made = createScene({ model, ...options });
  scenes.push(made);
  return made;
};

beforeAll(async () => {
  server = await startScriptedModel();
});
beforeEach(() => {
  server.reset();
  id = 'plain';
});
afterEach(async () => {
  for (const made of scenes.splice(0)) await made.close();
});
afterAll(() => server.close());

const ANSWER = 'Yes. The backup runs every night at three.';
const last = (messages: readonly Message[]) => messages.at(-1) as Message;

/** The conversation that passages are from, and a message of it. */
const OLD = asConversationId('old');
const said = (name: string): Message => ({
  id: asMessageId(name),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text: name }],
});

describe('a turn', () => {
  it('saves the question before anything is asked', async () => {
    let saved = 0;
    const { chat, store, idle } = scene({
      model: () => ({
        id: 'x',
        contextWindow: null,
        async *stream() {
          saved = (await store.log.stats()).entries;
          yield { type: 'end', finish: 'stop' };
        },
      }),
    });
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'When?' }] });
    expect((await store.log.read(conversationId)).length).toBe(1);
    await idle(conversationId);
    expect(saved).toBeGreaterThan(0);
  });

  it('streams and appends the answer with all that is known of it', async () => {
    const { say, path, documents } = scene();
    const conversation = await say('When is the backup?\nSecond line');
    const [question, answer] = await path(conversation);
    expect(question).toMatchObject({ role: 'user', kind: 'message', device: 'test-device', parentId: null });
    expect(answer).toMatchObject({
      role: 'assistant',
      kind: 'message',
      model: 'plain',
      finish: 'stop',
      parentId: question?.id,
      usage: { inputTokens: 120, outputTokens: 34 },
      parts: [{ type: 'text', text: ANSWER }],
    });
    expect(answer?.durationMs).toBeGreaterThanOrEqual(0);
    expect(answer?.problem).toBeUndefined();
    expect((await documents.read(conversation))?.meta).toMatchObject({
      title: 'When is the backup?',
      titleBy: 'auto',
      head: answer?.id,
    });
  });

  it('goes on under the head', async () => {
    id = 'echo';
    const { say, transcript } = scene();
    const conversation = await say('one');
    await say('two', conversation);
    expect(await transcript(conversation)).toEqual([
      'user: one',
      'assistant: one',
      'user: two',
      'assistant: two',
    ]);
    expect(server.chats()[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'two' },
    ]);
  });

  it.each([false, true])(
    'what is forgotten while an answer streams is not in it, whole: %s',
    async (whole) => {
      id = 'gated';
      const records: Forgotten[] = [];
      const { chat, idle, path } = scene({ withoutForgotten: remainsSince(() => records) });
      const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
      await until(chat.turn(conversationId), ({ parts }) => JSON.stringify(parts).includes('two'));
      const words = [imprintOf('two', 'record') as Imprint];
      const none = { ids: [], inside: [], sources: [] };
      records.push({ id: 'record', at: Date.now(), kind: 'phrase', words, whole, ...none });
      server.go();
      await idle(conversationId);
      const answer = last(await path(conversationId));
      expect(answer.role).toBe('assistant');
      expect(JSON.stringify(answer)).not.toContain('two');
      expect(JSON.stringify(answer).includes('three')).toBe(!whole);
    },
  );

  it('shows what happens, and tells the id of the answer to come', async () => {
    id = 'gated';
    const { chat, idle, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
    const turn = chat.turn(conversationId);
    expect(turn.get().status).not.toBe('idle');
    const seen: TurnState[] = [];
    turn.subscribe(() => seen.push(turn.get()));
    const state = await until(turn, ({ parts }) =>
      parts.some((part) => 'text' in part && part.text === 'one two three '),
    );
    expect(state).toMatchObject({ status: 'streaming', model: 'gated' });
    server.go();
    await idle(conversationId);
    const messages = await path(conversationId);
    expect(state.answerId).toBe(last(messages).id);
    expect(state.parentId).toBe(messages[0]?.id);
    expect(turn.get()).toMatchObject({ status: 'idle', parts: [], answerId: null, problem: null });
    expect(seen.length).toBeGreaterThan(1);
  });

  it('tells the screen of a fast stream about 30 times a second, not of every word', async () => {
    id = 'huge';
    const { chat, idle, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'go' }] });
    let changes = 0;
    const startedAt = performance.now();
    chat.turn(conversationId).subscribe(() => changes++);
    await idle(conversationId);
    expect(textOf(last(await path(conversationId)))).toHaveLength(1_000_000);
    expect(changes).toBeLessThan(((performance.now() - startedAt) / 1000) * 32 + 10);
  });

  it('keeps thoughts apart from words', async () => {
    id = 'reasoning';
    const { say, path } = scene();
    const conversation = await say('When?');
    expect(last(await path(conversation)).parts).toEqual([
      { type: 'reasoning', text: 'The person asks about backups. ' },
      { type: 'text', text: 'Backups run at three.' },
    ]);
    await say('Sure?', conversation);
    expect(JSON.stringify(server.chats()[1])).not.toContain('The person asks');
  });

  it('runs in several conversations at once', async () => {
    id = 'echo';
    const { say, transcript } = scene();
    const ids = await Promise.all(['a', 'b', 'c'].map((text) => say(text)));
    for (const [index, conversation] of ids.entries())
      expect(await transcript(conversation)).toEqual([`user: ${'abc'[index]}`, `assistant: ${'abc'[index]}`]);
  });

  it('refuses an unknown conversation', async () => {
    const { chat } = scene();
    await expect(
      chat.send({ conversationId: newConversationId(), parts: [{ type: 'text', text: 'x' }] }),
    ).rejects.toMatchObject({ problem: { code: 'conversation-missing' } });
  });
});

describe('memory', () => {
  const recall = async () => ({
    passages: [passage('m1', 'The backup runs at three.'), passage('m2', 'The lunch is at noon.')],
    nearMisses: [passage('m3', 'far')],
  });

  it('is asked for the first message, kept with the answer, and the same bytes ever after', async () => {
    const { say, path, asked } = scene({ recall });
    const conversation = await say('When is the backup?');
    await say('And the restore?', conversation);
    await say('Thanks', conversation);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ text: 'When is the backup?', currentConversation: conversation });
    const [, answer] = await path(conversation);
    expect(answer?.parts[0]).toMatchObject({ type: 'recall', threshold: 0.75, query: 'When is the backup?' });
    const firsts = server.chats().map((request) => request.messages[1]?.content);
    expect(firsts[0]).toContain('<recalled_memory>');
    expect(firsts[0]).toContain('The backup runs at three.');
    expect(firsts[0]).not.toContain('far');
    expect(String(firsts[0]).endsWith('\n\nWhen is the backup?')).toBe(true);
    expect(new Set(firsts).size).toBe(1);
  });

  it('leaves out what the person ticked off', async () => {
    const { say, path } = scene({ recall });
    const conversation = await say('When is the backup?', undefined, [asMessageId('m2')]);
    await say('And today?', conversation);
    expect(server.chats()).toHaveLength(2);
    expect(JSON.stringify(server.chats())).not.toContain('lunch');
    // The card lists it beside the passages that were used.
    expect((await path(conversation))[1]?.parts[0]).toMatchObject({
      passages: [{ messageId: 'm1' }],
      leftOut: [{ messageId: 'm2' }],
    });
  });

  it('is silent when switched off, and when nothing is found', async () => {
    const off = scene({
      recall,
      config: (config) => ({
        ...config,
        recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, enabled: false } },
      }),
    });
    await off.say('When?');
    expect(off.asked).toHaveLength(0);
    const nothing = scene();
    const conversation = await nothing.say('When?');
    expect(nothing.asked).toHaveLength(1);
    expect(last(await nothing.path(conversation)).parts.map((part) => part.type)).toEqual(['text']);
  });

  deep('that fails or sleeps does not hold up the answer', async () => {
    const broken = scene({ recall: () => Promise.reject(new Error('no index')) });
    const one = await broken.say('When?');
    expect(last(await broken.path(one))).toMatchObject({ finish: 'stop' });
    const asleep = scene({ recall: () => new Promise(() => undefined) });
    const startedAt = performance.now();
    const two = await asleep.say('When?');
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(textOf(last(await asleep.path(two)))).toBe(ANSWER);
  });

  it('answers by itself where no model is connected', async () => {
    const { say, path, asked } = scene({ model: () => null, recall });
    const conversation = await say('When is the backup?');
    await say('And lunch?', conversation);
    const messages = await path(conversation);
    expect(asked.map((request) => request.text)).toEqual(['When is the backup?', 'And lunch?']);
    expect(messages[1]).toMatchObject({ role: 'assistant', kind: 'recall', finish: 'stop' });
    expect(messages[1]?.model).toBeUndefined();
    expect(messages[1]?.parts).toMatchObject([
      { type: 'recall', passages: [{ messageId: 'm1' }, { messageId: 'm2' }] },
    ]);
    expect(server.requests).toHaveLength(0);
  });

  it('says so when it cannot answer, and can be asked again', async () => {
    let broken = true;
    const { say, path, chat, idle, all } = scene({
      model: () => null,
      recall: async () => {
        if (broken) throw new RecollectError('index-unavailable', 'asleep', { retry: true });
        return recall();
      },
    });
    const conversation = await say('When?');
    const failed = last(await path(conversation));
    expect(failed).toMatchObject({ kind: 'recall', finish: 'error', problem: { code: 'index-unavailable' } });
    broken = false;
    await chat.regenerate(conversation, failed.id);
    await idle(conversation);
    expect(last(await path(conversation))).toMatchObject({ finish: 'stop', parts: [{ passages: [{}, {}] }] });
    expect(await all(conversation)).toHaveLength(2);
  });

  it('goes to the model when one is connected later, through "again"', async () => {
    let connected = false;
    const { say, path, chat, idle } = scene({ model: () => (connected ? model() : null), recall });
    const conversation = await say('When?');
    connected = true;
    await chat.regenerate(conversation, last(await path(conversation)).id);
    await idle(conversation);
    expect(last(await path(conversation))).toMatchObject({ kind: 'message', model: 'plain' });
    expect(server.chats()[0]?.messages[1]?.content).toContain('The backup runs at three.');
  });
});

describe('stopping and breaking', () => {
  it('keeps what arrived when it is stopped', async () => {
    id = 'gated';
    const { chat, idle, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
    await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
    await until(chat.turn(conversationId), ({ parts }) =>
      parts.some((part) => 'text' in part && part.text.includes('three')),
    );
    chat.stop(conversationId);
    await idle(conversationId);
    expect(last(await path(conversationId))).toMatchObject({
      finish: 'stopped',
      parts: [{ text: 'one two three ' }],
    });
    expect(last(await path(conversationId)).problem).toBeUndefined();
  });

  it('can be stopped while memory is asked, and while nothing has come', async () => {
    const asleep = scene({ recall: () => new Promise(() => undefined) });
    const one = await asleep.chat.send({ parts: [{ type: 'text', text: 'x' }] });
    await until(asleep.chat.turn(one.conversationId), ({ status }) => status === 'recalling');
    asleep.chat.stop(one.conversationId);
    await asleep.idle(one.conversationId);
    expect(server.requests).toHaveLength(0);
    expect(last(await asleep.path(one.conversationId))).toMatchObject({ finish: 'stopped', parts: [] });

    id = 'silent';
    const quiet = scene();
    const two = await quiet.chat.send({ parts: [{ type: 'text', text: 'x' }] });
    await expect.poll(() => server.requests.length).toBe(1);
    quiet.chat.stop(two.conversationId);
    await quiet.idle(two.conversationId);
    expect(last(await quiet.path(two.conversationId))).toMatchObject({ finish: 'stopped', parts: [] });
  });

  it('keeps what arrived before a cut, marked', async () => {
    id = 'cut';
    const { say, path } = scene();
    expect(last(await path(await say('x')))).toMatchObject({
      finish: 'cut',
      problem: { code: 'model-cut', retry: true },
      parts: [{ type: 'text', text: 'What arrived before the cut ' }],
    });
  });

  it('shows a failed turn after a reload, and trying again leaves no duplicate', async () => {
    id = 'error-500';
    const { say, path, chat, idle, all, store } = scene();
    const conversation = await say('When?');
    const again = createScene({ store, model });
    scenes.push(again);
    const failed = last(await again.path(conversation));
    expect(failed).toMatchObject({
      role: 'assistant',
      finish: 'error',
      parts: [],
      problem: { code: 'model-server' },
    });
    await chat.regenerate(conversation, failed.id);
    await idle(conversation);
    expect(await all(conversation)).toHaveLength(2);
    id = 'plain';
    await chat.regenerate(conversation, last(await path(conversation)).id);
    await idle(conversation);
    expect(await all(conversation)).toHaveLength(2);
    expect(last(await path(conversation))).toMatchObject({ finish: 'stop', parts: [{ text: ANSWER }] });
  });

  it('keeps a failed answer that somebody has gone on from', async () => {
    id = 'error-500';
    const { say, path, chat, idle, all } = scene();
    const conversation = await say('one');
    const failed = last(await path(conversation));
    id = 'echo';
    await say('two', conversation);
    expect(server.chats().at(-1)?.messages.slice(1)).toEqual([{ role: 'user', content: 'one\n\ntwo' }]);
    await chat.regenerate(conversation, failed.id);
    await idle(conversation);
    expect(await all(conversation)).toHaveLength(5);
  });

  /** A store that is full while `full` is set. */
  const tight = () => {
    const inner = createInMemoryStore();
    const room = { full: false };
    const refuse = () => {
      if (room.full) throw new RecollectError('storage-full', 'full');
    };
    const store: Store = {
      ...inner,
      log: {
        ...inner.log,
        append: async (...given) => {
          refuse();
          return inner.log.append(...given);
        },
      },
      keyValues: {
        ...inner.keyValues,
        set: async (...given) => {
          refuse();
          return inner.keyValues.set(...given);
        },
      },
    };
    return { store, room };
  };

  it('keeps a question that cannot be saved yet in the conversation, once, and asks as soon as it is saved', async () => {
    const { store, room } = tight();
    const { chat, say, documents, transcript, idle } = scene({ store });
    const conversation = await say('one');
    room.full = true;
    // The service takes the message, so the person must not send it again.
    await chat.send({ conversationId: conversation, parts: [{ type: 'text', text: 'two' }] });
    expect(chat.turn(conversation).get()).toMatchObject({
      status: 'idle',
      problem: { code: 'storage-full' },
    });
    expect(documents.saving.get().state).toBe('failed');
    expect(server.chats()).toHaveLength(1);
    expect(await transcript(conversation)).toEqual(['user: one', `assistant: ${ANSWER}`, 'user: two']);
    room.full = false;
    await documents.retry();
    await until(chat.turn(conversation), ({ status }) => status !== 'idle');
    await idle(conversation);
    expect(chat.turn(conversation).get().problem).toBe(null);
    expect(await transcript(conversation)).toEqual([
      'user: one',
      `assistant: ${ANSWER}`,
      'user: two',
      `assistant: ${ANSWER}`,
    ]);
  });

  it('answers what was said last when several questions waited for room', async () => {
    const { store, room } = tight();
    const { chat, say, documents, idle, all } = scene({ store });
    const conversation = await say('one');
    room.full = true;
    for (const text of ['two', 'three'])
      await chat.send({ conversationId: conversation, parts: [{ type: 'text', text }] });
    room.full = false;
    await documents.retry();
    await until(chat.turn(conversation), ({ status }) => status !== 'idle');
    await idle(conversation);
    expect((await all(conversation)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'user',
      'assistant',
    ]);
  });

  it('says no longer that a question waits for room when it is saved, wherever the person looks by then', async () => {
    const { store, room } = tight();
    const { chat, say, documents, path } = scene({ store });
    const conversation = await say('one');
    const answer = last(await path(conversation));
    room.full = true;
    await chat.send({ conversationId: conversation, parts: [{ type: 'text', text: 'two' }] });
    await documents.change(conversation, { meta: { head: answer.id } }).catch(() => undefined);
    expect(chat.turn(conversation).get().problem).toMatchObject({ code: 'storage-full' });
    room.full = false;
    await documents.retry();
    await until(chat.turn(conversation), ({ problem }) => problem === null);
    expect(chat.turn(conversation).get().status).toBe('idle');
    expect(server.chats()).toHaveLength(1);
  });

  it('begins a conversation that cannot be saved yet, and takes a rewording the same way', async () => {
    const { store, room } = tight();
    const { chat, documents, idle, transcript, path } = scene({ store });
    room.full = true;
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'first' }] });
    expect(await transcript(conversationId)).toEqual(['user: first']);
    const question = last(await path(conversationId));
    await chat.edit(conversationId, question.id, [{ type: 'text', text: 'reworded' }], true);
    expect(await transcript(conversationId)).toEqual(['user: reworded']);
    room.full = false;
    await documents.retry();
    await until(chat.turn(conversationId), ({ status }) => status !== 'idle');
    await idle(conversationId);
    expect(await transcript(conversationId)).toEqual(['user: reworded', `assistant: ${ANSWER}`]);
  });

  it('gives back what cannot be kept in the queue, and does not send it from there as well', async () => {
    const { store, room } = tight();
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { chat, idle, transcript } = scene({ store, recall: () => gate.then(() => ({})) });
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'first' }] });
    room.full = true;
    await expect(
      chat.send({ conversationId, parts: [{ type: 'text', text: 'queued' }] }),
    ).rejects.toMatchObject({ problem: { code: 'storage-full' } });
    expect(chat.turn(conversationId).get().queue).toEqual([]);
    room.full = false;
    goOn();
    await idle(conversationId);
    expect(await transcript(conversationId)).toEqual(['user: first', `assistant: ${ANSWER}`]);
  });
});

describe('again and otherwise', () => {
  it('regenerates as a sibling, with the same memory', async () => {
    id = 'echo';
    const { say, path, chat, idle, all, asked, documents } = scene({
      recall: async () => ({ passages: [passage('m1', 'at three')] }),
    });
    await documents.change(OLD, { messages: [said('m1')] });
    const conversation = await say('When?');
    const first = last(await path(conversation));
    await chat.regenerate(conversation, first.id);
    await idle(conversation);
    const second = last(await path(conversation));
    expect(second.id).not.toBe(first.id);
    expect(second.parentId).toBe(first.parentId);
    expect(await all(conversation)).toHaveLength(3);
    expect(asked).toHaveLength(1);
    const [one, two] = server.chats();
    expect(two?.messages).toEqual(one?.messages);
  });

  it('regenerates without what was deleted since, or called never or not related', async () => {
    id = 'echo';
    const state = emptyNotes();
    const found = [
      {
        ...passage('m1', 'at three'),
        neighbours: [{ messageId: 'm2', role: 'user', text: 'at ten', createdAt: 1 }],
      },
      passage('m2', 'at ten'),
      passage('m3', 'at four'),
      passage('m4', 'AT FOUR!'),
      { ...passage('m5', 'at nine'), conversationId: 'gone' },
      { ...passage('n1@1', 'at six'), conversationId: 'notes' },
      passage('m6', 'at seven'),
    ];
    const { say, path, chat, idle, asked, documents } = scene({
      recall: async () => ({ passages: found, nearMisses: [passage('m7', 'at four')] }),
      notes: notesOf(state, async () => ({ id: 'n2' })),
    });
    await documents.change(OLD, { messages: ['m1', 'm2', 'm3', 'm4', 'm7'].map(said) });
    await documents.change(asConversationId('gone'), { messages: [said('m5')], meta: { deletedAt: 5 } });
    const conversation = await say('When?');
    const first = last(await path(conversation));
    const verdict = { conversationId: 'old', title: '', at: 1, query: null, passage: '' };
    state.set({
      ready: true,
      notes: [],
      feedback: [
        { ...verdict, id: 'm3', messageId: 'm3', verdict: 'never', passage: 'at four' },
        { ...verdict, id: 'm2', messageId: 'm2', verdict: 'not-related', query: 'When?' },
        { ...verdict, id: 'm1', messageId: 'm1', verdict: 'not-related', query: 'something else' },
      ],
    });
    await chat.regenerate(conversation, first.id);
    await idle(conversation);
    const part = last(await path(conversation)).parts.find(({ type }) => type === 'recall');
    expect(part).toMatchObject({ passages: [{ messageId: 'm1', neighbours: [] }], nearMisses: [] });
    expect(asked).toHaveLength(1);
    const sent = JSON.stringify(server.chats().at(-1)?.messages);
    expect(sent).toContain('at three');
    expect(sent).not.toMatch(/at (four|six|seven|nine|ten)/i);
    // The first answer keeps its passages.
    expect(JSON.stringify(first)).toContain('at ten');
  });

  it('sends no more of what it was given than may still be used', async () => {
    id = 'echo';
    const state = emptyNotes();
    const { say, documents } = scene({
      recall: async () => ({
        passages: [
          passage('m1', 'at three'),
          {
            ...passage('m3', 'at four'),
            neighbours: [{ messageId: 'm2', role: 'user', text: 'at ten', createdAt: 1 }],
          },
          { ...passage('m5', 'at nine'), conversationId: 'gone' },
        ],
      }),
      notes: notesOf(state, async () => ({ id: 'n2' })),
    });
    const gone = asConversationId('gone');
    await documents.change(OLD, { messages: ['m1', 'm2', 'm3'].map(said) });
    await documents.change(gone, { messages: [said('m5')] });
    const conversation = await say('When?');
    // The scripted model repeats what it received.
    const sent = () =>
      JSON.stringify(
        server
          .chats()
          .at(-1)
          ?.messages.filter(({ role }) => role === 'user'),
      );
    for (const words of ['at three', 'at four', 'at ten', 'at nine']) expect(sent()).toContain(words);
    await say('And then?', conversation);
    for (const words of ['at three', 'at four', 'at ten', 'at nine']) expect(sent()).toContain(words);

    const never = { verdict: 'never', conversationId: 'old', title: '', at: 1, query: null } as const;
    state.update((before) => ({
      ...before,
      feedback: [{ ...never, id: 'm2', messageId: 'm2', passage: 'at ten' }],
    }));
    await documents.change(gone, { meta: { deletedAt: 5 } });
    await say('And now?', conversation);
    expect(sent()).toContain('at three');
    expect(sent()).toContain('at four');
    expect(sent()).not.toMatch(/at (ten|nine)/);
    // After the person takes the verdict back, the app sends the passage again.
    state.update((before) => ({ ...before, feedback: [] }));
    await documents.change(gone, { meta: { deletedAt: null } });
    await say('Once more?', conversation);
    expect(sent()).toMatch(/at ten.*at nine/);
  });

  it('waits to hear what must not be sent', async () => {
    id = 'echo';
    const state = emptyNotes();
    const { say, documents } = scene({
      recall: async () => ({ passages: [passage('m1', 'at three'), passage('m2', 'at ten')] }),
      notes: notesOf(state, async () => ({ id: 'n2' })),
    });
    await documents.change(OLD, { messages: ['m1', 'm2'].map(said) });
    state.update((before) => ({ ...before, ready: false }));
    const asked = say('When?');
    await vi.waitFor(() => expect(documents.library.get().entries.length).toBeGreaterThan(1));
    expect(server.chats()).toHaveLength(0);
    state.set({
      ready: true,
      notes: [],
      feedback: [
        {
          verdict: 'never',
          id: 'm2',
          messageId: 'm2',
          conversationId: 'old',
          title: '',
          at: 1,
          query: null,
          passage: 'at ten',
        },
      ],
    });
    await asked;
    const sent = JSON.stringify(server.chats()[0]?.messages);
    expect(sent).toContain('at three');
    expect(sent).not.toContain('at ten');
  });

  it('answers a question that was never answered', async () => {
    id = 'echo';
    const { documents, chat, idle, transcript } = scene();
    const conversation = newConversationId();
    const question: Message = {
      id: asMessageId('q'),
      parentId: null,
      role: 'user',
      kind: 'message',
      createdAt: 1,
      parts: [{ type: 'text', text: 'hello' }],
    };
    await documents.change(conversation, { messages: [question], meta: { createdAt: 1 } });
    await chat.regenerate(conversation, question.id);
    await idle(conversation);
    expect(await transcript(conversation)).toEqual(['user: hello', 'assistant: hello']);
  });

  it('edits as a sibling, with and without asking again', async () => {
    id = 'echo';
    const { say, path, chat, idle, transcript, all } = scene();
    const conversation = await say('one');
    const [question] = await path(conversation);
    await chat.edit(conversation, (question as Message).id, [{ type: 'text', text: 'uno' }], true);
    await idle(conversation);
    expect(await transcript(conversation)).toEqual(['user: uno', 'assistant: uno']);
    await chat.edit(conversation, (question as Message).id, [{ type: 'text', text: 'eins' }], false);
    expect(await transcript(conversation)).toEqual(['user: eins']);
    expect(await all(conversation)).toHaveLength(5);
  });

  it('asked for while an answer streams, stops that one first', async () => {
    id = 'gated';
    const { chat, idle, all, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
    await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
    const [question] = await path(conversationId);
    id = 'plain';
    await chat.edit(conversationId, (question as Message).id, [{ type: 'text', text: 'again' }], true);
    await idle(conversationId);
    const messages = await all(conversationId);
    expect(messages.map((message) => message.finish).sort()).toEqual([
      'stop',
      'stopped',
      undefined,
      undefined,
    ]);
    expect(textOf(last(await path(conversationId)))).toBe(ANSWER);
  });

  it('does not pull the person back from another branch', async () => {
    id = 'gated';
    const { chat, idle, documents, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'one' }] });
    await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
    server.go();
    await idle(conversationId);
    const first = await path(conversationId);
    const sent = await chat.send({ conversationId, parts: [{ type: 'text', text: 'two' }] });
    await until(chat.turn(sent.conversationId), ({ status }) => status === 'streaming');
    const head = (first[0] as Message).id;
    await documents.change(conversationId, { meta: { head } });
    server.go();
    await idle(conversationId);
    expect((await documents.read(conversationId))?.meta.head).toBe(head);
    expect((await documents.read(conversationId))?.messages.size).toBe(4);
  });

  it('refuses messages that are not there', async () => {
    const { say, chat } = scene();
    const conversation = await say('one');
    await expect(chat.regenerate(conversation, asMessageId('nowhere'))).rejects.toMatchObject({
      problem: { code: 'message-missing' },
    });
    await expect(chat.edit(asConversationId('nowhere'), asMessageId('x'), [], true)).rejects.toMatchObject({
      problem: { code: 'conversation-missing' },
    });
  });
});

describe('the queue', () => {
  it('sends what was written meanwhile, one by one, each after the answer before', async () => {
    id = 'gated';
    const { chat, idle, transcript, store } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'first' }] });
    await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
    for (const text of ['second', 'third', 'fourth'])
      await chat.send({ conversationId, parts: [{ type: 'text', text }] });
    const { queue } = chat.turn(conversationId).get();
    expect(queue).toHaveLength(3);
    expect(await store.keyValues.keys('queue/')).toHaveLength(1);
    const putBack = chat.removeQueued(conversationId, queue[0]?.id as string);
    expect(chat.turn(conversationId).get().queue).toEqual(queue.slice(1));
    putBack();
    putBack();
    expect(chat.turn(conversationId).get().queue).toEqual(queue);
    chat.editQueued(conversationId, queue[1]?.id as string, null);
    chat.editQueued(conversationId, queue[2]?.id as string, [{ type: 'text', text: 'last' }]);
    id = 'echo';
    server.go();
    await idle(conversationId);
    expect(await transcript(conversationId)).toEqual([
      'user: first',
      'assistant: one two three four five six',
      'user: second',
      'assistant: second',
      'user: last',
      'assistant: last',
    ]);
    expect(await store.keyValues.keys('queue/')).toEqual([]);
  });

  const streamingWithQueue = async () => {
    id = 'gated';
    const world = scene();
    const { conversationId } = await world.chat.send({ parts: [{ type: 'text', text: 'first' }] });
    await until(world.chat.turn(conversationId), ({ parts }) =>
      parts.some((part) => 'text' in part && part.text.includes('one')),
    );
    await world.chat.send({ conversationId, parts: [{ type: 'text', text: 'second' }] });
    id = 'echo';
    return { ...world, conversationId };
  };

  it('waits when the answer is stopped, until it is sent', async () => {
    const { chat, conversationId, idle, transcript } = await streamingWithQueue();
    chat.stop(conversationId);
    await idle(conversationId);
    expect(chat.turn(conversationId).get().queue).toHaveLength(1);
    expect(await transcript(conversationId)).toHaveLength(2);
    chat.sendQueued(conversationId);
    await idle(conversationId);
    expect((await transcript(conversationId)).slice(2)).toEqual(['user: second', 'assistant: second']);
  });

  it('is sent at once when that is asked for while an answer streams', async () => {
    const { chat, conversationId, idle, path, transcript } = await streamingWithQueue();
    chat.sendQueued(conversationId);
    await idle(conversationId);
    expect((await path(conversationId))[1]).toMatchObject({ finish: 'stopped' });
    expect((await transcript(conversationId)).slice(2)).toEqual(['user: second', 'assistant: second']);
  });
});

describe('what waits to be sent and is forgotten', () => {
  const eraserOf = (words: string, more: Partial<Forgotten> = {}) =>
    createEraser({
      id: 'record',
      at: 0,
      kind: 'phrase',
      ids: [],
      inside: [],
      sources: [],
      words: [imprintOf(words, 'record') as Imprint],
      whole: false,
      ...more,
    });

  it.each([false, true])('is sent without it, and never kept with it, whole: %s', async (whole) => {
    id = 'gated';
    const { chat, store, idle, path } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
    await until(chat.turn(conversationId), ({ parts }) => JSON.stringify(parts).includes('two'));
    for (const text of ['ask Quillfeather', 'and then'])
      await chat.send({ conversationId, parts: [{ type: 'text', text }] });
    chat.takeOut(eraserOf('Quillfeather', { whole }));
    expect(chat.turn(conversationId).get().queue.map(textOf)).toEqual(
      whole ? ['and then'] : ['ask •••', 'and then'],
    );
    const rows = async () =>
      JSON.stringify(await Promise.all((await store.keyValues.keys('queue/')).map(store.keyValues.get)));
    await vi.waitFor(async () => expect(await rows()).not.toContain('Quillfeather'));
    id = 'plain';
    server.go();
    await idle(conversationId);
    expect(JSON.stringify(await path(conversationId))).not.toContain('Quillfeather');
  });

  it('goes with its conversation, and from what this tab noted when it was left', async () => {
    id = 'gated';
    const memory = new Map<string, string>();
    const { chat } = scene({
      tabMemory: () => ({
        getItem: (key) => memory.get(key) ?? null,
        setItem: (key, value) => memory.set(key, value),
      }),
    });
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
    await chat.send({ conversationId, parts: [{ type: 'text', text: 'more' }] });
    chat.composerDrafts.saveOnUnload('composer.new', 'to Quillfeather');
    chat.takeOut(eraserOf('Quillfeather', { ids: [conversationId] }));
    expect(chat.turn(conversationId).get().queue).toEqual([]);
    expect(JSON.stringify([...memory])).toContain('to •••');
    server.go();
  });
});

describe('what was in the queue and is just being said', () => {
  /** A tab whose log delays or refuses appends after `hold`, while its key-value store still has room. */
  const slow = (locks = createLocks()) => {
    const inner = createInMemoryStore();
    let gate: Promise<void> | undefined;
    let refusal: RecollectError | undefined;
    const store: Store = {
      ...inner,
      log: {
        ...inner.log,
        append: async (...given) => {
          await gate;
          if (refusal) throw refusal;
          return inner.log.append(...given);
        },
      },
    };
    /** `go` lets the append through, or makes appends fail until it is called again. */
    const hold = () => {
      let resolve: () => void = () => undefined;
      gate = new Promise<void>((done) => {
        resolve = done;
      });
      return (why?: RecollectError) => {
        refusal = why;
        gate = undefined;
        resolve();
      };
    };
    return { store, inner, locks, hold, tab: scene({ store, locks: locks.of('tab') }) };
  };
  type Slow = ReturnType<typeof slow>;

  /** An answer has ended and the log delays the append of "second". */
  async function underWay({ tab, hold }: Slow) {
    id = 'gated';
    const { conversationId } = await tab.chat.send({ parts: [{ type: 'text', text: 'first' }] });
    await until(tab.chat.turn(conversationId), ({ status }) => status === 'streaming');
    await tab.chat.send({ conversationId, parts: [{ type: 'text', text: 'second' }] });
    const [queued] = tab.chat.turn(conversationId).get().queue;
    id = 'echo';
    server.go();
    const open = await tab.documents.open(conversationId);
    await until(open, ({ messages }) => [...messages.values()].some(({ finish }) => finish === 'stop'));
    const go = hold();
    // A failing test must not leave the append delayed.
    scenes.unshift({ close: async () => go() });
    await until(open, ({ messages }) => messages.has(asMessageId(queued?.id as string)));
    open.close();
    return { conversationId, queued: queued?.id as string, go };
  }
  const kept = async ({ inner }: Slow): Promise<string> =>
    JSON.stringify(await Promise.all((await inner.keyValues.keys('queue/')).map(inner.keyValues.get)));
  const words = (state: TurnState) => state.queue.map(({ parts }) => textOf({ parts }));

  it('cannot be taken back any more, and is said once', async () => {
    const world = slow();
    const { tab, inner } = world;
    const { conversationId, queued, go } = await underWay(world);
    expect(tab.chat.turn(conversationId).get().queue).toEqual([]);
    tab.chat.editQueued(conversationId, queued, null);
    go();
    await tab.idle(conversationId);
    expect((await tab.transcript(conversationId)).slice(2)).toEqual(['user: second', 'assistant: second']);
    expect(await inner.keyValues.keys('queue/')).toEqual([]);
  });

  it('is in the kept queue until it is in the log, whatever else is kept there meanwhile', async () => {
    const world = slow();
    const { tab, locks, inner } = world;
    const { conversationId } = await underWay(world);
    await tab.chat.send({ conversationId, parts: [{ type: 'text', text: 'third' }] });
    expect(words(tab.chat.turn(conversationId).get())).toEqual(['third']);
    locks.kill('tab');
    const next = scene({ store: inner, locks: locks.of('next') });
    await next.chat.rescueDrafts();
    expect(words(next.chat.turn(conversationId).get())).toEqual(['second', 'third']);
  });

  it('stays in the kept queue while it waits for room', async () => {
    const world = slow();
    const { tab, inner, locks } = world;
    const { conversationId, go } = await underWay(world);
    go(new RecollectError('storage-full', 'full'));
    await tab.idle(conversationId);
    expect(tab.chat.turn(conversationId).get()).toMatchObject({
      queue: [],
      problem: { code: 'storage-full' },
    });
    expect(await kept(world)).toContain('second');
    const next = scene({ store: inner, locks: locks.of('next') });
    locks.kill('tab');
    await next.chat.rescueDrafts();
    expect(words(next.chat.turn(conversationId).get())).toEqual(['second']);
  });

  it('leaves the kept queue when there is room again, and is answered', async () => {
    const world = slow();
    const { tab, hold, inner } = world;
    const { conversationId, go } = await underWay(world);
    go(new RecollectError('storage-full', 'full'));
    await tab.idle(conversationId);
    hold()();
    await tab.documents.retry();
    await until(tab.chat.turn(conversationId), ({ status }) => status !== 'idle');
    await tab.idle(conversationId);
    expect((await tab.transcript(conversationId)).slice(2)).toEqual(['user: second', 'assistant: second']);
    expect(await inner.keyValues.keys('queue/')).toEqual([]);
  });

  it('takes along what was asked for meanwhile, where it comes to nothing: that is not run before the next message', async () => {
    const world = slow();
    const { tab, hold } = world;
    const { conversationId, go } = await underWay(world);
    const answer = (await tab.all(conversationId)).find(({ role }) => role === 'assistant') as Message;
    await tab.chat.regenerate(conversationId, answer.id);
    go(new RecollectError('storage-full', 'full'));
    await tab.idle(conversationId);
    const before = server.chats().length;
    hold()();
    await tab.documents.retry();
    await until(tab.chat.turn(conversationId), ({ status }) => status !== 'idle');
    await tab.idle(conversationId);
    expect(server.chats()).toHaveLength(before + 1);
    expect((await tab.transcript(conversationId)).slice(2)).toEqual(['user: second', 'assistant: second']);
  });

  it('goes back to the head of the queue where it could not be said at all', async () => {
    id = 'gated';
    const { chat, documents } = scene();
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'first' }] });
    await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
    for (const text of ['second', 'third'])
      await chat.send({ conversationId, parts: [{ type: 'text', text }] });
    await documents.erase([conversationId]);
    server.go();
    await until(chat.turn(conversationId), ({ status }) => status === 'idle');
    expect(words(chat.turn(conversationId).get())).toEqual(['second', 'third']);
    expect(chat.turn(conversationId).get().problem).toMatchObject({ code: 'conversation-missing' });
  });
});

describe('the queue after an answer that failed', () => {
  it('waits until the person goes on: by sending it, or by another answer that succeeds', async () => {
    for (const goesOn of ['sends', 'retries'] as const) {
      const { chat, idle, transcript, path } = scene();
      server.next({ steps: [{ text: 'half of it' }, { gate: true }, { cut: true }] });
      const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'first' }] });
      await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
      for (const text of ['second', 'third'])
        await chat.send({ conversationId, parts: [{ type: 'text', text }] });
      id = 'echo';
      server.go();
      await until(chat.turn(conversationId), ({ status }) => status === 'idle');
      expect(chat.turn(conversationId).get().queue).toHaveLength(2);
      const failed = last(await path(conversationId));
      expect(failed.finish).toBe('cut');
      if (goesOn === 'sends') chat.sendQueued(conversationId);
      else await chat.regenerate(conversationId, failed.id);
      await idle(conversationId);
      expect((await transcript(conversationId)).slice(-4)).toEqual([
        'user: second',
        'assistant: second',
        'user: third',
        'assistant: third',
      ]);
    }
  });
});

describe('size', () => {
  it('takes 10 MB and refuses more before anything is changed', async () => {
    const { chat, say, path, store, idle } = scene({
      model: () => createScriptedModel({ reply: () => [{ type: 'text-delta', text: 'long' }] }),
    });
    const conversation = await say('x'.repeat(MAX_TEXT_BYTES));
    expect(textOf((await path(conversation))[0] as Message)).toHaveLength(MAX_TEXT_BYTES);
    const before = await store.log.head();
    await expect(
      chat.send({
        conversationId: conversation,
        parts: [{ type: 'text', text: '备'.repeat(4 * 1024 * 1024) }],
      }),
    ).rejects.toMatchObject({
      problem: { code: 'message-too-large', params: { kind: 'text', size: 12, limit: 10 } },
    });
    expect(await store.log.head()).toBe(before);
    await idle(conversation);
  });

  it('counts exactly near the limit', async () => {
    const { say } = scene({ model: () => null });
    const half = { type: 'text' as const, text: 'x'.repeat(4 * 1024 * 1024) };
    await expect(say([half, half])).resolves.toBeTruthy();
  });
});

describe('a crash', () => {
  /** A tab that dies in the middle of an answer: nothing goes on, and the browser frees its lock. */
  async function crashed(store: Store, locks: ReturnType<typeof createLocks>, words: string) {
    const tab = createScene({
      store,
      locks: locks.of('dead'),
      model: () =>
        createScriptedModel({
          id: 'm',
          reply: () => [{ type: 'text-delta', text: words }, new Promise(() => undefined)],
        }),
    });
    const { conversationId } = await tab.chat.send({ parts: [{ type: 'text', text: 'question' }] });
    await until(tab.chat.turn(conversationId), ({ status }) => status === 'streaming');
    await expect
      .poll(async () =>
        JSON.stringify(await Promise.all((await store.keyValues.keys('draft/')).map(store.keyValues.get))),
      )
      .toContain(words);
    return { conversationId, tab };
  }

  it('costs at most half a second of an answer', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId, tab } = await crashed(store, locks, 'what had come');
    await tab.chat.send({ conversationId, parts: [{ type: 'text', text: 'queued' }] });
    locks.kill('dead');
    const next = scene({ store, locks: locks.of('next') });
    expect(await next.chat.rescueDrafts()).toBe(1);
    const messages = await next.path(conversationId);
    expect(messages).toHaveLength(2);
    expect(last(messages)).toMatchObject({
      finish: 'cut',
      model: 'm',
      problem: { code: 'model-cut' },
      parts: [{ type: 'text', text: 'what had come' }],
    });
    expect(next.chat.turn(conversationId).get().queue).toMatchObject([{ parts: [{ text: 'queued' }] }]);
    expect(await store.keyValues.keys('draft/')).toEqual([]);
    expect(await next.chat.rescueDrafts()).toBe(0);
    // The queued message goes out before the new one.
    id = 'echo';
    await next.say('now', conversationId);
    expect((await next.transcript(conversationId)).slice(2)).toEqual([
      'user: queued',
      'assistant: queued',
      'user: now',
      'assistant: now',
    ]);
    expect(await store.keyValues.keys('queue/')).toEqual([]);
  });

  it.each([
    ['an answer', [{ type: 'text-delta', text: 'All of it.' }], 'stop'],
    [
      'a call of a tool',
      [
        { type: 'text-delta', text: 'All of it.' },
        { type: 'tool-call', callId: 'c1', name: 'recall', arguments: '{}' },
      ],
      'cut',
    ],
  ] as const)('while it is being saved costs nothing of %s', async (_what, events, finish) => {
    const store = createInMemoryStore();
    const locks = createLocks();
    let isSaving = false;
    const append: Store['log']['append'] = async (entries, writes) => {
      if (!writes?.some(({ key }) => key.startsWith('draft/')))
        return await store.log.append(entries, writes);
      isSaving = true;
      return await new Promise(() => undefined);
    };
    const tab = createScene({
      store: { ...store, log: { ...store.log, append } },
      locks: locks.of('dead'),
      model: () => createScriptedModel({ id: 'm', reply: () => [...events] }),
    });
    const { conversationId } = await tab.chat.send({ parts: [{ type: 'text', text: 'question' }] });
    await expect.poll(() => isSaving).toBe(true);
    locks.kill('dead');
    const next = scene({ store, locks: locks.of('next') });
    expect(await next.chat.rescueDrafts()).toBe(1);
    const rescued = last(await next.path(conversationId));
    expect(rescued).toMatchObject({
      finish,
      parts: [{ type: 'text', text: 'All of it.' }, ...events.slice(1)],
    });
    expect(rescued?.problem?.code).toBe(finish === 'cut' ? 'model-cut' : undefined);
    expect(await store.keyValues.keys('draft/')).toEqual([]);
  });

  it('is not what a living tab has', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId, tab } = await crashed(store, locks, 'still coming');
    const other = scene({ store, locks: locks.of('other') });
    expect(await other.chat.rescueDrafts()).toBe(0);
    expect(await store.keyValues.keys('draft/')).toHaveLength(1);
    tab.chat.stop(conversationId);
    await tab.idle(conversationId);
    expect(await store.keyValues.keys('draft/')).toEqual([]);
    expect(last(await tab.path(conversationId))).toMatchObject({ finish: 'stopped' });
    await tab.close();
  });

  it('of a tab that lives on for now is rescued when it ends', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId } = await crashed(store, locks, 'nearly gone');
    const next = scene({ store, locks: locks.of('next') });
    expect(await next.chat.rescueDrafts()).toBe(0);
    locks.kill('dead');
    await expect
      .poll(async () => last(await next.path(conversationId)))
      .toMatchObject({ finish: 'cut', parts: [{ text: 'nearly gone' }] });
    expect(await store.keyValues.keys('draft/')).toEqual([]);
  });

  it('is rescued once, whoever comes first', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId } = await crashed(store, locks, 'once');
    locks.kill('dead');
    const tabs = ['a', 'b', 'c'].map((name) => scene({ store, locks: locks.of(name) }));
    await Promise.all(tabs.map((tab) => tab.chat.rescueDrafts()));
    const fresh = scene({ store });
    expect((await fresh.all(conversationId)).filter((message) => message.role === 'assistant')).toHaveLength(
      1,
    );
  });

  it('between saving the answer and the end leaves nothing behind', async () => {
    const { say, store } = scene();
    await say('x');
    expect(await store.keyValues.keys('draft/')).toEqual([]);
    expect(await store.keyValues.keys('queue/')).toEqual([]);
  });

  it('of a conversation that was erased is forgotten with it', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId } = await crashed(store, locks, 'gone');
    locks.kill('dead');
    const next = scene({ store, locks: locks.of('next') });
    await next.documents.erase([conversationId]);
    expect(await next.chat.rescueDrafts()).toBe(0);
    expect(await store.keyValues.keys('draft/')).toEqual([]);
  });

  it('without Web Locks is told from a living tab by its age', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const { conversationId } = await crashed(store, locks, 'old');
    const [key] = await store.keyValues.keys('draft/');
    const young = scene({ store });
    expect(await young.chat.rescueDrafts()).toBe(0);
    const row = (await store.keyValues.get(key as string)) as Record<string, unknown>;
    await store.keyValues.set(key as string, { ...row, touchedAt: Date.now() - 60_000 });
    expect(await young.chat.rescueDrafts()).toBe(1);
    expect(last(await young.path(conversationId))).toMatchObject({ finish: 'cut' });
  });

  it('where there are no locks, a row of a time to come was touched before the clock was set back', async () => {
    const store = createInMemoryStore();
    await crashed(store, createLocks(), 'old');
    const [key] = await store.keyValues.keys('draft/');
    const row = (await store.keyValues.get(key as string)) as Record<string, unknown>;
    await store.keyValues.set(key as string, { ...row, touchedAt: Date.now() + 3_600_000 });
    expect(await scene({ store }).chat.rescueDrafts()).toBe(1);
  });
});

it('an answer to what was erased meanwhile brings nothing back', async () => {
  id = 'gated';
  const { chat, idle, documents, store } = scene();
  const { conversationId } = await chat.send({ parts: [{ type: 'text', text: 'count' }] });
  await until(chat.turn(conversationId), ({ status }) => status === 'streaming');
  await documents.erase([conversationId]);
  server.go();
  await idle(conversationId);
  expect(await documents.read(conversationId)).toBeUndefined();
  expect(await store.keyValues.keys('draft/')).toEqual([]);
  // Another tab that still shows it says why the answer is gone.
  expect(chat.turn(conversationId).get().problem?.code).toBe('conversation-missing');
});

it('closing keeps what has come', async () => {
  id = 'gated';
  const store = createInMemoryStore();
  const closing = createScene({ store, model });
  const { conversationId } = await closing.chat.send({ parts: [{ type: 'text', text: 'count' }] });
  await until(closing.chat.turn(conversationId), ({ status }) => status === 'streaming');
  await closing.close();
  const next = scene({ store });
  expect(last(await next.path(conversationId))).toMatchObject({ role: 'assistant', finish: 'stopped' });
});
