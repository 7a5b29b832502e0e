// Dialogs over a conversation: a manifest, sending back, the branch map, a waiting plan. One at a time.
import { useCallback } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { RequestManifest } from '../../domain/context/manifest.ts';
import type { ModelChoice } from '../../services/settings/settings.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useRead } from '../hooks/read.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Dialog } from '../shell/controls.tsx';
import { ReadFailed } from '../shell/reading.tsx';
import { BranchDialog } from './branch-dialog.tsx';
import { PlanDialog } from './compaction.tsx';
import { CompareDialog } from './compare.tsx';
import { DeletedMessagesDialog } from './deleted-messages.tsx';
import { ManifestDialog } from './manifest-dialog.tsx';
import { MemoryFileDialog } from './memory-file.tsx';
import { ModelList, useListedModels } from './model-list.tsx';
import { SendBackDialog } from './send-back.tsx';

export type ConversationWindow =
  | { readonly type: 'manifest'; readonly answer: Message }
  | { readonly type: 'sendBack'; readonly message: Message; readonly callId?: string | undefined }
  | { readonly type: 'compare'; readonly answer: Message }
  | { readonly type: 'askAnother'; readonly answer: Message }
  | { readonly type: 'deleted' }
  | { readonly type: 'branches'; readonly compareWith?: MessageId };

export function ConversationWindows({
  conversation,
  leaf,
  readOnly,
  shown,
  onClose,
  onGo,
  onJump,
  onSent,
  onAskAgain,
}: {
  conversation: Conversation;
  /** Last message of the shown branch. */
  leaf: MessageId | null;
  readOnly: boolean;
  shown: ConversationWindow | null;
  onClose: () => void;
  /** Moves the head to another branch. */
  onGo: (message: MessageId) => void;
  /** Jumps to a message on any branch. */
  onJump: (message: MessageId) => void;
  onSent: (sent: { messageId: MessageId; undo: () => Promise<void> }) => void;
  onAskAgain: (answer: MessageId, by: ModelChoice) => void;
}) {
  const { memoryFile } = useSession();
  const isMemoryOpen = useReadable(memoryFile) === conversation.id;
  return (
    <>
      <PlanDialog conversationId={conversation.id} />
      {isMemoryOpen && (
        <MemoryFileDialog
          conversation={conversation}
          readOnly={readOnly}
          onClose={() => memoryFile.set(null)}
        />
      )}
      {shown?.type === 'manifest' && (
        <AnswerManifest conversation={conversation} answer={shown.answer} onClose={onClose} onJump={onJump} />
      )}
      {shown?.type === 'sendBack' && (
        <SendBackDialog
          key={shown.message.id}
          conversation={conversation}
          message={shown.message}
          callId={shown.callId}
          onClose={onClose}
          onSent={onSent}
        />
      )}
      {shown?.type === 'compare' && (
        <CompareDialog
          conversation={conversation}
          answer={shown.answer}
          onClose={onClose}
          onGo={(message) => {
            onClose();
            onGo(message);
          }}
        />
      )}
      {shown?.type === 'deleted' && (
        <DeletedMessagesDialog
          id={conversation.id}
          onClose={onClose}
          onBack={(message) => {
            onClose();
            onJump(message);
          }}
        />
      )}
      {shown?.type === 'askAnother' && (
        <AskAnotherDialog
          onClose={onClose}
          onChoose={(by) => {
            onClose();
            onAskAgain(shown.answer.id, by);
          }}
        />
      )}
      {shown?.type === 'branches' && (
        <BranchDialog
          conversation={conversation}
          leaf={leaf}
          compareWith={shown.compareWith}
          onClose={onClose}
          onGo={(message) => {
            onClose();
            onGo(message);
          }}
        />
      )}
    </>
  );
}

/** Asks another of many models for an answer. */
function AskAnotherDialog({
  onClose,
  onChoose,
}: {
  onClose: () => void;
  onChoose: (by: ModelChoice) => void;
}) {
  const { t } = useTranslation('chat');
  return (
    <Dialog open size="sm" onOpenChange={onClose} title={t('regenerateTitle')}>
      <ModelList
        models={useListedModels()}
        isChosen={() => false}
        onChoose={({ endpointId, model }) => onChoose({ endpointId, model })}
      />
    </Dialog>
  );
}

function AnswerManifest({
  conversation,
  answer,
  onClose,
  onJump,
}: {
  conversation: Conversation;
  answer: Message;
  onClose: () => void;
  onJump: (message: MessageId) => void;
}) {
  const { context } = useApp();
  const read = useCallback(
    () => context.manifest(conversation.id, answer.id),
    [context, conversation.id, answer.id],
  );
  const { value: manifest, problem, again } = useRead<RequestManifest | null>(read);
  return (
    <ManifestDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      manifest={manifest}
      failed={problem && <ReadFailed problem={problem} onRetry={again} compact />}
      onJump={(message) => {
        onClose();
        onJump(message as MessageId);
      }}
    />
  );
}
