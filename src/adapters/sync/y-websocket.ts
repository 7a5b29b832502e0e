// Rooms on a relay that speaks the y-websocket protocol: the stock client, one document per
// room, in it one flat array of blobs.
//
//   connect ──► synced ──► connection lost ──► document thrown away ──► pause, growing, with jitter ──► connect
//
// The document lives as long as its connection. Each connection so begins with a new Yjs client id (a persisted or
// reused one could be pre-empted by a forger or collide after a crash), never uploads a whole room in one message, and
// shows what the relay really has. What the relay sends back is what it has committed: a blob counts as confirmed when
// it was seen in a message from the relay.
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { messageYjsSyncStep2, messageYjsUpdate, writeSyncStep1 } from 'y-protocols/sync';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { blobKey } from '../../domain/sync/blob.ts';
import { accountTag, tokenProtocol } from '../../domain/sync/keys.ts';
import { errorOfStatus, isFinal, problemOfCode } from './close-codes.ts';
import type { RelayAccount, RoomState, SyncBackend, SyncRoom } from './sync-backend.ts';
import { AnswerLimit, Unanswered } from './unanswered.ts';

/** Name of the array in the document. */
export const BLOBS = 'b';

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 45_000;
/** Most times that the time limit may double. */
const MAX_TIMEOUT_DOUBLINGS = 3;
/**
 * Interval at which the connection checks that the line still takes bytes, ms: more than once
 * between two looks of the client's watchdog.
 */
const BUFFER_CHECK_MS = 2000;
/** Index of sync messages among the provider's handlers. */
const MESSAGE_SYNC = 0;

interface WebsocketBackendOptions {
  readonly WebSocket: typeof WebSocket;
  readonly fetch: typeof fetch;
  /**
   * Longest silence of a room before it is synced, ms; then the connection is made again. A browser does not say how
   * much of a message has come: if the relay had begun, the next connection gets twice the time, until one needs less.
   */
  readonly timeoutMs?: () => number;
  /**
   * Interval at which a synced room asks the relay for blobs that are missing here, ms; a
   * message may have been lost on the way.
   */
  readonly askAgainMs?: number;
  /** Longest wait for the answer to an update or a question, ms; then the room is compared again. */
  readonly answerMs?: number;
}

/** Rooms over WebSockets. Every connection carries the token as a subprotocol. */
export function createWebsocketBackend(deps: WebsocketBackendOptions): SyncBackend {
  return new WebsocketBackend(deps);
}

class WebsocketBackend implements SyncBackend {
  readonly #deps: WebsocketBackendOptions;
  readonly #timeoutMs: NonNullable<WebsocketBackendOptions['timeoutMs']>;
  readonly #askAgainMs: NonNullable<WebsocketBackendOptions['askAgainMs']>;
  readonly #answerMs: NonNullable<WebsocketBackendOptions['answerMs']>;
  /** Number of times that the time limit has doubled. */
  #timeoutDoublings = 0;

  constructor(deps: WebsocketBackendOptions) {
    this.#deps = deps;
    const { timeoutMs = () => 30_000, askAgainMs = 120_000, answerMs = 60_000 } = deps;
    this.#timeoutMs = timeoutMs;
    this.#askAgainMs = askAgainMs;
    this.#answerMs = answerMs;
  }

  readonly open: SyncBackend['open'] = (account, room, onChange) => this.#openRoom(account, room, onChange);

