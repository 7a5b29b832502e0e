// A call on memory that no form hears, through the whole pipeline: with the shipped model it is heard,
// without a model or with a slow one the forms decide at once.
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it } from 'vitest';
import type {
  EmbeddingProvider,
  EmbeddingState,
} from '../../../src/adapters/embedding/embedding-provider.ts';
import { asMessageId, newConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { refersToEarlierTalk } from '../../../src/domain/memory/calls.ts';
import { asksForOverview } from '../../../src/domain/memory/overview.ts';
import { createTurnRecall } from '../../../src/services/chat/turn-recall.ts';
import { createInProcessLocalEmbedding } from '../../adapters/embedding/in-process.ts';
import { conversationOf, type HomeOptions, openHome } from './home.ts';

const e5 = createInProcessLocalEmbedding({
  models: fileURLToPath(new URL('../../../public/models', import.meta.url)),
});
afterAll(() => e5.close());
const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const TENT = 'We looked at tents for Norway. The green one, Keron 4, is the tent that we take.';
const CALL = 'Your tip about the tent, once more, please.';
const NONE = 'Which tent stands up to a storm?';

const open = async (options: HomeOptions = {}) => {
  const home = openHome({ embedding: e5, ...options });
  homes.push(home);
  await home.add(conversationOf([TENT, 'Good choice, the Keron 4 stands up to wind.'], { title: 'Tent' }));
  await home.indexed();
  return home;
};

const message = (id: string, text: string, role: Message['role'] = 'user'): Message => ({
  id: asMessageId(id),
  parentId: null,
  role,
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text }],
});

/** A question after another one and its answer, as a turn asks memory. */
const asAfter = (before: string, text: string) => {
  const asked = message('q2', text);
  return {
    conversation: { id: newConversationId(), compactions: new Map() } as unknown as Conversation,
    path: [message('q1', before), message('a1', 'Yes.', 'assistant'), asked],
    asked,
    answering: true,
    without: undefined,
    announced: undefined,
    pressure: async () => 0,
    onAsking: () => undefined,
    signal: new AbortController().signal,
  };
};

/** The reason for the recall of a later message, and how often memory was asked. */
const askLater = async (home: ReturnType<typeof openHome>, text: string, before = text) => {
  let recalls = 0;
  const { memory } = home;
  const turn = createTurnRecall({
    memory: {
      recall: async (request) => {
        recalls += 1;
        return await memory.recall(request);
      },
      topicMoved: memory.topicMoved,
      refersToEarlierTalk: memory.refersToEarlierTalk,
    },
    config: home.config,
  });
  const got = await turn.forQuestion(asAfter(before, text));
  return { recalls, why: got.why };
};

it('these sentences have no form that is known', () => {
  for (const text of [CALL, NONE]) {
    expect(refersToEarlierTalk(text)).toBe(false);
    expect(asksForOverview(text)).toBe(false);
  }
});

it('a call by meaning gets what may be shown, another question does not', async () => {
  const home = await open();
  expect((await home.recall(CALL, { purpose: 'inject' })).threshold).toBe(0.75);
  expect((await home.recall(NONE, { purpose: 'inject' })).threshold).toBe(0.9);
});

it('a call by meaning searches at any point of a conversation, on the same topic as well', async () => {
  const home = await open();
  expect(await askLater(home, CALL)).toEqual({ recalls: 1, why: undefined });
  expect(await askLater(home, NONE)).toEqual({ recalls: 0, why: undefined });
});

it('an overview by meaning says so, and the reading order with it', async () => {
  const home = await open();
  const text = 'The names of all tents that came up between us so far.';
  expect(asksForOverview(text)).toBe(false);
  expect(await home.recall(text)).toMatchObject({ overview: true });
  expect(await home.recall(NONE)).not.toHaveProperty('overview');
});

it('without a model the forms decide', async () => {
  const home = await open({ embedding: null });
  const { signal } = new AbortController();
  expect(await home.memory.refersToEarlierTalk(CALL, { signal })).toBe(false);
  expect(await home.memory.refersToEarlierTalk('Do it as we agreed', { signal })).toBe(true);
  expect(await askLater(home, CALL)).toEqual({ recalls: 0, why: undefined });
  expect((await askLater(home, 'Which tent did we agree on last week?')).recalls).toBe(1);
  expect((await home.recall(CALL, { purpose: 'inject' })).threshold).toBe(0.9);
});

it('a model that loads is not waited for', async () => {
  const home = await open();
  const never = new Promise<never>(() => undefined);
  const loading: EmbeddingProvider = {
    ...e5,
    state: writable<EmbeddingState>({ status: 'loading' } as EmbeddingState),
    embed: () => never,
    read: () => never,
  };
  home.embedding.set(loading);
  const { signal } = new AbortController();
  expect(await home.memory.refersToEarlierTalk(CALL, { signal })).toBe(false);
  expect(await home.memory.refersToEarlierTalk('Do it as we agreed', { signal })).toBe(true);
});

it('a model that does not answer leaves it to the forms', async () => {
  const home = await open();
  const never = new Promise<never>(() => undefined);
  home.embedding.set({ ...e5, embed: () => never, read: () => never });
  const { memory } = home;
  const turn = (text: string) => {
    const asked: string[] = [];
    return {
      asked,
      recall: createTurnRecall({
        memory: {
          recall: async (request) => {
            asked.push(request.text);
            throw new Error('not now');
          },
          topicMoved: memory.topicMoved,
          refersToEarlierTalk: memory.refersToEarlierTalk,
        },
        config: home.config,
      }).forQuestion(asAfter(text, text)),
    };
  };
  const [byMeaning, byForm] = [turn(CALL), turn('Which tent did we agree on last week?')];
  await Promise.all([byMeaning.recall, byForm.recall]);
  expect(byMeaning.asked).toEqual([]);
  expect(byForm.asked).toHaveLength(1);
});
