// Ranks candidates: two searches on one scale, a probability, and age. Pure
// arithmetic; `choose.ts` picks those to show.
import type { Role } from '../chat/message.ts';
import { asksWhen, endsWithQuestionMark, isNamed, speakerIn, tellsTime } from '../text/cues.ts';
import { datesIn } from '../text/dates.ts';
import { createWordings } from '../text/near-duplicate.ts';
import { isHan, knowsHan } from '../text/sentences.ts';
import { FIT, type Fit } from './fit.ts';
import { type Lane, lanesOf } from './lanes.ts';
import type { PassageMessage } from './passages.ts';

/** Scale of a model's cosines; see the embedding contract. */
export interface CosineScale {
  readonly related: number;
  readonly spread: number;
}

/** Fields of a candidate that ranking uses. */
export interface Rankable {
  readonly chunkId: number;
  readonly messageId: string;
  readonly conversationId: string;
  readonly text: string;
  /** ms since 1970 */
  readonly createdAt: number;
  /** null without a vector. */
  readonly cosine: number | null;
  /** BM25 share of each of the question's words, in their order; 0 or missing for words it lacks. */
  readonly terms: readonly number[];
  /** Late interaction, if it was computed; see `late.ts`. */
  readonly late?: number | null;
  /** Chunks said right before and after it, if any; they count if they are among the candidates. */
  readonly previous?: number | null;
  readonly next?: number | null;
  /**
   * For each of the question's words, true if the conversation's title has it; absent without
   * a title, or one made from its words.
   */
  readonly titled?: readonly boolean[];
  /** True for a memory note of the person's own, which ranks above passages. */
  readonly note?: boolean;
  /** True for an unanswered question of the person's own; see `asked-in-vain.ts`. */
  readonly unanswered?: boolean;
  /** Role of its speaker, and the message it follows; absent: unknown. */
  readonly role?: Role;
  readonly before?: string | null;
  /** Messages that memory gave to the answer it is from; see `sources.ts`. */
  readonly recalled?: readonly string[];
}

/** Factor on a score, and its name for the recall card. */
type Boost = {
  readonly name:
    | 'language'
    | 'speaker'
    | 'question'
    | 'time'
    | 'date'
    | 'context'
    | 'note'
    | 'pin'
    | 'not-related';
  readonly factor: number;
};

/** The numbers behind a rank; a type and not an interface, so that it can be written to the log directly. */
export type Scores = {
  readonly vector: number | null;
  readonly keyword: number | null;
  /** Late interaction, 0–1; null if it was not computed. */
  readonly late: number | null;
  /** Semantic score, 0–1: both of the above. */
  readonly meaning: number | null;
  readonly hybrid: number;
  readonly decay: number;
  readonly boosts: readonly Boost[];
  /** Its z-score among the background scores, and its margin over the runner-up, in deviations; named as in the log. */
  readonly stands: number;
  readonly above: number;
  /** Log odds of its lane, by the lane that is asked for. */
  readonly lane: number;
  /** Log odds of being in the asking project; absent if none asks, or it is elsewhere. */
  readonly project?: number;
  readonly final: number;
};

export interface Scored<C extends Rankable> {
  readonly candidate: C;
  readonly scores: Scores;
  readonly lane: Lane;
}

/** Feedback of the person on earlier hits. */
interface Feedback {
  readonly pinned: (said: PassageMessage) => boolean;
  readonly never: (said: PassageMessage) => boolean;
  /** True if the person called it not related to this very question. */
  readonly notRelated: (said: PassageMessage) => boolean;
}

