import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import {
  budgetOf,
  contextMeterOf,
  costOf,
  isPressed,
  reserveOf,
  returnBudget,
} from '../../../src/domain/context/budget.ts';
import { requestManifestSchema } from '../../../src/domain/context/manifest.ts';
import { createMeter, learnCorrection, NO_CORRECTION } from '../../../src/domain/context/meter.ts';
import { PRICES, plainModelName, priceOf } from '../../../src/domain/context/prices.ts';
import { buildPrompt } from '../../../src/domain/context/prompt.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';

const { context } = defaultConfig;
const say = (id: number, role: Message['role'], text: string): Message => ({
  id: asMessageId(`m${id}`),
  parentId: id === 0 ? null : asMessageId(`m${id - 1}`),
  role,
  kind: 'message',
  createdAt: id,
  parts: [{ type: 'text', text }],
});

describe('a budget', () => {
  it('keeps room for the answer, at most a quarter of the window', () => {
    expect(reserveOf(64_000, 50_000)).toBe(16_000);
    expect(reserveOf(1_000_000, 50_000)).toBe(50_000);
    expect(budgetOf(context, 64_000)).toMatchObject({ limit: 48_000, trigger: 48_000, target: 32_000 });
    expect(budgetOf(context, 1_000_000)).toMatchObject({ limit: 950_000, trigger: 750_000, target: 500_000 });
  });

  it('aims lower than it starts, whatever is configured', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 2_000_000 }),
        fc.integer({ min: 0, max: 200_000 }),
        fc.double({ min: 0.1, max: 0.99, noNaN: true }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (window, reserved_tokens, trigger_ratio, target_ratio) => {
          const budget = budgetOf({ ...context, reserved_tokens, trigger_ratio, target_ratio }, window);
          expect(budget.target).toBeLessThan(budget.trigger);
          expect(budget.trigger).toBeLessThanOrEqual(budget.limit);
          expect(budget.limit).toBeLessThanOrEqual(window);
          expect(isPressed(budget.target, budget)).toBe(false);
          expect(isPressed(budget.trigger, budget)).toBe(true);
        },
      ),
    );
  });

  it('spends on what is brought back what is left, and no more than that is worth', () => {
    expect(returnBudget(1_000, 900)).toBe(100);
    expect(returnBudget(1_000, 1_200)).toBe(0);
    expect(returnBudget(100_000, 10_000)).toBe(2_000);
  });
});

