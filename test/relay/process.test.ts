// A relay is killed at any byte, restarted empty or with last week's data, or has its memory read by a stranger.
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import { newConversationId } from '../../src/domain/base/ids.ts';
import { deep } from '../scale.ts';
import { createTestDevice, has, isSynced, settled, type TestDevice } from '../services/sync/device.ts';
import {
  client,
  closeClients,
  createKey,
  makeUpdate,
  openSocket,
  startRelay,
  stopAll,
  until,
  updateMessage,
  withFolder,
} from './support.ts';

// Real processes on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

afterEach(closeClients);
afterAll(stopAll);

const portOf = (relay: { url: string }) => new URL(relay.url).port;
const lengthOf = (doc: Y.Doc) => doc.getArray('a').length;

describe('a relay that is killed', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
  deep(`at random bytes has every update that it acknowledged (SEED=${seed})`, () =>
    withFolder(async (folder) => {
      let state = seed;
      const random = () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        return state / 0x7fffffff;
      };
      const key = createKey();
      const rooms = ['one', 'two', 'three'];
      // Long enough to be folded in between, so that kills hit folds too.
      const acknowledged = new Map<string, Set<number>>(rooms.map((room) => [room, new Set()]));
      const env = {
        RELAY_DATA: folder,
        RELAY_MESSAGES_PER_SECOND: '100000',
        RELAY_ACCOUNT_MESSAGES_PER_SECOND: '100000',
      };
      for (let round = 0; round < 5; round++) {
        const relay = await startRelay(env);
        for (const room of rooms) {
          const reader = client(relay, key, room);
          await reader.synced();
          const found = Y.decodeStateVector(Y.encodeStateVector(reader.doc));
          for (const id of acknowledged.get(room) ?? []) expect(found.has(id)).toBe(true);
          expect(reader.doc.store.pendingStructs).toBeNull();
          reader.close();
        }
        let budget = Math.floor(20_000 + random() * 400_000);
        const writers = rooms.map((room) => openSocket(relay, key, room));
        await Promise.all(writers.map(({ opened }) => opened));
        writers.forEach(({ socket }, index) => {
          socket.on('message', (message: Buffer) => {
            if (message[0] !== 0 || message[1] !== 2) return;
            let at = 2;
            while ((message[at] as number) > 127) at++;
            for (const id of Y.parseUpdateMeta(message.subarray(at + 1)).to.keys())
              acknowledged.get(rooms[index] as string)?.add(id);
          });
        });
        while (budget > 0) {
          const writer = writers[Math.floor(random() * 3)];
          const message = updateMessage(makeUpdate(Math.floor(random() * 1500)));
          budget -= message.length;
          writer?.socket.send(message);
          if (random() < 0.05) await new Promise((done) => setImmediate(done));
        }
        await relay.stop('SIGKILL');
        await Promise.all(writers.map(({ closed }) => closed));
      }
      const total = [...acknowledged.values()].reduce((sum, ids) => sum + ids.size, 0);
      expect(total).toBeGreaterThan(50);
    }),
  );

  it('and started again with nothing, is filled again by its clients', () =>
    withFolder(async (folder) => {
      const key = createKey();
      const first = await startRelay({ RELAY_DATA: join(folder, 'a') });
      const [a, b] = [client(first, key, 'r'), client(first, key, 'r')];
      for (let index = 0; index < 100; index++) {
        a.doc.getArray('a').push([`a${index}`]);
        b.doc.getArray('a').push([`b${index}`]);
        if (index === 60) await Promise.all([a.acknowledged(), b.acknowledged()]);
      }
      await first.stop('SIGKILL');
      for (const { doc } of [a, b]) doc.getArray('a').push(['while away']);
      await rm(join(folder, 'a'), { recursive: true });
      const second = await startRelay({ RELAY_DATA: join(folder, 'a'), PORT: portOf(first) });
      await until('both to have all', () => lengthOf(a.doc) === 202 && lengthOf(b.doc) === 202);
      const fresh = client(second, key, 'r');
      await until('a third to have all', () => lengthOf(fresh.doc) === 202);
      expect(fresh.doc.getArray('a').toJSON()).toEqual(a.doc.getArray('a').toJSON());
      expect(b.doc.getArray('a').toJSON()).toEqual(a.doc.getArray('a').toJSON());
    }));

  it('and started again from an old backup, is brought up to date by its clients', () =>
    withFolder(async (folder) => {
      const key = createKey();
      const first = await startRelay({
        RELAY_DATA: join(folder, 'a'),
        RELAY_BACKUP_DIR: join(folder, 'backups'),
      });
      const [a, b] = [client(first, key, 'r'), client(first, key, 'r')];
      a.doc.getArray('a').push(['old', 'to be deleted']);
      await a.acknowledged();
      process.kill(first.pid, 'SIGUSR2');
      let target = '';
      await until('the backup', () => {
        target = /"event":"backed-up","target":"([^"]+)"/.exec(first.lines.join('\n'))?.[1] ?? '';
        return target !== '';
      });
      await until('b to have it', () => lengthOf(b.doc) === 2);
      a.doc.getArray('a').delete(1, 1);
      b.doc.getArray('a').push(['new']);
      await Promise.all([a.acknowledged(), b.acknowledged()]);
      await first.stop('SIGKILL');
      const second = await startRelay({ RELAY_DATA: target, PORT: portOf(first) });
      await Promise.all([a, b].map((one) => until('to be back', () => one.provider.wsconnected)));
      const fresh = client(second, key, 'r');
      await until('a third to have all', () => fresh.doc.getArray('a').toJSON().join() === 'old,new');
    }));

  it('in a farewell that takes too long, loses nothing either', () =>
    withFolder(async (folder) => {
      const key = createKey();
      const first = await startRelay({ RELAY_DATA: folder, RELAY_DRAIN_SECONDS: '30' });
      const all = [1, 2, 3].map((number) => client(first, key, `${number}`));
      for (const { doc } of all) doc.getArray('a').push([1]);
      await Promise.all(all.map((one) => one.acknowledged()));
      process.kill(first.pid, 'SIGTERM');
      await until('the farewell to begin', () => all[0]?.closes.includes(1012));
      // The relay still serves connected clients while they wait, and refuses a new one.
      all[2]?.doc.getArray('a').push([2]);
      await all[2]?.acknowledged();
      process.kill(first.pid, 'SIGTERM');
      expect(await first.exited).toBe(1);
      const second = await startRelay({ RELAY_DATA: folder });
      const fresh = client(second, key, '3');
      await until('all of it', () => lengthOf(fresh.doc) === 2);
    }));
});

