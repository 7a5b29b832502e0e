// Tells if a message calls on earlier talks or asks for an overview: by the form of its sentences,
// and, where the message has a vector, by a learnt head as well (docs/decisions/1805).
import { CALLING_CUES, SAID_WORDS } from '../../text/cue-words/calling.ts';
import { refersToEarlierTalk } from '../calls.ts';
import { type Breadth, breadthOf, MAX_OVERVIEW } from '../overview.ts';
import { type Head, probabilities } from '../recognition/head.ts';

/** Classes of the head, in its order: nothing of memory, a call for one thing, a call for an overview. */
export const CALLING_CLASSES = ['none', 'call', 'overview'] as const;

/** A head that was trained for one embedding model, with the words that it weighs. */
export interface CallingHead {
  readonly head: Head;
  readonly words: readonly string[];
}

/** A message as a request to memory. */
export interface AskedOfMemory {
  /** It calls on earlier talks between the person and the app. */
  readonly calls: boolean;
  /** Kind of overview that it asks for; null: none. */
  readonly breadth: Breadth | null;
}

/** Probability from which the head decides alone, and from which it agrees with a form. */
const [ALONE_FROM, AGREES_FROM] = [0.85, 0.1];
/**
 * Probability of an overview that no form tells, which must be a call, too. The forms of overviews are
 * rarely wrong, so the head denies none.
 */
const OVERVIEW_FROM = 0.6;
/** Weight of one word or mark beside the vector, chosen by the taught sentences. */
const WORD = 2;

/** Words of a message and pairs of neighbouring words, with `^` before the first and `$` behind the last. */
export function wordPairs(text: string): ReadonlySet<string> {
  const said = ['^', ...(text.toLowerCase().replace(/’/g, "'").match(SAID_WORDS) ?? []), '$'];
  const found = new Set<string>(said);
  for (let at = 1; at < said.length; at++) found.add(`${said[at - 1]} ${said[at]}`);
  return found;
}

/** Numbers of a message that the head weighs beside its vector. The heads depend on the order. */
export function callingCues(text: string, words: readonly string[]): number[] {
  const pairs = wordPairs(text);
  return [
    ...CALLING_CUES.map((cue) => Number(cue.test(text))),
    ...words.map((word) => WORD * Number(pairs.has(word))),
  ];
}

/**
 * Decides what a message asks of memory. Without a vector or a head, and for a long message, its forms decide.
 * @param vector of length 1, made as a question by the model that the head was trained for; null: there is none
 */
export function askedOfMemory(
  text: string,
  vector: ArrayLike<number> | null,
  calling: CallingHead | null,
): AskedOfMemory {
  const breadth = breadthOf(text);
  const byForm = { calls: refersToEarlierTalk(text), breadth };
  const width = calling && vector ? vector.length + CALLING_CUES.length + calling.words.length + 1 : 0;
  if (!calling || !vector || text.length > MAX_OVERVIEW || calling.head.width !== width) return byForm;
  const [none = 1, , overview = 0] = probabilities(calling.head, vector, callingCues(text, calling.words));
  const calls = 1 - none >= (byForm.calls ? AGREES_FROM : ALONE_FROM);
  // The best passages stay in their order: spread over conversations for the head's word alone,
  // a set of questions found less (decision 1805).
  const likely = overview >= OVERVIEW_FROM && 1 - none >= ALONE_FROM ? 'best' : null;
  return { calls, breadth: breadth ?? likely };
}