  readonly erase: SyncBackend['erase'] = async (account, room, signal) => {
    const base = account.endpoint.replace(/^ws/, 'http').replace(/(?<!\/)\/+$/, '');
    const path = room === null ? accountTag(account.token) : `${accountTag(account.token)}/${room}`;
    let response: Response;
    try {
      response = await this.#deps.fetch(`${base}/${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${account.token}` },
        signal,
      });
    } catch (cause) {
      signal.throwIfAborted();
      throw new RecollectError('sync-offline', 'The relay does not answer', { retry: true, cause });
    }
    if (!response.ok && response.status !== 404 && response.status !== 410)
      throw errorOfStatus(response.status);
  };

  #openRoom(account: RelayAccount, room: string, onChange: () => void): SyncRoom {
    let state: RoomState = 'connecting';
    let problem: Problem | null = null;
    let connection: Connection | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let closed = false;
    /** Number of times that the time limit has doubled for this room. */
    let roomDoublings = 0;
    /** Number of time limits that have passed since the connection in the making last received something. */
    let elapsedTimeouts = 0;
    const answerLimit = new AnswerLimit(this.#answerMs);

    const drop = () => {
      connection?.close();
      connection = undefined;
      clearTimeout(timer);
    };
    const lose = (code: number | null) => {
      if (closed) return;
      drop();
      if (code !== null && isFinal(code)) {
        state = 'refused';
        problem = problemOfCode(code);
      } else {
        state = 'offline';
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
        failures += 1;
        // Half of the pause is random, so that not all devices connect to a returning relay at once.
        timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
      }
      onChange();
    };
    const connect = () => {
      if (closed) return;
      drop();
      state = 'connecting';
      problem = null;
      let spoke = false;
      let late = false;
      roomDoublings = Math.max(roomDoublings, this.#timeoutDoublings);
      const wait = () => {
        elapsedTimeouts = 0;
        startTimer();
      };
      const startTimer = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          elapsedTimeouts += 1;
          late = true;
          if (elapsedTimeouts < (spoke ? 2 ** roomDoublings : 1)) return startTimer();
          if (spoke) {
            roomDoublings = Math.min(MAX_TIMEOUT_DOUBLINGS, roomDoublings + 1);
            this.#timeoutDoublings = Math.max(this.#timeoutDoublings, roomDoublings);
          }
          lose(null);
        }, this.#timeoutMs());
      };
      const mine = new Connection(this.#deps.WebSocket, account, room, {
        onChange,
        onMessage: () => {
          if (state !== 'connecting') return;
          spoke = true;
          wait();
        },
        onSynced: () => {
          clearTimeout(timer);
          failures = 0;
          // The line may be better by now. A room that needed the longer time keeps it.
          if (!late) {
            roomDoublings = Math.max(0, roomDoublings - 1);
            this.#timeoutDoublings = Math.max(0, this.#timeoutDoublings - 1);
          }
          state = 'synced';
          onChange();
        },
        answerLimit,
        askAgainMs: this.#askAgainMs,
        onLost: (code) => connection === mine && lose(code),
      });
      connection = mine;
      wait();
    };
    connect();

    return {
      get state() {
        return state;
      },
      get problem() {
        return problem;
      },
      get junk() {
        return state === 'synced' ? (connection?.blobs().junk ?? 0) : 0;
      },
      blobs: () => (state === 'synced' && connection ? connection.blobs().byKey : new Map()),
      insert: (blobs, instead = []) => {
        if (state === 'synced') connection?.insert(blobs, instead);
      },
      remove: (keys) => {
        if (state === 'synced') connection?.remove(keys);
      },
      isConfirmed: (key) => connection?.confirmed.has(key) ?? false,
      retry: (anew = false) => {
        if (closed || state === 'synced' || (state === 'connecting' && !(anew && elapsedTimeouts > 0)))
          return;
        failures = 0;
        connect();
      },
      close: () => {
        closed = true;
        drop();
        state = 'offline';
      },
    };
  }
}

interface ConnectionHandlers {
  readonly onChange: () => void;
  /** Called when a message about the room arrives. */
  readonly onMessage: () => void;
  readonly onSynced: () => void;
  readonly answerLimit: AnswerLimit;
  readonly askAgainMs: number;
  readonly onLost: (code: number | null) => void;
}

/** One connection to one room, from its start until it is lost or closed; the next one is a new object. */
class Connection {
  readonly #handlers: ConnectionHandlers;
  readonly #doc = new Y.Doc();
  readonly #array = this.#doc.getArray<unknown>(BLOBS);
  /** Keys of the blobs that the relay has said it holds. */
  readonly confirmed = new Set<string>();
  /** Keys of blobs by the array itself: Yjs hands out the same array each time. */
  readonly #keys = new WeakMap<Uint8Array, string>();
  #known: { byKey: Map<string, Uint8Array>; junk: number } | undefined;
  #ended = false;
  readonly #provider: WebsocketProvider;
  readonly #unanswered = new Unanswered(() => this.#doc.clientID);
  #askedAt = Date.now();
  #buffered = 0;
  readonly #bufferCheck: ReturnType<typeof setInterval>;

