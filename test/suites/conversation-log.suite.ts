// What every log and key-value store promises, as behaviour. Each member runs it, in Node and in a real browser.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  ConversationLog,
  KeyValueChange,
  LogChange,
  LogEntry,
  NewEntry,
  Origin,
  Store,
} from '../../src/adapters/log/conversation-log.ts';
import {
  type ConversationId,
  type DocumentId,
  type EntryId,
  LIBRARY_DOCUMENT,
  newConversationId,
  newEntryId,
} from '../../src/domain/base/ids.ts';

export interface LogSubject {
  readonly store: Store;
  /** The same data through another connection, as another tab has it; undefined where nothing outlives the tab. */
  readonly another?: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
}

const text = (value: string) => new TextEncoder().encode(value);
const words = (entries: readonly LogEntry[]) => entries.map((entry) => new TextDecoder().decode(entry.bytes));
const entry = (document: DocumentId, value: string, origin: Origin = 'user'): NewEntry => ({
  id: newEntryId(),
  document,
  origin,
  bytes: text(value),
});
const ids = (entries: readonly { id: EntryId }[]) => entries.map(({ id }) => id);

/** Reads to the end in pages, as a reader with a bookmark does. */
async function readAll(log: ConversationLog, after = 0, page = 7): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (let seq = after; ; ) {
    const entries = await log.since(seq, page);
    all.push(...entries);
    seq = entries.at(-1)?.seq ?? seq;
    if (entries.length < page) return all;
  }
}

