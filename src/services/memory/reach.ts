// How far memory looks for a conversation, by the project that it is in.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { RecallScope } from '../../domain/chat/message.ts';
import { withInner, withOuter } from '../../domain/projects/filing.ts';
import type { LibraryListing } from '../documents/documents.ts';

interface Reach {
  readonly scope: RecallScope;
  /** What is in the project and in projects in it, with their files; and the files of the one it is in, whose instructions hold here, too. */
  readonly conversations: ReadonlySet<string>;
}

/** `from`: a conversation or a project; null: everywhere alike. A project that looks nowhere else says so for the projects in it as well. */
export function reachOf(
  from: ConversationId | undefined,
  { entries, projects }: LibraryListing,
): Reach | null {
  if (from === undefined) return null;
  const own = projects.some(({ id }) => id === from)
    ? from
    : (entries.find(({ id }) => id === from)?.projectId ?? null);
  const around = withOuter(own, projects);
  const meant =
    around.at(-1)?.project.scope === 'only'
      ? around.at(-1)
      : (around.find(({ project }) => project.scope === 'only') ?? around.at(-1));
  if (!meant || meant.project.scope === 'everything') return null;
  const inside = withInner(meant.id, projects);
  return {
    scope: { project: meant.id, name: meant.title, reach: meant.project.scope },
    conversations: new Set([
      ...inside,
      ...around.map(({ id }) => id),
      ...entries.flatMap(({ id, projectId }) => (projectId !== null && inside.has(projectId) ? [id] : [])),
    ]),
  };
}
