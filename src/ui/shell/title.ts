// The title of the tab: how far long work is, the conversation, the app.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatPercent } from '../i18n/index.ts';

export function useTitle(): void {
  const app = useApp();
  const { t } = useTranslation('shell');
  const { route } = useNavigation();
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const work = useReadable(app.library.activities, (all) => {
    const running = all.find((activity) => activity.state === 'running' && activity.total > 0);
    return running ? Math.floor((100 * running.done) / running.total) : null;
  });
  const place =
    route.screen === 'conversation'
      ? route.conversationId === null
        ? t('newConversation')
        : entries.find((entry) => entry.id === route.conversationId)?.title || t('untitled')
      : t(route.screen);
  useEffect(() => {
    const words = `${place} · Recollect`;
    document.title = work === null ? words : `${formatPercent(work / 100)} · ${words}`;
  }, [place, work]);
}
