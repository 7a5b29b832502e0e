// The context service, whose code comes with the first call.
import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { type Readable, writable } from '../../../src/domain/base/readable.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createLateContext } from '../../../src/services/context/late-context.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';

const ID = asConversationId('01910000-0000-7000-8000-000000000001');

/** A context, and how many of its parts listen to the library. */
function scene() {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  let listening = 0;
  const library: Readable<ReturnType<typeof documents.library.get>> = {
    get: documents.library.get,
    subscribe: (listener) => {
      const stop = documents.library.subscribe(listener);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    },
  };
  const context = createLateContext({
    documents: { library, read: documents.read, change: documents.change, open: documents.open },
    keyValues: store.keyValues,
    model: () => null,
    config: writable<Config>(defaultConfig),
    now: Date.now,
    device: () => 'test-device',
  });
  return { context, documents, listening: () => listening };
}

it('listens to the library from its first call on, until it is closed', async () => {
  const { context, documents, listening } = scene();
  await documents.change(ID, { meta: { title: 'Herons' } });
  expect(listening()).toBe(0);
  expect(await context.checkpoints(ID)).toEqual([]);
  expect(listening()).toBe(1);
  await context.close();
  expect(listening()).toBe(0);
});

it('goes on with nothing where it is closed before its code is there', async () => {
  const { context, documents, listening } = scene();
  await documents.change(ID, { meta: { title: 'Herons' } });
  const asked = context.checkpoints(ID);
  await context.close();
  await asked.catch(() => undefined);
  expect(listening()).toBe(0);
});
