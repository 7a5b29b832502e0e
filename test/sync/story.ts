// One scripted story of two devices in which everything that sync commits is committed once at least: first
// uploads, a fold, a squash, a room that is left, conversations forgotten everywhere, a relay that lost all. One
// process dies at one operation of its store.
import './seeded.ts';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { asConversationId, type ConversationId, type MessageId } from '../../src/domain/base/ids.ts';
import { type Writable, writable } from '../../src/domain/base/readable.ts';
import { type Config, configSchema } from '../../src/domain/settings/config.ts';
import { readWhole } from '../../src/services/documents/shared.ts';
import { createInMemoryVault } from '../adapters/vault/in-memory.ts';
import { createTestDevice, type TestDevice } from '../services/sync/device.ts';
import { createNetwork, emptyDisk, type Network } from './network.ts';
import { createSeededSealing, syncDeflate } from './node-crypto.ts';
import { structureOf } from './oracle.ts';
import { perilous } from './perilous.ts';
import { type Clockwork, EPOCH, inWorld } from './seeded.ts';

export interface Death {
  /** Which write of both devices' stores and vaults, counted from 1. */
  readonly operation: number;
  /** Before the operation takes effect, or after. */
  readonly when: 'before' | 'after';
}

export interface StoryOutcome {
  /** Writes until everything was at rest. */
  readonly operations: number;
  /** Where in src/services/sync the commits came from, as `file function`; empty where they were not asked for. */
  readonly commits: ReadonlySet<string>;
}

const SLIP = 'slip of the tongue';
const ROOM_BYTES = 24 * 1024;
const REST_SECONDS = 420;
const COMPACTION = { blobs: 4, bytes: 8192, afterMs: 200, jitterMs: 400 };
const [TALK, LARGE, OWN, SHORT, LATE] = ['talk', 'large', 'own', 'short', 'late'].map((name) =>
  asConversationId(`0000-${name}`),
) as [ConversationId, ConversationId, ConversationId, ConversationId, ConversationId];
const FORGOTTEN = [SHORT, LATE];
const OWN_TEXT = 'mine '.repeat(1000);
const TOO_LATE = 'said too late';

interface Machine {
  readonly name: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Writable<Config>;
  device: TestDevice | null;
  online: boolean;
  cut: () => void;
}

/**
 * Plays the story; throws where it ends otherwise than it should, naming seed and
 * death. `asked`: which commits there are.
 */
