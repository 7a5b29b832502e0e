// The numbers behind a passage's rank: a small bar to read at a glance, a table to read closely, a sentence for screen readers.
import { useTranslation } from 'react-i18next';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { formatNumber } from '../i18n/index.ts';
import { classes, Tooltip } from '../shell/controls.tsx';

export type Scores = RecalledPassage['scores'];

/** Two digits, as all scores are written. */
export const formatScore = (value: number): string =>
  formatNumber(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const share = (value: number): string => `${Math.max(0, Math.min(1, value)) * 100}%`;

/**
 * How the filled length is divided between meaning and words. The weights in force then are not written down with a passage, but
 * `hybrid = w·vector + (1 − w)·keyword` gives them back where the halves differ.
 */
function shareOfMeaning({ vector, keyword, hybrid }: Scores): number {
  if (vector === null || vector <= 0) return 0;
  if (keyword === null || keyword <= 0) return 1;
  const weight =
    Math.abs(vector - keyword) > 0.02
      ? Math.max(0, Math.min(1, (hybrid - keyword) / (vector - keyword)))
      : 0.6;
  const [meaning, words] = [weight * vector, (1 - weight) * keyword];
  return meaning + words > 0 ? meaning / (meaning + words) : 0;
}

/** All numbers in one sentence. */
export function useSpokenScores(): (scores: Scores, threshold: number | null) => string {
  const { t } = useTranslation('memory');
  return (scores, threshold) => {
    const numbers = {
      final: formatScore(scores.final),
      vector: scores.vector === null ? t('score.noVector') : formatScore(scores.vector),
      keyword: scores.keyword === null ? t('score.noKeyword') : formatScore(scores.keyword),
      decay: formatScore(scores.decay),
    };
    return threshold === null
      ? t('score.spokenPlain', numbers)
      : t('score.spoken', {
          ...numbers,
          threshold: formatScore(threshold),
          verdict: t(scores.final >= threshold ? 'score.passed' : 'score.missed'),
        });
  };
}

/** The bar alone: meaning, words, what time took, and the threshold as a tick. Decoration; say the numbers beside it. */
function Bar({
  scores,
  threshold,
  muted,
  className,
}: {
  scores: Scores;
  threshold: number | null;
  muted: boolean;
  className?: string;
}) {
  const meaning = shareOfMeaning(scores);
  const lost = scores.decay > 0 ? Math.min(1, scores.final / scores.decay) - scores.final : 0;
  return (
    <span aria-hidden className={classes('relative block h-1.5', className)}>
      <span className="flex h-full overflow-hidden rounded-full bg-press">
        <span
          className={muted ? 'bg-line-strong' : 'bg-memory-strong'}
          style={{ width: share(scores.final * meaning) }}
        />
        <span
          className={muted ? 'bg-ink-3' : 'bg-memory'}
          style={{ width: share(scores.final * (1 - meaning)) }}
        />
        <span className="hatched" style={{ width: share(lost) }} />
      </span>
      {threshold !== null && (
        <span
          className="absolute -inset-y-1 w-0.5 -translate-x-1/2 rounded-full bg-ink"
          style={{ left: share(threshold) }}
        />
      )}
    </span>
  );
}

/** Bar and final score; all numbers on hover, on focus and for screen readers. */
export function ScoreMeter({
  scores,
  threshold = null,
  muted = false,
  focusable = true,
  className,
}: {
  scores: Scores;
  threshold?: number | null;
  /** For near misses. */
  muted?: boolean;
  /** False inside of something that is focused itself. */
  focusable?: boolean;
  className?: string;
}) {
  const spoken = useSpokenScores()(scores, threshold);
  return (
    <Tooltip
      side="top"
      content={<ScoreTable scores={scores} threshold={threshold} tone="inverse" className="w-52 py-1" />}
    >
      <span
        role="img"
        aria-label={spoken}
        {...(focusable ? { tabIndex: 0 } : {})}
        className={classes('inline-flex shrink-0 items-center gap-2 rounded-xs', className)}
      >
        <Bar scores={scores} threshold={threshold} muted={muted} className="w-16" />
        <span
          className={classes('w-8 text-right text-xs tabular-nums', muted ? 'text-ink-3' : 'text-memory')}
        >
          {formatScore(scores.final)}
        </span>
      </span>
    </Tooltip>
  );
}

/** Every number in a row of its own. */
export function ScoreTable({
  scores,
  threshold = null,
  tone = 'plain',
  className,
}: {
  scores: Scores;
  threshold?: number | null;
  tone?: 'plain' | 'inverse';
  className?: string;
}) {
  const { t } = useTranslation('memory');
  const days = Math.max(0, scores.decay);
  const rows: [name: string, value: number | null, absent: string, strong?: boolean][] = [
    [t('score.vector'), scores.vector, t('score.noVector')],
    [t('score.keyword'), scores.keyword, t('score.noKeyword')],
    [t('score.hybrid'), scores.hybrid, ''],
    [t('score.decay'), days, ''],
    [t('score.final'), scores.final, '', true],
    ...(threshold === null ? [] : [[t('score.threshold'), threshold, ''] as [string, number, string]]),
  ];
  const quiet = tone === 'inverse' ? 'opacity-75' : 'text-ink-3';
  return (
    <dl
      className={classes('grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-0.5 text-xs', className)}
    >
      {rows.map(([name, value, absent, strong]) => (
        <div key={name} className="col-span-3 grid grid-cols-subgrid items-center">
          <dt className={strong ? 'font-medium' : quiet}>{name}</dt>
          <dd className="contents">
            <span
              aria-hidden
              className={classes(
                'h-1 overflow-hidden rounded-full',
                value === null ? 'bg-transparent' : tone === 'inverse' ? 'bg-ink-3/40' : 'bg-press',
              )}
            >
              <span
                className={classes(
                  'block h-full',
                  strong || tone === 'plain' ? 'bg-memory-strong' : 'bg-current',
                )}
                style={{ width: share(value ?? 0) }}
              />
            </span>
            <span className={classes('text-right tabular-nums', strong && 'font-medium')}>
              {value === null ? <span className={quiet}>{absent}</span> : formatScore(value)}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