describe('the context meter', () => {
  const prompt = (meter = createMeter()) =>
    buildPrompt({
      path: [say(0, 'user', 'x'.repeat(4_000)), say(1, 'assistant', 'y'.repeat(400)), say(2, 'user', 'now')],
      recall: null,
      system: 'Be brief.',
      window: 64_000,
      reserve: 50_000,
      tools: 100,
      meter,
    });

  it('shows where the window goes', () => {
    const { request } = prompt().manifest;
    const meter = contextMeterOf(request, { trigger: 48_000 }, null);
    expect(meter).toMatchObject({
      window: 64_000,
      reserve: 16_000,
      trigger: 48_000,
      exact: false,
      price: null,
    });
    expect(meter.used).toEqual(request.tokens);
    expect(meter.used.tools).toBe(100);
    expect(meter.free).toBe(48_000 - meter.used.total);
    expect(meter.share).toBeCloseTo(meter.used.total / 64_000);
    expect(requestManifestSchema.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
  });

  it('knows what the next send costs where the price is known', () => {
    const { request } = prompt().manifest;
    const price = { currency: 'USD', input: 2, output: 8 };
    expect(contextMeterOf(request, { trigger: 1 }, price).price).toEqual({
      amount: (request.tokens.total * 2) / 1e6,
      currency: 'USD',
    });
  });

  it('is exact with the model’s own tokenizer only', () => {
    const exact = { id: 'o200k_base', exact: true, count: (text: string) => text.length };
    expect(contextMeterOf(prompt(createMeter(exact)).manifest.request, { trigger: 1 }, null).exact).toBe(
      true,
    );
    expect(contextMeterOf(prompt(createMeter(exact, 1.1)).manifest.request, { trigger: 1 }, null).exact).toBe(
      false,
    );
  });
});

describe('the correction of a count', () => {
  it('learns what an endpoint reports, and forgets slowly', () => {
    let known = NO_CORRECTION;
    for (let i = 0; i < 20; i++) known = learnCorrection(known, 1_000, 1_200);
    expect(known.ratio).toBeCloseTo(1.2);
    expect(learnCorrection(known, 1_000, 1_000).ratio).toBeLessThan(1.2);
    expect(learnCorrection(known, 1_000, 1_000).ratio).toBeGreaterThan(1.1);
  });

  it('believes no nonsense', () => {
    for (const reported of [undefined, 0, -5, 10, 100_000, Number.NaN])
      expect(learnCorrection(NO_CORRECTION, 1_000, reported)).toBe(NO_CORRECTION);
    expect(learnCorrection(NO_CORRECTION, 50, 90)).toBe(NO_CORRECTION);
  });

  it('makes the same words cost more', () => {
    const parts = [{ type: 'text' as const, text: 'a'.repeat(400) }];
    expect(createMeter(undefined, 1.5).parts(parts)).toBe(150);
    expect(createMeter(undefined, 1.5).text('a'.repeat(400))).toBe(150);
  });
});

describe('a price', () => {
  it('is the person’s own before that of the list, and of nobody where nobody knows', () => {
    const own = { currency: 'EUR', input: 1, output: 2 };
    const listed = { currency: 'USD', input: 3, output: 4 };
    const endpoint = { ownPrices: { anything: own }, prices: { anything: listed, other: listed } };
    expect(priceOf('anything', 'reseller.example', endpoint)).toEqual({ price: own, from: 'person' });
    expect(priceOf('other', 'reseller.example', endpoint)).toEqual({ price: listed, from: 'endpoint' });
    expect(priceOf('other', 'reseller.example', { ...endpoint, price: own })?.price).toBe(own);
    expect(priceOf('third', 'reseller.example', endpoint)).toBeNull();
    expect(priceOf('kimi-k3', 'api.moonshot.ai')?.price).toMatchObject({ currency: 'USD', input: 3 });
    expect(priceOf('kimi-k3', 'openrouter.ai')).toBeNull();
    expect(priceOf('gpt-5.4-2026-03-05', 'api.openai.com')?.price.input).toBe(2.5);
  });

  it.each([
    ['claude-opus-4-5-20251101', 'api.anthropic.com', 5],
    ['claude-3-7-sonnet-latest', 'api.anthropic.com', 3],
    ['anthropic/Claude-Sonnet-4.5', 'api.anthropic.com', 3],
    ['models/gemini-2.5-flash', 'generativelanguage.googleapis.com', 0.3],
    ['GPT-5.4_mini', 'api.openai.com', 0.75],
  ])('is found by what endpoints make of a name: %s', (model, host, input) => {
    expect(priceOf(model, host)?.price.input).toBe(input);
  });

  it.each(['gpt-5.4-turbo', 'ft:gpt-4o:acme', 'gpt', '', 'latest'])(
    'is not that of another model with a similar name: %s',
    (model) => expect(priceOf(model, 'api.openai.com')).toBeNull(),
  );

  it('is nothing on a machine of one’s own, and that of the person there too', () => {
    for (const host of [
      'localhost:11434',
      '127.0.0.1',
      '192.168.1.20:8000',
      '[::1]:1',
      '10.0.0.3',
      'nas.local',
    ])
      expect(priceOf('llama3.2', host)).toMatchObject({ from: 'own', price: { input: 0, output: 0 } });
    for (const host of ['172.32.0.1', 'localhost.example', '11.0.0.1', 'fdroid.example'])
      expect(priceOf('llama3.2', host)).toBeNull();
    const own = { currency: 'EUR', input: 1, output: 2 };
    expect(priceOf('llama3.2', 'localhost:1', { price: own })?.price).toBe(own);
  });

  it('is another one above a length that the provider names', () => {
    const { price } = priceOf('gpt-5.4', 'api.openai.com') ?? {};
    expect(price && costOf({ inputTokens: 272_000, outputTokens: 0 }, price)).toBeCloseTo(0.68);
    expect(price && costOf({ inputTokens: 272_001, outputTokens: 0 }, price)).toBeCloseTo(1.36);
  });

  it('stands once in the list', () => {
    const names = PRICES.flatMap(({ host, models }) =>
      models.map((model) => `${host} ${plainModelName(model)}`),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('says where it was read and when', () => {
    for (const { source, date } of PRICES) {
      expect(source).not.toBe('');
      expect(date).toMatch(/^20\d\d-\d\d$/);
    }
  });

  it('counts what was cached at its own price', () => {
    const price = { currency: 'USD', input: 2, output: 8, cachedInput: 0.5 };
    expect(
      costOf({ inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 }, price),
    ).toBeCloseTo(1.2 + 0.2 + 0.8);
    expect(costOf({}, price)).toBeNull();
  });
});
