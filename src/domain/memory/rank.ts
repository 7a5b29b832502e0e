// From candidates to passages: two searches on one scale, a probability, age, and a fair choice. Pure arithmetic.
import { asks, asksWhen, isNamed, speakerIn, tellsTime } from './cues.ts';
import { datesIn } from './dates.ts';
import { FIT, type Fit } from './fit.ts';
import { cjkShare } from './sentences.ts';

/** How a model's cosines read; see the embedding contract. */
export interface CosineScale {
  readonly related: number;
  readonly spread: number;
}

/** What of a candidate is needed to rank it. */
export interface Rankable {
  readonly chunkId: number;
  readonly messageId: string;
  readonly conversationId: string;
  readonly text: string;
  /** ms since 1970 */
  readonly createdAt: number;
  /** null without a vector. */
  readonly cosine: number | null;
  /** What each of the question's words adds to its BM25, in their order; 0 or missing where a word is not in it. */
  readonly terms: readonly number[];
  /** Late interaction, where it was computed; see `late.ts`. */
  readonly late?: number | null;
  /** The chunks said right before and after it, where there are any; they count where they are among the candidates. */
  readonly previous?: number | null;
  readonly next?: number | null;
  /** A memory note of the person's own: ranks above passages. */
  readonly note?: boolean;
}

/** What raised or lowered a score: a factor on it, and its name for the recall card. */
export type Boost = {
  readonly name: 'speaker' | 'question' | 'time' | 'date' | 'context' | 'note' | 'pin' | 'not-related';
  readonly factor: number;
};

/** The numbers behind a rank; a type and not an interface, so that they can be written to the log as they are. */
export type Scores = {
  readonly vector: number | null;
  readonly keyword: number | null;
  /** Late interaction, 0–1; null where it was not computed. */
  readonly late: number | null;
  readonly hybrid: number;
  readonly decay: number;
  readonly boosts: readonly Boost[];
  readonly final: number;
};

export interface Scored<C extends Rankable> {
  readonly candidate: C;
  readonly scores: Scores;
}

/** What a person said of earlier hits. Ids are of messages. */
export interface Feedback {
  readonly pinned: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  /** Not related to this very question. */
  readonly notRelated: ReadonlySet<string>;
}

export interface RankContext {
  readonly weights: { readonly vector: number; readonly keyword: number };
  /** Absent: no vector half. */
  readonly scale?: CosineScale;
  /** What each of the question's words is worth where it stands alone, in the order of `terms`; empty: no keyword half. */
  readonly worth: readonly number[];
  /** As asked: it may name a speaker, ask when, or tell a date. */
  readonly question: string;
  /** Per day. */
  readonly decayFactor: number;
  /** ms since 1970 */
  readonly now: number;
  readonly feedback?: Feedback;
  /** Leaves parts of the ranking away, to measure what each is worth. */
  readonly without?: ReadonlySet<Technique>;
  /** Other weights than the shipped ones, to learn them. */
  readonly fit?: Fit;
}

/** The best so many are compared piece by piece: a ceiling on what late interaction costs. */
export const LATE = 48;

export type Technique =
  | 'vector'
  | 'keyword'
  | 'late'
  | 'window'
  | 'neighbours'
  | 'conversation'
  | 'speaker'
  | 'question'
  | 'time'
  | 'date';

const DAY = 86_400_000;
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const share = (x: number): number => Math.min(1, Math.max(0, x));

/** True for a text written mostly in Chinese or Japanese. */
export const isHan = (text: string): boolean => cjkShare(text.slice(0, 2_000)) > 0.3;

/** Whether a model that knows `languages` can be asked about this text. Scripts are all that is looked at: Latin counts as known. */
export const knows = (languages: readonly string[] | 'any', text: string): boolean =>
  languages === 'any' || languages.some((language) => ['zh', 'ja', 'ko'].includes(language)) || !isHan(text);

