// Deletes one message, and offers to put it back.

import type { ConversationId } from '../../domain/base/ids.ts';
import type { Message } from '../../domain/chat/message.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';

/** Moves the focus to the composer afterwards, because the focused row is gone. */
export function useDeleteMessage(id: ConversationId): (message: Message) => void {
  const app = useApp();
  const report = useReport();
  const { t } = useTranslation('chat');
  return (message) => {
    app.chat
      .deleteMessage(id, message.id)
      .then(({ undo }) =>
        offer(t('messageDeleted'), { label: t('undo'), onClick: () => void undo().catch(report) }),
      )
      .catch(report);
  };
}
