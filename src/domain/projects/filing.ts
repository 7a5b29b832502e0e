// Which conversations are in which project.
import { isWithinFolder } from '../memory/query.ts';
import { comparable, isIn } from '../text/find.ts';
import type { ProjectId, ProjectLine } from './project.ts';

/** Fields of a library line that say where it is filed. */
interface Filed {
  /** As `filedSchema` says. */
  readonly filed: string | null;
  readonly workDir: string | null;
}

/** Fields of a project that say what is in it. */
interface Place extends Filed {
  readonly id: ProjectId;
  readonly deletedAt: number | null;
  readonly project: Pick<ProjectLine, 'workDirs'> | null;
}

/**
 * Tells for conversations and projects in which project they are; null: outside. A deleted or unknown project holds nothing, so what was
 * filed in it stands outside, and is back in it when it comes back: no device can lose a conversation by deleting one.
 */
export function projectOf(
  projects: readonly Place[],
): (one: Filed & { readonly id: string }) => ProjectId | null {
  const living = new Map<string, Place>(
    projects.filter(({ deletedAt }) => deletedAt === null).map((one) => [one.id, one]),
  );
  const mapped = [...living.values()]
    .flatMap(({ id, project }) => (project?.workDirs ?? []).map((folder) => ({ id, folder })))
    // The nearest folder decides; of two projects that claim the same, the older one, on every device.
    .sort((a, b) => b.folder.length - a.folder.length || (a.id < b.id ? -1 : 1));
  /** Projects are nested one level: who is in another one holds none, also where two devices put each into the other. */
  const parentOf = (id: string): ProjectId | null => {
    const parent = living.get(living.get(id)?.filed ?? '');
    if (!parent || parent.id === id) return null;
    const above = living.get(parent.filed ?? '');
    return above && above.id !== parent.id ? null : parent.id;
  };
  const byFolder = new Map<string, ProjectId | null>();
  return ({ id, filed, workDir }) => {
    if (living.has(id)) return parentOf(id);
    if (filed !== null) return living.get(filed)?.id ?? null;
    if (workDir === null || mapped.length === 0) return null;
    let found = byFolder.get(workDir);
    if (found === undefined) {
      found = mapped.find(({ folder }) => isWithinFolder(workDir, folder))?.id ?? null;
      byFolder.set(workDir, found);
    }
    return found;
  };
}

/** A project with its sub-projects. `projects`: with the projects they are in, as the library lists them. */
export const withInner = (
  id: ProjectId,
  projects: readonly {
    readonly id: ProjectId;
    readonly projectId: string | null;
    readonly deletedAt: number | null;
  }[],
): ReadonlySet<string> =>
  new Set([
    id,
    ...projects.filter((one) => one.projectId === id && one.deletedAt === null).map((one) => one.id),
  ]);

/** The projects that a part of a name means, with those in them. `projects` as the library lists them. */
export function projectsNamed(
  part: string,
  projects: readonly (Parameters<typeof withInner>[1][number] & { readonly title: string })[],
): ReadonlySet<string> {
  const wanted = comparable(part.trim());
  return new Set(
    projects
      .filter(({ title, deletedAt }) => deletedAt === null && isIn(comparable(title), wanted))
      .flatMap(({ id }) => [...withInner(id, projects)]),
  );
}

/** The project, and first the one it is in. `projects` as the library lists them. */
export function withOuter<P extends { readonly id: ProjectId; readonly projectId: string | null }>(
  id: ProjectId | null,
  projects: readonly P[],
): P[] {
  const own = projects.find((one) => one.id === id);
  const outer = own && projects.find((one) => one.id === own.projectId);
  return [outer, own].filter((one) => one !== undefined);
}

/** Most conversations that a folder has before it is offered as a project of its own. */
const WORTH_A_PROJECT = 2;

/** Folders with conversations that are in no project and were put nowhere, most conversations first, and how many those are. */
export function foldersWithoutProject(
  entries: readonly (Filed & {
    readonly deletedAt: number | null;
    readonly child: boolean;
    readonly projectId: string | null;
  })[],
): { readonly folder: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { projectId, filed, workDir, deletedAt, child } of entries)
    if (projectId === null && filed === null && workDir && deletedAt === null && !child)
      counts.set(workDir, (counts.get(workDir) ?? 0) + 1);
  return [...counts]
    .map(([folder, count]) => ({ folder, count }))
    .filter(({ count }) => count >= WORTH_A_PROJECT)
    .sort((a, b) => b.count - a.count || (a.folder < b.folder ? -1 : 1));
}

/** The last part of a path: what a project of this folder is called at first. */
export const nameOfFolder = (folder: string): string =>
  folder.split(/[\\/]+/).findLast((part) => part.trim() !== '') ?? folder;
