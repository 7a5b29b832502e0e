// Composer. Its words live in the text field, not in React, so that typing never waits for rendering.
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { toast } from 'sonner';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type Part, type RecalledPassage, textOf } from '../../domain/chat/message.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import { shortcutKeys } from '../../domain/settings/shortcuts.ts';
import { withoutEmptyEdges } from '../../domain/text/typed.ts';
import type { DraftFile } from '../../services/chat/composer-drafts.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { onlyTouch } from '../hooks/media.ts';
import { useModelInUse } from '../hooks/model.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { RecallChip, RecallChoice } from '../memory/recall-chip.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { takeEarlyWords } from '../shell/early-words.ts';
import { ErrorBoundary, loaded } from '../shell/error-boundary.tsx';
import { offer } from '../shell/offer.ts';
import { isComposing, keysOf, useShortcutKeys } from '../shell/shortcuts.ts';
import { CommandList, type CommandListHandle, isCommandLine } from './command-list.tsx';
import type { Shortening } from './compaction.tsx';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerNotices } from './composer-notices.tsx';
import { useMeterRing, useRecallChip } from './composer-parts.ts';
import type { MeterRing } from './context-meter.tsx';
import type { Dictator } from './dictating.ts';
import { DictationButton, DictationLine, useDictation, useHearsWords } from './dictation.tsx';
import { DocumentsBeingRead } from './documents-being-read.tsx';
import { below, inserted } from './draft.ts';
import { FileChips } from './file-chips.tsx';
import { filesGiven, type GivenFiles } from './file-drop.tsx';
import { LimitLine } from './limit-line.tsx';
import { ModelPicker } from './model-picker.tsx';
import { PersonaPicker, usePersona, usePickPersona } from './persona-picker.tsx';
import { type PromptLine, type SavedLine, savedLine } from './prompt-lines.ts';
import { Queue } from './queue.tsx';
import { sends } from './send-keys.ts';
import type { TurnView } from './turn-view.ts';
import { type Attachments, useAttachments } from './use-attachments.ts';
import { type ComposerDraft, nextFileId, useComposerDraft } from './use-composer-draft.ts';

export interface ComposerHandle {
  addFiles(given: GivenFiles): void;
}

/** `movedFrom`: last question that memory was asked; null: none yet. */
interface Offers {
  readonly movedFrom: string | null;
}

const PromptForm = loaded(() => import('./prompt-form.tsx').then((module) => module.PromptForm));
const NO_PASSAGES: readonly RecalledPassage[] = [];

