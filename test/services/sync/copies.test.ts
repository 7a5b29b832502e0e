// A device that exists twice, one restored from a backup, and one with a damaged log entry: their content is whole on
// the relay and here, excluded content stays here, and no device repeats itself endlessly.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { type ConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import type { ConversationChange } from '../../../src/services/documents/documents.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { relayCluster } from './cluster.ts';
import {
  copyOfStore,
  eventually,
  has,
  isSynced,
  newConversationId,
  settled,
  type TestDevice,
} from './device.ts';

const home = relayCluster();
const { make, create, joinTo } = home;
/** A copy of the store with the document's entry at this place (from 0) damaged. */
const damage = async (store: Store, id: ConversationId, place: number): Promise<Store> => {
  const bad = (await store.log.read(id))[place]?.id;
  const asRead = <T extends { id: string; bytes: Uint8Array }>(entries: readonly T[]): T[] =>
    entries.map((entry) => (entry.id === bad ? { ...entry, bytes: new Uint8Array() } : entry));
  const log: Store['log'] = {
    ...store.log,
    read: async (...of) => asRead(await store.log.read(...of)),
    since: async (...of) => asRead(await store.log.since(...of)),
  };
  return { ...store, log };
};
/** Passes everything through, and counts outgoing blobs and their rooms. */
const counting = (backend: SyncBackend) => {
  const sent: string[] = [];
  const counted: SyncBackend = {
    ...backend,
    open: (account, name, onChange) => {
      const room = backend.open(account, name, onChange);
      const insert = room.insert;
      return Object.create(room, {
        insert: {
          value: (blobs: readonly Uint8Array[]) => {
            sent.push(...blobs.map(() => name));
            insert(blobs);
          },
        },
      });
    },
  };
  return { backend: counted, sent };
};
/** Appends only the change to the log, made on what can be read of the conversation. */
const append = async ({ store }: TestDevice, id: ConversationId, change: ConversationChange) => {
  const document = createConversationDocument(id);
  for (const { bytes } of await store.log.read(id)) if (bytes.length > 0) document.apply(bytes);
  const update = document.change(change);
  if (update) await store.log.append([{ id: newEntryId(), document: id, origin: 'user', bytes: update }]);
};
const parts = () => ({ vault: createInMemoryVault(), config: writable(defaultConfig) });

describe('a device that is there twice, as a profile that was copied', () => {
  it('says a change once, and a change on both a few times, not without end', async () => {
    const { backend, sent } = counting(home.relay.backend);
    const own = { ...parts(), backend };
    const laptop = await create(make('Laptop', own));
    const id = newConversationId();
    await laptop.say(id, 'one');
    await settled(laptop);
    const twin = make('Laptop', { ...own, store: await copyOfStore(laptop.store) });
    await settled(laptop, twin);
    const inRooms = () => sent.length;
    const before = inRooms();
    await laptop.say(id, 'two');
    await has(twin, id, ['one', 'two']);
    await settled(laptop, twin, laptop, twin);
    expect(inRooms() - before).toBeLessThan(10);
    await Promise.all([laptop.say(id, 'three'), twin.say(id, 'another three')]);
    for (const device of [laptop, twin]) await has(device, id, ['one', 'two', 'three', 'another three']);
    await settled(laptop, twin, laptop, twin);
    expect(inRooms() - before).toBeLessThan(40);
    expect((await twin.store.log.read(id)).length).toBeLessThan(15);
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, id, ['one', 'two', 'three', 'another three']);
  }, 60_000);
});

