// Compaction that a person decides on: a turn asks before it compacts anything, and what is
// said to a shown plan is what counts.
import { describe, expect, it } from 'vitest';
import { until } from '../../../src/domain/base/readable.ts';
import { contextConfig, filler, startTalks, words } from '../context/talk.ts';

const { server, talk } = await startTalks();
const question = [{ type: 'text' as const, text: 'What was the last region?' }];

describe('the strategy interactive', () => {
  const interactive = () => talk({ config: contextConfig({ strategy: 'interactive' }) });

  it('asks before a turn compacts by itself: nothing is compacted or sent until the plan was decided on', async () => {
    const { grown, chat, context, idle, compactions, paired } = interactive();
    const id = await grown(22);
    await chat.send({ conversationId: id, parts: question });
    await until(context.state(id), ({ pending, events }) => pending !== null || events.length > 1);
    const { pending } = context.state(id).get();
    expect(pending).toMatchObject({ blocking: true, reason: 'auto', strategy: 'interactive' });
    await until(chat.turn(id), ({ status }) => status === 'confirming');
    expect(await compactions(id)).toEqual([]);
    expect(server.chats()).toEqual([]);

    const chosen = pending?.blocks.find(({ state }) => state === 'fold');
    await context.adjust(id, { keep: chosen?.ids ?? [] });
    expect(await context.apply(id)).toMatchObject({ outcome: 'applied' });
    await idle(id);
    expect(await compactions(id)).toMatchObject([{ strategy: 'interactive', reason: 'auto', undone: false }]);
    const sent = JSON.stringify(server.chats().at(-1)?.messages);
    expect(chosen?.firstLine).toMatch(/^Step 0:/);
    expect(sent).toContain(filler(0));
    expect(sent).not.toContain(filler(2));
    expect(paired().map(({ outcome }) => outcome)).toEqual(['preview', 'applied']);
  });

  it('goes on without compaction where the person says so', async () => {
    const { grown, chat, context, idle, compactions, path } = interactive();
    const id = await grown(22);
    await chat.send({ conversationId: id, parts: question });
    await until(context.state(id), ({ pending, events }) => pending !== null || events.length > 1);
    context.cancel(id);
    await idle(id);
    expect(await compactions(id)).toEqual([]);
    expect((await path(id)).at(-1)).toMatchObject({ role: 'assistant', finish: 'stop' });
  });
});

describe('guidance for a plan that is shown', () => {
  it.each(['summary', 'interactive'])('goes to the model that words it, with %s', async (strategy) => {
    const { grown, context, compactions } = talk();
    const id = await grown(12);
    server.answer((request) =>
      words(
        JSON.stringify(request.messages).includes('keep every port number') ? 'Port 8081.' : 'A summary.',
      ),
    );
    await context.compact(id, { preview: true, strategy });
    await context.adjust(id, { guidance: ' keep every port number ' });
    expect(context.state(id).get().pending).toMatchObject({
      guidance: 'keep every port number',
      summary: expect.stringContaining('Port 8081.'),
    });
    // It stays through what is asked next.
    const block = context
      .state(id)
      .get()
      .pending?.blocks.find(({ state }) => state === 'fold');
    await context.adjust(id, { keep: block?.ids ?? [] });
    await context.apply(id);
    expect(await compactions(id)).toMatchObject([
      { strategy, reason: 'manual-with-prompt', guidance: 'keep every port number' },
    ]);
    expect(JSON.stringify(server.chats().at(-1))).toContain('keep every port number');
  });
});
