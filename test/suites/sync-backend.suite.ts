// What every sync backend promises, as behaviour: rooms of opaque blobs, what is confirmed, and what erasing means.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RelayAccount, SyncBackend, SyncRoom } from '../../src/adapters/sync/sync-backend.ts';
import { blobKey } from '../../src/domain/sync/blob.ts';
import { toText } from '../../src/domain/sync/bytes.ts';

export interface BackendSubject {
  readonly backend: SyncBackend;
  readonly endpoint: string;
  /** Cuts every connection, and lets them come back. */
  readonly setOnline: (online: boolean) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const words = (room: SyncRoom) =>
  [...room.blobs().values()].map((blob) => new TextDecoder().decode(blob)).sort();
const text = (value: string) => new TextEncoder().encode(value);

export function describeSyncBackend(name: string, setup: () => Promise<BackendSubject>): void {
  describe(`${name} keeps rooms`, () => {
    let subject: BackendSubject;
    let account: RelayAccount;
    let rooms: { room: SyncRoom; changed: Set<() => void> }[];

    beforeEach(async () => {
      subject = await setup();
      account = { endpoint: subject.endpoint, token: toText(random(32)) };
      rooms = [];
    });
    afterEach(async () => {
      for (const { room } of rooms) room.close();
      await subject.dispose();
    });

    const enter = (id: string, as = account): SyncRoom => {
      const changed = new Set<() => void>();
      const room = subject.backend.open(as, id, () => {
        for (const look of changed) look();
      });
      rooms.push({ room, changed });
      return room;
    };
    const when = (room: SyncRoom, wanted: () => boolean) =>
      new Promise<void>((resolve, reject) => {
        const changed = rooms.find((one) => one.room === room)?.changed;
        const timer = setTimeout(() => {
          changed?.delete(look);
          reject(new Error(`never: ${room.state} ${room.problem?.code} ${words(room)}`));
        }, 10_000);
        const look = () => {
          if (!wanted()) return;
          clearTimeout(timer);
          changed?.delete(look);
          resolve();
        };
        changed?.add(look);
        look();
      });
    const synced = (room: SyncRoom) => when(room, () => room.state === 'synced');

    it('gives what one puts in to the other, and says when it is safe there', async () => {
      const id = toText(random(16));
      const [here, there] = [enter(id), enter(id)];
      await Promise.all([synced(here), synced(there)]);
      expect(words(here)).toEqual([]);
      const blob = text('one');
      here.insert([blob]);
      expect(words(here)).toEqual(['one']);
      await when(here, () => here.isConfirmed(blobKey(blob)));
      await when(there, () => words(there).length === 1);
      expect(there.isConfirmed(blobKey(blob))).toBe(true);
      const late = enter(id);
      await synced(late);
      expect(words(late)).toEqual(['one']);
    });

    it('puts a blob in once, and takes out what is named', async () => {
      const id = toText(random(16));
      const [here, there] = [enter(id), enter(id)];
      await Promise.all([synced(here), synced(there)]);
      here.insert(['a', 'b', 'c', 'd', 'e'].map(text));
      here.insert([text('c')]);
      await when(there, () => words(there).length === 5);
      there.remove(['a', 'c', 'd'].map((word) => blobKey(text(word))));
      await when(here, () => words(here).length === 2);
      expect(words(here)).toEqual(['b', 'e']);
      expect(words(there)).toEqual(['b', 'e']);
    });

    it('knows what it took out to be there no more, until it is put in again', async () => {
      const id = toText(random(16));
      const here = enter(id);
      await synced(here);
      const [one, two] = [text('one'), text('two')] as const;
      here.insert([one, two]);
      await when(here, () => here.isConfirmed(blobKey(one)) && here.isConfirmed(blobKey(two)));
      here.remove([blobKey(one)]);
      expect(here.isConfirmed(blobKey(one))).toBe(false);
      expect(here.isConfirmed(blobKey(two))).toBe(true);
      here.insert([one]);
      await when(here, () => here.isConfirmed(blobKey(one)));
      expect(words(here)).toEqual(['one', 'two']);
      here.insert([text('three')], [blobKey(one), blobKey(two)]);
      await when(here, () => here.isConfirmed(blobKey(text('three'))));
      expect(words(here)).toEqual(['three']);
      const late = enter(id);
      await synced(late);
      expect(words(late)).toEqual(['three']);
    });

    it('keeps rooms and accounts apart', async () => {
      const id = toText(random(16));
      const mine = enter(id);
      const other = enter(toText(random(16)));
      const theirs = enter(id, { endpoint: subject.endpoint, token: toText(random(32)) });
      await Promise.all([synced(mine), synced(other), synced(theirs)]);
      mine.insert([text('mine')]);
      await when(mine, () => mine.isConfirmed(blobKey(text('mine'))));
      const again = enter(id);
      await synced(again);
      expect(words(again)).toEqual(['mine']);
      expect(words(other)).toEqual([]);
      expect(words(theirs)).toEqual([]);
    });

    it('says that it is away, and comes back by itself', async () => {
      const id = toText(random(16));
      const here = enter(id);
      await synced(here);
      here.insert([text('before')]);
      await when(here, () => here.isConfirmed(blobKey(text('before'))));
      await subject.setOnline(false);
      await when(here, () => here.state === 'offline');
      expect(words(here)).toEqual([]);
      here.insert([text('while away')]);
      expect(here.isConfirmed(blobKey(text('while away')))).toBe(false);
      await subject.setOnline(true);
      here.retry();
      await synced(here);
      await when(here, () => words(here).length === 1);
      expect(words(here)).toEqual(['before']);
    });

    it('erases a room, and an account', async () => {
      const [one, two] = [toText(random(16)), toText(random(16))];
      for (const id of [one, two]) {
        const room = enter(id);
        await synced(room);
        room.insert([text(`in ${id}`)]);
        await when(room, () => room.isConfirmed(blobKey(text(`in ${id}`))));
        room.close();
      }
      const { signal } = new AbortController();
      await subject.backend.erase(account, one, signal);
      await subject.backend.erase(account, one, signal);
      const kept = enter(two);
      await synced(kept);
      expect(words(kept)).toEqual([`in ${two}`]);
      kept.close();
      await subject.backend.erase(account, null, signal);
      const gone = enter(two);
      await when(gone, () => gone.state !== 'connecting' && words(gone).length === 0);
      if (gone.state === 'refused') expect(gone.problem?.code).toBe('sync-deleted');
    });

    it('carries a few hundred blobs of many sizes', async () => {
      const id = toText(random(16));
      const [here, there] = [enter(id), enter(id)];
      await Promise.all([synced(here), synced(there)]);
      const blobs = Array.from({ length: 200 }, (_, number) => random(30 + ((number * 7919) % 40_000)));
      here.insert(blobs);
      await when(there, () => there.blobs().size === 200);
      await when(here, () => blobs.every((blob) => here.isConfirmed(blobKey(blob))));
      expect([...there.blobs().keys()].sort()).toEqual(blobs.map(blobKey).sort());
    });
  });
}
