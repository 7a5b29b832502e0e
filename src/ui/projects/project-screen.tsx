// Page of one project: its conversations, its instructions for the model, its files, and its memory scope.
import { Ellipsis, FolderX, MessageSquare, SquarePen } from 'lucide-react';
import { useMemo } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { ProjectId } from '../../domain/projects/project.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useMedia } from '../hooks/media.ts';
import { pathOf, useNavigation } from '../hooks/navigation.tsx';
import { formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { AppLink } from '../shell/app-link.tsx';
import { Button, EmptyState, IconButton, Menu, Skeleton } from '../shell/controls.tsx';
import { Header } from '../shell/header.tsx';
import { ListFailed, Loading } from '../shell/reading.tsx';
import { TwinWordsOf } from '../shell/twin-words.tsx';
import { type ProjectActions, useProjectActions } from './project-actions.tsx';
import { ProjectFiles } from './project-files.tsx';
import { ProjectMark } from './project-mark.tsx';
import { Part } from './project-part.tsx';
import {
  AppearanceSetting,
  FolderSetting,
  ModelSetting,
  ScopeSetting,
  SyncSetting,
} from './project-settings.tsx';
import { Instructions, PinnedNotes } from './project-words.tsx';
import { nameOf } from './use-projects.ts';

/** `itemId`: file to open, as from a recall card. */
export function ProjectScreen({ projectId, itemId }: { projectId: ProjectId; itemId: MessageId | null }) {
  const { t } = useTranslation('projects');
  const library = useReadable(useApp().documents.library);
  const actions = useProjectActions();
  const project = library.projects.find((one) => one.id === projectId);
  if (!library.ready)
    return (
      <>
        <Header>{null}</Header>
        <Loading className="mx-auto flex w-full max-w-200 flex-col gap-4 px-8 pt-8">
          {['w-2/5', 'w-full', 'w-4/5'].map((width) => (
            <Skeleton key={width} className={`h-5 ${width}`} />
          ))}
        </Loading>
      </>
    );
  if (library.problem)
    return (
      <>
        <Header>{null}</Header>
        <div className="mx-auto w-full max-w-200 px-4 pt-5 md:px-8">
          <ListFailed problem={library.problem} />
        </div>
      </>
    );
  if (!project)
    return (
      <>
        <Header>{null}</Header>
        <EmptyState icon={<FolderX size={26} aria-hidden />} title={t('missing')}>
          {t('missingWords')}
        </EmptyState>
      </>
    );
  const name = nameOf(project, t('title'));
  return (
    <>
      <Header
        line
        actions={
          <Menu
            trigger={<IconButton label={t('menuFor', { name })} icon={<Ellipsis size={17} aria-hidden />} />}
            items={actions.menu(project)}
          />
        }
      >
        <ProjectMark face={project.project.face} size={18} />
        <h1 dir="auto" className="truncate font-semibold">
          {name}
        </h1>
      </Header>
      <div className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-200 space-y-10 px-4 pt-5 pb-20 md:px-8">
          {project.deletedAt !== null ? (
            <EmptyState
              icon={<FolderX size={26} aria-hidden />}
              title={t('deleted')}
              actions={<Button onClick={() => actions.restore(project)}>{t('restore')}</Button>}
            >
              {t('deletedWords')}
            </EmptyState>
          ) : (
            <Parts key={project.id} project={project} itemId={itemId} actions={actions} />
          )}
        </div>
      </div>
    </>
  );
}

function Parts({
  project,
  itemId,
  actions,
}: {
  project: ProjectEntry;
  itemId: MessageId | null;
  actions: ProjectActions;
}) {
  return (
    <>
      <Conversations project={project} actions={actions} />
      <InnerProjects project={project} />
      <Instructions project={project} />
      <PinnedNotes project={project} />
      <ProjectFiles project={project} itemId={itemId} />
      <ScopeSetting project={project} />
      <ModelSetting project={project} />
      <FolderSetting project={project} />
      <SyncSetting project={project} />
      <AppearanceSetting project={project} />
    </>
  );
}

const ROW =
  'touchable flex min-h-9 items-center gap-3 rounded-md px-2 text-ink-2 hover:bg-fill hover:text-ink';

function Conversations({ project, actions }: { project: ProjectEntry; actions: ProjectActions }) {
  const { t } = useTranslation(['projects', 'shell']);
  const navigation = useNavigation();
  const touch = useMedia('(pointer: coarse)');
  const entries = useReadable(useApp().documents.library, (library) => library.entries);
  const inside = useMemo(
    () =>
      entries.filter((entry) => entry.projectId === project.id && entry.deletedAt === null && !entry.child),
    [entries, project.id],
  );
  return (
    <Part
      title={t('page.conversations')}
      actions={
        <Button
          size="sm"
          data-begins
          icon={<SquarePen size={14} aria-hidden />}
          onClick={() => actions.begin(project.id)}
        >
          {t('newIn')}
        </Button>
      }
    >
      {inside.length === 0 ? (
        <p className="text-ink-2 text-sm">
          {sentences(
            t('page.noConversations'),
            t('page.noConversationsWords'),
            !touch && t('page.dragConversations'),
          )}
        </p>
      ) : (
        <ul className="-mx-2 max-h-[50vh] overflow-y-auto">
          {inside.map((entry) => (
            <li key={entry.id}>
              <AppLink
                href={pathOf({ screen: 'conversation', conversationId: entry.id, messageId: null })}
                onOpen={() => navigation.openConversation(entry.id)}
                className={ROW}
              >
                <MessageSquare size={15} aria-hidden className="shrink-0 text-ink-3" />
                <span dir="auto" className="min-w-0 truncate">
                  {shownTitle(entry.title, t('shell:untitled'))}
                </span>
                <TwinWordsOf entry={entry} />
                <span className="shrink-0 text-ink-3 text-xs">{formatRelative(entry.updatedAt)}</span>
              </AppLink>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function InnerProjects({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const navigation = useNavigation();
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  const inner = projects.filter((one) => one.projectId === project.id && one.deletedAt === null);
  if (inner.length === 0) return null;
  return (
    <Part title={t('page.inner')}>
      <ul className="-mx-2">
        {inner.map((one) => (
          <li key={one.id}>
            <AppLink
              href={pathOf({ screen: 'project', projectId: one.id, itemId: null })}
              onOpen={() => navigation.openProject(one.id)}
              className={ROW}
            >
              <ProjectMark face={one.project.face} />
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {nameOf(one, t('title'))}
              </span>
            </AppLink>
          </li>
        ))}
      </ul>
    </Part>
  );
}
