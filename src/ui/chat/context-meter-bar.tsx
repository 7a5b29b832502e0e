// Draws the contents of the model's window as a bar, with or without a legend.

import type { ContextMeter } from '../../domain/context/budget.ts';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';

const SEGMENTS = [
  { name: 'system', fill: 'bg-ink-3' },
  { name: 'tools', fill: 'bg-ink-3/50' },
  { name: 'recall', fill: 'bg-memory-strong' },
  { name: 'returned', fill: 'bg-memory' },
  { name: 'summary', fill: 'bg-compacted-strong' },
  { name: 'messages', fill: 'bg-ink' },
] as const;

export function ContextMeterBar({ meter, legend = true }: { meter: ContextMeter; legend?: boolean }) {
  const { t } = useTranslation('context');
  const { window, reserve, used, free } = meter;
  const share = (tokens: number) => `${Math.min(100, (tokens / Math.max(1, window)) * 100)}%`;
  const rows: { name: string; fill: string; tokens: number }[] = [
    ...SEGMENTS.map(({ name, fill }) => ({ name, fill, tokens: used[name] })),
    { name: 'free', fill: 'bg-press', tokens: free },
    { name: 'reserve', fill: 'bg-line-strong', tokens: reserve },
  ].filter(({ name, tokens }) => tokens > 0 || name === 'messages');
  return (
    <>
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-press">
        {rows.map(({ name, fill, tokens }) => (
          <span key={name} className={classes('h-full', fill)} style={{ width: share(tokens) }} />
        ))}
      </div>
      {legend && (
        <dl className="mt-2.5 grid grid-cols-[auto_1fr_auto] items-center gap-x-2 gap-y-1 text-sm">
          {rows.map(({ name, fill, tokens }) => (
            <div key={name} className="col-span-3 grid grid-cols-subgrid items-center">
              <span
                aria-hidden
                className={classes(
                  'size-2 rounded-full',
                  fill,
                  fill === 'bg-press' && 'ring-1 ring-line-strong',
                )}
              />
              <dt className="text-ink-2">{t(`meter.parts.${name as 'system'}`)}</dt>
              <dd className="text-right tabular-nums">{formatNumber(tokens)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
