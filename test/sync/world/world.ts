// The machines, the relay and the network of one play, all from one seed: how they start, die and are paired.
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createWebsocketBackend } from '../../../src/adapters/sync/y-websocket.ts';
import type { Vault } from '../../../src/adapters/vault/vault.ts';
import {
  asMessageId,
  type ConversationId,
  isConversation,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { type Writable, writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import type { CompactionPolicy } from '../../../src/domain/sync/compaction.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { createTestDevice, type TestDevice } from '../../services/sync/device.ts';
import { createEavesdropper, type Eavesdropper } from '../eavesdropper.ts';
import { createNetwork, emptyDisk, type Network } from '../network.ts';
import { createSeededSealing, syncDeflate } from '../node-crypto.ts';
import { type Commit, perilous, type Upkept } from '../perilous.ts';
import { createSealedDisk, type SealedDisk } from '../sealed-disk.ts';
import { type Clockwork, EPOCH, randomFrom } from '../seeded.ts';
import { openTabBeside, type TabBeside } from '../tab-beside.ts';
import { type Scenario, type Wrongs, wrongsOf } from './scenarios.ts';

export const CANARY = 'CANARY';
/** In conversations from an excluded folder. */
export const EXCLUDED = 'EXCLUDED-WORDS';
export const SECRET = 'hunter2-9f8e7d';
/** Time limit until everything is in step, s: a device that missed the news finds a moved index at its next look. */
export const IN_STEP_SECONDS = configSchema.parse({}).sync.auto_sync_interval + 60;
export const DAY_MS = 86_400_000;
const TEN_YEARS = 10 * 365.25 * DAY_MS;
/** Whatever nobody touched for a day is archived, and announced for the trash. */
const CLEANUP = { enabled: true, archive_after_days: 1, delete_archived_after_days: 1 };

export interface Play {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly turns: number;
  readonly folds: boolean;
}

/** A machine: what survives a kill, and the process that runs on it. */
export interface Machine {
  readonly name: string;
  store: Store;
  vault: Vault;
  readonly config: Writable<Config>;
  /** Of a machine that is locked at rest: `store` and `vault` are what its key opens. */
  disk: SealedDisk | null;
  /** What lay on its disk when it was locked; null: it is not. */
  locked: Buffer | null;
  /** A copy of its disk, made some time ago. */
  copy: Store | null;
  /** How wrong its clock is, ms. */
  skew: number;
  online: boolean;
  full: boolean;
  /** Operations of the store until the process dies; null: it lives on. */
  fuse: number | null;
  /** It dies at the next commit of a fold, a squash, a heal or a move. */
  doomed: boolean;
  device: TestDevice | null;
  tab: TabBeside | null;
  sockets: { cut(): void } | null;
  kills: number;
}

export function fail(message: string): never {
  throw new Error(message);
}

/** Low limits, so that a handful of messages is folded, by one device after the other or by several at once. */
function compactionOf(seed: number): CompactionPolicy {
  const random = randomFrom(~seed);
  return {
    blobs: 3 + Math.floor(random() * 4),
    bytes: 2048 + random() * 6144,
    afterMs: 50 + random() * 500,
    jitterMs: random() < 0.5 ? 100 : 1500,
  };
}

/** All conversations in the log of a device. */
export const conversationsIn = async ({ store }: Pick<TestDevice, 'store'>): Promise<ConversationId[]> =>
  (await store.log.documents()).filter(isConversation);

export class World {
  readonly play: Play;
  readonly clockwork: Clockwork;
  readonly random: () => number;
  readonly wrongs: Wrongs;
  readonly network: Network;
  readonly eavesdropper: Eavesdropper = createEavesdropper([EXCLUDED, SECRET]);
  readonly machines: Machine[] = [];
  /** What became of the rooms of conversations, by kind. */
  readonly upkept: Record<Upkept, number> = { fold: 0, squash: 0, heal: 0, move: 0 };
  /** Hears what the clean-up of a machine is about to erase. */
  onErase: (gone: readonly Conversation[]) => void = () => {};
  kills = 0;
  /** Times that a process died of one of these. */
  struck = 0;
  /** Folds of what another device folded as well. */
  together = 0;
  readonly #replacedBy = new Map<string, Machine>();
  readonly #compaction: CompactionPolicy | undefined;

  constructor(play: Play, clockwork: Clockwork) {
    this.play = play;
    this.clockwork = clockwork;
    this.random = clockwork.random;
    this.wrongs = wrongsOf(play.scenario);
    this.#compaction = play.folds ? compactionOf(play.seed) : undefined;
    this.network = createNetwork(
      this.random,
      play.scenario === 'narrow' ? { RELAY_MAX_ROOM: String(100 * 1024) } : {},
    );
    this.network.watch = (bytes) => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (const word of [CANARY, EXCLUDED, SECRET])
        if (text.includes(word)) fail(`${word} was seen on the wire`);
    };
    this.network.overhear = this.eavesdropper.hear;
    this.network.start(emptyDisk());
    if (this.wrongs.is('storm', 'offline'))
      this.network.faults = {
        latency: [1, this.chance(0.5) ? 40 : 400],
        duplicate: 0.03,
        reorder: this.chance(0.5),
        cut: 0.01,
      };
  }

  get first(): Machine {
    return this.machines[0] as Machine;
  }
  chance(share: number): boolean {
    return this.random() < share;
  }
  /** A whole number below this one. */
  whole(below: number): number {
    return Math.floor(this.random() * below);
  }
  one<T>(list: readonly T[]): T {
    return list[this.whole(list.length)] as T;
  }
  /** What each machine says of itself, for failures. */
  statuses(): string {
    return this.machines
      .map(({ name, device }) => `${name} ${JSON.stringify(device?.status.get())}`)
      .join('; ');
  }

  makeMachine(name: string, isSealed = false): Machine {
    const disk = isSealed ? createSealedDisk(this.random, () => Date.now()) : null;
    const machine: Machine = {
      name,
      store: disk?.store ?? createInMemoryStore({ now: () => Date.now() }),
      vault: disk?.vault ?? createInMemoryVault(),
      config: writable(configSchema.parse(this.wrongs.isAtRest ? { storage: { cleanup: CLEANUP } } : {})),
      disk,
      locked: null,
      tab: null,
      copy: null,
      skew: this.wrongs.is('clocks') ? this.anySkew() : 0,
      online: true,
      full: false,
      fuse: null,
      doomed: false,
      device: null,
      sockets: null,
      kills: 0,
    };
    this.machines.push(machine);
    return machine;
  }
  /** ms, ten years at most in either direction. */
  anySkew(): number {
    return (this.random() * 2 - 1) * TEN_YEARS;
  }

  /** Ids lie in clear on a disk that is locked, too: there they end without the canary. */
  get idEnd(): string {
    return this.wrongs.isAtRest ? '' : `-${CANARY}`;
  }
  /** Options that a device and a tab beside it share. */
  common(machine: Machine) {
    return {
      name: machine.name,
      deflate: syncDeflate,
      now: () => EPOCH + this.clockwork.time() + machine.skew,
      newMessage: () => asMessageId(`${newMessageId()}${this.idEnd}`),
    };
  }

  boot(machine: Machine): TestDevice {
    const sockets = this.network.socketFor(() => machine.online);
    machine.sockets = sockets;
    // The fuse counts what a process does, not its making.
    const { fuse, doomed } = machine;
    Object.assign(machine, { fuse: null, doomed: false });
    machine.device = createTestDevice({
      ...this.common(machine),
      backend: createWebsocketBackend({
        WebSocket: sockets.Socket,
        fetch: this.network.fetchFor(() => machine.online),
        timeoutMs: () => 20_000,
      }),
      ...this.#inPeril(machine),
      config: machine.config,
      sealing: this.eavesdropper.learn(createSeededSealing(this.random)),
      compaction: this.#compaction,
    });
    if (this.wrongs.isAtRest)
      machine.tab = openTabBeside(machine.device, {
        config: machine.config,
        now: this.common(machine).now,
        onErase: (gone) => this.onErase(gone),
      });
    Object.assign(machine, { fuse, doomed });
    return machine.device;
  }

  /** Store and vault, dying at the fuse. */
  #inPeril(machine: Machine): { store: Store; vault: Vault } {
    const { store, vault } = perilous(machine.store, machine.vault, {
      strikes: (_lasts, commit) => {
        const isDue = machine.doomed && (commit?.upkept.length ?? 0) > 0;
        if (machine.fuse === null && !isDue) return null;
        if (machine.fuse !== null) machine.fuse -= 1;
        if (!isDue && (machine.fuse ?? 1) > 0) return null;
        this.struck += commit?.upkept.length ? 1 : 0;
        return this.chance(0.5) ? 'after' : 'before';
      },
      onDeath: () => this.kill(machine),
      isFull: () => machine.full && this.chance(0.5),
      onCommit: (commit) => this.#count(machine, commit),
    });
    return { store, vault: this.wrongs.isAlso('revoking') ? vault : machine.vault };
  }

  #count(machine: Machine, { upkept, replaces }: Commit): void {
    for (const what of upkept) this.upkept[what] += 1;
    if (replaces.some((name) => (this.#replacedBy.get(name) ?? machine) !== machine)) this.together += 1;
    for (const name of replaces) this.#replacedBy.set(name, machine);
  }

  kill(machine: Machine): void {
    if (!machine.device) return;
    this.kills += 1;
    machine.kills += 1;
    this.end(machine);
    // Another tab takes over at once.
    const pause = this.wrongs.isAlso('tabs') ? 0 : 50 + this.random() * 3000;
    setTimeout(() => machine.device ?? machine.locked ?? this.boot(machine), pause);
  }
  /** Ends the process: nothing of what it still wanted happens. */
  end(machine: Machine): void {
    Object.assign(machine, { fuse: null, doomed: false });
    machine.sockets?.cut();
    machine.tab?.close();
    machine.tab = null;
    void machine.device?.store.log.close();
    machine.device?.stop();
    machine.device = null;
  }
  turnOff(machine: Machine): void {
    machine.online = false;
    machine.sockets?.cut();
  }
  turnOn(machine: Machine): void {
    machine.online = true;
    machine.device?.engine.wake('online');
  }

  async settle(wanted: () => Promise<boolean> | boolean, what: string, seconds: number): Promise<void> {
    for (let waited = 0; waited < seconds; waited += 1) {
      if (await wanted()) return;
      await this.clockwork.advance(1000);
    }
    fail(`${what}: not within ${seconds} s; ${this.statuses()}`);
  }
  inStep(machine: Machine): Promise<void> {
    return this.settle(
      () => machine.device?.status.get().state === 'synced' && machine.device.status.get().waiting === 0,
      `${machine.name} is in step`,
      IN_STEP_SECONDS,
    );
  }
  async finished<T>(work: Promise<T>, seconds = 60): Promise<T> {
    let result: { value: T } | { error: unknown } | undefined;
    work.then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        result = { error };
      },
    );
    for (let waited = 0; !result && waited < seconds * 10; waited += 1) await this.clockwork.advance(100);
    const settled = result as { value: T } | { error: unknown } | undefined;
    if (!settled) throw new Error('It never ended');
    if ('error' in settled) throw settled.error;
    return settled.value;
  }

  async pair(machine: Machine): Promise<void> {
    const source = this.machines.find(
      (other) =>
        other !== machine &&
        other.device &&
        other.online &&
        (other === this.first || !this.wrongs.isLockingOut),
    ) as Machine;
    const { link } = await this.finished((source.device as TestDevice).sync.pairing('https://app.test/'));
    const device = machine.device ?? this.boot(machine);
    await this.finished(device.sync.join(device.sync.readOffer(link), { deviceName: machine.name }));
  }

  /** Opens the account on the first machine and pairs the others. */
  async open(): Promise<void> {
    const first = this.makeMachine('Laptop');
    this.boot(first);
    await this.finished(
      (first.device as TestDevice).sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }),
    );
    await this.settle(() => first.device?.status.get().state === 'synced', 'the first device', 30);
    const { isAtRest } = this.wrongs;
    const owned = this.play.scenario === 'alone' ? 1 : isAtRest ? 3 : 2 + this.whole(2);
    for (let number = 1; number < owned; number += 1)
      await this.pair(
        this.makeMachine(['Phone', 'Tablet', 'Laptop'][number - 1] as string, isAtRest && number === 1),
      );
    if (this.wrongs.isAlso('liar')) this.network.faults.lies = 0.06;
  }

  /** The relay loses power for this long, ms, and comes back with what is on the disk. */
  async restartRelay(disk = this.network.disk, ms = 500): Promise<void> {
    this.network.kill();
    await this.clockwork.advance(ms);
    this.network.start(disk);
  }
}
