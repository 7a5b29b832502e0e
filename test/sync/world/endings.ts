// How the story of a play ends before peace comes, by its scenario.
import * as Y from 'yjs';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { newConversationId, type TestDevice } from '../../services/sync/device.ts';
import { emptyDisk } from '../network.ts';
import { EPOCH } from '../seeded.ts';
import type { Faults } from './faults.ts';
import type { People } from './people.ts';
import { CANARY, conversationsIn, type World } from './world.ts';

/** Excluded in the course of a play. */
const LATE_FOLDER = '/home/someone/late/x';

/** Long enough offline for a document to be folded with words in it that no other device has seen yet. */
export async function foldOffline(world: World, people: People): Promise<void> {
  const machine = world.one(world.machines);
  world.turnOff(machine);
  // Reads the disk directly, because the process may die at the read.
  const ids = machine.device ? await conversationsIn({ store: machine.store }) : [];
  if (!machine.device || ids.length === 0) return;
  const id = world.one(ids);
  for (let number = 0; number < 12; number += 1)
    if (!people.isExcluded(id)) await people.say(machine, id, people.words(machine, 2));
  const entries = await machine.store.log.read(id);
  const last = entries.at(-1);
  if (!last) return;
  const doc = new Y.Doc();
  for (const { bytes } of entries) Y.applyUpdate(doc, bytes);
  await machine.store.log.replaceBySnapshot(id, Y.encodeStateAsUpdate(doc), last.seq);
}

/** A machine that never comes back is locked out. */
async function loseMachine(world: World, people: People, faults: Faults): Promise<void> {
  const { machines, first } = world;
  const [, second] = machines;
  if (!second) return;
  world.turnOff(first);
  for (let number = world.whole(8); number > 0; number -= 1) await people.act(second);
  await world.inStep(second);
  second.device?.stop();
  second.device = null;
  machines.splice(machines.indexOf(second), 1);
  // Excluded messages that never left the machine may be gone with it.
  people.doubtExcluded();
  world.turnOn(first);
  await faults.lockOut();
}

/** Forgets conversations everywhere while a device is offline. Gives those that were forgotten. */
async function forgetEverywhere(world: World, people: People, faults: Faults): Promise<ConversationId[]> {
  const { machines, first } = world;
  const [, second] = machines;
  if (!second) return [];
  const forgotten: ConversationId[] = [];
  for (const machine of machines) await world.inStep(machine);
  await world.clockwork.advance(2000);
  world.turnOff(second);
  const ids = (await conversationsIn(first)).filter((id) => !people.isExcluded(id));
  for (const id of ids.slice(0, 1 + world.whole(2))) {
    Object.assign(people.conversations.get(id) ?? {}, { erased: true });
    forgotten.push(id);
    if (world.chance(0.4)) await people.say(second, id, people.words(second));
  }
  await world.finished((first.device as TestDevice).sync.forget(forgotten));
  if (world.chance(0.5)) for (const machine of machines) if (machine !== second) await world.inStep(machine);
  await faults.lockOut();
  if (world.chance(0.5)) await people.act(first);
  return forgotten;
}

/** Excludes a folder of which a conversation was synced already, and then the relay loses all it had. */
async function excludeFolder(world: World, people: People): Promise<void> {
  const { machines, first, clockwork } = world;
  const late = newConversationId();
  people.conversations.set(late, { excluded: false, erased: false });
  await world.finished(
    (first.device as TestDevice).change(late, {
      meta: { title: `${CANARY} late`, createdAt: EPOCH + clockwork.time(), workDir: LATE_FOLDER },
    }),
  );
  await people.say(first, late, people.words(first));
  for (const machine of machines) await world.inStep(machine);
  await clockwork.advance(2000);
  if (world.chance(0.5)) world.turnOff(world.one(machines));
  // Messages are on their way when the folder becomes excluded, or shortly before.
  for (const machine of machines)
    if ((await conversationsIn(machine)).includes(late) && world.chance(0.6))
      await people.say(machine, late, people.words(machine, world.chance(0.3) ? 3000 : 3));
  people.conversations.set(late, { excluded: true, erased: false });
  for (const { config } of machines) {
    const { privacy, ...rest } = config.get();
    config.set({
      ...rest,
      privacy: { ...privacy, exclude_work_dirs: [...privacy.exclude_work_dirs, '*/late/*'] },
    });
  }
  for (const machine of machines)
    if ((await conversationsIn(machine)).includes(late))
      await people.say(machine, late, people.excludedWords());
  await clockwork.advance(world.chance(0.5) ? 0 : 3000);
  // No device may put that conversation on the empty relay again.
  await world.restartRelay(emptyDisk());
}

/** Plays the ending of the scenario, if it has one. Gives the conversations that were forgotten everywhere. */
export async function playEnding(world: World, people: People, faults: Faults): Promise<ConversationId[]> {
  const { scenario } = world.play;
  if (scenario !== 'gone' && scenario !== 'forgetting' && scenario !== 'excluding') return [];
  for (const machine of world.machines) world.turnOn(machine);
  if (scenario === 'gone') await loseMachine(world, people, faults);
  if (scenario === 'excluding') await excludeFolder(world, people);
  return scenario === 'forgetting' ? await forgetEverywhere(world, people, faults) : [];
}
