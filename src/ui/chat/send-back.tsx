// Lets a person send a D-Mail: rewords a message or a tool's result, or adds a note, and continues from
// there. The branch that is left stays.
import { MailPlus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { restoreLineBreaks, withoutEmptyEdges } from '../../domain/text/typed.ts';
import type { AfterSendBack, Replay, SendBack } from '../../services/chat/chat.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, classes, Dialog, TextArea } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { type Target, targetsOf } from './send-back-targets.ts';

export function SendBackDialog({
  conversation,
  message,
  callId,
  onClose,
  onSent,
}: {
  conversation: Conversation;
  message: Message;
  /** Tool call whose result is selected at first. */
  callId?: string | undefined;
  onClose: () => void;
  /** Called once it is saved and the head has moved there. */
  onSent: (sent: { messageId: MessageId; undo: () => Promise<void> }) => void;
}) {
  const { t } = useTranslation('context');
  const { chat, settings } = useApp();
  const report = useReport();
  const [targets] = useState(() => targetsOf(conversation, message));
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      callId === undefined ? 0 : targets.findIndex((one) => one.type === 'result' && one.callId === callId),
    ),
  );
  const target = targets[at] as Target;
  const before = target.type === 'note' ? '' : target.text;
  const [text, setText] = useState(before);
  const [replay, setReplay] = useState<AfterSendBack>(() => settings.config.get().context.after_send_back);
  const [busy, setBusy] = useState(false);
  const send = () => {
    setBusy(true);
    chat
      .sendBack(conversation.id, {
        type: target.type === 'note' ? 'note' : 'edit',
        message: target.message,
        parts: [{ type: 'text', text: withoutEmptyEdges(restoreLineBreaks(text, before)) }],
        ...(target.type === 'result' ? { callId: target.callId } : {}),
        replay,
      })
      .then((sent) => {
        onSent(sent);
        onClose();
      }, report)
      .finally(() => setBusy(false));
  };
  const same = text.trim() === before.trim() || text.trim() === '';
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t('dmail.title')}
      description={t('dmail.lead')}
      guarded
      footer={
        <>
          <Button onClick={onClose}>{t('plan.cancel')}</Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={same}
            icon={<MailPlus size={15} aria-hidden />}
            onClick={send}
          >
            {t('dmail.go')}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {targets.length > 1 && (
          <Select
            label={t('dmail.what')}
            value={String(at)}
            onValueChange={(value) => {
              const next = targets[Number(value)];
              setAt(Number(value));
              setText(!next || next.type === 'note' ? '' : next.text);
            }}
            options={targets.map((one, index) => ({
              value: String(index),
              label: one.type === 'result' ? t('dmail.result', { name: one.name }) : t(`dmail.${one.type}`),
              description: t(`dmail.help.${one.type}`),
            }))}
          />
        )}
        <TextArea
          label={
            target.type === 'result' ? t('dmail.result', { name: target.name }) : t(`dmail.${target.type}`)
          }
          hint={t(`dmail.help.${target.type}`)}
          hideLabel={targets.length > 1}
          data-first-focus=""
          rows={Math.min(14, Math.max(4, before.split('\n').length + 1))}
          value={text}
          placeholder={target.type === 'note' ? t('dmail.notePlaceholder') : undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !same && !busy) send();
          }}
          inputClassName={classes(target.type === 'result' && 'font-mono text-[0.8125rem]')}
        />
        <ReplayChoice
          conversation={conversation.id}
          message={target.message}
          type={target.type === 'note' ? 'note' : 'edit'}
          chosen={replay}
          onChoose={setReplay}
        />
      </div>
    </Dialog>
  );
}

/** Chooses what follows the changed words: one answer, the whole branch again at its cost, or nothing. */
function ReplayChoice({
  conversation,
  message,
  type,
  chosen,
  onChoose,
}: {
  conversation: ConversationId;
  message: MessageId;
  type: SendBack['type'];
  chosen: AfterSendBack;
  onChoose: (replay: AfterSendBack) => void;
}) {
  const { t } = useTranslation('context');
  const { chat } = useApp();
  const [cost, setCost] = useState<{ turns: number; answers: number; patch: boolean } | null>(null);
  useEffect(() => {
    let gone = false;
    // The choice works without the figures, too.
    void orElse(
      chat.sendBackCost(conversation, message, type),
      null,
      'the cost of sending a branch again',
    ).then((known) => {
      if (!gone) setCost(known);
    });
    return () => {
      gone = true;
    };
  }, [chat, conversation, message, type]);
  return (
    <fieldset>
      <legend className="pb-1.5 font-medium text-sm">{t('dmail.replay.title')}</legend>
      <div className="space-y-1.5">
        {(['answer', 'patch', 'branch', 'none'] as const).map((one) => (
          <label
            key={one}
            className={classes(
              'flex items-start gap-2.5',
              one === 'patch' && cost?.patch === false && 'opacity-50',
            )}
          >
            <input
              type="radio"
              name="replay"
              checked={chosen === one}
              disabled={one === 'patch' && cost?.patch === false}
              onChange={() => onChoose(one)}
              className="mt-1 accent-(--accent)"
            />
            <span>
              {t(`dmail.replay.${one}`)}
              {one === 'branch' && cost && cost.turns > 0 && (
                <span className="ml-1.5 text-ink-3 text-xs">
                  {t('dmail.replay.cost', { count: cost.turns, answers: cost.answers })}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Summary of a replayed branch: answers taken over, and requests to the model. */
export function ReplayEnd({ replay }: { replay: Replay }) {
  const { t } = useTranslation('context');
  return (
    <p role="status" className="my-2 flex flex-wrap items-center gap-x-1.5 text-branch text-xs tabular-nums">
      <MailPlus size={13} aria-hidden />
      <span>{t('dmail.replay.ended', { count: replay.done })}</span>
      <span>·</span>
      <span>{t('dmail.replay.saved', { count: replay.saved })}</span>
      <span>·</span>
      <span>{t('dmail.replay.asked', { count: replay.asked })}</span>
    </p>
  );
}
