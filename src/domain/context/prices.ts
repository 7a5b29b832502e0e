// What models cost where that is known: a small dated list, and what the person entered for an endpoint, which goes before it. A model
// that is not in it has no price, and a list price holds at the provider's own address only: resellers have their own.
import type { Price } from './budget.ts';

interface ListedPrice extends Price {
  /** Exact names; a date behind them (`-2024-07-18`) changes nothing. */
  readonly models: readonly string[];
  /** Host of the endpoint it holds at. */
  readonly host: string;
  /** Where the figures were read. They quote the provider's own price page. */
  readonly source: string;
  /** As of; year and month. */
  readonly date: string;
}

/** Per million tokens. */
export const PRICES: readonly ListedPrice[] = [
  {
    models: ['gpt-5.4'],
    host: 'api.openai.com',
    currency: 'USD',
    input: 2.5,
    cachedInput: 0.25,
    output: 15,
    source: 'docs.rs/crate/adk-model, src/openai/pricing.rs',
    date: '2026-03',
  },
  {
    models: ['gpt-5.4-mini'],
    host: 'api.openai.com',
    currency: 'USD',
    input: 0.75,
    cachedInput: 0.075,
    output: 4.5,
    source: 'docs.rs/crate/adk-model, src/openai/pricing.rs',
    date: '2026-03',
  },
  {
    models: ['kimi-k3'],
    host: 'api.moonshot.ai',
    currency: 'USD',
    input: 3,
    cachedInput: 0.3,
    output: 15,
    source: 'platform.kimi.ai/docs/pricing/chat-k3, as quoted in github.com/getagentseal/codeburn/pull/709',
    date: '2026-07',
  },
];

/** What an endpoint has of its own: the price that the person entered, else that of its list. */
export const ownPriceOf = (
  model: string,
  endpoint: {
    readonly price?: Price | undefined;
    readonly prices?: Readonly<Record<string, Price>> | undefined;
  } = {},
): Price | null => endpoint.price ?? endpoint.prices?.[model] ?? null;

/** The price of a model at an endpoint, and where it comes from; null where nobody knows. `own`: what the person entered, or the endpoint's list tells. */
export function priceOf(
  model: string,
  host: string,
  own: Price | null = null,
): { readonly price: Price; readonly from: 'person' | ListedPrice } | null {
  if (own) return { price: own, from: 'person' };
  const name = model.toLowerCase().replace(/-\d{4}-\d{2}-\d{2}$/, '');
  const listed = PRICES.find((entry) => entry.host === host && entry.models.includes(name));
  return listed ? { price: listed, from: listed } : null;
}