export function describeConversationLog(name: string, setup: () => Promise<LogSubject>): void {
  describe(`${name} keeps a log`, () => {
    let subject: LogSubject;
    let log: ConversationLog;
    let a: ConversationId;
    let b: ConversationId;

    beforeEach(async () => {
      subject = await setup();
      log = subject.store.log;
      a = newConversationId();
      b = newConversationId();
    });
    afterEach(() => subject.dispose());

    it('is empty at first', async () => {
      expect(await log.head()).toBe(0);
      expect(await log.since(0, 10)).toEqual([]);
      expect(await log.read(a)).toEqual([]);
      expect(await log.documents()).toEqual([]);
      expect(await log.stats()).toEqual({ entries: 0, bytes: 0 });
    });

    it('gives back what was appended, in order, as it was', async () => {
      const before = Date.now();
      const added = [entry(a, 'one'), entry(LIBRARY_DOCUMENT, 'line', 'import'), entry(a, 'two', 'remote')];
      const seq = await log.append(added);
      const found = await log.since(0, 10);
      expect(found.map(({ seq: _, at: __, ...rest }) => rest)).toEqual(added);
      expect(found.every(({ at }) => at >= before && at <= Date.now())).toBe(true);
      expect(found.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(seq).toBe(3);
      expect(await log.head()).toBe(3);
      expect(words(await log.read(a))).toEqual(['one', 'two']);
      expect(new Set(await log.documents())).toEqual(new Set([a, LIBRARY_DOCUMENT]));
      expect(await log.stats()).toEqual({ entries: 3, bytes: 10 });
    });

    it('appends nothing when given nothing', async () => {
      await log.append([entry(a, 'one')]);
      expect(await log.append([])).toBe(1);
    });

    it('ignores an entry whose id it holds', async () => {
      const first = entry(a, 'one');
      await log.append([first]);
      const second = entry(a, 'two');
      expect(await log.append([first, second, second])).toBe(2);
      expect(await log.append([first])).toBe(2);
      expect(words(await log.read(a))).toEqual(['one', 'two']);
      expect(await log.stats()).toEqual({ entries: 2, bytes: 6 });
      // An entry that is there already does not drop the values beside it, and no listener gets a change of it.
      const heard: LogChange[] = [];
      log.subscribe((change) => heard.push(change));
      await log.append([first, entry(b, 'three')], [{ key: 'with', value: 1 }]);
      expect(await subject.store.keyValues.get('with')).toBe(1);
      expect(words(await log.since(2, 10))).toEqual(['three']);
      expect(heard).toEqual([{ documents: [b], seq: 3, foreign: false }]);
      expect(await log.stats()).toEqual({ entries: 3, bytes: 11 });
    });

    it('reads in pages from a bookmark', async () => {
      await log.append(Array.from({ length: 23 }, (_, n) => entry(n % 2 ? a : b, `${n}`)));
      expect(words(await log.since(20, 10))).toEqual(['20', '21', '22']);
      expect(words(await log.since(0, 2))).toEqual(['0', '1']);
      expect(await log.since(0, 0)).toEqual([]);
      expect(await log.since(23, 10)).toEqual([]);
      expect(words(await readAll(log))).toEqual(Array.from({ length: 23 }, (_, n) => `${n}`));
      expect((await log.since(0, Number.POSITIVE_INFINITY)).length).toBe(23);
    });

    it('keeps only the bytes of a view, not the buffer behind it', async () => {
      const buffer = new Uint8Array(10_000).fill(7);
      await log.append([{ ...entry(a, ''), bytes: buffer.subarray(10, 14) }]);
      const [found] = await log.read(a);
      expect(found?.bytes).toEqual(new Uint8Array([7, 7, 7, 7]));
      expect(found?.bytes.buffer.byteLength).toBe(4);
      expect((await log.stats()).bytes).toBe(4);
    });

    it('does not change when what was handed in or out is changed', async () => {
      const bytes = text('one');
      await log.append([{ ...entry(a, ''), bytes }]);
      bytes.fill(0);
      (await log.read(a))[0]?.bytes.fill(0);
      expect(words(await log.read(a))).toEqual(['one']);
    });

    it('holds an entry of 10 MB and an empty one', async () => {
      const large = new Uint8Array(10 * 1024 * 1024);
      for (let n = 0; n < large.length; n += 4096) large[n] = n / 4096;
      await log.append([
        { ...entry(a, ''), bytes: large },
        { ...entry(b, ''), bytes: new Uint8Array() },
      ]);
      const [found] = await log.read(a);
      expect(found?.bytes.length).toBe(large.length);
      expect(found?.bytes.every((byte, n) => byte === large[n])).toBe(true);
      expect((await log.read(b))[0]?.bytes.length).toBe(0);
      expect(await log.stats()).toEqual({ entries: 2, bytes: large.length });
    });

    it('appends thousands at once, and many at the same time', async () => {
      await log.append(Array.from({ length: 3000 }, (_, n) => entry(n % 2 ? a : b, `${n}`)));
      await Promise.all(Array.from({ length: 50 }, (_, n) => log.append([entry(a, `later ${n}`)])));
      const all = await readAll(log, 0, 500);
      expect(all.length).toBe(3050);
      expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 3050 }, (_, n) => n + 1));
      expect(words(all).slice(3000)).toEqual(Array.from({ length: 50 }, (_, n) => `later ${n}`));
    });

    it('folds a document into one entry at the seq it reaches', async () => {
      await log.append([entry(a, '1'), entry(b, '2'), entry(a, '3'), entry(a, '4')]);
      await log.replaceBySnapshot(a, text('1+3'), 3);
      expect(words(await log.read(a))).toEqual(['1+3', '4']);
      expect(words(await log.read(b))).toEqual(['2']);
      const all = await log.since(0, 10);
      expect(all.map(({ seq, origin }) => [seq, origin])).toEqual([
        [2, 'user'],
        [3, 'fold'],
        [4, 'user'],
      ]);
      expect(words(await log.since(1, 10))).toEqual(['2', '1+3', '4']);
      expect(words(await log.since(3, 10))).toEqual(['4']);
      expect(await log.stats()).toEqual({ entries: 3, bytes: 5 });
      expect(await log.head()).toBe(4);
    });

    it('reads of a document what came after a seq, a snapshot at the seq it reaches', async () => {
      await log.append([entry(a, '1'), entry(b, '2'), entry(a, '3'), entry(a, '4')]);
      expect(words(await log.read(a, 1))).toEqual(['3', '4']);
      expect(words(await log.read(a, 3))).toEqual(['4']);
      expect(await log.read(a, 4)).toEqual([]);
      await log.replaceBySnapshot(a, text('1+3'), 3);
      expect(words(await log.read(a, 1))).toEqual(['1+3', '4']);
      expect(words(await log.read(a, 3))).toEqual(['4']);
    });

    it('keeps what was appended between reading and folding', async () => {
      await log.append([entry(a, '1'), entry(a, '2')]);
      const reach = (await log.read(a)).at(-1)?.seq as number;
      await log.append([entry(a, '3')]);
      await log.replaceBySnapshot(a, text('1+2'), reach);
      expect(words(await log.read(a))).toEqual(['1+2', '3']);
    });

    it('touches no other document when the reach of a fold is the seq of another', async () => {
      await log.append([entry(a, '1'), entry(a, '2'), entry(b, '3')]);
      await log.replaceBySnapshot(a, text('1+2'), 3);
      expect(words(await log.read(a))).toEqual(['1+2']);
      expect(words(await log.read(b))).toEqual(['3']);
      await log.replaceBySnapshot(b, text('3!'), 1000);
      expect(await log.append([entry(a, '4')])).toBe(4);
      expect(words(await log.since(0, 10))).toEqual(['1+2', '3!', '4']);
    });

    it('lets the longer of two folds stand, whichever comes first', async () => {
      await log.append([entry(a, '1'), entry(a, '2'), entry(b, '1'), entry(b, '2')]);
      await log.replaceBySnapshot(a, text('1+2'), 2);
      await log.replaceBySnapshot(a, text('1'), 1);
      await log.replaceBySnapshot(b, text('1'), 3);
      await log.replaceBySnapshot(b, text('1+2'), 4);
      expect(words(await log.read(a))).toEqual(['1+2']);
      expect(words(await log.read(b))).toEqual(['1+2']);
      expect((await log.stats()).entries).toBe(2);
    });

    it('does not bring back by folding what was erased meanwhile', async () => {
      await log.append([entry(a, '1'), entry(a, '2')]);
      await log.erase(a);
      await log.replaceBySnapshot(a, text('1+2'), 2);
      expect(await log.read(a)).toEqual([]);
      expect(await log.documents()).toEqual([]);
      expect(await log.stats()).toEqual({ entries: 0, bytes: 0 });
    });

    it('erases a document for good and gives its seqs to nobody', async () => {
      await log.append([entry(b, '1'), entry(a, '2'), entry(a, '3')]);
      await log.erase(a);
      expect(await log.read(a)).toEqual([]);
      expect(await log.documents()).toEqual([b]);
      expect(words(await log.since(0, 10))).toEqual(['1']);
      expect(await log.stats()).toEqual({ entries: 1, bytes: 1 });
      expect(await log.head()).toBe(3);
      expect(await log.append([entry(a, '4')])).toBe(4);
      await log.erase(newConversationId());
      expect(words(await log.read(a))).toEqual(['4']);
    });

    it('tells who listens here, once per change, after it is durable', async () => {
      const heard: LogChange[] = [];
      const found: Promise<LogEntry[]>[] = [];
      const stop = log.subscribe((change) => {
        heard.push(change);
        found.push(log.since(0, 10));
      });
      await log.append([entry(a, '1'), entry(b, '2'), entry(a, '3')]);
      expect(heard).toEqual([{ documents: [a, b], seq: 3, foreign: false }]);
      expect((await found[0])?.length).toBe(3);
      await log.replaceBySnapshot(a, text('1+3'), 3);
      await log.append([], [{ key: 'x', value: 1 }]);
      expect(heard.length).toBe(1);
      await log.erase(b);
      expect(heard.slice(1)).toEqual([{ documents: [b], seq: 3, foreign: false }]);
      stop();
      await log.append([entry(a, '4')]);
      expect(heard.length).toBe(2);
    });

    it('is not troubled by a listener that fails', async () => {
      const { error } = console;
      console.error = () => {};
      try {
        const heard: number[] = [];
        log.subscribe(() => {
          throw new Error('a listener of the test');
        });
        log.subscribe(({ seq }) => heard.push(seq));
        expect(await log.append([entry(a, '1')])).toBe(1);
        expect(heard).toEqual([1]);
      } finally {
        console.error = error;
      }
    });

    it('writes entries and values together, or neither', async () => {
      const { keyValues } = subject.store;
      await keyValues.set('old', 1);
      await log.append(
        [entry(a, '1')],
        [
          { key: 'bookmark', value: { seq: 1 } },
          { key: 'old', value: undefined },
        ],
      );
      expect(await keyValues.get('bookmark')).toEqual({ seq: 1 });
      expect(await keyValues.keys('')).toEqual(['bookmark']);

      await expect(
        log.append(
          [entry(a, '2')],
          [
            { key: 'bookmark', value: { seq: 2 } },
            { key: 'broken', value: () => 'a function cannot be kept' },
          ],
        ),
      ).rejects.toMatchObject({ problem: { code: 'storage-failed' } });
      expect(await keyValues.get('bookmark')).toEqual({ seq: 1 });
      expect(words(await log.read(a))).toEqual(['1']);
      expect(await log.stats()).toEqual({ entries: 1, bytes: 1 });
      // The log may reuse the seq of a failed append, which no reader has seen.
      expect(await log.append([entry(a, '3')])).toBe(2);
    });

    it('answers nothing more once it is closed', async () => {
      await log.append([entry(a, '1')]);
      await log.close();
      await log.close();
      await expect(log.read(a)).rejects.toMatchObject({ problem: { code: 'storage-unavailable' } });
      await expect(log.append([entry(a, '2')])).rejects.toMatchObject({
        problem: { code: 'storage-unavailable' },
      });
    });

    it('agrees with a simple model after any sequence of changes', async () => {
      const documents = [LIBRARY_DOCUMENT, newConversationId(), newConversationId()] as const;
      const step = fc.oneof(
        fc.record({
          kind: fc.constant('append' as const),
          documents: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 }),
          repeat: fc.boolean(),
        }),
        fc.record({
          kind: fc.constant('fold' as const),
          document: fc.integer({ min: 0, max: 2 }),
          back: fc.integer({ min: 0, max: 6 }),
        }),
        fc.record({ kind: fc.constant('erase' as const), document: fc.integer({ min: 0, max: 2 }) }),
        fc.record({ kind: fc.constant('since' as const), back: fc.integer({ min: 0, max: 12 }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const own = await setup();
          try {
            const { log } = own.store;
            // The model: what is held of each document as the set of words it stands for, by seq.
            let held: { seq: number; document: DocumentId; id: EntryId | null; words: string }[] = [];
            let head = 0;
            const seen = new Set<string>();
            const holds = (document: DocumentId) =>
              held.filter((row) => row.document === document).map((row) => row.words);
            for (const [position, current] of steps.entries()) {
              if (current.kind === 'append') {
                const added = current.documents.map((n, index) =>
                  entry(documents[n] as DocumentId, `${position}.${index};`),
                );
                const again = current.repeat ? held.find((row) => row.id !== null) : undefined;
                const repeated: NewEntry[] = again
                  ? [{ id: again.id as EntryId, document: again.document, origin: 'user', bytes: text('?') }]
                  : [];
                for (const { document, id, bytes } of added) {
                  head += 1;
                  held.push({ seq: head, document, id, words: new TextDecoder().decode(bytes) });
                  seen.add(id);
                }
                expect(await log.append([...repeated, ...added])).toBe(head);
              } else if (current.kind === 'fold') {
                const document = documents[current.document] as DocumentId;
                const reach = Math.max(0, head - current.back);
                const folded = held.filter((row) => row.document === document && row.seq <= reach);
                const whole = folded.map((row) => row.words).join('');
                await log.replaceBySnapshot(document, text(whole), reach);
                const last = folded.at(-1);
                if (last)
                  held = held.flatMap((row) =>
                    row === last ? [{ ...last, id: null, words: whole }] : folded.includes(row) ? [] : [row],
                  );
              } else if (current.kind === 'erase') {
                const document = documents[current.document] as DocumentId;
                await log.erase(document);
                held = held.filter((row) => row.document !== document);
              } else {
                const bookmark = Math.max(0, head - current.back);
                const found = await readAll(log, bookmark, 3);
                expect(found.map(({ seq, document }) => [seq, document])).toEqual(
                  held.filter((row) => row.seq > bookmark).map(({ seq, document }) => [seq, document]),
                );
                expect(words(found)).toEqual(
                  held.filter((row) => row.seq > bookmark).map((row) => row.words),
                );
              }
              for (const document of documents)
                expect(words(await log.read(document))).toEqual(holds(document));
              expect(await log.head()).toBe(head);
              expect(new Set(await log.documents())).toEqual(new Set(held.map(({ document }) => document)));
              expect(await log.stats()).toEqual({
                entries: held.length,
                bytes: held.reduce((sum, row) => sum + text(row.words).length, 0),
              });
            }
            const all = await readAll(log);
            expect(new Set(ids(all)).size).toBe(all.length);
          } finally {
            await own.dispose();
          }
        }),
        { numRuns: 25 },
      );
    });
  });

  describe(`${name} has a key-value store`, () => {
    let subject: LogSubject;
    beforeEach(async () => {
      subject = await setup();
    });
    afterEach(() => subject.dispose());

    it('gives back what was put in, and undefined for the rest', async () => {
      const { keyValues } = subject.store;
      const value = { list: [1, 'two', null], bytes: new Uint8Array([1, 2]), when: new Date(0) };
      await keyValues.set('a', value);
      expect(await keyValues.get('a')).toEqual(value);
      expect(await keyValues.get('b')).toBeUndefined();
      await keyValues.set('a', false);
      expect(await keyValues.get('a')).toBe(false);
      await keyValues.set('a', undefined);
      expect(await keyValues.get('a')).toBeUndefined();
      expect(await keyValues.keys('')).toEqual([]);
    });

    it('lists keys by their beginning', async () => {
      const { keyValues } = subject.store;
      for (const key of ['draft/2', 'draft/1', 'draft', 'draftsman', 'bookmark/index', 'draft/é'])
        await keyValues.set(key, key);
      expect(await keyValues.keys('draft/')).toEqual(['draft/1', 'draft/2', 'draft/é']);
      expect(await keyValues.keys('nothing')).toEqual([]);
      expect((await keyValues.keys('')).length).toBe(6);
    });

    it('keeps a copy', async () => {
      const { keyValues } = subject.store;
      const value = { list: [1] };
      await keyValues.set('a', value);
      value.list.push(2);
      ((await keyValues.get('a')) as typeof value).list.push(3);
      expect(await keyValues.get('a')).toEqual({ list: [1] });
    });

    it('tells who listens which keys changed, those written with an append included', async () => {
      const { keyValues, log } = subject.store;
      const heard: KeyValueChange[] = [];
      const stop = keyValues.subscribe((change) => heard.push(change));
      await keyValues.set('a', 1);
      await keyValues.set('a', undefined);
      await log.append(
        [entry(newConversationId(), '1')],
        [
          { key: 'b', value: 1 },
          { key: 'c', value: 2 },
        ],
      );
      await log.append([entry(newConversationId(), '2')]);
      expect(heard).toEqual([
        { keys: ['a'], foreign: false },
        { keys: ['a'], foreign: false },
        { keys: ['b', 'c'], foreign: false },
      ]);
      stop();
      await keyValues.set('a', 1);
      expect(heard.length).toBe(3);
    });

    it('says nothing when what is not there is removed', async () => {
      const { keyValues } = subject.store;
      const heard: KeyValueChange[] = [];
      keyValues.subscribe((change) => heard.push(change));
      await keyValues.set('a', undefined);
      await keyValues.set('a', 1);
      await keyValues.set('a', undefined);
      expect(await keyValues.get('a')).toBeUndefined();
      expect(heard.map(({ keys }) => keys)).toEqual([['a'], ['a']]);
    });

    it('keeps what was put in last, also of what is put in at once and right after opening', async () => {
      const { keyValues } = subject.store;
      await Promise.all([keyValues.set('a', 1), keyValues.set('a', undefined)]);
      await Promise.all([keyValues.set('b', 1), keyValues.set('b', undefined), keyValues.set('b', 2)]);
      expect(await keyValues.get('a')).toBeUndefined();
      expect(await keyValues.get('b')).toBe(2);
    });

    it('refuses what cannot be kept and keeps the old', async () => {
      const { keyValues } = subject.store;
      await keyValues.set('a', 1);
      await expect(keyValues.set('a', () => 1)).rejects.toMatchObject({
        problem: { code: 'storage-failed' },
      });
      expect(await keyValues.get('a')).toBe(1);
    });
  });
}

