// The relay's own room logic behind a network that delays, duplicates, reorders and cuts. The
// test inspects everything that passes.

import { fromText } from '../../src/domain/sync/bytes.ts';
import { accountTag } from '../../src/domain/sync/keys.ts';
import { CLOSE, limitsSchema } from '../../src/relay/limits.ts';
import { createLog } from '../../src/relay/log.ts';
import { createMetrics } from '../../src/relay/metrics.ts';
import { OutgoingBudget } from '../../src/relay/outgoing-budget.ts';
import type { Peer, Room } from '../../src/relay/room.ts';
import { Rooms } from '../../src/relay/rooms.ts';
import { ErasedError, type RelayStore } from '../../src/relay/store.ts';

interface KeptRoom {
  updates: { position: number; bytes: Uint8Array }[];
  position: number;
}

/** What a disk holds. */
export interface Disk {
  readonly rooms: Map<string, KeptRoom>;
  readonly erased: Set<string>;
}
export const emptyDisk = (): Disk => ({ rooms: new Map(), erased: new Set() });
export const copyOf = (disk: Disk): Disk => ({
  rooms: new Map(
    [...disk.rooms].map(([id, room]) => [id, { updates: [...room.updates], position: room.position }]),
  ),
  erased: new Set(disk.erased),
});

/** A store on such a disk; each append takes a moment, and a power cut loses appends under way. */
function storeOn(disk: Disk, commitMs: () => number): RelayStore & { kill(): void } {
  let dead = false;
  const never = <T>() => new Promise<T>(() => {});
  const idOf = (account: string, room: string) => `${account}/${room}`;
  const check = (account: string, room?: string) => {
    if (disk.erased.has(account) || (room !== undefined && disk.erased.has(idOf(account, room))))
      throw new ErasedError();
  };
  const size = (room: KeptRoom | undefined) =>
    (room?.updates ?? []).reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    kill: () => {
      dead = true;
    },
    append: async ({ account, room }, update) => {
      await new Promise((resolve) => setTimeout(resolve, commitMs()));
      if (dead) return never();
      check(account, room);
      const kept = disk.rooms.get(idOf(account, room)) ?? { updates: [], position: 0 };
      disk.rooms.set(idOf(account, room), kept);
      kept.position += 1;
      kept.updates.push({ position: kept.position, bytes: update.slice() });
      return { position: kept.position, bytes: size(kept) };
    },
    load: async ({ account, room }, after = 0) => {
      if (dead) return never();
      check(account, room);
      const kept = disk.rooms.get(idOf(account, room));
      return {
        updates: (kept?.updates ?? []).filter(({ position }) => position > after).map(({ bytes }) => bytes),
        position: kept?.position ?? 0,
        bytes: size(kept),
      };
    },
    putSnapshot: async ({ account, room }, upTo, state) => {
      if (dead) return never();
      check(account, room);
      const kept = disk.rooms.get(idOf(account, room));
      if (!kept) return 0;
      if (kept.updates.some(({ position }) => position === upTo))
        kept.updates = [
          { position: upTo, bytes: state },
          ...kept.updates.filter(({ position }) => position > upTo),
        ];
      return size(kept);
    },
    erase: async (account, room) => {
      if (dead) return never();
      disk.erased.add(room === undefined ? account : idOf(account, room));
      for (const id of [...disk.rooms.keys()])
        if (room === undefined ? id.startsWith(`${account}/`) : id === idOf(account, room))
          disk.rooms.delete(id);
    },
    usage: async (account) => {
      if (dead) return never();
      check(account);
      const rooms = [...disk.rooms].filter(([id]) => id.startsWith(`${account}/`));
      return { rooms: rooms.length, bytes: rooms.reduce((sum, [, room]) => sum + size(room), 0) };
    },
    subscribe: () => () => {},
    ping: async () => {},
    close: async () => {},
  };
}

export interface Faults {
  /** ms */
  latency: [number, number];
  duplicate: number;
  reorder: boolean;
  /** Chance that a frame takes its connection with it. */
  cut: number;
  /** Chance that the relay lies: holds a frame back, repeats an old one, or sends one of another room. */
  lies?: number;
}

