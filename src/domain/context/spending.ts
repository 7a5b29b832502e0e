// Sums the cost of models by day, model and conversation. Amounts of different currencies are never added. Pure.
import { z } from 'zod';
import { localDay } from '../base/time.ts';
import type { Config } from '../settings/config.ts';

/** All requests of one day for one conversation to one model at one price. Stored on the device as plain JSON. */
export const spendingRowSchema = z.object({
  /** Host of the endpoint. */
  endpoint: z.string(),
  model: z.string(),
  /** Null: for none that is stored, such as a temporary one. */
  conversation: z.string().nullable(),
  requests: z.number(),
  /** Count of requests whose tokens were estimated here, since the endpoint did not report them. */
  estimated: z.number().catch(0),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** ISO 4217; null: the price was unknown. */
  currency: z.string().nullable(),
  amount: z.number(),
});
type KeptRow = z.infer<typeof spendingRowSchema>;

export interface SpendingRow extends KeptRow {
  /** Local day, `2026-11-27`. */
  readonly day: string;
}

/** Lists `count` local days up to and including that of `now` (ms since 1970), oldest first. */
export function daysUpTo(now: number, count: number): string[] {
  const date = new Date(now);
  return Array.from({ length: count }, (_, at) =>
    localDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() - (count - 1 - at), 12).getTime()),
  );
}

/** First day of the period that contains `now` (ms since 1970), as `2026-11-27`. */
export const startOf = (period: Config['costs']['period'], now: number): string =>
  period === 'day' ? localDay(now) : `${localDay(now).slice(0, 7)}-01`;

/** Adds one request to the rows of a day; returns a new list. */
export function withRequest(rows: readonly KeptRow[], one: KeptRow): KeptRow[] {
  const isSame = (row: KeptRow) =>
    row.endpoint === one.endpoint &&
    row.model === one.model &&
    row.conversation === one.conversation &&
    row.currency === one.currency;
  const before = rows.find(isSame);
  if (!before) return [...rows, one];
  const sum: KeptRow = {
    ...before,
    requests: before.requests + one.requests,
    estimated: before.estimated + one.estimated,
    inputTokens: before.inputTokens + one.inputTokens,
    outputTokens: before.outputTokens + one.outputTokens,
    amount: before.amount + one.amount,
  };
  return rows.map((row) => (row === before ? sum : row));
}

/** Total of requests. */
export interface Sum {
  /** By currency, the largest first, without zero amounts. */
  readonly amounts: readonly { readonly currency: string; readonly amount: number }[];
  readonly requests: number;
  readonly estimated: number;
  /** Count of requests with an unknown price. */
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Adds rows up: requests, tokens, and an amount for each currency; requests without a currency are unpriced. */
export function sumOf(rows: Iterable<SpendingRow>): Sum {
  const amounts = new Map<string, number>();
  const sum = { requests: 0, estimated: 0, unpriced: 0, inputTokens: 0, outputTokens: 0 };
  for (const row of rows) {
    sum.requests += row.requests;
    sum.estimated += row.estimated;
    sum.inputTokens += row.inputTokens;
    sum.outputTokens += row.outputTokens;
    if (row.currency === null) sum.unpriced += row.requests;
    else amounts.set(row.currency, (amounts.get(row.currency) ?? 0) + row.amount);
  }
  return {
    ...sum,
    amounts: [...amounts]
      .map(([currency, amount]) => ({ currency, amount }))
      .filter(({ amount }) => amount > 0)
      .sort((a, b) => b.amount - a.amount || (a.currency < b.currency ? -1 : 1)),
  };
}

/** Groups rows by `key` and sums them, the dearest first, then those with most tokens. */
export function sumsBy(
  rows: Iterable<SpendingRow>,
  key: (row: SpendingRow) => string,
): readonly (Sum & { readonly key: string })[] {
  const groups = new Map<string, SpendingRow[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  const dearest = ({ amounts }: Sum) => amounts[0]?.amount ?? 0;
  const tokens = ({ inputTokens, outputTokens }: Sum) => inputTokens + outputTokens;
  return [...groups]
    .map(([name, group]) => ({ ...sumOf(group), key: name }))
    .sort((a, b) => dearest(b) - dearest(a) || tokens(b) - tokens(a) || (a.key < b.key ? -1 : 1));
}

/** Names one model of one endpoint, to group rows by; `JSON.parse` gives both back. */
export const modelKey = ({ model, endpoint }: Pick<SpendingRow, 'model' | 'endpoint'>): string =>
  JSON.stringify([model, endpoint]);

/** Spending relative to the limit that the person set. */
interface LimitStatus {
  readonly state: 'near' | 'over';
  readonly spent: number;
  readonly limit: number;
  readonly currency: string;
  readonly period: Config['costs']['period'];
}

/**
 * Null: there is no limit, or it is far. Spending in other currencies than the limit's does not count.
 * @param now ms since 1970
 */
export function limitStatus(
  { limit, period, currency, warn_at }: Config['costs'],
  rows: readonly SpendingRow[],
  now: number,
): LimitStatus | null {
  if (limit <= 0) return null;
  const from = startOf(period, now);
  let spent = 0;
  for (const row of rows) if (row.day >= from && row.currency === currency) spent += row.amount;
  if (spent < limit * warn_at || spent === 0) return null;
  return { state: spent >= limit ? 'over' : 'near', spent, limit, currency, period };
}
