// The real database with its real extensions, in the memory of Node.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openEngine } from '../../../src/adapters/index/engines.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { migrate, SCHEMA_VERSION } from '../../../src/adapters/index/schema.ts';
import { deep, runs } from '../../scale.ts';
import { change, conversation, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';
import { readAssembled } from '../assembled.ts';
import { openDatabase, packedCluster } from './database.ts';

// One database for all tests: making one takes seconds, emptying one does not.
const database = await openDatabase();
afterAll(() => database.close());

const open = async () => {
  const index = createPgliteIndex(database, { readAssembly: readAssembled });
  await index.clear();
  return { ...index, close: async () => {} };
};

describeMemoryIndex('PGlite in memory', { open });

it('merges no more of the index of words at once than memory has room for', async () => {
  const { rows } = await database.query('show pg_textsearch.max_segment_size');
  expect(rows).toEqual([{ 'pg_textsearch.max_segment_size': '32MB' }]);
});

const MODEL = 'local:test';
const SAID = ['How often?', 'Run restic every night', 'Thanks a lot'];

/** The numbered steps of the schema, oldest first. */
const STEPS = Object.entries(
  import.meta.glob<string>('../../../src/adapters/index/schema/0*.sql', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, step]) => step);

/** Makes the index as an app of that version left it: read up to 7, three messages, the last one without its vector. */
async function makeOld(empty: PGlite, version: number): Promise<void> {
  await empty.exec(
    'create table schema_version (version integer primary key, applied_at timestamptz not null default now())',
  );
  for (const step of STEPS.slice(0, version)) await empty.exec(step);
  await empty.query('insert into schema_version (version) select generate_series(1, $1::integer)', [version]);
  await empty.exec(`
    update state set bookmark = 7;
    insert into models (id, dimensions) values ('${MODEL}', 3);
    insert into conversations (id, title, created_at, updated_at) values ('${conversation(1).id}', 'Backups', 1, 1);
  `);
  for (const [at, text] of SAID.entries()) {
    const { id, createdAt, chunks } = message(at + 1, text);
    await empty.query(
      `insert into messages (id, conversation, role, content, token_count, created_at, has_code)
       values ($1, 1, 'user', '[]', 7, $2, false)`,
      [id, createdAt],
    );
    await empty.query(
      `insert into chunks (message, conversation, ordinal, role, created_at, has_code, priority, hash, text, words)
       values ($1, 1, 0, 'user', $2, false, 1, $3, $4, $5)`,
      [at + 1, createdAt, chunks[0]?.hash, text, chunks[0]?.words],
    );
  }
  await empty.exec(`insert into vectors (chunk, model, v) values (1, 1, '[0,1,0]'), (2, 1, '[1,0,0]')`);
  if (version >= 3)
    await empty.exec(
      `insert into pieces (chunk, model, signs) values (2, 1, decode(repeat('0f', 32), 'hex'))`,
    );
  if (version >= 4)
    await empty.exec(`
      insert into waiting (chunk, message, conversation, priority) values (3, 3, 1, 1);
      update state set waits_for = '${MODEL}';
    `);
}

/** What the steps make: columns, indexes, and which steps were taken. */
async function shapeOf(migrated: PGlite): Promise<unknown> {
  const { rows } = await migrated.query(`
    select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as shape
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select 'version ' || version from schema_version
    order by 1`);
  return rows;
}

