// How well a sentence of a compacted message fits a question: by its words and their places, by the kind of its values,
// and by whether it is worth a note. `compacted.ts` adds the semantic scores and compares the sentences.
import type { MessageId } from '../base/ids.ts';
import type { Message } from '../chat/message.ts';
import type { laneAskedFor } from '../memory/lanes.ts';
import { goesWrong } from '../text/cues.ts';
import { notesOf } from './notes.ts';
import { countLineForms, LIST_FROM, lineFormOf, statesResult } from './outputs.ts';
import { isSingleHan, type queryOf } from './query.ts';
import { documentOf, headingTermsOf, wordBeginningsOf } from './reading.ts';
import type { SemanticScore } from './semantic-scores.ts';
import { type Unit, unitsOf } from './units.ts';
import type { ValueKind } from './value-kinds.ts';

/**
 * Weight of a word by its place: in the sentence, its heading, the message it answers, the
 * next sentence, the rest of the message.
 */
const WHERE = { own: 1, lead: 0.6, answered: 0.5, beside: 0.4, message: 0.3 } as const;
/** Weight of a word said so many messages before or after: people name a subject first, then continue about it. */
const AFTER = [0, 0.42, 0.4, 0.34, 0.3, 0.22, 0.15] as const;
const BEFORE = [0, 0.32, 0.28, 0.2, 0.15, 0.1] as const;
/** Weight of a word that only shares its beginning. */
const PREFIX_MATCH = 0.6;
/** Factor for a sentence that is not worth a note, and bonus for one that is. */
export const NOT_NOTED = 0.7;
const NOTED = 0.06;
/** Factor for a line in a log or listing. */
const ONE_OF_MANY = 0.35;

/** Weights of a question. */
export interface QuestionWeights {
  /** Word → IDF times its weight. */
  readonly rarity: ReadonlyMap<string, number>;
  /** Largest sum of weights that a sentence could reach; never 0. */
  readonly reach: number;
  readonly expected: ReturnType<typeof queryOf>['expected'];
  /** Word → position on the path → its weight there for being said shortly before or after. */
  readonly nearby: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Words that may also match by their beginning. */
  readonly long: ReadonlySet<string>;
  readonly relevance: ReadonlyMap<MessageId, SemanticScore>;
  /** Weight of the nearest sentences by their rank in meaning, 0–1; empty without vectors. */
  readonly nearest: ReadonlyMap<Unit, number>;
  /** Speaker whose words the question wants. */
  readonly lane: ReturnType<typeof laneAskedFor>;
}

/**
 * Rates a sentence's values against the kinds that the question wants: its first kind is best;
 * any definite value is better than none.
 */
export function valueFactor(expected: readonly ValueKind[], values: ReadonlySet<ValueKind>): number {
  if (expected.length === 0) return values.size > 0 ? 1.15 : 0.9;
  const place = expected.findIndex((kind) => values.has(kind));
  return place < 0 ? 0.7 : place === 0 ? 1.6 : 1.35;
}

const factorsOfMessages = new WeakMap<Message, Map<number, number>>();

/** Rates how likely a message's sentences are to answer anything, by their index among its units. */
export function noteFactors(message: Message): ReadonlyMap<number, number> {
  let factors = factorsOfMessages.get(message);
  if (!factors) {
    factors = new Map<number, number>(
      notesOf(message).map(({ index, weight }) => [index, 1 + NOTED * Math.min(8, weight)] as const),
    );
    const units = unitsOf(message);
    const forms = countLineForms(units.flatMap(({ kind, text }) => (kind === 'result' ? text : [])));
    units.forEach(({ kind, text }, index) => {
      if (
        kind === 'result' &&
        (forms.get(lineFormOf(text)) ?? 1) >= LIST_FROM &&
        !goesWrong(text) &&
        !statesResult(text)
      )
        factors?.set(index, ONE_OF_MANY);
    });
    factorsOfMessages.set(message, factors);
  }
  return factors;
}

