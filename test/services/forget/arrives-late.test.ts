// What arrives after something was forgotten: from a device that was offline, out of order, from a copy of the disk,
// from a backup. After all have settled no device holds the words anywhere, its log included.
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { newEntryId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import type { PlaceDeps } from '../../../src/services/forget/place.ts';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { filesOf } from '../../fixtures/files.ts';
import { runs } from '../../scale.ts';
import { perilous } from '../../sync/perilous.ts';
import { isInLog } from '../documents/said.ts';
import { cluster } from '../sync/cluster.ts';
import { copyOfStore, type DeviceOptions, isSynced, settled, type TestDevice } from '../sync/device.ts';
import { idOf, NOW, openDevice } from './device.ts';

const CANARY = 'Quillfeather';
const devices = cluster();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** As a tab sees the log to which the thread of sync appends. */
const fromTab = ({ log, ...rest }: Store): Store => ({
  ...rest,
  log: { ...log, subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })) },
});

let made = 0;
const said = (text: string, createdAt = NOW - 1000): Message => {
  made += 1;
  const id = `00000000-0000-7000-8000-${String(made).padStart(12, '0')}` as Message['id'];
  return { id, parentId: null, role: 'user', kind: 'message', createdAt, parts: [{ type: 'text', text }] };
};

const saidInTwo = (one: string, two: string): Message => ({
  ...said(''),
  parts: [one, two].map((text) => ({ type: 'text', text })),
});

/** Looks until it is so, for a minute at most. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1200 && !(await isSo()); look += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The tab of a device beside its thread of sync. */
function tabOf(
  { store, sync }: { store: Store; sync: PlaceDeps['sync'] },
  device: string,
  now = NOW,
  index = createInMemoryIndex(),
) {
  const tab = openDevice({ store: fromTab(store), sync, device, index, now: () => now });
  closing.push(tab.close);
  return tab;
}
type Tab = ReturnType<typeof tabOf>;
const forgets = (tab: Tab, words = CANARY) => tab.forgetAll({ kind: 'phrase', words: [words], whole: false });
const hasConfirmed = (tab: Tab, device: string) => {
  const records = tab.forget.records.get();
  return records.length > 0 && records.every(({ confirmed }) => confirmed.get(device)?.left === 0);
};

/** An index whose files keep what was written to them until they are written anew. */
function filedIndex() {
  const index = createInMemoryIndex();
  let files: string[] = [];
  const filed: typeof index = {
    ...index,
    apply: async (...change) => {
      files.push(JSON.stringify(change));
      await index.apply(...change);
    },
    describe: async (...described) => {
      files.push(JSON.stringify(described));
      await index.describe(...described);
    },
    purge: async () => {
      files = [];
    },
  };
  return { index: filed, files: () => files.join('\n') };
}

/** The same device with its thread of sync started again. */
const restarted = ({ name, store, vault, config }: TestDevice, options: Partial<DeviceOptions> = {}) =>
  devices.make(name, { store, vault, config, now: () => NOW, ...options });

/** What each of them still holds, once it is nothing or all have been given the time for it. */
async function heldBy(tabs: readonly Tab[], words: string, together: readonly TestDevice[]) {
  const places = async () => {
    await settled(...together);
    return await Promise.all(tabs.map((tab) => tab.placesOf(words)));
  };
  await until(async () => (await places()).flat().length === 0);
  return await places();
}

/** Rooms of the relay by name. */
const rooms = () =>
  new Map([...devices.hub.rooms].map(([address, blobs]) => [address.split('/').at(-1), blobs]));

