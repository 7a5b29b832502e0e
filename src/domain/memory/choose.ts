// From a ranking to what is shown of it: hits and near misses, none of them twice, and not all of one conversation.

import { asks } from '../text/cues.ts';
import { wordings } from '../text/near-duplicate.ts';
import { squeezed } from '../text/sentences.ts';
import type { Rankable, Scored } from './rank.ts';

/**
 * Tells of one after the other whether it is kept: one passage a message, one of each wording, so many of each conversation. Notes only look
 * like one conversation: each stands for itself.
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

/** One passage a message, one of each wording, at most `perConversation` of each conversation; order kept, at most `limit`. */
export function distinct<C extends Rankable, S extends Scored<C>>(
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

/** A reply may score so much below the threshold and comes along all the same, where the question that it answers passes. */
const REPLY_ALLOWANCE = 0.15;

/** Makes the threshold of each candidate: the reply to a question that passes has a lower one, for a question without its reply tells nothing. */
function thresholdOf<C extends Rankable>(
  ranked: readonly Scored<C>[],
  threshold: number,
): (candidate: C) => number {
  const asked = new Set(
    ranked.flatMap(({ candidate, scores }) =>
      scores.final >= threshold && candidate.role === 'user' && !candidate.note && asks(candidate.text)
        ? [candidate.chunkId]
        : [],
    ),
  );
  return ({ role, previous }) =>
    role !== 'user' && typeof previous === 'number' && asked.has(previous)
      ? threshold - REPLY_ALLOWANCE
      : threshold;
}

/** Scores so near to each other say nothing of which of two wordings is the better one. */
const EVEN = 0.02;
/** So many places on a newer one that says the same is looked for: to tell wordings apart takes time. */
const PLACES_ON = 16;

/**
 * Those at or above their threshold, memory notes first, and the near misses below it; at most `limit` of each. Of passages that say the same in
 * nearly the same words the best is taken, of equally good ones the newest for which there is a place.
 */
export function choose<C extends Rankable, S extends Scored<C>>(
  ranked: readonly (S & Scored<C>)[],
  options: { readonly threshold: number; readonly limit: number; readonly perConversation: number },
): { hits: S[]; nearMisses: S[] } {
  const keep = chooser(options.perConversation);
  const worded = wordings();
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
    // The newest takes its place at once: one that gave way later would have kept others of its conversation from theirs.
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
