// A conversation on the screen: header, the branch that is shown, composer, context.
import { ArrowLeft, Ellipsis, History, PanelRight, ScrollText, Search, Square, Trash2 } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  asConversationId,
  asMessageId,
  type ConversationId,
  isTemporary,
  type MessageId,
} from '../../domain/base/ids.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { letterOf } from '../../domain/chat/dmail.ts';
import { keptChange } from '../../domain/chat/kept.ts';
import type { Message, Part } from '../../domain/chat/message.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { RegenerateOptions } from '../../services/chat/chat.ts';
import type { OpenConversation } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useConversation } from '../hooks/conversation.ts';
import { useKeptSwitch } from '../hooks/kept.ts';
import { onlyTouch, useIsWide } from '../hooks/media.ts';
import { useModelInUse } from '../hooks/model.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import type { RecallChoice } from '../memory/recall-chip.tsx';
import { OfflineBadge } from '../shell/app-notices.tsx';
import { Button, IconButton, Menu, Sheet, Skeleton } from '../shell/controls.tsx';
import { useConversationActions, useReport } from '../shell/conversation-actions.tsx';
import { EraseConfirm } from '../shell/erase-confirm.tsx';
import { Header } from '../shell/header.tsx';
import { offer } from '../shell/offer.ts';
import { KeptNowhere, ProblemNotice } from '../shell/problem-notice.tsx';
import { useShortcutKeys, useShortcuts } from '../shell/shortcuts.ts';
import { TitleField } from '../shell/title-field.tsx';
import { Announcer } from './announcer.tsx';
import { useCommandLine, useOutcomes } from './command-line.ts';
import { Outcomes } from './command-outcome.tsx';
import { FoldProblem, LossNotice, useFoldReport } from './compaction.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { ContextPanel, contextFacts } from './context-panel.tsx';
import { type ConversationWindow, ConversationWindows } from './conversation-windows.tsx';
import { useDeleteMessage } from './delete-message.ts';
import { createEdits } from './edits.ts';
import { DropOverlay, useFileDrop } from './file-drop.tsx';
import { FindBar } from './find-bar.tsx';
import { InstructionsButton, InstructionsDialog } from './instructions.tsx';
import {
  type BranchStep,
  BranchStepContext,
  EditingContext,
  EditsContext,
  FoundContext,
  type MessageActions,
  MessageActionsContext,
} from './message-actions.ts';
import { MessageList, type MessageListHandle } from './message-list.tsx';
import { MissingConversation } from './missing-conversation.tsx';
import { NewConversation } from './new-conversation.tsx';
import { ReplayEnd } from './send-back.tsx';
import { StreamingAnswer } from './streaming-answer.tsx';
import { TemporaryBar, TemporaryEnded } from './temporary.tsx';
import { useTurnView } from './turn-view.ts';
import { Unanswered } from './unanswered.tsx';
import { UnsavedEdits } from './unsaved-edits.tsx';
import { useShownBranch } from './use-shown-branch.ts';

const NEWER = toProblem(
  new RecollectError('newer-conversation', 'The conversation was written by a newer version of this app'),
);

const ERASED = toProblem(
  new RecollectError('conversation-missing', 'The conversation was erased while it was looked at'),
);

