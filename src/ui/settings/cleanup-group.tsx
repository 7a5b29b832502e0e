// Automatic clean-up: its rules, what the next run will do, and what past runs did, each undone with one click.
import { Archive, Trash2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { toast } from 'sonner';
import { withOuter } from '../../domain/projects/filing.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { RetentionRun } from '../../services/library/retention-plan.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDate, formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToolName } from '../library/tool-name.ts';
import { Button, Confirm, Switch } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { useHasAccount } from '../sync/use-sync.ts';
import { ListSetting } from './list-setting.tsx';
import { Group, NumberSetting, Row, SwitchSetting, useSetting } from './rows.tsx';

export function CleanupGroup() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const enabled = useReadable(app.settings.config, (config) => config.storage.cleanup.enabled);
  return (
    <Group title={t('storage.cleanup.title')}>
      <SwitchSetting path="storage.cleanup.enabled" />
      {enabled && (
        <>
          <NumberSetting path="storage.cleanup.archive_after_days" />
          <NextRun />
          <Deleting />
          <ExceptSources />
          <ExceptProjects />
          <ListSetting
            path="storage.cleanup.except_work_dirs"
            add={t('privacy.addDir')}
            placeholder={t('privacy.dirPlaceholder')}
            mono
          />
        </>
      )}
      <PastRuns />
    </Group>
  );
}

/** Preview of a run, kept in step with the library and the settings. */
function usePreview() {
  const { retention, documents, settings, notes } = useApp();
  useReadable(documents.library);
  useReadable(settings.config);
  useReadable(notes.state);
  useReadable(retention.state);
  return retention.preview();
}

function NextRun() {
  const { t } = useTranslation('settings');
  const { retention } = useApp();
  const report = useReport();
  const { archive, trash, erase } = usePreview();
  const [busy, setBusy] = useState(false);
  const all = archive.length + trash.length + erase.length;
  const undo = useUndo();
  const runNow = () => {
    setBusy(true);
    retention
      .run()
      .then((done) => {
        if (!done) return;
        toast(t('storage.cleanup.done', { what: whatOf(done, t) }), {
          ...(done.archived.length + done.trashed.length > 0
            ? { action: { label: t('undo'), onClick: () => undo(done.at) } }
            : {}),
        });
      }, report)
      .finally(() => setBusy(false));
  };
  return (
    <div className="py-3">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <p className="min-w-52 flex-1">
          {all === 0
            ? t('storage.cleanup.nothing')
            : sentences(
                archive.length > 0 && t('storage.cleanup.willArchive', { count: archive.length }),
                trash.length > 0 && t('storage.cleanup.willTrash', { count: trash.length }),
                erase.length > 0 && t('storage.cleanup.willErase', { count: erase.length }),
              )}
        </p>
        {all > 0 && (
          <Button size="sm" busy={busy} icon={<Archive size={14} aria-hidden />} onClick={runNow}>
            {t('storage.cleanup.runNow')}
          </Button>
        )}
      </div>
      <Titles
        label={t('storage.cleanup.next')}
        rows={[...archive, ...trash, ...erase].map((entry) => ({ entry, at: entry.updatedAt }))}
      />
    </div>
  );
}

