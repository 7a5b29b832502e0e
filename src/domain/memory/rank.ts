// From candidates to passages: two searches on one scale, a probability, age, and a fair choice. Pure arithmetic.
import { FIT } from './fit.ts';
import { cjkShare } from './sentences.ts';

/** How a model's cosines read; see the embedding contract. */
export interface CosineScale {
  readonly related: number;
  readonly spread: number;
}

/** What of a candidate is needed to rank it. */
export interface Rankable {
  readonly messageId: string;
  readonly conversationId: string;
  readonly text: string;
  /** ms since 1970 */
  readonly createdAt: number;
  /** null without a vector. */
  readonly cosine: number | null;
  /** 0 where no word matched. */
  readonly bm25: number;
}

/** The numbers behind a rank; a type and not an interface, so that they can be written to the log as they are. */
export type Scores = {
  readonly vector: number | null;
  readonly keyword: number | null;
  readonly hybrid: number;
  readonly decay: number;
  readonly final: number;
};

export interface Scored<C extends Rankable> {
  readonly candidate: C;
  readonly scores: Scores;
}

export interface RankContext {
  readonly weights: { readonly vector: number; readonly keyword: number };
  /** Absent: no vector half. */
  readonly scale?: CosineScale;
  /** Distinct search words in it; 0: no keyword half. */
  readonly terms: number;
  /** Chunks in the library: a rare word weighs more in a large one. */
  readonly librarySize: number;
  /** Per day. */
  readonly decayFactor: number;
  /** ms since 1970 */
  readonly now: number;
}

const DAY = 86_400_000;
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** True for a text written mostly in Chinese or Japanese. */
export const isHan = (text: string): boolean => cjkShare(text.slice(0, 2_000)) > 0.3;

/** Whether a model that knows `languages` can be asked about this text. Scripts are all that is looked at: Latin counts as known. */
export const knows = (languages: readonly string[] | 'any', text: string): boolean =>
  languages === 'any' || languages.some((language) => ['zh', 'ja', 'ko'].includes(language)) || !isHan(text);

/** A cosine on the 0–1 scale that is the same for every model: 0.5 where a person calls two texts related in half of the cases. */
export const vectorHalf = (cosine: number, { related, spread }: CosineScale): number =>
  logistic((cosine - related) / (spread * FIT.vectorSoftness));

/**
 * BM25 on an absolute 0–1 scale: the share of what a query with so many terms could reach if every one were as rare as a word can be
 * in a library of this size, saturating. Does not depend on the other candidates, and hardly on the library's size.
 */
export function keywordHalf(bm25: number, terms: number, librarySize: number): number {
  if (bm25 <= 0 || terms <= 0) return 0;
  const reach = FIT.keywordGain * Math.log(2 + librarySize) * terms ** FIT.keywordLength;
  const share = bm25 / reach;
  return share / (share + FIT.keywordHalf);
}

/** Weighted sum of the halves. A half that is impossible (null) leaves the whole weight to the other. */
export function hybridOf(
  vector: number | null,
  keyword: number | null,
  weights: { vector: number; keyword: number },
): number {
  if (vector === null) return keyword ?? 0;
  if (keyword === null) return vector;
  const sum = weights.vector + weights.keyword;
  if (sum <= 0) return (vector + keyword) / 2;
  return (weights.vector * vector + weights.keyword * keyword) / sum;
}

/** Probability that a person calls the passage related, before its age. `wordsOnly`: the hybrid is its keyword half. */
export function probabilityOf(hybrid: number, wordsOnly = false): number {
  const { slope, intercept } = wordsOnly ? FIT.keyword : FIT.hybrid;
  return logistic(slope * hybrid + intercept);
}

/** exp(-factor · days); 1 for the future and for unknown times. */
export function decayOf(createdAt: number, now: number, factor: number): number {
  if (createdAt <= 0 || createdAt >= now) return 1;
  return Math.exp((-factor * (now - createdAt)) / DAY);
}

/**
 * Decay lowers the odds, not the probability: of two equal passages the newer wins, a doubtful old one falls below the threshold,
 * and an exact answer of last year still passes.
 */
export function withDecay(probability: number, decay: number): number {
  const odds = probability * decay;
  const all = odds + 1 - probability;
  return all > 0 ? odds / all : 0;
}

/** Every candidate with all its numbers, best first; equal ones newest first. */
export function rank<C extends Rankable>(candidates: readonly C[], context: RankContext): Scored<C>[] {
  const { scale, terms, weights } = context;
  return candidates
    .map((candidate) => {
      const vector = scale && candidate.cosine !== null ? vectorHalf(candidate.cosine, scale) : null;
      const keyword = terms > 0 ? keywordHalf(candidate.bm25, terms, context.librarySize) : null;
      const hybrid = hybridOf(vector, keyword, weights);
      const decay = decayOf(candidate.createdAt, context.now, context.decayFactor);
      return {
        candidate,
        scores: {
          vector,
          keyword: candidate.bm25 > 0 ? keyword : null,
          hybrid,
          decay,
          final: withDecay(probabilityOf(hybrid, vector === null), decay),
        },
      };
    })
    .sort(
      (a, b) =>
        b.scores.final - a.scores.final ||
        b.candidate.createdAt - a.candidate.createdAt ||
        (a.candidate.messageId < b.candidate.messageId ? -1 : 1),
    );
}

const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** One passage a message, one of each wording, at most `perConversation` of each conversation; order kept. */
export function distinct<C extends Rankable>(
  ranked: readonly Scored<C>[],
  perConversation: number,
): Scored<C>[] {
  const messages = new Set<string>();
  const wordings = new Set<string>();
  const taken = new Map<string, number>();
  return ranked.filter(({ candidate }) => {
    const wording = squeezed(candidate.text);
    const already = taken.get(candidate.conversationId) ?? 0;
    if (messages.has(candidate.messageId) || wordings.has(wording) || already >= perConversation)
      return false;
    messages.add(candidate.messageId);
    wordings.add(wording);
    taken.set(candidate.conversationId, already + 1);
    return true;
  });
}

/** Those at or above the threshold and the near misses below it, at most `limit` of each. */
export function choose<C extends Rankable>(
  ranked: readonly Scored<C>[],
  options: { readonly threshold: number; readonly limit: number; readonly perConversation: number },
): { hits: Scored<C>[]; nearMisses: Scored<C>[] } {
  const kept = distinct(ranked, options.perConversation);
  return {
    hits: kept.filter(({ scores }) => scores.final >= options.threshold).slice(0, options.limit),
    nearMisses: kept.filter(({ scores }) => scores.final < options.threshold).slice(0, options.limit),
  };
}

/**
 * Divides a budget among wants so that no one gets more than it wants and the small ones are served first: the largest share that,
 * given to all, still fits. Sum of the result <= max(budget, 0).
 */
export function shareOut(wants: readonly number[], budget: number): number[] {
  let left = Math.max(0, budget);
  const order = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  const shares = new Array<number>(wants.length).fill(0);
  order.forEach(({ want, index }, done) => {
    const share = Math.min(want, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
