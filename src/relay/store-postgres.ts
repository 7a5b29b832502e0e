// The shared store: tables in PostgreSQL, for any number of relays. A room's row is locked by whoever appends to it, so positions are
// given in the order of commits and a reader that has seen position n has seen all before. NOTIFY says which rooms moved, never what
// is in them: a lost one costs time, because after every new LISTEN all rooms are looked at.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createGroupCommit } from './group-commit.ts';
import { type Appended, type Change, ErasedError, type RelayStore, type RoomId } from './store.ts';

const SCHEMA = `
create table if not exists relay_room (
  account text not null, room text not null, head bigint not null, bytes bigint not null,
  erased boolean not null default false, primary key (account, room));
create table if not exists relay_entry (
  account text not null, room text not null, position bigint not null, body bytea not null,
  primary key (account, room, position));
alter table relay_entry alter column body set storage external;
create table if not exists relay_erased_account (account text primary key);`;
// Any number that nobody else locks with: relays that start at once make the tables one after the other.
const SCHEMA_LOCK = 7_263_551;
const CHANNEL = 'recollect_relay';
const RETRY_MS = 500;
/** How long the ear is given to answer that it is there, ms. */
const EAR_ANSWER_MS = 10_000;

/**
 * Connects to `url` and makes the tables where they are missing. Rejects where the server cannot be reached. `earLookMs`: how often the
 * connection that listens is asked whether it is still there, ms: one that died without a word would be silent, as it is when all is well.
 */
