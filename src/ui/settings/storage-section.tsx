// What is kept in this browser and how large it is; the way out and the way in; the trash; the samples.

import { Download, RefreshCw, RotateCcw, ShieldAlert, ShieldCheck, Trash2, Upload } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Config } from '../../domain/settings/config.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { App, StorageStatus } from '../../services/app.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { storageSpaceOf } from '../../services/library/storage-space.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatBytes, formatExact, formatNumber, formatPercent, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useLines } from '../library/lines.ts';
import { ConfirmRebuild, useIndexStats } from '../memory/index-status.tsx';
import { Badge, Button, Confirm, classes, IconButton, Progress, Skeleton } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { useHasAccount, useJournal } from '../sync/use-sync.ts';
import { CleanupGroup } from './cleanup-group.tsx';
import { Group, NumberSetting, Row, SelectSetting, useSetting } from './rows.tsx';

type Engine = Config['storage']['engine'];

export function StorageSection() {
  const { t } = useTranslation('settings');
  const app = useApp();
  return (
    <>
      <Usage />
      <Group title={t('storage.take')}>
        <ExportRow />
        <ImportRow />
        <SamplesRow />
      </Group>
      <CleanupGroup />
      <Trash />
      <Group title={t('storage.limits')}>
        <EngineRow />
        <RebuildRow />
        <NumberSetting path="storage.max_size_mb" />
      </Group>
      {app.storageKind === 'memory' && <p className="text-danger">{t('storage.memoryOnly')}</p>}
    </>
  );
}

interface Sizes extends StorageStatus {
  readonly log: Pick<Awaited<ReturnType<App['logStats']>>, 'bytes'>;
}

/** Takes the room of the figures, unseen, until they come: nothing below may move from under a pointer. */
const PENDING: Sizes = {
  usage: 100_000_000,
  quota: 10_000_000_000,
  persisted: false,
  modelBytes: 0,
  log: { bytes: 0 },
};

