// Draws the messages of an open conversation, and the results of the last turn below them.
import { useMemo } from 'react';
import { onlyTouch } from '../hooks/media.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useOutcomes } from './command-line.ts';
import { CompactionProblem, LossNotice } from './compaction.tsx';
import {
  BranchStepContext,
  EditingContext,
  EditsContext,
  FoundContext,
  type MessageActions,
  MessageActionsContext,
} from './message-actions.ts';
import { MessageList } from './message-list.tsx';
import type { Opened } from './opened.ts';
import { Outcomes } from './outcomes.tsx';
import type { RunningRow } from './rows.ts';
import { ReplayEnd } from './send-back.tsx';
import { Unanswered } from './unanswered.tsx';

export function ConversationMessages({ opened, actions }: { opened: Opened; actions: MessageActions }) {
  const { id, branch, list, runs, begun, turn, editing, edits, branchStep, found } = opened;
  const key = begun[0]?.id ?? turn.answerId ?? 'running';
  const running = useMemo<RunningRow | null>(
    () => (runs ? { type: 'running', key, conversationId: id, begun } : null),
    [runs, key, id, begun],
  );
  return (
    <MessageActionsContext value={actions}>
      <EditingContext value={editing}>
        <EditsContext value={edits}>
          <BranchStepContext value={branchStep}>
            <FoundContext value={found}>
              <MessageList
                conversationId={id}
                branch={branch}
                handle={list}
                running={running}
                after={<AfterMessages opened={opened} actions={actions} />}
              />
            </FoundContext>
          </BranchStepContext>
        </EditsContext>
      </EditingContext>
    </MessageActionsContext>
  );
}

/** Notices on the last turn: where it runs, a missing answer, losses, problems, outcomes of commands. */
function AfterMessages({
  opened: { id, branch, turn, busy, readOnly, writing, runs, originOf, toHead },
  actions,
}: {
  opened: Opened;
  actions: MessageActions;
}) {
  const { t } = useTranslation('chat');
  const session = useSession();
  const outcomes = useOutcomes(id);
  const last = branch.path.at(-1);
  /** Time of the person's last message; notices on earlier turns are outdated. */
  const askedAt = branch.path.findLast(({ role }) => role === 'user')?.createdAt ?? 0;
  return (
    <>
      {writing && !runs && turn.parentId !== null && (
        <div className="my-3 flex items-center gap-3 text-branch text-sm">
          <span className="flex-1">{t('answerOnOtherBranch')}</span>
          <Button size="sm" onClick={toHead}>
            {t('showIt')}
          </Button>
        </div>
      )}
      {!readOnly && last?.role === 'user' && (
        <Unanswered
          key={last.id}
          turn={turn}
          askedAt={last.createdAt}
          origin={originOf(last.id)}
          onAsk={() => {
            if (!onlyTouch()) session.composer.get()?.focus();
            actions.regenerate(last.id);
          }}
        />
      )}
      {!busy && turn.replay && turn.replay.done > 0 && <ReplayEnd replay={turn.replay} />}
      {!busy && <LossNotice conversationId={id} leaf={branch.leaf} onJump={actions.jump} />}
      {!busy && <CompactionProblem conversationId={id} since={askedAt} />}
      {!busy && turn.problem && <ProblemNotice className="my-3" problem={turn.problem} />}
      <Outcomes place={id} shown={outcomes} askedAt={askedAt} />
    </>
  );
}