export interface RankContext {
  readonly weights: { readonly vector: number; readonly keyword: number };
  /** Absent: no semantic score. */
  readonly scale?: CosineScale;
  /** Languages that the embedding model reads; absent: all. */
  readonly languages?: readonly string[] | 'any';
  /** IDF weight of each of the question's words, in the order of `terms`; empty: no keyword score. */
  readonly idfWeights: readonly number[];
  /** As asked: it may name a speaker, ask when, or mention a date. */
  readonly question: string;
  /** Per day. */
  readonly decayFactor: number;
  /** ms since 1970 */
  readonly now: number;
  readonly feedback?: Feedback;
  /** True for conversations in the asking project, if that one comes first. */
  readonly inProject?: (conversationId: string) => boolean;
  /** Leaves parts of the ranking out, to measure the worth of each. */
  readonly without?: ReadonlySet<Technique>;
  /** Other weights than the shipped ones, for learning. */
  readonly fit?: Fit;
}

/** Boosts that concern only the passage itself. */
const RAISING: ReadonlySet<Boost['name']> = new Set(['note', 'pin', 'language']);
/** Computes a score with all boosts, and without those that raise only itself. */
const scoreOf = (base: number, boosts: readonly Boost[]): { score: number; unraised: number } =>
  boosts.reduce(
    ({ score, unraised }, { name, factor }) => ({
      score: score * factor,
      unraised: RAISING.has(name) ? unraised : unraised * factor,
    }),
    { score: base, unraised: base },
  );

/** How many of the best are compared by token vectors: a limit on the cost of late interaction. */
export const LATE = 32;

export type Technique =
  | 'vector'
  | 'keyword'
  | 'late'
  | 'window'
  | 'title'
  | 'language'
  | 'neighbours'
  | 'conversation'
  | 'runner-up'
  | 'lanes'
  | 'project'
  | 'speaker'
  | 'question'
  | 'time'
  | 'date';

const DAY = 86_400_000;
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const share = (x: number): number => Math.min(1, Math.max(0, x));

/**
 * Maps a cosine to the 0–1 scale that all models share: the model's own scale to that of `fit.cosine`, 1 from 0.6 on.
 */
export const semanticScore = (cosine: number, { related, spread }: CosineScale, fit: Fit = FIT): number => {
  const { related: zero, spread: unit } = fit.cosine;
  return share((zero + (unit * (cosine - related)) / spread) / fit.full);
};

/** Maps late interaction to the same scale. */
const lateHalf = (late: number, fit: Fit = FIT): number => share((late - fit.lateFloor) / fit.full);

/**
 * Maps BM25 to 0–1: the words' gains as a share of what they could add, unknown ones included. The power is for long
 * questions, which are not answered word for word; in a small library no word is rare, so having all words is enough.
 */
export function keywordScore(sum: number, idfWeights: readonly number[], fit: Fit = FIT): number {
  const most = idfWeights.reduce((all, one) => all + one, 0);
  if (sum <= 0 || most <= 0) return 0;
  const reach = most ** fit.reachPower * Math.min(fit.reach, most) ** (1 - fit.reachPower);
  return share(sum / reach / fit.keywordFull);
}

/** Semantic score: whole vector and late interaction, as far as each was computed. */
function meaningOf(vector: number | null, late: number | null, fit: Fit = FIT): number | null {
  if (vector === null) return late;
  if (late === null) return share((1 - fit.late + fit.late * fit.lateFollows) * vector);
  return (1 - fit.late) * vector + fit.late * late;
}

/** Characters from which a passage's language is read. */
const TELLING = 300;
/** True if a passage is Chinese and the question is not, or the other way round: then they hardly share a word. */
const foreignTo = (question: string): ((text: string) => boolean) => {
  const asked = isHan(question);
  return (text) => isHan(text.slice(0, TELLING)) !== asked;
};

/** Weighted sum of semantic and keyword score. If one is impossible (null), the other has the whole weight. */
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
 * Makes the z-score: how many deviations a score is above the background, the sixth to the twenty-fifth best score
 * found. A few usual scores complete a small library. If everything answers a question a little, nothing does.
 */
export function zScoreAmong(scores: readonly number[], fit: Fit = FIT): (score: number) => number {
  const { mean: usual, deviation, count } = fit.background;
  const background = [...scores].sort((a, b) => b - a).slice(5, 25);
  const all = background.length + count;
  const mean = (background.reduce((sum, one) => sum + one, 0) + count * usual) / all;
  const spread = Math.sqrt(
    (background.reduce((sum, one) => sum + (one - mean) ** 2, 0) + count * deviation ** 2) / all,
  );
  return (score) => (score - mean) / spread;
}

