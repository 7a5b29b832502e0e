// The status claims no more than the device knows, and erased conversations stay erased, even where a tab has one open.
import { describe, expect, it } from 'vitest';
import type { NewEntry, Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  type ConversationId,
  LIBRARY_DOCUMENT,
  newEntryId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import {
  createConversationDocument,
  toLibraryEntry,
} from '../../../src/services/documents/yjs-conversation.ts';
import { createLibraryDocument } from '../../../src/services/documents/yjs-library.ts';
import { deleteRecordsWrites } from '../../../src/services/sync/records.ts';
import type { SyncStatus } from '../../../src/services/sync/sync.ts';
import { problems as en } from '../../../src/ui/i18n/en/problems.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { deep } from '../../scale.ts';
import { cluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice, textMessage } from './device.ts';

const home = cluster();
const { make, create, pair } = home;
const blobs = () => [...home.hub.rooms.values()].reduce((sum, room) => sum + room.size, 0);
/** A tab that has the conversation open and goes on writing, even after it was erased. */
const openTab = async (device: TestDevice, id: ConversationId) => {
  const document = createConversationDocument(id);
  for (const { bytes } of await device.store.log.read(id)) document.apply(bytes);
  return async (text: string) => {
    const parent = [...document.read().messages.keys()].at(-1) ?? null;
    const message = textMessage(newMessageId(), parent, text, Date.now());
    const bytes = document.change({ messages: [message], meta: { head: message.id } });
    if (bytes) await device.store.log.append([{ id: newEntryId(), document: id, origin: 'user', bytes }]);
  };
};

describe('while everything is being looked at', () => {
  it('neither "synced" nor "on the relay" is claimed before it was seen there', async () => {
    const laptop = await create();
    const ids = Array.from({ length: 30 }, () => newConversationId());
    for (const id of ids) await laptop.say(id, 'kept');
    await isSynced(laptop);
    const whole = blobs();
    // Every room but the index loses its blobs, without notice to the device.
    const index = [...home.hub.rooms.entries()].sort(([, a], [, b]) => b.size - a.size)[0]?.[0];
    for (const [name, room] of home.hub.rooms) if (name !== index) (room as Map<string, Uint8Array>).clear();
    const lies: string[] = [];
    const look = (status: SyncStatus) => {
      const there = [...home.hub.rooms.values()].filter((room) => room.size > 0).length;
      if (status.state === 'synced' && there < ids.length + 1) lies.push(`synced with ${there} rooms`);
    };
    const [first = newConversationId()] = ids;
    await laptop.sync.syncNow({ force: true });
    look(laptop.status.get());
    const stop = laptop.status.subscribe(() => look(laptop.status.get()));
    expect((await laptop.sync.where(first)).place).toBe('here');
    await eventually(laptop, async () => laptop.status.get().state === 'synced', 30_000);
    stop();
    expect(lies).toEqual([]);
    expect(blobs()).toBeGreaterThanOrEqual(whole - 4);
    expect((await laptop.sync.where(first)).place).toBe('relay');
  }, 40_000);
});

describe('a device that starts while its relay is away', () => {
  it('still tells when it was last in step, and forgets it with the account', async () => {
    const { store, vault, config, ...laptop } = await create();
    const { syncedAt } = laptop.status.get();
    expect(syncedAt).toBeTypeOf('number');
    laptop.stop();
    home.hub.setOnline(false);
    const again = make('Laptop', { store, vault, config });
    await eventually(again, async () => again.status.get().state === 'offline');
    expect(again.status.get().syncedAt).toBe(syncedAt);
    await again.sync.leave({ erase: false });
    expect(await store.keyValues.get('sync/agreed')).toBeUndefined();
  });
});

describe('a relay that drops single entries', () => {
  it('is filled again, as no entry claims to hold what only others hold', async () => {
    const laptop = await create();
    const before = new Set(home.hub.rooms.keys());
    const id = newConversationId();
    for (let number = 0; number < 3; number += 1) await laptop.say(id, `message ${number}`);
    await isSynced(laptop);
    const room = [...home.hub.rooms].find(([name]) => !before.has(name))?.[1] as Map<string, Uint8Array>;
    const drop = () => {
      home.hub.setOnline(false);
      const [oldest = ''] = room.keys();
      room.delete(oldest);
      home.hub.setOnline(true);
    };
    drop();
    await laptop.sync.syncNow({ force: true });
    await isSynced(laptop);
    drop();
    const phone = await pair(laptop);
    await eventually(phone, async () => (await phone.texts(id)).length === 3);
  });
});

describe('a conversation that a tab has open', () => {
  it('leaves nothing behind when it is erased for good here, whatever the tab still appends', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const id = newConversationId();
    await laptop.say(id, 'to be forgotten');
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
    const write = await openTab(laptop, id);
    await write('still here');
    await laptop.sync.forget([id]);
    await write('an answer that came too late');
    await write('and another');
    await eventually(laptop, async () => !(await laptop.store.log.documents()).includes(id));
    await eventually(phone, async () => !(await phone.store.log.documents()).includes(id));
    await eventually(laptop, async () => !(await laptop.library()).some((line) => line.id === id));
    await isSynced(laptop);
    const tablet = await pair(laptop, make('Tablet'));
    expect(await tablet.store.log.documents()).not.toContain(id);
  });

  it('keeps in the trash what is written after another device erased it', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const id = newConversationId();
    await laptop.say(id, 'to be forgotten');
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
    const write = await openTab(phone, id);
    await laptop.sync.forget([id]);
    await eventually(phone, async () => !(await phone.store.log.documents()).includes(id));
    await write('not lost');
    await eventually(phone, async () => (await phone.read(id))?.meta.deletedAt != null);
    expect(await phone.texts(id)).toEqual(['not lost']);
    expect((await phone.sync.where(id)).place).toBe('localOnly');
    await isSynced(phone);
    expect(await laptop.store.log.documents()).not.toContain(id);
  });

  it('of an excluded folder does not leave the device by what is appended after it was erased', async () => {
    const laptop = make('Laptop');
    const config = laptop.config.get();
    laptop.config.set({
      ...config,
      privacy: { ...config.privacy, exclude_work_dirs: ['/secret'] },
    });
    await create(laptop);
    const id = newConversationId();
    await laptop.change(id, { meta: { title: 'Secret', workDir: '/secret/x', createdAt: Date.now() } });
    await laptop.say(id, 'stays here');
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'localOnly');
    const write = await openTab(laptop, id);
    await laptop.erase(id);
    await eventually(
      laptop,
      async () => (await laptop.sync.where(id)).place !== 'relay' && laptop.status.get().waiting === 0,
    );
    const before = home.hub.rooms.size;
    await write('a late word');
    await eventually(laptop, async () => !(await laptop.store.log.documents()).includes(id));
    await isSynced(laptop);
    expect(home.hub.rooms.size).toBe(before);
    expect(await laptop.store.log.documents()).toEqual([LIBRARY_DOCUMENT]);
  });

  it('lives on in a new room when it is brought back whole', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const id = newConversationId();
    await laptop.say(id, 'imported');
    const whole = await laptop.store.log.read(id);
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
    await laptop.sync.forget([id]);
    await eventually(phone, async () => !(await phone.store.log.documents()).includes(id));
    await laptop.store.log.append(
      whole.map(({ bytes }) => ({ id: newEntryId(), document: id, origin: 'import', bytes })),
    );
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
  });

  it('lives again on every device that kept late words of it in the trash, once one of them restores it', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const tablet = await pair(laptop, make('Tablet'));
    const id = newConversationId();
    await laptop.say(id, 'said by all');
    for (const device of [phone, tablet])
      await eventually(device, async () => (await device.texts(id)).length === 1);
    await settled(laptop, phone, tablet);
    const away = [laptop, phone];
    for (const device of away) device.stop();
    for (const device of away) await device.say(id, `late on ${device.name}`);
    await tablet.sync.forget([id]);
    await settled(tablet);
    const [laptopAgain, phoneAgain] = away.map(({ name, store, vault, config }) =>
      make(name, { store, vault, config }),
    ) as [TestDevice, TestDevice];
    for (const device of [laptopAgain, phoneAgain])
      await eventually(device, async () => (await device.read(id))?.meta.deletedAt != null);
    await settled(laptopAgain, phoneAgain);
    await laptopAgain.change(id, { meta: { deletedAt: null } });
    const all = ['late on Laptop', 'late on Phone', 'said by all'];
    for (const device of [laptopAgain, phoneAgain, tablet])
      await eventually(
        device,
        async () =>
          (await device.read(id))?.meta.deletedAt === null &&
          JSON.stringify((await device.texts(id)).sort()) === JSON.stringify(all),
        20_000,
      );
    await settled(laptopAgain, phoneAgain, tablet);
    for (const device of [laptopAgain, phoneAgain]) expect((await device.sync.where(id)).place).toBe('relay');
  }, 60_000);
});

