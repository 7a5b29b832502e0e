// Keeps the messages that say most for their length. With vectors of the index, a group's worth is the meaning
// that it adds to the kept ones; without them, its notes and words that no kept group has. An "ok, do that" never
// stays while the analysis it answers goes.
import type { MessageId } from '../../base/ids.ts';
import { isAcknowledgement } from '../../text/cues.ts';
import { notesOf } from '../notes.ts';
import { termsIn } from '../reading.ts';
import { unitsOf } from '../units.ts';
import { finish, keepAll } from './finish.ts';
import {
  chosenTokens,
  compactedGroups,
  freeTokens,
  type Group,
  messagesOf,
  newestGroups,
  type Outline,
  outlineOf,
} from './outline.ts';
import { memoryDraft } from './session-memory.ts';
import type { CompactionStrategy, CompactionTools } from './strategy.ts';

/** Shares of the free space for the newest turns and for notes on compacted messages. */
const NEWEST = 0.3;
const NOTES = 0.3;
/** Most groups that are weighed; of a longer conversation those with the highest weight of their own. */
const WEIGHED = 400;
/** Two groups with a higher similarity say the same. */
const SAME = 0.95;
/** Cosine up to which two messages of one conversation are unrelated. */
const UNRELATED = 0.3;

interface Weight {
  readonly index: number;
  /** Information in it, by rules: notes, and words that are more than "go on". */
  readonly value: number;
  readonly terms: ReadonlySet<string>;
}

/** True for a group that only agrees, thanks or says "go on". */
const onlyAgrees = (outline: Outline, group: number): boolean => {
  const messages = messagesOf(outline, [group]);
  return messages.every(
    (message) =>
      message.parts.every(({ type }) => type === 'text' || type === 'reasoning') &&
      unitsOf(message).every(({ text }) => isAcknowledgement(text)),
  );
};

function weigh(outline: Outline): Weight[] {
  return outline.groups.map((_group, index) => {
    let value = 0;
    const terms = new Set<string>();
    for (const message of messagesOf(outline, [index])) {
      for (const { weight, kind, terms: own } of notesOf(message)) {
        value += kind === 'rule' ? 6 : weight;
        for (const term of own) terms.add(term);
      }
      if (terms.size < 200)
        for (const unit of unitsOf(message).slice(0, 20))
          for (const term of termsIn(unit).keys()) terms.add(term);
    }
    // Words count too: an explanation without a single number is still an explanation.
    value += Math.sqrt(terms.size) * 0.8;
    return { index, value: onlyAgrees(outline, index) ? 0 : value, terms };
  });
}

/** Vectors of groups: the direction of their messages together. Missing if none of them has one. */
async function vectorsOf(
  outline: Outline,
  groups: readonly number[],
  vectors: CompactionTools['vectors'],
): Promise<ReadonlyMap<number, Float32Array>> {
  const known = await vectors?.(messagesOf(outline, groups).map(({ id }) => id));
  const found = new Map<number, Float32Array>();
  if (!known || known.size === 0) return found;
  for (const group of groups) {
    const own = messagesOf(outline, [group]).flatMap(({ id }: { id: MessageId }) => known.get(id) ?? []);
    const [first] = own;
    if (!first) continue;
    const sum = first.map((_, at) => own.reduce((total, one) => total + (one[at] ?? 0), 0));
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
    if (length > 0)
      found.set(
        group,
        sum.map((value) => value / length),
      );
  }
  return found;
}

const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] ?? 0);
  return sum;
};

/** Share of `a` that `b` says, 0–1. */
function similarity(a: Weight, b: Weight, vectors: ReadonlyMap<number, Float32Array>): number {
  const [of, by] = [vectors.get(a.index), vectors.get(b.index)];
  if (of && by) return Math.max(0, (cosine(of, by) - UNRELATED) / (1 - UNRELATED));
  if (a.terms.size === 0) return 1;
  let shared = 0;
  for (const term of a.terms) if (b.terms.has(term)) shared += 1;
  return shared / a.terms.size;
}

/**
 * Chooses the groups with the most information for their length until the space is used: by vectors how much each
 * covers of all (facility location), so that one stands for similar ones; else by words no kept group has.
 */
function densest(
  outline: Outline,
  open: readonly Weight[],
  kept: readonly Weight[],
  vectors: ReadonlyMap<number, Float32Array>,
  available: number,
): Set<number> {
  const tokensOf = ({ index }: Weight) => (outline.groups[index] as Group).tokens;
  const price = (weight: Weight) => (tokensOf(weight) + 20) ** 0.8;
  const byMeaning = open.some(({ index }) => vectors.has(index));
  /** Share of each that the kept groups cover. */
  const covered = open.map((weight) =>
    Math.max(0, ...kept.map((other) => similarity(weight, other, vectors))),
  );
  const near = byMeaning
    ? open.map((by) => open.map((of) => (of === by ? 1 : similarity(of, by, vectors))))
    : [];
  const gainOf = (at: number): number => {
    const own = open[at] as Weight;
    if ((covered[at] as number) > SAME) return 0;
    if (!byMeaning) return own.value * (1 - 0.8 * (covered[at] as number));
    let gain = 0;
    const row = near[at] as readonly number[];
    for (let of = 0; of < row.length; of++) {
      const more = (row[of] as number) - (covered[of] as number);
      if (more > 0) gain += (open[of] as Weight).value * more;
    }
    return gain;
  };
  const chosen = new Set<number>();
  const taken = new Set<number>();
  let left = available;
  while (left > 0) {
    let best = -1;
    let most = 0;
    for (let at = 0; at < open.length; at++) {
      const weight = open[at] as Weight;
      if (taken.has(at) || tokensOf(weight) > left) continue;
      const value = gainOf(at) / price(weight);
      if (value > most) [best, most] = [at, value];
    }
    const winner = open[best];
    if (!winner) break;
    taken.add(best);
    chosen.add(winner.index);
    left -= tokensOf(winner);
    open.forEach((other, at) => {
      covered[at] = Math.max(
        covered[at] as number,
        byMeaning ? (near[best]?.[at] ?? 0) : similarity(other, winner, vectors),
      );
    });
  }
  return chosen;
}

export const smart: CompactionStrategy = {
  id: 'smart',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const facts = { strategy: 'smart' };
    if (outline.before <= outline.goal) return keepAll(outline, facts);
    const available = freeTokens(outline);
    const notes = Math.floor(available * NOTES);
    const keep = newestGroups(outline, available * NEWEST, budget.keepTurns);

    const weights = weigh(outline);
    const density = ({ index, value }: Weight) =>
      value / ((outline.groups[index] as Group).tokens + 20) ** 0.8;
    const open = weights
      .filter(({ index, value }) => value > 0 && !keep.has(index) && !outline.groups[index]?.unwanted)
      .sort((a, b) => density(b) - density(a) || b.index - a.index)
      .slice(0, WEIGHED);
    const kept = [...keep].map((index) => weights[index] as Weight);
    const vectors = await vectorsOf(
      outline,
      [...open, ...kept].map(({ index }) => index),
      tools.vectors,
    );
    tools.signal.throwIfAborted();
    const dense = densest(outline, open, kept, vectors, available - notes - chosenTokens(outline, keep));
    for (const index of dense) keep.add(index);
    const compacted = compactedGroups(outline, keep);
    return finish(outline, {
      ...facts,
      keep,
      why: (index) => (dense.has(index) ? 'dense' : onlyAgrees(outline, index) ? 'plain' : undefined),
      drafts: compacted.length > 0 && notes > 20 ? [memoryDraft(outline, compacted, notes)] : [],
    });
  },
};
