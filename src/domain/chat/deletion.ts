// Plans the deletion of a message: the messages that go with it, and the new head. Its
// children move up to its parent. Pure.
import type { MessageId } from '../base/ids.ts';
import { type Conversation, childrenOf, effectiveHead, newestLeaf, pathTo } from './conversation.ts';
import type { Message } from './message.ts';
import type { Checkpoint } from './records.ts';

interface Deletion {
  /**
   * All deleted messages, in order: an answer goes with its steps, since a tool call
   * and its result are never separated.
   */
  readonly messages: readonly Message[];
  /** New head; null: nothing is left. */
  readonly head: MessageId | null;
  /** Checkpoints at deleted messages move to the message before; null: there is none. */
  readonly checkpoints: Readonly<Record<string, Checkpoint | null>>;
}

/** Plans the deletion of a message, or of the whole answer whose last step is `id`. Null if it does not exist. O(n). */
export function planDeletion(conversation: Conversation, id: MessageId): Deletion | null {
  const { messages } = conversation;
  const target = messages.get(id);
  if (!target) return null;
  const children = childrenOf(messages);
  const gone = target.role === 'user' ? [target] : stepsOf(messages, children, target);
  const ids = new Set(gone.map((message) => message.id));
  const first = gone[0] as Message;
  const before = first.parentId !== null && messages.has(first.parentId) ? first.parentId : null;

  const head = effectiveHead(conversation);
  const path = pathTo(messages, head);
  let next: MessageId | null = head;
  if (head !== null && ids.has(head)) {
    // At the end of a branch its sibling is shown, if there is one, else the message before.
    const siblings = (children.get(before) ?? []).filter((message) => !ids.has(message.id));
    const neighbour = siblings.findLast(({ kind }) => kind !== 'note');
    next = neighbour
      ? newestLeaf(children, neighbour.id)
      : (path.findLast((m) => !ids.has(m.id))?.id ?? null);
  }
  const checkpoints: Record<string, Checkpoint | null> = {};
  for (const [name, checkpoint] of conversation.checkpoints)
    if (ids.has(checkpoint.messageId))
      checkpoints[name] = before === null ? null : { ...checkpoint, messageId: before };
  return { messages: gone, head: next, checkpoints };
}

/**
 * Lists the steps of an answer up to the given one, with results of their calls, but
 * without steps that another branch shares.
 */
function stepsOf(
  messages: Conversation['messages'],
  children: ReturnType<typeof childrenOf>,
  last: Message,
): Message[] {
  const steps = [last];
  for (;;) {
    const [first] = steps;
    const above = first && first.parentId !== null ? messages.get(first.parentId) : undefined;
    if (!above || (above.role !== 'assistant' && above.role !== 'tool')) break;
    if ((children.get(above.id)?.length ?? 0) > 1 || steps.includes(above)) break;
    steps.unshift(above);
  }
  for (let at: Message = last; ; ) {
    const result = children
      .get(at.id)
      ?.find(({ role, id }) => role === 'tool' && !steps.some((s) => s.id === id));
    if (!result) return steps;
    steps.push(result);
    at = result;
  }
}