/** A cosine on the 0–1 scale that is the same for every model: read as if the default model had given it, 1 from its 0.6 on. */
export const vectorHalf = (cosine: number, { related, spread }: CosineScale, fit: Fit = FIT): number => {
  const { related: zero, spread: unit } = fit.cosine;
  return share((zero + (unit * (cosine - related)) / spread) / fit.full);
};

/** Late interaction on the same scale. */
export const lateHalf = (late: number, fit: Fit = FIT): number => share((late - fit.lateFloor) / fit.full);

/**
 * BM25 on an absolute 0–1 scale: what the question's words add, as a share of what they could. Words that the library does not have count:
 * one common word of five unknown ones is little. Longer questions are not answered word for word, hence the power.
 */
export function keywordHalf(sum: number, worth: readonly number[], fit: Fit = FIT): number {
  const most = worth.reduce((all, one) => all + one, 0);
  if (sum <= 0 || most <= 0) return 0;
  return share(sum / (most ** fit.reachPower * fit.reach ** (1 - fit.reachPower)) / fit.keywordFull);
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

/**
 * How far a score stands above the crowd: above the sixth to the twenty-fifth best, in their standard deviations. A few scores as they are
 * usual stand for a crowd that is not there. A question that everything answers a little is answered by nothing.
 */
export function standing(scores: readonly number[], fit: Fit = FIT): (score: number) => number {
  const { mean: usual, deviation, count } = fit.crowd;
  const crowd = [...scores].sort((a, b) => b - a).slice(5, 25);
  const all = crowd.length + count;
  const mean = (crowd.reduce((sum, one) => sum + one, 0) + count * usual) / all;
  const spread = Math.sqrt(
    (crowd.reduce((sum, one) => sum + (one - mean) ** 2, 0) + count * deviation ** 2) / all,
  );
  return (score) => (score - mean) / spread;
}

/** Probability that a person calls the passage related, before its age. `wordsOnly`: the score is made of words alone. */
export function probabilityOf(score: number, stands: number, wordsOnly = false, fit: Fit = FIT): number {
  const line = wordsOnly ? fit.keyword : fit.hybrid;
  return logistic(line.score * score + line.stands * stands + line.intercept);
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

/** Every candidate with all its numbers, best first; equal ones newest first. What is never to be shown again is left out. */
export function rank<C extends Rankable>(candidates: readonly C[], context: RankContext): Scored<C>[] {
  const { scale, worth, weights, question, feedback, fit = FIT } = context;
  const on = (technique: Technique): boolean => !context.without?.has(technique);
  const byChunk = new Map(candidates.map((candidate) => [candidate.chunkId, candidate]));
  const around = (candidate: C): C[] =>
    [candidate.previous, candidate.next].flatMap((id) => byChunk.get(id ?? Number.NaN) ?? []);
  const hasWords = worth.length > 0 && on('keyword');

  const own = new Map<
    number,
    { vector: number | null; late: number | null; keyword: number | null; hybrid: number }
  >();
  const speakers = new Map<number, boolean>();
  for (const candidate of candidates) {
    const vector =
      scale && candidate.cosine !== null && on('vector') ? vectorHalf(candidate.cosine, scale, fit) : null;
    const late =
      scale && typeof candidate.late === 'number' && on('late') ? lateHalf(candidate.late, fit) : null;
    let sum = 0;
    if (hasWords) {
      const beside = on('window') ? around(candidate) : [];
      // A word that only the message before or after has counts in part: an answer need not repeat the question.
      for (let at = 0; at < worth.length; at++)
        sum += Math.max(
          candidate.terms[at] ?? 0,
          ...beside.map((other) => fit.window * (other.terms[at] ?? 0)),
        );
    }
    const keyword = hasWords ? keywordHalf(sum, worth, fit) : null;
    const meaning =
      vector === null ? late : late === null ? share(fit.withoutLate * vector) : (vector + late) / 2;
    const speaker = speakerIn(candidate.text);
    const named = speaker !== null && isNamed(speaker, question);
    speakers.set(candidate.chunkId, named);
    const hybrid = hybridOf(meaning, keyword, weights);
    own.set(candidate.chunkId, { vector, late, keyword, hybrid });
  }
  /** With what the speaker adds: this much is also worth to those beside it. */
  const base = (candidate: C): number =>
    (own.get(candidate.chunkId)?.hybrid ?? 0) *
    (speakers.get(candidate.chunkId) && on('speaker') ? fit.speaker : 1);

  const conversations = new Map<string, number[]>();
  for (const candidate of candidates) {
    const found = conversations.get(candidate.conversationId) ?? [];
    found.push(base(candidate));
    conversations.set(candidate.conversationId, found);
  }
  const prior = new Map(
    [...conversations].map(([id, found]) => [
      id,
      found
        .sort((a, b) => b - a)
        .slice(0, fit.best)
        .reduce((sum, one) => sum + one, 0) / Math.min(fit.best, found.length),
    ]),
  );
  const when = asksWhen(question);
  const dates = on('date') ? datesIn(question, context.now) : null;

  const scored = candidates
    .filter((candidate) => !feedback?.never.has(candidate.messageId))
    .map((candidate) => {
      const { vector, late, keyword, hybrid } = own.get(candidate.chunkId) as NonNullable<
        ReturnType<typeof own.get>
      >;
      const [before, after] = [candidate.previous, candidate.next].map((id) => byChunk.get(id ?? Number.NaN));
      const self = base(candidate);
      const beside =
        (on('neighbours')
          ? fit.previous * (before ? base(before) : 0) + fit.next * (after ? base(after) : 0)
          : 0) + (on('conversation') ? fit.conversation * (prior.get(candidate.conversationId) ?? 0) : 0);
      const boosts: Boost[] = [];
      const add = (name: Boost['name'], factor: number) => boosts.push({ name, factor });
      if (speakers.get(candidate.chunkId) && on('speaker')) add('speaker', fit.speaker);
      if (self > 0 && beside > 0) add('context', (self + beside) / self);
      if (on('question') && asks(candidate.text)) add('question', fit.question);
      if (on('time') && when && tellsTime(candidate.text)) add('time', fit.time);
      if (
        dates &&
        candidate.createdAt > 0 &&
        dates.some(({ from, to }) => candidate.createdAt >= from && candidate.createdAt < to)
      )
        add('date', fit.date);
      if (candidate.note) add('note', fit.note);
      if (feedback?.pinned.has(candidate.messageId)) add('pin', fit.pin);
      if (feedback?.notRelated.has(candidate.messageId)) add('not-related', fit.notRelated);
      const raised = boosts.reduce((score, { factor }) => score * factor, hybrid);
      return {
        candidate,
        score: self > 0 ? raised : beside,
        wordsOnly: vector === null && late === null,
        scores: { vector, keyword: keyword === 0 ? null : keyword, late, hybrid, boosts },
      };
    });
  const stands = standing(
    scored.map(({ score }) => score),
    fit,
  );
  return scored
    .map(({ candidate, score, wordsOnly, scores }) => {
      const decay = decayOf(candidate.createdAt, context.now, context.decayFactor);
      const probability = probabilityOf(score, stands(score), wordsOnly, fit);
      return {
        candidate,
        scores: { ...scores, decay, final: withDecay(probability, decay ** fit.age) },
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

/** Those at or above the threshold, memory notes first, and the near misses below it; at most `limit` of each. */
export function choose<C extends Rankable>(
  ranked: readonly Scored<C>[],
  options: { readonly threshold: number; readonly limit: number; readonly perConversation: number },
): { hits: Scored<C>[]; nearMisses: Scored<C>[] } {
  const kept = distinct(ranked, options.perConversation);
  const hits = kept.filter(({ scores }) => scores.final >= options.threshold);
  return {
    hits: [
      ...hits.filter(({ candidate }) => candidate.note),
      ...hits.filter(({ candidate }) => !candidate.note),
    ].slice(0, options.limit),
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
