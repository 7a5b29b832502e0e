// Decides which conversation is in which project.
import { isWithinFolder } from '../memory/query.ts';
import { comparableForm, isIn } from '../text/find.ts';
import type { ProjectId, ProjectLine } from './project.ts';

/** Fields of a library line that decide its project. */
interface Filed {
  /** Project in which the person put it, in the form of `filedSchema`; null: nowhere yet. */
  readonly filed: string | null;
  readonly workDir: string | null;
}

/** Fields of a project that decide what is in it. */
interface FiledProject extends Filed {
  readonly id: ProjectId;
  readonly deletedAt: number | null;
  readonly project: Pick<ProjectLine, 'workDirs'> | null;
}

/**
 * Maps conversations and projects to their project; null: outside. A deleted or unknown project holds nothing: what is
 * in it stands outside until the project returns, so no device loses a conversation by deleting a project.
 */
export function projectOf(
  projects: readonly FiledProject[],
): (one: Filed & { readonly id: string }) => ProjectId | null {
  const living = new Map<string, FiledProject>(
    projects.filter(({ deletedAt }) => deletedAt === null).map((one) => [one.id, one]),
  );
  const mapped = [...living.values()]
    .flatMap(({ id, project }) => (project?.workDirs ?? []).map((folder) => ({ id, folder })))
    // The nearest folder decides. If two projects claim the same folder, every device takes the older project.
    .sort((a, b) => b.folder.length - a.folder.length || (a.id < b.id ? -1 : 1));
  /** Projects nest one level deep: a project inside another holds none, even if two devices put each into the other. */
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

/** Projects that match a part of a name, each with its sub-projects. `projects` as the library lists them. */
export function projectsNamed(
  part: string,
  projects: readonly (Parameters<typeof withInner>[1][number] & { readonly title: string })[],
): ReadonlySet<string> {
  const wanted = comparableForm(part.trim());
  return new Set(
    projects
      .filter(({ title, deletedAt }) => deletedAt === null && isIn(comparableForm(title), wanted))
      .flatMap(({ id }) => [...withInner(id, projects)]),
  );
}

/** The project that contains this one, then the project itself. `projects` as the library lists them. */
export function withOuter<P extends { readonly id: ProjectId; readonly projectId: string | null }>(
  id: ProjectId | null,
  projects: readonly P[],
): P[] {
  const own = projects.find((one) => one.id === id);
  const outer = own && projects.find((one) => one.id === own.projectId);
  return [outer, own].filter((one) => one !== undefined);
}

/** Least number of conversations at which the app offers a folder as a project. */
const WORTH_A_PROJECT = 2;

/**
 * Folders with conversations that are in no project and were put nowhere, most
 * conversations first, and how many those are.
 */
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

/** Last part of a path: the first name of a project made from this folder. */
export const nameOfFolder = (folder: string): string =>
  folder.split(/[\\/]+/).findLast((part) => part.trim() !== '') ?? folder;
