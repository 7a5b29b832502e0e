// One account on one relay: brings log and rooms into step, round by round, and tells how far it is.
//
//   log ──since(bookmark), not 'remote'──► clean ─► merge ─► seal ─► outbox ─► room          the index room carries facts: who holds
//   log ◄──append('remote') + marks───────────────────────── open ◄─ room                    what (beacons), what moved, what is gone
//
// One thread of control: a round looks at what is and what should be, and does the difference. Whatever happens only asks for a round.
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { KeyRing, Sealing } from '../../adapters/vault/sealing.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { isConversation } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Folding } from '../../domain/sync/compaction.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { createLines } from '../documents/lines.ts';
import { leave, revoke } from './account.ts';
import { createDocumentContents } from './content.ts';
import { createRoomKeys, createSealInto } from './envelope.ts';
import { createIndexFacts } from './index-facts.ts';
import { createLifetimes } from './lifetimes.ts';
import { createOpenRooms } from './open-rooms.ts';
import type { SessionParts } from './parts.ts';
import { isShared, newStep, openRecords } from './records.ts';
import type { SyncAnswer, SyncRequest } from './requests.ts';
import type { SyncDevice, SyncState, SyncStatus, Whereabouts, WhyUnfetched } from './sync.ts';
import { createUplink } from './uplink.ts';

export interface SessionDeps
  extends Pick<SessionParts, 'account' | 'backend' | 'relay' | 'now' | 'clock' | 'wake' | 'wakeWithin'> {
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Readable<Config>;
  readonly sealing: Sealing;
  readonly deflate: Deflate;
  readonly ring: KeyRing;
  readonly signal: AbortSignal;
  /** When rooms are folded; the usual where it is not said. */
  readonly folding?: Folding | undefined;
  /** Documents on somebody's screen. */
  readonly onScreen: () => Iterable<string>;
}

