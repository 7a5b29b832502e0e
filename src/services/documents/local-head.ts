// Keeps an open conversation on its branch. All devices share one head, and its last change wins; but a question asked
// on another device at the same time must not take a question asked here off the screen. Then the conversation stays on
// its branch, and the other branch is offered beside it. Stores nothing.
import type { MessageId } from '../../domain/base/ids.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { ConversationChange } from './documents.ts';

export interface LocalHead {
  /** The conversation with the head shown here; the same object until it changes. */
  read(): Conversation;
  /** Reports a change made here; its head counts. */
  change(change: ConversationChange): void;
  /** Reports a change by another device, or another tab of this one. `before`: the result of `read` before it. */
  changed(before: Conversation, by: 'device' | 'tab'): void;
  /** Origin of a question that came since the conversation was opened; null: it was there before. */
  originOf(question: MessageId): 'here' | 'elsewhere' | null;
}

/**
 * Makes the keeper of the head. `document`: the conversation as all devices have it; the same object until it changes.
 */
export function createLocalHead(document: () => Conversation): LocalHead {
  /** Questions asked here since it was opened. */
  const asked = new Set<MessageId>();
  /** Questions asked on other devices since then. */
  const received = new Set<MessageId>();
  let kept: MessageId | null = null;
  /** Last readings: as all devices have it, as it is shown here, and the head kept here. */
  let shared = document();
  let shown = shared;
  let keptThen: MessageId | null = null;

  const read = (): Conversation => {
    const now = document();
    const at = kept !== null && now.messages.has(kept) ? kept : null;
    if (shared === now && keptThen === at) return shown;
    [shared, keptThen] = [now, at];
    shown = at === null ? now : { ...now, meta: { ...now.meta, head: at } };
    return shown;
  };
  const note = (messages: Iterable<Message>, into = asked) => {
    for (const { id, role } of messages) if (role === 'user') into.add(id);
  };

  return {
    read,
    change: ({ messages, meta }) => {
      note(messages ?? []);
      if (meta?.head !== undefined) kept = null;
    },
    changed: (before, by) => {
      const now = document();
      const head = effectiveHead(now);
      if (now.messages.size > before.messages.size)
        note(
          [...now.messages.values()].filter(({ id }) => !before.messages.has(id)),
          by === 'tab' ? asked : received,
        );
      if (by === 'tab') {
        if (head !== effectiveHead(shared)) kept = null;
        return;
      }
      const stood = effectiveHead(before);
      const path = new Set(pathTo(now.messages, head).map(({ id }) => id));
      const left = pathTo(now.messages, stood).filter(({ id }) => !path.has(id));
      kept = left.some(({ id }) => asked.has(id)) ? stood : null;
    },
    originOf: (question) => (asked.has(question) ? 'here' : received.has(question) ? 'elsewhere' : null),
  };
}
