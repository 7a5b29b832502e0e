// A title that was made of messages that are gone stands elsewhere, too: on recall cards, under feedback, in backups.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import type { Feedback } from '../../domain/memory/notes.ts';
import { saidOf } from '../documents/cleaning.ts';
import type { Documents } from '../documents/documents.ts';
import type { Eraser } from './eraser.ts';

export type Titles = ReadonlyMap<string, string>;

/** Titles now of conversations that lost messages. `unknown` stands for one that has none yet or is not here; default: it is left out. */
export async function titlesSince(
  { ids, inside, whole }: Pick<Forgotten, 'ids' | 'inside' | 'whole'>,
  { read }: Pick<Documents, 'read'>,
  unknown = '',
): Promise<Titles> {
  const titles = new Map<string, string>();
  // Words alone are taken out of titles wherever they stand.
  if (ids.length === 0 && !whole) return titles;
  for (const id of inside as readonly ConversationId[]) {
    const meta = (await read(id))?.meta;
    const title = meta?.title || unknown;
    if (title !== '' && (!meta || meta.titleBy === 'auto')) titles.set(id, title);
  }
  return titles;
}

/** The same object where its title stands there already, or where it was said later. */
export function feedbackTitled(
  one: Feedback,
  titles: Titles,
  { isLater }: Pick<Eraser, 'isLater'>,
): Feedback {
  const title = titles.get(one.conversationId);
  const said = saidOf(one);
  return title === undefined || title === one.title || (said && isLater(said)) ? one : { ...one, title };
}
