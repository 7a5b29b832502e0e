// Lanes by speaker: the person, the assistant, a tool, named others in a chat of friends. Long answers
// crowd out the few words that they answer, so a lane with most of the results shares the usual demand for
// it, and a question may ask for one lane.
import type { Role } from '../chat/message.ts';
import {
  ASKS_FOR_ALL,
  ASKS_FOR_ASSISTANT,
  ASKS_FOR_PERSON,
  ASKS_FOR_TOOL,
} from '../text/cue-words/asked-speaker.ts';
import { speakerIn } from '../text/cues.ts';
import type { Fit } from './fit.ts';

export type Lane = 'person' | 'assistant' | 'tool' | 'others';

/** Fields of a candidate that show its lane. */
interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
}

/** A name that opens so many of the messages found is a speaker; fewer times it is a word with a colon. */
const LEAST_MESSAGES = 3;

/**
 * Lane that a question asks for: `all` for a summary, null if it does not say. A question that names
 * the assistant's part may still say "I".
 */
export function laneAskedFor(question: string): Exclude<Lane, 'others'> | 'all' | null {
  if (ASKS_FOR_ALL.test(question)) return 'all';
  if (ASKS_FOR_TOOL.test(question)) return 'tool';
  if (ASKS_FOR_ASSISTANT.test(question)) return 'assistant';
  return ASKS_FOR_PERSON.test(question) ? 'person' : null;
}

/** Returns each candidate's lane, and its worth for this question in log odds. */
export function lanesOf(
  candidates: readonly Said[],
  question: string,
  { lanes: fit }: Fit,
): { readonly of: (candidate: Said) => Lane; readonly logOdds: (lane: Lane) => number } {
  const names = new Map<string, Set<string>>();
  for (const { text, messageId } of candidates) {
    const name = speakerIn(text);
    if (name !== null) names.set(name, (names.get(name) ?? new Set()).add(messageId));
  }
  const of = ({ text, role }: Said): Lane => {
    if (role === 'tool') return 'tool';
    const name = speakerIn(text);
    if (name !== null && (names.get(name)?.size ?? 0) >= LEAST_MESSAGES) return 'others';
    return role === 'assistant' ? 'assistant' : 'person';
  };
  const { usual } = fit;
  const count = { person: usual, assistant: usual * fit.assistant, tool: usual * fit.tool, others: 0 };
  for (const candidate of candidates) count[of(candidate)] += 1;
  const asked = laneAskedFor(question);
  const logOdds = (lane: Lane): number => {
    if (lane === 'others' || asked === 'all') return 0;
    // The requested lane gains nothing: a question about something else must stay without an answer.
    if (lane === asked) return 0;
    const crowded = lane === 'person' ? 0 : Math.log((fit[lane] * count.person) / count[lane]);
    return Math.min(0, crowded) - (asked === null ? 0 : fit.asked);
  };
  return { of, logOdds };
}
