// The sidebar: new conversation, search, every conversation by day, the other screens, and the status line.

import {
  Archive,
  ArrowLeft,
  Brain,
  Check,
  Ellipsis,
  MonitorDown,
  PanelLeftClose,
  Pin,
  Search,
  Settings,
  SquarePen,
  Trash2,
} from 'lucide-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { VList, type VListHandle } from 'virtua';
import type { ConversationId } from '../../domain/base/ids.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { onlyTouch, useMedia } from '../hooks/media.ts';
import { pathOf, useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatDayTime, locale } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { ActivityButton } from '../library/activity.tsx';
import { useHasAccount } from '../sync/use-sync.ts';
import { AppLink } from './app-link.tsx';
import {
  Button,
  Confirm,
  classes,
  EmptyState,
  IconButton,
  Kbd,
  keyNames,
  Menu,
  type MenuItem,
  Skeleton,
} from './controls.tsx';
import { type ConversationActions, useConversationActions, useReport } from './conversation-actions.tsx';
import { EraseConfirm } from './erase-confirm.tsx';
import { inView, type SidebarRow, type SidebarView, sidebarRows } from './groups.ts';
import { Logo } from './logo.tsx';
import type { Pick as PickHow } from './selection.ts';
import { ContextMenu, type MenuPlace, SelectionBar } from './selection-bar.tsx';
import { useShortcutKeys } from './shortcuts.ts';
import { StatusLine } from './status-line.tsx';
import { FONT_SCALES } from './theme.ts';
import { TitleField } from './title-field.tsx';
import { pickOf, useHold, useSelection } from './use-selection.ts';

/** Amber while an answer streams, a blue dot when one waits to be read. */
function TurnDot({ id, current }: { id: ConversationId; current: boolean }) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('shell');
  const turn = useMemo(() => app.chat.turn(id), [app, id]);
  const busy = useReadable(turn, (state) => state.status !== 'idle');
  const unread = useReadable(session.unread, (ids) => ids.has(id));
  if (busy)
    return (
      <span
        role="img"
        aria-label={t('answering')}
        className="size-1.5 shrink-0 animate-pulse rounded-full bg-ink-3"
      />
    );
  if (unread && !current)
    return <span role="img" aria-label={t('unread')} className="size-1.5 shrink-0 rounded-full bg-accent" />;
  return null;
}

/**
 * The ⋯ of a line. The menu itself is made when it is asked for: ten thousand lines scroll past, and few are asked.
 */
function EntryMenu({ label, items }: { label: string; items: () => MenuItem[] }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        title={label}
        onClick={() => setOpen(true)}
        className="touchable inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-2 hover:bg-press hover:text-ink"
      >
        <Ellipsis size={16} aria-hidden />
      </button>
      {open && (
        <Menu
          open
          align="start"
          keepFocus
          onOpenChange={(next) => {
            setOpen(next);
            if (!next) button.current?.focus();
          }}
          items={items()}
          trigger={
            <button type="button" tabIndex={-1} aria-hidden className="-z-10 absolute inset-0 opacity-0" />
          }
        />
      )}
    </>
  );
}

interface EntryRowProps {
  entry: LibraryEntry;
  /** Another one has the same title: when it began tells them apart. */
  twin: boolean;
  current: boolean;
  actions: ConversationActions;
  onOpen: (id: ConversationId) => void;
  onErase: (entry: LibraryEntry) => void;
  onMenu: (id: ConversationId) => void;
  selected: boolean;
  /** Something is chosen: a tap chooses, too. */
  selecting: boolean;
  onPick: (id: ConversationId, how: PickHow) => void;
  /** A right click, or the menu key. */
  onContext: (entry: LibraryEntry, place: MenuPlace, rename: () => void) => void;
}

