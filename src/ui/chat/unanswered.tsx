// Offers to answer a last question without an answer: one saved without asking or imported. A question just asked on
// another device is probably being answered there and must not be asked twice.
import { MessageCircleQuestionMark, MonitorSmartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { OpenConversation } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { waitFor } from './answer-wait.ts';
import type { TurnView } from './turn-view.ts';

/** The component's key is the question. */
export function Unanswered({
  turn,
  askedAt,
  origin,
  onAsk,
}: {
  turn: TurnView;
  askedAt: number;
  origin: ReturnType<OpenConversation['originOf']>;
  onAsk: () => void;
}) {
  const { t } = useTranslation('chat');
  const app = useApp();
  const others = useReadable(app.sync.status, ({ devices }) => devices.length > 1);
  // Offers nothing while saving or the queue is busy: both send by themselves.
  const saved = useReadable(app.documents.saving, ({ state }) => state === 'saved');
  const quiet = turn.status === 'idle' && turn.queue.length === 0 && saved;
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    setAlone(false);
    if (!quiet) return;
    const waitMs = waitFor({ origin, age: Date.now() - askedAt }, others);
    const timer = setTimeout(() => setAlone(true), waitMs);
    return () => clearTimeout(timer);
  }, [quiet, origin, askedAt, others]);
  if (quiet && !alone && others && origin === 'elsewhere')
    return (
      <p role="status" className="my-3 flex animate-fade items-center justify-end gap-2 text-ink-2 text-sm">
        <MonitorSmartphone size={15} aria-hidden className="shrink-0 text-ink-3" />
        {t('askedOnOtherDevice')}
      </p>
    );
  if (!quiet || !alone) return null;
  return (
    <div className="my-3 flex animate-fade flex-wrap items-center justify-end gap-3 text-ink-2 text-sm">
      <span className="flex items-center gap-2">
        <MessageCircleQuestionMark size={15} aria-hidden className="shrink-0 text-ink-3" />
        {t('unanswered')}
      </span>
      <Button size="sm" onClick={onAsk}>
        {t('ask')}
      </Button>
    </div>
  );
}