/** Laptop and phone that talk of it, and a tablet that goes offline and says more of it in every way. */
async function threeDevices() {
  const one = await devices.create();
  const before = new Set(rooms().keys());
  await one.change(idOf('talk'), {
    messages: [said(`About ${CANARY} and roses`)],
    meta: { createdAt: NOW - 2000 },
  });
  await settled(one);
  const [talk = ''] = [...rooms().keys()].filter((room) => !before.has(room));
  const other = await devices.pair(one);
  const third = await devices.pair(one, devices.make('Tablet'));
  await until(async () => (await third.texts(idOf('talk'))).length > 0);
  third.stop();
  const away = openDevice({ store: third.store, engine: false, now: () => NOW - 500 });
  await away.documents.change(idOf('talk'), {
    messages: [said(`${CANARY} likes rain`), saidInTwo('Quillfea', 'ther sings')],
    meta: { title: `Rain and ${CANARY}` },
    checkpoints: { [`With ${CANARY}`]: said('').id },
  });
  await away.say('new', [`Who is ${CANARY}?`, 'Nobody knows.'], {
    title: `${CANARY}, who is it`,
    titleBy: 'auto',
  });
  await away.notes.write({ text: `${CANARY} is left-handed` });
  await away.prompts.savePrompt({ name: 'Letter', description: '', text: `Write to ${CANARY}` });
  await away.close();
  return { one, other, third, talk };
}

it('words of a device that was offline, which is not seen again once it has sent them', {
  timeout: 180_000,
}, async () => {
  const { one, other, third } = await threeDevices();
  const [here, there] = [tabOf(one, 'one'), tabOf(other, 'other')];
  await forgets(here);
  await until(() => hasConfirmed(here, 'one') && hasConfirmed(here, 'other'));
  // Its thread of sync sends before any tab of it hears of the request.
  const back = restarted(third);
  await settled(back, one, other);
  back.stop();
  expect(await heldBy([here, there], CANARY, [one, other])).toEqual([[], []]);
  const [sings, likes] = (await one.texts(idOf('talk'))).sort().reverse();
  expect([sings, likes]).toEqual(['••• sings', '••• likes rain']);
  expect((await other.read(idOf('new')))?.messages.size).toBe(2);
  // A device that joins reads everything that is on the relay.
  const fresh = await devices.pair(one, devices.make('Desktop'));
  await settled(fresh, one, other);
  expect(await heldBy([tabOf(fresh, 'fresh')], CANARY, [fresh])).toEqual([[]]);
});

/** A backend through which a room is seen as it was, until it is let on; `states`: what it was in between. */
function delayed(backend: SyncBackend) {
  const held = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const listeners = new Map<string, () => void>();
  const through: SyncBackend = {
    ...backend,
    open: (account, room, onChange) => {
      listeners.set(room, onChange);
      const real = backend.open(account, room, onChange);
      return Object.defineProperties(Object.create(real) as typeof real, {
        state: { get: () => real.state },
        blobs: { value: () => held.get(room) ?? real.blobs() },
      });
    },
  };
  return {
    through,
    /** Shows these blobs of the room, or again those that are there. */
    show: (room: string, blobs: ReadonlyMap<string, Uint8Array> | null) => {
      if (blobs) held.set(room, new Map(blobs));
      else held.delete(room);
      listeners.get(room)?.();
    },
  };
}

it('words that come in their room after their writer has cleaned it and confirmed', {
  timeout: 180_000,
}, async () => {
  const { one, third, talk } = await threeDevices();
  one.stop();
  const { through, show } = delayed(devices.hub.backend);
  const first = restarted(one, { backend: through });
  await isSynced(first);
  const here = tabOf(first, 'one');
  await forgets(here);
  await until(() => hasConfirmed(here, 'one'));
  const blobsOf = (room: string) => new Map(rooms().get(room));
  show(talk, blobsOf(talk));
  const sending = restarted(third);
  await settled(sending);
  sending.stop();
  const inFlight = blobsOf(talk);
  const back = restarted(third);
  const joined = tabOf(back, 'third');
  await until(() => hasConfirmed(here, 'third'));
  expect(hasConfirmed(here, 'third')).toBe(true);
  await settled(back);
  show(talk, inFlight);
  await first.engine.settled();
  show(talk, null);
  expect(await heldBy([here, joined], CANARY, [first, back])).toEqual([[], []]);
});