export interface Network {
  faults: Faults;
  disk: Disk;
  /** Called with everything that passes, in either direction, and with every address. */
  watch: (bytes: Uint8Array) => void;
  /** Called with each frame that a device sends to a room. */
  overhear: (room: string, frame: Uint8Array) => void;
  readonly log: string[];
  start(disk: Disk): void;
  /** Power off: what is not on the disk is gone, connections break. */
  kill(): void;
  /** A WebSocket for one device. */
  socketFor(isOnline: () => boolean): { Socket: typeof WebSocket; cut(): void };
  fetchFor(isOnline: () => boolean): typeof fetch;
  /** Enters a room as anybody may who knows its name and token, and sends frames as they are. */
  intrude(id: string, frames: readonly Uint8Array[]): Promise<void>;
  readonly frames: () => number;
}

/** What the network shares with its sockets. */
interface Wire {
  readonly network: Network;
  readonly random: () => number;
  readonly between: (range: [number, number]) => number;
  readonly sockets: Set<{ drop(code: number): void }>;
  /** Undefined while the relay is down. */
  readonly rooms: () => Rooms | undefined;
  readonly countFrame: () => void;
  /** Frames of the relay, which a lying relay repeats in the wrong place. */
  readonly spoken: { room: Room | undefined; frame: Uint8Array }[];
}

