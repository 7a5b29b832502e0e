// Devices, a relay and everything that goes wrong between them, from one seed. Ends with the world healed and asks: do all devices have
// the same, does a fresh one get it, was nothing lost, did nobody in between see a word?
import './seeded.ts';
import * as Y from 'yjs';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { RecollectError } from '../../src/domain/base/errors.ts';
import {
  asConversationId,
  asMessageId,
  type ConversationId,
  LIBRARY_DOCUMENT,
  type MessageId,
  newMessageId,
} from '../../src/domain/base/ids.ts';
import { type Writable, writable } from '../../src/domain/base/readable.ts';
import type { Message } from '../../src/domain/chat/message.ts';
import { withoutTokens } from '../../src/domain/privacy/tokens.ts';
import { type Config, configSchema } from '../../src/domain/settings/config.ts';
import type { CompactionPolicy } from '../../src/domain/sync/compaction.ts';
import { updateFrame } from '../../src/relay/frames.ts';
import { readWhole } from '../../src/services/documents/shared.ts';
import { createInMemoryVault } from '../adapters/vault/in-memory.ts';
import { redact } from '../fixtures/redact.ts';
import {
  copyOfStore,
  createTestDevice,
  newConversationId,
  type TestDevice,
} from '../services/sync/device.ts';
import { createEavesdropper } from './eavesdropper.ts';
import { copyOf, createNetwork, type Disk, emptyDisk, type Network } from './network.ts';
import { createSeededSealing, syncDeflate } from './node-crypto.ts';
import { structureOf } from './oracle.ts';
import { type Commit, perilous, type Upkept } from './perilous.ts';
import { type Clockwork, EPOCH, inWorld, randomFrom } from './seeded.ts';

const CANARY = 'CANARY';
/** In conversations from an excluded folder. */
const EXCLUDED = 'EXCLUDED-WORDS';
const SECRET = 'hunter2-9f8e7d';
/** Until everything is in step, s: an index that moved is found at the next look, where the word of it was lost. */
const PATIENCE = configSchema.parse({}).sync.auto_sync_interval + 60;
const TEN_YEARS = 10 * 365.25 * 86_400_000;
/** Excluded in the course of a play. */
const LATE_FOLDER = '/home/someone/late/x';
const SECRET_FOLDER = '/home/someone/secret-project/x';

/** A machine: what survives a kill, and the process that runs on it. */
interface Machine {
  readonly name: string;
  store: Store;
  readonly vault: Vault;
  readonly config: Writable<Config>;
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
  sockets: { cut(): void } | null;
  kills: number;
}

export interface Outcome {
  readonly seed: number;
  readonly scenario: string;
  readonly messages: number;
  readonly kills: number;
  readonly frames: number;
  readonly events: number;
  readonly conversations: number;
  readonly virtualSeconds: number;
  /** Sealed bodies that passed, were opened and searched. */
  readonly searched: number;
  /** What became of the rooms of conversations. */
  readonly fold: number;
  readonly squash: number;
  readonly heal: number;
  readonly move: number;
  /** Processes that died of one of these. */
  readonly struck: number;
  /** Folds of what another device folded as well. */
  readonly together: number;
}

export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

const SCENARIOS = [
  'calm',
  'storm',
  'crashes',
  'relay-kills',
  'relay-empty',
  'relay-backup',
  'clocks',
  'offline',
  'attacker',
  'erasing',
  'storage-full',
  'everything',
] as const;
/** Faults of their own, which `everything` does not have: its seeds mean what they always meant. `worst` has them all. */
const FURTHER = ['revoking', 'liar', 'tabs', 'worst'] as const;
const ALL = [...SCENARIOS, ...FURTHER] as const;
/**
 * Played by name only, so that seeds go on meaning what they mean: `setback` puts devices back from copies of their disks, `alone` does so
 * where there is but one. `narrow`: rooms that larger conversations nearly fill. `gone`: a machine that never comes back, and is locked out.
 * `excluding`: a folder that is excluded later. `forgetting`: something is forgotten everywhere while somebody is offline, and then somebody
 * is locked out.
 */
const BY_NAME = ['setback', 'alone', 'narrow', 'gone', 'excluding', 'forgetting'] as const;
export type Scenario = (typeof ALL)[number] | (typeof BY_NAME)[number];

/** Runs one seed; throws a SimulationError that names it. */
export async function simulate(
  seed: number,
  {
    only,
    turns = 40,
    folds = seed % 3 > 0,
  }: {
    readonly only?: Scenario | undefined;
    readonly turns?: number;
    /** Rooms are folded early; otherwise a play is too short for a fold. */
    readonly folds?: boolean;
  } = {},
): Promise<Outcome> {
  const scenario = only ?? (ALL[seed % ALL.length] as Scenario);
  const quiet = { info: console.info, warn: console.warn, error: console.error };
  const said: string[] = [];
  const hush = (...words: unknown[]) => void said.push(words.map(String).join(' '));
  Object.assign(console, { info: hush, warn: hush, error: hush });
  try {
    return await inWorld(seed, (clockwork) => run({ seed, scenario, turns, folds }, clockwork, said));
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new SimulationError(
      `seed ${seed} (${scenario}): ${detail}\n${said.slice(-10).join('\n')}\nAgain: npm run simulate -- --seeds 1 --from ${seed} --scenario ${scenario} --turns ${turns} --folds ${folds}`,
    );
  } finally {
    Object.assign(console, quiet);
  }
}

