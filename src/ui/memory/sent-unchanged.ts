// Counts the messages that a model reads unchanged.
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import { branchOf } from '../chat/rows.ts';

/** Messages of the shown branch that no compaction covers; bookkeeping messages do not count, as in the library. */
export function countSentUnchanged(conversation: Conversation): number {
  const { path, compacted } = branchOf(conversation, effectiveHead(conversation));
  return path.filter(({ id, kind }) => kind !== 'note' && !compacted.has(id)).length;
}
