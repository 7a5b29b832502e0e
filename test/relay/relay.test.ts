// The relay as its clients meet it: a real process with the embedded store, stock clients, and strangers who misbehave.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createKey,
  createStockClient,
  makeUpdate,
  metric,
  openSocket,
  type RelayProcess,
  residentBytes,
  type StockClient,
  startRelay,
  stopAll,
  until,
  updateMessage,
} from './support.ts';

let folder: string;
let relay: RelayProcess;
const clients: StockClient[] = [];
const client = (...args: Parameters<typeof createStockClient>) => {
  const made = createStockClient(...args);
  clients.push(made);
  return made;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recollect-relay-'));
  relay = await startRelay({ RELAY_DATA: join(folder, 'a'), RELAY_EVICT_SECONDS: '1' });
});
afterEach(() => {
  for (const made of clients.splice(0)) made.close();
});
afterAll(async () => {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
});

describe('stock y-websocket clients', () => {
  it('share a plain document, and find it again when everybody was gone', async () => {
    const key = createKey();
    const a = client(relay, key, 'plain');
    const b = client(relay, key, 'plain');
    a.doc.getText('t').insert(0, 'from a');
    b.doc.getMap<string>('m').set('k', 'from b');
    await until('both to see both', () => b.doc.getText('t').length > 0 && a.doc.getMap('m').has('k'));
    a.close();
    b.close();
    const c = client(relay, key, 'plain');
    await c.synced();
    expect(c.doc.getText('t').toString()).toBe('from a');
    expect(c.doc.getMap('m').get('k')).toBe('from b');
  });
});
