// The shared store on a real PostgreSQL server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/relay/store-postgres.ts';
import { describeRelayStore } from '../suites/relay-store.suite.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

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
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(url, 2)));
  await Promise.all(stores.map((store) => store.ping()));
  await Promise.all(stores.map((store) => store.close()));
  expect(stores.length).toBe(5);
});
