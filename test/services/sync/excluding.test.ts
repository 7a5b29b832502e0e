// Nothing of an excluded folder leaves the device: not what was on its way, what others ask
// for, or what other conversations quote.
import { describe, expect, it } from 'vitest';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import type { Message, ToolRecall } from '../../../src/domain/chat/message.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { createDocumentContents } from '../../../src/services/sync/content.ts';
import { openRecords } from '../../../src/services/sync/records.ts';
import { cluster } from './cluster.ts';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';
import { recalledFrom } from './recalled.ts';
import { createRecorder } from './recorder.ts';

const home = cluster();
const { make, create, joinTo } = home;
const FOLDER = '/home/someone/private/x';
const exclude = (device: TestDevice, folders: readonly string[]) => {
  const config = device.config.get();
  device.config.set({ ...config, privacy: { ...config.privacy, exclude_work_dirs: [...folders] } });
};
const begin = async (device: TestDevice) => {
  const id = newConversationId();
  await device.change(id, { meta: { title: 'Begun', createdAt: 1, workDir: FOLDER } });
  await device.say(id, 'first');
  await settled(device);
  return id;
};
const roomsOf = () => new Map([...home.hub.rooms].map(([name, blobs]) => [name, blobs.size]));

describe('a folder that is excluded later', () => {
  it('is not uploaded anew when the relay has lost it', async () => {
    const laptop = await create();
    const index = new Set(home.hub.rooms.keys());
    const id = await begin(laptop);
    const name = [...home.hub.rooms.keys()].find((room) => !index.has(room)) ?? '';
    exclude(laptop, ['*/private/*']);
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'localOnly');
    // Excluding leaves the relay's copy as it is.
    expect(roomsOf().get(name)).toBeGreaterThan(0);
    home.hub.setOnline(false);
    (home.hub.rooms.get(name) as Map<string, Uint8Array>).clear();
    home.hub.setOnline(true);
    await laptop.sync.syncNow({ force: true });
    await settled(laptop);
    await laptop.say(id, 'second');
    await settled(laptop);
    expect(roomsOf().get(name)).toBe(0);
    expect(laptop.status.get().localOnly).toBe(1);
    // No longer excluded, all of it goes to the relay.
    exclude(laptop, []);
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'relay');
    const phone = await home.pair(laptop);
    await eventually(phone, async () => (await phone.texts(id)).length === 2);
  });

  it('takes back what was on its way', async () => {
    const laptop = await create();
    const id = await begin(laptop);
    const before = [...home.hub.rooms.values()].reduce((sum, room) => sum + room.size, 0);
    home.hub.setOnline(false);
    await laptop.say(id, 'not for the relay');
    await eventually(laptop, async () => (await laptop.store.keyValues.keys(`sync/out/${id}`)).length > 0);
    exclude(laptop, ['*/private/*']);
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'localOnly');
    home.hub.setOnline(true);
    await settled(laptop);
    expect([...home.hub.rooms.values()].reduce((sum, room) => sum + room.size, 0)).toBe(before);
    expect(await laptop.store.keyValues.keys(`sync/out/${id}`)).toEqual([]);
    const phone = await home.pair(laptop, make('Phone'));
    await eventually(phone, async () => (await phone.texts(id)).length > 0);
    expect(await phone.texts(id)).toEqual(['first']);
  });
});

describe('what was forgotten before its folder was excluded', () => {
  it('leaves the relay once the folder is let in again', async () => {
    const laptop = await create();
    const others = new Set(home.hub.rooms.keys());
    const id = await begin(laptop);
    const room = () => [...home.hub.rooms].find(([name]) => !others.has(name))?.[1] ?? new Map();
    const slip = await laptop.say(id, 'a slip of the tongue');
    await settled(laptop);
    const said = [...room().keys()];
    expect(said.length).toBeGreaterThan(0);
    home.hub.setOnline(false);
    await laptop.change(id, { removed: [slip.id] });
    await eventually(laptop, async () => (await laptop.store.keyValues.keys(`sync/out/${id}`)).length > 0);
    exclude(laptop, ['*/private/*']);
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'localOnly');
    exclude(laptop, []);
    home.hub.setOnline(true);
    await eventually(laptop, async () => room().size > 0 && said.every((key) => !room().has(key)));
    const phone = await home.pair(laptop);
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
  });
});

