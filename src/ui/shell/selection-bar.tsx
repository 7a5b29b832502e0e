// Actions on all conversations selected in the sidebar, and the context menu of a row.
import { Archive, ArchiveRestore, Download, FolderInput, RotateCcw, Trash2, X } from 'lucide-react';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { afterClosing } from './controls/menu.tsx';
import { IconButton, Menu, type MenuItem } from './controls.tsx';
import type { ConversationActions } from './conversation-actions.tsx';
import type { SidebarView } from './groups.ts';

interface Chosen {
  readonly entries: readonly LibraryEntry[];
  readonly view: SidebarView;
  readonly actions: ConversationActions;
  /** Asks before these are erased permanently. */
  readonly askErase: () => void;
  readonly onDone: () => void;
}

/** Items shared by the bar and the menu. */
function useItems({ entries, view, actions, askErase, onDone }: Chosen) {
  const { t } = useTranslation(['shell', 'projects']);
  const session = useSession();
  const then = (work: () => void) => () => {
    work();
    onDone();
  };
  const exported: MenuItem[] = (['markdown', 'json'] as const).map((format) => ({
    label: t(format === 'json' ? 'exportJson' : 'exportMarkdown'),
    onSelect: () => actions.exportAll(entries, format),
  }));
  const archive = {
    label: t(view === 'archived' ? 'unarchive' : 'archive'),
    icon: view === 'archived' ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />,
    onSelect: then(() => actions.archiveAll(entries, view !== 'archived')),
  };
  const restore = {
    label: t('restore'),
    icon: <RotateCcw size={15} aria-hidden />,
    onSelect: then(() => actions.restoreAll(entries)),
  };
  const remove = {
    label: t(view === 'trash' ? 'eraseForGood' : 'delete'),
    icon: <Trash2 size={15} aria-hidden />,
    danger: true,
    onSelect: view === 'trash' ? askErase : then(() => actions.removeAll(entries)),
  };
  const move = {
    label: t('projects:moveTo'),
    icon: <FolderInput size={15} aria-hidden />,
    onSelect: then(() => session.asking.set({ type: 'move', ids: entries.map(({ id }) => id) })),
  };
  return {
    exported,
    first: view === 'trash' ? restore : archive,
    move: view === 'trash' ? null : move,
    remove,
  };
}

export function SelectionBar(chosen: Chosen) {
  const { t } = useTranslation('shell');
  const { exported, first, move, remove } = useItems(chosen);
  return (
    <div
      role="toolbar"
      aria-label={t('selectionActions')}
      className="flex h-13 animate-fade items-center gap-0.5 border-b px-2"
    >
      <IconButton label={t('clearSelection')} icon={<X size={16} aria-hidden />} onClick={chosen.onDone} />
      <span role="status" className="min-w-0 flex-1 truncate px-1 text-sm tabular-nums">
        <span className="pointer-coarse:sr-only">{t('selected', { count: chosen.entries.length })}</span>
        {/* Touch-sized buttons leave no room for the label. */}
        <span aria-hidden className="pointer-coarse:inline hidden font-medium">
          {chosen.entries.length}
        </span>
      </span>
      <IconButton label={first.label} icon={first.icon} onClick={first.onSelect} />
      {move && <IconButton label={move.label} icon={move.icon} onClick={move.onSelect} />}
      <Menu
        trigger={<IconButton label={t('export')} icon={<Download size={15} aria-hidden />} />}
        items={exported}
      />
      <IconButton
        label={remove.label}
        icon={remove.icon}
        onClick={remove.onSelect}
        className="text-danger! hover:bg-danger-soft"
      />
    </div>
  );
}

/** Position of a right click, in px of the window. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

/** Menu at a position in the window, for one row (`items`) or for all selected ones. */
export function ContextMenu({
  place,
  items,
  chosen,
  onClose,
}: {
  place: MenuPlace;
  /** Items of one row; null: those of the selection. */
  items: readonly MenuItem[] | null;
  chosen: Chosen;
  onClose: () => void;
}) {
  const { t } = useTranslation('shell');
  const { exported, first, move, remove } = useItems(chosen);
  return (
    <Menu
      open
      align="start"
      keepFocus
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      items={(
        items ?? [
          { heading: t('selected', { count: chosen.entries.length }) },
          first,
          ...(move ? [move] : []),
          { label: t('export'), icon: <Download size={15} aria-hidden />, items: exported },
          'separator',
          remove,
        ]
      ).map(afterClosing)}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          className="pointer-events-none fixed size-0 opacity-0"
          style={{ left: place.x, top: place.y }}
        />
      }
    />
  );
}
