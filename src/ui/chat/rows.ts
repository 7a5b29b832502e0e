// Builds the rows of a branch for the screen: messages with their siblings, compacted notes, days. Pure.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { compactionOn } from '../../domain/chat/compaction.ts';
import { continuesAnswer } from '../../domain/chat/continuation.ts';
import { type Conversation, childrenOf, newestLeaf, pathTo } from '../../domain/chat/conversation.ts';
import { type DmailLink, dmailsFrom } from '../../domain/chat/dmail.ts';
import { keptIn } from '../../domain/chat/kept.ts';
import { type Message, type PartOf, passagesGivenBy } from '../../domain/chat/message.ts';
import type { Compaction } from '../../domain/chat/records.ts';
import { dispositionsOf, planOf } from '../../domain/context/compaction/plan.ts';

export interface Siblings {
  /** Position of the shown sibling, from 0. */
  readonly index: number;
  readonly ids: readonly MessageId[];
}

export type ListRow =
  | { readonly type: 'day'; readonly key: string; readonly at: number }
  | {
      readonly type: 'message';
      readonly key: string;
      readonly message: Message;
      /** Earlier pieces of the same answer, which was cut off and continued, oldest first: all are shown as one. */
      readonly pieces: readonly Message[];
      readonly siblings: Siblings | null;
      /** Another step of the same answer follows, so this row has no footer. */
      readonly continued: boolean;
      /** Number of memory passages in this answer and the steps before it, from recall or from a tool. */
      readonly remembered: number;
      /** Messages of this row that were sent back from a later branch: the message itself or results of its tools. */
      readonly arrived: readonly Message[];
      /** D-Mails that were sent back from this message. */
      readonly left: readonly DmailLink[];
      /** No longer sent: a compaction replaced it. */
      readonly compacted: boolean;
      /** Marked by the person: sent word for word, whatever is compacted. */
      readonly kept: boolean;
    }
  | { readonly type: 'notes'; readonly key: string; readonly messages: readonly Message[] }
  | {
      readonly type: 'compaction';
      readonly key: string;
      readonly compaction: Compaction;
      /** `superseded`: a newer compaction covers the same messages, whether or not this one was undone. */
      readonly state: 'inForce' | 'superseded' | 'undone';
    };

export type MessageListRow = Extract<ListRow, { type: 'message' }>;

/** The answer being written at the end of a branch. */
export interface RunningRow {
  readonly type: 'running';
  /** The key that the row has once the answer is kept. */
  readonly key: string;
  readonly conversationId: ConversationId;
  /** Pieces of the cut-off answer that this one continues; all are shown as one. */
  readonly begun: readonly Message[];
}

export interface Branch {
  readonly rows: readonly ListRow[];
  /** Row of each message of the branch, including merged tool results and compacted notes. */
  readonly rowOf: ReadonlyMap<MessageId, number>;
  /** Results by the call they answer. */
  readonly results: ReadonlyMap<string, PartOf<'tool-result'>>;
  readonly path: readonly Message[];
  readonly leaf: MessageId | null;
  /** Messages of the path that the active compaction leaves out of requests. */
  readonly compacted: ReadonlySet<MessageId>;
}

const NO_DMAILS: readonly DmailLink[] = [];
const NO_MESSAGES: readonly Message[] = [];

/** Reports whether a time is on another day than the previous one; consults the calendar only at day borders. */
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

/**
 * The branch that ends at `leaf`, cut after `until` if that is on it, because an answer is being written below `until`.
 */
export function branchOf(
  conversation: Conversation,
  leaf: MessageId | null,
  until: MessageId | null = null,
): Branch {
  let path = pathTo(conversation.messages, leaf);
  const cut = until === null ? -1 : path.findIndex((message) => message.id === until);
  if (cut >= 0) path = path.slice(0, cut + 1);
  const rows = new BranchRows(conversation, path);
  for (const [at, message] of path.entries()) {
    const before = path[at - 1];
    if (before) rows.divide(before.id);
    rows.add(message, at);
  }
  const leafId = path.at(-1)?.id ?? null;
  if (leafId !== null) rows.divide(leafId);
  return { ...rows.finish(), path, leaf: leafId };
}