/** Low limits, so that a handful of messages is folded, by one device after the other or by several at once. */
function foldingOf(seed: number): CompactionPolicy {
  const random = randomFrom(~seed);
  return {
    blobs: 3 + Math.floor(random() * 4),
    bytes: 2048 + random() * 6144,
    afterMs: 50 + random() * 500,
    jitterMs: random() < 0.5 ? 100 : 1500,
  };
}

async function run(
  {
    seed,
    scenario,
    turns,
    folds,
  }: {
    readonly seed: number;
    readonly scenario: Scenario;
    readonly turns: number;
    readonly folds: boolean;
  },
  clockwork: Clockwork,
  said: string[],
): Promise<Outcome> {
  const { random } = clockwork;
  const is = (...names: Scenario[]) =>
    scenario === 'everything' || scenario === 'worst' || names.includes(scenario);
  const isSetBack = scenario === 'setback' || scenario === 'alone';
  const isAlso = (name: (typeof FURTHER)[number]) => scenario === 'worst' || scenario === name;
  const isLockingOut = isAlso('revoking') || scenario === 'gone' || scenario === 'forgetting';
  const chance = (share: number) => random() < share;
  const whole = (below: number) => Math.floor(random() * below);
  const one = <T>(list: readonly T[]): T => list[whole(list.length)] as T;
  const fail = (message: string): never => {
    throw new Error(message);
  };

  // ------------------------------------------------------------------ the world
  const network: Network = createNetwork(
    random,
    scenario === 'narrow' ? { RELAY_MAX_ROOM: String(100 * 1024) } : {},
  );
  network.watch = (bytes) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const word of [CANARY, EXCLUDED, SECRET])
      if (text.includes(word)) fail(`${word} was seen on the wire`);
  };
  const eavesdropper = createEavesdropper([EXCLUDED, SECRET]);
  network.overhear = eavesdropper.hear;
  const compaction = folds ? foldingOf(seed) : undefined;
  const newMessage = () => asMessageId(`${newMessageId()}-${CANARY}`);
  network.start(emptyDisk());
  if (is('storm', 'offline'))
    network.faults = {
      latency: [1, chance(0.5) ? 40 : 400],
      duplicate: 0.03,
      reorder: chance(0.5),
      cut: 0.01,
    };

  const done: Record<Upkept, number> = { fold: 0, squash: 0, heal: 0, move: 0 };
  /** Times that a process died of it. */
  let struck = 0;
  /** Folds of what another device folded as well. */
  let together = 0;
  const replacedBy = new Map<string, Machine>();
  const count = (machine: Machine, { upkept, replaces }: Commit) => {
    for (const what of upkept) done[what] += 1;
    if (replaces.some((name) => (replacedBy.get(name) ?? machine) !== machine)) together += 1;
    for (const name of replaces) replacedBy.set(name, machine);
  };
  /** Store and vault, dying at the fuse. */
  const inPeril = (machine: Machine): { store: Store; vault: Vault } => {
    const { store, vault } = perilous(machine.store, machine.vault, {
      strikes: (_lasts, commit) => {
        const isDue = machine.doomed && (commit?.upkept.length ?? 0) > 0;
        if (machine.fuse === null && !isDue) return null;
        if (machine.fuse !== null) machine.fuse -= 1;
        if (!isDue && (machine.fuse ?? 1) > 0) return null;
        struck += commit?.upkept.length ? 1 : 0;
        return chance(0.5) ? 'after' : 'before';
      },
      onDeath: () => kill(machine),
      isFull: () => machine.full && chance(0.5),
      onCommit: (commit) => count(machine, commit),
    });
    return { store, vault: isAlso('revoking') ? vault : machine.vault };
  };

  const machines: Machine[] = [];
  const makeMachine = (name: string): Machine => {
    const machine: Machine = {
      name,
      store: createInMemoryStore({ now: () => Date.now() }),
      vault: createInMemoryVault(),
      config: writable(configSchema.parse({})),
      copy: null,
      skew: is('clocks') ? (random() * 2 - 1) * TEN_YEARS : 0,
      online: true,
      full: false,
      fuse: null,
      doomed: false,
      device: null,
      sockets: null,
      kills: 0,
    };
    machines.push(machine);
    return machine;
  };
  const boot = (machine: Machine): TestDevice => {
    const sockets = network.socketFor(() => machine.online);
    machine.sockets = sockets;
    // The fuse counts what a process does, not its making.
    const { fuse, doomed } = machine;
    Object.assign(machine, { fuse: null, doomed: false });
    machine.device = createTestDevice({
      name: machine.name,
      backend: createWebsocketBackend({
        WebSocket: sockets.Socket,
        fetch: network.fetchFor(() => machine.online),
        timeoutMs: () => 20_000,
      }),
      ...inPeril(machine),
      config: machine.config,
      sealing: eavesdropper.learn(createSeededSealing(random)),
      deflate: syncDeflate,
      now: () => EPOCH + clockwork.time() + machine.skew,
      compaction,
      newMessage,
    });
    Object.assign(machine, { fuse, doomed });
    return machine.device;
  };
  let kills = 0;
  function kill(machine: Machine): void {
    if (!machine.device) return;
    kills += 1;
    machine.kills += 1;
    Object.assign(machine, { fuse: null, doomed: false });
    machine.sockets?.cut();
    void machine.device.store.log.close();
    machine.device.stop();
    machine.device = null;
    // Another tab takes over at once.
    const pause = isAlso('tabs') ? 0 : 50 + random() * 3000;
    setTimeout(() => machine.device ?? boot(machine), pause);
  }

  const settle = async (wanted: () => Promise<boolean> | boolean, what: string, seconds: number) => {
    for (let waited = 0; waited < seconds; waited += 1) {
      if (await wanted()) return;
      await clockwork.advance(1000);
    }
    fail(
      `${what}: not within ${seconds} s; ${machines
        .map(({ name, device }) => `${name} ${JSON.stringify(device?.status.get())}`)
        .join('; ')}`,
    );
  };
  const finished = async <T>(work: Promise<T>, seconds = 60): Promise<T> => {
    let result: { value: T } | { error: unknown } | undefined;
    work.then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        result = { error };
      },
    );
    for (let waited = 0; !result && waited < seconds * 10; waited += 1) await clockwork.advance(100);
    const settled = result as { value: T } | { error: unknown } | undefined;
    if (!settled) throw new Error('It never ended');
    if ('error' in settled) throw settled.error;
    return settled.value;
  };

  // ------------------------------------------------------------------ the account
  const first = makeMachine('Laptop');
  boot(first);
  await finished(
    (first.device as TestDevice).sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }),
  );
  await settle(() => first.device?.status.get().state === 'synced', 'the first device', 30);
  const pair = async (machine: Machine) => {
    const source = machines.find(
      (other) => other !== machine && other.device && other.online && (other === first || !isLockingOut),
    ) as Machine;
    const { link } = await finished((source.device as TestDevice).sync.pairing('https://app.test/'));
    const device = machine.device ?? boot(machine);
    await finished(device.sync.join(device.sync.readOffer(link), { deviceName: machine.name }));
  };
  const owned = scenario === 'alone' ? 1 : 2 + whole(2);
  for (let number = 1; number < owned; number += 1)
    await pair(makeMachine(['Phone', 'Tablet', 'Laptop'][number - 1] as string));

  if (isAlso('liar')) network.faults.lies = 0.06;

  // ------------------------------------------------------------------ what people do
  /** Conversations, by what became of them. */
  const conversations = new Map<ConversationId, { excluded: boolean; erased: boolean }>();
  /** Every message whose append was durable. */
  const written = new Map<string, { conversation: ConversationId; removed: boolean; maybe?: boolean }>();
  let counter = 0;
  const words = (machine: Machine, length = 1 + whole(30)) =>
    `${CANARY} ${machine.name} ${counter++} ${'word '.repeat(length)}`;

  /** On a machine that may die or be full at any moment: what was not durable is not counted. */
  const attempt = async (machine: Machine, work: (device: TestDevice) => Promise<void>) => {
    const { device } = machine;
    if (!device) return;
    let over = false;
    const trying = work(device).then(
      () => {
        over = true;
      },
      () => {
        over = true;
      },
    );
    for (let turn = 0; turn < 20 && !over && machine.device === device; turn += 1) await clockwork.advance(0);
    await Promise.race([trying, clockwork.advance(0)]);
  };
  const known = async (device: Pick<TestDevice, 'store'>) =>
    (await device.store.log.documents())
      .filter((id) => id !== LIBRARY_DOCUMENT)
      .map((id) => asConversationId(id));

  /** A tab beside the one whose engine leads: it writes to the same store, whatever becomes of the other. */
  const tabs = new Map<Machine, TestDevice>();
  const tabOf = (machine: Machine): TestDevice => {
    const tab =
      tabs.get(machine) ??
      createTestDevice({
        name: machine.name,
        backend: { open: () => fail('A follower opened a room'), erase: async () => {} },
        store: machine.store,
        vault: machine.vault,
        config: writable(configSchema.parse({})),
        sealing: createSeededSealing(random),
        deflate: syncDeflate,
        now: () => EPOCH + clockwork.time() + machine.skew,
        newMessage,
      });
    tabs.set(machine, tab);
    return tab;
  };

  const say = (machine: Machine, id: ConversationId, text: string) =>
    attempt(machine, async (leader) => {
      const device = isAlso('tabs') && chance(0.5) ? tabOf(machine) : leader;
      const message = await device.say(id, text);
      written.set(message.id, { conversation: id, removed: false });
    });
  const begin = (machine: Machine, excluded: boolean) => {
    const id = asConversationId(`${newConversationId()}-${CANARY}`);
    return attempt(machine, async (device) => {
      // Before it is there: a process that dies right after it became durable does not come to say so.
      conversations.set(id, { excluded, erased: false });
      await device.change(id, {
        meta: {
          title: `${excluded ? EXCLUDED : CANARY} title ${counter++}`,
          createdAt: EPOCH + clockwork.time(),
          workDir: excluded ? SECRET_FOLDER : `/home/someone/${CANARY}`,
        },
      });
      const message = await device.say(id, excluded ? `${EXCLUDED} ${counter++}` : words(machine));
      written.set(message.id, { conversation: id, removed: false });
    });
  };

  /** In narrow rooms: what was said in a conversation that cannot be made smaller. */
  const spent = new Map<ConversationId, number>();
  const noise = (length: number) => {
    let text = '';
    // Hexadecimal digits spell no keyword of a secret.
    while (text.length < length) text += random().toString(16).slice(2);
    return text.slice(0, length);
  };

  const forgetOne = (machine: Machine, id: ConversationId) =>
    attempt(machine, async (there) => {
      const conversation = await there.read(id);
      const messages = [...(conversation?.messages.keys() ?? [])];
      if (messages.length < 2) return;
      const removed = one(messages) as MessageId;
      const entry = written.get(removed);
      // Until the append is acknowledged it may have happened or not.
      if (entry) entry.maybe = true;
      await there.change(id, { removed: [removed] });
      if (entry) Object.assign(entry, { removed: true, maybe: false });
    });

  const act = async (machine: Machine) => {
    const { device } = machine;
    if (!device) return;
    const ids = await Promise.race([known(device), clockwork.advance(0).then(() => [] as ConversationId[])]);
    const living = ids.filter((id) => !conversations.get(id)?.erased);
    if (living.length === 0 || (conversations.size < 6 && chance(0.2)))
      return await begin(machine, chance(0.15));
    const id = scenario === 'narrow' && chance(0.7) ? (living[0] as ConversationId) : one(living);
    const secret = conversations.get(id)?.excluded ?? false;
    const text = secret ? `${EXCLUDED} ${counter++}` : words(machine);
    if (scenario === 'narrow' && !secret && chance(0.6)) {
      const length = 1000 + whole(7000);
      const before = spent.get(id) ?? 0;
      // All of a conversation must fit into its room, and not much more.
      if (before + length < 60_000) {
        spent.set(id, before + length);
        return await say(machine, id, `${words(machine, 1)} ${noise(length)}`);
      }
    }
    const dice = random();
    // Once the room is nearly full, while the others are there.
    if (scenario === 'narrow' && (spent.get(id) ?? 0) > 45_000 && dice < 0.25)
      return await forgetOne(machine, id);
    if (dice < 0.55) return await say(machine, id, text);
    if (dice < 0.6) return await say(machine, id, `${text} password: ${SECRET} and so on`);
    if (dice < 0.65) return await say(machine, id, secret ? text : words(machine, 2000 + whole(4000)));
    if (dice < 0.75) return await attempt(machine, (there) => there.change(id, { meta: { title: text } }));
    if (dice < 0.8)
      return await attempt(machine, (there) =>
        there.change(id, { meta: { pinned: chance(0.5), archived: chance(0.5) } }),
      );
    if (dice < 0.85)
      return await attempt(machine, (there) =>
        there.change(id, { meta: { deletedAt: chance(0.5) ? Date.now() : null } }),
      );
    if (dice < 0.9) return await forgetOne(machine, id);
    if (dice < 0.93 && is('erasing') && living.length > 1) {
      const entry = conversations.get(id);
      if (entry) entry.erased = true;
      return await attempt(machine, (there) => there.erase(id));
    }
    for (let number = 0; number < 5; number += 1) await say(machine, id, secret ? text : words(machine, 3));
  };

  // ------------------------------------------------------------------ what goes wrong
  const backups: Disk[] = [];
  let attacks = 0;
  let losses = 0;
  let revocations = 0;
  const revoke = async () => {
    if (!first.device || first.full) return;
    // While not everything is here it is refused: a person waits for a while, and tries all the same.
    for (let waited = 0; waited < 8 && first.device?.status.get().state !== 'synced'; waited += 1)
      await clockwork.advance(500);
    if (!first.device) return;
    revocations += 1;
    const lost = first.device.status.get().devices.find(({ here }) => !here);
    // Most of the time killed in the middle of it.
    if (chance(0.7)) first.fuse = 1 + whole(30);
    await attempt(first, (device) => device.sync.revoke(lost?.id ?? 'nobody'));
  };
  /** Most of what was written since the copy is on the relay; what never leaves the device is lost with it, as with any disk. */
  const setBack = async (machine: Machine) => {
    if (!machine.copy || chance(0.4)) {
      machine.copy = await copyOfStore(machine.store);
      return;
    }
    Object.assign(machine, { online: true });
    machine.device?.engine.wake('online');
    await clockwork.advance(6000);
    const status = machine.device?.status.get();
    if (status?.state !== 'synced' || status.waiting > 0) return;
    for (const entry of written.values())
      if (conversations.get(entry.conversation)?.excluded) entry.maybe = true;
    kill(machine);
    machine.store = machine.copy;
    machine.copy = await copyOfStore(machine.store);
    // Most of the time it is written to before it hears anything of what it once knew.
    machine.online = chance(0.3);
    await clockwork.advance(3500);
    for (let number = whole(4); number > 0; number -= 1) await act(machine);
    await clockwork.advance(500);
    machine.online = true;
    machine.device?.engine.wake('online');
  };
  const disturb = async () => {
    if (isSetBack && chance(0.25)) await setBack(one(machines));
    if (isAlso('revoking') && revocations < 3 && chance(0.12)) await revoke();
    if (isAlso('tabs') && chance(0.25)) one(machines).fuse = 1 + whole(25);
    if (is('crashes') && chance(0.25)) one(machines).fuse = 1 + whole(25);
    if (folds && is('crashes') && chance(0.5)) one(machines).doomed = true;
    if (is('storage-full') && chance(0.2)) {
      const machine = one(machines);
      machine.full = !machine.full;
    }
    if (is('offline') && chance(0.25)) {
      const machine = one(machines);
      machine.online = !machine.online;
      if (!machine.online) machine.sockets?.cut();
      else machine.device?.engine.wake('online');
    }
    if (is('clocks') && chance(0.1)) one(machines).skew = (random() * 2 - 1) * TEN_YEARS;
    if (chance(0.2)) backups.push(copyOf(network.disk));
    if (is('relay-kills', 'relay-empty', 'relay-backup') && chance(0.12)) {
      const { disk } = network;
      network.kill();
      losses += 1;
      await clockwork.advance(random() * 4000);
      const dice = random();
      if (is('relay-empty') && dice < 0.4) network.start({ rooms: new Map(), erased: new Set(disk.erased) });
      else if (is('relay-backup') && dice < 0.8 && backups.length > 0)
        network.start({ ...copyOf(one(backups)), erased: new Set(disk.erased) });
      else network.start(disk);
    }
    if (is('attacker') && chance(0.2)) {
      const ids = [...network.disk.rooms.keys()];
      if (ids.length > 0) {
        attacks += 1;
        await attack(one(ids));
      }
    }
  };

  /** Whoever has the token and a room's name: junk, old blobs again, other rooms' blobs, everything deleted, somebody's clocks taken. */
  const attack = async (id: string) => {
    const stolen = new Y.Doc();
    for (const { bytes } of network.disk.rooms.get(id)?.updates ?? []) Y.applyUpdate(stolen, bytes);
    const array = stolen.getArray<unknown>('b');
    const before = Y.encodeStateVector(stolen);
    const garbage = (length: number) => Uint8Array.from({ length }, () => whole(256));
    const dice = random();
    if (dice < 0.25)
      array.insert(whole(array.length + 1), [
        garbage(100),
        Uint8Array.of(1, 0, ...garbage(80)),
        'no bytes',
        { a: 1 },
      ]);
    else if (dice < 0.45 && array.length > 0) array.delete(0, array.length);
    else if (dice < 0.6 && array.length > 0) {
      const blob = array.get(whole(array.length));
      if (blob instanceof Uint8Array) {
        const flipped = blob.slice();
        flipped[whole(flipped.length)] = whole(256);
        array.push([flipped, blob.slice(), blob.slice(0, whole(blob.length))]);
      }
    } else if (dice < 0.75) {
      const other = new Y.Doc();
      for (const { bytes } of network.disk.rooms.get(one([...network.disk.rooms.keys()]))?.updates ?? [])
        Y.applyUpdate(other, bytes);
      array.push(
        other
          .getArray<unknown>('b')
          .toArray()
          .filter((item) => item instanceof Uint8Array),
      );
    } else if (dice < 0.9) {
      const clients = [...Y.decodeStateVector(before).keys()];
      if (clients.length > 0) {
        stolen.clientID = one(clients);
        array.push([garbage(64), garbage(64)]);
      }
    } else for (let number = 0; number < 100; number += 1) array.push([garbage(40)]);
    const update = Y.encodeStateAsUpdate(stolen, before);
    await finished(network.intrude(id, [updateFrame(update)]), 5);
  };

  // ------------------------------------------------------------------ the play
  for (let turn = 0; turn < turns; turn += 1) {
    await act(one(machines));
    if (chance(0.7)) await clockwork.advance(random() * (chance(0.1) ? 20_000 : 900));
    await disturb();
  }
  // Long enough offline for a document to be folded with words in it that nobody has seen yet.
  if (chance(0.3)) {
    const machine = one(machines);
    machine.online = false;
    machine.sockets?.cut();
    // Asked of the disk: the process may die of the question.
    const ids = machine.device ? await known({ store: machine.store }) : [];
    if (machine.device && ids.length > 0) {
      const id = one(ids);
      for (let number = 0; number < 12; number += 1)
        if (!conversations.get(id)?.excluded) await say(machine, id, words(machine, 2));
      const entries = await machine.store.log.read(id);
      const last = entries.at(-1);
      if (last) {
        const doc = new Y.Doc();
        for (const { bytes } of entries) Y.applyUpdate(doc, bytes);
        await machine.store.log.fold(id, Y.encodeStateAsUpdate(doc), last.seq);
      }
    }
  }

  const turnOff = (machine: Machine) => {
    machine.online = false;
    machine.sockets?.cut();
  };
  const turnOn = (machine: Machine) => {
    machine.online = true;
    machine.device?.engine.wake('online');
  };
  const inStep = (machine: Machine) =>
    settle(
      () => machine.device?.status.get().state === 'synced' && machine.device.status.get().waiting === 0,
      `${machine.name} is in step`,
      PATIENCE,
    );
  /** Tries as often as it is refused because something is not here yet: from the first moment on. */
  const lockOut = async () => {
    const device = first.device as TestDevice;
    const lost = device.status.get().devices.find(({ here }) => !here)?.id ?? 'nobody';
    for (let tries = 0; ; tries += 1) {
      try {
        await finished(device.sync.revoke(lost));
        revocations += 1;
        return;
      } catch (error) {
        if (tries > 600 || !(error instanceof RecollectError) || error.problem.code !== 'sync-unfetched')
          throw error;
        await clockwork.advance(200);
      }
    }
  };
  if (scenario === 'gone' || scenario === 'forgetting' || scenario === 'excluding') machines.forEach(turnOn);
  const [, second] = machines;
  const forgotten: ConversationId[] = [];
  if (scenario === 'gone' && second) {
    turnOff(first);
    for (let number = whole(8); number > 0; number -= 1) await act(second);
    await inStep(second);
    second.device?.stop();
    second.device = null;
    machines.splice(machines.indexOf(second), 1);
    // What never left it is gone with it.
    for (const entry of written.values())
      if (conversations.get(entry.conversation)?.excluded) entry.maybe = true;
    turnOn(first);
    await lockOut();
  }
  if (scenario === 'forgetting' && second) {
    for (const machine of machines) await inStep(machine);
    await clockwork.advance(2000);
    turnOff(second);
    const ids = (await known(first)).filter((id) => !conversations.get(id)?.excluded);
    for (const id of ids.slice(0, 1 + whole(2))) {
      Object.assign(conversations.get(id) ?? {}, { erased: true });
      forgotten.push(id);
      if (chance(0.4)) await say(second, id, words(second));
    }
    await finished((first.device as TestDevice).sync.forget(forgotten));
    if (chance(0.5)) for (const machine of machines) if (machine !== second) await inStep(machine);
    await lockOut();
    if (chance(0.5)) await act(first);
  }
  if (scenario === 'excluding') {
    const late = newConversationId();
    conversations.set(late, { excluded: false, erased: false });
    await finished(
      (first.device as TestDevice).change(late, {
        meta: { title: `${CANARY} late`, createdAt: EPOCH + clockwork.time(), workDir: LATE_FOLDER },
      }),
    );
    await say(first, late, words(first));
    for (const machine of machines) await inStep(machine);
    await clockwork.advance(2000);
    if (chance(0.5)) turnOff(one(machines));
    // On its way when the folder is excluded, or just before.
    for (const machine of machines)
      if ((await known(machine)).includes(late) && chance(0.6))
        await say(machine, late, words(machine, chance(0.3) ? 3000 : 3));
    conversations.set(late, { excluded: true, erased: false });
    for (const { config } of machines) {
      const { privacy, ...rest } = config.get();
      config.set({
        ...rest,
        privacy: { ...privacy, exclude_work_dirs: [...privacy.exclude_work_dirs, '*/late/*'] },
      });
    }
    for (const machine of machines)
      if ((await known(machine)).includes(late)) await say(machine, late, `${EXCLUDED} ${counter++}`);
    await clockwork.advance(chance(0.5) ? 0 : 3000);
    // The relay loses all it had: nobody puts that conversation there again.
    network.kill();
    await clockwork.advance(500);
    network.start(emptyDisk());
  }

  // ------------------------------------------------------------------ peace
  network.faults = { latency: [1, 5], duplicate: 0, reorder: false, cut: 0 };
  for (const machine of machines)
    Object.assign(machine, { online: true, full: false, fuse: null, doomed: false });
  await clockwork.advance(4000);
  for (const machine of machines) machine.device?.engine.wake('online');
  if (isAlso('liar')) {
    // It stops lying, and everybody hears all of it again.
    attacks += 1;
    const { disk } = network;
    network.kill();
    await clockwork.advance(500);
    network.start(disk);
    for (const machine of machines) machine.device?.engine.wake('online');
  }
  const accountOf = async ({ store }: Machine) =>
    ((await store.keyValues.get('sync/account')) as { id?: string; fingerprint?: string } | undefined) ?? {};
  if (revocations > 0) {
    await settle(() => first.device?.status.get().state === 'synced', 'after the revocation', PATIENCE);
    await clockwork.advance(2000);
    const { id, fingerprint } = await finished(accountOf(first));
    const names = (await finished(first.vault.names())).filter((name) => !name.endsWith(`/${id}`));
    if (names.length > 0) fail(`keys are left behind: ${names.join(', ')}`);
    for (const machine of machines) {
      if (machine === first || (await finished(accountOf(machine))).fingerprint === fingerprint) continue;
      // Locked out: nothing of the new account came here, and nothing goes there until it is paired again.
      if (machine.device?.status.get().state === 'synced')
        fail(
          `${machine.name} was locked out and says ${JSON.stringify(machine.device.status.get())}; ${JSON.stringify([await accountOf(first), await accountOf(machine), [...network.disk.erased], [...network.disk.rooms.keys()], await first.store.keyValues.keys('sync/erase/'), revocations])}`,
        );
      await pair(machine);
    }
    // A relay that was away when the old account was to be erased is asked again.
    await settle(
      () => {
        const accounts = [...network.disk.rooms.keys()].map((room) => room.split('/')[0] ?? '');
        // A disk put back from a backup lists what it does not give out.
        return new Set(accounts.filter((account) => !network.disk.erased.has(account))).size === 1;
      },
      'the old account is erased',
      90,
    );
  }
  /** What sync knows of a document on each machine: for those who look into a failure. */
  const dossier = async (id: string) => {
    const lines: string[] = [];
    for (const { name, store } of machines) {
      const record = await store.keyValues.get(`sync/room/${id}`);
      const { epoch } = ((await store.keyValues.get('sync/room/index')) ?? {}) as { epoch?: number };
      const facts = (await Promise.all(
        (await store.keyValues.keys('sync/facts/')).map((key) => store.keyValues.get(key)),
      )) as [string, unknown, string][][];
      lines.push(
        `${name} (index ${epoch}): ${JSON.stringify(record, (key, value) => (key === 'before' ? undefined : value))}; entries ${(await store.log.read(asConversationId(id))).map((entry) => `${entry.seq} ${entry.origin}`)}; ${JSON.stringify(facts.flat().filter(([key]) => key.includes(id)))}; ${JSON.stringify(((await store.keyValues.get('sync/journal')) as { document: string }[] | undefined)?.filter((line) => line.document === id))}`,
      );
    }
    return lines.join('\n');
  };
  const atRest = () =>
    machines.every(
      ({ device }) => device?.status.get().state === 'synced' && device.status.get().waiting === 0,
    );
  await settle(atRest, 'after the storm', PATIENCE);
  await clockwork.advance(12_000);
  if (isSetBack)
    // Nobody has to look for what was written under a number that was used before.
    for (const machine of machines)
      for (const [id, { conversation, removed, maybe }] of written) {
        const fate = conversations.get(conversation);
        if (removed || maybe || fate?.excluded || fate?.erased) continue;
        const here = await readWhole(machine.store.log, conversation);
        if (!here?.conversation?.messages.has(id as MessageId))
          fail(`${machine.name} has not heard of ${id} in ${conversation}; ${await dossier(conversation)}`);
      }
  // What a relay lost silently is found by looking.
  for (const machine of machines)
    await finished((machine.device as TestDevice).sync.syncNow({ force: true }));
  await clockwork.advance(12_000);
  await settle(atRest, 'after looking', 240);
  await clockwork.advance(5000);

  // ------------------------------------------------------------------ the oracle
  const cleaned = (text: string) =>
    withoutTokens(redact(text, machines[0]?.config.get().privacy.sensitive_keywords ?? []).text);
  interface Seen {
    readonly structure: Map<string, string>;
    readonly said: Map<string, string>;
    readonly messages: Map<string, string>;
    readonly trashed: Set<string>;
    readonly library: Map<string, string>;
  }
  const see = async (machine: Machine): Promise<Seen> => {
    const seen: Seen = {
      structure: new Map(),
      said: new Map(),
      messages: new Map(),
      trashed: new Set(),
      library: new Map(),
    };
    for (const id of await machine.store.log.documents()) {
      if (id === LIBRARY_DOCUMENT) continue;
      const here = await readWhole(machine.store.log, id);
      const conversation = here?.conversation;
      if (!here || !conversation) continue;
      const withheld =
        (await (machine.device as TestDevice).sync.where(asConversationId(id))).place === 'withheld';
      if (withheld) {
        if (conversation.meta.deletedAt !== null) seen.trashed.add(id);
        for (const message of conversation.messages.values()) seen.messages.set(message.id, id);
        continue;
      }
      seen.structure.set(id, structureOf(here.update));
      const { head: _, ...meta } = conversation.meta;
      const messages = [...conversation.messages.values()].sort((a: Message, b: Message) =>
        a.id < b.id ? -1 : 1,
      );
      seen.said.set(id, cleaned(JSON.stringify([meta, messages])));
      for (const message of messages) seen.messages.set(message.id, id);
    }
    for (const line of await (machine.device as TestDevice).library())
      seen.library.set(line.id, `${line.messageCount}`);
    return seen;
  };
  const differences = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
    [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id));

  const asked = machines.map((machine) => finished(see(machine)));
  const seen: Seen[] = [];
  for (const one of asked) seen.push(await one);
  const [reference] = seen as [Seen];
  const compare = async (name: string, other: Seen) => {
    for (const part of ['structure', 'said'] as const) {
      const [id] = differences(reference[part], other[part]);
      if (id !== undefined)
        fail(
          `${machines[0]?.name} and ${name} differ in ${part} of ${id} (${JSON.stringify(conversations.get(asConversationId(id)))}):\n${reference[part].get(id)?.slice(0, 1500)}\n${other[part].get(id)?.slice(0, 1500)}\n${await dossier(id)}`,
        );
    }
  };
  for (const [at, other] of seen.entries()) await compare(machines[at]?.name ?? '', other);

  for (const [at, other] of seen.entries())
    for (const id of forgotten)
      if (other.said.has(id)) fail(`${machines[at]?.name} has ${id} again, which was forgotten everywhere`);

  // Nothing lost: every durable message is somewhere it should be.
  for (const [id, { conversation, removed, maybe }] of written) {
    if (maybe) continue;
    const fate = conversations.get(conversation);
    const holders = seen.filter((other) => other.messages.has(id)).length;
    if (removed && !fate?.excluded && !fate?.erased && holders > 0) {
      const shown = seen.filter((other) => other.messages.has(id) && !other.trashed.has(conversation)).length;
      if (shown > 0) fail(`forgotten message ${id} is still there`);
    }
    if (removed || fate?.erased) continue;
    if (holders === 0) fail(`message ${id} of ${conversation} is lost`);
    if (!fate?.excluded && holders < machines.length)
      fail(`message ${id} of ${conversation} is on ${holders} of ${machines.length} devices`);
  }
  // Lines say what conversations say.
  for (const [at, other] of seen.entries())
    for (const [id, text] of other.said) {
      // Killed half-way through an erasure: the app lists it again at its next start.
      if (conversations.get(asConversationId(id))?.erased) continue;
      const messages = (JSON.parse(text) as [unknown, { kind: string }[]])[1].length;
      const line = other.library.get(id);
      if (line !== String(messages))
        fail(`${machines[at]?.name} lists ${line} of ${messages} messages of ${id}`);
    }

  // A fresh device has the same.
  const fresh = makeMachine('Fresh');
  fresh.skew = 0;
  await pair(fresh);
  await settle(() => fresh.device?.status.get().state === 'synced', 'the fresh device', 120);
  await clockwork.advance(5000);
  await compare('Fresh', await finished(see(fresh)));

  // Nobody saw a word: the relay's disk, its log, and what must not reach other devices.
  for (const [id, { updates }] of network.disk.rooms) {
    network.watch(new TextEncoder().encode(id));
    for (const { bytes } of updates) network.watch(bytes);
  }
  const [leak] = eavesdropper.leaks;
  if (leak !== undefined) fail(leak);
  for (const line of [...network.log, ...said])
    if (line.includes(CANARY) || line.includes(SECRET)) fail(`a log says ${line}`);
  for (const entry of await fresh.store.log.since(0, 100_000)) {
    const text = Buffer.from(entry.bytes);
    if (text.includes(EXCLUDED)) fail('an excluded conversation left its device');
    if (text.includes(SECRET)) fail('a secret left its device');
  }
  for (const { name, device } of machines) {
    const unreadable = device?.status.get().unreadable ?? 0;
    if (unreadable > 0 && attacks === 0) fail(`${name} cannot open ${unreadable} blobs`);
  }
  for (const machine of machines) machine.device?.stop();
  for (const tab of tabs.values()) tab.stop();
  void losses;
  return {
    seed,
    scenario,
    messages: written.size,
    kills,
    frames: network.frames(),
    events: clockwork.events(),
    conversations: conversations.size,
    virtualSeconds: Math.round(clockwork.time() / 1000),
    searched: eavesdropper.searched,
    ...done,
    struck,
    together,
  };
}
