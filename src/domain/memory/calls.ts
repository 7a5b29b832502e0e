// Recognises calls on memory: words that refer to earlier talk between the person and the app ("as we
// agreed", 上次说的). Judged by the form of a sentence: a subject, a past verb of speaking or deciding,
// and no third person as the listener.
import { ABOUT_WORDS, CALL, FOR_OTHERS, OTHERS_WORDS } from '../text/cue-words/earlier-talk.ts';
import { ASKS_FOR_ADVICE, ASKS_OF_OWN_FACTS } from '../text/cue-words/own-facts.ts';
import { sentencesOf } from '../text/sentences.ts';

/**
 * Length of the beginning and of the end in which a call is looked for, characters; text in between is more often
 * pasted.
 */
const REACH = 800;
/** Longest sentence that is read, characters. */
const SENTENCE = 400;

/** Longest question about oneself, characters: a longer one brings its own matter along. */
const OWN_FACT = 120;

/** Replaces code, quotations and quoted lines of a text by an ellipsis. */
export const ownWords = (text: string): string => text.replace(/’/g, "'").replace(OTHERS_WORDS, ' … ');

/**
 * True if a message calls on earlier talks in so many words ("remember our …", "as we
 * agreed", 上次说的): then memory is always asked.
 */
export function refersToEarlierTalk(text: string): boolean {
  const near = text.length <= 2 * REACH ? text : `${text.slice(0, REACH)}\n${text.slice(-REACH)}`;
  return sentencesOf(ownWords(near)).some((sentence) => {
    const line = sentence.trim().slice(0, SENTENCE);
    if (ABOUT_WORDS.test(line)) return false;
    const others = FOR_OTHERS.exec(line);
    return CALL.test(others ? line.slice(0, others.index) : line);
  });
}

/**
 * True if all that a message does is to ask for a fact about the person ("what is my cat called?", 我对什么过敏):
 * nothing but memory can know it, so a passage that may be shown may also go along.
 */
export function asksOfOwnFacts(text: string): boolean {
  const line = ownWords(text.slice(0, OWN_FACT + 1)).trim();
  return line.length <= OWN_FACT && ASKS_OF_OWN_FACTS.test(line) && !ASKS_FOR_ADVICE.test(line);
}