function LoadingConversation() {
  return (
    <div className="mx-auto flex w-full max-w-(--measure) flex-1 flex-col gap-4 px-8 pt-10">
      <Skeleton className="h-10 w-2/5 self-end rounded-xl" />
      {['w-full', 'w-11/12', 'w-4/5', 'w-3/5'].map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
    </div>
  );
}

function OpenedConversation({
  conversation,
  whence,
  messageId,
}: {
  conversation: Conversation;
  whence: OpenConversation['whence'];
  messageId: MessageId | null;
}) {
  const { id } = conversation;
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { t: ts } = useTranslation('shell');
  const navigation = useNavigation();
  const report = useReport();
  const reportFold = useFoldReport();
  const actions = useConversationActions();
  const wide = useIsWide();
  const panelKeys = useShortcutKeys('panel');
  const findKeys = useShortcutKeys('find');
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const [renaming, setRenaming] = useState(false);
  const [erasing, setErasing] = useState(false);
  const [instructing, setInstructing] = useState(false);
  const [panelWanted, setPanelWanted] = useKeptSwitch('panel', false);
  const [sheet, setSheet] = useState(false);
  const [shown, setShown] = useState<ConversationWindow | null>(null);
  const [editing] = useState(() => writable<MessageId | null>(null));
  const [branchStep] = useState(() => writable<BranchStep | null>(null));
  const [finding, setFinding] = useState(false);
  const [found] = useState(() => writable<MessageId | null>(null));
  const [edits] = useState(() => createEdits(app.chat.written, id));
  useEffect(() => edits.open(), [edits]);

  const turn = useTurnView(id);
  const model = useModelInUse(conversation).choice?.model ?? null;
  const hasModel = model !== null;
  const outcomes = useOutcomes(id);
  const runLine = useCommandLine(id);
  const drop = useFileDrop((files) => composer.current?.addFiles(files));
  const entry = useReadable(
    app.documents.library,
    useCallback((library) => library.entries.find((other) => other.id === id), [id]),
  );
  const trashed = conversation.meta.deletedAt !== null;
  const newer = conversation.newer === true;
  const readOnly = trashed || newer;
  const temporary = isTemporary(id);
  const title = shownTitle(conversation.meta.title, t(temporary ? 'temporary.title' : 'untitled'));
  const busy = turn.status !== 'idle';
  useEffect(() => {
    if (busy) session.follow(id);
  }, [busy, id, session]);

  const { branch, leaf, isHead, writing, runs, begun, show, peek, toHead, settleHead } = useShownBranch({
    conversation,
    turn,
    messageId,
    list,
    readsOnly: newer,
  });
  const last = branch.path.at(-1);
  /** When the person last said something; what was told of earlier turns is over. */
  const askedAt = branch.path.findLast(({ role }) => role === 'user')?.createdAt ?? 0;
  const { recall } = turn;
  const facts = useMemo(() => contextFacts(branch, recall ? [recall] : []), [branch, recall]);

  const run = (work: Promise<unknown>) => {
    work.catch(report);
  };
  const openElsewhere = (conversationId: string, target: string) =>
    navigation.openConversation(asConversationId(conversationId), asMessageId(target));

  const regenerate = (answer: MessageId, options?: RegenerateOptions) => {
    list.current?.toEnd();
    run(settleHead().then(() => app.chat.regenerate(id, answer, options)));
  };
  const goOn = (answer: MessageId) => {
    list.current?.toEnd();
    run(settleHead().then(() => app.chat.goOn(id, answer)));
  };
  const edit = (message: Message, text: string, rerun: boolean) => {
    const parts: Part[] = message.parts.filter((part) => part.type !== 'text');
    if (text.trim()) parts.push({ type: 'text', text: text.trim() });
    toHead();
    if (rerun) list.current?.toEnd();
    run(edits.save(message.id, text, app.chat.edit(id, message.id, parts, rerun)));
  };
  // Messages hold on to one object: what it does follows the screen without drawing them again.
  const jump = (message: MessageId) => navigation.openConversation(id, message);
  const checkpoint = (message: MessageId, name?: string) => {
    run(
      app.context.checkpoint(id, name, message).then(({ name, moved, undo }) =>
        offer(tc(moved ? 'checkpoint.moved' : 'checkpoint.set', { name }), {
          label: tc('checkpoint.undo'),
          onClick: () => run(undo()),
        }),
      ),
    );
  };
  const keep = (message: MessageId, kept: boolean) => {
    const set = (on: boolean) => app.documents.change(id, { meta: keptChange(message, on) });
    run(
      set(kept).then(() =>
        offer(tc(kept ? 'kept.marked' : 'kept.unmarked'), {
          label: tc('kept.undo'),
          onClick: () => run(set(!kept)),
        }),
      ),
    );
  };
  const restore = ({ name, messageId }: { name: string; messageId: MessageId }) => {
    toHead();
    run(
      app.context.restore(id, messageId).then(({ undo }) =>
        offer(tc('checkpoint.restored', { name }), {
          label: tc('checkpoint.undo'),
          onClick: () => run(undo()),
        }),
      ),
    );
  };
  const remove = useDeleteMessage(id);
  const fold = () => run(app.context.compact(id, { preview: true }).then((result) => reportFold(result)));
  const canFold = !readOnly && hasModel && branch.path.length > 2;
  const acts = useRef({
    openElsewhere,
    show,
    regenerate,
    goOn,
    edit,
    navigation,
    jump,
    checkpoint,
    keep,
    remove,
  });
  acts.current = { openElsewhere, show, regenerate, goOn, edit, navigation, jump, checkpoint, keep, remove };
  const messageActions = useMemo<MessageActions>(
    () => ({
      open: (conversationId, target) => acts.current.openElsewhere(conversationId, target),
      show: (sibling) => acts.current.show(sibling),
      regenerate: (answer, options) => acts.current.regenerate(answer, options),
      goOn: (answer) => acts.current.goOn(answer),
      edit: (message, text, rerun) => acts.current.edit(message, text, rerun),
      jump: (message) => acts.current.jump(message),
      checkpoint: (message) => acts.current.checkpoint(message),
      keep: (message, kept) => acts.current.keep(message, kept),
      compare: (answer) => setShown({ type: 'compare', answer }),
      remove: (message) => acts.current.remove(message),
      sendBack: (message, callId) => setShown({ type: 'sendBack', message, callId }),
      ledger: (answer) => setShown({ type: 'ledger', answer }),
      connectModel: () => acts.current.navigation.openScreen('settings', 'models'),
      canAsk: !busy,
      canWrite: !readOnly,
      hasModel,
    }),
    [busy, readOnly, hasModel],
  );

  const send = async (parts: readonly Part[], passages: RecallChoice) => {
    await settleHead();
    await app.chat.send({ conversationId: id, parts, ...passages });
    list.current?.toEnd();
  };
  const editLast = (): boolean => {
    const last = branch.path.findLast(
      (message) => message.role === 'user' && message.kind === 'message' && letterOf(message) === null,
    );
    if (!last || readOnly) return false;
    openEditor(last.id);
    return true;
  };
  /** Wherever the message is, on this branch or another. The editor itself takes the focus. */
  const openEditor = (message: MessageId) => {
    editing.set(message);
    if (!list.current?.toMessage(message, { focus: false, glow: false, block: 'nearest' })) jump(message);
  };

  const walk = (step: 1 | -1) => {
    const messages = branch.rows.flatMap((row) => (row.type === 'message' ? [row.message.id] : []));
    const focused = document.activeElement?.closest('[data-message-id]');
    const at = messages.indexOf(list.current?.current() as MessageId);
    const next = messages[focused ? at + step : Math.max(0, at)];
    if (next) list.current?.toMessage(next, { focus: true, glow: false, block: 'nearest' });
    return undefined;
  };
  const inFocused = (selector: string): boolean => {
    const message = document.activeElement?.closest('[data-message-id]');
    const target = message?.querySelector<HTMLElement>(selector);
    if (selector.includes('aria-expanded')) target?.click();
    target?.focus();
    return Boolean(target);
  };
  const togglePanel = () => {
    if (wide) setPanelWanted(!panelWanted);
    else setSheet(!sheet);
    return undefined;
  };
  useShortcuts({
    stop: () => {
      if (!busy) return false;
      app.chat.stop(id);
      return undefined;
    },
    focus: () => {
      session.composer.get()?.focus();
      return undefined;
    },
    panel: togglePanel,
    // An open bar answers for itself.
    find: () => {
      if (finding) return false;
      setFinding(true);
      return undefined;
    },
    messageNext: () => walk(1),
    messagePrevious: () => walk(-1),
    openRecall: () => (inFocused('[data-recall] button[aria-expanded]') ? undefined : false),
    openMessage: () => (inFocused('button') ? undefined : false),
  });

  /** Where there is no composer: what is being written and paid for goes on to its end, unless it is stopped. */
  const stop = busy && (
    <Button
      size="sm"
      icon={<Square size={11} fill="currentColor" aria-hidden />}
      aria-keyshortcuts="Escape"
      onClick={() => app.chat.stop(id)}
    >
      {t('stop')}
    </Button>
  );
  const panel = (
    <ContextPanel
      conversation={conversation}
      facts={facts}
      model={model}
      onJump={(message) => {
        setSheet(false);
        list.current?.toMessage(message, { focus: true, glow: true, block: 'center' });
      }}
      onOpen={(conversationId, target) => {
        setSheet(false);
        openElsewhere(conversationId, target);
      }}
      onShow={show}
      onFold={canFold ? fold : undefined}
      onLedger={(answer) => setShown({ type: 'ledger', answer })}
      onCheckpoint={readOnly || leaf === null ? undefined : (name) => checkpoint(leaf, name)}
      onRestore={restore}
      onCompare={(compareWith) => setShown({ type: 'worldlines', compareWith })}
      onWorldlines={() => setShown({ type: 'worldlines' })}
      {...(wide ? { onClose: () => setPanelWanted(false) } : {})}
    />
  );

  return (
    <div className="flex min-h-0 flex-1">
      <div className="relative flex min-w-0 flex-1 flex-col" {...(readOnly ? {} : drop.handlers)}>
        <Header
          line
          actions={
            <>
              <OfflineBadge />
              {conversation.meta.systemPrompt !== null && !readOnly && (
                <InstructionsButton set onClick={() => setInstructing(true)} />
              )}
              {!(wide && panelWanted) && (
                <IconButton
                  label={t('context.show')}
                  shortcut={panelKeys}
                  icon={<PanelRight size={17} aria-hidden />}
                  onClick={togglePanel}
                />
              )}
              {entry && (
                <Menu
                  keepFocus
                  trigger={<IconButton label={t('more')} icon={<Ellipsis size={17} aria-hidden />} />}
                  items={[
                    {
                      label: t('find.title'),
                      icon: <Search size={15} aria-hidden />,
                      shortcut: findKeys,
                      onSelect: () => setFinding(true),
                    },
                    ...(readOnly
                      ? []
                      : [
                          {
                            label: t('instructions.title'),
                            icon: <ScrollText size={15} aria-hidden />,
                            onSelect: () => setInstructing(true),
                          },
                        ]),
                    ...actions.menu(
                      entry,
                      () => setRenaming(true),
                      () => setErasing(true),
                    ),
                  ]}
                />
              )}
            </>
          }
        >
          {renaming && entry ? (
            <TitleField
              title={entry.title}
              onDone={(next) => {
                setRenaming(false);
                if (next !== null) actions.rename(entry, next);
              }}
              className="h-8 w-full max-w-120 rounded-sm border border-accent bg-paper px-2 font-semibold outline-none"
            />
          ) : (
            <h1 dir="auto" className="min-w-0 truncate font-semibold" title={title}>
              <button
                type="button"
                disabled={!entry || readOnly}
                onClick={() => setRenaming(true)}
                className="max-w-full truncate rounded-sm px-1.5 py-1 hover:not-disabled:bg-fill"
              >
                {title}
              </button>
            </h1>
          )}
        </Header>
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
        {messageId !== null && navigation.canGoBack && (
          <div
            role="status"
            className="flex shrink-0 items-center gap-2 border-memory-line border-y bg-memory-soft px-4 py-1 text-memory text-sm"
          >
            <History size={15} aria-hidden className="shrink-0" />
            <span className="min-w-0 flex-1 truncate">{isHead ? t('jumped') : t('jumpedBranch')}</span>
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
        )}
        <MessageActionsContext value={messageActions}>
          <EditingContext value={editing}>
            <EditsContext value={edits}>
              <BranchStepContext value={branchStep}>
                <FoundContext value={found}>
                  <MessageList
                    conversationId={id}
                    branch={branch}
                    handle={list}
                    running={runs ? <StreamingAnswer conversationId={id} begun={begun} /> : null}
                    after={
                      <>
                        {writing && !runs && turn.parentId !== null && (
                          <div className="my-3 flex items-center gap-3 text-branch text-sm">
                            <span className="flex-1">{t('answerElsewhere')}</span>
                            <Button size="sm" onClick={toHead}>
                              {t('showIt')}
                            </Button>
                          </div>
                        )}
                        {!readOnly && last?.role === 'user' && (
                          <Unanswered
                            key={last.id}
                            turn={turn}
                            askedAt={last.createdAt}
                            whence={whence(last.id)}
                            onAsk={() => {
                              if (!onlyTouch()) session.composer.get()?.focus();
                              regenerate(last.id);
                            }}
                          />
                        )}
                        {!busy && turn.replay && turn.replay.done > 0 && <ReplayEnd replay={turn.replay} />}
                        {!busy && <LossNotice conversationId={id} leaf={branch.leaf} onJump={jump} />}
                        {!busy && <FoldProblem conversationId={id} since={askedAt} />}
                        {!busy && turn.problem && <ProblemNotice className="my-3" problem={turn.problem} />}
                        <Outcomes place={id} shown={outcomes} askedAt={askedAt} />
                      </>
                    }
                  />
                </FoundContext>
              </BranchStepContext>
            </EditsContext>
          </EditingContext>
        </MessageActionsContext>
        {!readOnly && (
          <UnsavedEdits edits={edits} editing={editing} conversation={conversation} onOpen={openEditor} />
        )}
        <Announcer conversationId={id} />
        {newer ? (
          <div className="border-t bg-side px-4 py-3">
            <ProblemNotice
              className="mx-auto max-w-(--measure)"
              compact
              problem={NEWER}
              actions={
                <>
                  {stop}
                  <Button size="sm" onClick={() => location.reload()}>
                    {ts('reload')}
                  </Button>
                </>
              }
            />
          </div>
        ) : trashed ? (
          <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 border-t bg-side px-4 py-4 text-sm">
            <span className="flex items-center gap-3">
              <Trash2 size={16} aria-hidden className="shrink-0 text-ink-3" />
              {t('inTrash')}
            </span>
            <span className="flex gap-2">
              {stop}
              <Button size="sm" onClick={() => actions.restore(id)}>
                {t('restore')}
              </Button>
            </span>
          </div>
        ) : (
          <>
            {!busy && turn.queue.length > 0 && (
              <div
                role="status"
                className="mx-auto flex w-full max-w-(--measure) flex-wrap items-center gap-x-3 gap-y-1 px-5 pt-2 pb-5 text-ink-2 text-sm md:px-8"
              >
                <span className="min-w-0 flex-1 basis-60">{t('queueWaits')}</span>
                <Button size="sm" onClick={() => app.chat.sendQueued(id)}>
                  {t('queueGoOn')}
                </Button>
              </div>
            )}
            <Composer
              key={id}
              conversation={conversation}
              conversationId={id}
              onFold={canFold ? fold : undefined}
              turn={turn}
              first={branch.path.length === 0 && !temporary}
              send={send}
              runCommand={runLine}
              editLast={editLast}
              handle={composer}
            />
          </>
        )}
        {drop.over && !readOnly && <DropOverlay />}
      </div>
      {wide && panelWanted && (
        <aside
          aria-label={t('context.title')}
          className="relative w-(--panel-width) shrink-0 overflow-y-auto border-l bg-paper"
        >
          {panel}
        </aside>
      )}
      {!wide && (
        <Sheet open={sheet} onOpenChange={setSheet} title={t('context.title')} side="right">
          {panel}
        </Sheet>
      )}
      <ConversationWindows
        conversation={conversation}
        leaf={leaf}
        shown={shown}
        onClose={() => setShown(null)}
        onGo={show}
        onJump={jump}
        onSent={({ undo }) => {
          toHead();
          offer(tc('dmail.sent'), {
            label: tc('checkpoint.undo'),
            onClick: () => run(undo()),
          });
        }}
      />
      <InstructionsDialog
        open={instructing}
        onOpenChange={setInstructing}
        value={conversation.meta.systemPrompt}
        onSave={(systemPrompt) => run(app.documents.change(id, { meta: { systemPrompt } }))}
      />
      <EraseConfirm
        entry={(erasing && entry) || null}
        onClose={() => setErasing(false)}
        onErase={() => actions.erase([id])}
      />
    </div>
  );
}

/** Erased for good while it was looked at: its line was on the list and is not any more. Nothing else takes a line off. */
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
  if (state.state === 'open')
    return (
      <OpenedConversation conversation={state.conversation} whence={state.whence} messageId={messageId} />
    );
  if (state.state === 'failed' && !isTemporary(conversationId))
    return <MissingConversation id={conversationId} problem={state.problem} />;
  return (
    <>
      <Header>{null}</Header>
      {state.state === 'loading' ? <LoadingConversation /> : <TemporaryEnded />}
    </>
  );
}

function ConversationOrNone(props: { conversationId: ConversationId; messageId: MessageId | null }) {
  const erased = useErased(props.conversationId);
  // Where it comes back, as from another device that wrote on, it is opened anew.
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
