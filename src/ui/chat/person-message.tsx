// A person's message: a tinted block at the right, with its editor. A D-Mail of a model is drawn here, too.
import { CornerDownRight, Mail, Pencil, Pin } from 'lucide-react';
import { Fragment, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { restoreLineBreaks } from '../../domain/text/typed.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { onlyTouch } from '../hooks/media.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, IconButton } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import { SentText } from '../shell/private-text.tsx';
import { isComposing } from '../shell/shortcuts.ts';
import { DrawnOrPlain } from './drawn-or-plain.tsx';
import { FilePart } from './file-part.tsx';
import { fencedPieces } from './markdown/parse.ts';
import { Markdown } from './markdown.tsx';
import { EditingContext, EditsContext, FoundContext, useActions } from './message-actions.ts';
import { CopyButton, RarerTools, SiblingArrows, Stamp, TOOL_ROW } from './message-tools.tsx';
import type { Siblings } from './rows.ts';
import { sends } from './send-keys.ts';

/**
 * A person's text as written, with its line breaks, because people rarely mean Markdown as layout; fenced code is code.
 */
function PersonWords({ text, found }: { text: string; found: boolean }) {
  const { t } = useTranslation('chat');
  const long = text.length > 3000 || text.split('\n').length > 24;
  const [opened, setOpen] = useState(false);
  const open = opened || found;
  return (
    <>
      <div
        className={classes(
          'reading whitespace-pre-wrap [overflow-wrap:anywhere]',
          long && !open && 'max-h-72 overflow-hidden [mask-image:linear-gradient(#000_75%,transparent)]',
        )}
      >
        {fencedPieces(!open && text.length > 20_000 ? text.slice(0, 20_000) : text).map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces belong to a text that never changes
          <Fragment key={at}>
            {piece.fenced ? (
              <Markdown text={piece.text} />
            ) : (
              // Each line has its own direction, as in the field it was typed in.
              <p dir="auto" className="[unicode-bidi:plaintext]">
                <SentText text={piece.text} />
              </p>
            )}
          </Fragment>
        ))}
      </div>
      {long && (
        <Button size="sm" variant="ghost" className="mt-1 -ml-2" onClick={() => setOpen(!open)}>
          {open ? t('showLess') : t('showMore')}
        </Button>
      )}
    </>
  );
}

function Editor({
  message,
  onDone,
  onReopen,
}: {
  message: Message;
  /** `away`: the focus has already moved elsewhere. */
  onDone: (away: boolean) => void;
  onReopen: () => void;
}) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const app = useApp();
  const session = useSession();
  const edits = useContext(EditsContext);
  const field = useRef<HTMLTextAreaElement>(null);
  /**
   * Element that opened the editor, to focus when the editor closes; may be gone by
   * then, as the message's own button is.
   */
  const from = useRef<Element | null>(null);
  const original = textOf(message);
  const [begun] = useState(() => edits?.textOf(message.id) ?? original);
  useEffect(() => {
    const area = field.current;
    if (!area) return;
    if (document.activeElement !== area) from.current = document.activeElement;
    area.focus({ preventScroll: true });
    area.setSelectionRange(area.value.length, area.value.length);
  }, []);
  useEffect(
    () =>
      app.forget.onForgetting(({ hide }) => {
        const area = field.current;
        const left = hide(area?.value ?? '');
        if (area && left.redacted > 0) area.value = left.text;
      }),
    [app],
  );
  const written = () => (field.current ? restoreLineBreaks(field.current.value, original) : original);
  const save = (rerun: boolean) => {
    const text = written();
    if (rerun && !actions.canAsk) return;
    if (text.trim() || message.parts.some((part) => part.type === 'file')) {
      actions.edit(message, text, rerun);
      if (!onlyTouch()) session.composer.get()?.focus();
      onDone(true);
    }
  };
  const drop = () => {
    const text = written();
    edits?.drop(message.id);
    if (text !== original)
      offer(t('editDropped'), {
        label: t('undo'),
        onClick: () => {
          edits?.write(message.id, text);
          onReopen();
        },
      });
    const back = from.current?.matches('textarea') && from.current.isConnected ? from.current : null;
    if (back instanceof HTMLElement) back.focus();
    onDone(back !== null);
  };
  return (
    <div className="w-full rounded-xl border border-line-strong bg-paper p-2">
      <textarea
        ref={field}
        defaultValue={begun}
        aria-label={t('editMessage')}
        dir="auto"
        autoComplete="off"
        rows={Math.min(14, Math.max(3, begun.split('\n').length + 1))}
        onInput={() => {
          const text = written();
          if (text === original) edits?.drop(message.id);
          else edits?.write(message.id, text);
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            drop();
          }
          if (sends(event.nativeEvent, app.settings.config.get())) {
            event.preventDefault();
            save(true);
          }
        }}
        className="reading w-full resize-y bg-transparent px-2 py-1 outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
        <span className="mr-auto flex items-center gap-1.5 pl-2 text-branch text-xs">
          <CornerDownRight size={13} aria-hidden />
          {t('editKeeps')}
        </span>
        <Button size="sm" variant="ghost" onClick={drop}>
          {t('cancel')}
        </Button>
        <Button size="sm" onClick={() => save(false)}>
          {t('saveOnly')}
        </Button>
        <Button size="sm" variant="primary" disabled={!actions.canAsk} onClick={() => save(true)}>
          {t('saveAndAsk')}
        </Button>
      </div>
    </div>
  );
}

