// Exports memory notes as Markdown, and imports them from text: our own, or memories copied from another assistant.
import { Download, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { localDay } from '../../domain/base/time.ts';
import { notesAsMarkdown, notesInText } from '../../domain/memory/note-text.ts';
import { squeezed } from '../../domain/text/sentences.ts';
import type { MemoryNote } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, Button, Dialog, TextArea } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';

export function NotesAsText() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const notes = useReadable(app.notes.state, (state) => state.notes);
  const [open, setOpen] = useState(false);
  const save = () => {
    const now = Date.now();
    const markdown = notesAsMarkdown(
      notes,
      {
        title: t('knows.title'),
        rule: t('kinds.rule'),
        preference: t('kinds.preference'),
        fact: t('kinds.fact'),
        person: t('kinds.person'),
        project: t('kinds.project'),
        decision: t('kinds.decision'),
        other: t('knows.other'),
        ended: t('knows.ended'),
      },
      now,
    );
    download({
      name: `recollect-memory-${localDay(now)}.md`,
      mediaType: 'text/markdown',
      blob: new Blob([markdown], { type: 'text/markdown' }),
    });
  };
  return (
    <>
      <Button size="sm" icon={<Upload size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {t('text.import')}
      </Button>
      {notes.length > 0 && (
        <Button size="sm" icon={<Download size={14} aria-hidden />} onClick={save}>
          {t('text.export')}
        </Button>
      )}
      <PasteDialog open={open} onOpenChange={setOpen} />
    </>
  );
}

function PasteDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const notes = useReadable(app.notes.state, (state) => state.notes);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<Problem | null>(null);
  const known = useMemo(() => new Set(notes.map((note) => squeezed(note.text))), [notes]);
  const found = useMemo(
    () => notesInText(text).filter((one) => !known.has(squeezed(one.text))),
    [text, known],
  );
  const chosen = found.filter((one) => !left.has(one.text));
  const close = () => {
    onOpenChange(false);
    setText('');
    setLeft(new Set());
    setProblem(null);
  };
  const add = async () => {
    setBusy(true);
    try {
      const made: MemoryNote[] = [];
      for (const { text, kind, since } of chosen) made.push(await app.notes.write({ text, kind, since }));
      close();
      offer(t('text.added', { count: made.length }), {
        label: t('notes.undo'),
        onClick: () => void Promise.all(made.map(({ id }) => app.notes.remove(id))).catch(report),
      });
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={t('text.title')}
      description={t('text.lead')}
      guarded
      footer={
        <>
          <Button onClick={close}>{t('notes.cancel')}</Button>
          <Button variant="primary" busy={busy} disabled={chosen.length === 0} onClick={() => void add()}>
            {t('text.add', { count: chosen.length })}
          </Button>
        </>
      }
    >
      <TextArea
        label={t('text.label')}
        rows={6}
        value={text}
        data-first-focus
        onChange={(event) => setText(event.target.value)}
      />
      {problem && <ProblemNotice problem={problem} compact className="mt-2" />}
      {text.trim() !== '' && found.length === 0 && <p className="mt-3 text-ink-3">{t('text.none')}</p>}
      <ul className="mt-3 space-y-1">
        {found.map((one) => (
          <li key={one.text}>
            <label className="touchable flex items-start gap-2">
              <input
                type="checkbox"
                checked={!left.has(one.text)}
                onChange={() => {
                  const next = new Set(left);
                  if (!next.delete(one.text)) next.add(one.text);
                  setLeft(next);
                }}
                className="mt-1"
              />
              <span dir="auto" className="min-w-0 flex-1 break-words [overflow-wrap:anywhere]">
                {one.text}
              </span>
              {one.kind && <Badge>{t(`kind.${one.kind}`)}</Badge>}
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
