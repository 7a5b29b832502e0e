// Settings of a project: memory, model, folders, data that leaves the device, name and looks.
import { FolderInput, X } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { foldersWithoutProject } from '../../domain/projects/filing.ts';
import { MAX_PROJECT_NAME, MEMORY_SCOPES, PROJECT_COLOURS } from '../../domain/projects/project.ts';
import type { ProjectEntry } from '../../services/documents/documents.ts';
import type { ProjectRequest } from '../../services/projects/projects.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { RadioTile } from '../settings/radio-tile.tsx';
import { useSetting } from '../settings/rows.tsx';
import { Select } from '../shell/controls/select.tsx';
import { Button, classes, IconButton, Switch, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { useHasAccount } from '../sync/use-sync.ts';
import { INKS } from './project-mark.tsx';
import { Part } from './project-part.tsx';
import { nameOf } from './use-projects.ts';

function useChange({ id }: ProjectEntry): (request: ProjectRequest) => void {
  const app = useApp();
  const report = useReport();
  return (request) => void app.projects.change(id, request).catch(report);
}

export function ScopeSetting({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const change = useChange(project);
  const group = useId();
  return (
    <Part title={t('page.memory')}>
      <div role="radiogroup" aria-label={t('page.memory')} className="flex flex-col gap-2">
        {MEMORY_SCOPES.map((scope) => (
          <RadioTile
            key={scope}
            name={group}
            checked={project.project.scope === scope}
            onChange={() => change({ scope })}
            label={t(`page.scopes.${scope}`)}
            help={t(`page.scopes.${scope}Help`)}
          />
        ))}
      </div>
    </Part>
  );
}

/** Placeholder for no choice, because the select needs a value. */
const NONE = '-';

export function ModelSetting({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const { endpoints } = useReadable(useApp().settings.connections);
  const change = useChange(project);
  const { model } = project.project;
  if (endpoints.length === 0 && model === null) return null;
  const offered = endpoints.flatMap(({ id, label, models }) =>
    models.map((one) => ({ value: `${id} ${one}`, label: endpoints.length > 1 ? `${one} · ${label}` : one })),
  );
  const value = model ? `${model.endpointId} ${model.model}` : NONE;
  const isAway = model !== null && !offered.some((one) => one.value === value);
  return (
    <Part title={t('page.model')} words={t('page.modelWords')}>
      <Select
        label={t('page.model')}
        value={value}
        options={[
          { value: NONE, label: t('page.modelAny') },
          ...offered,
          ...(isAway ? [{ value, label: t('page.modelAway', { model: model.model }) }] : []),
        ]}
        onValueChange={(next) => {
          const space = next.indexOf(' ');
          change({
            model: next === NONE ? null : { endpointId: next.slice(0, space), model: next.slice(space + 1) },
          });
        }}
        className="w-full md:w-80"
      />
    </Part>
  );
}

export function FolderSetting({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const { t: ts } = useTranslation('shell');
  const entries = useReadable(useApp().documents.library, (library) => library.entries);
  const change = useChange(project);
  const [folder, setFolder] = useState('');
  const { workDirs } = project.project;
  const latest = useLatest(workDirs);
  const putBack = (path: string) => {
    if (!latest.current.includes(path)) change({ workDirs: [...latest.current, path] });
  };
  const suggested = useMemo(() => foldersWithoutProject(entries).slice(0, 5), [entries]);
  const add = (path: string) => {
    const wanted = path.trim();
    if (wanted !== '' && !workDirs.includes(wanted)) change({ workDirs: [...workDirs, wanted] });
    setFolder('');
  };
  return (
    <Part title={t('page.folders')} words={t('page.foldersWords')}>
      <ul>
        {workDirs.map((path) => (
          <li key={path} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 break-all font-mono text-xs">{path}</span>
            <IconButton
              size="sm"
              label={t('page.takeOut', { name: path })}
              icon={<X size={14} aria-hidden />}
              onClick={() => {
                change({ workDirs: workDirs.filter((one) => one !== path) });
                offer(t('removedItem', { name: path }), { label: ts('undo'), onClick: () => putBack(path) });
              }}
            />
          </li>
        ))}
      </ul>
      {suggested.length > 0 && (
        <div className="flex flex-wrap gap-2 py-2">
          {suggested.map(({ folder: path, count }) => (
            <Button
              key={path}
              size="sm"
              icon={<FolderInput size={14} aria-hidden />}
              className="max-w-full"
              title={path}
              onClick={() => add(path)}
            >
              <span className="min-w-0 truncate font-mono text-xs">{path}</span>
              <span className="text-ink-3 text-xs">{t('folders.count', { count })}</span>
            </Button>
          ))}
        </div>
      )}
      <form
        className="mt-1 flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          add(folder);
        }}
      >
        <TextField
          className="flex-1"
          label={t('page.folder')}
          hideLabel
          value={folder}
          maxLength={1000}
          placeholder="/home/me/acme"
          inputClassName="font-mono text-xs"
          onChange={(event) => setFolder(event.target.value)}
        />
        <Button type="submit" disabled={folder.trim() === ''}>
          {t('page.addFolder')}
        </Button>
      </form>
    </Part>
  );
}

export function SyncSetting({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const { value, set } = useSetting<readonly string[]>('sync.exclude_projects');
  const hasAccount = useHasAccount();
  const id = useId();
  const isHere = value.includes(project.id);
  if (!hasAccount && !isHere) return null;
  return (
    <section aria-label={t('page.sync')} className="flex items-center gap-4">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="font-semibold">
          {t('page.sync')}
        </label>
        <p id={`${id}-more`} className="text-ink-2 text-sm">
          {t('page.syncWords')}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-more`}
        checked={isHere}
        onCheckedChange={(here) =>
          void set(here ? [...value, project.id] : value.filter((one) => one !== project.id))
        }
      />
    </section>
  );
}

export function AppearanceSetting({ project }: { project: ProjectEntry }) {
  const { t } = useTranslation('projects');
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  const change = useChange(project);
  const { face } = project.project;
  const [name, setName] = useState<string | null>(null);
  const holds = projects.some((one) => one.projectId === project.id && one.deletedAt === null);
  const outer = projects.filter(
    (one) => one.id !== project.id && one.deletedAt === null && one.projectId === null,
  );
  const { openingAppearance } = useSession();
  const isMeant = useReadable(openingAppearance) === project.id;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isMeant) return;
    openingAppearance.set(null);
    field.current?.scrollIntoView({ block: 'center' });
    field.current?.select();
  }, [isMeant, openingAppearance]);
  const keepName = () => {
    if (name !== null && name.trim() !== '' && name.trim() !== project.title) change({ name });
    setName(null);
  };
  return (
    <Part title={t('page.looks')}>
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          ref={field}
          className="min-w-48 flex-1"
          label={t('page.name')}
          value={name ?? project.title}
          maxLength={MAX_PROJECT_NAME}
          onChange={(event) => setName(event.target.value)}
          onBlur={keepName}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) keepName();
          }}
        />
        <TextField
          className="w-24"
          label={t('page.emoji')}
          value={face.emoji}
          maxLength={16}
          onChange={(event) => change({ face: { ...face, emoji: lastSign(event.target.value) } })}
        />
      </div>
      <fieldset className="mt-4 flex flex-wrap gap-1.5">
        <legend className="pb-1.5 font-medium text-sm">{t('page.colour')}</legend>
        {PROJECT_COLOURS.map((colour) => (
          <label
            key={colour}
            className={classes(
              'touchable flex cursor-pointer items-center gap-2 rounded-md border px-2.5 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent',
              face.colour === colour ? 'border-accent bg-accent-soft' : 'border-line hover:bg-fill',
            )}
          >
            <input
              type="radio"
              name={`colour-${project.id}`}
              checked={face.colour === colour}
              onChange={() => change({ face: { ...face, colour } })}
              className="sr-only"
            />
            <span aria-hidden className={classes('size-3 rounded-full bg-current', INKS[colour])} />
            {t(`page.colours.${colour}`)}
          </label>
        ))}
      </fieldset>
      {!holds && outer.length > 0 && (
        <div className="mt-4">
          <p className="pb-1.5 font-medium text-sm">{t('page.within')}</p>
          <Select
            label={t('page.within')}
            value={project.projectId ?? NONE}
            options={[
              { value: NONE, label: t('page.withinNone') },
              ...outer.map((one) => ({ value: one.id as string, label: nameOf(one, t('title')) })),
            ]}
            onValueChange={(next) => change({ within: outer.find(({ id }) => id === next)?.id ?? null })}
            className="w-full md:w-80"
          />
        </div>
      )}
    </Part>
  );
}

/** Last sign in the text: in a field for one emoji, a new one replaces the old. */
function lastSign(text: string): string {
  const signs = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
  return signs.at(-1)?.segment.trim() ?? '';
}