describe('PGlite', () => {
  it('runs in memory where nothing can be kept', { timeout: 120_000 }, async () => {
    // Other tests of this process have one.
    vi.stubGlobal('indexedDB', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const opened = await openEngine({ wanted: 'auto' });
    expect(opened.engine).toBe('memory');
    expect(opened.passedOver.map((one) => one.engine)).toEqual(['opfs', 'indexeddb']);
    await opened.database.close();
  });

  it('moves neither rows nor bookmark when a change fails half-way', async () => {
    const index = await open();
    await index.apply(change({ conversations: [conversation(1)], messages: [message(1, 'kept')] }), 3);
    const tooMany = message(2, 'lost', { tokenCount: 3e9 });
    const broken = change({
      conversations: [conversation(2)],
      removedMessages: [message(1, '').id],
      messages: [message(3, 'also lost'), tooMany],
    });
    await expect(index.apply(broken, 4)).rejects.toMatchObject({ problem: { code: 'index-unavailable' } });
    expect(await index.bookmark()).toBe(3);
    expect(await index.stats('any')).toMatchObject({ conversations: 1, messages: 1, chunks: 1 });
  });

  it('looks words up once, and of what another index says of them nothing', async () => {
    const asked: string[] = [];
    const counting = () =>
      createPgliteIndex({
        close: async () => {},
        query: (sql: string, ...rest: unknown[]) => {
          asked.push(sql);
          return database.query(sql, ...(rest as [unknown[]]));
        },
      } as Parameters<typeof createPgliteIndex>[0]);
    const index = counting();
    await index.clear();
    await index.apply(change({ messages: [message(1, 'apple pear'), message(2, 'pear')] }), 1);
    const lookedUp = () => asked.splice(0).filter((sql) => sql.includes('to_bm25query')).length;
    const query = { words: 'apple pear', filter: {}, limit: 5 };
    const first = await index.search(query);
    expect(lookedUp()).toBeGreaterThan(0);
    const knowing = { ...query, ...(first.knownWords ? { knownWords: first.knownWords } : {}) };
    expect(await index.search(knowing)).toMatchObject({ candidates: first.candidates, idf: first.idf });
    expect(lookedUp()).toBe(0);
    expect(await counting().search(knowing)).toMatchObject({ candidates: first.candidates });
    expect(lookedUp()).toBeGreaterThan(0);
  });

  deep.each([
    ['one session', 30],
    ['sessions of a hundred messages', 1],
  ])(
    'tidies up ever more seldom, in %s, also while nothing has vectors',
    { timeout: 120_000 },
    async (_, asMany) => {
      let tidied = 0;
      const begin = () =>
        createPgliteIndex({
          close: async () => {},
          query: (sql: string, ...rest: unknown[]) => {
            if (sql === 'vacuum analyze chunks') tidied += 1;
            return database.query(sql, ...(rest as [unknown[]]));
          },
        } as Parameters<typeof createPgliteIndex>[0]);
      let index = begin();
      await index.clear();
      for (let batch = 0; batch < 30; batch += 1) {
        if (batch % asMany === 0) index = begin();
        const messages = Array.from({ length: 100 }, (_, n) =>
          message(batch * 100 + n + 1, `word${n} ${'and more '.repeat(40)}`),
        );
        await index.apply(change({ messages }), batch + 1);
      }
      expect(tidied).toBeLessThanOrEqual(8);
      expect(tidied).toBeGreaterThanOrEqual(3);
      await index.clear();
    },
  );

  it('says how much room it takes', async () => {
    const index = await open();
    expect((await index.stats('any')).bytes).toBeGreaterThan(1_000_000);
  });

  it('says so when there is no room', async () => {
    const full = Object.assign(new Error('The current transaction exceeded its limits.'), {
      name: 'QuotaExceededError',
    });
    const index = createPgliteIndex({ close: async () => {}, query: () => Promise.reject(full) });
    await expect(index.apply(change({}), 1)).rejects.toMatchObject({ problem: { code: 'storage-full' } });
  });

  it('refuses a newer schema and leaves it as it is', async () => {
    const index = await open();
    await index.apply(change({ messages: [message(1, 'kept')] }), 3);
    await migrate(database);
    await database.query('insert into schema_version (version) values ($1)', [SCHEMA_VERSION + 1]);
    await expect(migrate(database)).rejects.toMatchObject({
      problem: { code: 'newer-index', params: { found: SCHEMA_VERSION + 1, known: SCHEMA_VERSION } },
    });
    await database.query('delete from schema_version where version > $1', [SCHEMA_VERSION]);
    expect(await index.bookmark()).toBe(3);
  });

  // The oldest goes through every step.
  it.each(STEPS.slice(0, runs(STEPS.length - 1, 1)).map((_, at) => at + 1))(
    'brings an index of schema %i to the present one with all that is in it',
    { timeout: 120_000 },
    async (version) => {
      const old = await PGlite.create({
        extensions: { vector, pg_textsearch },
        loadDataDir: await packedCluster(),
      });
      try {
        await makeOld(old, version);
        await migrate(old);
        expect(await shapeOf(old)).toEqual(await shapeOf(database));

        const index = createPgliteIndex(old);
        expect(await index.bookmark()).toBe(7);
        const all = { conversations: 1, messages: 3, chunks: 3 };
        expect(await index.stats(MODEL)).toMatchObject({ ...all, vectors: 2 });
        const query = {
          words: 'restic',
          vector: { model: MODEL, values: Float32Array.of(1, 0, 0) },
          filter: {},
          limit: 5,
        };
        const hits = async () =>
          (await index.search(query)).candidates.map(({ messageId, bm25, cosine }) => ({
            messageId,
            said: bm25 > 0,
            cosine,
          }));
        const before = await hits();
        expect(before.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))).toEqual([
          { messageId: message(1, '').id, said: false, cosine: 0 },
          { messageId: message(2, '').id, said: true, cosine: 1 },
        ]);
        const third = { embedded: 'Thanks a lot', conversationId: conversation(1).id };
        expect(await index.pendingChunks(MODEL, 10)).toMatchObject([third]);

        // It goes on where it was: what is read again keeps its vectors, what is new comes in.
        const [first, second] = SAID.map((text, at) => message(at + 1, text));
        if (!first || !second) throw new Error('Nothing was said');
        await index.apply(change({ messages: [{ ...second, before: first.id }, message(4, 'borg')] }), 8);
        expect(await hits()).toEqual(before);
        expect(await index.stats(MODEL)).toMatchObject({ messages: 4, chunks: 4, vectors: 2 });
        expect(await index.pendingChunks(MODEL, 10)).toMatchObject([third, { embedded: 'borg' }]);
      } finally {
        await old.close();
      }
    },
  );
});
