// Asked again in other words: the answer that was made from a source is found, the source by itself is not.
import { afterEach, expect, it } from 'vitest';
import type { Part } from '../../../src/domain/chat/message.ts';
import { conversationOf, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const SOURCE = 'Heron listens on 9090 since the move.';
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

it('the source comes along, in the place of what repeats it, and none that may not be found', async () => {
  const home = openHome({ config: { recall: { filters: { min_similarity: 0 } } }, embedding: null });
  homes.push(home);
  const source = conversationOf([SOURCE, 'Noted.'], { title: 'Move' }, NOW - 9 * DAY);
  const ledger: Part = {
    type: 'recall',
    query: 'gateway number',
    threshold: 0.75,
    passages: [
      {
        conversationId: source.id,
        messageId: source.change.messages[0]?.id ?? '',
        title: 'Move',
        createdAt: NOW - 9 * DAY,
        role: 'user',
        passage: SOURCE,
        neighbours: [],
        scores: { vector: null, keyword: null, hybrid: 1, decay: 1, final: 1 },
        tokens: 0,
      },
    ],
    nearMisses: [],
  };
  const answer: Part = { type: 'text', text: 'Heron, the gateway, listens on 9090.' };
  await home.add(
    source,
    conversationOf(
      ['Which number has the gateway?', { parts: [ledger, answer] }],
      { title: 'Asked' },
      NOW - DAY,
    ),
  );
  await home.indexed();
  const found = async () => {
    const { passages, nearMisses } = await home.recall('gateway number');
    return [...passages, ...nearMisses].map(({ passage }) => passage);
  };
  expect((await found())[0]).toBe(SOURCE);
  await home.documents.change(source.id, { meta: { deletedAt: NOW } });
  expect(await found()).not.toContain(SOURCE);
});
