// The relay's server: WebSockets for rooms, HTTP for the rest. It admits and closes connections; connection.ts and rooms.ts
// handle their messages.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { ignore } from '../domain/base/log.ts';
import { type Address, Admission } from './admission.ts';
import { Connection } from './connection.ts';
import { createHttpRoutes, pathOf, ROOM_PATH } from './http-routes.ts';
import { IncomingBudget } from './incoming-budget.ts';
import { CLOSE, type Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import { OutgoingBudget } from './outgoing-budget.ts';
import { Rooms } from './rooms.ts';
import type { RelayStore } from './store.ts';

const VERSION_PROTOCOL = 'recollect.v1';
const ANY_VERSION = /^recollect\.v\d+$/;
const TOKEN_PROTOCOL = 'recollect.';
/** Close code of `ws` for a message above its limit. */
const TOO_LARGE = 1009;
const SWEEP_MS = 1000;
/** Time after which a client that is refused, or does not answer a close frame, is cut off, ms. */
const CLOSE_MS = 2000;
/** Most that a refused client may still send, bytes. */
const REFUSED_BYTES = 64 * 1024;
/** Connections for HTTP requests, and for the message that the relay is full. */
const SPARE_CONNECTIONS = 500;
/** Output that may wait, in rooms of the largest size: for one account, and for all. */
const OUTGOING_ROOMS = { share: 4, total: 8 };
/** Input that may be under way, and again that may wait, in messages of the largest size: of one account or address, and of all. */
const INCOMING_MESSAGES = { share: 4, total: 8 };
/** Most fragments of one message. Browsers send pieces of 64 KiB and more. */
const MAX_FRAGMENTS = 1024;
const MAX_HEADER_BYTES = 8 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Time between two searches for silent or incomplete connections, ms. */
const STALE_LOOK_MS = 2000;

/** A message that is too large stays too large, so the close code is a final one. */
class RelaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer) {
    super.close(code === TOO_LARGE ? CLOSE.quota : code, reason);
  }
}

export interface RelayServer {
  /** Resolves with the address when connections are accepted. */
  listen(): Promise<string>;
  /** Accepts no more, ends what is under way, and asks everybody to come again, spread over `limits.drainMs`. The store stays open. */
  close(): Promise<void>;
}

interface ServerDeps {
  readonly store: RelayStore;
  readonly options: Options;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Makes the relay's server, for HTTP and WebSockets on one port. It accepts nothing before `listen`; the caller opens and closes the store. */
export const createRelayServer = (deps: ServerDeps): RelayServer => new WebSocketRelay(deps);

class WebSocketRelay implements RelayServer {
  readonly #options: Options;
  readonly #limits: Limits;
  readonly #metrics: Metrics;
  readonly #admission: Admission;
  readonly #rooms: Rooms;
  readonly #incoming: IncomingBudget;
  readonly #outgoing: OutgoingBudget;
  readonly #connections = new Set<Connection>();
  /** Addresses of TCP connections that are no WebSockets, or not yet. */
  readonly #unupgraded = new WeakMap<Socket, Address>();
  readonly #sockets: WebSocketServer;
  readonly #server: Server;
  readonly #unsubscribe: () => void;
  #timers: ReturnType<typeof setInterval>[] = [];
  #isDraining = false;

