// Reports the result of the daily clean-up quietly, with one click to undo it. Draws nothing itself.
import { useEffect } from 'react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useAllWords } from '../i18n/use-all-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useReport } from './conversation-actions.tsx';
import { offer } from './offer.ts';

export function CleanupNotice(): null {
  const { t } = useTranslation('settings');
  const { retention } = useApp();
  const report = useReport();
  const done = useReadable(retention.finished);
  const hasWords = useAllWords(done !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports each run once
  useEffect(() => {
    if (!done || !hasWords) return;
    const { archived, trashed, at } = done;
    const words = [
      archived.length > 0 && t('storage.cleanup.archived', { count: archived.length }),
      trashed.length > 0 && t('storage.cleanup.trashed', { count: trashed.length }),
    ];
    offer(t('storage.cleanup.byItself', { what: words.filter(Boolean).join(t('storage.cleanup.and')) }), {
      label: t('undo'),
      onClick: () => void retention.undo(at).catch(report),
    });
  }, [done, hasWords]);
  return null;
}
