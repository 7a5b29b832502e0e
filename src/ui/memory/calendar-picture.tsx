// Calendar of the days on which the person wrote, and of what memory brought back on them.

import { useCallback, useMemo, useState } from 'react';
import type { Overview } from '../../adapters/index/memory-index.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatDate, formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { type CalendarDay, daysOf, isWithin, type Layer, stretchOf, yearsOf } from './calendar.ts';
import { calendarPlot } from './calendar-plot.ts';
import { Choice, openPath, Picture, pathTo } from './picture.tsx';
import { PlotFigure } from './plot.tsx';

export function Calendar({ overview }: { overview: Overview }) {
  const { t } = useTranslation('memory');
  const [layer, setLayer] = useState<Layer>('written');
  /** Null: the latest twelve months. */
  const [year, setYear] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const days = useMemo(() => daysOf(overview), [overview]);
  const years = useMemo(() => yearsOf(days.values(), Date.now()), [days]);
  const stretch = useMemo(() => stretchOf(year, Date.now()), [year]);
  const shown = useMemo(
    () => [...days.values()].filter((day) => day[layer].length > 0 && isWithin(day.date, stretch)),
    [days, layer, stretch],
  );
  const follow = useCallback((day: string) => setChosen(Number(day.replace(/^#/, ''))), []);
  const options = useCallback(
    (width: number) => calendarPlot({ days, layer, stretch, width, t }),
    [days, stretch, layer, t],
  );
  const day = shown.find(({ date }) => date.getTime() === chosen);
  const total =
    layer === 'written'
      ? new Set(shown.flatMap(({ written }) => written)).size
      : shown.reduce((sum, { recalled }) => sum + recalled.length, 0);
  return (
    <div>
      <Picture
        title={t('pictures.calendar.title')}
        help={t('pictures.calendar.help')}
        aside={
          <Choice
            of={['written', 'recalled'] as const}
            chosen={layer}
            onChoose={setLayer}
            nameOf={(one) => t(`pictures.calendar.${one}`)}
          />
        }
        controls={
          years.length > 0 && (
            <fieldset className="mb-2 flex flex-wrap gap-1">
              <legend className="sr-only">{t('pictures.calendar.period')}</legend>
              <Choice
                of={[null, ...years]}
                chosen={year}
                onChoose={setYear}
                nameOf={(one) => one ?? t('pictures.calendar.latest')}
              />
            </fieldset>
          )
        }
        table={() => <DayTable days={shown} layer={layer} onChoose={follow} />}
      >
        <PlotFigure
          options={options}
          onFollow={follow}
          label={t(`pictures.calendar.label.${layer}`, { count: total })}
        />
        {layer === 'recalled' && [...days.values()].every(({ recalled }) => recalled.length === 0) && (
          <p className="mt-2 text-ink-3">{t('pictures.calendar.noneRecalled')}</p>
        )}
      </Picture>
      {day && <ChosenDay day={day} layer={layer} overview={overview} />}
    </div>
  );
}

/** Lists the conversations of one day, to open. */
function ChosenDay({ day, layer, overview }: { day: CalendarDay; layer: Layer; overview: Overview }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  const ids = new Set(day[layer]);
  const listed = [
    ...[...ids].filter(isNotes).map((id) => ({ id, title: t('notes.title') })),
    ...overview.conversations.filter(({ id }) => ids.has(id)),
  ];
  return (
    <div className="mt-3 rounded-lg border border-line px-4 py-3" aria-live="polite">
      <h3 className="font-medium">
        {formatDate(day.date.getTime())}
        <span className="ml-2 font-normal text-ink-3 text-xs">
          {t(`pictures.calendar.count.${layer}`, {
            count: day[layer].length,
          })}
        </span>
      </h3>
      <ul className="mt-1 -mx-1.5">
        {listed.map(({ id, title }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => openPath(navigation, pathTo(id))}
              className="touchable block w-full truncate rounded-sm px-1.5 py-1 text-left hover:bg-fill"
            >
              {shownTitle(title, t('untitled'))}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function DayTable({
  days,
  layer,
  onChoose,
}: {
  days: readonly CalendarDay[];
  layer: Layer;
  onChoose: (day: string) => void;
}) {
  const { t } = useTranslation('memory');
  const rows = [...days].sort((a, b) => b.date.getTime() - a.date.getTime());
  return (
    <table className="w-full text-left text-sm">
      <thead className="sticky top-0 bg-paper text-ink-3 text-xs">
        <tr>
          <th className="px-3 py-2 font-normal">{t('pictures.column.day')}</th>
          <th className="px-3 py-2 text-right font-normal">{t(`pictures.calendar.column.${layer}`)}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((day) => (
          <tr key={day.date.getTime()} className="border-t">
            <td className="px-3 py-1.5">
              <button
                type="button"
                onClick={() => onChoose(String(day.date.getTime()))}
                className="touchable rounded-xs hover:underline"
              >
                {formatDate(day.date.getTime())}
              </button>
            </td>
            <td className="px-3 py-1.5 text-right tabular-nums">{formatNumber(day[layer].length)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
