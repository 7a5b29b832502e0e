// Figures of sync over the real relay in this process: npx tsx test/sync/figures.ts. Prints one line of JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join as joinPath } from 'node:path';
import { z } from 'zod';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { createSealing } from '../../src/adapters/vault/sealing.ts';
import { type asMessageId, newEntryId, newMessageId } from '../../src/domain/base/ids.ts';
import { fromText, toText } from '../../src/domain/sync/bytes.ts';
import { accountTag, TOKEN_BYTES, tokenInfo } from '../../src/domain/sync/keys.ts';
import { createConversationDocument } from '../../src/services/documents/yjs-conversation.ts';
import {
  createTestDevice,
  eventually,
  isSynced,
  newConversationId,
  type TestDevice,
  textMessage,
} from '../services/sync/device.ts';
import { startRelayHere } from './relay-here.ts';

const relay = await startRelayHere();
const make = (name: string, store = { ...createInMemoryStore(), kind: 'persistent' as const }) =>
  createTestDevice({ name, backend: relay.backend, store });
const join = async (from: TestDevice, device: TestDevice) => {
  const { link } = await from.sync.pairing('https://app.example/');
  await device.sync.join(device.sync.readOffer(link), { deviceName: device.name });
};
const at = (sorted: readonly number[], share: number) =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;

const laptop = make('Laptop');
await laptop.sync.create({ endpoint: relay.endpoint, deviceName: 'Laptop' });
await isSynced(laptop, 30_000);

// 100 conversations of 100 messages of 500 characters, each made in one change as an import makes it.
const words =
  'the quick brown fox jumps over the lazy dog while seven wizards quietly mix five dozen liquor jugs '.split(
    ' ',
  );
const text = () => {
  let made = '';
  while (made.length < 500) made += `${words[Math.floor(Math.random() * words.length)]} `;
  return made.slice(0, 500);
};
/** What the relay keeps of the device's account, bytes. */
const onRelay = async ({ vault }: TestDevice): Promise<number> => {
  const [name = ''] = (await vault.names()).filter((one) => one.startsWith('sync/key/'));
  const ring = await createSealing().keyRing(fromText((await vault.get(name)) ?? ''));
  const tag = accountTag(toText(await ring.derive(tokenInfo(''), TOKEN_BYTES)));
  return (await relay.store.usage(tag)).bytes;
};
/** Writes each conversation in one change. Returns their ids and what the log has of them: plain Yjs, bytes. */
const write = async (device: TestDevice, conversations: readonly (readonly string[])[]) => {
  let plain = 0;
  const ids = conversations.map(() => newConversationId());
  for (const [at, id] of ids.entries()) {
    let parent: ReturnType<typeof asMessageId> | null = null;
    const messages = (conversations[at] ?? []).map((said, number) => {
      const message = textMessage(newMessageId(), parent, said, Date.now() + number);
      parent = message.id;
      return message;
    });
    await device.change(id, { messages, meta: { title: `Conversation ${id}`, createdAt: Date.now() } });
    for (const entry of await device.store.log.read(id)) plain += entry.bytes.length;
  }
  return { ids, plain };
};
const figuresOf = (plain: number, sealed: number) => ({
  plain,
  relay: sealed,
  ratio: Math.round((sealed / plain) * 1000) / 1000,
});

const { ids, plain } = await write(
  laptop,
  Array.from({ length: 100 }, () => Array.from({ length: 100 }, text)),
);
const uploading = performance.now();
await eventually(laptop, async () => laptop.status.get().state === 'synced', 120_000);
const uploaded = performance.now() - uploading;
const repeated = figuresOf(plain, await onRelay(laptop));

// The same of natural text in two languages: conversations of 12 to 26 messages, and
// the same words in conversations of 100.
const own = joinPath(import.meta.dirname, '../eval/own');
const spoken = readdirSync(own)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const read = z
      .object({
        conversations: z.array(z.object({ messages: z.array(z.object({ content: z.string() })) })),
      })
      .parse(JSON.parse(readFileSync(joinPath(own, name), 'utf8')));
    return read.conversations.map(({ messages }) => messages.map(({ content }) => content));
  });