describe('a device with a damaged entry', () => {
  const folder = '/home/someone/secret-project/plans';

  it('keeps back what an excluded folder keeps back, though the entry that names the folder is the damaged one', async () => {
    const own = {
      vault: createInMemoryVault(),
      config: writable({
        ...defaultConfig,
        privacy: { ...defaultConfig.privacy, exclude_work_dirs: ['**/secret-project/**'] },
      }),
    };
    const first = make('Laptop', own);
    const [known, unknown, open] = [newConversationId(), newConversationId(), newConversationId()];
    const begin = async (id: ConversationId) => {
      await first.change(id, { meta: { title: 'secret', workDir: folder, createdAt: 1 } });
      await first.say(id, 'nobody else shall read this');
    };
    await begin(known);
    await create(first);
    await settled(first);
    expect((await first.sync.where(known)).place).toBe('localOnly');
    first.stop();
    // Written while sync was off, so that sync first reads it with the damage in it.
    await begin(unknown);
    const damaged = await damage(await damage(first.store, known, 0), unknown, 0);
    const laptop = make('Laptop', { ...own, store: damaged });
    expect((await laptop.read(known))?.meta.workDir).toBeNull();
    await settled(laptop);
    // Changed rules make sync look at all conversations again.
    own.config.set({
      ...own.config.get(),
      privacy: {
        ...own.config.get().privacy,
        exclude_work_dirs: ['**/secret-project/**', '**/elsewhere/**'],
      },
    });
    await laptop.say(open, 'this may be read');
    await settled(laptop);
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, open, ['this may be read']);
    // As an import writes it, which cannot read the folder and gives the library none.
    await append(laptop, known, { meta: { title: 'still secret' } });
    await append(laptop, unknown, { meta: { title: 'still secret' } });
    await settled(laptop, phone);
    for (const id of [known, unknown]) {
      expect((await laptop.sync.where(id)).place).toBe('localOnly');
      expect(await phone.store.log.documents()).not.toContain(id);
    }
  }, 60_000);

  it('is mended from the relay before it puts one whole in the place of all that lies there', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const id = newConversationId();
    const slip = await first.say(id, 'a slip');
    for (const text of ['one', 'two', 'three']) await first.say(id, text);
    await settled(first);
    first.stop();
    const laptop = make('Laptop', { ...own, store: await damage(first.store, id, 2) });
    expect(await laptop.texts(id)).not.toContain('two');
    // Forgetting replaces the whole room on the relay by one snapshot.
    await append(laptop, id, { removed: [slip.id] });
    await settled(laptop);
    expect((await laptop.sync.journal()).some(({ what }) => what === 'folded')).toBe(true);
    await has(laptop, id, ['one', 'two', 'three']);
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, id, ['one', 'two', 'three']);
  }, 60_000);
});

describe('a device that was put back and used no number twice', () => {
  it('goes on where its numbers end, and replaces nothing', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const id = newConversationId();
    await first.say(id, 'one');
    await settled(first);
    const phone = await joinTo(first, make('Phone'));
    await has(phone, id, ['one']);
    await settled(first, phone);
    const backup = await copyOfStore(first.store);
    for (const text of ['two', 'three']) {
      await first.say(id, text);
      await settled(first);
    }
    await has(phone, id, ['one', 'two', 'three']);
    await settled(first, phone);
    first.stop();
    const { backend, sent } = counting(home.relay.backend);
    const laptop = make('Laptop', { ...own, backend, store: backup });
    await has(laptop, id, ['one', 'two', 'three']);
    await settled(laptop);
    expect((await laptop.sync.journal()).filter(({ what }) => what === 'folded')).toEqual([]);
    const before = sent.length;
    await laptop.say(id, 'four');
    await settled(laptop);
    expect(sent.length - before).toBeLessThan(8);
    await has(phone, id, ['one', 'two', 'three', 'four']);
  }, 60_000);
});

