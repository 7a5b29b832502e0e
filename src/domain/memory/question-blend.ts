// Blends a question of several lines: its last line is the actual question, the lines before it are its background.
// So the last line is read once more alone, and the vector of the whole is moved towards it.

import { queryWords } from '../text/words.ts';
import type { QueryTokenVectors } from './late.ts';

/** Share of the last line: 0 is the whole alone, 1 the last line alone. Values from 0.15 to 0.35 help about equally. */
const BLEND = 0.25;
/** Most token vectors of both that are kept: those with the most weight. */
const MOST_TOKEN_VECTORS = 40;
/** A last line with fewer search words ("thanks!", a closing bracket) asks nothing. */
const LEAST_WORDS = 2;

/** A question as a model read it: a vector of length 1, and token vectors if the model has them. */
export interface QuestionRead extends Partial<QueryTokenVectors> {
  readonly vector: Float32Array;
}

/** Returns the last line of a question with several; null if it has one line, or its last asks nothing. */
export function lastLineOf(question: string): string | null {
  const lines = question.split('\n').flatMap((line) => line.trim() || []);
  const last = lines.at(-1);
  if (last === undefined || lines.length < 2) return null;
  return queryWords(last).split(' ').filter(Boolean).length >= LEAST_WORDS ? last : null;
}

/** Blends both into one vector of length 1, with the weightiest token vectors of both. */
export function blendQuestion(whole: QuestionRead, last: QuestionRead): QuestionRead {
  const vector = whole.vector.map((value, at) => (1 - BLEND) * value + BLEND * (last.vector[at] ?? 0));
  const length = Math.hypot(...vector);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) / length;
  const tokenVectors = [...tokenVectorsOf(whole, 1 - BLEND), ...tokenVectorsOf(last, BLEND)]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_TOKEN_VECTORS);
  const width = tokenVectors[0]?.token.length ?? 0;
  const tokens = new Float32Array(tokenVectors.length * width);
  tokenVectors.forEach(({ token }, at) => {
    tokens.set(token, at * width);
  });
  return { vector, tokens, weights: Float32Array.from(tokenVectors, ({ weight }) => weight) };
}

/** Returns the token vectors with their share of `total`. */
function tokenVectorsOf(
  { tokens, weights }: QuestionRead,
  total: number,
): { token: Float32Array; weight: number }[] {
  const sum = weights?.reduce((all, weight) => all + weight, 0) ?? 0;
  if (!tokens || !weights || !(sum > 0)) return [];
  const width = tokens.length / weights.length;
  return [...weights].map((weight, at) => ({
    token: tokens.subarray(at * width, (at + 1) * width),
    weight: (total * weight) / sum,
  }));
}
