// Shows the session memory as a Markdown file in a dialog: read by sections, edited as
// text, lines pinned, saved as a file.
import { Download, Pencil, Pin, PinOff, RotateCcw } from 'lucide-react';
import { useCallback, useId, useMemo, useState } from 'react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { linesOf, type MemoryLine, textOfLines, withoutBullet } from '../../domain/chat/memory-file.ts';
import { shownName } from '../../domain/text/shown.ts';
import type { SessionMemoryFile } from '../../services/context/context.ts';
import { useApp } from '../hooks/app.tsx';
import { useReadAnew } from '../hooks/read.ts';
import { useSaving } from '../hooks/saving.ts';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, IconButton, Spinner, TextArea } from '../shell/controls.tsx';
import { download } from '../shell/conversation-actions.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { ReadFailed } from '../shell/reading.tsx';
import { SMALL_PROSE } from './compaction-divider.tsx';
import { Markdown } from './markdown.tsx';

/** Lines that are read and pinned together: a heading, a list item with its indented lines, a paragraph, a table. */
interface Block {
  readonly kind: 'heading' | 'point' | 'text';
  /** Indices of its lines. */
  readonly at: readonly number[];
}

function blocksOf(lines: readonly MemoryLine[]): readonly Block[] {
  const blocks: { kind: Block['kind']; at: number[] }[] = [];
  let gap = true;
  for (const [place, { text }] of lines.entries()) {
    const last = blocks.at(-1);
    if (text.trim() === '') gap = true;
    else if (/^#{1,6}\s/.test(text)) blocks.push({ kind: 'heading', at: [place] });
    else if (/^[-*]\s/.test(text)) blocks.push({ kind: 'point', at: [place] });
    else if (last && !gap && last.kind !== 'heading') last.at.push(place);
    else blocks.push({ kind: 'text', at: [place] });
    if (text.trim() !== '') gap = false;
  }
  return blocks;
}

export function MemoryFileDialog({
  conversation,
  readOnly,
  onClose,
}: {
  conversation: Conversation;
  readOnly: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const form = useId();
  const { saving, problem, save } = useSaving();
  const [done, setDone] = useState<Done | null>(null);
  const [editing, setEditing] = useState<{ from: SessionMemoryFile; text: string } | null>(null);
  // Each change of the conversation may have changed its memory.
  const read = useCallback(() => context.memoryFile(conversation.id), [context, conversation]);
  const { value: file = null, problem: unread, again } = useReadAnew<SessionMemoryFile>(read);
  const undoable = async (work: Promise<{ undo: () => Promise<void> }>, words: string) => {
    const { undo } = await work;
    setDone({ words, undo });
  };
  const keep = (from: SessionMemoryFile, lines: readonly MemoryLine[], words: string) =>
    undoable(context.saveMemoryFile(conversation.id, from, lines), words);
  const submit = ({ from, text }: { from: SessionMemoryFile; text: string }) =>
    save(async () => {
      await keep(from, linesOf(text, from.lines), t('memoryFile.saved'));
      setEditing(null);
    });
  const remake = () =>
    save(() => undoable(context.remakeMemoryFile(conversation.id), t('memoryFile.remade')));
  const exported = () =>
    download({
      name: `${shownName(conversation.meta.title).replace(/[\\/:*?"<>|]+/g, ' ') || 'session'}-memory.md`,
      mediaType: 'text/markdown',
      blob: new Blob([`${textOfLines(file?.lines ?? [])}\n`], { type: 'text/markdown' }),
    });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="lg"
      title={t('memoryFile.title')}
      description={t('memoryFile.lead')}
      guarded
      footer={
        <Foot
          file={file}
          saving={saving}
          readOnly={readOnly}
          form={editing ? form : null}
          onCancel={() => setEditing(null)}
          onRemake={remake}
          onEdit={() => file && setEditing({ from: file, text: textOfLines(file.lines) })}
          onExport={exported}
        />
      }
    >
      {problem && <ProblemNotice problem={problem} compact className="mb-3" />}
      <DoneLine
        done={editing ? null : done}
        saving={saving}
        onUndo={(undo) =>
          save(async () => {
            await undo();
            setDone(null);
          })
        }
      />
      {unread && <ReadFailed problem={unread} onRetry={again} compact />}
      {file === null && unread ? null : file === null ? (
        <Spinner label={t('memoryFile.reading')} />
      ) : editing ? (
        <form
          id={form}
          onSubmit={(event) => {
            event.preventDefault();
            submit(editing);
          }}
        >
          <TextArea
            label={t('memoryFile.title')}
            hideLabel
            autoFocus
            rows={18}
            inputClassName="font-mono text-[0.8125rem]"
            value={editing.text}
            onChange={(event) => setEditing({ ...editing, text: event.target.value })}
          />
        </form>
      ) : (
        <Reading
          file={file}
          saving={saving}
          onKeep={readOnly ? undefined : (...args) => save(() => keep(...args))}
        />
      )}
    </Dialog>
  );
}

/** Last action in this dialog, with its undo: a notice would be hidden behind the dialog. */
interface Done {
  readonly words: string;
  readonly undo: () => Promise<void>;
}

function DoneLine({
  done,
  saving,
  onUndo,
}: {
  done: Done | null;
  saving: boolean;
  onUndo: (undo: Done['undo']) => void;
}) {
  const { t } = useTranslation('context');
  return (
    <div role="status">
      {done && (
        <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-fill px-3 py-2 text-sm">
          <span className="min-w-0 flex-1">{done.words}</span>
          <Button size="sm" disabled={saving} onClick={() => onUndo(done.undo)}>
            {t('memoryFile.undo')}
          </Button>
        </p>
      )}
    </div>
  );
}

function Foot({
  file,
  saving,
  readOnly,
  form,
  onCancel,
  onRemake,
  onEdit,
  onExport,
}: {
  file: SessionMemoryFile | null;
  saving: boolean;
  readOnly: boolean;
  /** Id of the form while the text is edited; null while it is only read. */
  form: string | null;
  onCancel: () => void;
  onRemake: () => void;
  onEdit: () => void;
  onExport: () => void;
}) {
  const { t } = useTranslation('context');
  if (form !== null)
    return (
      <>
        <Button onClick={onCancel}>{t('memoryFile.cancel')}</Button>
        <Button type="submit" form={form} variant="primary" busy={saving}>
          {t('memoryFile.save')}
        </Button>
      </>
    );
  return (
    <>
      {file?.savedAt != null && !readOnly && (
        <Button
          variant="ghost"
          className="mr-auto max-sm:w-full"
          busy={saving}
          icon={<RotateCcw size={15} aria-hidden />}
          onClick={onRemake}
        >
          {t('memoryFile.remake')}
        </Button>
      )}
      <Button
        className="max-sm:flex-1"
        disabled={file === null || isEmpty(file)}
        icon={<Download size={15} aria-hidden />}
        onClick={onExport}
      >
        {t('memoryFile.export')}
      </Button>
      {!readOnly && (
        <Button
          variant="primary"
          className="max-sm:flex-1"
          disabled={file === null}
          icon={<Pencil size={15} aria-hidden />}
          onClick={onEdit}
        >
          {t('memoryFile.edit')}
        </Button>
      )}
    </>
  );
}

const isEmpty = ({ lines }: SessionMemoryFile): boolean => textOfLines(lines) === '';

/** `onKeep`: absent if the conversation is read-only. */
function Reading({
  file,
  saving,
  onKeep,
}: {
  file: SessionMemoryFile;
  saving: boolean;
  onKeep: ((from: SessionMemoryFile, lines: readonly MemoryLine[], words: string) => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const pin = (at: readonly number[], pinned: boolean) =>
    onKeep?.(
      file,
      file.lines.map((line, place) => (at.includes(place) ? { ...line, pinned } : line)),
      t(pinned ? 'memoryFile.pinned' : 'memoryFile.unpinned'),
    );
  const withMissing = (other: SessionMemoryFile['others'][number]): readonly MemoryLine[] => {
    const there = new Set(file.lines.map(({ text }) => text));
    const missing = other.lines.filter(({ text }) => text.trim() === '' || !there.has(text));
    return [...file.lines, { text: '', by: 'rules' }, ...missing];
  };
  return (
    <>
      <State file={file} />
      {file.others.map((other) => (
        <OtherVersion
          key={`${other.device} ${other.at}`}
          other={other}
          onAdd={onKeep && (() => onKeep(file, withMissing(other), t('memoryFile.merged')))}
          onLeave={onKeep && (() => onKeep(file, file.lines, t('memoryFile.leftOut')))}
        />
      ))}
      {isEmpty(file) ? (
        <p className="text-ink-2">{t('memoryFile.empty')}</p>
      ) : (
        <Lines lines={file.lines} onPin={onKeep && !saving ? pin : undefined} />
      )}
    </>
  );
}

/** Says who wrote the text and whether a model is sent it now. */
function State({ file: { savedAt, compaction, left } }: { file: SessionMemoryFile }) {
  const { t } = useTranslation('context');
  return (
    <p className="flex flex-wrap gap-x-1.5 pb-3 text-ink-3 text-sm">
      {[
        savedAt === null
          ? t('memoryFile.made')
          : t('memoryFile.savedWhen', { when: formatRelative(savedAt) }),
        t(compaction === null ? 'memoryFile.waiting' : 'memoryFile.inForce'),
        left > 0 && t('memoryFile.left', { count: left }),
      ]
        .filter((words) => words !== false)
        .map((words) => (
          <span key={words}>{words}</span>
        ))}
    </p>
  );
}

function OtherVersion({
  other: { device, at, lines },
  onAdd,
  onLeave,
}: {
  other: SessionMemoryFile['others'][number];
  /** Absent if the conversation is read-only. */
  onAdd: (() => void) | undefined;
  onLeave: (() => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <section className="mb-3 rounded-lg border border-compacted-line bg-compacted-soft px-4 py-3 text-sm">
      <p title={formatExact(at)}>{t('memoryFile.other', { device, when: formatRelative(at) })}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="sm" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
          {t(open ? 'memoryFile.hide' : 'memoryFile.look')}
        </Button>
        {onAdd && (
          <Button size="sm" onClick={onAdd}>
            {t('memoryFile.add')}
          </Button>
        )}
        {onLeave && (
          <Button size="sm" onClick={onLeave}>
            {t('memoryFile.leave')}
          </Button>
        )}
      </div>
      {open && (
        <div id={body} className={classes('mt-2', SMALL_PROSE)}>
          <Markdown text={textOfLines(lines)} />
        </div>
      )}
    </section>
  );
}

function Lines({
  lines,
  onPin,
}: {
  lines: readonly MemoryLine[];
  /** Called with the indices of a block's lines. Absent if the conversation is read-only. */
  onPin: ((at: readonly number[], pinned: boolean) => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const blocks = useMemo(() => blocksOf(lines), [lines]);
  return (
    <div className={classes('flex flex-col', SMALL_PROSE)}>
      {blocks.map(({ kind, at }) => {
        const [first] = at;
        const own = at.map((place) => lines[place] as MemoryLine);
        const text = textOfLines(own);
        if (kind === 'heading')
          return (
            <h3 key={first} dir="auto" className="pt-3 pb-1 font-semibold text-sm first:pt-0">
              {text.replace(/^#+\s+/, '')}
            </h3>
          );
        const pinned = own.every((line) => line.pinned === true);
        return (
          <div
            key={first}
            className={classes(
              '-mx-2 group flex items-start gap-2 rounded-sm px-2 hover:bg-fill',
              pinned && 'bg-accent-soft',
            )}
          >
            {kind === 'point' && <span aria-hidden className="mt-3 size-1 shrink-0 rounded-full bg-ink-3" />}
            <div className="min-w-0 flex-1 py-0.5 [overflow-wrap:anywhere]">
              <Markdown text={kind === 'point' ? text.replace(/^[-*]\s+/, '') : text} />
            </div>
            {onPin ? (
              <IconButton
                size="sm"
                label={t(pinned ? 'memoryFile.unpin' : 'memoryFile.pin', {
                  line: withoutBullet(own[0]?.text ?? '').slice(0, 60),
                })}
                icon={
                  pinned ? (
                    <PinOff size={14} aria-hidden className="text-accent" />
                  ) : (
                    <Pin size={14} aria-hidden />
                  )
                }
                onClick={() => onPin(at, !pinned)}
              />
            ) : (
              pinned && <Pin size={14} aria-label={t('memoryFile.isPinned')} className="mt-1.5 text-accent" />
            )}
          </div>
        );
      })}
    </div>
  );
}
