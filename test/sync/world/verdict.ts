// Checks at the end of a play that all devices and a fresh one have the same, nothing
// was lost, and the relay saw no word.
import { asConversationId, type ConversationId, LIBRARY_DOCUMENT } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { withoutTokens } from '../../../src/domain/privacy/tokens.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import { redact } from '../../fixtures/redact.ts';
import type { TestDevice } from '../../services/sync/device.ts';
import { structureOf } from '../oracle.ts';
import { type AtRest, checkForgotten } from './at-rest.ts';
import { dossier } from './peace.ts';
import type { People } from './people.ts';
import { CANARY, EXCLUDED, fail, type Machine, SECRET, type World } from './world.ts';

/** What one machine has. Conversations that are kept out of sync count by their messages alone. */
interface Seen {
  readonly structure: Map<string, string>;
  readonly said: Map<string, string>;
  /** Message → conversation. */
  readonly messages: Map<string, string>;
  readonly trashed: Set<string>;
  readonly library: Map<string, string>;
}

async function see({ machines }: World, machine: Machine): Promise<Seen> {
  const device = machine.device as TestDevice;
  const keywords = machines[0]?.config.get().privacy.sensitive_keywords ?? [];
  const cleaned = (text: string) => withoutTokens(redact(text, keywords).text);
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
    if ((await device.sync.where(asConversationId(id))).place === 'localOnly') {
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
  for (const line of await device.library()) seen.library.set(line.id, `${line.messageCount}`);
  return seen;
}

const differences = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id));

/** Fails where another machine has something else than the first. */
async function compare(world: World, people: People, reference: Seen, name: string, other: Seen) {
  for (const part of ['structure', 'said'] as const) {
    const [id] = differences(reference[part], other[part]);
    if (id !== undefined)
      fail(
        `${world.machines[0]?.name} and ${name} differ in ${part} of ${id} (${JSON.stringify(people.conversations.get(asConversationId(id)))}):\n${reference[part].get(id)?.slice(0, 1500)}\n${other[part].get(id)?.slice(0, 1500)}\n${await dossier(world, id)}`,
      );
  }
}

/** Nothing lost: every durable message is somewhere it should be. */
function checkWritten({ machines, wrongs }: World, people: People, seen: readonly Seen[]): void {
  for (const [id, { conversation, removed, maybe }] of people.written) {
    if (maybe) continue;
    const state = people.conversations.get(conversation);
    const holders = seen.filter((other) => other.messages.has(id)).length;
    if (removed && !state?.excluded && !state?.erased && holders > 0) {
      const shown = seen.filter((other) => other.messages.has(id) && !other.trashed.has(conversation)).length;
      if (shown > 0) fail(`forgotten message ${id} is still there`);
    }
    if (removed || (state?.erased && !wrongs.isAtRest)) continue;
    if (holders === 0) fail(`message ${id} of ${conversation} is lost`);
    if (!state?.excluded && !state?.erased && holders < machines.length)
      fail(`message ${id} of ${conversation} is on ${holders} of ${machines.length} devices`);
  }
}

/** List entries say what conversations say. */
function checkLibraries({ machines }: World, people: People, seen: readonly Seen[]): void {
  for (const [at, other] of seen.entries())
    for (const [id, text] of other.said) {
      // A process killed during an erasure corrects the list only at its next start.
      if (people.conversations.get(asConversationId(id))?.erased) continue;
      const messages = (JSON.parse(text) as [unknown, { kind: string }[]])[1].length;
      const line = other.library.get(id);
      if (line !== String(messages))
        fail(`${machines[at]?.name} lists ${line} of ${messages} messages of ${id}`);
    }
}

/** No word leaked: to the relay's disk, to a log, or to devices that must not have it. */
async function checkSecrecy(
  { network, eavesdropper }: World,
  logged: readonly string[],
  fresh: Machine,
): Promise<void> {
  for (const [id, { updates }] of network.disk.rooms) {
    network.watch(new TextEncoder().encode(id));
    for (const { bytes } of updates) network.watch(bytes);
  }
  const [leak] = eavesdropper.leaks;
  if (leak !== undefined) fail(leak);
  for (const line of [...network.log, ...logged])
    if (line.includes(CANARY) || line.includes(SECRET)) fail(`a log says ${line}`);
  for (const entry of await fresh.store.log.since(0, 100_000)) {
    const text = Buffer.from(entry.bytes);
    if (text.includes(EXCLUDED)) fail('an excluded conversation left its device');
    if (text.includes(SECRET)) fail('a secret left its device');
  }
}

/** Fails where anything is not as it should be. `logged`: what the app wrote to the console. */
export async function judge(
  world: World,
  people: People,
  {
    atRest,
    forgotten,
    logged,
    attacks,
  }: {
    readonly atRest: AtRest;
    readonly forgotten: readonly ConversationId[];
    readonly logged: readonly string[];
    readonly attacks: number;
  },
): Promise<void> {
  const { machines } = world;
  const asked = machines.map((machine) => world.finished(see(world, machine)));
  const seen: Seen[] = [];
  for (const one of asked) seen.push(await one);
  const [reference] = seen as [Seen];
  for (const [at, other] of seen.entries())
    await compare(world, people, reference, machines[at]?.name ?? '', other);
  for (const [at, other] of seen.entries())
    for (const id of forgotten)
      if (other.said.has(id)) fail(`${machines[at]?.name} has ${id} again, which was forgotten everywhere`);
  const carriedOut = await atRest.carriedOut();
  for (const one of carriedOut)
    for (const [at, other] of seen.entries())
      await checkForgotten(one, machines[at] as Machine, other, people);
  checkWritten(world, people, seen);
  checkLibraries(world, people, seen);

  const fresh = world.makeMachine('Fresh');
  fresh.skew = 0;
  await world.pair(fresh);
  await world.settle(() => fresh.device?.status.get().state === 'synced', 'the fresh device', 120);
  await world.clockwork.advance(5000);
  await compare(world, people, reference, 'Fresh', await world.finished(see(world, fresh)));
  // It has what the relay has.
  const nothing = { messages: new Map<string, string>(), trashed: new Set<string>() };
  for (const one of carriedOut) await checkForgotten(one, fresh, nothing, people);

  await checkSecrecy(world, logged, fresh);
  for (const { name, device } of machines) {
    const unreadable = device?.status.get().unreadable ?? 0;
    if (unreadable > 0 && attacks === 0) fail(`${name} cannot open ${unreadable} blobs`);
  }
}
