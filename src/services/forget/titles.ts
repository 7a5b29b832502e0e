// Replaces titles made from removed messages where copies of them remain: on recall cards, in feedback, in backups.
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import type { Feedback } from '../../domain/memory/notes.ts';
import { saidOf } from '../documents/cleaning.ts';
import type { Documents } from '../documents/documents.ts';
import type { Eraser } from './eraser.ts';

export type Titles = ReadonlyMap<string, string>;

/**
 * Returns the current titles of conversations that lost messages. `unknown` is used if there is none yet; by default
 * such conversations are left out.
 */
export async function titlesSince(
  { ids, inside, whole }: Pick<Forgotten, 'ids' | 'inside' | 'whole'>,
  { read }: Pick<Documents, 'read'>,
  unknown = '',
): Promise<Titles> {
  const titles = new Map<string, string>();
  // If only words go, they are removed from titles like from any other text.
  if (ids.length === 0 && !whole) return titles;
  for (const id of inside as readonly ConversationId[]) {
    const meta = (await read(id))?.meta;
    const title = meta?.title || unknown;
    if (title !== '' && (!meta || meta.titleBy === 'auto')) titles.set(id, title);
  }
  return titles;
}

/** Replaces the title; returns the same object if it is current or the feedback was given later. */
export function feedbackTitled(
  one: Feedback,
  titles: Titles,
  { isLater }: Pick<Eraser, 'isLater'>,
): Feedback {
  const title = titles.get(one.conversationId);
  const said = saidOf(one);
  return title === undefined || title === one.title || (said && isLater(said)) ? one : { ...one, title };
}