describe('a relay whose memory is read', () => {
  /** Finds which of these words are in the writable memory of the process, as Latin-1 or UTF-16. */
  async function findInMemory(pid: number, words: readonly string[]): Promise<Set<string>> {
    const forms = words.flatMap((word) =>
      (['utf8', 'utf16le'] as const).map((encoding) => ({ word, bytes: Buffer.from(word, encoding) })),
    );
    const overlap = Math.max(...forms.map(({ bytes }) => bytes.length)) - 1;
    const found = new Set<string>();
    const memory = await open(`/proc/${pid}/mem`, 'r');
    try {
      const part = Buffer.alloc(4 * 1024 * 1024);
      for (const line of (await readFile(`/proc/${pid}/maps`, 'utf8')).split('\n')) {
        const [, from = '', to = ''] = /^([\da-f]+)-([\da-f]+) rw/.exec(line) ?? [];
        const end = Number.parseInt(to, 16);
        for (let at = Number.parseInt(from, 16); at < end; ) {
          // Memory that was freed meanwhile cannot be read.
          const { bytesRead } = await memory
            .read(part, 0, Math.min(part.length, end - at), at)
            .catch(() => ({ bytesRead: 0 }));
          if (bytesRead === 0) break;
          const piece = part.subarray(0, bytesRead);
          for (const { word, bytes } of forms) if (piece.includes(bytes)) found.add(word);
          at += at + bytesRead < end ? Math.max(1, bytesRead - overlap) : bytesRead;
        }
      }
    } finally {
      await memory.close();
    }
    return found;
  }

  it('holds nothing of what two devices say through it, nor does its disk', ({ skip }) =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: join(folder, 'data') });
      const refusal = await open(`/proc/${relay.pid}/mem`, 'r').then(
        (memory) => memory.close().then(() => null),
        (error: Error) => error.message,
      );
      skip(refusal !== null, `the memory of a process cannot be read here: ${refusal}`);
      const backend = createWebsocketBackend({
        WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
        fetch,
      });
      const devices: TestDevice[] = [];
      try {
        const word = (what: string) => `canary-${what}-${Math.random().toString(36).slice(2)}`;
        const said = { text: word('text'), title: word('title'), desk: word('desk'), phone: word('phone') };
        const desk = createTestDevice({ name: said.desk, backend });
        const phone = createTestDevice({ name: said.phone, backend });
        devices.push(desk, phone);
        await desk.sync.create({ endpoint: relay.webSocketUrl, deviceName: said.desk });
        await isSynced(desk, 40_000);
        const { link, phrase, fingerprint } = await desk.sync.pairing('https://app.example/');
        await phone.sync.join(phone.sync.readOffer(link), { deviceName: said.phone });
        const id = newConversationId();
        await desk.change(id, { meta: { title: said.title } });
        const texts = [`${said.text} asked`, `${said.text} answered`];
        await desk.say(id, texts[0] as string);
        await has(phone, id, texts.slice(0, 1));
        await phone.say(id, texts[1] as string);
        await has(desk, id, texts);
        await settled(desk, phone);
        expect((await phone.read(id))?.meta.title).toBe(said.title);
        // Unsealed, through a room of another account, on the same way: it is found, or looking would mean nothing.
        const unsealed = word('unsealed');
        const writer = client(relay, createKey(), 'r');
        writer.doc.getArray('a').push([unsealed]);
        await writer.acknowledged();

        const secret = [...Object.values(said), id, phrase, fingerprint];
        const there = await findInMemory(relay.pid, [unsealed, ...secret]);
        expect([...there]).toEqual([unsealed]);
        const files = await readdir(join(folder, 'data'), { recursive: true, withFileTypes: true });
        for (const file of files.filter((entry) => entry.isFile())) {
          const bytes = await readFile(join(file.parentPath, file.name));
          for (const one of secret) expect(bytes.includes(one), `${one} in ${file.name}`).toBe(false);
        }
        for (const one of secret) expect(relay.lines.join('\n')).not.toContain(one);
      } finally {
        for (const device of devices) device.stop();
      }
    }));
});
