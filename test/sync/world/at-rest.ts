// A play in which a machine is locked at rest now and then, while others are offline: meanwhile people forget for good,
// the clean-up runs, and backups are put back.
import { asConversationId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import type { Forgotten, Sought } from '../../../src/domain/forget/sought.ts';
import { isInLog } from '../../services/documents/said.ts';
import type { TestDevice } from '../../services/sync/device.ts';
import { bytesOn, createSealedDisk, type SealedDisk } from '../sealed-disk.ts';
import type { TabBeside } from '../tab-beside.ts';
import { type People, wordIn } from './people.ts';
import {
  CANARY,
  conversationsIn,
  DAY_MS,
  EXCLUDED,
  fail,
  type Machine,
  SECRET,
  type World,
} from './world.ts';

/** What was to be forgotten; it is once the account has the record. */
interface Forgetting {
  readonly record: Forgotten;
  /** All conversations and messages that are meant. */
  readonly ids: readonly string[];
  readonly words: readonly string[];
}

export class AtRest {
  readonly #world: World;
  readonly #people: People;
  readonly #forgettings: Forgetting[] = [];
  readonly #backups: Uint8Array[] = [];

  constructor(world: World, people: People) {
    this.#world = world;
    this.#people = people;
    world.onErase = (gone) => people.doubt(gone);
  }

  /** After each turn. `setBack` puts a machine back from a copy of its disk. */
  async disturb(setBack: (machine: Machine) => Promise<void>): Promise<void> {
    const { machines, clockwork } = this.#world;
    const { chance, one, whole } = {
      chance: (share: number) => this.#world.chance(share),
      one: () => this.#world.one(machines),
      whole: (below: number) => this.#world.whole(below),
    };
    const sleeper = machines[1] as Machine;
    if (chance(0.3)) await (sleeper.locked ? this.unlock(sleeper) : this.#lock(sleeper));
    if (chance(0.25)) await this.#forget(one());
    if (chance(0.25)) await this.#putBack(one());
    if (chance(0.1)) await setBack(one());
    if (chance(0.15)) await this.#inTab(one(), (tab) => tab.retention.agree(chance(0.8)));
    for (let nights = chance(0.1) ? 8 : whole(2); nights > 0; nights -= 1) {
      await clockwork.sleep(this.#world.random() * 13 * DAY_MS);
      // The clean-up first looks a minute after a start.
      await clockwork.advance(65_000);
    }
  }

  async #lock(machine: Machine): Promise<void> {
    const { below } = machine.disk as SealedDisk;
    this.#world.end(machine);
    await this.#world.clockwork.advance(0);
    machine.locked = await bytesOn(below);
    for (const word of [CANARY, EXCLUDED, SECRET])
      if (machine.locked.includes(word)) fail(`${word} lies in clear on ${machine.name}, which is locked`);
    const { log, keyValues } = createSealedDisk(this.#world.random, () => Date.now()).over(below).store;
    for (const { bytes } of await log.since(0, Number.POSITIVE_INFINITY))
      if (bytes.length > 0) fail(`An entry on ${machine.name} opens with another key`);
    for (const key of await keyValues.keys(''))
      if ((await keyValues.get(key)) !== undefined) fail(`${key} on ${machine.name} opens with another key`);
  }

  async unlock(machine: Machine): Promise<void> {
    if (!machine.locked || !machine.disk) return;
    if (!machine.locked.equals(await bytesOn(machine.disk.below)))
      fail(`${machine.name} was written to while it was locked`);
    machine.locked = null;
    this.#world.boot(machine);
  }

  /** Until it is done, or the process died of it. */
  async #inTab(machine: Machine, work: (tab: TabBeside, device: TestDevice) => Promise<void>): Promise<void> {
    const { device, tab } = machine;
    if (!device || !tab) return;
    let ended: { readonly error?: unknown } | undefined;
    work(tab, device).then(
      () => {
        ended = {};
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    for (let waited = 0; waited < 620 && !ended && machine.device === device; waited += 1)
      await this.#world.clockwork.advance(waited < 20 ? 0 : 100);
    if (machine.device !== device) return;
    if (!ended) fail(`What ${machine.name} does in its tab never ends`);
    if (ended?.error) throw ended.error;
  }

  #soughtBy({ id, messages }: Conversation): Sought {
    const world = this.#world;
    const message = world.one([...messages.values()]);
    const word = wordIn(textOf(message));
    const dice = world.random();
    if (dice < 0.2) return { kind: 'conversation', conversation: id };
    if (dice < 0.3) return { kind: 'span', from: message.createdAt, to: message.createdAt + 5000 };
    if (dice < 0.5 || word === undefined) return { kind: 'message', conversation: id, message: message.id };
    return { kind: dice < 0.7 ? 'person' : 'phrase', words: [word], whole: world.chance(0.7) };
  }

  #forget(machine: Machine): Promise<void> {
    return this.#inTab(machine, async (tab, device) => {
      const ids = await conversationsIn(device);
      const conversation = ids.length > 0 ? await device.read(this.#world.one(ids)) : undefined;
      if (!conversation || conversation.messages.size === 0) return;
      const sought = this.#soughtBy(conversation);
      await tab.forget(sought, async (record) => {
        const meant = [...record.ids];
        for (const id of record.ids.map(asConversationId))
          if (this.#people.conversations.has(id))
            meant.push(...((await device.read(id))?.messages.keys() ?? []));
        const words = meant.flatMap((id) => this.#people.wordOf.get(id) ?? []);
        this.#forgettings.push({
          record,
          ids: meant,
          words: [...words, ...('words' in sought ? sought.words : [])],
        });
      });
    });
  }

  #putBack(machine: Machine): Promise<void> {
    return this.#inTab(machine, async (tab) => {
      if (this.#backups.length === 0 || this.#world.chance(0.4)) {
        const backup = await tab.backup();
        if (backup) this.#backups.push(backup);
        return;
      }
      this.#people.doubtRemoved();
      await tab.restore(this.#world.one(this.#backups));
    });
  }

  /** What was forgotten for good, where its record came to be: nothing of it may be anywhere. */
  async carriedOut(): Promise<readonly Forgetting[]> {
    const known = new Set(
      await this.#world.finished(this.#world.first.tab?.forgotten() ?? Promise.resolve([])),
    );
    const done = this.#forgettings.filter(({ record }) => known.has(record.id));
    for (const id of done.flatMap(({ ids }) => ids)) this.#people.forgotten(id);
    return done;
  }
}

/**
 * Fails where a machine still has what was forgotten for good, but for the trash of a machine on which somebody said
 * more in a conversation that was forgotten meanwhile.
 */
export async function checkForgotten(
  { record, ids, words }: Forgetting,
  { name, store }: Machine,
  seen: { readonly messages: ReadonlyMap<string, string>; readonly trashed: ReadonlySet<string> },
  people: People,
): Promise<void> {
  const mayStay = (conversation = '') => record.ids.includes(conversation) && seen.trashed.has(conversation);
  const left = ids.filter((id) => seen.messages.has(id) && !mayStay(seen.messages.get(id)));
  if (left.length > 0) fail(`${name} has ${left}, which ${record.kind} ${record.id} forgot`);
  for (const word of words) {
    const [id = ''] = [...people.wordOf].find(([, one]) => one === word) ?? [];
    if (mayStay(people.written.get(id)?.conversation)) continue;
    if (await isInLog(store, word))
      fail(`${name} has ${word} in its log, which ${record.kind} ${record.id} forgot`);
  }
}
