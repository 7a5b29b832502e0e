// Marks where messages were compacted: the summary can be read, edited and made
// again; the compaction undone and redone.
import { ChevronsDownUp, Pencil, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Compaction } from '../../domain/chat/records.ts';
import { useApp } from '../hooks/app.tsx';
import { formatDuration, formatExact, formatPercent, formatPrice } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, Button, classes, TextArea, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { CompactionMethod, readCompaction, useCompactionReport, useStrategyName } from './compaction.tsx';
import { Markdown } from './markdown.tsx';

/** Markdown in a small place: headings are no larger than text. */
export const SMALL_PROSE =
  '[&_.prose]:text-sm! [&_.prose_:is(h1,h2,h3)]:mt-3! [&_.prose_:is(h1,h2,h3)]:mb-1! [&_.prose_:is(h1,h2,h3)]:text-sm! [&_.prose_:is(p,ul,ol)]:my-1!';

type DividerState = 'inForce' | 'superseded' | 'undone';
type Open = 'nothing' | 'look' | 'edit' | 'again';

export function CompactionDivider({
  conversationId,
  compaction,
  state,
}: {
  conversationId: ConversationId;
  compaction: Compaction;
  state: DividerState;
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const reportCompaction = useCompactionReport();
  const [open, setOpen] = useState<Open>('nothing');
  const [busy, setBusy] = useState(false);
  const [guidance, setGuidance] = useState('');
  const body = useId();
  const opened = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open !== 'nothing') opened.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const compacted = useMemo(() => readCompaction(compaction)?.compacted ?? 0, [compaction]);
  /** `done`: returns true if the result completes this work. */
  const run = <T,>(work: Promise<T>, done: (result: T) => boolean = () => true) => {
    setBusy(true);
    work.then((result) => done(result) && setOpen('nothing'), report).finally(() => setBusy(false));
  };
  const quiet = state !== 'inForce';
  return (
    <section
      aria-label={t('panel.compacted')}
      className={classes('my-4 text-sm', quiet ? 'text-ink-3' : 'text-compacted')}
    >
      <div className="flex items-center gap-x-2">
        <span
          aria-hidden
          className={classes('h-px min-w-4 flex-1 max-sm:hidden', quiet ? 'bg-line' : 'bg-compacted-line')}
        />
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 sm:justify-center">
          <span title={formatExact(compaction.createdAt)} className="tabular-nums">
            <ChevronsDownUp size={14} aria-hidden className="mr-2 inline align-[-2px]" />
            {state === 'superseded'
              ? t('divider.superseded')
              : state === 'undone'
                ? t('divider.undone', { count: compacted })
                : t('divider.compacted', {
                    count: compacted,
                    before: compaction.tokensBefore,
                    after: compaction.tokensAfter,
                  })}
          </span>
          <DividerActions
            compaction={compaction}
            state={state}
            open={open}
            body={body}
            busy={busy}
            onToggle={(next) => setOpen(open === next ? 'nothing' : next)}
            onUndo={() => run(context.undo(conversationId, compaction.id))}
            onRedo={() => run(context.redo(conversationId, compaction.id))}
          />
        </div>
        <span
          aria-hidden
          className={classes('h-px min-w-4 flex-1 max-sm:hidden', quiet ? 'bg-line' : 'bg-compacted-line')}
        />
      </div>
      {open !== 'nothing' && (
        <div
          id={body}
          ref={opened}
          className="mt-2 scroll-my-6 rounded-lg border border-compacted-line bg-compacted-soft px-4 py-3 text-ink"
        >
          <CompactionDetails compaction={compaction} />
          <CompactionMethod compaction={compaction} className="mb-2" />
          {open === 'look' && <CompactedSummary compaction={compaction} />}
          {open === 'edit' && (
            <EditSummary
              compaction={compaction}
              busy={busy}
              onSave={(text) => run(context.rewrite(conversationId, compaction.id, text))}
              onCancel={() => setOpen('nothing')}
            />
          )}
          {open === 'again' && (
            <CompactAgain
              busy={busy}
              guidance={guidance}
              onGuidance={setGuidance}
              onAgain={() =>
                run(context.again(conversationId, compaction.id, guidance.trim()), (result) =>
                  reportCompaction(result, t('divider.againNothing')),
                )
              }
            />
          )}
        </div>
      )}
    </section>
  );
}

