// Rooms on a relay that speaks the y-websocket protocol: the stock client, one document per room, in it one flat array of blobs.
//
//   connect ──► synced ──► connection lost ──► document thrown away ──► pause, growing, with jitter ──► connect
//
// The document lives as long as its connection. Each connection so begins with a new Yjs client id (a persisted or reused one could be
// pre-empted by a forger or collide after a crash), never uploads a whole room in one message, and shows what the relay really has.
// What the relay sends back is what it has committed: a blob counts as confirmed when it was seen in a message from the relay.
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { messageYjsSyncStep2, messageYjsUpdate, writeSyncStep1 } from 'y-protocols/sync';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { blobKey } from '../../domain/sync/blob.ts';
import { accountTag, tokenProtocol } from '../../domain/sync/keys.ts';
import { errorOfStatus, isFinal, problemOfCode } from './close-codes.ts';
import type { RelayAccount, RoomState, SyncBackend, SyncRoom } from './sync-backend.ts';
import { AnswerLimit, Unanswered } from './unanswered.ts';

/** Name of the array in the document. */
export const BLOBS = 'b';

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 45_000;
/** How often the time limit may double. */
const MAX_TIMEOUT_DOUBLINGS = 3;
/** How often it is looked whether the line still takes what is sent, ms: more than once between two looks of the client's watchdog. */
const BUFFER_CHECK_MS = 2000;
/** Index of sync messages among the provider's handlers. */
const MESSAGE_SYNC = 0;

interface WebsocketBackendOptions {
  readonly WebSocket: typeof WebSocket;
  readonly fetch: typeof fetch;
  /**
   * A connection on which nothing of the room has come for this long, before it is synced, is given up and made again, ms. A browser does
   * not tell how much of a message is here: where the relay began to speak and this ran out, the room may be large and the line slow, and
   * the next connection gets twice the time, whatever its room. Connections that need no more than the limit make that less again.
   */
  readonly timeoutMs?: () => number;
  /** How often a synced room asks the relay whether something is missing here, ms: a message may have been lost on the way. */
  readonly askAgainMs?: number;
  /** How long an update, or such a question, waits for its answer before the room is compared anew, ms. */
  readonly answerMs?: number;
}

