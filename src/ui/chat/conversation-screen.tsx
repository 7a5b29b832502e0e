// Conversation page: a new one, an opened one, or why it cannot be shown.
import { useCallback, useLayoutEffect, useState } from 'react';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useConversation } from '../hooks/conversation.ts';
import { Skeleton } from '../shell/controls.tsx';
import { composerMayCome } from '../shell/early-words.ts';
import { loaded } from '../shell/error-boundary.tsx';
import { Header } from '../shell/header.tsx';
import { KeptNowhere } from '../shell/problem-notice.tsx';
import { Loading } from '../shell/reading.tsx';
import { MissingConversation } from './missing-conversation.tsx';
import { NewConversation } from './new-conversation.tsx';
import { useOpenedPart } from './opened-part.ts';
import { TemporaryEnded } from './temporary.tsx';

const ProjectScreen = loaded(() =>
  import('../projects/project-screen.tsx').then((module) => module.ProjectScreen),
);

const ERASED = toProblem(
  new RecollectError('conversation-missing', 'The conversation was erased while it was looked at'),
);

function LoadingConversation() {
  useLayoutEffect(composerMayCome, []);
  return (
    <Loading className="mx-auto flex w-full max-w-(--measure) flex-1 flex-col gap-4 px-8 pt-10">
      <Skeleton className="h-10 w-2/5 self-end rounded-xl" />
      {['w-full', 'w-11/12', 'w-4/5', 'w-3/5'].map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
    </Loading>
  );
}

/**
 * True if the conversation was erased while it was open: its list entry existed and is
 * gone. Only erasing removes an entry.
 */
function useErased(id: ConversationId): boolean {
  const listed = useReadable(
    useApp().documents.library,
    useCallback(({ entries }) => entries.some((entry) => entry.id === id), [id]),
  );
  const [wasListed, setWasListed] = useState(listed);
  if (listed && !wasListed) setWasListed(true);
  return wasListed && !listed;
}

function ExistingConversation({
  conversationId,
  messageId,
}: {
  conversationId: ConversationId;
  messageId: MessageId | null;
}) {
  const state = useConversation(conversationId);
  const Opened = useOpenedPart();
  if (state.state === 'open' && Opened)
    return <Opened conversation={state.conversation} originOf={state.originOf} messageId={messageId} />;
  if (state.state === 'failed' && !isTemporary(conversationId))
    return <MissingConversation id={conversationId} problem={state.problem} onRetry={state.again} />;
  return (
    <>
      <Header>{null}</Header>
      {state.state === 'failed' ? <TemporaryEnded /> : <LoadingConversation />}
    </>
  );
}

function ConversationOrNone(props: { conversationId: ConversationId; messageId: MessageId | null }) {
  // Passages from a project's files lead here like any other passage, so show the project.
  const isProject = useReadable(
    useApp().documents.library,
    useCallback(
      ({ projects }) => projects.some(({ id }) => id === props.conversationId),
      [props.conversationId],
    ),
  );
  return isProject ? (
    <ProjectScreen projectId={props.conversationId} itemId={props.messageId} />
  ) : (
    <ListedConversation {...props} />
  );
}

function ListedConversation(props: { conversationId: ConversationId; messageId: MessageId | null }) {
  const erased = useErased(props.conversationId);
  // Opens the conversation again if it comes back, e.g. because another device went on writing it.
  return erased ? (
    <MissingConversation id={props.conversationId} problem={ERASED} />
  ) : (
    <ExistingConversation {...props} />
  );
}

export function ConversationScreen({
  conversationId,
  messageId,
}: {
  conversationId: ConversationId | null;
  messageId: MessageId | null;
}) {
  if (conversationId === null) return <NewConversation />;
  return (
    <KeptNowhere value={isTemporary(conversationId)}>
      <ConversationOrNone key={conversationId} conversationId={conversationId} messageId={messageId} />
    </KeptNowhere>
  );
}
