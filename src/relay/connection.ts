// One connection: input is counted from the first byte and read no faster than allowed; output leaves in
// pieces, so that a ping fits between them.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { ignore } from '../domain/base/log.ts';
import type { Address, HostedAccount } from './admission.ts';
import type { IncomingBudget, IncomingClient } from './incoming-budget.ts';
import { CLOSE, type CloseCode, createBucket, draw, type Limits } from './limits.ts';
import { MessageMeter } from './message-meter.ts';
import type { Metrics } from './metrics.ts';
import type { OutgoingBudget } from './outgoing-budget.ts';
import type { Peer } from './room.ts';

/** A client that does not answer a close frame is cut off after this time, ms. */
const CLOSE_MS = 2000;
/** Output passed to the socket at a time, bytes: each piece that leaves is a sign of life. */
const PIECE_BYTES = 64 * 1024;
/** Most unsent output with which pings are still answered, bytes. */
const MAX_PONG_BYTES = 16 * 1024;
/** Slowest allowed message once it has been under way for two heartbeats, bytes a second. */
const SLOWEST_BYTES_PER_SECOND = 256;

/** Parts of the server that all connections share. */
interface ConnectionServices {
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly incoming: IncomingBudget;
  readonly outgoing: OutgoingBudget;
}

/**
 * The WebSocket of one client in one room. It closes itself with a code of `CLOSE` when the
 * client breaks a limit; no method throws.
 */
export class ClientConnection implements Peer, IncomingClient {
  readonly account: HostedAccount;
  /** Its input counts for both. */
  readonly owners: readonly [HostedAccount, Address];
  awareness: Peer['awareness'] = null;
  isAnswered = false;
  readonly #socket: WebSocket;
  readonly #stream: Socket;
  readonly #services: ConnectionServices;
  /** Rate of this connection's messages. */
  readonly #messages;
  readonly #meter = new MessageMeter();
  /** Counted bytes of the unfinished message. */
  #unfinished = 0;
  /** Received bytes that are not processed yet. */
  #pending = 0;
  /** Frames to send. The socket has `#sent` bytes of the first one. */
  readonly #queue: Uint8Array[] = [];
  #sent = 0;
  /** Frames that the socket has completely, and that may not have left yet. */
  readonly #leaving: Uint8Array[] = [];
  /** Bytes that wait behind the first frame. */
  #waiting = 0;
  #isSending = false;
  #isClosing = false;
  /** Timer until the connection may be read again; once it is closing, until it is cut. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Bytes received at the last heartbeat; and true if anything has left since. */
  #lastReceived = -1;
  #hasLeft = false;

