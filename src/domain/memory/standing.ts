// Rules and preferences that a person set once ("Always name versions when I ask about libraries", 以后都用中文回答) hardly
// share a word with a request that they apply to. So the fifth and the tenth place are reserved for the nearest ones.
import { ASKS_OF_THE_PAST, PREFERENCE, STANDING } from '../text/cue-words/standing.ts';
import { asksWhen } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { laneAskedFor } from './lanes.ts';
import { asksForOverview } from './overview.ts';
import type { Rankable, Scored } from './rank.ts';

/** A rule is in the first sentences of a message, a preference in its first characters; a longer message is a text. */
const [FIRST_SENTENCES, FIRST_CHARACTERS, LONGEST] = [3, 400, 600];

/** True if a message sets a rule or states a preference. */
export function setsRuleOrPreference(text: string): boolean {
  if (text.length > LONGEST) return false;
  if (PREFERENCE.test(text.slice(0, FIRST_CHARACTERS))) return true;
  return sentencesOf(text)
    .slice(0, FIRST_SENTENCES)
    .some((sentence) => STANDING.test(sentence.trim()) && !/[?？]\s*$/u.test(sentence));
}

/** Longest request; a longer message carries a text along, characters. */
const LONGEST_REQUEST = 2_000;
const isRequest = (question: string): boolean =>
  question.length <= LONGEST_REQUEST &&
  !ASKS_OF_THE_PAST.test(question) &&
  laneAskedFor(question) === null &&
  !asksWhen(question) &&
  !asksForOverview(question);

/** Reserved places, counted from 0, in messages. */
const KEPT = [4, 9];
/** How many of the best are searched for rules. */
const MOST_EXAMINED = 50;

/**
 * Returns them best first, except that for a request the person's nearest rule or preference is at least fifth, and the
 * next at least tenth. Probabilities stay, so no more is shown or given unasked.
 */
export function placeRules<C extends Rankable, S extends Scored<C>>(
  question: string,
  ranked: readonly (S & Scored<C>)[],
): (S & Scored<C>)[] {
  const order = [...ranked];
  if (!isRequest(question)) return order;
  const standing = ranked
    .slice(0, MOST_EXAMINED)
    .filter(({ candidate, lane }) => lane === 'person' && setsRuleOrPreference(candidate.text));
  const messages = new Set<string>();
  const first = standing.filter(({ candidate: { messageId } }) => {
    const isNew = !messages.has(messageId);
    messages.add(messageId);
    return isNew;
  });
  for (const [at, kept] of KEPT.entries()) {
    const one = first[at];
    if (!one) break;
    const place = placeOf(order, kept);
    const from = order.indexOf(one);
    if (from <= place) continue;
    order.splice(from, 1);
    order.splice(place, 0, one);
  }
  return order;
}

/** Index at which the `count`th message begins in an order of passages, from 0. */
function placeOf(order: readonly Scored<Rankable>[], count: number): number {
  const messages = new Set<string>();
  const place = order.findIndex(({ candidate }) => {
    messages.add(candidate.messageId);
    return messages.size > count;
  });
  return place < 0 ? order.length : place;
}
