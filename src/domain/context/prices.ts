// Prices of models: entered by the person, listed by an endpoint for its own models, or from a small dated list; other
// models have none. A list price holds only at the provider's own address, since resellers have their own.
import type { Price } from './budget.ts';

interface ListedPrice extends Price {
  /** Names of the provider. */
  readonly models: readonly string[];
  /** Host of the endpoint for which it holds. */
  readonly host: string;
  /** Source of the figures: the provider's own price page. */
  readonly source: string;
  /** Year and month in which the figures were read. */
  readonly date: string;
}

/** Rates per million tokens, dollars: input, input read from the endpoint's cache (null: as other input), output. */
type Rates = readonly [input: number, cachedInput: number | null, output: number];

const listed =
  (host: string) =>
  (source: string, date: string) =>
  (
    models: readonly string[],
    [input, cachedInput, output]: Rates,
    above?: readonly [tokens: number, ...Rates],
  ): ListedPrice => ({
    models,
    host,
    source,
    date,
    currency: 'USD',
    input,
    output,
    ...(cachedInput === null ? {} : { cachedInput }),
    ...(above
      ? {
          above: {
            tokens: above[0],
            input: above[1],
            output: above[3],
            ...(above[2] === null ? {} : { cachedInput: above[2] }),
          },
        }
      : {}),
  });

const COPILOT = 'docs.github.com, Copilot models and pricing';
const ADK = 'docs.rs/crate/adk-model, src/openai/pricing.rs';
const METER = 'github.com/iyulab/TokenMeter';
const CLAUDE = 'platform.claude.com/docs/en/about-claude/pricing';
const PROMPT_FUEL = 'github.com/TheKrush/PromptFuel, release notes';

const openai = listed('api.openai.com');
const anthropic = listed('api.anthropic.com');
const google = listed('generativelanguage.googleapis.com');
const xai = listed('api.x.ai');
const moonshot = listed('api.moonshot.ai');
const mistral = listed('api.mistral.ai');

/**
 * Per million tokens. Prices that change with the hour, or that differ between two pages of the provider, are left out.
 */
