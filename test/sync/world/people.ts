// What people do on the machines of a play, and what has to be there at its end.
import { asConversationId, type ConversationId, type MessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { createTestDevice, newConversationId, type TestDevice } from '../../services/sync/device.ts';
import { createSeededSealing } from '../node-crypto.ts';
import { EPOCH } from '../seeded.ts';
import { CANARY, conversationsIn, EXCLUDED, fail, type Machine, SECRET, type World } from './world.ts';

const SECRET_FOLDER = '/home/someone/secret-project/x';

interface Written {
  readonly conversation: ConversationId;
  removed: boolean;
  /** It may be there or not. */
  maybe?: boolean;
}

/** The one word of a text that is in no other, where something is forgotten. */
export const wordIn = (text: string): string | undefined => /m\d+k/.exec(text)?.[0];

export class People {
  /** Conversations, by what became of them. */
  readonly conversations = new Map<ConversationId, { excluded: boolean; erased: boolean }>();
  /** Every message whose append was durable. */
  readonly written = new Map<string, Written>();
  /** Words that are in one message alone. */
  readonly wordOf = new Map<string, string>();
  readonly #world: World;
  readonly #tabs = new Map<Machine, TestDevice>();
  /** In narrow rooms: characters that do not compress, by conversation. */
  readonly #spent = new Map<ConversationId, number>();
  #counter = 0;

  constructor(world: World) {
    this.#world = world;
  }

  stop(): void {
    for (const tab of this.#tabs.values()) tab.stop();
  }
  #newWord(): string {
    return this.#world.wrongs.isAtRest ? `m${this.#counter++}k` : `${this.#counter++}`;
  }
  words(machine: Machine, length = 1 + this.#world.whole(30)): string {
    return `${CANARY} ${machine.name} ${this.#newWord()} ${'word '.repeat(length)}`;
  }
  excludedWords(): string {
    return `${EXCLUDED} ${this.#counter++}`;
  }
  isExcluded(id: ConversationId): boolean {
    return this.conversations.get(id)?.excluded ?? false;
  }
  /** A machine is lost: what never left any of them may be gone with it. */
  doubtExcluded(): void {
    for (const entry of this.written.values()) if (this.isExcluded(entry.conversation)) entry.maybe = true;
  }

  /** A clean-up erases them; who says more in one of them meanwhile has it in the trash. */
  doubt(gone: readonly Conversation[]): void {
    for (const { id, messages } of gone) {
      Object.assign(this.conversations.get(id) ?? {}, { erased: true });
      for (const message of messages.keys()) Object.assign(this.written.get(message) ?? {}, { maybe: true });
    }
  }
  /** A backup is put back: what was taken out may come back. */
  doubtRemoved(): void {
    for (const entry of this.written.values()) if (entry.removed) entry.maybe = true;
  }
  /** A message or a conversation was forgotten for good. */
  forgotten(id: string): void {
    Object.assign(this.written.get(id) ?? {}, { removed: true, maybe: false });
    Object.assign(this.conversations.get(asConversationId(id)) ?? {}, { erased: true });
  }

  /** Tries something on a machine that may die or be full at any moment; `work` counts only what became durable. */
  async attempt(machine: Machine, work: (device: TestDevice) => Promise<void>): Promise<void> {
    const { clockwork } = this.#world;
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
  }

  say(machine: Machine, id: ConversationId, text: string): Promise<void> {
    return this.attempt(machine, async (leader) => {
      const isInTab = this.#world.wrongs.isAlso('tabs') && this.#world.chance(0.5);
      const device = isInTab ? this.#tabOf(machine) : leader;
      const message = await device.say(id, text);
      this.written.set(message.id, { conversation: id, removed: false });
      const word = wordIn(text);
      if (word !== undefined) this.wordOf.set(message.id, word);
    });
  }

  async act(machine: Machine): Promise<void> {
    const world = this.#world;
    const { device } = machine;
    if (!device) return;
    const ids = await Promise.race([
      conversationsIn(device),
      world.clockwork.advance(0).then(() => [] as ConversationId[]),
    ]);
    const living = ids.filter((id) => !this.conversations.get(id)?.erased);
    if (living.length === 0 || (this.conversations.size < 6 && world.chance(0.2)))
      return await this.#begin(machine, world.chance(0.15));
    const isNarrow = world.play.scenario === 'narrow';
    const id = isNarrow && world.chance(0.7) ? (living[0] as ConversationId) : world.one(living);
    const secret = this.isExcluded(id);
    const text = secret ? this.excludedWords() : this.words(machine);
    if (isNarrow && !secret && world.chance(0.6)) {
      const length = 1000 + world.whole(7000);
      const before = this.#spent.get(id) ?? 0;
      // All of a conversation must fit into its room, and not much more.
      if (before + length < 60_000) {
        this.#spent.set(id, before + length);
        return await this.say(machine, id, `${this.words(machine, 1)} ${this.#noise(length)}`);
      }
    }
    await this.#actIn(machine, id, { secret, text, isErasing: living.length > 1 });
  }

  async #actIn(
    machine: Machine,
    id: ConversationId,
    { secret, text, isErasing }: { secret: boolean; text: string; isErasing: boolean },
  ): Promise<void> {
    const world = this.#world;
    const dice = world.random();
    // Forgets only once the room is nearly full.
    if (world.play.scenario === 'narrow' && (this.#spent.get(id) ?? 0) > 45_000 && dice < 0.25)
      return await this.#forgetOne(machine, id);
    if (dice < 0.55) return await this.say(machine, id, text);
    if (dice < 0.6) return await this.say(machine, id, `${text} password: ${SECRET} and so on`);
    if (dice < 0.65)
      return await this.say(machine, id, secret ? text : this.words(machine, 2000 + world.whole(4000)));
    const change = (meta: () => NonNullable<Parameters<TestDevice['change']>[1]['meta']>) =>
      this.attempt(machine, (there) => there.change(id, { meta: meta() }));
    if (dice < 0.75) return await change(() => ({ title: text }));
    if (dice < 0.8) return await change(() => ({ pinned: world.chance(0.5), archived: world.chance(0.5) }));
    if (dice < 0.85) return await change(() => ({ deletedAt: world.chance(0.5) ? Date.now() : null }));
    if (dice < 0.9) return await this.#forgetOne(machine, id);
    if (dice < 0.93 && world.wrongs.is('erasing') && isErasing) {
      const entry = this.conversations.get(id);
      if (entry) entry.erased = true;
      return await this.attempt(machine, (there) => there.erase(id));
    }
    for (let number = 0; number < 5; number += 1)
      await this.say(machine, id, secret ? text : this.words(machine, 3));
  }

  #begin(machine: Machine, excluded: boolean): Promise<void> {
    const id = asConversationId(`${newConversationId()}${this.#world.idEnd}`);
    return this.attempt(machine, async (device) => {
      // Counted before it is there: a process that dies right after the append does not come to count it.
      this.conversations.set(id, { excluded, erased: false });
      await device.change(id, {
        meta: {
          title: `${excluded ? EXCLUDED : CANARY} title ${this.#newWord()}`,
          createdAt: EPOCH + this.#world.clockwork.time(),
          workDir: excluded ? SECRET_FOLDER : `/home/someone/${CANARY}`,
        },
      });
      const message = await device.say(id, excluded ? this.excludedWords() : this.words(machine));
      this.written.set(message.id, { conversation: id, removed: false });
    });
  }

  #forgetOne(machine: Machine, id: ConversationId): Promise<void> {
    return this.attempt(machine, async (there) => {
      const conversation = await there.read(id);
      const messages = [...(conversation?.messages.keys() ?? [])];
      if (messages.length < 2) return;
      const removed = this.#world.one(messages) as MessageId;
      const entry = this.written.get(removed);
      // Until the append is acknowledged it may have happened or not.
      if (entry) entry.maybe = true;
      await there.change(id, { removed: [removed] });
      if (entry) Object.assign(entry, { removed: true, maybe: false });
    });
  }

  #noise(length: number): string {
    let text = '';
    // Hexadecimal digits spell no keyword of a secret.
    while (text.length < length) text += this.#world.random().toString(16).slice(2);
    return text.slice(0, length);
  }

  /** A tab beside the one whose engine leads: it writes to the same store, even while the other dies. */
  #tabOf(machine: Machine): TestDevice {
    const tab =
      this.#tabs.get(machine) ??
      createTestDevice({
        ...this.#world.common(machine),
        backend: { open: () => fail('A follower opened a room'), erase: async () => {} },
        store: machine.store,
        vault: machine.vault,
        config: writable(configSchema.parse({})),
        sealing: createSeededSealing(this.#world.random),
      });
    this.#tabs.set(machine, tab);
    return tab;
  }
}