/** A passage among others, with its z-score. */
interface Placed {
  readonly conversationId: string;
  readonly text: string;
  readonly zScore: number;
}

/** How many of the best are compared for near-duplicates. */
const MAY_BE_SHOWN = 16;

/**
 * Makes the margin of a passage, in deviations, over the runner-up: the best of another conversation that does not say
 * the same. Two that are even get none; without a runner-up a usual one is assumed.
 */
export function marginOver(runnersUp: readonly Placed[], fit: Fit = FIT): (passage: Placed) => number {
  const { usual, even, most } = fit.runnerUp;
  const best = [...runnersUp].sort((a, b) => b.zScore - a.zScore);
  const shown = best[MAY_BE_SHOWN - 1]?.zScore ?? Number.NEGATIVE_INFINITY;
  const worded = createWordings();
  const [first] = best;
  const other = best.find((one) => one.conversationId !== first?.conversationId);
  return ({ conversationId, text, zScore }) => {
    // Comparing wordings takes time, so only passages that may be shown are compared.
    const runnerUp =
      zScore < shown
        ? conversationId === first?.conversationId
          ? other
          : first
        : best.find((one) => one.conversationId !== conversationId && worded(one.text) !== worded(text));
    const margin = zScore - (runnerUp?.zScore ?? usual);
    // A small distance is ignored: of two equally good ones the newer is to win.
    return Math.sign(margin) * Math.min(most, Math.max(0, Math.abs(margin) - even));
  };
}

/** Evidence for a probability; `fit.ts` explains each. */
export interface Evidence {
  readonly score: number;
  readonly zScore: number;
  readonly margin: number;
  readonly words: number;
  /** Log odds of its lane, by the lane that is asked for; see `lanes.ts`. */
  readonly lane: number;
  /** Log odds of being in the asking project. */
  readonly project?: number;
}

/**
 * Probability that a person calls the passage related, before its age. `wordsOnly`: the score consists of words alone.
 */
export function probabilityOf(evidence: Evidence, wordsOnly = false, fit: Fit = FIT): number {
  const line = wordsOnly ? fit.keyword : fit.hybrid;
  return logistic(
    line.score * evidence.score +
      line.zScore * evidence.zScore +
      line.margin * evidence.margin +
      line.words * evidence.words +
      evidence.lane +
      (evidence.project ?? 0) +
      line.intercept,
  );
}

/** Logarithm of the number of words asked, up to a limit: Han text comes as words and as pairs, so each counts half. */
const wordsAsked = (question: string, terms: number, fit: Fit = FIT): number =>
  Math.log(1 + Math.min(fit.wordsMost, terms * (isHan(question) ? 0.5 : 1)));

/** exp(-factor · days), from times in ms since 1970; 1 for the future and for unknown times (0). */
export function decayOf(createdAt: number, now: number, factor: number): number {
  if (createdAt <= 0 || createdAt >= now) return 1;
  return Math.exp((-factor * (now - createdAt)) / DAY);
}

/**
 * Decay lowers the odds, not the probability: of two equal passages the newer wins, a doubtful old one falls below the
 * threshold, and an exact answer of last year still passes.
 */
export function withDecay(probability: number, decay: number): number {
  const odds = probability * decay;
  const all = odds + 1 - probability;
  return all > 0 ? odds / all : 0;
}

/**
 * Returns every candidate with all its numbers, best first; equal ones newest first.
 * Leaves out those never to be shown again.
 */
export const rank = <C extends Rankable>(candidates: readonly C[], context: RankContext): Scored<C>[] =>
  ranker(
    candidates,
    context,
  )((candidate) => candidate.late ?? null).map(({ candidate, scores, lane }) => ({
    candidate,
    scores,
    lane,
  }));

