// A worker as the engine's is, as far as the second copy goes. It answers each message with the same `id`.
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import type { LogCopying } from '../../../src/services/storage/log-copying.ts';

export type Asked = { readonly id: number } & (
  | { readonly type: 'start'; readonly name: string; readonly pauseMs?: number }
  | { readonly type: 'stop' }
  /** Holds the first segment of a copy, as a tab does that is about to end, until it is released. */
  | { readonly type: 'hold' | 'let-go'; readonly name: string }
  /** Resolves once a file was refused because another context holds it. */
  | { readonly type: 'refused' }
  /** From its next start on, the index opens in the same worker, and takes all files for its own. */
  | { readonly type: 'index-opens' }
  /** This browser has no OPFS. */
  | { readonly type: 'no-files' }
  /** The browser tells that only so many bytes are left; without: what it really has. */
  | { readonly type: 'room'; readonly bytes?: number }
  /** Changes one byte of the last segment, so many from its end, or cuts it off there, in place. */
  | { readonly type: 'damage'; readonly name: string; readonly at: number; readonly how: 'flip' | 'cut' }
);

let copying: LogCopying | undefined;
let store: Store | undefined;
const estimate = navigator.storage.estimate.bind(navigator.storage);
let stopping = new AbortController();

let index: (() => void) | undefined;
let held: { close(): void } | undefined;
let wasRefused: () => void;
const refused = new Promise<void>((resolve) => {
  wasRefused = resolve;
});
const prototype = FileSystemFileHandle.prototype;
const create = prototype.createSyncAccessHandle;
prototype.createSyncAccessHandle = function () {
  const opened = create.apply(this);
  opened.catch(() => wasRefused());
  return opened;
};

async function damage(name: string, fromEnd: number, how: 'flip' | 'cut') {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(`${name}-log-copy`);
  const numbers: number[] = [];
  for await (const file of folder.keys()) if (/^\d+$/.test(file)) numbers.push(Number(file));
  const handle = await (await folder.getFileHandle(String(Math.max(...numbers)))).createSyncAccessHandle();
  const at = handle.getSize() - 1 - fromEnd;
  if (how === 'cut') handle.truncate(at);
  else {
    const byte = new Uint8Array(1);
    handle.read(byte, { at });
    handle.write(Uint8Array.of((byte[0] as number) ^ 0x5a), { at });
  }
  handle.close();
}

async function act(asked: Asked): Promise<void> {
  if (asked.type === 'start') {
    stopping = new AbortController();
    const { name, pauseMs } = asked;
    const { openStore } = await import('../../../src/adapters/log/index.ts');
    const { startLogCopying } = await import('../../../src/services/storage/log-copying.ts');
    index?.();
    store = await openStore({ name });
    copying = startLogCopying({
      name,
      below: store,
      keyValues: store.keyValues,
      signal: stopping.signal,
      ...(pauseMs ? { pauseMs } : {}),
    });
    await copying.settled();
  } else if (asked.type === 'stop') {
    stopping.abort();
    await store?.log.close();
    // Its lock is free with the next turn.
    await navigator.locks.request('recollect-test-turn', () => undefined);
  } else if (asked.type === 'room') {
    const { bytes } = asked;
    navigator.storage.estimate = bytes === undefined ? estimate : async () => ({ usage: 0, quota: bytes });
  } else if (asked.type === 'hold') {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(
      `${asked.name}-log-copy`,
    );
    held = await (await folder.getFileHandle('1')).createSyncAccessHandle();
  } else if (asked.type === 'let-go') held?.close();
  else if (asked.type === 'index-opens')
    index = () => {
      const never = () => new Promise<never>(() => undefined);
      prototype.createSyncAccessHandle = never;
      FileSystemDirectoryHandle.prototype.getFileHandle = never;
    };
  else if (asked.type === 'refused') await refused;
  else if (asked.type === 'damage') await damage(asked.name, asked.at, asked.how);
  else
    Object.defineProperty(navigator.storage, 'getDirectory', {
      value: () => Promise.reject(new DOMException('not here', 'SecurityError')),
    });
}

self.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  act(data).then(
    () => postMessage({ id: data.id }),
    (error: unknown) => postMessage({ id: data.id, error: String(error) }),
  );
});
