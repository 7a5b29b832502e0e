import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import * as Y from 'yjs';
import { BLOBS, createWebsocketBackend } from '../../../src/adapters/sync/y-websocket.ts';
import { blobKey } from '../../../src/domain/sync/blob.ts';
import { toText } from '../../../src/domain/sync/bytes.ts';
import { accountTag } from '../../../src/domain/sync/keys.ts';
import { deep } from '../../scale.ts';
import { describeSyncBackend } from '../../suites/sync-backend.suite.ts';
import { startRelayHere } from '../../sync/relay-here.ts';

describeSyncBackend('y-websocket over the relay', async () => {
  const relay = await startRelayHere();
  return {
    backend: relay.backend,
    endpoint: relay.endpoint,
    setOnline: relay.setOnline,
    dispose: relay.close,
  };
});

/** A socket that opens and then does what the test wants. */
function scripted(onOpen: (socket: { close(code: number): void; say(bytes: Uint8Array): void }) => void) {
  const made: string[] = [];
  class Scripted {
    static readonly OPEN = 1;
    readonly OPEN = 1;
    readyState = 0;
    binaryType = '';
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
    onclose: ((event: { code: number }) => void) | null = null;
    onerror: (() => void) | null = null;
    constructor(address: string) {
      made.push(address);
      queueMicrotask(() => {
        this.readyState = 1;
        this.onopen?.();
        onOpen({
          close: (code) => this.onclose?.({ code }),
          say: (bytes) => this.onmessage?.({ data: bytes.slice().buffer as ArrayBuffer }),
        });
      });
    }
    send() {}
    close() {
      this.readyState = 3;
    }
  }
  return { made, Socket: Scripted as unknown as typeof WebSocket };
}

