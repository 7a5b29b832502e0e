// Days on which much goes wrong at once: a laptop restored from a backup, a relay emptied during a first sync, devices
// locked out while they write, and messages written into conversations that another device forgets everywhere.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { deep } from '../../scale.ts';
import { relayCluster } from './cluster.ts';
import { copyOfStore, eventually, has, newConversationId, settled, type TestDevice } from './device.ts';

const home = relayCluster();
const { make, create, joinTo } = home;
describe('a device that was put back from a backup', () => {
  it('loses nothing that it wrote before and after, on any device, though it counts its changes twice', async () => {
    const laptop = await create();
    const parts = { vault: createInMemoryVault(), config: writable(defaultConfig) };
    let phone = await joinTo(laptop, make('Phone', parts));
    const id = newConversationId();
    await phone.say(id, 'one');
    await has(laptop, id, ['one']);
    await settled(laptop, phone);
    const backup = await copyOfStore(phone.store);
    await phone.say(id, 'two');
    await phone.engine.settled();
    await phone.say(id, 'three');
    await has(laptop, id, ['one', 'two', 'three']);
    await settled(laptop, phone);
    phone.stop();
    // The person restores the laptop and writes before it is online again.
    await home.relay.setOnline(false);
    phone = make('Phone', { ...parts, store: backup });
    await phone.say(id, 'another two');
    await phone.engine.settled();
    // The laptop's room is closed in the meantime, as after a while.
    const laptopParts = { store: laptop.store, vault: laptop.vault, config: laptop.config };
    laptop.stop();
    await home.relay.setOnline(true);
    await has(phone, id, ['one', 'two', 'three', 'another two']);
    await settled(phone);
    const again = make('Laptop', laptopParts);
    await has(again, id, ['one', 'two', 'three', 'another two']);
  }, 60_000);
});

describe('a relay that is emptied', () => {
  deep(
    'in the middle of a first sync is filled again, and the newcomer gets all of it',
    async () => {
      // A device that was offline when the others saw the loss finds it at its next look.
      const config = () =>
        writable({ ...defaultConfig, sync: { ...defaultConfig.sync, auto_sync_interval: 15 } });
      const laptop = await create(make('Laptop', { config: config() }));
      const ids = Array.from({ length: 60 }, () => newConversationId());
      for (const id of ids) await laptop.say(id, `kept in ${id}`);
      await settled(laptop);
      const phone = await joinTo(laptop, make('Phone', { config: config() }));
      const fetched = async () => {
        const there = new Set<string>(await phone.store.log.documents());
        return ids.filter((id) => there.has(id)).length;
      };
      await eventually(phone, async () => (await fetched()) >= 5);
      await home.relay.erase();
      expect(await fetched()).toBeLessThan(ids.length);
      await eventually(phone, async () => (await fetched()) === ids.length, 30_000);
      const tablet = make('Tablet');
      await settled(laptop, phone);
      await joinTo(phone, tablet);
      for (const id of ids) await has(tablet, id, [`kept in ${id}`]);
    },
    90_000,
  );
});

describe('clocks that are hours apart', () => {
  it('change neither what is there nor who had the last word', async () => {
    const hours = 3_600_000;
    const laptop = await create(make('Laptop', { now: () => Date.now() + 9 * hours }));
    const phone = await joinTo(laptop, make('Phone', { now: () => Date.now() - 7 * hours }));
    const [talk, other] = [newConversationId(), newConversationId()];
    await laptop.change(talk, { meta: { title: 'By the laptop, late', createdAt: 1 } });
    await laptop.say(talk, 'from the future');
    await phone.say(other, 'from the past');
    await has(phone, talk, ['from the future']);
    await has(laptop, other, ['from the past']);
    await settled(laptop, phone);
    // The device whose clock is behind wins, because it had seen the other's title.
    await phone.change(talk, { meta: { title: 'By the phone' } });
    await eventually(laptop, async () => (await laptop.read(talk))?.meta.title === 'By the phone');
    // Each device erases a conversation, one with a fast clock and one with a slow one: both stay gone.
    await phone.sync.forget([talk]);
    await laptop.sync.forget([other]);
    await eventually(laptop, async () => (await laptop.texts(talk)).length === 0);
    await eventually(phone, async () => (await phone.texts(other)).length === 0);
    await settled(laptop, phone);
    const tablet = await joinTo(phone, make('Tablet'));
    await settled(tablet);
    // A line that came with a late word goes when that is looked at.
    for (const device of [laptop, phone, tablet])
      await eventually(device, async () => (await device.library()).length === 0);
  }, 60_000);
});

