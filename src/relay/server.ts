// The relay's server: WebSockets for rooms, HTTP for everything else. It admits and closes connections; connection.ts
// and rooms.ts handle their messages. docs/relay.md describes the protocol.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { ignore } from '../domain/base/log.ts';
import { type Address, Admission } from './admission.ts';
import { ClientConnection } from './connection.ts';
import { createHttpRoutes, pathOf, ROOM_PATH } from './http-routes.ts';
import { IncomingBudget } from './incoming-budget.ts';
import { CLOSE, type Limits } from './limits.ts';
import type { OperatorLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import { OutgoingBudget } from './outgoing-budget.ts';
import { Rooms } from './rooms.ts';
import type { RelayStore } from './store.ts';

/** Subprotocol of this version, beside which a client offers the one with its token. */
const VERSION_PROTOCOL = 'recollect.v1';
const ANY_VERSION = /^recollect\.v\d+$/;
/** The token follows in the name of the subprotocol. */
const TOKEN_PROTOCOL = 'recollect.';
/** Close code of `ws` for a message above its limit. */
const TOO_LARGE = 1009;
/** Time between two sweeps of unused rooms, accounts and addresses, ms. */
const SWEEP_MS = 1000;
/** Time after which a client that is refused, or does not answer a close frame, is cut off, ms. */
const CLOSE_MS = 2000;
/** Most bytes that a refused client may still send. */
const REFUSED_BYTES = 64 * 1024;
/** TCP connections beyond the limit: for HTTP requests, and for telling clients that the relay is full. */
const SPARE_CONNECTIONS = 500;
/** Output that may wait for one account, and for all, counted in rooms of the largest size. */
const OUTGOING_ROOMS = { share: 4, total: 8 };
/**
 * Input of one account or address, and of all, counted in messages of the largest size: so much may be
 * unfinished, and as much again may wait.
 */
const INCOMING_MESSAGES = { share: 4, total: 8 };
/** Most fragments of one message. Browsers send fragments of 64 KiB and more. */
const MAX_FRAGMENTS = 1024;
const MAX_HEADER_BYTES = 8 * 1024;
/** Longest time in which the headers of a request, and the whole request, may arrive, ms. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Time between two searches for requests that are too late, ms. */
const STALE_CHECK_MS = 2000;

/** Closes with a final code for a message that is too large, since the client would only send it again. */
class RelaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer) {
    super.close(code === TOO_LARGE ? CLOSE.quota : code, reason);
  }
}

/** A relay that serves rooms, the app if wanted, and an operator's probes. */
export interface RelayServer {
  /**
   * Resolves with its address (`http://<host>:<port>`) when connections are
   * accepted. Rejects if it cannot listen there.
   */
  listen(): Promise<string>;
  /**
   * Accepts no more clients, closes all with 1012 (come again) over `limits.drainMs`, and resolves when their
   * work is done. The store stays open.
   */
  close(): Promise<void>;
}

interface ServerDeps {
  readonly store: RelayStore;
  readonly options: Options;
  readonly metrics: Metrics;
  readonly log: OperatorLog;
}

/**
 * Makes the relay's server, HTTP and WebSockets on one port. It accepts nothing before `listen`;
 * the caller opens and closes the store.
 */
export const createRelayServer = (deps: ServerDeps): RelayServer => new WebSocketRelay(deps);

class WebSocketRelay implements RelayServer {
  readonly #options: Options;
  readonly #limits: Limits;
  readonly #metrics: Metrics;
  readonly #admission: Admission;
  readonly #rooms: Rooms;
  readonly #incoming: IncomingBudget;
  readonly #outgoing: OutgoingBudget;
  readonly #connections = new Set<ClientConnection>();
  /** TCP connections that are no WebSockets, or not yet, with the address for which each is counted. */
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
        connectionsCheckingInterval: STALE_CHECK_MS,
      },
      (request, response) => {
        ignore(routes.handle(request, response), 'answering a request, which logs its own failures');
      },
    );
    this.#server.maxConnections = limits.connections + SPARE_CONNECTIONS;
    // A client that requests a file and does not read it is cut off. For WebSockets the heartbeat does this.
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

  /**
   * Counts a TCP connection until it becomes a WebSocket or ends. Behind a proxy all have the
   * proxy's address, so the proxy counts them.
   */
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

  /** Answers a handshake with an HTTP status, such as `404 Not Found`. */
  #refuse(socket: Duplex, status: string): void {
    this.#metrics.count('refused_total');
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    socket.once('finish', () => socket.destroy());
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // An error during the handshake must end only this connection, not the process.
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

  /** Lets a client in whose token opens the account; refuses others with a close code. */
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
      // A client whose message is too large gets time to read the close frame; one that breaks the protocol is cut off.
      const isTooLarge = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      if (isTooLarge) setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
      else webSocket.terminate();
    });
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const token = offered.find((name) => name.startsWith(TOKEN_PROTOCOL) && !ANY_VERSION.test(name));
    const isUnknownVersion =
      offered.some((name) => ANY_VERSION.test(name)) && !offered.includes(VERSION_PROTOCOL);
    // A browser hides the answer to a refused handshake, and its page would retry for
    // ever. A close code reaches the page.
    const isAuthorised = this.#admission.opens(token?.slice(TOKEN_PROTOCOL.length), tag);
    if (isAuthorised && !isUnknownVersion) {
      this.#accept(webSocket, request.socket, address, tag, room);
      return;
    }
    this.#metrics.count('refused_total');
    webSocket.close(isAuthorised ? CLOSE.upgrade : CLOSE.auth);
    setTimeout(() => webSocket.terminate(), CLOSE_MS).unref();
    let bytes = 0;
    request.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REFUSED_BYTES) webSocket.terminate();
    });
  }

  /** Joins a client to its room, unless its account is over its limits. */
  #accept(webSocket: WebSocket, stream: Socket, address: Address, tag: string, roomName: string): void {
    const account = this.#admission.account(tag);
    const connection = new ClientConnection(webSocket, stream, account, address, {
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
    // Sealed bytes do not compress, and a small compressed message could unpack into a large one.
    perMessageDeflate: false,
    maxPayload: limits.payload,
    maxFragments: MAX_FRAGMENTS,
    // `ClientConnection` answers pings, at its own rate.
    autoPong: false,
    // A browser requires one of the protocols that it offered, even for a refusal. The answer
    // avoids the one that holds the token.
    handleProtocols: (offered) =>
      [VERSION_PROTOCOL, ...offered].find((name) => offered.has(name) && name.startsWith(TOKEN_PROTOCOL)) ??
      [...offered][0] ??
      false,
  });
}
