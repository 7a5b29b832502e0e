// A real relay process with the embedded store, stock clients, and strangers who misbehave.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { deep } from '../scale.ts';
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
} from './support.ts';

// Real processes may be slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

let folder: string;
let relay: RelayProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recollect-relay-'));
  relay = await startRelay({ RELAY_DATA: join(folder, 'a'), RELAY_EVICT_SECONDS: '1' });
});
afterEach(closeClients);
afterAll(async () => {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
});

/** Connects and waits for the relay's sync step 1. */
const enter = async (...args: Parameters<typeof openSocket>) => {
  const opened = openSocket(...args);
  await opened.opened;
  await until('the greeting', () => opened.messages.length > 0);
  return opened;
};
const isLive = async () => {
  const probe = await enter(relay, createKey(), 'probe');
  probe.socket.close();
  await probe.closed;
};

describe('stock y-websocket clients', () => {
  it('share a plain document, and find it again when everybody was gone', async () => {
    const key = createKey();
    const a = client(relay, key, 'plain');
    const b = client(relay, key, 'plain');
    a.doc.getText('t').insert(0, 'from a');
    b.doc.getMap<string>('m').set('k', 'from b');
    await until('both to see both', () => b.doc.getText('t').length > 0 && a.doc.getMap('m').has('k'));
    const gone = [a, b].map(({ provider }) => new Promise((done) => provider.once('connection-close', done)));
    a.close();
    b.close();
    await Promise.all(gone);
    await until('the room to leave memory', async () => (await metric(relay, 'rooms')) === 0);
    const c = client(relay, key, 'plain');
    await c.synced();
    expect(c.doc.getText('t').toString()).toBe('from a');
    expect(c.doc.getMap('m').get('k')).toBe('from b');
  });

  it('meet after each has written alone', async () => {
    const key = createKey();
    const docs = [1, 2, 3].map((number) => {
      const doc = new Y.Doc();
      for (let index = 0; index < 50; index++) doc.getArray<string>('a').push([`${number}.${index}`]);
      return doc;
    });
    const all = docs.map((doc) => client(relay, key, 'alone', doc));
    await until('all to have all', () => docs.every((doc) => doc.getArray('a').length === 150));
    for (const { doc } of all) expect(doc.getArray('a').toJSON()).toEqual(docs[0]?.getArray('a').toJSON());
  });

  it('hear their own update back when it is durable', async () => {
    const key = createKey();
    const a = client(relay, key, 'ack');
    await a.synced();
    const before = await metric(relay, 'updates_total');
    a.doc.getArray('a').push([1]);
    await a.acknowledged();
    expect(await metric(relay, 'updates_total')).toBe(before + 1);
  });

  it('come back with nothing new and leave the log as it was', async () => {
    const key = createKey();
    const a = client(relay, key, 'again');
    a.doc.getArray('a').push([1, 2, 3]);
    a.doc.getArray('a').delete(1, 1);
    await a.acknowledged();
    const before = await metric(relay, 'updates_total');
    const repeated = await metric(relay, 'repeated_updates_total');
    for (let round = 0; round < 3; round++) {
      a.provider.disconnect();
      await until('to be away', () => !a.provider.wsconnected);
      a.provider.connect();
      await a.synced();
      await until(
        'the answer',
        async () => (await metric(relay, 'repeated_updates_total')) > repeated + round,
      );
    }
    expect(await metric(relay, 'updates_total')).toBe(before);
  });

  it('see who else is there, and who is gone', async () => {
    const key = createKey();
    const a = client(relay, key, 'who');
    await a.synced();
    a.provider.awareness.setLocalState({ here: 'a' });
    const b = client(relay, key, 'who');
    await until('b to see a', () => b.provider.awareness.getStates().get(a.doc.clientID)?.here === 'a');
    a.provider.ws?.close();
    a.close();
    await until('b to see a go', () => !b.provider.awareness.getStates().has(a.doc.clientID));
  });

  it('are sent away for good with a wrong token', async () => {
    const key = createKey();
    const stranger = client(relay, { tag: key.tag, token: createKey().token }, 'room');
    await until('the close', () => stranger.closes.length > 0);
    expect(stranger.closes).toEqual([4401]);
    await until('it to give up', () => !stranger.provider.shouldConnect);
  });
});

