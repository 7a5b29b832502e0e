// The index over ports and channels, with two workers' exchanges in one thread: the leader answers,
// and the next leader answers the rest.
import { afterEach, describe, expect, it } from 'vitest';
import { createExchange, createRemoteIndex, type Exchange } from '../../../src/adapters/index/calls.ts';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { change, message } from '../../suites/memory-index.suite.ts';
import { createInMemoryIndex } from './in-memory-index.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function tabOf(exchange: Exchange, onNewLeader?: () => void) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  exchange.accept(port2);
  return createRemoteIndex(port1, onNewLeader);
}
let ids = 0;

describe('calls of the index', () => {
  it('are answered by the worker that leads, for its own tab and for others', async () => {
    const id = `calls-${++ids}`;
    const [first, second] = [createExchange(id), createExchange(id)];
    first.lead(createInMemoryIndex());
    const [own, other] = [tabOf(first), tabOf(second)];
    await own.index.apply(change({ messages: [message(1, 'heron')] }), 7);
    expect(await other.index.bookmark()).toBe(7);
    const found = (await other.index.search({ words: 'heron', filter: {}, limit: 5 })).candidates;
    expect(found).toMatchObject([{ text: 'heron' }]);
    expect(found).toEqual((await own.index.search({ words: 'heron', filter: {}, limit: 5 })).candidates);
    first.close();
    second.close();
  });

  it('name the parts of a search as tabs of earlier versions do', async () => {
    const exchange = createExchange(`calls-${++ids}`);
    const index = createInMemoryIndex();
    exchange.lead(index);
    const [seen, { port1, port2 }] = [[] as object[], new MessageChannel()];
    ports.push(port1, port2);
    exchange.accept(port2);
    const recorded = {
      postMessage: (message: object) => {
        seen.push(message);
        port1.postMessage(message);
      },
      addEventListener: (type: 'message', listener: (event: { data: unknown }) => void) =>
        port1.addEventListener(type, ({ data }) => {
          seen.push(data);
          listener({ data });
        }),
      start: () => port1.start(),
    };
    const { index: remote } = createRemoteIndex(recorded as MessagePort);
    await remote.apply(change({ messages: [message(1, 'heron')] }), 1);
    const query = { words: 'heron', filter: {}, limit: 5, withNeighbours: true };
    const after = { found: [], neighbours: [] };
    expect(await remote.search({ ...query, after })).toEqual(await index.search({ ...query, after }));
    const [asked, answered] = seen.slice(-2);
    expect(asked).toMatchObject({ asked: { given: [{ around: true, after: { beside: [] } }] } });
    expect(answered).toMatchObject({ value: { worth: [expect.any(Number)] } });
    await remote.search(query);
    expect(seen.at(-1)).toMatchObject({
      value: { worth: [expect.any(Number)], candidates: [{ beside: false }] },
    });
    exchange.close();
  });

  it('that a leader did not answer are asked of the next', async () => {
    const id = `calls-${++ids}`;
    const [first, second, third] = [createExchange(id), createExchange(id), createExchange(id)];
    const never = new Proxy(createInMemoryIndex(), { get: () => () => new Promise(() => {}) }) as MemoryIndex;
    first.lead(never);
    const [b, c] = [tabOf(second), tabOf(third)];
    const asked = [b.index.bookmark(), c.index.bookmark()];
    await new Promise((resolve) => setTimeout(resolve, 20));
    first.close();
    const next = createInMemoryIndex();
    await next.apply(change({}), 3);
    second.lead(next);
    third.leaderChanged();
    expect(await Promise.all(asked)).toEqual([3, 3]);
    second.close();
    third.close();
  });

  it('tell of another leader before its first answer, which may lack what the one before had', async () => {
    const id = `calls-${++ids}`;
    const [first, second, third] = [createExchange(id), createExchange(id), createExchange(id)];
    const [before, after] = [createInMemoryIndex(), createInMemoryIndex()];
    await before.apply(change({ messages: [message(1, 'heron')] }), 7);
    first.lead(before);
    const said: string[] = [];
    const tab = tabOf(third, () => said.push('another leader'));
    const ask = async () => said.push(String(await tab.index.bookmark()));
    await ask();
    await ask();
    first.close();
    const asked = ask();
    second.lead(after);
    third.leaderChanged();
    await asked;
    await ask();
    // Its own worker may become the leader as well.
    second.close();
    third.lead(before);
    await ask();
    expect(said).toEqual(['7', '7', 'another leader', '0', '0', 'another leader', '7']);
    third.close();
  });

  it('come back with the sentence of what went wrong', async () => {
    const exchange = createExchange(`calls-${++ids}`);
    const full = new RecollectError('storage-full', 'There is no room', { retry: true, params: { n: 1 } });
    exchange.lead({ ...createInMemoryIndex(), bookmark: () => Promise.reject(full) });
    const tab = tabOf(exchange);
    await expect(tab.index.bookmark()).rejects.toMatchObject({ problem: full.problem });
    tab.refuse(new RecollectError('newer-index', 'Too new'));
    await expect(tab.index.stats('m')).rejects.toMatchObject({ problem: { code: 'newer-index' } });
    tab.refuse(undefined);
    expect(await tab.index.stats('m')).toMatchObject({ messages: 0 });
    exchange.close();
  });

  it('of a tab of an earlier version are answered, and its answers are understood', async () => {
    const id = `calls-${++ids}`;
    const [first, second] = [createExchange(id), createExchange(id)];
    const [calls, answers] = [new BroadcastChannel(`${id}:calls`), new BroadcastChannel(`${id}:answers:old`)];
    calls.onmessage = ({ data: { from, asked } }: MessageEvent) => {
      const to = new BroadcastChannel(`${id}:answers:${from}`);
      to.postMessage({ call: asked.call, value: 5 });
      to.close();
    };
    expect(await tabOf(second).index.bookmark()).toBe(5);
    first.lead(createInMemoryIndex());
    const answered = new Promise<unknown>((resolve) => {
      answers.onmessage = ({ data }: MessageEvent) => resolve(data);
    });
    calls.postMessage({ from: 'old', asked: { call: 1, verb: 'bookmark', given: [] } });
    expect(await answered).toMatchObject({ call: 1, value: 0, leader: expect.any(String) });
    for (const each of [calls, answers, first, second]) each.close();
  });

  it('that this version does not know are refused, not left waiting', async () => {
    const id = `calls-${++ids}`;
    const leader = createExchange(id);
    leader.lead(createInMemoryIndex());
    const [asking, answers] = [new BroadcastChannel(`${id}:calls`), new BroadcastChannel(`${id}:answers:me`)];
    const answered = new Promise<unknown>((resolve) => {
      answers.onmessage = ({ data }: MessageEvent) => resolve(data);
    });
    asking.postMessage({ from: 'me', asked: { call: 4, verb: 'dream', given: [] } });
    expect(await answered).toMatchObject({ call: 4, problem: { code: 'index-unavailable', retry: true } });
    // Nothing but verbs: not even what every object has.
    asking.postMessage({ from: 'me', asked: { call: 5, verb: 'constructor', given: [] } });
    asking.close();
    answers.close();
    leader.close();
  });
});
