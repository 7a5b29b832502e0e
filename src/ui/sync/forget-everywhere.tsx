// Asks before a conversation is erased on all devices. One for the whole frame: menus of conversations ask through the session.

import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { Confirm } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';

export function ForgetEverywhere() {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const report = useReport();
  const entry = useReadable(session.forgetting);
  const forget = () => {
    if (!entry) return;
    if (session.current.get() === entry.id) navigation.newConversation();
    sync.forget([entry.id]).then(() => toast(t('forget.done')), report);
  };
  return (
    <Confirm
      open={entry !== null}
      onOpenChange={() => session.forgetting.set(null)}
      title={t('forget.title')}
      action={t('forget.action')}
      danger
      onConfirm={forget}
    >
      <div className="space-y-2">
        <p>
          {t('forget.text', {
            title: shownTitle(entry?.title, t('log.untitled')),
            count: entry?.messageCount ?? 0,
          })}
        </p>
        <p>{t('forget.others')}</p>
      </div>
    </Confirm>
  );
}
