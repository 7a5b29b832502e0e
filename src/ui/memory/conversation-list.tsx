// Lists every conversation by month, with a filter by title.

import { useDeferredValue, useMemo, useState } from 'react';
import { comparableForm, isIn } from '../../domain/text/find.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatExact, formatRelative, locale } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToolName } from '../library/tool-name.ts';
import { Badge, Button, Skeleton } from '../shell/controls.tsx';
import { ListFailed, Loading } from '../shell/reading.tsx';
import { TwinWordsOf } from '../shell/twin-words.tsx';
import { Section } from './section.tsx';

type View = 'all' | 'imported' | 'archived';

/** Rows drawn at first and with each "more", so that the page stays fast with thousands of conversations. */
const PAGE = 60;

export function ConversationList({ entries }: { entries: readonly LibraryEntry[] }) {
  const { t } = useTranslation('memory');
  const { ready, problem } = useReadable(useApp().documents.library);
  const [view, setView] = useState<View>('all');
  const [filter, setFilter] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const words = useDeferredValue(comparableForm(filter).trim());
  const views = (['all', 'imported', 'archived'] as const).filter(
    (one) =>
      one === 'all' || entries.some((entry) => (one === 'archived' ? entry.archived : entry.source !== null)),
  );
  const shown = useMemo(
    () =>
      entries.filter(
        (entry) =>
          (view === 'all' || (view === 'archived' ? entry.archived : entry.source !== null)) &&
          isIn(comparableForm(entry.title), words),
      ),
    [entries, view, words],
  );
  const months = useMemo(() => {
    const format = new Intl.DateTimeFormat(locale(), { year: 'numeric', month: 'long' });
    const groups: { name: string; entries: LibraryEntry[] }[] = [];
    for (const entry of shown.slice(0, limit)) {
      const name = format.format(entry.updatedAt);
      const last = groups.at(-1);
      if (last?.name === name) last.entries.push(entry);
      else groups.push({ name, entries: [entry] });
    }
    return groups;
  }, [shown, limit]);
  return (
    <Section
      title={t('screen.list.title')}
      aside={
        ready &&
        !problem && (
          <span className="text-ink-3 text-xs">{t('screen.list.count', { count: shown.length })}</span>
        )
      }
    >
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <input
          type="search"
          autoComplete="off"
          dir="auto"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          placeholder={t('screen.list.filter')}
          aria-label={t('screen.list.filter')}
          className="touchable h-8 min-w-40 flex-1 rounded-md border border-line-strong bg-paper px-2.5 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 pointer-coarse:text-base"
        />
        {views.length > 1 && (
          <div className="flex gap-1">
            {views.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={view === one}
                onClick={() => setView(one)}
                className="touchable h-8 rounded-md px-2.5 text-ink-2 hover:bg-fill aria-pressed:bg-fill aria-pressed:font-medium aria-pressed:text-ink"
              >
                {t(`screen.list.${one}`)}
              </button>
            ))}
          </div>
        )}
      </div>
      {!ready && (
        <Loading className="space-y-3 py-3">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-4 w-3/5" />
        </Loading>
      )}
      {problem && <ListFailed problem={problem} />}
      {ready && !problem && shown.length === 0 && (
        <p className="py-6 text-center text-ink-3">{t('screen.list.none')}</p>
      )}
      {months.map((month) => (
        <div key={month.name}>
          <h3 className="pt-4 pb-1 text-ink-3 text-xs">{month.name}</h3>
          <ul className="divide-y divide-line">
            {month.entries.map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </ul>
        </div>
      ))}
      {shown.length > limit && (
        <div className="pt-4 text-center">
          <Button size="sm" onClick={() => setLimit(limit + 4 * PAGE)}>
            {t('screen.list.more', { count: shown.length - limit })}
          </Button>
        </div>
      )}
    </Section>
  );
}

function Row({ entry }: { entry: LibraryEntry }) {
  const { t } = useTranslation('memory');
  const nameOf = useToolName();
  const navigation = useNavigation();
  return (
    <li>
      <button
        type="button"
        onClick={() => navigation.openConversation(entry.id)}
        className="-mx-2 flex min-h-10 w-[calc(100%+1rem)] items-center gap-3 rounded-md px-2 py-2 text-left hover:bg-fill pointer-coarse:min-h-11"
      >
        <span dir="auto" className="min-w-0 truncate">
          {shownTitle(entry.title, t('untitled'))}
        </span>
        <TwinWordsOf entry={entry} />
        {entry.sample && <Badge>{t('screen.list.sample')}</Badge>}
        {entry.archived && <Badge>{t('screen.list.archived')}</Badge>}
        {entry.source && !entry.sample && (
          <span className="shrink-0 text-ink-3 text-xs max-sm:hidden">
            {t('screen.list.from', { tool: nameOf(entry.source.tool) })}
          </span>
        )}
        <span className="w-24 shrink-0 text-right text-ink-3 text-xs tabular-nums max-sm:hidden">
          {t('screen.list.messages', { count: entry.messageCount })}
        </span>
        <time
          dateTime={new Date(entry.updatedAt).toISOString()}
          title={formatExact(entry.updatedAt)}
          className="w-24 shrink-0 truncate text-right text-ink-3 text-xs"
        >
          {formatRelative(entry.updatedAt)}
        </time>
      </button>
    </li>
  );
}
