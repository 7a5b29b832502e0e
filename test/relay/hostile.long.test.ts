// Attackers send all they can to a real relay process: it stays up, small, and serves all other clients.
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { readOptions } from '../../src/relay/options.ts';
import { openLevelStore } from '../../src/relay/store-level.ts';
import { deep } from '../scale.ts';
import {
  deepJson,
  deepValues,
  manyClients,
  manyDeletions,
  manyJsonValues,
  manyValues,
} from './hostile-updates.ts';
import {
  client,
  closeClients,
  createKey,
  type Key,
  makeUpdate,
  metric,
  openSocket,
  type RelayProcess,
  residentBytes,
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

const enter = async (...args: Parameters<typeof openSocket>) => {
  const opened = openSocket(...args);
  await opened.opened;
  await until('the greeting', () => opened.messages.length > 0);
  return opened;
};
/** Highest memory that the process has had, bytes. */
const peakOf = async ({ pid }: RelayProcess) =>
  Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
const isServing = async (relay: RelayProcess) => {
  const honest = client(relay, createKey(), 'honest');
  honest.doc.getArray('a').push([new Uint8Array(100)]);
  await honest.acknowledged();
};

describe('updates that would unpack to much', () => {
  it('end the connection of whoever sends them, and nothing else', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_ACCOUNT_BYTES_PER_SECOND: '1000000000' });
      const key = createKey();
      const attacks = [
        ...Array.from({ length: 4 }, (_, at) => manyValues(3_900_000, 20 + at)),
        deepValues(3_000_000),
        manyJsonValues(2_000_000),
        deepJson(3_000_000),
        manyClients(400_000),
        manyDeletions(1_000_000),
      ];
      await isServing(relay);
      const before = await peakOf(relay);
      for (const attack of attacks) {
        const stranger = await enter(relay, key, 'r');
        stranger.socket.send(updateMessage(attack));
        expect(await stranger.closed).toBe(4400);
      }
      await isServing(relay);
      expect((await peakOf(relay)) - before).toBeLessThan(250e6);
      await relay.stop();
    }));

  it('fill a room with 4403 before it is too much to be opened', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_ACCOUNT_BYTES_PER_SECOND: '1000000000' });
      const key = createKey();
      const stranger = await enter(relay, key, 'r');
      const send = (at: number) => stranger.socket.send(updateMessage(manyValues(200_000, 20 + at)));
      send(0);
      send(1);
      await vi.waitFor(async () => expect(await metric(relay, 'updates_total')).toBe(2), { timeout: 30_000 });
      for (let at = 2; at < 8; at++) send(at);
      expect(await stranger.closed).toBe(4403);
      expect(await metric(relay, 'updates_total')).toBe(2);
      const reader = client(relay, key, 'r');
      await reader.synced();
      expect(reader.doc.getArray('b').length).toBe(400_000);
      await relay.stop();
    }));
});

describe('a room that an older relay has stored and that cannot be opened', () => {
  const fill = async (folder: string, key: Key, updates: readonly Uint8Array[]) => {
    const store = await openLevelStore(folder);
    for (const update of updates) await store.append({ account: key.tag, room: 'r' }, update);
    await store.append({ account: key.tag, room: 'other' }, makeUpdate(100));
    await store.close();
  };

  it.each([
    ['unpacks to too much', 4403, () => [20, 21, 22, 23].map((id) => manyValues(3_900_000, id))],
    ['cannot be read', 4400, () => [makeUpdate(100), deepValues(100_000)]],
  ])('is refused alone, also after a restart, and can be erased: one that %s', (_, code, updates) =>
    withFolder(async (folder) => {
      const key = createKey();
      await fill(join(folder, 'data'), key, updates());
      for (let start = 0; start < 2; start++) {
        const relay = await startRelay({ RELAY_DATA: join(folder, 'data') });
        await isServing(relay);
        const before = await peakOf(relay);
        for (let visit = 0; visit < 3; visit++) expect(await openSocket(relay, key, 'r').closed).toBe(code);
        const other = client(relay, key, 'other');
        await other.synced();
        expect(other.doc.getArray('blobs').length).toBe(1);
        await isServing(relay);
        expect((await peakOf(relay)) - before).toBeLessThan(250e6);
        if (start === 1) {
          const erased = await fetch(`${relay.url}/${key.tag}/r`, {
            method: 'DELETE',
            headers: { authorization: `Bearer ${key.token}` },
          });
          expect(erased.status).toBe(204);
        }
        expect(await relay.stop()).toBe(0);
      }
    }),
  );
});

