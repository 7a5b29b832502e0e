// The sync log as sentences: what was sent, received or merged, and what failed.

import { ArrowDown, ArrowUp, GitBranch, Info, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { asConversationId, LIBRARY_DOCUMENT, NOTES_DOCUMENT } from '../../domain/base/ids.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { JournalEntry } from '../../services/sync/sync.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatBytes, formatExact, formatRelative, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Skeleton } from '../shell/controls.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { useJournal } from './use-sync.ts';

const KINDS = ['upload', 'download', 'conflict', 'error', 'note'] as const;
type Filter = 'all' | (typeof KINDS)[number];
const PAGE = 20;

const ICONS = { upload: ArrowUp, download: ArrowDown, conflict: GitBranch, error: TriangleAlert, note: Info };
const TONES: Record<JournalEntry['kind'], string> = {
  upload: 'text-ink-3',
  download: 'text-ink-3',
  conflict: 'text-branch',
  error: 'text-danger',
  note: 'text-ink-3',
};

export function SyncLog() {
  const { t } = useTranslation('sync');
  const { value: journal, problem, again } = useJournal();
  const [filter, setFilter] = useState<Filter>('all');
  const [shown, setShown] = useState(PAGE);
  const lines = useMemo(
    () => (journal ?? []).filter((entry) => filter === 'all' || entry.kind === filter),
    [journal, filter],
  );
  if (!journal && !problem)
    return (
      <Loading className="py-3">
        <Skeleton className="h-4 w-60 max-w-full" />
      </Loading>
    );
  const failed = problem && <ReadFailed problem={problem} onRetry={again} compact />;
  if (!journal) return <div className="py-2">{failed}</div>;
  return (
    <div className="space-y-2 py-2">
      {failed}
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">{t('log.filter')}</legend>
        {(['all', ...KINDS] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={filter === kind}
            onClick={() => {
              setFilter(kind);
              setShown(PAGE);
            }}
            className="touchable h-7 rounded-md border border-line px-2.5 text-ink-2 text-xs hover:bg-fill aria-pressed:border-line-strong aria-pressed:bg-fill aria-pressed:font-medium aria-pressed:text-ink"
          >
            {t(`log.kinds.${kind}`)}
          </button>
        ))}
      </fieldset>
      {lines.length === 0 ? (
        <p className="py-2 text-ink-3">{t(filter === 'all' ? 'log.empty' : 'log.none')}</p>
      ) : (
        <ol className="divide-y divide-line">
          {lines.slice(0, shown).map((entry, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal within the same millisecond
            <Line key={`${entry.at} ${entry.what} ${entry.document} ${at}`} entry={entry} />
          ))}
        </ol>
      )}
      {lines.length > shown && (
        <Button size="sm" variant="ghost" onClick={() => setShown(shown + 3 * PAGE)}>
          {t('log.more', { count: lines.length - shown })}
        </Button>
      )}
    </div>
  );
}

function Line({ entry }: { entry: JournalEntry }) {
  const { t } = useTranslation('sync');
  const Icon = ICONS[entry.kind];
  return (
    <li className="flex items-start gap-2.5 py-2">
      <Icon size={15} aria-hidden className={classes('mt-0.5 shrink-0', TONES[entry.kind])} />
      <p className="min-w-0 flex-1">
        <Sentence entry={entry} />
        {entry.bytes > 0 && (
          <span className="ml-2 whitespace-nowrap text-ink-3 text-xs">{formatBytes(entry.bytes)}</span>
        )}
        <Open entry={entry} />
      </p>
      <time
        dateTime={new Date(entry.at).toISOString()}
        title={formatExact(entry.at)}
        className="shrink-0 pt-0.5 text-ink-3 text-xs"
      >
        <span className="sr-only">{t(`log.kinds.${entry.kind}`)}, </span>
        {formatRelative(entry.at)}
      </time>
    </li>
  );
}

function Sentence({ entry }: { entry: JournalEntry }) {
  const { t } = useTranslation('sync');
  const words = useProblemWords();
  const title = useTitleOf(entry.document);
  if (entry.kind === 'error' && entry.what !== 'unreadable') {
    const { what } = words({ code: entry.what, message: entry.what });
    return entry.document === null ? what : `${title}: ${what}`;
  }
  const key = `log.${entry.kind}.${entry.what}`;
  const values = { title, count: entry.count, device: entry.device ?? '', context: entry.device ? 'by' : '' };
  return wordsFor('sync', key, values) ?? t('log.other', { what: entry.what });
}

/** Name of a document for people. */
function useTitleOf(document: string | null): string {
  const { t } = useTranslation('sync');
  const { documents } = useApp();
  const entry = useReadable(documents.library, (library) =>
    document === null ? undefined : library.entries.find(({ id }) => id === document),
  );
  const project = useReadable(documents.library, (library) =>
    entry || document === null ? undefined : library.projects.find(({ id }) => id === document),
  );
  if (document === NOTES_DOCUMENT) return t('log.notes');
  if (document === LIBRARY_DOCUMENT || document === null) return t('log.index');
  if (project) return t('log.project', { title: shownTitle(project.title, t('log.untitled')) });
  if (!entry) return t('log.gone');
  return t('log.titled', { title: shownTitle(entry.title, t('log.untitled')) });
}

/** Leads to merged data: the conversation with its branches, the notes, or the trash. */
function Open({ entry }: { entry: JournalEntry }) {
  const { t } = useTranslation('sync');
  const navigation = useNavigation();
  const { documents } = useApp();
  const { document, what } = entry;
  const there = useReadable(
    documents.library,
    (library) => document !== null && library.entries.some(({ id }) => id === document),
  );
  if (entry.kind !== 'conflict' || document === null || !(there || what === 'wordings')) return null;
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-my-1 ml-1"
      onClick={() => {
        if (what === 'deleted') navigation.openScreen('settings', 'storage');
        else if (what === 'wordings') navigation.openScreen('memory', 'notes');
        else navigation.openConversation(asConversationId(document));
      }}
    >
      {t(what === 'deleted' ? 'log.openTrash' : what === 'wordings' ? 'log.openNotes' : 'log.openBranches')}
    </Button>
  );
}
