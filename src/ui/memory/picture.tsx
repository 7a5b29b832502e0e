// Shared parts of all pictures of the library: a frame with a table behind it,
// conversations as rows and dots, and their links.

import * as Plot from '@observablehq/plot';
import type { TFunction } from 'i18next';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Overview } from '../../adapters/index/memory-index.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { type Navigation, pathOf, routeOf, useNavigation } from '../hooks/navigation.tsx';
import { formatDate, formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { Section } from './section.tsx';

export type OverviewConversation = Overview['conversations'][number];

/** Path of a conversation; memory notes count as one in the index, but have their own page. */
export const pathTo = (conversationId: ConversationId): string =>
  pathOf(
    isNotes(conversationId)
      ? { screen: 'memory', section: 'notes' }
      : { screen: 'conversation', conversationId, messageId: null },
  );
/** Opens the target of a mark made with `pathTo`. */
export const openPath = (navigation: Navigation, path: string): void => {
  const route = routeOf(path, '');
  if (route.screen === 'conversation' && route.conversationId !== null)
    navigation.openConversation(route.conversationId);
  else if (route.screen === 'memory') navigation.openScreen('memory', route.section);
};

const TABLE_ROWS = 100;

/** A picture with a button that shows the same as a table. */
export function Picture({
  title,
  help,
  aside,
  controls,
  children,
  table,
}: {
  title: string;
  help: string;
  aside?: ReactNode;
  /** Controls above the picture and the table. */
  controls?: ReactNode;
  children: ReactNode;
  table: () => ReactNode;
}) {
  const { t } = useTranslation('memory');
  const [asTable, setAsTable] = useState(false);
  return (
    <Section
      title={title}
      aside={
        <div className="flex flex-wrap gap-1.5">
          {aside}
          <Button size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? t('pictures.asPicture') : t('pictures.asTable')}
          </Button>
        </div>
      }
    >
      <p className="mb-3 text-ink-3 text-xs">{help}</p>
      {controls}
      {asTable ? (
        <div className="max-h-120 overflow-auto rounded-lg border border-line">{table()}</div>
      ) : (
        children
      )}
    </Section>
  );
}

/** Group of buttons of which one is pressed. */
export function Choice<V extends string | number | null>({
  of,
  chosen,
  onChoose,
  nameOf,
}: {
  of: readonly V[];
  chosen: V;
  onChoose: (value: V) => void;
  nameOf: (value: V) => ReactNode;
}) {
  return of.map((value) => (
    <Button
      key={value}
      size="sm"
      variant="ghost"
      aria-pressed={chosen === value}
      className="aria-pressed:bg-fill aria-pressed:text-ink"
      onClick={() => onChoose(value)}
    >
      {nameOf(value)}
    </Button>
  ));
}

/** Row that shows the rest of a shortened table, if there is more. */
function MoreRows({ count, columns, onMore }: { count: number; columns: number; onMore: () => void }) {
  const { t } = useTranslation('memory');
  if (count <= 0) return null;
  return (
    <tr className="border-t">
      <td colSpan={columns} className="px-3 py-2 text-xs">
        <button type="button" onClick={onMore} className="touchable rounded-xs text-accent hover:underline">
          {t('pictures.more', { count })}
        </button>
      </td>
    </tr>
  );
}

export function Rows({
  conversations,
  last,
}: {
  conversations: readonly OverviewConversation[];
  last?: (one: OverviewConversation) => string;
}) {
  const { t } = useTranslation('memory');
  const [shown, setShown] = useState(TABLE_ROWS);
  // Focuses the first new row after listing more, because the button below may be gone.
  const firstNew = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (shown > TABLE_ROWS) firstNew.current?.focus({ preventScroll: true });
  }, [shown]);
  const navigation = useNavigation();
  return (
    <table className="w-full text-left text-sm">
      <thead className="sticky top-0 bg-paper text-ink-3 text-xs">
        <tr>
          <th className="px-3 py-2 font-normal">{t('pictures.column.conversation')}</th>
          <th className="px-3 py-2 text-right font-normal">{t('pictures.column.messages')}</th>
          <th className="px-3 py-2 text-right font-normal">{t('pictures.column.last')}</th>
        </tr>
      </thead>
      <tbody>
        {conversations.slice(0, shown).map((one, at) => (
          <tr key={one.id} className="border-t">
            <td className="max-w-0 px-3 py-1.5">
              <button
                ref={at === shown - TABLE_ROWS ? firstNew : undefined}
                type="button"
                onClick={() => navigation.openConversation(one.id)}
                dir="auto"
                className="touchable block max-w-full truncate rounded-xs text-start hover:underline"
              >
                {shownTitle(one.title, t('untitled'))}
              </button>
              {last && <span className="text-ink-3 text-xs">{last(one)}</span>}
            </td>
            <td className="w-24 px-3 py-1.5 text-right tabular-nums">{formatNumber(one.messages)}</td>
            <td className="w-32 px-3 py-1.5 text-right text-ink-3 text-xs">{formatDate(one.updatedAt)}</td>
          </tr>
        ))}
        <MoreRows
          count={conversations.length - shown}
          columns={3}
          onMore={() => setShown(shown + TABLE_ROWS)}
        />
      </tbody>
    </table>
  );
}

/** Conversations as dots that link to them, positions in px. */
export const dotMarks = (
  dots: readonly { x: number; y: number; r: number; one: OverviewConversation }[],
  t: TFunction<'memory'>,
) =>
  Plot.dot(
    dots.map(({ one, ...place }) => ({
      ...place,
      fill: one.archived ? 'var(--line-strong)' : 'var(--memory-strong)',
      href: pathTo(one.id),
      title: [
        shownTitle(one.title, t('untitled')),
        formatDate(one.updatedAt),
        t('screen.list.messages', { count: one.messages }),
      ].join('\n'),
    })),
    {
      x: { value: 'x', scale: null },
      y: { value: 'y', scale: null },
      r: { value: 'r', scale: null },
      fill: 'fill',
      fillOpacity: 0.85,
      href: 'href',
      title: 'title',
    },
  );
