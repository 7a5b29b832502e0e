// Lines that are slow but alive: rooms that take longer than any limit, either way,
// and the stock client's own watchdog.
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import type { SyncBackend, SyncRoom } from '../../../src/adapters/sync/sync-backend.ts';
import { createWebsocketBackend } from '../../../src/adapters/sync/y-websocket.ts';
import { blobKey } from '../../../src/domain/sync/blob.ts';
import { toText } from '../../../src/domain/sync/bytes.ts';
import { accountTag, tokenProtocol } from '../../../src/domain/sync/keys.ts';
import { deep } from '../../scale.ts';
import { type RelayHere, startRelayHere } from '../../sync/relay-here.ts';

// Replaces the clock before the client's libraries load, because they keep a reference to it.
const clock = vi.hoisted(() => {
  const real = Date.now.bind(Date);
  const state = { ahead: 0 };
  Date.now = () => real() + state.ahead;
  return state;
});

const KIB = 1024;
const random = (bytes: number) => {
  const made = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(made.subarray(at, at + 65_536));
  return made;
};

/** Lets so many bytes through a second, and holds little of them. */
function throttle(bytesPerSecond: number) {
  let due = 0;
  return new Transform({
    highWaterMark: 16 * KIB,
    transform(chunk: Buffer, _encoding, done) {
      const now = performance.now();
      due = Math.max(now - 1000, due) + (chunk.length / bytesPerSecond) * 1000;
      // A timer that was late is made up for by those that follow: a busy machine is not a slower line.
      setTimeout(() => done(null, chunk), Math.max(0, due - now));
    },
  });
}

