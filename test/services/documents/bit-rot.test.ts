// A bit that flips on the disk, in a log that is real but for its disk: whichever bit it is, the entry it is in is
// known for damaged, and nothing that was never said is shown.
import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { openDB } from 'idb';
import { expect, it } from 'vitest';
import { checksum } from '../../../src/adapters/log/checksum.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { said, textsOf } from './said.ts';

const NAME = 'bit-rot';

/**
 * A conversation of four messages with a title, each message an entry; all in one sitting,
 * so that each waits for the one before.
 */
async function prepare() {
  const store = await openIndexedDbStore({ name: NAME });
  const documents = createDocuments({ store });
  const id = newConversationId();
  const texts = ['one', 'two', 'three', 'four'];
  let last: Message | undefined;
  let open: { close: () => void } | undefined;
  for (const [at, text] of texts.entries()) {
    last = said(text, last?.id ?? null, at + 1);
    const meta = { head: last.id, ...(at === 0 ? { title: 'A title', titleBy: 'person' as const } : {}) };
    await documents.change(id, { messages: [last], meta });
    open ??= await documents.open(id);
  }
  open?.close();
  await documents.close();
  const entries = await store.log.read(id);
  return { store, id, texts, entries };
}

it('costs one message at most, is told, and never puts words into it (property)', async () => {
  const { store, id, texts, entries } = await prepare();
  const raw = await openDB(NAME);
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.nat(), fc.nat(7), async (which, at, bit) => {
      const { seq } = entries[which] as (typeof entries)[number];
      const row = await raw.get('entries', seq);
      const bytes: Uint8Array = row.bytes.slice();
      bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
      await raw.put('entries', { ...row, bytes });
      const problems: unknown[] = [];
      const again = createDocuments({
        store,
        onProblem: ({ code, params }) => problems.push([code, params?.seq]),
      });
      expect(textsOf(await again.read(id)).sort()).toEqual(texts.filter((_, one) => one !== which).sort());
      expect(problems).toEqual([['damaged-entry', seq]]);
      await again.close();
      await raw.put('entries', row);
    }),
    { numRuns: 60 },
  );
  raw.close();
  await store.log.close();
});

it('keeps the title that went with the first entry: the line in the library still has it', async () => {
  const { store, id, texts, entries } = await prepare();
  const raw = await openDB(NAME);
  const row = await raw.get('entries', entries[0]?.seq as number);
  await raw.put('entries', { ...row, bytes: row.bytes.slice(0, 20) });
  const again = createDocuments({ store });
  const opened = await again.open(id);
  expect(opened.get().meta.title).toBe('A title');
  expect(textsOf(opened.get()).sort()).toEqual(texts.slice(1).sort());
  opened.close();
  await again.close();
  const later = createDocuments({ store });
  expect((await later.read(id))?.meta.title).toBe('A title');
  expect(later.library.get().entries.find((line) => line.id === id)?.title).toBe('A title');
  await later.close();
  raw.close();
  await store.log.close();
});

it('puts that title back as the oldest word of it: a rename that was made before and comes after wins, everywhere', async () => {
  const { store, id, entries } = await prepare();
  const raw = await openDB(NAME);
  const away = createConversationDocument(id, undefined, () => Date.now() - 3_600_000);
  for (const { bytes } of entries) away.apply(bytes);
  const rename = away.change({ meta: { title: 'Renamed', titleBy: 'person' } }) as Uint8Array;
  const row = await raw.get('entries', entries[0]?.seq as number);
  await raw.put('entries', { ...row, bytes: row.bytes.slice(0, 20) });
  const again = createDocuments({ store });
  const opened = await again.open(id);
  expect(opened.get().meta).toMatchObject({ title: 'A title', titleBy: 'person' });
  opened.close();
  await again.close();
  for (const { bytes } of (await store.log.read(id)).slice(entries.length)) away.apply(bytes);
  expect(away.read().meta.title).toBe('Renamed');
  await store.log.append([{ id: newEntryId(), document: id, origin: 'remote', bytes: rename }]);
  const later = createDocuments({ store });
  expect((await later.read(id))?.meta.title).toBe('Renamed');
  await later.close();
  raw.close();
  await store.log.close();
});

it('keeps that title where nothing was opened: when it is read, and when many are changed at once', async () => {
  const { store, id, entries } = await prepare();
  const raw = await openDB(NAME);
  const row = await raw.get('entries', entries[0]?.seq as number);
  await raw.put('entries', { ...row, bytes: row.bytes.slice(0, 20) });
  const again = createDocuments({ store });
  expect((await again.read(id))?.meta).toMatchObject({ title: 'A title', titleBy: 'person' });
  expect(await store.log.read(id)).toHaveLength(entries.length);
  await again.changeMany([{ id, change: { meta: { archived: true } } }], 'user');
  expect(again.library.get().entries.find((line) => line.id === id)).toMatchObject({
    title: 'A title',
    archived: true,
  });
  expect((await again.read(id))?.meta).toMatchObject({ title: 'A title', archived: true });
  await again.close();
  raw.close();
  await store.log.close();
});

it('is what ZIP calls CRC-32', () => {
  expect(checksum(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  expect(checksum(new Uint8Array(0))).toBe(0);
});
