// The devices of the account: which are there, when they were last heard of, renaming this one, locking out another.
import { Laptop, Pencil, ShieldX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import type { SyncDevice } from '../../services/sync/sync.ts';
import { useApp } from '../hooks/app.tsx';
import { formatDate, formatExact, formatRelative } from '../i18n/index.ts';
import { Badge, Button, Confirm, Dialog, IconButton, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';

export function DeviceList({ devices }: { devices: readonly SyncDevice[] }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const [renaming, setRenaming] = useState<SyncDevice | null>(null);
  const [revoking, setRevoking] = useState<SyncDevice | null>(null);
  const sorted = [...devices].sort((a, b) => Number(b.here) - Number(a.here) || b.seenAt - a.seenAt);
  return (
    <>
      {sorted.length === 0 && <p className="py-3 text-ink-3">{t('device.none')}</p>}
      <ul aria-label={t('device.title')} className="divide-y divide-line">
        {sorted.map((device) => (
          <li key={device.id} className="flex items-center gap-3 py-2.5">
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
                      {t('device.seen', { when: formatRelative(device.seenAt) })}
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
              <IconButton
                label={t('device.rename')}
                icon={<Pencil size={15} aria-hidden />}
                onClick={() => setRenaming(device)}
              />
            ) : (
              <IconButton
                label={t('device.revoke', { name: device.name })}
                icon={<ShieldX size={16} aria-hidden />}
                onClick={() => setRevoking(device)}
              />
            )}
          </li>
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
      <Confirm
        open={revoking !== null}
        onOpenChange={() => setRevoking(null)}
        title={t('revoke.title', { name: revoking?.name ?? '' })}
        action={t('revoke.action')}
        danger
        onConfirm={() => {
          if (revoking) sync.revoke(revoking.id).then(() => toast(t('revoke.done')), report);
        }}
      >
        <div className="space-y-2">
          <p>{t('revoke.text', { name: revoking?.name ?? '' })}</p>
          <ul className="list-disc space-y-1 pl-4 marker:text-ink-3">
            <li>{t('revoke.key')}</li>
            <li>{t('revoke.again')}</li>
            <li>{t('revoke.past')}</li>
          </ul>
        </div>
      </Confirm>
    </>
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
