// Messages queued behind an answer: send now, take back to edit, or delete.
import { CornerUpRight, Pencil, Trash2 } from 'lucide-react';
import { textOf } from '../../domain/chat/message.ts';
import type { TurnState } from '../../services/chat/chat.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton } from '../shell/controls.tsx';

type Queued = TurnState['queue'][number];

export function Queue({
  queue,
  busy,
  onSendNow,
  onEdit,
  onDelete,
}: {
  queue: readonly Queued[];
  /** True while an answer is being written: the first queued message can interrupt it. */
  busy: boolean;
  onSendNow: () => void;
  onEdit: (queued: Queued) => void;
  onDelete: (id: string) => void;
}) {
  const { t } = useTranslation('chat');
  if (queue.length === 0) return null;
  return (
    <ul aria-label={t('queue')} className="mx-2 rounded-t-lg border border-b-0 bg-side px-3 py-1.5 text-sm">
      {queue.map((queued, at) => (
        <li key={queued.id} className="flex items-center gap-1">
          <span className="text-ink-3 text-xs">{t('queued')}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate pl-1">
            {textOf(queued) || t('filesOnly', { count: queued.parts.length })}
          </span>
          {at === 0 && busy && (
            <IconButton
              size="sm"
              label={t('sendNow')}
              icon={<CornerUpRight size={14} aria-hidden />}
              onClick={onSendNow}
            />
          )}
          <IconButton
            size="sm"
            label={t('editQueued')}
            icon={<Pencil size={14} aria-hidden />}
            onClick={() => onEdit(queued)}
          />
          <IconButton
            size="sm"
            label={t('deleteQueued')}
            icon={<Trash2 size={14} aria-hidden />}
            onClick={() => onDelete(queued.id)}
          />
        </li>
      ))}
    </ul>
  );
}
