// A conversation's branch as lines of the screen: messages with their siblings, folded notes, days. Pure.
import type { MessageId } from '../../domain/base/ids.ts';
import { type Compaction, compactionOn } from '../../domain/chat/compaction.ts';
import { goesOn } from '../../domain/chat/continuation.ts';
import { type Conversation, childrenOf, newestLeaf, pathTo } from '../../domain/chat/conversation.ts';
import { type DmailLink, dmailsFrom } from '../../domain/chat/dmail.ts';
import { keptIn } from '../../domain/chat/kept.ts';
import { givenBy, type Message, type PartOf } from '../../domain/chat/message.ts';
import { dispositionsOf, planOf } from '../../domain/context/compaction/plan.ts';

export interface Siblings {
  /** Position of the shown one, from 0. */
  readonly index: number;
  readonly ids: readonly MessageId[];
}

export type Row =
  | { readonly type: 'day'; readonly key: string; readonly at: number }
  | {
      readonly type: 'message';
      readonly key: string;
      readonly message: Message;
      /** Earlier pieces of the same answer, which was cut off and went on, oldest first: all are shown as one. */
      readonly pieces: readonly Message[];
      readonly siblings: Siblings | null;
      /** Another step of the same answer follows: no foot below this one. */
      readonly continued: boolean;
      /** Passages of memory that went into this answer and the steps before it: unasked, or by a tool. */
      readonly remembered: number;
      /** Messages of this row that were sent back from a later branch: itself, or a result of its tools. */
      readonly arrived: readonly Message[];
      /** Letters that were sent back from here. */
      readonly left: readonly DmailLink[];
      /** Not sent any more: a compaction folded it. */
      readonly folded: boolean;
      /** Marked by the person: sent word for word, whatever is folded. */
      readonly kept: boolean;
    }
  | { readonly type: 'notes'; readonly key: string; readonly messages: readonly Message[] }
  | {
      readonly type: 'compaction';
      readonly key: string;
      readonly compaction: Compaction;
      /** `superseded`: a newer one is in force over the same messages, whether this one was undone or not. */
      readonly state: 'inForce' | 'superseded' | 'undone';
    };

export interface Branch {
  readonly rows: readonly Row[];
  /** Row of each message of the branch, merged tool results and folded notes included. */
  readonly rowOf: ReadonlyMap<MessageId, number>;
  /** Results by the call they answer. */
  readonly results: ReadonlyMap<string, PartOf<'tool-result'>>;
  readonly path: readonly Message[];
  readonly leaf: MessageId | null;
  /** Messages of the path that the compaction in force does not send. */
  readonly folded: ReadonlySet<MessageId>;
}

const NO_LETTERS: readonly DmailLink[] = [];
const NO_MESSAGES: readonly Message[] = [];

/** Tells whether a time lies on another day than the one before; asks the calendar only at the borders. */
function createDayWatch(): (at: number) => boolean {
  let [from, to] = [0, 0];
  return (at) => {
    if (at >= from && at < to) return false;
    const day = new Date(at);
    from = day.setHours(0, 0, 0, 0);
    to = day.setDate(day.getDate() + 1);
    return true;
  };
}