/** A candidate with its numbers, and the evidence for its probability. */
interface Explained<C extends Rankable> extends Scored<C> {
  readonly evidence: Evidence;
  readonly wordsOnly: boolean;
}

/** Scores of a candidate before its token vectors are compared. */
interface Known {
  readonly vector: number | null;
  readonly keyword: number | null;
  readonly isForeign: boolean;
  /** Factor for the named speaker; its neighbours gain by it, too. */
  readonly named: number;
  readonly boosts: readonly Boost[];
  readonly decay: number;
}

/** Positions of a candidate's neighbours in the list; -1 for none. */
interface Links {
  readonly previous: readonly number[];
  readonly next: readonly number[];
  /** Part of its score that the previous message adds. */
  readonly before: readonly number[];
}

/**
 * Computes everything that does not depend on token vectors once, and returns the function that
 * ranks with them: recall ranks twice.
 */
export function ranker<C extends Rankable>(
  candidates: readonly C[],
  context: RankContext,
): (lateOf: (candidate: C) => number | null) => Explained<C>[] {
  const { fit = FIT } = context;
  const on = (technique: Technique): boolean => !context.without?.has(technique);
  const lanes = on('lanes')
    ? lanesOf(candidates, context.question, fit)
    : { of: (): Lane => 'others', logOdds: () => 0 };
  const links = linksOf(candidates, lanes.of, fit);
  const known = knownOf(candidates, links, context);
  const messages = messagesOf(candidates);
  const isNear = (on('project') && context.inProject) || (() => false);
  const words = wordsAsked(context.question, context.idfWeights.length, fit);
  return (lateOf) => {
    const scored = scoresOf(candidates, known, links, context, lateOf);
    // The background has no language or manual boosts, so that others do not rank lower because of them.
    const background = on('lanes') ? bestOfEach(scored, messages) : scored;
    const zScoreOf = zScoreAmong(
      background.map(({ unraised }) => unraised),
      fit,
    );
    // Leave out passages judged by words alone, by another measure, and unanswered questions: asking twice must
    // not make the answer less probable.
    const runnersUp = scored.flatMap(({ candidate, unraised, wordsOnly }) =>
      wordsOnly || candidate.unanswered
        ? []
        : [
            {
              conversationId: candidate.conversationId,
              text: candidate.text,
              zScore: zScoreOf(unraised),
            },
          ],
    );
    const margin = on('runner-up') ? marginOver(runnersUp, fit) : () => 0;
    return scored
      .map(({ candidate, score, wordsOnly, decay, scores }) => {
        const zScore = zScoreOf(score);
        const lane = lanes.of(candidate);
        const evidence = {
          score,
          zScore: Math.min(fit.background.most, zScore),
          margin: margin({ conversationId: candidate.conversationId, text: candidate.text, zScore }),
          words,
          lane: lanes.logOdds(lane),
          // Passages elsewhere keep their probability, so nothing is lost if nothing in the project fits.
          ...(isNear(candidate.conversationId) ? { project: fit.project } : {}),
        };
        const probability = probabilityOf(evidence, wordsOnly, fit);
        return {
          candidate,
          scores: {
            ...scores,
            stands: evidence.zScore,
            above: evidence.margin,
            lane: evidence.lane,
            ...(evidence.project === undefined ? {} : { project: evidence.project }),
            decay,
            final: withDecay(probability, decay ** fit.age),
          },
          lane,
          evidence,
          wordsOnly,
        };
      })
      .sort(
        (a, b) =>
          b.scores.final - a.scores.final ||
          b.candidate.createdAt - a.candidate.createdAt ||
          (a.candidate.messageId < b.candidate.messageId ? -1 : 1),
      );
  };
}

/**
 * A longer question is a message of its own with a question at its end, and the reply
 * seldom answers all of it, characters.
 */
const SHORT_QUESTION = 240;