/**
 * Makes `QuestionWeights.nearby` from the positions of each word on the path. `count`: messages that are searched. A
 * word that occurs everywhere marks no subject.
 */
export function nearbyOf(
  positions: ReadonlyMap<string, readonly number[]>,
  count: number,
): Map<string, Map<number, number>> {
  const nearby = new Map<string, Map<number, number>>();
  for (const [term, list] of positions) {
    if (list.length > Math.max(8, Math.min(200, count / 8))) continue;
    const near = new Map<number, number>();
    for (const at of list)
      for (const [weights, way] of [
        [AFTER, 1],
        [BEFORE, -1],
      ] as const)
        for (let away = 1; away < weights.length; away++) {
          const there = at + away * way;
          near.set(there, Math.max(near.get(there) ?? 0, weights[away] as number));
        }
    nearby.set(term, near);
  }
  return nearby;
}

/** Weights that all sentences of a message share, and terms to look for in each. */
interface MessageWeights {
  readonly base: number;
  /** For the first sentence, which answers the message before. */
  readonly firstBase: number;
  readonly searched: readonly (readonly [term: string, rarity: number, least: number])[];
}

/**
 * Sums the weights of words that count wherever in the message they stand; only the others have to be looked for
 * sentence by sentence. `at`: its position on the path; `answered`: terms of the message that it answers.
 */
export function messageWeightsOf(
  message: Message,
  at: number,
  answered: { has(term: string): boolean },
  { rarity, nearby, long }: QuestionWeights,
): MessageWeights {
  const { counts } = documentOf(message);
  const starts = wordBeginningsOf(message);
  let base = 0;
  let firstBase = 0;
  const searched: [string, number, number][] = [];
  for (const [term, rare] of rarity) {
    const isAnswered = answered.has(term);
    const least = Math.max(isAnswered ? WHERE.message : 0, nearby.get(term)?.get(at) ?? 0);
    if (counts.has(term) || isSingleHan(term))
      searched.push([term, rare, isSingleHan(term) ? least : WHERE.message]);
    else if (long.has(term) && starts.has(term.slice(0, 5))) searched.push([term, rare, least]);
    else {
      base += rare * least;
      firstBase += rare * (isAnswered ? WHERE.answered : least);
    }
  }
  return { base, firstBase, searched };
}

/**
 * Sums the weights of the words of a message's sentence `index` by their place. `touched`: any counts; `spoken`: one is
 * in the sentence itself.
 */
export function wordFitOf(
  units: readonly Unit[],
  terms: readonly ReadonlyMap<string, number>[],
  index: number,
  answered: { has(term: string): boolean },
  { base, firstBase, searched }: MessageWeights,
  { long }: QuestionWeights,
): { words: number; touched: boolean; spoken: boolean } {
  const unit = units[index] as Unit;
  const own = terms[index] as ReadonlyMap<string, number>;
  const lead = headingTermsOf(unit);
  let words = index === 0 ? firstBase : base;
  let touched = words > 0;
  let spoken = false;
  for (const [term, rarity, least] of searched) {
    let where: number = least;
    if (own.has(term) || (isSingleHan(term) && unit.text.includes(term))) where = WHERE.own;
    else if (lead.has(term)) where = WHERE.lead;
    else if (index === 0 && answered.has(term)) where = WHERE.answered;
    else if (terms[index - 1]?.has(term) || terms[index + 1]?.has(term)) where = WHERE.beside;
    if (where < PREFIX_MATCH && long.has(term) && someStartsWith(own.keys(), term.slice(0, 5)))
      where = PREFIX_MATCH;
    if (where > 0) touched = true;
    if (where >= PREFIX_MATCH) spoken = true;
    words += rarity * where;
  }
  return { words, touched, spoken };
}

function someStartsWith(terms: Iterable<string>, stem: string): boolean {
  for (const term of terms) if (term.startsWith(stem)) return true;
  return false;
}
