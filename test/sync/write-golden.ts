// Writes what this version leaves on a relay: npx tsx test/sync/write-golden.ts v1. For a new format only: files that
// are there are never written anew, as they are the promise that what lies on people's relays can be read.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Y from 'yjs';
import { createSealing } from '../../src/adapters/vault/sealing.ts';
import { asMessageId, type ConversationId, newMessageId } from '../../src/domain/base/ids.ts';
import { splitBlob } from '../../src/domain/sync/blob.ts';
import { fromText, toText } from '../../src/domain/sync/bytes.ts';
import { accountTag, ROOM_ID_BYTES, roomIdInfo, tokenInfo } from '../../src/domain/sync/keys.ts';
import {
  createTestDevice,
  eventually,
  isSynced,
  newConversationId,
  textMessage,
} from '../services/sync/device.ts';
import { blobsIn, conversationsOn, GOLDEN, type Golden } from './golden.ts';
import { startRelayHere } from './relay-here.ts';

const [version = ''] = process.argv.slice(2);
if (!/^v\d+$/.test(version)) throw new Error('Name the version: v1, v2 …');
const folder = join(GOLDEN, version);
await mkdir(folder);

const relay = await startRelayHere();
const laptop = createTestDevice({ name: 'Laptop', backend: relay.backend });
await laptop.sync.create({ endpoint: relay.endpoint, deviceName: 'Laptop' });
await isSynced(laptop);
const phone = createTestDevice({ name: 'Phone', backend: relay.backend });
const pairing = await laptop.sync.pairing('https://app.example/');
await phone.sync.join(phone.sync.readOffer(pairing.link), { deviceName: 'Phone' });
await isSynced(phone);
const settled = async () => {
  for (const device of [laptop, phone]) {
    await device.engine.settled();
    await isSynced(device, 30_000);
  }
};
const has = (device: typeof laptop, id: ConversationId, count: number) =>
  eventually(device, async () => (await device.texts(id)).length === count, 30_000);
/** Waits until either device has compacted the room. */
const compacted = (document: string) =>
  eventually(
    laptop,
    async () =>
      [...(await laptop.sync.journal()), ...(await phone.sync.journal())].some(
        (line) => line.what === 'folded' && line.document === document,
      ),
    30_000,
  );

// Deltas of two devices, two branches, titles that both changed, a secret that stayed at home.
const talk = newConversationId();
await laptop.change(talk, {
  meta: { title: 'Harbour 港口', createdAt: Date.UTC(2026, 10, 22), pinned: true },
});
const first = await laptop.say(talk, 'Where do the boats lie? 船在哪里？');
await has(phone, talk, 1);
await settled();
await relay.setOnline(false);
for (const [device, text] of [
  [laptop, 'At the old pier.'],
  [phone, 'Behind the lighthouse, password: hunter2-9f8e7d.'],
] as const) {
  const message = textMessage(newMessageId(), first.id, text, Date.now());
  await device.change(talk, {
    messages: [message],
    meta: { head: message.id, title: `Harbour, ${device.name}` },
  });
}
await relay.setOnline(true);
await has(laptop, talk, 3);
await has(phone, talk, 3);

// Enough small changes to be compacted into a segment, and words that were forgotten: a snapshot.
const long = newConversationId();
await laptop.change(long, { meta: { title: 'Folded', createdAt: Date.UTC(2026, 10, 22) } });
for (let number = 0; number < 70; number += 1) {
  await laptop.say(long, `line ${number}`);
  // One blob each.
  await laptop.engine.settled();
}
await has(phone, long, 70);
await compacted(long);
const struck = newConversationId();
await laptop.change(struck, { meta: { title: 'Struck', createdAt: Date.UTC(2026, 10, 22) } });
await laptop.say(struck, 'this stays');
const gone = await laptop.say(struck, 'this is forgotten');
await has(phone, struck, 2);
await laptop.change(struck, { removed: [asMessageId(gone.id)] });
await has(phone, struck, 1);
await compacted(struck);

// One conversation in several parts, an archived one, and one forgotten everywhere.
const large = newConversationId();
await laptop.change(large, { meta: { title: 'Large', createdAt: Date.UTC(2026, 10, 22), archived: true } });
const noise = Array.from({ length: 360_000 }, () =>
  String.fromCharCode(33 + Math.floor(Math.random() * 90)),
).join('');
await laptop.say(large, noise);
const erased = newConversationId();
await laptop.say(erased, 'gone for good');
await has(phone, erased, 1);
await has(phone, large, 1);
await laptop.sync.forget([erased]);
await eventually(phone, async () => (await phone.texts(erased)).length === 0);
await settled();

const { link, phrase } = await laptop.sync.pairing('https://app.example/');
const [name = ''] = (await laptop.vault.names()).filter((one) => one.startsWith('sync/key/'));
const ring = await createSealing().keyRing(fromText((await laptop.vault.get(name)) ?? ''));
const account = accountTag(toText(await ring.derive(tokenInfo(''), 32)));
// As those see it who did not write the secret.
const conversations = await conversationsOn(laptop);
for (const device of [laptop, phone]) device.stop();
await relay.setOnline(false);

const rooms: Golden['rooms'] = [];
for (const key of await laptop.store.keyValues.keys('sync/room/')) {
  const document = key.slice('sync/room/'.length);
  const { epoch } = (await laptop.store.keyValues.get(key)) as { epoch: number };
  if (document === erased) continue;
  const room = toText(await ring.derive(roomIdInfo(document, epoch), ROOM_ID_BYTES));
  const { updates } = await relay.store.load({ account, room });
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  const state = Y.encodeStateAsUpdate(doc);
  const blobs = blobsIn(state);
  if (blobs.length === 0) continue;
  const file = `room-${rooms.length + 1}.yjs`;
  await writeFile(join(folder, file), state, { flag: 'wx' });
  rooms.push({
    room,
    file,
    kinds: [...new Set(blobs.map((blob) => splitBlob(blob)?.kind ?? 'unknown'))].sort(),
  });
}
const golden: Golden = { link, phrase, account, rooms, conversations, forgotten: [erased] };
await writeFile(join(folder, 'account.json'), `${JSON.stringify(golden, null, 2)}\n`, { flag: 'wx' });
console.log(JSON.stringify(rooms.map(({ file, kinds }) => [file, kinds])));
await relay.close();
process.exit(0);
