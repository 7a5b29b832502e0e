// Spending over time as bars, and as a table.

import { daysUpTo, type SpendingRow, sumOf } from '../../domain/context/spending.ts';
import { formatNumber, formatPrice, locale } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';

/** This month, the last 30 days, the last 12 months. */
export type CostsPeriod = 'month' | 'days' | 'year';

interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
}

const noon = (day: string): Date => new Date(`${day.length === 7 ? `${day}-15` : day}T12:00:00`);
const nameOfDay = (day: string): string =>
  new Intl.DateTimeFormat(
    locale(),
    day.length === 7 ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' },
  ).format(noon(day));

/** Days, or months of a year, from the first to today. */
function unitsOf(span: CostsPeriod, from: string, now: number): string[] {
  const days = daysUpTo(now, 400).filter((day) => day >= from);
  return span === 'year' ? [...new Set(days.map((day) => day.slice(0, 7)))] : days;
}

/** Money in the currency with the highest spending; tokens if no price is known. */
export function CostsChart({
  rows,
  span,
  from,
  now,
}: {
  rows: readonly SpendingRow[];
  span: CostsPeriod;
  from: string;
  now: number;
}) {
  const { t } = useTranslation('settings');
  const { amounts } = sumOf(rows);
  const currency = amounts[0]?.currency ?? null;
  const amountIn = (row: SpendingRow): number =>
    currency === null ? row.inputTokens + row.outputTokens : row.currency === currency ? row.amount : 0;
  const units = unitsOf(span, from, now);
  const values = new Map<string, number>();
  for (const row of rows) {
    const unit = span === 'year' ? row.day.slice(0, 7) : row.day;
    values.set(unit, (values.get(unit) ?? 0) + amountIn(row));
  }
  const bars: readonly Bar[] = units.map((unit) => ({
    key: unit,
    name: nameOfDay(unit),
    value: values.get(unit) ?? 0,
  }));
  const show = (value: number) =>
    currency === null ? formatNumber(Math.round(value)) : formatPrice({ amount: value, currency });
  const most = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.value > (best?.value ?? 0) ? bar : best),
    undefined,
  );
  const [first, last] = [bars[0]?.name ?? '', bars.at(-1)?.name ?? ''];
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure>
      <div
        role="img"
        aria-label={
          most
            ? t('costs.chart.label', {
                from: first,
                to: last,
                total: show(total),
                most: show(most.value),
                when: most.name,
              })
            : t('costs.chart.empty', { from: first, to: last })
        }
        className="flex h-28 items-end gap-px border-line-strong border-b"
      >
        {bars.map(({ key, name, value }) => (
          <span
            key={key}
            title={`${name}: ${show(value)}`}
            className="flex h-full min-w-0 flex-1 items-end hover:bg-fill"
          >
            <span
              className={classes(
                'w-full rounded-t-xs bg-accent forced-colors:bg-[CanvasText]',
                value > 0 && 'min-h-0.5',
              )}
              style={{ height: `${most ? (value / most.value) * 100 : 0}%` }}
            />
          </span>
        ))}
      </div>
      <figcaption className="mt-1 flex justify-between gap-3 text-ink-3 text-xs tabular-nums">
        <span>{first}</span>
        <span>{currency === null ? t('costs.chart.inTokens') : t('costs.chart.in', { currency })}</span>
        <span>{last}</span>
      </figcaption>
      <details className="mt-2 text-sm">
        <summary className="touchable cursor-pointer rounded-xs py-1 text-ink-2">
          {t('costs.chart.table')}
        </summary>
        <table className="mt-1 w-full max-w-80 text-left">
          <thead className="text-ink-3 text-xs">
            <tr>
              <th scope="col" className="py-1 font-normal">
                {t('costs.chart.when')}
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                {currency === null ? t('costs.chart.inTokens') : t('costs.by.cost')}
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {bars
              .filter(({ value }) => value > 0)
              .map(({ key, name, value }) => (
                <tr key={key}>
                  <th scope="row" className="py-1 font-normal">
                    {name}
                  </th>
                  <td className="py-1 text-right tabular-nums">{show(value)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
