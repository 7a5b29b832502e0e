// Converts the price of an endpoint's models to and from the text of its fields.
import type { Price } from '../../domain/context/budget.ts';

/** Figures as typed. */
export interface PriceWords {
  readonly input: string;
  readonly output: string;
  readonly currency: string;
}

export const CURRENCIES: readonly string[] = ['USD', 'EUR', 'CNY', 'GBP', 'JPY'];

/** Fields for the given price. */
export const priceWords = (price: Price | undefined): PriceWords => ({
  input: price ? String(price.input) : '',
  output: price ? String(price.output) : '',
  currency: price?.currency ?? 'USD',
});

/** Price from the fields; null if both are empty, undefined if they are not a price. */
export function priceFrom({ input, output, currency }: PriceWords): Price | null | undefined {
  if (input.trim() === '' && output.trim() === '') return null;
  const [read, written] = [input, output].map((figure) =>
    figure.trim() === '' ? Number.NaN : Number(figure),
  );
  const sound = (figure: number | undefined): figure is number =>
    figure !== undefined && figure >= 0 && figure <= 1_000_000;
  return sound(read) && sound(written) ? { currency, input: read, output: written } : undefined;
}
