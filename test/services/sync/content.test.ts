// A room delivers content again: the log takes what it lacks, and nothing that was forgotten here since.
import { expect, it } from 'vitest';
import { newMessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { mergeUpdates, readWhole } from '../../../src/services/documents/shared.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { createDocumentContents } from '../../../src/services/sync/content.ts';
import { newTransaction, openRecords } from '../../../src/services/sync/records.ts';
import { isInLog } from '../documents/said.ts';
import { NOW, openDevice } from '../forget/device.ts';

const CANARY = 'Quillfeather';

it.each(['known', 'new'] as const)('in a body whose numbers are %s', async (numbers) => {
  const device = openDevice({ engine: false });
  const { store, documents } = device;
  const { id } = await device.say('talk', ['And about rain', `About ${CANARY}`]);
  const before = (await readWhole(store.log, id))?.update as Uint8Array;
  // Another device writes more and puts both into one body.
  const elsewhere = createConversationDocument(id, undefined, () => NOW);
  elsewhere.apply(before);
  const message = {
    id: newMessageId(),
    parentId: null,
    role: 'user',
    kind: 'message',
    createdAt: NOW,
  } as const;
  const written = elsewhere.change({ messages: [{ ...message, parts: [{ type: 'text', text: 'Snow' }] }] });
  const body = mergeUpdates([before, written as Uint8Array]);
  await device.forgetAll({ kind: 'person', words: [CANARY], whole: true });
  expect(await isInLog(store, CANARY)).toBe(false);

  const config = writable(defaultConfig);
  const records = await openRecords(store, () => NOW);
  const content = createDocumentContents({
    log: store.log,
    config,
    records,
    filter: new PrivacyFilter({ config }),
  }).of(id);
  const transaction = newTransaction();
  await content.apply(transaction, numbers === 'new' ? [body] : [], numbers === 'known' ? [body] : []);
  await store.log.append(transaction.entries);
  expect(await isInLog(store, 'Snow')).toBe(true);
  expect(await isInLog(store, CANARY)).toBe(false);
  expect([...((await documents.read(id))?.messages.values() ?? [])].length).toBe(2);
  await device.close();
});
