// Several relays over one PostgreSQL: any client on any of them, any of them killed, the database restarted.
import { connect, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { deep } from '../scale.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import {
  client,
  closeClients,
  createKey,
  makeUpdate,
  openSocket,
  type RelayProcess,
  type StockClient,
  startRelay,
  stopAll,
  until,
  updateMessage,
} from './support.ts';

// Real processes on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

let postgres: PostgresServer;
const servers: Server[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  closeClients();
  for (const server of servers.splice(0)) server.close();
  await stopAll();
});
afterAll(() => postgres.stop());

const pair = async () => {
  const url = await postgres.createDatabase();
  return Promise.all([startRelay({ DATABASE_URL: url }), startRelay({ DATABASE_URL: url })]);
};

/** Sends each connection to the next relay that takes it. */
async function balance(relays: readonly RelayProcess[]) {
  let next = 0;
  const server = createServer((incoming) => {
    const attempt = (left: number) => {
      const relay = relays[next++ % relays.length] as RelayProcess;
      const { hostname, port } = new URL(relay.url);
      const outgoing = connect(Number(port), hostname);
      let through = false;
      outgoing.once('connect', () => {
        through = true;
        incoming.pipe(outgoing).pipe(incoming);
      });
      outgoing.on('error', () => {});
      outgoing.once('close', () => {
        if (through || left === 0) incoming.destroy();
        else attempt(left - 1);
      });
      incoming.once('close', () => {
        if (through) outgoing.destroy();
      });
    };
    incoming.on('error', () => {});
    attempt(relays.length);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { webSocketUrl: `ws://127.0.0.1:${port}` };
}

const items = (one: StockClient) => one.doc.getArray<string>('a').toJSON();

/** Client ids in a message, where it is an update. */
function clientsIn(message: Buffer): number[] {
  if (message[0] !== 0 || message[1] !== 2) return [];
  let at = 2;
  while ((message[at] as number) > 127) at++;
  return [...Y.parseUpdateMeta(message.subarray(at + 1)).to.keys()];
}

describe('what a relay over PostgreSQL has echoed', () => {
  // Writers send once and leave, so none could push again an update that was echoed but not stored.
  const echoedBefore = async (end: (relay: RelayProcess) => Promise<unknown>) => {
    const url = await postgres.createDatabase();
    const relay = await startRelay({
      DATABASE_URL: url,
      RELAY_MESSAGES_PER_SECOND: '100000',
      RELAY_ACCOUNT_MESSAGES_PER_SECOND: '100000',
    });
    const key = createKey();
    const rooms = ['one', 'two', 'three'];
    const echoed = new Map(rooms.map((room) => [room, new Set<number>()]));
    const writers = rooms.map((room) => openSocket(relay, key, room));
    await Promise.all(writers.map(({ opened }) => opened));
    for (const [index, { socket }] of writers.entries())
      socket.on('message', (message: Buffer) => {
        for (const id of clientsIn(message)) echoed.get(rooms[index] as string)?.add(id);
      });
    const count = () => [...echoed.values()].reduce((sum, ids) => sum + ids.size, 0);
    let ended: Promise<unknown> | undefined;
    while (writers.some(({ socket }) => socket.readyState === socket.OPEN)) {
      for (const { socket } of writers) socket.send(updateMessage(makeUpdate(200)));
      await new Promise((done) => setImmediate(done));
      if (count() > 50) ended ??= end(relay);
    }
    await Promise.all([ended, ...writers.map(({ closed }) => closed)]);
    await relay.stop('SIGKILL');
    const next = await startRelay({ DATABASE_URL: url });
    for (const room of rooms) {
      const reader = client(next, key, room);
      await reader.synced();
      const found = Y.decodeStateVector(Y.encodeStateVector(reader.doc));
      expect([...(echoed.get(room) ?? [])].filter((id) => !found.has(id))).toEqual([]);
    }
  };

  deep('is there when the relay was killed', () => echoedBefore((relay) => relay.stop('SIGKILL')));

  deep('is there when the database was killed', async () => {
    if (postgres.restart) await echoedBefore(postgres.restart);
  });
});

describe('two relays over one PostgreSQL', () => {
  it('bring clients of both together, at once and later', async () => {
    const [east, west] = await pair();
    const key = createKey();
    const a = client(east, key, 'r');
    const b = client(west, key, 'r');
    await Promise.all([a.synced(), b.synced()]);
    a.doc.getArray('a').push(['from a']);
    await until('b to have it', () => items(b).length === 1);
    b.doc.getArray('a').push(['from b']);
    await until('a to have it', () => items(a).length === 2);
    // Many at once, from both sides, so that positions interleave and logs are folded on both.
    for (let index = 0; index < 300; index++) {
      a.doc.getArray('a').push([`a${index}`]);
      b.doc.getArray('a').push([`b${index}`]);
      if (index % 20 === 0) await new Promise((done) => setImmediate(done));
    }
    await until('both to have all', () => items(a).length === 602 && items(b).length === 602);
    for (const relay of [east, west]) {
      const late = client(relay, key, 'r');
      await late.synced();
      expect(items(late)).toEqual(items(a));
    }
    expect(items(b)).toEqual(items(a));
  });

  it('tell the clients of both of an erasure', async () => {
    const [east, west] = await pair();
    const key = createKey();
    const room = openSocket(west, key, 'r');
    const other = openSocket(west, key, 'other');
    await Promise.all([room.opened, other.opened]);
    await until('the greetings', () => room.messages.length > 0 && other.messages.length > 0);
    const erase = (path: string) =>
      fetch(`${east.url}/${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${key.token}` } });
    expect((await erase(`${key.tag}/r`)).status).toBe(204);
    expect(await room.closed).toBe(4404);
    expect((await erase(key.tag)).status).toBe(204);
    expect(await other.closed).toBe(4404);
  });

  it('lose nothing when one is killed in mid-sync', async () => {
    const relays = await pair();
    const balancer = await balance(relays);
    const key = createKey();
    const all = [1, 2, 3, 4].map(() => client(balancer, key, 'r'));
    await Promise.all(all.map((one) => one.synced()));
    for (let index = 0; index < 200; index++) {
      for (const [number, { doc }] of all.entries()) doc.getArray('a').push([`${number}.${index}`]);
      if (index === 100) void relays[0].stop('SIGKILL');
      await new Promise((done) => setImmediate(done));
    }
    await relays[0].exited;
    await until('all to have all', () => all.every((one) => items(one).length === 800));
    for (const one of all) expect(items(one)).toEqual(items(all[0] as StockClient));
    const fresh = client(balancer, key, 'r');
    await until('a fresh one to have all', () => items(fresh).length === 800);
  });

  deep('go on when the database comes back', async () => {
    if (!postgres.restart) return;
    const [east, west] = await pair();
    const key = createKey();
    const a = client(east, key, 'r');
    const b = client(west, key, 'r');
    a.doc.getArray('a').push(['before']);
    await until('b to have it', () => items(b).length === 1);
    const back = postgres.restart();
    a.doc.getArray('a').push(['meanwhile']);
    await back;
    await until('to be ready', async () =>
      (await Promise.all([east, west].map(({ url }) => fetch(`${url}/readyz`)))).every(({ ok }) => ok),
    );
    await until('b to have what was written meanwhile', () => items(b).includes('meanwhile'));
    a.doc.getArray('a').push(['after']);
    await until('b to have what came after', () => items(b).includes('after'));
    // Word still travels from relay to relay, both ways.
    b.doc.getArray('a').push(['back']);
    await until('a to have it', () => items(a).includes('back'));
    const fresh = client(east, key, 'r');
    await until('a fresh one to have all', () => items(fresh).length === 4);
  });

  deep('are filled again by their clients when the database is put back from an old backup', async () => {
    if (!postgres.restart) return;
    const url = await postgres.createDatabase();
    const [east, west] = await Promise.all([
      startRelay({ DATABASE_URL: url }),
      startRelay({ DATABASE_URL: url }),
    ]);
    const key = createKey();
    const a = client(east, key, 'r');
    const b = client(west, key, 'r');
    a.doc.getArray('a').push(['old']);
    await until('b to have it', () => items(b).length === 1);
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    await owner.query(
      'create table old_room as table relay_room; create table old_entry as table relay_entry',
    );
    for (const word of ['new', 'newer']) a.doc.getArray('a').push([word]);
    await until('b to have them', () => items(b).length === 3);
    await owner.query(
      `begin; truncate relay_room, relay_entry; insert into relay_room table old_room;
       insert into relay_entry table old_entry; commit`,
    );
    await owner.end();
    await postgres.restart();
    await until('both to be asked to come again', () => [a, b].every(({ closes }) => closes.length > 0));
    const fresh = client(west, key, 'r');
    await until('a fresh one to have all', () => items(fresh).length === 3);
  });

  it('say that they are not ready while the database is away', async () => {
    const own = await startPostgres();
    if (!own.restart) return;
    const relay = await startRelay({ DATABASE_URL: await own.createDatabase() });
    expect((await fetch(`${relay.url}/readyz`)).status).toBe(200);
    await own.stop();
    await until('not to be ready', async () => (await fetch(`${relay.url}/readyz`)).status === 503);
    expect((await fetch(`${relay.url}/healthz`)).status).toBe(200);
    expect(await openSocket(relay, createKey(), 'r').closed).toBe(1013);
    expect(await relay.stop()).toBe(0);
  });
});
