// The shared store: tables in PostgreSQL, for any number of relays. An append locks the row of its room, so positions
// follow the order of commits, and a reader that has seen position n has seen all before it. NOTIFY only says which
// rooms changed: a lost notification costs only time, because the relay checks all rooms after every new LISTEN.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { log } from '../domain/base/log.ts';
import { createGroupCommit } from './group-commit.ts';
import { CHANNEL, PostgresListener } from './postgres-listener.ts';
import {
  type Appended,
  type Change,
  ErasedError,
  type RelayStore,
  type RoomId,
  type StoredLog,
} from './store.ts';

const SCHEMA = `
create table if not exists relay_room (
  account text not null, room text not null, head bigint not null, bytes bigint not null,
  erased boolean not null default false, primary key (account, room));
create table if not exists relay_entry (
  account text not null, room text not null, position bigint not null, body bytea not null,
  primary key (account, room, position));
alter table relay_entry alter column body set storage external;
create table if not exists relay_erased_account (account text primary key);`;
// Relays that start at once lock this number, so that they create the tables one after the
// other. No other program may lock it.
const SCHEMA_LOCK = 7_263_551;

interface Append {
  readonly id: RoomId;
  readonly update: Uint8Array;
}
/** Updates that one commit adds to a room. */
interface RoomAppends {
  readonly id: RoomId;
  readonly bodies: Uint8Array[];
  bytes: number;
}

/**
 * Connects to `url` (`postgres://…`) and makes missing tables. Rejects if the server cannot be reached.
 * @param poolSize most connections for queries
 * @param listenerProbeMs time between two probes of the listening connection, ms: a dead one is as silent as an idle
 *   one
 */
export async function openPostgresStore(
  url: string,
  { poolSize = 12, listenerProbeMs = 30_000 } = {},
): Promise<RelayStore> {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    query_timeout: 40_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const pool = new pg.Pool({ ...connection, max: poolSize });
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on('error', (error) => log.debug('An idle database connection broke', error));
  const node = randomUUID();
  const store = new PostgresRelayStore(pool, node, new PostgresListener(connection, node, listenerProbeMs));
  await store.open();
  return store;
}

