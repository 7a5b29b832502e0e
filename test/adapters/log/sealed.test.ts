// The sealed store fulfils the contract of a store and shows no content to a reader of the store below it.
import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { sealedStore } from '../../../src/adapters/log/sealed.ts';
import { decodeValue, encodeValue } from '../../../src/adapters/log/stored-values.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import { runs } from '../../scale.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import { indexedDbSubject } from './indexed-db-subject.ts';

const key = await holdDataKey(newDataKey());
const ciphers = { entries: await cipherFor(key, 'log'), values: await cipherFor(key, 'key-values') };

describeConversationLog('The sealed in-memory store', async () => {
  const below = createInMemoryStore();
  return { store: sealedStore(below, ciphers), dispose: () => below.log.close() };
});
const sealedIndexedDb = async () => {
  const subject = await indexedDbSubject();
  return {
    ...subject,
    store: sealedStore(subject.store, ciphers),
    another: async () =>
      sealedStore(await (subject.another as NonNullable<typeof subject.another>)(), ciphers),
  };
};
describeConversationLog('The sealed IndexedDB store', sealedIndexedDb);
describeSharedLog('The sealed IndexedDB store', sealedIndexedDb);

describe('below the sealed store', () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const setup = () => {
    const below = createInMemoryStore();
    return { below, store: sealedStore(below, ciphers) };
  };
  const all = async (below: ReturnType<typeof createInMemoryStore>) => {
    const entries = await below.log.since(0, 100);
    const values = await Promise.all((await below.keyValues.keys('')).map((one) => below.keyValues.get(one)));
    return Buffer.concat(
      [...entries.map(({ bytes }) => bytes), ...values].map((one) => Buffer.from(one as Uint8Array)),
    );
  };

  it('nothing that was said or kept is readable', async () => {
    const { below, store } = setup();
    const document = newConversationId();
    await store.log.append(
      [{ id: newEntryId(), document, origin: 'user', bytes: text('canary-in-entry') }],
      [{ key: 'written/a', value: { text: 'canary-in-append' } }],
    );
    await store.keyValues.set('draft/b', { bytes: text('canary-in-value') });
    await store.log.replaceBySnapshot(document, text('canary-in-snapshot'), 1);
    expect((await all(below)).toString('latin1')).not.toContain('canary');
    expect((await store.log.read(document)).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
      'canary-in-snapshot',
    ]);
  });

  it('entries and values that were put in another place do not open', async () => {
    const { below, store } = setup();
    const [a, b] = [newConversationId(), newConversationId()];
    await store.log.append([{ id: newEntryId(), document: a, origin: 'user', bytes: text('one') }]);
    await store.keyValues.set('a', 'mine');
    const [one] = await below.log.read(a);
    if (!one) throw new Error('unreachable');
    const { seq: _, at: __, ...entry } = one;
    await below.log.append([
      { ...entry, id: newEntryId() },
      { ...entry, id: newEntryId(), document: b },
    ]);
    await below.keyValues.set('b', await below.keyValues.get('a'));
    expect((await store.log.since(0, 10)).map(({ bytes }) => bytes.length)).toEqual([3, 0, 0]);
    expect(await store.keyValues.get('b')).toBeUndefined();
    expect(await store.keyValues.get('a')).toBe('mine');
  });

  it('what was never sealed is not believed', async () => {
    const { below, store } = setup();
    const document = newConversationId();
    await below.log.append([{ id: newEntryId(), document, origin: 'user', bytes: text('slipped in') }]);
    await below.keyValues.set('a', 'slipped in');
    expect((await store.log.read(document))[0]?.bytes.length).toBe(0);
    expect(await store.keyValues.get('a')).toBeUndefined();
  });

  it('an entry that comes back from the second copy under another seq opens', async () => {
    const { below, store } = setup();
    const document = newConversationId();
    const filler = {
      id: newEntryId(),
      document: newConversationId(),
      origin: 'user',
      bytes: text('x'),
    } as const;
    await store.log.append([{ id: newEntryId(), document, origin: 'import', bytes: text('back') }]);
    const [lost] = await below.log.read(document);
    if (!lost) throw new Error('unreachable');
    await below.log.erase(document);
    await store.log.append([filler]);
    await below.log.append([lost]);
    expect(Buffer.from((await store.log.read(document))[0]?.bytes ?? []).toString()).toBe('back');
  });
});

describe('values as bytes', () => {
  const round = (value: unknown) => decodeValue(encodeValue(value));

  it('come back as they were, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: false,
          withNullPrototype: false,
        }),
        (value) => {
          expect(round(value)).toEqual(value);
        },
      ),
      { numRuns: runs(500, 60) },
    );
  });

  it('names and numbers that JSON loses are kept', () => {
    expect(round({ $: 'date', a: undefined, n: -0 })).toEqual({ $: 'date', a: undefined, n: -0 });
    expect(round(Number.NaN)).toBeNaN();
    expect(round(new Float32Array([0.1, -2]))).toEqual(new Float32Array([0.1, -2]));
    expect(round(new Uint8Array([1, 2, 3]).buffer)).toEqual(new Uint8Array([1, 2, 3]).buffer);
    expect(Object.keys(round(JSON.parse('{"__proto__": 1}')) as object)).toEqual(['__proto__']);
  });

  it('what cannot be kept is refused', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [() => 1, Symbol('s'), circle, new (class Thing {})(), new WeakMap(), /a/])
      expect(() => encodeValue(value)).toThrow(/cannot be kept/);
  });
});