/** A device with a message that says something to quote. */
async function deviceWithStory() {
  const one = await devices.create();
  const story = said('My neighbour lost the garden in the flood of 1994 and never spoke of it.');
  await one.change(idOf('talk'), { messages: [said('Roses'), story], meta: { createdAt: NOW - 2000 } });
  return { one, story };
}

/** An answer that quotes the message, on a device whose sync is stopped. */
async function quotesWhileAway({ store }: TestDevice, story: Message) {
  const away = openDevice({ store, engine: false, now: () => NOW - 500 });
  const told = textOf(story);
  await away.say('quoted', ['What of gardens?', `You told me this. ${told} It was long ago.`], {}, NOW - 900);
  await away.close();
}

it('an answer of a device that was offline, which quotes a forgotten message', {
  timeout: 180_000,
}, async () => {
  const { one, story } = await deviceWithStory();
  const other = await devices.pair(one);
  await until(async () => (await other.texts(idOf('talk'))).length > 1);
  other.stop();
  await quotesWhileAway(other, story);
  const here = tabOf(one, 'one');
  await here.forgetAll({ kind: 'message', conversation: idOf('talk'), message: story.id });
  await until(() => hasConfirmed(here, 'one'));
  const back = restarted(other);
  const there = tabOf(back, 'other');
  expect(await heldBy([here, there], 'flood of 1994', [one, back])).toEqual([[], []]);
  expect(await one.texts(idOf('quoted'))).toContainEqual(expect.stringContaining('It was long ago.'));
});

it('an answer that quotes it, on a device that indexed it before the one that was asked could take it out', {
  timeout: 180_000,
}, async () => {
  const { one, story } = await deviceWithStory();
  const other = await devices.pair(one);
  const third = await devices.pair(one, devices.make('Tablet'));
  await until(async () => (await third.texts(idOf('talk'))).length > 1);
  third.stop();
  await quotesWhileAway(third, story);
  const here = tabOf(one, 'one');
  const { index, files } = filedIndex();
  const there = tabOf(other, 'other', NOW, index);
  await here.forgetAll({ kind: 'message', conversation: idOf('talk'), message: story.id });
  await until(() => hasConfirmed(here, 'one') && hasConfirmed(here, 'other'));
  one.stop();
  await here.close();
  const back = restarted(third);
  await settled(back, other);
  back.stop();
  await until(() => files().includes('flood of 1994'));
  expect(files()).toContain('flood of 1994');
  const asked = restarted(one);
  expect(await heldBy([tabOf(asked, 'one'), there], 'flood of 1994', [asked, other])).toEqual([[], []]);
  await until(() => !files().includes('flood of 1994'));
  expect(files()).not.toContain('flood of 1994');
});

it('a copy of a disk that is put back after its device had confirmed', { timeout: 180_000 }, async () => {
  const { one, other } = await threeDevices();
  other.stop();
  const copy = await copyOfStore(other.store);
  const [here, phone] = [tabOf(one, 'one'), restarted(other)];
  const there = tabOf(phone, 'other');
  await forgets(here);
  await until(() => hasConfirmed(here, 'one') && hasConfirmed(here, 'other'));
  expect(hasConfirmed(here, 'other')).toBe(true);
  phone.stop();
  await there.close();
  const back = restarted({ ...other, store: copy });
  expect(await heldBy([here, tabOf(back, 'other')], CANARY, [one, back])).toEqual([[], []]);
});

