// From the second message on memory is looked at where the message is about
// something else than what was looked for last.
import { afterEach, expect, it } from 'vitest';
import { asMessageId, newConversationId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import { createTurnRecall } from '../../../src/services/chat/turn-recall.ts';
import type { RecallResult } from '../../../src/services/memory/memory.ts';
import { conversationOf, openHome } from '../memory/home.ts';
import { passage } from './setup.ts';

const DOG = 'Our dog Bruno gets the rabies vaccination at the vet in March.';
const PORT = 'Which port does the staging server heron use for its health check?';
const SAME = 'Does the staging server heron use that port for its health check in production?';
const VET = 'In which month is the dog Bruno at the vet for the rabies vaccination?';

/** What is surely related by shared words is so for this embedding from here on. */
const SURE = 0.3;
const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const open = async (auto: Record<string, unknown> = {}) => {
  const home = openHome({
    config: { recall: { filters: { min_similarity: SURE }, auto_recall: { min_similarity: SURE, ...auto } } },
  });
  homes.push(home);
  await home.add(conversationOf([DOG, 'I wrote that down.']));
  await home.indexed();
  const turn = createTurnRecall({ memory: home.memory, config: home.config });
  const conversation = { id: newConversationId(), compactions: new Map() } as unknown as Conversation;
  const path: Message[] = [];
  const say = (role: Message['role'], parts: readonly Part[]): Message => {
    const message: Message = {
      id: asMessageId(`m${path.length}`),
      parentId: path.at(-1)?.id ?? null,
      role,
      kind: 'message',
      createdAt: path.length + 1,
      parts,
    };
    path.push(message);
    return message;
  };
  return {
    home,
    ask: async (text: string, announced?: RecallResult) => {
      const asked = say('user', [{ type: 'text', text }]);
      const got = await turn.forQuestion({
        conversation,
        path,
        asked,
        answering: true,
        without: undefined,
        announced,
        pressure: async () => 0,
        onAsking: () => undefined,
        signal: new AbortController().signal,
      });
      say('assistant', [
        ...(got.recall?.passages.length ? [got.recall] : []),
        { type: 'text', text: 'Yes.' },
      ]);
      return got;
    },
  };
};

it('a message about something else is looked up, one about the same is not', async () => {
  const { ask } = await open();
  expect((await ask(PORT)).why).toEqual({ trigger: 'start' });
  expect(await ask(SAME)).toMatchObject({ why: undefined, recall: null });
  const moved = await ask(VET);
  expect(moved).toMatchObject({ why: { moved: true }, recall: { moved: true } });
  expect(moved.recall?.passages[0]).toMatchObject({ passage: DOG });
  // An older version takes no trigger that it does not know.
  expect(moved.recall).not.toHaveProperty('trigger');
  // The dog is the last topic that the app asked memory for.
  expect((await ask('Does the vet give our dog Bruno the rabies vaccination in March?')).why).toBeUndefined();
  expect((await ask(PORT)).why).toEqual({ moved: true });
  // The last recall found nothing, but the app does not repeat it.
  expect((await ask(SAME)).why).toBeUndefined();
});

it('what says little moves no topic', async () => {
  const { ask } = await open();
  await ask(PORT);
  for (const text of ['Thanks!', 'ok', '好', 'And then?']) expect((await ask(text)).why).toBeUndefined();
});

it('what memory offered while the message was written is looked up', async () => {
  const { ask } = await open();
  await ask(PORT);
  const offered: RecallResult = {
    query: SAME,
    passages: [passage('m1', DOG)],
    nearMisses: [],
    threshold: SURE,
    tokens: 10,
    mode: 'hybrid',
    degraded: null,
    tookMs: 1,
  };
  expect((await ask(SAME, offered)).why).toEqual({ moved: true });
});

it('what is not sure enough does not go along', async () => {
  const { ask } = await open({ min_similarity: 1 });
  await ask(PORT);
  expect(await ask(VET)).toMatchObject({ why: { moved: true }, recall: { passages: [] } });
});

it.each([
  ['is switched off', { enabled: false }],
  ['looks at no first message', { trigger_on_start: false }],
])('moves nothing where memory %s', async (_, auto) => {
  const { ask } = await open(auto);
  await ask(PORT);
  expect(await ask(VET)).toMatchObject({ why: undefined, recall: null });
});

it('moves nothing while no model can tell', async () => {
  const { ask, home } = await open();
  await ask(PORT);
  home.embedding.set(null);
  expect((await ask(VET)).why).toBeUndefined();
});
