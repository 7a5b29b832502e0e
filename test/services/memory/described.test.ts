// A question that only a summary answers finds the passages that the summary was made of.
import { afterEach, expect, it } from 'vitest';
import { textOf } from '../../../src/domain/chat/message.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { conversationOf, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const open = (more: Parameters<typeof openHome>[0] = {}) => {
  const home = openHome({ config: { recall: { filters: { min_similarity: 0 } } }, ...more });
  homes.push(home);
  return home;
};
type Home = ReturnType<typeof openHome>;
const QUESTION = 'heating contractor dispute';
const SUMMARY = 'A dispute with the heating contractor.';
const boiler = () => conversationOf(['It drips again.', 'Then call him.', 'He wants 400 euros for it.']);
const others = () => [
  conversationOf(['The bread is flat.', 'More yeast.']),
  conversationOf(['My bicycle squeaks.', 'Oil the chain.']),
];
const found = async (home: Home, more: Parameters<Home['recall']>[1] = {}) => {
  await home.indexed();
  const { passages, nearMisses } = await home.recall(QUESTION, more);
  return [...passages, ...nearMisses].map(({ passage }) => passage);
};

it.each([
  ['with', undefined],
  ['without', null],
] as const)('a summary leads to the passages of its conversation, %s a model', async (_, embedding) => {
  const home = open(embedding === null ? { embedding } : {});
  const kept = boiler();
  const said = new Set(kept.change.messages.map((message) => textOf(message)));
  const foundOf = async (more?: Parameters<Home['recall']>[1]) =>
    (await found(home, more)).filter((passage) => said.has(passage));
  // More that is near than one search brings.
  const near = Array.from({ length: 60 }, (_, at) =>
    conversationOf([`Heating question ${at}.`, `Yes, ${at}.`]),
  );
  await home.add(...others(), ...near, kept);
  expect(await foundOf()).toEqual([]);
  // Written later, and nothing was said since.
  await home.documents.change(kept.id, { meta: { summary: SUMMARY } });
  expect(await foundOf()).not.toEqual([]);
  // The description is no passage itself, and does not lead to the current conversation.
  expect(await found(home)).not.toContain(SUMMARY);
  expect(await foundOf({ currentConversation: kept.id })).toEqual([]);
  await home.documents.change(kept.id, { meta: { summary: null } });
  expect(await foundOf()).toEqual([]);
});

it('reads what stands for compacted messages and the session memory, without private words', async () => {
  const home = open({ embedding: null });
  const [compacted, noted] = [boiler(), conversationOf(['Two radiators are cold.', 'Bleed them.'])];
  await home.add(...others(), compacted, noted);
  const compaction = (text: string) => ({
    id: 'made',
    at: compacted.change.messages[1]?.id as string,
    createdAt: 1,
    strategy: 'summary',
    reason: 'manual' as const,
    plan: {},
    summary: text,
    tokensBefore: 2,
    tokensAfter: 1,
    durationMs: 1,
    undone: false,
  });
  const conversations = async () => {
    await home.indexed();
    const { passages, nearMisses } = await home.recall(QUESTION);
    return new Set([...passages, ...nearMisses].map(({ conversationId }) => conversationId));
  };
  await home.documents.change(compacted.id, { compactions: { made: compaction(SUMMARY) } as never });
  expect(await conversations()).toEqual(new Set([compacted.id]));
  const line = { text: SUMMARY, by: 'model' as const };
  await home.documents.change(noted.id, {
    meta: { 'memoryFile:d': { at: 1, device: 'd', lines: [line], upTo: null } } as never,
  });
  expect(await conversations()).toEqual(new Set([compacted.id, noted.id]));
  home.config.set(
    configSchema.parse({
      recall: { filters: { min_similarity: 0 } },
      privacy: { own_words: ['contractor', 'heating'] },
    }),
  );
  home.engine().wake('now');
  expect(await conversations()).toEqual(new Set());
});

it('leaves out what is written where a message of it is left out', async () => {
  const config = (skip: boolean) => ({
    recall: { filters: { min_similarity: 0 } },
    privacy: { skip_sensitive_messages: skip, sensitive_keywords: ['euros'] },
  });
  const home = open({ embedding: null, config: config(false) });
  const kept = boiler();
  kept.change.meta.summary = SUMMARY;
  await home.add(...others(), kept);
  expect(await found(home)).not.toEqual([]);
  home.config.set(configSchema.parse(config(true)));
  expect(await found(home)).toEqual([]);
});
