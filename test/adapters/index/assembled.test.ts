// The index's code in WebAssembly: what is found where it is late, not to be had, or something else.
import { afterAll, expect, it, vi } from 'vitest';
import { compiled } from '../../../src/adapters/index/assembled.ts';
import { comparePlainly, createCompare } from '../../../src/adapters/index/late-tables.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { change, conversation, message } from '../../suites/memory-index.suite.ts';
import { readAssembled } from '../assembled.ts';
import { openDatabase } from './database.ts';
import { vectorOf } from './load.ts';

const page = async () => new TextEncoder().encode('<!doctype html>').buffer;
const missing = () => Promise.reject(new Error('404'));

it('is read once, and again only after that failed', async () => {
  const read = vi.fn(() => readAssembled('late-tables'));
  const code = compiled(read.mockImplementationOnce(missing).mockImplementationOnce(page));
  await expect(code()).rejects.toThrow('404');
  await expect(code()).rejects.toThrow(WebAssembly.CompileError);
  const [one, other] = await Promise.all([code(), code()]);
  expect(one).toBe(other);
  expect(await code()).toBe(one);
  expect(read).toHaveBeenCalledTimes(3);
});

it('late interaction says the same before its code is there and afterwards', async () => {
  const question = {
    tokens: Float32Array.from({ length: 512 }, (_, at) => Math.sin(at * 7) / 16),
    weights: Float32Array.of(1, 2),
  };
  const signs = '0123456789abcdef'.repeat(12);
  const read = vi.fn(() => readAssembled('late-tables')).mockImplementationOnce(missing);
  const code = compiled(read);
  const compare = createCompare(code);
  const plainly = comparePlainly(question)(signs) as number;
  expect(Math.abs(plainly)).toBeGreaterThan(0.01);
  expect(compare(question)(signs)).toBe(plainly);
  // Asked for again by a question after it failed.
  await vi.waitFor(async () => {
    const byTables = compare(question)(signs);
    expect(read).toHaveBeenCalledTimes(2);
    expect(byTables).not.toBe(plainly);
    expect(byTables).toBeCloseTo(plainly, 3);
  });
});

const database = await openDatabase();
afterAll(() => database.close());

it.each([
  ['is not to be had', missing],
  ['is the start page of a server', page],
  ['never comes', () => new Promise<ArrayBuffer>(() => {})],
])('an index finds by meaning where its code %s', async (_, readAssembly) => {
  const index = createPgliteIndex(database, { holdFrom: 0, readAssembly });
  await index.clear();
  const messages = [0, 1, 2].map((n) => message(n, `word${n}`, { conversationId: conversation(0).id }));
  await index.apply(change({ conversations: [conversation(0)], messages }), 1);
  const stale = await index.pendingChunks('m', 10);
  const bits = Uint8Array.from({ length: 32 }, (_, at) => at * 8);
  await index.put(
    'm',
    stale.map(({ id }, n) => ({ chunkId: id, values: vectorOf(n), bits })),
  );
  await index.pendingCounts('m');
  const { candidates } = await index.search({
    words: '',
    vector: { model: 'm', values: vectorOf(1) },
    filter: {},
    limit: 3,
  });
  expect(Math.max(...candidates.map(({ cosine }) => cosine ?? 0))).toBeCloseTo(1, 2);
  const question = { tokens: new Float32Array(256).fill(1 / 16), weights: Float32Array.of(1) };
  const said = await index.maxSim(
    'm',
    question,
    candidates.map(({ chunkId }) => chunkId),
  );
  expect(said.size).toBe(3);
});
