// Devices of the account: which ones, when each was last seen, rename this one, lock out another.
import { Ellipsis, Laptop, ListMinus, ShieldX } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { toProblem } from '../../domain/base/errors.ts';
import type { SyncDevice, WhyUnfetched } from '../../services/sync/sync.ts';
import { useApp } from '../hooks/app.tsx';
import { formatDate, formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, Button, Confirm, Dialog, IconButton, Menu, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { useSyncAccount } from './use-sync.ts';

/**
 * Largest difference between clocks set by the network, ms. If a device's clock is further ahead,
 * the time since it was seen is unknown.
 */
const CLOCKS_APART_MS = 5 * 60_000;

export function DeviceList({ devices }: { devices: readonly SyncDevice[] }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const [renaming, setRenaming] = useState<SyncDevice | null>(null);
  const [revoking, setRevoking] = useState<SyncDevice | null>(null);
  const [leaving, setLeaving] = useState<SyncDevice | null>(null);
  const sorted = [...devices].sort((a, b) => Number(b.here) - Number(a.here) || b.seenAt - a.seenAt);
  return (
    <>
      {sorted.length === 0 && <p className="py-3 text-ink-3">{t('device.none')}</p>}
      <ul aria-label={t('device.title')} className="divide-y divide-line">
        {sorted.map((device) => (
          <Device
            key={device.id}
            device={device}
            onRename={() => setRenaming(device)}
            onTakeOff={() => setLeaving(device)}
            onRevoke={() => setRevoking(device)}
          />
        ))}
      </ul>
      <Dialog
        open={renaming !== null}
        onOpenChange={() => setRenaming(null)}
        title={t('device.rename')}
        size="sm"
      >
        {renaming && (
          <Rename
            name={renaming.name}
            onDone={(name) => {
              setRenaming(null);
              if (name !== renaming.name) sync.renameDevice(name).catch(report);
            }}
          />
        )}
      </Dialog>
      <RevokeDialogs device={revoking} onClose={() => setRevoking(null)} />
      <Confirm
        open={leaving !== null}
        onOpenChange={() => setLeaving(null)}
        title={t('device.takeOff.title', { name: leaving?.name ?? '' })}
        action={t('device.takeOff.action')}
        onConfirm={() => {
          if (leaving)
            sync
              .takeOff(leaving.id)
              .then(() => toast(t('device.takeOff.done', { name: leaving.name })), report);
        }}
      >
        <div className="space-y-2">
          <p>{t('device.takeOff.text')}</p>
          <p>{t('device.takeOff.not')}</p>
        </div>
      </Confirm>
    </>
  );
}

function Device({
  device,
  onRename,
  onTakeOff,
  onRevoke,
}: {
  device: SyncDevice;
  onRename: () => void;
  onTakeOff: () => void;
  onRevoke: () => void;
}) {
  const { t } = useTranslation('sync');
  return (
    <li className="flex items-center gap-3 py-2.5">
      <Laptop size={18} aria-hidden className="shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate font-medium">{device.name}</span>
          {device.here && <Badge tone="accent">{t('device.here')}</Badge>}
        </p>
        <p className="text-ink-3 text-xs">
          {!device.here && (
            <>
              <time dateTime={new Date(device.seenAt).toISOString()} title={formatExact(device.seenAt)}>
                {device.seenAt > Date.now() + CLOCKS_APART_MS
                  ? t('device.ahead')
                  : t('device.seen', { when: formatRelative(device.seenAt) })}
              </time>
              {' · '}
            </>
          )}
          {t('device.paired', { date: formatDate(device.pairedAt) })}
        </p>
        {device.missing > 0 && (
          <p className="text-branch text-xs">{t('device.missing', { count: device.missing })}</p>
        )}
      </div>
      {device.here ? (
        <Button size="sm" aria-label={t('device.rename')} onClick={onRename}>
          {t('device.renameShort')}
        </Button>
      ) : (
        <Menu
          keepFocus
          trigger={
            <IconButton
              label={t('device.more', { name: device.name })}
              icon={<Ellipsis size={16} aria-hidden />}
            />
          }
          items={[
            {
              label: t('device.takeOff.label', { name: device.name }),
              icon: <ListMinus size={15} aria-hidden />,
              onSelect: onTakeOff,
            },
            'separator',
            {
              label: t('device.revoke', { name: device.name }),
              icon: <ShieldX size={15} aria-hidden />,
              danger: true,
              onSelect: onRevoke,
            },
          ]}
        />
      )}
    </li>
  );
}

/** Asks before a device is locked out, and again if some of its documents are not here yet. */
function RevokeDialogs({ device, onClose }: { device: SyncDevice | null; onClose: () => void }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const managed = useSyncAccount()?.managed ?? false;
  /** Documents not here yet, for the person to decide. */
  const [missing, setMissing] = useState<{ device: SyncDevice; why: WhyUnfetched; count: number } | null>(
    null,
  );
  const lockOut = (target: SyncDevice, anyway?: WhyUnfetched) => {
    sync.revoke(target.id, anyway ? { anyway } : {}).then(
      () => toast(t('revoke.done')),
      (error: unknown) => {
        const { code, params } = toProblem(error);
        if (code !== 'sync-unfetched') report(error);
        else {
          const why = params?.why === 'lacking' || params?.why === 'unreachable' ? params.why : 'fetching';
          setMissing({ device: target, why, count: Number(params?.count ?? 0) });
        }
      },
    );
  };
  return (
    <>
      <Confirm
        open={device !== null}
        onOpenChange={onClose}
        title={t('revoke.title', { name: device?.name ?? '' })}
        action={t('revoke.action')}
        danger
        onConfirm={() => device && lockOut(device)}
      >
        <div className="space-y-2">
          <p>{t('revoke.text', { name: device?.name ?? '' })}</p>
          <ul className="list-disc space-y-1 pl-4 marker:text-ink-3">
            <li>{t('revoke.key')}</li>
            <li>{t('revoke.again')}</li>
            <li>{t('revoke.past', { name: device?.name ?? '' })}</li>
            {managed && <li>{t('revoke.managed', { name: device?.name ?? '' })}</li>}
          </ul>
        </div>
      </Confirm>
      <Confirm
        open={missing !== null}
        onOpenChange={() => setMissing(null)}
        title={t('revoke.missing.title')}
        action={t('revoke.missing.action')}
        danger
        onConfirm={() => missing && lockOut(missing.device, missing.why)}
      >
        {missing && <Missing why={missing.why} count={missing.count} name={missing.device.name} />}
      </Confirm>
    </>
  );
}

function Missing({ why, count, name }: { why: WhyUnfetched; count: number; name: string }) {
  const { t } = useTranslation('sync');
  const what = () => {
    if (why === 'unreachable') return t('revoke.missing.unreachable');
    if (why === 'lacking') return t('revoke.missing.lacking', { count });
    return count > 0 ? t('revoke.missing.fetching', { count }) : t('revoke.missing.reading');
  };
  return (
    <div className="space-y-2">
      <p>{what()}</p>
      {why !== 'lacking' && <p>{t('revoke.missing.wait')}</p>}
      <p>{why === 'lacking' ? t('revoke.missing.lost') : t('revoke.missing.stays', { name })}</p>
    </div>
  );
}

function Rename({ name, onDone }: { name: string; onDone: (name: string) => void }) {
  const { t } = useTranslation('sync');
  const [draft, setDraft] = useState(name);
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== '') onDone(draft.trim());
      }}
    >
      <TextField
        data-first-focus=""
        label={t('device.name')}
        hint={t('device.nameHelp')}
        maxLength={60}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabled={draft.trim() === ''}>
          {t('device.keep')}
        </Button>
      </div>
    </form>
  );
}
