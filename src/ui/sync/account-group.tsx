// The account of this device, and how to leave it, also while sync is off.
import { LogOut } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import type { SyncAccount } from '../../services/sync/sync.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Group, Row } from '../settings/rows.tsx';
import { Button, Confirm, Spinner, Switch } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Fingerprint } from './pair-device.tsx';
import { RelaySight } from './relay-sight.tsx';

/** `others`: number of other devices in it; null: unknown because sync is off. */
export function AccountGroup({ account, others }: { account: SyncAccount; others: number | null }) {
  const { t } = useTranslation('sync');
  return (
    <Group title={t('account.title')}>
      <div className="py-3">
        <Fingerprint value={account.fingerprint} help={t('fingerprint.same')} />
      </div>
      <Row label={t('account.relay')} help={<span className="break-all">{account.endpoint}</span>} />
      <details className="py-3">
        <summary className="touchable cursor-pointer font-medium">{t('sight.title')}</summary>
        <div className="pt-3">
          <RelaySight />
        </div>
      </details>
      <LeaveRow others={others} />
    </Group>
  );
}

function LeaveRow({ others }: { others: number | null }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const [asking, setAsking] = useState(false);
  const [erase, setErase] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const id = useId();
  return (
    <Row label={t('leave.title')} help={t(others === null ? 'leave.helpOff' : 'leave.help')}>
      <Button
        size="sm"
        disabled={leaving}
        icon={leaving ? <Spinner /> : <LogOut size={14} aria-hidden />}
        onClick={() => {
          setErase(false);
          setAsking(true);
        }}
      >
        {t('leave.open')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('leave.confirm')}
        action={t(erase ? 'leave.actionErase' : 'leave.action')}
        danger
        onConfirm={() => {
          setLeaving(true);
          sync
            .leave({ erase })
            .then(() => toast(t('leave.done')), report)
            .finally(() => setLeaving(false));
        }}
      >
        <div className="space-y-3">
          <p>{t('leave.text')}</p>
          <p>
            {others === null
              ? t('leave.unknown')
              : others > 0
                ? t('leave.others', { count: others })
                : t('leave.last')}
          </p>
          <div className="flex items-start gap-3 rounded-lg bg-side px-3 py-2.5">
            <Switch id={id} checked={erase} onCheckedChange={setErase} aria-describedby={`${id}-help`} />
            <div className="min-w-0">
              <label htmlFor={id} className="font-medium text-ink">
                {t('leave.erase')}
              </label>
              <p id={`${id}-help`} className="text-xs">
                {t('leave.eraseHelp')}
              </p>
            </div>
          </div>
        </div>
      </Confirm>
    </Row>
  );
}
