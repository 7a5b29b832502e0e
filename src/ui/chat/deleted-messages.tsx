// Deleted messages of a conversation, which this device still keeps: to bring back, or to delete for good.
import { ArchiveRestore, RotateCcw, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { textOf } from '../../domain/chat/message.ts';
import type { DeletedMessage } from '../../services/chat/deleted-messages.ts';
import { useApp } from '../hooks/app.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { Button, Dialog, type MenuItem } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';

/** The latest deleted first; null until known. */
function useDeletedMessages(id: ConversationId): readonly DeletedMessage[] | null {
  const { chat } = useApp();
  const [known, setKnown] = useState<readonly DeletedMessage[] | null>(null);
  useEffect(() => {
    if (isTemporary(id)) return;
    let turn = 0;
    const read = async () => {
      turn += 1;
      const mine = turn;
      const found = await orElse(chat.deleted.list(id), [], 'the deleted messages of a conversation');
      if (mine === turn) setKnown(found);
    };
    void read();
    const stop = chat.deleted.subscribe(id, () => void read());
    return () => {
      turn += 1;
      stop();
    };
  }, [chat, id]);
  return known;
}

/** The item of the conversation's menu that opens them; none while there is nothing to bring back. */
export function useDeletedItem(id: ConversationId, onOpen: () => void): MenuItem[] {
  const { t } = useTranslation('chat');
  const deleted = useDeletedMessages(id);
  if (deleted === null || deleted.length === 0) return [];
  return [{ label: t('deleted.title'), icon: <ArchiveRestore size={15} aria-hidden />, onSelect: onOpen }];
}

/** `onBack`: gets the message that was brought back. */
export function DeletedMessagesDialog({
  id,
  onClose,
  onBack,
}: {
  id: ConversationId;
  onClose: () => void;
  onBack: (message: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  const { chat } = useApp();
  const report = useReport();
  const deleted = useDeletedMessages(id);
  const bringBack = (message: MessageId) => {
    chat.deleted.bringBack(id, message).then(() => onBack(message), report);
  };
  const drop = (message: MessageId) => {
    chat.deleted
      .drop(id, message)
      .then(
        ({ undo }) =>
          offer(t('deleted.dropped'), { label: t('undo'), onClick: () => void undo().catch(report) }),
        report,
      );
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('deleted.title')} description={t('deleted.lead')}>
      {deleted?.length === 0 && <p className="py-2 text-ink-2">{t('deleted.none')}</p>}
      <ul aria-label={t('deleted.title')} className="divide-y divide-line">
        {deleted?.map((one) => (
          <DeletedRow
            key={one.id}
            deleted={one}
            onBack={() => bringBack(one.id)}
            onDrop={() => drop(one.id)}
          />
        ))}
      </ul>
    </Dialog>
  );
}

function DeletedRow({
  deleted: { at, messages },
  onBack,
  onDrop,
}: {
  deleted: DeletedMessage;
  onBack: () => void;
  onDrop: () => void;
}) {
  const { t } = useTranslation('chat');
  const words = plainLine(messages.map(textOf).filter(Boolean).join(' '));
  return (
    <li className="py-3">
      <p className="flex flex-wrap items-baseline gap-x-2 text-ink-3 text-xs">
        <span className="font-medium text-ink-2 text-sm">
          {t(messages.at(-1)?.role === 'user' ? 'said.you' : 'said.model')}
        </span>
        <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
          {t('deleted.when', { when: formatRelative(at) })}
        </time>
      </p>
      <p dir="auto" className="mt-0.5 line-clamp-4 text-ink-2 [overflow-wrap:anywhere]">
        {words || t('deleted.wordless')}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="sm" icon={<RotateCcw size={14} aria-hidden />} onClick={onBack}>
          {t('deleted.bringBack')}
        </Button>
        <Button
          size="sm"
          variant="ghost"
          icon={<Trash2 size={14} aria-hidden />}
          className="text-danger! hover:bg-danger-soft"
          onClick={onDrop}
        >
          {t('deleted.drop')}
        </Button>
      </div>
    </li>
  );
}
