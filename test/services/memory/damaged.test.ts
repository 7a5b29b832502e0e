// An entry that cannot be read any more takes nothing into the index that was kept out of it.
import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { conversationOf, openHome } from './home.ts';

it('keeps a conversation of an excluded folder out, though the entry that names the folder is damaged', async () => {
  const kept = createInMemoryStore();
  const folder = { workDir: '/home/someone/secret-project/plans' };
  const secret = conversationOf(['the swordfish is ours'], folder);
  // In two sittings, so that the words do not wait for the entry that is damaged.
  for (const change of [{ meta: secret.change.meta }, { messages: secret.change.messages }]) {
    const documents = createDocuments({ store: kept });
    await documents.change(secret.id, change);
    await documents.close();
  }
  const [first, ...rest] = await kept.log.read(secret.id);
  expect(rest.length).toBeGreaterThan(0);
  const damaged = <T extends { id: string; bytes: Uint8Array }>(entries: readonly T[]): T[] =>
    entries.map((entry) => (entry.id === first?.id ? { ...entry, bytes: new Uint8Array() } : entry));
  const log: typeof kept.log = {
    ...kept.log,
    read: async (...of) => damaged(await kept.log.read(...of)),
    since: async (...of) => damaged(await kept.log.since(...of)),
  };
  const home = openHome({
    store: { ...kept, log },
    config: { privacy: { exclude_work_dirs: ['**/secret-project/**'] } },
  });
  await home.add(conversationOf(['the herring is everybody’s']));
  await home.indexed();
  expect((await home.documents.read(secret.id))?.meta.workDir).toBeNull();
  expect((await home.recall('herring')).passages).toHaveLength(1);
  expect(await home.index.messageIds(secret.id)).toEqual(new Set());
  await home.close();
});
