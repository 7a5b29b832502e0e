// How the relay reads frames and updates: no client can send what makes a room unreadable for others.
import fc from 'fast-check';
import * as encoding from 'lib0/encoding';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { readFrame, updateFrame } from '../../src/relay/frames.ts';
import * as updates from '../../src/relay/updates.ts';

const RUNS = Number(process.env.RUNS ?? 600);

const PIECES = 250_000;
const merge = (all: readonly Uint8Array[]) => updates.merge(all, 4 * PIECES).update;
const snapshot = (all: readonly Uint8Array[]) => updates.snapshot(all, 4 * PIECES).update;
const inspect = (update: Uint8Array) => updates.inspect(update, PIECES);
const diff = (state: Uint8Array, vector: Uint8Array) =>
  updates.diff(state, updates.readVector(vector), 4 * PIECES);
const vectorOf = (state: Uint8Array) => updates.vectorOf(state, 4 * PIECES);
const covers = (state: Uint8Array, update: Uint8Array) => updates.covers(state, update, 4 * PIECES);

/** Updates of a few devices that edit texts, maps and arrays of blobs, some of them out of touch with one another. */
function writeHistory(seed: number): Uint8Array[] {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const docs = [1, 2, 3].map((clientID) => {
    const doc = new Y.Doc();
    doc.clientID = clientID + next(1000) * 10;
    return doc;
  });
  const updates: Uint8Array[] = [];
  for (const doc of docs) doc.on('update', (update: Uint8Array) => updates.push(update));
  for (let step = 0; step < 24; step++) {
    const doc = docs[next(3)] as Y.Doc;
    const [array, text, map] = [doc.getArray('a'), doc.getText('t'), doc.getMap('m')];
    const kind = next(7);
    if (kind === 0) array.insert(next(array.length + 1), [new Uint8Array([step, next(256)])]);
    else if (kind === 1 && array.length > 0) array.delete(next(array.length), 1);
    else if (kind === 2) text.insert(next(text.length + 1), `w${step}`);
    else if (kind === 3 && text.length > 0) text.delete(next(text.length), 1);
    else if (kind === 4) map.set(`k${next(3)}`, { deep: [step, null, 'x'] });
    else if (kind === 5) map.set(`n${next(2)}`, new Y.Map([['v', step]]));
    else Y.applyUpdate(doc, Y.encodeStateAsUpdate(docs[next(3)] as Y.Doc));
  }
  return updates;
}
const contentOf = (updates: readonly Uint8Array[]) => {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  return {
    a: doc.getArray('a').toJSON(),
    t: doc.getText('t').toString(),
    m: doc.getMap('m').toJSON(),
    waiting: doc.store.pendingStructs !== null,
  };
};
const history = fc.integer({ min: 1, max: 1e9 }).map(writeHistory);