describe('leaving', () => {
  it('is possible while sync is switched off, and leaves no secret', async () => {
    const laptop = await create();
    const id = newConversationId();
    await laptop.say(id, 'mine');
    await isSynced(laptop);
    const config = laptop.config.get();
    laptop.config.set({ ...config, sync: { ...config.sync, mode: 'disabled' } });
    await eventually(laptop, async () => laptop.status.get().state === 'disabled');
    await laptop.sync.leave({ erase: true });
    expect(home.hub.rooms.size).toBe(0);
    expect(await laptop.vault.names()).toEqual([]);
    expect(await laptop.store.keyValues.get('sync/account')).toBeUndefined();
    expect((await deleteRecordsWrites(laptop.store.keyValues)).length).toBeLessThanOrEqual(1);
    expect(await laptop.texts(id)).toEqual(['mine']);
  });

  it('says that there is nothing to leave where there is no account', async () => {
    await expect(make('Laptop').sync.leave()).rejects.toMatchObject({
      problem: { code: 'sync-unpaired' },
    });
  });
});

describe('revoking', () => {
  it('leaves no key of either account behind, wherever it is cut off', async () => {
    for (let fuse = 1; fuse < 12; fuse += 1) {
      const laptop = await create(make(`Laptop ${fuse}`));
      await laptop.say(newConversationId(), 'kept');
      await isSynced(laptop);
      // The process ends at the nth write of the step.
      let writes = 0;
      let armed = false;
      const cut = <T>(work: () => Promise<T>): Promise<T> => {
        if (!armed) return work();
        writes += 1;
        return writes < fuse ? work() : new Promise<T>(() => {});
      };
      laptop.stop();
      const dying = make(`Laptop ${fuse}`, {
        config: laptop.config,
        store: {
          ...laptop.store,
          log: {
            ...laptop.store.log,
            append: (entries, changes) => cut(() => laptop.store.log.append(entries, changes)),
          },
          keyValues: {
            ...laptop.store.keyValues,
            set: (key, value) => cut(() => laptop.store.keyValues.set(key, value)),
          },
        },
        vault: { ...laptop.vault, put: (name, secret) => cut(() => laptop.vault.put(name, secret)) },
      });
      await isSynced(dying);
      await dying.engine.settled();
      armed = true;
      await Promise.race([dying.sync.revoke('somebody'), new Promise((resolve) => setTimeout(resolve, 60))]);
      dying.stop();
      const back = make(`Laptop ${fuse}`, {
        config: laptop.config,
        store: laptop.store,
        vault: laptop.vault,
      });
      await isSynced(back);
      await eventually(back, async () => (await back.vault.names()).length === 1);
      await eventually(
        back,
        async () => new Set([...home.hub.rooms.keys()].map((room) => room.split('/')[0])).size === 1,
      );
      back.stop();
      for (const name of [...home.hub.rooms.keys()]) (home.hub.rooms as Map<string, unknown>).delete(name);
    }
  }, 60_000);
});

