// Finds the last query to memory on a path: a message on the same topic needs no second search.
import type { MessageId } from '../base/ids.ts';
import { startsTurn } from '../chat/checkpoint.ts';
import { type Message, textOf } from '../chat/message.ts';
import type { CosineScale } from './rank.ts';

/** Below this probability of being related, two texts have different topics. */
const ANOTHER_BELOW = 0.6;

/**
 * Returns the last query to memory; the first message if there was no later one; null before there is a message.
 * `known`: a query without a trace, since it found nothing.
 */
export function lastQueryOn(
  path: readonly Message[],
  known?: { readonly after: MessageId; readonly text: string },
): string | null {
  let last: string | null = null;
  for (const message of path) {
    if (last === null && startsTurn(message)) last = textOf(message);
    if (message.id === known?.after) last = known.text;
    for (const part of message.parts) if (part.type === 'recall' && part.query !== '') last = part.query;
  }
  return last;
}

/**
 * True if two texts have different topics, by the cosine of their vectors as questions and the model's cosine scale.
 */
export const isAnotherTopic = (cosine: number, { related, spread }: CosineScale): boolean =>
  1 / (1 + Math.exp((related - cosine) / spread)) < ANOTHER_BELOW;
