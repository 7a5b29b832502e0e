// Shows pairing data for another device on request and for a limited time: QR code, link, 24 words.
// Each of them opens the whole account.
import { Check, Copy, EyeOff, KeyRound, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import type { Pairing } from '../../services/sync/sync.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Choice } from '../settings/rows.tsx';
import { Button, Dialog } from '../shell/controls.tsx';
import { ProblemNotice, useCopy } from '../shell/problem-notice.tsx';
import { QrCode } from './qr-code.tsx';
import { useSyncAccount } from './use-sync.ts';

/** Time until the pairing data is hidden again, ms. */
const SHOWN_MS = 120_000;

type Way = 'qr' | 'link' | 'words';

export function PairDeviceDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation('sync');
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('pair.title')} description={t('pair.lead')}>
      {open && <PairDevice />}
    </Dialog>
  );
}

function PairDevice() {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const [shown, setShown] = useState<{ pairing: Pairing; until: number } | null>(null);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [ended, setEnded] = useState(false);

  const show = () => {
    setAsking(true);
    setProblem(null);
    sync
      .pairing(`${location.origin}/`)
      .then(
        (pairing) => {
          setEnded(false);
          setShown({ pairing, until: Date.now() + SHOWN_MS });
        },
        (error: unknown) => setProblem(toProblem(error)),
      )
      .finally(() => setAsking(false));
  };
  const hide = () => {
    setShown(null);
    setEnded(true);
  };

  if (shown)
    return (
      <Shown
        pairing={shown.pairing}
        until={shown.until}
        onHide={hide}
        onMore={() => setShown({ ...shown, until: Date.now() + SHOWN_MS })}
      />
    );
  return (
    <div className="space-y-4">
      <div className="flex gap-3 rounded-lg bg-side px-4 py-3">
        <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-danger" />
        <div className="min-w-0 space-y-1">
          <p className="font-medium">{t('pair.warning')}</p>
          <ul className="list-disc space-y-1 pl-4 text-ink-2 marker:text-ink-3">
            <li>{t('pair.warnScreen')}</li>
            <li>{t('pair.warnSend')}</li>
            <li>{t('pair.warnTime')}</li>
          </ul>
        </div>
      </div>
      {ended && (
        <p role="status" className="text-ink-2">
          {t('pair.ended')}
        </p>
      )}
      {problem && <ProblemNotice problem={problem} />}
      <Button variant="primary" busy={asking} icon={<KeyRound size={15} aria-hidden />} onClick={show}>
        {t(ended ? 'pair.showAgain' : 'pair.show')}
      </Button>
    </div>
  );
}

function Shown({
  pairing,
  until,
  onHide,
  onMore,
}: {
  pairing: Pairing;
  until: number;
  onHide: () => void;
  onMore: () => void;
}) {
  const { t } = useTranslation('sync');
  const [way, setWay] = useState<Way>('qr');
  const left = useSecondsUntil(until);
  useEffect(() => {
    if (left === 0) onHide();
  }, [left, onHide]);
  return (
    <div className="space-y-4">
      <Choice<Way>
        label={t('pair.way')}
        value={way}
        options={(['qr', 'link', 'words'] as const).map((value) => ({
          value,
          label: t(`pair.ways.${value}`),
        }))}
        onChange={setWay}
      />
      {way === 'qr' && (
        <div className="flex flex-col items-center gap-3">
          <QrCode
            rows={pairing.qr}
            label={t('pair.qrLabel')}
            className="aspect-square w-full max-w-72 rounded-md border border-line"
          />
          <p className="text-center text-ink-2">{t('pair.qrHelp')}</p>
        </div>
      )}
      {way === 'link' && <Link link={pairing.link} />}
      {way === 'words' && <Words phrase={pairing.phrase} />}
      <Fingerprint value={pairing.fingerprint} help={t('fingerprint.compare')} />
      <div className="flex flex-wrap items-center gap-2 border-t pt-3">
        <p className="min-w-0 flex-1 text-ink-3 text-xs tabular-nums">
          {t('pair.left', { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` })}
        </p>
        <Button size="sm" variant="ghost" onClick={onMore}>
          {t('pair.more')}
        </Button>
        <Button size="sm" icon={<EyeOff size={14} aria-hidden />} onClick={onHide}>
          {t('pair.hide')}
        </Button>
      </div>
    </div>
  );
}

/** Whole seconds until a time, counted down. */
function useSecondsUntil(until: number): number {
  const rest = () => Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const [left, setLeft] = useState(rest);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another `until` starts another countdown
  useEffect(() => {
    setLeft(rest());
    const timer = setInterval(() => setLeft(rest()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  return left;
}

function Link({ link }: { link: string }) {
  const { t } = useTranslation('sync');
  const [copy, copied] = useCopy();
  return (
    <div className="space-y-3">
      <textarea
        readOnly
        autoComplete="off"
        rows={4}
        value={link}
        aria-label={t('pair.ways.link')}
        onFocus={(event) => event.currentTarget.select()}
        className="block w-full resize-none break-all rounded-md border border-line-strong bg-side p-3 font-mono text-xs"
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
          onClick={() => copy(link)}
        >
          {copied ? t('pair.copied') : t('pair.copy')}
        </Button>
        <p role="status" className="min-w-40 flex-1 text-ink-3 text-xs">
          {t('pair.copyHelp')}
        </p>
      </div>
    </div>
  );
}

function Words({ phrase }: { phrase: string }) {
  const { t } = useTranslation('sync');
  const managed = useSyncAccount()?.managed ?? false;
  const words = phrase.split(' ');
  return (
    <div className="space-y-3">
      <ol
        aria-label={t('pair.ways.words')}
        className="grid auto-cols-fr grid-flow-col grid-rows-12 gap-x-4 gap-y-1 rounded-lg border border-line bg-side px-4 py-3 sm:grid-rows-8"
      >
        {words.map((word, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a word may occur twice; its position identifies it
          <li key={`${at} ${word}`} className="flex items-baseline gap-2">
            <span aria-hidden className="w-5 shrink-0 text-right text-ink-3 text-xs tabular-nums">
              {at + 1}
            </span>
            <span className="font-mono text-sm">{word}</span>
          </li>
        ))}
      </ol>
      <p className="text-ink-2">{t(managed ? 'pair.wordsHelpManaged' : 'pair.wordsHelp')}</p>
    </div>
  );
}

/** Four groups of four, to compare by eye. */
export function Fingerprint({ value, help }: { value: string; help: string }) {
  const { t } = useTranslation('sync');
  return (
    <div>
      <p className="font-medium">{t('fingerprint.title')}</p>
      <p className="mt-0.5 font-mono text-base tracking-wide" data-fingerprint>
        {value}
      </p>
      <p className="mt-0.5 text-ink-3 text-xs">{help}</p>
    </div>
  );
}
