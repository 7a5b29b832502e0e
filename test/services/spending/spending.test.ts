// What was spent: counted for every request, kept by day, summed by currency, and how near a limit is.
import { describe, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { ChatEvent, ChatModel } from '../../../src/adapters/models/chat-model.ts';
import { ignore } from '../../../src/domain/base/log.ts';
import { localDay } from '../../../src/domain/base/time.ts';
import type { Usage } from '../../../src/domain/chat/message.ts';
import {
  daysUpTo,
  limitStatus,
  type SpendingRow,
  startOf,
  sumOf,
  sumsBy,
} from '../../../src/domain/context/spending.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { meteredModel } from '../../../src/services/spending/metered-model.ts';
import { createSpending } from '../../../src/services/spending/spending-service.ts';

const USD = { currency: 'USD', input: 1, output: 2 };
const at = (day: string) => new Date(`${day}T12:00:00`).getTime();

describe('a counted model', () => {
  const asked = async (events: readonly ChatEvent[], stopAfter = Number.POSITIVE_INFINITY) => {
    const spent: Usage[] = [];
    const model: ChatModel = {
      id: 'm',
      contextWindow: null,
      async *stream() {
        yield* events;
      },
    };
    const seen: ChatEvent[] = [];
    const prompt = {
      system: 'Be brief.',
      messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'x'.repeat(400) }] }],
    };
    const stream = meteredModel(model, (usage) => spent.push(usage)).stream(prompt, {
      signal: new AbortController().signal,
    });
    for await (const event of stream) if (seen.push(event) >= stopAfter) break;
    return { spent, seen };
  };
  const words: ChatEvent = { type: 'text-delta', text: 'y'.repeat(40) };
  const end: ChatEvent = { type: 'end', finish: 'stop' };
  const usage = { inputTokens: 7, outputTokens: 3 };

  it('passes on what the endpoint reports, and counts it once', async () => {
    const { spent, seen } = await asked([words, { type: 'usage', usage }, end]);
    expect(spent).toEqual([usage]);
    expect(seen).toEqual([words, { type: 'usage', usage }, end]);
  });

  it('estimates where nothing was reported, or not all, and says so before the end', async () => {
    const { spent, seen } = await asked([words, end]);
    expect(spent).toEqual([{ inputTokens: 111, outputTokens: 10, estimated: true }]);
    expect(seen.at(-2)).toEqual({ type: 'usage', usage: spent[0] });
    const half = await asked([words, { type: 'usage', usage: { outputTokens: 3 } }, end]);
    expect(half.spent).toEqual([{ inputTokens: 111, outputTokens: 3, estimated: true }]);
  });

  it('counts what came before somebody stopped listening, and nothing where nothing came', async () => {
    expect((await asked([words, words, end], 1)).spent).toMatchObject([
      { outputTokens: 10, estimated: true },
    ]);
    expect((await asked([{ type: 'end', finish: 'error' }])).spent).toEqual([]);
  });
});

