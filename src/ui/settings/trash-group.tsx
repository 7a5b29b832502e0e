// Lists the trash: restore with one click, or erase permanently.

import { Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import type { ConversationId } from '../../domain/base/ids.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { afterClosing } from '../shell/controls/menu.tsx';
import { Button, Confirm, IconButton, Menu, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { ListFailed, Loading } from '../shell/reading.tsx';
import { useHasAccount, useJournal } from '../sync/use-sync.ts';
import { Group } from './rows.tsx';

export function TrashGroup() {
  const { t } = useTranslation(['settings', 'sync', 'shell']);
  const app = useApp();
  const report = useReport();
  const { ready, problem, entries } = useReadable(app.documents.library);
  const trash = entries
    .filter((entry): entry is LibraryEntry & { deletedAt: number } => entry.deletedAt !== null)
    .sort((a, b) => b.deletedAt - a.deletedAt);
  const [erasing, setErasing] = useState<readonly ConversationId[] | null>(null);
  const everywhere = useHasAccount();
  const { value: journal } = useJournal();
  const lost = new Set(
    journal
      ?.filter(({ kind, what }) => kind === 'conflict' && what === 'deleted')
      .map((line) => line.document),
  );
  const restore = (ids: readonly ConversationId[]) => {
    app.library.restore(ids).then(() => toast(t('storage.trash.restored', { count: ids.length })), report);
  };
  return (
    <Group title={t('storage.trash.title')}>
      {problem && <ListFailed problem={problem} compact />}
      {!ready && (
        <Loading className="py-2">
          <Skeleton className="h-4 w-2/5" />
        </Loading>
      )}
      {ready && !problem && (
        <div className="flex flex-wrap items-center gap-3 py-2">
          <p className="min-w-0 flex-1 text-ink-3 text-xs">
            {trash.length === 0 ? t('storage.trash.empty') : t('storage.trash.text')}
          </p>
          {trash.length > 0 && (
            <Button size="sm" onClick={() => setErasing(trash.map((entry) => entry.id))}>
              {t('storage.trash.eraseAll')}
            </Button>
          )}
        </div>
      )}
      {trash.length > 0 && (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto">
          {trash.map((entry) => {
            const title = shownTitle(entry.title, t('storage.untitled'));
            return (
              <li key={entry.id} className="flex min-h-11 items-center gap-2 py-1">
                <span className="min-w-0 flex-1">
                  <span dir="auto" className="block truncate">
                    {title}
                  </span>
                  {lost.has(entry.id) && (
                    <span className="block text-branch text-xs">{t('sync:trash.lost')}</span>
                  )}
                </span>
                <time
                  dateTime={new Date(entry.deletedAt).toISOString()}
                  title={formatExact(entry.deletedAt)}
                  className="shrink-0 text-ink-3 text-xs max-sm:hidden"
                >
                  {t('storage.trash.deleted', { when: formatRelative(entry.deletedAt) })}
                </time>
                <Button
                  size="sm"
                  aria-label={`${t('storage.trash.restore')}: ${title}`}
                  onClick={() => restore([entry.id])}
                >
                  {t('storage.trash.restore')}
                </Button>
                <Menu
                  trigger={
                    <IconButton
                      size="sm"
                      label={t('storage.trash.more', { title })}
                      icon={<Ellipsis size={15} aria-hidden />}
                    />
                  }
                  items={[
                    afterClosing({
                      label: t('shell:eraseForGood'),
                      icon: <Trash2 size={15} aria-hidden />,
                      danger: true,
                      onSelect: () => setErasing([entry.id]),
                    }),
                  ]}
                />
              </li>
            );
          })}
        </ul>
      )}
      <Confirm
        open={erasing !== null}
        onOpenChange={() => setErasing(null)}
        title={t('storage.trash.eraseTitle', { count: erasing?.length ?? 0 })}
        action={t('shell:eraseForGood')}
        danger
        onConfirm={() => {
          if (erasing) app.library.erase(erasing).catch(report);
        }}
      >
        {sentences(t('storage.trash.eraseText'), everywhere && t('sync:forget.also'), t('shell:eraseQuoted'))}
      </Confirm>
    </Group>
  );
}
