// Handles the passages of a recall: their neighbours, omissions, and the space for each.
import type { RecalledPassage } from '../chat/message.ts';
import { estimateTokens } from '../context/tokens.ts';

/** Tokens that frame a neighbour of a passage in the prompt. */
const NEIGHBOUR_FRAME = 4;
/** Estimated tokens of a neighbour, its frame included. */
export const neighbourTokens = (text: string): number => estimateTokens(text) + NEIGHBOUR_FRAME;

/** Lists the neighbours before and after a passage, each in order. Older answers have only times. */
export function neighboursOf(
  passage: RecalledPassage,
): Record<'before' | 'after', RecalledPassage['neighbours']> {
  const { neighbours, createdAt, messageId } = passage;
  const sides = {
    before: neighbours.filter(({ side }) => side === 'before'),
    after: neighbours.filter(({ side }) => side === 'after'),
  };
  if (sides.before.length + sides.after.length === neighbours.length) return sides;
  const order = (a: { createdAt: number; messageId: string }, b: typeof a): number =>
    a.createdAt - b.createdAt || (a.messageId < b.messageId ? -1 : a.messageId > b.messageId ? 1 : 0);
  const sorted = [...neighbours].sort(order);
  const isBefore = (one: (typeof sorted)[number]) => order(one, { createdAt, messageId }) < 0;
  return { before: sorted.filter(isBefore), after: sorted.filter((one) => !isBefore(one)) };
}

/** A message that is a passage or the neighbour of one. */
export interface PassageMessage {
  readonly conversationId: string;
  readonly messageId: string;
  readonly text: string;
}

/** Removes the neighbours that are `out`, and corrects the price. */
function without(passage: RecalledPassage, out: (said: PassageMessage) => boolean): RecalledPassage {
  const { conversationId } = passage;
  const neighbours = passage.neighbours.filter(
    ({ messageId, text }) => !out({ conversationId, messageId, text }),
  );
  if (neighbours.length === passage.neighbours.length) return passage;
  const price = (rows: RecalledPassage['neighbours']) =>
    rows.reduce((sum, { text }) => sum + neighbourTokens(text), 0);
  return {
    ...passage,
    neighbours,
    tokens: passage.tokens - price(passage.neighbours) + price(neighbours),
  };
}

/** Removes the messages that are `out`, also as neighbours. A passage that loses nothing stays the same object. */
export const withoutMessages = (
  passages: readonly RecalledPassage[],
  out: (said: PassageMessage) => boolean,
): RecalledPassage[] =>
  passages
    .filter(({ passage, ...said }) => !out({ ...said, text: passage }))
    .map((passage) => without(passage, out));

/** Picks ticked passages of a list. A listed message is not repeated as a neighbour. */
export function tickedPassages(
  listed: readonly RecalledPassage[],
  ticked: ReadonlySet<string>,
): RecalledPassage[] {
  const own = new Set(listed.map(({ messageId }) => messageId));
  return listed
    .filter(({ messageId }) => ticked.has(messageId))
    .map((passage) => without(passage, ({ messageId }) => own.has(messageId)));
}

/**
 * Divides a budget among wants so that no one gets more than it wants and small ones are served first: the largest
 * share that, given to all, still fits. Sum of the result <= max(budget, 0).
 */
export function divideBudget(wants: readonly number[], budget: number): number[] {
  let left = Math.max(0, budget);
  const order = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  const shares = new Array<number>(wants.length).fill(0);
  order.forEach(({ want, index }, done) => {
    const share = Math.min(want, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
