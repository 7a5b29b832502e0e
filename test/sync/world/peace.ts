// Peace after a play: faults end, devices that were locked out are paired again, and
// all of them look for what they lack.
import { asConversationId, type MessageId } from '../../../src/domain/base/ids.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import type { TestDevice } from '../../services/sync/device.ts';
import type { AtRest } from './at-rest.ts';
import type { Faults } from './faults.ts';
import type { People } from './people.ts';
import { fail, IN_STEP_SECONDS, type Machine, type World } from './world.ts';

const accountOf = async ({ store }: Machine) =>
  ((await store.keyValues.get('sync/account')) as { id?: string; fingerprint?: string } | undefined) ?? {};

/** What sync knows of a document on each machine: for people who look into a failure. */
export async function dossier({ machines }: World, id: string): Promise<string> {
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
}

/**
 * Pairs the devices again that were locked out; fails where one of them still has keys, or thinks that it is in step.
 */
async function pairAgain(world: World, revocations: number): Promise<void> {
  const { first, machines, network } = world;
  await world.settle(
    () => first.device?.status.get().state === 'synced',
    'after the revocation',
    IN_STEP_SECONDS,
  );
  await world.clockwork.advance(2000);
  const { id, fingerprint } = await world.finished(accountOf(first));
  const names = (await world.finished(first.vault.names())).filter((name) => !name.endsWith(`/${id}`));
  if (names.length > 0) fail(`keys are left behind: ${names.join(', ')}`);
  for (const machine of machines) {
    if (machine === first || (await world.finished(accountOf(machine))).fingerprint === fingerprint) continue;
    // Locked out: nothing of the new account came here, and nothing goes there until it is paired again.
    if (machine.device?.status.get().state === 'synced')
      fail(
        `${machine.name} was locked out and says ${JSON.stringify(machine.device.status.get())}; ${JSON.stringify([await accountOf(first), await accountOf(machine), [...network.disk.erased], [...network.disk.rooms.keys()], await first.store.keyValues.keys('sync/erase/'), revocations])}`,
      );
    await world.pair(machine);
  }
  // The app asks a relay again that was away when the old account was to be erased.
  await world.settle(
    () => {
      const accounts = [...network.disk.rooms.keys()].map((room) => room.split('/')[0] ?? '');
      // A disk put back from a backup lists what it does not give out.
      return new Set(accounts.filter((account) => !network.disk.erased.has(account))).size === 1;
    },
    'the old account is erased',
    90,
  );
}

/** Fails where a machine lacks a message after a device was restored from a copy. */
async function checkSetBack(world: World, people: People): Promise<void> {
  for (const machine of world.machines)
    for (const [id, { conversation, removed, maybe }] of people.written) {
      const state = people.conversations.get(conversation);
      if (removed || maybe || state?.excluded || state?.erased) continue;
      const here = await readWhole(machine.store.log, conversation);
      if (!here?.conversation?.messages.has(id as MessageId))
        fail(
          `${machine.name} has not heard of ${id} in ${conversation}; ${await dossier(world, conversation)}`,
        );
    }
}

export async function makePeace(world: World, people: People, faults: Faults, atRest: AtRest): Promise<void> {
  const { network, machines, clockwork, wrongs } = world;
  for (const machine of machines) await atRest.unlock(machine);
  network.faults = { latency: [1, 5], duplicate: 0, reorder: false, cut: 0 };
  for (const machine of machines)
    Object.assign(machine, { online: true, full: false, fuse: null, doomed: false });
  await clockwork.advance(4000);
  const wakeAll = () => {
    for (const machine of machines) machine.device?.engine.wake('online');
  };
  wakeAll();
  if (wrongs.isAlso('liar')) {
    // The relay stops lying, and sends everything to everybody again.
    faults.attacks += 1;
    await world.restartRelay();
    wakeAll();
  }
  if (faults.revocations > 0) await pairAgain(world, faults.revocations);
  const isQuiet = () =>
    machines.every(
      ({ device }) => device?.status.get().state === 'synced' && device.status.get().waiting === 0,
    );
  await world.settle(isQuiet, 'after the storm', IN_STEP_SECONDS);
  await clockwork.advance(12_000);
  if (wrongs.isSetBack) await checkSetBack(world, people);
  // Devices find what the relay lost silently only by looking.
  for (const machine of machines)
    await world.finished((machine.device as TestDevice).sync.syncNow({ force: true }));
  await clockwork.advance(12_000);
  await world.settle(isQuiet, 'after looking', 240);
  await clockwork.advance(5000);
}
