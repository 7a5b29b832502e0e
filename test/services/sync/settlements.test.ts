// Two devices change the same conversation offline: each row states who wins, the same on both. And an older version of
// the app keeps what a newer one wrote.
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { asMessageId, type ConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { cluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();

interface Row {
  readonly what: string;
  /** Changes on each device while both are offline; the second is later, by both clocks. */
  readonly first: (device: TestDevice, id: ConversationId, messages: readonly string[]) => Promise<unknown>;
  readonly second: (device: TestDevice, id: ConversationId, messages: readonly string[]) => Promise<unknown>;
  /** Checks what both have afterwards. */
  readonly both: (conversation: Conversation | undefined, texts: readonly string[]) => void;
  /** Texts that lost and lie in the second device's trash. */
  readonly trash?: readonly string[];
}
const BEGUN = ['one', 'two'];
const TABLE: readonly Row[] = [
  {
    what: 'two titles: the later one',
    first: (device, id) => device.change(id, { meta: { title: 'earlier' } }),
    second: (device, id) => device.change(id, { meta: { title: 'later' } }),
    both: (conversation) => expect(conversation?.meta.title).toBe('later'),
  },
  {
    what: 'archived here, written to there: archived, and the words are in it',
    first: (device, id) => device.change(id, { meta: { archived: true } }),
    second: (device, id) => device.say(id, 'three'),
    both: (conversation, texts) => {
      expect(conversation?.meta.archived).toBe(true);
      expect(texts).toEqual(['one', 'three', 'two']);
    },
  },
  {
    what: 'pinned here, a title there: both',
    first: (device, id) => device.change(id, { meta: { pinned: true } }),
    second: (device, id) => device.change(id, { meta: { title: 'later' } }),
    both: (conversation) => expect(conversation?.meta).toMatchObject({ pinned: true, title: 'later' }),
  },
  {
    what: 'a message forgotten here, answered there: it is gone, the answer stays',
    first: (device, id, [, two = '']) => device.change(id, { removed: [asMessageId(two)] }),
    second: (device, id) => device.say(id, 'an answer'),
    both: (conversation, texts) => {
      expect(texts).toEqual(['an answer', 'one']);
      for (const { parentId } of conversation?.messages.values() ?? [])
        if (parentId !== null) expect(conversation?.messages.has(parentId)).toBe(true);
    },
  },
  {
    what: 'the same message forgotten on both: gone once',
    first: (device, id, [, two = '']) => device.change(id, { removed: [asMessageId(two)] }),
    second: (device, id, [, two = '']) => device.change(id, { removed: [asMessageId(two)] }),
    both: (_, texts) => expect(texts).toEqual(['one']),
  },
  {
    what: 'moved to the trash here, written to there: in the trash, with the words',
    first: (device, id) => device.change(id, { meta: { deletedAt: 1 } }),
    second: (device, id) => device.say(id, 'three'),
    both: (conversation, texts) => {
      expect(conversation?.meta.deletedAt).toBe(1);
      expect(texts).toEqual(['one', 'three', 'two']);
    },
  },
  {
    what: 'answered on both: two branches, side by side',
    first: (device, id) => device.say(id, 'this way'),
    second: (device, id) => device.say(id, 'that way'),
    both: (conversation, texts) => {
      expect(texts).toEqual(['one', 'that way', 'this way', 'two']);
      const said = [...(conversation?.messages.values() ?? [])];
      const tips = said.filter(({ id }) => !said.some(({ parentId }) => parentId === id));
      expect(tips).toHaveLength(2);
      expect(tips[0]?.parentId).toBe(tips[1]?.parentId);
    },
  },
  {
    what: 'forgotten everywhere here, written to there: gone, and what lost is in the trash there',
    first: (device, id) => device.sync.forget([id]),
    second: (device, id) => device.say(id, 'three'),
    both: (conversation) => expect(conversation).toBeUndefined(),
    trash: ['one', 'three', 'two'],
  },
  {
    what: 'forgotten everywhere on both: gone',
    first: (device, id) => device.sync.forget([id]),
    second: (device, id) => device.sync.forget([id]),
    both: (conversation) => expect(conversation).toBeUndefined(),
  },
];

describe('settled beforehand', () => {
  it.each(TABLE)('$what', async ({ first, second, both, trash }) => {
    const laptop = await home.create();
    const phone = await home.joinTo(laptop);
    await isSynced(phone);
    const id = newConversationId();
    await laptop.change(id, { meta: { title: 'begun', createdAt: 1 } });
    const messages: string[] = [];
    for (const text of BEGUN) messages.push((await laptop.say(id, text)).id);
    await eventually(phone, async () => (await phone.texts(id)).length === 2);
    await settled(laptop, phone);
    home.hub.setOnline(false);
    await eventually(laptop, async () => laptop.status.get().state === 'offline');
    await first(laptop, id, messages);
    await new Promise((resolve) => setTimeout(resolve, 3));
    await second(phone, id, messages);
    home.hub.setOnline(true);
    await eventually(laptop, async () => laptop.status.get().state !== 'offline');
    for (let round = 0; round < 2; round += 1) {
      await settled(laptop, phone);
      for (const device of [laptop, phone]) await device.sync.syncNow();
    }
    await settled(laptop, phone);
    both(await laptop.read(id), await laptop.texts(id));
    const there = await phone.read(id);
    if (trash) {
      expect(there?.meta.deletedAt).not.toBeNull();
      expect(await phone.texts(id)).toEqual(trash);
    } else both(there, await phone.texts(id));
    const tablet = await home.joinTo(laptop, home.make('Tablet'));
    await settled(tablet);
    both(await tablet.read(id), await tablet.texts(id));
  });
});

describe('an older version beside a newer one', () => {
  it('keeps what it does not know, and goes on with what it knows', async () => {
    const laptop = await home.create();
    const phone = await home.joinTo(laptop);
    await isSynced(phone);
    const id = newConversationId();
    await laptop.say(id, 'one');
    const documentOn = async (device: TestDevice) => {
      const there = new Y.Doc();
      for (const { bytes } of await device.store.log.read(id)) Y.applyUpdate(there, bytes);
      return there;
    };
    // A newer app may write a flag, a kind of part and a root that this version does not know.
    const doc = await documentOn(laptop);
    const before = Y.encodeStateVector(doc);
    const [first] = [...doc.getMap<unknown>('m').keys()];
    doc.transact(() => {
      doc.getMap('meta').set('mood', { bright: true });
      doc.getMap('holograms').set('a', new Uint8Array([1, 2, 3]));
      doc.getMap('m').set('newer-message', {
        id: 'newer-message',
        parentId: first,
        role: 'user',
        kind: 'message',
        createdAt: 5,
        weight: 7,
        parts: [
          { type: 'text', text: 'two' },
          { type: 'hologram', depth: 3 },
        ],
      });
    });
    await laptop.store.log.append([
      { id: newEntryId(), document: id, origin: 'user', bytes: Y.encodeStateAsUpdate(doc, before) },
    ]);
    await eventually(phone, async () => (await documentOn(phone)).getMap('m').has('newer-message'));
    await phone.say(id, 'by the older one');
    await phone.change(id, { meta: { title: 'renamed by the older one' } });
    await settled(phone, laptop);
    const tablet = await home.joinTo(phone, home.make('Tablet'));
    await eventually(tablet, async () => (await tablet.texts(id)).includes('by the older one'));
    const seen = await documentOn(tablet);
    expect(seen.getMap('meta').get('mood')).toEqual({ bright: true });
    expect(seen.getMap('holograms').get('a')).toEqual(new Uint8Array([1, 2, 3]));
    expect(seen.getMap('m').get('newer-message')).toMatchObject({
      weight: 7,
      parts: [
        { type: 'text', text: 'two' },
        { type: 'hologram', depth: 3 },
      ],
    });
    expect((await tablet.read(id))?.meta.title).toBe('renamed by the older one');
  });
});