export const PRICES: readonly ListedPrice[] = [
  openai(METER, '2026-11')(['gpt-6.2-sol'], [2, 0.1, 10], [272_000, 4, 0.2, 15]),
  openai(METER, '2026-11')(['gpt-6.2-astra'], [8, 0.4, 40], [272_000, 16, 0.8, 60]),
  openai(COPILOT, '2026-10')(['gpt-5.5', 'gpt-5.6-sol'], [5, 0.5, 30], [272_000, 10, 1, 45]),
  openai(COPILOT, '2026-10')(['gpt-5.4'], [2.5, 0.25, 15], [272_000, 5, 0.5, 22.5]),
  openai(ADK, '2026-03')(['gpt-5.4-mini'], [0.75, 0.075, 4.5]),
  openai(COPILOT, '2026-10')(['gpt-5.4-nano'], [0.2, 0.02, 1.25]),
  openai(COPILOT, '2026-10')(['gpt-5.3-codex', 'gpt-5.2', 'gpt-5.2-codex'], [1.75, 0.175, 14]),
  openai(METER, '2026-07')(['gpt-5.1', 'gpt-5.1-codex', 'gpt-5'], [1.25, 0.125, 10]),
  openai(COPILOT, '2026-10')(['gpt-5-mini'], [0.25, 0.025, 2]),
  openai(METER, '2026-07')(['gpt-5-nano'], [0.05, 0.005, 0.4]),
  openai(METER, '2026-07')(['gpt-4.1', 'o3'], [2, 0.5, 8]),
  openai(METER, '2026-07')(['gpt-4.1-mini'], [0.4, 0.1, 1.6]),
  openai(METER, '2026-07')(['gpt-4.1-nano'], [0.1, 0.025, 0.4]),
  openai(METER, '2026-07')(['gpt-4o'], [2.5, 1.25, 10]),
  openai(METER, '2026-07')(['gpt-4o-mini'], [0.15, 0.075, 0.6]),
  openai(METER, '2026-07')(['o4-mini'], [1.1, 0.275, 4.4]),
  anthropic(CLAUDE, '2026-10')(['claude-fable-5-1'], [10, 0.25, 50]),
  anthropic(CLAUDE, '2026-10')(['claude-fable-5'], [10, 1, 50]),
  anthropic(PROMPT_FUEL, '2026-10')(['claude-opus-5-5'], [4, 0.2, 20]),
  anthropic(CLAUDE, '2026-10')(
    ['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    [5, 0.5, 25],
  ),
  anthropic(CLAUDE, '2026-10')(['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0'], [15, 1.5, 75]),
  anthropic(PROMPT_FUEL, '2026-10')(['claude-sonnet-5-5'], [2, 0.1, 10]),
  anthropic(COPILOT, '2026-10')(['claude-sonnet-5'], [2, 0.2, 10]),
  anthropic(CLAUDE, '2026-10')(
    ['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0', 'claude-3-7-sonnet'],
    [3, 0.3, 15],
  ),
  anthropic(PROMPT_FUEL, '2026-10')(['claude-haiku-5-5'], [0.1, 0.01, 0.5], [100_000, 0.5, 0.05, 2.5]),
  anthropic(CLAUDE, '2026-10')(['claude-haiku-4-5'], [1, 0.1, 5]),
  anthropic(CLAUDE, '2026-10')(['claude-3-5-haiku'], [0.8, 0.08, 4]),
  google(METER, '2026-11')(['gemini-4-neon'], [3, 0.15, 15]),
  google(METER, '2026-11')(['gemini-4-hydrogen'], [1.5, 0.075, 7.5]),
  google(COPILOT, '2026-10')(['gemini-3.5-flash'], [1.5, 0.15, 9]),
  google(COPILOT, '2026-10')(
    ['gemini-3.1-pro', 'gemini-3.1-pro-preview'],
    [2, 0.2, 12],
    [200_000, 4, 0.4, 18],
  ),
  google(METER, '2026-07')(['gemini-3-flash', 'gemini-3-flash-preview'], [0.5, null, 3]),
  google(METER, '2026-07')(['gemini-2.5-flash'], [0.3, null, 2.5]),
  google(METER, '2026-07')(['gemini-2.5-flash-lite'], [0.1, null, 0.4]),
  xai(COPILOT, '2026-10')(['grok-4.6', 'grok-4.5'], [2, 0.5, 6], [200_000, 4, 1, 12]),
  moonshot('platform.kimi.ai/docs/pricing/chat-k3', '2026-07')(['kimi-k3'], [3, 0.3, 15]),
  moonshot(COPILOT, '2026-10')(['kimi-k2.7-code'], [0.95, 0.19, 4]),
  mistral(METER, '2026-07')(['mistral-medium'], [0.4, null, 2]),
  mistral(METER, '2026-07')(['codestral'], [0.3, null, 0.9]),
];

/** A fine-tuned model has a price of its own. */
const isFineTuned = (model: string): boolean => /^ft[:-]/i.test(model);

/** Normalises a model's name: removes folders, dates, `latest`; dots, dashes and case count as one. */
export function plainModelName(model: string): string {
  const name = model.trim().toLowerCase().split('/').at(-1) ?? '';
  return name
    .replace(/@\d{8}$/, '')
    .replace(/[._]/g, '-')
    .replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');
}

const byName = new Map(
  PRICES.flatMap((entry) =>
    entry.models.map((model): [string, ListedPrice] => [`${entry.host} ${plainModelName(model)}`, entry]),
  ),
);

/** True if a host is this machine or one beside it, which sends no bill. `host`: with or without its port. */
function isOwnHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
  if (/^(?:localhost|.+\.(?:localhost|local|lan|internal)|::1|f[cd][\da-f]{2}:.*)$/.test(name)) return true;
  return /^(?:127|10)(?:\.\d{1,3}){3}$|^192\.168(?:\.\d{1,3}){2}$|^172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}$/.test(
    name,
  );
}

const FREE: Price = { currency: 'USD', input: 0, output: 0 };

/** Prices stored with an endpoint. */
interface PricedEndpoint {
  /** Entered by the person: for one model, and for all others. */
  readonly ownPrices?: Readonly<Record<string, Price>> | undefined;
  readonly price?: Price | undefined;
  /** Prices from the endpoint's list. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
}

export interface KnownPrice {
  readonly price: Price;
  /** `own`: runs on a machine of the person's. */
  readonly from: 'person' | 'endpoint' | 'own' | Pick<ListedPrice, 'source' | 'date'>;
}

/** Finds the price of a model at a host, and its source; null if unknown. */
export function priceOf(model: string, host: string, endpoint: PricedEndpoint = {}): KnownPrice | null {
  const entered = endpoint.ownPrices?.[model] ?? endpoint.price;
  if (entered) return { price: entered, from: 'person' };
  const advertised = endpoint.prices?.[model];
  if (advertised) return { price: advertised, from: 'endpoint' };
  if (isOwnHost(host)) return { price: FREE, from: 'own' };
  const entry = isFineTuned(model) ? undefined : byName.get(`${host.toLowerCase()} ${plainModelName(model)}`);
  return entry ? { price: entry, from: entry } : null;
}
