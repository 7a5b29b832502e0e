// An answer that says otherwise than what is compacted, through the whole service: what it
// missed comes back with the next question.
import { expect, it } from 'vitest';
import type { MessageId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { contextConfig, filler, startTalks, words } from './talk.ts';

const { server, talk } = await startTalks();

const FACT = 'The backup of the ledger database lands in /srv/backups/ledger every night.';

it.each([44, 1100])('an answer that contradicts what is compacted: of %i messages', async (messages) => {
  const { grown, say, context, path } = talk({ config: contextConfig({ window_tokens: 16_000 }) });
  const id = await grown(messages / 2, (at) => ({
    user: [{ type: 'text', text: at === 3 ? FACT : filler(2 * at) }],
  }));
  await context.compact(id);
  const fact = (await path(id)).find((message) => textOf(message) === FACT)?.id;
  server.next(words('The backup of the ledger database is written to /var/backups/ledger.'));
  await say('Write the first line of the runbook.', id);
  const { loss } = await until(context.state(id), (state) => state.loss !== null);
  expect(loss?.losses).toMatchObject([{ why: 'contradicts', evidence: FACT, messages: [fact] }]);
  server.next(words('Here it is.'));
  await say('Go on with the second one.', id);
  const answer = (await path(id)).at(-1)?.id as MessageId;
  expect((await context.manifest(id, answer))?.lines).toContainEqual(
    expect.objectContaining({ form: 'returned', from: fact, why: 'missed' }),
  );
  expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain(FACT);
});
