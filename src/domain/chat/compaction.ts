// Finds the compaction in force on a branch. A compaction moves the window that a model sees, never the past: the
// messages stay, and undoing it is one flag at any later time.
import type { Conversation } from './conversation.ts';
import type { Message } from './message.ts';
import type { Compaction } from './records.ts';

/** Returns the newest compaction that applies to the branch and was not undone. Linear in the branch. */
export function compactionOn(
  conversation: Pick<Conversation, 'compactions'>,
  path: readonly Message[],
): Compaction | null {
  if (conversation.compactions.size === 0) return null;
  const onPath = new Set<string>(path.map((message) => message.id));
  let newest: Compaction | null = null;
  for (const compaction of conversation.compactions.values()) {
    if (compaction.undone || !onPath.has(compaction.at)) continue;
    if (
      !newest ||
      compaction.createdAt > newest.createdAt ||
      (compaction.createdAt === newest.createdAt && compaction.id > newest.id)
    )
      newest = compaction;
  }
  return newest;
}
