// First screen of an empty library: ways to begin, one sentence each.
import { ChevronRight, Download, MonitorSmartphone, PlugZap, ShieldCheck, Telescope } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Spinner } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useDropTarget } from './use-drop-target.ts';

export function FirstRun() {
  const { t } = useTranslation('library');
  const app = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const hasModel = useReadable(app.settings.connections, ({ endpoints }) => endpoints.length > 0);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const target = useDropTarget((files) => {
    session.dropped.set(files);
    session.floating.set('import');
  });

  const addSamples = () => {
    setBusy(true);
    setProblem(null);
    app.library.addSamples().then(
      () => setBusy(false),
      (error: unknown) => {
        setBusy(false);
        setProblem(toProblem(error));
      },
    );
  };
  return (
    <div
      {...target.handlers}
      className="flex w-full flex-1 flex-col items-center justify-center px-4 py-8 max-sm:px-3 max-sm:py-3"
    >
      <div
        className={classes(
          'w-full max-w-140 rounded-2xl border border-dashed p-6 transition-colors max-sm:p-1',
          target.over ? 'border-accent bg-accent-soft' : 'border-transparent',
        )}
      >
        <h1 className="text-balance text-center font-semibold text-2xl tracking-tight max-sm:text-xl">
          {t('firstRun.title')}
        </h1>
        <p className="mx-auto mt-2 max-w-112 text-balance break-keep text-center text-base text-ink-2 max-sm:mt-1 max-sm:text-sm">
          {t('firstRun.lead')}
        </p>
        <ul className="mt-7 max-sm:mt-4 divide-y divide-line overflow-hidden rounded-lg border border-line bg-paper">
          <Way
            icon={<Download size={18} aria-hidden />}
            title={t('firstRun.import.title')}
            text={t('firstRun.import.text')}
            onClick={() => session.floating.set('import')}
          />
          {!hasModel && (
            <Way
              icon={<PlugZap size={18} aria-hidden />}
              title={t('firstRun.connect.title')}
              text={t('firstRun.connect.text')}
              onClick={() => navigation.openScreen('settings', 'models')}
            />
          )}
          <Way
            icon={<MonitorSmartphone size={18} aria-hidden />}
            title={t('firstRun.device.title')}
            text={t('firstRun.device.text')}
            onClick={() => navigation.openScreen('pair')}
          />
          <Way
            icon={<Telescope size={18} aria-hidden />}
            title={t('firstRun.look.title')}
            text={t('firstRun.look.text')}
            onClick={addSamples}
            busy={busy ? t('firstRun.look.busy') : null}
          />
        </ul>
        <p className="mt-2 text-center text-ink-3 text-xs pointer-coarse:hidden">
          {target.over ? t('firstRun.dropNow') : t('firstRun.drop')}
        </p>
        {problem && <ProblemNotice problem={problem} className="mt-4" />}
        <p className="mt-5 text-balance break-keep text-center text-ink-3 max-sm:mt-3">
          <ShieldCheck size={15} aria-hidden className="mr-1.5 inline-block align-[-0.15em]" />
          {t('firstRun.privacy')}
        </p>
      </div>
    </div>
  );
}

function Way({
  icon,
  title,
  text,
  onClick,
  busy = null,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  onClick: () => void;
  /** Label of the work in progress. */
  busy?: string | null;
}) {
  return (
    <li>
      <button
        type="button"
        onClick={onClick}
        disabled={busy !== null}
        className="-outline-offset-2 group flex w-full items-center gap-4 px-4 py-3.5 max-sm:gap-3 max-sm:px-3 max-sm:py-2.5 text-left transition-colors hover:bg-side disabled:hover:bg-transparent"
      >
        <span className="shrink-0 text-ink-3 group-hover:text-accent">
          {busy === null ? icon : <Spinner label={busy} className="[&>span:last-child]:sr-only" />}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{title}</span>
          <span className="block text-ink-2">{text}</span>
        </span>
        <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-3" />
      </button>
    </li>
  );
}