function Usage() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  const stats = useIndexStats();
  const limit = useReadable(app.settings.config, (config) => config.storage.max_size_mb);
  const conversations = useReadable(
    app.documents.library,
    (library) => library.entries.filter((entry) => entry.deletedAt === null).length,
  );
  const [told, setSizes] = useState<Sizes | null>(null);
  const isPending = told === null;
  const sizes = told ?? PENDING;
  const [refused, setRefused] = useState(false);

  const read = useCallback(
    () => Promise.all([app.device.storage(), app.logStats()]).then(([storage, log]) => ({ ...storage, log })),
    [app],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the figures of the index grow with these
  useEffect(() => {
    let gone = false;
    read().then(
      (now) => {
        if (!gone) setSizes(now);
      },
      (error: unknown) => {
        if (!gone) report(error);
      },
    );
    return () => {
      gone = true;
    };
  }, [read, stats?.messages, conversations]);

  const parts = [
    { id: 'log', bytes: sizes.log.bytes, tone: 'bg-accent' },
    { id: 'index', bytes: stats?.bytes ?? null, tone: 'bg-memory-strong' },
    { id: 'models', bytes: sizes.modelBytes, tone: 'bg-folded-strong' },
  ];
  // The index tells its size once it is awake; until then nobody knows.
  const named = parts.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
  // What the browser reports is rounded and late; it is never less than what is known to be there.
  const {
    used,
    limit: limitBytes,
    state,
  } = storageSpaceOf({
    usage: sizes.usage,
    known: named,
    maxSizeMb: limit,
  });
  const all = [...parts, { id: 'other', bytes: Math.max(0, used - named), tone: 'bg-line-strong' }];
  const { persisted } = sizes;
  return (
    <>
      <section aria-label={t('storage.contents')} aria-busy={isPending} className="relative">
        {isPending && (
          <div className="absolute inset-x-0 top-0 space-y-3">
            <Skeleton className="h-7 w-40" />
            <Skeleton className="h-3 w-full" />
          </div>
        )}
        <div className={isPending ? 'invisible' : undefined}>
          <p className="font-semibold text-2xl tracking-tight">{formatBytes(used)}</p>
          <p className="text-ink-3 text-xs">
            {[
              sizes.usage === null
                ? t('storage.unknown')
                : sizes.quota
                  ? t('storage.allowed', { quota: formatBytes(sizes.quota) })
                  : '',
              t('storage.limit', {
                percent: formatPercent(used / limitBytes, used / limitBytes < 0.01 ? 1 : 0),
                limit: formatBytes(limitBytes),
              }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <div aria-hidden className="mt-3 flex h-2.5 gap-px overflow-hidden rounded-full bg-press">
            {all
              .filter((part) => (part.bytes ?? 0) > 0)
              .map((part) => (
                <span
                  key={part.id}
                  className={classes('h-full min-w-0.5', part.tone)}
                  style={{ width: `${((part.bytes ?? 0) / Math.max(used, 1)) * 100}%` }}
                />
              ))}
          </div>
          {state !== 'free' && (
            <p role="status" className={classes('mt-3', state === 'full' ? 'text-danger' : 'text-ink-2')}>
              {t(state === 'full' ? 'storage.atLimit' : 'storage.nearLimit')}
            </p>
          )}
          <dl className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))] gap-x-4 gap-y-3">
            {all.map((part) => (
              <div key={part.id}>
                <dt className="flex items-center gap-1.5 text-ink-3 text-xs">
                  <span aria-hidden className={classes('size-2 shrink-0 rounded-full', part.tone)} />
                  {t(`storage.parts.${part.id}`)}
                </dt>
                <dd className="mt-0.5 font-medium tabular-nums">
                  {part.bytes === null ? '–' : formatBytes(part.bytes)}
                </dd>
                {part.id === 'log' && (
                  <dd className="text-ink-3 text-xs">
                    {t('storage.conversations', { count: conversations })}
                  </dd>
                )}
                {part.id === 'index' && stats && (
                  <dd className="text-ink-3 text-xs">{t('storage.messages', { count: stats.messages })}</dd>
                )}
              </div>
            ))}
          </dl>
        </div>
      </section>
      <div
        className={classes(
          'flex flex-wrap items-start gap-3 rounded-lg bg-side px-4 py-3',
          isPending && 'invisible',
        )}
      >
        {persisted ? (
          <ShieldCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-ok" />
        ) : (
          <ShieldAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
        )}
        <div className="min-w-56 flex-1 basis-0">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {t('storage.persist.title')}
            {persisted !== null && (
              <Badge tone={persisted ? 'ok' : 'neutral'}>
                {t(`storage.persist.label.${persisted ? 'yes' : 'no'}`)}
              </Badge>
            )}
          </p>
          <p role="status" className="mt-0.5 text-ink-2">
            {refused
              ? t('storage.persist.refused')
              : t(`storage.persist.${persisted === null ? 'unknown' : persisted ? 'yes' : 'no'}`)}
          </p>
        </div>
        {persisted === false && !refused && (
          <Button
            size="sm"
            onClick={() => {
              app.device
                .persist()
                .then((kept) => {
                  setRefused(!kept);
                  return read().then(setSizes);
                })
                .catch(report);
            }}
          >
            {t('storage.persist.ask')}
          </Button>
        )}
      </div>
    </>
  );
}

function EngineRow() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const { set } = useSetting<Engine>('storage.engine');
  const [wanted, setWanted] = useState<Engine | null>(null);
  const now = useReadable(app.memory.status, (status) => status.engine);
  return (
    <div>
      <SelectSetting<Engine>
        path="storage.engine"
        options={(['auto', 'opfs', 'indexeddb', 'memory'] as const).map((value) => ({
          value,
          label: t(`storage.engine.${value}.label`),
          description: t(`storage.engine.${value}.help`),
        }))}
        onChange={setWanted}
      />
      {now && (
        <p className="-mt-2 pb-3 text-ink-3 text-xs">
          {t('storage.engine.now', { engine: t(`storage.engine.${now}.label`) })}
        </p>
      )}
      <Confirm
        open={wanted !== null}
        onOpenChange={() => setWanted(null)}
        title={t('storage.engine.switchTitle', { engine: wanted ? t(`storage.engine.${wanted}.label`) : '' })}
        action={t('storage.engine.switchAction')}
        onConfirm={() => {
          if (wanted) void set(wanted);
        }}
      >
        {t('storage.engine.switchText')}
      </Confirm>
    </div>
  );
}