describe('a relay that finds a conversation too large', () => {
  it('is named in the log with the conversation, once, and the others go on', async () => {
    const { backend } = home.hub;
    const narrow: SyncBackend = {
      ...backend,
      open: (account, name, onChange) => {
        const room = backend.open(account, name, onChange);
        let full = false;
        return {
          get state() {
            return full ? 'refused' : room.state;
          },
          get problem() {
            return full ? new RecollectError('sync-quota', 'The room is full').problem : null;
          },
          junk: 0,
          blobs: () => (full ? new Map() : room.blobs()),
          insert: (blobs) => {
            full ||= blobs.some((blob) => blob.length > 20_000);
            if (!full) room.insert(blobs);
            onChange();
          },
          remove: room.remove,
          isConfirmed: (key) => !full && room.isConfirmed(key),
          retry: () => {
            full = false;
            onChange();
          },
          close: room.close,
        };
      },
    };
    const laptop = await create(make('Laptop', { backend: narrow }));
    const [small, large] = [newConversationId(), newConversationId()];
    // Words that deflate cannot shrink.
    const words = Array.from({ length: 9_000 }, () => Math.random().toString(36).slice(2)).join(' ');
    await laptop.say(large, words);
    await laptop.say(small, 'kept');
    await eventually(laptop, async () => (await laptop.sync.where(small)).place === 'relay');
    const refusals = async () => (await laptop.sync.journal()).filter(({ what }) => what === 'sync-quota');
    await eventually(laptop, async () => (await refusals()).length > 0);
    await laptop.sync.syncNow({ force: true });
    await eventually(laptop, async () => (await laptop.sync.where(small)).place === 'relay');
    expect((await refusals()).map(({ kind, document }) => ({ kind, document }))).toEqual([
      { kind: 'error', document: large },
    ]);
    expect((await laptop.sync.where(large)).place).toBe('here');
  }, 20_000);
});

