// Meaning scores for the search among compacted messages: relevance of whole messages, and nearness of single sentences.
import type { MessageId } from '../base/ids.ts';
import type { Message } from '../chat/message.ts';
import { isAcknowledgement } from '../text/cues.ts';
import { formOf, formsOf, LISTED } from './outputs.ts';
import { type Unit, unitsOf } from './units.ts';

/**
 * How much of a relevance is its share of the best one: a question in other words fits nothing well, and one message still best. Below
 * `LEAST_MEANT` nothing is meant at all.
 */
const OF_THE_BEST = 0.8;
const LEAST_MEANT = 0.005;
/** To thanks or "go on" a message is relevant from here on. */
const CLEARLY = 0.15;
/** A message that so many are more relevant than still counts half of the best by its place alone. */
const HALF_AT = 8;

/** Relevance as it counts where a sentence has the question's words, and where none has: then its place in the order tells more. */
export interface Meant {
  readonly beside: number;
  readonly alone: number;
}

export const NOT_MEANT: Meant = { beside: 0, alone: 0 };

/** How messages bear on a question. `isPlain`: the question means nothing that was said; then only what is clearly relevant counts. */
export function meantBy(
  question: string,
  relevance: ReadonlyMap<MessageId, number> | undefined,
): { readonly messages: ReadonlyMap<MessageId, Meant>; readonly isPlain: boolean } {
  let best = 0;
  for (const own of relevance?.values() ?? []) best = Math.max(best, own);
  const isPlain = best < LEAST_MEANT || isAcknowledgement(question);
  const ranked = [...(relevance ?? [])].sort((a, b) => b[1] - a[1]);
  const messages = new Map(
    ranked.map(([id, own], place) => {
      const blend = (share: number) => (1 - OF_THE_BEST) * own + OF_THE_BEST * share;
      return [
        id,
        isPlain
          ? own < CLEARLY
            ? NOT_MEANT
            : { beside: own, alone: own }
          : {
              beside: blend(own / best),
              alone: blend(Math.max(own / best, HALF_AT / (HALF_AT + place))),
            },
      ];
    }),
  );
  return { messages, isPlain };
}

/** So many sentences count by their own meaning; one that so many are nearer than still counts half of the nearest. */
const [NEAREST, HALF_NEAR] = [40, 5];
/** The share of a sentence's own meaning; its message has the rest. */
const OWN_MEANING = 0.7;

/** Weights of the sentences nearest to a question, by rank, 0–1. `near`: cosines. */
export const nearestOf = (near: ReadonlyMap<Unit, number> = new Map()): ReadonlyMap<Unit, number> =>
  new Map(
    [...near]
      .sort((a, b) => b[1] - a[1])
      .slice(0, NEAREST)
      .map(([unit], place) => [unit, HALF_NEAR / (HALF_NEAR + place)]),
  );

/** Meaning of a sentence: its message's and its own together. */
export function ownMeaning(message: Meant, unit: Unit, nearest: ReadonlyMap<Unit, number>): Meant {
  if (nearest.size === 0) return message;
  const own = OWN_MEANING * (nearest.get(unit) ?? 0);
  return {
    beside: (1 - OWN_MEANING) * message.beside + own,
    alone: (1 - OWN_MEANING) * message.alone + own,
  };
}

/** Lines of one form in an output, from here on, are not compared by meaning one by one. */
const OF_ONE_FORM = 2 * LISTED;

const comparable = new WeakMap<Message, readonly Unit[]>();

/** The sentences of a message that are worth comparing with a question by their own meaning; remembered with it. */
export function comparableIn(message: Message): readonly Unit[] {
  if (message.kind !== 'message' || message.role === 'system') return [];
  const known = comparable.get(message);
  if (known) return known;
  const units = unitsOf(message);
  const forms = formsOf(units.flatMap(({ kind, text }) => (kind === 'result' ? text : [])));
  const found = units.filter(
    ({ kind, text }) =>
      !isAcknowledgement(text) && (kind !== 'result' || (forms.get(formOf(text)) ?? 1) < OF_ONE_FORM),
  );
  comparable.set(message, found);
  return found;
}
