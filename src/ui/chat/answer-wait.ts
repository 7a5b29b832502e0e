// How long a question may stand without an answer before it is offered to be asked. Pure.
import type { OpenConversation } from '../../services/documents/documents.ts';

/** A question is given this long to be taken up, in this tab or another, before it counts as left alone, ms. */
const TAKEN_UP_MS = 600;
/** Another device is given this long to answer what was asked there: an answer travels once it is whole, ms. */
const ANSWERED_REMOTELY_MS = 60_000;

/** How long a question of this age is given, ms. `others`: other devices may be answering it. */
export function waitFor(
  { origin, age }: { readonly origin: ReturnType<OpenConversation['originOf']>; readonly age: number },
  others: boolean,
): number {
  if (!others || origin === 'here') return TAKEN_UP_MS;
  // By the clock of whoever asked, which may be ahead or behind; what has just come in has just been asked.
  const left = ANSWERED_REMOTELY_MS - Math.abs(age);
  return origin === 'elsewhere' ? ANSWERED_REMOTELY_MS : Math.max(TAKEN_UP_MS, left);
}