/** Rooms over WebSockets. Every connection carries the token as a subprotocol. */
export function createWebsocketBackend({
  WebSocket: Socket,
  fetch: request,
  timeoutMs = () => 30_000,
  askAgainMs = 120_000,
  answerMs = 60_000,
}: WebsocketBackendOptions): SyncBackend {
  /** How often the time limit has doubled. */
  let timeoutDoublings = 0;
  return {
    open: (account, room, onChange) => openRoom(account, room, onChange),
    erase: async (account, room, signal) => {
      const base = account.endpoint.replace(/^ws/, 'http').replace(/(?<!\/)\/+$/, '');
      const path = room === null ? accountTag(account.token) : `${accountTag(account.token)}/${room}`;
      let response: Response;
      try {
        response = await request(`${base}/${path}`, {
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
    },
  };

  function openRoom(account: RelayAccount, room: string, onChange: () => void): SyncRoom {
    let state: RoomState = 'connecting';
    let problem: Problem | null = null;
    let connection: Connection | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let closed = false;
    /** How often the time limit has doubled for this room. */
    let roomDoublings = 0;
    /** Times that the limit has passed since anything came on a connection that is being made. */
    let elapsedTimeouts = 0;
    const answerLimit = new AnswerLimit(answerMs);

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
        // Half of the pause by chance: a relay that comes back is not stormed by all at once.
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
      roomDoublings = Math.max(roomDoublings, timeoutDoublings);
      const wait = () => {
        elapsedTimeouts = 0;
        look();
      };
      const look = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          elapsedTimeouts += 1;
          late = true;
          if (elapsedTimeouts < (spoke ? 2 ** roomDoublings : 1)) return look();
          if (spoke) {
            roomDoublings = Math.min(MAX_TIMEOUT_DOUBLINGS, roomDoublings + 1);
            timeoutDoublings = Math.max(timeoutDoublings, roomDoublings);
          }
          lose(null);
        }, timeoutMs());
      };
      const mine = connectOnce(Socket, account, room, {
        onChange,
        onMessage: () => {
          if (state !== 'connecting') return;
          spoke = true;
          wait();
        },
        onSynced: () => {
          clearTimeout(timer);
          failures = 0;
          // The line may be a better one by now. A room that needed its time goes on having it.
          if (!late) {
            roomDoublings = Math.max(0, roomDoublings - 1);
            timeoutDoublings = Math.max(0, timeoutDoublings - 1);
          }
          state = 'synced';
          onChange();
        },
        answerLimit,
        askAgainMs,
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

interface Connection {
  readonly confirmed: ReadonlySet<string>;
  blobs(): { byKey: ReadonlyMap<string, Uint8Array>; junk: number };
  insert(blobs: readonly Uint8Array[], instead: readonly string[]): void;
  remove(keys: readonly string[]): void;
  close(): void;
}

function connectOnce(
  Socket: typeof WebSocket,
  account: RelayAccount,
  room: string,
  handlers: {
    readonly onChange: () => void;
    /** A message about the room came. */
    readonly onMessage: () => void;
    readonly onSynced: () => void;
    readonly answerLimit: AnswerLimit;
    readonly askAgainMs: number;
    readonly onLost: (code: number | null) => void;
  },
): Connection {
  const doc = new Y.Doc();
  const array = doc.getArray<unknown>(BLOBS);
  const confirmed = new Set<string>();
  /** Keys of blobs by their very bytes: Yjs hands out the same array each time. */
  const keys = new WeakMap<Uint8Array, string>();
  let known: { byKey: Map<string, Uint8Array>; junk: number } | undefined;
  let ended = false;

  const keyOf = (blob: Uint8Array): string => {
    const key = keys.get(blob) ?? blobKey(blob);
    keys.set(blob, key);
    return key;
  };
  const lose = (code: number | null) => {
    if (ended) return;
    ended = true;
    // Not from within the provider's own handler: it still works on what would be destroyed.
    queueMicrotask(() => {
      end();
      handlers.onLost(code);
    });
  };

  const provider = new WebsocketProvider(account.endpoint, `${accountTag(account.token)}/${room}`, doc, {
    connect: false,
    protocols: [tokenProtocol(account.token)],
    WebSocketPolyfill: Socket,
    // One tab leads; the others learn from the log.
    disableBc: true,
  });
  const unanswered = new Unanswered(() => doc.clientID);
  let askedAt = Date.now();
  const readAnswer = (kind: number, update: Uint8Array) => {
    if (unanswered.isEmpty) return;
    if (kind === messageYjsSyncStep2) unanswered.answered(Date.now());
    unanswered.gaveBack(update, Date.now());
    if (unanswered.isEmpty) handlers.answerLimit.wasEnough();
  };
  const readSync = provider.messageHandlers[MESSAGE_SYNC];
  provider.messageHandlers[MESSAGE_SYNC] = (encoder, decoder, from, emitSynced, type) => {
    if (ended) return;
    handlers.onMessage();
    try {
      const peek = decoding.clone(decoder);
      const kind = decoding.readVarUint(peek);
      if (kind === messageYjsSyncStep2 || kind === messageYjsUpdate) {
        const update = decoding.readVarUint8Array(peek);
        for (const struct of Y.decodeUpdate(update).structs)
          if (struct instanceof Y.Item && struct.content instanceof Y.ContentBinary)
            confirmed.add(blobKey(struct.content.content));
        readAnswer(kind, update);
      }
      readSync?.(encoder, decoder, from, emitSynced, type);
      handlers.onChange();
    } catch (error) {
      console.info('The relay sent what cannot be read', error instanceof Error ? error.message : error);
      lose(null);
    }
  };
  array.observe(() => {
    known = undefined;
    handlers.onChange();
  });
  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== provider) unanswered.sent(update, Date.now());
  });
  provider.on('sync', (synced: boolean) => synced && !ended && handlers.onSynced());
  provider.on('connection-close', (event: CloseEvent | null) => lose(event?.code ?? null));
  // The client has a watchdog of its own, which ends what was silent for 30 s. It sees whole messages that come, and neither a large one
  // on its way nor that what we send is leaving. How long the room is waited for is ours to say.
  let buffered = 0;
  const bufferCheck = setInterval(() => {
    const before = buffered;
    buffered = provider.ws?.bufferedAmount ?? 0;
    const now = Date.now();
    if (buffered < before) unanswered.moved(now);
    if (!provider.synced || buffered < before) provider.wsLastMessageReceived = now;
    if (!provider.synced) askedAt = now;
    else if (unanswered.isOverdue(now, handlers.answerLimit.ms)) {
      handlers.answerLimit.wasTooShort();
      lose(null);
    } else if (unanswered.isEmpty && now - askedAt > handlers.askAgainMs) {
      askedAt = now;
      unanswered.asked(now);
      const question = encoding.createEncoder();
      encoding.writeVarUint(question, MESSAGE_SYNC);
      writeSyncStep1(question, doc);
      provider.ws?.send(encoding.toUint8Array(question));
    }
  }, BUFFER_CHECK_MS);
  provider.connect();

  const end = () => {
    ended = true;
    clearInterval(bufferCheck);
    // Yjs takes another id when a forger uses ours; the provider says farewell under the one it began with, or fails.
    doc.clientID = provider.awareness.clientID;
    provider.destroy();
    doc.destroy();
  };
  const blobs = () => {
    if (known) return known;
    known = { byKey: new Map(), junk: 0 };
    for (const item of array.toArray())
      if (item instanceof Uint8Array) known.byKey.set(keyOf(item), item);
      else known.junk += 1;
    return known;
  };
  const remove = (gone: readonly string[]) => {
    const wanted = new Set(gone);
    for (const key of wanted) confirmed.delete(key);
    doc.transact(() => {
      const items = array.toArray();
      for (let end = items.length; end > 0; ) {
        let start = end;
        const hit = (at: number) => {
          const item = items[at];
          return item instanceof Uint8Array && wanted.has(keyOf(item));
        };
        while (start > 0 && hit(start - 1)) start -= 1;
        if (start < end) array.delete(start, end - start);
        end = start < end ? start : end - 1;
      }
    });
  };
  return {
    confirmed,
    blobs,
    insert: (added, instead) => {
      const there = blobs().byKey;
      const fresh = added.filter((blob) => !there.has(keyOf(blob)));
      doc.transact(() => {
        if (instead.length > 0) remove(instead);
        if (fresh.length > 0) array.push([...fresh]);
      });
    },
    remove,
    close: end,
  };
}
