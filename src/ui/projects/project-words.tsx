// Text that a model gets with every message in a project: instructions, and pinned notes.
import { Pin, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { asMessageId } from '../../domain/base/ids.ts';
import { MAX_PROJECT_INSTRUCTIONS, MAX_PROJECT_NOTE } from '../../domain/projects/project.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { createEdits } from '../chat/edits.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSaving } from '../hooks/saving.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton, TextArea, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Part } from './project-part.tsx';

/**
 * Words of a field that are not saved yet, which a reload or another page does not lose; null: none. `drop` takes
 * them back.
 */
function useUnsaved(project: ProjectEntry, field: 'instructions' | 'note') {
  const { chat } = useApp();
  const [edits] = useState(() => createEdits<typeof field>(chat.composerDrafts, project.id));
  const [words, setWords] = useState<string | null>(null);
  const isKept = useReadable(edits.unsaved, (unsaved) => unsaved.includes(field));
  useEffect(() => edits.open(), [edits]);
  const drop = () => {
    setWords(null);
    edits.drop(field);
  };
  return {
    words: words ?? (isKept ? (edits.textOf(field) ?? null) : null),
    write: (text: string) => {
      setWords(text);
      edits.write(field, text);
    },
    drop,
    /** Drops the words once they are saved, unless others were typed meanwhile. */
    saved: (text: string) => {
      if (edits.textOf(field) === text) drop();
    },
  };
}

export function Instructions({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation(['projects', 'shell']);
  const app = useApp();
  const report = useReport();
  const before = project.project.instructions;
  const { words, write, drop, saved } = useUnsaved(project, 'instructions');
  const changed = words !== null && words.trim() !== before.trim();
  const save = () => {
    if (words === null) return;
    app.projects.change(project.id, { instructions: words }).then(() => saved(words), report);
  };
  return (
    <Part title={t('page.instructions')} words={t('page.instructionsWords')}>
      <TextArea
        label={t('page.instructions')}
        hideLabel
        rows={4}
        maxLength={MAX_PROJECT_INSTRUCTIONS}
        value={words ?? before}
        placeholder={t('page.instructionsPlaceholder')}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
      {changed && (
        <div className="mt-2 flex justify-end gap-2">
          <Button size="sm" variant="ghost" onClick={drop}>
            {t('shell:cancel')}
          </Button>
          <Button size="sm" variant="primary" onClick={save}>
            {t('page.save')}
          </Button>
        </div>
      )}
    </Part>
  );
}

export function PinnedNotes({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation(['projects', 'shell']);
  const app = useApp();
  const report = useReport();
  const unsaved = useUnsaved(project, 'note');
  const words = unsaved.words ?? '';
  const { problem, save } = useSaving();
  const add = () => {
    if (words.trim() === '') return;
    save(() => app.projects.pinNote(project.id, words).then(() => unsaved.saved(words)));
  };
  const takeOut = (id: string, name: string) => {
    app.projects.takeOut(project.id, [asMessageId(id)]).then(
      (undo) =>
        offer(t('removedItem', { name }), {
          label: t('shell:undo'),
          onClick: () => void undo().catch(report),
        }),
      report,
    );
  };
  return (
    <Part title={t('page.notes')} words={t('page.notesWords')}>
      <ul>
        {project.project.notes.map(({ id, text }) => (
          <li key={id} className="flex items-start gap-2.5 py-1">
            <Pin size={14} aria-hidden className="mt-1 shrink-0 text-ink-3" />
            <span dir="auto" className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {text}
            </span>
            <IconButton
              size="sm"
              label={t('page.takeOut', { name: startOf(text, 60) })}
              icon={<X size={14} aria-hidden />}
              onClick={() => takeOut(id, startOf(text, 60))}
            />
          </li>
        ))}
      </ul>
      <form
        className="mt-1 flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextField
          className="flex-1"
          label={t('page.newNote')}
          hideLabel
          value={words}
          maxLength={MAX_PROJECT_NOTE}
          placeholder={t('page.newNote')}
          onChange={(event) => unsaved.write(event.target.value)}
        />
        <Button type="submit" disabled={words.trim() === ''}>
          {t('page.addNote')}
        </Button>
      </form>
      {problem && <ProblemNotice problem={problem} compact className="mt-2" />}
    </Part>
  );
}
