// Prices of the connected models, their source, and the person's own figures.
import { useState } from 'react';
import { type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import type { Price } from '../../domain/context/budget.ts';
import { type KnownPrice, priceOf } from '../../domain/context/prices.ts';
import { modelKey, type SpendingRow, sumsBy } from '../../domain/context/spending.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatPrice, locale } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Dialog } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { PriceFields } from './endpoint-fields.tsx';
import { priceFrom, priceWords } from './endpoint-price.ts';
import { Row } from './rows.tsx';

interface Priced {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly known: KnownPrice | null;
}

/** Models shown at first. */
const SHOWN = 8;

/** Digits of a price: providers ask for amounts such as $0.125. */
const PRICE_DIGITS = 4;

const monthOf = (date: string): string =>
  new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric' }).format(
    new Date(`${date}-15T12:00:00`),
  );

/** Moves models that were used to the front, those that cost most first; the others keep their order. */
function usedFirst(models: readonly Priced[], rows: readonly SpendingRow[]): readonly Priced[] {
  const spent = sumsBy(rows, modelKey).map(({ key }) => key);
  const placeOf = ({ endpoint, model }: Priced): number => {
    const place = spent.indexOf(modelKey({ model, endpoint: hostOf(endpoint.baseUrl) }));
    return place < 0 ? spent.length : place;
  };
  return models
    .map((priced) => ({ priced, place: placeOf(priced) }))
    .sort((a, b) => a.place - b.place)
    .map(({ priced }) => priced);
}

export function ModelPrices({ rows }: { rows: readonly SpendingRow[] }) {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const endpoints = useReadable(settings.connections, (connections) => connections.endpoints);
  const [editing, setEditing] = useState<Priced | null>(null);
  const [all, setAll] = useState(false);
  const models = usedFirst(
    endpoints.flatMap((endpoint) =>
      endpoint.models.map((model) => ({
        endpoint,
        model,
        known: priceOf(model, hostOf(endpoint.baseUrl), endpoint),
      })),
    ),
    rows,
  );
  const shown = all ? models : models.slice(0, SHOWN);
  return (
    <section aria-label={t('costs.prices.title')}>
      <h3 className="mb-1 font-semibold">{t('costs.prices.title')}</h3>
      {models.length === 0 && <p className="py-3 text-ink-2">{t('costs.prices.none')}</p>}
      <div className="divide-y divide-line">
        {shown.map((priced) => (
          <PriceRow
            key={`${priced.endpoint.id} ${priced.model}`}
            priced={priced}
            several={endpoints.length > 1}
            onEdit={() => setEditing(priced)}
          />
        ))}
      </div>
      {models.length > shown.length && (
        <Button size="sm" variant="ghost" className="mt-1 -ml-2.5" onClick={() => setAll(true)}>
          {t('costs.by.all', { count: models.length - shown.length })}
        </Button>
      )}
      {editing && <PriceDialog priced={editing} onClose={() => setEditing(null)} />}
    </section>
  );
}

function PriceRow({ priced, several, onEdit }: { priced: Priced; several: boolean; onEdit: () => void }) {
  const { t } = useTranslation('settings');
  const { endpoint, model, known } = priced;
  const price = known?.price;
  const figures = !price
    ? t('costs.prices.unknown')
    : price.input === 0 && price.output === 0
      ? t('costs.prices.free')
      : t('costs.prices.per', {
          input: formatPrice({ amount: price.input, currency: price.currency }, PRICE_DIGITS),
          output: formatPrice({ amount: price.output, currency: price.currency }, PRICE_DIGITS),
        });
  const from = known?.from;
  const source =
    from === undefined
      ? t('costs.prices.from.nobody')
      : typeof from === 'string'
        ? t(`costs.prices.from.${from}`)
        : t('costs.prices.from.list', { date: monthOf(from.date), source: from.source });
  return (
    <Row
      label={
        <span className="[overflow-wrap:anywhere]">
          {model}
          {several && <span className="pl-1.5 font-normal text-ink-3 text-xs">{endpoint.label}</span>}
        </span>
      }
      help={
        <>
          <span className="block text-ink-2 text-sm">{figures}</span>
          <span className="block [overflow-wrap:anywhere]">{source}</span>
        </>
      }
    >
      <Button size="sm" aria-label={t('costs.prices.edit', { model })} onClick={onEdit}>
        {t('costs.prices.editShort')}
      </Button>
    </Row>
  );
}

/** Sets the person's own price of a model. Null removes it. */
function withOwnPrice(endpoint: Endpoint, model: string, price: Price | null): Endpoint {
  const { ownPrices = {}, ...rest } = endpoint;
  const { [model]: _before, ...others } = ownPrices;
  const all = price ? { ...others, [model]: price } : others;
  return Object.keys(all).length > 0 ? { ...rest, ownPrices: all } : rest;
}

function PriceDialog({
  priced: { endpoint, model, known },
  onClose,
}: {
  priced: Priced;
  onClose: () => void;
}) {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const report = useReport();
  const [words, setWords] = useState(() => priceWords(known?.price));
  const [refused, setRefused] = useState(false);
  const isOwn = endpoint.ownPrices?.[model] !== undefined;
  const without = priceOf(model, hostOf(endpoint.baseUrl), withOwnPrice(endpoint, model, null));
  const keep = (price: Price | null) => {
    settings.saveEndpoint(withOwnPrice(endpoint, model, price), undefined).then(onClose, report);
  };
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={onClose}
      title={model}
      description={t('costs.prices.help')}
      guarded
      footer={
        <>
          {isOwn && (
            <Button variant="ghost" onClick={() => keep(null)}>
              {t(without ? 'costs.prices.reset' : 'costs.prices.forget')}
            </Button>
          )}
          <Button type="submit" form="own-price" variant="primary">
            {t('costs.prices.save')}
          </Button>
        </>
      }
    >
      <form
        id="own-price"
        onSubmit={(event) => {
          event.preventDefault();
          const price = priceFrom(words);
          if (price === undefined || (price === null && !isOwn)) return setRefused(true);
          keep(price);
        }}
      >
        <PriceFields
          value={words}
          refused={refused}
          onChange={(next) => {
            setWords(next);
            setRefused(false);
          }}
        />
      </form>
    </Dialog>
  );
}
