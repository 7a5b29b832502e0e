// Announces to screen readers that an answer has begun and reads it out once it is complete, not token by token.
import { useEffect, useEffectEvent, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Part } from '../../domain/chat/message.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { TurnState } from '../../services/chat/chat.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';

/** Longer answers are read out up to here, in characters; screen-reader users find the rest in the page. */
const READ_OUT = 600;

const spokenText = (parts: readonly Part[]): string =>
  parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .replace(/```[\s\S]*?(```|$)/g, ' … ')
    .replace(/[#*_`>|$]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

export function Announcer({ conversationId }: { conversationId: ConversationId }) {
  const app = useApp();
  const { t } = useTranslation('chat');
  const [words, setWords] = useState('');
  const say = useEffectEvent((before: TurnState, now: TurnState) => {
    // The tab that runs the turn reads the answer out.
    if (before.inAnotherTab || now.inAnotherTab) setWords('');
    else if (before.status === 'idle' && now.status !== 'idle') setWords(t('announce.begins'));
    else if (before.status !== 'idle' && now.status === 'idle') {
      const said = spokenText(before.parts);
      setWords(said ? t('announce.says', { words: startOf(said, READ_OUT) }) : t('announce.ended'));
    }
  });
  useEffect(() => {
    const turn = app.chat.turn(conversationId);
    let before = turn.get();
    return turn.subscribe(() => {
      const now = turn.get();
      say(before, now);
      before = now;
    });
  }, [app, conversationId]);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {words}
    </div>
  );
}
