// Reading updates without unpacking them: it agrees with Yjs about what Yjs writes, and
// refuses at once what no client writes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { UpdateTable } from '../../src/relay/update-table.ts';
import { covers, diff, inspect, merge, readVector, snapshot, vectorOf } from '../../src/relay/updates.ts';
import { deep, runs } from '../scale.ts';
import {
  boastfulValues,
  claimedStructs,
  deepJson,
  deepValues,
  encode,
  itemUpdate,
  join,
  manyClients,
  manyDeletions,
  manyGaps,
  manyItems,
  manyJsonTexts,
  manyJsonValues,
  manyValues,
  repeat,
} from './hostile-updates.ts';

const SEED = 20_261_126;
const MANY = 1_000_000;

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, undefined, true, false),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** One step of one of three devices: a number says where, a value what. */
const step = fc.record({
  device: fc.nat(2),
  kind: fc.nat(13),
  at: fc.nat(),
  text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  value,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function takeStep(docs: readonly Y.Doc[], { device, kind, at, text, value }: Step): void {
  const doc = docs[device] as Y.Doc;
  const [array, words, map, xml] = [
    doc.getArray('a'),
    doc.getText('t'),
    doc.getMap('m'),
    doc.getXmlFragment('x'),
  ];
  const json = JSON.parse(JSON.stringify({ text, at }));
  if (kind === 0) array.insert(at % (array.length + 1), [value ?? null]);
  else if (kind === 1) array.insert(at % (array.length + 1), [value ?? null, text, at]);
  else if (kind === 2) array.insert(at % (array.length + 1), [new Uint8Array(Buffer.from(text))]);
  else if (kind === 3 && array.length > 0) array.delete(at % array.length, 1);
  else if (kind === 4) words.insert(at % (words.length + 1), text, at % 3 === 0 ? { bold: json } : undefined);
  else if (kind === 5 && words.length > 0)
    words.delete(at % words.length, Math.min(3, words.length - (at % words.length)));
  else if (kind === 6) map.set(text, value);
  else if (kind === 7) map.set('again', at);
  else if (kind === 8) map.set('nested', new Y.Map([[text, new Y.Array()]]));
  else if (kind === 9) words.insertEmbed(at % (words.length + 1), json);
  else if (kind === 10) xml.insert(0, [new Y.XmlElement('p'), new Y.XmlText(text)]);
  else if (kind === 11) array.insert(0, [new Y.Doc({ meta: json })]);
  else Y.applyUpdate(doc, Y.encodeStateAsUpdate(docs[at % 3] as Y.Doc));
}

/** Every update of three devices, and what each of them holds in the end. */
function writeHistory(steps: readonly Step[]): { updates: Uint8Array[]; states: Uint8Array[] } {
  const updates: Uint8Array[] = [];
  const docs = [11, 12, 13].map((client) => {
    const doc = new Y.Doc();
    doc.clientID = client;
    doc.on('update', (update: Uint8Array) => updates.push(update));
    return doc;
  });
  for (const one of steps) takeStep(docs, one);
  return { updates, states: docs.map((doc) => Y.encodeStateAsUpdate(doc)) };
}
const history = fc
  .array(step, { minLength: 1, maxLength: 40 })
  .map(writeHistory)
  .filter(({ updates }) => updates.length > 0);

const contentOf = (updates: readonly Uint8Array[]) => {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  return {
    a: doc
      .getArray('a')
      .toArray()
      .map((one) => (one instanceof Y.Doc ? one.guid : one instanceof Y.AbstractType ? one.toJSON() : one)),
    t: doc.getText('t').toDelta(),
    m: doc.getMap('m').toJSON(),
    x: doc.getXmlFragment('x').toString(),
    clocks: [...Y.decodeStateVector(Y.encodeStateVector(doc))].sort(),
    isWaiting: doc.store.pendingStructs !== null,
  };
};

describe('what Yjs writes', () => {
  it('is read as Yjs reads it', () => {
    fc.assert(
      fc.property(history, ({ updates, states }) => {
        for (const update of [...updates, ...states]) {
          const table = new UpdateTable(MANY);
          table.add(update);
          const { structs, ds } = Y.decodeUpdate(update);
          const { client, clock, length, count } = table.structs;
          expect(Array.from({ length: count }, (_, row) => [client[row], clock[row], length[row]])).toEqual(
            structs.map(({ id, length }) => [id.client, id.clock, length]),
          );
          const { deletions } = table;
          expect(deletions.count).toBe([...ds.clients.values()].flat().length);
          expect(table.pieces).toBeGreaterThanOrEqual(structs.length + deletions.count);
        }
      }),
      { seed: SEED, numRuns: runs(150, 40) },
    );
  });

  it('means the same merged, in a snapshot, and in parts, and gives the same state vector', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), ({ updates, states }, cut, turn) => {
        const all = [...updates, ...states];
        const log = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)];
        const wanted = contentOf(log);
        const merged = merge(log, MANY).update;
        expect(contentOf([merged])).toEqual(wanted);
        expect(contentOf([snapshot(log, MANY).update])).toEqual(wanted);
        const half = log.slice(0, cut % (log.length + 1));
        const later = log.slice(half.length);
        expect(contentOf([snapshot([snapshot(half, MANY).update, ...later], MANY).update])).toEqual(wanted);
        const part = merge(half, MANY).update;
        const sort = (vector: Uint8Array) => [...Y.decodeStateVector(vector)].sort();
        expect(sort(vectorOf(part, MANY))).toEqual(sort(Y.encodeStateVectorFromUpdate(part)));
        // What a client lacks that has the first half.
        const client = new Y.Doc();
        for (const update of half) Y.applyUpdate(client, update);
        const known = readVector(Y.encodeStateVector(client));
        expect(contentOf([...half, diff(merged, known, MANY)])).toEqual(wanted);
        for (const update of log) expect(covers(merged, update, MANY)).toBe(true);
        expect(covers(snapshot(log, MANY).update, merged, MANY)).toBe(true);
        if (covers(part, updates[0] as Uint8Array, MANY))
          expect(contentOf([part, updates[0] as Uint8Array])).toEqual(contentOf([part]));
      }),
      { seed: SEED, numRuns: runs(150, 40) },
    );
  });

  it('stays readable for Yjs, however it was forged, if it is let in', () => {
    let letIn = 0;
    fc.assert(
      fc.property(
        history,
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        ({ updates }, pick, changes) => {
          const forged = Uint8Array.from(updates[pick % updates.length] ?? []);
          for (const [at, value] of changes) forged[at % forged.length] = value;
          try {
            inspect(forged, MANY);
          } catch {
            return;
          }
          letIn++;
          Y.decodeUpdate(forged);
          const log = [...updates, forged];
          const merged = merge(log, MANY).update;
          for (const written of [merged, snapshot(log, MANY).update, diff(merged, new Map(), MANY)]) {
            inspect(written, MANY);
            Y.decodeUpdate(written);
          }
          expect(covers(merged, forged, MANY) || merged.length > 0).toBe(true);
        },
      ),
      { seed: SEED, numRuns: runs(1500, 400) },
    );
    expect(letIn).toBeGreaterThan(runs(50, 12));
  });

  it('gives up the content of what was deleted, also within a text and between two halves of a character', () => {
    const doc = new Y.Doc();
    const text = doc.getText('t');
    text.insert(0, 'kept 😀 secret 😀 kept');
    const whole = Y.encodeStateAsUpdate(doc);
    const before = Y.encodeStateVector(doc);
    text.delete(8, 6);
    const state = snapshot([whole, Y.encodeStateAsUpdate(doc, before)], MANY).update;
    expect(Buffer.from(state).includes('secret')).toBe(false);
    expect(contentOf([state]).t).toEqual([{ insert: text.toString() }]);
    // A deletion of half a character, which no Yjs client asks for.
    const half = join(encode(0, 1, doc.clientID, 1), encode(6, 1));
    const cut = snapshot([whole, half], MANY).update;
    expect(() => Y.decodeUpdate(cut)).not.toThrow();
    expect(contentOf([cut])).toEqual(contentOf([whole, half]));
  });
});