/** Buttons for a compaction in its current state. `body`: id of the element that opens below. */
function DividerActions({
  compaction,
  state,
  open,
  body,
  busy,
  onToggle,
  onUndo,
  onRedo,
}: {
  compaction: Compaction;
  state: DividerState;
  open: Open;
  body: string;
  busy: boolean;
  onToggle: (open: Open) => void;
  onUndo: () => void;
  onRedo: () => void;
}) {
  const { t } = useTranslation('context');
  const read = useMemo(() => readCompaction(compaction), [compaction]);
  const action = (label: string, onClick: () => void, icon?: ReactNode, expanded?: boolean) => (
    <Button
      size="sm"
      variant="ghost"
      icon={icon}
      disabled={busy}
      aria-expanded={expanded}
      {...(expanded === undefined ? {} : { 'aria-controls': body })}
      className="h-6! px-1.5! font-normal text-compacted! hover:bg-compacted-line/40"
      onClick={onClick}
    >
      {label}
    </Button>
  );
  return (
    <span className="flex flex-wrap gap-x-0.5 max-sm:-ml-1.5 max-sm:basis-full">
      {state === 'inForce' && (
        <>
          {action(
            open === 'look' ? t('divider.hide') : t('divider.look'),
            () => onToggle('look'),
            undefined,
            open === 'look',
          )}
          {read &&
            (read.summary !== '' || compaction.summary != null) &&
            action(
              t('divider.edit'),
              () => {
                onToggle('edit');
              },
              undefined,
              open === 'edit',
            )}
          {action(t('divider.again'), () => onToggle('again'), undefined, open === 'again')}
          {action(t('divider.undo'), onUndo)}
        </>
      )}
      {state === 'undone' && action(t('divider.redo'), onRedo)}
    </span>
  );
}

/** Says who made the compaction, how, and at what cost. */
function CompactionDetails({ compaction }: { compaction: Compaction }) {
  const { t } = useTranslation('context');
  const strategyName = useStrategyName();
  return (
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
        // Omits times below a second.
        compaction.durationMs >= 1000 && t('divider.took', { time: formatDuration(compaction.durationMs) }),
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
  );
}

function CompactedSummary({ compaction }: { compaction: Compaction }) {
  const { t } = useTranslation('context');
  const read = useMemo(() => readCompaction(compaction), [compaction]);
  if (!read || read.summary === '') return <p className="text-ink-2">{t('divider.noSummary')}</p>;
  return (
    <>
      <h4 className="flex items-center gap-2 pb-1 font-medium">
        {t('divider.summary')}
        {read.edited && <Badge tone="compacted">{t('divider.edited')}</Badge>}
      </h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <div tabIndex={0} className={classes('max-h-96 overflow-y-auto rounded-xs', SMALL_PROSE)}>
        <Markdown text={read.summary} />
      </div>
    </>
  );
}

/** `onSave` with null restores the original summary. */
function EditSummary({
  compaction,
  busy,
  onSave,
  onCancel,
}: {
  compaction: Compaction;
  busy: boolean;
  onSave: (text: string | null) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation('context');
  const [text, setText] = useState(() => readCompaction(compaction)?.summary ?? '');
  return (
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
          <Button size="sm" variant="ghost" className="mr-auto" disabled={busy} onClick={() => onSave(null)}>
            {t('divider.ownAgain')}
          </Button>
        )}
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('divider.cancel')}
        </Button>
        <Button
          size="sm"
          variant="primary"
          busy={busy}
          icon={<Pencil size={13} aria-hidden />}
          onClick={() => onSave(text)}
        >
          {t('divider.save')}
        </Button>
      </div>
    </>
  );
}

function CompactAgain({
  busy,
  guidance,
  onGuidance,
  onAgain,
}: {
  busy: boolean;
  guidance: string;
  onGuidance: (guidance: string) => void;
  onAgain: () => void;
}) {
  const { t } = useTranslation('context');
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onAgain();
      }}
    >
      <TextField
        className="min-w-60 flex-1"
        label={t('divider.guidance')}
        autoFocus
        placeholder={t('divider.guidancePlaceholder')}
        value={guidance}
        onChange={(event) => onGuidance(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={busy} icon={<RefreshCw size={14} aria-hidden />}>
        {busy ? t('divider.wait') : t('divider.makeAgain')}
      </Button>
    </form>
  );
}