/** What a log shared by tabs promises beyond that. `setup` must give `another`. */
export function describeSharedLog(name: string, setup: () => Promise<LogSubject>): void {
  describe(`${name} is shared by tabs`, () => {
    let subject: LogSubject;
    let here: Store;
    let there: Store;
    let a: ConversationId;

    beforeEach(async () => {
      subject = await setup();
      here = subject.store;
      there = await (subject.another as () => Promise<Store>)();
      a = newConversationId();
    });
    afterEach(async () => {
      await there.log.close();
      await subject.dispose();
    });

    const next = (log: ConversationLog) =>
      new Promise<LogChange>((resolve) => {
        const stop = log.subscribe((change) => {
          stop();
          resolve(change);
        });
      });

    it('one tab sees what the other appended, and hears that another did', async () => {
      const heard = next(there.log);
      await here.log.append([entry(a, '1'), entry(LIBRARY_DOCUMENT, '2')]);
      expect(await heard).toEqual({ documents: [a, LIBRARY_DOCUMENT], seq: 2, foreign: true });
      expect(words(await there.log.since(0, 10))).toEqual(['1', '2']);
      const erased = next(there.log);
      await here.log.erase(a);
      expect(await erased).toEqual({ documents: [a], seq: 2, foreign: true });
    });

    it('one tab hears what the other puts into the key-value store', async () => {
      const heard = new Promise<KeyValueChange>((resolve) => there.keyValues.subscribe(resolve));
      await here.keyValues.set('a', { n: 1 });
      expect(await heard).toEqual({ keys: ['a'], foreign: true });
      expect(await there.keyValues.get('a')).toEqual({ n: 1 });
    });

    it('two tabs append at the same time and lose nothing', async () => {
      const wanted: string[] = [];
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => {
          wanted.push(`${n}`);
          return (n % 2 ? here : there).log.append([entry(a, `${n}`)]);
        }),
      );
      const all = await readAll(here.log);
      expect(words(all).sort()).toEqual(wanted.sort());
      expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
      expect(await there.log.stats()).toEqual(await here.log.stats());
    });

    it('appending the same entry from two tabs is appending it once', async () => {
      const same = entry(a, 'once');
      const seqs = await Promise.all([here.log.append([same]), there.log.append([same])]);
      expect(seqs).toEqual([1, 1]);
      expect((await here.log.read(a)).length).toBe(1);
    });

    it('a reader with any bookmark misses nothing while another tab appends and folds', async () => {
      // The snapshot of these folds is the list of words it replaces, so a reader can be checked word by word.
      const seen = new Set<string>();
      let bookmark = 0;
      let writing = true;
      const read = (async () => {
        for (let more = true; more || writing; ) {
          const entries = await here.log.since(bookmark, 3);
          for (const found of entries) {
            for (const word of new TextDecoder().decode(found.bytes).split(' ')) seen.add(word);
            bookmark = found.seq;
          }
          more = entries.length > 0;
        }
      })();
      for (let n = 0; n < 60; n += 1) {
        await there.log.append([entry(a, `w${n}`)]);
        if (n % 10 === 9) {
          const entries = await there.log.read(a);
          await Promise.all([
            there.log.replaceBySnapshot(a, text(words(entries).join(' ')), entries.at(-1)?.seq as number),
            here.log.append([entry(a, `between${n}`)]),
          ]);
        }
      }
      writing = false;
      await read;
      expect(seen.size).toBe(66);
      const kept = words(await here.log.read(a)).flatMap((line) => line.split(' '));
      expect(kept.length).toBe(66);
      expect(new Set(kept)).toEqual(seen);
    });

    it('outlives the tab', async () => {
      await here.log.append([entry(a, '1'), entry(a, '2')], [{ key: 'k', value: 'v' }]);
      await here.log.erase(a);
      await here.log.append([entry(a, '3')]);
      await here.log.close();
      expect(words(await there.log.read(a))).toEqual(['3']);
      const again = await (subject.another as () => Promise<Store>)();
      expect(await again.log.head()).toBe(3);
      expect(await again.log.append([entry(a, '4')])).toBe(4);
      expect(await again.keyValues.get('k')).toBe('v');
      await again.log.close();
    });
  });
}
