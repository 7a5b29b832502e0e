// The doors of the relay: WebSockets for rooms, HTTP for health, figures, erasure and (where asked for) the built app. Who may come in, how
// many, how fast, and how one is shown out. Authorisation keeps no state: an account's name is the hash of the token that opens it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import sirv from 'sirv';
import { WebSocket, WebSocketServer } from 'ws';
import { accountTag } from '../domain/sync/keys.ts';
import { type Bucket, CLOSE, type CloseCode, createBucket, draw } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import { pageHeaders } from './page-headers.ts';
import { type AccountUse, createRooms, type Peer, type Room } from './rooms.ts';
import { ErasedError, type RelayStore } from './store.ts';
import { createUnsent } from './unsent.ts';

const PATH = /^\/([\w-]{22})(?:\/([\w.~-]{1,128}))?$/;
const TOKEN = /^[\w-]{22,128}$/;
const VERSION_PROTOCOL = 'recollect.v1';
const ANY_VERSION = /^recollect\.v\d+$/;
/** What `ws` closes with for a message above its limit. */
const TOO_LARGE = 1009;
const TOKEN_PROTOCOL = 'recollect.';
const SWEEP_MS = 1000;
const ACCOUNT_REFRESH_MS = 30_000;
/** Whoever does not answer a close frame is cut off. */
const CLOSE_MS = 2000;
const READY_MS = 2000;
/** For requests, and for saying that it is full. */
const SPARE_CONNECTIONS = 500;
/** An account that has asked for so much more than its share is served on the connections that it has. */
const MAX_DEBT_MS = 10_000;
/** Of what is sent this much is handed over at a time, bytes: a ping finds its way in between, and that it leaves is a sign of life. */
const PIECE_BYTES = 64 * 1024;
/** How many of the largest rooms may wait to be sent: to one account, and to all. */
const UNSENT_ROOMS = { share: 4, all: 8 };

/** A message that is too large is so the next time too: that is said with a code that is final. */
class RelaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer) {
    super.close(code === TOO_LARGE ? CLOSE.quota : code, reason);
  }
}

interface Account extends AccountUse {
  connections: number;
  readonly messages: Bucket;
  readonly traffic: Bucket;
  readAt: number;
  idleSince: number;
}

interface Visitor {
  connections: number;
  readonly handshakes: Bucket;
  seenAt: number;
}

interface Connection extends Peer {
  readonly socket: WebSocket;
  readonly account: Account;
  readonly messages: Bucket;
  /** Where its bytes come in. */
  readonly stream: Socket;
  /** Bytes that had come in when it was pinged last. */
  heard: number;
  /** Something of what is sent to it has left since. */
  took: boolean;
  /** What is to be sent, the first of them up to `sent`. */
  readonly unsent: Uint8Array[];
  sent: number;
  /** Handed over to the end, and not known to have left. */
  readonly leaving: Uint8Array[];
  /** Bytes that wait behind the first one. */
  waiting: number;
  sending: boolean;
  closing: boolean;
  /** Bytes that came in and are not dealt with. */
  pending: number;
  timer: ReturnType<typeof setTimeout> | null;
}

export interface RelayServer {
  /** Resolves with the address when connections are accepted. */
  listen(): Promise<string>;
  /** Accepts no more, ends what is under way, and asks everybody to come again, spread over `limits.drainMs`. The store stays open. */
  close(): Promise<void>;
}

