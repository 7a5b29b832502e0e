// Lists unsaved edits above the composer, each with a way back to it.
import { Pencil } from 'lucide-react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { textOf } from '../../domain/chat/message.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import type { Edits } from './edits.ts';

/** Enough characters to recognise a message by. */
const WORDS = 80;

export function UnsavedEdits({
  edits,
  editing,
  conversation,
  onOpen,
}: {
  edits: Edits;
  editing: Readable<MessageId | null>;
  conversation: Conversation;
  onOpen: (message: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  const unsaved = useReadable(edits.unsaved);
  const open = useReadable(editing);
  const left = unsaved.flatMap((id) => {
    const message = id === open ? undefined : conversation.messages.get(id);
    return message ? [message] : [];
  });
  if (left.length === 0) return null;
  const drop = (message: MessageId) => {
    const text = edits.textOf(message) ?? '';
    edits.drop(message);
    offer(t('editDropped'), { label: t('undo'), onClick: () => edits.write(message, text) });
  };
  return (
    <ul className="relative z-10 mx-auto w-full max-w-(--measure) shrink-0 px-3 pb-2 md:px-5">
      {left.map((message) => (
        <li
          key={message.id}
          className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-lg border border-branch-line bg-branch-soft py-1 pr-1 pl-3 text-branch text-sm not-first:mt-1"
        >
          <Pencil size={14} aria-hidden className="shrink-0" />
          <span className="min-w-40 flex-1 truncate">
            {t('editUnsaved', { words: startOf(textOf(message), WORDS).replaceAll(/\s+/g, ' ') })}
          </span>
          <span className="ml-auto flex gap-2">
            <Button size="sm" variant="ghost" onClick={() => drop(message.id)}>
              {t('editDrop')}
            </Button>
            <Button size="sm" onClick={() => onOpen(message.id)}>
              {t('editGoOn')}
            </Button>
          </span>
        </li>
      ))}
    </ul>
  );
}
