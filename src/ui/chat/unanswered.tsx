// A question at the end that nobody answers: saved without asking, or brought along by an import.
import { MessageCircleQuestionMark } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TurnState } from '../../services/chat/chat.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { Button } from '../shell/controls.tsx';

/** A question is given this long to be taken up, in this tab or another, before it counts as left alone, ms. */
const TAKEN_UP_MS = 600;

/** Its key is the question. */
export function Unanswered({ turn, onAsk }: { turn: TurnState; onAsk: () => void }) {
  const { t } = useTranslation('chat');
  const app = useApp();
  // What waits for the disk is asked by itself once it is saved; what waits in the queue goes out before anything else.
  const saved = useReadable(app.documents.saving, ({ state }) => state === 'saved');
  const quiet = turn.status === 'idle' && turn.queue.length === 0 && saved;
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    setAlone(false);
    if (!quiet) return;
    const timer = setTimeout(() => setAlone(true), TAKEN_UP_MS);
    return () => clearTimeout(timer);
  }, [quiet]);
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
