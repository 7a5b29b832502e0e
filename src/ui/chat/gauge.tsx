// The gauge by the composer: how full the window is, of what, and what the next send would cost.
import { ChevronsDownUp, ReceiptText } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAbort } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Part, RecalledPassage } from '../../domain/chat/message.ts';
import type { ContextMeter } from '../../domain/context/budget.ts';
import type { NextRequest } from '../../services/context/context.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { formatNumber, formatPercent, locale } from '../i18n/index.ts';
import { Button, classes, Popover } from '../shell/controls.tsx';
import { LedgerDialog } from './ledger.tsx';

/** What stands in the composer is counted when it has rested this long, ms. */
const REST_MS = 400;

/** What the next request would be made of; null until it was counted, and where there is no model. Counted again as things change. */
export function useNextRequest(
  conversation: Conversation | null,
  draft: readonly Part[],
  announced: readonly RecalledPassage[],
): NextRequest | null {
  const { context, settings } = useApp();
  const [next, setNext] = useState<NextRequest | null>(null);
  const { choice } = useModelInUse(conversation);
  const config = useReadable(settings.config, ({ context }) => context);
  const id: ConversationId | null = conversation?.id ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted again for another model, another setting, another conversation
  useEffect(() => {
    if (!choice) {
      setNext(null);
      return;
    }
    let gone = false;
    const timer = setTimeout(() => {
      context.next(id, draft, announced).then(
        (counted) => {
          if (!gone) setNext(counted);
        },
        (error: unknown) => {
          if (!gone && !isAbort(error)) setNext(null);
        },
      );
    }, REST_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [context, id, conversation, draft, announced, choice, config]);
  return next;
}

const SEGMENTS = [
  { name: 'system', look: 'bg-ink-3' },
  { name: 'tools', look: 'bg-ink-3/50' },
  { name: 'recall', look: 'bg-memory-strong' },
  { name: 'returned', look: 'bg-memory' },
  { name: 'summary', look: 'bg-folded-strong' },
  { name: 'messages', look: 'bg-ink' },
] as const;

/** The bar of the gauge, with or without its legend. */
export function GaugeBar({ gauge, legend = true }: { gauge: ContextMeter; legend?: boolean }) {
  const { t } = useTranslation('context');
  const { window, reserve, used, free } = gauge;
  const share = (tokens: number) => `${Math.min(100, (tokens / Math.max(1, window)) * 100)}%`;
  const rows: { name: string; look: string; tokens: number }[] = [
    ...SEGMENTS.map(({ name, look }) => ({ name, look, tokens: used[name] })),
    { name: 'free', look: 'bg-press', tokens: free },
    { name: 'reserve', look: 'bg-line-strong', tokens: reserve },
  ].filter(({ name, tokens }) => tokens > 0 || name === 'messages');
  return (
    <>
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-press">
        {rows.map(({ name, look, tokens }) => (
          <span key={name} className={classes('h-full', look)} style={{ width: share(tokens) }} />
        ))}
      </div>
      {legend && (
        <dl className="mt-2.5 grid grid-cols-[auto_1fr_auto] items-center gap-x-2 gap-y-1 text-sm">
          {rows.map(({ name, look, tokens }) => (
            <div key={name} className="col-span-3 grid grid-cols-subgrid items-center">
              <span
                aria-hidden
                className={classes(
                  'size-2 rounded-full',
                  look,
                  look === 'bg-press' && 'ring-1 ring-line-strong',
                )}
              />
              <dt className="text-ink-2">{t(`gauge.parts.${name as 'system'}`)}</dt>
              <dd className="text-right tabular-nums">{formatNumber(tokens)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

export const formatPrice = ({ amount, currency }: { amount: number; currency: string }): string =>
  new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency,
    maximumSignificantDigits: 2,
    minimumFractionDigits: 0,
  }).format(amount);

/** The same as sentences. */
function GaugeFacts({ gauge }: { gauge: ContextMeter }): ReactNode {
  const { t } = useTranslation('context');
  const over = gauge.used.total > gauge.window - gauge.reserve;
  return (
    <div className="space-y-1 text-ink-3 text-xs">
      {over && <p className="text-folded">{t('gauge.over')}</p>}
      <p>{gauge.price ? t('gauge.price', { price: formatPrice(gauge.price) }) : t('gauge.noPrice')}</p>
      <p>{t(gauge.exact ? 'gauge.exact' : 'gauge.estimate')}</p>
    </div>
  );
}

/** The ring, and what it opens. */
export function GaugeRing({
  next,
  onFold,
}: {
  next: NextRequest | null;
  /** Absent where there is nothing to fold. */
  onFold?: (() => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const [open, setOpen] = useState(false);
  const [ledger, setLedger] = useState(false);
  if (!next) return null;
  const { contextMeter: gauge } = next;
  const share = Math.min(1, gauge.share);
  const pressed = gauge.used.total >= gauge.trigger;
  return (
    <>
      <Popover
        side="top"
        align="end"
        open={open}
        onOpenChange={setOpen}
        label={t('gauge.title')}
        trigger={
          <button
            type="button"
            aria-label={t('gauge.label', { share: formatPercent(gauge.share) })}
            className="touchable inline-flex h-8 items-center gap-1.5 rounded-sm px-1.5 text-ink-2 text-xs tabular-nums hover:bg-fill hover:text-ink aria-expanded:bg-fill"
          >
            <svg viewBox="0 0 20 20" aria-hidden className="-rotate-90 size-4.5">
              <circle cx="10" cy="10" r="7.5" fill="none" stroke="var(--press)" strokeWidth="3.5" />
              <circle
                cx="10"
                cy="10"
                r="7.5"
                fill="none"
                stroke={pressed ? 'var(--folded-strong)' : 'currentColor'}
                strokeWidth="3.5"
                strokeDasharray={`${share * 47.12} 47.12`}
              />
            </svg>
            {formatPercent(gauge.share)}
          </button>
        }
      >
        <div className="flex items-baseline justify-between gap-3 pb-2.5">
          <h3 className="font-medium text-sm">{t('gauge.title')}</h3>
        </div>
        <GaugeBar gauge={gauge} />
        <p className="mt-2 border-t pt-2 text-sm tabular-nums">
          {t('gauge.total', { used: gauge.used.total, window: gauge.window })}
        </p>
        <div className="mt-1">
          <GaugeFacts gauge={gauge} />
        </div>
        <div className="mt-3 flex flex-wrap gap-1.5">
          <Button
            size="sm"
            icon={<ReceiptText size={14} aria-hidden />}
            onClick={() => {
              setOpen(false);
              setLedger(true);
            }}
          >
            {t('gauge.ledger')}
          </Button>
          {onFold && (
            <Button
              size="sm"
              icon={<ChevronsDownUp size={14} aria-hidden />}
              onClick={() => {
                setOpen(false);
                onFold();
              }}
            >
              {t('gauge.fold')}
            </Button>
          )}
        </div>
      </Popover>
      <LedgerDialog open={ledger} onOpenChange={setLedger} ledger={next.manifest} gauge={gauge} coming />
    </>
  );
}
