// Shows compaction to a person: the divider where messages were compacted, and the plan before it is carried out.
import { ChevronsDownUp, History, RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { toast } from 'sonner';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Compaction } from '../../domain/chat/records.ts';
import { planOf, summaryTextOf } from '../../domain/context/compaction/plan.ts';
import { configSchema } from '../../domain/settings/config.ts';
import type { App } from '../../services/app.ts';
import type { CompactResult, PendingPlan, PlanBlock } from '../../services/context/context.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatNumber, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { Select } from '../shell/controls/select.tsx';
import { Button, classes, Dialog, Spinner, TextArea, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { type ProblemLike, ProblemNotice, useProblemWords } from '../shell/problem-notice.tsx';
import { ownFailure } from './automatic-compaction.ts';

/** All strategies a person can ask for, in the order of the settings. */
const STRATEGIES = configSchema.shape.context.unwrap().shape.strategy.unwrap().options;

/** Returns a strategy's name, or its id if a newer app version made it. */
export function useStrategyName(): (id: string) => string {
  useTranslation('context');
  return (id) => wordsFor('context', `strategies.${id}`) ?? id;
}

/** Replaces the strategy ids in a compaction problem by the names people know. */
function useCompactionProblem(): <P extends ProblemLike>(problem: P) => P {
  const name = useStrategyName();
  return (problem) => {
    const { params } = problem;
    if (problem.code !== 'compaction-fallback' || !params) return problem;
    const named = { ...params };
    for (const key of ['wanted', 'strategy']) if (key in named) named[key] = name(String(named[key]));
    return { ...problem, params: named };
  };
}

/** Says that compaction used another strategy than asked for, and why; draws nothing otherwise. */
export function CompactionMethod({
  compaction: { problem },
  className,
}: {
  compaction: Compaction;
  className?: string;
}) {
  const compactionProblem = useCompactionProblem();
  if (!problem) return null;
  const { code, message, params } = problem;
  return (
    <ProblemNotice
      compact
      className={className ?? 'mt-2'}
      problem={compactionProblem({ code, message, ...(params ? { params } : {}) })}
    />
  );
}

/**
 * Reads from a plan which messages a compaction left out and what text replaces them; null
 * if this version cannot read the plan.
 */
export function readCompaction(
  compaction: Compaction,
): { compacted: number; summary: string; edited: boolean } | null {
  const plan = planOf(compaction);
  if (!plan) return null;
  const compacted = plan.runs.reduce((sum, run) => sum + (run.action === 'keep' ? 0 : run.count), 0);
  return {
    compacted,
    summary: compaction.summary ?? summaryTextOf(plan),
    // Edited here, or carried over from an earlier edit.
    edited: compaction.summary != null || plan.summaries.some(({ edited }) => edited === true),
  };
}

/**
 * Reports why a compaction that the person asked for did nothing; `nothing`: words if there was nothing to compact.
 * True if it compacted or a plan is waiting.
 */
export function useCompactionReport(): (result: CompactResult, nothing?: string) => boolean {
  const { t } = useTranslation('context');
  const words = useProblemWords();
  return (result, nothing = t('plan.nothing')) => {
    const problem =
      result.outcome === 'failed' ? result.problem : result.outcome === 'applied' && result.unsaved;
    if (problem) {
      const { what, kept, todo } = words(problem);
      toast.error(what, { description: [kept, todo].filter(Boolean).join(' ') });
    } else if (result.outcome === 'nothing') toast(nothing);
    return result.outcome === 'applied' || result.outcome === 'preview';
  };
}

/** Ways to compact older messages: at once, or by a plan that waits for the person. */
export interface Shortening {
  readonly now: () => void;
  readonly withOptions: () => void;
}

/** Reports a compaction that the person asked for, with its undo: its divider can lie far from what is shown. */
export function useCompactionDone(id: ConversationId): (result: CompactResult) => void {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const reportCompaction = useCompactionReport();
  return (result) => {
    if (!reportCompaction(result) || result.outcome !== 'applied') return;
    const { compaction } = result;
    const count = readCompaction(compaction)?.compacted ?? 0;
    const sizes = { before: compaction.tokensBefore, after: compaction.tokensAfter };
    offer(t('divider.compacted', { count, ...sizes }), {
      label: t('divider.undo'),
      onClick: () => context.undo(id, compaction.id).catch(report),
    });
  };
}

/**
 * Says that older messages could not be compacted automatically. A compaction that the
 * person asked for reports where they asked.
 */
export function CompactionProblem({
  conversationId,
  since,
}: {
  conversationId: ConversationId;
  /** Time of the person's last message, ms since 1970: earlier failures no longer matter. */
  since: number;
}) {
  const { context } = useApp();
  const problem = useReadable(
    useMemo(() => context.state(conversationId), [context, conversationId]),
    useCallback((state) => ownFailure(state, since), [since]),
  );
  return problem && <ProblemNotice className="my-3" problem={problem} />;
}

/** Says that the latest answer seems to miss compacted messages, and that they come back with the next question. */
export function LossNotice({
  conversationId,
  leaf,
  onJump,
}: {
  conversationId: ConversationId;
  /** Last message of the shown branch. */
  leaf: MessageId | null;
  onJump: (message: MessageId) => void;
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const loss = useReadable(
    useMemo(() => context.state(conversationId), [context, conversationId]),
    (state) => state.loss,
  );
  if (!loss || loss.answer !== leaf) return null;
  return (
    <section
      aria-label={t('loss.title')}
      className="my-3 rounded-lg border border-memory-line bg-memory-soft px-3 py-2 text-sm"
    >
      <h3 className="flex items-center gap-1.5 font-medium text-memory">
        <History size={14} aria-hidden className="shrink-0" />
        {t('loss.title')}
      </h3>
      <ul className="mt-1 space-y-1.5">
        {loss.losses.map(({ why, said, evidence, messages }) => (
          <li key={`${said} ${evidence}`}>
            <p className="text-ink-3 text-xs [overflow-wrap:anywhere]">{t(`loss.${why}`, { said })}</p>
            <button
              type="button"
              onClick={() => messages[0] && onJump(messages[0])}
              className="touchable line-clamp-2 rounded-xs text-left [overflow-wrap:anywhere] hover:underline"
            >
              {evidence}
            </button>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-ink-3 text-xs">{t('loss.next')}</p>
    </section>
  );
}

/** Shown while older messages are being compacted. */
export function CompactionRunning() {
  const { t } = useTranslation('context');
  return (
    <p role="status" className="flex items-center gap-2.5 py-1.5 text-compacted text-sm">
      <Spinner className="scale-90" />
      {t('running')}
    </p>
  );
}

/**
 * Shows the waiting plan block by block, with guidance and a choice of strategy; the person carries it out or drops it.
 */
export function PlanDialog({ conversationId }: { conversationId: ConversationId }) {
  const { context } = useApp();
  const pending = useReadable(
    useMemo(() => context.state(conversationId), [context, conversationId]),
    (state) => state.pending,
  );
  if (!pending) return null;
  return <OpenPlan key={pending.id} conversationId={conversationId} pending={pending} />;
}

type Adjustment = Parameters<App['context']['adjust']>[1];

function OpenPlan({ conversationId, pending }: { conversationId: ConversationId; pending: PendingPlan }) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const compactionProblem = useCompactionProblem();
  const [summary, setSummary] = useState(pending.summary);
  const [applying, setApplying] = useState(false);
  // A new plan brings a new summary; the person's edits belong to the old one.
  useEffect(() => setSummary(pending.summary), [pending.summary]);
  const done = useCompactionDone(conversationId);
  const adjust = (change: Adjustment) => {
    context.adjust(conversationId, change).catch(report);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) context.cancel(conversationId);
      }}
      size="lg"
      guarded
      title={t('plan.title')}
      {...(pending.blocking ? { description: t('plan.blocking') } : {})}
      footer={
        <>
          <Button onClick={() => context.cancel(conversationId)}>
            {t(pending.blocking ? 'plan.sendWithout' : 'plan.cancel')}
          </Button>
          <Button
            variant="primary"
            busy={applying}
            disabled={pending.busy}
            icon={<ChevronsDownUp size={15} aria-hidden />}
            onClick={() => {
              setApplying(true);
              context
                .apply(conversationId, summary === pending.summary ? undefined : summary)
                .then(done, report)
                .finally(() => setApplying(false));
            }}
          >
            {t('plan.apply')}
          </Button>
        </>
      }
    >
      <div className="space-y-5">
        <PlanFigures pending={pending} />
        {pending.problem && <ProblemNotice problem={compactionProblem(pending.problem)} compact />}
        <PlanForm pending={pending} onAdjust={adjust} />
        <section aria-label={t('plan.blocks')}>
          <h3 className="pb-1.5 font-medium text-sm">{t('plan.blocks')}</h3>
          <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line">
            {pending.blocks.map((block) => (
              <Block
                key={block.id}
                block={block}
                disabled={pending.busy}
                onChoose={(state) => adjust(state === 'keep' ? { keep: block.ids } : { compact: block.ids })}
              />
            ))}
          </ol>
        </section>
        {pending.summary !== '' && (
          <TextArea
            label={t('plan.summary')}
            rows={Math.min(10, summary.split('\n').length + 1)}
            value={summary}
            onChange={(event) => setSummary(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Shows tokens before and after, and whether that is enough. */
function PlanFigures({ pending }: { pending: PendingPlan }) {
  const { t } = useTranslation('context');
  const { plan } = pending;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <span className="font-semibold text-compacted text-lg tabular-nums">
        {t('plan.figures', { before: pending.tokensBefore, after: pending.tokensAfter })}
      </span>
      {pending.busy && <Spinner label={t('plan.busy')} className="text-ink-3 text-sm" />}
      <span className="basis-full text-ink-3 text-xs">
        {plan.fits || !plan.whyNot
          ? t('plan.fits', { target: plan.target })
          : t(`plan.whyNot.${plan.whyNot.code}`, { tokens: plan.whyNot.tokens })}
      </span>
    </div>
  );
}

/** Asks for a new plan with another strategy or guidance. */
function PlanForm({ pending, onAdjust }: { pending: PendingPlan; onAdjust: (change: Adjustment) => void }) {
  const { t } = useTranslation('context');
  const strategyName = useStrategyName();
  const [guidance, setGuidance] = useState(pending.guidance);
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAdjust({ guidance: guidance.trim() });
      }}
    >
      <div className="flex flex-col gap-1.5">
        <span className="font-medium text-sm">{t('plan.strategy')}</span>
        <Select
          className="w-48"
          label={t('plan.strategy')}
          value={pending.strategy}
          disabled={pending.busy}
          onValueChange={(strategy) => onAdjust({ strategy })}
          options={STRATEGIES.map((value) => ({
            value,
            label: strategyName(value),
            description: t(`strategyHelp.${value}`),
          }))}
        />
      </div>
      <TextField
        className="min-w-48 flex-1"
        label={t('plan.guidance')}
        // Focuses no button: the plan can appear while the person is typing.
        data-first-focus=""
        placeholder={t('plan.guidancePlaceholder')}
        value={guidance}
        onChange={(event) => setGuidance(event.target.value)}
      />
      <Button type="submit" disabled={pending.busy} icon={<RefreshCw size={14} aria-hidden />}>
        {t('plan.again')}
      </Button>
    </form>
  );
}

function Block({
  block,
  disabled,
  onChoose,
}: {
  block: PlanBlock;
  disabled: boolean;
  onChoose: (state: 'keep' | 'fold') => void;
}) {
  const { t } = useTranslation('context');
  const why = `manifest.why.${block.why}`;
  const kept = block.state !== 'fold';
  return (
    <li className={classes('flex items-center gap-3 px-3 py-2', !kept && 'bg-compacted-soft text-compacted')}>
      {/* The words are pressed as well as the box: a finger hits no 16 px. */}
      <label className="touchable flex min-w-0 flex-1 cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={kept}
          disabled={disabled}
          aria-label={`${t('plan.keep')}: ${plainLine(block.firstLine)}`}
          onChange={() => onChoose(kept ? 'fold' : 'keep')}
          className="size-4 shrink-0 accent-(--accent)"
        />
        <span className="min-w-0 flex-1">
          <span className="block truncate">{plainLine(block.firstLine)}</span>
          <span className="block text-ink-3 text-xs">
            {[
              t(`plan.${block.state}`),
              wordsFor('context', why) ?? block.why,
              block.ids.length > 1 ? t('manifest.messages', { count: block.ids.length }) : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </span>
      </label>
      <span className="shrink-0 text-sm tabular-nums">{formatNumber(block.tokens)}</span>
    </li>
  );
}
