// Dialogs about projects: create one, choose one for conversations, decide about those in a deleted
// one, and turn folders into projects.
import { Check, Folder, FolderPlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { foldersWithoutProject, withInner } from '../../domain/projects/filing.ts';
import { MAX_PROJECT_NAME, type ProjectId } from '../../domain/projects/project.ts';
import { comparableForm, isIn, isSame } from '../../domain/text/find.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSaving } from '../hooks/saving.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { RadioTile } from '../settings/radio-tile.tsx';
import { Button, classes, Dialog, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { FormDialog } from '../shell/form-dialog.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useProjectActions } from './project-actions.tsx';
import { ProjectMark } from './project-mark.tsx';
import { nameOf, useProjects } from './use-projects.ts';

/** Shows the open dialog. */
export function ProjectWindows() {
  const { asking } = useSession();
  const question = useReadable(asking);
  const close = () => asking.set(null);
  // Keeps its content while it fades out. Each question starts fresh, without choices made for another one.
  const [shown, setShown] = useState({ question, count: 0 });
  if (question !== null && question !== shown.question) setShown({ question, count: shown.count + 1 });
  const common = { open: question !== null, onClose: close };
  switch (shown.question?.type) {
    case 'make':
      return <MakeWindow key={shown.count} {...common} />;
    case 'move':
      return <MoveWindow key={shown.count} {...common} ids={shown.question.ids} />;
    case 'remove':
      return <RemoveWindow key={shown.count} {...common} project={shown.question.project} />;
    case 'folders':
      return <FoldersWindow key={shown.count} {...common} />;
    default:
      return null;
  }
}

interface WindowProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

function MakeWindow({ open, onClose }: WindowProps) {
  const { t } = useTranslation('projects');
  const { projects } = useApp();
  const navigation = useNavigation();
  const { floating } = useSession();
  const [name, setName] = useState('');
  const make = async () => {
    navigation.openProject(await projects.create({ name }));
    // The drawer, if it lay under this window, would hide the new project's page.
    floating.update((now) => (now === 'drawer' ? null : now));
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={t('make.title')}
      description={t('make.words')}
      action={t('make.create')}
      disabled={name.trim() === ''}
      onSave={make}
    >
      <TextField
        label={t('make.name')}
        data-first-focus
        value={name}
        maxLength={MAX_PROJECT_NAME}
        placeholder={t('make.placeholder')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function MoveWindow({ open, onClose, ids }: WindowProps & { ids: readonly ConversationId[] }) {
  const { t } = useTranslation('projects');
  const app = useApp();
  const actions = useProjectActions();
  const { problem, save } = useSaving();
  const listed = useProjects();
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const [wanted, setWanted] = useState('');
  const form = comparableForm(wanted).trim();
  const found = listed.filter(({ entry }) => isIn(comparableForm(entry.title), form));
  const places = new Set(ids.map((id) => entries.find((entry) => entry.id === id)?.projectId ?? null));
  const here = (id: ProjectId | null) => places.size === 1 && places.has(id);
  const go = (project: ProjectId | null) => {
    onClose();
    actions.move(ids, project);
  };
  const exact =
    form === '' ? undefined : listed.find(({ entry }) => isSame(comparableForm(entry.title).trim(), form));
  const isNew = form !== '' && !exact;
  const make = () => save(() => app.projects.create({ name: wanted }).then(go));
  /** Enter takes the project of exactly that name, else the first match, else creates a new one. */
  const meant = exact ?? found.find(({ entry }) => !here(entry.id));
  const enter = () => {
    if (meant && !here(meant.entry.id)) go(meant.entry.id);
    else if (isNew) make();
  };
  const row = (key: string, at: ProjectId | null, mark: React.ReactNode, words: string, inner = false) => (
    <li key={key}>
      <button
        type="button"
        disabled={here(at)}
        onClick={() => go(at)}
        className={classes(
          'touchable flex min-h-9 w-full items-center gap-2.5 rounded-sm px-2 text-left hover:bg-fill disabled:text-ink-3 disabled:hover:bg-transparent',
          inner && 'pl-7',
        )}
      >
        {mark}
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {words}
        </span>
        {here(at) && (
          <span className="flex items-center gap-1 text-ink-3 text-xs">
            <Check size={14} aria-hidden />
            {t('move.here')}
          </span>
        )}
      </button>
    </li>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('move.title', { count: ids.length })}
      description={t('move.words')}
    >
      <div className="flex flex-col gap-2 pb-3">
        <TextField
          label={t('move.find')}
          hideLabel
          data-first-focus
          value={wanted}
          maxLength={MAX_PROJECT_NAME}
          placeholder={t('move.find')}
          onChange={(event) => setWanted(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) enter();
          }}
        />
        <ul className="max-h-[40vh] overflow-y-auto">
          {found.map(({ entry, inner }) =>
            row(
              entry.id,
              entry.id,
              <ProjectMark face={entry.project.face} />,
              nameOf(entry, t('title')),
              inner && form === '',
            ),
          )}
          {form === '' &&
            row('outside', null, <Folder size={16} aria-hidden className="text-ink-3/40" />, t('none'))}
          {isNew && (
            <li>
              <button
                type="button"
                className="touchable flex min-h-9 w-full items-center gap-2.5 rounded-sm px-2 text-left text-accent hover:bg-fill"
                onClick={make}
              >
                <FolderPlus size={16} aria-hidden />
                <span className="min-w-0 flex-1 truncate">
                  {t('move.newCalled', { name: wanted.trim() })}
                </span>
              </button>
            </li>
          )}
        </ul>
        {found.length === 0 && form !== '' && <p className="px-2 text-ink-3 text-sm">{t('move.nothing')}</p>}
        {problem && <ProblemNotice problem={problem} compact />}
      </div>
    </Dialog>
  );
}

function RemoveWindow({ open, onClose, project }: WindowProps & { project: ProjectEntry }) {
  const { t } = useTranslation(['projects', 'shell']);
  const actions = useProjectActions();
  const navigation = useNavigation();
  const library = useReadable(useApp().documents.library);
  const [what, setWhat] = useState<'outside' | 'trash'>('outside');
  const inside = withInner(project.id, library.projects);
  const count = library.entries.filter(
    ({ projectId, deletedAt }) => projectId !== null && inside.has(projectId) && deletedAt === null,
  ).length;
  const holds = inside.size > 1;
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('remove.title', { name: nameOf(project, t('title')) })}
      description={t('remove.words')}
      footer={
        <>
          <Button onClick={onClose}>{t('shell:cancel')}</Button>
          <Button
            variant="danger"
            onClick={() => {
              onClose();
              const { route } = navigation;
              if (route.screen === 'project' && route.projectId === project.id) navigation.newConversation();
              actions.remove(project, count > 0 || holds ? what : 'outside');
            }}
          >
            {t('remove.action')}
          </Button>
        </>
      }
    >
      {count > 0 || holds ? (
        <fieldset className="flex flex-col gap-2 pb-1">
          <legend className="pb-2 font-medium">
            {holds ? t('remove.whatInner') : t('remove.what', { count })}
          </legend>
          {(['outside', 'trash'] as const).map((one) => (
            <RadioTile
              key={one}
              name="conversations-of-project"
              checked={what === one}
              onChange={() => setWhat(one)}
              label={t(`remove.${one}`)}
              help={t(holds ? `remove.${one}InnerHelp` : `remove.${one}Help`)}
            />
          ))}
        </fieldset>
      ) : null}
    </Dialog>
  );
}

function FoldersWindow({ open, onClose }: WindowProps) {
  const { t } = useTranslation(['projects', 'shell']);
  const app = useApp();
  const report = useReport();
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const folders = useMemo(() => foldersWithoutProject(entries), [entries]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = folders.filter(({ folder }) => !left.has(folder)).map(({ folder }) => folder);
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('folders.title')}
      description={t('folders.words')}
      footer={
        <>
          <Button onClick={onClose}>{t('shell:cancel')}</Button>
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => {
              onClose();
              app.projects.adopt(chosen).then(
                (undo) =>
                  offer(t('made', { count: chosen.length }), {
                    label: t('shell:undo'),
                    onClick: () => void undo().catch(report),
                  }),
                report,
              );
            }}
          >
            {t('folders.make', { count: chosen.length })}
          </Button>
        </>
      }
    >
      <ul className="max-h-[45vh] divide-y divide-line overflow-y-auto">
        {folders.map(({ folder, count }) => (
          <li key={folder}>
            <label className="touchable flex min-h-10 cursor-pointer items-center gap-3 py-1">
              <input
                type="checkbox"
                checked={!left.has(folder)}
                onChange={() => {
                  const next = new Set(left);
                  if (!next.delete(folder)) next.add(folder);
                  setLeft(next);
                }}
                className="size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0 flex-1 break-all font-mono text-xs">{folder}</span>
              <span className="shrink-0 text-ink-3 text-xs">{t('folders.count', { count })}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
