// Replaces titles made from removed messages where copies of them remain: on recall cards, in feedback, in backups.
import type { ConversationId } from '../../domain/base/ids.ts';
import { TAKEN_OUT } from '../../domain/forget/imprint.ts';
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

/** True for a title that may take another's place. What was written down later keeps its own if none is known now. */
export const isUsable = (title: string | undefined, isLater: boolean): title is string =>
  title !== undefined && !(isLater && title === TAKEN_OUT);

/** Replaces the title; returns the same object if it is current. */
export function feedbackTitled(
  one: Feedback,
  titles: Titles,
  { isLater }: Pick<Eraser, 'isLater'>,
): Feedback {
  const title = titles.get(one.conversationId);
  const said = saidOf(one);
  const isSaidLater = said !== undefined && isLater(said);
  return !isUsable(title, isSaidLater) || title === one.title ? one : { ...one, title };
}