describe('a full disk', () => {
  /** A phone whose disk is full where `isFull` says so, of these entries or of an erasure (null). */
  const joinWith = async (laptop: TestDevice, isFull: (entries: readonly NewEntry[] | null) => boolean) => {
    const store = createInMemoryStore();
    const unless = async <T>(entries: readonly NewEntry[] | null, work: () => Promise<T>): Promise<T> => {
      if (isFull(entries)) throw new RecollectError('storage-full', 'No room', { retry: true });
      return await work();
    };
    const log: typeof store.log = {
      ...store.log,
      append: (entries, writes) => unless(entries, () => store.log.append(entries, writes)),
      erase: (document) => unless(null, () => store.log.erase(document)),
    };
    return await pair(laptop, make('Phone', { store: { ...store, kind: 'persistent', log } }));
  };

  deep(
    'does not make a device forget what it was to fetch',
    async () => {
      let full: 'append' | 'erase' | null = null;
      const refused: string[] = [];
      const laptop = await create();
      const phone = await joinWith(laptop, (entries) => {
        const what = entries ? 'append' : 'erase';
        if (full === what) refused.push(what);
        return full === what;
      });
      const [old, fresh] = [newConversationId(), newConversationId()];
      await laptop.say(old, 'to be erased');
      await eventually(phone, async () => (await phone.texts(old)).length === 1);
      await isSynced(phone);
      // The phone gets both at once, the new conversation first; its disk is full for the erasure.
      full = 'append';
      await laptop.say(fresh, 'to be fetched');
      await eventually(laptop, async () => (await laptop.sync.where(fresh)).place === 'relay');
      await isSynced(laptop);
      await laptop.erase(old);
      await eventually(laptop, async () =>
        (await laptop.sync.journal()).some(({ what, document }) => what === 'forgotten' && document === old),
      );
      await isSynced(laptop);
      full = 'erase';
      await eventually(phone, async () => refused.includes('erase'), 20_000);
      full = null;
      await eventually(phone, async () => (await phone.texts(old)).length === 0, 20_000);
      await isSynced(phone);
      expect(await phone.texts(fresh)).toEqual(['to be fetched']);
    },
    60_000,
  );

  it('does not leave a line as a tab wrote it that knew less', async () => {
    let full = false;
    let refused = 0;
    const laptop = await create();
    const phone = await joinWith(laptop, (entries) => {
      const isLine = entries?.some(
        ({ document, origin }) => document === LIBRARY_DOCUMENT && origin === 'remote',
      );
      if (!full || !isLine) return false;
      refused += 1;
      return true;
    });
    const lineIs = (count: number) => async () => (await phone.library())[0]?.messageCount === count;
    const id = newConversationId();
    await laptop.say(id, 'one');
    await laptop.say(id, 'two');
    await eventually(phone, async () => (await phone.texts(id)).length === 2);
    await eventually(phone, lineIs(2));
    full = true;
    const conversation = createConversationDocument(id);
    const library = createLibraryDocument();
    for (const { bytes } of await phone.store.log.read(id)) conversation.apply(bytes);
    for (const { bytes } of await phone.store.log.read(LIBRARY_DOCUMENT)) library.apply(bytes);
    const stale = { ...toLibraryEntry(conversation.read()), messageCount: 1 };
    const written = [
      [id, conversation.change({ meta: { pinned: true } })],
      [LIBRARY_DOCUMENT, library.change([stale], [])],
    ] as const;
    await phone.store.log.append(
      written.flatMap(([document, bytes]) =>
        bytes ? [{ id: newEntryId(), document, origin: 'user' as const, bytes }] : [],
      ),
    );
    await eventually(phone, async () => refused > 0);
    full = false;
    await eventually(phone, lineIs(2), 20_000);
  }, 60_000);
});