  /** `stream`: the TCP connection below `socket`, whose bytes are counted. */
  constructor(
    socket: WebSocket,
    stream: Socket,
    account: HostedAccount,
    address: Address,
    services: ConnectionServices,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.account = account;
    this.owners = [account, address];
    this.#services = services;
    this.#messages = createBucket(services.limits.messagesPerSecond, Date.now());
    stream.on('data', (chunk: Buffer) => this.#meterChunk(chunk));
    socket.on('ping', (data) => this.#pong(data));
    socket.on('pong', () => this.#admitMessage());
  }

  /** True once a close frame was sent, or the socket has closed: nothing is read or sent any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }
  /** True once the socket has closed. */
  get isClosed(): boolean {
    return this.#socket.readyState === this.#socket.CLOSED;
  }
  /** Bytes held for the message that is still arriving; 0: there is none. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /**
   * Calls `handle` with each complete message that is allowed. `handle` resolves when the
   * message is processed, and never rejects.
   */
  onMessage(handle: (message: Uint8Array) => Promise<void>): void {
    this.#socket.on('message', (data, isBinary) => {
      if (this.#isClosing) return;
      if (!isBinary || !(data instanceof Uint8Array)) {
        this.close(CLOSE.junk);
        return;
      }
      if (!this.#admitMessage()) return;
      this.#services.metrics.count('messages_total');
      this.charge(data.length);
      this.#addPending(data.length);
      ignore(
        handle(data).finally(() => this.#addPending(-data.length)),
        'processing a message, which never fails',
      );
    });
  }

  /** Calls `handle` once the socket has closed, for any reason. */
  onClose(handle: () => void): void {
    this.#socket.on('close', handle);
  }

  /** Releases everything that was counted. Call it when the socket has closed. */
  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#isClosing = true;
    const { incoming, outgoing } = this.#services;
    for (const frame of [...this.#leaving.splice(0), ...this.#queue.splice(0)])
      outgoing.release(this.account, frame);
    this.#services.incoming.addUnfinished(this, this.#setUnfinished(0));
    incoming.forget(this);
  }

  /** Returns the change, bytes. */
  #setUnfinished(bytes: number): number {
    const change = bytes - this.#unfinished;
    this.#unfinished = bytes;
    return change;
  }

  #meterChunk(chunk: Buffer): void {
    this.#meter.take(chunk, Date.now());
    this.#services.incoming.addUnfinished(this, this.#setUnfinished(this.#meter.held));
  }

  /**
   * Counts a message, ping or pong against the rates. False if it must not be processed: too many close the connection.
   */
  #admitMessage(): boolean {
    if (this.#isClosing) return false;
    const { limits } = this.#services;
    const now = Date.now();
    const isTooMuch =
      draw(this.#messages, 1, limits.messagesPerSecond, now) > 0 ||
      draw(this.account.messages, 1, limits.accountMessagesPerSecond, now) > 0;
    if (isTooMuch) this.close(CLOSE.rate);
    return !isTooMuch;
  }

  #pong(data: Buffer): void {
    // Pongs must not pile up for a client that pings and does not read.
    if (this.#admitMessage() && this.#socket.bufferedAmount <= MAX_PONG_BYTES) this.#socket.pong(data);
  }

  #addPending(bytes: number): void {
    this.#pending += bytes;
    this.#services.incoming.addPending(this, bytes);
    if (bytes < 0) this.resume();
    else if (this.#pending > this.#services.limits.buffered || this.#services.incoming.isFull(this)) {
      this.#socket.pause();
      this.#services.incoming.pause(this);
    }
  }

  /**
   * Charges the account for received bytes, or for work that counts as so many. Beyond the account's rate the client is
   * read later and not closed, since much to upload is no offence.
   */
  charge(bytes: number): void {
    const wait = draw(this.account.traffic, bytes, this.#services.limits.accountBytesPerSecond, Date.now());
    if (wait === 0 || this.#timer || this.#isClosing) return;
    this.#socket.pause();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.resume();
    }, wait);
  }

  /** Reads the client again if nothing forbids it. Returns true if the connection is being read, or is closing. */
  resume(): boolean {
    if (this.#isClosing || !this.#socket.isPaused) return true;
    if (this.#timer || this.#pending > this.#services.limits.buffered / 2) return false;
    if (this.#services.incoming.isFull(this)) return false;
    this.#socket.resume();
    return true;
  }

  /** Queues a frame. Closes the connection instead if too much waits already, for this client or its account. */
  send(frame: Uint8Array): void {
    if (this.#isClosing) return;
    const { limits, metrics, outgoing } = this.#services;
    // The first frame may be a whole room, which takes as long as the network needs, so it does not count against the
    // client. Where little waits, a frame is added even if the account, or the relay, has used up its share.
    const first = this.#queue[0]?.length ?? 0;
    const isLittle = first + this.#waiting + frame.length <= PIECE_BYTES;
    const isTooMuch = !isLittle && outgoing.isOver(this.account, first);
    if (isTooMuch || this.#waiting > limits.buffered) {
      this.close(CLOSE.tryLater);
      return;
    }
    outgoing.hold(this.account, frame);
    metrics.count('sent_total');
    if (this.#queue.push(frame) > 1) this.#waiting += frame.length;
    if (!this.#isSending) this.#sendPiece();
  }

  /** Passes the next `PIECE_BYTES` to the socket: many small frames, or a part of a large one. */
  #sendPiece(): void {
    const pieces: { bytes: Uint8Array; fin: boolean }[] = [];
    let left = PIECE_BYTES;
    for (let [frame] = this.#queue; frame && left > 0; [frame] = this.#queue) {
      const bytes = frame.subarray(this.#sent, this.#sent + left);
      left -= bytes.length;
      this.#sent += bytes.length;
      const fin = this.#sent === frame.length;
      pieces.push({ bytes, fin });
      if (!fin) break;
      this.#queue.shift();
      this.#leaving.push(frame);
      this.#sent = 0;
      this.#waiting -= this.#queue[0]?.length ?? 0;
    }
    this.#isSending = pieces.length > 0;
    for (const [index, { bytes, fin }] of pieces.entries())
      this.#socket.send(
        bytes,
        { binary: true, fin },
        index < pieces.length - 1 ? undefined : () => this.#onPieceLeft(),
      );
  }

  #onPieceLeft(): void {
    this.#hasLeft = true;
    for (const frame of this.#leaving.splice(0)) this.#services.outgoing.release(this.account, frame);
    if (!this.#isClosing) this.#sendPiece();
  }

  /**
   * Heartbeat: ends the connection if nothing has moved since the last one, or a message comes too
   * slowly to ever end. `now`: ms since 1970.
   */
  beat(now: number): void {
    const { bytesRead } = this.#stream;
    const { held, since } = this.#meter;
    const age = now - since;
    const isTooSlow =
      held > 0 && age > 2 * this.#services.limits.pingMs && held < (age / 1000) * SLOWEST_BYTES_PER_SECOND;
    // A client that the relay does not read cannot be late. Any byte that moves is an answer,
    // since a pong may wait behind much else.
    if (this.#socket.isPaused) this.#lastReceived = -1;
    else if (isTooSlow || (this.#lastReceived === bytesRead && !this.#hasLeft)) this.#socket.terminate();
    else {
      this.#lastReceived = bytesRead;
      this.#hasLeft = false;
      this.#socket.ping();
    }
  }

  /**
   * Cuts the connection without waiting for an answer: its unfinished message takes space that
   * others need. The client may come back.
   */
  cut(): void {
    this.#services.metrics.count('cut_unfinished_total');
    this.#services.incoming.addUnfinished(this, this.#setUnfinished(0));
    this.close(CLOSE.tryLater);
    // The socket holds the partial message until it is gone, so a polite close would free nothing.
    this.#socket.terminate();
  }

  /**
   * Sends a close frame; cuts the connection if the client does not answer it in time. Does nothing the second time.
   */
  close(code: CloseCode): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#services.metrics.count('closed_by_relay_total');
    // A socket that is not read would never receive the other side's answer to the close.
    this.#socket.resume();
    this.#socket.close(code);
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.terminate(), CLOSE_MS);
  }
}
