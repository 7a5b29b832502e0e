// Remarks on a kept recall beside its passages: why memory was asked, and what went wrong.
import type { PartOf } from '../../domain/chat/message.ts';
import type { ProblemLike } from '../shell/problem-notice.tsx';

type Recall = PartOf<'recall'>;

export type RecallRemark =
  | { readonly say: 'trigger'; readonly trigger: NonNullable<Recall['trigger']> | 'topic' }
  /** Memory was asked for more than the message says. */
  | { readonly say: 'searchedFor'; readonly query: string }
  /** Nothing came close enough; where something nearly did, the card above says so. */
  | { readonly say: 'none' | 'slow' | 'notReady' }
  /** Memory could not be asked; only words were searched. */
  | { readonly say: 'skipped' | 'words'; readonly problem: ProblemLike };

/** The remarks on a recall, in the order in which they are said. None for one that was asked for and went well. */
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
      // The next question finds it ready. The other code is what earlier versions said of a model that was still loading.
      ['memory-behind', 'embedding-missing'].includes(degraded.code)
        ? { say: 'notReady' }
        : { say: 'words', problem: degraded },
    );
  return remarks;
}