/** A line to the relay, in bytes a second towards it and from it. */
async function slowLine(relay: RelayHere, up: number, down: number) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ highWaterMark: 16 * KIB }, (incoming) => {
    connections += 1;
    const outgoing = connect(Number(new URL(relay.endpoint).port), '127.0.0.1');
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => other.destroy());
    }
    incoming.pipe(throttle(up)).pipe(outgoing);
    outgoing.pipe(throttle(down)).pipe(incoming);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return {
    endpoint: `ws://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function open(backend: SyncBackend, endpoint: string, token: string) {
  let changed = () => {};
  const room: SyncRoom = backend.open({ endpoint, token }, 'room', () => changed());
  const when = (wanted: () => boolean) =>
    new Promise<void>((resolve) => {
      changed = () => wanted() && resolve();
      changed();
    });
  return { room, when };
}

describe('over a slow line', () => {
  let relay: RelayHere;
  let backend: SyncBackend;
  const closers: (() => void)[] = [];
  beforeEach(async () => {
    relay = await startRelayHere({ RELAY_PING_SECONDS: '3', RELAY_MAX_BUFFERED: '65536' });
    backend = createWebsocketBackend({
      WebSocket: NodeSocket as unknown as typeof WebSocket,
      fetch,
      timeoutMs: () => 2000,
    });
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) close();
    await relay.close();
  });

  deep(
    'a room that takes longer than every limit arrives, whoever else talks in it meanwhile',
    async () => {
      const token = toText(random(32));
      const writer = open(relay.backend, relay.endpoint, token);
      await writer.when(() => writer.room.state === 'synced');
      const blobs = Array.from({ length: 32 }, () => random(192 * KIB));
      for (let at = 0; at < blobs.length; at += 8) {
        const some = blobs.slice(at, at + 8);
        writer.room.insert(some);
        await writer.when(() => some.every((blob) => writer.room.isConfirmed(blobKey(blob))));
      }
      writer.room.close();
      // A peer that announces its presence again and again.
      const talker = new NodeSocket(`${relay.endpoint}/${accountTag(token)}/room`, [tokenProtocol(token)]);
      talker.on('error', () => {});
      const talk = setInterval(() => {
        if (talker.readyState === talker.OPEN) talker.send(Uint8Array.of(1, 5, 1, 7, 1, 2, 123, 125));
      }, 50);
      closers.push(() => {
        clearInterval(talk);
        talker.terminate();
      });
      const line = await slowLine(relay, 1500 * KIB, 1500 * KIB);
      const reader = open(backend, line.endpoint, token);
      closers.push(() => reader.room.close(), line.close);
      await reader.when(() => reader.room.state === 'synced');
      expect(reader.room.blobs().size).toBe(blobs.length);
      // The first is given up: it is the limit that has to grow.
      expect(line.connections).toBeGreaterThan(1);
      expect(line.connections).toBeLessThan(8);
    },
    90_000,
  );

  deep(
    'what takes longer to send than the heartbeat arrives on the first connection',
    async () => {
      const line = await slowLine(relay, 1000 * KIB, 100_000 * KIB);
      const writer = open(backend, line.endpoint, toText(random(32)));
      closers.push(() => writer.room.close(), line.close);
      await writer.when(() => writer.room.state === 'synced');
      const blob = random(6000 * KIB);
      writer.room.insert([blob]);
      await writer.when(() => writer.room.isConfirmed(blobKey(blob)) || writer.room.state !== 'synced');
      expect(writer.room.state).toBe('synced');
      expect(line.connections).toBe(1);
    },
    90_000,
  );
});

describe("the stock client's watchdog", () => {
  /** A relay that says what the test says, with a line that takes what the test lets it take. */
  function scripted() {
    const sockets: { bufferedAmount: number; say(bytes: Uint8Array): void }[] = [];
    class Scripted {
      static readonly OPEN = 1;
      readonly OPEN = 1;
      readyState = 0;
      binaryType = '';
      bufferedAmount = 0;
      onopen: (() => void) | null = null;
      onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
      constructor() {
        sockets.push(this);
        queueMicrotask(() => {
          this.readyState = 1;
          this.onopen?.();
        });
      }
      say(bytes: Uint8Array) {
        this.onmessage?.({ data: bytes.slice().buffer as ArrayBuffer });
      }
      send() {}
      close() {
        this.readyState = 3;
      }
    }
    return { sockets, Socket: Scripted as unknown as typeof WebSocket };
  }
  const EMPTY_STEP_1 = Uint8Array.of(0, 0, 1, 0);
  const EMPTY_STEP_2 = Uint8Array.of(0, 1, 2, 0, 0);
  const pass = async (seconds: number, each = () => {}) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.ahead += 1000;
      each();
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits for a room as long as we do, and for what is sent as long as it leaves', async () => {
    const { sockets, Socket } = scripted();
    const backend = createWebsocketBackend({ WebSocket: Socket, fetch, timeoutMs: () => 100_000 });
    const { room } = open(backend, 'ws://relay.test', toText(random(32)));
    await pass(1);
    sockets[0]?.say(EMPTY_STEP_1);
    await pass(80);
    expect(room.state).toBe('connecting');
    sockets[0]?.say(EMPTY_STEP_2);
    expect(room.state).toBe('synced');
    const line = sockets[0];
    if (!line) throw new Error('no socket');
    line.bufferedAmount = 4_000_000;
    await pass(80, () => {
      line.bufferedAmount -= 10_000;
    });
    expect(room.state).toBe('synced');
    // Stuck: nothing leaves and nothing comes.
    await pass(45);
    expect(room.state).not.toBe('synced');
    room.close();
  });

  it('a relay that says nothing at all is waited for no longer than before, one that began to speak longer each time', async () => {
    const { sockets, Socket } = scripted();
    const backend = createWebsocketBackend({ WebSocket: Socket, fetch, timeoutMs: () => 10_000 });
    const { room } = open(backend, 'ws://relay.test', toText(random(32)));
    await pass(60);
    const silent = sockets.length;
    expect(silent).toBeGreaterThanOrEqual(4);
    const waits: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = sockets.length;
      for (let second = 0; second < 300 && sockets.length === before; second += 1) await pass(1);
      sockets.at(-1)?.say(EMPTY_STEP_1);
      let waited = 0;
      for (; waited < 300 && room.state === 'connecting'; waited += 1) await pass(1);
      waits.push(waited);
    }
    for (const [round, wait] of waits.entries())
      expect(Math.abs(wait - 10 * 2 ** Math.min(3, round))).toBeLessThan(2);
    // It is the line that is slow: other rooms need not find that out again.
    room.close();
    const other = open(backend, 'ws://relay.test', toText(random(32)));
    await pass(1);
    sockets.at(-1)?.say(EMPTY_STEP_1);
    const begun = sockets.length;
    await pass(70);
    expect(sockets.length).toBe(begun);
    await pass(20);
    expect(sockets.length).toBeGreaterThan(begun);
    other.room.close();
    room.close();
  });

  it('what went silent while it was being made is made anew where somebody asks, and patience goes when it is not needed', async () => {
    const { sockets, Socket } = scripted();
    const backend = createWebsocketBackend({ WebSocket: Socket, fetch, timeoutMs: () => 10_000 });
    const { room } = open(backend, 'ws://relay.test', toText(random(32)));
    for (let round = 0; round < 3; round += 1) {
      const before = sockets.length;
      await pass(1);
      sockets.at(-1)?.say(EMPTY_STEP_1);
      for (let second = 0; second < 100 && sockets.length === before; second += 1) await pass(1);
    }
    await pass(1);
    sockets.at(-1)?.say(EMPTY_STEP_1);
    const begun = sockets.length;
    await pass(5);
    room.retry(true);
    await pass(1);
    expect(sockets.length).toBe(begun);
    await pass(10);
    room.retry();
    await pass(1);
    expect(sockets.length).toBe(begun);
    room.retry(true);
    await pass(1);
    expect(sockets.length).toBe(begun + 1);
    // Three rooms that arrive within the limit: the next is waited for as long as the first was.
    sockets.at(-1)?.say(EMPTY_STEP_2);
    expect(room.state).toBe('synced');
    for (let number = 0; number < 2; number += 1) {
      const quick = open(backend, 'ws://relay.test', toText(random(32)));
      await pass(1);
      sockets.at(-1)?.say(EMPTY_STEP_2);
      quick.room.close();
    }
    const other = open(backend, 'ws://relay.test', toText(random(32)));
    await pass(1);
    sockets.at(-1)?.say(EMPTY_STEP_1);
    const waiting = sockets.length;
    await pass(12);
    expect(sockets.length).toBe(waiting + 1);
    other.room.close();
    room.close();
  });
});