export function createRelayServer(deps: {
  store: RelayStore;
  options: Options;
  metrics: Metrics;
  log: Log;
}): RelayServer {
  const { store, options, metrics, log } = deps;
  const { limits } = options;
  const unsent = createUnsent({
    share: UNSENT_ROOMS.share * limits.room,
    all: UNSENT_ROOMS.all * limits.room,
  });
  const rooms = createRooms({ store, limits, unsent, metrics, log });
  const accounts = new Map<string, Account>();
  const visitors = new Map<string, Visitor>();
  const connections = new Set<Connection>();
  const allowed = new Set(options.accounts);
  let draining = false;

  const mayCome = (origin: string | undefined) =>
    origin === undefined || options.origins.length === 0 || options.origins.includes(origin);

  function isKey(token: string | undefined, account: string): boolean {
    if (!token || !TOKEN.test(token) || (allowed.size > 0 && !allowed.has(account))) return false;
    try {
      return accountTag(token) === account;
    } catch {
      return false;
    }
  }

  /** The network one comes from: an IPv6 household has a /64 of addresses. */
  function visitorOf(request: IncomingMessage): Visitor {
    const forwarded = options.trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : '';
    const address = forwarded.split(',').at(-1)?.trim() || (request.socket.remoteAddress ?? '');
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    const key = plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain;
    const now = Date.now();
    const known = visitors.get(key);
    if (known) {
      known.seenAt = now;
      return known;
    }
    const visitor = {
      connections: 0,
      handshakes: createBucket(limits.handshakesPerSecond, now),
      seenAt: now,
    };
    visitors.set(key, visitor);
    return visitor;
  }

  const isPushy = (visitor: Visitor) =>
    draw(visitor.handshakes, 1, limits.handshakesPerSecond, Date.now()) > 0;

  function readUsage(account: Account) {
    account.readAt = Date.now();
    store.usage(account.tag).then(
      ({ rooms, bytes }) => Object.assign(account, { rooms, bytes }),
      (error: unknown) => {
        // An erased account is told so by the room that it opens.
        if (!(error instanceof ErasedError)) metrics.count('store_errors_total');
      },
    );
  }

  function accountOf(tag: string): Account {
    const known = accounts.get(tag);
    if (known) return known;
    const now = Date.now();
    const account: Account = {
      tag,
      rooms: 0,
      bytes: 0,
      unsent: 0,
      connections: 0,
      messages: createBucket(limits.accountMessagesPerSecond, now),
      traffic: createBucket(limits.accountBytesPerSecond, now),
      readAt: now,
      idleSince: now,
    };
    accounts.set(tag, account);
    readUsage(account);
    return account;
  }

  // --- WebSockets -------------------------------------------------------------------------------------------------------------------

  const sockets = new WebSocketServer({
    noServer: true,
    WebSocket: RelaySocket,
    clientTracking: false,
    // Sealed bytes do not shrink, and a small frame could unpack into a large one.
    perMessageDeflate: false,
    maxPayload: limits.payload,
    // A browser wants one of those it offered, even to be told that it is refused. The one without a secret goes first.
    handleProtocols: (offered) =>
      [VERSION_PROTOCOL, ...offered].find((name) => offered.has(name) && name.startsWith(TOKEN_PROTOCOL)) ??
      [...offered][0] ??
      false,
  });

  function refuse(socket: Duplex, status: string) {
    metrics.count('refused_total');
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    socket.once('finish', () => socket.destroy());
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    // Whatever breaks on the way in breaks this one alone.
    socket.on('error', () => socket.destroy());
    if (draining) return refuse(socket, '503 Service Unavailable');
    const [, tag, room] = PATH.exec(pathOf(request)) ?? [];
    if (!tag || !room) return refuse(socket, '404 Not Found');
    if (!mayCome(request.headers.origin)) return refuse(socket, '403 Forbidden');
    const visitor = visitorOf(request);
    if (isPushy(visitor) || visitor.connections >= limits.connectionsPerIp)
      return refuse(socket, '429 Too Many Requests');
    if (connections.size >= limits.connections) return refuse(socket, '503 Service Unavailable');
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const token = offered.find((name) => name.startsWith(TOKEN_PROTOCOL) && !ANY_VERSION.test(name));
    const isForeign = offered.some((name) => ANY_VERSION.test(name)) && !offered.includes(VERSION_PROTOCOL);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      visitor.connections++;
      webSocket.on('close', () => {
        visitor.connections--;
      });
      webSocket.on('error', (error: Error & { code?: string }) => {
        // Whoever sent too much at once may hear so; whoever speaks another language need not.
        const isPolite = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
        if (isPolite) setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
        else webSocket.terminate();
      });
      // The word is said on an open socket, as a browser hides the answer to a refused one and would come back for ever.
      const isLetIn = isKey(token?.slice(TOKEN_PROTOCOL.length), tag);
      if (!isLetIn || isForeign) {
        metrics.count('refused_total');
        webSocket.close(isLetIn ? CLOSE.upgrade : CLOSE.auth);
        setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
        return;
      }
      welcome(webSocket, request.socket, accountOf(tag), room);
    });
  }

  function welcome(socket: WebSocket, stream: Socket, account: Account, roomName: string) {
    const connection: Connection = {
      socket,
      account,
      messages: createBucket(limits.messagesPerSecond, Date.now()),
      awareness: null,
      answering: false,
      stream,
      heard: -1,
      took: false,
      unsent: [],
      sent: 0,
      leaving: [],
      waiting: 0,
      sending: false,
      closing: false,
      pending: 0,
      timer: null,
      send: (frame) => send(connection, frame),
      close: (code) => close(connection, code),
      charge: (bytes) => charge(connection, bytes),
    };
    metrics.count('connections_total');
    account.connections++;
    connections.add(connection);
    const joined: { room: Room | null } = { room: null };
    socket.on('close', () => {
      if (connection.timer) clearTimeout(connection.timer);
      connection.closing = true;
      for (const frame of [...connection.leaving.splice(0), ...connection.unsent.splice(0)])
        unsent.release(account, frame);
      connections.delete(connection);
      account.connections--;
      account.idleSince = Date.now();
      if (joined.room) rooms.leave(joined.room, connection);
    });
    const debt = draw(account.traffic, 0, limits.accountBytesPerSecond, Date.now());
    if (account.connections > limits.connectionsPerAccount || debt > MAX_DEBT_MS)
      return close(connection, CLOSE.tryLater);
    const room = rooms.join({ account: account.tag, room: roomName }, connection);
    joined.room = room;
    socket.on('message', (data, isBinary) => {
      if (connection.closing) return;
      if (!isBinary || !(data instanceof Uint8Array)) return close(connection, CLOSE.junk);
      receive(connection, room, data);
    });
  }

  function receive(connection: Connection, room: Room, data: Uint8Array) {
    const { account, socket } = connection;
    const now = Date.now();
    metrics.count('messages_total');
    if (
      draw(connection.messages, 1, limits.messagesPerSecond, now) > 0 ||
      draw(account.messages, 1, limits.accountMessagesPerSecond, now) > 0
    )
      return close(connection, CLOSE.rate);
    charge(connection, data.length);
    connection.pending += data.length;
    if (connection.pending > limits.buffered) socket.pause();
    void rooms.receive(room, connection, data).then(() => {
      connection.pending -= data.length;
      goOn(connection);
    });
  }

  /** Much to upload or to ask for is no offence: it is served at the rate that is allowed, and the network makes the sender wait. */
  function charge(connection: Connection, bytes: number) {
    const wait = draw(connection.account.traffic, bytes, limits.accountBytesPerSecond, Date.now());
    if (wait === 0 || connection.timer || connection.closing) return;
    connection.socket.pause();
    connection.timer = setTimeout(() => {
      connection.timer = null;
      goOn(connection);
    }, wait);
  }

  function goOn({ socket, timer, pending }: Connection) {
    if (socket.isPaused && !timer && pending <= limits.buffered / 2) socket.resume();
  }

  function send(connection: Connection, frame: Uint8Array) {
    if (connection.closing) return;
    // What is under way may be a whole room, and take as long as the line does; with what waits behind it the client must keep up. Where
    // too much waits in all, no more than a little is added to it.
    const first = connection.unsent[0]?.length ?? 0;
    const isLittle = first + connection.waiting + frame.length <= PIECE_BYTES;
    const isTooMuch = !isLittle && unsent.isOver(connection.account, first);
    if (isTooMuch || connection.waiting > limits.buffered) return close(connection, CLOSE.tryLater);
    unsent.hold(connection.account, frame);
    metrics.count('sent_total');
    if (connection.unsent.push(frame) > 1) connection.waiting += frame.length;
    if (!connection.sending) sendOn(connection);
  }

  function sendOn(connection: Connection) {
    const { socket, unsent: frames, leaving } = connection;
    const pieces: { bytes: Uint8Array; fin: boolean }[] = [];
    let left = PIECE_BYTES;
    for (let [frame] = frames; frame && left > 0; [frame] = frames) {
      const bytes = frame.subarray(connection.sent, connection.sent + left);
      left -= bytes.length;
      connection.sent += bytes.length;
      const fin = connection.sent === frame.length;
      pieces.push({ bytes, fin });
      if (!fin) break;
      frames.shift();
      leaving.push(frame);
      connection.sent = 0;
      connection.waiting -= frames[0]?.length ?? 0;
    }
    connection.sending = pieces.length > 0;
    for (const [index, { bytes, fin }] of pieces.entries())
      socket.send(
        bytes,
        { binary: true, fin },
        index < pieces.length - 1
          ? undefined
          : () => {
              connection.took = true;
              for (const frame of leaving.splice(0)) unsent.release(connection.account, frame);
              if (!connection.closing) sendOn(connection);
            },
      );
  }

  function close(connection: Connection, code: CloseCode) {
    if (connection.closing) return;
    connection.closing = true;
    metrics.count('closed_by_relay_total');
    const { socket } = connection;
    // A socket that is not read would never hear the other side's answer to the close.
    socket.resume();
    socket.close(code);
    if (connection.timer) clearTimeout(connection.timer);
    connection.timer = setTimeout(() => socket.terminate(), CLOSE_MS);
  }

  // --- HTTP -------------------------------------------------------------------------------------------------------------------------

  const pages = options.serve
    ? sirv(options.serve, {
        single: true,
        etag: true,
        setHeaders: (response, path) => {
          for (const [name, value] of Object.entries(pageHeaders(path))) response.setHeader(name, value);
          // Files under assets/ have their contents' hash in their name; for an address there that is no file comes the page.
          const forever = /^\/assets\/.+\.\w+$/.test(path);
          response.setHeader('Cache-Control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
        },
      })
    : null;

  function say(response: ServerResponse, status: number, body = '', type = 'text/plain; charset=utf-8') {
    if (status >= 400) metrics.count('refused_total');
    response.writeHead(status, body === '' ? {} : { 'Content-Type': type, 'Cache-Control': 'no-store' });
    response.end(body);
  }

  async function isReady(): Promise<boolean> {
    if (draining) return false;
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MS, false).unref());
    const here = store.ping().then(
      () => true,
      () => false,
    );
    return Promise.race([here, late]);
  }

  /** GET and DELETE of what belongs to an account, for whoever has its token. */
  async function onAccount(
    request: IncomingMessage,
    response: ServerResponse,
    account: string,
    room: string | undefined,
  ) {
    const { origin, authorization = '' } = request.headers;
    if (!mayCome(origin)) return say(response, 403);
    if (origin !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', 'GET, DELETE');
      response.setHeader('Access-Control-Allow-Headers', 'Authorization');
      response.setHeader('Access-Control-Max-Age', '600');
      return say(response, 204);
    }
    if (isPushy(visitorOf(request))) return say(response, 429);
    if (!isKey(/^Bearer (\S+)$/.exec(authorization)?.[1], account)) return say(response, 401);
    try {
      if (request.method === 'DELETE') {
        await store.erase(account, room);
        metrics.count('erasures_total');
        rooms.look(room === undefined ? { account } : { account, room });
        return say(response, 204);
      }
      if (request.method !== 'GET' || room !== undefined) return say(response, 405);
      const usage = await store.usage(account);
      return say(response, 200, JSON.stringify({ ...usage, limit: limits.account }), 'application/json');
    } catch (error) {
      if (error instanceof ErasedError) return say(response, 404);
      metrics.count('store_errors_total');
      log.warn('store-failed', { error });
      return say(response, 503);
    }
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse) {
    const path = pathOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return say(response, 200, 'ok\n');
    if (isRead && path === '/readyz')
      return (await isReady()) ? say(response, 200, 'ready\n') : say(response, 503, 'not ready\n');
    if (isRead && path === '/metrics') return say(response, 200, metrics.render(gauges()));
    const [, account, room] = PATH.exec(path) ?? [];
    if (account && (!isRead || request.headers.authorization !== undefined))
      return onAccount(request, response, account, room);
    if (!isRead) return say(response, 405);
    if (pages) return pages(request, response, () => say(response, 404, 'not found\n'));
    return path === '/' ? say(response, 200, 'Recollect relay\n') : say(response, 404, 'not found\n');
  }

  const gauges = () => ({
    connections: connections.size,
    rooms: rooms.size,
    accounts: accounts.size,
    unsent_bytes: unsent.bytes,
    resident_bytes: process.memoryUsage.rss(),
  });

  const server = createServer((request, response) => {
    onRequest(request, response).catch((error: unknown) => {
      log.warn('request-failed', { error });
      if (response.headersSent) response.destroy();
      else say(response, 500);
    });
  });
  // Whoever connects and says nothing is not waited for.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxConnections = limits.connections + SPARE_CONNECTIONS;
  server.on('upgrade', onUpgrade);
  server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());

  // --- Clockwork --------------------------------------------------------------------------------------------------------------------

  function sweep() {
    const now = Date.now();
    rooms.sweep(now);
    for (const [key, visitor] of visitors)
      if (visitor.connections === 0 && now - visitor.seenAt > 60_000) visitors.delete(key);
    for (const [tag, account] of accounts) {
      if (account.connections === 0 && now - account.idleSince > 60_000) accounts.delete(tag);
      else if (account.connections > 0 && now - account.readAt > ACCOUNT_REFRESH_MS) readUsage(account);
    }
  }

  function ping() {
    for (const connection of connections) {
      const { bytesRead } = connection.stream;
      // An answer may wait behind much else, on the way here as on the way there: every byte that moves is one. Whom we do not read can
      // say nothing.
      if (connection.socket.isPaused) connection.heard = -1;
      else if (connection.heard === bytesRead && !connection.took) connection.socket.terminate();
      else {
        connection.heard = bytesRead;
        connection.took = false;
        connection.socket.ping();
      }
    }
  }

  const clocks: ReturnType<typeof setInterval>[] = [];
  const unsubscribe = store.subscribe((change) => rooms.look(change));

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, () => {
          server.off('error', reject);
          clocks.push(setInterval(sweep, SWEEP_MS), setInterval(ping, limits.pingMs));
          const { address, family, port } = server.address() as AddressInfo;
          resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
        });
      }),
    async close() {
      draining = true;
      server.close();
      unsubscribe();
      const all = [...connections];
      const step = all.length > 0 ? limits.drainMs / all.length : 0;
      const started = Date.now();
      for (const [index, connection] of all.entries()) {
        const wait = started + index * step - Date.now();
        if (wait > 10) await new Promise((resolve) => setTimeout(resolve, wait));
        close(connection, CLOSE.restart);
      }
      await Promise.all(
        all
          .filter(({ socket }) => socket.readyState !== socket.CLOSED)
          .map(({ socket }) => new Promise((resolve) => socket.once('close', resolve))),
      );
      for (const clock of clocks) clearInterval(clock);
      await rooms.idle();
      rooms.close();
      server.closeAllConnections();
    },
  };
}

const pathOf = (request: IncomingMessage): string => (request.url ?? '/').split('?', 1)[0] ?? '/';
