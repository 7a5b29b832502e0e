// Two tabs of one conversation: a turn runs in one of them, and the other sees it, stops it, and waits for it.
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ChatEvent } from '../../../src/adapters/models/chat-model.ts';
import { createScriptedModel } from '../../../src/adapters/models/index.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import type { TurnState } from '../../../src/services/chat/chat.ts';
import type { ChannelLike } from '../../../src/services/chat/cross-tab-turns.ts';
import { createLocks, createScene } from './setup.ts';

/** Channels as in a browser: each gets what the others post, a moment later. */
function createAir() {
  const listeners = new Map<ChannelLike, (event: MessageEvent<unknown>) => void>();
  return () => {
    const channel: ChannelLike = {
      postMessage: (message) => {
        const data = structuredClone(message);
        for (const [other, hear] of listeners)
          if (other !== channel) queueMicrotask(() => hear({ data } as MessageEvent<unknown>));
      },
      addEventListener: (_, listener) => void listeners.set(channel, listener),
      close: () => void listeners.delete(channel),
    };
    return channel;
  };
}

const scenes: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const made of scenes.splice(0)) await made.close();
});

/** Tabs of one browser whose models continue on demand. */
function browser() {
  const store: Store = createInMemoryStore();
  const locks = createLocks();
  const air = createAir();
  return {
    locks,
    open: (name: string) => {
      let end: () => void = () => {};
      const asked: string[] = [];
      const tab = createScene({
        store,
        locks: locks.of(name),
        tabs: air(),
        model: () =>
          createScriptedModel({
            id: name,
            reply: ({ messages }) => {
              asked.push(JSON.stringify(messages.at(-1)));
              const ended = new Promise<ChatEvent>((resolve) => {
                end = () => resolve({ type: 'end', finish: 'stop' });
              });
              return [{ type: 'text-delta', text: `${name} answers` }, ended];
            },
          }),
      });
      scenes.push(tab);
      return { ...tab, end: () => end(), askedOf: asked };
    },
  };
}

const text = (words: string): Part[] => [{ type: 'text', text: words }];
const shows = (words: string) => (state: TurnState) =>
  state.inAnotherTab && JSON.stringify(state.parts).includes(words);

it('a turn is seen in every other tab, one opened later too, and what is sent there waits for its end', async () => {
  const { open } = browser();
  const [one, two] = [open('one'), open('two')];
  const { conversationId } = await one.chat.send({ parts: text('first') });
  const seen = await until(two.chat.turn(conversationId), shows('one answers'));
  expect(seen).toMatchObject({ status: 'streaming', model: 'one' });
  const late = open('late');
  await until(late.chat.turn(conversationId), shows('one answers'));
  expect(one.chat.turn(conversationId).get().inAnotherTab).toBe(false);

  await two.chat.send({ conversationId, parts: text('second') });
  expect(two.chat.turn(conversationId).get().queue).toHaveLength(1);
  expect(two.askedOf).toEqual([]);
  one.end();
  await until(
    two.chat.turn(conversationId),
    ({ status, inAnotherTab }) => status === 'streaming' && !inAnotherTab,
  );
  await until(one.chat.turn(conversationId), shows('two answers'));
  two.end();
  await Promise.all([one, two, late].map(({ idle }) => idle(conversationId)));
  expect(await two.transcript(conversationId)).toEqual([
    'user: first',
    'assistant: one answers',
    'user: second',
    'assistant: two answers',
  ]);
  expect(await one.all(conversationId)).toHaveLength(4);
});

it('a turn is stopped from another tab', async () => {
  const { open } = browser();
  const [one, two] = [open('one'), open('two')];
  const { conversationId } = await one.chat.send({ parts: text('first') });
  await until(two.chat.turn(conversationId), shows('one answers'));
  two.chat.stop(conversationId);
  await Promise.all([one.idle(conversationId), two.idle(conversationId)]);
  expect((await one.path(conversationId)).at(-1)).toMatchObject({ finish: 'stopped' });
});

it('of a tab that is gone nothing is waited for, and what had come is kept at once', async () => {
  const { open, locks } = browser();
  const [one, two] = [open('one'), open('two')];
  const { conversationId } = await one.chat.send({ parts: text('first') });
  await until(two.chat.turn(conversationId), shows('one answers'));
  const { keyValues } = one.store;
  await expect
    .poll(async () => JSON.stringify(await Promise.all((await keyValues.keys('draft/')).map(keyValues.get))))
    .toContain('one answers');
  await two.chat.send({ conversationId, parts: text('second') });
  locks.kill('one');
  const { queue } = await until(two.chat.turn(conversationId), ({ status }) => status === 'idle');
  // The person sees first that the answer was cut off.
  expect(queue).toHaveLength(1);
  two.chat.sendQueued(conversationId);
  await until(two.chat.turn(conversationId), ({ status }) => status === 'streaming');
  two.end();
  await two.idle(conversationId);
  expect(await two.transcript(conversationId)).toEqual([
    'user: first',
    'assistant: one answers',
    'user: second',
    'assistant: two answers',
  ]);
});

it('what another version of the app says is passed over', async () => {
  const air = createAir();
  const tab = createScene({ tabs: air(), locks: createLocks().of('tab') });
  scenes.push(tab);
  const strange = air();
  for (const message of [null, 7, { type: 'turn' }, { type: 'turn', tab: 'x', conversation: 'c', turn: {} }])
    strange.postMessage(message, []);
  strange.postMessage({ type: 'ended', tab: 'x', conversation: 'c' }, []);
  await Promise.resolve();
  expect(tab.problems).toEqual([]);
});