  constructor(Socket: typeof WebSocket, account: RelayAccount, room: string, handlers: ConnectionHandlers) {
    this.#handlers = handlers;
    this.#provider = new WebsocketProvider(
      account.endpoint,
      `${accountTag(account.token)}/${room}`,
      this.#doc,
      {
        connect: false,
        protocols: [tokenProtocol(account.token)],
        WebSocketPolyfill: Socket,
        // Only the leading tab connects; the other tabs read the log.
        disableBc: true,
      },
    );
    this.#readMessages();
    this.#array.observe(() => {
      this.#known = undefined;
      handlers.onChange();
    });
    this.#doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== this.#provider) this.#unanswered.sent(update, Date.now());
    });
    this.#provider.on('sync', (synced: boolean) => synced && !this.#ended && handlers.onSynced());
    this.#provider.on('connection-close', (event: CloseEvent | null) => this.#lose(event?.code ?? null));
    this.#bufferCheck = setInterval(() => this.#checkBuffer(), BUFFER_CHECK_MS);
    this.#provider.connect();
  }

  blobs(): { byKey: ReadonlyMap<string, Uint8Array>; junk: number } {
    if (this.#known) return this.#known;
    const known = { byKey: new Map<string, Uint8Array>(), junk: 0 };
    for (const item of this.#array.toArray())
      if (item instanceof Uint8Array) known.byKey.set(this.#keyOf(item), item);
      else known.junk += 1;
    this.#known = known;
    return known;
  }

  /** Adds what is not there yet, and removes `instead` in the same change. */
  insert(blobs: readonly Uint8Array[], instead: readonly string[]): void {
    const there = this.blobs().byKey;
    const fresh = blobs.filter((blob) => !there.has(this.#keyOf(blob)));
    this.#doc.transact(() => {
      if (instead.length > 0) this.remove(instead);
      if (fresh.length > 0) this.#array.push([...fresh]);
    });
  }

  remove(keys: readonly string[]): void {
    const wanted = new Set(keys);
    for (const key of wanted) this.confirmed.delete(key);
    this.#doc.transact(() => {
      const items = this.#array.toArray();
      for (let end = items.length; end > 0; ) {
        let start = end;
        const hit = (at: number) => {
          const item = items[at];
          return item instanceof Uint8Array && wanted.has(this.#keyOf(item));
        };
        while (start > 0 && hit(start - 1)) start -= 1;
        if (start < end) this.#array.delete(start, end - start);
        end = start < end ? start : end - 1;
      }
    });
  }

  close(): void {
    this.#ended = true;
    clearInterval(this.#bufferCheck);
    // Yjs changes its id when a forger uses ours. The provider says farewell under its
    // first id, and fails under another.
    this.#doc.clientID = this.#provider.awareness.clientID;
    this.#provider.destroy();
    this.#doc.destroy();
  }

  #keyOf(blob: Uint8Array): string {
    const key = this.#keys.get(blob) ?? blobKey(blob);
    this.#keys.set(blob, key);
    return key;
  }

  #lose(code: number | null): void {
    if (this.#ended) return;
    this.#ended = true;
    // Wait until the provider's own handler has returned: it still uses what `destroy` would end.
    queueMicrotask(() => {
      this.close();
      this.#handlers.onLost(code);
    });
  }

  /** Reads each message before the provider does, to learn which blobs the relay holds and that it answers. */
  #readMessages(): void {
    const { messageHandlers } = this.#provider;
    const readSync = messageHandlers[MESSAGE_SYNC];
    messageHandlers[MESSAGE_SYNC] = (encoder, decoder, from, emitSynced, type) => {
      if (this.#ended) return;
      this.#handlers.onMessage();
      try {
        const peek = decoding.clone(decoder);
        const kind = decoding.readVarUint(peek);
        if (kind === messageYjsSyncStep2 || kind === messageYjsUpdate) {
          const update = decoding.readVarUint8Array(peek);
          for (const struct of Y.decodeUpdate(update).structs)
            if (struct instanceof Y.Item && struct.content instanceof Y.ContentBinary)
              this.confirmed.add(blobKey(struct.content.content));
          this.#readAnswer(kind, update);
        }
        readSync?.(encoder, decoder, from, emitSynced, type);
        this.#handlers.onChange();
      } catch (error) {
        log.info('The relay sent unreadable data', error);
        this.#lose(null);
      }
    };
  }

  #readAnswer(kind: number, update: Uint8Array): void {
    if (this.#unanswered.isEmpty) return;
    if (kind === messageYjsSyncStep2) this.#unanswered.answered(Date.now());
    this.#unanswered.gaveBack(update, Date.now());
    if (this.#unanswered.isEmpty) this.#handlers.answerLimit.wasEnough();
  }

  /**
   * The client has a watchdog of its own, which ends what was silent for 30 s. It sees whole messages that come, and
   * neither a large one on its way nor that what we send is leaving. How long the room is waited for is ours to say.
   */
  #checkBuffer(): void {
    const { answerLimit, askAgainMs } = this.#handlers;
    const provider = this.#provider;
    const before = this.#buffered;
    this.#buffered = provider.ws?.bufferedAmount ?? 0;
    const now = Date.now();
    if (this.#buffered < before) this.#unanswered.moved(now);
    if (!provider.synced || this.#buffered < before) provider.wsLastMessageReceived = now;
    if (!provider.synced) this.#askedAt = now;
    else if (this.#unanswered.isOverdue(now, answerLimit.ms)) {
      answerLimit.wasTooShort();
      this.#lose(null);
    } else if (this.#unanswered.isEmpty && now - this.#askedAt > askAgainMs) {
      this.#askedAt = now;
      this.#unanswered.asked(now);
      const question = encoding.createEncoder();
      encoding.writeVarUint(question, MESSAGE_SYNC);
      writeSyncStep1(question, this.#doc);
      provider.ws?.send(encoding.toUint8Array(question));
    }
  }
}
