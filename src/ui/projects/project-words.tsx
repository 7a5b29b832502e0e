// Text that a model gets with every message in a project: instructions, and pinned notes.
import { Pin, X } from 'lucide-react';
import { useState } from 'react';
import { asMessageId } from '../../domain/base/ids.ts';
import { MAX_PROJECT_INSTRUCTIONS, MAX_PROJECT_NOTE } from '../../domain/projects/project.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { useApp } from '../hooks/app.tsx';
import { useSaving } from '../hooks/saving.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton, TextArea, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Part } from './project-part.tsx';

export function Instructions({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation(['projects', 'shell']);
  const app = useApp();
  const report = useReport();
  const before = project.project.instructions;
  /** Null: unchanged. */
  const [words, setWords] = useState<string | null>(null);
  const changed = words !== null && words.trim() !== before.trim();
  const save = () => {
    if (words === null) return;
    const saved = (now: string | null) => (now === words ? null : now);
    app.projects.change(project.id, { instructions: words }).then(() => setWords(saved), report);
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
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
      {changed && (
        <div className="mt-2 flex justify-end gap-2">
          <Button size="sm" variant="ghost" onClick={() => setWords(null)}>
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
  const [words, setWords] = useState('');
  const { problem, save } = useSaving();
  const add = () => {
    if (words.trim() === '') return;
    // Keeps text typed while the note was saved.
    const without = (now: string) => (now === words ? '' : now);
    save(() => app.projects.pinNote(project.id, words).then(() => setWords(without)));
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
          onChange={(event) => setWords(event.target.value)}
        />
        <Button type="submit" disabled={words.trim() === ''}>
          {t('page.addNote')}
        </Button>
      </form>
      {problem && <ProblemNotice problem={problem} compact className="mt-2" />}
    </Part>
  );
}
