// What an import did, source by source: what came in, what was here already, what was left out and why.
import { ArrowRight, Check, Minus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { ImportReport } from '../../services/library/library.ts';
import { formatDuration, formatNumber } from '../i18n/index.ts';
import { Button, classes } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';

const ROLES = ['user', 'assistant', 'tool', 'system'] as const;

/** Whether anything of the source is in the library now. */
export const tookIn = (report: ImportReport): boolean =>
  report.conversations.added + report.conversations.changed + report.conversations.unchanged > 0 ||
  (report.problem === null && !report.cancelled);

export function Reports({
  reports,
  onOpen,
}: {
  reports: readonly ImportReport[];
  onOpen: (id: ConversationId) => void;
}) {
  // What came in first, then what did not.
  const shown = [...reports.filter(tookIn), ...reports.filter((report) => !tookIn(report))];
  return (
    <ul className="space-y-3">
      {shown.map((report, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two sources may have the same name, and the list never changes
        <li key={at}>
          <Report report={report} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

function Report({ report, onOpen }: { report: ImportReport; onOpen: (id: ConversationId) => void }) {
  const { t, i18n } = useTranslation('library');
  const { added, changed, unchanged } = report.conversations;
  const { first } = report;
  const format =
    report.importer === null
      ? null
      : i18n.exists(`format.${report.importer}`, { ns: 'library' })
        ? t(`format.${report.importer}`)
        : report.importer;
  const headline =
    report.problem !== null && !tookIn(report)
      ? t('import.report.nothingIn')
      : added > 0
        ? t('import.report.added', { count: added })
        : changed > 0
          ? t('import.report.changed', { count: changed })
          : unchanged === 0 && report.told > 0
            ? t('import.report.toldOnly', { count: report.told })
            : tookIn(report)
              ? t('import.report.nothingNew')
              : t('import.report.nothingIn');
  const rest = [
    added > 0 && changed > 0 ? t('import.report.changed', { count: changed }) : '',
    unchanged > 0 && added + changed > 0 ? t('import.report.unchanged', { count: unchanged }) : '',
  ].filter(Boolean);
  const roles = ROLES.filter((role) => report.messages[role] > 0);
  const total = ROLES.reduce((sum, role) => sum + report.messages[role], 0);
  return (
    <section className="@container overflow-hidden rounded-lg border border-line">
      <header className="flex flex-wrap items-start gap-3 px-4 pt-3.5 pb-3">
        <span
          aria-hidden
          className={classes(
            'mt-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-full',
            added + changed + report.told > 0 ? 'bg-ok-soft text-ok' : 'bg-fill text-ink-2',
          )}
        >
          {tookIn(report) ? <Check size={14} /> : <Minus size={14} />}
        </span>
        <div className="min-w-44 flex-1">
          <h3 className="font-semibold text-base leading-6">{headline}</h3>
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
      {(total > 0 || report.told > 0) && (
        <dl className="grid grid-cols-2 @md:grid-cols-[2fr_1fr_1fr_1fr] gap-x-4 gap-y-3 border-t px-4 py-3">
          <Figure
            name={t('import.report.messages')}
            value={formatNumber(total)}
            more={roles.map(
              (role) => `${formatNumber(report.messages[role])} ${t(`import.report.roles.${role}`)}`,
            )}
          />
          <Figure name={t('import.report.branches')} value={formatNumber(report.branches)} />
          <Figure name={t('import.report.attachments')} value={formatNumber(report.attachments)} />
          {report.told > 0 && <Figure name={t('import.report.told')} value={formatNumber(report.told)} />}
          <Figure name={t('import.report.took')} value={formatDuration(report.tookMs)} />
        </dl>
      )}
      {(total > 0 || report.skipped.length > 0) && (
        <div className="border-t px-4 py-3">
          <h4 className="text-ink-3 text-xs">{t('import.report.skipped')}</h4>
          {report.skipped.length === 0 ? (
            <p className="mt-0.5 text-ink-2">{t('import.report.skippedNone')}</p>
          ) : (
            <ul className="mt-1 space-y-1">
              {report.skipped.map((skipped) => (
                <li key={skipped.reason} className="flex gap-2.5">
                  <span className="min-w-8 shrink-0 text-right font-medium tabular-nums">
                    {formatNumber(skipped.count)}
                  </span>
                  <span className="min-w-0 text-ink-2">
                    {t(`skipped.${skipped.reason}`)}
                    {skipped.example && (
                      <span className="block truncate text-ink-3 text-xs" title={skipped.example}>
                        {t('import.report.example', { example: skipped.example })}
                      </span>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
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
