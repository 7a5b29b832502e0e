// A row of the sidebar's list: a conversation with its menu, or the heading of a day.
import { Check, Ellipsis, Pin } from 'lucide-react';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { onlyTouch } from '../hooks/media.ts';
import { pathOf } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatDayTime, formatTimeOfDay, locale } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { ProjectMark } from '../projects/project-mark.tsx';
import { AppLink } from './app-link.tsx';
import { afterClosing } from './controls/menu.tsx';
import { classes, Menu, type MenuItem } from './controls.tsx';
import type { ConversationActions } from './conversation-actions.tsx';
import type { SidebarRow } from './groups.ts';
import type { Pick as PickHow } from './selection.ts';
import type { MenuPlace } from './selection-bar.tsx';
import { TitleField } from './title-field.tsx';
import { TwinWords, useTwinWords } from './twin-words.tsx';
import { pickOf, useHold } from './use-selection.ts';

/** Address of a conversation in the app. */
export const hrefOf = (id: ConversationId): string =>
  pathOf({ screen: 'conversation', conversationId: id, messageId: null });

/**
 * Grey dot while an answer streams, blue dot when an unread one waits. Animated only if the answer is
 * out of sight, because each frame costs.
 */
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
        className={classes('size-1.5 shrink-0 rounded-full bg-ink-3', !current && 'animate-pulse')}
      />
    );
  if (unread && !current)
    return <span role="img" aria-label={t('unread')} className="size-1.5 shrink-0 rounded-full bg-accent" />;
  return null;
}

const isToday = (at: number): boolean => new Date(at).toDateString() === new Date().toDateString();

/** Mark of the conversation's project. */
function InProject({ id }: { id: LibraryEntry['projectId'] }) {
  const { t } = useTranslation('projects');
  const project = useReadable(
    useApp().documents.library,
    useCallback((library) => library.projects.find((one) => one.id === id), [id]),
  );
  if (!project) return null;
  const words = t('inProject', { name: shownTitle(project.title, t('title')) });
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className="shrink-0 group-hover:hidden pointer-coarse:group-hover:inline"
    >
      <ProjectMark face={project.project.face} size={13} />
    </span>
  );
}

/** The ⋯ button of a row. Creates its menu on demand: ten thousand rows scroll past, and few menus open. */
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
          items={items().map(afterClosing)}
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
  /** Another conversation has the same title, so shows when this one began. */
  twin: boolean;
  current: boolean;
  actions: ConversationActions;
  onOpen: (id: ConversationId) => void;
  onErase: (entry: LibraryEntry) => void;
  onMenu: (id: ConversationId) => void;
  selected: boolean;
  /** Selection mode: a tap selects, too. */
  selecting: boolean;
  onPick: (id: ConversationId, how: PickHow) => void;
  /** Called on a right click or the menu key. */
  onContext: (entry: LibraryEntry, place: MenuPlace, rename: () => void) => void;
  /** Called when it is dragged, e.g. onto a project; the other selected ones come along if it is selected. */
  onDrag: (entry: LibraryEntry, event: React.DragEvent) => void;
}

/** Handlers of a row, besides its link: keys, right click, and long press. */
function useRowEvents({
  entry,
  selecting,
  rename,
  onPick,
  onContext,
}: Pick<EntryRowProps, 'entry' | 'selecting' | 'onPick' | 'onContext'> & { rename: () => void }) {
  const hold = useHold(() => onPick(entry.id, 'toggle'));
  const click = (event: React.MouseEvent) => {
    const how = pickOf(event, selecting, onlyTouch());
    if (!how) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(entry.id, how);
  };
  const context = (event: React.MouseEvent) => {
    event.preventDefault();
    // A long press selects; on touch screens the button at the row's end opens the menu.
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

export const EntryRow = memo(function EntryRow({
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
  onDrag,
}: EntryRowProps) {
  const { t } = useTranslation('shell');
  const [renaming, setRenaming] = useState(false);
  const title = shownTitle(entry.title, t('untitled'));
  const rename = () => {
    if (entry.deletedAt === null) setRenaming(true);
  };
  const words = useTwinWords(entry);
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
        title={words ? `${title} ${words}` : title}
        {...events}
        draggable={entry.deletedAt === null}
        onDragStart={(event) => onDrag(entry, event)}
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
        <span dir="auto" className="min-w-0 truncate">
          {title}
          {selected && <span className="sr-only">, {t('isSelected')}</span>}
        </span>
        <TwinWords words={words} />
        {twin && words === '' && (
          <time
            dateTime={new Date(entry.createdAt).toISOString()}
            className="shrink-0 text-ink-3 text-xs group-hover:hidden pointer-coarse:group-hover:inline"
          >
            {/* The heading already names the day. */}
            {isToday(entry.createdAt) ? formatTimeOfDay(entry.createdAt) : formatDayTime(entry.createdAt)}
          </time>
        )}
        <InProject id={entry.projectId} />
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
              selecting ? null : () => onPick(entry.id, 'toggle'),
            );
          }}
        />
      </span>
    </div>
  );
});

export function Heading({ row }: { row: Extract<SidebarRow, { type: 'heading' }> }) {
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
