// The projects as they are listed: by name, those in another one behind it.
import { useMemo } from 'react';
import { shownTitle } from '../../domain/text/shown.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { locale } from '../i18n/index.ts';

/** `otherwise`: for a name that shows nothing. */
export const nameOf = ({ title }: Pick<ProjectEntry, 'title'>, otherwise: string): string =>
  shownTitle(title, otherwise);

export type ProjectsView = 'open' | 'archived' | 'trash';

export interface ListedProject {
  readonly entry: ProjectEntry;
  /** It is in the one before it that is not. */
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

/** Lists the projects of a view, each with those inside it after it. */
export function useProjects(view: ProjectsView = 'open'): readonly ListedProject[] {
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  return useMemo(() => listedProjects(projects, view), [projects, view]);
}

/** In which project the empty page begins a conversation. What is temporary is in no list, and in no project. */
export function useProjectToBegin(temporary: boolean): ProjectEntry | undefined {
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  const wanted = useReadable(useSession().project);
  return temporary ? undefined : projects.find(({ id, deletedAt }) => id === wanted && deletedAt === null);
}
