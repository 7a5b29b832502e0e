// An open conversation: header, messages, composer, context panel, and the dialogs over it.
import { ArrowLeft, History } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { OpenConversation } from '../../services/documents/documents.ts';
import { useApp } from '../hooks/app.tsx';
import { useIsWide } from '../hooks/media.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useStoredSwitch } from '../hooks/stored.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Sheet } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Announcer } from './announcer.tsx';
import type { ComposerHandle } from './composer.tsx';
import { ContextPanel, contextFacts } from './context-panel.tsx';
import { ConversationFoot } from './conversation-foot.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { ConversationMessages } from './conversation-messages.tsx';
import { type ConversationWindow, ConversationWindows } from './conversation-windows.tsx';
import { DropOverlay, useFileDrop } from './file-drop.tsx';
import { FindBar } from './find-bar.tsx';
import { InstructionsDialog } from './instructions.tsx';
import { type Opened, useOpened } from './opened.ts';
import { TemporaryBar } from './temporary.tsx';
import { UnsavedEdits } from './unsaved-edits.tsx';
import { type ConversationActs, useConversationActs, useMessageActions } from './use-conversation-acts.ts';
import { useConversationKeys } from './use-conversation-keys.ts';

export function OpenedConversation(props: {
  conversation: Conversation;
  originOf: OpenConversation['originOf'];
  messageId: MessageId | null;
}) {
  const opened = useOpened(props);
  const { id, conversation, branch, busy, readOnly, temporary, list, found, peek, edits, editing } = opened;
  const { documents } = useApp();
  const navigation = useNavigation();
  const report = useReport();
  const wide = useIsWide();
  const composer = useRef<ComposerHandle>(null);
  const [instructing, setInstructing] = useState(false);
  const [panelWanted, setPanelWanted] = useStoredSwitch('panel', false);
  const [sheet, setSheet] = useState(false);
  const [shown, setShown] = useState<ConversationWindow | null>(null);
  const [finding, setFinding] = useState(false);
  /** True while the panel is to show its checkpoints first. */
  const [toCheckpoints, setToCheckpoints] = useState(false);
  const acts = useConversationActs(opened);
  const actions = useMessageActions(opened, acts, setShown);
  const drop = useFileDrop((files) => composer.current?.addFiles(files));
  const openPanel = wide ? setPanelWanted : setSheet;
  const isPanelOpen = wide ? panelWanted : sheet;
  const togglePanel = () => openPanel(!isPanelOpen);
  useConversationKeys(opened, {
    onPanel: togglePanel,
    onFind: () => {
      setFinding(true);
      return !finding;
    },
  });

  return (
    <div className="flex min-h-0 flex-1">
      <div className="relative flex min-w-0 flex-1 flex-col" {...(readOnly ? {} : drop.handlers)}>
        <ConversationHeader
          opened={opened}
          onFind={() => setFinding(true)}
          onInstructions={() => setInstructing(true)}
          onPanel={wide && panelWanted ? undefined : togglePanel}
          onBranches={() => setShown({ type: 'branches' })}
          onDeleted={() => setShown({ type: 'deleted' })}
          onCheckpoints={() => {
            setToCheckpoints(true);
            openPanel(true);
          }}
        />
        {finding && (
          <FindBar
            conversation={conversation}
            branch={branch}
            list={list}
            found={found}
            peek={peek}
            onClose={() => setFinding(false)}
          />
        )}
        {temporary && <TemporaryBar id={id} busy={busy} />}
        {props.messageId !== null && navigation.canGoBack && <JumpedBar opened={opened} />}
        <ConversationMessages opened={opened} actions={actions} />
        {!readOnly && (
          <UnsavedEdits
            edits={edits}
            editing={editing}
            conversation={conversation}
            onOpen={acts.openEditor}
          />
        )}
        <Announcer conversationId={id} />
        <ConversationFoot opened={opened} acts={acts} composer={composer} />
        {drop.over && !readOnly && <DropOverlay />}
      </div>
      <ContextAside
        opened={opened}
        acts={acts}
        isOpen={isPanelOpen}
        onOpenChange={(open) => {
          if (!open) setToCheckpoints(false);
          openPanel(open);
        }}
        onCheckpointsFocused={toCheckpoints ? () => setToCheckpoints(false) : undefined}
        onWindow={setShown}
      />
      <ConversationWindows
        conversation={conversation}
        leaf={opened.leaf}
        readOnly={readOnly}
        shown={shown}
        onClose={() => setShown(null)}
        onGo={opened.show}
        onJump={acts.jump}
        onSent={acts.sentBack}
        onAskAgain={(answer, by) => acts.regenerate(answer, { by })}
      />
      <InstructionsDialog
        open={instructing}
        onOpenChange={setInstructing}
        value={conversation.meta.systemPrompt}
        onSave={(systemPrompt) => void documents.change(id, { meta: { systemPrompt } }).catch(report)}
      />
    </div>
  );
}

