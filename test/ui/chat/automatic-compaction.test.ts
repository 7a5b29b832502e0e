import { expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/base/errors.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { type CompactionEvent, IDLE_CONTEXT } from '../../../src/services/context/context.ts';
import { ownFailure } from '../../../src/ui/chat/automatic-compaction.ts';

const problem: Problem = { code: 'storage-full', message: 'No room', retry: true };
const end = (
  reason: CompactionEvent['reason'],
  outcome: Extract<CompactionEvent, { type: 'compaction-end' }>['outcome'],
): CompactionEvent => ({
  type: 'compaction-end',
  id: 'a',
  conversationId: 'c' as ConversationId,
  reason,
  strategy: 'turns',
  outcome,
  tokensBefore: 2,
  tokensAfter: 1,
  ratio: 0.5,
  durationMs: 1,
  summary: null,
  usage: null,
  cost: null,
  problem,
  at: 10,
});

it('is told in the conversation where nobody had asked for it, until the next turn', () => {
  const after = (...events: CompactionEvent[]) => ({ ...IDLE_CONTEXT, events, problem });
  expect(ownFailure(after(end('auto', 'failed')), 5)).toBe(problem);
  expect(ownFailure(after(end('length', 'failed')), 5)).toBe(problem);
  expect(ownFailure(after(end('auto', 'failed')), 11)).toBeNull();
  // A person who compacts by hand is told of it there.
  expect(ownFailure(after(end('manual', 'failed')), 5)).toBeNull();
  expect(ownFailure(after(end('auto', 'failed'), end('auto', 'applied')), 5)).toBeNull();
  expect(ownFailure(IDLE_CONTEXT, 0)).toBeNull();
});
