// Report of an import, source by source: what was added, what was already here, what was left out and why.
import type { TFunction } from 'i18next';
import { ArrowRight, Check, Minus, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { ImportReport } from '../../services/library/library.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDuration, formatList, formatNumber, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';

const ROLES = ['user', 'assistant', 'tool', 'system'] as const;
const LATER = ['attachments', 'answers', 'titles'] as const;

/** True if anything from the source is in the library now. */
const tookIn = (report: ImportReport): boolean =>
  report.conversations.added +
    report.conversations.changed +
    report.conversations.unchanged +
    report.notesAndFeedback >
    0 ||
  (report.problem === null && !report.cancelled);

export function Reports({
  reports,
  onOpen,
}: {
  reports: readonly ImportReport[];
  onOpen: (id: ConversationId) => void;
}) {
  // Successes first, then failures.
  const numbered = reports.map((report, number) => ({ report, number }));
  const shown = [
    ...numbered.filter(({ report }) => tookIn(report)),
    ...numbered.filter(({ report }) => !tookIn(report)),
  ];
  return (
    <ul className="space-y-3">
      {shown.map(({ report, number }) => (
        <li key={number}>
          <Report report={report} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

function Report({ report, onOpen }: { report: ImportReport; onOpen: (id: ConversationId) => void }) {
  const { t } = useTranslation('library');
  const { first } = report;
  const { added, changed, unchanged } = report.conversations;
  const format =
    report.importer === null ? null : (wordsFor('library', `format.${report.importer}`) ?? report.importer);
  const rest = [
    added > 0 && changed > 0 ? t('import.report.changed', { count: changed }) : '',
    unchanged > 0 && added + changed > 0 ? t('import.report.unchanged', { count: unchanged }) : '',
  ].filter(Boolean);
  const total = ROLES.reduce((sum, role) => sum + report.messages[role], 0);
  return (
    <section className="@container overflow-hidden rounded-lg border border-line">
      <header className="flex flex-wrap items-start gap-3 px-4 pt-3.5 pb-3">
        <span
          aria-hidden
          className={classes(
            'mt-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-full',
            added + changed + report.notesAndFeedback > 0 ? 'bg-ok-soft text-ok' : 'bg-fill text-ink-2',
          )}
        >
          {tookIn(report) ? <Check size={14} /> : <Minus size={14} />}
        </span>
        <div className="min-w-44 flex-1">
          <h3 className="font-semibold text-base leading-6">{headlineOf(report, t)}</h3>
          {rest.length > 0 && <p className="text-ink-2">{rest.join(' · ')}</p>}
          <p className="mt-0.5 truncate text-ink-3 text-xs" title={report.source}>
            {[report.source, format].filter(Boolean).join(' · ')}
          </p>
        </div>
        {first !== null && (
          <Button size="sm" onClick={() => onOpen(first)} icon={<ArrowRight size={14} aria-hidden />}>
            {t('import.open')}
          </Button>
        )}
      </header>
      {report.trashed.length > 0 && <Trashed ids={report.trashed} />}
      {report.cancelled && (
        <p className="px-4 pb-3 text-ink-2">
          {tookIn(report) ? t('import.report.cancelled') : t('import.report.cancelledNothing')}
        </p>
      )}
      {report.problem && (
        <div className="px-4 pb-4">
          <ProblemNotice problem={report.problem} compact />
        </div>
      )}
      {(total > 0 || report.notesAndFeedback > 0) && <Figures report={report} total={total} />}
      {LATER.some((kind) => report.later[kind] > 0) && <Later later={report.later} />}
      {(total > 0 || report.skipped.length > 0) && <Skipped skipped={report.skipped} />}
    </section>
  );
}

/** Sums up an import in a few words. */
function headlineOf(report: ImportReport, t: TFunction<'library'>): string {
  const { added, changed, unchanged } = report.conversations;
  if (report.problem !== null && !tookIn(report)) return t('import.report.nothingIn');
  if (added > 0) return t('import.report.added', { count: added });
  if (changed > 0) return t('import.report.changed', { count: changed });
  if (unchanged === 0 && report.notesAndFeedback > 0)
    return t('import.report.notesOnly', { count: report.notesAndFeedback });
  if (!tookIn(report)) return t('import.report.nothingIn');
  return t(report.skipped.length > 0 ? 'import.report.nothingNewBut' : 'import.report.nothingNew');
}

function Figures({ report, total }: { report: ImportReport; total: number }) {
  const { t } = useTranslation('library');
  const roles = ROLES.filter((role) => report.messages[role] > 0);
  return (
    <dl className="grid grid-cols-2 @md:grid-cols-[2fr_1fr_1fr_1fr] gap-x-4 gap-y-3 border-t px-4 py-3">
      <Figure
        name={t('import.report.messages')}
        value={formatNumber(total)}
        more={roles.map((role) =>
          t('import.report.ofRole', {
            messages: report.messages[role],
            role: t(`import.report.roles.${role}`),
          }),
        )}
      />
      <Figure name={t('import.report.branches')} value={formatNumber(report.branches)} />
      <Figure name={t('import.report.attachments')} value={formatNumber(report.attachments)} />
      {report.notesAndFeedback > 0 && (
        <Figure name={t('import.report.notesAndFeedback')} value={formatNumber(report.notesAndFeedback)} />
      )}
      <Figure name={t('import.report.took')} value={formatDuration(report.tookMs)} />
    </dl>
  );
}

/** Lists file contents that only a later import can read. */
function Later({ later }: { later: ImportReport['later'] }) {
  const { t } = useTranslation('library');
  return (
    <div className="border-t px-4 py-3">
      <h4 className="text-ink-3 text-xs">{t('import.report.later')}</h4>
      <ul className="mt-1 space-y-1 text-ink-2">
        {LATER.filter((kind) => later[kind] > 0).map((kind) => (
          <li key={kind}>{t(`import.report.laterOf.${kind}`, { count: later[kind] })}</li>
        ))}
      </ul>
      {later.titles > 0 && <p className="mt-1 text-ink-3 text-xs">{t('import.report.laterRule')}</p>}
    </div>
  );
}

/** Lists items that were left out, with the reasons. */
function Skipped({ skipped }: { skipped: ImportReport['skipped'] }) {
  const { t } = useTranslation('library');
  return (
    <div className="border-t px-4 py-3">
      <h4 className="text-ink-3 text-xs">{t('import.report.skipped')}</h4>
      {skipped.length === 0 ? (
        <p className="mt-0.5 text-ink-2">{t('import.report.skippedNone')}</p>
      ) : (
        <ul className="mt-1 space-y-1">
          {skipped.map((one) => (
            <li key={one.reason} className="flex gap-2.5">
              <span className="min-w-8 shrink-0 text-right font-medium tabular-nums">
                {formatNumber(one.count)}
              </span>
              <span className="min-w-0 text-ink-2">
                {t(`skipped.${one.reason}`, { count: one.count })}
                {one.example && (
                  <span
                    className="wrap-anywhere line-clamp-3 text-ink-3 text-xs"
                    title={formatList(one.example.split('\n'))}
                  >
                    {t('import.report.example', { example: formatList(one.example.split('\n')) })}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/**
 * Offers imported conversations that are in the trash: an import restores nothing that
 * the person deleted, unless asked to.
 */
function Trashed({ ids }: { ids: readonly ConversationId[] }) {
  const { t } = useTranslation('library');
  const { library, documents } = useApp();
  const onError = useReport();
  const entries = useReadable(documents.library, (all) => all.entries);
  const [restored, setRestored] = useState(0);
  const met = new Set(ids);
  const there = entries.filter((entry) => entry.deletedAt !== null && met.has(entry.id)).map(({ id }) => id);
  if (there.length === 0 && restored === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t px-4 py-2.5">
      <p className="flex min-w-44 flex-1 items-center gap-2 text-ink-2">
        <Trash2 size={14} aria-hidden className="shrink-0 text-ink-3" />
        {there.length > 0
          ? t('import.report.trashed', { count: there.length })
          : t('import.report.restored', { count: restored })}
      </p>
      {there.length > 0 && (
        <Button
          size="sm"
          icon={<Undo2 size={14} aria-hidden />}
          onClick={() => {
            library.restore(there).then(() => setRestored(there.length), onError);
          }}
        >
          {t('import.report.restore')}
        </Button>
      )}
    </div>
  );
}

function Figure({ name, value, more = [] }: { name: string; value: string; more?: readonly string[] }) {
  return (
    <div>
      <dt className="text-ink-3 text-xs">{name}</dt>
      <dd className="font-medium tabular-nums">{value}</dd>
      {more.length > 0 && <dd className="text-ink-3 text-xs">{more.join(' · ')}</dd>}
    </div>
  );
}
