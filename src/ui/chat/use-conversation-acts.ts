// A person's actions in an open conversation, from its messages, panel, composer and dialogs.
import { useMemo } from 'react';
import { asConversationId, asMessageId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import type { ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import { keptChange } from '../../domain/chat/kept.ts';
import { type Message, type Part, textOf } from '../../domain/chat/message.ts';
import { withoutEmptyEdges } from '../../domain/text/typed.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { RegenerateOptions } from '../../services/chat/chat.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import type { RecallChoice } from '../memory/recall-chip.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { type Shortening, useCompactionDone } from './compaction.tsx';
import type { ConversationWindow } from './conversation-windows.tsx';
import { useDeleteMessage } from './delete-message.ts';
import type { MessageActions } from './message-actions.ts';
import type { Opened } from './opened.ts';

/** Longest part of a message used as its name, characters. */
const MOST_TITLE = 160;

export type ConversationActs = ReturnType<typeof useAnswerActs> &
  ReturnType<typeof usePlaceActs> &
  ReturnType<typeof useEditActs>;

/** `run` reports failures. */
function useRun(): (work: Promise<unknown>) => void {
  const report = useReport();
  return (work) => {
    work.catch(report);
  };
}

/**
 * Collects the actions on a conversation's messages: asking again, moving the head, editing.
 * Failures are reported to the person.
 */
export function useConversationActs(opened: Opened): ConversationActs {
  const answers = useAnswerActs(opened);
  const places = usePlaceActs(opened);
  return { ...answers, ...places, ...useEditActs(opened, places.jump) };
}

/** Asks for answers and compacts. */
function useAnswerActs({ id, conversation, list, settleHead, readOnly, model, branch }: Opened) {
  const app = useApp();
  const run = useRun();
  const done = useCompactionDone(id);
  const regenerate = (answer: MessageId, options?: RegenerateOptions) => {
    list.current?.toEnd();
    run(settleHead().then(() => app.chat.regenerate(id, answer, options)));
  };
  const searchAgain: MessageActions['searchAgain'] = (text, injected, signal) =>
    app.memory.recall({
      text,
      from: id,
      currentConversation: id,
      persona: app.prompts.personaOf(conversation),
      ...(injected ? { purpose: 'inject' as const } : {}),
      signal,
    });
  const goOn = (answer: MessageId) => {
    list.current?.toEnd();
    run(settleHead().then(() => app.chat.goOn(id, answer)));
  };
  const shorten: Shortening = {
    now: () => run(app.context.compact(id).then(done)),
    withOptions: () => run(app.context.compact(id, { preview: true }).then(done)),
  };
  const send = async (parts: readonly Part[], passages: RecallChoice) => {
    await settleHead();
    await app.chat.send({ conversationId: id, parts, ...passages });
    list.current?.toEnd();
  };
  const canCompact = !readOnly && model !== null && branch.path.length > 2;
  return { regenerate, searchAgain, goOn, send, shorten: canCompact ? shorten : undefined };
}

/** Jumps to places in the conversation and marks them. */
function usePlaceActs({ id, toHead }: Opened) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('context');
  const navigation = useNavigation();
  const run = useRun();
  const openMessage = (conversationId: string, target: string) =>
    navigation.openConversation(asConversationId(conversationId), asMessageId(target), { foundBy: 'memory' });
  const jump = (message: MessageId) => navigation.openConversation(id, message);
  const checkpoint = (message: MessageId, name?: string) => {
    run(
      app.context.checkpoint(id, name, message).then(({ name, moved, undo }) =>
        offer(t(moved ? 'checkpoint.moved' : 'checkpoint.set', { name }), {
          label: t('checkpoint.undo'),
          onClick: () => run(undo()),
        }),
      ),
    );
  };
  const keep = (message: MessageId, kept: boolean) => {
    const set = (on: boolean) => app.documents.change(id, { meta: keptChange(message, on) });
    run(
      set(kept).then(() =>
        offer(t(kept ? 'kept.marked' : 'kept.unmarked'), {
          label: t('kept.undo'),
          onClick: () => run(set(!kept)),
        }),
      ),
    );
  };
  const restore = ({ kind, name: given, firstLine, messageId }: ListedCheckpoint) => {
    const name = kind === 'named' ? given : plainLine(firstLine) || given;
    toHead();
    run(
      app.context.restore(id, messageId).then(({ undo }) =>
        offer(t('checkpoint.restored', { name }), {
          label: t('checkpoint.undo'),
          onClick: () => run(undo()),
        }),
      ),
    );
  };
  /** Reports a sent D-Mail. */
  const sentBack = ({ undo }: { undo: () => Promise<void> }) => {
    toHead();
    offer(t('dmail.sent'), { label: t('checkpoint.undo'), onClick: () => run(undo()) });
  };
  const forget = (message: Message) =>
    session.forgetting.set({
      sought: { kind: 'message', conversation: id, message: message.id },
      title: startOf(textOf(message), MOST_TITLE),
    });
  return { openMessage, jump, checkpoint, keep, restore, sentBack, forget, remove: useDeleteMessage(id) };
}

/** Rewords messages. */
function useEditActs(
  { id, list, toHead, edits, editing, branch, readOnly }: Opened,
  jump: (message: MessageId) => void,
) {
  const app = useApp();
  const run = useRun();
  const edit = (message: Message, text: string, rerun: boolean) => {
    const parts: Part[] = message.parts.filter((part) => part.type !== 'text');
    const words = text === textOf(message) ? text : withoutEmptyEdges(text);
    if (words.trim() !== '') parts.push({ type: 'text', text: words });
    toHead();
    if (rerun) list.current?.toEnd();
    run(edits.save(message.id, text, app.chat.edit(id, message.id, parts, rerun)));
  };
  /** Finds the message on any branch. The editor takes the focus by itself. */
  const openEditor = (message: MessageId) => {
    editing.set(message);
    if (!list.current?.toMessage(message, { focus: false, glow: false, block: 'nearest' })) jump(message);
  };
  const editLast = (): boolean => {
    const last = branch.path.findLast(
      (message) => message.role === 'user' && message.kind === 'message' && dmailNoteOf(message) === null,
    );
    if (!last || readOnly) return false;
    openEditor(last.id);
    return true;
  };
  return { edit, openEditor, editLast };
}

/** One stable object for all messages: its functions use the current screen without rendering the messages again. */
export function useMessageActions(
  { id, busy, readOnly, model, show }: Opened,
  acts: ConversationActs,
  onWindow: (window: ConversationWindow) => void,
): MessageActions {
  const { openScreen } = useNavigation();
  const latest = useLatest({ ...acts, show, openScreen, onWindow });
  const hasModel = model !== null;
  const isKept = !isTemporary(id);
  return useMemo<MessageActions>(
    () => ({
      open: (conversationId, target) => latest.current.openMessage(conversationId, target),
      show: (sibling) => latest.current.show(sibling),
      regenerate: (answer, options) => latest.current.regenerate(answer, options),
      searchAgain: (...asked) => latest.current.searchAgain(...asked),
      goOn: (answer) => latest.current.goOn(answer),
      edit: (message, text, rerun) => latest.current.edit(message, text, rerun),
      jump: (message) => latest.current.jump(message),
      checkpoint: (message) => latest.current.checkpoint(message),
      keep: (message, kept) => latest.current.keep(message, kept),
      askAnother: (answer) => latest.current.onWindow({ type: 'askAnother', answer }),
      compare: (answer) => latest.current.onWindow({ type: 'compare', answer }),
      remove: (message) => latest.current.remove(message),
      sendBack: (message, callId) => latest.current.onWindow({ type: 'sendBack', message, callId }),
      showManifest: (answer) => latest.current.onWindow({ type: 'manifest', answer }),
      forget: isKept ? (message) => latest.current.forget(message) : null,
      connectModel: () => latest.current.openScreen('settings', 'models'),
      canAsk: !busy,
      canWrite: !readOnly,
      hasModel,
    }),
    [busy, readOnly, hasModel, isKept, latest],
  );
}
