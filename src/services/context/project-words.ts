// Text for a model about the projects of a conversation.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { ProjectText } from '../../domain/context/prompt.ts';
import { withOuter } from '../../domain/projects/filing.ts';
import { projectTexts } from '../../domain/projects/project.ts';
import type { LibraryListing } from '../documents/documents.ts';

const NOTHING: readonly ProjectText[] = [];

/** Makes the lookup by conversation. It returns the same array until a project changes, or the conversation moves. */
export function createProjectWords(
  library: Readable<LibraryListing>,
): (conversation: ConversationId) => readonly ProjectText[] {
  let of: LibraryListing | undefined;
  let known = new Map<ConversationId, readonly ProjectText[]>();
  let before = known;
  return (conversation) => {
    const listing = library.get();
    if (listing !== of) {
      of = listing;
      before = known;
      known = new Map();
    }
    const already = known.get(conversation);
    if (already) return already;
    const place = listing.entries.find(({ id }) => id === conversation)?.projectId ?? null;
    const made = place === null ? NOTHING : projectTexts(withOuter(place, listing.projects));
    const last = before.get(conversation);
    const texts = last && isSame(last, made) ? last : made;
    known.set(conversation, texts);
    return texts;
  };
}

const isSame = (one: readonly ProjectText[], other: readonly ProjectText[]): boolean =>
  one.length === other.length &&
  one.every(({ name, words }, at) => name === other[at]?.name && words === other[at].words);
