// Sorts passages for /recall --explain: included, only shown, or close misses; and
// builds the recall from the ticked ones.
import type { PartOf, RecalledPassage } from '../../domain/chat/message.ts';
import { tickedPassages } from '../../domain/memory/passages.ts';
import type { RecallResult } from '../../services/memory/memory.ts';

type ExplainedResult = Pick<RecallResult, 'query' | 'threshold' | 'passages' | 'nearMisses'>;

/**
 * The list in three groups, each best first, every passage with its cost in tokens. `shownFrom`: least score of a
 * passage that memory shows when asked.
 */
export function stretchesOf({ passages, nearMisses }: ExplainedResult, shownFrom: number) {
  const all = [...passages, ...nearMisses];
  const listed = tickedPassages(all, new Set(all.map(({ messageId }) => messageId)));
  const others = listed.slice(passages.length);
  return {
    goesIn: listed.slice(0, passages.length),
    shown: others.filter(({ scores }) => scores.final >= shownFrom),
    missed: others.filter(({ scores }) => scores.final < shownFrom),
  };
}

/** Recall to keep with the answer: an unticked passage that would have been included is not a near miss. */
export function recallOf(found: ExplainedResult, ticked: ReadonlySet<string>): PartOf<'recall'> {
  const isOff = ({ messageId }: RecalledPassage) => !ticked.has(messageId);
  const leftOut = found.passages.filter(isOff);
  return {
    type: 'recall',
    query: found.query,
    threshold: found.threshold,
    quoting: 'lines',
    passages: tickedPassages([...found.passages, ...found.nearMisses], ticked),
    nearMisses: found.nearMisses.filter(isOff),
    ...(leftOut.length > 0 ? { leftOut } : {}),
  };
}
