// Spending of this device on models: today, this month, over time, by model and conversation; a limit; and prices.
import { type ReactNode, useCallback, useState } from 'react';
import { asConversationId } from '../../domain/base/ids.ts';
import { localDay } from '../../domain/base/time.ts';
import {
  daysUpTo,
  modelKey,
  type SpendingRow,
  type Sum,
  startOf,
  sumOf,
  sumsBy,
} from '../../domain/context/spending.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { pathOf, useNavigation } from '../hooks/navigation.tsx';
import { useRead } from '../hooks/read.ts';
import { formatNumber, formatPercent, formatPrice } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { AppLink } from '../shell/app-link.tsx';
import { Button, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { CostsChart, type CostsPeriod } from './costs-chart.tsx';
import { CURRENCIES } from './endpoint-price.ts';
import { ModelPrices } from './model-prices.tsx';
import { Choice, Group, NumberSetting, Row, SelectSetting, SliderSetting } from './rows.tsx';

const SPANS: readonly CostsPeriod[] = ['month', 'days', 'year'];

/** Key of rows that belong to no conversation in the library. */
const NONE = 'none';
const GONE = 'gone';

/** Rows of a table shown at first. */
const SHOWN = 8;

/** First day of a span. */
function spanStart(span: CostsPeriod, now: number): string {
  if (span === 'month') return startOf('month', now);
  if (span === 'days') return daysUpTo(now, 30)[0] as string;
  const date = new Date(now);
  return localDay(new Date(date.getFullYear(), date.getMonth() - 11, 1, 12).getTime());
}

/** Returns the words for a sum: each currency, or that it was free or its price is unknown. */
function useMoney(): (sum: Sum) => string {
  const { t } = useTranslation('settings');
  return ({ amounts, unpriced, requests }) => {
    if (amounts.length > 0) return amounts.map(formatPrice).join(' + ');
    if (requests === 0) return formatPrice({ amount: 0, currency: 'USD' });
    return unpriced > 0 ? t('costs.unknown') : t('costs.free');
  };
}

/** Returns the usage behind a sum, and how exact the price is. */
function useFacts(): (sum: Sum) => string {
  const { t } = useTranslation('settings');
  return (sum) =>
    [
      t('costs.requests', { count: sum.requests }),
      t('costs.tokens', { input: formatNumber(sum.inputTokens), output: formatNumber(sum.outputTokens) }),
      sum.estimated > 0 && t('costs.estimated', { count: sum.estimated }),
      sum.unpriced > 0 && t('costs.unpriced', { count: sum.unpriced }),
    ]
      .filter(Boolean)
      .join(' · ');
}

export function CostsSection() {
  const { t } = useTranslation('settings');
  const { spending } = useApp();
  const [span, setSpan] = useState<CostsPeriod>('month');
  const { rows, since } = useReadable(spending.state);
  const now = Date.now();
  const from = spanStart(span, now);
  // All at once: a longer span then shows at once, and the prices keep their order.
  const first = spanStart('year', now);
  const load = useCallback(() => spending.load(first), [spending, first]);
  const { problem, again } = useRead(load);
  const isKnown = since !== null && since <= first;
  const shown = rows.filter(({ day }) => day >= from);
  return (
    <>
      {!isKnown && problem ? (
        <ReadFailed problem={problem} onRetry={again} />
      ) : !isKnown ? (
        <Loading className="space-y-3">
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-32 w-full" />
        </Loading>
      ) : rows.length === 0 ? (
        <div className="rounded-lg bg-side px-4 py-3.5">
          <p className="font-medium">{t('costs.nothing')}</p>
          <p className="mt-0.5 text-ink-2">{t('costs.nothingText')}</p>
        </div>
      ) : (
        <>
          <Totals rows={rows} now={now} />
          <section aria-label={t('costs.chart.title')}>
            <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
              <h3 className="font-semibold">{t('costs.chart.title')}</h3>
              <Choice
                label={t('costs.span.label')}
                value={span}
                options={SPANS.map((value) => ({ value, label: t(`costs.span.${value}`) }))}
                onChange={setSpan}
              />
            </div>
            <CostsChart rows={shown} span={span} from={from} now={now} />
          </section>
          <ByModel rows={shown} />
          <ByConversation rows={shown} />
        </>
      )}
      <LimitGroup />
      <ModelPrices rows={rows} />
      <div className="space-y-2">
        <p className="text-ink-3 text-xs">{t('costs.counted')}</p>
        {rows.length > 0 && <ClearRow />}
      </div>
    </>
  );
}

function Totals({ rows, now }: { rows: readonly SpendingRow[]; now: number }) {
  const { t } = useTranslation('settings');
  const money = useMoney();
  const facts = useFacts();
  const periods = [
    { id: 'today', sum: sumOf(rows.filter(({ day }) => day === localDay(now))) },
    { id: 'month', sum: sumOf(rows.filter(({ day }) => day >= startOf('month', now))) },
  ] as const;
  return (
    <dl className="grid gap-x-6 gap-y-4 @md:grid-cols-2">
      {periods.map(({ id, sum }) => (
        <div key={id}>
          <dt className="text-ink-2">{t(`costs.${id}`)}</dt>
          <dd className="font-semibold text-2xl tabular-nums tracking-tight [overflow-wrap:anywhere]">
            {money(sum)}
          </dd>
          <dd className="text-ink-3 text-xs">{facts(sum)}</dd>
        </div>
      ))}
    </dl>
  );
}

function ByModel({ rows }: { rows: readonly SpendingRow[] }) {
  const { t } = useTranslation('settings');
  const several = new Set(rows.map(({ endpoint }) => endpoint)).size > 1;
  const sums = sumsBy(rows, modelKey);
  return (
    <SumTable
      title={t('costs.by.model')}
      sums={sums}
      name={(key) => {
        const [model, endpoint] = JSON.parse(key) as [string, string];
        return (
          <span className="[overflow-wrap:anywhere]">
            {model}
            {several && endpoint !== '' && <span className="pl-1.5 text-ink-3 text-xs">{endpoint}</span>}
          </span>
        );
      }}
    />
  );
}

function ByConversation({ rows }: { rows: readonly SpendingRow[] }) {
  const { t } = useTranslation(['settings', 'shell']);
  const { documents } = useApp();
  const navigation = useNavigation();
  const { entries } = useReadable(documents.library);
  const known = new Map<string, string>(entries.map(({ id, title }) => [id, title]));
  const sums = sumsBy(rows, ({ conversation }) =>
    conversation === null ? NONE : known.has(conversation) ? conversation : GONE,
  );
  return (
    <SumTable
      title={t('costs.by.conversation')}
      sums={sums}
      name={(key) =>
        key === NONE || key === GONE ? (
          t(`costs.by.${key}`)
        ) : (
          <AppLink
            href={pathOf({ screen: 'conversation', conversationId: asConversationId(key), messageId: null })}
            onOpen={() => navigation.openConversation(asConversationId(key))}
            className="rounded-xs [overflow-wrap:anywhere] hover:underline"
          >
            {shownTitle(known.get(key) ?? '', t('shell:untitled'))}
          </AppLink>
        )
      }
    />
  );
}

/** Table of names with their cost and usage. */
function SumTable({
  title,
  sums,
  name,
}: {
  title: string;
  sums: ReturnType<typeof sumsBy>;
  name: (key: string) => ReactNode;
}) {
  const { t } = useTranslation('settings');
  const money = useMoney();
  const facts = useFacts();
  const [all, setAll] = useState(false);
  if (sums.length === 0) return null;
  const shown = all ? sums : sums.slice(0, SHOWN);
  return (
    <section aria-label={title}>
      <table className="w-full text-left">
        <caption className="mb-1 text-left font-semibold">{title}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">{t('costs.by.name')}</th>
            <th scope="col">{t('costs.by.cost')}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {shown.map((sum) => (
            <tr key={sum.key}>
              <th scope="row" className="py-2 pr-4 font-normal">
                <span dir="auto" className="block">
                  {name(sum.key)}
                </span>
                <span className="block text-ink-3 text-xs">{facts(sum)}</span>
              </th>
              <td className="py-2 text-right break-keep sm:whitespace-nowrap align-top font-medium tabular-nums">
                {money(sum)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sums.length > shown.length && (
        <Button size="sm" variant="ghost" className="mt-1 -ml-2.5" onClick={() => setAll(true)}>
          {t('costs.by.all', { count: sums.length - shown.length })}
        </Button>
      )}
    </section>
  );
}

function LimitGroup() {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const { limit, period, currency } = useReadable(settings.config, ({ costs }) => costs);
  return (
    <Group title={t('costs.limit.title')}>
      <NumberSetting path="costs.limit" unit={t(`costs.limit.unit.${period}`, { currency })} />
      <SelectSetting<'day' | 'month'>
        path="costs.period"
        options={(['day', 'month'] as const).map((value) => ({
          value,
          label: t(`costs.limit.${value}`),
        }))}
      />
      <SelectSetting<string>
        path="costs.currency"
        options={CURRENCIES.map((value) => ({ value, label: value }))}
      />
      {limit > 0 && (
        <SliderSetting
          path="costs.warn_at"
          min={0.5}
          max={1}
          step={0.05}
          show={(share) => formatPercent(share)}
        />
      )}
    </Group>
  );
}

function ClearRow() {
  const { t } = useTranslation('settings');
  const { spending } = useApp();
  const report = useReport();
  const clear = () => {
    spending
      .clear()
      .then(
        (undo) =>
          offer(t('costs.clear.done'), { label: t('undo'), onClick: () => void undo().catch(report) }),
        report,
      );
  };
  return (
    <Row label={t('costs.clear.title')} help={t('costs.clear.text')}>
      <Button size="sm" onClick={clear}>
        {t('costs.clear.action')}
      </Button>
    </Row>
  );
}
