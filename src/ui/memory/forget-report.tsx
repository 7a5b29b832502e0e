// Shows what would be forgotten and where it is, and afterwards the result in each
// place. The report can be saved as a file.

import { Fragment, useMemo } from 'react';
import { localDay } from '../../domain/base/time.ts';
import { createMatcher } from '../../domain/forget/imprint.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { ForgetPlan, ForgetReport } from '../../services/forget/forget.ts';
import { type Find, FORGET_PLACES, type PlaceId } from '../../services/forget/place.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatDate, formatExact } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, DialogActions } from '../shell/controls.tsx';
import { download } from '../shell/conversation-actions.tsx';

/** Finds shown one by one; the rest is only counted. */
const SHOWN = 40;

/** Names the places that the app cannot reach, and forms of the words that it does not search for. */
function useOutOfReach(): (kind: ForgetReport['kind']) => string {
  const { t } = useTranslation('forget');
  const { library } = useApp();
  const backup = useReadable(library.lastBackup);
  return (kind) =>
    sentences(
      t('reach'),
      kind === 'person' && t('reachName'),
      kind === 'phrase' && t('reachPhrase'),
      backup ? t('reachBackup', { date: formatDate(backup) }) : false,
    );
}

/** Preview before anything is forgotten. `named`: there is no form to go back to. */
export function ForgetPreview({
  plan,
  named,
  onBack,
  onForget,
}: {
  plan: ForgetPlan;
  named: boolean;
  onBack: () => void;
  onForget: () => void;
}) {
  const { t } = useTranslation('forget');
  const reach = useOutOfReach();
  const { record, finds } = plan;
  const isNothing = finds.length === 0;
  return (
    <div className="space-y-4">
      {isNothing ? (
        <p role="status">{t('nothing')}</p>
      ) : (
        <>
          <Places finds={finds} />
          <Finds plan={plan} />
          <p className="text-ink-2">{reach(record.kind)}</p>
        </>
      )}
      <DialogActions>
        <Button onClick={onBack}>{t(named ? 'cancel' : 'back')}</Button>
        {!isNothing && (
          <Button variant="danger" onClick={onForget}>
            {t('forget')}
          </Button>
        )}
      </DialogActions>
    </div>
  );
}

