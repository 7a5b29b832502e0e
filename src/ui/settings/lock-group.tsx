// Locking in the settings: its state, what unlocks this device, and what stays readable.
import { Fingerprint, KeyRound, Lock, ScrollText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { hasPasskeys } from '../../adapters/vault/passkey.ts';
import type { LockState } from '../../services/lock/lock.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDate } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Progress, Switch } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { ChangeWayDialog, TurnOffDialog, TurnOnDialog, type Way } from './lock-dialogs.tsx';
import { Group, NumberSetting, Row, useSetting } from './rows.tsx';

const ICONS = { passphrase: KeyRound, recovery: ScrollText, passkey: Fingerprint } as const;

export function LockGroup() {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const state = useReadable(lock.state);
  const wanted = useSetting<boolean>('privacy.encrypt_local');
  const isOn = state.phase === 'sealed' || state.phase === 'sealing';
  const [dialog, setDialog] = useState<'on' | 'off' | null>(null);
  // The configuration (edited by hand or imported) only states a wish; the dialog alone changes the lock.
  const isAsked = wanted.value !== isOn && lock.isAvailable;
  useEffect(() => {
    if (isAsked) setDialog(wanted.value ? 'on' : 'off');
  }, [isAsked, wanted.value]);
  const close = () => {
    setDialog(null);
    const { phase } = lock.state.get();
    void wanted.set(phase === 'sealed' || phase === 'sealing');
  };
  const helped = stateWords(state, lock.isAvailable);
  return (
    <Group title={t('heading')}>
      <Row label={t('group')} help={helped && t(helped)} labelFor="lock-switch">
        <Switch
          id="lock-switch"
          checked={isOn}
          disabled={!lock.isAvailable}
          onCheckedChange={(next) => void wanted.set(next)}
        />
      </Row>
      <Change state={state} />
      {isOn && (
        <>
          <Row label={t('byHand')} help={t('byHandHelp')}>
            <Button size="sm" icon={<Lock size={14} aria-hidden />} onClick={() => lock.lockNow()}>
              {t('lockNow')}
            </Button>
          </Row>
          <NumberSetting path="privacy.lock_after_minutes" />
          <NumberSetting path="privacy.lock_when_hidden_minutes" />
          <Ways slots={state.slots} />
        </>
      )}
      {isOn ? <Row label={t('readable')} help={t('readableText')} /> : <ReadableOnceLocked />}
      <TurnOnDialog open={dialog === 'on'} onClose={close} />
      <TurnOffDialog open={dialog === 'off'} onClose={close} />
    </Group>
  );
}

/** Folded: who locks nothing yet need not read what locking would leave readable. */
function ReadableOnceLocked() {
  const { t } = useTranslation('lock');
  return (
    <details className="py-3">
      <summary className="touchable cursor-pointer rounded-xs font-medium">{t('readable')}</summary>
      <p className="mt-1 text-ink-2">{t('readableText')}</p>
    </details>
  );
}

/** Key of the sentence for the state; none where the row below says it. */
const stateWords = ({ phase, ready }: LockState, isAvailable: boolean) => {
  if (phase === 'sealed') return 'sealed';
  if (ready && phase !== 'off') return undefined;
  if (phase !== 'off') return phase;
  return isAvailable ? 'off' : 'offUnavailable';
};

/** Shows the conversion in the background, and how to finish it. */
function Change({ state }: { state: LockState }) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const { phase, ready, progress, problem } = state;
  if (phase === 'off' || phase === 'sealed') return null;
  return (
    <div className="flex flex-col gap-2 py-3">
      {ready ? (
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          <p role="status" className="min-w-52 flex-1">
            {t(phase === 'sealing' ? 'ready' : 'readyOpening')}
          </p>
          <Button size="sm" variant="primary" onClick={() => lock.lockNow()}>
            {t('restart')}
          </Button>
        </div>
      ) : (
        <>
          <Progress
            label={t(phase)}
            value={progress && progress.all > 0 ? progress.done / progress.all : 0}
          />
          <p role="status" className="text-ink-2 text-xs tabular-nums">
            {progress && progress.all > 0 ? t('progress', progress) : t('progressBegins')}
          </p>
        </>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </div>
  );
}

function Ways({ slots }: { slots: LockState['slots'] }) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const report = useReport();
  const [way, setWay] = useState<Way | null>(null);
  return (
    <section aria-label={t('waysTitle')} className="py-3">
      <p className="font-medium">{t('waysTitle')}</p>
      <ul className="mt-1 flex flex-col">
        {slots.map(({ id, kind, at }) => {
          const Icon = ICONS[kind];
          const date = formatDate(at);
          return (
            <li key={id} className="flex min-h-11 items-center gap-3">
              <Icon size={16} aria-hidden className="shrink-0 text-ink-3" />
              <span className="min-w-0 flex-1">
                {t(`way.${kind}`)} <span className="text-ink-3 text-xs">{t('since', { date })}</span>
              </span>
              {kind === 'passkey' ? (
                <Button
                  size="sm"
                  variant="ghost"
                  aria-label={t('removeWay', { date })}
                  onClick={() => void lock.remove(id).catch(report)}
                >
                  {t('remove')}
                </Button>
              ) : (
                <Button size="sm" variant="ghost" onClick={() => setWay(kind)}>
                  {t(kind === 'passphrase' ? 'change' : 'newWords')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {hasPasskeys() && (
        <Button
          size="sm"
          className="mt-2"
          icon={<Fingerprint size={14} aria-hidden />}
          onClick={() => setWay('passkey')}
        >
          {t('addPasskey')}
        </Button>
      )}
      <ChangeWayDialog way={way} onClose={() => setWay(null)} />
    </section>
  );
}
