// Locking a device out makes a new account with everything the old one knew; forgotten content stays forgotten.
import { describe, expect, it } from 'vitest';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { cluster } from './cluster.ts';
import { eventually, has, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();
const { make, create, joinTo } = home;

const otherOf = (device: TestDevice) => device.status.get().devices.find(({ here }) => !here)?.id ?? '';
const accounts = () => new Set([...home.hub.rooms.keys()].map((room) => room.split('/')[0]));
const roomNames = () => [...home.hub.rooms.keys()].map((room) => room.split('/')[1] ?? '');

/** A backend whose named rooms deliver nothing until the test lets them. */
const slowRooms = (names: readonly string[]) => {
  const listeners = new Set<() => void>();
  let may = false;
  const backend: SyncBackend = {
    ...home.hub.backend,
    open: (account, name, onChange) => {
      const room = home.hub.backend.open(account, name, onChange);
      const waits = () => !may && names.includes(name);
      listeners.add(onChange);
      return {
        get state() {
          return waits() && room.state === 'synced' ? 'connecting' : room.state;
        },
        problem: null,
        junk: 0,
        blobs: () => (waits() ? new Map() : room.blobs()),
        insert: room.insert,
        remove: room.remove,
        isConfirmed: room.isConfirmed,
        retry: room.retry,
        close: () => {
          listeners.delete(onChange);
          room.close();
        },
      };
    },
  };
  return {
    backend,
    open: () => {
      may = true;
      for (const listener of listeners) listener();
    },
  };
};

describe('locking out while not everything is here', () => {
  it('is refused until all of it was fetched, and nothing is lost', async () => {
    const phone = await create(make('Phone'));
    const index = roomNames();
    const ids = Array.from({ length: 6 }, () => newConversationId());
    for (const id of ids) await phone.say(id, 'kept');
    await settled(phone);
    const slow = slowRooms(roomNames().filter((name) => !index.includes(name)));
    const notebook = await joinTo(phone, make('Notebook', { backend: slow.backend }));
    phone.stop();
    await eventually(notebook, async () => notebook.status.get().fetching === ids.length);
    const { fingerprint } = notebook.status.get().account ?? {};
    await expect(notebook.sync.revoke(otherOf(notebook))).rejects.toMatchObject({
      problem: { code: 'sync-unfetched', params: { why: 'fetching', count: ids.length } },
    });
    expect(notebook.status.get().account?.fingerprint).toBe(fingerprint);
    slow.open();
    await settled(notebook);
    await notebook.sync.revoke(otherOf(notebook));
    await eventually(notebook, async () => notebook.status.get().account?.fingerprint !== fingerprint);
    await settled(notebook);
    for (const id of ids) expect(await notebook.texts(id)).toEqual(['kept']);
    await eventually(notebook, async () => accounts().size === 1);
    const tablet = await joinTo(notebook, make('Tablet'));
    for (const id of ids) await has(tablet, id, ['kept']);
  }, 30_000);

  it('goes ahead where a person decides so, and leaves the old account where it is', async () => {
    const phone = await create(make('Phone'));
    const index = roomNames();
    const id = newConversationId();
    await phone.say(id, 'kept');
    await settled(phone);
    const slow = slowRooms(roomNames().filter((name) => !index.includes(name)));
    const notebook = await joinTo(phone, make('Notebook', { backend: slow.backend }));
    await eventually(notebook, async () => notebook.status.get().fetching === 1);
    phone.stop();
    const old = roomNames();
    await notebook.sync.revoke(otherOf(notebook), { anyway: 'fetching' });
    slow.open();
    await settled(notebook);
    expect(accounts().size).toBe(2);
    for (const name of old) expect(roomNames()).toContain(name);
  });

  it('says that the relay does not answer', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop);
    await settled(laptop, phone);
    home.hub.setOnline(false);
    await eventually(laptop, async () => laptop.status.get().state === 'offline');
    await expect(laptop.sync.revoke(otherOf(laptop))).rejects.toMatchObject({
      problem: { code: 'sync-unfetched', params: { why: 'unreachable' } },
    });
  });

  it('lets the person decide about what the relay lost; the old account is erased, as nothing more is in it', async () => {
    const phone = await create(make('Phone'));
    const index = roomNames();
    const [kept, lost] = [newConversationId(), newConversationId()];
    await phone.say(kept, 'kept');
    await settled(phone);
    const known = roomNames();
    await phone.say(lost, 'lost');
    await settled(phone);
    const notebook = make('Notebook');
    const { link } = await phone.sync.pairing('https://app.example/');
    phone.stop();
    for (const name of home.hub.rooms.keys())
      if (!known.includes(name.split('/')[1] ?? '') && !index.includes(name.split('/')[1] ?? ''))
        (home.hub.rooms.get(name) as Map<string, Uint8Array>).clear();
    await notebook.sync.join(notebook.sync.readOffer(link), { deviceName: 'Notebook' });
    await has(notebook, kept, ['kept']);
    await isSynced(notebook);
    await expect(notebook.sync.revoke(otherOf(notebook))).rejects.toMatchObject({
      problem: { code: 'sync-unfetched', params: { why: 'lacking', count: 1 } },
    });
    await notebook.sync.revoke(otherOf(notebook), { anyway: 'lacking' });
    await eventually(notebook, async () => accounts().size === 1);
    expect(await notebook.texts(kept)).toEqual(['kept']);
  });

  it.each([
    [
      'what was being fetched when the person was asked, and is lacking now: the old account stays',
      'fetching',
      2,
    ],
    ['what was unreachable then: the old account stays', 'unreachable', 2],
    ['what is lacking, as the person was told: nothing more is in it', 'lacking', 1],
  ] as const)('does what the person agreed to with %s', async (_, anyway, left) => {
    const phone = await create(make('Phone'));
    const index = roomNames();
    await phone.say(newConversationId(), 'lost');
    await settled(phone);
    const notebook = make('Notebook');
    const { link } = await phone.sync.pairing('https://app.example/');
    phone.stop();
    for (const [name, room] of home.hub.rooms)
      if (!index.includes(name.split('/')[1] ?? '')) (room as Map<string, Uint8Array>).clear();
    await notebook.sync.join(notebook.sync.readOffer(link), { deviceName: 'Notebook' });
    await isSynced(notebook);
    await expect(notebook.sync.revoke(otherOf(notebook))).rejects.toMatchObject({
      problem: { code: 'sync-unfetched', params: { why: 'lacking' } },
    });
    const { fingerprint } = notebook.status.get().account ?? {};
    await notebook.sync.revoke(otherOf(notebook), { anyway });
    await eventually(notebook, async () => notebook.status.get().account?.fingerprint !== fingerprint);
    await notebook.say(newConversationId(), 'new');
    await settled(notebook);
    await eventually(notebook, async () => accounts().size === left);
  });

  it('asks again where the person was told that something is lacking, and it may be there after all', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop);
    await settled(laptop, phone);
    home.hub.setOnline(false);
    await eventually(laptop, async () => laptop.status.get().state === 'offline');
    await expect(laptop.sync.revoke(otherOf(laptop), { anyway: 'lacking' })).rejects.toMatchObject({
      problem: { code: 'sync-unfetched', params: { why: 'unreachable' } },
    });
  });
});

