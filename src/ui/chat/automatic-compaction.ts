// Finds failures of automatic compaction that the person should see.
import type { Problem } from '../../domain/base/errors.ts';
import type { ContextState } from '../../services/context/context.ts';

/** Problem of the latest automatic attempt; null if it succeeded or happened before `since` (ms since 1970). */
export function ownFailure(state: ContextState, since: number): Problem | null {
  const last = state.events.at(-1);
  const failed =
    last?.type === 'compaction-end' &&
    last.outcome === 'failed' &&
    (last.reason === 'auto' || last.reason === 'length') &&
    last.at >= since;
  return failed ? state.problem : null;
}
