// What a person did to a compaction stays done: their wording through every later one, undoing and redoing in any
// order, and the way back to places before it.
import { describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { STRATEGIES } from '../../../src/domain/context/compaction/index.ts';
import { compactionPlanSchema, withSummaryText } from '../../../src/domain/context/compaction/plan.ts';
import { contextConfig, filler, startTalks, words } from './talk.ts';

const { server, talk } = await startTalks();

const OWN = 'In my words: the harbour door opens with 4711.\n\n- and nobody tells the captain';
const SUMMARY = '<current_focus>Regions, told by a model.</current_focus>';
type Talk = ReturnType<typeof talk>;

/** What the model would read in place of compacted messages, in order. */
async function sentSummaries({ documents, context }: Talk, id: ConversationId): Promise<string[]> {
  const conversation = await documents.read(id);
  const applied = (await context.next(id, []))?.manifest.compaction;
  const made = [...(conversation?.compactions.values() ?? [])].find((one) => one.id === applied);
  const plan = compactionPlanSchema.parse(made?.plan);
  const { summaries } = typeof made?.summary === 'string' ? withSummaryText(plan, made.summary) : plan;
  return summaries.map(({ text }) => text);
}
/** More turns, as they would be said. */
async function goOn({ say }: Talk, id: ConversationId, turns: number, from: number): Promise<void> {
  for (let at = 0; at < turns; at++) await say(filler(from + at), id);
}
async function compactedAndWorded(made: Talk): Promise<{ id: ConversationId; first: string }> {
  const id = await made.grown(14);
  await made.context.compact(id);
  const first = (await made.compactions(id))[0]?.id as string;
  await made.context.rewrite(id, first, OWN);
  return { id, first };
}

describe('a summary in the person’s words', () => {
  it.each(STRATEGIES.map(({ id }) => id))(
    'stands word for word and on top after the next two compactions by %s',
    async (strategy) => {
      server.answer((request) =>
        JSON.stringify(request.messages).includes('## Message') ? words(SUMMARY) : words('Done.'),
      );
      const made = talk();
      const { id } = await compactedAndWorded(made);
      for (const round of [1, 2]) {
        await goOn(made, id, 4, 100 * round);
        const result = await made.context.compact(id, { strategy, preview: false });
        expect(result.outcome).toBe('applied');
        const summaries = (await sentSummaries(made, id)).filter((text) => !text.startsWith('- rule'));
        expect(summaries[0]).toBe(OWN);
        expect(summaries.join('\n').split(OWN)).toHaveLength(2);
      }
      await made.say('What opens the door?', id);
      expect(JSON.stringify(server.chats().at(-1))).toContain(JSON.stringify(OWN).slice(1, -1));
    },
  );

  it('stands through an automatic compaction, and what was said since is told below it', async () => {
    const made = talk();
    // The server reports no usage, which would correct the token counts.
    server.answer(() => ({ steps: [{ text: 'Noted.' }, { finish: 'stop' }] }));
    const { id } = await compactedAndWorded(made);
    await made.say('The crane of the harbour lifts exactly 73 tons, remember that figure.', id);
    for (let at = 0; (await made.compactions(id)).length < 2; at++) {
      expect(at).toBeLessThan(40);
      await made.say(filler(200 + at), id);
    }
    const summaries = await sentSummaries(made, id);
    expect(summaries[0]).toBe(OWN);
    expect(summaries.slice(1).join('\n')).toContain('73 tons');
    // The rules do not summarise again what the person's words replace.
    expect(summaries.slice(1).join('\n')).not.toContain('shard 3 ');
  });

  it('reworded again later, the newest wording alone goes on', async () => {
    const made = talk();
    const { id } = await compactedAndWorded(made);
    await goOn(made, id, 4, 100);
    await made.context.compact(id);
    const second = (await made.compactions(id)).at(-1)?.id as string;
    await made.context.rewrite(id, second, 'Only this.');
    await goOn(made, id, 4, 200);
    await made.context.compact(id);
    const summaries = await sentSummaries(made, id);
    expect(summaries[0]).toBe('Only this.');
    expect(summaries.join('\n')).not.toContain('4711');
  });
});

describe('on another device', () => {
  it('checkpoints and branches from before a compaction are reached, and the compaction is undone, all the same', async () => {
    const here = talk();
    const id = await here.grown(14);
    const before = await here.path(id);
    await here.context.checkpoint(id, 'before', before[5]?.id);
    await here.chat.edit(id, before[8]?.id as MessageId, [{ type: 'text', text: 'Another way.' }], false);
    await here.context.restore(id, before.at(-1)?.id as string);
    await here.context.compact(id);
    const made = (await here.compactions(id))[0]?.id as string;
    await here.context.rewrite(id, made, OWN);

    const there = talk();
    await there.store.log.append(
      (await here.store.log.since(0, 10_000)).map(({ id: entry, document, bytes }) => ({
        id: entry,
        document,
        bytes,
        origin: 'remote' as const,
      })),
    );
    expect(await sentSummaries(there, id)).toEqual([OWN]);
    await there.context.restore(id, 'before');
    expect((await there.path(id)).map((message) => message.id)).toEqual(
      before.slice(0, 6).map((message) => message.id),
    );
    expect((await there.context.next(id, []))?.manifest.compaction).toBeNull();
    const branch = [...((await there.documents.read(id))?.messages.values() ?? [])].find(
      (message) => textOf(message) === 'Another way.',
    );
    await there.context.restore(id, branch?.id as string);
    expect((await there.path(id)).at(-1)?.id).toBe(branch?.id);
    await there.context.restore(id, before.at(-1)?.id as string);
    await there.context.undo(id, made);
    expect((await there.context.next(id, []))?.manifest.compaction).toBeNull();
  });
});

describe('undoing', () => {
  const inForce = async ({ context }: Talk, id: ConversationId) =>
    (await context.next(id, []))?.manifest.compaction ?? null;

  it('then newer messages, then doing it again: the compaction stands, what is newer is sent whole', async () => {
    const made = talk({ config: contextConfig({ window_tokens: 40_000 }) });
    const id = await made.grown(14);
    await made.context.compact(id);
    const first = (await made.compactions(id))[0]?.id as string;
    await made.context.undo(id, first);
    await made.say('Said while it was undone.', id);
    expect(JSON.stringify(server.chats().at(-1))).toContain('shard 0 ');
    await made.context.redo(id, first);
    expect(await inForce(made, id)).toBe(first);
    await made.say('Said after.', id);
    const sent = JSON.stringify(server.chats().at(-1));
    expect(sent).toContain('Said while it was undone.');
    expect(
      server
        .chats()
        .at(-1)
        ?.messages.some(({ content }) => content === filler(0)),
    ).toBe(false);
  });

  it('reaches across a later compaction, in any order', async () => {
    const made = talk({ config: contextConfig({ window_tokens: 40_000 }) });
    const id = await made.grown(14);
    await made.context.compact(id);
    await goOn(made, id, 4, 100);
    await made.context.compact(id);
    const [first, second] = (await made.compactions(id)).map((one) => one.id) as [string, string];
    expect(await inForce(made, id)).toBe(second);
    await made.context.undo(id, first);
    expect(await inForce(made, id)).toBe(second);
    await made.context.undo(id, second);
    expect(await inForce(made, id)).toBeNull();
    await made.context.redo(id, first);
    expect(await inForce(made, id)).toBe(first);
    await made.context.redo(id, second);
    expect(await inForce(made, id)).toBe(second);
    await made.context.undo(id, second);
    expect(await inForce(made, id)).toBe(first);
  });

  it('a checkpoint and a branch from before a compaction can be gone to after it, whole', async () => {
    const made = talk();
    const id = await made.grown(14);
    const before = await made.path(id);
    await made.context.checkpoint(id, 'before', before[5]?.id);
    await made.context.compact(id);
    await goOn(made, id, 2, 100);
    const last = (await made.path(id)).at(-1)?.id as string;
    await made.context.restore(id, 'before');
    expect((await made.path(id)).map((message) => message.id)).toEqual(
      before.slice(0, 6).map((message) => message.id),
    );
    await made.say('From here again.', id);
    const sent = server.chats().at(-1)?.messages ?? [];
    expect(sent.some(({ content }) => content === filler(0))).toBe(true);
    const branch = await made.path(id);
    expect(textOf(branch[6] as never)).toBe('From here again.');
    await made.context.restore(id, last);
    expect(await inForce(made, id)).not.toBeNull();
  });
});
