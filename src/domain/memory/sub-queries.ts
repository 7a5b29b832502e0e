// Splits a long message into its questions and statements: searched as a whole, the
// topic with the most words would win.

import { endsWithQuestionMark, speakerIn } from '../text/cues.ts';
import { hanShare, sentencesOf } from '../text/sentences.ts';
import { queryWords } from '../text/words.ts';
import { ownWords } from './calls.ts';

/** A shorter message has one topic, letters; a Chinese character counts as two. */
const LONG = 700;
const HAN_LETTERS = 2;
/** Most parts, and the longest that is read, characters. */
const [MOST, LONGEST] = [5, 400];
/** Fewest search words of a part: fewer match by chance. */
const LEAST_WORDS = 3;

const wordCount = (text: string): number => new Set(queryWords(text).split(' ').filter(Boolean)).size;

/**
 * Lists the questions of a long message, each with the sentence before it, then its paragraphs; the five most telling,
 * in its order, without code and quotations. None if it is short, of one topic, or a talk of several people.
 */
export function subQueriesOf(message: string): readonly string[] {
  const own = ownWords(message);
  const length = own.length * (hanShare(own) > 0.3 ? HAN_LETTERS : 1);
  if (length < LONG) return [];
  const paragraphs = own
    .split(/\n+/)
    .map(sentencesOf)
    .filter((sentences) => sentences.length > 0);
  if (paragraphs.filter(([first = '']) => speakerIn(first) !== null).length > 1) return [];
  const parts = paragraphs.flatMap((sentences) => {
    const asked = sentences.flatMap((sentence, at) =>
      endsWithQuestionMark(sentence)
        ? [{ text: [...sentences.slice(Math.max(0, at - 1), at), sentence].join(' '), asks: true }]
        : [],
    );
    return asked.length > 0 ? asked : [{ text: sentences.join(' '), asks: false }];
  });
  const telling = parts
    .map((part, at) => ({ ...part, text: part.text.slice(-LONGEST), at }))
    .map((part) => ({ ...part, words: wordCount(part.text) }))
    .filter(({ words }) => words >= LEAST_WORDS);
  const chosen = [...telling]
    .sort((a, b) => Number(b.asks) - Number(a.asks) || (a.asks ? a.at - b.at : b.words - a.words))
    .slice(0, MOST)
    .sort((a, b) => a.at - b.at);
  return chosen.length > 1 ? chosen.map(({ text }) => text) : [];
}

/**
 * Merges several rankings, best first: each keeps its order, and an item of several rankings stands at its best place.
 */
export function mergeRankings<
  S extends { readonly candidate: { readonly chunkId: number }; readonly scores: { readonly final: number } },
>(rankings: readonly (readonly S[])[]): S[] {
  const places = rankings.map(() => 0);
  const seen = new Set<number>();
  const all: S[] = [];
  for (;;) {
    let best = -1;
    for (const [at, ranking] of rankings.entries()) {
      const here = ranking[places[at] as number]?.scores.final;
      const there = rankings[best]?.[places[best] as number]?.scores.final;
      if (here !== undefined && (there === undefined || here > there)) best = at;
    }
    const place = places[best] ?? 0;
    const next = rankings[best]?.[place];
    if (!next) return all;
    places[best] = place + 1;
    if (!seen.has(next.candidate.chunkId)) all.push(next);
    seen.add(next.candidate.chunkId);
  }
}