describe('whoever wants to come in', () => {
  it('gets the subprotocol answered, without the token where one without is offered', async () => {
    const key = createKey();
    const plain = await enter(relay, key, 'r');
    expect(plain.socket.protocol).toBe(`recollect.${key.token}`);
    const careful = await enter(relay, key, 'r', { protocols: ['recollect.v1', `recollect.${key.token}`] });
    expect(careful.socket.protocol).toBe('recollect.v1');
    plain.socket.close();
    careful.socket.close();
  });

  it('is refused before anything else with a wrong token, none, or junk', async () => {
    const key = createKey();
    const wrong = [
      [`recollect.${createKey().token}`],
      ['recollect.v1'],
      ['recollect.x'],
      ['recollect.!!'],
      ['other'],
      [],
    ];
    for (const protocols of wrong) {
      const stranger = openSocket(relay, key, 'r', { protocols });
      expect(await stranger.closed).toBe(4401);
      expect(stranger.messages).toEqual([]);
    }
  });

  it('is told with 4426 that none of the protocols that it speaks is spoken here', async () => {
    const key = createKey();
    const newer = openSocket(relay, key, 'r', { protocols: ['recollect.v2', `recollect.${key.token}`] });
    expect(await newer.closed).toBe(4426);
    const both = ['recollect.v2', 'recollect.v1', `recollect.${key.token}`];
    const patient = await enter(relay, key, 'r', { protocols: both });
    expect(patient.socket.protocol).toBe('recollect.v1');
    patient.socket.close();
  });

  it('must come from an origin and to an account that were named, where some were', async () => {
    const [known, unknown] = [createKey(), createKey()];
    const strict = await startRelay({
      RELAY_DATA: join(folder, 'strict'),
      RELAY_ORIGINS: 'https://app.example, https://other.example',
      RELAY_ACCOUNTS: known.tag,
    });
    await expect(openSocket(strict, known, 'r', { origin: 'https://evil.example' }).opened).rejects.toThrow(
      '403',
    );
    const good = openSocket(strict, known, 'r', { origin: 'https://other.example' });
    await good.opened;
    // Clients outside of browsers send no origin.
    await openSocket(strict, known, 'r').opened;
    expect(await openSocket(strict, unknown, 'r').closed).toBe(4401);
    expect(
      (
        await fetch(`${strict.url}/${known.tag}`, {
          method: 'DELETE',
          headers: { origin: 'https://evil.example' },
        })
      ).status,
    ).toBe(403);
    await strict.stop();
  });

  it('finds rooms at their address only', async () => {
    const key = createKey();
    await expect(openSocket(relay, key, '').opened).rejects.toThrow('404');
    await expect(openSocket(relay, key, 'a/b').opened).rejects.toThrow('404');
    await expect(openSocket(relay, key, 'x'.repeat(129)).opened).rejects.toThrow('404');
    await expect(openSocket(relay, { ...key, tag: 'short' }, 'room').opened).rejects.toThrow('404');
  });
});

