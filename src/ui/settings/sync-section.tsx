// Sync: its mode, its state, the paired devices, and what happened.
import { KeyRound, QrCode as QrIcon, RefreshCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { toast } from 'sonner';
import { MAX_DEVICE_NAME } from '../../services/settings/device-name.ts';
import type { SyncMode, SyncState, SyncStatus } from '../../services/sync/sync.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatExact, formatNumber, formatRelative, wordsFor } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Menu, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Loading } from '../shell/reading.tsx';
import { AccountForm } from '../sync/account-form.tsx';
import { AccountGroup } from '../sync/account-group.tsx';
import { DeviceList } from '../sync/device-list.tsx';
import { PairDeviceDialog } from '../sync/pair-device.tsx';
import { RelaySight } from '../sync/relay-sight.tsx';
import { SyncLog } from '../sync/sync-log.tsx';
import { useSyncAccount, useSyncStatus } from '../sync/use-sync.ts';
import { RadioTile } from './radio-tile.tsx';
import { FIELD, Group, NumberSetting, Refusal, Row, useSetting } from './rows.tsx';

interface DeviceNaming {
  /** Name in the field, kept or not. */
  readonly words: string;
  type(words: string): void;
  keep(): void;
}

function useDeviceNaming(): DeviceNaming {
  const { deviceName } = useApp();
  const report = useReport();
  const own = useReadable(deviceName.own);
  const [draft, setDraft] = useState<string | null>(null);
  return {
    words: draft ?? own ?? deviceName.get(),
    type: setDraft,
    keep: () => {
      if (draft !== null) deviceName.set(draft).then(() => setDraft(null), report);
    },
  };
}

/** Edits the name of this device until the list of devices shows it; a new account takes the name from here. */
function DeviceNameRow({ naming: { words, type, keep } }: { naming: DeviceNaming }) {
  const { t } = useTranslation('sync');
  const id = useId();
  return (
    <Row label={t('device.name')} help={t('device.nameHelp')} labelFor={id} describedBy={`${id}-help`} stack>
      <input
        id={id}
        dir="auto"
        autoComplete="off"
        maxLength={MAX_DEVICE_NAME}
        value={words}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => type(target.value)}
        onBlur={keep}
        onKeyDown={({ key }) => {
          if (key === 'Enter') keep();
        }}
        className={classes(FIELD, 'w-full @lg:w-60')}
      />
    </Row>
  );
}

