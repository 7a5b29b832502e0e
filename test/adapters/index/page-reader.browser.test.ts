// A sealed index whose large files arrive from a second thread while Postgres already runs.
import { describe, expect, it, onTestFailed } from 'vitest';
import { type DataKey, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { ALL, some } from '../../scale.ts';
import type { Answered, Asked, Reader } from './sealed.worker.ts';

/** Opens a sealed index in a thread of its own. A test that fails tells what was asked last. */
async function openSealed(name: string, key: DataKey, reader?: Reader) {
  const worker = new Worker(new URL('./sealed.worker.ts', import.meta.url), { type: 'module', name });
  let last = '';
  onTestFailed(() => console.error(`Asked last of ${name}: ${last}`));
  const ask = (asked: Asked) =>
    new Promise<Answered>((resolve, reject) => {
      last = 'sql' in asked ? asked.sql : Object.keys(asked).join();
      worker.onmessage = ({ data }) => {
        last += ', answered';
        resolve(data);
      };
      worker.onerror = ({ message }) => reject(new Error(`The thread broke: ${message}`));
      worker.postMessage(asked);
    });
  const opened = await ask({ open: key, ...(reader ? { reader } : {}) });
  return {
    opened,
    query: (sql: string) => ask({ sql }),
    close: async () => {
      expect(await ask({ close: true })).toEqual({ rows: [] });
      worker.terminate();
    },
    meanwhile: () => ask({ meanwhile: true }),
    /** Closes it, and damages its large file. */
    hurt: async () => {
      expect(await ask({ close: true })).toEqual({ rows: [] });
      expect(await ask({ hurt: true })).toEqual({ rows: [expect.anything()] });
      worker.terminate();
    },
    kill: () => worker.terminate(),
  };
}

/** 14,000 rows in a table of 16 MB. */
const FILL = [
  'create table large (n integer primary key, much text)',
  `insert into large select n, repeat(md5(n::text), 30) from generate_series(1, 14000) n`,
  'checkpoint',
];
const SUM =
  'select count(*)::integer as n, sum(n)::integer as sum, md5(string_agg(much, $$$$ order by n)) as all from large';

describe('a sealed index that a second thread reads', { timeout: 120_000 }, () => {
  it('has every row while parts still arrive, and keeps what is written meanwhile', async () => {
    const key = await holdDataKey(newDataKey());
    const first = await openSealed('late', key);
    for (const sql of FILL) expect(await first.query(sql)).toHaveProperty('rows');
    let before = await first.query(SUM);
    await first.close();
    const changes = [
      'update large set n = n + 20000 where n % 50 = 7',
      'delete from large where n % 70 = 3',
      'insert into large select n, repeat(md5(n::text), 30) from generate_series(50000, 53000) n',
      'vacuum large',
    ];
    for (const [round, change] of some(changes, 1).entries()) {
      const next = await openSealed('late', key);
      expect(next.opened).toEqual({ remade: false, readers: 1 });
      // Some rounds read first, others write into what may not be there yet.
      if (round % 2 === 0) expect(await next.query(SUM)).toEqual(before);
      expect(await next.query(change)).toHaveProperty('rows');
      before = await next.query(SUM);
      await next.close();
    }
    // The engine’s own thread reads if the second one never starts.
    const last = await openSealed('late', key, 'silent');
    expect(last.opened).toEqual({ remade: false, readers: 1 });
    expect(await last.query(SUM)).toEqual(before);
    await last.close();
  });

  it('does not wait for a part that waits for its own change to be stored', async () => {
    const key = await holdDataKey(newDataKey());
    const first = await openSealed('asked', key);
    for (const sql of FILL) expect(await first.query(sql)).toHaveProperty('rows');
    await first.close();
    const next = await openSealed('asked', key, 'slow');
    expect(next.opened).toEqual({ remade: false, readers: 1 });
    expect(await next.meanwhile()).toEqual({ rows: [expect.anything()] });
    expect(await next.query('create table small as select 1 as one')).toEqual({ rows: [] });
    expect(await next.query('select count(*)::integer as n from large')).toEqual({ rows: [{ n: 14_000 }] });
    await next.close();
  });

  it.skipIf(!ALL)('has what was acknowledged though the thread is killed while parts arrive', async () => {
    const key = await holdDataKey(newDataKey());
    const first = await openSealed('killed', key);
    for (const sql of FILL) expect(await first.query(sql)).toHaveProperty('rows');
    await first.close();
    for (let round = 1; round <= 3; round++) {
      const next = await openSealed('killed', key);
      expect(await next.query(`update large set much = much || '+' where n % 500 = ${round}`)).toHaveProperty(
        'rows',
      );
      next.kill();
    }
    const last = await openSealed('killed', key);
    expect(await last.query(`select count(*)::integer as n from large where much like '%+'`)).toEqual({
      rows: [{ n: 84 }],
    });
    await last.close();
  });

  it('names damage in a part that arrives late, and never answers from it', async () => {
    const key = await holdDataKey(newDataKey());
    const first = await openSealed('hurt', key);
    for (const sql of FILL) await first.query(sql);
    await first.hurt();
    const next = await openSealed('hurt', key);
    // Either it was noticed while opening, and the index is made again, or by the first that reads it.
    if ('remade' in next.opened && next.opened.remade)
      expect(await next.query(SUM)).toMatchObject({ error: expect.stringContaining('large') });
    else expect(await next.query(SUM)).toMatchObject({ isDamaged: true });
    next.kill();
  });
});
