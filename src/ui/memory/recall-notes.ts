// Remarks on a kept recall beside its passages: why memory was asked, and what went wrong.
import type { PartOf } from '../../domain/chat/message.ts';
import type { ProblemLike } from '../shell/problem-notice.tsx';

type Recall = PartOf<'recall'>;

export type RecallRemark =
  | { readonly say: 'trigger'; readonly trigger: NonNullable<Recall['trigger']> | 'topic' }
  /** Memory searched for more than the message contains. */
  | { readonly say: 'searchedFor'; readonly query: string }
  /** Nothing came close enough; near misses are on the card above. */
  | { readonly say: 'none' | 'slow' | 'notReady' }
  /** Memory could not be asked, or only words were searched. */
  | { readonly say: 'skipped' | 'words'; readonly problem: ProblemLike };

/** Remarks on a recall, in display order. Empty for a requested recall that went well. */
export function remarksOn({
  trigger,
  moved,
  query,
  passages,
  nearMisses,
  leftOut = [],
  applied = [],
  skipped,
  degraded,
}: Recall): RecallRemark[] {
  const remarks: RecallRemark[] = [];
  const why = moved ? 'topic' : trigger;
  if (why) remarks.push({ say: 'trigger', trigger: why });
  if (trigger === 'repeat' && query !== '') remarks.push({ say: 'searchedFor', query });
  if (skipped) {
    const problem: ProblemLike = skipped;
    remarks.push(problem.params?.reason === 'slow' ? { say: 'slow' } : { say: 'skipped', problem });
  } else if (why && passages.length + nearMisses.length + leftOut.length + applied.length === 0)
    remarks.push({ say: 'none' });
  if (degraded)
    remarks.push(
      // The next question finds memory ready. Earlier versions used the other code for a model that was still loading.
      ['memory-behind', 'embedding-missing'].includes(degraded.code)
        ? { say: 'notReady' }
        : { say: 'words', problem: degraded },
    );
  return remarks;
}