const hundreds = (all: readonly string[]) =>
  Array.from({ length: Math.floor(all.length / 100) }, (_, at) => all.slice(at * 100, (at + 1) * 100));
const bytesOf = async (name: string, conversations: readonly (readonly string[])[]) => {
  const device = make(name);
  await device.sync.create({ endpoint: relay.endpoint, deviceName: name });
  await isSynced(device, 30_000);
  const written = await write(device, conversations);
  await device.engine.settled();
  await isSynced(device, 120_000);
  const figures = figuresOf(written.plain, await onRelay(device));
  device.stop();
  return figures;
};
const natural = await bytesOf('Natural', spoken);
const naturalHundreds = await bytesOf('Long', hundreds(spoken.flat()));

const phone = make('Phone');
const fetching = performance.now();
await join(laptop, phone);
await eventually(
  phone,
  async () => (await phone.store.log.documents()).filter((id) => ids.includes(id as never)).length === 100,
  120_000,
);
const fetched = performance.now() - fetching;
await isSynced(phone, 60_000);

// Another device that went away, and comes back to five changes.
phone.stop();
for (const id of ids.slice(0, 5)) await laptop.say(id, 'while you were away');
// Waits until the relay has all five and the index lists them, which the engine has to notice first.
await laptop.engine.settled();
await isSynced(laptop, 30_000);
const returning = performance.now();
const back = createTestDevice({
  name: 'Phone',
  backend: relay.backend,
  store: phone.store,
  vault: phone.vault,
  config: phone.config,
});
for (const id of ids.slice(0, 5))
  await eventually(back, async () => (await back.read(id))?.messages.size === 101, 30_000);
const returned = performance.now() - returning;

// One change, from one log to the other: both have the conversation open, as tabs have.
const [open = newConversationId()] = ids;
back.sync.setOpen([open]);
laptop.sync.setOpen([open]);
await new Promise((resolve) => setTimeout(resolve, 500));
const document = createConversationDocument(open);
for (const { bytes } of await laptop.store.log.read(open)) document.apply(bytes);
const times: number[] = [];
const cpu = process.cpuUsage();
for (let number = 0; number < 200; number += 1) {
  const parent = document.read().meta.head;
  const message = textMessage(newMessageId(), parent, `change ${number}`, Date.now());
  const bytes = document.change({ messages: [message], meta: { head: message.id } });
  if (!bytes) throw new Error('Nothing changed');
  const after = await back.store.log.head();
  const began = performance.now();
  const arrived = new Promise<void>((resolve) => {
    const stop = back.store.log.subscribe(({ documents }) => {
      if (!documents.includes(open)) return;
      void back.store.log.read(open, after).then((entries) => {
        if (entries.length === 0) return;
        stop();
        times.push(performance.now() - began);
        resolve();
      });
    });
  });
  await laptop.store.log.append([{ id: newEntryId(), document: open, origin: 'user', bytes }]);
  await arrived;
}
const spent = process.cpuUsage(cpu);
times.sort((x, y) => x - y);
console.log(
  JSON.stringify({
    uploadMs: Math.round(uploaded),
    freshDeviceMs: Math.round(fetched),
    returningWithFiveMs: Math.round(returned),
    propagationMs: { p50: at(times, 0.5), p95: at(times, 0.95), worst: at(times, 1) },
    // Processor time of both devices, the relay and this script together.
    cpuMsPerChange: Math.round((spent.user + spent.system) / times.length / 100) / 10,
    loadAverage: loadavg().map((load) => Math.round(load * 10) / 10),
    bytes: { repeated, natural, naturalHundreds },
  }),
);
for (const device of [laptop, back]) device.stop();
await relay.close();
process.exit(0);
