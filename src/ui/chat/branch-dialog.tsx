// Dialog with the branch map of a conversation: heads, checkpoints, D-Mails,
// compactions, and two branches side by side.
import { GitCompareArrows } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { diffOf, firstLineOf } from '../../domain/chat/checkpoint.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { useMedia } from '../hooks/media.ts';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Dialog } from '../shell/controls.tsx';
import { type BranchPlace, branchLayoutOf } from './branch-layout.ts';
import { BranchMap } from './branch-map.tsx';

export function BranchDialog({
  conversation,
  leaf,
  compareWith,
  onClose,
  onGo,
}: {
  conversation: Conversation;
  /** Last message of the shown branch. */
  leaf: MessageId | null;
  /** Opens with this branch beside the shown one. */
  compareWith?: MessageId | undefined;
  onClose: () => void;
  onGo: (message: MessageId) => void;
}) {
  const { t } = useTranslation('context');
  const lines = useMemo(() => branchLayoutOf(conversation, leaf), [conversation, leaf]);
  const [focused, setFocused] = useState<MessageId | null>(leaf);
  const [comparing, setComparing] = useState<MessageId | null>(compareWith ?? null);
  /** True if the next chosen place is compared instead of opened. */
  const [picking, setPicking] = useState(false);
  const touch = useMedia('(pointer: coarse)');
  const current =
    lines.places.find(({ id }) => id === focused) ?? lines.places.find(({ here }) => here) ?? lines.places[0];
  const compare = (place: BranchPlace) => {
    setPicking(false);
    setFocused(place.id);
    setComparing(place.id);
  };
  const choose = (place: BranchPlace) => {
    if (!picking) onGo(place.id);
    else if (!place.here) compare(place);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="lg"
      title={t('branchMap.title')}
      description={
        picking
          ? t('branchMap.pick')
          : lines.branches > 1
            ? sentences(t('branchMap.lead'), !touch && t('branchMap.keys'))
            : t('branchMap.empty')
      }
      footer={
        current && (
          <>
            {comparing ? (
              <Button onClick={() => setComparing(null)}>{t('branchMap.stopComparing')}</Button>
            ) : (
              leaf !== null &&
              lines.branches > 1 && (
                <Button
                  icon={<GitCompareArrows size={15} aria-hidden />}
                  onClick={() => (current.here ? setPicking(!picking) : compare(current))}
                >
                  {t(picking ? 'branchMap.stopComparing' : 'branchMap.compare')}
                </Button>
              )
            )}
            <Button
              variant="primary"
              disabled={comparing === null && current.id === leaf}
              onClick={() => onGo(comparing ?? current.id)}
            >
              {t('branchMap.go')}
            </Button>
          </>
        )
      }
    >
      {comparing && leaf !== null ? (
        <Comparison conversation={conversation} left={leaf} right={comparing} />
      ) : (
        <BranchMap
          lines={lines}
          current={current}
          onFocus={setFocused}
          onChoose={choose}
          onCompare={compare}
        />
      )}
    </Dialog>
  );
}

/** The parts in which two branches differ, side by side. */
function Comparison({
  conversation,
  left,
  right,
}: {
  conversation: Conversation;
  left: MessageId;
  right: MessageId;
}) {
  const { t } = useTranslation('context');
  const difference = useMemo(() => diffOf(conversation, left, right), [conversation, left, right]);
  const shared = useMemo(() => {
    let count = 0;
    for (let at = difference.common; at !== null; at = conversation.messages.get(at)?.parentId ?? null)
      count += 1;
    return count;
  }, [conversation, difference]);
  return (
    <section aria-label={t('branchMap.compared.title')}>
      <p className="pb-3 text-ink-3 text-sm">{t('branchMap.compared.shared', { count: shared })}</p>
      <div className="grid gap-4 md:grid-cols-2">
        <BranchSide title={t('branchMap.compared.left')} messages={difference.left} />
        <BranchSide title={t('branchMap.compared.right')} messages={difference.right} />
      </div>
    </section>
  );
}

/** Messages that only one branch has. */
export function BranchSide({ title, messages }: { title: string; messages: readonly Message[] }) {
  const { t } = useTranslation('context');
  return (
    <div className="min-w-0">
      <h3 className="pb-2 font-medium text-branch text-sm">{title}</h3>
      {messages.length === 0 && <p className="text-ink-3">{t('branchMap.compared.nothing')}</p>}
      <ol className="space-y-3">
        {messages.map((message) => (
          <li key={message.id} className="border-branch-line border-l-2 pl-3">
            <p className="text-ink-3 text-xs" title={formatExact(message.createdAt)}>
              {t(
                `branchMap.${message.role === 'user' ? 'you' : message.role === 'assistant' ? 'model' : message.role}`,
              )}
              {' · '}
              {formatRelative(message.createdAt)}
            </p>
            <p
              dir="auto"
              className="line-clamp-12 whitespace-pre-wrap break-words text-sm [overflow-wrap:anywhere]"
            >
              {dmailNoteOf(message) ?? (textOf(message) || firstLineOf(message))}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