describe('a device that was put back and is alone on its account', () => {
  /** Fails where the device says that it is in step before it has everything. */
  const holdsWhenSynced = async (device: TestDevice, all: ReadonlyMap<ConversationId, readonly string[]>) => {
    await isSynced(device, 20_000);
    for (const [id, texts] of all) {
      expect(await device.texts(id)).toEqual([...texts].sort());
      expect((await device.sync.where(id)).place).toBe('relay');
    }
  };

  it('brings back what it had put on the relay since, and only then says that it is in step', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const [more, same, fresh, gone] = Array.from({ length: 4 }, newConversationId) as [
      ConversationId,
      ConversationId,
      ConversationId,
      ConversationId,
    ];
    for (const id of [more, same, gone]) await first.say(id, 'one');
    await settled(first);
    const backup = await copyOfStore(first.store);
    for (const text of ['two', 'three']) {
      await first.say(more, text);
      await settled(first);
    }
    await first.say(fresh, 'a new one');
    await first.sync.forget([gone]);
    await settled(first);
    first.stop();
    const laptop = make('Laptop', { ...own, store: backup });
    const all = new Map([
      [more, ['one', 'two', 'three']],
      [same, ['one']],
      [fresh, ['a new one']],
    ]);
    await holdsWhenSynced(laptop, all);
    expect(await laptop.texts(gone)).toEqual([]);
    expect(
      (await laptop.sync.journal()).filter(({ what }) => what === 'folded' || what === 'healed'),
    ).toEqual([]);
    await laptop.say(more, 'four');
    await settled(laptop);
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, more, ['one', 'two', 'three', 'four']);
  }, 60_000);

  it('brings it back also where the device ended before it could tell of it', async () => {
    const own = parts();
    let index = '';
    let mute = false;
    const backend: SyncBackend = {
      ...home.relay.backend,
      open: (account, name, onChange) => {
        index ||= name;
        const room = home.relay.backend.open(account, name, onChange);
        const insert = (blobs: readonly Uint8Array[]) => {
          if (!mute || name !== index) room.insert(blobs);
        };
        return Object.create(room, { insert: { value: insert } });
      },
    };
    const first = await create(make('Laptop', { ...own, backend }));
    const [known, unknown] = [newConversationId(), newConversationId()];
    for (const id of [known, unknown]) await first.say(id, 'one');
    await settled(first);
    const backup = await copyOfStore(first.store);
    await first.say(known, 'two');
    await settled(first);
    mute = true;
    await first.say(unknown, 'another two');
    await eventually(first, async () => (await first.sync.where(unknown)).place === 'relay');
    first.stop();
    const laptop = make('Laptop', { ...own, store: backup });
    await holdsWhenSynced(
      laptop,
      new Map([
        [known, ['one', 'two']],
        [unknown, ['one', 'another two']],
      ]),
    );
  }, 60_000);

  it('brings it back after it was ended in the middle of it', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const ids = Array.from({ length: 30 }, newConversationId);
    for (const id of ids) await first.say(id, 'one');
    await settled(first);
    const backup = await copyOfStore(first.store);
    for (const id of ids) await first.say(id, 'two');
    await settled(first);
    first.stop();
    let laptop = make('Laptop', { ...own, store: backup });
    await eventually(laptop, async () => {
      const here = await Promise.all(ids.map((id) => laptop.texts(id)));
      return here.some((texts) => texts.length === 2);
    });
    laptop.stop();
    expect((await Promise.all(ids.map((id) => laptop.texts(id)))).some((texts) => texts.length === 1)).toBe(
      true,
    );
    laptop = make('Laptop', { ...own, store: backup });
    await holdsWhenSynced(laptop, new Map(ids.map((id) => [id, ['one', 'two']])));
  }, 60_000);

  it('keeps what it says before it hears anything of it, and has both', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const [id, other] = [newConversationId(), newConversationId()];
    for (const one of [id, other]) await first.say(one, 'one');
    await settled(first);
    const backup = await copyOfStore(first.store);
    await first.say(id, 'two');
    await first.say(other, 'two');
    await settled(first);
    first.stop();
    await home.relay.setOnline(false);
    const laptop = make('Laptop', { ...own, store: backup });
    await laptop.say(id, 'another two');
    await laptop.engine.settled();
    await home.relay.setOnline(true);
    laptop.engine.wake('online');
    await holdsWhenSynced(
      laptop,
      new Map([
        [id, ['one', 'two', 'another two']],
        [other, ['one', 'two']],
      ]),
    );
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, id, ['one', 'two', 'another two']);
    await has(phone, other, ['one', 'two']);
  }, 60_000);

  it('fills a relay that was emptied meanwhile with what it has', async () => {
    const own = parts();
    const first = await create(make('Laptop', own));
    const id = newConversationId();
    await first.say(id, 'one');
    await settled(first);
    const backup = await copyOfStore(first.store);
    await first.say(id, 'two');
    await settled(first);
    first.stop();
    await home.relay.erase();
    const laptop = make('Laptop', { ...own, store: backup });
    await holdsWhenSynced(laptop, new Map([[id, ['one']]]));
    const phone = await joinTo(laptop, make('Phone'));
    await has(phone, id, ['one']);
  }, 60_000);
});
