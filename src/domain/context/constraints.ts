// Finds the rules that a person set, sentence by sentence.
import type { Message } from '../chat/message.ts';
import { setsRule } from '../text/cues.ts';
import { endsAbbreviated, sentencesOf } from '../text/sentences.ts';
import { unitsOf } from './units.ts';

/**
 * Longer texts may be pasted rather than said: a page of pasted rules is not carried from
 * one request to the next, characters.
 */
const SAID = 1_500;
/** Most rules of such a text that are carried; and most characters of those outside its first and last sentences. */
const MOST_RULES = 16;
const MOST_BETWEEN = 2_000;
/** Count of first and last sentences of a text, in which people say what the rest is for. */
const EDGE = 6;
const constraintCache = new WeakMap<Message, readonly string[]>();

const sentences = (text: string): string[] => {
  const cut = sentencesOf(text);
  return cut.some(endsAbbreviated) ? [text] : cut;
};

/**
 * Picks from many rules those at the edges, and of the others the first, in order. `rules`: true for those at an edge.
 */
function foremost(rules: ReadonlyMap<string, boolean>): string[] {
  let between = MOST_RULES - [...rules.values()].filter(Boolean).length;
  let charactersLeft = MOST_BETWEEN;
  return [...rules].flatMap(([text, edge]) => {
    if (edge) return [text];
    if (between <= 0 || text.length > charactersLeft) return [];
    between -= 1;
    charactersLeft -= text.length;
    return [text];
  });
}

/**
 * Lists the sentences of a message in which the person sets rules, verbatim and in
 * order. Empty for anyone else's messages.
 */
export function constraintsOf(message: Message): readonly string[] {
  if (message.role !== 'user' || message.kind !== 'message') return [];
  const known = constraintCache.get(message);
  if (known) return known;
  const prose = unitsOf(message).filter(({ kind, quoted }) => kind === 'prose' && !quoted);
  const length = prose.reduce((sum, { text }) => sum + text.length, 0);
  const rules = new Map<string, boolean>();
  for (const [at, { text, sentence = text }] of prose.entries()) {
    const edge = length <= SAID || at < EDGE || at >= prose.length - EDGE;
    // If one unit holds several sentences, only those that set a rule have to be carried.
    for (const said of setsRule(sentence) || sentence.length > 40 ? sentences(sentence) : [])
      if (setsRule(said)) rules.set(said, (rules.get(said) ?? false) || edge);
  }
  const found = length <= SAID ? [...rules.keys()] : foremost(rules);
  constraintCache.set(message, found);
  return found;
}
