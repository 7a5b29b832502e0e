// Lists memory notes, from the person or from a model's tool: to write, change and delete.
import { CalendarX, GitBranch, GitMerge, MoreHorizontal, Pencil, Send, Trash2 } from 'lucide-react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import { isNoteValidAt } from '../../domain/memory/notes.ts';
import { NOTE_KINDS, type NoteKind } from '../../domain/memory/recognition/kinds.ts';
import { kindByWords } from '../../domain/memory/recognition/wording.ts';
import type { MemoryNote } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, Button, classes, IconButton, Menu, Skeleton, TextArea } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { KindSelect, useProjectTitle } from './note-inbox.tsx';
import { NoteAgainst, NotePast } from './note-past.tsx';
import { NotesAsText } from './notes-as-text.tsx';
import { Section } from './section.tsx';

export function NoteList() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const { ready, notes } = useReadable(app.notes.state);
  const failure = useReadable(app.notes.failure);
  const [only, setOnly] = useState<NoteKind | null>(null);
  const now = Date.now();
  const shown = notes.filter((note) => only === null || note.kind === only);
  const holding = shown.filter((note) => isNoteValidAt(note, now));
  const ended = shown.filter((note) => !isNoteValidAt(note, now));

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
        <>
          {notes.length > 0 && (
            <span className="text-ink-3 text-xs">{t('notes.count', { count: notes.length })}</span>
          )}
          <NotesAsText />
        </>
      }
    >
      <p className="mb-3 max-w-160 text-ink-2">{t('notes.lead')}</p>
      <NoteForm />
      {failure && (
        <div className="mt-4">
          <ReadFailed problem={failure} onRetry={() => app.notes.known()} />
        </div>
      )}
      {!ready && !failure && (
        <Loading className="mt-4">
          <Skeleton className="h-16 w-full" />
        </Loading>
      )}
      {ready && notes.length === 0 && <p className="pt-4 text-ink-3">{t('notes.none')}</p>}
      <KindFilter notes={notes} only={only} onOnly={setOnly} />
      {[...NOTE_KINDS, undefined].map((kind) => {
        const some = inOrder(holding).filter((note) => note.kind === kind);
        return (
          some.length > 0 && (
            <div key={kind ?? 'other'} className="mt-4">
              <h3 className="font-medium text-ink-2 text-sm">{t(kind ? `kinds.${kind}` : 'knows.other')}</h3>
              <ul className="divide-y divide-line">
                {some.map((note) => (
                  <Note key={note.id} note={note} onRemove={() => remove(note)} />
                ))}
              </ul>
            </div>
          )
        );
      })}
      {ended.length > 0 && (
        <details className="mt-4">
          <summary className="touchable w-fit cursor-pointer rounded-xs text-ink-3 text-sm hover:text-ink-2">
            {t('knows.ended')} ({ended.length})
          </summary>
          <ul className="divide-y divide-line">
            {ended.map((note) => (
              <Note key={note.id} note={note} onRemove={() => remove(note)} />
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

/** Notes in the given order, each followed by its other wordings. */
const inOrder = (notes: readonly MemoryNote[]): readonly MemoryNote[] =>
  notes
    .filter(({ beside }) => beside === undefined)
    .flatMap((note) => [note, ...notes.filter(({ beside }) => beside === note.id)]);

/** One button for each kind that has notes. */
function KindFilter({
  notes,
  only,
  onOnly,
}: {
  notes: readonly MemoryNote[];
  only: NoteKind | null;
  onOnly: (kind: NoteKind | null) => void;
}) {
  const { t } = useTranslation('memory');
  const kinds = NOTE_KINDS.filter((kind) => notes.some((note) => note.kind === kind));
  if (kinds.length < 2) return null;
  return (
    <fieldset className="mt-3 flex flex-wrap gap-1.5">
      <legend className="sr-only">{t('knows.filter')}</legend>
      {[null, ...kinds].map((kind) => (
        <button
          key={kind ?? 'all'}
          type="button"
          aria-pressed={only === kind}
          onClick={() => onOnly(kind)}
          className="touchable h-7 rounded-full border border-line px-2.5 text-ink-2 text-xs hover:bg-fill aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {kind
            ? `${t(`kinds.${kind}`)} ${notes.filter((note) => note.kind === kind).length}`
            : t('knows.all')}
        </button>
      ))}
    </fieldset>
  );
}

/** Actions on a note besides editing it. */
function NoteMenu({ note }: { note: MemoryNote }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const notes = useReadable(app.notes.state, (state) => state.notes);
  const ended = !isNoteValidAt(note, Date.now());
  const likes = notes.filter(
    (one) => one.id !== note.id && one.kind === note.kind && one.beside === undefined,
  );
  const revise = (details: Parameters<typeof app.notes.revise>[1]) =>
    void app.notes.revise(note.id, details).catch(report);
  return (
    <Menu
      trigger={
        <IconButton size="sm" label={t('notes.more')} icon={<MoreHorizontal size={14} aria-hidden />} />
      }
      items={[
        {
          label: t(note.applies === false ? 'notes.sendAgain' : 'notes.holdBack'),
          icon: <Send size={15} aria-hidden />,
          onSelect: () => revise({ applies: note.applies === false ? undefined : false }),
        },
        {
          label: t(ended ? 'notes.holdsAgain' : 'notes.end'),
          icon: <CalendarX size={15} aria-hidden />,
          onSelect: () => revise({ until: ended ? undefined : Date.now() }),
        },
        ...(likes.length > 0
          ? [
              {
                label: t('notes.merge'),
                icon: <GitMerge size={15} aria-hidden />,
                items: likes.slice(0, 12).map((other) => ({
                  label: other.text.slice(0, 60),
                  onSelect: () => void app.notes.merge(note.id, other.id, note.text).catch(report),
                })),
              },
            ]
          : []),
      ]}
    />
  );
}

function Note({ note, onRemove }: { note: MemoryNote; onRemove: () => void }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const navigation = useNavigation();
  // The note when editing began: the person does not mean to replace changes that arrive meanwhile.
  const [editing, setEditing] = useState<MemoryNote | null>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  // The form is gone, so focuses the button that opened it.
  useLayoutEffect(() => {
    if (wasEditing.current && editing === null) edit.current?.focus();
    wasEditing.current = editing !== null;
  }, [editing]);
  const { source } = note;
  const project = useProjectTitle(note.project);
  const all = useReadable(app.notes.state, (state) => state.notes);
  const others = (note.against ?? []).flatMap((id) => all.find((one) => one.id === id) ?? []);
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
          {project && <Badge>{t('inbox.inProject', { project })}</Badge>}
          {note.applies === false && <Badge>{t('notes.heldBack')}</Badge>}
          {source && (
            <button
              type="button"
              onClick={() =>
                navigation.openConversation(
                  asConversationId(source.conversationId),
                  asMessageId(source.messageId),
                )
              }
              className="touchable rounded-xs text-accent hover:underline"
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
        <NotePast note={note} />
        <NoteAgainst note={note} others={others} />
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
        <NoteMenu note={note} />
      </div>
    </li>
  );
}

/** Writes a new note, or edits an existing one. */
function NoteForm({ note, onDone }: { note?: MemoryNote; onDone?: () => void }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const form = useId();
  const [text, setText] = useState(note?.text ?? '');
  const [kind, setKind] = useState<NoteKind | undefined>(note?.kind);
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
      .write({ text, kind: note ? kind : (kindByWords(words) ?? undefined), ...(note ? { over: note } : {}) })
      .then(async (kept) => {
        if (note && kind !== note.kind) await app.notes.revise(kept.id, { kind });
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
        // As tall as its content: on a narrow screen the examples wrap onto more lines than `rows`.
        inputClassName={classes('field-sizing-content max-h-60', note ? 'min-h-20' : 'min-h-15')}
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
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        {note && <KindSelect value={kind} onValueChange={setKind} />}
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