export function Composer({
  conversation,
  conversationId,
  draftOf = conversationId,
  shorten,
  turn,
  offers,
  persona,
  send,
  runCommand,
  editLast,
  handle,
}: {
  /** Null on the empty page. */
  conversation: Conversation | null;
  conversationId: ConversationId | null;
  /** Owner of the draft if its conversation has not begun. */
  draftOf?: ConversationId | null;
  /** Absent if there is nothing to compact. */
  shorten?: Shortening | undefined;
  turn: TurnView;
  /** Lets memory offer passages for a first message, or one that leaves the topic `movedFrom`. Null: it may not. */
  offers: Offers | null;
  /** Persona of a conversation that has not begun; absent once it has. */
  persona?:
    | { readonly value: string | null; readonly onChange: (persona: string | null) => void }
    | undefined;
  /** Sends, or queues while an answer is written. Rejects if it was not kept; the words then return to the field. */
  send: (parts: readonly Part[], passages: RecallChoice) => Promise<void>;
  /** Resolves to false if the line could not be read: it returns to the field to be corrected. */
  runCommand: (line: string) => Promise<boolean>;
  /** False if there is nothing to edit. */
  editLast: () => boolean;
  handle: RefObject<ComposerHandle | null>;
}) {
  const app = useApp();
  const { t } = useTranslation('chat');
  const commandList = useRef<CommandListHandle>(null);
  const draft = useComposerDraft(draftOf, offers !== null);
  const { area, files, command } = draft;
  const attachments = useAttachments(draft);
  const offered = useOfferedPassages(draftOf);
  const dictator = useDictation(draft);
  const hasWords = useHearsWords(dictator) || draft.hasText;
  useComposerControl(draft, attachments.addFiles);
  useImperativeHandle(handle, () => ({ addFiles: attachments.addFiles }));
  const saved = useSaved(draft, usePickPersona(conversation, persona?.onChange));
  const takeSaved = saved.takeLine;
  const submit = useSubmit({ draft, dictator, attachments, offered, send, runCommand, takeSaved });
  const parts = useRestedParts(draft);
  const { choice } = useModelInUse(conversation);
  const chosenPersona = usePersona(persona ? persona.value : conversation?.meta.persona);
  const focusKeys = useShortcutKeys('focus');
  const busy = turn.status !== 'idle';
  const onKeyDown = useWordKeys({ commandList, hasFiles: files.length > 0, submit, editLast });

  return (
    <div className="before:-top-5 relative mx-auto w-full max-w-(--measure) px-3 pb-3 before:pointer-events-none before:absolute before:inset-x-0 before:h-5 before:bg-linear-to-t before:from-paper before:to-transparent md:px-5">
      <OfferedRecall
        {...{ draft, offered, conversationId, offers }}
        hasModel={choice !== null}
        persona={chosenPersona}
      />
      {conversationId !== null && <ComposerQueue id={conversationId} turn={turn} draft={draft} />}
      <ComposerForm area={area} onSubmit={submit}>
        {command !== null && (
          <CommandList
            ref={commandList}
            line={command}
            conversationId={conversationId}
            onTake={draft.setText}
            onSaved={saved.take}
            onClose={draft.closeCommand}
          />
        )}
        <FilledPrompt {...saved} />
        {choice !== null && <LimitLine />}
        <ComposerNotices conversation={conversation} draft={draft} attachments={attachments} />
        <ComposerFiles draft={draft} />
        <DocumentsBeingRead files={attachments.beingRead} />
        <DictationLine dictator={dictator} area={area} />
        <textarea
          ref={area}
          rows={1}
          dir="auto"
          autoComplete="off"
          aria-label={t('message')}
          aria-keyshortcuts={focusKeys}
          placeholder={t(
            busy ? 'placeholderQueue' : offers?.movedFrom === null ? 'placeholderFirst' : 'placeholder',
          )}
          onInput={attachments.input}
          onKeyDown={onKeyDown}
          onPaste={attachments.paste}
          enterKeyHint={onlyTouch() ? 'enter' : 'send'}
          className="reading block max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none [field-sizing:content]"
        />
        <ComposerBar
          busy={busy}
          canSend={(hasWords || files.length > 0) && attachments.beingRead.length === 0}
          onFiles={attachments.addFiles}
          onStop={() => conversationId && app.chat.stop(conversationId)}
        >
          {choice !== null && (
            <ErrorBoundary place="meter" window={() => null}>
              <LateMeterRing {...{ conversation, shorten }} draft={parts} announced={offered.announced} />
            </ErrorBoundary>
          )}
          <PersonaPicker conversation={conversation} {...(persona ?? {})} />
          <ModelPicker conversation={conversation} />
          <DictationButton dictator={dictator} />
        </ComposerBar>
      </ComposerForm>
    </div>
  );
}

