// Shortens the tree of a conversation for drawing: keeps only forks, ends, checkpoints, D-Mails, compactions and the
// head, and counts the messages between them. Pure.
import type { MessageId } from '../../domain/base/ids.ts';
import { type Conversation, childrenOf, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';

type PlaceKind = 'head' | 'checkpoint' | 'dmail' | 'compaction' | 'fork' | 'leaf';

export interface BranchPlace {
  readonly id: MessageId;
  readonly message: Message;
  readonly kinds: readonly PlaceKind[];
  /** Names of checkpoints at this message. */
  readonly names: readonly string[];
  /** Next place above; null for a root. */
  readonly parent: MessageId | null;
  readonly children: readonly MessageId[];
  /** Messages from the place above (not counted) to this one (counted). */
  readonly between: number;
  /** Row from the top and column from the left, from 0. */
  readonly row: number;
  readonly column: number;
  /** True on the shown branch. */
  readonly here: boolean;
}

export interface BranchLayout {
  /** Top to bottom, left to right. */
  readonly places: readonly BranchPlace[];
  readonly rows: number;
  readonly columnCount: number;
  readonly messages: number;
  readonly branches: number;
}

/**
 * Lays the tree out: the shown branch is the straight line at the left, every other branch has its own column. Linear.
 */
export function branchLayoutOf(conversation: Conversation, leaf = effectiveHead(conversation)): BranchLayout {
  const children = childrenOf(conversation.messages);
  const here = new Set<MessageId>(pathTo(conversation.messages, leaf).map(({ id }) => id));
  const names = new Map<MessageId, string[]>();
  for (const [name, { messageId }] of conversation.checkpoints)
    names.set(messageId, [...(names.get(messageId) ?? []), name]);
  const compacted = new Set<string>(
    [...conversation.compactions.values()].filter(({ undone }) => !undone).map(({ at }) => at),
  );
  const roots = children.get(null) ?? [];

  const kindsOf = (message: Message): PlaceKind[] => {
    const born = children.get(message.id)?.length ?? 0;
    return [
      ...(message.id === leaf ? (['head'] as const) : []),
      ...(names.has(message.id) ? (['checkpoint'] as const) : []),
      ...(message.dmail ? (['dmail'] as const) : []),
      ...(compacted.has(message.id) ? (['compaction'] as const) : []),
      ...(born > 1 ? (['fork'] as const) : []),
      ...(born === 0 ? (['leaf'] as const) : []),
    ];
  };

  interface Draft {
    id: MessageId;
    message: Message;
    kinds: PlaceKind[];
    parent: MessageId | null;
    children: MessageId[];
    between: number;
    row: number;
    column: number;
  }
  const drafts: Draft[] = [];
  const byId = new Map<MessageId, Draft>();
  let columnCount = 0;
  let rows = 0;
  // Iterates, because a conversation of thousands of messages would overflow the stack.
  const open: { from: Message; parent: Draft | null; column: number | null; between: number }[] = [];
  const push = (born: readonly Message[], parent: Draft | null) => {
    const shown = born.find(({ id }) => here.has(id)) ?? born[0];
    for (const child of [...born].reverse())
      if (child !== shown) open.push({ from: child, parent, column: null, between: 0 });
    if (shown) open.push({ from: shown, parent, column: parent?.column ?? null, between: 0 });
  };
  push(roots, null);
  for (let step = open.pop(); step; step = open.pop()) {
    let { from: message, between } = step;
    let kinds = kindsOf(message);
    between += 1;
    while (kinds.length === 0 && step.parent !== null) {
      const next = children.get(message.id)?.[0];
      if (!next) break;
      message = next;
      between += 1;
      kinds = kindsOf(message);
    }
    const column = step.column ?? columnCount++;
    columnCount = Math.max(columnCount, column + 1);
    const draft: Draft = {
      id: message.id,
      message,
      kinds,
      parent: step.parent?.id ?? null,
      children: [],
      between,
      row: step.parent ? step.parent.row + 1 : 0,
      column,
    };
    rows = Math.max(rows, draft.row + 1);
    step.parent?.children.push(draft.id);
    drafts.push(draft);
    byId.set(draft.id, draft);
    push(children.get(message.id) ?? [], draft);
  }
  return {
    places: drafts
      .map((draft) => ({ ...draft, names: names.get(draft.id) ?? [], here: here.has(draft.id) }))
      .sort((a, b) => a.row - b.row || a.column - b.column),
    rows,
    columnCount,
    messages: conversation.messages.size,
    branches: drafts.filter(({ children: born }) => born.length === 0).length,
  };
}

/** Place that an arrow key leads to; undefined if none lies in that direction. */
export function neighbourOf(
  { places }: BranchLayout,
  from: MessageId,
  key: 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight',
): BranchPlace | undefined {
  const at = places.find(({ id }) => id === from);
  if (!at) return places[0];
  if (key === 'ArrowUp') return places.find(({ id }) => id === at.parent);
  if (key === 'ArrowDown') return places.find(({ id }) => id === at.children[0]);
  const step = key === 'ArrowRight' ? 1 : -1;
  return places
    .filter(({ column }) => (column - at.column) * step > 0)
    .sort(
      (a, b) =>
        Math.abs(a.row - at.row) - Math.abs(b.row - at.row) ||
        Math.abs(a.column - at.column) - Math.abs(b.column - at.column),
    )[0];
}