/** One line per place: what was found there, by kind. */
function Places({ finds }: { finds: readonly Find[] }) {
  const { t } = useTranslation('forget');
  const { sync } = useApp();
  const { devices } = useReadable(sync.status);
  const account = useReadable(sync.account);
  const others = devices.filter(({ here }) => !here);
  const hasWords = finds.some(({ place }) => place === 'conversations');
  const linesOf = (place: PlaceId): string => {
    const counts = new Map<Find['what'], number>();
    for (const { what, count } of finds.filter((find) => find.place === place))
      counts.set(what, (counts.get(what) ?? 0) + count);
    const lines = [...counts].map(([what, count]) => t(`what.${what}`, { count })).join(t('and'));
    if (lines !== '') return lines;
    if (place === 'index' && hasWords) return t('follows');
    if (place === 'relay' && account !== null) return t('replaced');
    return '';
  };
  return (
    <dl aria-label={t('where')} className="divide-y divide-line rounded-lg border border-line">
      {FORGET_PLACES.map((place) => ({ name: t(`places.${place}`), lines: linesOf(place) }))
        .concat(
          others.length > 0
            ? [
                {
                  name: t('others', { count: others.length }),
                  lines: t('sameThere', { count: others.length }),
                },
              ]
            : [],
        )
        .filter(({ lines }) => lines !== '')
        .map(({ name, lines }) => (
          <div key={name} className="px-3 py-2 sm:flex sm:justify-between sm:gap-4">
            <dt className="shrink-0 font-medium">{name}</dt>
            <dd className="text-ink-2 sm:text-right">{lines}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Text with the words marked that will be erased. */
function Marked({ text, spans }: { text: string; spans: readonly (readonly [number, number])[] }) {
  return (
    <>
      {spans.map(([from, to], at) => (
        <Fragment key={from}>
          {text.slice(spans[at - 1]?.[1] ?? 0, from)}
          <mark className="bg-danger-soft font-medium text-danger">{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {text.slice(spans.at(-1)?.[1] ?? 0)}
    </>
  );
}

/** Context of the erased words, for each find that has words. */
function Finds({ plan: { finds, record, quotes } }: { plan: ForgetPlan }) {
  const { t } = useTranslation('forget');
  const { spansIn } = useMemo(() => createMatcher([...record.words, ...quotes], record.id), [record, quotes]);
  const marked = (text: string) => <Marked text={text} spans={spansIn(text)} />;
  const shown = finds.filter(({ excerpt, title }) => excerpt !== '' || title !== '');
  if (shown.length === 0) return null;
  return (
    <ul
      aria-label={t('preview')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard, too
      tabIndex={0}
      className="divide-y divide-line md:max-h-60 md:overflow-y-auto rounded-lg border border-line px-3"
    >
      {shown.slice(0, SHOWN).map((find, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <li key={at} className="min-w-0 py-2">
          <p className="break-words text-ink-2 text-xs">
            {t(`one.${find.what}`)}
            {find.title && <> · {marked(shownTitle(find.title, t('untitled')))}</>}
          </p>
          {find.excerpt && (
            <p dir="auto" className="line-clamp-3 break-words">
              {marked(find.excerpt)}
            </p>
          )}
        </li>
      ))}
      {shown.length > SHOWN && (
        <li className="py-2 text-ink-2">{t('more', { count: shown.length - SHOWN })}</li>
      )}
    </ul>
  );
}

/** Puts the result for each place and device into words. */
function useReportLines() {
  const { t } = useTranslation('forget');
  const { sync, forget } = useApp();
  const { devices } = useReadable(sync.status);
  const records = useReadable(forget.records);
  const account = useReadable(sync.account);
  return ({ id, places }: ForgetReport) => {
    const confirmed = records.find((record) => record.id === id)?.confirmed;
    return [
      ...places
        .filter(({ place }) => place !== 'relay' || account !== null)
        .map(({ place, found, left, waiting, kept = 0 }) => ({
          name: t(`places.${place}`),
          found: found > 0 ? t('found', { count: found }) : '',
          state:
            left > 0
              ? t('left', { count: left })
              : waiting
                ? t('later')
                : kept > 0
                  ? t('keptThere', { count: kept })
                  : t(place === 'relay' ? 'replacedThere' : 'clean'),
          isLeft: left > 0,
        })),
      ...devices
        .filter(({ here }) => !here)
        .map((device) => ({
          name: device.name,
          found: '',
          state: confirmed?.get(device.id)?.left === 0 ? t('confirmed') : t('asked'),
          isLeft: false,
        })),
    ];
  };
}

/** Result of the final search. */
const verdictOf = ({ places }: ForgetReport): 'nowhere' | 'notYet' | 'somewhere' => {
  if (places.some(({ left }) => left > 0)) return 'somewhere';
  return places.some(({ waiting }) => waiting) ? 'notYet' : 'nowhere';
};

export function ForgetReportView({ report }: { report: ForgetReport }) {
  const { t } = useTranslation('forget');
  const lines = useReportLines()(report);
  const reach = useOutOfReach();
  return (
    <div className="space-y-3">
      <p>{t('done', { date: formatExact(report.doneAt) })}</p>
      <ul aria-label={t('result')} className="divide-y divide-line rounded-lg border border-line">
        {lines.map(({ name, found, state, isLeft }) => (
          <li key={name} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
            <span>
              {name}
              {found && <span className="text-ink-2"> · {found}</span>}
            </span>
            <span className={classes(isLeft ? 'text-danger' : 'text-ink-2')}>{state}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="font-medium">
        {t(verdictOf(report))}
      </p>
      <p className="text-ink-2">{reach(report.kind)}</p>
    </div>
  );
}

/** Returns the report as text for a file, without any of the forgotten words. */
export function useReportTexts(): (report: ForgetReport) => string {
  const { t } = useTranslation('forget');
  const linesOf = useReportLines();
  const reach = useOutOfReach();
  return (report) =>
    [
      `# ${t('title')}`,
      `${t(`kinds.${report.kind}`)} · ${t('askedAt', { date: formatExact(report.at) })}`,
      t('done', { date: formatExact(report.doneAt) }),
      linesOf(report)
        .map(({ name, found, state }) => `- ${[name, found, state].filter(Boolean).join(' · ')}`)
        .join('\n'),
      t(verdictOf(report)),
      reach(report.kind),
    ].join('\n\n');
}

/** Downloads the report as a Markdown file named after the day on which forgetting ended. */
export function saveReport(report: ForgetReport, text: string): void {
  const name = `recollect-forget-report-${localDay(report.doneAt)}.md`;
  const mediaType = 'text/markdown';
  download({ name, mediaType, blob: new Blob([`${text}\n`], { type: `${mediaType};charset=utf-8` }) });
}
