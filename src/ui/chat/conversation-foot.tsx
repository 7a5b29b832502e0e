// Bottom of a conversation: the composer, or why there is none.
import { Square, Trash2 } from 'lucide-react';
import { type RefObject, useMemo } from 'react';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { lastQueryOn } from '../../domain/memory/last-query.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { useConversationActions } from '../shell/conversation-actions.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useCommandLine } from './command-line.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import type { Opened } from './opened.ts';
import type { ConversationActs } from './use-conversation-acts.ts';

const NEWER = toProblem(
  new RecollectError('newer-conversation', 'The conversation was written by a newer version of this app'),
);

export function ConversationFoot({
  opened,
  acts,
  composer,
}: {
  opened: Opened;
  acts: ConversationActs;
  composer: RefObject<ComposerHandle | null>;
}) {
  const { id, conversation, branch, turn, busy, newer, trashed, temporary } = opened;
  const runCommand = useCommandLine(id);
  const movedFrom = useMemo(() => lastQueryOn(branch.path), [branch.path]);
  if (newer) return <NewerFoot opened={opened} />;
  if (trashed) return <TrashFoot opened={opened} />;
  return (
    <>
      {!busy && turn.queue.length > 0 && <QueueWaits opened={opened} />}
      <Composer
        key={id}
        conversation={conversation}
        conversationId={id}
        shorten={acts.shorten}
        turn={turn}
        offers={temporary ? null : { movedFrom }}
        send={acts.send}
        runCommand={runCommand}
        editLast={acts.editLast}
        handle={composer}
      />
    </>
  );
}

function NewerFoot({ opened }: { opened: Opened }) {
  const { t } = useTranslation('shell');
  return (
    <div className="border-t bg-side px-4 py-3">
      <ProblemNotice
        className="mx-auto max-w-(--measure)"
        compact
        problem={NEWER}
        actions={
          <>
            <StopAnswer opened={opened} />
            <Button size="sm" onClick={() => location.reload()}>
              {t('reload')}
            </Button>
          </>
        }
      />
    </div>
  );
}

function TrashFoot({ opened }: { opened: Opened }) {
  const { t } = useTranslation('chat');
  const actions = useConversationActions();
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 border-t bg-side px-4 py-4 text-sm">
      <span className="flex items-center gap-3">
        <Trash2 size={16} aria-hidden className="shrink-0 text-ink-3" />
        {t('inTrash')}
      </span>
      <span className="flex gap-2">
        <StopAnswer opened={opened} />
        <Button
          size="sm"
          onClick={() => actions.restore({ id: opened.id, title: opened.conversation.meta.title ?? '' })}
        >
          {t('restore')}
        </Button>
      </span>
    </div>
  );
}

/** Stop button for a page without a composer: otherwise a paid answer would run to its end. */
function StopAnswer({ opened: { id, busy } }: { opened: Opened }) {
  const { chat } = useApp();
  const { t } = useTranslation('chat');
  if (!busy) return null;
  return (
    <Button
      size="sm"
      icon={<Square size={11} fill="currentColor" aria-hidden />}
      aria-keyshortcuts="Escape"
      onClick={() => chat.stop(id)}
    >
      {t('stop')}
    </Button>
  );
}

function QueueWaits({ opened: { id } }: { opened: Opened }) {
  const { chat } = useApp();
  const { t } = useTranslation('chat');
  return (
    <div
      role="status"
      className="mx-auto flex w-full max-w-(--measure) flex-wrap items-center gap-x-3 gap-y-1 px-5 pt-2 pb-5 text-ink-2 text-sm md:px-8"
    >
      <span className="min-w-0 flex-1 basis-60">{t('queueWaits')}</span>
      <Button size="sm" onClick={() => chat.sendQueued(id)}>
        {t('queueGoOn')}
      </Button>
    </div>
  );
}