/** WebSockets of one device; `mine` has those that are open. */
function socketClass(wire: Wire, isOnline: () => boolean, mine: Set<{ drop(code: number): void }>) {
  const { network, random, between, sockets, spoken } = wire;
  return class SimulatedSocket {
    static readonly OPEN = 1;
    readonly OPEN = 1;
    readyState = 0;
    binaryType = 'arraybuffer';
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
    onclose: ((event: { code: number; reason: string }) => void) | null = null;
    onerror: ((event: unknown) => void) | null = null;
    #room: Room | undefined;
    #peer: Peer | undefined;
    #name = '';
    #home: Rooms | undefined;
    /** Earliest delivery that keeps the order, there and back. */
    #order = [0, 0];
    readonly #self = { drop: (code: number) => this.drop(code) };

    constructor(address: string | URL, protocols?: string | string[]) {
      mine.add(this.#self);
      sockets.add(this.#self);
      network.watch(new TextEncoder().encode(String(address)));
      setTimeout(
        () => this.#open(new URL(String(address)), [protocols ?? []].flat()),
        between(network.faults.latency),
      );
    }

    #open(address: URL, protocols: readonly string[]) {
      if (this.readyState !== 0) return;
      const [account = '', room = ''] = address.pathname.slice(1).split('/');
      this.#name = room;
      const token = protocols[0]?.replace('recollect.', '') ?? '';
      const rooms = wire.rooms();
      if (!isOnline() || !rooms) return this.drop(1006);
      fromText(token);
      if (accountTag(token) !== account) return this.drop(CLOSE.auth);
      this.readyState = 1;
      this.#home = rooms;
      this.#peer = {
        account: { tag: account, rooms: 0, bytes: 0, outgoing: 0 },
        awareness: null,
        isAnswered: false,
        charge: () => {},
        send: (frame) => this.#carry(frame.slice(), 1),
        close: (code) => setTimeout(() => this.drop(code), between(network.faults.latency)),
      };
      this.onopen?.();
      this.#room = rooms.join({ account, room }, this.#peer);
    }

    send(data: ArrayBuffer | Uint8Array) {
      if (this.readyState !== 1) return;
      this.#carry(new Uint8Array(data instanceof Uint8Array ? data.slice() : data), 0);
    }

    /** 0: to the relay, 1: from it. */
    #carry(frame: Uint8Array, way: 0 | 1) {
      wire.countFrame();
      network.watch(frame);
      if (way === 0) network.overhear(this.#name, frame);
      const { faults } = network;
      if (random() < faults.cut) {
        this.drop(1006);
        return;
      }
      if (way === 1 && faults.lies && this.#lie(frame, faults.lies)) return;
      const times = random() < faults.duplicate ? 2 : 1;
      for (let time = 0; time < times; time += 1) {
        let at = performance.now() + between(faults.latency);
        if (!faults.reorder) at = Math.max(at, this.#order[way] ?? 0);
        this.#order[way] = at;
        setTimeout(() => this.#deliver(frame, way), at - performance.now());
      }
    }

    /** True where the frame itself is kept back. */
    #lie(frame: Uint8Array, share: number): boolean {
      spoken.push({ room: this.#room, frame });
      if (spoken.length > 400) spoken.splice(0, 200);
      if (random() >= share) return false;
      const old = spoken[Math.floor(random() * spoken.length)];
      const mine = spoken.filter(({ room }) => room === this.#room);
      const again = random() < 0.5 ? old : mine[Math.floor(random() * mine.length)];
      if (again && random() < 0.7)
        setTimeout(() => this.#deliver(again.frame, 1), between(network.faults.latency));
      return random() < 0.6;
    }

    #deliver(frame: Uint8Array, way: 0 | 1) {
      if (this.readyState !== 1) return;
      if (way === 1) {
        this.onmessage?.({ data: frame.slice().buffer as ArrayBuffer });
        return;
      }
      const rooms = wire.rooms();
      if (this.#room && this.#peer && this.#home === rooms)
        void rooms?.receive(this.#room, this.#peer, frame);
    }

    drop(code: number) {
      if (this.readyState === 3) return;
      this.close();
      this.onclose?.({ code, reason: '' });
    }

    close() {
      if (this.readyState === 3) return;
      this.readyState = 3;
      mine.delete(this.#self);
      sockets.delete(this.#self);
      if (this.#room && this.#peer) this.#home?.leave(this.#room, this.#peer);
    }
  };
}

/** `settings`: of the relay, as its environment has them. */
export function createNetwork(
  random: () => number,
  settings: Readonly<Record<string, string>> = {},
): Network {
  const limits = limitsSchema.parse(settings);
  const sockets = new Set<{ drop(code: number): void }>();
  let rooms: Rooms | undefined;
  let store: ReturnType<typeof storeOn> | undefined;
  let frames = 0;
  const log: string[] = [];
  const between = ([low, high]: [number, number]) => low + random() * (high - low);

  const network: Network = {
    faults: { latency: [1, 5], duplicate: 0, reorder: false, cut: 0 },
    disk: emptyDisk(),
    watch: () => {},
    overhear: () => {},
    log,
    frames: () => frames,
    start: (disk) => {
      network.disk = disk;
      store = storeOn(disk, () => between([0.5, 4]));
      rooms = new Rooms({
        store,
        limits,
        outgoing: new OutgoingBudget({ share: Infinity, all: Infinity }),
        metrics: createMetrics(),
        log: createLog((line) => void log.push(line)),
      });
    },
    kill: () => {
      store?.kill();
      store = undefined;
      rooms = undefined;
      for (const socket of [...sockets]) socket.drop(1006);
    },
    intrude: async (id, sent) => {
      const [account = '', room = ''] = id.split('/');
      const there = rooms;
      if (!there) return;
      const peer: Peer = {
        account: { tag: account, rooms: 0, bytes: 0, outgoing: 0 },
        send: () => {},
        close: () => {},
        charge: () => {},
        awareness: null,
        isAnswered: false,
      };
      const joined = there.join({ account, room }, peer);
      for (const frame of sent) await there.receive(joined, peer, frame);
      there.leave(joined, peer);
    },
    fetchFor: (isOnline) => async (input, init) => {
      await new Promise((resolve) => setTimeout(resolve, between(network.faults.latency)));
      if (!isOnline() || !store) throw new TypeError('Nobody answers');
      const [account = '', room] = new URL(String(input)).pathname.slice(1).split('/');
      const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? '';
      if (accountTag(token) !== account) return new Response(null, { status: 401 });
      await store.erase(account, room);
      rooms?.storeChanged(room === undefined ? { account } : { account, room });
      return new Response(null, { status: 204 });
    },

    socketFor: (isOnline) => {
      const mine = new Set<{ drop(code: number): void }>();
      return {
        Socket: socketClass(wire, isOnline, mine) as unknown as typeof WebSocket,
        cut: () => {
          for (const socket of [...mine]) socket.drop(1006);
        },
      };
    },
  };
  const wire: Wire = {
    network,
    random,
    between,
    sockets,
    rooms: () => rooms,
    countFrame: () => {
      frames += 1;
    },
    spoken: [],
  };
  return network;
}