export function PersonMessage({
  message,
  siblings,
  kept,
}: {
  message: Message;
  siblings: Siblings | null;
  /** Marked to be sent word for word, whatever is compacted. */
  kept: boolean;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const actions = useActions();
  const edited = useContext(EditingContext);
  const editing = useReadable(edited, (id) => id === message.id);
  const found = useReadable(useContext(FoundContext), (id) => id === message.id);
  const open = () => edited.set(message.id);
  /** True after the editor closed itself: its button is back and gets the focus. */
  const closed = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (editing || !closed.current) return;
    closed.current = false;
    place.current?.querySelector<HTMLElement>('[data-edit]')?.focus({ preventScroll: true });
  }, [editing]);
  const files = message.parts.filter((part) => part.type === 'file');
  const note = dmailNoteOf(message);
  const text = note ?? textOf(message);
  return (
    <div ref={place} className={classes('flex flex-col items-end pt-6', editing && 'pb-5')}>
      {editing ? (
        <Editor
          message={message}
          onReopen={open}
          onDone={(away) => {
            closed.current = !away;
            edited.set(null);
          }}
        />
      ) : (
        <>
          {files.length > 0 && (
            <div className="mb-1.5 flex max-w-[85%] flex-wrap justify-end gap-2">
              {files.map((part, at) => (
                // Parts never change once written: their place is their identity.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <FilePart key={at} part={part} messageId={message.id} />
              ))}
            </div>
          )}
          {text && (
            <div
              className={classes(
                'max-w-[min(85%,38rem)] rounded-2xl rounded-br-xs border px-4 py-2.5',
                // Invisible, but a system in forced-colours mode removes backgrounds and draws every border.
                note === null ? 'border-transparent bg-fill' : 'border-branch-line bg-branch-soft',
              )}
            >
              {note !== null && (
                <p className="mb-1 flex items-center gap-1.5 text-branch text-xs">
                  <Mail size={13} aria-hidden />
                  {tc('dmail.byModel')}
                </p>
              )}
              <DrawnOrPlain words={() => text} of={text}>
                <PersonWords text={text} found={found} />
              </DrawnOrPlain>
            </div>
          )}
        </>
      )}
      {!editing && (
        <div className="mt-0.5 flex min-h-7 items-center gap-1">
          <div className={TOOL_ROW}>
            <Stamp at={message.createdAt} />
            <CopyButton text={text} />
            {actions.canWrite && note === null && (
              <IconButton
                size="sm"
                data-edit
                label={t('edit')}
                icon={<Pencil size={15} aria-hidden />}
                onClick={open}
              />
            )}
            <RarerTools message={message} {...(message.kind === 'message' ? { kept } : {})} />
          </div>
          {kept && (
            <span className="inline-flex items-center gap-1 px-1 text-compacted text-xs">
              <Pin size={13} aria-hidden />
              {tc('kept.shown')}
            </span>
          )}
          {siblings && <SiblingArrows siblings={siblings} onShow={actions.show} />}
        </div>
      )}
    </div>
  );
}