/** What a line does with keys, a right click and a finger, beside being a link. */
function useRowEvents({
  entry,
  selecting,
  rename,
  onPick,
  onContext,
}: Pick<EntryRowProps, 'entry' | 'selecting' | 'onPick' | 'onContext'> & { rename: () => void }) {
  const hold = useHold(() => onPick(entry.id, 'toggle'));
  const click = (event: React.MouseEvent) => {
    const ended = hold.tookClick();
    const how = ended ? null : pickOf(event, selecting, onlyTouch());
    if (!ended && !how) return;
    event.preventDefault();
    event.stopPropagation();
    if (how) onPick(entry.id, how);
  };
  const context = (event: React.MouseEvent) => {
    event.preventDefault();
    // A finger that is held chooses; its menu is the button at the end of the line.
    if (hold.touches() || onlyTouch()) return;
    const line = event.currentTarget.getBoundingClientRect();
    const keyboard = event.clientX === 0 && event.clientY === 0;
    onContext(
      entry,
      keyboard ? { x: line.left + 16, y: line.bottom } : { x: event.clientX, y: event.clientY },
      rename,
    );
  };
  const keys = (event: React.KeyboardEvent) => {
    if (event.key === 'F2') rename();
    else if (event.key === ' ') onPick(entry.id, event.shiftKey ? 'range' : 'toggle');
    else return;
    event.preventDefault();
  };
  return { onClickCapture: click, onContextMenu: context, onKeyDown: keys, ...hold.handlers };
}

const EntryRow = memo(function EntryRow({
  entry,
  twin,
  current,
  actions,
  onOpen,
  onErase,
  onMenu,
  selected,
  selecting,
  onPick,
  onContext,
}: EntryRowProps) {
  const { t } = useTranslation('shell');
  const [renaming, setRenaming] = useState(false);
  const title = shownTitle(entry.title, t('untitled'));
  const rename = () => {
    if (entry.deletedAt === null) setRenaming(true);
  };
  const events = useRowEvents({ entry, selecting, rename, onPick, onContext });
  if (renaming)
    return (
      <div className="mx-2">
        <TitleField
          title={entry.title}
          onDone={(next) => {
            setRenaming(false);
            if (next !== null) actions.rename(entry, next);
          }}
          className="h-(--row) w-full rounded-sm border border-accent bg-paper px-2 text-sm outline-none pointer-coarse:h-11"
        />
      </div>
    );
  return (
    <div
      className={classes(
        'group relative mx-2 flex items-center rounded-sm',
        current ? 'bg-press' : 'hover:bg-fill',
        selected && 'bg-accent-soft!',
      )}
    >
      <AppLink
        href={pathOf({ screen: 'conversation', conversationId: entry.id, messageId: null })}
        onOpen={() => onOpen(entry.id)}
        data-entry
        aria-current={current ? 'page' : undefined}
        title={title}
        {...events}
        onDoubleClick={rename}
        className={classes(
          'flex h-(--row) min-w-0 flex-1 select-none items-center gap-2 rounded-sm px-2 [-webkit-touch-callout:none] pointer-coarse:h-11',
          current ? 'text-ink' : 'text-ink-2 group-hover:text-ink',
        )}
      >
        {selecting && (
          <span
            aria-hidden
            className={classes(
              'size-4 shrink-0 rounded-xs border',
              selected ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
            )}
          >
            {selected && <Check size={14} aria-hidden />}
          </span>
        )}
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {title}
          {selected && <span className="sr-only">, {t('isSelected')}</span>}
        </span>
        {twin && (
          <time
            dateTime={new Date(entry.createdAt).toISOString()}
            className="shrink-0 text-ink-3 text-xs group-hover:hidden pointer-coarse:group-hover:inline"
          >
            {formatDayTime(entry.createdAt)}
          </time>
        )}
        <TurnDot id={entry.id} current={current} />
      </AppLink>
      <span
        className={classes(
          'absolute right-0.5 isolate flex rounded-sm bg-linear-to-l from-70% to-transparent pl-5 opacity-0 focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:static pointer-coarse:bg-none pointer-coarse:pl-0 pointer-coarse:opacity-100',
          selected ? 'from-accent-soft' : current ? 'from-press' : 'from-fill',
        )}
      >
        <EntryMenu
          label={t('moreFor', { title })}
          items={() => {
            onMenu(entry.id);
            return actions.menu(
              entry,
              () => setRenaming(true),
              () => onErase(entry),
            );
          }}
        />
      </span>
    </div>
  );
});

function Heading({ row }: { row: Extract<SidebarRow, { type: 'heading' }> }) {
  const { t } = useTranslation('shell');
  const words =
    row.group === 'older'
      ? new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric' }).format(row.at)
      : t(`groups.${row.group}`);
  return (
    <h2 className="flex h-(--row) items-end gap-1.5 px-4 pb-1 font-medium text-ink-3 text-xs pointer-coarse:h-11">
      {row.group === 'pinned' && <Pin size={12} aria-hidden className="mb-0.5" />}
      {words}
    </h2>
  );
}

