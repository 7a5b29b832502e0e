// The model that a conversation of a project begins with.
import type { ConversationId } from '../../domain/base/ids.ts';
import { withOuter } from '../../domain/projects/filing.ts';
import type { LibraryListing } from '../documents/documents.ts';
import type { ModelChoice } from '../settings/settings.ts';

/** `id`: a conversation or a project. What a project does not say, the one around it does. Null: nobody says. */
export function preferredModel(
  { entries, projects }: LibraryListing,
  id: ConversationId,
): ModelChoice | null {
  const place = projects.some((one) => one.id === id)
    ? id
    : (entries.find((entry) => entry.id === id)?.projectId ?? null);
  return withOuter(place, projects).findLast(({ project }) => project.model !== null)?.project.model ?? null;
}