describe('what was forgotten everywhere before a device was locked out', () => {
  it('does not come back with a device that was offline then: it lies in the trash there', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop);
    const tablet = await joinTo(laptop, make('Tablet'));
    const [gone, stays] = [newConversationId(), newConversationId()];
    await laptop.say(gone, 'to be forgotten');
    await laptop.say(stays, 'stays');
    for (const device of [phone, tablet])
      for (const id of [gone, stays])
        await eventually(device, async () => (await device.texts(id)).length === 1);
    await settled(laptop, phone, tablet);
    tablet.stop();
    await laptop.sync.forget([gone]);
    await eventually(phone, async () => (await phone.texts(gone)).length === 0);
    await settled(laptop, phone);
    await laptop.sync.revoke(otherOf(laptop));
    await settled(laptop);
    await eventually(laptop, async () => accounts().size === 1);
    const back = make('Tablet', { store: tablet.store, vault: tablet.vault });
    await joinTo(laptop, back);
    await settled(back);
    await joinTo(laptop, phone);
    await settled(laptop, phone, back);
    const notebook = await joinTo(laptop, make('Notebook'));
    await settled(notebook);
    for (const device of [laptop, phone, notebook]) {
      expect(await device.texts(gone)).toEqual([]);
      expect(await device.texts(stays)).toEqual(['stays']);
    }
    expect((await back.read(gone))?.meta.deletedAt).not.toBeNull();
    expect(await back.texts(stays)).toEqual(['stays']);
  }, 60_000);
});
