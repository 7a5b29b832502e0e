// Projects in the sidebar: open, create, and drop conversations onto them.
import { Ellipsis, FolderInput, FolderPlus } from 'lucide-react';
import { useMemo } from 'react';
import { foldersWithoutProject } from '../../domain/projects/filing.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { pathOf, useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { AppLink } from '../shell/app-link.tsx';
import { classes, IconButton, Menu } from '../shell/controls.tsx';
import { useConversationDrop } from './dragging.ts';
import { type ProjectActions, useProjectActions } from './project-actions.tsx';
import { ProjectMark } from './project-mark.tsx';
import { type ListedProject, nameOf, type ProjectsView, useProjects } from './use-projects.ts';

/** Draws nothing in archive and trash if no project is there. */
export function ProjectList({ view, onOpened }: { view: ProjectsView; onOpened: () => void }) {
  const { t } = useTranslation('projects');
  const session = useSession();
  const actions = useProjectActions();
  const listed = useProjects(view);
  const { route } = useNavigation();
  const open = route.screen === 'project' ? route.projectId : null;
  if (view !== 'open' && listed.length === 0) return null;
  return (
    <section aria-label={t('title')} className="max-h-[38vh] shrink-0 overflow-y-auto px-2 pt-2">
      <div className="flex h-7 items-center pl-2 pointer-coarse:h-11">
        <h2 className="flex-1 font-medium text-ink-3 text-xs">{t('title')}</h2>
        {view === 'open' && (
          <IconButton
            label={t('new')}
            icon={<FolderPlus size={15} aria-hidden />}
            onClick={() => session.asking.set({ type: 'make' })}
          />
        )}
      </div>
      <ul>
        {listed.map((one) => (
          <ProjectRow
            key={one.entry.id}
            listed={one}
            current={one.entry.id === open}
            actions={actions}
            onOpened={onOpened}
          />
        ))}
      </ul>
      {view === 'open' && <FolderOffer />}
    </section>
  );
}

function ProjectRow({
  listed: { entry, inner },
  current,
  actions,
  onOpened,
}: {
  listed: ListedProject;
  current: boolean;
  actions: ProjectActions;
  onOpened: () => void;
}) {
  const { t } = useTranslation('projects');
  const navigation = useNavigation();
  const drop = useConversationDrop((ids) => actions.move(ids, entry.id));
  const name = nameOf(entry, t('title'));
  const takes = entry.deletedAt === null;
  return (
    <li
      {...(takes ? drop.handlers : {})}
      className={classes(
        'group relative flex items-center rounded-sm',
        current ? 'bg-press' : 'hover:bg-fill',
        drop.over && 'bg-accent-soft! outline-2 outline-accent -outline-offset-2',
        inner && 'ml-4',
      )}
    >
      <AppLink
        href={pathOf({ screen: 'project', projectId: entry.id, itemId: null })}
        onOpen={() => {
          navigation.openProject(entry.id);
          onOpened();
        }}
        data-project
        title={name}
        aria-current={current ? 'page' : undefined}
        className={classes(
          'flex h-(--row) min-w-0 flex-1 select-none items-center gap-2 rounded-sm px-2 pointer-coarse:h-11',
          current ? 'text-ink' : 'text-ink-2 group-hover:text-ink',
        )}
      >
        <ProjectMark face={entry.project.face} />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {name}
        </span>
      </AppLink>
      <span className="opacity-0 focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
        <Menu
          trigger={
            <IconButton label={t('menuFor', { name })} icon={<Ellipsis size={16} aria-hidden />} size="sm" />
          }
          items={actions.menu(entry)}
        />
      </span>
    </li>
  );
}

/** Offers folders of imported sessions that could each become a project. */
function FolderOffer() {
  const { t } = useTranslation('projects');
  const session = useSession();
  const entries = useReadable(useApp().documents.library, (library) => library.entries);
  const count = useMemo(() => foldersWithoutProject(entries).length, [entries]);
  if (count === 0) return null;
  return (
    <button
      type="button"
      className="touchable flex min-h-7 w-full items-center gap-2 rounded-sm px-2 text-left text-ink-3 text-xs hover:bg-fill hover:text-ink"
      onClick={() => session.asking.set({ type: 'folders' })}
    >
      <FolderInput size={14} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">{t('folders.offer', { count })}</span>
    </button>
  );
}