function linksOf(candidates: readonly Rankable[], laneOf: (candidate: Rankable) => Lane, fit: Fit): Links {
  const place = new Map(candidates.map((candidate, at) => [candidate.chunkId, at]));
  const placeOf = (chunk: number | null | undefined): number =>
    typeof chunk === 'number' ? (place.get(chunk) ?? -1) : -1;
  const previous = candidates.map((candidate) => placeOf(candidate.previous));
  // An assistant answers every question; only a person's reply shows that the question deserved one.
  const replies = (candidate: Rankable, question: Rankable | undefined): boolean =>
    question !== undefined &&
    question.messageId !== candidate.messageId &&
    question.text.length <= SHORT_QUESTION &&
    endsWithQuestionMark(question.text) &&
    ['person', 'others'].includes(laneOf(candidate)) &&
    !endsWithQuestionMark(candidate.text);
  return {
    previous,
    next: candidates.map((candidate) => placeOf(candidate.next)),
    before: candidates.map((candidate, at) =>
      replies(candidate, candidates[previous[at] ?? -1]) ? fit.reply : fit.previous,
    ),
  };
}

/** Number of each candidate's message: a message with many chunks counts once. */
function messagesOf(candidates: readonly Rankable[]): readonly number[] {
  const numbers = new Map<string, number>();
  return candidates.map(({ messageId }) => {
    const known = numbers.get(messageId) ?? numbers.size;
    numbers.set(messageId, known);
    return known;
  });
}

/** Picks the best chunk of each message. */
function bestOfEach<S extends { readonly unraised: number; readonly place: number }>(
  scored: readonly S[],
  messages: readonly number[],
): S[] {
  const best = new Map<number, S>();
  for (const one of scored) {
    const message = messages[one.place] as number;
    const known = best.get(message);
    if (!known || known.unraised < one.unraised) best.set(message, one);
  }
  return [...best.values()];
}

function knownOf<C extends Rankable>(
  candidates: readonly C[],
  { previous, next }: Links,
  context: RankContext,
): Known[] {
  const { scale, idfWeights, weights, question, feedback, fit = FIT } = context;
  const on = (technique: Technique): boolean => !context.without?.has(technique);
  const hasWords = idfWeights.length > 0 && on('keyword');
  const none: readonly number[] = [];
  const termsAt = (at: number): readonly number[] => candidates[at]?.terms ?? none;

  /**
   * A word that only the previous or next message has, or the title, counts in part: an
   * answer need not repeat the question.
   */
  const keywordAt = (at: number): number => {
    const [own, before, after] = [termsAt(at), termsAt(previous[at] ?? -1), termsAt(next[at] ?? -1)];
    const titled = on('title') ? candidates[at]?.titled : undefined;
    const part = on('window') ? fit.window : 0;
    let sum = 0;
    for (let word = 0; word < idfWeights.length; word++) {
      const neighbour = Math.max(before[word] ?? 0, after[word] ?? 0);
      const above = titled?.[word] ? fit.title * (idfWeights[word] ?? 0) : 0;
      sum += Math.max(own[word] ?? 0, part * neighbour, above);
    }
    return keywordScore(sum, idfWeights, fit);
  };

  const crosses = hasWords && on('language') && weights.vector > 0 && knowsHan(context.languages ?? 'any');
  const isForeign = crosses ? foreignTo(question) : () => false;
  const when = on('time') && asksWhen(question);
  const dates = on('date') ? datesIn(question, context.now) : null;
  return candidates.map((candidate, at) => {
    const speaker = on('speaker') ? speakerIn(candidate.text) : null;
    const boosts: Boost[] = [];
    const add = (name: Boost['name'], factor: number) => boosts.push({ name, factor });
    if (
      on('question') &&
      (endsWithQuestionMark(candidate.text) || (candidate.unanswered && candidate.role === 'assistant'))
    )
      add('question', candidate.unanswered ? fit.unanswered : fit.question);
    if (when && tellsTime(candidate.text)) add('time', fit.time);
    if (
      dates &&
      candidate.createdAt > 0 &&
      dates.some(({ from, to }) => candidate.createdAt >= from && candidate.createdAt < to)
    )
      add('date', fit.date);
    if (candidate.note) add('note', fit.note);
    if (feedback?.pinned(candidate)) add('pin', fit.pin);
    if (feedback?.notRelated(candidate)) add('not-related', fit.notRelated);
    return {
      vector:
        scale && candidate.cosine !== null && on('vector')
          ? semanticScore(candidate.cosine, scale, fit)
          : null,
      keyword: hasWords ? keywordAt(at) : null,
      isForeign: isForeign(candidate.text),
      named: speaker !== null && isNamed(speaker, question) ? fit.speaker : 1,
      boosts,
      decay: decayOf(candidate.createdAt, context.now, context.decayFactor),
    };
  });
}

