// What the relay's tests are made with: real relay processes, stock y-websocket clients, bare sockets, tokens.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Key {
  readonly token: string;
  readonly tag: string;
}

/** A new account. */
export function createKey(): Key {
  const bytes = randomBytes(32);
  return {
    token: bytes.toString('base64url'),
    tag: createHash('sha256').update(bytes).digest().subarray(0, 16).toString('base64url'),
  };
}

export interface RelayProcess {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly pid: number;
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  readonly exited: Promise<number | null>;
}

const running = new Set<ChildProcess>();

let bundle: Promise<string> | null = null;
/** The relay as one file, as the container has it: it starts in a third of the time. */
const buildRelay = () => {
  const outfile = join(ROOT, `node_modules/.cache/relay-test/${process.pid}-${Date.now()}.mjs`);
  bundle ??= build({
    entryPoints: [join(ROOT, 'src/relay/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
  }).then(() => outfile);
  return bundle;
};

/** Starts the relay as a process of its own and waits until it listens. */
export async function startRelay(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<RelayProcess> {
  const file = await buildRelay();
  const child = spawn(process.execPath, [file, ...args], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', RELAY_DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const exited = new Promise<number | null>((done) =>
    child.once('exit', (code) => {
      running.delete(child);
      done(code);
    }),
  );
  const address = await new Promise<string>((found, failed) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const url = /"event":"listening","address":"([^"]+)"/.exec(line)?.[1];
        if (url) found(url);
      });
    child.once('exit', () => failed(new Error(`the relay did not start:\n${lines.join('\n')}`)));
  });
  return {
    url: address,
    webSocketUrl: address.replace('http', 'ws'),
    pid: child.pid ?? 0,
    lines,
    exited,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Ends every relay that still runs, and tidies up. */
export async function stopAll(): Promise<void> {
  await Promise.all(
    [...running].map(
      (child) =>
        new Promise((done) => {
          child.once('exit', done);
          child.kill('SIGKILL');
        }),
    ),
  );
  if (bundle) await rm(await bundle, { force: true });
  bundle = null;
}

/** A folder that is gone after `work`. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'recollect-relay-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bytes of every file in a folder that is in use. */
export async function filesIn(folder: string): Promise<Buffer[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  // A file may go while it is looked for.
  return await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name)).catch(() => Buffer.alloc(0))),
  );
}

/** Resolves when `condition` holds; rejects after `timeout` ms with what was waited for. */
export async function until(what: string, condition: () => unknown, timeout = 40_000): Promise<void> {
  const end = Date.now() + timeout;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

export interface StockClient {
  readonly doc: Y.Doc;
  readonly provider: WebsocketProvider;
  /** Of the last close, in order. */
  readonly closes: number[];
  /** Resolves when the relay has echoed everything this document holds of its own. */
  acknowledged(): Promise<void>;
  synced(): Promise<void>;
  close(): void;
}

const clients: StockClient[] = [];

/** A stock client that `closeClients` closes. */
export function client(...args: Parameters<typeof createStockClient>): StockClient {
  const made = createStockClient(...args);
  clients.push(made);
  return made;
}

/** Closes every client that was made; for after each test. */
export function closeClients(): void {
  for (const made of clients.splice(0)) made.close();
}

/** The client as it is published: nothing of ours in it but the subprotocol, and an ear for echoes. */
export function createStockClient(
  relay: { readonly webSocketUrl: string },
  key: Key,
  room: string,
  doc = new Y.Doc(),
): StockClient {
  const provider = new WebsocketProvider(`${relay.webSocketUrl}/${key.tag}`, room, doc, {
    WebSocketPolyfill: WebSocket as never,
    protocols: [`recollect.${key.token}`],
    disableBc: true,
    maxBackoffTime: 200,
  });
  const closes: number[] = [];
  provider.on('connection-close', (event) => {
    if (event) closes.push(event.code);
  });
  // The relay sends every update back when it is durable.
  let acked = 0;
  const listen = () => {
    provider.ws?.addEventListener('message', (event) => {
      const bytes = new Uint8Array(event.data as ArrayBuffer);
      if (bytes[0] !== 0 || bytes[1] !== 2) return;
      let at = 2;
      while ((bytes[at] as number) > 127) at++;
      const { to } = Y.parseUpdateMeta(bytes.subarray(at + 1));
      acked = Math.max(acked, to.get(doc.clientID) ?? 0);
    });
  };
  provider.on('status', ({ status }) => {
    if (status === 'connected') listen();
  });
  return {
    doc,
    provider,
    closes,
    acknowledged: () =>
      until(
        'an acknowledgement',
        () => acked >= (Y.decodeStateVector(Y.encodeStateVector(doc)).get(doc.clientID) ?? 0),
      ),
    synced: () => until('synced', () => provider.synced),
    close: () => provider.destroy(),
  };
}

/** A socket that speaks as it likes. */
export function openSocket(
  relay: { readonly webSocketUrl: string },
  key: Key,
  room: string,
  options: {
    readonly protocols?: string[];
    readonly origin?: string;
    readonly headers?: Record<string, string>;
  } = {},
) {
  const socket = new WebSocket(
    `${relay.webSocketUrl}/${key.tag}/${room}`,
    options.protocols ?? [`recollect.${key.token}`],
    {
      ...(options.origin === undefined ? {} : { origin: options.origin }),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
    },
  );
  socket.binaryType = 'nodebuffer';
  const messages: Buffer[] = [];
  socket.on('message', (data) => messages.push(data as Buffer));
  socket.on('error', () => {});
  const closed = new Promise<number>((done) => socket.once('close', done));
  const opened = new Promise<void>((done, failed) => {
    socket.once('open', () => done());
    socket.once('unexpected-response', (_request, response) =>
      failed(new Error(`HTTP ${response.statusCode}`)),
    );
    void closed.then(() => failed(new Error('closed')));
  });
  opened.catch(() => {});
  return { socket, messages, opened, closed };
}

/** `[sync, update, update]` as y-websocket writes it. */
export function updateMessage(update: Uint8Array): Buffer {
  const length: number[] = [];
  let rest = update.length;
  while (rest > 127) {
    length.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  length.push(rest);
  return Buffer.concat([Buffer.from([0, 2, ...length]), update]);
}

/** An update of `size` bytes and a little more, by a client of its own. */
export function makeUpdate(size: number): Uint8Array {
  const doc = new Y.Doc();
  doc.getArray<Uint8Array>('blobs').push([new Uint8Array(randomBytes(size))]);
  return Y.encodeStateAsUpdate(doc);
}

/** What is read from memory that the process holds, in bytes. */
export async function residentBytes(relay: RelayProcess): Promise<number> {
  const text = await (await fetch(`${relay.url}/metrics`)).text();
  return Number(/^recollect_relay_resident_bytes (\d+)/m.exec(text)?.[1]);
}

export async function metric(relay: RelayProcess, name: string): Promise<number> {
  const text = await (await fetch(`${relay.url}/metrics`)).text();
  return Number(new RegExp(`^recollect_relay_${name} (\\S+)`, 'm').exec(text)?.[1]);
}