class PostgresRelayStore implements RelayStore {
  readonly #pool: pg.Pool;
  /** Id of this process in notifications, so that it can ignore its own. */
  readonly #node: string;
  readonly #listener: PostgresListener;
  readonly #commits = createGroupCommit<Append, Appended>((inputs) =>
    this.#transaction((client) => this.#commit(client, inputs)),
  );

  constructor(pool: pg.Pool, node: string, listener: PostgresListener) {
    this.#pool = pool;
    this.#node = node;
    this.#listener = listener;
  }

  /** Makes missing tables, and begins to listen. */
  async open(): Promise<void> {
    await this.#transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      await client.query(SCHEMA);
    });
    this.#listener.start();
  }

  append(id: RoomId, update: Uint8Array): Promise<Appended> {
    return this.#commits.add({ id, update }, update.length);
  }

  async load({ account, room }: RoomId, after = 0): Promise<StoredLog> {
    // One statement sees one state of the database; two could see a head without its entry.
    const { rows } = await this.#pool.query<{
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
  }

  /** Cannot purge: PostgreSQL keeps deleted bytes in its files until VACUUM FULL. */
  putSnapshot({ account, room }: RoomId, upTo: number, state: Uint8Array): Promise<number> {
    return this.#transaction(async (client) => {
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
    });
  }

  erase(account: string, room?: string): Promise<void> {
    return this.#transaction(async (client) => {
      if (room === undefined) {
        await this.#lockAccounts(client, [account], 'alone');
        await client.query('insert into relay_erased_account values ($1) on conflict do nothing', [account]);
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
      await this.#notify(client, [room === undefined ? account : `${account}/${room}`]);
    });
  }

  async usage(account: string): Promise<{ rooms: number; bytes: number }> {
    const { rows } = await this.#pool.query<{ rooms: number; bytes: number; erased: boolean }>(
      `select count(*)::float8 as rooms, coalesce(sum(bytes), 0)::float8 as bytes,
              exists (select from relay_erased_account where account = $1) as erased
         from relay_room where account = $1 and not erased`,
      [account],
    );
    const found = rows[0];
    if (!found || found.erased) throw new ErasedError();
    return { rooms: found.rooms, bytes: found.bytes };
  }

  subscribe(listener: (change: Change) => void): () => void {
    return this.#listener.subscribe(listener);
  }

  async ping(): Promise<void> {
    await this.#pool.query('select 1');
  }

  async close(): Promise<void> {
    this.#listener.stop();
    await this.#commits.idle();
    await this.#listener.ended();
    await this.#pool.end();
  }

  /** Runs `work` in a transaction, and rolls it back if `work` throws. A broken connection leaves the pool. */
  async #transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
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

  /**
   * Locks accounts until the transaction ends. Appends share an account's lock and an erasure holds it
   * alone, so nothing is written after it.
   */
  async #lockAccounts(client: pg.PoolClient, accounts: string[], how: 'shared' | 'alone'): Promise<void> {
    const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await client.query(`select ${lock}(hashtextextended(a, 0)) from unnest($1::text[]) a`, [accounts]);
  }

  /** Notifies other processes at the commit. A name is `<account>` or `<account>/<room>`. */
  async #notify(client: pg.PoolClient, names: string[]): Promise<void> {
    await client.query('select pg_notify($1, p) from unnest($2::text[]) p', [
      CHANNEL,
      names.map((name) => `${this.#node} ${name}`),
    ]);
  }

  /** Appends all inputs in one transaction. An input for an erased room gets an ErasedError as its result. */
  async #commit(client: pg.PoolClient, inputs: readonly Append[]): Promise<readonly (Appended | Error)[]> {
    const rooms = byRoom(inputs);
    await this.#lockAccounts(client, [...new Set([...rooms.values()].map(({ id }) => id.account))], 'shared');
    const next = new Map<string, { position: number; bytes: number }>();
    const rows: { id: RoomId; position: number; body: Uint8Array }[] = [];
    for (const head of await this.#moveHeads(client, [...rooms.values()])) {
      const key = `${head.account}/${head.room}`;
      const room = rooms.get(key);
      if (!room) continue;
      const first = head.head - room.bodies.length + 1;
      next.set(key, { position: first, bytes: head.bytes });
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
    await this.#notify(client, [...next.keys()]);
    return inputs.map(({ id }) => {
      const room = next.get(`${id.account}/${id.room}`);
      return room ? { position: room.position++, bytes: room.bytes } : new ErasedError();
    });
  }

  /**
   * Reserves positions for the appends behind the heads of their rooms, and locks the rooms' rows.
   * Erased rooms are not in the result.
   */
  async #moveHeads(
    client: pg.PoolClient,
    rooms: readonly RoomAppends[],
  ): Promise<readonly { account: string; room: string; head: number; bytes: number }[]> {
    const { rows } = await client.query(
      `insert into relay_room as r (account, room, head, bytes)
           select i.* from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) i(account, room, head, bytes)
           where not exists (select from relay_erased_account e where e.account = i.account)
         on conflict (account, room) do update set head = r.head + excluded.head, bytes = r.bytes + excluded.bytes
           where not r.erased
         returning account, room, head::float8 as head, bytes::float8 as bytes`,
      [
        rooms.map(({ id }) => id.account),
        rooms.map(({ id }) => id.room),
        rooms.map(({ bodies }) => bodies.length),
        rooms.map(({ bytes }) => bytes),
      ],
    );
    return rows;
  }
}

/**
 * Groups appends by room, rooms sorted by name: all relays lock rows in this order,
 * so that two never wait for each other.
 */
function byRoom(inputs: readonly Append[]): Map<string, RoomAppends> {
  const rooms = new Map<string, RoomAppends>();
  for (const { id, update } of inputs) {
    const key = `${id.account}/${id.room}`;
    const room = rooms.get(key) ?? { id, bodies: [], bytes: 0 };
    rooms.set(key, room);
    room.bodies.push(update);
    room.bytes += update.length;
  }
  return new Map([...rooms].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
