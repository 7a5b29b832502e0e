// Devices report two branches made by accident to each person concerned, and say nothing of branches made on purpose.
import { describe, expect, it } from 'vitest';
import { type ConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { cluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice, textMessage } from './device.ts';

const { make, create, joinTo } = cluster();

const conflicts = async (device: TestDevice) =>
  (await device.sync.journal()).filter(({ kind }) => kind === 'conflict').map(({ what }) => what);
const has = (device: TestDevice, id: ConversationId, count: number) =>
  eventually(device, async () => (await device.texts(id)).length === count);

/** Two devices that can go offline, and a conversation with one message. */
async function parted() {
  const [laptop, phone] = [make('Laptop'), make('Phone')];
  await create(laptop);
  await joinTo(laptop, phone);
  const id = newConversationId();
  await laptop.say(id, 'the beginning');
  await has(phone, id, 1);
  await isSynced(phone);
  /** Keeps this device offline while `work` runs. */
  const away = async (device: TestDevice, work: () => Promise<unknown>) => {
    const config = device.config.get();
    const mode = (now: 'remote' | 'disabled') =>
      device.config.set({ ...config, sync: { ...device.config.get().sync, mode: now } });
    mode('disabled');
    await eventually(device, async () => device.status.get().state === 'disabled');
    await work();
    mode('remote');
    await isSynced(device);
  };
  return { laptop, phone, id, away };
}

/** Adds another answer to the same question, as asking again does. */
async function beside(device: TestDevice, id: ConversationId, text: string) {
  const conversation = await device.read(id);
  const head = conversation?.meta.head ?? null;
  const parent = (head && conversation?.messages.get(head)?.parentId) ?? null;
  const message = textMessage(newMessageId(), parent, text, Date.now());
  await device.change(id, { messages: [message], meta: { head: message.id } });
}

describe('a conversation that goes on in two places', () => {
  it('is listed on the device whose word the relay had first, too', async () => {
    const { laptop, phone, id, away } = await parted();
    await away(phone, async () => {
      await phone.say(id, 'written without a network');
      await laptop.say(id, 'written meanwhile');
      await isSynced(laptop);
    });
    await has(laptop, id, 3);
    await has(phone, id, 3);
    await settled(laptop, phone);
    expect(await conflicts(laptop)).toEqual(['branches']);
    expect(await conflicts(phone)).toEqual(['branches']);
  });

  it('is listed once, however much was written', async () => {
    const { laptop, phone, id, away } = await parted();
    await away(phone, async () => {
      for (const text of ['one', 'two', 'three']) await phone.say(id, text);
      for (const text of ['four', 'five']) await laptop.say(id, text);
      await isSynced(laptop);
    });
    await has(laptop, id, 6);
    await has(phone, id, 6);
    await laptop.say(id, 'and on');
    await has(phone, id, 7);
    expect(await conflicts(laptop)).toEqual(['branches']);
    expect(await conflicts(phone)).toEqual(['branches']);
  });

  it('is no conflict to a device that was not there when it happened', async () => {
    const { laptop, phone, id, away } = await parted();
    await away(phone, async () => {
      await phone.say(id, 'here');
      await laptop.say(id, 'there');
      await isSynced(laptop);
    });
    const tablet = await joinTo(laptop, make('Tablet'));
    await has(tablet, id, 3);
    expect(await conflicts(tablet)).toEqual([]);
  });
});

describe('a branch that was made knowingly', () => {
  it('is no conflict, on whatever device it was made', async () => {
    const { laptop, phone, id } = await parted();
    await laptop.say(id, 'an answer');
    await has(phone, id, 2);
    await beside(phone, id, 'another answer');
    await has(laptop, id, 3);
    await beside(laptop, id, 'a third');
    await has(phone, id, 4);
    await laptop.say(id, 'and on');
    await has(phone, id, 5);
    expect(await conflicts(laptop)).toEqual([]);
    expect(await conflicts(phone)).toEqual([]);
  });

  it('is no conflict where it travels later', async () => {
    const { laptop, phone, id, away } = await parted();
    await laptop.say(id, 'an answer');
    await has(phone, id, 2);
    await away(phone, () => beside(phone, id, 'another answer'));
    await has(laptop, id, 3);
    expect(await conflicts(laptop)).toEqual([]);
    expect(await conflicts(phone)).toEqual([]);
  });

  it('is no conflict where the other changed the title meanwhile', async () => {
    const { laptop, phone, id, away } = await parted();
    await laptop.say(id, 'an answer');
    await has(phone, id, 2);
    await away(phone, async () => {
      await beside(phone, id, 'another answer');
      await laptop.change(id, { meta: { title: 'Named meanwhile', pinned: true } });
      await isSynced(laptop);
    });
    await has(laptop, id, 3);
    await eventually(phone, async () => (await phone.read(id))?.meta.pinned);
    expect(await conflicts(laptop)).toEqual([]);
    expect(await conflicts(phone)).toEqual([]);
  });
});

describe('a memory note that was reworded in two places', () => {
  it('is there in both wordings, and listed once on each of the two', async () => {
    const { laptop, phone, away } = await parted();
    const withNotes = async <T>(
      device: TestDevice,
      work: (notes: ReturnType<typeof createNotes>) => Promise<T> | T,
    ) => {
      const notes = createNotes({ store: device.store, now: Date.now });
      await until(notes.state, ({ ready }) => ready);
      try {
        return await work(notes);
      } finally {
        notes.close();
      }
    };
    const texts = (device: TestDevice) =>
      withNotes(device, ({ state }) => state.get().notes.map(({ text }) => text));
    const { id } = await withNotes(laptop, (notes) => notes.write({ text: 'Port 90.' }));
    await eventually(phone, async () => (await texts(phone)).length === 1);
    await away(phone, async () => {
      await withNotes(phone, (notes) => notes.write({ id, text: 'Port 91.' }));
      await withNotes(laptop, (notes) => notes.write({ id, text: 'Port 92.' }));
      await isSynced(laptop);
    });
    for (const device of [laptop, phone]) {
      await eventually(device, async () => (await texts(device)).length === 2);
      expect((await texts(device)).sort()).toEqual(['Port 91.', 'Port 92.']);
      // The engine writes the journal at the end of the round that brought the messages.
      await eventually(device, async () => (await conflicts(device)).length > 0);
      expect(await conflicts(device)).toEqual(['wordings']);
    }
    const tablet = await joinTo(laptop, make('Tablet'));
    await eventually(tablet, async () => (await texts(tablet)).length === 2);
    expect(await texts(tablet)).toEqual(await texts(laptop));
    expect(await conflicts(tablet)).toEqual([]);
  });
});
