// Carries changes between the log and the relay. Once per origin: the leader runs it, the next leader resumes from the records.
//
//   log ──since(bookmark), not 'remote'──► clean ─► merge ─► seal ─► outbox ─► room          the index room carries facts: who holds
//   log ◄──append('remote') + marks───────────────────────── open ◄─ room                    what (beacons), what moved, what is gone
//
// One thread of control: a round looks at what is and what should be, and does the difference. Whatever happens only asks for a round.

import type { LogEntry, Store } from '../../adapters/log/conversation-log.ts';
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { RelayAccount, SyncBackend, SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { KeyRing, Sealing } from '../../adapters/vault/sealing.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type DocumentId, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { isExcluded, redact } from '../../domain/memory/privacy.ts';
import type { Config } from '../../domain/settings/config.ts';
import { boundTo, DEVICE_BYTES, decodePayload, splitBlob } from '../../domain/sync/blob.ts';
import { fromText, toText } from '../../domain/sync/bytes.ts';
import { reach, reaches } from '../../domain/sync/coverage.ts';
import {
  deviceFact,
  deviceKey,
  epochFact,
  epochKey,
  type Fact,
  type FactRows,
  factsSchema,
  type GoneFact,
  goneFact,
  goneKey,
  type HeadFact,
  headFact,
  headKey,
  isLater,
  mergeFacts,
  toRows,
} from '../../domain/sync/facts.ts';
import { nextHlc } from '../../domain/sync/hlc.ts';
import {
  INDEX_ROOM,
  ROOM_ID_BYTES,
  roomIdInfo,
  roomKeyInfo,
  TOKEN_BYTES,
  tokenInfo,
} from '../../domain/sync/keys.ts';
import { fingerprintOf } from '../../domain/sync/pairing.ts';
import { createLines } from '../documents/lines.ts';
import {
  beyond,
  cleanUpdate,
  deletedNow,
  type Holdback,
  isUpdate,
  mergeUpdates,
  missingFrom,
  readWhole,
  type WholeDocument,
  withUpdate,
} from '../documents/shared.ts';
import { createJob } from '../scheduler.ts';
import {
  ACCOUNT,
  type Account,
  accountSchema,
  type Erasure,
  erasureWrite,
  forgetRecords,
  freshRecord,
  keyName,
  newStep,
  openRecords,
  type Records,
  type RoomRecord,
  type Step,
  stepWrite,
  tokenName,
} from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import { type Content, createRoomLink, type RoomLink, seal } from './room.ts';
import type { SyncDevice, SyncState, SyncStatus, Whereabouts } from './sync.ts';

export interface SyncEngineDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Readable<Config>;
  readonly backend: SyncBackend;
  readonly sealing: Sealing;
  readonly deflate: Deflate;
  readonly onStatus: (status: SyncStatus) => void;
  readonly signal: AbortSignal;
  /** Wall clock, ms since 1970. May be wrong. */
  readonly now?: () => number;
  /** Monotonic, ms. */
  readonly clock?: () => number;
}

export interface SyncEngine {
  /** Something may have changed: look again. `online`: the network is back, pauses end. */
  wake(reason?: 'changed' | 'online'): void;
  ask(request: SyncRequest, signal?: AbortSignal): Promise<SyncAnswer>;
  readonly status: () => SyncStatus;
  /** Resolves when nothing is left to do right now. */
  settled(): Promise<void>;
}

/** Log entries read at a time. */
const PAGE = 200;
/** Rooms that are open at once while there is much to do, and those that are kept open for what may come. */
const OPEN_ROOMS = 24;
const WARM_ROOMS = 8;
const WARM_MS = 120_000;
/** First uploads wait while this much lies in the outbox. */
const OUTBOX_BYTES = 16 * 1024 * 1024;
/** Beacons are gathered for this long, ms. */
const BEACON_GAP_MS = 250;
/** A device says that it is alive this often while connected, ms. */
const ALIVE_MS = 15 * 60_000;
/** Unreadable things in a room after which it is made again in the next epoch. */
const UNREADABLE_LIMIT = 64;
/** Lines of the library are made when a conversation has been quiet for this long, ms. */
const LINES_AFTER_MS = 40;
const JOIN_TIMEOUT_MS = 20_000;
/** Empty epochs of the index after which a newcomer looks no further, and the largest body it reads there. */
const INDEX_EPOCHS = 3;
const INDEX_BYTES = 64 * 1024 * 1024;
/** A tab's list of open conversations is forgotten unless said again, ms. */
const OPEN_FORGOTTEN_MS = 120_000;

const isConversation = (document: string): document is ConversationId =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(document);

const OFF: SyncStatus = {
  mode: 'disabled',
  state: 'disabled',
  account: null,
  waiting: 0,
  fetching: 0,
  syncedAt: null,
  unreadable: 0,
  withheld: 0,
  devices: [],
  problem: null,
};

const NO_HEADS: ReadonlyMap<string, HeadFact> = new Map();

const encodeRows = (rows: FactRows): Uint8Array => new TextEncoder().encode(JSON.stringify(rows));
function decodeRows(body: Uint8Array): FactRows | null {
  try {
    const rows = factsSchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return rows.success ? rows.data : null;
  } catch {
    return null;
  }
}

