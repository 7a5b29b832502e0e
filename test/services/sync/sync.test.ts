// What a person expects of sync, with two and more devices over rooms in memory.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { NOTES_DOCUMENT, newEntryId } from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { phraseOf } from '../../../src/domain/sync/pairing.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { relayAddress } from '../../../src/services/sync/sync-service.ts';
import { cluster } from './cluster.ts';
import { copyOfStore, eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';
import { recalledFrom } from './recalled.ts';
import { createRecorder } from './recorder.ts';

const home = cluster();
const { make, create, joinTo } = home;
const has = (device: TestDevice, id: ConversationId, count: number) =>
  eventually(device, async () => (await device.texts(id)).length === count);
/** Fills a room with so much junk that a device that reads it moves to the next epoch. */
const fillWithJunk = (blobs: ReadonlyMap<string, Uint8Array>) => {
  for (let number = 0; number < 80; number += 1)
    (blobs as Map<string, Uint8Array>).set(`junk ${number}`, crypto.getRandomValues(new Uint8Array(90)));
};
const both = async () => {
  const laptop = await create();
  const phone = await joinTo(laptop);
  await eventually(laptop, async () => laptop.status.get().devices.length === 2);
  return { laptop, phone };
};
const set = (device: TestDevice, privacy: { exclude_work_dirs: string[] }) => {
  const config = device.config.get();
  device.config.set({ ...config, privacy: { ...config.privacy, ...privacy } });
};
const switchTo = (device: TestDevice, mode: 'remote' | 'disabled') => {
  const config = device.config.get();
  device.config.set({ ...config, sync: { ...config.sync, mode } });
};

describe('two devices', () => {
  it('have the same conversations, whoever wrote them', async () => {
    const laptop = await create();
    const id = newConversationId();
    await laptop.say(id, 'written before pairing');
    const phone = await joinTo(laptop);
    await has(phone, id, 1);
    await laptop.say(id, 'from the laptop');
    await has(phone, id, 2);
    await phone.say(id, 'from the phone');
    await has(laptop, id, 3);
    expect(await laptop.texts(id)).toEqual(await phone.texts(id));
    await eventually(phone, async () =>
      (await phone.library()).some((line) => line.id === id && line.messageCount === 3),
    );
    await eventually(laptop, async () => (await laptop.sync.where(id)).devices.includes('Phone'));
    expect(await laptop.sync.where(id)).toEqual({ place: 'relay', devices: ['Phone'] });
    expect(
      laptop.status
        .get()
        .devices.map(({ name }) => name)
        .sort(),
    ).toEqual(['Laptop', 'Phone']);
    const journal = await phone.sync.journal();
    expect(journal.some((line) => line.kind === 'download' && line.document === id)).toBe(true);
    expect(journal.some((line) => line.kind === 'upload' && line.document === id)).toBe(true);
  });

  it('claim nothing while the relay is away, and catch up when it is back', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'one');
    await has(phone, id, 1);
    home.hub.setOnline(false);
    await eventually(laptop, async () => laptop.status.get().state === 'offline');
    await laptop.say(id, 'two');
    await phone.say(id, 'three');
    await eventually(laptop, async () => laptop.status.get().waiting > 0);
    expect((await laptop.sync.where(id)).place).toBe('here');
    home.hub.setOnline(true);
    await has(laptop, id, 3);
    await has(phone, id, 3);
    await isSynced(laptop);
    // Both wrote at once: two branches under the same message, and a line in both journals.
    const conversation = await laptop.read(id);
    const parents = [...(conversation?.messages.values() ?? [])].map(({ parentId }) => parentId);
    expect(parents.filter((parent, at) => parents.indexOf(parent) !== at)).toHaveLength(1);
    for (const device of [laptop, phone]) {
      const lines = (await device.sync.journal()).filter(({ kind }) => kind === 'conflict');
      expect(lines).toMatchObject([{ what: 'branches', document: id }]);
    }
  });

  it('settle titles by the later word, however wrong a clock is', async () => {
    const years = 10 * 365 * 86_400_000;
    const laptop = await create(make('Laptop', { now: () => Date.now() - years }));
    const phone = await joinTo(laptop, make('Phone', { now: () => Date.now() + years }));
    const id = newConversationId();
    await laptop.change(id, { meta: { title: 'first', createdAt: 1 } });
    await eventually(phone, async () => (await phone.read(id))?.meta.title === 'first');
    await phone.change(id, { meta: { title: 'from the future' } });
    await eventually(laptop, async () => (await laptop.read(id))?.meta.title === 'from the future');
    // The laptop has seen the phone's title, so its own counts as later although its clock is twenty years behind.
    await laptop.change(id, { meta: { title: 'from the past, but later', pinned: true } });
    await eventually(phone, async () => (await phone.read(id))?.meta.title === 'from the past, but later');
    expect((await phone.read(id))?.meta.pinned).toBe(true);
  });

  it('carry any document of the log, whatever it holds', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'a carrier');
    const [entry] = await laptop.store.log.read(id);
    await laptop.store.log.append([
      { id: newEntryId(), document: NOTES_DOCUMENT, origin: 'user', bytes: entry?.bytes ?? new Uint8Array() },
    ]);
    await eventually(phone, async () => (await phone.store.log.read(NOTES_DOCUMENT)).length === 1);
    expect((await phone.library()).map((line) => line.id)).not.toContain(NOTES_DOCUMENT);
  });

  it('send a large message in parts', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    // Bytes that hardly compress.
    const bytes = Buffer.alloc(900_000);
    for (let at = 0; at < bytes.length; at += 60_000) crypto.getRandomValues(bytes.subarray(at, at + 60_000));
    const noise = bytes.toString('base64');
    await laptop.say(id, '', [
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${noise}` },
    ]);
    await has(phone, id, 1);
    const part = [...((await phone.read(id))?.messages.values() ?? [])][0]?.parts[0];
    expect(part).toMatchObject({ type: 'file', url: `data:image/png;base64,${noise}` });
    for (const blobs of home.hub.rooms.values())
      for (const blob of blobs.values()) expect(blob.length).toBeLessThan(300_000);
  });

  it('has what was said of passages on every device, and what was taken back no longer', async () => {
    const { laptop, phone } = await both();
    const saidOn = async ({ store }: TestDevice) => {
      const notes = createNotes({ store, now: Date.now });
      const { feedback } = await until(notes.state, ({ ready }) => ready);
      notes.close();
      return feedback.map(({ verdict, messageId, query }) => [verdict, messageId, query]).sort();
    };
    const passage = { conversationId: newConversationId(), passage: 'words', title: '' };
    const verdicts = [
      { ...passage, verdict: 'never', messageId: 'a', query: null },
      { ...passage, verdict: 'not-related', messageId: 'b', query: 'bread' },
      { ...passage, verdict: 'pinned', messageId: 'c', query: null },
    ] as const;
    const notes = createNotes({ store: laptop.store, now: Date.now });
    const [never] = [
      await notes.judge(verdicts[0]),
      await notes.judge(verdicts[1]),
      await notes.judge(verdicts[2]),
    ];
    notes.close();
    const said = verdicts.map(({ verdict, messageId, query }) => [verdict, messageId, query]);
    await eventually(phone, async () => isDeepStrictEqual(await saidOn(phone), said));
    const inAnotherTab = createNotes({ store: phone.store, now: Date.now });
    await until(inAnotherTab.state, ({ ready }) => ready);
    await inAnotherTab.takeBack(never.id);
    inAnotherTab.close();
    await eventually(laptop, async () => isDeepStrictEqual(await saidOn(laptop), said.slice(1)));
  });
});

describe('what stays here', () => {
  const folder = '/home/someone/secret-project/plans';

  it('nothing of an excluded folder leaves the device, until it is let in', async () => {
    const { laptop, phone } = await both();
    const [open, secret] = [newConversationId(), newConversationId()];
    await laptop.change(secret, { meta: { title: 'secret', workDir: folder, createdAt: 1 } });
    const hidden = await laptop.say(secret, 'nobody else shall read this');
    await laptop.say(open, 'this may be read', [
      { type: 'text', text: 'this may be read' },
      recalledFrom(secret, hidden.id, { title: 'secret', passage: 'nobody else shall read this' }),
    ]);
    await has(phone, open, 1);
    await isSynced(laptop);
    expect(await laptop.sync.where(secret)).toEqual({ place: 'localOnly', devices: [] });
    expect(await phone.store.log.documents()).not.toContain(secret);
    const [message] = (await phone.read(open))?.messages.values() ?? [];
    expect(JSON.stringify(message)).not.toContain('nobody else');
    expect(JSON.stringify([...((await laptop.read(open))?.messages.values() ?? [])])).toContain(
      'nobody else',
    );
    set(laptop, { exclude_work_dirs: [] });
    await has(phone, secret, 1);
  });

  it('secrets are taken out of what leaves, and kept here', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.change(id, { meta: { title: 'api_key=abcdef0123456789', createdAt: 1 } });
    await laptop.say(id, 'the password: hunter2-very-secret and the rest');
    await has(phone, id, 1);
    const far = JSON.stringify([(await phone.read(id))?.meta, await phone.texts(id)]);
    expect(far).not.toContain('hunter2');
    expect(far).not.toContain('abcdef0123456789');
    expect(far).toContain('and the rest');
    expect(await laptop.texts(id)).toEqual(['the password: hunter2-very-secret and the rest']);
    // To Yjs the document is the same: additions arrive, and nothing returns changed.
    await phone.say(id, 'understood');
    await has(laptop, id, 2);
    expect(await laptop.texts(id)).toContain('the password: hunter2-very-secret and the rest');
  });

  it('no body that is sent has a secret in it, in whatever it stands', async () => {
    const tap = createRecorder(home.hub.backend);
    const laptop = make('Laptop', { backend: tap.backend, sealing: tap.sealing });
    const id = newConversationId();
    const secret = 'password: hunter2-very-secret';
    const attached = (mediaType: string, text: string): Message['parts'][number] => ({
      type: 'file',
      mediaType,
      name: 'notes',
      url: `data:${mediaType};charset=utf-8;base64,${Buffer.from(text).toString('base64')}`,
    });
    await laptop.change(id, { meta: { title: `data: ${secret}`, createdAt: 1 } });
    await laptop.say(id, `data: ${secret}`);
    await laptop.say(id, `data:image/png;base64,${secret}`);
    await laptop.say(id, '', [
      { type: 'tool-result', callId: 'c', name: 'fetch', text: `data: {"a": 1}\n\ndata: ${secret}` },
    ]);
    await create(laptop);
    await settled(laptop);
    await laptop.say(id, '', [
      attached('text/plain', `数据库的地址\n${secret}\n就这样`),
      attached('application/json', `{"password": "hunter2-very-secret", "name": "数据"}`),
    ]);
    await settled(laptop);
    const sent = await tap.sent();
    expect(sent.join()).toContain('就这样');
    expect(sent.join()).toContain('"name": "数据"');
    expect(sent.filter((body) => body.includes('hunter2'))).toEqual([]);
  });

  it('samples are not sent', async () => {
    const { laptop, phone } = await both();
    const [sample, own] = [newConversationId(), newConversationId()];
    await laptop.change(sample, { meta: { title: 'made up', sample: true, createdAt: 1 } });
    await laptop.say(sample, 'an example');
    await laptop.say(own, 'my own');
    await has(phone, own, 1);
    expect(await phone.store.log.documents()).not.toContain(sample);
  });
});

describe('pairing', () => {
  it('by 24 words and the address of the relay', async () => {
    const laptop = await create();
    const id = newConversationId();
    await laptop.say(id, 'hello');
    await isSynced(laptop);
    const { phrase, fingerprint, qr } = await laptop.sync.pairing('https://app.example/');
    expect(phrase.split(' ')).toHaveLength(24);
    expect(qr.length).toBeGreaterThan(20);
    const phone = make('Phone');
    const offer = phone.sync.readOffer(phrase.toUpperCase().replaceAll(' ', '\n'));
    expect(offer.fingerprint).toBe(fingerprint);
    await phone.sync.join(offer, { deviceName: 'Phone', endpoint: 'relay.example' });
    await has(phone, id, 1);
    expect(phone.status.get().account?.fingerprint).toBe(fingerprint);
  });

  it('refuses a wrong key instead of showing an empty account, and writes nothing', async () => {
    await create();
    const before = JSON.stringify([...home.hub.rooms].map(([room, blobs]) => [room, blobs.size]));
    const phone = make('Phone');
    const id = newConversationId();
    await phone.say(id, 'already here');
    const offer = phone.sync.readOffer(phraseOf(crypto.getRandomValues(new Uint8Array(32))));
    await expect(
      phone.sync.join(offer, { deviceName: 'Phone', endpoint: 'wss://relay.example' }),
    ).rejects.toMatchObject({ problem: { code: 'sync-no-account' } });
    expect(JSON.stringify([...home.hub.rooms].map(([room, blobs]) => [room, blobs.size]))).toBe(before);
    expect(await phone.vault.names()).toEqual([]);
    expect(phone.status.get()).toMatchObject({ mode: 'disabled', account: null });
    expect(await phone.texts(id)).toEqual(['already here']);
  });

  it('keeps what a device had before it joined, and gives it to the others', async () => {
    const laptop = await create();
    const phone = make('Phone');
    const [shared, own] = [newConversationId(), newConversationId()];
    await laptop.say(shared, 'from the laptop');
    // Both devices have the same conversation, as after importing the same export.
    for (const { bytes } of await laptop.store.log.read(shared))
      await phone.store.log.append([{ id: newEntryId(), document: shared, origin: 'import', bytes }]);
    await phone.say(shared, 'added on the phone');
    await phone.say(own, 'only on the phone');
    await isSynced(laptop);
    await joinTo(laptop, phone);
    await has(laptop, own, 1);
    await has(laptop, shared, 2);
    await has(phone, shared, 2);
  });

  it('reads addresses as people type them', () => {
    expect(relayAddress(' relay.example/ ')).toBe('wss://relay.example');
    expect(relayAddress('http://192.168.1.5:4444')).toBe('ws://192.168.1.5:4444');
    expect(relayAddress('https://relay.example/path/')).toBe('wss://relay.example/path');
    for (const wrong of ['', 'ftp://relay.example', 'wss://name:word@relay.example', 'wss://'])
      expect(() => relayAddress(wrong)).toThrowError();
  });
});

describe('forgetting', () => {
  it('erases a conversation everywhere', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'to be forgotten');
    await has(phone, id, 1);
    await isSynced(laptop);
    const rooms = home.hub.rooms.size;
    await laptop.erase(id);
    await eventually(phone, async () => !(await phone.store.log.documents()).includes(id));
    await eventually(phone, async () => (await phone.library()).every((line) => line.id !== id));
    await eventually(laptop, async () => home.hub.rooms.size === rooms - 1);
    const third = await joinTo(laptop, make('Tablet'));
    await isSynced(third);
    expect(await third.store.log.documents()).not.toContain(id);
  });

  it('takes along what was said of its passages, which quotes them', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    const { id: messageId } = await laptop.say(id, 'to be forgotten');
    const judgedOn = async ({ store }: TestDevice) => {
      const notes = createNotes({ store, now: Date.now });
      const { feedback } = await until(notes.state, ({ ready }) => ready);
      notes.close();
      return feedback.length;
    };
    const notes = createNotes({ store: laptop.store, now: Date.now });
    await notes.judge({
      verdict: 'pinned',
      conversationId: id,
      messageId,
      passage: 'to be forgotten',
      title: '',
      query: null,
    });
    notes.close();
    await eventually(phone, async () => (await judgedOn(phone)) === 1);
    await laptop.sync.forget([id]);
    const words = (await laptop.store.log.read(NOTES_DOCUMENT)).map(({ bytes }) =>
      new TextDecoder().decode(bytes),
    );
    expect(words.join()).not.toContain('to be forgotten');
    await eventually(phone, async () => (await judgedOn(phone)) === 0);
  });

  it('keeps in the trash what was written elsewhere meanwhile, and lets it live on when it is taken out', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'one');
    await has(phone, id, 1);
    await isSynced(phone);
    home.hub.setOnline(false);
    await phone.say(id, 'written while it was deleted');
    await laptop.sync.forget([id]);
    home.hub.setOnline(true);
    await eventually(phone, async () => ((await phone.read(id))?.meta.deletedAt ?? null) !== null);
    expect(await phone.texts(id)).toHaveLength(2);
    expect((await phone.sync.where(id)).place).toBe('localOnly');
    expect(
      (await phone.sync.journal()).some((line) => line.kind === 'conflict' && line.what === 'deleted'),
    ).toBe(true);
    expect(await laptop.store.log.documents()).not.toContain(id);
    await phone.change(id, { meta: { deletedAt: null } });
    await has(laptop, id, 2);
    expect((await laptop.read(id))?.meta.deletedAt).toBeNull();
  });

  it('takes forgotten words out of the room as well', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    const message = await laptop.say(id, 'a slip of the tongue');
    await laptop.say(id, 'the rest');
    await has(phone, id, 2);
    await isSynced(laptop);
    await laptop.change(id, { removed: [message.id] });
    await has(phone, id, 1);
    await eventually(laptop, async () =>
      (await laptop.sync.journal()).some((line) => line.what === 'folded' && line.document === id),
    );
    await isSynced(laptop);
    const third = await joinTo(laptop, make('Tablet'));
    await has(third, id, 1);
    const bytes = (await third.store.log.read(id))
      .map((entry) => Buffer.from(entry.bytes).toString('latin1'))
      .join();
    expect(bytes).not.toContain('slip of the tongue');
  });
});

describe('revoking', () => {
  it('locks a lost device out: new key, new rooms, everything again, the old account erased', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'one');
    await phone.say(id, 'two');
    await has(laptop, id, 2);
    // A conversation that stays here must not delay the end of the old account.
    await laptop.change(newConversationId(), { meta: { title: 'A sample', sample: true, createdAt: 1 } });
    await isSynced(laptop);
    const old = new Set(home.hub.rooms.keys());
    const before = laptop.status.get().account?.fingerprint;
    const lost = laptop.status.get().devices.find(({ name }) => name === 'Phone');
    await laptop.sync.revoke(lost?.id ?? '');
    await eventually(
      laptop,
      async () => [...home.hub.rooms.keys()].every((room) => !old.has(room)) && home.hub.rooms.size === 2,
    );
    await isSynced(laptop);
    expect(laptop.status.get().account?.fingerprint).not.toBe(before);
    expect(laptop.status.get().devices.map(({ name }) => name)).toEqual(['Laptop']);
    await laptop.say(id, 'not for the lost one');
    await isSynced(laptop);
    expect(await phone.texts(id)).toHaveLength(2);
    const tablet = await joinTo(laptop, make('Tablet'));
    await has(tablet, id, 3);
  });

  it('can be left while sync is off, and is known until then', async () => {
    const laptop = await create();
    const id = newConversationId();
    await laptop.say(id, 'stays here');
    await isSynced(laptop);
    const { fingerprint } = laptop.status.get().account ?? {};
    switchTo(laptop, 'disabled');
    await eventually(laptop, async () => laptop.status.get().state === 'disabled');
    expect(laptop.status.get().account).toBeNull();
    expect(laptop.sync.account.get()).toMatchObject({ fingerprint, endpoint: 'wss://relay.example' });
    await laptop.sync.leave({ erase: true });
    await until(laptop.sync.account, (account) => account === null);
    expect(home.hub.rooms.size).toBe(0);
    expect(await laptop.texts(id)).toEqual(['stays here']);
    expect(await laptop.vault.names()).toEqual([]);
  });

  it('leaves, with or without the account', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'mine');
    await has(phone, id, 1);
    await isSynced(laptop);
    await phone.sync.leave();
    expect(await phone.vault.names()).toEqual([]);
    expect(await phone.texts(id)).toEqual(['mine']);
    expect(phone.config.get().sync.mode).toBe('disabled');
    expect(home.hub.rooms.size).toBeGreaterThan(0);
    await laptop.sync.leave({ erase: true });
    expect(home.hub.rooms.size).toBe(0);
    expect(await laptop.texts(id)).toEqual(['mine']);
  });
});

describe('a damaged relay', () => {
  it('that lost everything is filled again by those who have it', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    for (let number = 0; number < 5; number += 1) await laptop.say(id, `message ${number}`);
    await has(phone, id, 5);
    await isSynced(laptop);
    home.hub.setOnline(false);
    for (const blobs of home.hub.rooms.values()) (blobs as Map<string, Uint8Array>).clear();
    home.hub.setOnline(true);
    await eventually(
      laptop,
      async () => [...home.hub.rooms.values()].filter((blobs) => blobs.size > 0).length === 2,
      20_000,
    );
    await isSynced(laptop);
    const tablet = await joinTo(phone, make('Tablet'));
    await has(tablet, id, 5);
  });

  it('full of junk is left for a new room', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'one');
    await has(phone, id, 1);
    await isSynced(laptop);
    for (const blobs of home.hub.rooms.values()) fillWithJunk(blobs);
    await laptop.say(id, 'two');
    await has(phone, id, 2);
    // Either device may do it.
    await eventually(laptop, async () =>
      [...(await laptop.sync.journal()), ...(await phone.sync.journal())].some(
        (line) => line.what === 'rebuilt',
      ),
    );
    await phone.say(id, 'three');
    await has(laptop, id, 3);
    const tablet = await joinTo(phone, make('Tablet'));
    await has(tablet, id, 3);
  });

  it('that lost everything has the devices meet again, however far the index had moved while one was away', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    await laptop.say(id, 'one');
    await has(phone, id, 1);
    await isSynced(laptop);
    await isSynced(phone);
    switchTo(phone, 'disabled');
    await eventually(phone, async () => phone.status.get().state === 'disabled');
    for (let moves = 1; moves <= 2; moves += 1) {
      for (const blobs of home.hub.rooms.values()) fillWithJunk(blobs);
      await laptop.say(id, `in epoch ${moves}`);
      await eventually(
        laptop,
        async () =>
          (await laptop.sync.journal()).filter((line) => line.what === 'rebuilt' && line.document === null)
            .length === moves,
      );
      await isSynced(laptop);
    }
    home.hub.setOnline(false);
    for (const blobs of home.hub.rooms.values()) (blobs as Map<string, Uint8Array>).clear();
    home.hub.setOnline(true);
    await laptop.sync.syncNow({ force: true });
    await isSynced(laptop);
    switchTo(phone, 'remote');
    await has(phone, id, 3);
    await phone.say(id, 'four');
    await has(laptop, id, 4);
  });

  it('full of junk alone is left also by who has nothing for the new one, and gets it there', async () => {
    const { laptop, phone } = await both();
    switchTo(phone, 'disabled');
    const rooms = new Set(home.hub.rooms.keys());
    const id = newConversationId();
    await laptop.say(id, 'one');
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'relay');
    await isSynced(laptop);
    switchTo(laptop, 'disabled');
    await eventually(laptop, async () => laptop.status.get().state === 'disabled');
    const room = [...home.hub.rooms].find(([name]) => !rooms.has(name))?.[1] as Map<string, Uint8Array>;
    room.clear();
    fillWithJunk(room);
    switchTo(phone, 'remote');
    await eventually(phone, async () =>
      (await phone.sync.journal()).some((line) => line.what === 'rebuilt' && line.document === id),
    );
    await isSynced(phone);
    switchTo(laptop, 'remote');
    await has(phone, id, 1);
    await isSynced(phone);
    await isSynced(laptop);
  });

  it('whose index moved gives a device that was put back all that it had put there since', async () => {
    const { laptop: first, phone } = await both();
    const [id, other] = [newConversationId(), newConversationId()];
    for (const one of [id, other]) {
      await first.say(one, 'one');
      await has(phone, one, 1);
    }
    await settled(first, phone);
    const backup = await copyOfStore(first.store);
    first.stop();
    // The other device moves the index, so the old room does not tell the first device of later changes.
    const [index] = home.hub.rooms.values();
    if (index) fillWithJunk(index);
    // A relay would notify the phone of the new blob.
    phone.engine.wake();
    await eventually(phone, async () =>
      (await phone.sync.journal()).some((line) => line.what === 'rebuilt' && line.document === null),
    );
    await settled(phone);
    phone.stop();
    const own = { vault: first.vault, config: first.config };
    const moved = make('Laptop', { ...own, store: first.store });
    await settled(moved);
    await moved.say(id, 'two');
    await settled(moved);
    moved.stop();
    // A device that writes before it learns of the move stays in the old room for a while.
    home.hub.setOnline(false);
    const back = make('Laptop', { ...own, store: backup });
    await eventually(back, async () => back.status.get().state === 'offline');
    await back.sync.forget([other]);
    home.hub.setOnline(true);
    await isSynced(back);
    expect(await back.texts(other)).toEqual([]);
    expect(await back.texts(id)).toEqual(['one', 'two']);
  });
});

describe('growth', () => {
  it('folds many small changes into few blobs', async () => {
    const { laptop, phone } = await both();
    const id = newConversationId();
    for (let number = 0; number < 80; number += 1) await laptop.say(id, `message ${number}`);
    await has(phone, id, 80);
    await eventually(
      laptop,
      async () => [...home.hub.rooms.values()].every((blobs) => blobs.size < 30),
      30_000,
    );
    const tablet = await joinTo(laptop, make('Tablet'));
    await has(tablet, id, 80);
    // A device that has everything takes nothing twice.
    const entries = (await phone.store.log.read(id)).length;
    expect(entries).toBeLessThanOrEqual(81);
  }, 60_000);
});
