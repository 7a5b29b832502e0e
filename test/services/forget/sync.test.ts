// What is forgotten on one device is forgotten on the other, is on the relay in no form
// that the key opens, and is confirmed.
import { expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { cluster } from '../sync/cluster.ts';
import { isSynced, settled } from '../sync/device.ts';
import { idOf, NOW, openDevice } from './device.ts';

const CANARY = 'Quillfeather';
const message = (id: string, text: string, createdAt = NOW - 1000): Message =>
  ({
    id,
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt,
    parts: [{ type: 'text', text }],
  }) as unknown as Message;

/** As a tab sees the log to which the thread of sync appends. */
const fromTab = ({ log, ...rest }: Store): Store => ({
  ...rest,
  log: { ...log, subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })) },
});

/** Looks until it is so, for a minute at most. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1200 && !(await isSo()); look += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

const devices = cluster();

it('two devices and a third that joins later', { timeout: 120_000 }, async () => {
  const one = await devices.create();
  await one.change(idOf('talk'), {
    messages: [
      message('00000000-0000-7000-8000-000000000001', `About ${CANARY} and roses`),
      message('00000000-0000-7000-8000-000000000003', 'And about rain'),
      // By a clock that is ahead.
      message('00000000-0000-7000-8000-000000000004', `${CANARY} tomorrow`, NOW + 86_400_000),
    ],
    meta: { title: `On ${CANARY}`, createdAt: NOW - 1000 },
  });
  await one.change(idOf('gone'), {
    messages: [message('00000000-0000-7000-8000-000000000002', `${CANARY} alone`)],
    meta: { createdAt: NOW - 1000 },
  });
  await isSynced(one);
  const other = await devices.pair(one);
  await until(async () => (await other.texts(idOf('gone'))).length > 0);
  expect(await other.texts(idOf('gone'))).toEqual([`${CANARY} alone`]);

  const here = openDevice({ store: fromTab(one.store), sync: one.sync, device: 'one' });
  const there = openDevice({ store: fromTab(other.store), sync: other.sync, device: 'other' });
  await there.store.keyValues.set('written/composer/tab', { text: `Dear ${CANARY}`, files: [] });
  await here.forgetAll({ kind: 'person', words: [CANARY], whole: true });
  const isConfirmed = () => {
    const [record] = here.forget.records.get();
    return record?.confirmed.get('one')?.left === 0 && record.confirmed.get('other')?.left === 0;
  };
  await until(async () => isConfirmed());
  expect(isConfirmed()).toBe(true);
  expect(await here.placesOf(CANARY)).toEqual([]);
  expect(await there.placesOf(CANARY)).toEqual([]);

  // A device that joins now reads everything on the relay.
  const third = await devices.pair(one, devices.make('Tablet'));
  const joined = openDevice({
    store: fromTab(third.store),
    sync: third.sync,
    device: 'third',
    engine: false,
  });
  expect(await joined.placesOf(CANARY)).toEqual([]);
  expect(await third.texts(idOf('talk'))).toEqual(['And about rain']);
  expect(await third.texts(idOf('gone'))).toEqual([]);
  for (const device of [here, there, joined]) await device.close();
});

it('what a third device wrote before, and sends after both have confirmed', {
  timeout: 120_000,
}, async () => {
  const one = await devices.create();
  await one.change(idOf('talk'), {
    messages: [message('00000000-0000-7000-8000-000000000001', `About ${CANARY} and roses`)],
    meta: { createdAt: NOW - 1000 },
  });
  await isSynced(one);
  const other = await devices.pair(one);
  const third = await devices.pair(one, devices.make('Tablet'));
  await until(async () => (await third.texts(idOf('talk'))).length > 0);
  third.stop();
  const { store, vault, config } = third;
  const away = devices.make('Tablet', { store, vault, config, now: () => NOW - 500 });
  away.stop();
  await away.say(idOf('talk'), `${CANARY} again`);

  const here = openDevice({ store: fromTab(one.store), sync: one.sync, device: 'one' });
  const there = openDevice({ store: fromTab(other.store), sync: other.sync, device: 'other' });
  await here.forgetAll({ kind: 'person', words: [CANARY], whole: true });
  const left = (name: string) => here.forget.records.get()[0]?.confirmed.get(name)?.left;
  await until(async () => left('one') === 0 && left('other') === 0);
  const back = devices.make('Tablet', { store, vault, config, now: () => NOW - 400 });
  const joined = openDevice({ store: fromTab(back.store), sync: back.sync, device: 'third' });
  await until(async () => left('third') === 0);
  expect(left('third')).toBe(0);
  await settled(back, one, other);
  const places = () => Promise.all([here, there, joined].map((device) => device.placesOf(CANARY)));
  await until(async () => (await places()).flat().length === 0);
  expect(await places()).toEqual([[], [], []]);
  for (const device of [here, there, joined]) await device.close();
});

it('what a third device said before the request, and judged after it, before it heard of it', {
  timeout: 120_000,
}, async () => {
  const one = await devices.create();
  const [id, text] = ['00000000-0000-7000-8000-000000000001', `About ${CANARY} and roses`];
  await one.change(idOf('talk'), { messages: [message(id, text)], meta: { createdAt: NOW - 1000 } });
  await isSynced(one);
  const third = await devices.pair(one, devices.make('Tablet'));
  await until(async () => (await third.texts(idOf('talk'))).length > 0);
  third.stop();
  const { store, vault, config } = third;
  const here = openDevice({ store: fromTab(one.store), sync: one.sync, device: 'one' });
  await here.forgetAll({ kind: 'person', words: [CANARY], whole: false });
  await until(async () => here.forget.records.get()[0]?.confirmed.get('one')?.left === 0);
  const away = openDevice({ store, engine: false, now: () => NOW + 500 });
  const { judge } = away.notes;
  const quoted = { conversationId: idOf('talk'), messageId: id, title: 'Talk', passage: text };
  await judge({ ...quoted, said: NOW - 1000, query: null, verdict: 'pinned' });
  const question = { query: `Where is ${CANARY}?`, asked: NOW - 900, verdict: 'not-related' } as const;
  await judge({ ...quoted, messageId: 'other', passage: 'Rain', ...question });
  const rain = message('00000000-0000-7000-8000-000000000005', `${CANARY} likes rain`, NOW - 500);
  await away.documents.change(idOf('talk'), { messages: [rain] });
  await away.close();
  const back = devices.make('Tablet', { store, vault, config, now: () => NOW + 600 });
  const joined = openDevice({ store: fromTab(back.store), sync: back.sync, device: 'third' });
  await until(async () => here.forget.records.get()[0]?.confirmed.get('third')?.left === 0);
  expect(here.forget.records.get()[0]?.confirmed.get('third')?.left).toBe(0);
  await settled(back, one);
  const given = here.notes.state.get().feedback.map(({ passage, query }) => query ?? passage);
  expect(given).toEqual(['About ••• and roses']);
  await until(async () => (await one.texts(idOf('talk'))).length > 1);
  expect(await one.texts(idOf('talk'))).toEqual(expect.arrayContaining(['••• likes rain']));
  const places = () => Promise.all([here, joined].map((device) => device.placesOf(CANARY)));
  await until(async () => (await places()).flat().length === 0);
  expect(await places()).toEqual([[], []]);
  for (const device of [here, joined]) await device.close();
});

it('the report says where the relay keeps sealed pieces of what stays on this device', async () => {
  const one = await devices.create();
  const meta = { createdAt: NOW - 1000, workDir: '/home/someone/private' };
  await one.change(idOf('talk'), {
    messages: [message('00000000-0000-7000-8000-000000000001', `About ${CANARY} and roses`)],
    meta,
  });
  await settled(one);
  const config = one.config.get();
  one.config.set({ ...config, privacy: { ...config.privacy, exclude_work_dirs: [meta.workDir] } });
  await settled(one);
  await one.change(idOf('never'), {
    messages: [message('00000000-0000-7000-8000-000000000002', `${CANARY} alone`)],
    meta,
  });
  const device = openDevice({ store: fromTab(one.store), sync: one.sync, device: 'one' });
  const { report } = await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
  expect(report.places.find(({ place }) => place === 'relay')).toMatchObject({ left: 0, kept: 1 });
  await device.close();
});

it('what another device wrote meanwhile lies in its trash, however soon it comes and whatever its clock says', {
  timeout: 60_000,
}, async () => {
  const one = await devices.create();
  await one.change(idOf('boat'), {
    messages: [message('00000000-0000-7000-8000-000000000001', 'Shall we sell the boat?')],
    meta: { createdAt: NOW - 1000 },
  });
  await isSynced(one);
  const other = await devices.pair(one);
  await until(async () => (await other.texts(idOf('boat'))).length > 0);
  other.stop();
  // The other device writes offline, with a clock that is behind.
  const { store, vault, config } = other;
  const again = devices.make('Phone', { store, vault, config, now: () => NOW - 500 });
  again.stop();
  await again.say(idOf('boat'), 'No, we take it to the islands.');

  const here = openDevice({ store: fromTab(one.store), sync: one.sync, device: 'one' });
  await here.forgetAll({ kind: 'conversation', conversation: idOf('boat') });
  await until(async () => one.status.get().state === 'synced');
  const back = devices.make('Phone', { store, vault, config, now: () => NOW - 400 });
  const there = openDevice({ store: fromTab(back.store), sync: back.sync, device: 'other' });
  await until(async () => here.forget.records.get()[0]?.confirmed.get('other')?.left === 0);
  expect(here.forget.records.get()[0]?.confirmed.get('other')?.left).toBe(0);
  expect(await back.texts(idOf('boat'))).toEqual([
    'No, we take it to the islands.',
    'Shall we sell the boat?',
  ]);
  expect((await back.read(idOf('boat')))?.meta.deletedAt).not.toBeNull();
  expect(await one.texts(idOf('boat'))).toEqual([]);
  for (const device of [here, there]) await device.close();
});
