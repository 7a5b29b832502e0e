// A canary in a real Chromium: real IndexedDB, the real second copy in OPFS with its worker. What was forgotten is
// nowhere in the bytes of either, and a database that is lost does not get it back from the copy.
import { deleteDB, openDB } from 'idb';
import { expect, it } from 'vitest';
import { valuesCopyOf } from '../../../src/adapters/log/copied-values.ts';
import { openStore } from '../../../src/adapters/log/index.ts';
import { logCopyOf } from '../../../src/adapters/log/recovering.ts';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createLateForget } from '../../../src/services/forget/late-forget.ts';
import { createPrompts } from '../../../src/services/prompts/prompts-service.ts';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';

const CANARY = 'Quillfeather';
const bytesOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return new TextDecoder('latin1').decode(value);
  if (value instanceof ArrayBuffer) return bytesOf(new Uint8Array(value));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flat().map(bytesOf).join('\n');
  return String(value);
};

/** All that the database and both folders of the copy hold, keys included. */
async function everythingIn(name: string): Promise<string> {
  const database = await openDB(name);
  let all = '';
  for (const store of database.objectStoreNames)
    all += bytesOf([await database.getAllKeys(store), await database.getAll(store)]);
  database.close();
  for (const of of [name, valuesCopyOf(name)]) {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(`${of}-log-copy`);
    for await (const file of folder.values())
      if (file.kind === 'file')
        all += bytesOf(await (await (file as FileSystemFileHandle).getFile()).arrayBuffer());
  }
  return all;
}

const startCopier = (name: string): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../storage/copying.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<{ error?: string }>) =>
      data.error ? reject(new Error(data.error)) : resolve(worker),
    );
    worker.postMessage({ id: 1, type: 'start', name });
  });

async function openDevice(name: string, signal: AbortSignal) {
  const store = await openStore({ name });
  const notes = createNotes({ store, now: Date.now });
  const documents = createDocuments({ store, notes });
  const prompts = createPrompts({ store, now: Date.now, onProblem: console.error });
  const forget = createLateForget(
    {
      documents,
      notes,
      prompts,
      log: store.log,
      copy: logCopyOf(name),
      keyValues: store.keyValues,
      index: () => null,
      wakeIndex: () => {},
      indexStatus: writable(null),
      privacy: () => defaultConfig.privacy,
      sync: { status: writable(SYNC_OFF), account: writable(null), forget: async () => {} },
      now: Date.now,
      exclusive: (work) => work(),
      device: async () => null,
      undoMs: 0,
      signal,
    },
    { firstScreen: Promise.resolve(), due: Promise.resolve() },
  );
  const close = async () => {
    notes.close();
    prompts.close();
    await documents.close();
    await store.log.close();
  };
  return { store, notes, prompts, documents, forget, close };
}

it('is nowhere in the bytes afterwards, and a lost database does not get it back', async () => {
  const name = `forget-${crypto.randomUUID()}`;
  const closing = new AbortController();
  const device = await openDevice(name, closing.signal);
  const first: Message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: Date.now() - 5000,
    parts: [{ type: 'text', text: `My neighbour ${CANARY} sings at night` }],
  };
  const second: Message = {
    ...first,
    id: newMessageId(),
    parentId: first.id,
    parts: [{ type: 'text', text: 'And by day?' }],
  };
  const [talk, alone] = [newConversationId(), newConversationId()];
  await device.documents.change(talk, {
    messages: [first, second],
    meta: { title: `On ${CANARY}`, head: second.id, createdAt: 1 },
    checkpoints: { [`before ${CANARY}`]: first.id },
  });
  await device.documents.change(alone, {
    messages: [{ ...first, id: newMessageId(), parts: [{ type: 'text', text: `${CANARY} alone` }] }],
  });
  await device.notes.write({ text: `${CANARY} likes roses`, source: null });
  await device.prompts.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}` });
  await device.store.keyValues.set('written/composer/tab', { text: `Dear ${CANARY}`, files: [] });
  let copier = await startCopier(name);
  expect((await everythingIn(name)).split(CANARY).length).toBeGreaterThan(8);

  // No worker writes the copy while forgetting begins; then one does again.
  copier.terminate();
  const plan = await device.forget.seek({ kind: 'person', words: [CANARY], whole: true }, closing.signal);
  expect(plan.finds.find(({ place }) => place === 'copy')?.count).toBeGreaterThan(3);
  await device.forget.begin(plan);
  copier = await startCopier(name);
  const ended = await until(device.forget.state, ({ step }) => step === 'done' || step === 'failed');
  if (ended.step !== 'done') throw new Error(JSON.stringify(ended));
  for (const { place, left, waiting } of ended.report.places)
    expect([place, left, waiting], place).toEqual([place, 0, place === 'index']);
  expect(await everythingIn(name)).not.toContain(CANARY);
  expect((await device.documents.read(talk))?.messages.size).toBe(1);

  copier.terminate();
  closing.abort();
  await device.close();
  await deleteDB(name);
  const again = await openDevice(name, AbortSignal.timeout(60_000));
  await until(again.documents.library, ({ ready }) => ready);
  expect((await again.documents.read(talk))?.messages.size).toBe(1);
  expect(await again.documents.read(alone)).toBeUndefined();
  expect(again.forget.records.get().length + (await again.notes.known()).notes.length).toBeGreaterThan(0);
  expect(await everythingIn(name)).not.toContain(CANARY);
  await again.close();
});
