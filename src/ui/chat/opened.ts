// State shared by the parts of a conversation's screen: the shown branch, the turn, and the allowed actions.
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry, OpenConversation } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { createEdits, type Edits } from './edits.ts';
import type { BranchStep } from './message-actions.ts';
import type { MessageListHandle } from './message-list.tsx';
import { type TurnView, useTurnView } from './turn-view.ts';
import { type ShownBranch, useShownBranch } from './use-shown-branch.ts';

export interface Opened extends ShownBranch {
  readonly id: ConversationId;
  readonly conversation: Conversation;
  readonly originOf: OpenConversation['originOf'];
  /** Its list entry; undefined if it is not listed. */
  readonly entry: LibraryEntry | undefined;
  readonly title: string;
  readonly turn: TurnView;
  readonly busy: boolean;
  /** Model that answers next; null: memory. */
  readonly model: string | null;
  readonly trashed: boolean;
  /** Written by a newer version of the app. */
  readonly newer: boolean;
  readonly readOnly: boolean;
  readonly temporary: boolean;
  readonly list: RefObject<MessageListHandle | null>;
  readonly edits: Edits;
  /** Message whose editor is open. */
  readonly editing: Writable<MessageId | null>;
  readonly branchStep: Writable<BranchStep | null>;
  /** Message with the current hit of the find bar. */
  readonly found: Writable<MessageId | null>;
}

/** `messageId`: message that was jumped to. */
export function useOpened({
  conversation,
  originOf,
  messageId,
}: {
  conversation: Conversation;
  originOf: OpenConversation['originOf'];
  messageId: MessageId | null;
}): Opened {
  const { id } = conversation;
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const list = useRef<MessageListHandle>(null);
  const [editing] = useState(() => writable<MessageId | null>(null));
  const [branchStep] = useState(() => writable<BranchStep | null>(null));
  const [found] = useState(() => writable<MessageId | null>(null));
  const [edits] = useState(() => createEdits(app.chat.composerDrafts, id));
  useEffect(() => edits.open(), [edits]);
  useEffect(
    () => app.forget.onForgetting(({ hide }) => edits.takeOut((text) => hide(text).text)),
    [app, edits],
  );
  const turn = useTurnView(id);
  const busy = turn.status !== 'idle';
  useEffect(() => {
    if (busy) session.follow(id);
  }, [busy, id, session]);
  const model = useModelInUse(conversation).choice?.model ?? null;
  const entry = useReadable(
    app.documents.library,
    useCallback((library) => library.entries.find((other) => other.id === id), [id]),
  );
  const trashed = conversation.meta.deletedAt !== null;
  const newer = conversation.newer === true;
  const temporary = isTemporary(id);
  const shown = useShownBranch({ conversation, turn, messageId, list, readsOnly: newer });
  return {
    ...shown,
    id,
    conversation,
    originOf,
    entry,
    title: shownTitle(conversation.meta.title, t(temporary ? 'temporary.title' : 'untitled')),
    turn,
    busy,
    model,
    trashed,
    newer,
    readOnly: trashed || newer,
    temporary,
    list,
    edits,
    editing,
    branchStep,
    found,
  };
}
