// Keeps titles apart: no two listed conversations have one that reads the same.
import type { ConversationId } from '../../domain/base/ids.ts';
import { numberedTitle } from '../../domain/memory/title.ts';
import { squeezed } from '../../domain/text/sentences.ts';
import type { LibraryEntry } from '../documents/documents.ts';

/** Forms of titles: an import gives many one after another, and each is compared with those of the whole library. */
const forms = new Map<string, string>();
const MOST_FORMS = 50_000;

function titleForm(title: string): string {
  let form = forms.get(title);
  if (form === undefined) {
    form = squeezed(title);
    if (forms.size >= MOST_FORMS) forms.clear();
    forms.set(title, form);
  }
  return form;
}

/** Returns a title that no other conversation has: followed by the least number from 2 on that tells it apart. */
export function distinctTitle(
  title: string,
  id: ConversationId,
  entries: readonly Pick<LibraryEntry, 'id' | 'title' | 'deletedAt'>[],
): string {
  const taken = new Set<string>();
  for (const entry of entries)
    if (entry.id !== id && entry.deletedAt === null) taken.add(titleForm(entry.title));
  let found = title;
  for (let count = 2; taken.has(squeezed(found)); count++) found = numberedTitle(title, count);
  return found;
}
