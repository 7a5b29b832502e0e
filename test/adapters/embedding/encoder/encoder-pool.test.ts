// The worker that reads each text, and what happens where one breaks; that workers read rightly is shown
// in Chromium (`local.browser.test.ts`).
import { afterEach, expect, it } from 'vitest';
import type { EncoderShare } from '../../../../src/adapters/embedding/encoder/encoder.ts';
import { createEncoderPool } from '../../../../src/adapters/embedding/encoder/encoder-pool.ts';

interface Order {
  readonly asked: { call: number; verb: string; given: { ids?: number[]; buffer?: ArrayBuffer } };
}

/** A worker that answers on demand, with the text's first piece. */
function scripted() {
  const listeners = new Map<string, (event: never) => void>();
  const orders: Order['asked'][] = [];
  const say = (data: unknown) => listeners.get('message')?.({ data } as never);
  return {
    orders,
    ended: false,
    texts: () => orders.flatMap(({ given: { ids } }) => (ids ? [ids[0]] : [])),
    answer() {
      const order = orders.find(({ verb }) => verb === 'read') as Order['asked'];
      orders.splice(orders.indexOf(order), 1);
      const states = new Float32Array(order.given.buffer as ArrayBuffer, 0, 1);
      states.set(order.given.ids ?? []);
      say({ call: order.call, value: states });
    },
    /** Answers the last text with something that is no states, or with null. */
    answerWith: (value: unknown) => say({ call: orders.at(-1)?.call, value }),
    fail: () => listeners.get('error')?.(new Event('error') as never),
    postMessage(message: unknown) {
      orders.push((message as Order).asked);
    },
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
    terminate() {
      this.ended = true;
    },
  };
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

function poolOf(count: number, refuses: { spawn?: boolean; share?: boolean } = {}) {
  const spawned: ReturnType<typeof scripted>[] = [];
  const readHere: number[] = [];
  const pool = createEncoderPool({
    count,
    spawn: () => {
      if (refuses.spawn) throw new DOMException('no', 'SecurityError');
      const worker = scripted();
      spawned.push(worker);
      return worker;
    },
    share: () => {
      if (refuses.share) throw new RangeError('no memory');
      return {} as EncoderShare;
    },
    here: {
      run: (ids) => {
        if (ids[0] === 13) throw new RangeError('pieces that this model does not know');
        readHere.push(ids[0] as number);
        return Float32Array.from(ids);
      },
    },
  });
  open.push(pool.close);
  const read = (ids: readonly number[]) => pool.run(ids, (states) => [...states]);
  return { pool, read, spawned, readHere };
}

it('starts a worker when all others have something to do, and gives a text to the one that has least', async () => {
  const { read, spawned } = poolOf(2);
  const first = read([1]);
  expect(spawned).toHaveLength(1);
  spawned[0]?.answer();
  expect(await first).toEqual([1]);
  const more = [2, 3, 4].map((id) => read([id]));
  expect(spawned.map(({ texts }) => texts())).toEqual([[2, 4], [3]]);
  expect(spawned.map(({ orders }) => orders[0]?.verb)).toEqual(['join', 'join']);
  spawned[1]?.answer();
  const last = read([5]);
  expect(spawned[1]?.texts()).toEqual([5]);
  for (const [at, times] of [2, 1].entries()) for (let time = 0; time < times; time++) spawned[at]?.answer();
  expect((await Promise.all([...more, last])).map(([id]) => id)).toEqual([2, 3, 4, 5]);
});

it('reads here what a broken worker leaves, and starts none in its place', async () => {
  const { pool, read, spawned, readHere } = poolOf(2);
  const [one, two] = [read([1]), read([2])];
  spawned[0]?.fail();
  expect(await one).toEqual([1]);
  expect(spawned[0]?.ended).toBe(true);
  spawned[1]?.answerWith({ nonsense: true });
  expect(await two).toEqual([2]);
  expect(await read([3])).toEqual([3]);
  expect(readHere).toEqual([1, 2, 3]);
  expect(spawned).toHaveLength(2);
  // The caller gives this thread one text at a time again.
  expect(pool.most).toBeNull();
});

it.each([{ spawn: true }, { share: true }])('does without a worker that is refused: %j', async (refuses) => {
  const { pool, read, spawned, readHere } = poolOf(2, refuses);
  expect(pool.most).toBe(3);
  expect(await read([1])).toEqual([1]);
  expect(readHere).toEqual([1]);
  expect(spawned.every(({ ended }) => ended)).toBe(true);
  expect(pool.most).toBeNull();
});

it('gives the buffer of one text to another, and only when nothing of it is wanted any more', async () => {
  const { pool, read, spawned } = poolOf(1);
  const rooms = new Set<ArrayBuffer>();
  let waiting = read([1]);
  for (let id = 2; id < 10; id++) {
    const next = read([id]);
    for (const { given } of spawned[0]?.orders ?? []) if (given.buffer) rooms.add(given.buffer);
    spawned[0]?.answer();
    expect(await waiting).toEqual([id - 1]);
    waiting = next;
  }
  expect(rooms.size).toBe(2);
  const bad = pool.run([10], () => {
    throw new TypeError('made nothing of it');
  });
  spawned[0]?.answer();
  spawned[0]?.answer();
  expect(await waiting).toEqual([9]);
  await expect(bad).rejects.toThrow('made nothing of it');
});

it('says what is wrong with a text, and goes on with the next', async () => {
  const { read, spawned } = poolOf(1);
  const bad = read([13]);
  spawned[0]?.answerWith(null);
  await expect(bad).rejects.toThrow('pieces that this model does not know');
  expect(spawned[0]?.ended).toBe(false);
});

it('ends its workers with the model, and whoever still waits is told', async () => {
  const { pool, read, spawned, readHere } = poolOf(1);
  const waiting = read([1]);
  pool.close();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(spawned[0]?.ended).toBe(true);
  await read([2]);
  expect(readHere).toEqual([2]);
});
