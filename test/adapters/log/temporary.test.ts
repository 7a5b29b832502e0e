import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { withoutTemporary } from '../../../src/adapters/log/temporary.ts';
import { newTemporaryId } from '../../../src/domain/base/ids.ts';
import { describeConversationLog } from '../../suites/conversation-log.suite.ts';

describeConversationLog('A store without temporary conversations', async () => {
  const store = withoutTemporary(createInMemoryStore());
  return { store, dispose: () => store.log.close() };
});

it('what is put under a temporary conversation’s name is there, and nowhere in the store', async () => {
  const kept = createInMemoryStore();
  const { log, keyValues } = withoutTemporary(kept);
  const changed: string[] = [];
  kept.keyValues.subscribe(({ keys }) => changed.push(...keys));
  const key = `draft/${newTemporaryId()}/answer`;
  await keyValues.set(key, { said: 'between us' });
  expect(await keyValues.get(key)).toEqual({ said: 'between us' });
  await log.append(
    [],
    [
      { key: `queue/${newTemporaryId()}/tab`, value: 'later' },
      { key: 'theme', value: 'dark' },
    ],
  );
  expect(await kept.keyValues.keys('')).toEqual(['theme']);
  expect(changed).toEqual(['theme']);
  // The words in its composer are kept under a name that ends with its id.
  const written = `item/composer.${newTemporaryId()}`;
  await keyValues.set(written, { text: 'not said yet' });
  expect(await keyValues.get(written)).toEqual({ text: 'not said yet' });
  expect(await kept.keyValues.keys('')).toEqual(['theme']);
  await log.append([], [{ key, value: undefined }]);
  expect(await keyValues.get(key)).toBeUndefined();
});
