// Context meter beside the composer: how full the window is, of what, and what the next request would cost.
import { ChevronsDownUp, ReceiptText } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { isAbort } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Part, RecalledPassage } from '../../domain/chat/message.ts';
import type { ContextMeter } from '../../domain/context/budget.ts';
import type { NextRequest } from '../../services/context/context.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { formatPercent, formatPrice } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Popover } from '../shell/controls.tsx';
import type { Shortening } from './compaction.tsx';
import { ContextMeterBar } from './context-meter-bar.tsx';
import { ManifestDialog } from './manifest-dialog.tsx';

/** Pause in typing after which the text is counted, ms. */
const REST_MS = 400;

/** Figures for the next request; null until counted, and without a model. Counts again when something changes. */
function useNextRequest(
  conversation: Conversation | null,
  draft: readonly Part[],
  announced: readonly RecalledPassage[],
): NextRequest | null {
  const { context, settings } = useApp();
  const [next, setNext] = useState<NextRequest | null>(null);
  const { choice } = useModelInUse(conversation);
  const config = useReadable(settings.config, ({ context }) => context);
  const id: ConversationId | null = conversation?.id ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted again for another model, setting, conversation
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

/** Says the meter's figures in sentences. */
function MeterFacts({ meter }: { meter: ContextMeter }): ReactNode {
  const { t } = useTranslation('context');
  const over = meter.used.total > meter.window - meter.reserve;
  return (
    <div className="space-y-1 text-ink-3 text-xs">
      {over && <p className="text-compacted">{t('meter.over')}</p>}
      <p>
        {!meter.price
          ? t('meter.noPrice')
          : meter.price.amount === 0
            ? t('meter.free')
            : t('meter.price', { price: formatPrice(meter.price) })}
      </p>
      <p>{t(meter.exact ? 'meter.exact' : 'meter.estimate')}</p>
    </div>
  );
}

/** Ring and the panel it opens. It counts by itself so that the composer is not drawn again. */
export function MeterRing({
  conversation,
  draft,
  announced,
  shorten,
}: {
  conversation: Conversation | null;
  /** Parts in the composer. */
  draft: readonly Part[];
  announced: readonly RecalledPassage[];
  /** Absent if there is nothing to compact. */
  shorten?: Shortening | undefined;
}) {
  const { t } = useTranslation('context');
  const [open, setOpen] = useState(false);
  const [manifest, setManifest] = useState(false);
  const next = useNextRequest(conversation, draft, announced);
  if (!next) return null;
  const { contextMeter: meter } = next;
  const share = Math.min(1, meter.share);
  const pressed = meter.used.total >= meter.trigger;
  return (
    <>
      <Popover
        side="top"
        align="end"
        open={open}
        onOpenChange={setOpen}
        label={t('meter.title')}
        trigger={
          <button
            type="button"
            aria-label={t('meter.label', { share: formatPercent(meter.share) })}
            className="touchable inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-sm px-1.5 text-ink-2 text-xs tabular-nums hover:bg-fill hover:text-ink aria-expanded:bg-fill"
          >
            <svg viewBox="0 0 20 20" aria-hidden className="-rotate-90 size-4.5 shrink-0">
              <circle cx="10" cy="10" r="7.5" fill="none" stroke="var(--press)" strokeWidth="3.5" />
              <circle
                cx="10"
                cy="10"
                r="7.5"
                fill="none"
                stroke={pressed ? 'var(--compacted-strong)' : 'currentColor'}
                strokeWidth="3.5"
                strokeDasharray={`${share * 47.12} 47.12`}
              />
            </svg>
            {/* On the narrowest phones the model's name needs the room more. */}
            <span className={pressed ? undefined : 'max-[22.4rem]:hidden'}>{formatPercent(meter.share)}</span>
          </button>
        }
      >
        <div className="flex items-baseline justify-between gap-3 pb-2.5">
          <h3 className="font-medium text-sm">{t('meter.title')}</h3>
        </div>
        <ContextMeterBar meter={meter} />
        <p className="mt-2 border-t pt-2 text-sm tabular-nums">
          {t('meter.total', { used: meter.used.total, window: meter.window })}
        </p>
        <div className="mt-1">
          <MeterFacts meter={meter} />
        </div>
        <div className="mt-3 flex flex-wrap gap-1.5">
          <Button
            size="sm"
            icon={<ReceiptText size={14} aria-hidden />}
            onClick={() => {
              setOpen(false);
              setManifest(true);
            }}
          >
            {t('meter.manifest')}
          </Button>
          {shorten && (
            <>
              <Button
                size="sm"
                icon={<ChevronsDownUp size={14} aria-hidden />}
                onClick={() => {
                  setOpen(false);
                  shorten.now();
                }}
              >
                {t('meter.compact')}
              </Button>
              <Button
                size="sm"
                variant="ghost"
                onClick={() => {
                  setOpen(false);
                  shorten.withOptions();
                }}
              >
                {t('panel.compactOptions')}
              </Button>
            </>
          )}
        </div>
      </Popover>
      <ManifestDialog
        open={manifest}
        onOpenChange={setManifest}
        manifest={next.manifest}
        meter={meter}
        coming
      />
    </>
  );
}
