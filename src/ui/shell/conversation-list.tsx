// Lists the conversations of one sidebar view: open, select, erase; keeps the open one in sight.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { VList, type VListHandle } from 'virtua';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useMedia } from '../hooks/media.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useDrag } from '../projects/dragging.ts';
import { useHasAccount } from '../sync/use-sync.ts';
import { Confirm, EmptyState, Skeleton } from './controls.tsx';
import { type ConversationActions, useConversationActions } from './conversation-actions.tsx';
import { EntryRow, Heading, hrefOf } from './entry-row.tsx';
import { EraseConfirm } from './erase-confirm.tsx';
import { type SidebarRow, type SidebarView, sidebarRows } from './groups.ts';
import { ListFailed, Loading } from './reading.tsx';
import { ContextMenu, type MenuPlace, SelectionBar } from './selection-bar.tsx';
import { FONT_SCALES } from './theme.ts';
import { useSelection } from './use-selection.ts';

/** Lists everything in one view. Ten thousand rows cost no more than one screenful. */
export function ConversationList({
  view,
  strip,
  onOpened,
}: {
  view: SidebarView;
  /** Container for the actions on selected conversations. */
  strip: HTMLElement | null;
  onOpened: () => void;
}) {
  const app = useApp();
  const { t } = useTranslation('shell');
  const library = useReadable(app.documents.library);
  const rows = useMemo(() => sidebarRows(library.entries, view, Date.now()), [library.entries, view]);
  if (!library.ready)
    return (
      <Loading className="flex flex-col gap-3 px-4 pt-6">
        {[64, 80, 52, 72, 60].map((width) => (
          <Skeleton key={width} className="h-3.5" />
        ))}
      </Loading>
    );
  if (library.problem)
    return (
      <div className="overflow-y-auto p-2">
        <ListFailed problem={library.problem} compact />
      </div>
    );
  if (rows.length > 0) return <Lines {...{ rows, view, strip, onOpened }} />;
  return view === 'open' ? (
    <p className="px-4 pt-5 text-ink-3">{t('nothingYet')}</p>
  ) : (
    <EmptyState title={view === 'trash' ? t('trashEmpty') : t('archiveEmpty')} />
  );
}

/** Memoised rows keep stable callbacks while navigation and layout change around them. */
function Lines({
  rows,
  view,
  strip,
  onOpened,
}: {
  rows: readonly SidebarRow[];
  view: SidebarView;
  strip: HTMLElement | null;
  onOpened: () => void;
}) {
  const actions = useConversationActions();
  const current = useReadable(useSession().current);
  const list = useRef<VListHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const lineHeight = useLineHeight();
  const { selection, pick, clear } = useSelection(rows, current);
  const chosen = useMemo(
    () => rows.flatMap((row) => (row.type === 'entry' && selection.ids.has(row.entry.id) ? [row.entry] : [])),
    [rows, selection],
  );
  const select = (id: ConversationId) => (selection.ids.size > 0 ? null : () => pick(id, 'toggle'));
  const drag = useDrag(chosen);
  const [erasing, setErasing] = useState<Erasing>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const navigation = useNavigation();
  const latest = useLatest({ navigation, onOpened });
  const { noteClick, noteHand } = useFollowOpen(list, rows, current);
  const noteMenu = useFocusOfRemovedRow(rows, place);
  const open = useCallback(
    (id: ConversationId) => {
      noteClick(id);
      latest.current.navigation.openConversation(id);
      latest.current.onOpened();
    },
    [noteClick, latest],
  );
  const askErase = useCallback((entry: LibraryEntry) => setErasing(entry), []);
  const openMenu = useCallback(
    (entry: LibraryEntry, place: MenuPlace, rename: () => void) => setMenu({ entry, place, rename }),
    [],
  );
  const onKeyDown = (event: React.KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape' && selection.ids.size > 0) {
      clear();
      event.preventDefault();
    } else walk(event);
  };
  const all = { entries: chosen, view, actions, askErase: () => setErasing('chosen'), onDone: clear };
  return (
    <div className="flex h-full flex-col">
      {chosen.length > 0 && strip && createPortal(<SelectionBar {...all} />, strip)}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are only a
          convenience; each row is a link of its own */}
      <div
        ref={place}
        className="min-h-0 flex-1"
        onKeyDown={onKeyDown}
        onWheel={noteHand}
        onTouchMove={noteHand}
      >
        {/* The list library ignores clicks while it scrolls, so a click at that moment would be lost. */}
        <VList
          ref={list}
          className="pb-2 *:[pointer-events:inherit]!"
          data={rows}
          itemSize={lineHeight}
          style={{ height: '100%' }}
        >
          {(row) =>
            row.type === 'heading' ? (
              <Heading key={row.key} row={row} />
            ) : (
              <EntryRow
                key={row.key}
                entry={row.entry}
                twin={row.twin}
                current={row.entry.id === current}
                actions={actions}
                onOpen={open}
                onErase={askErase}
                onMenu={noteMenu}
                selected={selection.ids.has(row.entry.id)}
                selecting={selection.ids.size > 0}
                onPick={pick}
                onContext={openMenu}
                onDrag={drag}
              />
            )
          }
        </VList>
      </div>
      {menu && (
        <ContextMenu
          place={menu.place}
          chosen={all}
          items={
            selection.ids.size > 1 && selection.ids.has(menu.entry.id)
              ? null
              : actions.menu(menu.entry, menu.rename, () => askErase(menu.entry), select(menu.entry.id))
          }
          onClose={() => {
            noteMenu(menu.entry.id);
            setMenu(null);
            lineOf(place.current, menu.entry.id)?.focus();
          }}
        />
      )}
      <EraseConfirms
        erasing={erasing}
        onClose={() => setErasing(null)}
        chosen={chosen}
        actions={actions}
        onDone={clear}
      />
    </div>
  );
}

