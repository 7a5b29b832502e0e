// Actions on a whole conversation, the same in the sidebar and the header.

import type { TFunction } from 'i18next';
import {
  Archive,
  ArchiveRestore,
  Download,
  Eraser,
  FolderInput,
  ListChecks,
  Pencil,
  Pin,
  PinOff,
  RotateCcw,
  Trash2,
} from 'lucide-react';
import { useMemo } from 'react';
import { toast } from 'sonner';
import { isAbort, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { shownName, shownTitle } from '../../domain/text/shown.ts';
import type { App } from '../../services/app.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { ExportedFile } from '../../services/library/library.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { MenuItem } from './controls.tsx';
import { offer } from './offer.ts';
import { useProblemWords } from './problem-notice.tsx';

/** Downloads a file to the person's device. */
export function download(file: ExportedFile): void {
  const url = URL.createObjectURL(file.blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  // Revokes the address late: the browser reads the blob some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Reports in a toast that a requested action failed, in the catalogue's words. */
export function useReport(): (error: unknown) => void {
  const words = useProblemWords();
  return (error) => {
    if (isAbort(error)) return;
    const { what, kept, todo } = words(toProblem(error));
    toast.error(what, { description: [kept, todo].filter(Boolean).join(' ') });
  };
}

export interface ConversationActions {
  rename(entry: LibraryEntry, title: string): void;
  pin(entry: LibraryEntry): void;
  archive(entry: LibraryEntry): void;
  remove(entry: LibraryEntry): void;
  restore(entry: Pick<LibraryEntry, 'id' | 'title'>): void;
  /** Archives several at once, with one notice that undoes all. */
  archiveAll(entries: readonly LibraryEntry[], archived: boolean): void;
  removeAll(entries: readonly LibraryEntry[]): void;
  restoreAll(entries: readonly LibraryEntry[]): void;
  exportAll(entries: readonly LibraryEntry[], format: 'json' | 'markdown'): void;
  erase(ids: readonly ConversationId[]): void;
  exportAs(id: ConversationId, format: 'json' | 'markdown'): void;
  /** Items of its ⋯ menu. `select`: begins a selection with it; null where there is no list. */
  menu(
    entry: LibraryEntry,
    startRename: () => void,
    askErase: () => void,
    select: (() => void) | null,
  ): MenuItem[];
}

type Undo = { readonly label: string; readonly onClick: () => void };

/** Actions on several conversations at once. */
function bulkActions({
  app,
  t,
  run,
  undo,
  leaveAny,
  save,
  report,
}: {
  app: App;
  t: TFunction<'shell'>;
  run: (work: Promise<unknown>, then?: () => void) => void;
  undo: (action: () => Promise<unknown>, comeBack: () => void) => Undo;
  /** Leaves whichever of them is open, and returns a function that leads back to it. */
  leaveAny: (ids: readonly ConversationId[]) => () => void;
  save: (file: ExportedFile) => void;
  report: (error: unknown) => void;
}): Pick<ConversationActions, 'archiveAll' | 'removeAll' | 'restoreAll' | 'exportAll'> {
  return {
    archiveAll: (entries, archived) => {
      const ids = entries.map(({ id }) => id);
      const back = archived ? leaveAny(ids) : () => undefined;
      run(app.library.setMeta(ids, { archived }), () =>
        offer(t(archived ? 'archivedCount' : 'unarchivedCount', { count: ids.length }), {
          ...undo(() => app.library.setMeta(ids, { archived: !archived }), back),
        }),
      );
    },
    removeAll: (entries) => {
      const ids = entries.map(({ id }) => id);
      const back = leaveAny(ids);
      run(app.library.remove(ids), () =>
        offer(t('trashedCount', { count: ids.length }), { ...undo(() => app.library.restore(ids), back) }),
      );
    },
    restoreAll: (entries) =>
      run(app.library.restore(entries.map(({ id }) => id)), () =>
        toast(t('restoredCount', { count: entries.length })),
      ),
    exportAll: (entries, format) => {
      app.library
        .exportConversations(
          entries.map(({ id }) => id),
          format,
        )
        .then(save, report);
    },
  };
}

/** Creates the actions on conversations for lists and menus. Failures are reported to the person. */
export function useConversationActions(): ConversationActions {
  const app = useApp();
  const { t } = useTranslation(['shell', 'forget', 'projects']);
  const report = useReport();
  const navigation = useNavigation();
  const session = useSession();
  const latest = useLatest({ report, navigation });
  return useMemo(() => {
    const report = (error: unknown) => latest.current.report(error);
    const run = (work: Promise<unknown>, then?: () => void) => {
      work.then(() => then?.(), report);
    };
    /**
     * Leaves the conversation if it is open. Returns a function that leads back, unless the person has gone elsewhere.
     */
    const leave = (id: ConversationId): (() => void) => {
      const { navigation } = latest.current;
      if (session.current.get() !== id) return () => undefined;
      navigation.newConversation();
      const left = navigation.latestVisit();
      return () => {
        if (navigation.latestVisit() === left) navigation.back();
      };
    };
    /** Leaves whichever of them is open, if any. */
    const leaveAny = (ids: readonly ConversationId[]): (() => void) => {
      const open = ids.find((id) => id === session.current.get());
      return open === undefined ? () => undefined : leave(open);
    };
    const undo = (action: () => Promise<unknown>, comeBack: () => void) => ({
      label: t('undo'),
      onClick: () => run(action(), comeBack),
    });
    const save = (file: ExportedFile) => {
      download(file);
      toast(t('downloaded', { name: file.name }));
    };
    const open = (id: ConversationId) => latest.current.navigation.openConversation(id);
    const actions: ConversationActions = {
      rename: (entry, title) => {
        const trimmed = title.trim();
        if (shownName(trimmed) && trimmed !== entry.title)
          run(app.library.setMeta([entry.id], { title: trimmed }));
      },
      pin: (entry) => run(app.library.setMeta([entry.id], { pinned: !entry.pinned })),
      archive: (entry) => {
        const archived = !entry.archived;
        const comeBack = archived ? leave(entry.id) : () => undefined;
        run(app.library.setMeta([entry.id], { archived }), () => {
          offer(archived ? t('archivedDone') : t('unarchivedDone'), {
            description: shownTitle(entry.title, t('untitled')),
            ...undo(() => app.library.setMeta([entry.id], { archived: !archived }), comeBack),
          });
        });
      },
      remove: (entry) => {
        const comeBack = leave(entry.id);
        run(app.library.remove([entry.id]), () => {
          offer(t('trashedDone'), {
            description: shownTitle(entry.title, t('untitled')),
            ...undo(() => app.library.restore([entry.id]), comeBack),
          });
        });
      },
      restore: ({ id, title }) =>
        run(app.library.restore([id]), () => {
          // On the screen already.
          if (session.current.get() === id) return;
          offer(t('restoredDone'), {
            description: shownTitle(title, t('untitled')),
            label: t('openIt'),
            onClick: () => open(id),
          });
        }),
      erase: (ids) => {
        for (const id of ids) leave(id);
        run(app.library.erase(ids));
      },
      ...bulkActions({ app, t, run, undo, leaveAny, save, report }),
      exportAs: (id, format) => {
        app.library.exportConversations([id], format).then(save, report);
      },
      menu: (entry, startRename, askErase, select) => {
        const forget = () =>
          session.forgetting.set({
            sought: { kind: 'conversation', conversation: entry.id },
            title: entry.title,
          });
        const work = { actions, t, startRename, askErase, forget, select };
        if (entry.deletedAt !== null) return trashMenu(entry, work);
        const move = () => session.asking.set({ type: 'move', ids: [entry.id] });
        return entryMenu(entry, { ...work, move });
      },
    };
    return actions;
  }, [app, t, session, latest]);
}

type Words = TFunction<['shell', 'projects', 'forget', 'sync']>;

interface MenuWork {
  readonly actions: ConversationActions;
  readonly t: Words;
  startRename(): void;
  askErase(): void;
  /** Opens the forget dialog for the conversation. */
  forget(): void;
  /** Begins a selection with the conversation. */
  readonly select: (() => void) | null;
}

const forgetItem = (t: Words, forget: () => void): MenuItem => ({
  label: t('forget:menu'),
  icon: <Eraser size={15} aria-hidden />,
  danger: true,
  onSelect: forget,
});

const selectItem = (t: Words, select: MenuWork['select']): MenuItem[] =>
  select ? [{ label: t('selectSeveral'), icon: <ListChecks size={15} aria-hidden />, onSelect: select }] : [];

/** Actions on a conversation in the trash. */
const trashMenu = (entry: LibraryEntry, { actions, t, askErase, forget, select }: MenuWork): MenuItem[] => [
  {
    label: t('restore'),
    icon: <RotateCcw size={15} aria-hidden />,
    onSelect: () => actions.restore(entry),
  },
  ...selectItem(t, select),
  'separator',
  {
    label: t('eraseForGood'),
    icon: <Trash2 size={15} aria-hidden />,
    danger: true,
    onSelect: askErase,
  },
  forgetItem(t, forget),
];

/** Actions on a conversation. */
const entryMenu = (
  entry: LibraryEntry,
  { actions, t, startRename, move, forget, select }: MenuWork & { move: () => void },
): MenuItem[] => [
  { label: t('rename'), icon: <Pencil size={15} aria-hidden />, onSelect: startRename },
  {
    label: entry.pinned ? t('unpin') : t('pin'),
    icon: entry.pinned ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />,
    onSelect: () => actions.pin(entry),
  },
  { label: t('projects:moveTo'), icon: <FolderInput size={15} aria-hidden />, onSelect: move },
  {
    label: entry.archived ? t('unarchive') : t('archive'),
    icon: entry.archived ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />,
    onSelect: () => actions.archive(entry),
  },
  {
    label: t('export'),
    icon: <Download size={15} aria-hidden />,
    items: [
      { label: t('exportMarkdown'), onSelect: () => actions.exportAs(entry.id, 'markdown') },
      { label: t('exportJson'), onSelect: () => actions.exportAs(entry.id, 'json') },
    ],
  },
  ...selectItem(t, select),
  'separator',
  {
    label: t('delete'),
    icon: <Trash2 size={15} aria-hidden />,
    danger: true,
    onSelect: () => actions.remove(entry),
  },
  forgetItem(t, forget),
];