it('what a person writes with these words on another device later stays on all', {
  timeout: 180_000,
}, async () => {
  const { one, other } = await threeDevices();
  const [here, there] = [tabOf(one, 'one'), tabOf(other, 'other')];
  await forgets(here);
  await until(() => hasConfirmed(here, 'one') && hasConfirmed(here, 'other'));
  const later = tabOf(other, 'other', NOW + 60_000);
  await later.documents.change(idOf('talk'), {
    messages: [said(`${CANARY} is a bird, too`, NOW + 60_000)],
  });
  await other.change(idOf('talk'), { meta: { title: `${CANARY}, the bird`, titleBy: 'person' } });
  await other.change(idOf('birds'), {
    meta: { project: true, title: `${CANARY} and others`, titleBy: 'person', createdAt: NOW + 60_000 },
  });
  await later.notes.write({ text: `${CANARY} is a bird` });
  await until(async () => (await one.read(idOf('birds'))) !== undefined);
  await settled(one, other);
  await here.documents.change(idOf('talk'), { messages: [said('Which one?', NOW + 70_000)] });
  await settled(one, other);
  for (const tab of [here, there]) {
    await until(async () => (await tab.documents.read(idOf('talk')))?.messages.size === 3);
    const talk = await tab.documents.read(idOf('talk'));
    expect(talk?.meta.title).toBe(`${CANARY}, the bird`);
    expect([...(talk?.messages.values() ?? [])].map(({ parts }) => parts)).toContainEqual([
      { type: 'text', text: `${CANARY} is a bird, too` },
    ]);
    expect((await tab.documents.read(idOf('birds')))?.meta.title).toBe(`${CANARY} and others`);
    expect((await tab.notes.known()).notes.map(({ text }) => text)).toEqual([`${CANARY} is a bird`]);
  }
});

it('a kill at any write of taking out what arrived late', { timeout: 300_000 }, async () => {
  /** Takes out what arrived until the process dies at this write; returns whether it did. */
  const play = async (strike: number, when: 'before' | 'after') => {
    const disk = createInMemoryStore({ now: () => NOW });
    const index = createInMemoryIndex();
    const before = openDevice({ store: disk, index });
    await before.say('talk', ['About roses']);
    await forgets(before);
    await until(() => hasConfirmed(before, 'local'));
    expect(hasConfirmed(before, 'local')).toBe(true);
    await before.close();
    const document = createConversationDocument(idOf('late'), undefined, () => NOW);
    const meta = { title: `On ${CANARY}`, createdAt: NOW - 2000 };
    const bytes = document.change({ messages: [said(`${CANARY} likes rain`)], meta }) as Uint8Array;
    await disk.log.append([{ id: newEntryId(), document: idOf('late'), origin: 'remote', bytes }]);
    await disk.keyValues.set(`session-memory/${idOf('late')}`, { text: `${CANARY} likes rain` });
    let [writes, isDead] = [0, false];
    const { store } = perilous(disk, createInMemoryVault(), {
      strikes: (lasts) => {
        if (!lasts) return null;
        writes += 1;
        return writes === strike ? when : null;
      },
      onDeath: () => {
        isDead = true;
      },
      isFull: () => false,
      onCommit: () => {},
    });
    const dying = openDevice({ store, index });
    const isClean = async () =>
      !(await isInLog(disk, CANARY)) && (await disk.keyValues.get('forgetting/late')) === undefined;
    await until(async () => isDead || (await isClean()));
    if (!isDead) await dying.close();
    const next = openDevice({ store: disk, index });
    closing.push(next.close);
    await until(async () => (await next.placesOf(CANARY)).length === 0);
    expect(await next.placesOf(CANARY), `${when} write ${strike}`).toEqual([]);
    expect((await next.documents.read(idOf('late')))?.messages.size).toBe(1);
    return isDead;
  };
  let strike = 1;
  while (await play(strike, strike % 2 === 0 ? 'before' : 'after')) strike += 1;
  expect(strike).toBeGreaterThan(6);
});

const NAMES = ['one', 'other', 'third'] as const;
const WORDS = ['Quillfeather', 'Zephyrwick'];

