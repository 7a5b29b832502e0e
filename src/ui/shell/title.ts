// Tab title: progress of long work, the conversation, the app.

import { useEffect } from 'react';
import { type ConversationId, isTemporary } from '../../domain/base/ids.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { titlePercent, useActivityRows } from '../library/activity-rows.ts';

/** Draws nothing; separate component, so that frequent changes of the title cause no other render. */
export function TabTitle(): null {
  const app = useApp();
  const { t } = useTranslation(['shell', 'projects']);
  const { t: tc } = useTranslation('chat');
  const { route } = useNavigation();
  const entries = useReadable(app.documents.library, (library) => library.entries);
  const work = titlePercent(useActivityRows());
  // The browser stores tab titles unencrypted in its history.
  const isPlain = useReadable(app.lock.state, ({ phase }) => phase === 'off');
  const unread = useReadable(useSession().unread, (ids) => ids.size);
  const nameOf = (id: ConversationId): string =>
    isTemporary(id)
      ? tc('temporary.title')
      : shownTitle(entries.find((entry) => entry.id === id)?.title, t('untitled'));
  const projects = useReadable(app.documents.library, (library) => library.projects);
  const place =
    route.screen === 'project'
      ? shownTitle(projects.find(({ id }) => id === route.projectId)?.title, t('projects:title'))
      : route.screen !== 'conversation'
        ? t(route.screen)
        : route.conversationId === null
          ? t('newConversation')
          : nameOf(route.conversationId);
  useEffect(() => {
    const words = `${unread > 0 ? `(${unread}) ` : ''}${isPlain ? `${place} · ` : ''}Recollect`;
    document.title = work === null ? words : `${formatPercent(work / 100)} · ${words}`;
  }, [place, work, unread, isPlain]);
  return null;
}