  constructor(deps: ServerDeps) {
    const { store, options, metrics, log } = deps;
    const { limits } = options;
    this.#options = options;
    this.#limits = limits;
    this.#metrics = metrics;
    this.#admission = new Admission(deps);
    this.#incoming = new IncomingBudget({
      share: INCOMING_MESSAGES.share * limits.payload,
      total: INCOMING_MESSAGES.total * limits.payload,
    });
    this.#outgoing = new OutgoingBudget({
      share: OUTGOING_ROOMS.share * limits.room,
      all: OUTGOING_ROOMS.total * limits.room,
    });
    this.#rooms = new Rooms({ store, limits, outgoing: this.#outgoing, metrics, log });
    this.#sockets = createWebSocketServer(limits);
    const routes = createHttpRoutes({
      ...deps,
      admission: this.#admission,
      isDraining: () => this.#isDraining,
      gauges: () => this.#gauges(),
      onErased: (change) => this.#rooms.storeChanged(change),
    });
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        connectionsCheckingInterval: STALE_LOOK_MS,
      },
      (request, response) => {
        ignore(routes.handle(request, response), 'answering a request, which logs its own failures');
      },
    );
    this.#server.maxConnections = limits.connections + SPARE_CONNECTIONS;
    // A client that requests a file without reading it is cut off. WebSockets have their heartbeat instead.
    this.#server.setTimeout(REQUEST_MS, (socket: Socket) => socket.destroy());
    this.#server.on('connection', (socket: Socket) => this.#onSocket(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
    this.#server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());
    this.#unsubscribe = store.subscribe((change) => this.#rooms.storeChanged(change));
  }

  listen(): Promise<string> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#options.port, this.#options.host, () => {
        server.off('error', reject);
        this.#timers = [
          setInterval(() => this.#sweep(), SWEEP_MS),
          setInterval(() => this.#beat(), this.#limits.pingMs),
        ];
        const { address, family, port } = server.address() as AddressInfo;
        resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
      });
    });
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    this.#server.close();
    this.#unsubscribe();
    const all = [...this.#connections];
    const step = all.length > 0 ? this.#limits.drainMs / all.length : 0;
    const startedAt = Date.now();
    for (const [index, connection] of all.entries()) {
      const wait = startedAt + index * step - Date.now();
      if (wait > 10) await new Promise((resolve) => setTimeout(resolve, wait));
      connection.close(CLOSE.restart);
    }
    await Promise.all(
      all
        .filter((connection) => !connection.isClosed)
        .map((connection) => new Promise<void>((resolve) => connection.onClose(resolve))),
    );
    for (const timer of this.#timers) clearInterval(timer);
    await this.#rooms.idle();
    await this.#rooms.purge();
    this.#rooms.close();
    this.#server.closeAllConnections();
  }

  /** Counts a TCP connection until it becomes a WebSocket or ends. Behind a proxy all have its address, and the proxy counts. */
  #onSocket(socket: Socket): void {
    if (this.#options.trustProxy) return;
    const address = this.#admission.address(socket.remoteAddress);
    if (address.sockets >= this.#limits.socketsPerIp) {
      this.#metrics.count('refused_total');
      socket.destroy();
      return;
    }
    address.sockets++;
    this.#unupgraded.set(socket, address);
    socket.once('close', () => this.#uncount(socket));
  }

  #uncount(socket: Socket): void {
    const address = this.#unupgraded.get(socket);
    if (address) address.sockets--;
    this.#unupgraded.delete(socket);
  }

  #refuse(socket: Duplex, status: string): void {
    this.#metrics.count('refused_total');
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    socket.once('finish', () => socket.destroy());
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // An error at this stage ends only this connection.
    socket.on('error', () => socket.destroy());
    if (this.#isDraining) {
      this.#refuse(socket, '503 Service Unavailable');
      return;
    }
    const [, tag, room] = ROOM_PATH.exec(pathOf(request)) ?? [];
    if (!tag || !room) {
      this.#refuse(socket, '404 Not Found');
      return;
    }
    if (!this.#admission.isOrigin(request.headers.origin)) {
      this.#refuse(socket, '403 Forbidden');
      return;
    }
    const address = this.#admission.addressOf(request);
    if (!this.#admission.takeHandshake(address) || this.#admission.isCrowded(address)) {
      this.#refuse(socket, '429 Too Many Requests');
      return;
    }
    if (this.#connections.size >= this.#limits.connections) {
      this.#refuse(socket, '503 Service Unavailable');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#uncount(request.socket);
      this.#onWebSocket(webSocket, request, address, tag, room);
    });
  }

  #onWebSocket(
    webSocket: WebSocket,
    request: IncomingMessage,
    address: Address,
    tag: string,
    room: string,
  ): void {
    address.connections++;
    webSocket.on('close', () => {
      address.connections--;
    });
    webSocket.on('error', (error: Error & { code?: string }) => {
      // A client that sent too much at once gets a reason; one that speaks another protocol does not.
      const isPolite = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      if (isPolite) setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
      else webSocket.terminate();
    });
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const token = offered.find((name) => name.startsWith(TOKEN_PROTOCOL) && !ANY_VERSION.test(name));
    const isForeign = offered.some((name) => ANY_VERSION.test(name)) && !offered.includes(VERSION_PROTOCOL);
    // A browser hides the answer to a refused handshake and would retry for ever, so the socket is opened to say it.
    const isKey = this.#admission.opens(token?.slice(TOKEN_PROTOCOL.length), tag);
    if (isKey && !isForeign) {
      this.#accept(webSocket, request.socket, address, tag, room);
      return;
    }
    this.#metrics.count('refused_total');
    webSocket.close(isKey ? CLOSE.upgrade : CLOSE.auth);
    setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
    let bytes = 0;
    request.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REFUSED_BYTES) webSocket.terminate();
    });
  }

  #accept(webSocket: WebSocket, stream: Socket, address: Address, tag: string, roomName: string): void {
    const account = this.#admission.account(tag);
    const connection = new Connection(webSocket, stream, account, address, {
      limits: this.#limits,
      metrics: this.#metrics,
      incoming: this.#incoming,
      outgoing: this.#outgoing,
    });
    this.#metrics.count('connections_total');
    account.connections++;
    this.#connections.add(connection);
    let leave = () => {};
    connection.onClose(() => {
      connection.dispose();
      this.#connections.delete(connection);
      account.connections--;
      account.idleSince = Date.now();
      leave();
    });
    if (this.#admission.isOverLimit(account)) {
      connection.close(CLOSE.tryLater);
      return;
    }
    const room = this.#rooms.join({ account: tag, room: roomName }, connection);
    leave = () => this.#rooms.leave(room, connection);
    connection.onMessage((message) => this.#rooms.receive(room, connection, message));
  }

  #gauges(): Readonly<Record<string, number>> {
    return {
      connections: this.#connections.size,
      rooms: this.#rooms.size,
      accounts: this.#admission.accounts,
      incoming_bytes: this.#incoming.bytes,
      outgoing_bytes: this.#outgoing.bytes,
      resident_bytes: process.memoryUsage.rss(),
    };
  }

  #sweep(): void {
    this.#rooms.sweep();
    this.#admission.sweep();
  }

  #beat(): void {
    const now = Date.now();
    for (const connection of this.#connections) connection.beat(now);
  }
}

function createWebSocketServer(limits: Limits): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    WebSocket: RelaySocket,
    clientTracking: false,
    // Sealed bytes do not shrink, and a small frame could unpack into a large one.
    perMessageDeflate: false,
    maxPayload: limits.payload,
    maxFragments: MAX_FRAGMENTS,
    // `Connection` answers pings, at its own rate.
    autoPong: false,
    // A browser requires one of the protocols that it offered, even for a refusal. The one without a secret wins.
    handleProtocols: (offered) =>
      [VERSION_PROTOCOL, ...offered].find((name) => offered.has(name) && name.startsWith(TOKEN_PROTOCOL)) ??
      [...offered][0] ??
      false,
  });
}