/** Shows the form for a saved prompt with blanks. */
function FilledPrompt({ filling, insert, cancel }: ReturnType<typeof useSaved>) {
  if (!filling) return null;
  return (
    <ErrorBoundary place={filling.prompt.id}>
      <Suspense>
        <PromptForm key={filling.prompt.id} line={filling} onInsert={insert} onCancel={cancel} />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Offers passages for words that begin a conversation or change its subject. */
function OfferedRecall({
  draft,
  offered,
  conversationId,
  offers,
  hasModel,
  persona,
}: {
  draft: ComposerDraft;
  offered: ReturnType<typeof useOfferedPassages>;
  conversationId: ConversationId | null;
  offers: Offers | null;
  hasModel: boolean;
  persona: Persona | null;
}) {
  // Without a model, memory answers every later message anyway.
  const may = offers !== null && (offers.movedFrom === null || hasModel);
  if (!may || draft.recallText === '' || persona?.memory === 'none') return null;
  return (
    <div className="absolute inset-x-3 bottom-full z-10 pb-2 md:inset-x-5">
      <ErrorBoundary place="recall" window={() => null}>
        <LateRecallChip
          key={offered.returned}
          text={draft.recallText}
          conversationId={conversationId}
          movedFrom={offers.movedFrom}
          hasModel={hasModel}
          persona={persona}
          before={offered.latest()}
          onChange={offered.note}
        />
      </ErrorBoundary>
    </div>
  );
}

/** One can write and send without it: memory is asked when the message is sent. */
function LateRecallChip(props: ComponentProps<typeof RecallChip>) {
  const Chip = useRecallChip();
  return Chip && <Chip {...props} />;
}

/** Only a model has a window to fill. */
function LateMeterRing(props: ComponentProps<typeof MeterRing>) {
  const Ring = useMeterRing();
  return Ring && <Ring {...props} />;
}

/** Handles keys of the text field: first the list, then editing the last message, then sending. */
function useWordKeys({
  commandList,
  hasFiles,
  submit,
  editLast,
}: {
  commandList: RefObject<CommandListHandle | null>;
  hasFiles: boolean;
  submit: () => void;
  editLast: () => boolean;
}): (event: KeyboardEvent<HTMLTextAreaElement>) => void {
  const { settings } = useApp();
  return (event) => {
    if (isComposing(event.nativeEvent)) return;
    if (commandList.current?.onKey(event.nativeEvent)) {
      event.preventDefault();
      return;
    }
    const pressed = keysOf(event.nativeEvent);
    const config = settings.config.get();
    if (pressed === shortcutKeys(config, 'editLast') && event.currentTarget.value === '' && !hasFiles) {
      if (editLast()) event.preventDefault();
      return;
    }
    if (sends(event.nativeEvent, config)) {
      event.preventDefault();
      submit();
    }
  };
}

function ComposerFiles({ draft: { area, files, changeFiles, setText } }: { draft: ComposerDraft }) {
  const { t } = useTranslation('chat');
  return (
    <FileChips
      files={files}
      onTurnBack={({ id, pasted }) => {
        changeFiles((all) => all.filter((other) => other.id !== id));
        setText(below(area.current?.value ?? '', pasted ?? ''));
        area.current?.focus();
      }}
      onRemove={(file) => {
        const at = files.indexOf(file);
        changeFiles((all) => all.filter((other) => other.id !== file.id));
        offer(t('fileRemoved', { name: file.part.name ?? '' }), {
          label: t('undo'),
          onClick: () => changeFiles((all) => (all.includes(file) ? all : all.toSpliced(at, 0, file))),
        });
        // The button is gone, so focuses the text field, unless that would open an on-screen keyboard.
        if (!onlyTouch()) area.current?.focus();
      }}
    />
  );
}

/** Frame around the text field. The keys for sending work from any of its buttons, too. */
function ComposerForm({
  area,
  onSubmit,
  children,
}: {
  area: ComposerDraft['area'];
  onSubmit: () => void;
  children: ReactNode;
}) {
  const { settings } = useApp();
  return (
    <form
      className="relative rounded-2xl border border-line-strong bg-raised shadow-[0_1px_3px_rgb(0_0_0/0.04)] transition-colors focus-within:border-ink-3/70"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        // Accepts keys from any button of the form, but not from a dialog over the page.
        if (!event.currentTarget.contains(event.target as Node)) return;
        if (event.defaultPrevented || isComposing(event.nativeEvent)) return;
        if (keysOf(event.nativeEvent) !== shortcutKeys(settings.config.get(), 'send')) return;
        event.preventDefault();
        onSubmit();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) area.current?.focus();
      }}
    >
      {children}
    </form>
  );
}

