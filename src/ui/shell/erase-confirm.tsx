// Asks before a conversation is erased from the log and from memory, here and, with an account, on all devices.

import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useHasAccount } from '../sync/use-sync.ts';
import { Confirm } from './controls.tsx';

/** `entry`: null while nothing is asked. */
export function EraseConfirm({
  entry,
  onClose,
  onErase,
}: {
  entry: LibraryEntry | null;
  onClose: () => void;
  onErase: (entry: LibraryEntry) => void;
}) {
  const { t } = useTranslation(['shell', 'sync']);
  const everywhere = useHasAccount();
  return (
    <Confirm
      open={entry !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t('eraseTitle')}
      action={t('eraseForGood')}
      danger
      onConfirm={() => entry && onErase(entry)}
    >
      {sentences(
        t('eraseWords', { title: shownTitle(entry?.title, t('untitled')), count: entry?.messageCount ?? 0 }),
        everywhere && t('sync:forget.also'),
        t('eraseQuoted'),
      )}
    </Confirm>
  );
}
