// History of a note as a timeline below it, and contradicting notes with dates and a way to settle them.

import type { MemoryNote } from '../../services/documents/notes.ts';
import { useApp } from '../hooks/app.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';

const When = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
    {formatRelative(at)}
  </time>
);

export function NotePast({ note }: { note: MemoryNote }) {
  const { t } = useTranslation('memory');
  const past = note.before ?? [];
  if (past.length === 0) return null;
  return (
    <details className="mt-1.5 pl-3.5 text-xs">
      <summary className="touchable w-fit cursor-pointer rounded-xs text-ink-3 hover:text-ink-2">
        {t('notes.before', { count: past.length })}
      </summary>
      <ol className="mt-1 space-y-1 border-line border-l pl-3">
        {past.toReversed().map((one) => (
          <li key={`${one.since} ${one.text}`}>
            <span className="text-ink-3">
              <When at={one.since} /> – <When at={one.until} />
            </span>
            <p dir="auto" className="break-words text-ink-2 line-through [overflow-wrap:anywhere]">
              {one.text}
            </p>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Both notes stay until the person says which one is true. */
export function NoteAgainst({ note, others }: { note: MemoryNote; others: readonly MemoryNote[] }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  return others.map((other) => (
    <div key={other.id} className="mt-2 ml-3.5 rounded-md bg-branch-soft px-2.5 py-2 text-xs">
      <p className="text-branch">
        {t('notes.against')} <When at={other.since ?? other.updatedAt} />
      </p>
      <p dir="auto" className="break-words text-ink [overflow-wrap:anywhere]">
        {other.text}
      </p>
      <p className="mt-1.5 flex flex-wrap gap-2">
        <Button size="sm" onClick={() => void app.notes.merge(note.id, other.id, note.text).catch(report)}>
          {t('notes.thisHolds')}
        </Button>
        <Button size="sm" onClick={() => void app.notes.merge(other.id, note.id, other.text).catch(report)}>
          {t('notes.thatHolds')}
        </Button>
        <Button
          size="sm"
          variant="ghost"
          onClick={() =>
            void app.notes
              .revise(note.id, { against: note.against?.filter((id) => id !== other.id) })
              .then(() =>
                app.notes.revise(other.id, { against: other.against?.filter((id) => id !== note.id) }),
              )
              .catch(report)
          }
        >
          {t('notes.bothHold')}
        </Button>
      </p>
    </div>
  ));
}
