// Calls and news over real ports and channels: both ends check what they receive, and no call waits for a closed end.
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { type Caller, createCaller, type Served, serveCalls } from '../../../src/domain/threads/calls.ts';
import { withTransfer } from '../../../src/domain/threads/endpoint.ts';
import { joinNews, postNews } from '../../../src/domain/threads/news.ts';

const contract = {
  double: { given: z.number(), answer: z.number() },
  count: { given: z.object({ to: z.number() }), answer: z.string(), progress: z.number() },
  fill: { given: z.instanceof(ArrayBuffer), answer: z.instanceof(Uint8Array<ArrayBuffer>) },
};

let open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open) each.close();
  open = [];
});
function ports() {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  return [port1, port2] as const;
}
const channel = (name: string) => {
  const made = new BroadcastChannel(name);
  open.push(made);
  return made;
};

/** A promise with its resolver. */
function later() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function served(over: Partial<Served<typeof contract>> = {}) {
  const asked: unknown[] = [];
  const verbs: Served<typeof contract> = {
    double: (given) => {
      asked.push(given);
      return given * 2;
    },
    count: ({ to }, { progress }) => {
      for (let at = 1; at <= to; at++) progress(at);
      return 'done';
    },
    fill: (buffer) => {
      const bytes = new Uint8Array(buffer).fill(7);
      return withTransfer(bytes, [buffer]);
    },
    ...over,
  };
  return { asked, verbs };
}

function pair(over: Partial<Served<typeof contract>> = {}) {
  const [near, far] = ports();
  const { asked, verbs } = served(over);
  serveCalls(contract, far, verbs);
  return { ...createCaller(contract, near), asked, near, far };
}

it('a call is answered, with what comes before the answer', async () => {
  const { call } = pair();
  const seen: number[] = [];
  expect(await Promise.all([call.double(2), call.double(4)])).toEqual([4, 8]);
  expect(await call.count({ to: 3 }, { onProgress: (at) => seen.push(at) })).toBe('done');
  expect(seen).toEqual([1, 2, 3]);
});

it('buffers go over, and come back', async () => {
  const { call } = pair();
  const buffer = new ArrayBuffer(4);
  const answer = call.fill(withTransfer(buffer, [buffer]));
  expect(buffer.byteLength).toBe(0);
  expect([...(await answer)]).toEqual([7, 7, 7, 7]);
});

it('a problem arrives with its sentence, whatever else is thrown as unexpected', async () => {
  const full = new RecollectError('storage-full', 'No room', { retry: true, params: { n: 1 } });
  let thrown: unknown = full;
  const { call } = pair({
    double: () => {
      throw thrown;
    },
  });
  await expect(call.double(1)).rejects.toMatchObject({ problem: full.problem });
  thrown = new TypeError('odd');
  await expect(call.double(1)).rejects.toMatchObject({ problem: { code: 'unexpected', message: 'odd' } });
});

it('what does not fit the contract is refused on the side that receives it', async () => {
  const { call, asked, near } = pair({ count: () => 7 as never });
  await expect(call.double('x' as never)).rejects.toMatchObject({ problem: { code: 'unexpected' } });
  expect(asked).toEqual([]);
  await expect(call.count({ to: 1 })).rejects.toThrow('The answer to count was not understood');
  // Not a verb, though every object has it.
  const strange = createCaller({ constructor: { given: z.null(), answer: z.null() } }, near, { from: 'x' });
  await expect(strange.call.constructor(null)).rejects.toThrow('constructor was not understood');
  // What has nothing to do with calls is passed over.
  for (const noise of [null, 7, 'x', { call: 'x' }, { asked: {} }]) near.postMessage(noise);
  expect(await call.double(1)).toBe(2);
});

it('what cannot be posted rejects, on either side', async () => {
  const { call } = pair({ double: () => (() => 1) as never });
  await expect(call.fill((() => 1) as never)).rejects.toThrow();
  await expect(call.double(1)).rejects.toMatchObject({ problem: { code: 'unexpected' } });
});

it('an aborted call rejects at once, and is aborted there; one aborted before is not asked', async () => {
  const aborted = later();
  const begun = later();
  const { call, asked } = pair({
    count: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => aborted.resolve(), { once: true });
        begun.resolve();
      }),
  });
  const control = new AbortController();
  const waiting = call.count({ to: 1 }, { signal: control.signal });
  await begun.promise;
  control.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await aborted.promise;
  await expect(call.double(1, { signal: control.signal })).rejects.toThrow('enough');
  expect(await call.double(2)).toBe(4);
  expect(asked).toEqual([2]);
});

it('nobody waits for an end that is gone; calls wait for one that is to come, and are asked of the next one', async () => {
  const caller: Caller<typeof contract> = createCaller(contract, null);
  const lost = caller.call.double(1);
  caller.refuse(new Error('gone'));
  await expect(lost).rejects.toThrow('gone');
  const waiting = caller.call.double(3);
  const [near] = ports();
  caller.connect(near);
  const [next, far] = ports();
  const { verbs, asked } = served();
  serveCalls(contract, far, verbs);
  caller.connect(next);
  expect(await waiting).toBe(6);
  expect(asked).toEqual([3]);
});

it('over one channel each asker gets its own answers, and a call that is asked again is answered once', async () => {
  const name = `calls-${crypto.randomUUID()}`;
  const { verbs, asked } = served();
  const [one, two] = ['one', 'two'].map((from) => createCaller(contract, channel(name), { from }));
  const lost = one?.call.double(5);
  serveCalls(contract, channel(name), verbs);
  one?.repeat();
  one?.repeat();
  expect(await Promise.all([lost, two?.call.double(6)])).toEqual([10, 12]);
  expect(asked).toEqual([5, 6]);
});

it('news are what the schema understands, until the signal', async () => {
  const schema = z.object({ type: z.literal('hello'), at: z.number() });
  const name = `news-${crypto.randomUUID()}`;
  const control = new AbortController();
  const [heard, ending] = [[] as number[], later()];
  joinNews(channel(name), schema, ({ at }) => (at < 0 ? ending.resolve() : heard.push(at)));
  const raw = channel(name);
  const say = joinNews(channel(name), schema, () => {}, control.signal);
  say({ type: 'hello', at: 1 });
  control.abort();
  say({ type: 'hello', at: 2 });
  raw.postMessage({ type: 'hello' });
  postNews(raw, { type: 'hello', at: -1 });
  await ending.promise;
  expect(heard).toEqual([1]);
});