export function SyncSection() {
  const { t } = useTranslation(['sync', 'settings']);
  const status = useSyncStatus();
  const mode = useSetting<SyncMode>('sync.mode');
  const naming = useDeviceNaming();
  const { account } = status;
  const kept = useSyncAccount();
  const mine = account ?? kept;
  const top = useRef<HTMLDivElement>(null);
  const had = useRef(account !== null);
  const belongs = useRef(mine !== null);
  // The form that created the account is gone; the result is shown at the top.
  useEffect(() => {
    const isMade = account !== null && !had.current;
    const isLeft = mine === null && belongs.current;
    had.current = account !== null;
    belongs.current = mine !== null;
    if (isMade) top.current?.scrollIntoView({ block: 'end' });
    // The pressed button is gone, too, so focuses the first control that is here now.
    if ((isMade || isLeft) && document.activeElement === document.body)
      top.current?.parentElement
        ?.querySelector<HTMLElement>('button:enabled, input')
        ?.focus({ preventScroll: true });
  }, [account, mine]);
  const wanted = mode.value === 'remote' || mode.value === 'managed' ? mode.value : null;
  // Until the engine reports its state, an account may exist.
  const isKnown = status.state === 'unpaired' || status.state === 'stopped';
  // This device's key no longer opens anything on the relay, and could not let other devices in, either.
  const isErased = status.state === 'stopped' && status.problem?.code === 'sync-deleted';
  return (
    <>
      <div ref={top} className="!my-0" />
      {account !== null && <Standing status={status} />}
      {account !== null && status.problem === null && status.devices.length < 2 && (
        <p className="flex gap-3 rounded-lg bg-side px-4 py-3 text-ink-2">
          <KeyRound size={17} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
          {t('alone')}
        </p>
      )}
      {isErased && <Anew mode={account?.managed ? 'managed' : 'remote'} />}
      {account !== null && !isErased && (
        <Group title={t('device.title')}>
          <DeviceList devices={status.devices} />
          <PairRow />
        </Group>
      )}
      {account !== null && (
        <Group title={t('log.title')}>
          <SyncLog />
        </Group>
      )}
      {account === null && <DeviceNameRow naming={naming} />}
      <Modes mode={mode.value} set={mode.set} keeps={mine !== null} />
      <Refusal problem={mode.problem} />
      {mine !== null ? (
        <>
          {account === null && status.problem !== null && <ProblemNotice problem={status.problem} />}
          {!isErased && (
            <AccountGroup
              account={mine}
              others={account && status.devices.filter((device) => !device.here).length}
            />
          )}
        </>
      ) : (
        wanted !== null && (
          <>
            {isKnown ? (
              <SetUp mode={wanted} status={status} deviceName={naming.words} />
            ) : (
              <Loading>
                <Skeleton className="h-9 w-full" />
              </Loading>
            )}
            <Group title={t('sight.title')}>
              <div className="py-3">
                <RelaySight />
              </div>
            </Group>
          </>
        )
      )}
      {wanted !== null && (
        <Group title={t('settings:sync.pace')}>
          <NumberSetting path="sync.auto_sync_interval" />
          <NumberSetting path="sync.remote.timeout" />
        </Group>
      )}
    </>
  );
}

// ── mode ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const MODES = ['disabled', 'local', 'remote', 'managed'] as const;

function Modes({
  mode,
  set,
  keeps,
}: {
  mode: SyncMode;
  set: (mode: SyncMode) => Promise<boolean>;
  /** True if an account stays when sync is switched off. */
  keeps: boolean;
}) {
  const { t } = useTranslation('sync');
  // Shows the picked mode at once; the configuration may still refuse it.
  const [picked, setPicked] = useState<SyncMode | null>(null);
  const name = useId();
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-semibold">{t('mode.title')}</legend>
      {MODES.map((value) => (
        <RadioTile
          key={value}
          name={name}
          checked={(picked ?? mode) === value}
          onChange={() => {
            setPicked(value);
            void set(value).finally(() => setPicked(null));
          }}
          label={t(`mode.${value}.label`)}
          help={sentences(t(`mode.${value}.help`), value === 'disabled' && keeps && t('mode.keeps'))}
        />
      ))}
    </fieldset>
  );
}

/** Without an account: creates one, or joins another device's. */
function SetUp({
  mode,
  status,
  deviceName,
}: {
  mode: 'remote' | 'managed';
  status: SyncStatus;
  deviceName: string;
}) {
  const { t } = useTranslation('sync');
  const navigation = useNavigation();
  return (
    <>
      {status.problem && <ProblemNotice problem={status.problem} />}
      <Group title={t('create.title')}>
        <div className="space-y-4 py-3">
          <p className="text-ink-2">{t('create.lead')}</p>
          <AccountForm key={mode} mode={mode} deviceName={deviceName} />
        </div>
      </Group>
      <Group title={t('join.short')}>
        <Row label={t('join.have')} help={t('join.haveHelp')} stack>
          <Button icon={<QrIcon size={15} aria-hidden />} onClick={() => navigation.openScreen('pair')}>
            {t('join.open')}
          </Button>
        </Row>
      </Group>
    </>
  );
}

// ── state ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const DOT: Record<SyncState, string> = {
  disabled: 'bg-line-strong',
  local: 'bg-line-strong',
  unpaired: 'bg-line-strong',
  connecting: 'animate-pulse bg-ink-3',
  offline: 'border-2 border-ink-3',
  syncing: 'animate-pulse bg-ok-strong',
  synced: 'bg-ok-strong',
  stopped: 'bg-danger',
};