function ExportRow() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  // JSON is complete, so it holds the trash and what was told to memory as well.
  const listed = useReadable(
    app.documents.library,
    (library) => library.ready && library.entries.length === 0,
  );
  const shown = useReadable(
    app.documents.library,
    (library) => library.ready && library.entries.every((entry) => entry.deletedAt !== null),
  );
  const told = useReadable(app.notes.state, ({ notes, feedback }) => notes.length + feedback.length);
  const notes = useReadable(app.notes.state, (state) => state.notes.length);
  const nothing = { json: listed && told === 0, markdown: shown && notes === 0 };
  const [busy, setBusy] = useState<'json' | 'markdown' | null>(null);
  const take = (format: 'json' | 'markdown') => {
    setBusy(format);
    app.library
      .exportConversations('all', format)
      .then((file) => {
        download(file);
        toast(t('storage.export.done', { name: file.name }));
      }, report)
      .finally(() => setBusy(null));
  };
  return (
    <Row
      label={t('storage.export.title')}
      help={
        nothing.json ? (
          t('storage.export.empty')
        ) : (
          <>
            {t('storage.export.text')}
            <LastBackup />
          </>
        )
      }
      stack
    >
      <div className="flex flex-wrap gap-2">
        {(['json', 'markdown'] as const).map((format) => (
          <Button
            key={format}
            size="sm"
            disabled={nothing[format]}
            busy={busy === format}
            icon={<Download size={14} aria-hidden />}
            onClick={() => take(format)}
          >
            {t(`storage.export.${format}`)}
          </Button>
        ))}
      </div>
    </Row>
  );
}

/** Makes the index anew, and shows how far memory's reading is, whatever began it. */
function RebuildRow() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  const stats = useIndexStats();
  const starting = useReadable(app.memory.status, (status) => status.state === 'starting');
  const lines = useLines().filter(({ state }) => state === 'running' || state === 'paused');
  const going = (['rebuild', 'index', 'embed'] as const)
    .map((label) => lines.find((line) => line.label === label))
    .find((line) => line !== undefined);
  const [asking, setAsking] = useState(false);
  const label = going && t(`library:activity.label.${going.label}`);
  return (
    <div>
      <Row label={t('storage.rebuild.title')} help={t('storage.rebuild.text')}>
        <Button
          size="sm"
          disabled={starting || going?.label === 'rebuild'}
          icon={<RefreshCw size={14} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t('storage.rebuild.action')}
        </Button>
      </Row>
      {going && label && (
        <div className="-mt-1 pb-3">
          <Progress value={going.total > 0 ? going.done / going.total : null} label={label} />
          <p className="mt-1.5 text-ink-3 text-xs tabular-nums">
            {[
              label,
              going.total > 0
                ? t('library:activity.of', {
                    done: formatNumber(going.done),
                    total: formatNumber(going.total),
                  })
                : going.left !== null
                  ? t('library:activity.waiting', { count: going.left })
                  : '',
              going.state === 'paused' ? t('library:activity.state.paused') : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
      )}
      <ConfirmRebuild
        open={asking}
        onOpenChange={setAsking}
        messages={stats?.messages}
        onConfirm={() => {
          app.memory.rebuild().catch(report);
        }}
      />
    </div>
  );
}

/** From this many conversations on there is more than a little to lose. */
const WORTH_A_BACKUP = 10;

/** How old the last whole export is; where there is none, why one would be good. */
function LastBackup() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const at = useReadable(app.library.lastBackup);
  const elsewhere = useHasAccount();
  const own = useReadable(
    app.documents.library,
    (library) => library.entries.filter((entry) => !entry.sample && entry.deletedAt === null).length,
  );
  if (at === undefined) return null;
  return (
    <span className="mt-1 block">
      {at === null ? (
        t('storage.backup.never')
      ) : (
        <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
          {t('storage.backup.last', { when: formatRelative(at) })}
        </time>
      )}
      {at === null && own >= WORTH_A_BACKUP && !elsewhere && (
        <span className="mt-1 block text-ink-2">{t('storage.backup.gentle', { count: own })}</span>
      )}
    </span>
  );
}