describe('updates', () => {
  it('mean the same merged, in a snapshot, and in parts, in any order', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), fc.nat(), (updates, order, cut) => {
        const shuffled = updates
          .map((update) => ({ update, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ update }) => update);
        const wanted = contentOf(updates);
        expect(contentOf([merge(shuffled)])).toEqual(wanted);
        expect(contentOf([snapshot(shuffled)])).toEqual(wanted);
        // A fold in the middle, with gaps in it.
        const half = cut % (shuffled.length + 1);
        const folded = [snapshot(shuffled.slice(0, half)), ...shuffled.slice(half)];
        expect(contentOf(folded)).toEqual(wanted);
        expect(contentOf([snapshot(folded)])).toEqual(wanted);
        // What a client that has the first half lacks.
        const client = new Y.Doc();
        for (const update of updates.slice(0, half)) Y.applyUpdate(client, update);
        Y.applyUpdate(client, diff(merge(folded), Y.encodeStateVector(client)));
        expect(client.getArray('a').toJSON()).toEqual(wanted.a);
        expect(client.getText('t').toString()).toEqual(wanted.t);
      }),
      { numRuns: 60 },
    );
  });

  it('that are covered would change nothing, and a whole history covers its parts', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (updates, cut, pick) => {
        const state = merge(updates.slice(0, cut % (updates.length + 1)));
        const update = updates[pick % updates.length];
        if (!update) return;
        if (covers(state, update)) expect(contentOf([state, update])).toEqual(contentOf([state]));
        const all = merge(updates);
        for (const one of updates) expect(covers(all, one)).toBe(true);
        expect(covers(snapshot(updates), all)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('that can be read leave the room readable, however they came to be', () => {
    let letIn = 0;
    fc.assert(
      fc.property(
        history,
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        (updates, pick, changes) => {
          const forged = Uint8Array.from(updates[pick % updates.length] ?? []);
          for (const [at, value] of changes) forged[at % forged.length] = value;
          try {
            inspect(forged);
          } catch {
            return;
          }
          letIn++;
          const log = [...updates, forged];
          const merged = merge(log);
          const vector = vectorOf(merged);
          diff(merged, vector);
          diff(merged, new Uint8Array([0]));
          covers(merged, forged);
          covers(merge(updates), forged);
          const condensed = snapshot(log);
          merge([condensed, forged]);
          vectorOf(condensed);
          // A client that gets the log in order still has the earlier content.
          merge([merged, ...updates]);
        },
      ),
      { numRuns: RUNS },
    );
    expect(letIn).toBeGreaterThan(RUNS / 20);
  });
});

describe('frames', () => {
  it('are read or refused, and never anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          readFrame(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('carry what was put into them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (update) => {
        expect(readFrame(updateFrame(update))).toEqual({ type: 'update', update, answer: false });
      }),
    );
  });
});

describe('few bytes that would unpack into much', () => {
  /** `count` items of two bytes each. */
  const dense = (count: number) => {
    const encoder = encoding.createEncoder();
    for (const number of [1, count, 7, 0]) encoding.writeVarUint(encoder, number);
    encoding.writeUint8Array(
      encoder,
      new Uint8Array(count * 2).map((_, at) => at % 2),
    );
    encoding.writeVarUint(encoder, 0);
    return encoding.toUint8Array(encoder);
  };
  const deletions = (count: number) => {
    const encoder = encoding.createEncoder();
    for (const number of [0, 1, 7, count]) encoding.writeVarUint(encoder, number);
    for (let at = 0; at < count; at += 1) {
      encoding.writeVarUint(encoder, 2);
      encoding.writeVarUint(encoder, 1);
    }
    return encoding.toUint8Array(encoder);
  };

  it('are no update, while many pieces of an honest document are', () => {
    expect(inspect(dense(100_000)).isEmpty).toBe(false);
    const before = process.memoryUsage().heapUsed;
    for (const update of [dense(4_000_000), deletions(4_000_000)])
      expect(() => inspect(update)).toThrow('too many pieces');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200e6);
  });

  it('of several clients are one room as long as all of it stays within its bound', () => {
    const room = Array.from({ length: 6 }, (_, at) => {
      const update = dense(100_000);
      // Each from another client.
      update[4] = 20 + at;
      return update;
    });
    const state = snapshot(room);
    expect(covers(state, new Uint8Array([0, 0]))).toBe(true);
    for (const update of room) expect(covers(state, update)).toBe(true);
    // Structs that are nothing but deleted are joined, as Yjs joins them.
    expect(state.length).toBeLessThan(100);
    expect(() => updates.merge(room, 500_000)).toThrow('too many pieces');
  });

  it('are no awareness and no state vector', () => {
    const frame = (...parts: (number | Uint8Array)[]) => {
      const encoder = encoding.createEncoder();
      for (const part of parts)
        if (typeof part === 'number') encoding.writeVarUint(encoder, part);
        else encoding.writeVarUint8Array(encoder, part);
      return encoding.toUint8Array(encoder);
    };
    expect(() => readFrame(frame(1, new Uint8Array(2000)))).toThrow('too long');
    expect(() => readFrame(frame(0, 0, new Uint8Array(2_000_000)))).toThrow('too long');
    expect(readFrame(frame(0, 0, new Uint8Array(1000))).type).toBe('step1');
  });
});