/** Follows configuration and account: runs while both want it. Ends with the signal. */
export function startSync(deps: SyncEngineDeps): SyncEngine {
  const { store, vault, config, sealing, onStatus, signal, now = Date.now } = deps;
  const clock = deps.clock ?? (() => performance.now());
  const { log, drawer } = store;

  let session: Session | undefined;
  let told = '';
  let current: SyncStatus = OFF;
  let failure: Problem | null = null;
  let restart = true;
  const asked: {
    request: SyncRequest;
    resolve: (answer: SyncAnswer) => void;
    reject: (error: unknown) => void;
  }[] = [];
  /** What each tab has on its screen. */
  const open = new Map<string, { documents: readonly string[]; until: number }>();

  const tell = () => {
    if (signal.aborted) return;
    const mode = config.get().sync.mode;
    const status: SyncStatus = session
      ? { ...session.status(), mode, ...(failure ? { problem: failure } : {}) }
      : {
          ...OFF,
          mode,
          state:
            mode === 'disabled' ? 'disabled' : mode === 'local' ? 'local' : failure ? 'stopped' : 'unpaired',
          problem: failure,
        };
    const text = `${session?.heard() ?? 0} ${JSON.stringify(status)}`;
    if (text === told) return;
    told = text;
    current = status;
    onStatus(status);
  };

  const readAccount = async (): Promise<Account | null> => {
    const account = accountSchema.safeParse(await drawer.get(ACCOUNT));
    return account.success ? account.data : null;
  };

  const openSession = async (): Promise<Session | undefined> => {
    const { mode, remote } = config.get().sync;
    if (mode !== 'remote' && mode !== 'managed') return undefined;
    const account = await readAccount();
    if (!account) return undefined;
    if (store.kind === 'memory')
      throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
    const key = await vault.get(keyName(account.id));
    if (key === undefined)
      throw new RecollectError('vault-unavailable', 'The key of the account cannot be read');
    const ring = await sealing.keyRing(fromText(key));
    const token =
      (await vault.get(tokenName(account.id))) ??
      toText(await ring.derive(tokenInfo(account.realm), TOKEN_BYTES));
    return await createSession({
      ...deps,
      now,
      clock,
      account,
      ring,
      relay: { endpoint: remote.endpoint || account.endpoint, token },
      wake: () => job.wake(),
      wakeWithin: (ms) => job.wakeWithin(ms),
      isOpen: (document) =>
        [...open.values()].some(({ documents, until }) => until > clock() && documents.includes(document)),
    });
  };

  const answer = async (request: SyncRequest): Promise<SyncAnswer> => {
    if (request.do === 'open') {
      open.set(request.tab, { documents: request.documents, until: clock() + OPEN_FORGOTTEN_MS });
      return null;
    }
    if (request.do === 'join') {
      await join(deps, request, signal);
      restart = true;
      return null;
    }
    if (request.do === 'knock') {
      await knock(deps, request, signal);
      return null;
    }
    if (!session) {
      if (request.do === 'where') return { place: 'here', devices: [] };
      if (request.do === 'look') return null;
      throw new RecollectError('sync-unpaired', 'This device belongs to no account');
    }
    const result = await session.answer(request);
    if (request.do === 'revoke' || request.do === 'leave') restart = true;
    return result;
  };

  const run = async () => {
    if (restart) {
      restart = false;
      session?.close();
      session = undefined;
      failure = null;
      try {
        session = await openSession();
      } catch (error) {
        restart = true;
        throw error;
      }
    }
    for (let more = true; more && !restart; ) {
      more = false;
      for (const { request, resolve, reject } of asked.splice(0)) {
        try {
          resolve(await answer(request));
        } catch (error) {
          reject(error);
        }
      }
      if (session && !restart) more = await session.round();
      signal.throwIfAborted();
      tell();
    }
    failure = null;
    tell();
    if (restart) job.wake();
  };
  const job = createJob({
    run,
    signal,
    onError: (error) => {
      if (isAbort(error)) return;
      failure = toProblem(error);
      session?.failed(failure);
      tell();
    },
  });

  // The account or the way changed, here or in a tab.
  let identity = '';
  const look = async () => {
    const { mode, remote } = config.get().sync;
    const account = await readAccount();
    const next = JSON.stringify([
      mode,
      remote.endpoint,
      account?.id ?? null,
      account?.endpoint ?? null,
      account?.deviceName ?? null,
    ]);
    if (next !== identity) {
      identity = next;
      restart = true;
    }
    job.wake(true);
  };
  const stops = [
    config.subscribe(() => void look().catch(() => {})),
    drawer.subscribe(({ keys }) => {
      if (keys.includes(ACCOUNT)) void look().catch(() => {});
    }),
    log.subscribe(({ documents }) => {
      session?.touched(documents);
      job.wake();
    }),
  ];
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
      session?.close();
    },
    { once: true },
  );
  void look().catch(() => job.wake());

  return {
    wake: (reason) => {
      if (reason === 'online') session?.retry();
      job.wake(true);
    },
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (request.do === 'look') session?.look(request.force);
        asked.push({ request, resolve, reject });
        job.wake(true);
      }),
    status: () => current,
    settled: () => job.settled(),
  };
}

/**
 * Opens a room and waits until the relay has told what is in it; the caller closes it. Throws what the relay answers, `sync-offline` where
 * it does not. `once`: the first failure counts, nothing is tried again.
 */