function ImportRow() {
  const { t } = useTranslation('settings');
  const session = useSession();
  return (
    <Row label={t('storage.import.title')} help={t('storage.import.text')}>
      <Button
        size="sm"
        icon={<Upload size={14} aria-hidden />}
        onClick={() => session.floating.set('import')}
      >
        {t('storage.import.action')}
      </Button>
    </Row>
  );
}

function SamplesRow() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  const count = useReadable(
    app.documents.library,
    (library) => library.entries.filter((entry) => entry.sample && entry.deletedAt === null).length,
  );
  const [busy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    const work = count > 0 ? app.library.removeSamples() : app.library.addSamples();
    work
      .then(
        (done) => toast(t(count > 0 ? 'storage.samples.removed' : 'storage.samples.added', { count: done })),
        report,
      )
      .finally(() => setBusy(false));
  };
  return (
    <Row
      label={t('storage.samples.title')}
      help={count > 0 ? t('storage.samples.there', { count }) : t('storage.samples.none')}
    >
      <Button size="sm" busy={busy} onClick={run}>
        {count > 0 ? t('storage.samples.remove') : t('storage.samples.add')}
      </Button>
    </Row>
  );
}

function Trash() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const trash = entries
    .filter((entry): entry is LibraryEntry & { deletedAt: number } => entry.deletedAt !== null)
    .sort((a, b) => b.deletedAt - a.deletedAt);
  const [erasing, setErasing] = useState<readonly ConversationId[] | null>(null);
  const everywhere = useHasAccount();
  const journal = useJournal();
  const lost = new Set(
    journal
      ?.filter(({ kind, what }) => kind === 'conflict' && what === 'deleted')
      .map((line) => line.document),
  );
  const restore = (ids: readonly ConversationId[]) => {
    app.library.restore(ids).then(() => toast(t('storage.trash.restored', { count: ids.length })), report);
  };
  return (
    <Group title={t('storage.trash.title')}>
      <div className="flex flex-wrap items-center gap-3 py-2">
        <p className="min-w-0 flex-1 text-ink-3 text-xs">
          {trash.length === 0 ? t('storage.trash.empty') : t('storage.trash.text')}
        </p>
        {trash.length > 0 && (
          <Button size="sm" onClick={() => setErasing(trash.map((entry) => entry.id))}>
            {t('storage.trash.eraseAll')}
          </Button>
        )}
      </div>
      {trash.length > 0 && (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto">
          {trash.map((entry) => {
            const title = shownTitle(entry.title, t('storage.untitled'));
            return (
              <li key={entry.id} className="flex min-h-11 items-center gap-2 py-1">
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{title}</span>
                  {lost.has(entry.id) && (
                    <span className="block text-branch text-xs">{t('sync:trash.lost')}</span>
                  )}
                </span>
                <time
                  dateTime={new Date(entry.deletedAt).toISOString()}
                  title={formatExact(entry.deletedAt)}
                  className="shrink-0 text-ink-3 text-xs max-sm:hidden"
                >
                  {t('storage.trash.deleted', { when: formatRelative(entry.deletedAt) })}
                </time>
                <IconButton
                  size="sm"
                  label={`${t('storage.trash.restore')}: ${title}`}
                  icon={<RotateCcw size={15} aria-hidden />}
                  onClick={() => restore([entry.id])}
                />
                <IconButton
                  size="sm"
                  label={`${t('storage.trash.erase')}: ${title}`}
                  icon={<Trash2 size={15} aria-hidden />}
                  onClick={() => setErasing([entry.id])}
                />
              </li>
            );
          })}
        </ul>
      )}
      <Confirm
        open={erasing !== null}
        onOpenChange={() => setErasing(null)}
        title={t('storage.trash.eraseTitle', { count: erasing?.length ?? 0 })}
        action={t('storage.trash.eraseAction')}
        danger
        onConfirm={() => {
          if (erasing) app.library.erase(erasing).catch(report);
        }}
      >
        {sentences(t('storage.trash.eraseText'), everywhere && t('sync:forget.also'), t('shell:eraseQuoted'))}
      </Confirm>
    </Group>
  );
}