/** A person's three devices, of which any may be away, with what was kept of their disks and of their words. */
async function household() {
  const first = await devices.create(devices.make('one'));
  await first.change(idOf('talk'), { messages: [said('Roses')], meta: { createdAt: NOW - 2000 } });
  await isSynced(first);
  const all = new Map<string, { device: TestDevice; tab: Tab | null; away: boolean; copy: Store | null }>();
  for (const name of NAMES) {
    const device = name === 'one' ? first : await devices.pair(first, devices.make(name));
    await until(async () => (await device.texts(idOf('talk'))).length > 0);
    all.set(name, { device, tab: null, away: false, copy: null });
  }
  const of = (name: string) => all.get(name) as NonNullable<ReturnType<typeof all.get>>;
  const tabAt = (name: string): Tab => {
    const one = of(name);
    const { store, sync } = one.device;
    const offline = { ...sync, status: writable({ ...SYNC_OFF, state: 'offline' as const }) };
    one.tab ??= tabOf({ store, sync: one.away ? offline : sync }, name);
    return one.tab;
  };
  const close = async (name: string) => {
    await of(name).tab?.close();
    of(name).tab = null;
  };
  const shut = async (name: string) => {
    await close(name);
    of(name).device.stop();
    of(name).away = true;
  };
  const back = async (name: string, store = of(name).device.store) => {
    const one = of(name);
    await close(name);
    one.device = restarted({ ...one.device, store });
    one.away = false;
  };
  return { of, tabAt, shut, back };
}

it('forgetting, sync, backups and disks that are put back, in whatever order', {
  timeout: 600_000,
}, async () => {
  const step = fc.record({
    who: fc.constantFrom(...NAMES),
    word: fc.constantFrom(...WORDS),
    do: fc.constantFrom('leave', 'leave', 'send', 'forget', 'forget', 'backup', 'import', 'copy', 'put back'),
  });
  const play = async (steps: readonly { who: (typeof NAMES)[number]; word: string; do: string }[]) => {
    const { of, tabAt, shut, back } = await household();
    const forgotten = new Set<string>();
    let backup = new Uint8Array();
    for (const { who, word, do: what } of steps) {
      if (what === 'leave' && !of(who).away) {
        await shut(who);
        // It has not heard of what the others do meanwhile, and so says what it said before.
        const known = openDevice({ store: of(who).device.store, engine: false, now: () => NOW - 500 });
        await known.notes.known();
        if (known.forget.records.get().length === 0) {
          await known.documents.change(idOf('talk'), { messages: [said(`${word} ${who}`)] });
          await known.say(`${who}${made}`, [`Of ${word}`], { title: `On ${word}`, titleBy: 'auto' });
          await known.notes.write({ text: `${word} of ${who} ${made}` });
        }
        await known.close();
      } else if (what === 'send' && of(who).away) {
        await back(who);
        await settled(of(who).device);
      } else if (what === 'forget') {
        forgotten.add(word);
        await forgets(tabAt(who), word);
      } else if (what === 'backup') {
        const { blob } = await tabAt(who).library.exportConversations('all', 'json');
        backup = new Uint8Array(await blob.arrayBuffer());
      } else if (what === 'import' && backup.length > 0)
        await tabAt(who).library.importFiles(filesOf({ 'backup.json': backup }));
      else if (what === 'copy') of(who).copy = await copyOfStore(of(who).device.store);
      else if (what === 'put back' && of(who).copy) {
        const { copy } = of(who);
        of(who).copy = null;
        await shut(who);
        await back(who, copy as Store);
      }
    }
    for (const name of NAMES) if (of(name).away) await back(name);
    const tabs = NAMES.map(tabAt);
    const together = NAMES.map((name) => of(name).device);
    await until(() =>
      tabs.every((tab) => NAMES.every((name) => forgotten.size === 0 || hasConfirmed(tab, name))),
    );
    for (const word of forgotten) expect(await heldBy(tabs, word, together)).toEqual([[], [], []]);
    for (const device of together) expect(await device.texts(idOf('talk'))).toContain('Roses');
    for (const close of closing.splice(0).reverse()) await close();
    for (const device of together) device.stop();
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), (steps) => play(steps)),
    { numRuns: runs(20, 3), endOnFailure: true },
  );
});