describe('strangers who misbehave', () => {
  it("end their own connection with a malformed frame, and nobody else's", async () => {
    const key = createKey();
    const bystander = await enter(relay, key, 'calm');
    const handshake = [
      `GET /${key.tag}/room HTTP/1.1`,
      'Host: relay',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Protocol: recollect.${key.token}`,
      '',
      '',
    ].join('\r\n');
    // RSV bits set, a reserved opcode, no mask, a wrong length, a continuation without a
    // beginning, and a frame cut half-way.
    const frames = [
      'f2810000000000',
      '8b800000',
      '820100',
      '82ff7fffffffffffffff00000000',
      '808000000000',
      '8280',
    ];
    for (const frame of frames) {
      const { hostname, port } = new URL(relay.url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      const ended = new Promise((done) => socket.once('close', done));
      socket.once('data', () => {
        socket.write(Buffer.from(frame, 'hex'));
        if (frame === '8280') socket.destroy();
      });
      socket.write(handshake);
      await ended;
    }
    const { hostname, port } = new URL(relay.url);
    for (const garbage of ['\0\0\0', 'GET / HTTP/9\r\n\r\n', randomBytes(500).toString('latin1')]) {
      const socket = connect(Number(port), hostname);
      const ended = new Promise((done) => socket.once('close', done));
      socket.on('error', () => {});
      socket.end(garbage);
      socket.resume();
      await ended;
    }
    expect(bystander.socket.readyState).toBe(bystander.socket.OPEN);
    bystander.socket.close();
    await isLive();
  });

  it('are closed with 4400 for junk, while unknown kinds of message are let pass', async () => {
    const key = createKey();
    const junk: (Buffer | string)[] = [
      'text',
      Buffer.from([]),
      Buffer.from([0]),
      Buffer.from([0, 2, 200, 1]),
      Buffer.from([0, 2, 3, 255, 255, 255]),
      Buffer.from([0, 0, 2, 255, 255]),
      Buffer.from([0, 1, 4, 1, 1, 1, 0]),
      Buffer.from([1, 3, 9, 9, 9]),
      Buffer.alloc(12, 255),
      updateMessage(makeUpdate(100).subarray(0, 60)),
    ];
    for (const message of junk) {
      const stranger = await enter(relay, key, 'junk');
      stranger.socket.send(message);
      expect([message, await stranger.closed]).toEqual([message, 4400]);
    }
    const polite = await enter(relay, key, 'junk');
    for (const message of [[2, 0], [3], [77, 1, 2, 3], [0, 9, 0]]) polite.socket.send(Buffer.from(message));
    const update = makeUpdate(10);
    polite.socket.send(updateMessage(update));
    await until('the echo', () => polite.messages.some((message) => message.includes(Buffer.from(update))));
    polite.socket.close();
  });

  it('may not say much of themselves in awareness', async () => {
    const stranger = await enter(relay, createKey(), 'loud');
    const state = JSON.stringify('x'.repeat(1100));
    const inner = Buffer.concat([
      Buffer.from([1, 5, 1, (state.length & 127) | 128, state.length >> 7]),
      Buffer.from(state),
    ]);
    stranger.socket.send(
      Buffer.concat([Buffer.from([1, (inner.length & 127) | 128, inner.length >> 7]), inner]),
    );
    expect(await stranger.closed).toBe(4400);
  });

  it('are cut off for a frame above the limit, and refused an update above its own', async () => {
    const key = createKey();
    const small = await startRelay({
      RELAY_DATA: join(folder, 'small'),
      RELAY_MAX_PAYLOAD: '100000',
      RELAY_MAX_UPDATE: '50000',
    });
    const huge = await enter(small, key, 'r');
    huge.socket.send(updateMessage(makeUpdate(200_000)));
    expect(await huge.closed).toBe(4403);
    // A stock client stays away, because the same frame would be too large again.
    const stubborn = client(small, key, 'other');
    await stubborn.synced();
    stubborn.doc.getArray('a').push([new Uint8Array(randomBytes(200_000))]);
    await until('it to give up', () => !stubborn.provider.shouldConnect);
    expect(stubborn.closes).toEqual([4403]);
    const large = await enter(small, key, 'r');
    large.socket.send(updateMessage(makeUpdate(60_000)));
    expect(await large.closed).toBe(4403);
    const fits = await enter(small, key, 'r');
    fits.socket.send(updateMessage(makeUpdate(40_000)));
    await until('the echo', () => fits.messages.length > 1);
    await small.stop();
  });

  deep('do not make the relay hold what they do not read', async () => {
    const key = createKey();
    const busy = await startRelay({
      RELAY_DATA: join(folder, 'busy'),
      RELAY_MAX_BUFFERED: String(1024 * 1024),
      RELAY_MESSAGES_PER_SECOND: '10000',
      RELAY_ACCOUNT_MESSAGES_PER_SECOND: '10000',
      RELAY_ACCOUNT_BYTES_PER_SECOND: String(1024 * 1024 * 1024),
      RELAY_MAX_ROOM: String(1024 * 1024 * 1024),
    });
    const writer = await enter(busy, key, 'r');
    const readers = await Promise.all([1, 2, 3, 4].map(() => enter(busy, key, 'r')));
    for (const { socket } of readers) socket.pause();
    const before = await residentBytes(busy);
    let highest = 0;
    const doc = new Y.Doc();
    const blobs = doc.getArray<Uint8Array>('blobs');
    // 160 MB pass through a room of 1 MB. The relay holds each frame once at most for all clients that do not read.
    for (let round = 0; round < 160; round++) {
      const echoes = writer.messages.length;
      const before = Y.encodeStateVector(doc);
      doc.transact(() => {
        blobs.delete(0, blobs.length);
        blobs.push([new Uint8Array(randomBytes(1_000_000))]);
      });
      writer.socket.send(updateMessage(Y.encodeStateAsUpdate(doc, before)));
      await until('the echo', () => writer.messages.length > echoes);
      writer.messages.length = 0;
      writer.messages.push(Buffer.alloc(0));
      if (round % 40 === 39) highest = Math.max(highest, await residentBytes(busy));
    }
    await until('the readers to be cut', async () => (await metric(busy, 'connections')) === 1);
    expect(highest - before).toBeLessThan(100e6);
    for (const { socket } of readers) socket.terminate();
    await busy.stop();
  });

  deep.each([
    ['nothing', () => Buffer.from([0, 0, 1, 0])],
    ['something else each', (index: number) => Buffer.from([0, 0, 3, 1, index + 1, 1])],
  ])(
    'do not make the relay hold a room for each who asks for it, knowing %s, and does not read',
    async (_, ask) => {
      const key = createKey();
      const busy = await startRelay({
        RELAY_DATA: await mkdtemp(join(folder, 'asked-')),
        RELAY_PING_SECONDS: '2',
        RELAY_ACCOUNT_BYTES_PER_SECOND: String(1024 * 1024 * 1024),
      });
      const writer = await enter(busy, key, 'r');
      for (let index = 0; index < 4; index++) writer.socket.send(updateMessage(makeUpdate(6_000_000)));
      await until('the echoes', () => writer.messages.length === 5);
      const all = await Promise.all(Array.from({ length: 60 }, () => enter(busy, key, 'r')));
      const before = await residentBytes(busy);
      let highest = 0;
      for (const [index, { socket }] of all.entries()) {
        socket.pause();
        socket.send(ask(index));
      }
      // The relay serves the client that reads as soon as it has cut the others.
      const phone = client(busy, key, 'r');
      await until('the others to be cut', async () => {
        highest = Math.max(highest, await residentBytes(busy));
        return (await metric(busy, 'connections')) <= 2;
      });
      expect(highest - before).toBeLessThan(350e6);
      await phone.synced();
      expect(phone.doc.getArray('blobs').length).toBe(4);
      for (const { socket } of all) socket.terminate();
      await busy.stop();
    },
  );

  it('do not keep a room that is larger than what may wait from those who read it', async () => {
    const key = createKey();
    const env = { RELAY_DATA: join(folder, 'unsent') };
    const large = await startRelay(env);
    const writer = await enter(large, key, 'r');
    for (let index = 0; index < 4; index++) writer.socket.send(updateMessage(makeUpdate(1_000_000)));
    await until('the echoes', () => writer.messages.length === 5);
    await large.stop();
    const small = await startRelay({ ...env, RELAY_MAX_ROOM: '100000' });
    const phones = [1, 2, 3, 4].map(() => client(small, key, 'r'));
    await Promise.all(phones.map((phone) => phone.synced()));
    for (const { doc, closes } of phones) {
      expect(doc.getArray('blobs').length).toBe(4);
      expect(closes).toEqual([]);
    }
    expect(await metric(small, 'outgoing_bytes')).toBe(0);
    await small.stop();
  });

  it('are closed with 4429 when they flood, and do not slow others down', async () => {
    const key = createKey();
    const flooder = await enter(relay, key, 'flood');
    const message = updateMessage(makeUpdate(10));
    const feed = setInterval(() => {
      for (let index = 0; index < 500 && flooder.socket.readyState === flooder.socket.OPEN; index++)
        flooder.socket.send(message);
    }, 5);
    expect(await flooder.closed).toBe(4429);
    clearInterval(feed);
    await isLive();
  });

  it('may not hold more connections than is fair, by account and by address', async () => {
    const few = await startRelay({
      RELAY_DATA: join(folder, 'few'),
      RELAY_MAX_CONNECTIONS_PER_ACCOUNT: '3',
      RELAY_MAX_CONNECTIONS_PER_IP: '5',
    });
    const key = createKey();
    const mine = await Promise.all([1, 2, 3].map(() => enter(few, key, 'r')));
    expect(await openSocket(few, key, 'r').closed).toBe(1013);
    // The refusal is temporary: a stock client retries and gets in when there is a place.
    const waiting = client(few, key, 'r');
    await until('it to be sent away', () => waiting.closes.length > 0);
    mine[1]?.socket.close();
    await waiting.synced();
    expect(new Set(waiting.closes)).toEqual(new Set([1013]));
    await enter(few, createKey(), 'r');
    await enter(few, createKey(), 'r');
    await expect(openSocket(few, createKey(), 'r').opened).rejects.toThrow('429');
    mine[0]?.socket.close();
    await mine[0]?.closed;
    await until('a place to be free', () =>
      enter(few, createKey(), 'r').then(
        () => true,
        () => false,
      ),
    );
    await few.stop();
    const full = await startRelay({ RELAY_DATA: join(folder, 'few'), RELAY_MAX_CONNECTIONS: '1' });
    await enter(full, createKey(), 'r');
    await expect(openSocket(full, createKey(), 'r').opened).rejects.toThrow('503');
    await full.stop();
  });
});

describe('a log', () => {
  it('is folded while it is in use, and what was deleted takes no place any more', async () => {
    const key = createKey();
    const a = client(relay, key, 'long');
    await a.synced();
    const folds = await metric(relay, 'snapshots_total');
    const blobs = a.doc.getArray<Uint8Array>('blobs');
    for (let index = 0; index < 80; index++) blobs.push([new Uint8Array(randomBytes(10_000))]);
    a.doc.transact(() => {
      blobs.delete(0, 80);
      blobs.push([new Uint8Array(randomBytes(50_000))]);
    });
    // More updates follow; compaction reads the log only when its turn comes.
    for (let index = 0; index < 200; index++) blobs.push([new Uint8Array([index])]);
    await a.acknowledged();
    const usage = async (): Promise<{ bytes: number }> =>
      (await fetch(`${relay.url}/${key.tag}`, { headers: { authorization: `Bearer ${key.token}` } })).json();
    await until('the log to be short', async () => (await usage()).bytes < 60_000);
    // The store reports the new size before it has purged the old entries; the relay counts the snapshot after that.
    await until('the snapshot to be counted', async () => (await metric(relay, 'snapshots_total')) > folds);
    const b = client(relay, key, 'long');
    await b.synced();
    expect(b.doc.getArray('blobs').length).toBe(201);
  });

  it('keeps what waits for something that has not come yet', async () => {
    const key = createKey();
    const doc = new Y.Doc();
    doc.getArray('a').push(['first']);
    const first = Y.encodeStateAsUpdate(doc);
    const vector = Y.encodeStateVector(doc);
    doc.getArray('a').push(['second']);
    const second = Y.encodeStateAsUpdate(doc, vector);
    const writer = await enter(relay, key, 'gap');
    writer.socket.send(updateMessage(second));
    for (let index = 0; index < 30; index++) writer.socket.send(updateMessage(makeUpdate(10)));
    await until('the echoes', () => writer.messages.length === 32);
    writer.socket.close();
    await until('the room to leave memory', async () => (await metric(relay, 'rooms')) === 0);
    const late = await enter(relay, key, 'gap');
    late.socket.send(updateMessage(first));
    await until('the echo', () => late.messages.length === 2);
    const reader = client(relay, key, 'gap');
    await reader.synced();
    expect(reader.doc.getArray('a').toJSON()).toEqual(['first', 'second']);
    late.socket.close();
  });
});

describe('an account that asks for much', () => {
  deep('is slowed down, not sent away, and gets all of it', async () => {
    const slow = await startRelay({
      RELAY_DATA: join(folder, 'slow'),
      RELAY_ACCOUNT_BYTES_PER_SECOND: '300000',
      RELAY_PING_SECONDS: '1',
    });
    const key = createKey();
    const a = client(slow, key, 'r');
    await a.synced();
    const started = Date.now();
    // The relay allows a burst of 10 seconds' worth; 4.5 MB is half as much again.
    for (let index = 0; index < 45; index++) a.doc.getArray('a').push([new Uint8Array(randomBytes(100_000))]);
    await a.acknowledged();
    expect(Date.now() - started).toBeGreaterThan(2000);
    expect(a.closes).toEqual([]);
    // Reconnecting does not get around the limit.
    const codes = new Set<number>();
    for (let visit = 0; visit < 30 && codes.size === 0; visit++) {
      const visitor = openSocket(slow, key, 'r');
      const code = await Promise.race([
        visitor.closed,
        until('the greeting', () => visitor.messages.length > 0).then(() => 0),
      ]);
      if (code !== 0) codes.add(code);
      visitor.socket.terminate();
    }
    expect([...codes]).toEqual([1013]);
    const other = await enter(slow, createKey(), 'r');
    other.socket.close();
    await slow.stop();
  });
});

describe('behind a proxy', () => {
  it('the last hop says who comes, and what a client says of itself is not believed', async () => {
    const proxied = await startRelay({
      RELAY_DATA: join(folder, 'proxied'),
      RELAY_TRUST_PROXY: '1',
      RELAY_MAX_CONNECTIONS_PER_IP: '1',
    });
    const from = async (forwarded: string) => {
      const opened = openSocket(proxied, createKey(), 'r', { headers: { 'x-forwarded-for': forwarded } });
      return opened.opened.then(
        () => 'open',
        (error: Error) => error.message,
      );
    };
    expect(await from('192.0.2.1')).toBe('open');
    expect(await from('203.0.113.7, 192.0.2.1')).toBe('HTTP 429');
    expect(await from('192.0.2.2')).toBe('open');
    expect(await from('2001:db8:1:2:3::1')).toBe('open');
    expect(await from('2001:db8:1:2:4::1')).toBe('HTTP 429');
    expect(await from('2001:db8:1:3::1')).toBe('open');
    await proxied.stop();
  });
});

describe('quotas', () => {
  it('close with 4403 when a room is full, after making room from what was deleted', async () => {
    const key = createKey();
    const tight = await startRelay({ RELAY_DATA: join(folder, 'tight'), RELAY_MAX_ROOM: '100000' });
    const a = client(tight, key, 'r');
    await a.synced();
    const blobs = a.doc.getArray<Uint8Array>('blobs');
    // Ten times the room's limit passes, because the client deletes each blob before the next.
    for (let round = 0; round < 10; round++) {
      a.doc.transact(() => {
        if (blobs.length > 0) blobs.delete(0, blobs.length);
        blobs.push([new Uint8Array(randomBytes(60_000))]);
      });
      await until('the relay to have it', async () => (await metric(tight, 'updates_total')) === round + 1);
    }
    expect(a.closes).toEqual([]);
    blobs.push([new Uint8Array(randomBytes(60_000))]);
    await until('the close', () => a.closes.length > 0);
    expect(a.closes).toEqual([4403]);
    const b = client(tight, key, 'r');
    await b.synced();
    expect(b.doc.getArray('blobs').length).toBe(1);
    await tight.stop();
  });

  it('count all rooms of an account together, and how many there are', async () => {
    const key = createKey();
    const tight = await startRelay({
      RELAY_DATA: join(folder, 'account'),
      RELAY_MAX_ACCOUNT: '100000',
      RELAY_MAX_ROOMS: '3',
    });
    const fill = async (room: string, size: number) => {
      const made = await enter(tight, key, room);
      const echo = until('the echo', () => made.messages.length > 1).then(() => 'stored');
      echo.catch(() => {});
      made.socket.send(updateMessage(makeUpdate(size)));
      const result = await Promise.race([echo, made.closed]);
      made.socket.close();
      return result;
    };
    expect(await fill('a', 40_000)).toBe('stored');
    expect(await fill('b', 40_000)).toBe('stored');
    expect(await fill('a', 40_000)).toBe(4403);
    expect(await fill('c', 100)).toBe('stored');
    expect(await fill('d', 100)).toBe(4403);
    const usage = await fetch(`${tight.url}/${key.tag}`, {
      headers: { authorization: `Bearer ${key.token}` },
    });
    expect(await usage.json()).toMatchObject({ rooms: 3, limit: 100_000 });
    await tight.stop();
  });
});

describe('erasure', () => {
  const erase = (path: string, token: string) =>
    fetch(`${relay.url}/${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });

  it('needs the token', async () => {
    const key = createKey();
    expect((await fetch(`${relay.url}/${key.tag}`, { method: 'DELETE' })).status).toBe(401);
    expect((await erase(key.tag, createKey().token)).status).toBe(401);
    expect((await erase(`${key.tag}/room`, 'x')).status).toBe(401);
  });

  it('of a room tells those in it, keeps it gone, and leaves the others', async () => {
    const key = createKey();
    const a = client(relay, key, 'a');
    const b = client(relay, key, 'b');
    a.doc.getArray('a').push(['a']);
    b.doc.getArray('a').push(['b']);
    await Promise.all([a.acknowledged(), b.acknowledged()]);
    expect((await erase(`${key.tag}/a`, key.token)).status).toBe(204);
    await until('the close', () => a.closes.length > 0);
    expect(a.closes).toEqual([4404]);
    expect(await openSocket(relay, key, 'a').closed).toBe(4404);
    expect(b.closes).toEqual([]);
    const other = client(relay, key, 'b');
    await other.synced();
    expect(other.doc.getArray('a').toJSON()).toEqual(['b']);
  });

  it('of an account takes all its rooms, also those nobody is in', async () => {
    const key = createKey();
    const a = client(relay, key, 'a');
    const b = client(relay, key, 'b');
    a.doc.getArray('a').push(['a']);
    b.doc.getArray('a').push(['b']);
    await Promise.all([a.acknowledged(), b.acknowledged()]);
    b.close();
    expect((await erase(key.tag, key.token)).status).toBe(204);
    await until('the close', () => a.closes.length > 0);
    expect(a.closes).toEqual([4404]);
    for (const room of ['a', 'b', 'new']) expect(await openSocket(relay, key, room).closed).toBe(4404);
    const usage = await fetch(`${relay.url}/${key.tag}`, {
      headers: { authorization: `Bearer ${key.token}` },
    });
    expect(usage.status).toBe(404);
  });

  it('may be asked for by a page from elsewhere', async () => {
    const key = createKey();
    const asked = await fetch(`${relay.url}/${key.tag}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'DELETE' },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(asked.headers.get('access-control-allow-headers')).toBe('Authorization');
  });
});

describe('whoever runs it', () => {
  it('can ask how it is and what it does, and learns no names', async () => {
    const key = createKey();
    const a = client(relay, key, 'a-telling-name');
    a.doc.getArray('a').push([1]);
    await a.acknowledged();
    expect(await (await fetch(`${relay.url}/healthz`)).text()).toBe('ok\n');
    expect((await fetch(`${relay.url}/readyz`)).status).toBe(200);
    const figures = await (await fetch(`${relay.url}/metrics`)).text();
    expect(figures).toMatch(/^recollect_relay_updates_total \d+$/m);
    expect(figures).toMatch(/^recollect_relay_commit_seconds_bucket\{le="\+Inf"\} \d+$/m);
    await fetch(`${relay.url}/${key.tag}/a-telling-name?secret=in-the-query`);
    for (const text of [figures, relay.lines.join('\n')])
      for (const name of [key.tag, key.token, 'a-telling-name', 'in-the-query'])
        expect(text).not.toContain(name);
    for (const line of relay.lines) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('can end it: everybody is asked to come again, and what was sent is kept', async () => {
    const key = createKey();
    const data = join(folder, 'ended');
    const first = await startRelay({ RELAY_DATA: data, RELAY_DRAIN_SECONDS: '0.3' });
    const all = [1, 2, 3, 4].map((number) => client(first, key, `room-${number}`));
    for (const { doc } of all) doc.getArray('a').push([1, 2, 3]);
    await Promise.all(all.map((one) => one.acknowledged()));
    expect(await first.stop()).toBe(0);
    for (const { closes } of all) expect(closes[0]).toBe(1012);
    for (const one of all) one.provider.disconnect();
    const second = await startRelay({ RELAY_DATA: data });
    const late = client(second, key, 'room-3');
    await late.synced();
    expect(late.doc.getArray('a').toJSON()).toEqual([1, 2, 3]);
    expect(await second.stop()).toBe(0);
  });

  it('can make an account up for somebody', async () => {
    const main = join(import.meta.dirname, '../../src/relay/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      main,
      '--new-account',
    ]);
    const key: Key = JSON.parse(stdout);
    const a = client(relay, key, 'r');
    await a.synced();
  });

  it('is told what is wrong with what they asked for', async () => {
    await expect(startRelay({ PORT: 'ninety' })).rejects.toThrow('PORT');
    await expect(startRelay({}, ['--serve', join(folder, 'nothing')])).rejects.toThrow('npm run build');
  });

  it('can have the app handed out too, with the headers it needs', async () => {
    const pages = join(folder, 'dist');
    await mkdir(join(pages, 'assets'), { recursive: true });
    await writeFile(join(pages, 'index.html'), '<!doctype html><title>app</title>');
    await writeFile(join(pages, 'assets/a-12345678.js'), 'export {};');
    await writeFile(join(pages, 'assets/sync.worker-12345678.js'), 'export {};');
    const serving = await startRelay({ RELAY_DATA: join(folder, 'serving') }, ['--serve', pages]);
    for (const path of ['/', '/settings/sync', '/assets/', '/assets/gone']) {
      const page = await fetch(`${serving.url}${path}`);
      expect(await page.text()).toContain('<title>app</title>');
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('permissions-policy')).toMatch(/^microphone=\(self\), camera=\(self\), geo/);
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain("connect-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
    }
    const script = await fetch(`${serving.url}/assets/a-12345678.js`);
    expect(script.headers.get('content-type')).toContain('javascript');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-security-policy')).toContain("connect-src 'self';");
    // A worker has its own policy; this one must allow any relay that a person names.
    const worker = await fetch(`${serving.url}/assets/sync.worker-12345678.js`);
    expect(worker.headers.get('content-security-policy')).toContain(
      "connect-src 'self' http: https: ws: wss:;",
    );
    expect((await fetch(`${serving.url}/assets/missing.js`)).status).toBe(404);
    const outside = await fetch(`${serving.url}/..%2f..%2f..%2f..%2fetc/passwd`);
    expect(await outside.text()).not.toContain('root:');
    const a = client(serving, createKey(), 'beside');
    await a.synced();
    await serving.stop();
  });
});
