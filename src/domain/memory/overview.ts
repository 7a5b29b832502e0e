// Overview questions ("in which order did I bring up …", 我们一共聊过哪些…): their answer is spread over weeks
// and conversations, so the best passages of one place do not answer them. They get the best of each
// stretch of time, or of each conversation.

import { keepingLast } from '../base/once.ts';
import {
  DEVELOPED,
  OF_THE_PAST,
  ORDER,
  SUMMARY,
  TO_COME,
  TO_WHOM,
  WHOLE,
} from '../text/cue-words/overview.ts';
import { distinctPassages } from './choose.ts';
import type { Rankable, Scored } from './rank.ts';

/** Longest request for an overview, characters; a longer message carries a text along. */
export const MAX_OVERVIEW = 600;

/** Answer to an overview: by times, by conversations, or by the best passages. */
export type Breadth = 'times' | 'conversations' | 'best';

/**
 * Kind of overview that a question asks for by its form; null: it asks for one thing, or for nothing that
 * was said. A recall asks three times.
 */
export const breadthOf = keepingLast((question: string): Breadth | null => {
  if (question.length > MAX_OVERVIEW) return null;
  const text = question.replace(TO_WHOM, '');
  if (TO_COME.test(text)) return null;
  if ((ORDER.test(text) && OF_THE_PAST.test(text)) || DEVELOPED.test(text)) return 'times';
  if (SUMMARY.test(text)) return 'best';
  return WHOLE.test(text) ? 'conversations' : null;
});

/** True if a question asks for a course of events, for everything or for a summary, not for one thing that was said. */
export const asksForOverview = (question: string): boolean => breadthOf(question) !== null;

/** Least probability of a passage for an overview question, since each is only a part of the answer. */
const OVERVIEW_THRESHOLD = 0.15;
/** Least probability of the best passage for a summary or a list: its topic may never have come up. */
const LEAST_BEST = 0.4;

/** Returns the threshold for a question: `threshold`, or a lower one for an overview that finds anything. */
export function thresholdFor(
  breadth: Breadth | null,
  threshold: number,
  ranked: readonly Scored<Rankable>[],
): number {
  const best = ranked.reduce((most, { scores }) => Math.max(most, scores.final), 0);
  return breadth === 'times' || (breadth !== null && best >= LEAST_BEST)
    ? Math.min(threshold, OVERVIEW_THRESHOLD)
    : threshold;
}

/** How many of the best messages are spread, over conversations or over so many equal stretches of time. */
const [SPREAD, STRETCHES] = [50, 5];

/**
 * Orders passages for an overview. A course of events: the best of each stretch of time first, then the second of each.
 * Everything: the best of each conversation first. Summaries, and other questions (null): unchanged.
 */
export function spreadForOverview<C extends Rankable, S extends Scored<C>>(
  breadth: Breadth | null,
  ranked: readonly (S & Scored<C>)[],
): (S & Scored<C>)[] {
  if (breadth === null || breadth === 'best') return [...ranked];
  const best = distinctPassages<C, S & Scored<C>>(ranked, Number.POSITIVE_INFINITY, SPREAD);
  const groupOf = breadth === 'times' ? stretchesOf(best) : ({ conversationId }: C) => conversationId;
  const places = new Map<number | string, number>();
  const spread = best
    .map((one) => {
      const group = groupOf(one.candidate);
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      return { one, place };
    })
    .sort((a, b) => a.place - b.place || b.one.scores.final - a.one.scores.final)
    .map(({ one }) => one);
  const first = new Set(spread);
  return [...spread, ...ranked.filter((one) => !first.has(one))];
}

/** Assigns each passage to one of so many equal stretches of time. */
function stretchesOf<C extends Rankable>(best: readonly Scored<C>[]): (candidate: C) => number {
  const times = best.map(({ candidate }) => candidate.createdAt);
  const from = Math.min(...times);
  const length = Math.max(...times) + 1 - from;
  return ({ createdAt }) => Math.floor((STRETCHES * (createdAt - from)) / length);
}