describe('what nobody writes', () => {
  const PIECES = 250_000;
  const hostile: [string, () => Uint8Array][] = [
    ['values of one byte', () => manyValues(3_900_000)],
    ['values in values', () => deepValues(1_000_000)],
    ['arrays that claim to be endless', () => boastfulValues(50)],
    ['JSON arrays', () => manyJsonValues(2_000_000)],
    ['JSON texts', () => manyJsonTexts(3_000_000)],
    ['JSON in JSON', () => deepJson(3_000_000)],
    ['deleted items', () => manyItems(400_000, 1, encode(1))],
    ['shared types', () => manyItems(60_000, 7, encode(0))],
    ['subdocuments', () => manyItems(10_000, 9, join(encode('d'), Uint8Array.of(118, 0)))],
    ['gaps', () => manyGaps(3_900_000)],
    ['clients', () => manyClients(400_000)],
    ['deletions', () => manyDeletions(400_000)],
    ['structs that are claimed', () => claimedStructs(2 ** 32 - 1)],
    ['a clock without end', () => itemUpdate(1, encode(2 ** 53 - 1), 7, 5)],
    ['a struct without length', () => itemUpdate(1, encode(0))],
    [
      'a long key',
      () => join(encode(1, 1, 7, 0, 8, 1, 'k'.repeat(100_000), 1), Uint8Array.of(127), encode(0)),
    ],
    ['broken UTF-8', () => itemUpdate(4, encode(Uint8Array.of(0xc3, 0x28)))],
    ['broken JSON', () => itemUpdate(5, encode('{"a":'))],
    ['something behind the end', () => join(itemUpdate(1, encode(1)), Uint8Array.of(0))],
  ];

  it.each(hostile)('is refused before it is unpacked: %s', (_, make) => {
    const update = make();
    const before = process.memoryUsage();
    const started = process.cpuUsage();
    expect(() => inspect(update, PIECES)).toThrow();
    const { user, system } = process.cpuUsage(started);
    const after = process.memoryUsage();
    expect(user + system).toBeLessThan(2e6);
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(80e6);
  });

  deep('costs time in proportion to its length, in whatever order it lies', () => {
    const make = (count: number) => [
      // Every second struct is in another update: nothing is harder to merge.
      ...[0, 1].map((odd) => {
        const item = encode(1, 1, 'b', 1);
        const gap = encode(10, 1);
        return join(
          encode(1, count, 7, 0),
          repeat(count, (at) => (at % 2 === odd ? item : gap)),
          encode(0),
        );
      }),
      manyClients(count / 4),
      // A text, and values, each cut by many deletions.
      itemUpdate(4, encode('x'.repeat(count * 2)), 7, 0),
      itemUpdate(8, join(encode(count), new Uint8Array(count).fill(127)), 8),
      manyDeletions(count, 7),
      manyDeletions(count / 2, 8),
    ];
    const timeOf = (count: number) => {
      const updates = make(count);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round++) {
        const started = process.cpuUsage();
        const state = snapshot(updates, 4 * MANY).update;
        diff(state, new Map([[7, count / 2]]), 4 * MANY);
        covers(state, updates[1] as Uint8Array, 4 * MANY);
        best = Math.min(best, process.cpuUsage(started).user);
      }
      return best;
    };
    timeOf(10_000);
    const [short, long] = [timeOf(15_000), timeOf(60_000)];
    // Four times as long: sixteen times as much would be quadratic.
    expect(long / short).toBeLessThan(9);
  });

  it('is no state vector either', () => {
    const endless = join(encode(200_000), new Uint8Array(400_000).fill(1));
    expect(() => readVector(endless)).toThrow('too many');
    expect(() => readVector(encode(3, 1, 1))).toThrow('ends early');
  });
});
