// The shared store on a real PostgreSQL server.
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Change } from '../../src/relay/store.ts';
import { openPostgresStore } from '../../src/relay/store-postgres.ts';
import { describeRelayStore } from '../suites/relay-store.suite.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { until } from './support.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describeRelayStore('the PostgreSQL store', async () => {
  const url = await postgres.createDatabase();
  return { open: () => openPostgresStore(url), shared: true, remove: async () => {} };
});

it('makes its tables once when several relays start together', async () => {
  const url = await postgres.createDatabase();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(url, { poolSize: 2 })));
  await Promise.all(stores.map((store) => store.ping()));
  await Promise.all(stores.map((store) => store.close()));
  expect(stores.length).toBe(5);
});

it('notices that the line on which it listens died without a word, and then looks at everything', async () => {
  const direct = await postgres.createDatabase();
  const { hostname, port } = new URL(direct);
  let lines: [Socket, Socket][] = [];
  const line = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    lines.push([incoming, outgoing]);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      one.on('error', () => {});
      one.once('close', () => other.destroy());
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((done) => line.listen(0, '127.0.0.1', done));
  const address = line.address() as { port: number };
  const through = new URL(direct);
  through.host = `127.0.0.1:${address.port}`;
  const [far, near] = [
    await openPostgresStore(through.href, { listenerProbeMs: 500 }),
    await openPostgresStore(direct),
  ];
  const heard: Change[] = [];
  far.subscribe((change) => heard.push(change));
  try {
    const id = { account: 'a', room: randomBytes(8).toString('hex') };
    const write = () => near.append(id, new Uint8Array(3));
    await until('to hear of the first', async () => {
      await write();
      return heard.some((change) => change?.room === id.room);
    });
    // Drops all packets silently, as a router does that has forgotten the connection.
    const dead = lines;
    lines = [];
    for (const [incoming, outgoing] of dead)
      for (const one of [incoming, outgoing]) {
        one.unpipe();
        one.removeAllListeners('data');
        one.pause();
      }
    const before = heard.length;
    await write();
    await until('to look at everything', () => heard.slice(before).includes(null), 15_000);
    const after = heard.length;
    await write();
    await until('to hear of what comes then', () =>
      heard.slice(after).some((change) => change?.room === id.room),
    );
    for (const pair of dead) for (const one of pair) one.destroy();
  } finally {
    await Promise.all([far.close(), near.close()]);
    for (const pair of lines) for (const one of pair) one.destroy();
    line.close();
  }
}, 40_000);
