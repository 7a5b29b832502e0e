// The copy of the vectors in memory: that it names the nearest, and that the index finds with it what it finds without.
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createNearest } from '../../../src/adapters/index/nearest.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { fromHex } from '../../../src/adapters/index/statements.ts';
import { ALL, runs } from '../../scale.ts';
import { change, conversation, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';
import { compileAssembled, readAssembled } from '../assembled.ts';
import { openDatabase } from './database.ts';
import { vectorOf } from './load.ts';

const database = await openDatabase();
const code = await compileAssembled('dot-products');
afterAll(() => database.close());

// The contract without the vectors in memory is in `pglite.test.ts`; that both find the same is below.
if (ALL)
  describeMemoryIndex('PGlite with its vectors in memory', {
    open: async () => {
      const index = createPgliteIndex(database, { holdFrom: 0, readAssembly: readAssembled });
      await index.clear();
      return { ...index, close: async () => {} };
    },
    runs: runs(10),
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
    return { chunk, maxSim: dot / Math.sqrt(square) };
  });
  return rated
    .sort((a, b) => b.maxSim - a.maxSim)
    .slice(0, count)
    .map(({ chunk }) => chunk);
}

describe('the vectors in memory', () => {
  it('name those that are nearest, whatever their length, also after some were replaced', async () => {
    const nearest = createNearest(8, code);
    const scaled = (n: number) =>
      vectorOf(n)
        .subarray(0, 8)
        .map((value) => value * (0.01 + (n % 7)));
    // More than one piece of memory holds.
    const first = Array.from({ length: 5_000 }, (_, n) => [n + 1, scaled(n)] as const);
    nearest.take(await rowsOf(first));
    const again = Array.from({ length: 300 }, (_, n) => [n * 15 + 1, scaled(n + 50_000)] as const);
    nearest.take(await rowsOf(again));
    const all = [...new Map([...first, ...again])];
    expect(nearest.size).toBe(5_000);
    for (const n of [70_001, 70_002, 70_003]) {
      const asked = vectorOf(n).subarray(0, 8);
      const found = new Set(nearest.find(asked, 200).chunks);
      expect(found.size).toBe(200);
      expect(largest(all, asked, 50).filter((chunk) => !found.has(chunk))).toEqual([]);
    }
  });

  it('leave out none that is nearer than they say, however many are equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 }), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(59), { maxLength: 9 }),
        async (rows, to, count, gone) => {
          fc.pre(to.some((value) => value !== 0));
          const nearest = createNearest(3, code);
          nearest.take(await rowsOf(rows.map((row, at) => [at, Float32Array.from(row)])));
          nearest.remove(gone);
          const { chunks, largestOmitted: bar } = nearest.find(Float32Array.from(to), count);
          expect(new Set(chunks).size).toBe(Math.min(count, rows.length));
          for (const [at, row] of rows.entries()) {
            if (chunks.includes(at) || gone.includes(at)) continue;
            const dot = row.reduce((sum, value, one) => sum + value * (to[one] as number), 0);
            expect(dot / (Math.hypot(...row) || 1) / Math.hypot(...to)).toBeLessThanOrEqual(bar);
          }
        },
      ),
      { numRuns: runs(300, 12) },
    );
  });

  it('take odd lengths, zeros, and tiny and large numbers as they come', async () => {
    const number = fc.double({ min: -60_000, max: 60_000, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(number, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 9 }),
        async (rows) => {
          const nearest = createNearest(5, code);
          nearest.take(await rowsOf(rows.map((row, at) => [at, Float32Array.from(row)])));
          expect(nearest.find(Float32Array.of(1, 0, 0, 0, 0), 3).chunks).toHaveLength(
            Math.min(3, rows.length),
          );
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
  it('finds what it finds without, whatever changes', { timeout: 120_000 }, async () => {
    let fromMemory = 0;
    const naming = new Set<string>();
    const held = createPgliteIndex(
      {
        close: async () => {},
        query: (sql, parameters) => {
          const [, verb, name = ''] = /^(\w+) (\w+)/.exec(sql) ?? [];
          if (verb === 'prepare' && sql.includes('as likely')) naming.add(name);
          if (verb === 'execute' && naming.has(name)) fromMemory++;
          return database.query(sql, parameters);
        },
      },
      { holdFrom: 0, readAssembly: readAssembled },
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
    let first: number | undefined;
    const embed = async () => {
      const stale = await held.pendingChunks('m', 2_000);
      first ??= Math.min(...stale.map(({ id }) => id));
      const from = first;
      await held.put(
        'm',
        stale.map(({ id }) => ({ chunkId: id, values: vectorOf(id - from) })),
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
          const [mine, other] = [await held.search(query), await plain.search(query)];
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
    const [one] = (await plain.search({ words: 'word7', filter: {}, limit: 1 })).candidates;
    const nearestNow = { model: 'm', values: vectorOf(90_001) };
    await held.put('m', [{ chunkId: one?.chunkId as number, values: nearestNow.values }]);
    // Also those that ask at the same time know what was put before.
    for (const { candidates } of await Promise.all(
      [1, 2, 3].map(() => held.search({ words: '', vector: nearestNow, filter: {}, limit: 2 })),
    ))
      expect(candidates.map(({ cosine }) => cosine?.toFixed(3))).toEqual(['1.000', '1.000']);
    await same();
    await held.apply(
      change({ removedConversations: [conversation(1_000).id, conversation(0).id] }),
      ++bookmark,
    );
    await say(3_000, 3_020);
    await embed();
    await same();
    // One thing said so often that not all can be named, twenty nearer before it, and the nearest after it.
    const asked = vectorOf(80_001);
    const put = async (off: (n: number) => number) => {
      const stale = await held.pendingChunks('m', 20);
      const values = (n: number) => asked.map((value, at) => value + (at < 40 ? off(n) : 0));
      await held.put(
        'm',
        stale.map(({ id }, n) => ({ chunkId: id, values: values(n) })),
      );
      return stale[0]?.id;
    };
    await say(4_000, 4_020);
    await put((n) => 0.1 + n / 1_000);
    await say(4_100, 4_400, () => 'again');
    await put(() => 0.4);
    await say(5_000, 5_001);
    const nearest = await put(() => 0);
    const { candidates } = await held.search({
      words: '',
      vector: { model: 'm', values: asked },
      filter: {},
      limit: 20,
    });
    expect(candidates.map(({ chunkId }) => chunkId)).toContain(nearest);
    await inMemory();
  });
});