describe('a device that is locked out', () => {
  it('while it is offline and writes, keeps what it wrote, says that it stopped, and brings it along when it is paired again', async () => {
    const laptop = await create();
    const parts = {
      store: { ...createInMemoryStore(), kind: 'persistent' } as Store,
      vault: createInMemoryVault(),
    };
    let phone = await joinTo(laptop, make('Phone', { ...parts, config: writable(defaultConfig) }));
    const id = newConversationId();
    await laptop.say(id, 'both have this');
    await has(phone, id, ['both have this']);
    await settled(laptop, phone);
    const config = phone.config.get();
    phone.stop();
    await eventually(laptop, async () => laptop.status.get().devices.length === 2);
    await laptop.sync.revoke(laptop.status.get().devices.find(({ here }) => !here)?.id ?? '');
    await laptop.say(id, 'not for the phone');
    await settled(laptop);
    // The old account is gone from the relay.
    await eventually(
      laptop,
      async () => (await laptop.store.keyValues.keys('sync/erase/')).length === 0,
      20_000,
    );
    phone = make('Phone', { ...parts, config: writable(config) });
    await phone.say(id, 'written in the train');
    await eventually(phone, async () => phone.status.get().state === 'stopped');
    expect(phone.status.get().problem?.code).toBe('sync-deleted');
    expect(await phone.texts(id)).toEqual(['both have this', 'written in the train']);
    expect(await laptop.texts(id)).toEqual(['both have this', 'not for the phone']);
    await joinTo(laptop, phone);
    const all = ['both have this', 'not for the phone', 'written in the train'];
    await has(phone, id, all);
    await has(laptop, id, all);
  }, 60_000);

  it('by a device that it locks out at the same time: each goes on by itself, and nothing is lost', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop, make('Phone'));
    const id = newConversationId();
    await laptop.say(id, 'both have this');
    await has(phone, id, ['both have this']);
    await settled(laptop, phone);
    await eventually(laptop, async () => laptop.status.get().devices.length === 2);
    const other = (device: TestDevice) => device.status.get().devices.find(({ here }) => !here)?.id ?? '';
    await Promise.all([laptop.sync.revoke(other(laptop)), phone.sync.revoke(other(phone))]);
    await laptop.say(id, 'by the laptop');
    await phone.say(id, 'by the phone');
    await settled(laptop, phone);
    expect(laptop.status.get().account?.fingerprint).not.toBe(phone.status.get().account?.fingerprint);
    expect(await laptop.texts(id)).toEqual(['both have this', 'by the laptop']);
    expect(await phone.texts(id)).toEqual(['both have this', 'by the phone']);
    await joinTo(laptop, phone);
    await has(laptop, id, ['both have this', 'by the laptop', 'by the phone']);
    await has(phone, id, ['both have this', 'by the laptop', 'by the phone']);
  }, 60_000);
});

describe('what is forgotten everywhere', () => {
  it('while another device writes into it, goes to the trash there, and stays gone for everybody else', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop, make('Phone'));
    const id = newConversationId();
    await laptop.say(id, 'one');
    await has(phone, id, ['one']);
    await settled(laptop, phone);
    const forgetting = laptop.sync.forget([id]);
    // Writes during the forgetting: each message may come before or after the record.
    for (let number = 0; number < 12; number += 1) {
      if ((await phone.read(id))?.meta.deletedAt != null) break;
      await phone.say(id, `meanwhile ${number}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await forgetting;
    await eventually(phone, async () => {
      const here = await phone.read(id);
      return here === undefined || here.meta.deletedAt !== null;
    });
    await settled(laptop, phone);
    const tablet = await joinTo(laptop, make('Tablet'));
    await settled(tablet);
    expect(await tablet.texts(id)).toEqual([]);
    // A line that came with a late word goes when that is looked at.
    await eventually(laptop, async () => (await laptop.library()).every((line) => line.id !== id));
    const kept = await phone.read(id);
    if (kept) expect(kept.meta.deletedAt).not.toBeNull();
  }, 60_000);

  it('stays forgotten when the relay is put back from a backup that still has it', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop, make('Phone'));
    const [id, stays] = [newConversationId(), newConversationId()];
    await laptop.say(id, 'to be forgotten');
    await laptop.say(stays, 'kept');
    await has(phone, id, ['to be forgotten']);
    await has(phone, stays, ['kept']);
    await settled(laptop, phone);
    const backup = await home.relay.backup();
    await laptop.sync.forget([id]);
    await eventually(phone, async () => (await phone.texts(id)).length === 0);
    await settled(laptop, phone);
    await home.relay.restore(backup);
    await eventually(laptop, async () => laptop.status.get().state !== 'synced');
    await settled(laptop, phone);
    for (const device of [laptop, phone]) await device.sync.syncNow({ force: true });
    await settled(laptop, phone);
    const tablet = await joinTo(phone, make('Tablet'));
    await has(tablet, stays, ['kept']);
    await settled(tablet);
    for (const device of [laptop, phone, tablet]) expect(await device.texts(id)).toEqual([]);
  }, 60_000);
});

describe('a relay that has no more room', () => {
  const limits: Record<string, string> = { RELAY_MAX_ACCOUNT: '60000' };
  const narrow = relayCluster(limits);
  it('is named, keeps nobody from going on, and gets everything once it has room again', async () => {
    const laptop = await narrow.create();
    const phone = await narrow.joinTo(laptop, narrow.make('Phone'));
    // Letters only: random characters would by chance look like a secret, which the filter keeps on the device.
    const letter = () => String.fromCharCode(97 + Math.floor(Math.random() * 26));
    const noise = () =>
      Array.from({ length: 6_000 }, () => Array.from({ length: 5 }, letter).join('')).join(' ');
    const said = new Map<ConversationId, string>();
    const say = async () => {
      const id = newConversationId();
      said.set(id, noise());
      await laptop.say(id, said.get(id) ?? '');
      await laptop.engine.settled();
      return id;
    };
    for (let number = 0; number < 6; number += 1) await say();
    await eventually(laptop, async () => laptop.status.get().problem?.code === 'sync-quota');
    const late = await say();
    expect((await laptop.sync.where(late)).place).toBe('here');
    expect(laptop.status.get().state).not.toBe('synced');
    // A device that writes on is not blocked.
    for (const [id, text] of said) expect(await laptop.texts(id)).toEqual([text]);
    await narrow.relay.setOnline(false);
    limits.RELAY_MAX_ACCOUNT = '100000000';
    await narrow.relay.setOnline(true);
    for (const device of [laptop, phone]) {
      device.engine.wake('online');
      await device.sync.syncNow();
    }
    for (const [id, text] of said) await has(phone, id, [text]);
    await settled(laptop, phone);
    for (const id of said.keys()) expect((await laptop.sync.where(id)).place).toBe('relay');
  }, 60_000);
});
