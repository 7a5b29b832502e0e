// The numbers behind a passage's rank: a small bar to read at a glance, a table to read closely, a sentence for screen readers.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatList, formatNumber } from '../i18n/index.ts';
import { classes, Tooltip } from '../shell/controls.tsx';
import { partsOf, type Scores } from './score-parts.ts';

/** Two digits, as all scores are written. */
export const formatScore = (value: number): string =>
  formatNumber(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Deviations, with their sign. */
const formatSigned = (value: number): string =>
  formatNumber(value, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' });

const share = (value: number): string => `${Math.max(0, Math.min(1, value)) * 100}%`;

/** What raised or lowered a score, by name, with its factor: "Pinned", "× 1.50". */
function useBoostWords(): (scores: Scores) => readonly { name: string; factor: string }[] {
  const { t, i18n } = useTranslation('memory');
  return ({ boosts = [] }) =>
    boosts.map(({ name, factor }) => {
      const key = `score.boost.${name}`;
      return {
        name: t(i18n.exists(key, { ns: 'memory' }) ? (key as 'score.boost.other') : 'score.boost.other'),
        factor: `× ${formatScore(factor)}`,
      };
    });
}

/** All numbers in one sentence. */
function useSpokenScores(): (scores: Scores, threshold: number | null) => string {
  const { t } = useTranslation('memory');
  const boostWords = useBoostWords();
  return (scores, threshold) => {
    const { late } = scores;
    const boosts = boostWords(scores).map(({ name, factor }) => `${name} ${factor}`);
    const { stands, above } = scores;
    const more = [
      ...(typeof late === 'number' ? [t('score.spokenLate', { late: formatScore(late) })] : []),
      ...(boosts.length > 0 ? [t('score.spokenBoosts', { boosts: formatList(boosts) })] : []),
      ...(stands !== undefined && above !== undefined
        ? [t('score.spokenStands', { stands: formatSigned(stands), above: formatSigned(above) })]
        : []),
    ];
    const numbers = {
      final: formatScore(scores.final),
      vector: scores.vector === null ? t('score.noVector') : formatScore(scores.vector),
      keyword: scores.keyword === null ? t('score.noKeyword') : formatScore(scores.keyword),
      decay: formatScore(scores.decay),
    };
    const first =
      threshold === null
        ? t('score.spokenPlain', numbers)
        : t('score.spoken', {
            ...numbers,
            threshold: formatScore(threshold),
            verdict: t(scores.final >= threshold ? 'score.passed' : 'score.missed'),
          });
    return [first, ...more].join('');
  };
}

/** The parts of the bar, in its order; the table below draws what belongs to a part in the same look. */
const LOOKS = {
  meaning: 'bg-memory-strong',
  words: 'bg-memory',
  boosts: 'bg-memory/45',
  lost: 'hatched',
} as const;
const MUTED = {
  meaning: 'bg-line-strong',
  words: 'bg-ink-3',
  boosts: 'bg-ink-3/50',
  lost: 'hatched',
} as const;
const PARTS = ['meaning', 'words', 'boosts', 'lost'] as const;

/** The bar alone: meaning, words, what raised it, what time took; the threshold as a tick. Decoration; say the numbers beside it. */
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
  const parts = partsOf(scores);
  const looks = muted ? MUTED : LOOKS;
  return (
    <span aria-hidden className={classes('relative block h-1.5', className)}>
      <span className="flex h-full overflow-hidden rounded-full bg-press">
        {PARTS.map((part) => (
          <span key={part} className={looks[part]} style={{ width: share(parts[part]) }} />
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

/** Bar and final score; all numbers on hover, on focus and for screen readers, which hear only the score and its verdict within a row that is read out whole. */
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
  const { t } = useTranslation('memory');
  const speak = useSpokenScores();
  const spoken =
    focusable || threshold === null
      ? speak(scores, threshold)
      : t('score.spokenShort', {
          final: formatScore(scores.final),
          verdict: t(scores.final >= threshold ? 'score.passed' : 'score.missed'),
        });
  return (
    <Tooltip
      side="top"
      content={<ScoreTable scores={scores} threshold={threshold} tone="inverse" className="w-60 py-1" />}
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

interface RowLook {
  /** Of the bar. */
  readonly look?: string;
  /** Of what the bar leaves free. */
  readonly rest?: string;
  /** Said where there is no number. */
  readonly absent?: string;
  readonly strong?: boolean;
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
  const boosts = useBoostWords()(scores);
  const quiet = tone === 'inverse' ? 'opacity-75' : 'text-ink-3';
  const row = (
    name: string,
    value: number | null | undefined,
    { look = 'bg-memory-strong', rest = '', absent = '', strong = false }: RowLook = {},
  ) => (
    <div key={name} className="col-span-3 grid grid-cols-subgrid items-center">
      <dt className={strong ? 'font-medium' : quiet}>{name}</dt>
      {typeof value === 'number' ? (
        <dd className="contents">
          <span
            aria-hidden
            className={classes(
              'h-1 overflow-hidden rounded-full',
              rest,
              tone === 'inverse' ? 'bg-ink-3/40' : 'bg-press',
            )}
          >
            <span className={classes('block h-full', look)} style={{ width: share(value) }} />
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
  /** What is no share of one has no bar. */
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
      {row(t('score.vector'), scores.vector, { look: LOOKS.meaning, absent: t('score.noVector') })}
      {/* Absent in older answers: nobody asked then. */}
      {scores.late !== undefined &&
        row(t('score.late'), scores.late, { look: LOOKS.meaning, absent: t('score.noLate') })}
      {row(t('score.keyword'), scores.keyword, { look: LOOKS.words, absent: t('score.noKeyword') })}
      {row(t('score.hybrid'), scores.hybrid)}
      {boosts.map(({ name, factor }) =>
        plain(
          name,
          <>
            {/* On paper, as in the bar. */}
            <span aria-hidden className="size-1.5 overflow-hidden rounded-full bg-paper">
              <span className={classes('block h-full', LOOKS.boosts)} />
            </span>
            {factor}
          </>,
        ),
      )}
      {/* Absent in older answers. */}
      {scores.stands !== undefined && plain(t('score.stands'), formatSigned(scores.stands))}
      {scores.above !== undefined && plain(t('score.above'), formatSigned(scores.above))}
      {scores.lane !== undefined && scores.lane !== 0 && plain(t('score.lane'), formatSigned(scores.lane))}
      {row(t('score.decay'), Math.max(0, scores.decay), { look: 'bg-ink-3', rest: LOOKS.lost })}
      {row(t('score.final'), scores.final, { strong: true })}
      {threshold !== null && row(t('score.threshold'), threshold, { look: 'bg-current' })}
    </dl>
  );
}
