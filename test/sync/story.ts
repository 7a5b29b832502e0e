// One scripted story of two devices in which everything that sync commits is committed once at least: first uploads, a fold, a squash, a
// room that is left, conversations forgotten everywhere, a relay that lost all. One process dies at one operation of its store.
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
import { createNetwork, emptyDisk } from './network.ts';
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

export interface NotesAndFeedback {
  /** Writes until everything was at rest. */
  readonly operations: number;
  /** Where in src/services/sync the commits came from, as `file function`; empty where they were not asked for. */
  readonly commits: ReadonlySet<string>;
}

const SLIP = 'slip of the tongue';
const ROOM_BYTES = 24 * 1024;
const REST_SECONDS = 420;
const FOLDING = { blobs: 4, bytes: 8192, afterMs: 200, jitterMs: 400 };
const [TALK, LARGE, OWN, SHORT, LATE] = ['talk', 'large', 'own', 'short', 'late'].map((name) =>
  asConversationId(`0000-${name}`),
) as [ConversationId, ConversationId, ConversationId, ConversationId, ConversationId];
const FORGOTTEN = [SHORT, LATE];

interface Machine {
  readonly name: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Writable<Config>;
  device: TestDevice | null;
  online: boolean;
  cut: () => void;
}

/** Tells the story; throws where it ends otherwise than it should, naming seed and death. `asked`: which commits there are. */
export async function notify(seed: number, death: Death | null, asked = false): Promise<NotesAndFeedback> {
  const quiet = { info: console.info, warn: console.warn, error: console.error };
  Object.assign(console, { info: () => {}, warn: () => {}, error: () => {} });
  try {
    return await inWorld(seed, (clockwork) => story(clockwork, death, asked));
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

async function story(clockwork: Clockwork, death: Death | null, asked: boolean): Promise<NotesAndFeedback> {
  const { random, advance } = clockwork;
  const network = createNetwork(random, { RELAY_MAX_ROOM: String(ROOM_BYTES) });
  network.start(emptyDisk());
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const commits = new Set<string>();
  let operations = 0;

  const machines: Machine[] = [];
  const boot = (machine: Machine): TestDevice => {
    const { Socket, cut } = network.socketFor(() => machine.online);
    machine.cut = cut;
    machine.device = createTestDevice({
      name: machine.name,
      backend: createWebsocketBackend({
        WebSocket: Socket,
        fetch: network.fetchFor(() => machine.online),
        timeoutMs: () => 20_000,
      }),
      ...perilous(machine.store, machine.vault, {
        strikes: (lasts, commit) => {
          // Killed at a read, a process leaves what it left after the write before.
          if (!lasts) return null;
          operations += 1;
          if (asked && commit) commits.add(whereFrom());
          return operations === death?.operation ? death.when : null;
        },
        onDeath: () => {
          machine.cut();
          machine.device?.stop();
          machine.device = null;
          setTimeout(() => boot(machine), 300);
        },
        isFull: () => false,
        onCommit: () => {},
      }),
      config: machine.config,
      sealing: createSeededSealing(random),
      deflate: syncDeflate,
      now: () => EPOCH + clockwork.time(),
      compaction: FOLDING,
    });
    return machine.device;
  };
  const make = (name: string): Machine => {
    const machine: Machine = {
      name,
      store: { ...createInMemoryStore({ now: () => EPOCH + clockwork.time() }), kind: 'persistent' },
      vault: createInMemoryVault(),
      config: writable(configSchema.parse({})),
      device: null,
      online: true,
      cut: () => {},
    };
    machines.push(machine);
    boot(machine);
    return machine;
  };

  // ------------------------------------------------------------------ what a person does, once more where the process died of it
  const step = async (
    machine: Machine,
    act: (device: TestDevice) => Promise<unknown>,
    isDone: () => Promise<boolean>,
  ) => {
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
  };
  const wholeOf = async ({ store }: Machine, id: ConversationId) =>
    (await readWhole(store.log, id))?.conversation;
  const textsOf = async (machine: Machine, id: ConversationId) =>
    [...((await wholeOf(machine, id))?.messages.values() ?? [])].map(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    );
  const say = (machine: Machine, id: ConversationId, text: string) =>
    step(
      machine,
      (device) => device.say(id, text),
      async () => (await textsOf(machine, id)).includes(text),
    );
  const belongs = async ({ store }: Machine) => (await store.keyValues.get('sync/account')) !== undefined;
  /** Where the process died between the account and the switch, the person finds it switched off. */
  const switchOn = (machine: Machine) => {
    const config = machine.config.get();
    if (config.sync.mode !== 'remote')
      machine.config.set({ ...config, sync: { ...config.sync, mode: 'remote' } });
  };
  /** Those who say that they are in step have the same; what was forgotten may lie in somebody's trash. */
  const agree = async (what: string) => {
    const synced = machines.filter(({ config, online }) => online && config.get().sync.mode === 'remote');
    if (synced.length < machines.length) return;
    for (const id of [TALK, LARGE, OWN]) {
      const wholes = await Promise.all(synced.map(({ store }) => readWhole(store.log, id)));
      if (new Set(wholes.map((here) => here && structureOf(here.update))).size > 1)
        fail(`${what}: the devices say that they are in step, and differ in ${id}`);
    }
  };
  const rest = async (what: string) => {
    let still = 0;
    for (let waited = 0; waited < REST_SECONDS; waited += 1) {
      const isStill = machines.every(({ device, online, config }) => {
        const status = device?.status.get();
        if (config.get().sync.mode !== 'remote') return true;
        return !online || (status?.state === 'synced' && status.waiting === 0);
      });
      still = isStill ? still + 1 : 0;
      if (still > 2) return await agree(what);
      await advance(1000);
    }
    fail(
      `${what}: no rest within ${REST_SECONDS} s; ${machines
        .map(({ name, device }) => `${name} ${JSON.stringify(device?.status.get())}`)
        .join('; ')}`,
    );
  };
  const setOnline = (machine: Machine, online: boolean) => {
    machine.online = online;
    if (online) machine.device?.engine.wake('online');
    else machine.cut();
  };
  const join = async (machine: Machine, source: Machine) => {
    await step(
      machine,
      async (device) => {
        if (!source.device) return;
        const { link } = await source.device.sync.pairing('https://app.test/');
        await device.sync.join(device.sync.readOffer(link), { deviceName: machine.name });
      },
      () => belongs(machine),
    );
    switchOn(machine);
  };

  // ------------------------------------------------------------------ the story
  const laptop = make('Laptop');
  const phone = make('Phone');
  // A library from before the account: one conversation goes as a snapshot, one as a change.
  await say(phone, OWN, 'mine '.repeat(1000));
  await say(phone, SHORT, 'mine as well');
  await step(
    laptop,
    (device) => device.sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }),
    () => belongs(laptop),
  );
  switchOn(laptop);
  await say(laptop, TALK, SLIP);
  await rest('the first device');
  await join(phone, laptop);
  await rest('the second device');

  for (let number = 0; number < 3; number += 1)
    for (const machine of [laptop, phone]) {
      await say(machine, TALK, `${machine.name} ${number}`);
      await advance(400);
    }
  await rest('the fold');
  const slip = async (machine: Machine) =>
    [...((await wholeOf(machine, TALK))?.messages.values() ?? [])].find(({ parts }) =>
      parts.some((part) => part.type === 'text' && part.text === SLIP),
    )?.id;
  const slipped = (await slip(phone)) as MessageId;
  await step(
    phone,
    (device) => device.change(TALK, { removed: [slipped] }),
    async () => (await slip(phone)) === undefined,
  );
  await rest('the squash');

  const large: string[] = [];
  for (let number = 0; number < 7; number += 1) {
    let noise = `${number} `;
    while (noise.length < 3700) noise += random().toString(16).slice(2);
    large.push(noise);
    await say(laptop, LARGE, noise);
    await advance(100);
  }
  await rest('the move');

  await say(laptop, LATE, 'to be forgotten');
  await rest('before forgetting');
  setOnline(phone, false);
  for (const id of FORGOTTEN)
    await step(
      laptop,
      (device) => device.sync.forget([id]),
      async () => (await laptop.store.log.read(id)).length === 0,
    );
  await say(phone, LATE, 'said too late');
  await rest('forgotten');
  setOnline(phone, true);
  await rest('heard of');

  network.kill();
  await advance(1000);
  network.start({ ...emptyDisk(), erased: network.disk.erased });
  await rest('put back');
  await advance(5000);
  for (const machine of machines)
    await step(
      machine,
      (device) => device.sync.syncNow({ force: true }),
      async () => machine.device !== null && machine.device.status.get().state !== 'synced',
    );
  await rest('the end');
  await advance(5000);
  await rest('the very end');

  // ------------------------------------------------------------------ the oracle
  const told = { operations, commits };
  const fresh = make('Fresh');
  await join(fresh, laptop);
  await rest('a fresh device');
  await advance(2000);
  const expected: readonly (readonly [ConversationId, readonly string[]])[] = [
    [TALK, [0, 1, 2].flatMap((number) => [`Laptop ${number}`, `Phone ${number}`])],
    [LARGE, large],
    [OWN, ['mine '.repeat(1000)]],
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
      if (isKept && !(await textsOf(machine, id)).includes('said too late'))
        fail('what was said too late is lost');
      if (isKept && conversation?.meta.deletedAt == null) fail('what was said too late is not in the trash');
    }
  for (const entry of await fresh.store.log.since(0, 100_000))
    if (Buffer.from(entry.bytes).includes(SLIP)) fail('a fresh device hears what was forgotten');
  for (const { name, store, device } of machines) {
    if ((device?.status.get().unreadable ?? 0) > 0) fail(`${name} cannot open something`);
    for (const prefix of ['sync/out/', 'sync/erase/', 'sync/unlisted/']) {
      const keys = await store.keyValues.keys(prefix);
      if (keys.length > 0) fail(`${name} has still to do ${keys}`);
    }
    device?.stop();
  }
  return told;
}

/** Who called `commit`, by the stack. */
function whereFrom(): string {
  const frames = [
    ...(new Error().stack ?? '').matchAll(/at (?:async )?(\S+) .*services\/sync\/([a-z-]+)\.ts/g),
  ];
  const [, name = '', file = ''] = frames.find(([, , from]) => from !== 'records') ?? [];
  return file === '' ? 'a tab' : `${file} ${name.split('.').at(-1)}`;
}