/** Lists queued messages. Each can be moved back into the composer. */
function ComposerQueue({ id, turn, draft }: { id: ConversationId; turn: TurnView; draft: ComposerDraft }) {
  const { chat } = useApp();
  const { t } = useTranslation('chat');
  const { area, setText, changeFiles } = draft;
  const takeBack = ({ id: message, parts }: TurnView['queue'][number]) => {
    // If it was sent since it was drawn, it is in the conversation and must not become a draft.
    const { queue } = chat.turn(id).get();
    if (queue.every((queued) => queued.id !== message)) return;
    chat.editQueued(id, message, null);
    setText(below(area.current?.value ?? '', textOf({ parts })));
    changeFiles((all) => [
      ...all,
      ...parts.flatMap((part) => (part.type === 'file' ? [{ id: nextFileId(), part, pasted: null }] : [])),
    ]);
    area.current?.focus();
  };
  return (
    <Queue
      queue={turn.queue}
      busy={turn.status !== 'idle'}
      onSendNow={() => chat.sendQueued(id)}
      onEdit={takeBack}
      onDelete={(message) => {
        const putBack = chat.removeQueued(id, message);
        offer(t('queuedDeleted'), { label: t('undo'), onClick: putBack });
      }}
    />
  );
}

/** Takes over what was typed before the app started, and repeats the key press that could not be handled yet. */
function useEarlyWords({ area, setText }: ComposerDraft): void {
  useLayoutEffect(
    () =>
      takeEarlyWords(({ text, caret, isFocused, pressed }) => {
        setText(text, caret);
        // A phone focuses the first field from the start without opening its keyboard.
        if (isFocused && (text !== '' || !onlyTouch())) area.current?.focus();
        if (!pressed) return;
        const isTaken = !area.current?.dispatchEvent(
          new KeyboardEvent('keydown', { ...pressed, bubbles: true, cancelable: true }),
        );
        if (!isTaken) setText(`${text.slice(0, caret)}\n${text.slice(caret)}`, caret + 1);
      }),
    [area, setText],
  );
}

/**
 * Lets commands, the palette and shared text write into this composer, and takes the focus when a person
 * opens the conversation from the list or begins one.
 */
function useComposerControl(draft: ComposerDraft, addFiles: Attachments['addFiles']): void {
  const { area, keeper, owner, addFile, setText, setAside } = draft;
  const session = useSession();
  const latestAddFiles = useLatest(addFiles);
  useEarlyWords(draft);
  useLayoutEffect(() => {
    // Focuses the composer for a person who opened the conversation from the list, or began one.
    const from = document.activeElement;
    const leadsHere = from === document.body || from?.matches('[data-entry], [data-begins]');
    if (!onlyTouch() && leadsHere) area.current?.focus();
    const own = {
      focus: () => area.current?.focus(),
      insert: (text: string) => {
        const field = area.current;
        if (!field) return;
        const next = inserted(text, field);
        if (next.former !== '') setAside(next.former);
        setText(next.text, next.caret);
        field.focus();
      },
      addFiles: (files: readonly File[]) => latestAddFiles.current(filesGiven(files)),
      keep: async () => (await keeper.current?.keep()) ?? false,
      moveTo: async (conversation: ConversationId) => keeper.current?.move(conversation),
      attach: (place: ConversationId | null, file: DraftFile) => {
        if (place !== owner.current) return false;
        addFile(file);
        return true;
      },
    };
    session.composer.set(own);
    return () => {
      if (session.composer.get() === own) session.composer.set(null);
    };
  }, [session, area, keeper, owner, setText, setAside, addFile, latestAddFiles]);
}

/**
 * Passages that memory offers for the words, and the unticked ones, which stay unticked while one looks at the message
 * of a passage.
 */
function useOfferedPassages(draftOf: ConversationId | null) {
  const { unticked } = useSession();
  const place = draftOf ?? 'new';
  const choice = useRef<RecallChoice>({ withoutPassages: unticked.get(place) ?? [] });
  /** Counts how often unsent words came back: each time memory's offer is drawn again as it was. */
  const [returned, setReturned] = useState(0);
  /** Passages still ticked, for the context meter. */
  const [announced, setAnnounced] = useState<readonly RecalledPassage[]>(NO_PASSAGES);
  const note = useCallback(
    (next: RecallChoice) => {
      choice.current = next;
      if (next.announced) unticked.set(place, next.withoutPassages ?? []);
      const without = new Set<string>(next.withoutPassages ?? []);
      setAnnounced(
        next.announced?.passages.filter(({ messageId }) => !without.has(messageId)) ?? NO_PASSAGES,
      );
    },
    [unticked, place],
  );
  return {
    returned,
    announced,
    note,
    latest: () => choice.current,
    forget: () => {
      choice.current = {};
      unticked.delete(place);
    },
    /** Restores which passages were unticked. */
    giveBack: (former: RecallChoice) => {
      choice.current = former;
      setReturned((times) => times + 1);
    },
  };
}

