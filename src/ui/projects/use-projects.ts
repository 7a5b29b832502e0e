// Projects in list order: by name, each followed by those inside it.
import { useMemo } from 'react';
import { shownTitle } from '../../domain/text/shown.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { locale } from '../i18n/index.ts';

/** `otherwise`: shown for a blank name. */
export const nameOf = ({ title }: Pick<ProjectEntry, 'title'>, otherwise: string): string =>
  shownTitle(title, otherwise);

export type ProjectsView = 'open' | 'archived' | 'trash';

export interface ListedProject {
  readonly entry: ProjectEntry;
  /** True if it is inside the preceding project that is not inner. */
  readonly inner: boolean;
}

function listedProjects(projects: readonly ProjectEntry[], view: ProjectsView): ListedProject[] {
  const shown = projects
    .filter(({ deletedAt, archived }) =>
      view === 'trash' ? deletedAt !== null : deletedAt === null && archived === (view === 'archived'),
    )
    .sort((a, b) => a.title.localeCompare(b.title, locale()) || (a.id < b.id ? -1 : 1));
  const ids = new Set(shown.map(({ id }) => id));
  const outer = shown.filter(({ projectId }) => projectId === null || !ids.has(projectId));
  return outer.flatMap((entry) => [
    { entry, inner: false },
    ...shown.filter(({ projectId }) => projectId === entry.id).map((one) => ({ entry: one, inner: true })),
  ]);
}

/** Lists the projects of a view, each followed by those inside it. */
export function useProjects(view: ProjectsView = 'open'): readonly ListedProject[] {
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  return useMemo(() => listedProjects(projects, view), [projects, view]);
}

/** Project in which the empty page begins a conversation. Temporary conversations belong to no list and no project. */
export function useProjectToBegin(temporary: boolean): ProjectEntry | undefined {
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  const wanted = useReadable(useSession().project);
  return temporary ? undefined : projects.find(({ id, deletedAt }) => id === wanted && deletedAt === null);
}
