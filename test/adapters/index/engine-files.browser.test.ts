// The files of the index as a window deletes them, which cannot open them: only workers write in place.
import { expect, it } from 'vitest';
import { POSTGRES_VERSION, removeEngineFiles } from '../../../src/adapters/index/engines.ts';

it('are deleted from a window, in the private file system too', async () => {
  const root = await navigator.storage.getDirectory();
  const names = async () => {
    const found: string[] = [];
    for await (const name of root.keys()) found.push(name);
    return found.filter((name) => name.startsWith('left-'));
  };
  const [clear, sealed] = [`left-${POSTGRES_VERSION}`, `left-${POSTGRES_VERSION}-sealed`];
  for (const name of [clear, sealed])
    await (await root.getDirectoryHandle(name, { create: true })).getFileHandle('page', { create: true });
  await removeEngineFiles('left');
  expect(await names()).toEqual([sealed]);
  await removeEngineFiles('left', true);
  expect(await names()).toEqual([]);
});
