// Decides which branch of a conversation is shown: the head's, unless a jump led to
// another one. Moving the head ends the jump.
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { RecollectError } from '../../domain/base/errors.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { isCutOff, piecesUpTo } from '../../domain/chat/continuation.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { useApp } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import type { MessageListHandle } from './message-list.tsx';
import { type Branch, branchOf, leafThrough } from './rows.ts';
import type { TurnView } from './turn-view.ts';

export interface ShownBranch {
  /** The branch without the answer being written. */
  readonly branch: Branch;
  /** Last message of the branch. */
  readonly leaf: MessageId | null;
  /** True if it is the head's own branch. */
  readonly isHead: boolean;
  /** An answer is being written that the conversation does not have yet; `runs`: it is on this branch. */
  readonly writing: boolean;
  readonly runs: boolean;
  /** Pieces of the cut-off answer that the one being written continues; all are shown as one. */
  readonly begun: readonly Message[];
  /** Shows the branch of a message and moves the head there unless the conversation is read-only. */
  show(message: MessageId): void;
  /** Shows the branch of a message without moving the head. */
  peek(message: MessageId): void;
  /** Returns to the head. */
  toHead(): void;
  /** Moves the head to the shown branch before the person continues from it. Rejects if that could not be kept. */
  settleHead(): Promise<void>;
}

const NO_PIECES: readonly Message[] = [];

/** `messageId`: message that was jumped to; `list` scrolls to it once per visit. */
export function useShownBranch({
  conversation,
  turn,
  messageId,
  list,
  readsOnly,
}: {
  conversation: Conversation;
  turn: TurnView;
  messageId: MessageId | null;
  list: RefObject<MessageListHandle | null>;
  readsOnly: boolean;
}): ShownBranch {
  const { id } = conversation;
  const app = useApp();
  const report = useReport();
  const { visit } = useNavigation();

  const head = effectiveHead(conversation);
  const [aside, setAside] = useState<{ leaf: MessageId; head: MessageId | null } | null>(null);
  const leaf = aside && aside.head === head && conversation.messages.has(aside.leaf) ? aside.leaf : head;
  // The answer is shown from the turn until the conversation has it.
  const writing =
    turn.status !== 'idle' && (turn.answerId === null || !conversation.messages.has(turn.answerId));
  const pieces = useMemo(
    () => (writing && turn.parentId !== null ? piecesUpTo(conversation.messages, turn.parentId) : NO_PIECES),
    [writing, turn.parentId, conversation.messages],
  );
  const begun = pieces.some(isCutOff) ? pieces : NO_PIECES;
  const below = begun[0]?.parentId ?? turn.parentId;
  const until = writing && leaf === head ? below : null;
  const branch = useMemo(() => branchOf(conversation, leaf, until), [conversation, leaf, until]);

  // After a jump: first the branch with the message, then the message itself.
  const jumped = useRef(-1);
  useLayoutEffect(() => {
    if (messageId === null || jumped.current === visit) return;
    if (!branch.rowOf.has(messageId)) {
      if (!conversation.messages.has(messageId)) {
        jumped.current = visit;
        report(new RecollectError('message-missing', 'The message is not there any more.'));
        return;
      }
      const through = leafThrough(conversation, messageId);
      if (through !== null && through !== leaf) setAside({ leaf: through, head });
      else jumped.current = visit;
      return;
    }
    jumped.current = visit;
    list.current?.toMessage(messageId, { focus: true, glow: true, block: 'center' });
  }, [messageId, visit, branch, conversation, leaf, head, list, report]);

  return {
    branch,
    leaf,
    isHead: leaf === head,
    writing,
    runs: writing && below !== null && branch.leaf === below,
    begun,
    show: (message) => {
      const through = leafThrough(conversation, message);
      if (through === null) return;
      if (readsOnly) return setAside({ leaf: through, head });
      setAside(null);
      app.documents.change(id, { meta: { head: through } }).catch(report);
    },
    peek: (message) => {
      const through = leafThrough(conversation, message);
      if (through !== null) setAside({ leaf: through, head });
    },
    toHead: () => setAside(null),
    settleHead: async () => {
      if (leaf === null || leaf === head) return;
      await app.documents.change(id, { meta: { head: leaf } });
      setAside(null);
    },
  };
}