/** Deleting needs a separate consent that says what it will delete. */
function Deleting() {
  const { t } = useTranslation('settings');
  const { retention } = useApp();
  const report = useReport();
  const everywhere = useHasAccount();
  const agreedAt = useReadable(retention.state, (state) => state?.agreedAt ?? null);
  const agreed = agreedAt !== null;
  const { announced, trash } = usePreview();
  const days = useSetting<number>('storage.cleanup.delete_archived_after_days').value;
  const [asking, setAsking] = useState(false);
  const waiting = announced.filter(({ entry }) => !trash.includes(entry));
  const agree = (yes: boolean) => void retention.agree(yes).catch(report);
  return (
    <>
      <Row
        label={t('storage.cleanup.deleting')}
        help={
          agreed
            ? t('storage.cleanup.agreed', { when: formatDate(agreedAt) })
            : t('storage.cleanup.deletingHelp')
        }
      >
        {agreed ? (
          <Button size="sm" onClick={() => agree(false)}>
            {t('storage.cleanup.withdraw')}
          </Button>
        ) : (
          <Button size="sm" icon={<Trash2 size={14} aria-hidden />} onClick={() => setAsking(true)}>
            {t('storage.cleanup.agree')}
          </Button>
        )}
      </Row>
      {agreed && <NumberSetting path="storage.cleanup.delete_archived_after_days" />}
      {agreed && waiting.length > 0 && (
        <div className="py-3">
          <p>{t('storage.cleanup.announced', { count: waiting.length })}</p>
          <Titles label={t('storage.cleanup.announced', { count: waiting.length })} rows={waiting} ahead />
        </div>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('storage.cleanup.agreeTitle')}
        action={t('storage.cleanup.agreeAction')}
        danger
        onConfirm={() => agree(true)}
      >
        {sentences(
          t('storage.cleanup.agreeText', { count: days }),
          announced.length > 0 && t('storage.cleanup.agreeNow', { count: announced.length }),
          everywhere && t('storage.cleanup.agreeEverywhere'),
        )}
      </Confirm>
    </>
  );
}

/** Exceptions of one kind, each removed with a switch. Draws nothing if there are none. */
function Exceptions({
  path,
  rows,
}: {
  path: 'storage.cleanup.except_sources' | 'storage.cleanup.except_projects';
  rows: readonly { readonly id: string; readonly name: string }[];
}) {
  const { t } = useTranslation('settings');
  const id = useId();
  const { value, set } = useSetting<readonly string[]>(path);
  if (rows.length === 0) return null;
  return (
    <fieldset aria-labelledby={id} className="py-3">
      <p id={id} className="font-medium">
        {t(`field.${path}.label`)}
      </p>
      <p className="mt-0.5 text-ink-3 text-xs">{t(`field.${path}.help`)}</p>
      {rows.map((row) => (
        <div key={row.id} className="flex min-h-11 items-center gap-3">
          <label htmlFor={`${id}-${row.id}`} dir="auto" className="min-w-0 flex-1 truncate">
            {row.name}
          </label>
          <Switch
            id={`${id}-${row.id}`}
            checked={value.includes(row.id)}
            onCheckedChange={(out) =>
              void set(out ? [...value, row.id] : value.filter((other) => other !== row.id))
            }
          />
        </div>
      ))}
    </fieldset>
  );
}

/** Tools that conversations came from. */
function ExceptSources() {
  const { documents } = useApp();
  const nameOf = useToolName();
  const { value } = useSetting<readonly string[]>('storage.cleanup.except_sources');
  const entries = useReadable(documents.library, (library) => library.entries);
  const tools = [
    ...new Set([
      ...value,
      ...entries.flatMap(({ source, sample }) => (source && !sample ? [source.tool] : [])),
    ]),
  ].sort();
  return (
    <Exceptions
      path="storage.cleanup.except_sources"
      rows={tools.map((tool) => ({ id: tool, name: nameOf(tool) }))}
    />
  );
}

/** Projects; a nested one is named together with its parent. */
function ExceptProjects() {
  const { t } = useTranslation('settings');
  const { documents } = useApp();
  const projects = useReadable(documents.library, (library) => library.projects);
  const nameOf = (project: LibraryEntry) => shownTitle(project.title, t('storage.untitled'));
  return (
    <Exceptions
      path="storage.cleanup.except_projects"
      rows={projects
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id }) => ({ id, name: withOuter(id, projects).map(nameOf).join(' / ') }))
        .sort((a, b) => a.name.localeCompare(b.name))}
    />
  );
}

function useUndo() {
  const { t } = useTranslation('settings');
  const { retention } = useApp();
  const report = useReport();
  return (at: number) => {
    retention.undo(at).then((count) => toast(t('storage.cleanup.undone', { count })), report);
  };
}

function PastRuns() {
  const { t } = useTranslation('settings');
  const { retention } = useApp();
  const runs = useReadable(retention.state, (state) => state?.runs);
  const undo = useUndo();
  if (!runs || runs.length === 0) return null;
  return (
    <div className="py-3">
      <p className="font-medium">{t('storage.cleanup.past')}</p>
      <ul className="mt-2 max-h-52 divide-y divide-line overflow-y-auto">
        {runs.map((run) => (
          <li key={run.at} className="flex min-h-11 items-center gap-3 py-1">
            <span className="min-w-0 flex-1">
              <time dateTime={new Date(run.at).toISOString()} title={formatExact(run.at)}>
                {formatDate(run.at)}
              </time>
              {': '}
              {whatOf(run, t)}
            </span>
            {run.undone ? (
              <span className="shrink-0 text-ink-3">{t('storage.cleanup.wasUndone')}</span>
            ) : (
              run.archived.length + run.trashed.length > 0 && (
                <Button size="sm" onClick={() => undo(run.at)}>
                  {t('undo')}
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Result of a run, in words. */
const whatOf = (
  { archived, trashed, erased }: RetentionRun,
  t: ReturnType<typeof useTranslation<'settings'>>['t'],
): string =>
  [
    archived.length > 0 && t('storage.cleanup.archived', { count: archived.length }),
    trashed.length > 0 && t('storage.cleanup.trashed', { count: trashed.length }),
    erased > 0 && t('storage.cleanup.erased', { count: erased }),
  ]
    .filter((part) => part !== false)
    .join(t('storage.cleanup.and'));

/** Lists conversations. `ahead`: the time is when something will happen. */
function Titles({
  label,
  rows,
  ahead = false,
}: {
  label: string;
  rows: readonly { readonly entry: LibraryEntry; readonly at: number }[];
  ahead?: boolean;
}): ReactNode {
  const { t } = useTranslation('settings');
  if (rows.length === 0) return null;
  return (
    <ul
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list must scroll by keyboard, too
      tabIndex={0}
      className="mt-2 max-h-52 divide-y divide-line overflow-y-auto rounded-lg border border-line px-3"
    >
      {rows.map(({ entry, at }) => (
        <li key={entry.id} className="flex items-center gap-3 py-1.5">
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {shownTitle(entry.title, t('storage.untitled'))}
          </span>
          <time
            dateTime={new Date(at).toISOString()}
            title={formatExact(at)}
            className="shrink-0 text-ink-3 text-xs"
          >
            {ahead ? formatDate(at) : formatRelative(at)}
          </time>
        </li>
      ))}
    </ul>
  );
}
