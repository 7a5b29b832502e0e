// The branch map of a conversation: heads, checkpoints, letters, foldings; to be walked with the keyboard, and two branches side by side.
import { ChevronsDownUp, Flag, GitCompareArrows, Mail } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import { diffOf, firstLineOf } from '../../domain/chat/checkpoint.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { letterOf } from '../../domain/chat/dmail.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { useIsPhone, useMedia } from '../hooks/media.ts';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { Button, classes, Dialog } from '../shell/controls.tsx';
import { neighbourOf, type WorldPlace, worldlinesOf } from './worldlines.ts';

/** Room for a place and its words, px: two lines, or four where the words have to break. `lanes`: what all lanes may take together. */
const WIDE = { row: 52, lane: 26, words: 190, lanes: Number.POSITIVE_INFINITY };
const PHONE = { row: 78, lane: 22, words: 150, lanes: 110 };
/** A lane is never narrower, px. */
const NARROW = 10;
const MARGIN = 22;

export function WorldlineDialog({
  conversation,
  leaf,
  compareWith,
  onClose,
  onGo,
}: {
  conversation: Conversation;
  /** The end of the branch that is shown. */
  leaf: MessageId | null;
  /** Opens with this branch beside the one that is shown. */
  compareWith?: MessageId | undefined;
  onClose: () => void;
  onGo: (message: MessageId) => void;
}) {
  const { t } = useTranslation('context');
  const lines = useMemo(() => worldlinesOf(conversation, leaf), [conversation, leaf]);
  const [focused, setFocused] = useState<MessageId | null>(leaf);
  const [comparing, setComparing] = useState<MessageId | null>(compareWith ?? null);
  /** The next place that is chosen is compared, not gone to. */
  const [picking, setPicking] = useState(false);
  const nodes = useRef(new Map<MessageId, SVGGElement>());
  const current =
    lines.places.find(({ id }) => id === focused) ?? lines.places.find(({ here }) => here) ?? lines.places[0];
  const place = useRef(current?.id);
  place.current = current?.id;
  const drawn = comparing === null;
  const touch = useMedia('(pointer: coarse)');
  const phone = useIsPhone();
  const room = phone ? PHONE : WIDE;
  const { row: rowHeight } = room;
  const laneWidth = Math.max(NARROW, Math.min(room.lane, room.lanes / lines.lanes));
  useEffect(() => {
    if (!drawn) return;
    // The dialog itself takes the focus first; and what was compared leads back to where one stood.
    const frame = requestAnimationFrame(() => {
      if (place.current) nodes.current.get(place.current)?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [drawn]);
  const walk = (place: WorldPlace | undefined) => {
    if (!place) return;
    setFocused(place.id);
    nodes.current.get(place.id)?.focus();
  };
  const compare = (place: WorldPlace) => {
    setPicking(false);
    setFocused(place.id);
    setComparing(place.id);
  };
  const choose = (place: WorldPlace) => {
    if (!picking) onGo(place.id);
    else if (!place.here) compare(place);
  };
  const spoken = (place: WorldPlace): string =>
    [
      firstLineOf(place.message) || t('worldlines.model'),
      ...place.names,
      ...place.kinds.map((kind) => t(`worldlines.kind.${kind}`)),
      t('worldlines.messages', { count: place.between }),
    ].join(', ');
  const x = (lane: number) => MARGIN + lane * laneWidth;
  // The words of the first row need their height above it, too.
  const top = rowHeight / 2 - 4;
  const y = (row: number) => top + row * rowHeight;
  const atWords = MARGIN + lines.lanes * laneWidth + 4;
  const beside = `calc(100% - ${atWords}px)`;
  const labelled = new Set(
    lines.places.filter((one) => rowLabel(lines.places, one, current?.id ?? null)).map(({ id }) => id),
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="lg"
      title={t('worldlines.title')}
      description={
        picking
          ? t('worldlines.pick')
          : lines.branches > 1
            ? sentences(t('worldlines.lead'), !touch && t('worldlines.keys'))
            : t('worldlines.empty')
      }
      footer={
        current && (
          <>
            {comparing ? (
              <Button onClick={() => setComparing(null)}>{t('worldlines.stopComparing')}</Button>
            ) : (
              leaf !== null &&
              lines.branches > 1 && (
                <Button
                  icon={<GitCompareArrows size={15} aria-hidden />}
                  onClick={() => (current.here ? setPicking(!picking) : compare(current))}
                >
                  {t(picking ? 'worldlines.stopComparing' : 'worldlines.compare')}
                </Button>
              )
            )}
            <Button
              variant="primary"
              disabled={comparing === null && current.id === leaf}
              onClick={() => onGo(comparing ?? current.id)}
            >
              {t('worldlines.go')}
            </Button>
          </>
        )
      }
    >
      {comparing && leaf !== null ? (
        <Comparison conversation={conversation} left={leaf} right={comparing} />
      ) : (
        <section
          aria-label={t('worldlines.label', { count: lines.messages, branches: lines.branches })}
          className="overflow-x-auto"
        >
          <svg
            height={top * 2 + Math.max(1, lines.rows) * rowHeight - rowHeight + 16}
            className="w-full max-w-none text-[0.8125rem]"
            style={{ minWidth: atWords + room.words }}
          >
            <title>{t('worldlines.title')}</title>
            {lines.places.map((place) => {
              const above = lines.places.find(({ id }) => id === place.parent);
              if (!above) return null;
              const [x1, y1, x2, y2] = [x(above.lane), y(above.row), x(place.lane), y(place.row)];
              return (
                <path
                  key={place.id}
                  d={
                    x1 === x2
                      ? `M${x1} ${y1}V${y2}`
                      : `M${x1} ${y1}C${x1} ${y1 + rowHeight * 0.7} ${x2} ${y1} ${x2} ${y1 + rowHeight * 0.7}V${y2}`
                  }
                  fill="none"
                  strokeWidth={place.here ? 2.5 : 1.5}
                  stroke={place.here ? 'var(--branch-strong)' : 'var(--branch-line)'}
                />
              );
            })}
            {lines.places.map((place) => {
              const head = place.kinds.includes('head');
              return (
                // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
                <g
                  key={place.id}
                  ref={(element) => {
                    if (element) nodes.current.set(place.id, element);
                    else nodes.current.delete(place.id);
                  }}
                  role="button"
                  tabIndex={place.id === current?.id ? 0 : -1}
                  aria-label={spoken(place)}
                  aria-current={head || undefined}
                  onFocus={() => setFocused(place.id)}
                  onClick={() => choose(place)}
                  onKeyDown={(event) => {
                    if (event.key.startsWith('Arrow')) {
                      event.preventDefault();
                      walk(neighbourOf(lines, place.id, event.key as 'ArrowUp'));
                    } else if (event.key === 'Enter' || event.key === ' ') {
                      event.preventDefault();
                      choose(place);
                    } else if (
                      event.key.toLowerCase() === 'c' &&
                      !event.ctrlKey &&
                      !event.metaKey &&
                      !place.here
                    )
                      compare(place);
                    else if (event.key === 'Home') walk(lines.places[0]);
                    else if (event.key === 'End') walk(lines.places.at(-1));
                  }}
                  className="group/place cursor-pointer outline-none"
                >
                  <rect
                    x={x(place.lane) - laneWidth / 2}
                    y={y(place.row) - rowHeight / 2}
                    width={laneWidth}
                    height={rowHeight}
                    fill="transparent"
                  />
                  {labelled.has(place.id) && (
                    <rect
                      x={atWords}
                      y={y(place.row) - rowHeight / 2}
                      height={rowHeight}
                      fill="transparent"
                      style={{ width: beside }}
                    />
                  )}
                  <circle
                    cx={x(place.lane)}
                    cy={y(place.row)}
                    r={head ? 7 : place.kinds.includes('leaf') || place.names.length > 0 ? 5.5 : 4}
                    fill={head ? 'var(--branch)' : place.here ? 'var(--branch-strong)' : 'var(--paper)'}
                    stroke={place.here ? 'var(--branch)' : 'var(--branch-strong)'}
                    strokeWidth={2}
                    className="group-focus-visible/place:stroke-(--ink)"
                  />
                  {place.id === current?.id && (
                    <circle
                      cx={x(place.lane)}
                      cy={y(place.row)}
                      r={11}
                      fill="none"
                      stroke="var(--ink)"
                      strokeWidth={1.5}
                    />
                  )}
                </g>
              );
            })}
            {/* The places say the same to a screen reader, and more. */}
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
      )}
    </Dialog>
  );
}

/** One line of words a row: the focused place's, else the shown branch's, else the first's. */
function rowLabel(places: readonly WorldPlace[], place: WorldPlace, focused: MessageId | null): boolean {
  const row = places.filter((other) => other.row === place.row);
  const chosen = row.find(({ id }) => id === focused) ?? row.find(({ here }) => here) ?? row[0];
  return chosen === place;
}

const MARK = 'mr-1.5 inline-block align-[-0.1em]';

/** `breaks`: in as many lines as there is room for, where one would be cut. */
function PlaceWords({ place, breaks }: { place: WorldPlace; breaks: boolean }) {
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
          <ChevronsDownUp size={12} aria-hidden className={classes(MARK, 'text-folded')} />
        )}
        {place.names.length > 0 && <span className="mr-1.5 font-medium">{place.names.join(', ')}</span>}
        {firstLineOf(message) || t(`worldlines.${who}`)}
      </span>
      <span className={classes('text-ink-3 text-xs', breaks ? 'line-clamp-2' : 'truncate')}>
        {[
          t(`worldlines.${who}`),
          formatRelative(message.createdAt),
          place.kinds.includes('head') ? t('worldlines.here') : '',
          // A place alone is one message anyway.
          place.between > 1 ? t('worldlines.messages', { count: place.between }) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  );
}

/** What two branches do not share, side by side. */
function Comparison({
  conversation,
  left,
  right,
}: {
  conversation: Conversation;
  left: MessageId;
  right: MessageId;
}) {
  const { t } = useTranslation('context');
  const difference = useMemo(() => diffOf(conversation, left, right), [conversation, left, right]);
  const shared = useMemo(() => {
    let count = 0;
    for (let at = difference.common; at !== null; at = conversation.messages.get(at)?.parentId ?? null)
      count += 1;
    return count;
  }, [conversation, difference]);
  return (
    <section aria-label={t('worldlines.compared.title')}>
      <p className="pb-3 text-ink-3 text-sm">{t('worldlines.compared.shared', { count: shared })}</p>
      <div className="grid gap-4 md:grid-cols-2">
        <BranchSide title={t('worldlines.compared.left')} messages={difference.left} />
        <BranchSide title={t('worldlines.compared.right')} messages={difference.right} />
      </div>
    </section>
  );
}

/** What only one branch has. */
export function BranchSide({ title, messages }: { title: string; messages: readonly Message[] }) {
  const { t } = useTranslation('context');
  return (
    <div className="min-w-0">
      <h3 className="pb-2 font-medium text-branch text-sm">{title}</h3>
      {messages.length === 0 && <p className="text-ink-3">{t('worldlines.compared.nothing')}</p>}
      <ol className="space-y-3">
        {messages.map((message) => (
          <li key={message.id} className="border-branch-line border-l-2 pl-3">
            <p className="text-ink-3 text-xs" title={formatExact(message.createdAt)}>
              {t(
                `worldlines.${message.role === 'user' ? 'you' : message.role === 'assistant' ? 'model' : message.role}`,
              )}
              {' · '}
              {formatRelative(message.createdAt)}
            </p>
            <p className="line-clamp-12 whitespace-pre-wrap break-words text-sm [overflow-wrap:anywhere]">
              {letterOf(message) ?? (textOf(message) || firstLineOf(message))}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
