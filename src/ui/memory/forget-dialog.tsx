// Dialog for forgetting permanently: what to forget, where it is, then the erasing, with an undo until it starts. The
// service owns the state, so the dialog may be closed and opened at any time.
import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { Sought } from '../../domain/forget/sought.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { ForgetPlan, ForgetState } from '../../services/forget/forget.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { type AskedToForget, useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Dialog, DialogActions, Progress, Spinner } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { ForgetForm } from './forget-form.tsx';
import { ForgetPreview, ForgetReportView, saveReport, useReportTexts } from './forget-report.tsx';

/** Searches for what to forget, one search at a time. */
function useSeeking() {
  const { forget } = useApp();
  const [plan, setPlan] = useState<ForgetPlan | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const seeking = useRef<AbortController>(null);
  const stop = useCallback(
    () => seeking.current?.abort(new DOMException('No longer wanted', 'AbortError')),
    [],
  );
  useEffect(() => stop, [stop]);
  return {
    plan,
    busy,
    problem,
    seek: async (sought: Sought) => {
      stop();
      const controller = new AbortController();
      seeking.current = controller;
      setBusy(true);
      setProblem(null);
      try {
        const found = await forget.seek(sought, controller.signal);
        if (!controller.signal.aborted) setPlan(found);
      } catch (error) {
        if (!isAbort(error) && !controller.signal.aborted) setProblem(toProblem(error));
      } finally {
        if (seeking.current === controller) setBusy(false);
      }
    },
    clear: () => {
      stop();
      setPlan(null);
      setProblem(null);
      setBusy(false);
    },
  };
}

/** `asked`: null while the dialog is closed. */
export function ForgetDialog({ asked, onClose }: { asked: AskedToForget | null; onClose: () => void }) {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  const state = useReadable(forget.state);
  const report = useReport();
  const close = () => {
    // Keeps the undo on screen if the dialog is closed before time runs out.
    if (state.step === 'waiting') offerUndo(forget, t, report);
    forget.dismiss();
    onClose();
  };
  const named = asked && 'sought' in asked ? asked : null;
  return (
    <Dialog
      open={asked !== null}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      title={t('title')}
      description={t('lead')}
      size="md"
    >
      {asked === null ? null : state.step !== 'idle' ? (
        <Going state={state} onClose={close} />
      ) : (
        <Searching
          key={JSON.stringify(named?.sought ?? null)}
          named={named}
          words={'words' in asked ? asked.words : ''}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

function offerUndo(
  forget: ReturnType<typeof useApp>['forget'],
  t: ReturnType<typeof useTranslation<'forget'>>['t'],
  report: (error: unknown) => void,
): void {
  const withdraw = offer(t('waiting'), {
    label: t('undo'),
    onClick: () => void forget.undo().catch(report),
  });
  const stop = forget.state.subscribe(() => {
    if (forget.state.get().step === 'waiting') return;
    stop();
    withdraw();
  });
}

/** Asks what to forget, or searches for what was already named; then shows where it is. */
function Searching({
  named,
  words,
  onClose,
}: {
  named: { readonly sought: Sought; readonly title: string } | null;
  words: string;
  onClose: () => void;
}) {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const report = useReport();
  const { plan, busy, problem, seek, clear } = useSeeking();
  // biome-ignore lint/correctness/useExhaustiveDependencies: searches once
  useEffect(() => {
    if (named) void seek(named.sought);
  }, []);
  const begin = () => {
    if (!plan) return;
    const current = session.current.get();
    if (current !== null && plan.record.ids.includes(current)) navigation.newConversation();
    forget.begin(plan).catch(report);
  };
  if (plan)
    return (
      <ForgetPreview plan={plan} onBack={named ? onClose : clear} named={named !== null} onForget={begin} />
    );
  if (!named)
    return <ForgetForm words={words} busy={busy} problem={problem} onSeek={(sought) => void seek(sought)} />;
  return (
    <div className="space-y-4">
      <p dir="auto" className="break-words font-medium">
        {shownTitle(named.title, t('untitled'))}
      </p>
      {problem ? (
        <ProblemNotice problem={problem} />
      ) : (
        <Spinner label={t('seeking')} className="text-ink-2" />
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('cancel')}</Button>
        {problem && (
          <Button variant="primary" onClick={() => void seek(named.sought)}>
            {t('again')}
          </Button>
        )}
      </DialogActions>
    </div>
  );
}

/** Whole seconds until `at`, counted down. */
function useSecondsUntil(at: number): number {
  const left = () => Math.max(0, Math.ceil((at - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` reads the clock
  useEffect(() => {
    const clock = setInterval(() => setSeconds(left()), 250);
    return () => clearInterval(clock);
  }, [at]);
  return seconds;
}

function Waiting({ startsAt }: { startsAt: number }) {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  const report = useReport();
  const undo = useRef<HTMLButtonElement>(null);
  // The pressed button is gone, and undo is the only action left.
  useEffect(() => undo.current?.focus(), []);
  return (
    <div className="space-y-4">
      <p role="status">{t('waiting')}</p>
      <div className="flex items-center justify-between gap-4">
        <span aria-hidden className="text-ink-2 tabular-nums">
          {t('startsIn', { count: useSecondsUntil(startsAt) })}
        </span>
        <Button ref={undo} variant="primary" onClick={() => void forget.undo().catch(report)}>
          {t('undo')}
        </Button>
      </div>
    </div>
  );
}

/** Shows the time for an undo, then the work, then the report. */
function Going({ state, onClose }: { state: Exclude<ForgetState, { step: 'idle' }>; onClose: () => void }) {
  const { t } = useTranslation('forget');
  const texts = useReportTexts();
  if (state.step === 'waiting') return <Waiting startsAt={state.startsAt} />;
  if (state.step === 'running')
    return (
      <div className="space-y-3">
        <p role="status">{t('running')}</p>
        <Progress value={state.total === 0 ? null : state.done / state.total} label={t('running')} />
        <p className="text-ink-2">{t('runningMore')}</p>
      </div>
    );
  return (
    <div className="space-y-4">
      {state.step === 'failed' ? (
        <>
          <p role="status">{t('failed')}</p>
          <ProblemNotice problem={state.problem} />
        </>
      ) : (
        <ForgetReportView report={state.report} />
      )}
      <DialogActions>
        {state.step === 'done' && (
          <Button onClick={() => saveReport(state.report, texts(state.report))}>{t('save')}</Button>
        )}
        <Button variant="primary" onClick={onClose}>
          {t('close')}
        </Button>
      </DialogActions>
    </div>
  );
}