/** A TCP connection that says what it likes. */
const dial = (relay: RelayProcess) => {
  const { hostname, port } = new URL(relay.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  return { socket, closed };
};
/** A WebSocket on which frames are written by hand. Resolves when the relay has let it in. */
const dialWebSocket = async (relay: RelayProcess, key: Key, room = 'r') => {
  const { socket, closed } = dial(relay);
  const opened = new Promise<void>((done) => socket.once('data', () => done()));
  socket.write(
    [
      `GET /${key.tag}/${room} HTTP/1.1`,
      'Host: relay',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Protocol: recollect.${key.token}`,
      '',
      '',
    ].join('\r\n'),
  );
  await Promise.race([opened, closed]);
  return { socket, closed };
};
/** The first bytes of a masked frame of `length` bytes. */
const header = (length: number, { opcode = 2, fin = true } = {}) => {
  const first = (fin ? 0x80 : 0) | opcode;
  if (length < 126) return Buffer.from([first, 0x80 | length, 0, 0, 0, 0]);
  const bytes = Buffer.alloc(14);
  bytes[0] = first;
  bytes[1] = 0x80 | 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
};
const MIB = 1024 * 1024;
const isGone = (socket: Socket) => socket.destroyed;

describe('messages that never end', () => {
  it('are cut when one address holds too much of them, and the memory goes back', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_PING_SECONDS: '1' });
      await isServing(relay);
      const before = await residentBytes(relay);
      const part = Buffer.alloc(15 * MIB);
      const strangers = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const stranger = await dialWebSocket(relay, createKey());
          stranger.socket.write(header(16 * MIB - 100));
          stranger.socket.write(part);
          return stranger;
        }),
      );
      let highest = 0;
      await until('most to be cut', async () => {
        highest = Math.max(highest, await metric(relay, 'incoming_bytes'));
        return (await metric(relay, 'connections')) <= 5;
      });
      expect(highest).toBeLessThan(70 * MIB);
      expect(await metric(relay, 'cut_unfinished_total')).toBeGreaterThan(30);
      await isServing(relay);
      // What is left stands still, and answers no ping.
      // Two are honest.
      await until('the others to be cut', async () => (await metric(relay, 'connections')) <= 2);
      await until('nothing to be held', async () => (await metric(relay, 'incoming_bytes')) === 0);
      expect((await peakOf(relay)) - before).toBeLessThan(450e6);
      for (const { socket } of strangers) socket.destroy();
      await relay.stop();
    }));

  it('count with what holds them: bytes that come one by one, and fragments without end', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder });
      const slow = await dialWebSocket(relay, createKey());
      slow.socket.setNoDelay(true);
      slow.socket.write(header(MIB));
      for (let at = 0; at < 200; at++) {
        slow.socket.write(Buffer.from([at]));
        await new Promise((done) => setImmediate(done));
      }
      await until('all of it', async () => (await metric(relay, 'incoming_bytes')) > 200);
      expect(await metric(relay, 'incoming_bytes')).toBeLessThan(200_000);
      const fragments = await dialWebSocket(relay, createKey());
      fragments.socket.write(Buffer.concat([header(1, { fin: false }), Buffer.from([0])]));
      for (let at = 0; at < 2000; at++)
        fragments.socket.write(Buffer.concat([header(1, { opcode: 0, fin: false }), Buffer.from([0])]));
      await fragments.closed;
      slow.socket.destroy();
      await until('nothing to be held', async () => (await metric(relay, 'incoming_bytes')) === 0);
      await isServing(relay);
      await relay.stop();
    }));

  it('count nothing any more once they have ended', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder });
      const honest = client(relay, createKey(), 'r');
      for (let at = 0; at < 20; at++) honest.doc.getArray('a').push([new Uint8Array(300_000).fill(at)]);
      await honest.acknowledged();
      await until('nothing to be held', async () => (await metric(relay, 'incoming_bytes')) === 0);
      await relay.stop();
    }));
});

describe('connections that say nothing', () => {
  deep('are few from one address, and cut soon', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_MAX_SOCKETS_PER_IP: '50' });
      const silent = Array.from({ length: 400 }, () => dial(relay));
      await until('all but 50 to be cut', () => silent.filter(({ socket }) => isGone(socket)).length >= 350);
      // Half a request counts as none.
      for (const { socket } of silent) if (!isGone(socket)) socket.write('GET / HTTP/1.1\r\nHost: r');
      await until('the others to be cut', () => silent.every(({ socket }) => isGone(socket)), 40_000);
      await isServing(relay);
      await relay.stop();
    }),
  );

  it('may not send a header without end, nor an unknown extension', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder });
      const endless = dial(relay);
      endless.socket.write(`GET / HTTP/1.1\r\nHost: r\r\nX: ${'x'.repeat(20_000)}`);
      await endless.closed;
      const key = createKey();
      const squeezed = await dialWebSocket(relay, key);
      // A frame marked as compressed (permessage-deflate), which the handshake did not agree on.
      squeezed.socket.write(Buffer.from([0xc2, 0x80, 0, 0, 0, 0]));
      await squeezed.closed;
      await isServing(relay);
      await relay.stop();
    }));
});

describe('control frames', () => {
  it('count as messages, and are not answered to whoever does not read', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({
        RELAY_DATA: folder,
        RELAY_MESSAGES_PER_SECOND: '1000000',
        RELAY_ACCOUNT_MESSAGES_PER_SECOND: '1000000',
        RELAY_PING_SECONDS: '5',
      });
      await isServing(relay);
      const before = await residentBytes(relay);
      const stranger = await dialWebSocket(relay, createKey());
      stranger.socket.pause();
      const pings = Buffer.concat(
        Array.from({ length: 1000 }, () => Buffer.concat([header(125, { opcode: 9 }), Buffer.alloc(125)])),
      );
      for (let round = 0; round < 300 && !isGone(stranger.socket); round++)
        if (!stranger.socket.write(pings))
          await Promise.race([
            new Promise<void>((done) => stranger.socket.once('drain', () => done())),
            stranger.closed,
          ]);
      expect((await residentBytes(relay)) - before).toBeLessThan(100e6);
      await isServing(relay);
      stranger.socket.destroy();
      await relay.stop();
      const strict = await startRelay({ RELAY_DATA: folder });
      const flooder = openSocket(strict, createKey(), 'r');
      await flooder.opened;
      for (let at = 0; at < 3000; at++) flooder.socket.ping();
      expect(await flooder.closed).toBe(4429);
      const polite = openSocket(strict, createKey(), 'r');
      await polite.opened;
      const answered = new Promise((done) => polite.socket.once('pong', done));
      polite.socket.ping('here');
      expect(String(await answered)).toBe('here');
      await strict.stop();
    }));
});

describe('an address that others reach', () => {
  it('wants the accounts to be named, or to be open on purpose', async () => {
    await expect(startRelay({ HOST: '0.0.0.0' })).rejects.toThrow('RELAY_ACCOUNTS');
    for (const host of ['0.0.0.0', '::', '192.0.2.7', 'relay.example'])
      expect(() => readOptions([], { HOST: host })).toThrow('--open');
    for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
      expect(readOptions([], { HOST: host }).host).toBe(host);
    expect(readOptions(['--open'], { HOST: '0.0.0.0' }).accounts).toEqual([]);
    expect(readOptions([], { HOST: '0.0.0.0', RELAY_OPEN: '1' }).accounts).toEqual([]);
    expect(readOptions([], { HOST: '0.0.0.0', RELAY_ACCOUNTS: 'a' }).accounts).toEqual(['a']);
    expect(readOptions(['--help'], { HOST: '0.0.0.0' }).help).toBe(true);
  });
});