describe('what quotes a conversation of an excluded folder', () => {
  const WORDS = 'nobody else shall read this';
  const card = (from: ConversationId, id: string): ToolRecall => {
    const { type: _, ...shown } = recalledFrom(from, id, { title: WORDS, passage: WORDS });
    return shown;
  };
  const recalled = (from: ConversationId, { id }: Message): Message['parts'] => [
    { type: 'text', text: 'this may be read' },
    recalledFrom(from, id, { title: WORDS, passage: WORDS }),
    {
      // Only the near misses come from it: the card is private, the text is not.
      type: 'tool-result',
      callId: 'b',
      name: 'recall',
      text: 'another passage',
      recalled: { ...card(from, id), passages: [], nearMisses: card(from, id).passages },
    },
    {
      recalled: card(from, id),
      type: 'tool-result',
      callId: 'c',
      name: 'recall',
      text: `1 passages:\n1. “t”, today, said by user (conversation ${from}, message ${id})\n   user: ${WORDS}`,
    },
  ];
  const tapped = () => {
    const tap = createRecorder(home.hub.backend);
    const laptop = make('Laptop', { backend: tap.backend, sealing: tap.sealing });
    exclude(laptop, ['*/private/*']);
    return { tap, laptop };
  };
  /** Writes an excluded conversation and one that quotes it; sync sends the newer one first. */
  const write = async (laptop: TestDevice, newest: 'quoting' | 'excluded') => {
    const ids = [newConversationId(), newConversationId()].sort();
    if (newest === 'excluded') ids.reverse();
    const [secret, open] = ids as [ConversationId, ConversationId];
    await laptop.change(secret, { meta: { title: WORDS, createdAt: 1, workDir: FOLDER } });
    await laptop.say(open, '', recalled(secret, await laptop.say(secret, WORDS)));
    return { secret, open };
  };
  const expectUnsaid = async ({ sent }: ReturnType<typeof createRecorder>, times = 1) => {
    const bodies = await sent();
    expect(bodies.filter((body) => body.includes('this may be read'))).toHaveLength(times);
    expect(bodies.filter((body) => body.includes(WORDS))).toEqual([]);
  };

  it.each(['quoting', 'excluded'] as const)(
    'goes without the passages where all of it was there before the account (newest: %s)',
    async (newest) => {
      const { tap, laptop } = tapped();
      const { open } = await write(laptop, newest);
      await create(laptop);
      await settled(laptop);
      await expectUnsaid(tap);
      expect(JSON.stringify([...((await laptop.read(open))?.messages.values() ?? [])])).toContain(WORDS);
    },
  );

  it('goes without them when another device is locked out and all of it is sent again', async () => {
    const { tap, laptop } = tapped();
    await create(laptop);
    const phone = await joinTo(laptop);
    await eventually(laptop, async () => laptop.status.get().devices.length === 2);
    await write(laptop, 'quoting');
    await settled(laptop, phone);
    const { fingerprint } = laptop.status.get().account ?? {};
    await laptop.sync.revoke(laptop.status.get().devices.find(({ here }) => !here)?.id ?? '');
    await eventually(laptop, async () => laptop.status.get().account?.fingerprint !== fingerprint);
    await settled(laptop);
    await expectUnsaid(tap, 2);
  });

  it('goes without them where the library does not list the excluded one', async () => {
    const { tap, laptop } = tapped();
    await write(laptop, 'quoting');
    await laptop.store.log.erase('library');
    await create(laptop);
    await settled(laptop);
    await expectUnsaid(tap);
  });

  it('what was said of its passages stays here as well', async () => {
    const { tap, laptop } = tapped();
    const { secret, open } = await write(laptop, 'quoting');
    const notes = createNotes({ store: laptop.store, now: Date.now });
    const verdict = { verdict: 'pinned' as const, query: null, passage: WORDS, title: WORDS };
    await notes.judge({ ...verdict, conversationId: secret, messageId: 'm' });
    await notes.judge({
      ...verdict,
      conversationId: open,
      messageId: 'n',
      passage: 'said openly',
      title: '',
    });
    await create(laptop);
    await settled(laptop);
    await expectUnsaid(tap);
    expect((await tap.sent()).filter((body) => body.includes('said openly'))).toHaveLength(1);
    const phone = await home.pair(laptop);
    const inAnotherTab = createNotes({ store: phone.store, now: Date.now });
    await eventually(phone, async () => inAnotherTab.state.get().feedback.length === 1);
    for (const { close } of [notes, inAnotherTab]) close();
  });

  it('and it stays here before anything was decided about it', async () => {
    const { laptop } = tapped();
    const { secret, open } = await write(laptop, 'quoting');
    const { log } = laptop.store;
    const records = await openRecords(laptop.store, Date.now);
    const filter = new PrivacyFilter({ config: laptop.config });
    const contents = createDocumentContents({ log, config: laptop.config, records, filter });
    expect(await contents.of(secret).snapshot()).toBeNull();
    expect(await contents.of(secret).diff(null)).toBeNull();
    expect(await contents.of(open).snapshot()).not.toBeNull();
  });
});
