// What the context meter says of the next send, against what is sent then.
import { expect, it } from 'vitest';
import type { MessageId } from '../../../src/domain/base/ids.ts';
import { keptChange } from '../../../src/domain/chat/kept.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import { passage } from '../chat/setup.ts';
import { contextConfig, filler, startTalks } from './talk.ts';

const { server, talk } = await startTalks();
const words = (text: string): Part[] => [{ type: 'text', text }];
const PRICE = { currency: 'USD', input: 3, output: 15 };

it('counts the passages that are announced for a first message, and their price', async () => {
  const announced = [passage('p1', 'Backups run at three.'), passage('p2', 'They land in /srv/backups.')];
  const { chat, context, idle, path } = talk({
    config: contextConfig(),
    recall: async () => ({ passages: announced }),
    context: { priceOf: () => PRICE },
  });
  const draft = words('When do the backups run at night?');
  const bare = await context.next(null, draft);
  const next = await context.next(null, draft, announced);
  expect(bare?.contextMeter.used.recall).toBe(0);
  expect(next?.contextMeter.price?.amount).toBeGreaterThan(bare?.contextMeter.price?.amount ?? 0);
  const { conversationId: id } = await chat.send({ parts: draft });
  await idle(id);
  const answer = (await path(id)).at(-1)?.id as MessageId;
  const sent = (await context.manifest(id, answer))?.tokens;
  expect(sent?.recall).toBeGreaterThan(0);
  expect(next?.contextMeter.used).toEqual(sent);
});

it('counts what a question will bring back of what is compacted', async () => {
  const { grown, say, context, path } = talk({ config: contextConfig({ window_tokens: 16_000 }) });
  const fact = 'The backup of the ledger database lands in /srv/backups/ledger every night.';
  const id = await grown(22, (at) => ({ user: words(at === 3 ? fact : filler(2 * at)) }));
  await context.compact(id);
  const question = 'What did I tell you of the parse and write timings of region 4?';
  const next = await context.next(id, words(question));
  expect((await context.next(id, []))?.contextMeter.used.returned).toBe(0);
  await say(question, id);
  const answer = (await path(id)).at(-1)?.id as MessageId;
  const sent = (await context.manifest(id, answer))?.tokens;
  expect(sent?.returned).toBeGreaterThan(0);
  expect(next?.contextMeter.used).toEqual(sent);
  expect(server.chats()).toHaveLength(1);
});

it('brings back for the same question what is marked no more, where another message is marked instead', async () => {
  const { grown, say, chat, documents, context, path, idle } = talk({
    config: contextConfig({ window_tokens: 16_000, strategy: 'sliding-window' }),
  });
  const id = await grown(22);
  await context.compact(id);
  const [marked, other] = [(await path(id))[4]?.id as MessageId, (await path(id))[12]?.id as MessageId];
  const mark = (message: MessageId, kept: boolean) =>
    documents.change(id, { meta: keptChange(message, kept) });
  const returned = async () => {
    const answer = (await path(id)).at(-1)?.id as MessageId;
    const lines = (await context.manifest(id, answer))?.lines ?? [];
    return lines.flatMap(({ form, from }) => (form === 'returned' ? [from] : []));
  };
  await mark(marked, true);
  await say('What did I tell you of the parse and write timings of region 4?', id);
  expect(await returned()).not.toContain(marked);
  await mark(marked, false);
  await mark(other, true);
  await chat.regenerate(id, (await path(id)).at(-1)?.id as MessageId);
  await idle(id);
  expect(await returned()).toContain(marked);
});
