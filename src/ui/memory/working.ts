// Counts the messages that a model reads as they were said.
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import { branchOf } from '../chat/rows.ts';

/** Messages of the branch that is shown that no compaction covers; bookkeeping is not counted, as in the library. */
export function sentAsIs(conversation: Conversation): number {
  const { path, folded } = branchOf(conversation, effectiveHead(conversation));
  return path.filter(({ id, kind }) => kind !== 'note' && !folded.has(id)).length;
}