describe('a connection', () => {
  it('writes under a Yjs client id of its own, and the next one under another', async () => {
    const relay = await startRelayHere();
    const token = toText(new Uint8Array(32).fill(5));
    const account = { endpoint: relay.endpoint, token };
    let changed = () => {};
    const room = relay.backend.open(account, 'room', () => changed());
    const when = (done: () => boolean) =>
      new Promise<void>((resolve) => {
        changed = () => done() && resolve();
        changed();
      });
    const put = async (blob: Uint8Array) => {
      await when(() => room.state === 'synced');
      room.insert([blob]);
      await when(() => room.isConfirmed(blobKey(blob)));
    };
    for (let number = 0; number < 3; number += 1) {
      await put(new Uint8Array(40).fill(number));
      await relay.setOnline(false);
      await when(() => room.state === 'offline');
      await relay.setOnline(true);
      room.retry();
    }
    await put(new Uint8Array(40).fill(9));
    room.close();
    const { updates } = await relay.store.load({ account: accountTag(token), room: 'room' });
    const doc = new Y.Doc();
    for (const update of updates) Y.applyUpdate(doc, update);
    const writers = [...doc.store.clients.keys()];
    expect(doc.getArray(BLOBS).length).toBe(4);
    expect(writers).toHaveLength(4);
    await relay.close();
  });

  it('that is lost again and again is tried after growing pauses, each by chance, and at once when somebody asks', async () => {
    vi.useFakeTimers();
    try {
      const tried: number[] = [];
      class Unreachable {
        static readonly OPEN = 1;
        readyState = 0;
        onclose: ((event: { code: number }) => void) | null = null;
        constructor() {
          tried.push(Date.now());
          queueMicrotask(() => this.onclose?.({ code: 1006 }));
        }
        send() {}
        close() {
          this.readyState = 3;
        }
      }
      const rooms = Array.from({ length: 20 }, () =>
        createWebsocketBackend({ WebSocket: Unreachable as unknown as typeof WebSocket, fetch }),
      );
      const began = Date.now();
      const pausesOf = async (backend: (typeof rooms)[number]) => {
        tried.length = 0;
        const opened = backend.open(
          { endpoint: 'ws://relay.test', token: toText(new Uint8Array(32)) },
          'r',
          () => {},
        );
        await vi.advanceTimersByTimeAsync(300_000);
        const pauses = tried.slice(1).map((at, index) => at - (tried[index] as number));
        const before = tried.length;
        opened.retry();
        expect(tried).toHaveLength(before + 1);
        opened.close();
        await vi.advanceTimersByTimeAsync(100_000);
        expect(tried).toHaveLength(before + 1);
        return pauses;
      };
      const all: number[][] = [];
      for (const backend of rooms) all.push(await pausesOf(backend));
      expect(Date.now()).toBeGreaterThan(began);
      for (const pauses of all) {
        for (const [index, pause] of pauses.entries()) {
          const most = Math.min(45_000, 400 * 2 ** index);
          expect(pause).toBeLessThanOrEqual(most + 1);
          expect(pause).toBeGreaterThanOrEqual(most / 2 - 1);
        }
        expect(pauses.at(-1)).toBeGreaterThan(20_000);
      }
      // Not all at the same moment.
      expect(new Set(all.map(([first]) => first)).size).toBeGreaterThan(10);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a relay that refuses or talks nonsense', () => {
  let close = () => {};
  afterEach(() => close());
  const account = { endpoint: 'ws://relay.test/', token: toText(new Uint8Array(32)) };

  it.each([
    [4400, 'sync-refused'],
    [4401, 'sync-auth'],
    [4403, 'sync-quota'],
    [4404, 'sync-deleted'],
    [4426, 'sync-upgrade'],
    [4429, 'sync-rate'],
    [4499, 'sync-refused'],
  ])('%i is %s, for good', async (code, problem) => {
    const { made, Socket } = scripted((socket) => socket.close(code));
    const room = await new Promise<{ state: string; problem: { code: string } | null; close(): void }>(
      (resolve) => {
        const opened = createWebsocketBackend({ WebSocket: Socket, fetch }).open(account, 'room', () => {
          if (opened.state === 'refused') resolve(opened);
        });
      },
    );
    close = room.close;
    expect(room.problem?.code).toBe(problem);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(made).toHaveLength(1);
  });

  it('nonsense costs the connection, not the app', async () => {
    const { made, Socket } = scripted((socket) => {
      socket.say(Uint8Array.of(0, 2, 5, 1, 2, 3, 4, 255));
    });
    const state = await new Promise<string>((resolve) => {
      const room = createWebsocketBackend({ WebSocket: Socket, fetch }).open(account, 'room', () => {
        if (room.state !== 'connecting') resolve(room.state);
      });
      close = () => room.close();
    });
    expect(state).toBe('offline');
    expect(made).toHaveLength(1);
  });

  it('silence is given up after a while', async () => {
    const { Socket } = scripted(() => {});
    const state = await new Promise<string>((resolve) => {
      const room = createWebsocketBackend({ WebSocket: Socket, fetch, timeoutMs: () => 50 }).open(
        account,
        'room',
        () => {
          if (room.state !== 'connecting') resolve(room.state);
        },
      );
      close = () => room.close();
    });
    expect(state).toBe('offline');
  });

  it('erasing: what is not there counts as erased, a refusal is told', async () => {
    const { signal } = new AbortController();
    const asked: [string, RequestInit | undefined][] = [];
    const answering = (status: number) =>
      createWebsocketBackend({
        WebSocket: scripted(() => {}).Socket,
        fetch: async (input, init) => {
          asked.push([String(input), init]);
          return new Response(null, { status });
        },
      });
    await answering(204).erase(account, 'room', signal);
    await answering(404).erase(account, null, signal);
    await expect(answering(401).erase(account, null, signal)).rejects.toMatchObject({
      problem: { code: 'sync-auth' },
    });
    await expect(answering(503).erase(account, null, signal)).rejects.toMatchObject({
      problem: { code: 'sync-offline', retry: true },
    });
    expect(asked[0]?.[0]).toMatch(/^http:\/\/relay\.test\/[\w-]{22}\/room$/);
    expect(asked[1]?.[0]).toMatch(/^http:\/\/relay\.test\/[\w-]{22}$/);
    expect(asked[0]?.[1]).toMatchObject({
      method: 'DELETE',
      headers: { authorization: `Bearer ${account.token}` },
    });
  });
});

describe('a message that is lost on a living connection', () => {
  /** A socket that loses the next message in one direction when it is asked to. */
  function lossy() {
    const lose = { out: 0, in: 0 };
    class Lossy extends NodeSocket {
      override send(data: Parameters<NodeSocket['send']>[0], ...rest: never[]) {
        if (lose.out > 0) lose.out -= 1;
        else super.send(data, ...rest);
      }
      override emit(event: string | symbol, ...args: unknown[]): boolean {
        if (event === 'message' && lose.in > 0) {
          lose.in -= 1;
          return true;
        }
        return super.emit(event, ...args);
      }
    }
    return { lose, Socket: Lossy as unknown as typeof WebSocket };
  }

  const setUp = async () => {
    const relay = await startRelayHere();
    const { lose, Socket } = lossy();
    const account = { endpoint: relay.endpoint, token: toText(new Uint8Array(32).fill(6)) };
    const far = relay.backend.open(account, 'room', () => {});
    const backend = createWebsocketBackend({
      WebSocket: Socket,
      fetch,
      answerMs: 1000,
      askAgainMs: 1000,
    });
    const near = backend.open(account, 'room', () => {});
    await vi.waitFor(() => expect([near.state, far.state]).toEqual(['synced', 'synced']), WAIT);
    return {
      near,
      far,
      lose,
      close: async () => {
        near.close();
        far.close();
        await relay.close();
      },
    };
  };
  const WAIT = { timeout: 20_000, interval: 20 };
  const blob = new Uint8Array(40).fill(7);

  it('on the way there has the room compared anew when its answer is overdue, and what is put in again arrives', async () => {
    const { near, far, lose, close } = await setUp();
    lose.out = 1;
    near.insert([blob]);
    expect(lose.out).toBe(0);
    await vi.waitFor(() => expect(near.state).not.toBe('synced'), WAIT);
    await vi.waitFor(() => expect(near.state).toBe('synced'), WAIT);
    expect(near.blobs().has(blobKey(blob))).toBe(false);
    near.insert([blob]);
    await vi.waitFor(() => expect(near.isConfirmed(blobKey(blob))).toBe(true), WAIT);
    await vi.waitFor(() => expect(far.blobs().has(blobKey(blob))).toBe(true), WAIT);
    await close();
  }, 40_000);

  deep(
    'on the way back: an acknowledgement, and what another device said',
    async () => {
      const { near, far, lose, close } = await setUp();
      lose.in = 1;
      near.insert([blob]);
      await vi.waitFor(() => expect(far.blobs().has(blobKey(blob))).toBe(true), WAIT);
      expect(near.isConfirmed(blobKey(blob))).toBe(false);
      await vi.waitFor(() => expect(near.isConfirmed(blobKey(blob))).toBe(true), WAIT);
      const other = new Uint8Array(40).fill(8);
      lose.in = 1;
      far.insert([other]);
      await vi.waitFor(() => expect(lose.in).toBe(0), WAIT);
      expect(near.blobs().has(blobKey(other))).toBe(false);
      await vi.waitFor(() => expect(near.blobs().has(blobKey(other))).toBe(true), WAIT);
      await close();
    },
    60_000,
  );
});
