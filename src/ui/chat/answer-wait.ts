// Decides how long a question may stay unanswered before the app offers to ask it again. Pure.
import type { OpenConversation } from '../../services/documents/documents.ts';

/** Time for this tab or another one to start answering before the question counts as abandoned, ms. */
const TAKEN_UP_MS = 600;
/** Time for another device to answer its own question, ms: an answer syncs only once it is complete. */
const ANSWERED_REMOTELY_MS = 60_000;

/** Wait for a question of this age, ms. `others`: other devices may be answering it. */
export function waitFor(
  { origin, age }: { readonly origin: ReturnType<OpenConversation['originOf']>; readonly age: number },
  others: boolean,
): number {
  if (!others || origin === 'here') return TAKEN_UP_MS;
  // The asking device's clock may be ahead or behind; a question that has just arrived was just asked.
  const left = ANSWERED_REMOTELY_MS - Math.abs(age);
  return origin === 'elsewhere' ? ANSWERED_REMOTELY_MS : Math.max(TAKEN_UP_MS, left);
}
