// Computes the budget of a prompt, when compaction is due, and the context meter. Figures in tokens.
import type { Config } from '../settings/config.ts';
import type { CompactionBudget } from './compaction/strategy.ts';
import type { RequestManifest } from './manifest.ts';

/** Space kept free for the answer and the next step: the configured size, at most a quarter of the window. */
export const reserveOf = (window: number, reserved: number): number =>
  Math.min(Math.max(0, reserved), Math.floor(window / 4));

/**
 * The budget of one model from the configuration's `context` part. `extra`: descriptions of
 * tools and recall of other conversations.
 */
export function budgetOf(context: Config['context'], window: number, extra = 0): CompactionBudget {
  const limit = window - reserveOf(window, context.reserved_tokens);
  const trigger = Math.min(limit, Math.floor(window * context.trigger_ratio));
  return {
    window,
    limit,
    trigger,
    // A target at or above the trigger would compact again at once.
    target: Math.min(Math.floor(window * context.target_ratio), Math.floor(trigger * 0.9)),
    extra,
    keepTurns: context.keep_last_turns,
    keepMessages: 2,
    maxAttempts: context.max_attempts,
  };
}

/** True if the next prompt would be so large that compaction is due. `tokens`: the whole prompt. */
export const isPressed = (tokens: number, budget: Pick<CompactionBudget, 'trigger' | 'limit'>): boolean =>
  tokens >= budget.trigger || tokens > budget.limit;

/** Figures of the context meter: shares of the window, and the price of the next send if known. */
export interface ContextMeter {
  readonly window: number;
  readonly reserve: number;
  readonly trigger: number;
  readonly used: RequestManifest['tokens'];
  /** Free tokens up to the limit; 0 above it. */
  readonly free: number;
  /** Used share of the window, 0–1 and above. */
  readonly share: number;
  /** True if the model's own tokenizer counted it, without a correction. */
  readonly exact: boolean;
  /** Null: the model's price is unknown. */
  readonly price: { readonly amount: number; readonly currency: string } | null;
}

/** Price of a model, per million tokens. */
export interface Price {
  readonly currency: string;
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | undefined;
  /** Prices for the whole of a request with more input tokens than `tokens`. */
  readonly above?:
    | {
        readonly tokens: number;
        readonly input: number;
        readonly output: number;
        readonly cachedInput?: number | undefined;
      }
    | undefined;
}

/** Rates for a request with so many input tokens. */
const ratesFor = (price: Price, inputTokens: number): Pick<Price, 'input' | 'output' | 'cachedInput'> =>
  price.above && inputTokens > price.above.tokens ? price.above : price;

/** Makes the context meter of a request. The price is that of its input, without the coming answer. */
export function contextMeterOf(
  manifest: RequestManifest,
  budget: Pick<CompactionBudget, 'trigger'>,
  price: Price | null,
): ContextMeter {
  const { tokens, window, limit } = manifest;
  return {
    window,
    reserve: window - limit,
    trigger: budget.trigger,
    used: tokens,
    free: Math.max(0, limit - tokens.total),
    share: window > 0 ? tokens.total / window : 1,
    exact: manifest.counter !== 'estimate' && manifest.ratio === 1,
    price: price && {
      amount: (tokens.total * ratesFor(price, tokens.total).input) / 1_000_000,
      currency: price.currency,
    },
  };
}

/** Cost of an answer, from its usage; null without figures. */
export function costOf(
  usage: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    cachedInputTokens?: number | undefined;
  },
  price: Price,
): number | null {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return null;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, output, cachedInput = input } = ratesFor(price, inputTokens);
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000;
}

/** Tokens that returned messages may use if `total` of `limit` is taken; at most as many as a recall. */
export const returnBudget = (limit: number, total: number, most = 2_000): number =>
  Math.max(0, Math.min(most, limit - total));