/** Every line is as high as this, with a mouse and with a finger, rem: the list stands at its place at once, and nothing moves under a click. */
const LINE_HEIGHT = { fine: 2, compact: 1.75, coarse: 2.75 } as const;
/** The browser's own size of text, px. */
const baseSize = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) /
  (Number.parseFloat(document.documentElement.style.fontSize || '100') / 100);
/** So soon after it was scrolled by hand the list does not follow what is opened elsewhere, ms. */
const BY_HAND_MS = 1000;

/** Of one line, px. */
function useLineHeight(): number {
  const coarse = useMedia('(pointer: coarse)');
  const { compact, font_size: size } = useReadable(useApp().settings.config, ({ ui }) => ui);
  return useMemo(
    () => LINE_HEIGHT[coarse ? 'coarse' : compact ? 'compact' : 'fine'] * FONT_SCALES[size] * baseSize(),
    [coarse, compact, size],
  );
}

const hrefOf = (id: ConversationId): string =>
  pathOf({ screen: 'conversation', conversationId: id, messageId: null });
const lineOf = (list: HTMLElement | null, id: ConversationId): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-entry][href="${CSS.escape(hrefOf(id))}"]`) ?? null;

/** Gives the focus on where a menu took its line away. Returns what notes the line whose menu is opened. */
function useHeir(
  rows: readonly SidebarRow[],
  place: React.RefObject<HTMLDivElement | null>,
): (id: ConversationId) => void {
  /** The line whose menu was opened last: it may be what takes the line away. */
  const asked = useRef<{ id: ConversationId; at: number } | null>(null);
  const rowsNow = useRef(rows);
  rowsNow.current = rows;
  const noteMenu = useCallback((id: ConversationId) => {
    const at = rowsNow.current.findIndex((row) => row.type === 'entry' && row.entry.id === id);
    if (at >= 0) asked.current = { id, at };
  }, []);
  // Who moved a line away from here goes on with the one that is in its place now.
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

/** Keeps the open conversation in sight, unless the person opened it here or scrolls. */
function useFollowOpen(
  list: React.RefObject<VListHandle | null>,
  rows: readonly SidebarRow[],
  current: ConversationId | null,
  ready: boolean,
) {
  /** Opened by a click in this very list: it is in sight already. */
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
  const listed = ready && at >= 0;
  const placed = useRef(false);
  // The list follows the conversation that is open, at once: what is read is not there to be watched on its way.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when the list is in another order
  useEffect(() => {
    const here = clicked.current === current;
    clicked.current = null;
    const byHand = performance.now() - scrolledByHand.current < BY_HAND_MS;
    // A drawer opens with what is open in its middle: what stands around it is where one goes next.
    if (listed && !here && !byHand)
      list.current?.scrollToIndex(at, { align: placed.current ? 'nearest' : 'center' });
    if (ready) placed.current = true;
  }, [current, listed, ready]);

  return { noteClick, noteHand };
}

/** Asks before all that are chosen in the trash are erased. */
function EraseChosen({
  open,
  onOpenChange,
  chosen,
  actions,
  onDone,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  chosen: readonly LibraryEntry[];
  actions: ConversationActions;
  onDone: () => void;
}) {
  const { t } = useTranslation('shell');
  const everywhere = useHasAccount();
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
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
  );
}

/** Everything that is listed in one view. Ten thousand lines cost what one screen of them costs. */
function ConversationList({ view, onOpened }: { view: SidebarView; onOpened: () => void }) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('shell');
  const actions = useConversationActions();
  const library = useReadable(app.documents.library);
  const current = useReadable(session.current);
  const list = useRef<VListHandle>(null);
  const lineHeight = useLineHeight();
  const rows = useMemo(() => sidebarRows(library.entries, view, Date.now()), [library.entries, view]);
  const [erasing, setErasing] = useState<LibraryEntry | null>(null);
  const { selection, pick, clear } = useSelection(rows, current);
  const chosen = useMemo(
    () => rows.flatMap((row) => (row.type === 'entry' && selection.ids.has(row.entry.id) ? [row.entry] : [])),
    [rows, selection],
  );
  const [erasingAll, setErasingAll] = useState(false);
  const [menu, setMenu] = useState<{ entry: LibraryEntry; place: MenuPlace; rename: () => void } | null>(
    null,
  );
  const navigation = useNavigation();
  // The lines hold on to one function while navigation and frame change around them.
  const latest = useRef({ navigation, onOpened });
  latest.current = { navigation, onOpened };
  const { noteClick, noteHand } = useFollowOpen(list, rows, current, library.ready);
  const open = useCallback(
    (id: ConversationId) => {
      noteClick(id);
      latest.current.navigation.openConversation(id);
      latest.current.onOpened();
    },
    [noteClick],
  );
  const place = useRef<HTMLDivElement>(null);
  const noteMenu = useHeir(rows, place);
  const askErase = useCallback((entry: LibraryEntry) => setErasing(entry), []);
  const openMenu = useCallback(
    (entry: LibraryEntry, place: MenuPlace, rename: () => void) => setMenu({ entry, place, rename }),
    [],
  );
  if (!library.ready)
    return (
      <div className="flex flex-col gap-3 px-4 pt-6">
        {[64, 80, 52, 72, 60].map((width) => (
          <Skeleton key={width} className="h-3.5" />
        ))}
      </div>
    );
  if (rows.length === 0)
    return view === 'open' ? (
      <p className="px-4 pt-5 text-ink-3">{t('nothingYet')}</p>
    ) : (
      <EmptyState title={view === 'trash' ? t('trashEmpty') : t('archiveEmpty')} />
    );

  const walk = (event: React.KeyboardEvent<HTMLDivElement>) => {
    if (event.key === 'Escape' && selection.ids.size > 0) {
      clear();
      event.preventDefault();
      return;
    }
    if (event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    if (!(event.target as HTMLElement).matches('[data-entry]')) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-entry]')];
    const next = links[links.indexOf(event.target as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)];
    next?.focus();
    event.preventDefault();
  };
  const all = {
    entries: chosen,
    view,
    actions,
    askErase: () => setErasingAll(true),
    onDone: clear,
  };
  return (
    <div className="flex h-full flex-col">
      {chosen.length > 0 && <SelectionBar {...all} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are a convenience; each line is a link of its own */}
      <div ref={place} className="min-h-0 flex-1" onKeyDown={walk} onWheel={noteHand} onTouchMove={noteHand}>
        {/* While it scrolls the library takes no clicks, and one made in that moment was lost. */}
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
              />
            )
          }
        </VList>
      </div>
      <EraseConfirm
        entry={erasing}
        onClose={() => setErasing(null)}
        onErase={({ id }) => actions.erase([id])}
      />
      {menu && (
        <ContextMenu
          place={menu.place}
          chosen={all}
          items={
            selection.ids.size > 1 && selection.ids.has(menu.entry.id)
              ? null
              : actions.menu(menu.entry, menu.rename, () => askErase(menu.entry))
          }
          onClose={() => {
            noteMenu(menu.entry.id);
            setMenu(null);
            lineOf(place.current, menu.entry.id)?.focus();
          }}
        />
      )}
      <EraseChosen
        open={erasingAll}
        onOpenChange={setErasingAll}
        chosen={chosen}
        actions={actions}
        onDone={clear}
      />
    </div>
  );
}

const NAV_ROW =
  'touchable flex h-8 w-full items-center gap-2.5 rounded-sm px-2 text-ink-2 hover:bg-fill hover:text-ink aria-[current]:bg-press aria-[current]:text-ink';

export function Sidebar({ onHide, onOpened }: { onHide: () => void; onOpened: () => void }) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('shell');
  const navigation = useNavigation();
  const actions = useConversationActions();
  const [view, setView] = useState<SidebarView>('open');
  const [emptying, setEmptying] = useState(false);
  const everywhere = useHasAccount();
  const newKeys = useShortcutKeys('new');
  const paletteKeys = useShortcutKeys('palette');
  const sidebarKeys = useShortcutKeys('sidebar');
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const counts = useMemo(
    () => ({
      archived: entries.filter((entry) => inView(entry, 'archived')).length,
      trash: entries.filter((entry) => inView(entry, 'trash')).length,
    }),
    [entries],
  );
  const install = useReadable(app.device.install);
  const report = useReport();
  const { route } = navigation;

  useEffect(() => {
    if (view !== 'open' && counts[view] === 0) setView('open');
  }, [view, counts]);

  /** Where the view was changed from and to: the focus goes along. */
  const frame = useRef<HTMLDivElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const shown = useRef<SidebarView>('open');
  useEffect(() => {
    const before = shown.current;
    shown.current = view;
    if (before === view || document.activeElement !== document.body) return;
    const to =
      view === 'open' ? frame.current?.querySelector<HTMLElement>(`[data-view=${before}]`) : back.current;
    (to ?? frame.current?.querySelector<HTMLElement>('[data-entry]'))?.focus();
  }, [view]);

  return (
    <div ref={frame} className="flex h-full flex-col overflow-y-auto bg-side">
      <div className="flex h-13 shrink-0 items-center gap-1 pr-2 pl-4">
        <Logo className="text-ink" />
        <span className="flex-1 pl-1 font-semibold tracking-tight">Recollect</span>
        <IconButton
          label={t('hideSidebar')}
          shortcut={sidebarKeys}
          icon={<PanelLeftClose size={17} aria-hidden />}
          onClick={onHide}
        />
      </div>
      <div className="flex shrink-0 flex-col gap-0.5 px-2 pb-1">
        <button
          type="button"
          className={NAV_ROW}
          title={keyNames(newKeys).join(' ')}
          onClick={() => {
            navigation.newConversation();
            onOpened();
            session.composer.get()?.focus();
          }}
        >
          <SquarePen size={16} aria-hidden />
          <span className="flex-1 truncate text-left">{t('newConversation')}</span>
        </button>
        <button
          type="button"
          className={NAV_ROW}
          onClick={() => {
            onOpened();
            session.floating.set('palette');
          }}
        >
          <Search size={16} aria-hidden />
          <span className="flex-1 text-left">{t('search')}</span>
          <Kbd keys={paletteKeys} className="pointer-coarse:hidden" />
        </button>
      </div>
      {view !== 'open' && (
        <div className="flex shrink-0 items-center gap-1 px-2 pt-2">
          <IconButton
            ref={back}
            label={t('backToConversations')}
            icon={<ArrowLeft size={16} aria-hidden />}
            onClick={() => setView('open')}
          />
          <h2 className="flex-1 font-semibold">{t(view)}</h2>
          {view === 'trash' && (
            <Button size="sm" variant="ghost" onClick={() => setEmptying(true)}>
              {t('emptyTrash')}
            </Button>
          )}
        </div>
      )}
      <nav aria-label={t('conversations')} className="min-h-36 flex-1">
        <ConversationList key={view} view={view} onOpened={onOpened} />
      </nav>
      <div className="flex shrink-0 flex-col gap-0.5 border-t p-2">
        {view === 'open' && (counts.archived > 0 || counts.trash > 0) && (
          <div className="flex gap-0.5">
            {counts.archived > 0 && (
              <button
                type="button"
                data-view="archived"
                className={NAV_ROW}
                onClick={() => setView('archived')}
              >
                <Archive size={16} aria-hidden />
                <span className="truncate">{t('archived')}</span>
                <span className="text-ink-3 text-xs">{counts.archived}</span>
              </button>
            )}
            {counts.trash > 0 && (
              <button type="button" data-view="trash" className={NAV_ROW} onClick={() => setView('trash')}>
                <Trash2 size={16} aria-hidden />
                <span className="truncate">{t('trash')}</span>
                <span className="text-ink-3 text-xs">{counts.trash}</span>
              </button>
            )}
          </div>
        )}
        <AppLink
          href="/memory"
          className={NAV_ROW}
          aria-current={route.screen === 'memory' ? 'page' : undefined}
          onOpen={() => {
            navigation.openScreen('memory');
            onOpened();
          }}
        >
          <Brain size={16} aria-hidden />
          {t('memory')}
        </AppLink>
        <AppLink
          href="/settings"
          className={NAV_ROW}
          aria-current={route.screen === 'settings' ? 'page' : undefined}
          onOpen={() => {
            navigation.openScreen('settings');
            onOpened();
          }}
        >
          <Settings size={16} aria-hidden />
          {t('settings')}
        </AppLink>
        {install && (
          <button
            type="button"
            className={NAV_ROW}
            onClick={() => {
              install().catch(report);
            }}
          >
            <MonitorDown size={16} aria-hidden />
            {t('install')}
          </button>
        )}
        <div className="flex items-center gap-1">
          <StatusLine onOpened={onOpened} />
          <ActivityButton />
        </div>
      </div>
      <Confirm
        open={emptying}
        onOpenChange={setEmptying}
        title={t('emptyTrashTitle')}
        action={t('eraseForGood')}
        danger
        onConfirm={() =>
          actions.erase(entries.filter((entry) => inView(entry, 'trash')).map((entry) => entry.id))
        }
      >
        {sentences(
          t('emptyTrashWords', { count: counts.trash }),
          everywhere && t('sync:forget.also'),
          t('eraseQuoted'),
        )}
      </Confirm>
    </div>
  );
}