/** Parts that would be sent, updated once typing pauses. */
function useRestedParts({ files, rested }: ComposerDraft): readonly Part[] {
  return useMemo(
    () => [...files.map((file) => file.part), ...(rested ? [{ type: 'text' as const, text: rested }] : [])],
    [files, rested],
  );
}

/**
 * Puts a saved prompt into the text once its blanks are filled, or lets a persona answer
 * from now on. Text already there stays.
 */
function useSaved({ area, wordsAside, setText }: ComposerDraft, pickPersona: (persona: Persona) => void) {
  const app = useApp();
  const [filling, setFilling] = useState<PromptLine | null>(null);
  const insert = (text: string) => {
    setFilling(null);
    const there = area.current?.value ?? '';
    setText(there.trim() === '' ? text : text === '' ? there : below(there, text));
    area.current?.focus();
  };
  const take = (line: SavedLine) => {
    setText(wordsAside());
    if ('persona' in line) {
      pickPersona(line.persona);
      insert(line.rest);
    } else if (line.blanks.length === 0) insert(line.prompt.text);
    else setFilling(line);
  };
  return {
    filling,
    insert,
    take,
    /** True if the line names a prompt or a persona. */
    takeLine: (line: string): boolean => {
      const found = savedLine(app, line);
      if (found) take(found);
      return found !== null;
    },
    cancel: () => {
      setFilling(null);
      area.current?.focus();
    },
  };
}

/** Sends the draft, or runs it as a command. Text that could not be sent comes back. */
function useSubmit({
  draft: { area, keeper, aside, filesNow, setText, wordsAside, changeFiles, replaceFiles, ...draft },
  dictator,
  attachments,
  offered,
  send,
  runCommand,
  takeSaved,
}: {
  draft: ComposerDraft;
  /** Null if dictation is not available. */
  dictator: Dictator | null;
  attachments: Attachments;
  offered: ReturnType<typeof useOfferedPassages>;
  send: (parts: readonly Part[], passages: RecallChoice) => Promise<void>;
  runCommand: (line: string) => Promise<boolean>;
  takeSaved: (line: string) => boolean;
}): () => void {
  const report = useReport();
  const { t } = useTranslation('chat');
  const runLine = (line: string) => {
    const former = wordsAside();
    setText(former);
    keeper.current?.flush();
    runCommand(line).then((done) => {
      if (done || area.current?.value !== former) return;
      if (former !== '') aside.current.push(former);
      setText(line);
      // The list would cover the problem; the next key opens it again.
      draft.closeCommand();
    }, report);
  };
  const sendMessage = (text: string, sent: readonly DraftFile[]) => {
    const parts: Part[] = sent.map((file) => file.part);
    if (text) parts.push({ type: 'text', text });
    setText(wordsAside());
    replaceFiles(() => []);
    draft.forgetRecallText();
    const passages = offered.latest();
    send(parts, passages).then(
      () => keeper.current?.flush(),
      (error: unknown) => {
        // These words exist nowhere else: they return to the field, before what was typed meanwhile.
        if (area.current) {
          const since = area.current.value;
          setText([text, since].filter((words) => words.trim() !== '').join('\n\n'));
          changeFiles((all) => [...sent, ...all]);
          offered.giveBack(passages);
        }
        report(error);
      },
    );
    offered.forget();
  };
  return () => {
    // Words still being dictated belong to this message.
    dictator?.take();
    dictator?.dismiss();
    if (!area.current) return;
    const line = area.current.value.trim();
    const text = withoutEmptyEdges(area.current.value);
    if (attachments.beingRead.length > 0) {
      toast(t('reading.wait'));
      return;
    }
    attachments.dismissRefused();
    attachments.dismissExports();
    if (isCommandLine(line) && takeSaved(line)) return;
    if (isCommandLine(line)) runLine(line);
    else if (text || filesNow.current.length > 0) sendMessage(text, filesNow.current);
  };
}
