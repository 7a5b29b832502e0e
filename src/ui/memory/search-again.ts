// Asks memory again for a question that it could answer only in part because it was still starting or reading.
import { useEffect, useEffectEvent, useState } from 'react';
import { orElse } from '../../domain/base/log.ts';
import type { PartOf } from '../../domain/chat/message.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import { useApp, useAwake, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { remarksOn } from './recall-notes.ts';

type Recall = PartOf<'recall'>;
type LaterResult = Pick<RecallResult, 'passages' | 'nearMisses' | 'threshold'>;

/**
 * `waiting`: memory will be asked again. `found`: it was asked again and found this. Null: it is not
 * asked again, and the kept recall stands.
 */
type SearchAgain =
  | { readonly state: 'waiting' }
  | { readonly state: 'found'; readonly found: LaterResult }
  | null;

/** True if memory was not ready when it was asked. */
const cameTooEarly = (recall: Recall): boolean =>
  remarksOn(recall).some(({ say }) => say === 'slow' || say === 'notReady');

/**
 * Asks again for a kept recall that came too early, at each step of memory's start. `key` names the answer; findings
 * stay until the tab closes or something is forgotten. `ask`: null if there is nothing to ask any more.
 */
export function useSearchAgain(
  key: string | null,
  recall: Recall | undefined,
  ask: ((query: string, signal: AbortSignal) => Promise<RecallResult>) | null,
): SearchAgain {
  const { memory, forget } = useApp();
  const { status } = memory;
  const { searchedAgain } = useSession();
  const forgotten = useReadable(forget.records);
  const awake = useAwake();
  const isWhole = useReadable(
    status,
    ({ state, unread, waiting }) => state === 'ready' && unread === 0 && waiting === 0,
  );
  const cannot = useReadable(
    status,
    ({ state, embedding }) => state === 'failed' || state === 'paused' || embedding.status === 'failed',
  );
  const [seen, setSeen] = useState(() => (key === null ? undefined : searchedAgain.get(key)));
  // It may contain words that were forgotten since.
  const found = seen?.forgotten === forgotten ? seen : undefined;
  const early = recall !== undefined && recall.query !== '' && cameTooEarly(recall);
  // Counts lag a moment behind reading, so that nothing was found is no last word.
  const isAnswered = found?.whole && found.result.passages.length > 0;
  const wanted = early && ask !== null && !isAnswered;
  const search = useEffectEvent(async (signal: AbortSignal) => {
    if (!recall || !ask || key === null) return;
    const now = await orElse(ask(recall.query, signal), null, 'asking memory again; the kept recall stays');
    if (!now || signal.aborted || now.unavailable) return;
    // Memory never reports a small library as behind, so an empty result while it is still being read is no answer.
    const whole = isWhole && now.degraded === null;
    if (!whole && now.passages.length === 0) return;
    const answer = { result: now, whole, forgotten };
    searchedAgain.set(key, answer);
    setSeen(answer);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of these asks again
  useEffect(() => {
    if (!wanted || awake === 'starting') return;
    const asking = new AbortController();
    void search(asking.signal);
    return () => asking.abort();
  }, [wanted, awake, isWhole, forgotten]);

  if (!early) return null;
  if (found) return { state: 'found', found: found.result };
  return wanted && !cannot ? { state: 'waiting' } : null;
}
