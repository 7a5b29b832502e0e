// The offer to put old conversations away: switched on by a person, shown before anything is done, undone with one click.

import { Archive, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { cleanupOf } from '../../services/library/cleanup.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { Button } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { Group, NumberSetting, SwitchSetting } from './rows.tsx';

export function CleanupGroup() {
  const { t } = useTranslation('settings');
  const app = useApp();
  const report = useReport();
  const cleanup = useReadable(app.settings.config, (config) => config.storage.cleanup);
  const entries = useReadable(app.documents.library, (library) => library.entries);
  /** Archived right here: whoever clicks twice in one place must not find them in the trash. */
  const [spared, setSpared] = useState<ReadonlySet<LibraryEntry['id']>>(new Set());
  const { archive, trash: old } = cleanupOf(entries, cleanup, Date.now());
  const trash = old.filter(({ id }) => !spared.has(id));

  const carryOut = async (
    chosen: readonly LibraryEntry[],
    done: 'archived' | 'trashed',
    act: (ids: readonly LibraryEntry['id'][]) => Promise<void>,
    back: (ids: readonly LibraryEntry['id'][]) => Promise<void>,
  ) => {
    const ids = chosen.map(({ id }) => id);
    try {
      await act(ids);
      offer(t(`storage.cleanup.${done}`, { count: ids.length }), {
        label: t('undo'),
        onClick: () => void back(ids).catch(report),
      });
    } catch (error) {
      report(error);
    }
  };
  return (
    <Group title={t('storage.cleanup.title')}>
      <SwitchSetting path="storage.cleanup.enabled" />
      {cleanup.enabled && (
        <>
          <NumberSetting path="storage.cleanup.archive_after_days" />
          <NumberSetting path="storage.cleanup.delete_archived_after_days" />
          {archive.length + trash.length === 0 && (
            <p className="py-3 text-ink-3">{t('storage.cleanup.nothing')}</p>
          )}
          <Offer
            entries={archive}
            sentence={t('storage.cleanup.archive', { count: archive.length })}
            action={t('storage.cleanup.archiveAction', { count: archive.length })}
            icon={<Archive size={14} aria-hidden />}
            onAccept={() =>
              carryOut(
                archive,
                'archived',
                (ids) => {
                  setSpared(new Set([...spared, ...ids]));
                  return app.library.setMeta(ids, { archived: true });
                },
                (ids) => app.library.setMeta(ids, { archived: false }),
              )
            }
          />
          <Offer
            entries={trash}
            sentence={t('storage.cleanup.trash', { count: trash.length })}
            action={t('storage.cleanup.trashAction', { count: trash.length })}
            icon={<Trash2 size={14} aria-hidden />}
            onAccept={() => carryOut(trash, 'trashed', app.library.remove, app.library.restore)}
          />
        </>
      )}
    </Group>
  );
}

/** One step with all it would touch in sight. */
function Offer({
  entries,
  sentence,
  action,
  icon,
  onAccept,
}: {
  entries: readonly LibraryEntry[];
  sentence: string;
  action: string;
  icon: ReactNode;
  onAccept: () => Promise<void>;
}) {
  const { t } = useTranslation('settings');
  const [busy, setBusy] = useState(false);
  if (entries.length === 0) return null;
  return (
    <div className="py-3">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <p className="min-w-52 flex-1">{sentence}</p>
        <Button
          size="sm"
          busy={busy}
          icon={icon}
          onClick={() => {
            setBusy(true);
            void onAccept().finally(() => setBusy(false));
          }}
        >
          {action}
        </Button>
      </div>
      <ul
        aria-label={sentence}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled with the keyboard, too
        tabIndex={0}
        className="mt-2 max-h-52 divide-y divide-line overflow-y-auto rounded-lg border border-line px-3"
      >
        {entries.map((entry) => (
          <li key={entry.id} className="flex items-center gap-3 py-1.5">
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {shownTitle(entry.title, t('storage.untitled'))}
            </span>
            <time
              dateTime={new Date(entry.updatedAt).toISOString()}
              title={formatExact(entry.updatedAt)}
              className="shrink-0 text-ink-3 text-xs"
            >
              {formatRelative(entry.updatedAt)}
            </time>
          </li>
        ))}
      </ul>
    </div>
  );
}
