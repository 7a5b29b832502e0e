// Draws the branch map and moves through it by keyboard. Labels give screen readers what is drawn, and more.
import { ChevronsDownUp, Flag, Mail } from 'lucide-react';
import { type KeyboardEvent, type Ref, useEffect, useEffectEvent, useRef } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { firstLineOf } from '../../domain/chat/checkpoint.ts';
import { useIsPhone } from '../hooks/media.ts';
import { formatList, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { classes } from '../shell/controls.tsx';
import { type BranchLayout, type BranchPlace, neighbourOf } from './branch-layout.ts';

/**
 * Room for a place and its words, px: two lines, or four if the words have to wrap.
 * `totalWidth`: width of all columns together.
 */
const WIDE = { row: 52, column: 26, words: 190, totalWidth: Number.POSITIVE_INFINITY };
const PHONE = { row: 78, column: 22, words: 150, totalWidth: 110 };
/** Narrowest column, px. */
const NARROW = 10;
const MARGIN = 22;

interface Layout {
  readonly rowHeight: number;
  readonly columnWidth: number;
  readonly top: number;
  readonly atWords: number;
  /** Width of the words beside the drawing, as CSS. */
  readonly beside: string;
  readonly minWidth: number;
  readonly height: number;
  x(column: number): number;
  y(row: number): number;
}

function layoutOf(lines: BranchLayout, isPhone: boolean): Layout {
  const sizes = isPhone ? PHONE : WIDE;
  const { row: rowHeight } = sizes;
  const columnWidth = Math.max(NARROW, Math.min(sizes.column, sizes.totalWidth / lines.columnCount));
  // The words of the first row need half of their height above the row's centre.
  const top = rowHeight / 2 - 4;
  const atWords = MARGIN + lines.columnCount * columnWidth + 4;
  return {
    rowHeight,
    columnWidth,
    top,
    atWords,
    beside: `calc(100% - ${atWords}px)`,
    minWidth: atWords + sizes.words,
    height: top * 2 + Math.max(1, lines.rows) * rowHeight - rowHeight + 16,
    x: (column) => MARGIN + column * columnWidth,
    y: (row) => top + row * rowHeight,
  };
}

/** Draws the map. Arrow keys, Home and End move through it; Enter chooses, C compares. */
export function BranchMap({
  lines,
  current,
  onFocus,
  onChoose,
  onCompare,
}: {
  lines: BranchLayout;
  current: BranchPlace | undefined;
  onFocus: (id: MessageId) => void;
  onChoose: (place: BranchPlace) => void;
  onCompare: (place: BranchPlace) => void;
}) {
  const { t } = useTranslation('context');
  const phone = useIsPhone();
  const layout = layoutOf(lines, phone);
  const { rowHeight, atWords, beside, y } = layout;
  const nodes = useRef(new Map<MessageId, SVGGElement>());
  const focusCurrent = useEffectEvent(() => {
    if (current) nodes.current.get(current.id)?.focus();
  });
  useEffect(() => {
    // Waits a frame: the dialog takes the focus first. After a comparison this returns the focus to the same place.
    const frame = requestAnimationFrame(() => focusCurrent());
    return () => cancelAnimationFrame(frame);
  }, []);
  const walk = (place: BranchPlace | undefined) => {
    if (!place) return;
    onFocus(place.id);
    nodes.current.get(place.id)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, place: BranchPlace) => {
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      walk(neighbourOf(lines, place.id, event.key as 'ArrowUp'));
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onChoose(place);
    } else if (event.key.toLowerCase() === 'c' && !event.ctrlKey && !event.metaKey && !place.here)
      onCompare(place);
    else if (event.key === 'Home') walk(lines.places[0]);
    else if (event.key === 'End') walk(lines.places.at(-1));
  };
  const labelled = new Set(
    lines.places.filter((one) => rowLabel(lines.places, one, current?.id ?? null)).map(({ id }) => id),
  );
  return (
    <section
      aria-label={t('branchMap.label', { count: lines.messages, branches: lines.branches })}
      className="overflow-x-auto"
    >
      <svg
        height={layout.height}
        className="w-full max-w-none text-[0.8125rem]"
        style={{ minWidth: layout.minWidth }}
      >
        <title>{t('branchMap.title')}</title>
        {lines.places.map((place) => {
          const above = lines.places.find(({ id }) => id === place.parent);
          return above && <Edge key={place.id} from={above} to={place} layout={layout} />;
        })}
        {lines.places.map((place) => (
          <Place
            key={place.id}
            ref={(element) => {
              if (element) nodes.current.set(place.id, element);
              else nodes.current.delete(place.id);
            }}
            place={place}
            layout={layout}
            isCurrent={place.id === current?.id}
            isLabelled={labelled.has(place.id)}
            onFocus={() => onFocus(place.id)}
            onClick={() => onChoose(place)}
            onKeyDown={(event) => onKeyDown(event, place)}
          />
        ))}
        {/* The labels of the places say the same to a screen reader, and more. */}
        {lines.places
          .filter(({ id }) => labelled.has(id))
          .map((place) => (
            <foreignObject
              key={place.id}
              aria-hidden
              x={atWords}
              y={y(place.row) - rowHeight / 2 + 4}
              height={rowHeight - 8}
              style={{ width: beside, pointerEvents: 'none' }}
            >
              <PlaceWords place={place} breaks={phone} />
            </foreignObject>
          ))}
      </svg>
    </section>
  );
}

