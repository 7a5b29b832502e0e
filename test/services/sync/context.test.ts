// What a model sees of a conversation is the same on every device: compactions and their undoing,
// checkpoints, and branches with their letters.
import { describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { dmailsFrom } from '../../../src/domain/chat/dmail.ts';
import { type CompactionPlan, summaryTextOf } from '../../../src/domain/context/compaction/plan.ts';
import { filler, startTalks } from '../context/talk.ts';
import { cluster } from './cluster.ts';
import { eventually, type TestDevice } from './device.ts';

const home = cluster();
const { server, talk } = await startTalks();

/** Two devices of one account, each with the app's own services over its log. */
async function both() {
  const laptop = await home.create();
  const phone = await home.pair(laptop);
  const place = (device: TestDevice) => {
    const scene = talk({ store: device.store });
    return {
      ...scene,
      /** Waits until this is true on the device. */
      sees: (so: () => Promise<boolean>) => eventually(device, so, 20_000),
      /** The compaction that the next request uses. */
      seenThrough: async (id: ConversationId) =>
        (await scene.context.next(id, []))?.manifest.compaction ?? null,
      ids: async (id: ConversationId) => (await scene.path(id)).map((message) => message.id),
    };
  };
  return { laptop: place(laptop), phone: place(phone) };
}

describe('across devices', () => {
  it('a compaction made on one is what the other sends, and is undone and made again from there', async () => {
    const { laptop, phone } = await both();
    const id = await laptop.grown(22);
    await laptop.say('What was the last region?', id);
    const [made] = await laptop.compactions(id);
    expect(made).toMatchObject({ reason: 'auto', undone: false });
    await phone.sees(
      async () => (await phone.seenThrough(id)) === made?.id && (await phone.ids(id)).length === 46,
    );
    expect(await phone.compactions(id)).toEqual([made]);

    await phone.say('And the one before?', id);
    const sent = JSON.stringify(
      server
        .chats()
        .at(-1)
        ?.messages.map(({ content }) => content),
    );
    const summary = summaryTextOf(made?.plan as unknown as CompactionPlan);
    expect(summary.length).toBeGreaterThan(100);
    expect(sent).toContain(JSON.stringify(summary.split('\n').at(-1)).slice(1, -1));
    expect(sent).not.toContain(filler(0));

    await phone.context.undo(id, made?.id as string);
    await laptop.sees(async () => (await laptop.seenThrough(id)) === null);
    expect(await laptop.compactions(id)).toMatchObject([{ id: made?.id, undone: true }]);
    expect((await laptop.path(id)).length).toBe(48);
    await laptop.context.redo(id, made?.id as string);
    await phone.sees(async () => (await phone.seenThrough(id)) === made?.id);
  });

  it('a checkpoint of before a compaction is gone back to on the other device; the way back is there as well', async () => {
    const { laptop, phone } = await both();
    const id = await laptop.grown(12);
    const before = await laptop.ids(id);
    await laptop.context.checkpoint(id, 'early', before[3]);
    expect(await laptop.context.compact(id)).toMatchObject({ outcome: 'applied' });
    const [made] = await laptop.compactions(id);
    await phone.sees(async () => (await phone.seenThrough(id)) === made?.id);
    expect(await phone.context.checkpoints(id)).toContainEqual(
      expect.objectContaining({ name: 'early', messageId: before[3], here: true }),
    );

    const gone = await phone.context.restore(id, 'early');
    expect(await phone.ids(id)).toEqual(before.slice(0, 4));
    // The phone has no compaction and sends everything as it is.
    expect(await phone.seenThrough(id)).toBeNull();
    await laptop.sees(async () => (await laptop.ids(id)).length === 4);
    expect(await laptop.seenThrough(id)).toBeNull();
    await gone.undo();
    await laptop.sees(async () => (await laptop.ids(id)).length === before.length);
    expect(await laptop.seenThrough(id)).toBe(made?.id);
  });

  it('a branch made by a D-Mail is seen on the other device, with its links, and the one that was left', async () => {
    const { laptop, phone } = await both();
    const id = await laptop.say('one');
    await laptop.say('two', id);
    const left = await laptop.ids(id);
    const sent = await laptop.chat.sendBack(id, {
      type: 'note',
      message: left[1] as MessageId,
      parts: [{ type: 'text', text: 'two leads nowhere' }],
      replay: 'answer',
    });
    await laptop.idle(id);
    const now = await laptop.ids(id);
    await phone.sees(async () => (await phone.ids(id)).join() === now.join());
    expect(now.slice(0, 3)).toEqual([left[0], left[1], sent.messageId]);
    const conversation = await phone.documents.read(id);
    if (!conversation) throw new Error('not there');
    expect(conversation.messages.get(sent.messageId)?.dmail).toEqual({
      from: left[3],
      checkpoint: left[1],
      by: 'person',
    });
    expect(dmailsFrom(conversation).get(left[3] as MessageId)).toMatchObject([
      { mail: { id: sent.messageId } },
    ]);

    await phone.documents.change(id, { meta: { head: left[3] as MessageId } });
    expect(await phone.ids(id)).toEqual(left);
    await laptop.sees(async () => (await laptop.ids(id)).join() === left.join());
  });
});