/** Computes the score of each candidate, with its evidence; leaves out those never to be shown again. */
function scoresOf<C extends Rankable>(
  candidates: readonly C[],
  known: readonly Known[],
  { previous, next, before }: Links,
  context: RankContext,
  lateOf: (candidate: C) => number | null,
) {
  const { scale, weights, feedback, fit = FIT } = context;
  const on = (technique: Technique): boolean => !context.without?.has(technique);
  const halves = known.map(({ vector, keyword, named, isForeign }, at) => {
    const found = scale && on('late') ? lateOf(candidates[at] as C) : null;
    const late = found === null ? null : lateHalf(found, fit);
    const meaning = meaningOf(vector, late, fit);
    const hybrid = hybridOf(meaning, keyword, weights);
    const least = isForeign ? fit.language.words * (meaning ?? 0) : 0;
    const translated =
      hybrid > 0 && least > (keyword ?? 0)
        ? Math.min(fit.language.most, hybridOf(meaning, least, weights) / hybrid)
        : 1;
    return { late, meaning, hybrid, translated, base: hybrid * translated * named };
  });
  const baseAt = (at: number | undefined): number => halves[at ?? -1]?.base ?? 0;
  const ofConversation = on('conversation') ? conversationScores(candidates, baseAt, context) : null;
  return candidates.flatMap((candidate, place) => {
    const one = known[place];
    const half = halves[place];
    if (!one || !half || feedback?.never(candidate)) return [];
    const ofNeighbours =
      (on('neighbours')
        ? (before[place] ?? 0) * baseAt(previous[place]) + fit.next * baseAt(next[place])
        : 0) +
      fit.conversation * (ofConversation?.get(candidate.conversationId) ?? 0);
    const boosts: Boost[] = [];
    if (half.translated !== 1) boosts.push({ name: 'language', factor: half.translated });
    if (one.named !== 1) boosts.push({ name: 'speaker', factor: one.named });
    if (half.base > 0 && ofNeighbours > 0)
      boosts.push({ name: 'context', factor: (half.base + ofNeighbours) / half.base });
    boosts.push(...one.boosts);
    return {
      candidate,
      place,
      ...scoreOf(half.base > 0 ? half.hybrid : ofNeighbours, half.base > 0 ? boosts : []),
      wordsOnly: one.vector === null && half.late === null,
      decay: one.decay,
      scores: {
        vector: one.vector,
        keyword: one.keyword === 0 ? null : one.keyword,
        late: half.late,
        meaning: half.meaning,
        hybrid: half.hybrid,
        boosts,
      },
    };
  });
}

/** Mean of each conversation's best few: messages with lanes, chunks without. */
function conversationScores(
  candidates: readonly Rankable[],
  baseAt: (at: number) => number,
  { fit = FIT, without }: RankContext,
): Map<string, number> {
  const found = new Map<string, Map<string | number, number>>();
  candidates.forEach(({ conversationId, messageId }, at) => {
    const own = found.get(conversationId) ?? new Map<string | number, number>();
    const key = without?.has('lanes') ? at : messageId;
    own.set(key, Math.max(own.get(key) ?? 0, baseAt(at)));
    found.set(conversationId, own);
  });
  return new Map(
    [...found].map(([id, own]) => {
      const best = [...own.values()].sort((a, b) => b - a).slice(0, fit.best);
      return [id, best.reduce((sum, one) => sum + one, 0) / Math.min(fit.best, own.size)];
    }),
  );
}
