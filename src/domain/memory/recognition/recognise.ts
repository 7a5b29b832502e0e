// Recognises a person's sentences that are worth a memory note, their kind, and notes that apply
// to a request though no word is shared.
import type { Message } from '../../chat/message.ts';
import { MAX_SENTENCE, unitsOf } from '../../context/units.ts';
import { MATERIAL, PLAYED, QUOTATION } from '../../text/cue-words/lasting.ts';
import { hanShare, sentencesOf } from '../../text/sentences.ts';
import { type Head, probabilities } from './head.ts';
import { type NoteKind, SENTENCE_CLASSES, TOPICS, type Topic } from './kinds.ts';
import { cuesOf, kindByWords, kindOfTaste, saysNothingLasting, topicsByWords } from './wording.ts';

/** Heads trained for one embedding model. */
export interface Heads {
  readonly kinds: Head;
  readonly topics: Head;
}

/** Classification of a text. */
export interface Recognition {
  /** The likeliest kind; null if its wording shows that it is no note. */
  readonly kind: NoteKind | null;
  /** Probability that it is a note of any kind, 0–1. */
  readonly probability: number;
  /** Shares of `TOPICS`, adding up to 1. */
  readonly topics: readonly number[];
}

/** Threshold for a proposal: fewer than one in ten is wrong, on sentences kept apart. */
export const PROPOSED_FROM = 0.65;
/** Threshold for staying word for word through a compaction, where a wrong sentence only costs tokens. */
export const HELD_FROM = 0.4;
/** Probability that the words alone give. */
const BY_WORDS = 0.7;

/**
 * Classifies a text.
 * @param vector of length 1, made as a passage by the model that the heads were trained for; null: by the words alone
 */
export function recognise(text: string, vector: ArrayLike<number> | null, heads: Heads | null): Recognition {
  const fits = heads && vector && heads.kinds.width > vector.length && heads.topics.width > vector.length;
  if (!fits) {
    const kind = kindByWords(text);
    return { kind, probability: kind ? BY_WORDS : 0, topics: topicsByWords(text, TOPICS) };
  }
  const cues = cuesOf(text);
  const topics = probabilities(heads.topics, vector, cues);
  if (saysNothingLasting(text)) return { kind: null, probability: 0, topics };
  const [none = 1, ...kinds] = probabilities(heads.kinds, vector, cues);
  const best = SENTENCE_CLASSES[kinds.indexOf(Math.max(...kinds)) + 1] as NoteKind;
  return { kind: best === 'preference' ? kindOfTaste(text) : best, probability: 1 - none, topics };
}

/** Most sentences of one message that are read; of a long one the first and the last. */
const MOST = 16;
const LONGEST = 400;
/** Longer texts may be pasted rather than said, characters. */
const SAID = 1_500;
const EDGE = 6;

const saysSomething = (sentence: string): boolean =>
  sentence.length <= LONGEST &&
  (hanShare(sentence) > 0.3
    ? (sentence.match(/\p{L}/gu)?.length ?? 0) >= 4
    : (sentence.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= 3);

/** Stands for words of others in a text; no keyboard writes it. */
const LEFT_OUT = '\u{F8FF}';
const isLong = (quoted: string): boolean =>
  (quoted.match(/\p{Script=Han}/gu)?.length ?? 0) >= 6 || (quoted.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= 3;

/** Replaces quotations of some length, and a text to work on, which are not the person's own words. */
function withoutWordsOfOthers(text: string): string {
  const own = text.replace(QUOTATION, (quoted) => (isLong(quoted) ? LEFT_OUT : quoted));
  const given = MATERIAL.exec(own);
  return given ? own.slice(0, given.index) : own;
}

/** The person's own words of a message; the same message if all are. */
function ownWordsOf(message: Message): Message {
  let changed = false;
  const parts = message.parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = withoutWordsOfOthers(part.text);
    if (text === part.text) return part;
    changed = true;
    return { ...part, text };
  });
  return changed ? { ...message, parts } : message;
}

/**
 * Lists sentences of a person's message that may be worth a note, verbatim and in order; none of
 * anybody else's, none said in a role.
 */
export function statementsOf(message: Message): readonly string[] {
  if (message.role !== 'user' || message.kind !== 'message') return [];
  const prose = unitsOf(ownWordsOf(message)).filter(({ kind, quoted }) => kind === 'prose' && !quoted);
  const length = prose.reduce((sum, { text }) => sum + text.length, 0);
  const near = length <= SAID ? prose : [...prose.slice(0, EDGE), ...prose.slice(EDGE).slice(-EDGE)];
  const found = new Set<string>();
  for (const { text, sentence = text } of near)
    for (const said of sentence.length <= MAX_SENTENCE ? sentencesOf(sentence) : [])
      if (saysSomething(said) && !said.includes(LEFT_OUT)) found.add(said);
  if ([...found].some((said) => PLAYED.test(said))) return [];
  const all = [...found];
  return all.length <= MOST ? all : [...all.slice(0, MOST / 2), ...all.slice(-MOST / 2)];
}

// ---------------------------------------------------------------------------------------- what applies
/** A note applies from here on (docs/decisions/1302). */
const APPLIES_FROM = 0.22;
/** Weight of a topic that affects another without being the same: people who cannot walk far travel differently. */
const BEARS = 0.3;
const BEARS_ON: readonly (readonly [of: Topic, on: Topic])[] = [
  ['health', 'food'],
  ['health', 'travel'],
  ['people', 'food'],
  ['people', 'travel'],
  ['food', 'health'],
];
/** Cosine from which nearness of meaning counts, and its weight. */
const [NEAR, NEARNESS] = [0.25, 0.6];
/** A note on how the person wants to be answered applies to every request from this share on. */
const ALWAYS_FROM = 0.5;
const ANSWERS = TOPICS.indexOf('answers' satisfies Topic);
const NONE = TOPICS.indexOf('none' satisfies Topic);

interface Applying {
  readonly topics: readonly number[];
  readonly vector: ArrayLike<number> | null;
}

/** Degree to which a note applies to a request, from 0; 1 or more: to every request. Null: it does not. */
export function appliesTo(note: Applying & { readonly kind: NoteKind }, request: Applying): number | null {
  if ((note.kind === 'rule' || note.kind === 'preference') && (note.topics[ANSWERS] as number) >= ALWAYS_FROM)
    return 1 + (note.topics[ANSWERS] as number);
  let shared = 0;
  for (const [at, share] of note.topics.entries())
    if (at !== NONE) shared += share * (request.topics[at] as number);
  for (const [of, on] of BEARS_ON)
    shared +=
      BEARS * (note.topics[TOPICS.indexOf(of)] as number) * (request.topics[TOPICS.indexOf(on)] as number);
  const cosine = note.vector && request.vector ? dot(note.vector, request.vector) : 0;
  const score = Math.min(1, shared + NEARNESS * Math.max(0, cosine - NEAR));
  return score >= APPLIES_FROM ? score : null;
}

/** Dot product over the length of `a`; `b` is at least as long. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
