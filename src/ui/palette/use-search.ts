// Searches while the person types: exact words at once, meaning merged in a moment later.
// One search at a time; the latest wins.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import type { MemoryFilter, SearchHit } from '../../services/memory/memory.ts';
import { useApp, useAwake, useReadable } from '../hooks/app.tsx';
import { mergeHits } from './merge-hits.ts';

/** Rows that the person has aimed at: the chosen one, all of them once a finger or a wheel was on them, or none. */
export type Aim = MessageId | 'all' | null;

export interface Search {
  /** Text that the hits were found for. */
  readonly text: string;
  readonly hits: readonly SearchHit[];
  /** Number of matching messages if the newest are listed; null if they are ranked. */
  readonly total: number | null;
  /** `words`: only exact words have arrived; `meaning`: results by meaning are shown, better ones may follow. */
  readonly phase: 'idle' | 'words' | 'meaning' | 'done';
  readonly problem: Problem | null;
}

/** One search request: asking the same words again is another one. */
interface Question {
  readonly text: string;
  readonly filter: MemoryFilter;
}

const NOTHING: Search = { text: '', hits: [], total: null, phase: 'idle', problem: null };
/** Shown hits with their question; null: none was asked. */
interface Shown {
  readonly question: Question | null;
  readonly search: Search;
}
const BLANK: Shown = { question: null, search: NOTHING };

/**
 * With empty `text` and no filter nothing is searched. Rows that the person aims at, and those above them, stay in
 * place; otherwise the best come first, whenever they arrive. `attempt` increases to search again.
 */
export function useSearch(
  {
    text,
    filter,
    limit,
    attempt = 0,
  }: { text: string; filter: MemoryFilter; limit: number; attempt?: number },
  aim: () => Aim,
): Search {
  const { memory } = useApp();
  const awake = useAwake();
  const isBehind = useReadable(memory.status, ({ unread }) => unread > 0);
  /** Counts searches that found nothing while messages were unread: these run again once they are read. */
  const [missed, setMissed] = useState(0);
  const [shown, setShown] = useState(BLANK);
  const [queue] = useState(() => new SerialQueue());
  const aimedAt = useEffectEvent(aim);
  const narrowed = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `attempt`, `awake` or `missed` searches again
  const question = useMemo<Question | null>(
    () => (text === '' && narrowed === '{}' ? null : { text, filter: JSON.parse(narrowed) as MemoryFilter }),
    [text, narrowed, attempt, awake, missed],
  );

  useEffect(() => {
    if (question === null) {
      setShown(BLANK);
      return;
    }
    const { text, filter } = question;
    const show = (make: (before: Search) => Search) =>
      setShown((before) => {
        const search = make(before.search);
        return before.question === question && before.search === search ? before : { question, search };
      });
    const end = (before: Search): Search =>
      before.phase === 'done' && before.problem === null
        ? before
        : { ...before, phase: 'done', problem: null };
    const asking = new AbortController();
    let isFirst = true;
    const begin = async () => {
      if (asking.signal.aborted) return;
      try {
        await memory.search({
          text,
          filter,
          limit,
          signal: asking.signal,
          onHits: (hits, final, total) => {
            if (asking.signal.aborted) return;
            const first = isFirst;
            isFirst = false;
            const at = aimedAt();
            const put = (before: Search): Search => {
              const held =
                at === 'all' ? before.hits.length : before.hits.findIndex((hit) => hit.messageId === at) + 1;
              return {
                text,
                hits: first ? hits : mergeHits(before.hits, hits, held),
                total: total ?? null,
                phase: final ? 'done' : 'meaning',
                problem: null,
              };
            };
            // Draws the first hits at once, before the lower rows of earlier results.
            if (first) flushSync(() => show(put));
            else show(put);
          },
        });
        if (!asking.signal.aborted) show(end);
      } catch (error) {
        if (asking.signal.aborted) return;
        show(isAbort(error) ? end : () => ({ ...NOTHING, phase: 'done', problem: toProblem(error) }));
      }
    };
    // A cancelled search ends with its current request to the index, and of those
    // typed meanwhile only the last one runs.
    ignore(queue.run(begin), 'a search whose failure is on the screen');
    return () => asking.abort();
  }, [memory, limit, question, queue]);

  const searchAgain = useEffectEvent(() => {
    const nothingYet = shown.search.phase === 'done' && shown.search.hits.length === 0 && question !== null;
    if (nothingYet) setMissed((times) => times + 1);
  });
  useEffect(() => (isBehind ? () => searchAgain() : undefined), [isBehind]);

  // Keeps earlier results until a new question has hits. Compares instead of using state, which would
  // render everything again at each key.
  return useMemo(() => {
    if (shown.question === question) return shown.search;
    return question === null ? NOTHING : { ...shown.search, phase: 'words', problem: null };
  }, [shown, question]);
}
