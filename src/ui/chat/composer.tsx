// Where one writes. The words live in the text field itself, not in React: typing never waits for the page.
import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type Part, type RecalledPassage, textOf } from '../../domain/chat/message.ts';
import { shortcutKeys } from '../../domain/settings/shortcuts.ts';
import type { DraftFile } from '../../services/chat/written.ts';
import { useApp } from '../hooks/app.tsx';
import { onlyTouch } from '../hooks/media.ts';
import { useModelInUse } from '../hooks/model.ts';
import { useSession } from '../hooks/session.tsx';
import { RecallChip, type RecallChoice } from '../memory/recall-chip.tsx';
import { Button, classes, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { isComposing, keysOf, useShortcutKeys } from '../shell/shortcuts.ts';
import { attach, fitsField, LONG_PASTE, MAX_FILES, picturesOfWords, textPart } from './attachments.ts';
import { type CommandLine, CommandShelf, type CommandShelfHandle, isCommandLine } from './command-shelf.tsx';
import { addToDraft, below, createDraftKeeper, inserted, keptWords, takeDraft } from './draft.ts';
import { FileChips } from './file-chips.tsx';
import { filesGiven, type GivenFiles } from './file-drop.tsx';
import { GaugeRing, useNextRequest } from './gauge.tsx';
import { ModelPicker } from './model-picker.tsx';
import { Queue } from './queue.tsx';
import { sends } from './send-keys.ts';
import type { TurnView } from './turn-view.ts';

export interface ComposerHandle {
  addFiles(given: GivenFiles): void;
}

const NO_PASSAGES: readonly RecalledPassage[] = [];

let serial = 0;
const nextId = (): string => {
  serial += 1;
  return `file-${serial}`;
};

/** The field is as tall as its words, up to 40 % of the window; the browser does it where it can. */
const SIZES_ITSELF = CSS.supports('field-sizing', 'content');
function fitHeight(area: HTMLTextAreaElement): void {
  if (SIZES_ITSELF) return;
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}

/** At most this many names of files are told at once. */
const TOLD = 3;
const namesOf = (names: readonly string[]): string =>
  `${names.slice(0, TOLD).join(', ')}${names.length > TOLD ? ' …' : ''}`;

export function Composer({
  conversation,
  conversationId,
  draftOf = conversationId,
  onFold,
  turn,
  first,
  send,
  runCommand,
  editLast,
  handle,
}: {
  /** Null on the empty page. */
  conversation: Conversation | null;
  conversationId: ConversationId | null;
  /** Whose draft the words are, where that is one which has not begun. */
  draftOf?: ConversationId | null;
  /** Absent where there is nothing to fold. */
  onFold?: (() => void) | undefined;
  turn: TurnView;
  /** The first message of a conversation: memory offers what it has. */
  first: boolean;
  /** Sends, or queues while an answer is being written. Rejects where the words are not in the conversation, and come back. */
  send: (parts: readonly Part[], passages: RecallChoice) => Promise<void>;
  /** False where the line could not be read: it comes back to be mended. */
  runCommand: (line: string) => Promise<boolean>;
  /** False where there is nothing to edit. */
  editLast: () => boolean;
  handle: RefObject<ComposerHandle | null>;
}) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const report = useReport();
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const shelf = useRef<CommandShelfHandle>(null);
  const [files, setFiles] = useState<readonly DraftFile[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  /** Files that may be exported conversations. */
  const [exports, setExports] = useState<GivenFiles['exports']>(null);
  const [hasText, setHasText] = useState(false);
  /** The line while it is a command, else null: plain words cause no drawing. */
  const [command, setCommand] = useState<CommandLine | null>(null);
  const [recallText, setRecallText] = useState('');
  /** The words after they rested, for the gauge. */
  const [rested, setRested] = useState('');
  const passages = useRef<RecallChoice>({});
  /** How often words came back that could not be sent: each time memory's offer is drawn anew, as it was for them. */
  const [returned, setReturned] = useState(0);
  /** Of those the ones that are not ticked off, for the gauge. */
  const [announced, setAnnounced] = useState<readonly RecalledPassage[]>(NO_PASSAGES);
  const filesNow = useRef(files);
  filesNow.current = files;
  const busy = turn.status !== 'idle';
  const focusKeys = useShortcutKeys('focus');
  const canSend = hasText || files.length > 0;

  const keeper = useRef<ReturnType<typeof createDraftKeeper> | null>(null);
  const recallTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** Words that commands put in from elsewhere took the place of, newest last: they come back after them. */
  const aside = useRef<string[]>([]);
  const withdrawOffer = useRef<() => void>(() => undefined);
  const wordsAside = useCallback((): string => {
    withdrawOffer.current();
    return aside.current.pop() ?? '';
  }, []);
  const draftsOwner = useRef(draftOf);
  draftsOwner.current = draftOf;
  const isFirst = useRef(first);
  isFirst.current = first;

  /** After the words changed, by whomever. */
  const changed = useCallback(() => {
    const field = area.current;
    if (!field) return;
    const { value } = field;
    fitHeight(field);
    setHasText(value.trim() !== '');
    setCommand(isCommandLine(value) ? { text: value, caret: field.selectionStart } : null);
    keeper.current?.changed();
    clearTimeout(recallTimer.current);
    recallTimer.current = setTimeout(() => {
      const words = isCommandLine(value) ? '' : value.trim();
      setRested(words);
      if (isFirst.current) setRecallText(words);
    }, 250);
  }, []);
  const setText = useCallback(
    (value: string, caret = value.length) => {
      const field = area.current;
      if (!field) return;
      field.value = value;
      field.setSelectionRange(caret, caret);
      changed();
    },
    [changed],
  );

  useEffect(() => {
    const { written } = app.chat;
    // When all this goes away the reference is empty already, and the field still has the words.
    const field = area.current;
    const own = createDraftKeeper(written, draftsOwner.current, () => {
      const shown = field?.value ?? '';
      return { text: keptWords(shown, isCommandLine(shown), aside.current), files: filesNow.current };
    });
    keeper.current = own;
    let here = true;
    takeDraft(written, draftsOwner.current).then(
      (draft) => {
        if (!here || !draft || !field) return;
        // Named anew: the names of an earlier page are given again in this one.
        const read = draft.files.map((file) => ({ ...file, id: nextId() }));
        setFiles((added) => [...read, ...added]);
        // Who wrote while the draft was read goes on with it; a command that was put in goes first.
        if (isCommandLine(field.value)) {
          if (draft.text !== '') aside.current.unshift(draft.text);
          own.changed();
        } else setText([draft.text, field.value].filter((words) => words !== '').join('\n\n'));
      },
      () => undefined,
    );
    return () => {
      here = false;
      clearTimeout(recallTimer.current);
      own.close();
      keeper.current = null;
    };
  }, [app, setText]);
  useEffect(() => {
    void keeper.current?.move(draftOf);
  }, [draftOf]);

  // Files come and go seldom, and nothing notes them when a page is left: they do not wait for a pause in writing. What is sent is no such
  // change: its draft goes when the message is kept.
  const hasNewFiles = useRef(false);
  useEffect(() => {
    if (hasNewFiles.current) keeper.current?.flush();
    hasNewFiles.current = false;
  });
  const changeFiles = useCallback((change: (files: readonly DraftFile[]) => readonly DraftFile[]) => {
    hasNewFiles.current = true;
    setFiles(change);
    keeper.current?.changed();
  }, []);
  const add = useCallback(
    (file: DraftFile) => {
      filesNow.current = [...filesNow.current, file];
      changeFiles((all) => [...all, file]);
    },
    [changeFiles],
  );

  useLayoutEffect(() => {
    // Who opened a conversation from the list goes on here.
    const from = document.activeElement;
    if (!onlyTouch() && (from === document.body || from?.matches('[data-entry]'))) area.current?.focus();
    const own = {
      focus: () => area.current?.focus(),
      insert: (text: string) => {
        const field = area.current;
        if (!field) return;
        const next = inserted(text, field);
        const { former } = next;
        if (former !== '') {
          aside.current.push(former);
          withdrawOffer.current();
          withdrawOffer.current = offer(t('setAside'), {
            label: t('undo'),
            onClick: () => {
              if (aside.current.at(-1) === former) setText(wordsAside());
            },
          });
        }
        setText(next.text, next.caret);
        field.focus();
      },
      moveTo: async (conversation: ConversationId) => keeper.current?.move(conversation),
      attach: (place: ConversationId | null, file: DraftFile) => {
        if (place !== draftsOwner.current) return false;
        add(file);
        return true;
      },
    };
    session.composer.set(own);
    return () => {
      if (session.composer.get() === own) session.composer.set(null);
    };
  }, [session, setText, t, wordsAside, add]);

  const draft = useMemo<readonly Part[]>(
    () => [...files.map((file) => file.part), ...(rested ? [{ type: 'text' as const, text: rested }] : [])],
    [files, rested],
  );
  const { choice, missing } = useModelInUse(conversation);
  const next = useNextRequest(conversation, draft, announced);

  const addFiles = useCallback(
    async (given: GivenFiles) => {
      const refusals: string[] = [];
      setExports((before) => given.exports ?? before);
      for (const file of given.files) {
        if (filesNow.current.length >= MAX_FILES) {
          refusals.push(t('refused.tooMany', { count: MAX_FILES }));
          break;
        }
        const result = await attach(file);
        if (result.ok) {
          const entry = { id: nextId(), part: result.part, pasted: null };
          const place = draftsOwner.current;
          if (area.current) add(entry);
          // Read while the person has gone elsewhere: it waits where it was given.
          else
            await addToDraft(
              app.chat.written,
              place,
              entry,
              () => session.composer.get()?.attach(place, entry) ?? false,
            );
        } else refusals.push(t(`refused.${result.reason}`, { name: result.name }));
      }
      if (!area.current && refusals.length > 0) toast.error(refusals.join(' '));
      setRefused(refusals);
      area.current?.focus();
    },
    [add, app, session, t],
  );
  useImperativeHandle(handle, () => ({
    addFiles: (given) => {
      addFiles(given).catch(report);
    },
  }));

  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    if (pasted.length > 0 && !picturesOfWords(pasted, text)) {
      event.preventDefault();
      addFiles(filesGiven(pasted)).catch(report);
      return;
    }
    if (text.length <= LONG_PASTE) return;
    event.preventDefault();
    changeFiles((all) => [...all, { id: nextId(), part: textPart(text, t('pastedName')), pasted: text }]);
  };

  /** What is too long for the field is moved out of it before the browser lays it out: dropped into it, or written by an extension. */
  const onInput = () => {
    const field = area.current;
    if (field && !fitsField(field.value)) {
      const text = field.value;
      field.value = '';
      changeFiles((all) => [...all, { id: nextId(), part: textPart(text, t('pastedName')), pasted: text }]);
    }
    if (field?.value === '' && aside.current.length > 0) setText(wordsAside());
    else changed();
  };

  const submit = () => {
    const field = area.current;
    if (!field) return;
    const text = field.value.trim();
    const sent = filesNow.current;
    setRefused([]);
    setExports(null);
    if (isCommandLine(text)) {
      const former = wordsAside();
      setText(former);
      keeper.current?.flush();
      runCommand(text).then((done) => {
        if (done || area.current?.value !== former) return;
        if (former !== '') aside.current.push(former);
        setText(text);
        // The shelf would stand before what went wrong; the next key opens it.
        setCommand(null);
      }, report);
      return;
    }
    if (!text && sent.length === 0) return;
    const parts: Part[] = sent.map((file) => file.part);
    if (text) parts.push({ type: 'text', text });
    setText(wordsAside());
    setFiles([]);
    filesNow.current = [];
    setRecallText('');
    const offered = passages.current;
    send(parts, offered).then(
      () => keeper.current?.flush(),
      (error: unknown) => {
        // They are nowhere else: the words come back to where they were, before what was written meanwhile.
        if (area.current) {
          const since = area.current.value;
          setText([text, since].filter((words) => words.trim() !== '').join('\n\n'));
          changeFiles((all) => [...sent, ...all]);
          // What was ticked off of memory's offer is so again.
          passages.current = offered;
          setReturned((times) => times + 1);
        }
        report(error);
      },
    );
    passages.current = {};
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event.nativeEvent)) return;
    if (shelf.current?.onKey(event.nativeEvent)) {
      event.preventDefault();
      return;
    }
    const pressed = keysOf(event.nativeEvent);
    const config = app.settings.config.get();
    if (
      pressed === shortcutKeys(config, 'editLast') &&
      event.currentTarget.value === '' &&
      files.length === 0
    ) {
      if (editLast()) event.preventDefault();
      return;
    }
    if (sends(event.nativeEvent, config)) {
      event.preventDefault();
      submit();
    }
  };

  /** Takes a queued message back to be written on. */
  const takeBack = ({ id, parts }: TurnView['queue'][number]) => {
    if (conversationId === null) return;
    // Sent since it was drawn: it stands in the conversation, and is no draft as well.
    if (
      app.chat
        .turn(conversationId)
        .get()
        .queue.every((queued) => queued.id !== id)
    )
      return;
    app.chat.editQueued(conversationId, id, null);
    const text = textOf({ parts });
    setText(below(area.current?.value ?? '', text));
    changeFiles((all) => [
      ...all,
      ...parts.flatMap((part) => (part.type === 'file' ? [{ id: nextId(), part, pasted: null }] : [])),
    ]);
    area.current?.focus();
  };

  const placeholder = busy ? t('placeholderQueue') : first ? t('placeholderFirst') : t('placeholder');
  const onPassages = useCallback((choice: RecallChoice) => {
    passages.current = choice;
    const { announced, withoutPassages = [] } = choice;
    const without = new Set<string>(withoutPassages);
    setAnnounced(announced?.passages.filter(({ messageId }) => !without.has(messageId)) ?? NO_PASSAGES);
  }, []);

  return (
    <div className="before:-top-5 relative mx-auto w-full max-w-(--measure) px-3 pb-3 before:pointer-events-none before:absolute before:inset-x-0 before:h-5 before:bg-linear-to-t before:from-paper before:to-transparent md:px-5">
      {first && recallText !== '' && (
        <div className="absolute inset-x-3 bottom-full z-10 pb-2 md:inset-x-5">
          <RecallChip
            key={returned}
            text={recallText}
            conversationId={conversationId}
            hasModel={choice !== null}
            before={passages.current}
            onChange={onPassages}
          />
        </div>
      )}
      {conversationId !== null && (
        <Queue
          queue={turn.queue}
          busy={busy}
          onSendNow={() => app.chat.sendQueued(conversationId)}
          onEdit={takeBack}
          onDelete={(id) => app.chat.editQueued(conversationId, id, null)}
        />
      )}
      <form
        className="relative rounded-2xl border border-line-strong bg-raised shadow-[0_1px_3px_rgb(0_0_0/0.04)] transition-colors focus-within:border-ink-3/70"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={(event) => {
          // From any button of it, too; not from a dialog that lies over the page.
          if (!event.currentTarget.contains(event.target as Node)) return;
          if (event.defaultPrevented || isComposing(event.nativeEvent)) return;
          if (keysOf(event.nativeEvent) !== shortcutKeys(app.settings.config.get(), 'send')) return;
          event.preventDefault();
          submit();
        }}
        onClick={(event) => {
          if (event.target === event.currentTarget) area.current?.focus();
        }}
      >
        {command !== null && (
          <CommandShelf
            ref={shelf}
            line={command}
            conversationId={conversationId}
            onTake={setText}
            onClose={() => setCommand(null)}
          />
        )}
        {missing !== null && (
          <p role="status" className="border-b px-4 py-2 text-ink-2 text-sm [overflow-wrap:anywhere]">
            {choice
              ? t('modelMissing', { missing, model: choice.model })
              : t('modelMissingMemory', { missing })}
          </p>
        )}
        {refused.length > 0 && (
          <div role="alert" className="flex items-start gap-2 border-b px-4 py-2 text-danger text-sm">
            <span className="min-w-0 flex-1">{refused.join(' ')}</span>
            <IconButton
              size="sm"
              label={t('close')}
              icon={<X size={14} aria-hidden />}
              onClick={() => setRefused([])}
            />
          </div>
        )}
        {exports && (
          <div role="status" className="flex items-center gap-2 border-b px-4 py-2 text-sm">
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              {t('export.ask', { names: namesOf(exports.names) })}
            </span>
            <Button
              size="sm"
              onClick={() => {
                setRefused([]);
                setExports(null);
                changeFiles((all) => all.filter(({ part }) => !exports.names.includes(part.name ?? '')));
                session.dropped.set(exports.files);
                session.floating.set('import');
              }}
            >
              {t('export.import')}
            </Button>
            <IconButton
              size="sm"
              label={t('close')}
              icon={<X size={14} aria-hidden />}
              onClick={() => setExports(null)}
            />
          </div>
        )}
        <FileChips
          files={files}
          onTurnBack={({ id, pasted }) => {
            changeFiles((all) => all.filter((other) => other.id !== id));
            setText(below(area.current?.value ?? '', pasted ?? ''));
            area.current?.focus();
          }}
          onRemove={({ id }) => {
            changeFiles((all) => all.filter((other) => other.id !== id));
            // The button is gone: the focus goes to the words, but no keyboard comes up for that.
            if (!onlyTouch()) area.current?.focus();
          }}
        />
        <textarea
          ref={area}
          rows={1}
          dir="auto"
          aria-label={t('message')}
          aria-keyshortcuts={focusKeys}
          placeholder={placeholder}
          onInput={onInput}
          onKeyDown={onKeyDown}
          onPaste={paste}
          enterKeyHint={onlyTouch() ? 'enter' : 'send'}
          className="reading block max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none [field-sizing:content]"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              addFiles(filesGiven([...(event.target.files ?? [])])).catch(report);
              event.target.value = '';
            }}
          />
          <IconButton
            label={t('attach')}
            tooltipSide="top"
            icon={<Paperclip size={17} aria-hidden />}
            onClick={() => picker.current?.click()}
          />
          <span className="flex-1" />
          <GaugeRing next={next} onFold={onFold} />
          <ModelPicker conversation={conversation} />
          {busy && (
            <IconButton
              label={t('stop')}
              shortcut="Escape"
              tooltipSide="top"
              icon={<Square size={13} fill="currentColor" aria-hidden />}
              onClick={() => conversationId && app.chat.stop(conversationId)}
              className="rounded-full! bg-ink! text-paper!"
            />
          )}
          {(!busy || canSend) && (
            <button
              type="submit"
              disabled={!canSend}
              aria-label={busy ? t('queueIt') : t('send')}
              className={classes(
                'touchable inline-flex size-8 shrink-0 items-center justify-center rounded-full transition-colors',
                canSend ? 'bg-accent text-on-accent hover:bg-accent-hover' : 'bg-press text-ink-3',
              )}
            >
              <ArrowUp size={17} aria-hidden />
            </button>
          )}
        </div>
      </form>
    </div>
  );
}