describe('what was spent', () => {
  const setup = (today = '2026-11-27', store = createInMemoryStore()) => {
    const now = vi.fn(() => at(today));
    const onProblem = vi.fn();
    return {
      store,
      now,
      onProblem,
      spending: createSpending({ keyValues: store.keyValues, now, onProblem }),
    };
  };
  const request = { endpoint: 'api.example', model: 'm', conversation: 'talk', price: USD };

  it('is summed by day, model and conversation, and there again after a reload', async () => {
    const { store, now, spending } = setup();
    spending.record({ ...request, usage: { inputTokens: 1_000_000, outputTokens: 500_000 } });
    spending.record({ ...request, usage: { inputTokens: 1, outputTokens: 1, estimated: true } });
    spending.record({ ...request, price: null, usage: { inputTokens: 5, outputTokens: 5 } });
    spending.record({ ...request, conversation: 'temporary-1', usage: { inputTokens: 5, outputTokens: 5 } });
    now.mockReturnValue(at('2026-11-28'));
    spending.record({ ...request, usage: { inputTokens: 1_000_000, outputTokens: 0 } });
    await vi.waitFor(async () => expect(await store.keyValues.keys('spending/')).toHaveLength(2));

    const again = setup('2026-11-28', store).spending;
    await again.load('2026-11-01');
    const { rows, since } = again.state.get();
    expect(since).toBe('2026-11-01');
    expect(rows).toHaveLength(4);
    expect(sumOf(rows)).toMatchObject({ requests: 5, estimated: 1, unpriced: 1 });
    expect(sumOf(rows).amounts[0]?.amount).toBeCloseTo(3.000018);
    expect(sumsBy(rows, (row) => row.conversation ?? '').map(({ key }) => key)).toEqual(['talk', '']);
    expect(rows.filter(({ day }) => day === '2026-11-28')).toMatchObject([{ amount: 1, requests: 1 }]);
  });

  it('is read no further back than asked, later further, and what is too old is dropped', async () => {
    const { store, spending } = setup();
    const row = {
      endpoint: 'e',
      model: 'm',
      conversation: null,
      requests: 1,
      inputTokens: 1,
      outputTokens: 1,
    };
    for (const day of ['2024-01-01', '2026-09-30', '2026-11-02'])
      await store.keyValues.set(`spending/${day}/other`, [{ ...row, currency: 'USD', amount: 1 }, 'damaged']);
    await spending.load('2026-11-01');
    expect(spending.state.get().rows.map(({ day }) => day)).toEqual(['2026-11-02']);
    await spending.load('2000-01-01');
    expect(spending.state.get().rows.map(({ day }) => day)).toEqual(['2026-11-02', '2026-09-30']);
    expect(await store.keyValues.keys('spending/2024')).toEqual([]);
  });

  it('is shown once it is stored, so that whoever sees it may leave', async () => {
    const { store, spending } = setup();
    const kept: string[][] = [];
    spending.state.subscribe(() => {
      ignore(
        store.keyValues.keys('spending/').then((keys) => kept.push(keys)),
        'the test waits for it',
      );
    });
    spending.record({ ...request, usage: { inputTokens: 5, outputTokens: 5 } });
    await vi.waitFor(() => expect(kept).toHaveLength(1));
    expect(kept[0]).toHaveLength(1);
  });

  it('stays taken away where another tab cleared it, also in one that never read what was spent', async () => {
    const store = createInMemoryStore();
    const subscribe: typeof store.keyValues.subscribe = (listener) =>
      store.keyValues.subscribe((change) => listener({ ...change, foreign: true }));
    const [one, other] = [
      setup('2026-11-27', { ...store, keyValues: { ...store.keyValues, subscribe } }),
      setup('2026-11-27', store),
    ];
    one.spending.record({ ...request, usage: { inputTokens: 5, outputTokens: 5 } });
    await vi.waitFor(async () => expect(await other.store.keyValues.keys('spending/')).toHaveLength(1));
    await other.spending.clear();
    await vi.waitFor(() => expect(one.spending.state.get().rows).toEqual([]));
    one.spending.record({ ...request, usage: { inputTokens: 7, outputTokens: 5 } });
    await vi.waitFor(() =>
      expect(sumOf(one.spending.state.get().rows)).toMatchObject({ requests: 1, inputTokens: 7 }),
    );
  });

  it('is known from the earliest day that was asked for, whoever is answered last', async () => {
    const { store, spending } = setup();
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { keys } = store.keyValues;
    vi.spyOn(store.keyValues, 'keys').mockImplementationOnce(async (prefix) => {
      await late;
      return await keys.call(store.keyValues, prefix);
    });
    const month = spending.load('2026-11-01');
    await spending.load('2025-12-01');
    answer();
    await month;
    expect(spending.state.get().since).toBe('2025-12-01');
  });

  it('can be taken away, and brought back beside what came since', async () => {
    const { store, spending } = setup();
    spending.record({ ...request, usage: { inputTokens: 5, outputTokens: 5 } });
    const undo = await spending.clear();
    expect(spending.state.get().rows).toEqual([]);
    expect(await store.keyValues.keys('spending/')).toEqual([]);
    spending.record({ ...request, usage: { inputTokens: 7, outputTokens: 5 } });
    await undo();
    expect(sumOf(spending.state.get().rows)).toMatchObject({ requests: 2, inputTokens: 12 });
  });
});

describe('a limit', () => {
  const now = at('2026-11-27');
  const row = (day: string, amount: number, currency = 'USD'): SpendingRow => ({
    day,
    endpoint: 'e',
    model: 'm',
    conversation: null,
    requests: 1,
    estimated: 0,
    inputTokens: 1,
    outputTokens: 1,
    currency,
    amount,
  });
  const costs = { ...defaultConfig.costs, limit: 10 };

  it('is told from a share on, and when it is passed, of its own currency and period alone', () => {
    expect(limitStatus(defaultConfig.costs, [row('2026-11-27', 1e6)], now)).toBeNull();
    expect(
      limitStatus(costs, [row('2026-11-01', 7), row('2026-10-31', 9), row('2026-11-02', 9, 'EUR')], now),
    ).toBeNull();
    expect(limitStatus(costs, [row('2026-11-01', 7), row('2026-11-27', 1)], now)).toMatchObject({
      state: 'near',
      spent: 8,
    });
    expect(limitStatus(costs, [row('2026-11-01', 7), row('2026-11-27', 3)], now)).toMatchObject({
      state: 'over',
    });
    expect(limitStatus({ ...costs, period: 'day' }, [row('2026-11-26', 99)], now)).toBeNull();
  });

  it('begins on local days', () => {
    expect([localDay(now), startOf('day', now), startOf('month', now)]).toEqual([
      '2026-11-27',
      '2026-11-27',
      '2026-11-01',
    ]);
    expect(daysUpTo(at('2026-03-02'), 4)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
  });
});