function Edge({
  from,
  to,
  layout: { x, y, rowHeight },
}: {
  from: BranchPlace;
  to: BranchPlace;
  layout: Layout;
}) {
  const [x1, y1, x2, y2] = [x(from.column), y(from.row), x(to.column), y(to.row)];
  return (
    <path
      d={
        x1 === x2
          ? `M${x1} ${y1}V${y2}`
          : `M${x1} ${y1}C${x1} ${y1 + rowHeight * 0.7} ${x2} ${y1} ${x2} ${y1 + rowHeight * 0.7}V${y2}`
      }
      fill="none"
      strokeWidth={to.here ? 2.5 : 1.5}
      stroke={to.here ? 'var(--branch-strong)' : 'var(--branch-line)'}
    />
  );
}

function Place({
  ref,
  place,
  layout: { x, y, rowHeight, columnWidth, atWords, beside },
  isCurrent,
  isLabelled,
  ...handlers
}: {
  ref: Ref<SVGGElement>;
  place: BranchPlace;
  layout: Layout;
  isCurrent: boolean;
  /** The place's words stand beside it and belong to it. */
  isLabelled: boolean;
  onFocus: () => void;
  onClick: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { t } = useTranslation('context');
  const head = place.kinds.includes('head');
  const spoken = formatList([
    plainLine(firstLineOf(place.message)) || t('branchMap.model'),
    ...place.names,
    ...place.kinds.map((kind) => t(`branchMap.kind.${kind}`)),
    t('branchMap.messages', { count: place.between }),
  ]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
    <g
      ref={ref}
      role="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-label={spoken}
      aria-current={head || undefined}
      {...handlers}
      className="group/place cursor-pointer outline-none"
    >
      <rect
        x={x(place.column) - columnWidth / 2}
        y={y(place.row) - rowHeight / 2}
        width={columnWidth}
        height={rowHeight}
        fill="transparent"
      />
      {isLabelled && (
        <rect
          x={atWords}
          y={y(place.row) - rowHeight / 2}
          height={rowHeight}
          fill="transparent"
          style={{ width: beside }}
        />
      )}
      <circle
        cx={x(place.column)}
        cy={y(place.row)}
        r={head ? 7 : place.kinds.includes('leaf') || place.names.length > 0 ? 5.5 : 4}
        fill={head ? 'var(--branch)' : place.here ? 'var(--branch-strong)' : 'var(--paper)'}
        stroke={place.here ? 'var(--branch)' : 'var(--branch-strong)'}
        strokeWidth={2}
        className="group-focus-visible/place:stroke-(--ink)"
      />
      {isCurrent && (
        <circle
          cx={x(place.column)}
          cy={y(place.row)}
          r={11}
          fill="none"
          stroke="var(--ink)"
          strokeWidth={1.5}
        />
      )}
    </g>
  );
}

/**
 * True if the row's words are those of this place: one line a row, for the focused place,
 * else the shown branch's, else the first.
 */
function rowLabel(places: readonly BranchPlace[], place: BranchPlace, focused: MessageId | null): boolean {
  const row = places.filter((other) => other.row === place.row);
  const chosen = row.find(({ id }) => id === focused) ?? row.find(({ here }) => here) ?? row[0];
  return chosen === place;
}

const MARK = 'mr-1.5 inline-block align-[-0.1em]';

/** `breaks`: wraps the words onto as many lines as fit instead of cutting them. */
function PlaceWords({ place, breaks }: { place: BranchPlace; breaks: boolean }) {
  const { t } = useTranslation('context');
  const { message } = place;
  const who = message.role === 'user' ? 'you' : message.role === 'assistant' ? 'model' : message.role;
  return (
    <div className="flex h-full flex-col justify-center leading-4.5">
      <span
        className={classes(
          breaks ? 'line-clamp-2 [overflow-wrap:anywhere]' : 'truncate',
          place.here ? 'text-ink' : 'text-ink-2',
        )}
      >
        {place.names.length > 0 && <Flag size={12} aria-hidden className={classes(MARK, 'text-branch')} />}
        {place.kinds.includes('dmail') && (
          <Mail size={12} aria-hidden className={classes(MARK, 'text-branch')} />
        )}
        {place.kinds.includes('compaction') && (
          <ChevronsDownUp size={12} aria-hidden className={classes(MARK, 'text-compacted')} />
        )}
        {place.names.length > 0 && <span className="mr-1.5 font-medium">{formatList(place.names)}</span>}
        {plainLine(firstLineOf(message)) || t(`branchMap.${who}`)}
      </span>
      <span className={classes('text-ink-3 text-xs', breaks ? 'line-clamp-2' : 'truncate')}>
        {[
          t(`branchMap.${who}`),
          formatRelative(message.createdAt),
          place.kinds.includes('head') ? t('branchMap.here') : '',
          // A single place is one message anyway.
          place.between > 1 ? t('branchMap.messages', { count: place.between }) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  );
}
