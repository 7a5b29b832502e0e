// Folding, as a person sees it: the divider where messages were folded, with its summary to read, edit, make again and undo; the plan
// that is shown before it is carried out.
import { ChevronsDownUp, History, Pencil, RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Compaction } from '../../domain/chat/compaction.ts';
import { planOf, summaryTextOf } from '../../domain/context/compaction/plan.ts';
import { configSchema } from '../../domain/settings/config.ts';
import type { CompactResult, PendingPlan, PlanBlock } from '../../services/context/context.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDuration, formatExact, formatNumber, formatPercent } from '../i18n/index.ts';
import { Badge, Button, classes, Dialog, Select, Spinner, TextArea, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { type ProblemLike, ProblemNotice, useProblemWords } from '../shell/problem-notice.tsx';
import { ownFailure } from './folding.ts';
import { formatPrice } from './gauge.tsx';
import { Markdown } from './markdown.tsx';

/** All strategies a person can ask for, in the order of the settings. */
const STRATEGIES = configSchema.shape.context.unwrap().shape.strategy.unwrap().options;

/** The name of a strategy; its id where a newer app made it. */
export function useStrategyName(): (id: string) => string {
  const { t, i18n } = useTranslation('context');
  return (id) =>
    i18n.exists(`strategies.${id}`, { ns: 'context' }) ? t(`strategies.${id}` as 'strategies.turns') : id;
}

/** A problem of folding with the strategies it names as a person knows them. */
function useFoldProblem(): <P extends ProblemLike>(problem: P) => P {
  const name = useStrategyName();
  return (problem) => {
    const { params } = problem;
    if (problem.code !== 'compaction-fallback' || !params) return problem;
    const named = { ...params };
    for (const key of ['wanted', 'strategy']) if (key in named) named[key] = name(String(named[key]));
    return { ...problem, params: named };
  };
}

/** That a compaction went another way than was asked for, and why; nothing where it did not. */
export function WayOfFolding({
  compaction: { problem },
  className,
}: {
  compaction: Compaction;
  className?: string;
}) {
  const foldProblem = useFoldProblem();
  if (!problem) return null;
  const { code, message, params } = problem;
  return (
    <ProblemNotice
      compact
      className={className ?? 'mt-2'}
      problem={foldProblem({ code, message, ...(params ? { params } : {}) })}
    />
  );
}

/** What a compaction left out and put in its place, read from its plan; null for one that this version cannot read. */
export function readCompaction(
  compaction: Compaction,
): { folded: number; summary: string; edited: boolean } | null {
  const plan = planOf(compaction);
  if (!plan) return null;
  const folded = plan.runs.reduce((sum, run) => sum + (run.action === 'keep' ? 0 : run.count), 0);
  return {
    folded,
    summary: compaction.summary ?? summaryTextOf(plan),
    // Written here, or carried on from an earlier one.
    edited: compaction.summary != null || plan.summaries.some(({ edited }) => edited === true),
  };
}

/** Markdown in a small place: its headings are no larger than its words. */
const SMALL_PROSE =
  '[&_.prose]:text-sm! [&_.prose_:is(h1,h2,h3)]:mt-3! [&_.prose_:is(h1,h2,h3)]:mb-1! [&_.prose_:is(h1,h2,h3)]:text-sm! [&_.prose_:is(p,ul,ol)]:my-1!';

/**
 * Says of an attempt to fold that a person asked for what did not come of it; `nothing`: the words for an attempt that had nothing to do.
 * True where something came of it: it was folded, or a plan waits.
 */
export function useFoldReport(): (result: CompactResult, nothing?: string) => boolean {
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

/** Older messages could not be folded by themselves. What a person asks for is answered where it was asked. */
export function FoldProblem({
  conversationId,
  since,
}: {
  conversationId: ConversationId;
  /** When the person last said something, ms since 1970: older failures are over. */
  since: number;
}) {
  const { context } = useApp();
  const problem = useReadable(
    useMemo(() => context.state(conversationId), [context, conversationId]),
    useCallback((state) => ownFailure(state, since), [since]),
  );
  return problem && <ProblemNotice className="my-3" problem={problem} />;
}

type Open = 'nothing' | 'look' | 'edit' | 'again';

export function CompactionDivider({
  conversationId,
  compaction,
  state,
}: {
  conversationId: ConversationId;
  compaction: Compaction;
  state: 'inForce' | 'superseded' | 'undone';
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const reportFold = useFoldReport();
  const strategyName = useStrategyName();
  const [open, setOpen] = useState<Open>('nothing');
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const [guidance, setGuidance] = useState('');
  const body = useId();
  const opened = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open !== 'nothing') opened.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const read = useMemo(() => readCompaction(compaction), [compaction]);
  const folded = read?.folded ?? 0;
  /** `done`: whether what came of it ends the work here. */
  const run = <T,>(work: Promise<T>, done: (result: T) => boolean = () => true) => {
    setBusy(true);
    work.then((result) => done(result) && setOpen('nothing'), report).finally(() => setBusy(false));
  };
  const toggle = (next: Open) => setOpen(open === next ? 'nothing' : next);
  const quiet = state !== 'inForce';
  const action = (label: string, onClick: () => void, icon?: React.ReactNode, expanded?: boolean) => (
    <Button
      size="sm"
      variant="ghost"
      icon={icon}
      disabled={busy}
      aria-expanded={expanded}
      {...(expanded === undefined ? {} : { 'aria-controls': body })}
      className="h-6! px-1.5! font-normal text-folded! hover:bg-folded-line/40"
      onClick={onClick}
    >
      {label}
    </Button>
  );
  return (
    <section
      aria-label={t('panel.folded')}
      className={classes('my-4 text-sm', quiet ? 'text-ink-3' : 'text-folded')}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span
          aria-hidden
          className={classes('h-px min-w-4 flex-1 max-sm:hidden', quiet ? 'bg-line' : 'bg-folded-line')}
        />
        <ChevronsDownUp size={14} aria-hidden className="shrink-0" />
        <span title={formatExact(compaction.createdAt)} className="tabular-nums">
          {state === 'superseded'
            ? t('divider.superseded')
            : state === 'undone'
              ? t('divider.undone', { count: folded })
              : t('divider.folded', {
                  count: folded,
                  before: compaction.tokensBefore,
                  after: compaction.tokensAfter,
                })}
        </span>
        <span className="flex flex-wrap gap-x-0.5 max-sm:-ml-1.5 max-sm:basis-full">
          {state === 'inForce' && (
            <>
              {action(
                open === 'look' ? t('divider.hide') : t('divider.look'),
                () => toggle('look'),
                undefined,
                open === 'look',
              )}
              {read &&
                (read.summary !== '' || compaction.summary != null) &&
                action(
                  t('divider.edit'),
                  () => {
                    setText(read.summary);
                    toggle('edit');
                  },
                  undefined,
                  open === 'edit',
                )}
              {action(t('divider.again'), () => toggle('again'), undefined, open === 'again')}
              {action(t('divider.undo'), () => run(context.undo(conversationId, compaction.id)))}
            </>
          )}
          {state === 'undone' &&
            action(t('divider.redo'), () => run(context.redo(conversationId, compaction.id)))}
        </span>
        <span
          aria-hidden
          className={classes('h-px min-w-4 flex-1 max-sm:hidden', quiet ? 'bg-line' : 'bg-folded-line')}
        />
      </div>
      {open !== 'nothing' && (
        <div
          id={body}
          ref={opened}
          className="mt-2 scroll-my-6 rounded-lg border border-folded-line bg-folded-soft px-4 py-3 text-ink"
        >
          <p className="pb-2 text-ink-3 text-xs [overflow-wrap:anywhere]">
            {[
              t(`divider.by.${compaction.reason}`, {
                strategy: strategyName(compaction.strategy),
                guidance: compaction.guidance ?? '',
              }),
              compaction.tokensBefore > 0 &&
                t('divider.ratio', {
                  share: formatPercent(compaction.tokensAfter / compaction.tokensBefore),
                }),
              // What took no time is not worth a word.
              compaction.durationMs >= 1000 &&
                t('divider.took', { time: formatDuration(compaction.durationMs) }),
              compaction.cost !== undefined &&
                t('divider.cost', {
                  cost: formatPrice({ amount: compaction.cost, currency: compaction.currency ?? 'USD' }),
                }),
              compaction.wanted &&
                t('divider.fallback', {
                  wanted: strategyName(compaction.wanted),
                  strategy: strategyName(compaction.strategy),
                }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <WayOfFolding compaction={compaction} className="mb-2" />
          {open === 'look' &&
            (read && read.summary !== '' ? (
              <>
                <h4 className="flex items-center gap-2 pb-1 font-medium">
                  {t('divider.summary')}
                  {read.edited && <Badge tone="folded">{t('divider.edited')}</Badge>}
                </h4>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
                <div tabIndex={0} className={classes('max-h-96 overflow-y-auto rounded-xs', SMALL_PROSE)}>
                  <Markdown text={read.summary} />
                </div>
              </>
            ) : (
              <p className="text-ink-2">{t('divider.noSummary')}</p>
            ))}
          {open === 'edit' && (
            <>
              <TextArea
                label={t('divider.summary')}
                autoFocus
                rows={Math.min(18, text.split('\n').length + 2)}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              <div className="mt-2 flex flex-wrap justify-end gap-2">
                {compaction.summary != null && (
                  <Button
                    size="sm"
                    variant="ghost"
                    className="mr-auto"
                    disabled={busy}
                    onClick={() => run(context.rewrite(conversationId, compaction.id, null))}
                  >
                    {t('divider.ownAgain')}
                  </Button>
                )}
                <Button size="sm" variant="ghost" onClick={() => setOpen('nothing')}>
                  {t('divider.cancel')}
                </Button>
                <Button
                  size="sm"
                  variant="primary"
                  busy={busy}
                  icon={<Pencil size={13} aria-hidden />}
                  onClick={() => run(context.rewrite(conversationId, compaction.id, text))}
                >
                  {t('divider.save')}
                </Button>
              </div>
            </>
          )}
          {open === 'again' && (
            <form
              className="flex flex-wrap items-end gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                run(context.again(conversationId, compaction.id, guidance.trim()), (result) =>
                  reportFold(result, t('divider.againNothing')),
                );
              }}
            >
              <TextField
                className="min-w-60 flex-1"
                label={t('divider.guidance')}
                autoFocus
                placeholder={t('divider.guidancePlaceholder')}
                value={guidance}
                onChange={(event) => setGuidance(event.target.value)}
              />
              <Button type="submit" variant="primary" busy={busy} icon={<RefreshCw size={14} aria-hidden />}>
                {busy ? t('divider.wait') : t('divider.makeAgain')}
              </Button>
            </form>
          )}
        </div>
      )}
    </section>
  );
}

/** What the newest answer seems to have missed of what is folded: it comes back with the next question. */
export function LossNotice({
  conversationId,
  leaf,
  onJump,
}: {
  conversationId: ConversationId;
  /** The end of the branch that is shown. */
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
              className="line-clamp-2 rounded-xs text-left [overflow-wrap:anywhere] hover:underline"
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

/** While older messages are being folded. */
export function CompactionRunning() {
  const { t } = useTranslation('context');
  return (
    <p role="status" className="flex items-center gap-2.5 py-1.5 text-folded text-sm">
      <Spinner className="scale-90" />
      {t('running')}
    </p>
  );
}

/** The plan that waits: block by block, with guidance and another strategy; carried out or not. */
export function PlanDialog({ conversationId }: { conversationId: ConversationId }) {
  const { context } = useApp();
  const pending = useReadable(
    useMemo(() => context.state(conversationId), [context, conversationId]),
    (state) => state.pending,
  );
  if (!pending) return null;
  return <OpenPlan key={pending.id} conversationId={conversationId} pending={pending} />;
}

function OpenPlan({ conversationId, pending }: { conversationId: ConversationId; pending: PendingPlan }) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const reportFold = useFoldReport();
  const strategyName = useStrategyName();
  const foldProblem = useFoldProblem();
  const [guidance, setGuidance] = useState(pending.guidance);
  const [summary, setSummary] = useState(pending.summary);
  const [applying, setApplying] = useState(false);
  // Another plan brings another summary; words a person changed in the old one belong to that.
  useEffect(() => setSummary(pending.summary), [pending.summary]);
  const adjust = (change: Parameters<typeof context.adjust>[1]) => {
    context.adjust(conversationId, change).catch(report);
  };
  const { plan } = pending;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) context.cancel(conversationId);
      }}
      size="lg"
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
                .then(reportFold, report)
                .finally(() => setApplying(false));
            }}
          >
            {t('plan.apply')}
          </Button>
        </>
      }
    >
      <div className="space-y-5">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="font-semibold text-folded text-lg tabular-nums">
            {t('plan.figures', { before: pending.tokensBefore, after: pending.tokensAfter })}
          </span>
          {pending.busy && <Spinner label={t('plan.busy')} className="text-ink-3 text-sm" />}
          <span className="basis-full text-ink-3 text-xs">
            {plan.fits || !plan.whyNot
              ? t('plan.fits', { target: plan.target })
              : t(`plan.whyNot.${plan.whyNot.code}`, { tokens: plan.whyNot.tokens })}
          </span>
        </div>
        {pending.problem && <ProblemNotice problem={foldProblem(pending.problem)} compact />}
        <form
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            adjust({ guidance: guidance.trim() });
          }}
        >
          <div className="flex flex-col gap-1.5">
            <span className="font-medium text-sm">{t('plan.strategy')}</span>
            <Select
              className="w-48"
              label={t('plan.strategy')}
              value={pending.strategy}
              disabled={pending.busy}
              onValueChange={(strategy) => adjust({ strategy })}
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
            // Not a button: the plan can appear while somebody types on.
            data-first-focus=""
            placeholder={t('plan.guidancePlaceholder')}
            value={guidance}
            onChange={(event) => setGuidance(event.target.value)}
          />
          <Button type="submit" disabled={pending.busy} icon={<RefreshCw size={14} aria-hidden />}>
            {t('plan.again')}
          </Button>
        </form>
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

function Block({
  block,
  disabled,
  onChoose,
}: {
  block: PlanBlock;
  disabled: boolean;
  onChoose: (state: 'keep' | 'fold') => void;
}) {
  const { t, i18n } = useTranslation('context');
  const why = `ledger.why.${block.why}`;
  const kept = block.state !== 'fold';
  return (
    <li className={classes('flex items-center gap-3 px-3 py-2', !kept && 'bg-folded-soft text-folded')}>
      <input
        type="checkbox"
        checked={kept}
        disabled={disabled}
        aria-label={`${t('plan.keep')}: ${block.firstLine}`}
        onChange={() => onChoose(kept ? 'fold' : 'keep')}
        className="size-4 shrink-0 accent-(--accent)"
      />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{block.firstLine}</span>
        <span className="block text-ink-3 text-xs">
          {[
            t(`plan.${block.state}`),
            i18n.exists(why, { ns: 'context' }) ? t(why as 'ledger.why.tail') : block.why,
            block.ids.length > 1 ? t('ledger.messages', { count: block.ids.length }) : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
      <span className="shrink-0 text-sm tabular-nums">{formatNumber(block.tokens)}</span>
    </li>
  );
}
