// Classifies a sentence by its wording, without a model: cues that a head weighs beside the vector, and cues that
// decide alone.
import {
  ASKED_TO_KEEP,
  BY_WORDS,
  IMAGINED,
  ITS_PERSON,
  NODDING,
  NOT_BORNE,
  OF_OTHERS,
  OWN,
  PASSING,
  REPORTED,
  REQUESTS,
  SHOWN,
  TOPIC_WORDS,
} from '../../text/cue-words/lasting.ts';
import { isAboutPerson, isQuestion, makesDecision, setsRule } from '../../text/cues.ts';
import type { NoteKind, Topic } from './kinds.ts';

/** 1 for each cue that matches, else 0. The heads depend on the order. */
export const cuesOf = (sentence: string): readonly number[] =>
  [
    isQuestion(sentence),
    setsRule(sentence),
    isAboutPerson(sentence),
    makesDecision(sentence),
    REQUESTS.test(sentence),
    OWN.test(sentence),
  ].map(Number);

/** True for a sentence that is no note whatever a model says: a question, hearsay, a supposition, a story, a moment. */
export const saysNothingLasting = (sentence: string): boolean =>
  (isQuestion(sentence) && !NODDING.test(sentence)) ||
  REPORTED.test(sentence) ||
  IMAGINED.test(sentence) ||
  SHOWN.test(sentence) ||
  PASSING.test(sentence) ||
  (OF_OTHERS.test(sentence) && !ITS_PERSON.test(sentence));

/** Kind of a sentence by its words alone, for a device without a model; null if they do not show one. */
export function kindByWords(sentence: string): NoteKind | null {
  if (saysNothingLasting(sentence) || REQUESTS.test(sentence)) return null;
  if (setsRule(sentence)) return 'rule';
  const kind = BY_WORDS.find(([, pattern]) => pattern.test(sentence))?.[0] ?? null;
  return kind === 'preference' ? kindOfTaste(sentence) : kind;
}

/** Kind of a sentence that may be taken for a taste: an allergy is a fact, however it is put. */
export const kindOfTaste = (sentence: string): NoteKind => (NOT_BORNE.test(sentence) ? 'fact' : 'preference');

/** Topics of a text by its words, a share for each of `TOPICS`; all of it `none` if no word shows one. */
export function topicsByWords(text: string, topics: readonly Topic[]): number[] {
  const found = TOPIC_WORDS.filter(([, pattern]) => pattern.test(text)).map<Topic>(([topic]) => topic);
  return topics.map((topic) =>
    found.length === 0 ? Number(topic === 'none') : found.includes(topic) ? 1 / found.length : 0,
  );
}

/** Fewest letters of a note's words, a Chinese character counts as two. */
const LEAST_LETTERS = 6;

/** Words of a sentence that a note needs: without "remember:", 请记住： and the like in front. */
export function wordsToKeep(sentence: string): string {
  const opening = ASKED_TO_KEEP.exec(sentence)?.[0];
  if (opening === undefined) return sentence;
  const rest = sentence.slice(opening.length).trim();
  const letters = rest.match(/\p{L}/gu) ?? [];
  const count = letters.reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 2 : 1), 0);
  return count < LEAST_LETTERS ? sentence : rest.charAt(0).toUpperCase() + rest.slice(1);
}
