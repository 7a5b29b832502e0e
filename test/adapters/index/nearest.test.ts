// The copy of the vectors in memory: that it names the nearest, and that the index finds with it what it finds without.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createNearest, fromHex } from '../../../src/adapters/index/nearest.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { migrate } from '../../../src/adapters/index/schema.ts';
import { change, conversation, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';
import { DIMENSIONS, vectorOf } from './load.ts';

const database = await PGlite.create({ extensions: { vector, pg_textsearch } });
await migrate(database);
afterAll(() => database.close());

describeMemoryIndex('PGlite with its vectors in memory', {
  open: async () => {
    const index = createPgliteIndex(database, { holdFrom: 0 });
    await index.clear();
    return { ...index, close: async () => {} };
  },
  runs: 10,
});

/** Rows as the database sends them. */
async function rowsOf(vectors: readonly (readonly [number, Float32Array])[]): Promise<Uint8Array> {
  const { rows } = await database.query<{ rows: string }>(
    `select string_agg(int4send((v ->> 0)::integer) || halfvec_send((v ->> 1)::vector::halfvec), '')::text as rows
     from json_array_elements($1::json) as v`,
    [JSON.stringify(vectors.map(([chunk, values]) => [chunk, JSON.stringify([...values])]))],
  );
  return fromHex(rows[0]?.rows ?? '');
}
/** The nearest by cosine, as exact arithmetic has them. */
function largest(vectors: readonly (readonly [number, Float32Array])[], to: Float32Array, count: number) {
  const rated = vectors.map(([chunk, values]) => {
    let [dot, square] = [0, 0];
    for (let at = 0; at < values.length; at++) {
      dot += (values[at] as number) * (to[at] as number);
      square += (values[at] as number) ** 2;
    }
    return { chunk, likeness: dot / Math.sqrt(square) };
  });
  return rated
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ chunk }) => chunk);
}

describe('the vectors in memory', () => {
  it('name those that are nearest, whatever their length, also after some were replaced', async () => {
    const nearest = createNearest(DIMENSIONS);
    const scaled = (n: number) => vectorOf(n).map((value) => value * (0.01 + (n % 7)));
    const first = Array.from({ length: 3_000 }, (_, n) => [n + 1, scaled(n)] as const);
    nearest.take(await rowsOf(first));
    const again = Array.from({ length: 300 }, (_, n) => [n * 3 + 1, scaled(n + 50_000)] as const);
    nearest.take(await rowsOf(again));
    const all = [...new Map([...first, ...again])];
    expect(nearest.size).toBe(3_000);
    for (const n of [70_001, 70_002, 70_003]) {
      const found = new Set(nearest.find(vectorOf(n), 200));
      expect(found.size).toBe(200);
      expect(largest(all, vectorOf(n), 50).filter((chunk) => !found.has(chunk))).toEqual([]);
    }
  });

  it('take odd lengths, zeros, and tiny and large numbers as they come', async () => {
    const number = fc.double({ min: -60_000, max: 60_000, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(number, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 9 }),
        async (rows) => {
          const nearest = createNearest(5);
          nearest.take(await rowsOf(rows.map((row, at) => [at, Float32Array.from(row)])));
          expect(nearest.find(Float32Array.of(1, 0, 0, 0, 0), 3)).toHaveLength(Math.min(3, rows.length));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('read hexadecimal text', () => {
    expect([...fromHex('\\x00ff1a7F')]).toEqual([0, 255, 26, 127]);
    expect(fromHex('\\x')).toHaveLength(0);
  });
});

describe('an index with its vectors in memory', () => {
  // Un-skipped when the copy in memory is known to miss nothing after replacements; until then the app does not hold one.
  it.skip('finds what it finds without, whatever changes', async () => {
    let fromMemory = 0;
    const held = createPgliteIndex(
      {
        close: async () => {},
        query: (sql, parameters) => {
          if (sql.includes('as likely')) fromMemory++;
          return database.query(sql, parameters);
        },
      },
      { holdFrom: 0 },
    );
    const plain = createPgliteIndex(database, { holdFrom: Number.POSITIVE_INFINITY });
    await held.clear();
    let bookmark = 0;
    const say = (from: number, to: number, text = (n: number) => `word${n}`) =>
      held.apply(
        change({
          conversations: [conversation(from)],
          messages: Array.from({ length: to - from }, (_, at) =>
            message(from + at, text(from + at), { conversationId: conversation(from).id }),
          ),
        }),
        ++bookmark,
      );
    const embed = async (shift = 0) => {
      const stale = await held.stale('m', 2_000);
      await held.put(
        'm',
        stale.map(({ id }) => ({ chunkId: id, values: vectorOf(id + shift) })),
      );
    };
    const same = async () => {
      for (const n of [1, 2, 3])
        for (const filter of [
          {},
          { excludeConversationIds: [conversation(0).id] },
          { roles: ['user' as const] },
        ]) {
          const query = {
            words: '',
            vector: { model: 'm', values: vectorOf(90_000 + n) },
            filter,
            limit: 20,
          };
          const [mine, other] = [await held.look(query), await plain.look(query)];
          // Of two that are equally near either may be the last.
          const named = ({ candidates }: typeof mine) =>
            candidates.map(({ cosine }) => cosine?.toFixed(6)).sort();
          expect(named(mine)).toEqual(named(other));
          if (Object.keys(filter).length === 0) expect(mine.candidates).toHaveLength(20);
        }
    };
    const inMemory = () =>
      vi.waitFor(
        async () => {
          const before = fromMemory;
          await same();
          expect(fromMemory).toBeGreaterThan(before);
        },
        { timeout: 20_000 },
      );

    await say(0, 400);
    await embed();
    await inMemory();
    // More of them; equal ones, whose vectors come with the rows; others in their place; and most of them gone.
    await say(1_000, 1_300);
    await embed();
    await same();
    await say(2_000, 2_100, (n) => `word${n - 2_000}`);
    await same();
    const [first] = (await plain.look({ words: 'word7', filter: {}, limit: 1 })).candidates;
    await held.put('m', [{ chunkId: first?.chunkId as number, values: vectorOf(90_001) }]);
    await same();
    await held.forget(conversation(1_000).id);
    await held.apply(change({ removedConversations: [conversation(0).id] }), ++bookmark);
    await say(3_000, 3_020);
    await embed();
    await same();
    await inMemory();
  });
});