/** A backend that records opened connections and requests to erase. */
const watched = (): { backend: SyncBackend; calls: string[] } => {
  const calls: string[] = [];
  const { backend } = home.hub;
  return {
    calls,
    backend: {
      open: (...args) => {
        calls.push('open');
        return backend.open(...args);
      },
      erase: (...args) => {
        calls.push('erase');
        return backend.erase(...args);
      },
    },
  };
};
const setMode = ({ config }: TestDevice, mode: SyncStatus['mode']) => {
  const now = config.get();
  config.set({ ...now, sync: { ...now.sync, mode } });
};

describe('a browser that keeps nothing (a private window)', () => {
  it('does not sync: no connection is opened, and a person reads why and what to do', async () => {
    const laptop = await create();
    await laptop.say(newConversationId(), 'kept');
    await settled(laptop);
    laptop.stop();
    const { backend, calls } = watched();
    const { config, vault } = laptop;
    const store = { ...laptop.store, kind: 'memory' as const };
    const here = make('Laptop', { backend, config, vault, store });
    await eventually(here, async () => here.status.get().state === 'stopped');
    expect(here.status.get().problem).toMatchObject({ code: 'storage-unavailable' });
    const fresh = make('Fresh', { backend, store: createInMemoryStore() });
    await expect(
      fresh.sync.create({ endpoint: 'wss://relay.example', deviceName: 'Fresh' }),
    ).rejects.toMatchObject({ problem: { code: 'storage-unavailable' } });
    expect(fresh.config.get().sync.mode).toBe('disabled');
    expect(await fresh.vault.names()).toEqual([]);
    expect(calls).toEqual([]);
    expect(en['storage-unavailable']).toEqual({
      what: 'The browser does not let Recollect keep anything on this device.',
      kept: 'You can look around and chat, but everything is gone when this tab closes.',
      do: 'Leave private browsing, or allow this site to store data, and reload the page.',
    });
  });
});

describe('tabs of one browser (mode "local")', () => {
  it('open no connection, also where the device belongs to an account', async () => {
    const laptop = await create();
    await settled(laptop);
    laptop.stop();
    setMode(laptop, 'local');
    const { backend, calls } = watched();
    const here = make('Laptop', { backend, config: laptop.config, vault: laptop.vault, store: laptop.store });
    const id = newConversationId();
    await here.say(id, 'stays here');
    await eventually(here, async () => here.status.get().state === 'local');
    await here.sync.syncNow().catch(() => null);
    here.engine.wake('online');
    await here.engine.settled();
    expect(await here.sync.where(id)).toEqual({ place: 'here', devices: [] });
    expect(here.status.get()).toMatchObject({ mode: 'local', state: 'local', account: null, problem: null });
    expect(calls).toEqual([]);
    // With sync on, the same backend does record connections.
    setMode(here, 'remote');
    await isSynced(here);
    expect(calls).toContain('open');
  });
});

describe('an account whose key cannot be read', () => {
  it('answers what is asked of it with the reason, and can be left', async () => {
    const store: Store = { ...createInMemoryStore(), kind: 'persistent' };
    const vault = createInMemoryVault();
    const before = await create(make('Laptop', { store, vault }));
    before.stop();
    const blind = { ...vault, get: async () => undefined };
    const laptop = make('Laptop', { store, vault: blind, config: before.config });
    await eventually(laptop, async () => laptop.status.get().problem !== null);
    const reason = { problem: { code: laptop.status.get().problem?.code } };
    await expect(laptop.sync.revoke('somebody')).rejects.toMatchObject(reason);
    expect(await laptop.sync.where(newConversationId())).toEqual({ place: 'here', devices: [] });
    await laptop.sync.leave();
    await eventually(laptop, async () => laptop.status.get().account === null);
  });
});