export async function playStory(seed: number, death: Death | null, asked = false): Promise<StoryOutcome> {
  const quiet = { info: console.info, warn: console.warn, error: console.error };
  Object.assign(console, { info: () => {}, warn: () => {}, error: () => {} });
  try {
    return await inWorld(seed, async (clockwork) => {
      const stage = new Stage(clockwork, death, asked);
      const large = await story(stage);
      const outcome = { operations: stage.operations, commits: stage.commits };
      await judge(stage, large);
      return outcome;
    });
  } catch (error) {
    const what = death ? `death ${death.when} operation ${death.operation}` : 'nobody died';
    const again = `npm run simulate -- --story --from ${seed}${death ? ` --at ${death.operation}` : ''}`;
    throw new Error(
      `story ${seed}, ${what}: ${error instanceof Error ? error.stack : error}\nAgain: ${again}`,
    );
  } finally {
    Object.assign(console, quiet);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
const wholeOf = async ({ store }: Machine, id: ConversationId) =>
  (await readWhole(store.log, id))?.conversation;
const textsOf = async (machine: Machine, id: ConversationId) =>
  [...((await wholeOf(machine, id))?.messages.values() ?? [])].map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
const belongs = async ({ store }: Machine) => (await store.keyValues.get('sync/account')) !== undefined;
const slipOn = async (machine: Machine) =>
  [...((await wholeOf(machine, TALK))?.messages.values() ?? [])].find(({ parts }) =>
    parts.some((part) => part.type === 'text' && part.text === SLIP),
  )?.id;

/** The machines and the relay, and what a person does on them: once more where the process died of it. */
class Stage {
  readonly clockwork: Clockwork;
  readonly network: Network;
  readonly machines: Machine[] = [];
  readonly commits = new Set<string>();
  operations = 0;
  readonly #death: Death | null;
  readonly #asked: boolean;

  constructor(clockwork: Clockwork, death: Death | null, asked: boolean) {
    this.clockwork = clockwork;
    this.network = createNetwork(clockwork.random, { RELAY_MAX_ROOM: String(ROOM_BYTES) });
    this.network.start(emptyDisk());
    this.#death = death;
    this.#asked = asked;
  }

  make(name: string): Machine {
    const machine: Machine = {
      name,
      store: {
        ...createInMemoryStore({ now: () => EPOCH + this.clockwork.time() }),
        kind: 'persistent',
      },
      vault: createInMemoryVault(),
      config: writable(configSchema.parse({})),
      device: null,
      online: true,
      cut: () => {},
    };
    this.machines.push(machine);
    this.#boot(machine);
    return machine;
  }

  #boot(machine: Machine): TestDevice {
    const { Socket, cut } = this.network.socketFor(() => machine.online);
    machine.cut = cut;
    machine.device = createTestDevice({
      name: machine.name,
      backend: createWebsocketBackend({
        WebSocket: Socket,
        fetch: this.network.fetchFor(() => machine.online),
        timeoutMs: () => 20_000,
      }),
      ...perilous(machine.store, machine.vault, {
        strikes: (lasts, commit) => {
          // A death at a read leaves the same disk as a death after the write before it.
          if (!lasts) return null;
          this.operations += 1;
          if (this.#asked && commit) this.commits.add(whereFrom());
          return this.operations === this.#death?.operation ? this.#death.when : null;
        },
        onDeath: () => {
          machine.cut();
          machine.device?.stop();
          machine.device = null;
          setTimeout(() => this.#boot(machine), 300);
        },
        isFull: () => false,
        onCommit: () => {},
      }),
      config: machine.config,
      sealing: createSeededSealing(this.clockwork.random),
      deflate: syncDeflate,
      now: () => EPOCH + this.clockwork.time(),
      compaction: COMPACTION,
    });
    return machine.device;
  }

  async step(
    machine: Machine,
    act: (device: TestDevice) => Promise<unknown>,
    isDone: () => Promise<boolean>,
  ): Promise<void> {
    const { advance } = this.clockwork;
    for (let tries = 0; tries < 100; tries += 1) {
      if (await isDone()) return;
      const { device } = machine;
      let refused: unknown;
      let over = device === null;
      if (device)
        act(device)
          .catch((error: unknown) => {
            refused = error;
          })
          .finally(() => {
            over = true;
          });
      for (let waited = 0; waited < 300 && !over && machine.device === device; waited += 1)
        await advance(waited < 5 ? 0 : 100);
      if (refused) fail(`${machine.name}: ${refused instanceof Error ? refused.stack : refused}`);
      if (machine.device !== device || device === null) await advance(100);
    }
    fail(`${machine.name} could not do it`);
  }

  say(machine: Machine, id: ConversationId, text: string): Promise<void> {
    return this.step(
      machine,
      (device) => device.say(id, text),
      async () => (await textsOf(machine, id)).includes(text),
    );
  }

  async open(machine: Machine): Promise<void> {
    await this.step(
      machine,
      (device) => device.sync.create({ endpoint: 'ws://relay.test', deviceName: machine.name }),
      () => belongs(machine),
    );
    this.#switchOn(machine);
  }
  async join(machine: Machine, source: Machine): Promise<void> {
    await this.step(
      machine,
      async (device) => {
        if (!source.device) return;
        const { link } = await source.device.sync.pairing('https://app.test/');
        await device.sync.join(device.sync.readOffer(link), { deviceName: machine.name });
      },
      () => belongs(machine),
    );
    this.#switchOn(machine);
  }
  /** Switches sync on, as a person does where the process died between account and switch. */
  #switchOn(machine: Machine): void {
    const config = machine.config.get();
    if (config.sync.mode !== 'remote')
      machine.config.set({ ...config, sync: { ...config.sync, mode: 'remote' } });
  }

  setOnline(machine: Machine, online: boolean): void {
    machine.online = online;
    if (online) machine.device?.engine.wake('online');
    else machine.cut();
  }

  async rest(what: string): Promise<void> {
    let still = 0;
    for (let waited = 0; waited < REST_SECONDS; waited += 1) {
      const isStill = this.machines.every(({ device, online, config }) => {
        const status = device?.status.get();
        if (config.get().sync.mode !== 'remote') return true;
        return !online || (status?.state === 'synced' && status.waiting === 0);
      });
      still = isStill ? still + 1 : 0;
      if (still > 2) return await this.#agree(what);
      await this.clockwork.advance(1000);
    }
    fail(
      `${what}: no rest within ${REST_SECONDS} s; ${this.machines
        .map(({ name, device }) => `${name} ${JSON.stringify(device?.status.get())}`)
        .join('; ')}`,
    );
  }

  /** Devices that say that they are in step have the same; what was forgotten may lie in the trash of one of them. */
  async #agree(what: string): Promise<void> {
    const synced = this.machines.filter(
      ({ config, online }) => online && config.get().sync.mode === 'remote',
    );
    if (synced.length < this.machines.length) return;
    for (const id of [TALK, LARGE, OWN]) {
      const wholes = await Promise.all(synced.map(({ store }) => readWhole(store.log, id)));
      if (new Set(wholes.map((here) => here && structureOf(here.update))).size > 1)
        fail(`${what}: the devices say that they are in step, and differ in ${id}`);
    }
  }
}

/** The story until everything is at rest. Gives the texts of the large conversation. */
async function story(stage: Stage): Promise<readonly string[]> {
  const laptop = stage.make('Laptop');
  const phone = stage.make('Phone');
  // A library from before the account: one conversation goes as a snapshot, one as a change.
  await stage.say(phone, OWN, OWN_TEXT);
  await stage.say(phone, SHORT, 'mine as well');
  await stage.open(laptop);
  await stage.say(laptop, TALK, SLIP);
  await stage.rest('the first device');
  await stage.join(phone, laptop);
  await stage.rest('the second device');
  await foldAndSquash(stage, laptop, phone);
  const large = await fillRoom(stage, laptop);
  await forgetBoth(stage, laptop, phone);
  await loseRelay(stage);
  return large;
}

async function foldAndSquash(stage: Stage, laptop: Machine, phone: Machine): Promise<void> {
  for (let number = 0; number < 3; number += 1)
    for (const machine of [laptop, phone]) {
      await stage.say(machine, TALK, `${machine.name} ${number}`);
      await stage.clockwork.advance(400);
    }
  await stage.rest('the fold');
  const slipped = (await slipOn(phone)) as MessageId;
  await stage.step(
    phone,
    (device) => device.change(TALK, { removed: [slipped] }),
    async () => (await slipOn(phone)) === undefined,
  );
  await stage.rest('the squash');
}

/** Says more than a room holds, so that the conversation moves to another. */
async function fillRoom(stage: Stage, machine: Machine): Promise<readonly string[]> {
  const { random, advance } = stage.clockwork;
  const said: string[] = [];
  for (let number = 0; number < 7; number += 1) {
    let noise = `${number} `;
    while (noise.length < 3700) noise += random().toString(16).slice(2);
    said.push(noise);
    await stage.say(machine, LARGE, noise);
    await advance(100);
  }
  await stage.rest('the move');
  return said;
}

/** Forgets two conversations everywhere while the other device is offline, which says something in one of them. */
async function forgetBoth(stage: Stage, laptop: Machine, phone: Machine): Promise<void> {
  await stage.say(laptop, LATE, 'to be forgotten');
  await stage.rest('before forgetting');
  stage.setOnline(phone, false);
  for (const id of FORGOTTEN)
    await stage.step(
      laptop,
      (device) => device.sync.forget([id]),
      async () => (await laptop.store.log.read(id)).length === 0,
    );
  await stage.say(phone, LATE, TOO_LATE);
  await stage.rest('forgotten');
  stage.setOnline(phone, true);
  await stage.rest('heard of');
}

async function loseRelay(stage: Stage): Promise<void> {
  const { network, machines } = stage;
  const { advance } = stage.clockwork;
  network.kill();
  await advance(1000);
  network.start({ ...emptyDisk(), erased: network.disk.erased });
  await stage.rest('put back');
  await advance(5000);
  for (const machine of machines)
    await stage.step(
      machine,
      (device) => device.sync.syncNow({ force: true }),
      async () => machine.device !== null && machine.device.status.get().state !== 'synced',
    );
  await stage.rest('the end');
  await advance(5000);
  await stage.rest('the very end');
}

/** A fresh device and the two of the story have what was said, nothing that was forgotten, and nothing left to do. */
async function judge(stage: Stage, large: readonly string[]): Promise<void> {
  const { machines } = stage;
  const [laptop, phone] = machines as [Machine, Machine];
  const fresh = stage.make('Fresh');
  await stage.join(fresh, laptop);
  await stage.rest('a fresh device');
  await stage.clockwork.advance(2000);
  const expected: readonly (readonly [ConversationId, readonly string[]])[] = [
    [TALK, [0, 1, 2].flatMap((number) => [`Laptop ${number}`, `Phone ${number}`])],
    [LARGE, large],
    [OWN, [OWN_TEXT]],
  ];
  for (const [id, texts] of expected) {
    for (const machine of machines) {
      const said = (await textsOf(machine, id)).sort();
      if (JSON.stringify(said) !== JSON.stringify([...texts].sort()))
        fail(`${machine.name} has of ${id}: ${said.map((text) => text.slice(0, 20))}`);
    }
  }
  for (const machine of machines)
    for (const id of FORGOTTEN) {
      const conversation = await wholeOf(machine, id);
      const isKept = machine === phone && id === LATE;
      if (!isKept && (conversation?.messages.size ?? 0) > 0) fail(`${machine.name} has ${id} again`);
      if (isKept && !(await textsOf(machine, id)).includes(TOO_LATE)) fail('what was said too late is lost');
      if (isKept && conversation?.meta.deletedAt == null) fail('what was said too late is not in the trash');
    }
  for (const entry of await fresh.store.log.since(0, 100_000))
    if (Buffer.from(entry.bytes).includes(SLIP)) fail('a fresh device gets what was forgotten');
  for (const { name, store, device } of machines) {
    if ((device?.status.get().unreadable ?? 0) > 0) fail(`${name} cannot open something`);
    for (const prefix of ['sync/out/', 'sync/erase/', 'sync/unlisted/']) {
      const keys = await store.keyValues.keys(prefix);
      if (keys.length > 0) fail(`${name} has still to do ${keys}`);
    }
    device?.stop();
  }
}

/** Who called `commit`, by the stack. */
function whereFrom(): string {
  const frames = [
    ...(new Error().stack ?? '').matchAll(/at (?:async )?(\S+) .*services\/sync\/([a-z-]+)\.ts/g),
  ];
  const [, name = '', file = ''] = frames.find(([, , from]) => from !== 'records') ?? [];
  return file === '' ? 'a tab' : `${file} ${name.split('.').at(-1)}`;
}