/** Leads back to the place before a jump. */
function JumpedBar({ opened: { isHead } }: { opened: Opened }) {
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-2 border-memory-line border-y bg-memory-soft px-4 py-1 text-memory text-sm"
    >
      <History size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        {sentences(t(`jumped.${navigation.foundBy ?? 'other'}`), !isHead && t('jumped.olderBranch'))}
      </span>
      <Button
        size="sm"
        variant="ghost"
        className="text-memory hover:bg-memory-mark/50 hover:text-memory"
        icon={<ArrowLeft size={14} aria-hidden />}
        onClick={navigation.back}
      >
        {t('backToWhere')}
      </Button>
    </div>
  );
}

/** Context panel: beside the messages if there is room, else over them. */
function ContextAside({
  opened,
  acts,
  isOpen,
  onOpenChange,
  onCheckpointsFocused,
  onWindow,
}: {
  opened: Opened;
  acts: ConversationActs;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  onCheckpointsFocused: (() => void) | undefined;
  onWindow: (window: ConversationWindow) => void;
}) {
  const { t } = useTranslation('chat');
  const wide = useIsWide();
  const { conversation, branch, turn, model, leaf, list, readOnly, show } = opened;
  const { recall } = turn;
  const facts = useMemo(() => contextFacts(branch, recall ? [recall] : []), [branch, recall]);
  /** Closes the sheet, which would cover the target of the jump. */
  const uncover = () => {
    if (!wide) onOpenChange(false);
  };
  const panel = (
    <ContextPanel
      conversation={conversation}
      facts={facts}
      model={model}
      onJump={(message) => {
        uncover();
        list.current?.toMessage(message, { focus: true, glow: true, block: 'center' });
      }}
      onOpen={(conversationId, target) => {
        uncover();
        acts.openMessage(conversationId, target);
      }}
      onShow={show}
      shorten={acts.shorten}
      onManifest={(answer) => onWindow({ type: 'manifest', answer })}
      onCheckpoint={readOnly || leaf === null ? undefined : (name) => acts.checkpoint(leaf, name)}
      onRestore={acts.restore}
      onCompare={(compareWith) => onWindow({ type: 'branches', compareWith })}
      onBranches={() => onWindow({ type: 'branches' })}
      onCheckpointsFocused={onCheckpointsFocused}
      {...(wide ? { onClose: () => onOpenChange(false) } : {})}
    />
  );
  if (!wide)
    return (
      <Sheet open={isOpen} onOpenChange={onOpenChange} title={t('context.title')} side="right">
        {panel}
      </Sheet>
    );
  if (!isOpen) return null;
  return (
    <aside
      aria-label={t('context.title')}
      className="relative w-(--panel-width) shrink-0 overflow-y-auto border-l bg-paper"
    >
      {panel}
    </aside>
  );
}