/** Moves from row to row with the arrow keys. */
function walk(event: React.KeyboardEvent<HTMLDivElement>): void {
  if (event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  if (!(event.target as HTMLElement).matches('[data-entry]')) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-entry]')];
  const next = links[links.indexOf(event.target as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)];
  next?.focus();
  event.preventDefault();
}

/** The one conversation to erase, or all selected ones. */
type Erasing = LibraryEntry | 'chosen' | null;
interface OpenMenu {
  readonly entry: LibraryEntry;
  readonly place: MenuPlace;
  readonly rename: () => void;
}

/** Asks before erasing one conversation or all selected ones. */
function EraseConfirms({
  erasing,
  onClose,
  chosen,
  actions,
  onDone,
}: {
  erasing: Erasing;
  onClose: () => void;
  chosen: readonly LibraryEntry[];
  actions: ConversationActions;
  onDone: () => void;
}) {
  const { t } = useTranslation(['shell', 'sync']);
  const everywhere = useHasAccount();
  return (
    <>
      <EraseConfirm
        entry={erasing === 'chosen' ? null : erasing}
        onClose={onClose}
        onErase={({ id }) => actions.erase([id])}
      />
      <Confirm
        open={erasing === 'chosen'}
        onOpenChange={onClose}
        title={t('eraseTitle')}
        action={t('eraseForGood')}
        danger
        onConfirm={() => {
          actions.erase(chosen.map(({ id }) => id));
          onDone();
        }}
      >
        {sentences(
          t('emptyTrashWords', { count: chosen.length }),
          everywhere && t('sync:forget.also'),
          t('eraseQuoted'),
        )}
      </Confirm>
    </>
  );
}

/**
 * Row height by pointer type, rem. It is fixed, so that the list is in place at once and nothing moves under a click.
 */
const LINE_HEIGHT = { fine: 2, compact: 1.75, coarse: 2.75 } as const;
/** The browser's own font size, px. */
const baseSize = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) /
  (Number.parseFloat(document.documentElement.style.fontSize || '100') / 100);
/** Time after manual scrolling in which the list does not follow conversations opened elsewhere, ms. */
const BY_HAND_MS = 1000;

/** Height of one row, px. */
function useLineHeight(): number {
  const coarse = useMedia('(pointer: coarse)');
  const { compact, font_size: size } = useReadable(useApp().settings.config, ({ ui }) => ui);
  return useMemo(
    () => LINE_HEIGHT[coarse ? 'coarse' : compact ? 'compact' : 'fine'] * FONT_SCALES[size] * baseSize(),
    [coarse, compact, size],
  );
}

const lineOf = (list: HTMLElement | null, id: ConversationId): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-entry][href="${CSS.escape(hrefOf(id))}"]`) ?? null;

/** Moves the focus on after a menu action removed its row. Returns a function that records the row whose menu opens. */
function useFocusOfRemovedRow(
  rows: readonly SidebarRow[],
  place: React.RefObject<HTMLDivElement | null>,
): (id: ConversationId) => void {
  /** Row whose menu was opened last: its action may remove the row. */
  const asked = useRef<{ id: ConversationId; at: number } | null>(null);
  const rowsNow = useLatest(rows);
  const noteMenu = useCallback(
    (id: ConversationId) => {
      const at = rowsNow.current.findIndex((row) => row.type === 'entry' && row.entry.id === id);
      if (at >= 0) asked.current = { id, at };
    },
    [rowsNow],
  );
  // After a row is removed, focuses the one now in its place.
  useEffect(() => {
    if (asked.current === null) return;
    const { id, at: was } = asked.current;
    if (rows.some((row) => row.type === 'entry' && row.entry.id === id)) return;
    asked.current = null;
    if (document.activeElement !== document.body) return;
    const next = [...rows.slice(was), ...rows.slice(0, was).reverse()].find((row) => row.type === 'entry');
    if (next?.type !== 'entry') return;
    lineOf(place.current, next.entry.id)?.focus();
  }, [rows, place]);
  return noteMenu;
}

/** Keeps the open conversation in sight, unless the person opened it from this list or is scrolling. */
function useFollowOpen(
  list: React.RefObject<VListHandle | null>,
  rows: readonly SidebarRow[],
  current: ConversationId | null,
) {
  /** Conversation opened by a click in this list: it is already in sight. */
  const clicked = useRef<ConversationId | null>(null);
  const scrolledByHand = useRef(Number.NEGATIVE_INFINITY);
  const noteClick = useCallback((id: ConversationId) => {
    clicked.current = id;
  }, []);
  const noteHand = useCallback(() => {
    scrolledByHand.current = performance.now();
  }, []);
  const at = useMemo(
    () => rows.findIndex((row) => row.type === 'entry' && row.entry.id === current),
    [rows, current],
  );
  const listed = at >= 0;
  const placed = useRef(false);
  // Scrolls to the open conversation at once: the person does not read the list on the way.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another one is opened, not for a new order
  useEffect(() => {
    const here = clicked.current === current;
    clicked.current = null;
    const byHand = performance.now() - scrolledByHand.current < BY_HAND_MS;
    // A drawer opens with the open conversation in its middle, since people usually go on to its neighbours.
    if (listed && !here && !byHand)
      list.current?.scrollToIndex(at, { align: placed.current ? 'nearest' : 'center' });
    placed.current = true;
  }, [current, listed]);

  return { noteClick, noteHand };
}
