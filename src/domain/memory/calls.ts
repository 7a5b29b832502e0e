// Recognises calls on memory: words that refer to earlier talk between the person and the app ("as we
// agreed", 上次说的). Judged by the form of a sentence: a subject, a past verb of speaking or deciding,
// and no third person as the listener.
import { ABOUT_WORDS, CALL, FOR_OTHERS, OTHERS_WORDS } from '../text/cue-words/earlier-talk.ts';
import { sentencesOf } from '../text/sentences.ts';

/**
 * Length of the beginning and of the end in which a call is looked for, characters; text in between is more often
 * pasted.
 */
const REACH = 800;
/** Longest sentence that is read, characters. */
const SENTENCE = 400;

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