/** The branch that ends at `leaf`, cut after `until` where that is on it (an answer is being written below it). */
export function branchOf(
  conversation: Conversation,
  leaf: MessageId | null,
  until: MessageId | null = null,
): Branch {
  const children = childrenOf(conversation.messages);
  let path = pathTo(conversation.messages, leaf);
  const cut = until === null ? -1 : path.findIndex((message) => message.id === until);
  if (cut >= 0) path = path.slice(0, cut + 1);

  const results = new Map<string, PartOf<'tool-result'>>();
  const called = new Set<string>();
  for (const message of path)
    for (const part of message.parts) {
      if (part.type === 'tool-call') called.add(part.callId);
      if (part.type === 'tool-result' && called.has(part.callId)) results.set(part.callId, part);
    }

  const inForce = compactionOn(conversation, path);
  const kept = keptIn(conversation);
  const folded = foldedBy(inForce, path, kept);
  const letters = dmailsFrom(conversation);
  const dividers = new Map<MessageId, Compaction[]>();
  for (const compaction of conversation.compactions.values())
    dividers.set(compaction.at, [...(dividers.get(compaction.at) ?? []), compaction]);

  const rows: Row[] = [];
  const rowOf = new Map<MessageId, number>();
  const isNewDay = createDayWatch();
  let notes: Message[] = [];
  const endNotes = () => {
    const [first] = notes;
    if (!first) return;
    for (const note of notes) rowOf.set(note.id, rows.length);
    rows.push({ type: 'notes', key: `notes-${first.id}`, messages: notes });
    notes = [];
  };
  /** It was taken back, and no newer one folds anything of what it had folded. */
  const sentAgain = (compaction: Compaction): boolean =>
    compaction.undone &&
    !(
      inForce &&
      inForce.createdAt >= compaction.createdAt &&
      [...foldedBy(compaction, path)].some((id) => folded.has(id))
    );
  const divide = (after: MessageId) => {
    for (const compaction of (dividers.get(after) ?? []).sort((a, b) => a.createdAt - b.createdAt)) {
      endNotes();
      rows.push({
        type: 'compaction',
        key: `compaction-${compaction.id}`,
        compaction,
        state: compaction === inForce ? 'inForce' : sentAgain(compaction) ? 'undone' : 'superseded',
      });
    }
  };
  /** What the steps of an answer were given so far. */
  let given = new Set<string>();
  for (const [at, message] of path.entries()) {
    const before = path[at - 1];
    if (before) divide(before.id);
    if (message.role === 'user' && message.kind === 'message') given = new Set();
    for (const part of message.parts)
      for (const { messageId, passage } of givenBy(part)) given.add(`${messageId} ${passage}`);
    const answered =
      message.role === 'tool' &&
      message.parts.every((part) => part.type === 'tool-result' && called.has(part.callId));
    if (answered) {
      rowOf.set(message.id, Math.max(0, rows.length - 1));
      // Its letters are shown where it is shown.
      const row = rows.findLast((other) => other.type === 'message');
      const left = letters.get(message.id);
      if (row && (message.dmail || left))
        rows[rows.indexOf(row)] = {
          ...row,
          ...(message.dmail ? { arrived: [...row.arrived, message] } : {}),
          ...(left ? { left: [...row.left, ...left] } : {}),
        };
      continue;
    }
    if (message.kind === 'note') {
      notes.push(message);
      continue;
    }
    endNotes();
    const above = rows.at(-1);
    const piece = above?.type === 'message' && goesOn(above.message, message) ? above : undefined;
    if (!piece && message.createdAt > 0 && isNewDay(message.createdAt))
      rows.push({ type: 'day', key: `day-${message.id}`, at: message.createdAt });
    const parent =
      message.parentId !== null && conversation.messages.has(message.parentId) ? message.parentId : null;
    const born = children.get(parent) ?? [];
    const brothers = born.length > 1 ? born.filter((other) => other.kind !== 'note') : born;
    const calls = message.role === 'assistant' && message.parts.some((part) => part.type === 'tool-call');
    const next = calls
      ? path.slice(at + 1).find((other) => other.role !== 'tool' && other.kind !== 'note')
      : undefined;
    const siblings =
      brothers.length > 1
        ? {
            index: brothers.findIndex((other) => other.id === message.id),
            ids: brothers.map((other) => other.id),
          }
        : null;
    // Folded up to here and not behind: two rows, so that each looks as it is sent.
    const joins = piece && piece.folded === folded.has(message.id) ? piece : undefined;
    if (joins) rows.pop();
    rowOf.set(message.id, rows.length);
    rows.push({
      type: 'message',
      key: joins?.key ?? message.id,
      message,
      pieces: joins ? [...joins.pieces, joins.message] : NO_MESSAGES,
      siblings: joins?.siblings ?? siblings,
      continued: next?.role === 'assistant' && next.kind === 'message',
      remembered: given.size,
      arrived: message.dmail ? [message] : NO_MESSAGES,
      left: [...(joins?.left ?? NO_LETTERS), ...(letters.get(message.id) ?? NO_LETTERS)],
      folded: folded.has(message.id),
      kept: kept.has(message.id),
    });
  }
  const leafId = path.at(-1)?.id ?? null;
  if (leafId !== null) divide(leafId);
  endNotes();
  return { rows, rowOf, results, path, leaf: leafId, folded };
}

/** What a compaction folds of a path; nothing where there is none, or one this version cannot read. */
function foldedBy(
  compaction: Compaction | null,
  path: readonly Message[],
  kept?: ReadonlySet<MessageId>,
): ReadonlySet<MessageId> {
  const plan = compaction && planOf(compaction);
  if (!plan) return new Set();
  const fates = dispositionsOf(plan, path, kept);
  return new Set(path.filter((_, at) => fates[at]?.action === 'fold').map((message) => message.id));
}

/** The leaf to show so that `message` is on the screen. */
export const leafThrough = (conversation: Conversation, message: MessageId): MessageId | null =>
  newestLeaf(childrenOf(conversation.messages), message);
