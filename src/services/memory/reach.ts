// Decides the scope of memory for a conversation, by its project and its persona.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { RecallScope } from '../../domain/chat/message.ts';
import { withInner, withOuter } from '../../domain/projects/filing.ts';
import type { PersonaReach } from '../../domain/prompts/persona.ts';
import type { LibraryListing, ProjectEntry } from '../documents/documents.ts';

interface Reach {
  readonly scope: RecallScope;
  /**
   * Conversations and files of the project and of those within it, and files of the enclosing project, whose
   * instructions also apply.
   */
  readonly conversations: ReadonlySet<string>;
}

/**
 * Computes the scope. `from`: a conversation or a project; null: everywhere. A project that restricts memory restricts
 * its projects and every persona, which can only narrow it further; one whose only project is gone searches nothing.
 */
export function reachOf(
  from: ConversationId | undefined,
  listing: LibraryListing,
  persona?: PersonaReach | null,
): Reach | null {
  const own = ofProject(from, listing);
  if (persona?.memory !== 'first' && persona?.memory !== 'only') return own;
  const { projects } = listing;
  const meant = projects.find(({ id, deletedAt }) => id === persona.project && deletedAt === null);
  if (own?.scope.reach === 'only') {
    const isInside = meant && withInner(own.scope.project as ProjectEntry['id'], projects).has(meant.id);
    return isInside && persona.memory === 'only' ? within(meant, persona.memory, [meant], listing) : own;
  }
  if (meant) return within(meant, persona.memory, withOuter(meant.id, projects), listing);
  if (persona.memory === 'first') return own;
  return { scope: { project: persona.project ?? '', name: '', reach: 'only' }, conversations: new Set() };
}

function ofProject(from: ConversationId | undefined, listing: LibraryListing): Reach | null {
  const { entries, projects } = listing;
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
  return within(meant, meant.project.scope, around, listing);
}

function within(
  { id, title }: ProjectEntry,
  reach: RecallScope['reach'],
  around: readonly ProjectEntry[],
  { entries, projects }: LibraryListing,
): Reach {
  const inside = withInner(id, projects);
  return {
    scope: { project: id, name: title, reach },
    conversations: new Set([
      ...inside,
      ...around.map((one) => one.id),
      ...entries.flatMap((one) => (one.projectId !== null && inside.has(one.projectId) ? [one.id] : [])),
    ]),
  };
}
