// Memory notes: what a person (or a model, by its tool) wants remembered in words of its own. Written, changed and deleted here.
import { GitBranch, Pencil, Trash2 } from 'lucide-react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import type { MemoryNote } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { Badge, Button, classes, IconButton, Skeleton, TextArea } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Section } from './section.tsx';

export function NoteList() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const { ready, notes } = useReadable(app.notes.state);

  const remove = (note: MemoryNote) => {
    app.notes.remove(note.id).then(
      (removed) =>
        offer(t('notes.removed'), {
          label: t('notes.undo'),
          onClick: () => void app.notes.bring(removed).catch(report),
        }),
      report,
    );
  };
  return (
    <Section
      title={t('notes.title')}
      aside={
        notes.length > 0 && (
          <span className="text-ink-3 text-xs">{t('notes.count', { count: notes.length })}</span>
        )
      }
    >
      <p className="mb-3 max-w-160 text-ink-2">{t('notes.lead')}</p>
      <NoteForm />
      {!ready && <Skeleton className="mt-4 h-16 w-full" />}
      {ready && notes.length === 0 && <p className="pt-4 text-ink-3">{t('notes.none')}</p>}
      <ul className="mt-3 divide-y divide-line">
        {inOrder(notes).map((note) => (
          <Note key={note.id} note={note} onRemove={() => remove(note)} />
        ))}
      </ul>
    </Section>
  );
}

/** As they come, each with its other wordings below it. */
const inOrder = (notes: readonly MemoryNote[]): readonly MemoryNote[] =>
  notes
    .filter(({ beside }) => beside === undefined)
    .flatMap((note) => [note, ...notes.filter(({ beside }) => beside === note.id)]);

function Note({ note, onRemove }: { note: MemoryNote; onRemove: () => void }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const navigation = useNavigation();
  // As it stood when the person began: what comes in meanwhile is not what they mean to replace.
  const [editing, setEditing] = useState<MemoryNote | null>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // The form is gone: one goes on where it was opened.
  useLayoutEffect(() => {
    if (wasEditing.current && editing === null) edit.current?.focus();
    wasEditing.current = editing !== null;
  }, [editing]);
  const { source } = note;
  const isBeside = note.beside !== undefined;
  const settle = (how: 'alone' | 'apart') => void app.notes.settle(note.id, how).catch(report);
  if (editing)
    return (
      <li className="py-3">
        <NoteForm note={editing} onDone={() => setEditing(null)} />
      </li>
    );
  return (
    <li className={classes('group flex items-start gap-3 py-3', isBeside && 'ml-4')}>
      <div className="min-w-0 flex-1">
        {isBeside && (
          <p className="mb-1.5 flex items-start gap-2 text-branch text-xs">
            <GitBranch size={14} aria-hidden className="mt-0.5 shrink-0" />
            {t('notes.beside')}
          </p>
        )}
        <p
          dir="auto"
          className="whitespace-pre-wrap break-words border-memory-strong border-l-2 pl-3 [overflow-wrap:anywhere]"
        >
          {note.text}
        </p>
        <p className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 pl-3.5 text-ink-3 text-xs">
          <time dateTime={new Date(note.updatedAt).toISOString()} title={formatExact(note.updatedAt)}>
            {formatRelative(note.updatedAt)}
          </time>
          {note.by === 'model' && <Badge>{t('notes.byModel')}</Badge>}
          {source && (
            <button
              type="button"
              onClick={() =>
                navigation.openConversation(
                  asConversationId(source.conversationId),
                  asMessageId(source.messageId),
                )
              }
              className="rounded-xs text-accent hover:underline"
            >
              {t('notes.source')}
            </button>
          )}
        </p>
        {isBeside && (
          <p className="mt-2 flex flex-wrap gap-2">
            <Button size="sm" onClick={() => settle('alone')}>
              {t('notes.alone')}
            </Button>
            <Button size="sm" onClick={() => settle('apart')}>
              {t('notes.apart')}
            </Button>
          </p>
        )}
      </div>
      <div className="flex shrink-0 gap-0.5">
        <IconButton
          ref={edit}
          size="sm"
          label={t('notes.edit')}
          icon={<Pencil size={14} aria-hidden />}
          onClick={() => setEditing(note)}
        />
        <IconButton
          size="sm"
          label={t('notes.remove')}
          icon={<Trash2 size={14} aria-hidden />}
          onClick={onRemove}
        />
      </div>
    </li>
  );
}

/** Writes a new note, or other words into one that is there. */
function NoteForm({ note, onDone }: { note?: MemoryNote; onDone?: () => void }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const form = useId();
  const [text, setText] = useState(note?.text ?? '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [again, setAgain] = useState(false);
  const save = () => {
    const words = text.trim();
    const isThere = app.notes.state
      .get()
      .notes.some((other) => other.id !== note?.id && other.text === words);
    setAgain(isThere);
    setProblem(null);
    if (isThere) return;
    setBusy(true);
    app.notes
      .write({ text, ...(note ? { over: note } : {}) })
      .then(() => {
        if (!note) setText('');
        onDone?.();
      })
      .catch((error: unknown) => setProblem(toProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <form
      id={form}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextArea
        label={note ? t('notes.edit') : t('notes.new')}
        hideLabel
        rows={note ? 3 : 2}
        value={text}
        placeholder={t('notes.placeholder')}
        autoFocus={note !== undefined}
        onChange={(event) => {
          setText(event.target.value);
          setAgain(false);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && text.trim() !== '') save();
          if (event.key === 'Escape') onDone?.();
        }}
      />
      {again && (
        <p role="alert" className="mt-1 text-danger text-xs">
          {t('notes.again')}
        </p>
      )}
      {problem && <ProblemNotice problem={problem} compact className="mt-2" />}
      <div className="mt-2 flex justify-end gap-2">
        {onDone && (
          <Button size="sm" variant="ghost" onClick={onDone}>
            {t('notes.cancel')}
          </Button>
        )}
        <Button size="sm" variant="primary" type="submit" busy={busy} disabled={text.trim() === ''}>
          {t('notes.keep')}
        </Button>
      </div>
    </form>
  );
}
