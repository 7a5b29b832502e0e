// Shows how close a passage is: a word with its reasons at a glance, and a bar and
// table of all scores for a closer look.
import type { ReactNode } from 'react';
import { formatNumber, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Tooltip } from '../shell/controls.tsx';
import { type Closeness, closenessOf, reasonsOf } from './closeness.ts';
import { type ShownScores, scoreParts } from './score-parts.ts';

/** Two digits, as for all scores. */
export const formatScore = (value: number): string =>
  formatNumber(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Standard deviations with their sign. */
const formatSigned = (value: number): string =>
  formatNumber(value, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' });

const share = (value: number): string => `${Math.max(0, Math.min(1, value)) * 100}%`;

/** Names and factors of what raised or lowered a score: "Pinned", "× 1.50". */
function useBoostWords(): (scores: ShownScores) => readonly { name: string; factor: string }[] {
  const { t } = useTranslation('memory');
  return ({ boosts = [] }) =>
    boosts.map(({ name, factor }) => ({
      name: wordsFor('memory', `score.boost.${name}`) ?? t('score.boost.other'),
      factor: `× ${formatScore(factor)}`,
    }));
}

/** Why a passage is this close, in one line. */
export function useReasons(): (scores: ShownScores) => string {
  const { t } = useTranslation('memory');
  return (scores) =>
    reasonsOf(scores)
      .map((reason) => t(`closeness.why.${reason}`))
      .join(' · ');
}

/** Parts of the bar in order; the table below draws each with the same look. */
const STYLES = {
  meaning: 'bg-memory-strong',
  words: 'bg-memory',
  boosts: 'bg-memory/45',
  lost: 'hatched',
} as const;
const PARTS = ['meaning', 'words', 'boosts', 'lost'] as const;

/**
 * Bar of meaning, words, boosts and loss by age, with a tick at the threshold.
 * Decorative: the table below is its legend.
 */
function Bar({
  scores,
  threshold,
  className,
}: {
  scores: ShownScores;
  threshold: number | null;
  className: string;
}) {
  const parts = scoreParts(scores);
  return (
    <span aria-hidden className={classes('relative block h-1.5', className)}>
      <span className="flex h-full overflow-hidden rounded-full bg-press">
        {PARTS.map((part) => (
          <span key={part} className={STYLES[part]} style={{ width: share(parts[part]) }} />
        ))}
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

const CLOSENESS_STYLES: Readonly<Record<Closeness, string>> = {
  veryClose: 'font-medium text-memory',
  close: 'text-memory',
  weak: 'text-ink-3',
};

/**
 * *Very close*, *close* or *weak*; the reasons on hover, on focus and for screen readers. Scores are one level deeper.
 */
export function ClosenessMark({
  scores,
  used = true,
  focusable = true,
  className,
}: {
  scores: ShownScores;
  /** False for a passage below the requested threshold. */
  used?: boolean;
  /** False inside an element that is focusable itself. */
  focusable?: boolean;
  className?: string;
}) {
  const { t } = useTranslation('memory');
  const why = useReasons()(scores);
  const closeness = closenessOf(scores, used);
  const word = t(`closeness.${closeness}`);
  return (
    <Tooltip side="top" content={<span className="block max-w-60 py-0.5">{why}</span>}>
      <span
        role="img"
        aria-label={`${word}: ${why}`}
        data-score={scores.final.toFixed(2)}
        {...(focusable ? { tabIndex: 0 } : {})}
        className={classes(
          'inline-flex min-w-18 shrink-0 justify-end rounded-xs text-xs',
          CLOSENESS_STYLES[closeness],
          className,
        )}
      >
        {word}
      </span>
    </Tooltip>
  );
}

interface RowStyle {
  /** Classes of the bar. */
  readonly fill?: string;
  /** Classes of the track behind the bar. */
  readonly rest?: string;
  /** Text shown in place of a missing number. */
  readonly absent?: string;
  readonly strong?: boolean;
}

/** Every score in its own row. */
export function ScoreTable({
  scores,
  threshold = null,
  className,
}: {
  scores: ShownScores;
  threshold?: number | null;
  className?: string;
}) {
  const { t } = useTranslation('memory');
  const boosts = useBoostWords()(scores);
  const quiet = 'text-ink-3';
  const row = (
    name: string,
    value: number | null | undefined,
    { fill = 'bg-memory-strong', rest = '', absent = '', strong = false }: RowStyle = {},
  ) => (
    <div key={name} className="col-span-3 grid grid-cols-subgrid items-center">
      <dt className={strong ? 'font-medium' : quiet}>{name}</dt>
      {typeof value === 'number' ? (
        <dd className="contents">
          <span aria-hidden className={classes('h-1 overflow-hidden rounded-full', rest, 'bg-press')}>
            <span className={classes('block h-full', fill)} style={{ width: share(value) }} />
          </span>
          <span className={classes('text-right tabular-nums', strong && 'font-medium')}>
            {formatScore(value)}
          </span>
        </dd>
      ) : (
        <dd className={classes('col-span-2 text-right', quiet)}>{absent}</dd>
      )}
    </div>
  );
  /** Row without a bar, for a number that is not a share of 1. */
  const plain = (name: string, value: ReactNode) => (
    <div key={name} className="col-span-3 flex items-center gap-2">
      <dt className={classes('min-w-0 flex-1', quiet)}>{name}</dt>
      <dd className="flex items-center gap-2 tabular-nums">{value}</dd>
    </div>
  );
  return (
    <dl
      className={classes(
        'grid grid-cols-[minmax(0,auto)_minmax(2rem,1fr)_auto] items-center gap-x-3 gap-y-0.5 text-xs',
        className,
      )}
    >
      <div aria-hidden className="col-span-3 pb-1.5">
        <Bar scores={scores} threshold={threshold} className="w-full" />
      </div>
      {row(t('score.vector'), scores.vector, { fill: STYLES.meaning, absent: t('score.noVector') })}
      {/* Absent in older answers, which did not ask for it. */}
      {scores.late !== undefined &&
        row(t('score.late'), scores.late, { fill: STYLES.meaning, absent: t('score.noLate') })}
      {row(t('score.keyword'), scores.keyword, { fill: STYLES.words, absent: t('score.noKeyword') })}
      {row(t('score.hybrid'), scores.hybrid)}
      {boosts.map(({ name, factor }) =>
        plain(
          name,
          <>
            {/* On the paper colour, as in the bar. */}
            <span aria-hidden className="size-1.5 overflow-hidden rounded-full bg-paper">
              <span className={classes('block h-full', STYLES.boosts)} />
            </span>
            {factor}
          </>,
        ),
      )}
      {/* Absent in older answers. */}
      {scores.stands !== undefined && plain(t('score.stands'), formatSigned(scores.stands))}
      {scores.above !== undefined && plain(t('score.above'), formatSigned(scores.above))}
      {scores.project !== undefined && plain(t('score.project'), formatSigned(scores.project))}
      {scores.lane !== undefined && scores.lane !== 0 && plain(t('score.lane'), formatSigned(scores.lane))}
      {row(t('score.decay'), Math.max(0, scores.decay), { fill: 'bg-ink-3', rest: STYLES.lost })}
      {row(t('score.final'), scores.final, { strong: true })}
      {threshold !== null && row(t('score.threshold'), threshold, { fill: 'bg-current' })}
    </dl>
  );
}