/** Builds the rows of one path, message by message from the root. */
class BranchRows {
  readonly #conversation: Conversation;
  readonly #path: readonly Message[];
  readonly #children: ReturnType<typeof childrenOf>;
  /** Calls of the path, and the results that answer them. */
  readonly #called = new Set<string>();
  readonly #results = new Map<string, PartOf<'tool-result'>>();
  readonly #inForce: Compaction | null;
  readonly #kept: ReadonlySet<MessageId>;
  readonly #compacted: ReadonlySet<MessageId>;
  readonly #dmails: ReturnType<typeof dmailsFrom>;
  readonly #dividers = new Map<MessageId, Compaction[]>();
  readonly #rows: ListRow[] = [];
  readonly #rowOf = new Map<MessageId, number>();
  readonly #isNewDay = createDayWatch();
  /** Notes collected for one shared row. */
  #notes: Message[] = [];
  /** Passages given to the steps of an answer so far. */
  #given = new Set<string>();

  constructor(conversation: Conversation, path: readonly Message[]) {
    this.#conversation = conversation;
    this.#path = path;
    this.#children = childrenOf(conversation.messages);
    for (const message of path)
      for (const part of message.parts) {
        if (part.type === 'tool-call') this.#called.add(part.callId);
        if (part.type === 'tool-result' && this.#called.has(part.callId))
          this.#results.set(part.callId, part);
      }
    this.#inForce = compactionOn(conversation, path);
    this.#kept = keptIn(conversation);
    this.#compacted = compactedBy(this.#inForce, path, this.#kept);
    this.#dmails = dmailsFrom(conversation);
    for (const compaction of conversation.compactions.values())
      this.#dividers.set(compaction.at, [...(this.#dividers.get(compaction.at) ?? []), compaction]);
  }

  finish(): Pick<Branch, 'rows' | 'rowOf' | 'results' | 'compacted'> {
    this.#endNotes();
    return { rows: this.#rows, rowOf: this.#rowOf, results: this.#results, compacted: this.#compacted };
  }

  /** Adds the compactions made at `after`, oldest first. */
  divide(after: MessageId): void {
    const made = (this.#dividers.get(after) ?? []).sort((a, b) => a.createdAt - b.createdAt);
    for (const compaction of made) {
      this.#endNotes();
      this.#rows.push({
        type: 'compaction',
        key: `compaction-${compaction.id}`,
        compaction,
        state:
          compaction === this.#inForce ? 'inForce' : this.#isSentAgain(compaction) ? 'undone' : 'superseded',
      });
    }
  }

  /** Adds the message at index `at` of the path. */
  add(message: Message, at: number): void {
    if (message.role === 'user' && message.kind === 'message') this.#given = new Set();
    for (const part of message.parts)
      for (const { messageId, passage } of passagesGivenBy(part)) this.#given.add(`${messageId} ${passage}`);
    if (this.#answersCalls(message)) this.#addResults(message);
    else if (message.kind === 'note') this.#notes.push(message);
    else {
      this.#endNotes();
      this.#addMessage(message, at);
    }
  }

  /** True for a tool message whose calls are on the path: it is shown with them, not by itself. */
  #answersCalls({ role, parts }: Message): boolean {
    return (
      role === 'tool' && parts.every((part) => part.type === 'tool-result' && this.#called.has(part.callId))
    );
  }

  /** Its D-Mails are shown in the row of the call. */
  #addResults(message: Message): void {
    this.#rowOf.set(message.id, Math.max(0, this.#rows.length - 1));
    const at = this.#rows.findLastIndex((row) => row.type === 'message');
    const row = this.#rows[at] as MessageListRow | undefined;
    const left = this.#dmails.get(message.id);
    if (!row || !(message.dmail || left)) return;
    this.#rows[at] = {
      ...row,
      ...(message.dmail ? { arrived: [...row.arrived, message] } : {}),
      ...(left ? { left: [...row.left, ...left] } : {}),
    };
  }

