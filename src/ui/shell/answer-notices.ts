// Notifies the person of answers that ended out of sight: a system notification if allowed, and a count on the
// installed app's icon. A button in the first in-app notice asks for the permission: never unasked, never at the start.
import { useEffect } from 'react';
import { closeSystemNotices, showSystemNotice } from '../../adapters/browser/system-notices.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer } from './offer.ts';

const canNotify = (): boolean => 'Notification' in globalThis;

/** Closes what the system still shows once it says too much: its conversation was deleted, or this device is locked. */
function useClosedNotices(): void {
  const { documents, lock } = useApp();
  const isLocking = useReadable(lock.state, ({ phase }) => phase !== 'off');
  useEffect(() => {
    // Those from before show titles.
    if (isLocking) ignore(closeSystemNotices(), 'notices of answers; they go when somebody reads them');
  }, [isLocking]);
  useEffect(() => {
    const living = () =>
      new Set(
        documents.library.get().entries.flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : [])),
      );
    let before: ReadonlySet<string> = living();
    return documents.library.subscribe(() => {
      if (!canNotify() || Notification.permission !== 'granted') return;
      const now: ReadonlySet<string> = living();
      const gone = new Set([...before].filter((id) => !now.has(id)));
      before = now;
      if (gone.size > 0)
        ignore(
          closeSystemNotices((id) => gone.has(id)),
          'the notice of a deleted conversation; it goes when somebody reads it',
        );
    });
  }, [documents]);
}

/** Draws nothing. */
export function AnswerNotices(): null {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('shell');
  const { openConversation } = useNavigation();
  const count = useReadable(session.unread, (ids) => ids.size);
  useClosedNotices();

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
          showSystemNotice(
            t('answerEnded'),
            { conversation: id, ...(isPlain() ? { body: title } : {}) },
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
