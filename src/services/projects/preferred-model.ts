// Finds the model with which a conversation of a project begins.
import type { ConversationId } from '../../domain/base/ids.ts';
import { withOuter } from '../../domain/projects/filing.ts';
import type { LibraryListing } from '../documents/documents.ts';
import type { ModelChoice } from '../settings/settings.ts';

/** `id`: a conversation or a project. If a project sets none, the enclosing one's counts. Null: none is set. */
export function preferredModel(
  { entries, projects }: LibraryListing,
  id: ConversationId,
): ModelChoice | null {
  const place = projects.some((one) => one.id === id)
    ? id
    : (entries.find((entry) => entry.id === id)?.projectId ?? null);
  return withOuter(place, projects).findLast(({ project }) => project.model !== null)?.project.model ?? null;
}
