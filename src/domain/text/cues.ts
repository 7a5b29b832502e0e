// Reads a text's wording: its named people, its requests, the cues of its sentences. Rules instead of a model: they can
// miss, but they cost nothing and give the same answer every time.
import { COURTESY, MARK, OPENS, PARTICLE, VERB } from './cue-words/asking.ts';
import { COURTEOUS, CUES, type CueSet } from './cue-words/sentences.ts';
import { eachSentence } from './sentences.ts';

/** True for a text that ends in a question mark: it asks, and seldom answers. */
export function endsWithQuestionMark(text: string): boolean {
  const end = text.slice(-400);
  // This runs on a hundred texts for each question, and most have no question mark.
  if (!end.includes('?') && !end.includes('？')) return false;
  const lines = end.split('\n');
  while (lines.length > 1 && /^(?:\[image:[^\]]*\]?)?$/.test((lines.at(-1) as string).trim())) lines.pop();
  return MARK.test(lines.join('\n'));
}

/** True for a question, by its mark or by a Chinese particle. */
export const isQuestion = (text: string): boolean => endsWithQuestionMark(text) || PARTICLE.test(text);

const reader =
  ({ shows, longest = Infinity, asked }: CueSet) =>
  (text: string): boolean =>
    text.length <= longest &&
    (asked !== false || !isQuestion(text)) &&
    shows.some(([pattern, unless]) => pattern.test(text) && !unless?.test(text));

/** True for a sentence with which a person sets a rule. */
export const setsRule = reader(CUES.rule);
/** True for a person's sentence that states a limit without setting a rule in so many words. */
export const setsLimit = reader(CUES.limit);
export const makesSuggestion = reader(CUES.suggestion);
/** True for words that correct something said before. */
export const makesCorrection = reader(CUES.correction);
export const makesDecision = reader(CUES.decision);
export const leavesToDo = reader(CUES.task);
export const goesWrong = reader(CUES.failure);
export const getsFixed = reader(CUES.repair);
export const isAboutPerson = reader(CUES.person);
export const makesStatement = reader(CUES.statement);
const agrees = reader(CUES.acknowledgement);
/** From so many words, or Chinese characters behind a pause, on a text tells more than that somebody agrees. */
const [MORE_WORDS, MORE_HAN] = [3, 7];
function tellsMore(text: string): boolean {
  const han = text.replace(/^[^,，.。;；!！:：]*/u, '').match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = text.match(/[\p{Script=Latin}\p{N}'’-]+/gu) ?? [];
  return han >= MORE_HAN || words.filter((word) => !COURTEOUS.test(word)).length >= MORE_WORDS;
}
/** True for words that only agree, thank or say "go on": leaving them out loses nothing. */
export const isAcknowledgement = (text: string): boolean => agrees(text) && !tellsMore(text);
/** True for a question that asks for a time. */
export const asksWhen = reader(CUES.when);
/** True for a text that mentions a time. */
export const tellsTime = reader(CUES.time);
/** True for a model's sentence that asks for what it should know, or admits that it does not know it. */
export const asksBack = reader(CUES['asked back']);
const knowsNothing = reader(CUES['knows nothing']);
export const isDoneByPerson = reader(CUES['done by person']);
export const isDoneByAssistant = reader(CUES['done by assistant']);
export const turnsToAnother = reader(CUES['another subject']);
export const makesOffer = reader(CUES.offer);
export const makesRequest = reader(CUES.request);

/**
 * Characters of an answer that are read for whether it knows nothing, and of a sentence
 * that may be a mere "Oh, good question!".
 */
const [ITS_BEGINNING, EXCLAIMED] = [600, 24];
/**
 * True for an answer of a model that first of all says, after its courtesies, that it
 * never received the requested information.
 */
export function answersNothing(text: string): boolean {
  for (const sentence of eachSentence(text.slice(0, ITS_BEGINNING))) {
    if (knowsNothing(sentence)) return true;
    const says = sentence.trim();
    // Its first statement is its answer.
    if (!isQuestion(says) && !COURTESY.test(says) && (says.length > EXCLAIMED || /\d/.test(says)))
      return false;
    if (!isQuestion(says) && !COURTESY.test(says) && !/[!！~～]$/u.test(says)) return false;
  }
  return false;
}

const NAME =
  /^\s*(?:\*\*|【)?((?:[\p{Lu}][\p{L}'’.-]*(?: [\p{Lu}][\p{L}'’.-]*){0,2})|\p{Script=Han}{2,4})(?:\*\*|】)?\s?(?:：|:\s)/u;

/** Finds the speaker of a text that opens with a name and a colon, as chats of several people do; null for none. */
export function speakerIn(text: string): string | null {
  const start = text.slice(0, 64);
  return start.includes(':') || start.includes('：') ? (NAME.exec(start)?.[1] ?? null) : null;
}

/** True if the question names this person. */
export function isNamed(speaker: string, question: string): boolean {
  const wanted = speaker.toLowerCase();
  const asked = question.toLowerCase();
  for (let at = asked.indexOf(wanted); at >= 0; at = asked.indexOf(wanted, at + 1)) {
    if (/^\p{Script=Han}/u.test(wanted)) return true;
    const [before, after] = [asked[at - 1] ?? ' ', asked[at + wanted.length] ?? ' '];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** Most words, and most characters for Han, of a query made of key words. */
const [KEY_WORDS, KEY_CHARACTERS] = [6, 14];
/**
 * True if a text is typed to ask, with or without a question mark: a question, a request for
 * information or a summary, or a few key words.
 */
export function asksInWords(text: string): boolean {
  const line = text.trim();
  if (endsWithQuestionMark(line)) return true;
  if (line.length > 160 || /[.!。！;；]\s*\S/u.test(line)) return false;
  if (OPENS.test(line)) return true;
  if (/[.!。！:：]$/u.test(line) || VERB.test(line)) return false;
  const words = line.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}'’-])+/gu) ?? [];
  return words.length <= (/\p{Script=Han}/u.test(line) ? KEY_CHARACTERS : KEY_WORDS);
}
