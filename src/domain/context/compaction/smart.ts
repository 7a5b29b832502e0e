// Keeps what says most for its length: new to what is kept already, definite, not just agreeing. An "ok, do that" never stays while the
// analysis it answers goes.
import type { MessageId } from '../../base/ids.ts';
import type { Message } from '../../chat/message.ts';
import { isAcknowledgement } from '../cues.ts';
import { termsIn } from '../folded.ts';
import { notesOf } from '../notes.ts';
import { unitsOf } from '../units.ts';
import {
  chosenTokens,
  finish,
  foldedBeside,
  freeRoom,
  type Group,
  keepAll,
  messagesOf,
  newestGroups,
  type Outline,
  outlineOf,
} from './outline.ts';
import { memoryDraft } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';

/** Shares of the free room for the newest turns and for the notes on what is folded. */
const NEWEST = 0.3;
const NOTES = 0.3;
/** Groups that are weighed; of a longer conversation the ones that weigh most by themselves. */
const WEIGHED = 400;

/** Two groups that share more than this say the same. */
const SAME = 0.95;

interface Weight {
  readonly index: number;
  readonly worth: number;
  readonly terms: ReadonlySet<string>;
  readonly vector: Float32Array | undefined;
}

/** True for a group that only agrees, thanks or says "go on". */
export const onlyAgrees = (outline: Outline, group: number): boolean => {
  const messages = messagesOf(outline, [group]);
  return messages.every(
    (message) =>
      message.parts.every(({ type }) => type === 'text' || type === 'reasoning') &&
      unitsOf(message).every(({ text }) => isAcknowledgement(text)),
  );
};

function weigh(outline: Outline, vectors: ReadonlyMap<MessageId, Float32Array> | undefined): Weight[] {
  return outline.groups.map((_group, index) => {
    const messages = messagesOf(outline, [index]);
    let worth = 0;
    const terms = new Set<string>();
    for (const message of messages) {
      for (const { weight, kind, terms: own } of notesOf(message)) {
        worth += kind === 'rule' ? 6 : weight;
        for (const term of own) terms.add(term);
      }
      if (terms.size < 200)
        for (const unit of unitsOf(message).slice(0, 20))
          for (const term of termsIn(unit).keys()) terms.add(term);
    }
    // Words weigh too: an explanation without a single number is still an explanation.
    worth += Math.sqrt(terms.size) * 0.8;
    return {
      index,
      worth: onlyAgrees(outline, index) ? 0 : worth,
      terms,
      vector: messages.map(({ id }: Message) => vectors?.get(id)).find((vector) => vector !== undefined),
    };
  });
}

const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] ?? 0);
  return sum;
};

/** How much of it was said by what is kept, 0–1. */
function overlap(a: Weight, b: Weight): number {
  if (a.vector && b.vector) return Math.max(0, cosine(a.vector, b.vector));
  if (a.terms.size === 0) return 1;
  let shared = 0;
  for (const term of a.terms) if (b.terms.has(term)) shared += 1;
  return shared / a.terms.size;
}

export const smart: CompactionStrategy = {
  id: 'smart',
  label: 'context.strategies.smart',
  needsModel: false,
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const facts = { strategy: 'smart' };
    if (outline.before <= outline.goal) return keepAll(outline, facts);
    const vectors = await tools.vectors?.();
    tools.signal.throwIfAborted();
    const room = freeRoom(outline);
    const notes = Math.floor(room * NOTES);
    const keep = newestGroups(outline, room * NEWEST, budget.keepTurns);
    let left = room - notes - chosenTokens(outline, keep);

    const weights = weigh(outline, vectors);
    const kept = [...keep].map((index) => weights[index] as Weight);
    const density = ({ index, worth }: Weight) =>
      worth / ((outline.groups[index] as Group).tokens + 20) ** 0.8;
    const open = weights
      .filter(({ index, worth }) => worth > 0 && !keep.has(index) && !outline.groups[index]?.unwanted)
      .sort((a, b) => density(b) - density(a) || b.index - a.index)
      .slice(0, WEIGHED)
      .map((weight) => ({ weight, said: Math.max(0, ...kept.map((other) => overlap(weight, other))) }));
    const dense = new Set<number>();
    while (open.length > 0 && left > 0) {
      let best = -1;
      let most = 0;
      for (let i = 0; i < open.length; i++) {
        const { weight, said } = open[i] as (typeof open)[number];
        if ((outline.groups[weight.index] as Group).tokens > left) continue;
        // What was said already adds nothing, however dense it is.
        const value = said > SAME ? 0 : density(weight) * (1 - 0.8 * said);
        if (value > most) [best, most] = [i, value];
      }
      if (best < 0) break;
      const [{ weight }] = open.splice(best, 1) as [(typeof open)[number]];
      keep.add(weight.index);
      dense.add(weight.index);
      left -= (outline.groups[weight.index] as Group).tokens;
      for (const other of open) other.said = Math.max(other.said, overlap(other.weight, weight));
    }
    const folded = foldedBeside(outline, keep);
    return finish(outline, {
      ...facts,
      keep,
      why: (index) => (dense.has(index) ? 'dense' : onlyAgrees(outline, index) ? 'plain' : undefined),
      drafts: folded.length > 0 && notes > 20 ? [memoryDraft(outline, folded, notes)] : [],
    });
  },
};
