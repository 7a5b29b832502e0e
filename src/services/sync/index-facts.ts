// What devices tell one another in the index room: who belongs to the account, who holds what (beacons), what moved, what is gone.
// Follows the facts, compares them with what is here, and says what this device has to say.

import type { Readable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { reach, reaches } from '../../domain/sync/coverage.ts';
import {
  type DeviceFact,
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
import { nextHlc, readHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import type { SessionParts } from './parts.ts';
import { freshRecord, isShared, newStep, type RoomRecord, type Step } from './records.ts';
import type { Content } from './room.ts';

export interface IndexFacts {
  /** What lies in the index room. */
  readonly content: Content;
  /** Documents whose facts changed and that were not looked at since. */
  readonly stirred: Set<string>;
  /** The latest time in the index. */
  latest(): string;
  /** Grows when a device says what it holds. */
  heard(): number;
  /** Who belongs to the account: who left it said so, or was taken off the list. */
  devices(): ReadonlyMap<string, DeviceFact>;
  /** Puts into the step that a device belongs to the account no more. One that does says so again when it is there. */
  takeOff(step: Step, device: string): Promise<void>;
  /** Somebody told of this document. */
  isKnown(document: string): boolean;
  /** Somebody has the document in this epoch. */
  livesIn(document: string, epoch: number): boolean;
  goneOf(document: string): GoneFact | null;
  /** Documents that are erased everywhere, or that this device alone has erased (`at` is null). `known`: this device has a record of it. */
  gone(): Map<string, { known: boolean; at: number | null }>;
  /** The epoch that was said to be the document's. */
  epochOf(document: string): number;
  /** Who moved the document into this epoch brings all of it. */
  isBrought(document: string, epoch: number): boolean;
  /** The epoch in which a document lives now, as far as anybody said. */
  liveEpoch(document: string): number;
  /** Others announced what is not here. */
  isBehind(document: string): boolean;
  /** Another device, which has told of this document, does not have what this one has put there. */
  isDoubted(document: string): boolean;
  /** Ids of the other devices that said they hold all of what the record holds. */
  holdersOf(document: string, record: RoomRecord): string[];

  /** Puts facts into the step, and seals them for the index. */
  publish(step: Step, facts: readonly (readonly [string, unknown])[]): Promise<void>;
  /** Takes over that the index lives in this epoch now, without a word to the others, who are there. */
  putIndexEpoch(step: Step, epoch: number): void;
  /** The device holds more of a document than it told the others. */
  announce(document: string): void;
  /** Of what is to be sent of a document, the relay has no room for the rest: the others are told of what they can fetch. */
  holdBack(document: string, held: boolean): void;
  /** What waits of this document waits for space on the relay, and nothing was added since. */
  isHeldBack(document: string): boolean;
  /** This device has put something on the relay of which the others do not know yet that it is there. */
  untold(): boolean;
  /** Tells the others what is to be told; only once the index was read. True where it did. */
  sendBeacons(signal: AbortSignal): Promise<boolean>;

  /** The facts of this document were followed: is it to be fetched? */
  sortOut(document: string): void;
  /** Documents to be fetched now. */
  toFetch(): string[];
  /** Of all documents to be fetched, how many the relay did not fail to give. */
  fetching(): number;
  /** What others announced and is not here: documents that may still lie on the relay, and those whose rooms were read to the end in vain. */
  unfetched(): { readonly unread: number; readonly lacking: number };
  /** A document's room was read to its end: it is here, or the relay does not have it. */
  wasRead(document: string): void;
  /** The relay does not let this device into the document's room. */
  wasRefused(document: string): void;
  /** What the relay did not give may be asked for again. */
  forgetLacks(): void;
  /** Changes that a device says it made and that the relay does not give. */
  missingOf(device: string): number;
}

/** Beacons are gathered for this long, ms. */
const BEACON_GAP_MS = 250;
/** A beacon waits this long for changes that are on their way to the relay just now: one then speaks of all of them, ms. */
const BEACON_WAIT_MS = 40;
/** A device says that it is alive this often while connected, ms. */
const ALIVE_MS = 15 * 60_000;

const NO_HEADS: ReadonlyMap<string, HeadFact> = new Map();

const encodeRows = (rows: FactRows): Uint8Array => new TextEncoder().encode(JSON.stringify(rows));
/** The facts in a body of the index; null where it is none. */
export function decodeRows(body: Uint8Array): FactRows | null {
  try {
    const rows = factsSchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return rows.success ? rows.data : null;
  } catch {
    return null;
  }
}

export function createIndexFacts({
  account,
  records,
  config,
  sealInto,
  now,
  clock,
  wakeWithin,
}: Pick<SessionParts, 'account' | 'records' | 'sealInto' | 'now' | 'clock' | 'wakeWithin'> & {
  readonly config: Readable<Config>;
}): IndexFacts {
  const { device } = account;
  const stirred = new Set<string>();
  /** Heads by document and device, as the facts have them. */
  const heads = new Map<string, Map<string, HeadFact>>();
  let headsHeard = 0;
  let latest = '';
  /** Documents of which others announced more than is here. */
  const announced = new Set<string>();
  /** Rooms whose relay did not give what others announced; looked at again later. */
  const lacking = new Map<string, number>();
  /** Of these, rooms that did not let this device in: what lies in them is not known. */
  const shut = new Set<string>();
  /** Documents whose rooms have no space for something of this device. */
  const heldBack = new Set<string>();
  /** Documents of which the others are to be told. */
  const beacons = new Set<string>(records.rooms.keys());
  let beaconAt = 0;
  /** When there was first something to tell while more was on its way. */
  let dueSince: number | null = null;
  let aliveAt = Number.NEGATIVE_INFINITY;

  function changed(keys: Iterable<string>): void {
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
  const goneOf = (document: string): GoneFact | null => {
    const fact = goneFact.safeParse(records.facts.get(goneKey(document))?.value);
    return fact.success ? fact.data : null;
  };
  const epochOf = (document: string): number => {
    const fact = epochFact.safeParse(records.facts.get(epochKey(document))?.value);
    return fact.success ? fact.data.epoch : 0;
  };
  const liveEpoch = (document: string): number => {
    const gone = goneOf(document);
    return Math.max(epochOf(document), gone ? gone.epoch + 1 : 0);
  };
  const livesIn = (document: string, epoch: number): boolean =>
    [...headsOf(document).values()].some((head) => head.epoch === epoch);
  const deviceOf = (id: string): DeviceFact | null => {
    const fact = deviceFact.safeParse(records.facts.get(deviceKey(id))?.value);
    return fact.success ? fact.data : null;
  };
  const belongs = (id: string): boolean => deviceOf(id) !== null;
  const isBehind = (document: string): boolean => {
    const record = records.rooms.get(document);
    if (record && record.gone !== null) return false;
    const epoch = record?.epoch ?? liveEpoch(document);
    for (const head of headsOf(document).values())
      if (head.epoch === epoch)
        for (const [author, count] of Object.entries(head.have))
          if (count > reach(record?.have ?? {}, author)) return true;
    return false;
  };
  const lackingUntil = () => clock() + config.get().sync.auto_sync_interval * 1000;

  const stamp = (): string => {
    latest = nextHlc(now(), device, latest === '' ? null : latest);
    return latest;
  };
  /** Puts into the journal, once these facts are taken over, who came to the account and who is gone from it. */
  const noteComings = (step: Step, rows: FactRows): void => {
    // Before this device told of itself it had not read who else is there: they were there before it.
    if (!deviceOf(device)) return;
    const ids = new Set(
      rows.flatMap(([key]) => (key.startsWith('device/') ? [key.slice('device/'.length)] : [])),
    );
    ids.delete(device);
    for (const id of ids) {
      const before = deviceOf(id);
      const wasListed = records.facts.has(deviceKey(id));
      step.after.push(() => {
        const after = deviceOf(id);
        const name = (after ?? before)?.name;
        if (name === undefined || (after === null) === (before === null)) return;
        const isOwnWord = readHlc(records.facts.get(deviceKey(id))?.time ?? '')?.node === id;
        const what = after ? (wasListed ? 'listed' : 'joined') : isOwnWord ? 'left' : 'unlisted';
        records.note({ kind: 'note', what, document: null, device: name, count: 1, bytes: 0 });
      });
    }
  };
  const content: Content = {
    isBody: (body) => decodeRows(body) !== null,
    merge: (bodies) => {
      const all = new Map<string, Fact>();
      for (const body of bodies) mergeFacts(all, decodeRows(body) ?? []);
      return encodeRows(toRows(all));
    },
    clocks: (before) => before,
    forgotten: () => 0,
    take: async (step, bodies, known) => {
      const rows = [...bodies, ...known].flatMap((body) => decodeRows(body) ?? []);
      records.putFacts(step, rows, changed);
      noteComings(step, rows);
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

  async function publish(step: Step, facts: readonly (readonly [string, unknown])[]): Promise<void> {
    const rows: FactRows = facts.map(([key, value]) => [key, value, stamp()]);
    records.putFacts(step, rows, changed);
    const record = records.rooms.get(INDEX_ROOM) ?? freshRecord(account.indexEpoch);
    const next = await sealInto(step, {
      document: INDEX_ROOM,
      record,
      body: encodeRows(rows),
      kind: 'delta',
      changes: 0,
      content,
    });
    records.putRoom(step, INDEX_ROOM, next);
  }

  async function sendBeacons(signal: AbortSignal): Promise<boolean> {
    const due: [string, unknown][] = [];
    if (deviceOf(device)?.name !== account.deviceName || clock() - aliveAt >= ALIVE_MS) {
      due.push([deviceKey(device), { name: account.deviceName, pairedAt: account.createdAt, seenAt: now() }]);
    }
    const said: string[] = [];
    let coming = false;
    for (const document of beacons) {
      if (document === INDEX_ROOM) {
        said.push(document);
        continue;
      }
      const record = records.rooms.get(document);
      if (!record || !isShared(record)) {
        said.push(document);
        continue;
      }
      // What is not on the relay yet would only be looked for there in vain.
      if ((records.outbox.has(document) && !heldBack.has(document)) || record.whole || record.compare) {
        coming = true;
        continue;
      }
      said.push(document);
      const head: HeadFact = { epoch: record.epoch, have: reaches(record.have) };
      const before = headsOf(document).get(device);
      if (Object.keys(head.have).length > 0 && JSON.stringify(before) !== JSON.stringify(head))
        due.push([headKey(document, device), head]);
    }
    if (due.length === 0) {
      dueSince = null;
      for (const document of said) beacons.delete(document);
      return false;
    }
    dueSince ??= clock();
    const at = coming ? Math.max(beaconAt, dueSince + BEACON_WAIT_MS) : beaconAt;
    if (clock() < at) {
      wakeWithin(at - clock() + 1);
      return false;
    }
    dueSince = null;
    const step = newStep();
    await publish(step, due);
    signal.throwIfAborted();
    await records.commit(step);
    for (const document of said) beacons.delete(document);
    beaconAt = clock() + BEACON_GAP_MS;
    if (due.some(([key]) => key === deviceKey(device))) aliveAt = clock();
    wakeWithin(Math.max(aliveAt + ALIVE_MS - clock(), 0) + 1);
    return true;
  }

  changed(records.facts.keys());

  return {
    content,
    stirred,
    latest: () => latest,
    heard: () => headsHeard,
    devices: () => {
      const all = new Map<string, DeviceFact>();
      for (const [key, { value }] of records.facts) {
        if (!key.startsWith('device/')) continue;
        const fact = deviceFact.safeParse(value);
        if (fact.success) all.set(key.slice('device/'.length), fact.data);
      }
      return all;
    },
    takeOff: (step, id) => {
      const name = id === device ? undefined : deviceOf(id)?.name;
      if (name !== undefined)
        step.after.push(() =>
          records.note({ kind: 'note', what: 'unlisted', document: null, device: name, count: 1, bytes: 0 }),
        );
      return publish(step, [[deviceKey(id), null]]);
    },
    isKnown: (document) => headsOf(document).size > 0,
    livesIn,
    goneOf,
    gone: () => {
      const all = new Map<string, { known: boolean; at: number | null }>();
      for (const [document, record] of records.rooms)
        if (record.gone !== null) all.set(document, { known: true, at: goneOf(document)?.at ?? null });
      for (const key of records.facts.keys()) {
        if (!key.startsWith('gone/')) continue;
        const document = key.slice('gone/'.length);
        const fact = goneOf(document);
        const record = records.rooms.get(document);
        // What lives on in a later room is not gone.
        const lives = record ? record.epoch > (fact?.epoch ?? 0) : livesIn(document, liveEpoch(document));
        if (fact && !lives && !all.has(document)) all.set(document, { known: false, at: fact.at });
      }
      return all;
    },
    epochOf,
    isBrought: (document, epoch) => {
      const fact = epochFact.safeParse(records.facts.get(epochKey(document))?.value);
      return fact.success && fact.data.epoch === epoch && fact.data.brought;
    },
    liveEpoch,
    isBehind,
    isDoubted: (document) => {
      const record = records.rooms.get(document);
      if (!record || !isShared(record) || records.outbox.has(document)) return false;
      return [...headsOf(document)].some(
        ([id, head]) =>
          id !== device &&
          belongs(id) &&
          head.epoch === record.epoch &&
          (head.have[device] ?? 0) < record.seq,
      );
    },
    holdersOf: (document, record) => {
      const all = Object.entries(reaches(record.have));
      return [...headsOf(document)]
        .filter(
          ([id, head]) =>
            id !== device &&
            belongs(id) &&
            head.epoch === record.epoch &&
            all.every(([author, count]) => (head.have[author] ?? 0) >= count),
        )
        .map(([id]) => id);
    },

    publish,
    putIndexEpoch: (step, epoch) =>
      records.putFacts(step, [[epochKey(INDEX_ROOM), { epoch }, stamp()]], changed),
    announce: (document) => {
      beacons.add(document);
    },
    holdBack: (document, held) => {
      if (held) heldBack.add(document);
      else heldBack.delete(document);
    },
    isHeldBack: (document) => heldBack.has(document),
    untold: () => {
      for (const document of beacons) {
        const record = records.rooms.get(document);
        if (document === INDEX_ROOM || !record || !isShared(record)) continue;
        const told = headsOf(document).get(device);
        if (reach(record.have, device) > (told?.epoch === record.epoch ? (told.have[device] ?? 0) : 0))
          return true;
      }
      return false;
    },
    sendBeacons,

    sortOut: (document) => {
      if (document !== INDEX_ROOM && isBehind(document)) announced.add(document);
      else announced.delete(document);
    },
    toFetch: () =>
      [...announced].filter((document) => {
        const again = lacking.get(document);
        return (again === undefined || again <= clock()) && isBehind(document);
      }),
    fetching: () => {
      let count = 0;
      for (const document of announced) if (isBehind(document) && !lacking.has(document)) count += 1;
      return count;
    },
    unfetched: () => {
      let [unread, lacks] = [0, 0];
      for (const document of new Set([...announced, ...stirred])) {
        if (document === INDEX_ROOM || !isBehind(document)) continue;
        if (lacking.has(document) && !shut.has(document)) lacks += 1;
        else unread += 1;
      }
      return { unread, lacking: lacks };
    },
    wasRead: (document) => {
      shut.delete(document);
      if (isBehind(document)) {
        // Looked, and it is not there: the relay lacks it, or keeps it back.
        if (!lacking.has(document)) lacking.set(document, lackingUntil());
      } else {
        lacking.delete(document);
        announced.delete(document);
      }
    },
    wasRefused: (document) => {
      shut.add(document);
      lacking.set(document, lackingUntil());
    },
    forgetLacks: () => lacking.clear(),
    missingOf: (id) => {
      let count = 0;
      for (const document of lacking.keys()) {
        const head = headsOf(document).get(id);
        const record = records.rooms.get(document);
        if (head) count += Math.max(0, (head.have[id] ?? 0) - reach(record?.have ?? {}, id));
      }
      return count;
    },
  };
}
