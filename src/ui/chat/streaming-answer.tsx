// The answer that is being written: the only part of a conversation that is drawn again with every word.
import { useMemo } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { wholeOf } from '../../domain/chat/continuation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { RunningAnswer } from './answer.tsx';
import { useTurn } from './turn-view.ts';

/** `begun`: the pieces of a cut-off answer that this one goes on with; both are shown as one. */
export function StreamingAnswer({
  conversationId,
  begun,
}: {
  conversationId: ConversationId;
  begun: readonly Message[];
}) {
  const turn = useTurn(conversationId);
  const before = useMemo(() => (begun.length > 0 ? wholeOf(begun).parts : []), [begun]);
  return <RunningAnswer turn={turn} before={before} />;
}
