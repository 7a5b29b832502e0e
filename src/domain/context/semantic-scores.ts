// Combines meaning scores for the search among compacted messages: relevance of whole
// messages, and nearness of single sentences.
import type { MessageId } from '../base/ids.ts';
import type { Message } from '../chat/message.ts';
import { isAcknowledgement } from '../text/cues.ts';
import { countLineForms, LIST_FROM, lineFormOf } from './outputs.ts';
import { type Unit, unitsOf } from './units.ts';

/**
 * Weight of a relevance's share of the best one: a question in other words fits nothing well, but one message still
 * fits best. Below `LEAST_RELEVANT` nothing counts.
 */
const OF_THE_BEST = 0.8;
const LEAST_RELEVANT = 0.005;
/** For thanks or "go on", a message is relevant from here on. */
const CLEARLY = 0.15;
/** By its rank alone, a message with so many before it counts half as much as the best. */
const HALF_AT = 8;

/** Relevance if a sentence has the question's words, and if none has: then its rank says more. */
export interface SemanticScore {
  readonly withWords: number;
  readonly alone: number;
}

export const NO_SEMANTIC_SCORE: SemanticScore = { withWords: 0, alone: 0 };

/**
 * Computes how relevant messages are to a question. `isPlain`: the question means nothing
 * earlier; then only clear relevance counts.
 */
export function semanticScoresOf(
  question: string,
  relevance: ReadonlyMap<MessageId, number> | undefined,
): { readonly messages: ReadonlyMap<MessageId, SemanticScore>; readonly isPlain: boolean } {
  let best = 0;
  for (const own of relevance?.values() ?? []) best = Math.max(best, own);
  const isPlain = best < LEAST_RELEVANT || isAcknowledgement(question);
  const ranked = [...(relevance ?? [])].sort((a, b) => b[1] - a[1]);
  const messages = new Map(
    ranked.map(([id, own], place) => {
      const blend = (share: number) => (1 - OF_THE_BEST) * own + OF_THE_BEST * share;
      return [
        id,
        isPlain
          ? own < CLEARLY
            ? NO_SEMANTIC_SCORE
            : { withWords: own, alone: own }
          : {
              withWords: blend(own / best),
              alone: blend(Math.max(own / best, HALF_AT / (HALF_AT + place))),
            },
      ];
    }),
  );
  return { messages, isPlain };
}

/**
 * Most sentences that count by their own meaning, half as many of one lane; the rank at which
 * one counts half as much as the nearest.
 */
const [NEAREST, HALF_NEAR] = [40, 5];
/** Share of a sentence's own meaning; its message has the rest. */
const OWN_MEANING = 0.7;

/**
 * Weights of the sentences nearest to a question, 0–1: half by rank among all, half by rank among those of their lane.
 * Lines of output and code are never as near to a question as prose is, whichever of them answers it. `near`: cosines.
 */
export function nearnessWeights(
  near: ReadonlyMap<Unit, number> = new Map(),
  laneOf: (unit: Unit) => string = () => '',
): ReadonlyMap<Unit, number> {
  const weights = new Map<Unit, number>();
  const seen = new Map<string, number>();
  for (const [place, [unit]] of [...near].sort((a, b) => b[1] - a[1]).entries()) {
    const lane = laneOf(unit);
    const within = seen.get(lane) ?? 0;
    seen.set(lane, within + 1);
    const weight = (weightAt(place, NEAREST) + weightAt(within, NEAREST / 2)) / 2;
    if (weight > 0) weights.set(unit, weight);
  }
  return weights;
}

/** Weight of a rank; 0 from `most` on. */
const weightAt = (place: number, most: number): number =>
  place < most ? HALF_NEAR / (HALF_NEAR + place) : 0;

/** Finds the lane of a sentence of these messages: who said it, or `tool` for a line of output or code. */
export function laneFinder(messages: readonly Message[]): (unit: Unit) => string {
  const speakers = new Map<Unit, string>();
  for (const message of messages)
    for (const unit of comparableUnits(message))
      speakers.set(unit, unit.kind === 'prose' ? message.role : 'tool');
  return (unit) => speakers.get(unit) ?? '';
}

/** Combines the meaning of a sentence's message and its own. */
export function withOwnScore(
  message: SemanticScore,
  unit: Unit,
  nearest: ReadonlyMap<Unit, number>,
): SemanticScore {
  if (nearest.size === 0) return message;
  const own = OWN_MEANING * (nearest.get(unit) ?? 0);
  return {
    withWords: (1 - OWN_MEANING) * message.withWords + own,
    alone: (1 - OWN_MEANING) * message.alone + own,
  };
}

/** From so many lines of one form on, an output's lines are not compared by meaning. */
const OF_ONE_FORM = 2 * LIST_FROM;

const comparable = new WeakMap<Message, readonly Unit[]>();

/** Lists the sentences of a message that are worth comparing with a question by their own meaning; cached with it. */
export function comparableUnits(message: Message): readonly Unit[] {
  if (message.kind !== 'message' || message.role === 'system') return [];
  const known = comparable.get(message);
  if (known) return known;
  const units = unitsOf(message);
  const forms = countLineForms(units.flatMap(({ kind, text }) => (kind === 'result' ? text : [])));
  const found = units.filter(
    ({ kind, text }) =>
      !isAcknowledgement(text) && (kind !== 'result' || (forms.get(lineFormOf(text)) ?? 1) < OF_ONE_FORM),
  );
  comparable.set(message, found);
  return found;
}