export async function openPostgresStore(
  url: string,
  { poolSize = 12, earLookMs = 30_000 } = {},
): Promise<RelayStore> {
  const node = randomUUID();
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    query_timeout: 40_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const pool = new pg.Pool({ ...connection, max: poolSize });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});

  async function transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken ??= failure;
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  await transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    await client.query(SCHEMA);
  });

  /** Who appends shares the account's lock, who erases the account holds it alone: nothing is written behind an erasure. */
  async function lockAccounts(client: pg.PoolClient, accounts: string[], how: 'shared' | 'alone') {
    const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await client.query(`select ${lock}(hashtextextended(a, 0)) from unnest($1::text[]) a`, [accounts]);
  }
  const notify = (client: pg.PoolClient, names: string[]) =>
    client.query('select pg_notify($1, p) from unnest($2::text[]) p', [
      CHANNEL,
      names.map((name) => `${node} ${name}`),
    ]);

  const commits = createGroupCommit<{ id: RoomId; update: Uint8Array }, Appended>((inputs) =>
    transaction(async (client) => {
      const rooms = new Map<string, { id: RoomId; bodies: Uint8Array[]; bytes: number }>();
      for (const { id, update } of inputs) {
        const key = `${id.account}/${id.room}`;
        const room = rooms.get(key) ?? { id, bodies: [], bytes: 0 };
        rooms.set(key, room);
        room.bodies.push(update);
        room.bytes += update.length;
      }
      // Rows are locked in one order by everybody, so that two relays never wait for each other.
      const sorted = [...rooms.keys()]
        .sort()
        .map((key) => ({ key, ...(rooms.get(key) as NonNullable<ReturnType<typeof rooms.get>>) }));
      await lockAccounts(client, [...new Set(sorted.map(({ id }) => id.account))], 'shared');
      const heads = await client.query<{ account: string; room: string; head: number; bytes: number }>(
        `insert into relay_room as r (account, room, head, bytes)
           select i.* from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) i(account, room, head, bytes)
           where not exists (select from relay_erased_account e where e.account = i.account)
         on conflict (account, room) do update set head = r.head + excluded.head, bytes = r.bytes + excluded.bytes
           where not r.erased
         returning account, room, head::float8 as head, bytes::float8 as bytes`,
        [
          sorted.map(({ id }) => id.account),
          sorted.map(({ id }) => id.room),
          sorted.map(({ bodies }) => bodies.length),
          sorted.map(({ bytes }) => bytes),
        ],
      );
      const next = new Map<string, { position: number; bytes: number }>();
      const rows: { id: RoomId; position: number; body: Uint8Array }[] = [];
      for (const row of heads.rows) {
        const key = `${row.account}/${row.room}`;
        const room = rooms.get(key);
        if (!room) continue;
        const first = row.head - room.bodies.length + 1;
        next.set(key, { position: first, bytes: row.bytes });
        room.bodies.forEach((body, index) => {
          rows.push({ id: room.id, position: first + index, body });
        });
      }
      await client.query(
        'insert into relay_entry select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])',
        [
          rows.map(({ id }) => id.account),
          rows.map(({ id }) => id.room),
          rows.map(({ position }) => position),
          rows.map(({ body }) => body),
        ],
      );
      await notify(client, [...next.keys()]);
      return inputs.map(({ id }) => {
        const room = next.get(`${id.account}/${id.room}`);
        return room ? { position: room.position++, bytes: room.bytes } : new ErasedError();
      });
    }),
  );

  const listeners = new Set<(change: Change) => void>();
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  let closed = false;
  /** The next try to listen, or the next look whether it still does. */
  let earClock: ReturnType<typeof setTimeout> | undefined;
  let ear: pg.Client | undefined;

  function listen() {
    const client = new pg.Client({ ...connection, query_timeout: Math.min(EAR_ANSWER_MS, earLookMs) });
    ear = client;
    let over = false;
    const again = () => {
      if (over) return;
      over = true;
      client.end().catch(() => {});
      clearTimeout(earClock);
      if (!closed) earClock = setTimeout(listen, RETRY_MS);
    };
    const lookLater = () => {
      if (over || closed) return;
      earClock = setTimeout(() => {
        client.query('select 1').then(lookLater, again);
      }, earLookMs);
    };
    client.on('error', again);
    client.on('end', again);
    client.on('notification', ({ payload = '' }) => {
      const [from, name = ''] = payload.split(' ');
      const [account, room] = name.split('/');
      if (from === node || !account) return;
      tell(room === undefined ? { account } : { account, room });
    });
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => {
        tell(null);
        lookLater();
      })
      .catch(again);
  }
  listen();

  return {
    append: (id, update) => commits.add({ id, update }, update.length),
    async load({ account, room }, after = 0) {
      // One statement, hence one moment.
      const { rows } = await pool.query<{
        head: number;
        bytes: number;
        erased: boolean;
        body: Buffer | null;
      }>(
        `select coalesce(r.head, 0)::float8 as head, coalesce(r.bytes, 0)::float8 as bytes, e.body,
                coalesce(r.erased, false) or exists (select from relay_erased_account g where g.account = $1) as erased
           from (select $1::text as account, $2::text as room) k
           left join relay_room r using (account, room)
           left join relay_entry e on e.account = $1 and e.room = $2 and e.position > $3
          order by e.position`,
        [account, room, after],
      );
      const first = rows[0];
      if (!first || first.erased) throw new ErasedError();
      const updates = rows.flatMap(({ body }) => (body ? [body] : []));
      return { updates, position: first.head, bytes: first.bytes };
    },
    fold: ({ account, room }, upTo, state) =>
      transaction(async (client) => {
        const found = await client.query<{ bytes: number; erased: boolean }>(
          'select bytes::float8 as bytes, erased from relay_room where account = $1 and room = $2 for update',
          [account, room],
        );
        const before = found.rows[0];
        if (!before || before.erased) throw new ErasedError();
        const last = await client.query(
          'update relay_entry set body = $4 where account = $1 and room = $2 and position = $3',
          [account, room, upTo, state],
        );
        if (last.rowCount === 0) return before.bytes;
        await client.query('delete from relay_entry where account = $1 and room = $2 and position < $3', [
          account,
          room,
          upTo,
        ]);
        const now = await client.query<{ bytes: number }>(
          `update relay_room set bytes = (select coalesce(sum(length(body)), 0) from relay_entry where account = $1 and room = $2)
            where account = $1 and room = $2 returning bytes::float8 as bytes`,
          [account, room],
        );
        return now.rows[0]?.bytes ?? 0;
      }),
    erase: (account, room) =>
      transaction(async (client) => {
        if (room === undefined) {
          await lockAccounts(client, [account], 'alone');
          await client.query('insert into relay_erased_account values ($1) on conflict do nothing', [
            account,
          ]);
          await client.query('delete from relay_room where account = $1', [account]);
          await client.query('delete from relay_entry where account = $1', [account]);
        } else {
          await client.query(
            `insert into relay_room as r (account, room, head, bytes, erased) values ($1, $2, 0, 0, true)
             on conflict (account, room) do update set head = 0, bytes = 0, erased = true`,
            [account, room],
          );
          await client.query('delete from relay_entry where account = $1 and room = $2', [account, room]);
        }
        await notify(client, [room === undefined ? account : `${account}/${room}`]);
      }),
    async usage(account) {
      const { rows } = await pool.query<{ rooms: number; bytes: number; erased: boolean }>(
        `select count(*)::float8 as rooms, coalesce(sum(bytes), 0)::float8 as bytes,
                exists (select from relay_erased_account where account = $1) as erased
           from relay_room where account = $1 and not erased`,
        [account],
      );
      const found = rows[0];
      if (!found || found.erased) throw new ErasedError();
      return { rooms: found.rooms, bytes: found.bytes };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async ping() {
      await pool.query('select 1');
    },
    async close() {
      closed = true;
      clearTimeout(earClock);
      await commits.idle();
      await ear?.end().catch(() => {});
      await pool.end();
    },
  };
}
