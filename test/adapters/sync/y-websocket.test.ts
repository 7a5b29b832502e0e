import { afterEach, describe, expect, it } from 'vitest';
import { createWebsocketBackend } from '../../../src/adapters/sync/y-websocket.ts';
import { toText } from '../../../src/domain/sync/bytes.ts';
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