export interface Session {
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

/** Lines of the library are made when a conversation has been quiet for this long, ms. */
const LINES_AFTER_MS = 40;
const WATCHED_MS = 5_000;
/** Who leaves waits this long at most for the relay to take the word of it, and looks this often, ms. */
const FAREWELL_MS = 3_000;
const FAREWELL_LOOK_MS = 20;
/** The time of the last agreement is told anew this often at most, ms: it is not worth a message each round. */
const SAID_EVERY_MS = 10_000;

/** Opens the records and runs from there; nothing is done before the first round. */
export async function createSession(deps: SessionDeps): Promise<Session> {
  const { store, config, sealing, deflate, now, clock, account, ring, relay, wakeWithin } = deps;
  const { log } = store;
  const { device } = account;
  const closing = new AbortController();
  deps.signal.addEventListener('abort', () => closing.abort(deps.signal.reason), { once: true });
  const { signal } = closing;

  const records = await openRecords(store, now);
  const keysOf = createRoomKeys(ring);
  const sealInto = createSealInto({ records, keysOf, device, deflate, random: sealing.random });
  const lookEveryMs = () => config.get().sync.auto_sync_interval * 1000;
  const facts = createIndexFacts({ account, records, config, sealInto, now, clock, wakeWithin });
  const contents = createDocumentContents({ log, config, records });
  const parts = { ...deps, log, records, facts, contents, keysOf, sealInto, signal };
  const rooms = createOpenRooms({ ...parts, lookEveryMs });
  const lifetimes = createLifetimes({ ...parts, rooms });
  const uplink = createUplink({
    ...parts,
    onSeen: (document) => {
      lifetimes.seen(document);
      if ((watched.get(document) ?? 0) > clock()) relist.add(document);
    },
    onSealed: rooms.touch,
    keepInTrash: lifetimes.keepInTrash,
    cameBack: lifetimes.cameBack,
  });
  const lines = createLines(store);

  let linesAt: number | null = null;
  /** Lines made just now, until when they are watched: a tab may have written the same line at the same time, from fewer messages or more. */
  const watched = new Map<string, number>();
  const relist = new Set<string>();
  /** Documents that the relay had no room for, each told once. */
  const withoutRoom = new Set<string>();
  let trouble: Problem | null = null;
  let wasSynced = false;
  let saidAt = 0;

  const rules = () => JSON.stringify(config.get().privacy.exclude_work_dirs);
  let rulesSeen = rules();
  const stopConfig = config.subscribe(() => {
    if (rules() !== rulesSeen) uplink.rulesChanged();
    rulesSeen = rules();
    deps.wake();
  });

  /** Makes the library's lines of what changed elsewhere, once it has been quiet. */
  async function refreshLines(): Promise<boolean> {
    if (records.unlisted.size + relist.size === 0) {
      linesAt = null;
      return false;
    }
    linesAt ??= clock() + LINES_AFTER_MS;
    if (clock() < linesAt) {
      wakeWithin(linesAt - clock() + 1);
      return false;
    }
    linesAt = null;
    const ids = [...new Set([...relist, ...records.unlisted])].slice(0, 100);
    const step = newStep();
    for (const id of ids) records.putUnlisted(step, id, false);
    await lines.refresh(ids.filter(isConversation), step.writes);
    for (const done of step.after) done();
    for (const [id, until] of watched) if (until <= clock()) watched.delete(id);
    for (const id of ids) {
      watched.set(id, clock() + WATCHED_MS);
      relist.delete(id);
    }
    return true;
  }

  /** What of the account is not here; null: everything that anybody told of is. */
  const unfetched = (): { why: WhyUnfetched; count: number } | null => {
    const { index } = rooms;
    if (!index?.read) {
      const isAway = index?.room.state === 'offline' || index?.room.state === 'refused';
      return { why: isAway ? 'unreachable' : 'fetching', count: 0 };
    }
    const { unread, lacking } = facts.unfetched();
    const isToBeRead = [...records.rooms.values()].filter(
      (record) => record.compare && isShared(record),
    ).length;
    if (unread + isToBeRead + facts.stirred.size > 0)
      return { why: 'fetching', count: Math.max(unread, isToBeRead) };
    return lacking > 0 ? { why: 'lacking', count: lacking } : null;
  };

  /** Documents of which all is still to be sent; what stays here is none of them. */
  const unsent = (): number =>
    [...records.rooms.values()].filter((record) => record.whole && isShared(record)).length;
  const isUploaded = () => !uplink.adopting && records.outbox.size === 0 && unsent() === 0 && !isComparing();

  const waiting = (): number => {
    let count = 0;
    for (const [document, rows] of records.outbox)
      if (document !== INDEX_ROOM) for (const row of rows.values()) count += row.changes;
    return count + unsent() + lifetimes.unseen.size;
  };
  /** The relay may lack something of a room, or still have what is to be replaced there. */
  const isComparing = (): boolean => {
    for (const record of records.rooms.values())
      if ((record.compare || record.squash) && isShared(record)) return true;
    return rooms.all().some((link) => link.healing);
  };
  const state = (): SyncState => {
    if (trouble && !trouble.retry) return 'stopped';
    const { index } = rooms;
    if (!index) return 'connecting';
    if (index.room.state === 'refused') return 'stopped';
    if (index.room.state === 'offline') return 'offline';
    if (index.room.state === 'connecting') return 'connecting';
    return waiting() === 0 &&
      facts.fetching() === 0 &&
      index.settled &&
      records.outbox.size === 0 &&
      !uplink.adopting &&
      !facts.untold() &&
      !rooms.looking() &&
      !isComparing()
      ? 'synced'
      : 'syncing';
  };

  async function work(): Promise<boolean> {
    let more = false;
    for (const link of rooms.documents()) {
      if (!rooms.has(link)) continue;
      const { document } = link;
      more = (await link.work(signal)) || more;
      if (link.settled) {
        rooms.wasLookedAt(document);
        facts.wasRead(document);
        withoutRoom.delete(document);
      } else if (link.room.state === 'refused') {
        rooms.wasLookedAt(document);
        facts.wasRefused(document);
      } else if (link.full && link.read) {
        rooms.wasLookedAt(document);
        if (link.complete) facts.wasRead(document);
      }
      facts.holdBack(document, link.heldBack);
      const full = link.full ?? (link.room.problem?.code === 'sync-quota' ? link.room.problem : null);
      // What is about to be left has no trouble.
      if (!full || link.outgrown) continue;
      trouble = full;
      if (!withoutRoom.has(document))
        records.note({ kind: 'error', what: 'sync-quota', document, device: null, count: 1, bytes: 0 });
      withoutRoom.add(document);
    }
    return more;
  }

  async function round(): Promise<boolean> {
    trouble = null;
    let more = await uplink.follow();
    more = (await lifetimes.noticeErased()) || more;
    more = (await uplink.recheckWithheld()) || more;
    await rooms.lookAgain();
    await rooms.follow();
    if (rooms.index) {
      more = (await rooms.index.work(signal)) || more;
      trouble = rooms.index.room.state === 'refused' ? rooms.index.room.problem : rooms.index.full;
    }
    more = (await lifetimes.followFacts()) || more;
    if (rooms.index?.read) {
      more = (await uplink.adopt()) || more;
      more = (await uplink.sendWholes()) || more;
    }
    more = (await work()) || more;
    more = (await lifetimes.rebuildDamaged()) || more;
    // What lies in the index comes first: it may know more of this device than this store does.
    if (rooms.index?.read) more = (await facts.sendBeacons(signal)) || more;
    more = (await refreshLines()) || more;
    if (rooms.index?.room.state === 'synced') await lifetimes.eraseOnRelay(isUploaded);
    if (state() === 'synced' && (!wasSynced || clock() >= saidAt)) {
      await records.putAgreed(now());
      saidAt = clock() + SAID_EVERY_MS;
    }
    wasSynced = state() === 'synced';
    await records.flushJournal();
    return more || rooms.behind;
  }

  function where(document: string): Whereabouts {
    const record = records.rooms.get(document);
    if (record && !isShared(record)) return { place: 'withheld', devices: [] };
    const waits = (records.outbox.get(document)?.size ?? 0) > 0 || lifetimes.unseen.has(document);
    // What is being looked at is not known to be there.
    if (!record || record.whole || record.compare || waits || rooms.looking(document))
      return { place: 'here', devices: [] };
    const names = facts.devices();
    return {
      place: 'relay',
      devices: facts.holdersOf(document, record).map((id) => names.get(id)?.name ?? id),
    };
  }

  lifetimes.touched([...records.rooms.keys()].filter((document) => document !== INDEX_ROOM));

  /** Tells the others that this device belongs to the account no more, as far as they can be told now. */
  async function sayFarewell(): Promise<void> {
    const { index } = rooms;
    if (!index?.read) return;
    const step = newStep();
    await facts.takeOff(step, device);
    await records.commit(step);
    const end = clock() + FAREWELL_MS;
    for (;;) {
      index.touch();
      await index.work(signal);
      if (!records.outbox.has(INDEX_ROOM) || index.room.state !== 'synced' || clock() >= end) return;
      await new Promise((resolve) => setTimeout(resolve, FAREWELL_LOOK_MS));
    }
  }

  const membership = { ...deps, signal };
  const roomNames = () =>
    Promise.all(
      [...records.rooms].map(async ([document, { epoch }]) => (await keysOf(document, epoch)).roomId),
    );
  return {
    round,
    heard: facts.heard,
    status: () => ({
      mode: account.mode,
      state: state(),
      account: {
        fingerprint: account.fingerprint,
        endpoint: relay.endpoint,
        managed: account.mode === 'managed',
        since: account.createdAt,
      },
      waiting: waiting(),
      fetching: facts.fetching(),
      syncedAt: records.agreedAt,
      unreadable: rooms.all().reduce((sum, link) => sum + link.unreadable, 0),
      withheld: [...records.rooms].filter(([document, { withheld, gone }]) =>
        gone === null ? withheld !== null : lifetimes.isInTrash(document),
      ).length,
      devices: [...facts.devices()].map(
        ([id, fact]): SyncDevice => ({
          id,
          name: fact.name,
          here: id === device,
          pairedAt: fact.pairedAt,
          seenAt: fact.seenAt,
          missing: id === device ? 0 : facts.missingOf(id),
        }),
      ),
      problem: trouble,
    }),
    answer: async (request) => {
      if (request.do === 'where') return where(request.document);
      if (request.do === 'index') return facts.latest();
      if (request.do === 'revoke') {
        const missing = unfetched();
        const { anyway } = request;
        if (missing && (anyway === null || (anyway === 'lacking' && missing.why !== 'lacking')))
          throw new RecollectError('sync-unfetched', 'Not everything of the account is on this device', {
            params: { ...missing },
            retry: true,
          });
        await records.flushJournal();
        await revoke(membership, {
          // What was read to its end in vain is not lost with the old account; what was not read would be.
          erase: missing === null || (missing.why === 'lacking' && anyway === 'lacking'),
          name: facts.devices().get(request.device)?.name ?? null,
          rooms: roomNames,
          gone: facts.gone(),
        });
      } else if (request.do === 'leave') {
        if (!request.erase) await sayFarewell();
        await records.flushJournal();
        await leave(membership, request);
      } else if (request.do === 'take-off') {
        const step = newStep();
        await facts.takeOff(step, request.device);
        await records.commit(step);
        rooms.index?.touch();
      } else if (request.do === 'forget') await lifetimes.forget(request.documents);
      return null;
    },
    touched: lifetimes.touched,
    look: rooms.ask,
    retry: rooms.retry,
    failed: (problem) => {
      trouble = problem;
      records.note({ kind: 'error', what: problem.code, document: null, device: null, count: 1, bytes: 0 });
    },
    close: () => {
      closing.abort();
      stopConfig();
      rooms.closeAll();
    },
  };
}