function Standing({ status }: { status: SyncStatus }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const [checking, setChecking] = useState(false);
  const check = (force: boolean) => {
    setChecking(true);
    sync
      .syncNow({ force })
      .then(() => {
        if (force) toast(t('standing.comparing'));
      }, report)
      .finally(() => setChecking(false));
  };
  const figures: { id: string; value: ReactNode; help?: string }[] = [
    { id: 'waiting', value: formatNumber(status.waiting) },
    { id: 'fetching', value: formatNumber(status.fetching) },
    {
      id: 'last',
      value:
        status.syncedAt === null ? (
          t('standing.never')
        ) : (
          <time dateTime={new Date(status.syncedAt).toISOString()} title={formatExact(status.syncedAt)}>
            {formatRelative(status.syncedAt)}
          </time>
        ),
    },
    ...(status.localOnly > 0
      ? [{ id: 'localOnly', value: formatNumber(status.localOnly), help: t('standing.localOnlyHelp') }]
      : []),
    ...(status.unreadable > 0
      ? [{ id: 'unreadable', value: formatNumber(status.unreadable), help: t('standing.unreadableHelp') }]
      : []),
  ];
  const lacking = status.devices.filter((device) => device.missing > 0);
  return (
    <section aria-label={t('standing.title')} className="space-y-3">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="flex min-w-0 flex-1 items-center gap-2.5 font-semibold text-base">
          <span aria-hidden className={classes('size-2.5 shrink-0 rounded-full', DOT[status.state])} />
          {t(`standing.state.${status.state}`)}
        </p>
        <div className="flex gap-2">
          <Button
            size="sm"
            busy={checking}
            icon={<RefreshCw size={14} aria-hidden />}
            onClick={() => check(false)}
          >
            {t('standing.now')}
          </Button>
          <Menu
            trigger={
              <Button size="sm" variant="ghost">
                {t('standing.more')}
              </Button>
            }
            items={[
              {
                label: t('standing.compare'),
                description: t('standing.compareHelp'),
                onSelect: () => check(true),
              },
            ]}
          />
        </div>
      </div>
      <p className="text-ink-2">{t(`standing.means.${status.state}`)}</p>
      {status.problem && <ProblemNotice problem={status.problem} />}
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-x-4 gap-y-3">
        {figures.map((figure) => (
          <div key={figure.id}>
            <dt className="text-ink-3 text-xs">{wordsFor('sync', `standing.${figure.id}`)}</dt>
            <dd className="mt-0.5 font-medium tabular-nums">{figure.value}</dd>
            {figure.help && <dd className="text-ink-3 text-xs">{figure.help}</dd>}
          </div>
        ))}
      </dl>
      {lacking.map((device) => (
        <p key={device.id} className="flex gap-2 text-branch">
          <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
          {t('standing.lacks', { count: device.missing, name: device.name })}
        </p>
      ))}
    </section>
  );
}

/** The account was erased on the relay: this device forgets it and returns to the setup. */
function Anew({ mode }: { mode: 'remote' | 'managed' }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const report = useReport();
  const way = useSetting<SyncMode>('sync.mode');
  const [busy, setBusy] = useState(false);
  return (
    <Group title={t('anew.title')}>
      <Row label={t('anew.label')} help={t('anew.help')} stack>
        <Button
          variant="primary"
          busy={busy}
          onClick={() => {
            setBusy(true);
            sync
              .leave()
              .then(() => way.set(mode), report)
              .finally(() => setBusy(false));
          }}
        >
          {t('anew.action')}
        </Button>
      </Row>
    </Group>
  );
}

function PairRow() {
  const { t } = useTranslation('sync');
  const [open, setOpen] = useState(false);
  return (
    <Row label={t('pair.title')} help={t('pair.row')}>
      <Button icon={<QrIcon size={15} aria-hidden />} onClick={() => setOpen(true)}>
        {t('pair.open')}
      </Button>
      <PairDeviceDialog open={open} onOpenChange={setOpen} />
    </Row>
  );
}
