// The real database with its real extensions, in the memory of Node.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/adapters/index/engines.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { migrate, SCHEMA_VERSION } from '../../../src/adapters/index/schema.ts';
import { change, conversation, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';

// One database for all tests: making one takes seconds, emptying one does not.
const database = await PGlite.create({ extensions: { vector, pg_textsearch } });
await migrate(database);
afterAll(() => database.close());

const open = async () => {
  const index = createPgliteIndex(database);
  await index.clear();
  return { ...index, close: async () => {} };
};

describeMemoryIndex('PGlite in memory', { open });

describe('PGlite', () => {
  it('runs in memory where nothing can be kept', { timeout: 120_000 }, async () => {
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
    const first = await index.look(query);
    expect(lookedUp()).toBeGreaterThan(0);
    const knowing = { ...query, ...(first.knownWords ? { knownWords: first.knownWords } : {}) };
    expect(await index.look(knowing)).toMatchObject({ candidates: first.candidates, worth: first.worth });
    expect(lookedUp()).toBe(0);
    expect(await counting().look(knowing)).toMatchObject({ candidates: first.candidates });
    expect(lookedUp()).toBeGreaterThan(0);
  });

  it('tidies up ever more seldom, also while nothing has vectors', { timeout: 120_000 }, async () => {
    let tidied = 0;
    const index = createPgliteIndex({
      close: async () => {},
      query: (sql: string, ...rest: unknown[]) => {
        if (sql === 'vacuum analyze chunks') tidied += 1;
        return database.query(sql, ...(rest as [unknown[]]));
      },
    } as Parameters<typeof createPgliteIndex>[0]);
    await index.clear();
    for (let at = 0; at < 3_000; at += 100)
      await index.apply(
        change({ messages: Array.from({ length: 100 }, (_, n) => message(at + n + 1, `word${n}`)) }),
        at + 1,
      );
    // At 500, 1,000, 1,500 and 2,250 messages.
    expect(tidied).toBeLessThanOrEqual(4);
    expect(tidied).toBeGreaterThanOrEqual(3);
    await index.clear();
  });

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
});
