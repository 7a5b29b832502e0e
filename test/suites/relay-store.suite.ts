// What every store of the relay promises (src/relay/store.ts).
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Change, ErasedError, type RelayStore } from '../../src/relay/store.ts';
import { until } from '../relay/support.ts';

export interface RelayStoreSetup {
  /** Opens the same store, again where it was open before. */
  open(): Promise<RelayStore>;
  /** True where two may be open at once, as in two processes. */
  readonly shared: boolean;
  remove(): Promise<void>;
}

const name = () => randomBytes(16).toString('base64url');
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const texts = (updates: readonly Uint8Array[]) => updates.map((update) => Buffer.from(update).toString());

export function describeRelayStore(title: string, prepare: () => Promise<RelayStoreSetup>): void {
  describe(title, () => {
    let setup: RelayStoreSetup;
    let store: RelayStore;
    beforeAll(async () => {
      setup = await prepare();
      store = await setup.open();
    });
    afterAll(async () => {
      await store.close();
      await setup.remove();
    });

    it('gives back what was appended, in order, numbered from one', async () => {
      const id = { account: name(), room: name() };
      expect(await store.load(id)).toEqual({ updates: [], position: 0, bytes: 0 });
      expect(await store.append(id, bytes('one'))).toEqual({ position: 1, bytes: 3 });
      expect(await store.append(id, bytes('three'))).toEqual({ position: 2, bytes: 8 });
      const log = await store.load(id);
      expect(texts(log.updates)).toEqual(['one', 'three']);
      expect(log).toMatchObject({ position: 2, bytes: 8 });
      expect(texts((await store.load(id, 1)).updates)).toEqual(['three']);
      expect((await store.load(id, 2)).updates).toEqual([]);
    });

    it('keeps any byte, and rooms apart, also where one name begins with another', async () => {
      const account = name();
      const every = new Uint8Array(256).map((_, index) => index);
      await store.append({ account, room: 'a' }, every);
      await store.append({ account, room: 'ab' }, bytes('ab'));
      await store.append({ account, room: 'a-' }, bytes('a-'));
      await store.append({ account, room: 'a.0' }, bytes('a.0'));
      expect([...((await store.load({ account, room: 'a' })).updates[0] ?? [])]).toEqual([...every]);
      expect(texts((await store.load({ account, room: 'ab' })).updates)).toEqual(['ab']);
      await store.erase(account, 'a');
      expect(texts((await store.load({ account, room: 'a-' })).updates)).toEqual(['a-']);
      expect(texts((await store.load({ account, room: 'a.0' })).updates)).toEqual(['a.0']);
      expect(await store.usage(account)).toEqual({ rooms: 3, bytes: 7 });
    });

    it('numbers what many append at once without a gap, and shares commits', async () => {
      const account = name();
      const rooms = ['x', 'y', 'z'];
      const asked = Array.from({ length: 300 }, (_, index) => {
        const id = { account, room: rooms[index % 3] as string };
        return store.append(id, bytes(String(index))).then(({ position }) => ({ id, index, position }));
      });
      const done = await Promise.all(asked);
      for (const room of rooms) {
        const mine = done.filter(({ id }) => id.room === room);
        expect(mine.map(({ position }) => position)).toEqual(mine.map((_, index) => index + 1));
        const log = await store.load({ account, room });
        expect(texts(log.updates)).toEqual(mine.map(({ index }) => String(index)));
      }
    });

    it('folds what is old into one and keeps what came later', async () => {
      const id = { account: name(), room: name() };
      for (const text of ['a', 'b', 'c', 'd']) await store.append(id, bytes(text));
      expect(await store.putSnapshot(id, 3, bytes('abc'))).toBe(4);
      const log = await store.load(id);
      expect(texts(log.updates)).toEqual(['abc', 'd']);
      expect(log).toMatchObject({ position: 4, bytes: 4 });
      // A client that has seen less than the snapshot gets all of it; one that has seen as much gets what came later.
      expect(texts((await store.load(id, 1)).updates)).toEqual(['abc', 'd']);
      expect(texts((await store.load(id, 3)).updates)).toEqual(['d']);
      expect(await store.append(id, bytes('e'))).toMatchObject({ position: 5, bytes: 5 });
      expect(await store.usage(id.account)).toEqual({ rooms: 1, bytes: 5 });
    });

    it('ignores a fold of what somebody else has folded away', async () => {
      const id = { account: name(), room: name() };
      for (const text of ['a', 'b', 'c']) await store.append(id, bytes(text));
      await store.putSnapshot(id, 3, bytes('ABC'));
      expect(await store.putSnapshot(id, 2, bytes('ab'))).toBe(3);
      expect(texts((await store.load(id)).updates)).toEqual(['ABC']);
    });

    it('folds beside appends without losing one', async () => {
      const id = { account: name(), room: name() };
      const seen = new Set<string>();
      const appends = Array.from({ length: 200 }, (_, index) => store.append(id, bytes(`${index};`)));
      for (let round = 0; round < 10; round++) {
        const { updates, position } = await store.load(id);
        if (position > 0) await store.putSnapshot(id, position, bytes(texts(updates).join('')));
      }
      await Promise.all(appends);
      for (const text of texts((await store.load(id)).updates)
        .join('')
        .split(';'))
        seen.add(text);
      for (let index = 0; index < 200; index++) expect(seen.has(String(index))).toBe(true);
    });

    it('erases a room for good and leaves the others', async () => {
      const account = name();
      const id = { account, room: 'gone' };
      await store.append(id, bytes('secret'));
      await store.append({ account, room: 'kept' }, bytes('kept'));
      await store.erase(account, 'gone');
      await expect(store.load(id)).rejects.toBeInstanceOf(ErasedError);
      await expect(store.append(id, bytes('again'))).rejects.toBeInstanceOf(ErasedError);
      await expect(store.putSnapshot(id, 1, bytes('again'))).rejects.toBeInstanceOf(ErasedError);
      expect(texts((await store.load({ account, room: 'kept' })).updates)).toEqual(['kept']);
      expect(await store.usage(account)).toEqual({ rooms: 1, bytes: 4 });
    });

    it('erases an account for good, and a room that never was', async () => {
      const account = name();
      await store.append({ account, room: 'a' }, bytes('a'));
      await store.append({ account, room: 'b' }, bytes('b'));
      const other = { account: name(), room: 'a' };
      await store.append(other, bytes('other'));
      await store.erase(account);
      for (const room of ['a', 'b', 'never'])
        await expect(store.load({ account, room })).rejects.toBeInstanceOf(ErasedError);
      await expect(store.append({ account, room: 'c' }, bytes('c'))).rejects.toBeInstanceOf(ErasedError);
      await expect(store.usage(account)).rejects.toBeInstanceOf(ErasedError);
      expect(texts((await store.load(other)).updates)).toEqual(['other']);
      await store.erase(other.account, 'unborn');
      await expect(store.append({ ...other, room: 'unborn' }, bytes('x'))).rejects.toBeInstanceOf(
        ErasedError,
      );
      // Twice is as good as once.
      await store.erase(account);
    });

    it('refuses one erased room without refusing those that are appended beside it', async () => {
      const account = name();
      await store.erase(account, 'gone');
      const results = await Promise.allSettled(
        ['a', 'gone', 'b'].map((room) => store.append({ account, room }, bytes(room))),
      );
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    it('holds large updates', async () => {
      const id = { account: name(), room: name() };
      const large = new Uint8Array(randomBytes(8 * 1024 * 1024));
      await store.append(id, large);
      const [found] = (await store.load(id)).updates;
      expect(Buffer.from(found ?? []).equals(Buffer.from(large))).toBe(true);
    });

    it('has everything again after it was closed', async () => {
      const id = { account: name(), room: name() };
      await store.append(id, bytes('before'));
      // Not awaited: closing waits for it.
      const late = store.append(id, bytes('late'));
      await store.close();
      await late;
      store = await setup.open();
      await store.ping();
      expect(texts((await store.load(id)).updates)).toEqual(['before', 'late']);
      expect(await store.append(id, bytes('after'))).toMatchObject({ position: 3 });
    });

    it('is open once, or tells the others what happened', async () => {
      if (!setup.shared) {
        await expect(setup.open()).rejects.toThrow();
        return;
      }
      const other = await setup.open();
      try {
        const heard: Change[] = [];
        other.subscribe((change) => heard.push(change));
        await until('the ear to be open', () => heard.includes(null));
        const id = { account: name(), room: name() };
        await store.append(id, bytes('news'));
        await until('the news', () => heard.some((change) => change?.room === id.room));
        expect(texts((await other.load(id)).updates)).toEqual(['news']);
        expect(await other.append(id, bytes('answer'))).toMatchObject({ position: 2 });
        await store.erase(id.account);
        await until('the erasure', () =>
          heard.some((change) => change?.account === id.account && change.room === undefined),
        );
        await expect(other.append(id, bytes('late'))).rejects.toBeInstanceOf(ErasedError);
      } finally {
        await other.close();
      }
    });

    it('gives positions in the order of commits when two write to the same rooms', async () => {
      if (!setup.shared) return;
      const other = await setup.open();
      try {
        const account = name();
        const rooms = ['p', 'q', 'r', 's'];
        const work = [store, other].flatMap((one, node) =>
          Array.from({ length: 200 }, (_, index) =>
            one.append({ account, room: rooms[(index * 7 + node) % 4] as string }, bytes(`${node}.${index}`)),
          ),
        );
        await Promise.all(work);
        let total = 0;
        for (const room of rooms) {
          const { updates, position } = await store.load({ account, room });
          expect(updates.length).toBe(position);
          total += position;
        }
        expect(total).toBe(400);
      } finally {
        await other.close();
      }
    });
  });
}
