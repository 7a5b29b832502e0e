// Form of a request to forget: words, a person, a time span, a source. Lists earlier requests below.
import { useEffect, useState } from 'react';
import type { Problem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import type { Sought } from '../../domain/forget/sought.ts';
import type { ForgottenRecord } from '../../services/documents/forgotten-records.ts';
import type { ForgetReport } from '../../services/forget/forget.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatExact } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToolName } from '../library/tool-name.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, DialogActions, Field, Switch, TextField } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';

const KINDS = ['phrase', 'person', 'span', 'source'] as const;
type Kind = (typeof KINDS)[number];
const DAY_MS = 86_400_000;
/** Earlier requests shown. */
const SHOWN = 5;

/** Local midnight at the start of a day; NaN if the date is invalid. */
const dayOf = (day: string): number => new Date(`${day}T00:00`).getTime();
/** Next local midnight: a day may have 23 or 25 hours. */
const dayAfter = (day: string): number => new Date(dayOf(day) + 1.5 * DAY_MS).setHours(0, 0, 0, 0);

interface Fields {
  readonly kind: Kind;
  readonly words: string;
  readonly whole: boolean;
  readonly from: string;
  readonly to: string;
  readonly tool: string;
}

/** Undefined while a field is missing. */
function soughtOf({ kind, words, whole, from, to, tool }: Fields): Sought | undefined {
  if (kind === 'source') return tool === '' ? undefined : { kind, tool };
  if (kind === 'span')
    return dayOf(from) <= dayOf(to) ? { kind, from: dayOf(from), to: dayAfter(to) } : undefined;
  const all = (kind === 'person' ? words.split(/[,，、;；]/) : [words])
    .map((one) => one.trim())
    .filter(Boolean);
  return all.length === 0 ? undefined : { kind, words: all, whole: kind === 'person' || whole };
}

export function ForgetForm({
  words,
  busy,
  problem,
  onSeek,
}: {
  /** Initial text of the field. */
  words: string;
  busy: boolean;
  problem: Problem | null;
  onSeek: (sought: Sought) => void;
}) {
  const { t } = useTranslation('forget');
  const { documents } = useApp();
  const toolName = useToolName();
  const { entries } = useReadable(documents.library);
  const tools = [...new Set(entries.flatMap(({ source }) => (source ? [source.tool] : [])))].sort();
  const [fields, setFields] = useState<Fields>({
    kind: 'phrase',
    words,
    whole: false,
    from: '',
    to: '',
    tool: tools[0] ?? '',
  });
  const set = (some: Partial<Fields>) => setFields((before) => ({ ...before, ...some }));
  const { kind } = fields;
  const sought = soughtOf(fields);
  const isBackwards = kind === 'span' && dayOf(fields.from) > dayOf(fields.to);
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (sought && !busy) onSeek(sought);
      }}
    >
      <Field label={t('kind')}>
        {(ids) => (
          <Select
            {...ids}
            label={t('kind')}
            value={kind}
            onValueChange={(next) => set({ kind: next })}
            className="w-full"
            options={KINDS.filter((one) => one !== 'source' || tools.length > 0).map((one) => ({
              value: one,
              label: t(`kinds.${one}`),
            }))}
          />
        )}
      </Field>
      {(kind === 'phrase' || kind === 'person') && (
        <TextField
          label={t(`words.${kind}`)}
          hint={t(`wordsHelp.${kind}`)}
          value={fields.words}
          autoComplete="off"
          data-first-focus
          onChange={({ target }) => set({ words: target.value })}
        />
      )}
      {kind === 'phrase' && (
        <div className="flex items-center justify-between gap-4">
          <span aria-hidden>{t('whole')}</span>
          <Switch checked={fields.whole} onCheckedChange={(whole) => set({ whole })} label={t('whole')} />
        </div>
      )}
      {kind === 'span' && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField
            label={t('from')}
            type="date"
            value={fields.from}
            onChange={({ target }) => set({ from: target.value })}
          />
          <TextField
            label={t('to')}
            type="date"
            value={fields.to}
            error={isBackwards ? t('backwards') : undefined}
            onChange={({ target }) => set({ to: target.value })}
          />
        </div>
      )}
      {kind === 'source' && (
        <Field label={t('source')}>
          {(ids) => (
            <Select
              {...ids}
              label={t('source')}
              value={fields.tool}
              onValueChange={(tool) => set({ tool })}
              className="w-full"
              options={tools.map((one) => ({ value: one, label: toolName(one) }))}
            />
          )}
        </Field>
      )}
      {problem && <ProblemNotice problem={problem} />}
      <DialogActions>
        <Button type="submit" variant="primary" busy={busy} disabled={!sought}>
          {t('seek')}
        </Button>
      </DialogActions>
      <Before />
    </form>
  );
}

/** Reports of these records, as far as this device has kept them. */
function useReports(records: readonly ForgottenRecord[]): ReadonlyMap<string, ForgetReport> {
  const { forget } = useApp();
  const [reports, setReports] = useState<ReadonlyMap<string, ForgetReport>>(new Map());
  useEffect(() => {
    let isGone = false;
    const read = async () => {
      const found = await Promise.all(records.slice(0, SHOWN).map(({ id }) => forget.reportOf(id)));
      if (!isGone) setReports(new Map(found.flatMap((report) => (report ? [[report.id, report]] : []))));
    };
    ignore(read(), 'earlier reports; their lines say how each ended');
    return () => {
      isGone = true;
    };
  }, [forget, records]);
  return reports;
}

function ShowReport({ report }: { report: ForgetReport | undefined }) {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  return (
    report && (
      <Button
        size="sm"
        aria-label={t('showReport', { date: formatExact(report.at) })}
        onClick={() => forget.reopen(report)}
      >
        {t('show')}
      </Button>
    )
  );
}

/** Lists earlier requests, and how many devices have carried them out, without any of the forgotten words. */
function Before() {
  const { t } = useTranslation('forget');
  const { forget, sync } = useApp();
  const records = useReadable(forget.records);
  const { devices } = useReadable(sync.status);
  const reports = useReports(records);
  if (records.length === 0) return null;
  return (
    <section aria-label={t('before')} className="border-t pt-3">
      <h3 className="font-medium">{t('before')}</h3>
      <ul className="mt-1 divide-y divide-line">
        {records.slice(0, SHOWN).map(({ id, kind, at, confirmed }) => {
          const done = [...confirmed.values()].filter(({ left }) => left === 0).length;
          return (
            <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
              <span>
                {t(`kinds.${kind}`)} <span className="text-ink-2">· {formatExact(at)}</span>
              </span>
              <span className="flex items-center gap-2 text-ink-2">
                {devices.length > 1
                  ? t('onDevices', { done: Math.min(done, devices.length), count: devices.length })
                  : done > 0
                    ? t('clean')
                    : t('underWay')}
                <ShowReport report={reports.get(id)} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