  #addMessage(message: Message, at: number): void {
    const compacted = this.#compacted.has(message.id);
    const above = this.#rows.at(-1);
    const piece = above?.type === 'message' && continuesAnswer(above.message, message) ? above : undefined;
    if (!piece && message.createdAt > 0 && this.#isNewDay(message.createdAt))
      this.#rows.push({ type: 'day', key: `day-${message.id}`, at: message.createdAt });
    // If compaction ends between two pieces they get two rows, so that each shows how it is sent.
    const joins = piece && piece.compacted === compacted ? piece : undefined;
    if (joins) this.#rows.pop();
    this.#rowOf.set(message.id, this.#rows.length);
    this.#rows.push({
      type: 'message',
      key: joins?.key ?? message.id,
      message,
      pieces: joins ? [...joins.pieces, joins.message] : NO_MESSAGES,
      siblings: joins?.siblings ?? this.#siblingsOf(message),
      continued: this.#isContinued(message, at),
      remembered: this.#given.size,
      arrived: message.dmail ? [message] : NO_MESSAGES,
      left: [...(joins?.left ?? NO_DMAILS), ...(this.#dmails.get(message.id) ?? NO_DMAILS)],
      compacted,
      kept: this.#kept.has(message.id),
    });
  }

  #siblingsOf({ id, parentId }: Message): Siblings | null {
    const parent = parentId !== null && this.#conversation.messages.has(parentId) ? parentId : null;
    const born = this.#children.get(parent) ?? [];
    const siblings = born.length > 1 ? born.filter((other) => other.kind !== 'note') : born;
    if (siblings.length < 2) return null;
    return { index: siblings.findIndex((other) => other.id === id), ids: siblings.map((other) => other.id) };
  }

  /** True if another step of the same answer follows its calls. */
  #isContinued({ role, parts }: Message, at: number): boolean {
    if (role !== 'assistant' || !parts.some((part) => part.type === 'tool-call')) return false;
    let next = at + 1;
    while (this.#path[next]?.role === 'tool' || this.#path[next]?.kind === 'note') next += 1;
    return this.#path[next]?.role === 'assistant' && this.#path[next]?.kind === 'message';
  }

  /** True if the compaction was undone and no newer one covers any of its messages. */
  #isSentAgain(compaction: Compaction): boolean {
    const inForce = this.#inForce;
    if (!compaction.undone) return false;
    if (!inForce || inForce.createdAt < compaction.createdAt) return true;
    return ![...compactedBy(compaction, this.#path)].some((id) => this.#compacted.has(id));
  }

  #endNotes(): void {
    const [first] = this.#notes;
    if (!first) return;
    for (const note of this.#notes) this.#rowOf.set(note.id, this.#rows.length);
    this.#rows.push({ type: 'notes', key: `notes-${first.id}`, messages: this.#notes });
    this.#notes = [];
  }
}

/** Messages of a path that a compaction left out; empty without a compaction or if this version cannot read it. */
function compactedBy(
  compaction: Compaction | null,
  path: readonly Message[],
  kept?: ReadonlySet<MessageId>,
): ReadonlySet<MessageId> {
  const plan = compaction && planOf(compaction);
  if (!plan) return new Set();
  const dispositions = dispositionsOf(plan, path, kept);
  return new Set(path.filter((_, at) => dispositions[at]?.action === 'fold').map((message) => message.id));
}

/** Leaf to show so that `message` is on screen. */
export const leafThrough = (conversation: Conversation, message: MessageId): MessageId | null =>
  newestLeaf(childrenOf(conversation.messages), message);
