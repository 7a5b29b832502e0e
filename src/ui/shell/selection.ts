// Selection of several conversations, as in a file list: one by one, or a range. Pure.
import type { ConversationId } from '../../domain/base/ids.ts';

export interface Selection {
  readonly ids: ReadonlySet<ConversationId>;
  /** Start of a range. */
  readonly anchor: ConversationId | null;
}

export const NOTHING_SELECTED: Selection = { ids: new Set(), anchor: null };

/** `toggle`: adds or removes this one; `range`: everything from the anchor to this one, in list order. */
export type Pick = 'toggle' | 'range';

/** `open`: the open conversation, where a first range starts. */
export function picked(
  { ids, anchor }: Selection,
  listed: readonly ConversationId[],
  id: ConversationId,
  how: Pick,
  open: ConversationId | null,
): Selection {
  const from = listed.indexOf((anchor ?? open) as ConversationId);
  const to = listed.indexOf(id);
  if (how === 'range' && from >= 0 && to >= 0)
    return {
      ids: new Set(listed.slice(Math.min(from, to), Math.max(from, to) + 1)),
      anchor: listed[from] as ConversationId,
    };
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Drops what is no longer in the list; the same object if nothing changed. */
export function stillListed(selection: Selection, listed: readonly ConversationId[]): Selection {
  if (selection.ids.size === 0) return selection;
  const there = new Set(listed);
  const ids = new Set([...selection.ids].filter((id) => there.has(id)));
  if (ids.size === selection.ids.size) return selection;
  return ids.size === 0 ? NOTHING_SELECTED : { ...selection, ids };
}
