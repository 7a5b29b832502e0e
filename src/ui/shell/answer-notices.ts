// Notifies the person of answers that ended out of sight: a system notification if allowed, and a count on the
// installed app's icon. A button in the first in-app notice asks for the permission: never unasked, never at the start.
import { useEffect } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer } from './offer.ts';

const canNotify = (): boolean => 'Notification' in globalThis;

/** Desktop pages can create notifications themselves; phones allow that only to the service worker. */
async function notify(title: string, options: NotificationOptions, onClick: () => void): Promise<void> {
  try {
    const notice = new Notification(title, options);
    notice.onclick = () => {
      focus();
      onClick();
      notice.close();
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.showNotification(title, options);
  }
}

/** Draws nothing. */
export function AnswerNotices(): null {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('shell');
  const { openConversation } = useNavigation();
  const count = useReadable(session.unread, (ids) => ids.size);

  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    ignore(
      count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge(),
      'the number at the icon: the sidebar has the same marks',
    );
  }, [count]);

  useEffect(() => {
    const isPlain = () => app.lock.state.get().phase === 'off';
    const say = (id: ConversationId) => {
      const entry = app.documents.library.get().entries.find((other) => other.id === id);
      const title = shownTitle(entry?.title, t('untitled'));
      const open = () => openConversation(id);
      if (document.hidden && canNotify() && Notification.permission === 'granted')
        // Shows which conversation it is to people looking at the screen, but none of its words; on a locked device not
        // even that, because the system keeps notifications.
        return ignore(
          notify(
            t('answerEnded'),
            { ...(isPlain() ? { body: title } : {}), tag: id, data: { conversation: id } },
            open,
          ),
          'the notice of an answer: the tab and the sidebar say it as well',
        );
      if (document.hidden && canNotify() && Notification.permission === 'default')
        return void offer(t('answerEnded'), {
          description: title,
          label: t('notifyNext'),
          onClick: () => ignore(Notification.requestPermission(), 'a permission that was not given'),
        });
      if (session.current.get() !== id)
        offer(t('answerEnded'), { description: title, label: t('openIt'), onClick: open });
    };
    return session.ended.subscribe(() => {
      const id = session.ended.get()?.id;
      if (id) say(id);
    });
  }, [app, session, t, openConversation]);
  return null;
}
