// Chooses from a ranking what is shown: hits and near misses, without repetition, and not all from one conversation.

import { endsWithQuestionMark } from '../text/cues.ts';
import { createWordings } from '../text/near-duplicate.ts';
import { squeezed } from '../text/sentences.ts';
import type { Rankable, Scored } from './rank.ts';

/**
 * Makes the test that keeps one passage of a message, one of each wording, and a limited number of each conversation.
 * Notes share a conversation in name only, so that limit does not apply to them.
 */
function chooser(perConversation: number): (candidate: Rankable) => boolean {
  const messages = new Set<string>();
  const wordings = new Set<string>();
  const taken = new Map<string, number>();
  return (candidate) => {
    const already = taken.get(candidate.conversationId) ?? 0;
    if (messages.has(candidate.messageId) || (!candidate.note && already >= perConversation)) return false;
    const wording = squeezed(candidate.text);
    if (wordings.has(wording)) return false;
    messages.add(candidate.messageId);
    wordings.add(wording);
    taken.set(candidate.conversationId, already + 1);
    return true;
  };
}

/**
 * Keeps one passage of a message, one of each wording, at most `perConversation` of each
 * conversation, at most `limit`, in order.
 */
export function distinctPassages<C extends Rankable, S extends Scored<C>>(
  ranked: readonly S[],
  perConversation: number,
  limit = Number.POSITIVE_INFINITY,
): S[] {
  const keep = chooser(perConversation);
  const kept: S[] = [];
  for (const one of ranked) {
    if (kept.length >= limit) break;
    if (keep(one.candidate)) kept.push(one);
  }
  return kept;
}

/** How far a reply may score below the threshold if the question that it answers passes. */
const REPLY_ALLOWANCE = 0.15;

/**
 * Makes the threshold of each candidate: lower for the reply to a question that passes, since a
 * question without its reply says nothing.
 */
function thresholdOf<C extends Rankable>(
  ranked: readonly Scored<C>[],
  threshold: number,
): (candidate: C) => number {
  const asked = new Set(
    ranked.flatMap(({ candidate, scores }) =>
      scores.final >= threshold &&
      candidate.role === 'user' &&
      !candidate.note &&
      endsWithQuestionMark(candidate.text)
        ? [candidate.chunkId]
        : [],
    ),
  );
  return ({ role, previous }) =>
    role !== 'user' && typeof previous === 'number' && asked.has(previous)
      ? threshold - REPLY_ALLOWANCE
      : threshold;
}

/** Scores this near to each other do not show which of two wordings is better. */
const EVEN = 0.02;
/** Distance within which a newer near-duplicate is looked for: comparing wordings takes time. */
const PLACES_ON = 16;

/**
 * Returns those at or above their threshold, memory notes first, and the near misses below it; at most `limit` of each.
 * Of near-duplicates the best is taken, of equally good ones the newest for which there is a place.
 */
export function choose<C extends Rankable, S extends Scored<C>>(
  ranked: readonly (S & Scored<C>)[],
  options: { readonly threshold: number; readonly limit: number; readonly perConversation: number },
): { hits: S[]; nearMisses: S[] } {
  const keep = chooser(options.perConversation);
  const worded = createWordings();
  const said = new Set<string>();
  const kept: { readonly one: S; readonly near: boolean }[] = [];
  const leastFor = thresholdOf(ranked, options.threshold);
  const isNear = ({ candidate, scores }: Scored<C>): boolean => scores.final < leastFor(candidate);
  for (const [at, one] of ranked.entries()) {
    const near = isNear(one);
    if (near && kept.filter((other) => other.near).length >= options.limit) {
      if (one.scores.final < options.threshold - REPLY_ALLOWANCE) break;
      continue;
    }
    const wording = worded(one.candidate.text);
    if (said.has(wording)) continue;
    // The newest is chosen at once: a passage replaced later would have kept others of its conversation out.
    const found = ranked
      .slice(at, at + PLACES_ON)
      .filter(
        (other) =>
          one.scores.final - other.scores.final <= EVEN &&
          isNear(other) === near &&
          other.candidate.note === one.candidate.note &&
          worded(other.candidate.text) === wording,
      )
      .sort((a, b) => b.candidate.createdAt - a.candidate.createdAt)
      .find(({ candidate }) => keep(candidate));
    if (!found) continue;
    said.add(wording);
    kept.push({ one: found, near });
  }
  const [hits, nearMisses] = [false, true].map((near) =>
    kept.filter((one) => one.near === near).map(({ one }): S => one),
  ) as [S[], S[]];
  return {
    hits: [
      ...hits.filter(({ candidate }) => candidate.note),
      ...hits.filter(({ candidate }) => !candidate.note),
    ].slice(0, options.limit),
    nearMisses,
  };
}
