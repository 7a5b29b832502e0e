// Storage of this browser: its contents and size; export and import; the trash; the samples.

import { Download, RefreshCw, Upload } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import type { Config } from '../../domain/settings/config.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatExact, formatNumber, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useActivityRows } from '../library/activity-rows.ts';
import { ConfirmRebuild, useIndexStats } from '../memory/index-status.tsx';
import { Button, Confirm, Progress } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { useHasAccount } from '../sync/use-sync.ts';
import { CleanupGroup } from './cleanup-group.tsx';
import { Group, NumberSetting, Row, SelectSetting, useSetting } from './rows.tsx';
import { Usage } from './storage-usage.tsx';
import { TrashGroup } from './trash-group.tsx';

type Engine = Config['storage']['engine'];

export function StorageSection() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const isPrivate = useReadable(app.device.isPrivate);
  return (
    <>
      {isPrivate && app.storageKind !== 'memory' && (
        <p className="rounded-lg bg-side px-4 py-3 text-ink-2">{t('storage.privateWindow')}</p>
      )}
      <Usage />
      <Group title={t('storage.take')}>
        <ExportRow />
        <ImportRow />
        <SamplesRow />
      </Group>
      <CleanupGroup />
      <TrashGroup />
      <Group title={t('storage.limits')}>
        <EngineRow />
        <RebuildRow />
        <NumberSetting path="storage.max_size_mb" />
      </Group>
      {app.storageKind === 'memory' && <p className="text-danger">{t('storage.memoryOnly')}</p>}
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
  // JSON is complete, so it includes the trash and the memory notes.
  const listed = useReadable(
    app.documents.library,
    (library) => library.ready && library.entries.length === 0,
  );
  const shown = useReadable(
    app.documents.library,
    (library) => library.ready && library.entries.every((entry) => entry.deletedAt !== null),
  );
  const noteCount = useReadable(app.notes.state, ({ notes, feedback }) => notes.length + feedback.length);
  const notes = useReadable(app.notes.state, (state) => state.notes.length);
  const nothing = { json: listed && noteCount === 0, markdown: shown && notes === 0 };
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

/** Rebuilds the index, and shows the progress of memory's reading, whatever started it. */
function RebuildRow() {
  const { t } = useTranslation(['settings', 'library']);
  const app = useApp();
  const report = useReport();
  const stats = useIndexStats();
  const starting = useReadable(app.memory.status, (status) => status.state === 'starting');
  const rows = useActivityRows().filter(({ state }) => state === 'running' || state === 'paused');
  const going = (['rebuild', 'index', 'embed'] as const)
    .map((label) => rows.find((row) => row.label === label))
    .find((row) => row !== undefined);
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

/** Number of conversations from which a backup is recommended. */
const WORTH_A_BACKUP = 10;

/** Says how old the last complete export is, or why one would be useful if there is none. */
function LastBackup() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const at = useReadable(app.library.lastBackup);
  const hasAccount = useHasAccount();
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
      {at === null && own >= WORTH_A_BACKUP && !hasAccount && (
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
    const add = () =>
      app.library.addSamples().then((added) => void toast(t('storage.samples.added', { count: added })));
    const remove = () =>
      app.library.removeSamples().then((removed) => {
        offer(t('storage.samples.removed', { count: removed }), {
          label: t('undo'),
          onClick: () => void add().catch(report),
        });
      });
    (count > 0 ? remove() : add()).catch(report).finally(() => setBusy(false));
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