async function enter(
  backend: SyncBackend,
  relay: RelayAccount,
  roomId: string,
  signal: AbortSignal,
  { once = false } = {},
): Promise<SyncRoom> {
  let heard = () => {};
  const room = backend.open(relay, roomId, () => heard());
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const silent = () =>
        reject(new RecollectError('sync-offline', 'The relay does not answer', { retry: true }));
      timer = setTimeout(silent, JOIN_TIMEOUT_MS);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      heard = () => {
        if (room.state === 'synced') resolve();
        else if (room.state === 'refused' && room.problem) {
          const { code, message, params } = room.problem;
          reject(new RecollectError(code, message, params ? { params } : {}));
        } else if (room.state === 'offline' && once) silent();
      };
      heard();
    });
    return room;
  } catch (error) {
    room.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks the relay whether it would let this token in; a room into which nothing is put leaves nothing there. */
async function knock(
  { vault, backend, sealing }: SyncEngineDeps,
  { account, endpoint }: Extract<SyncRequest, { do: 'knock' }>,
  signal: AbortSignal,
): Promise<void> {
  const token = await vault.get(tokenName(account));
  if (token === undefined)
    throw new RecollectError('vault-unavailable', 'The token of the account cannot be read');
  const room = await enter(backend, { endpoint, token }, toText(sealing.random(ROOM_ID_BYTES)), signal, {
    once: true,
  });
  room.close();
}

/** Asks the relay whether this key opens anything there; only then it becomes this device's account. */
async function join(
  { store: { log, drawer }, vault, backend, sealing, deflate, now = Date.now }: SyncEngineDeps,
  request: Extract<SyncRequest, { do: 'join' }>,
  signal: AbortSignal,
): Promise<void> {
  const key = await vault.get(keyName(request.account));
  if (key === undefined)
    throw new RecollectError('vault-unavailable', 'The key of the account cannot be read');
  const ring = await sealing.keyRing(fromText(key));
  const token =
    (await vault.get(tokenName(request.account))) ??
    toText(await ring.derive(tokenInfo(request.realm), TOKEN_BYTES));
  const found = await findIndex({ backend, ring, deflate }, { endpoint: request.endpoint, token }, signal);
  if (!found) throw new RecollectError('sync-no-account', 'The relay has nothing that this key opens');
  if (request.index !== null && found.latest < request.index)
    console.warn('The relay shows an older account than the other device did');
  const account: Account = {
    id: request.account,
    mode: request.mode,
    endpoint: request.endpoint,
    realm: request.realm,
    fingerprint: request.fingerprint,
    device: toText(sealing.random(DEVICE_BYTES)),
    deviceName: request.deviceName,
    createdAt: now(),
    joined: true,
    indexEpoch: found.epoch,
  };
  await log.append(
    [],
    [
      ...(await forgetRecords(drawer)),
      { key: ACCOUNT, value: account },
      await stepWrite(drawer, 'joined', now()),
    ],
  );
}

/** The last epoch in which this key opens something of the index: rooms full of junk may have been left. null: there is none. */
async function findIndex(
  { backend, ring, deflate }: Pick<SyncEngineDeps, 'backend' | 'deflate'> & { readonly ring: KeyRing },
  relay: RelayAccount,
  signal: AbortSignal,
  { from = 0, epochs = INDEX_EPOCHS } = {},
): Promise<{ epoch: number; latest: string } | null> {
  let found: { epoch: number; latest: string } | null = null;
  for (let [epoch, misses] = [from, 0]; misses < epochs; epoch += 1) {
    const roomId = toText(await ring.derive(roomIdInfo(INDEX_ROOM, epoch), ROOM_ID_BYTES));
    const key = await ring.sealingKey(roomKeyInfo(INDEX_ROOM, epoch));
    const room = await enter(backend, relay, roomId, signal);
    let welcome = false;
    let latest = '';
    try {
      for (const blob of room.blobs().values()) {
        const taken = splitBlob(blob);
        const plain = taken && (await key.open(taken.nonce, taken.sealed, boundTo(taken.kind, roomId)));
        const payload = plain && decodePayload(plain);
        if (!payload) continue;
        // Opened by this key: the account is there. What it says is read again, and whole, by the session.
        welcome = true;
        const body = payload.deflated ? await deflate.inflate(payload.body, INDEX_BYTES) : payload.body;
        for (const [, , time] of (body && decodeRows(body)) ?? []) if (time > latest) latest = time;
      }
    } finally {
      room.close();
    }
    if (welcome) found = { epoch, latest };
    misses = welcome ? 0 : misses + 1;
  }
  return found;
}

interface SessionDeps extends SyncEngineDeps {
  readonly now: () => number;
  readonly clock: () => number;
  readonly account: Account;
  readonly ring: KeyRing;
  readonly relay: RelayAccount;
  readonly wake: () => void;
  readonly wakeWithin: (ms: number) => void;
  readonly isOpen: (document: string) => boolean;
}

interface Session {
  /** Does what is due. True where more is due at once. */
  round(): Promise<boolean>;
  status(): SyncStatus;
  /** Grows when a device says what it holds: where conversations are may be another matter now. */
  heard(): number;
  answer(request: SyncRequest): Promise<SyncAnswer>;
  touched(documents: readonly string[]): void;
  look(force: boolean): void;
  retry(): void;
  failed(problem: Problem): void;
  close(): void;
}

/** One account on one relay, from its records on. */
async function createSession(deps: SessionDeps): Promise<Session> {
  const {
    store,
    vault,
    config,
    backend,
    sealing,
    deflate,
    now,
    clock,
    account,
    ring,
    relay,
    wake,
    wakeWithin,
    isOpen,
  } = deps;
  const { log, drawer } = store;
  const { device } = account;
  const closing = new AbortController();
  deps.signal.addEventListener('abort', () => closing.abort(deps.signal.reason), { once: true });
  const { signal } = closing;
  const records: Records = await openRecords(store, now);
  const lines = createLines(store);

  const links = new Map<string, RoomLink>();
  let index: RoomLink | undefined;
  /** Documents that a change in the log named and that were not looked at since. */
  const named = new Set<string>();
  /** Documents whose facts changed. */
  const stirred = new Set<string>();
  /** Rooms whose relay did not give what others announced; looked at again later. */
  const lacking = new Map<string, number>();
  /** Rooms to be opened and compared whatever the index says. */
  const forced = new Set<string>();
  let adopt = true;
  let recheck = true;
  let beaconAt = 0;
  let aliveAt = Number.NEGATIVE_INFINITY;
  let linesAt: number | null = null;
  let syncedAt: number | null = null;
  /** The time is told anew at the end of work, and now and then: it is not worth a message each round. */
  let wasSynced = false;
  let saidAt = 0;
  let latest = [...records.facts.values()].reduce((max, { time }) => (time > max ? time : max), '');
  let trouble: Problem | null = null;
  /** The relay was found to lack what it had. */
  let lost = false;
  /** Somebody asked to look (true: at everything). Done at the beginning of a round: rooms must not vanish in the middle of one. */
  let asked: boolean | null = null;
  const beacons = new Set<string>(records.rooms.keys());
  /** Heads by document and device, as the facts have them. */
  const heads = new Map<string, Map<string, HeadFact>>();

  const stopConfig = config.subscribe(() => {
    recheck = true;
    wake();
  });

  // ---------------------------------------------------------------- privacy
  const holdback: Holdback = {
    hide: (text) => redact(text, config.get().privacy.sensitive_keywords),
    isWithheld: (id) => records.rooms.get(id)?.withheld === 'excluded',
  };
  const clean = (update: Uint8Array) => cleanUpdate(update, holdback).update;
  const reasonToWithhold = ({ conversation }: WholeDocument): RoomRecord['withheld'] => {
    if (!conversation) return null;
    if (conversation.meta.sample) return 'sample';
    return isExcluded(conversation.meta.workDir, config.get().privacy.exclude_work_dirs) ? 'excluded' : null;
  };

  // ---------------------------------------------------------------- content
  const documentContent = (document: string): Content => ({
    isBody: isUpdate,
    merge: mergeUpdates,
    clocks: withUpdate,
    take: async (step, bodies, known) => {
      const updates = [...bodies];
      if (known.length > 0) {
        const here = await readWhole(log, document as DocumentId);
        for (const body of known) if (!here || missingFrom(here.update, body)) updates.push(body);
      }
      if (updates.length === 0) return 0;
      step.entries.push({
        id: newEntryId(),
        document: document as DocumentId,
        origin: 'remote',
        bytes: mergeUpdates(updates),
      });
      if (isConversation(document)) records.putUnlisted(step, document, true);
      const together = [...(records.outbox.get(document)?.values() ?? [])].some((row) => row.changes > 0);
      step.after.push(() => {
        beacons.add(document);
        if (together)
          records.note({ kind: 'conflict', what: 'branches', document, device: null, count: 1, bytes: 0 });
      });
      return updates.length;
    },
    whole: async () => {
      const here = await readWhole(log, document as DocumentId);
      return here ? clean(here.update) : null;
    },
    missing: async (held) => {
      const here = await readWhole(log, document as DocumentId);
      if (!here) return null;
      const shared = clean(here.update);
      return held ? missingFrom(held, shared) : shared;
    },
  });

  const indexContent: Content = {
    isBody: (body) => decodeRows(body) !== null,
    merge: (bodies) => {
      const all = new Map<string, Fact>();
      for (const body of bodies) mergeFacts(all, decodeRows(body) ?? []);
      return encodeRows(toRows(all));
    },
    clocks: (before) => before,
    take: async (step, bodies, known) => {
      records.putFacts(
        step,
        [...bodies, ...known].flatMap((body) => decodeRows(body) ?? []),
        factsChanged,
      );
      return bodies.length;
    },
    whole: async () => encodeRows(toRows(records.facts)),
    missing: async (held) => {
      const there = new Map<string, Fact>();
      if (held) mergeFacts(there, decodeRows(held) ?? []);
      const rows = toRows([...records.facts].filter(([key, fact]) => isLater(fact, there.get(key))));
      return rows.length > 0 ? encodeRows(rows) : null;
    },
  };

  // ---------------------------------------------------------------- facts
  let headsHeard = 0;
  function factsChanged(keys: readonly string[]): void {
    for (const key of keys) {
      const fact = records.facts.get(key);
      if (fact && fact.time > latest) latest = fact.time;
      const [kind, document, id] = key.split('/');
      if (document === undefined) continue;
      if (kind === 'head' && id !== undefined) {
        const head = headFact.safeParse(fact?.value);
        const all = heads.get(document) ?? new Map<string, HeadFact>();
        heads.set(document, all);
        if (head.success) all.set(id, head.data);
        headsHeard += 1;
        lacking.delete(document);
      }
      if (kind !== 'device') stirred.add(document);
    }
  }
  const headsOf = (document: string): ReadonlyMap<string, HeadFact> => heads.get(document) ?? NO_HEADS;
  const devices = () => {
    const all = new Map<string, { name: string; pairedAt: number; seenAt: number }>();
    for (const [key, { value }] of records.facts) {
      if (!key.startsWith('device/')) continue;
      const fact = deviceFact.safeParse(value);
      if (fact.success) all.set(key.slice('device/'.length), fact.data);
    }
    return all;
  };
  const goneOf = (document: string): GoneFact | null => {
    const fact = goneFact.safeParse(records.facts.get(goneKey(document))?.value);
    return fact.success ? fact.data : null;
  };
  const epochOf = (document: string): number => {
    const fact = epochFact.safeParse(records.facts.get(epochKey(document))?.value);
    return fact.success ? fact.data.epoch : 0;
  };
  /** The epoch in which a document lives now, as far as anybody said. */
  const liveEpoch = (document: string): number => {
    const gone = goneOf(document);
    return Math.max(epochOf(document), gone ? gone.epoch + 1 : 0);
  };
  const stamp = (): string => {
    latest = nextHlc(now(), device, latest === '' ? null : latest);
    return latest;
  };

  /** Puts facts into the step, and seals them for the index. */
  async function publish(step: Step, facts: readonly (readonly [string, unknown])[]): Promise<void> {
    const rows: FactRows = facts.map(([key, value]) => [key, value, stamp()]);
    records.putFacts(step, rows, factsChanged);
    const record = records.rooms.get(INDEX_ROOM) ?? freshRecord(account.indexEpoch);
    const body = encodeRows(rows);
    const next = await seal(
      step,
      { document: INDEX_ROOM, record, body, kind: 'delta', changes: 0, content: indexContent },
      await sealingFor(INDEX_ROOM, record.epoch),
    );
    records.putRoom(step, INDEX_ROOM, next);
  }

  // ---------------------------------------------------------------- rooms
  const keys = new Map<
    string,
    Promise<{ roomId: string; key: Awaited<ReturnType<KeyRing['sealingKey']>> }>
  >();
  const keysOf = (document: string, epoch: number) => {
    const name = `${document}|${epoch}`;
    const known = keys.get(name);
    if (known) return known;
    const made = (async () => ({
      roomId: toText(await ring.derive(roomIdInfo(document, epoch), ROOM_ID_BYTES)),
      key: await ring.sealingKey(roomKeyInfo(document, epoch)),
    }))();
    keys.set(name, made);
    return made;
  };
  const sealingFor = async (document: string, epoch: number) => ({
    ...(await keysOf(document, epoch)),
    device,
    deflate,
    random: sealing.random,
    records,
  });

  async function openLink(document: string): Promise<RoomLink> {
    const epoch =
      records.rooms.get(document)?.epoch ??
      (document === INDEX_ROOM ? account.indexEpoch : liveEpoch(document));
    const { roomId, key } = await keysOf(document, epoch);
    signal.throwIfAborted();
    let link: RoomLink | undefined;
    const room = backend.open(relay, roomId, () => {
      link?.touch();
      wake();
    });
    link = createRoomLink({
      document,
      epoch,
      roomId,
      key,
      room,
      content: document === INDEX_ROOM ? indexContent : documentContent(document),
      records,
      device,
      deflate,
      random: sealing.random,
      clock,
      // An index that lost something: the relay runs on an older copy of its disk, and the rooms may have lost something too.
      onLoss: () => {
        if (document === INDEX_ROOM) lost = true;
      },
      wakeWithin,
    });
    if (forced.has(document)) link.compare();
    return link;
  }
  const closeLink = (document: string) => {
    links.get(document)?.room.close();
    links.delete(document);
  };

  /** Forgets what the outbox holds of a document's room. */
  const dropOut = (step: Step, document: string) => {
    for (const number of records.outbox.get(document)?.keys() ?? [])
      records.putOut(step, document, number, undefined);
  };

  const eraseRoom = async (step: Step, document: string, epoch: number): Promise<void> => {
    const { roomId } = await keysOf(document, epoch);
    records.putErasure(step, roomId, {
      endpoint: relay.endpoint,
      token: null,
      room: roomId,
      afterUpload: false,
    });
  };

  // ---------------------------------------------------------------- uplink
  /** Reads what is new in the log and seals it. */
  async function uplink(): Promise<boolean> {
    let did = false;
    for (;;) {
      const entries = await log.since(records.bookmark, PAGE);
      signal.throwIfAborted();
      const last = entries.at(-1);
      if (!last) return did;
      did = true;
      const byDocument = new Map<string, LogEntry[]>();
      for (const entry of entries) {
        named.delete(entry.document);
        if (entry.document === LIBRARY_DOCUMENT || entry.origin === 'remote') continue;
        const list = byDocument.get(entry.document) ?? [];
        byDocument.set(entry.document, [...list, entry]);
      }
      const step = newStep();
      for (const [document, list] of byDocument) await sealEntries(step, document, list);
      records.putBookmark(step, last.seq);
      signal.throwIfAborted();
      await records.commit(step);
    }
  }

  async function sealEntries(step: Step, document: string, list: readonly LogEntry[]): Promise<void> {
    const record = records.rooms.get(document);
    // Not known yet: all of it is sent, or compared, once the index was read.
    if (!record) {
      adopt = true;
      return;
    }
    if (record.whole) return;
    const here = await readWhole(log, document as DocumentId);
    if (!here) return;
    if (record.gone !== null) {
      // Taken back out of the trash: it lives on in a new room.
      if (here.conversation?.meta.deletedAt === null)
        records.putRoom(step, document, { ...freshRecord(record.gone + 1), whole: true });
      return;
    }
    const withheld = reasonToWithhold(here);
    if (withheld !== null || record.withheld !== null) {
      records.putRoom(step, document, { ...record, withheld, whole: withheld === null });
      return;
    }
    const updates = list.flatMap(({ origin, bytes }) => {
      if (!isUpdate(bytes)) return [];
      return [origin === 'fold' ? beyond(bytes, record.clocks) : bytes];
    });
    if (updates.length === 0) return;
    const next = await seal(
      step,
      {
        document,
        record,
        body: clean(mergeUpdates(updates)),
        kind: 'delta',
        changes: list.length,
        content: documentContent(document),
      },
      await sealingFor(document, record.epoch),
    );
    records.putRoom(step, document, {
      ...next,
      forgotten: here.forgotten,
      squash: next.squash || here.forgotten > record.forgotten,
    });
    step.after.push(() => {
      beacons.add(document);
      links.get(document)?.touch();
    });
  }

  const outboxBytes = () => {
    let bytes = 0;
    for (const rows of records.outbox.values()) for (const row of rows.values()) bytes += row.bytes;
    return bytes;
  };

  /** Documents in the log that have no record yet: sent as a whole, or compared with what others have put on the relay. */
  async function adoptDocuments(): Promise<boolean> {
    if (!adopt || !index?.read) return false;
    const unknown = (await log.documents())
      .filter((id) => id !== LIBRARY_DOCUMENT && !records.rooms.has(id))
      .sort()
      .reverse();
    let did = false;
    for (const document of unknown) {
      if (outboxBytes() > OUTBOX_BYTES) return did;
      signal.throwIfAborted();
      const here = await readWhole(log, document);
      if (!here) continue;
      const step = newStep();
      const gone = goneOf(document);
      const record: RoomRecord = {
        ...freshRecord(liveEpoch(document)),
        withheld: reasonToWithhold(here),
        forgotten: here.forgotten,
      };
      const living = [...headsOf(document).values()].some(({ epoch }) => epoch === record.epoch);
      if (gone && record.epoch === gone.epoch + 1 && !living) {
        // Erased everywhere before this device could say that it has it.
        await keepInTrash(step, document, gone);
      } else if (living) records.putRoom(step, document, { ...record, compare: true });
      else records.putRoom(step, document, { ...record, whole: true });
      await records.commit(step);
      did = true;
      if (await sendWhole(document)) continue;
    }
    adopt = false;
    return did;
  }

  /** Sends all of a document whose record asks for it. */
  async function sendWhole(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (!record?.whole || record.withheld !== null || record.gone !== null) return false;
    const body = await documentContent(document).whole();
    if (!body) return false;
    const step = newStep();
    const next = await seal(
      step,
      {
        document,
        record,
        body,
        kind: body.length < 4096 ? 'delta' : 'snapshot',
        holds: record.have,
        changes: 1,
        content: documentContent(document),
      },
      await sealingFor(document, record.epoch),
    );
    records.putRoom(step, document, { ...next, whole: false });
    step.after.push(() => beacons.add(document));
    signal.throwIfAborted();
    await records.commit(step);
    return true;
  }

  async function sendWholes(): Promise<boolean> {
    let did = false;
    for (const [document, record] of records.rooms) {
      if (!record.whole || document === INDEX_ROOM) continue;
      if (outboxBytes() > OUTBOX_BYTES) break;
      did = (await sendWhole(document)) || did;
    }
    return did;
  }

  /** Folders were excluded or let in again. */
  async function recheckWithheld(): Promise<boolean> {
    if (!recheck) return false;
    let did = false;
    for (const [document, record] of records.rooms) {
      if (record.withheld === null) continue;
      const here = await readWhole(log, document as DocumentId);
      const withheld = here ? reasonToWithhold(here) : null;
      if (withheld === record.withheld) continue;
      const step = newStep();
      records.putRoom(step, document, { ...record, withheld, whole: withheld === null });
      await records.commit(step);
      did = true;
    }
    recheck = false;
    return did;
  }

  // ---------------------------------------------------------------- gone and moved
  /** What was erased here is erased everywhere. */
  async function noticeErased(): Promise<boolean> {
    if (named.size === 0) return false;
    const suspects = [...named];
    named.clear();
    try {
      const there = new Set<string>(await log.documents());
      let did = false;
      for (const document of suspects) if (!there.has(document)) did = (await noticeOne(document)) || did;
      return did;
    } catch (error) {
      for (const document of suspects) named.add(document);
      throw error;
    }
  }

  async function noticeOne(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === LIBRARY_DOCUMENT || !record || record.gone !== null) return false;
    if (record.withheld !== null && record.seq === 0) {
      const step = newStep();
      records.putRoom(step, document, undefined);
      await records.commit(step);
      return false;
    }
    // Nothing of it was ever here: it is still to be fetched.
    if (record.seq === 0 && Object.keys(record.have).length === 0) return false;
    await eraseEverywhere(document, record);
    return true;
  }

  async function eraseEverywhere(document: string, record: RoomRecord): Promise<void> {
    const known = goneOf(document);
    const step = newStep();
    dropOut(step, document);
    records.putRoom(step, document, {
      ...record,
      gone: record.epoch,
      whole: false,
      compare: false,
      squash: false,
    });
    if (isConversation(document)) records.putUnlisted(step, document, true);
    if (!known || known.epoch < record.epoch) {
      await eraseRoom(step, document, record.epoch);
      await publish(step, [
        [
          goneKey(document),
          { epoch: record.epoch, have: reaches(record.have), at: now() } satisfies GoneFact,
        ],
      ]);
      records.note({ kind: 'note', what: 'forgotten', document, device: null, count: 1, bytes: 0 });
    }
    signal.throwIfAborted();
    await records.commit(step);
    closeLink(document);
  }

  /** It was erased elsewhere while something was written here: deleting wins, and what lost lies in the trash of this device. */
  async function keepInTrash(step: Step, document: string, gone: GoneFact): Promise<void> {
    const record = records.rooms.get(document) ?? freshRecord(gone.epoch);
    dropOut(step, document);
    records.putRoom(step, document, {
      ...record,
      gone: gone.epoch,
      whole: false,
      compare: false,
      squash: false,
    });
    const update = await deletedNow(log, document as DocumentId, now());
    if (update)
      step.entries.push({
        id: newEntryId(),
        document: document as DocumentId,
        origin: 'remote',
        bytes: update,
      });
    if (isConversation(document)) records.putUnlisted(step, document, true);
    step.after.push(() =>
      records.note({ kind: 'conflict', what: 'deleted', document, device: null, count: 1, bytes: 0 }),
    );
  }

  async function followFacts(): Promise<boolean> {
    let did = false;
    for (const document of [...stirred]) {
      stirred.delete(document);
      try {
        did = (await followFact(document)) || did;
      } catch (error) {
        // Not done, so still to be done.
        stirred.add(document);
        throw error;
      }
    }
    return did;
  }

  async function followFact(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === INDEX_ROOM) {
      const epoch = epochOf(INDEX_ROOM);
      // The word of the move itself must have reached the old room.
      if (epoch <= (record?.epoch ?? account.indexEpoch)) return false;
      if (records.outbox.has(INDEX_ROOM)) {
        stirred.add(document);
        return false;
      }
      const step = newStep();
      records.putRoom(step, INDEX_ROOM, { ...freshRecord(epoch), compare: true });
      await records.commit(step);
      index?.room.close();
      index = undefined;
      return true;
    }
    if (!record) return headsOf(document).size > 0;
    const gone = goneOf(document);
    if (gone && gone.epoch >= record.epoch && record.gone !== gone.epoch) {
      closeLink(document);
      const unseen =
        reach(record.have, device) > (gone.have[device] ?? 0) ||
        record.whole ||
        (records.outbox.get(document)?.size ?? 0) > 0;
      if (record.gone === null && unseen && (await log.read(document as DocumentId)).length > 0) {
        const step = newStep();
        await keepInTrash(step, document, gone);
        await records.commit(step);
      } else if (record.gone === null) {
        await log.erase(document as DocumentId);
        signal.throwIfAborted();
        await eraseEverywhere(document, record);
      }
      return true;
    }
    const epoch = liveEpoch(document);
    if (
      epoch > record.epoch &&
      (record.gone === null || [...headsOf(document).values()].some((head) => head.epoch === epoch))
    ) {
      // It moved: what is here is compared with what the new room has.
      const step = newStep();
      dropOut(step, document);
      records.putRoom(step, document, {
        ...freshRecord(epoch),
        withheld: record.withheld,
        forgotten: record.forgotten,
        compare: record.gone === null,
      });
      await records.commit(step);
      closeLink(document);
      beacons.add(document);
      return true;
    }
    return false;
  }

  /** A room in which too much cannot be opened is left, and made again in the next epoch. */
  async function rebuildDamaged(): Promise<boolean> {
    let did = false;
    for (const link of [index, ...links.values()]) {
      if (!link || link.unreadable <= UNREADABLE_LIMIT || link.room.state !== 'synced') continue;
      const { document } = link;
      const record = records.rooms.get(document) ?? freshRecord(link.epoch);
      if (record.epoch !== link.epoch || epochOf(document) > link.epoch) continue;
      const step = newStep();
      if (document !== INDEX_ROOM) {
        dropOut(step, document);
        records.putRoom(step, document, {
          ...freshRecord(record.epoch + 1),
          withheld: record.withheld,
          forgotten: record.forgotten,
          whole: record.withheld === null,
        });
        await eraseRoom(step, document, record.epoch);
      }
      await publish(step, [[epochKey(document), { epoch: record.epoch + 1 }]]);
      await records.commit(step);
      records.note({
        kind: 'note',
        what: 'rebuilt',
        document: document === INDEX_ROOM ? null : document,
        device: null,
        count: link.unreadable,
        bytes: 0,
      });
      if (document !== INDEX_ROOM) closeLink(document);
      did = true;
    }
    return did;
  }

  // ---------------------------------------------------------------- beacons
  async function sendBeacons(): Promise<boolean> {
    if (index?.room.state !== 'synced') return false;
    const due: [string, unknown][] = [];
    const known = deviceFact.safeParse(records.facts.get(deviceKey(device))?.value);
    if (!known.success || known.data.name !== account.deviceName || clock() - aliveAt >= ALIVE_MS) {
      due.push([deviceKey(device), { name: account.deviceName, pairedAt: account.createdAt, seenAt: now() }]);
    }
    const said: string[] = [];
    for (const document of beacons) {
      if (document === INDEX_ROOM) {
        said.push(document);
        continue;
      }
      // What is not on the relay yet would only be looked for there in vain.
      if (records.outbox.has(document)) continue;
      said.push(document);
      const record = records.rooms.get(document);
      if (!record || record.gone !== null || record.withheld !== null) continue;
      const head: HeadFact = { epoch: record.epoch, have: reaches(record.have) };
      const before = headsOf(document).get(device);
      if (Object.keys(head.have).length > 0 && JSON.stringify(before) !== JSON.stringify(head))
        due.push([headKey(document, device), head]);
    }
    if (due.length === 0) {
      for (const document of said) beacons.delete(document);
      return false;
    }
    if (clock() < beaconAt) {
      wakeWithin(beaconAt - clock() + 1);
      return false;
    }
    const step = newStep();
    await publish(step, due);
    signal.throwIfAborted();
    await records.commit(step);
    for (const document of said) beacons.delete(document);
    beaconAt = clock() + BEACON_GAP_MS;
    aliveAt = clock();
    wakeWithin(ALIVE_MS + 1);
    return true;
  }

  // ---------------------------------------------------------------- which rooms are open
  /** Others announced what is not here. */
  const isBehind = (document: string): boolean => {
    const record = records.rooms.get(document);
    if (record?.gone !== null && record !== undefined) return false;
    const epoch = record?.epoch ?? liveEpoch(document);
    for (const head of headsOf(document).values())
      if (head.epoch === epoch)
        for (const [author, count] of Object.entries(head.have))
          if (count > reach(record?.have ?? {}, author)) return true;
    return false;
  };
  /** Another device, which has told of this document, does not have what this one has put there. */
  const isDoubted = (document: string): boolean => {
    const record = records.rooms.get(document);
    if (!record || record.gone !== null || record.withheld !== null || records.outbox.has(document))
      return false;
    return [...headsOf(document)].some(
      ([id, head]) => id !== device && head.epoch === record.epoch && (head.have[device] ?? 0) < record.seq,
    );
  };
  const announced = new Set<string>();
  const wantedRooms = (): string[] => {
    const wanted = new Map<string, number>();
    const want = (document: string, weight: number) => {
      if (document === INDEX_ROOM) return;
      const record = records.rooms.get(document);
      if (record && record.gone !== null) return;
      wanted.set(document, Math.max(weight, wanted.get(document) ?? 0));
    };
    for (const document of records.outbox.keys()) want(document, 3);
    for (const document of forced) want(document, 1);
    for (const [document, record] of records.rooms) {
      if (record.withheld === null && (record.compare || record.squash)) want(document, 2);
      if (isOpen(document) && record.withheld === null) want(document, 4);
    }
    for (const document of announced) {
      const again = lacking.get(document);
      if ((again === undefined || again <= clock()) && isBehind(document)) want(document, 2);
    }
    let warm = 0;
    for (const link of [...links.values()].sort((a, b) => b.activeAt - a.activeAt))
      if (clock() - link.activeAt < WARM_MS && warm < WARM_ROOMS) {
        want(link.document, 1);
        warm += 1;
      }
    return [...wanted]
      .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
      .slice(0, OPEN_ROOMS)
      .map(([document]) => document);
  };

  async function openAndClose(): Promise<void> {
    if (!index) index = await openLink(INDEX_ROOM);
    if (index.room.state === 'refused') {
      for (const document of [...links.keys()]) closeLink(document);
      return;
    }
    // Beacons of all documents are looked through when they change, not in each round.
    const wanted = new Set(wantedRooms());
    for (const document of [...links.keys()]) if (!wanted.has(document)) closeLink(document);
    if (!index.read) return;
    for (const document of wanted) {
      const link = links.get(document);
      const record = records.rooms.get(document);
      if (link && link.epoch !== (record?.epoch ?? liveEpoch(document))) closeLink(document);
      if (links.has(document)) continue;
      // Here before it was ever fetched: what is here goes to the others too.
      if (!record && (await log.read(document as DocumentId)).length > 0) {
        const step = newStep();
        records.putRoom(step, document, { ...freshRecord(liveEpoch(document)), compare: true });
        await records.commit(step);
      }
      links.set(document, await openLink(document));
    }
  }

  // ---------------------------------------------------------------- the rest of a round
  async function refreshLines(): Promise<boolean> {
    if (records.unlisted.size === 0) {
      linesAt = null;
      return false;
    }
    linesAt ??= clock() + LINES_AFTER_MS;
    if (clock() < linesAt) {
      wakeWithin(linesAt - clock() + 1);
      return false;
    }
    linesAt = null;
    const ids = [...records.unlisted].slice(0, 100);
    const step = newStep();
    for (const id of ids) records.putUnlisted(step, id, false);
    await lines.refresh(ids.filter(isConversation), step.writes);
    for (const done of step.after) done();
    return true;
  }

  async function eraseOnRelay(): Promise<void> {
    if (records.erasures.size === 0 || index?.room.state !== 'synced') return;
    for (const [name, erasure] of [...records.erasures]) {
      if (
        erasure.afterUpload &&
        (adopt || records.outbox.size > 0 || [...records.rooms.values()].some(({ whole }) => whole))
      )
        continue;
      try {
        await backend.erase(
          { endpoint: erasure.endpoint, token: erasure.token ?? relay.token },
          erasure.room,
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        const problem = toProblem(error);
        if (problem.retry) {
          wakeWithin(30_000);
          continue;
        }
        records.note({ kind: 'error', what: problem.code, document: null, device: null, count: 1, bytes: 0 });
      }
      const step = newStep();
      records.putErasure(step, name, undefined);
      await records.commit(step);
    }
  }

  /**
   * The others may have left the index for its next epoch, and the word of it may have been deleted since: so now and then it is looked
   * whether somebody is there.
   */
  let probing = false;
  let moveTo: number | null = null;
  const probe = () => {
    if (probing) return;
    probing = true;
    const epoch = (records.rooms.get(INDEX_ROOM)?.epoch ?? account.indexEpoch) + 1;
    findIndex({ backend, ring, deflate }, relay, signal, { from: epoch, epochs: 1 })
      .then((found) => {
        if (found) moveTo = found.epoch;
      })
      .catch(() => {}) // not reachable: the next look tries again
      .finally(() => {
        probing = false;
        wake();
      });
  };
  const followProbe = async (): Promise<void> => {
    if (moveTo === null) return;
    const step = newStep();
    records.putFacts(step, [[epochKey(INDEX_ROOM), { epoch: moveTo }, stamp()]], factsChanged);
    await records.commit(step);
    moveTo = null;
  };

  let nextLook = clock() + config.get().sync.auto_sync_interval * 1000;

  const state = (): SyncState => {
    if (trouble && !trouble.retry) return 'stopped';
    if (!index) return 'connecting';
    if (index.room.state === 'refused') return 'stopped';
    if (index.room.state === 'offline') return 'offline';
    if (index.room.state === 'connecting') return 'connecting';
    return waiting() === 0 && fetching() === 0 && index.settled && records.outbox.size === 0 && !adopt
      ? 'synced'
      : 'syncing';
  };
  const waiting = (): number => {
    let count = 0;
    for (const [document, rows] of records.outbox)
      if (document !== INDEX_ROOM) for (const row of rows.values()) count += row.changes;
    for (const { whole, withheld, gone } of records.rooms.values())
      if (whole && withheld === null && gone === null) count += 1;
    return count + named.size;
  };
  const fetching = (): number => {
    let count = 0;
    for (const document of announced) if (isBehind(document) && !lacking.has(document)) count += 1;
    return count;
  };
  const missingOf = (id: string): number => {
    let count = 0;
    for (const document of lacking.keys()) {
      const head = headsOf(document).get(id);
      const record = records.rooms.get(document);
      if (head) count += Math.max(0, (head.have[id] ?? 0) - reach(record?.have ?? {}, id));
    }
    return count;
  };

  async function round(): Promise<boolean> {
    trouble = null;
    let more = await uplink();
    more = (await noticeErased()) || more;
    more = (await recheckWithheld()) || more;
    if (asked !== null || lost || clock() >= nextLook) look(lost || asked === true);
    [lost, asked] = [false, null];
    wakeWithin(Math.max(1, nextLook - clock()));
    await followProbe();
    await openAndClose();
    if (index) {
      more = (await index.work(signal)) || more;
      if (index.room.state === 'refused') trouble = index.room.problem;
    }
    const told = [...stirred];
    more = (await followFacts()) || more;
    for (const document of told)
      if (document !== INDEX_ROOM && isBehind(document)) announced.add(document);
      else announced.delete(document);
    if (index?.read) {
      more = (await adoptDocuments()) || more;
      more = (await sendWholes()) || more;
    }
    for (const link of [...links.values()]) {
      if (links.get(link.document) !== link) continue;
      more = (await link.work(signal)) || more;
      if (link.settled) {
        forced.delete(link.document);
        if (isBehind(link.document)) {
          // Looked, and it is not there: the relay lacks it, or keeps it back.
          if (!lacking.has(link.document))
            lacking.set(link.document, clock() + config.get().sync.auto_sync_interval * 1000);
        } else {
          lacking.delete(link.document);
          announced.delete(link.document);
        }
      } else if (link.room.state === 'refused') {
        forced.delete(link.document);
        lacking.set(link.document, clock() + config.get().sync.auto_sync_interval * 1000);
        if (link.room.problem?.code === 'sync-quota') trouble = link.room.problem;
      }
    }
    more = (await rebuildDamaged()) || more;
    more = (await sendBeacons()) || more;
    more = (await refreshLines()) || more;
    await eraseOnRelay();
    if (state() === 'synced' && (!wasSynced || clock() >= saidAt)) {
      syncedAt = now();
      saidAt = clock() + 10_000;
    }
    wasSynced = state() === 'synced';
    await records.flushJournal();
    return more;
  }

  const look = (force: boolean) => {
    nextLook = clock() + config.get().sync.auto_sync_interval * 1000;
    lacking.clear();
    for (const link of [index, ...links.values()]) link?.room.retry();
    for (const [document, { gone, withheld }] of records.rooms) {
      if (document === INDEX_ROOM || gone !== null || withheld !== null) continue;
      if (!force && !isDoubted(document)) continue;
      forced.add(document);
      // Through a new connection: what this one shows of our own may not be what the relay gives to others.
      closeLink(document);
    }
    if (force) {
      index?.room.close();
      index = undefined;
    }
    index?.touch();
    probe();
  };

  // ---------------------------------------------------------------- what people ask
  async function rotate(removed: string): Promise<void> {
    const id = toText(sealing.random(9));
    const key = sealing.random(32);
    await vault.put(keyName(id), toText(key));
    const old: Erasure = { endpoint: relay.endpoint, token: relay.token, room: null, afterUpload: true };
    const next: Account = {
      ...account,
      id,
      // An operator's account stays the same on the relay; only the key changes.
      fingerprint: fingerprintOf(key),
      realm: account.realm,
      device: toText(sealing.random(DEVICE_BYTES)),
      joined: false,
      indexEpoch: 0,
    };
    const managed = await vault.get(tokenName(account.id));
    if (managed !== undefined) await vault.put(tokenName(id), managed);
    const name = devices().get(removed)?.name ?? null;
    records.note({ kind: 'note', what: 'revoked', document: null, device: name, count: 1, bytes: 0 });
    await records.flushJournal();
    const writes = await forgetRecords(drawer);
    signal.throwIfAborted();
    await log.append(
      [],
      [
        ...writes,
        { key: ACCOUNT, value: next },
        { key: 'sync/bookmark', value: await log.head() },
        // With an operator's token the new account would be the old one: there the old rooms are erased one by one.
        ...(managed === undefined
          ? [erasureWrite(account.id, old)]
          : await Promise.all(
              [...records.rooms].map(async ([document, { epoch }]) => {
                const { roomId } = await keysOf(document, epoch);
                return erasureWrite(roomId, { ...old, room: roomId });
              }),
            )),
      ],
    );
    await vault.put(keyName(account.id), '');
    await vault.put(tokenName(account.id), '');
  }

  async function leave(erase: boolean): Promise<void> {
    if (erase) await backend.erase(relay, null, signal);
    const writes = await forgetRecords(drawer);
    await records.flushJournal();
    await log.append(
      [],
      [...writes, { key: ACCOUNT, value: undefined }, await stepWrite(drawer, 'left', now())],
    );
    await vault.put(keyName(account.id), '');
    await vault.put(tokenName(account.id), '');
  }

  async function forget(documents: readonly string[]): Promise<void> {
    for (const document of documents) {
      const record = records.rooms.get(document);
      await log.erase(document as DocumentId);
      signal.throwIfAborted();
      if (record && record.gone === null) await eraseEverywhere(document, record);
      else {
        const step = newStep();
        if (isConversation(document)) records.putUnlisted(step, document, true);
        if (!record && headsOf(document).size > 0)
          await publish(step, [[goneKey(document), { epoch: liveEpoch(document), have: {}, at: now() }]]);
        await records.commit(step);
      }
    }
  }

  function where(document: string): Whereabouts {
    const record = records.rooms.get(document);
    if (record && (record.withheld !== null || record.gone !== null))
      return { place: 'withheld', devices: [] };
    if (!record || record.whole || named.has(document) || (records.outbox.get(document)?.size ?? 0) > 0)
      return { place: 'here', devices: [] };
    const names = devices();
    const all = reaches(record.have);
    const holders = [...headsOf(document)]
      .filter(
        ([id, head]) =>
          id !== device &&
          head.epoch === record.epoch &&
          Object.entries(all).every(([author, count]) => (head.have[author] ?? 0) >= count),
      )
      .map(([id]) => names.get(id)?.name ?? id);
    return { place: 'relay', devices: holders };
  }

  probe();
  for (const key of records.facts.keys()) factsChanged([key]);
  for (const document of records.rooms.keys()) if (document !== INDEX_ROOM) named.add(document);

  return {
    round,
    heard: () => headsHeard,
    status: () => ({
      mode: account.mode,
      state: state(),
      account: { fingerprint: account.fingerprint, endpoint: relay.endpoint, since: account.createdAt },
      waiting: waiting(),
      fetching: fetching(),
      syncedAt,
      unreadable: [index, ...links.values()].reduce((sum, link) => sum + (link?.unreadable ?? 0), 0),
      withheld: [...records.rooms.values()].filter(({ withheld, gone }) => withheld !== null || gone !== null)
        .length,
      devices: [...devices()].map(
        ([id, fact]): SyncDevice => ({
          id,
          name: fact.name,
          here: id === device,
          pairedAt: fact.pairedAt,
          seenAt: fact.seenAt,
          missing: id === device ? 0 : missingOf(id),
        }),
      ),
      problem: trouble,
    }),
    answer: async (request) => {
      if (request.do === 'where') return where(request.document);
      if (request.do === 'index') return latest;
      if (request.do === 'revoke') await rotate(request.device);
      else if (request.do === 'leave') await leave(request.erase);
      else if (request.do === 'forget') await forget(request.documents);
      return null;
    },
    touched: (documents) => {
      for (const document of documents) if (document !== LIBRARY_DOCUMENT) named.add(document);
    },
    look: (force) => {
      asked = force || asked === true;
    },
    retry: () => {
      for (const link of [index, ...links.values()]) link?.room.retry();
    },
    failed: (problem) => {
      trouble = problem;
      records.note({ kind: 'error', what: problem.code, document: null, device: null, count: 1, bytes: 0 });
    },
    close: () => {
      closing.abort();
      stopConfig();
      index?.room.close();
      for (const document of [...links.keys()]) closeLink(document);
    },
  };
}
