// Actions on a whole project and on moving conversations into one; the same in the
// list, on the page and in the palette.

import type { TFunction } from 'i18next';
import { Archive, ArchiveRestore, Download, FolderOpen, RotateCcw, SquarePen, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { withInner } from '../../domain/projects/filing.ts';
import type { ProjectId } from '../../domain/projects/project.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import type { Undo } from '../../services/projects/projects.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { MenuItem } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { nameOf } from './use-projects.ts';

export interface ProjectActions {
  /** Null: removes them from all projects. */
  move(ids: readonly ConversationId[], project: ProjectId | null): void;
  /** Begins a conversation in the project. */
  begin(project: ProjectId): void;
  archive(project: ProjectEntry): void;
  restore(project: ProjectEntry): void;
  remove(project: ProjectEntry, conversations: 'outside' | 'trash'): void;
  exportAs(project: ProjectEntry, format: 'json' | 'markdown'): void;
  menu(project: ProjectEntry): MenuItem[];
}

/**
 * Creates the actions on projects. Each reports what it did and offers to undo it; failures are reported to the person.
 */
export function useProjectActions(): ProjectActions {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation(['projects', 'shell']);
  const report = useReport();
  const navigation = useNavigation();
  const latest = useLatest({ report, navigation });
  return useMemo(() => {
    const failed = (error: unknown) => latest.current.report(error);
    const called = (project: ProjectEntry) => nameOf(project, t('title'));
    /** Reports what was done and offers to undo it. */
    const done = (work: Promise<Undo>, words: () => string) => {
      work.then(
        (undo) => offer(words(), { label: t('shell:undo'), onClick: () => void undo().catch(failed) }),
        failed,
      );
    };
    /** On a phone the list covers the page. */
    const leaveList = () => session.floating.update((floating) => (floating === 'drawer' ? null : floating));
    const find = (id: ProjectId | null) => app.documents.library.get().projects.find((one) => one.id === id);
    const actions: ProjectActions = {
      move: (ids, project) => {
        const into = find(project);
        done(app.projects.move(ids, project), () =>
          into ? t('moved', { count: ids.length, name: called(into) }) : t('movedOut', { count: ids.length }),
        );
      },
      begin: (project) => {
        leaveList();
        latest.current.navigation.newConversation();
        session.project.set(project);
        session.composer.get()?.focus();
      },
      archive: (project) =>
        done(app.projects.archive(project.id, !project.archived), () =>
          t(project.archived ? 'unarchivedDone' : 'archivedDone', { name: called(project) }),
        ),
      restore: ({ id }) => void app.library.restore([id]).catch(failed),
      remove: (project, conversations) =>
        done(app.projects.remove(project.id, conversations), () =>
          t('deletedDone', { name: called(project) }),
        ),
      exportAs: ({ id }, format) => {
        const { entries, projects } = app.documents.library.get();
        const inside = withInner(id, projects);
        const ids = entries.flatMap((entry) =>
          entry.deletedAt === null && entry.projectId !== null && inside.has(entry.projectId)
            ? [entry.id]
            : [],
        );
        app.library
          .exportConversations([...([...inside] as ProjectId[]), ...ids], format)
          .then(download, failed);
      },
      menu: (project) =>
        projectMenu(project, actions, {
          t,
          openAppearance: () => {
            leaveList();
            session.openingAppearance.set(project.id);
            latest.current.navigation.openProject(project.id);
          },
          erase: () => void app.library.erase([project.id]).catch(failed),
          askRemove: () => session.asking.set({ type: 'remove', project }),
        }),
    };
    return actions;
  }, [app, session, t, latest]);
}

function projectMenu(
  project: ProjectEntry,
  actions: ProjectActions,
  {
    t,
    openAppearance,
    erase,
    askRemove,
  }: {
    t: TFunction<['projects', 'shell']>;
    openAppearance: () => void;
    erase: () => void;
    askRemove: () => void;
  },
): MenuItem[] {
  if (project.deletedAt !== null)
    return [
      {
        label: t('restore'),
        icon: <RotateCcw size={15} aria-hidden />,
        onSelect: () => actions.restore(project),
      },
      'separator',
      { label: t('erase'), icon: <Trash2 size={15} aria-hidden />, danger: true, onSelect: erase },
    ];
  return [
    {
      label: t('newIn'),
      icon: <SquarePen size={15} aria-hidden />,
      onSelect: () => actions.begin(project.id),
    },
    {
      label: t('page.looks'),
      icon: <FolderOpen size={15} aria-hidden />,
      onSelect: openAppearance,
    },
    {
      label: t(project.archived ? 'unarchive' : 'archive'),
      icon: project.archived ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />,
      onSelect: () => actions.archive(project),
    },
    {
      label: t('export'),
      icon: <Download size={15} aria-hidden />,
      items: (['markdown', 'json'] as const).map((format) => ({
        label: t(format === 'json' ? 'shell:exportJson' : 'shell:exportMarkdown'),
        onSelect: () => actions.exportAs(project, format),
      })),
    },
    'separator',
    { label: t('delete'), icon: <Trash2 size={15} aria-hidden />, danger: true, onSelect: askRemove },
  ];
}
