// What is noticed, and what is not: only what a person writes here, from now on,
// and nothing of what is private or gone.
import { expect, it } from 'vitest';
import { newMessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { startNoticing } from '../../../src/services/memory/noticing.ts';
import { createRecognising } from '../../../src/services/memory/recognising.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { conversationOf, openHome } from './home.ts';

async function scene(change: (config: Config) => void = () => undefined, first?: string) {
  const home = openHome({ engine: false });
  if (first !== undefined) {
    const { id, change: said } = conversationOf([first, 'Fine.']);
    await home.documents.change(id, said);
  }
  const config = writable<Config>(structuredClone(defaultConfig));
  change(config.get());
  const closing = new AbortController();
  const notes = createNotes({ store: home.store, now: Date.now });
  const recognising = createRecognising({
    ...{ embedding: () => null, keyValues: home.store.keyValues, learns: false },
    hide: (text) => text,
    forgotten: notes.forgotten,
  });
  /** Happens while sentences are recognised. */
  let meanwhile = async (): Promise<unknown> => undefined;
  const noticing = startNoticing({
    store: home.store,
    notes,
    recognising: {
      of: async (...asked) => {
        const found = await recognising.of(...asked);
        await meanwhile();
        return found;
      },
    },
    filter: new PrivacyFilter({ config }),
    ready: () => true,
    config,
    now: () => 0,
    signal: closing.signal,
    restMs: 1,
  });
  const look = async () => {
    noticing.wake();
    await noticing.settled();
    return notes.inbox.get().proposals.map(({ kind, text }) => `${kind}: ${text}`);
  };
  await look();
  const say = async (text: string, more: Parameters<typeof conversationOf>[1] = {}) => {
    const { id, change } = conversationOf([text, 'Fine.'], more);
    await home.documents.change(id, change);
    return { id, messages: change.messages };
  };
  const during = (work: typeof meanwhile) => {
    meanwhile = work;
  };
  return { home, notes, noticing, config, look, say, during, close: () => closing.abort() };
}

it('what a person writes here is proposed once, with its source', async () => {
  const { home, notes, look, say, close } = await scene();
  const { id, messages } = await say('Hello! I am allergic to nuts. What can I bake?');
  expect(await look()).toEqual(['fact: I am allergic to nuts.']);
  expect(notes.inbox.get().proposals[0]?.source).toEqual({ conversationId: id, messageId: messages[0]?.id });
  const again: Message = {
    ...(messages[0] as Message),
    id: newMessageId(),
    parts: [{ type: 'text', text: 'From now on, be brief.' }],
  };
  await home.documents.change(id, { messages: [again] });
  expect((await look()).sort()).toEqual(['fact: I am allergic to nuts.', 'rule: From now on, be brief.']);
  close();
});

it('a note says what is to be remembered, without the words that ask for it', async () => {
  const { home, look, say, close } = await scene();
  const { id, messages } = await say('Remember: always answer in English.');
  await say('请记住：以后都用中文回答。');
  await say('Please remember that I am allergic to nuts.');
  await say('Please remember that lunch is at one.');
  expect((await look()).sort()).toEqual([
    'fact: I am allergic to nuts.',
    'rule: Always answer in English.',
    'rule: Lunch is at one.',
    'rule: 以后都用中文回答。',
  ]);
  await home.documents.change(id, { removed: [messages[0]?.id as Message['id']] });
  expect(await look()).toHaveLength(3);
  close();
});

it('what a person writes before the first run is proposed, too', async () => {
  const { look, close } = await scene(() => undefined, 'Hello! I am allergic to nuts. What can I bake?');
  expect(await look()).toEqual(['fact: I am allergic to nuts.']);
  close();
});

it('nothing is proposed of imports, excluded folders, secrets, or what was said before', async () => {
  const { home, look, say, close } = await scene();
  await home.add(conversationOf(['From now on, be brief.']));
  await say('From now on, be brief.', { workDir: '/home/me/secret-project/x' });
  await say('From now on, my password is hunter2zz9.');
  expect(await look()).toEqual([]);
  close();
});

it('what was said in a message that is gone is not proposed any more', async () => {
  const { home, look, say, close } = await scene();
  const { id, messages } = await say('From now on, be brief.');
  expect(await look()).toHaveLength(1);
  await home.documents.change(id, { removed: [messages[0]?.id as Message['id']] });
  expect(await look()).toEqual([]);
  close();
});

it('words that are forgotten while they are recognised are not proposed', async () => {
  const { home, notes, look, say, during, close } = await scene();
  const { id, messages } = await say('I am allergic to nuts.');
  const [message] = messages as [Message];
  during(() =>
    home.documents.change(id, {
      rewritten: [{ ...message, parts: [{ type: 'text', text: 'I am •••.' }] }],
      takesOut: true,
    }),
  );
  expect(await look()).toEqual([]);
  expect(notes.inbox.get().proposals).toEqual([]);
  close();
});

it('switched off nothing is noticed, and nothing of that time later; switched on it may keep by itself', async () => {
  const { notes, config, look, say, close } = await scene((config) => {
    config.notes.propose = false;
  });
  await say('From now on, be brief.');
  expect(await look()).toEqual([]);
  config.set({ ...config.get(), notes: { ...config.get().notes, propose: true, accept: true } });
  await say('I am allergic to nuts.');
  expect(await look()).toEqual([]);
  expect(notes.state.get().notes.map(({ text, kind }) => [text, kind])).toEqual([
    ['I am allergic to nuts.', 'fact'],
  ]);
  close();
});
