// Searches the compacted messages at each send for sentences that answer the question, which are then sent again. By
// words alone, in memory; if a caller knows relevance by meaning, both count.
import type { MessageId } from '../base/ids.ts';
import type { Message, Part, Role } from '../chat/message.ts';
import { laneAskedFor } from '../memory/lanes.ts';
import { gainOf, idfOf } from '../text/bm25.ts';
import { ASKS_WHAT_YOU_DID } from '../text/cue-words/asked-speaker.ts';
import { isAcknowledgement, isQuestion, makesCorrection } from '../text/cues.ts';
import { termsOf } from '../text/words.ts';
import { type AppliedPlan, dispositionsOf } from './compaction/plan.ts';
import type { TokenMeter } from './meter.ts';
import { lineFormOf } from './outputs.ts';
import { isSingleHan, queryOf } from './query.ts';
import { quotedLines } from './quoted.ts';
import { closingTermsOf, correctingUnits, documentOf, termPositionsIn, termsIn } from './reading.ts';
import {
  laneFinder,
  NO_SEMANTIC_SCORE,
  nearnessWeights,
  type SemanticScore,
  semanticScoresOf,
  withOwnScore,
} from './semantic-scores.ts';
import { type Unit, unitsOf } from './units.ts';
import { valuesOf } from './value-kinds.ts';
import {
  messageWeightsOf,
  NOT_NOTED,
  nearbyOf,
  noteFactors,
  type QuestionWeights,
  valueFactor,
  wordFitOf,
} from './word-fit.ts';

/** Sentences of one compacted message, verbatim, as they are sent again. */
export interface ReturnedPassage {
  readonly messageId: MessageId;
  readonly role: Role;
  /** Its sentences; ` … ` marks omissions between them. */
  readonly text: string;
  readonly tokens: number;
  /** Fit to the question, about 0–1. */
  readonly score: number;
  /** asked: the question is about it. corrects: it corrects a sentence that was found. missed: an answer lacked it. */
  readonly why: 'asked' | 'corrects' | 'missed';
}

interface BringBackOptions {
  /** Tokens that may be used. */
  readonly tokens: number;
  readonly meter: TokenMeter;
  /** Relevance by meaning, 0–1, for each message; missing ones count by words alone. */
  readonly relevance?: ReadonlyMap<MessageId, number> | undefined;
  /** Cosines of sentences with the question; missing ones count as their message does. */
  readonly near?: ReadonlyMap<Unit, number> | undefined;
  /** Messages that return with every question, since an answer missed them. */
  readonly must?: readonly MessageId[] | undefined;
}

/** A sentence that fits a question. */
export interface CompactedHit {
  readonly message: Message;
  /** Position of the message on the path. */
  readonly at: number;
  readonly unit: Unit;
  readonly index: number;
  readonly score: number;
}

export interface CompactedSearch {
  /** Compacted and trimmed messages, oldest first. */
  readonly messages: readonly Message[];
  /**
   * Finds the best sentences for a question, best first. `relevance` and `near` by meaning, as in `BringBackOptions`.
   */
  find(
    question: string,
    limit: number,
    relevance?: ReadonlyMap<MessageId, number>,
    near?: ReadonlyMap<Unit, number>,
  ): CompactedHit[];
  /**
   * Restricts the search to at most `limit` messages: those that share the rarest words with a text, and the next after
   * each, which may correct it; all of `must` before them. Sentences are read in these messages alone.
   */
  nearest(text: string, limit: number, must?: readonly MessageId[]): CompactedSearch;
  /** Picks passages to send again, in their original order. Empty if none fits. */
  bringBack(question: string, options: BringBackOptions): ReturnedPassage[];
}

/** Writes passages in the form that a model reads. */
export const renderReturned = (passages: readonly ReturnedPassage[]): string =>
  `<earlier>\n${passages.map(({ role, text }) => `${role}:\n${quotedLines(text)}`).join('\n')}\n</earlier>`;

/** Hits that are weighed by their length, and the exponent of that weight. */
const WEIGHED = 60;
const THRIFT = 0.25;
/** Tokens of the tags around a passage. */
const FRAME = 8;
/** Most lines of one form that differ only in figures. */
const SAME_LINES = 2;
/** Tokens of a line beside its words. */
const LINE = 4;

/** Most messages whose sentences are compared one by one. */
const CANDIDATES = 160;
/** Length normalisation of BM25, and the usual number of a message's terms. */
const [HELD_BACK, USUAL_LENGTH] = [0.5, 60];
/** Below this share of the question's reach nothing returns. */
const FLOOR = 0.12;
/** Below this share of the best score nothing returns, either. */
const RELATIVE_FLOOR = 0.25;
/** Up to so many messages a word is looked up in each of them, not in an index. */
const FEW = 64;
/** Places examined for each wanted message near a text. */
const MOST_EXAMINED = 20;
/** A correction is looked for if a sentence fits at least this well, relative to the best. */
const CORRECTED = 0.6;
/** Weight of meaning if no sentence has the question's words, and if one has `SAID_WELL` of them. */
const MEANING = 3;
const BESIDE_WORDS = 0.7;
const SAID_WELL = 1;
/** Factors of the person's words where another speaker's are wanted, and of those wanted. */
const [NOT_ASKED_FOR, ASKED_FOR] = [0.6, 1.3];
/** From here on meaning alone brings a sentence back. */
const LEAST_SEMANTIC = 0.03;

/** A sentence's scores before they are compared with others. */
interface FoundUnit extends Omit<CompactedHit, 'score'> {
  /** Share of the question's words, 0–1.2; score by meaning, 0–1; and the factor on both. */
  readonly words: number;
  readonly meaning: SemanticScore;
  readonly factor: number;
}

/**
 * Makes the search over the compacted messages of one path. Cheap to create; its reading of
 * a message is cached with the message.
 */
export function createCompactedSearch(
  path: readonly Message[],
  applied: AppliedPlan | null,
): CompactedSearch {
  const dispositions = applied ? dispositionsOf(applied.plan, path, applied.keepVerbatim) : [];
  const places: number[] = [];
  for (let at = 0; at < path.length; at++) {
    const message = path[at] as Message;
    const action = dispositions[at]?.action;
    if ((action === 'fold' || action === 'trim') && message.kind === 'message' && message.role !== 'system')
      places.push(at);
  }
  return searchIn(path, places, applied?.plan.summaries.map(({ text }) => text).join('\n') ?? '', true);
}

/**
 * `places`: ascending positions on the path. `present`: text that the prompt has already. `indexed`: false for a list
 * that is different for every text, whose index would replace the full one.
 */
function searchIn(
  path: readonly Message[],
  places: readonly number[],
  present: string,
  indexed: boolean,
): CompactedSearch {
  return new PathSearch(path, places, present, indexed);
}

class PathSearch implements CompactedSearch {
  readonly #path: readonly Message[];
  readonly #places: readonly number[];
  readonly #present: string;
  readonly #indexed: boolean;
  readonly messages: Message[];
  readonly #isCompacted: Uint8Array<ArrayBuffer>;
  /** Compacted sentences in which the person corrects something. */
  #correcting: CompactedHit[] | undefined;

  constructor(path: readonly Message[], places: readonly number[], present: string, indexed: boolean) {
    this.#path = path;
    this.#places = places;
    this.#present = present;
    this.#indexed = indexed;
    this.messages = places.map((at) => path[at] as Message);
    this.#isCompacted = new Uint8Array(path.length);
    for (const at of places) this.#isCompacted[at] = 1;
  }

  find(
    question: string,
    limit: number,
    relevance?: ReadonlyMap<MessageId, number>,
    near?: ReadonlyMap<Unit, number>,
  ): CompactedHit[] {
    const query = queryOf(question);
    if (this.messages.length === 0 || (query.weights.size === 0 && !relevance)) return [];
    const positions = this.#positionsOf(query.weights.keys());
    const semantic = semanticScoresOf(question, relevance);
    const scoring: QuestionWeights = {
      ...this.#rarityOf(query, positions),
      expected: query.expected,
      nearby: nearbyOf(positions, this.messages.length),
      long: new Set([...query.weights.keys()].filter((term) => term.length >= 5 && /^[a-z]+$/.test(term))),
      relevance: semantic.messages,
      nearest: semantic.isPlain ? new Map() : nearnessWeights(near, laneFinder(this.messages)),
      lane: laneAskedFor(question) ?? (ASKS_WHAT_YOU_DID.test(question) ? 'assistant' : null),
    };
    const found = this.#roughly(positions, scoring).flatMap((at) => this.#hitsIn(at, scoring));
    let said = 0;
    for (const { words } of found) said = Math.max(said, words);
    const worded = Math.min(1, said / SAID_WELL);
    const weight = MEANING - (MEANING - BESIDE_WORDS) * worded;
    const hits = found.map(({ words, meaning, factor, ...hit }) => ({
      ...hit,
      score: (words + weight * (worded * meaning.withWords + (1 - worded) * meaning.alone)) * factor,
    }));
    return hits.sort((a, b) => b.score - a.score || b.at - a.at || a.index - b.index).slice(0, limit);
  }

  nearest(text: string, limit: number, must: readonly MessageId[] = []): CompactedSearch {
    if (this.messages.length <= limit) return this;
    const index = termPositionsIn(this.messages);
    const lists = [...new Set(termsOf(text))]
      .flatMap((term) => [index.get(term) ?? []])
      .sort((a, b) => a.length - b.length);
    const shared = new Map<number, number>();
    let left = limit * MOST_EXAMINED;
    for (const list of lists) {
      left -= list.length;
      if (left < 0) break;
      const rarity = Math.log(1 + this.messages.length / list.length);
      for (const place of list) shared.set(place, (shared.get(place) ?? 0) + rarity);
    }
    const wanted = new Set(must);
    const near = new Set<number>();
    if (wanted.size > 0)
      this.messages.forEach(({ id }, place) => {
        if (wanted.has(id)) near.add(place);
      });
    const best = [...shared].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
    for (const [place] of best.slice(0, Math.max(0, limit - near.size) / 2))
      near.add(place).add(Math.min(place + 1, this.messages.length - 1));
    return searchIn(
      this.#path,
      [...near].sort((a, b) => a - b).map((place) => this.#places[place] as number),
      this.#present,
      false,
    );
  }

  bringBack(
    question: string,
    { tokens, meter, relevance, near, must = [] }: BringBackOptions,
  ): ReturnedPassage[] {
    const chosen = new Map<string, CompactedHit & { why: ReturnedPassage['why'] }>();
    const spoken = new Set<number>();
    const headed = new Map<number, string>();
    let left = tokens - FRAME;
    /** Lines of a log or a table differ only in figures: one of them represents all. */
    const seenForms = new Map<string, number>();
    const seenTexts = new Set<string>();
    const take = (hit: CompactedHit, why: ReturnedPassage['why']): void => {
      const key = `${hit.at}/${hit.index}`;
      const { kind, text: words } = hit.unit;
      const form = kind === 'result' || kind === 'call' ? lineFormOf(words) : '';
      if (form !== '' && why === 'asked') {
        const times = seenForms.get(form) ?? 0;
        seenForms.set(form, times + 1);
        if (times >= SAME_LINES) return;
      }
      if (chosen.has(key) || (why !== 'missed' && (seenTexts.has(words) || this.#present.includes(words))))
        return;
      const cost = meter.text(hit.unit.text) + (spoken.has(hit.at) ? 1 : LINE);
      if (cost > left) return;
      left -= cost;
      // A row of figures is readable only with the names of its columns.
      if (hit.unit.headed && hit.unit.lead !== '' && !headed.has(hit.at)) {
        const price = meter.text(hit.unit.lead) + 1;
        if (price <= left / 2) {
          left -= price;
          headed.set(hit.at, hit.unit.lead);
        }
      }
      spoken.add(hit.at);
      seenTexts.add(words);
      chosen.set(key, { ...hit, why });
    };
    const missed = new Set<MessageId>(must);
    for (const at of this.#places) {
      const message = this.#path[at] as Message;
      if (missed.has(message.id))
        unitsOf(message).forEach((unit, index) => {
          take({ message, at, unit, index, score: 1 }, 'missed');
        });
    }
    const hits = this.find(question, 400, relevance, near);
    const best = hits[0]?.score ?? 0;
    const floor = Math.max(FLOOR, Math.min(1, best) * RELATIVE_FLOOR);
    // In little space two short sentences are worth more than a long one that fits slightly better.
    const perToken = new Map(
      hits.slice(0, WEIGHED).map((hit) => [hit, hit.score / meter.text(hit.unit.text) ** THRIFT]),
    );
    const order = [
      ...hits.slice(0, WEIGHED).sort((a, b) => (perToken.get(b) ?? 0) - (perToken.get(a) ?? 0)),
      ...hits.slice(WEIGHED),
    ];
    for (const hit of order) {
      if (left <= LINE) break;
      if (hit.score < floor) continue;
      const correction = hit.score >= best * CORRECTED ? this.#correctionOf(hit) : undefined;
      if (correction) take({ ...correction, score: hit.score }, 'corrects');
      take(hit, 'asked');
    }
    const byMessage = new Map<number, (CompactedHit & { why: ReturnedPassage['why'] })[]>();
    for (const hit of chosen.values()) byMessage.set(hit.at, [...(byMessage.get(hit.at) ?? []), hit]);
    return [...byMessage]
      .sort(([a], [b]) => a - b)
      .map(([at, found]) => {
        const { id, role } = this.#path[at] as Message;
        const ordered = found.sort((a, b) => a.index - b.index);
        const head = headed.get(at);
        const shown = head === undefined || ordered.some(({ unit }) => unit.text === head) ? '' : `${head}\n`;
        const text =
          shown +
          ordered
            .map(({ unit, index }, i) =>
              i === 0 ? unit.text : betweenUnits(ordered[i - 1] as CompactedHit, { unit, index }) + unit.text,
            )
            .join('');
        return {
          messageId: id,
          role,
          text,
          tokens: meter.text(text) + LINE,
          score: Math.max(...ordered.map(({ score }) => score)),
          why: ordered.some(({ why }) => why === 'missed')
            ? 'missed'
            : ordered.some(({ why }) => why === 'asked')
              ? 'asked'
              : 'corrects',
        };
      });
  }

  /** Positions of each term on the path, without absent terms. */
  #positionsOf(terms: Iterable<string>): Map<string, readonly number[]> {
    const index = this.#indexed && this.messages.length > FEW ? termPositionsIn(this.messages) : null;
    const positions = new Map<string, readonly number[]>();
    for (const term of terms) {
      const found =
        isSingleHan(term) || !index
          ? this.messages.flatMap((message, place) => (hasTerm(message, term) ? [place] : []))
          : index.get(term);
      if (found && found.length > 0)
        positions.set(
          term,
          found.map((place) => this.#places[place] as number),
        );
    }
    return positions;
  }

  /**
   * Rarity of each word among the compacted messages, as IDF times its weight, and the
   * largest sum that a sentence could reach.
   */
  #rarityOf(
    { weights, asked }: ReturnType<typeof queryOf>,
    positions: ReadonlyMap<string, readonly number[]>,
  ): Pick<QuestionWeights, 'rarity' | 'reach'> {
    const rarity = new Map<string, number>();
    let reach = 0;
    for (const [term, weight] of weights) {
      const df = positions.get(term)?.length ?? 0;
      const idf = idfOf(df, this.messages.length);
      rarity.set(term, idf * weight);
      // A word that was never said shows nothing about a sentence's fit, unless it matches by its beginning.
      if (asked.has(term)) reach += (df === 0 ? idf * 0.25 : idf) * weight;
    }
    return { rarity, reach: reach === 0 ? 1 : reach };
  }

  /**
   * Positions of the messages whose sentences are compared one by one, best first: by BM25,
   * by nearby messages, and by meaning.
   */
  #roughly(
    positions: ReadonlyMap<string, readonly number[]>,
    { rarity, reach, nearby, relevance, nearest }: QuestionWeights,
  ): number[] {
    const rough = new Map<number, number>();
    const add = (at: number, score: number) => rough.set(at, (rough.get(at) ?? 0) + score);
    for (const [term, list] of positions) {
      const weight = rarity.get(term) ?? 0;
      for (const at of list) {
        const { counts, length } = documentOf(this.#path[at] as Message);
        const count = counts.get(term) ?? 1;
        add(at, gainOf(weight, count, 1 - HELD_BACK + HELD_BACK * (length / USUAL_LENGTH)));
      }
      for (const [at, near] of nearby.get(term) ?? []) if (this.#isCompacted[at]) add(at, weight * near);
    }
    if (relevance.size > 0)
      for (const at of this.#places) {
        const meaning = relevance.get((this.#path[at] as Message).id);
        if (meaning) add(at, meaning.withWords * MEANING * reach);
      }
    if (nearest.size > 0)
      for (const at of this.#places)
        for (const unit of unitsOf(this.#path[at] as Message)) {
          const own = nearest.get(unit);
          if (own) add(at, own * MEANING * reach);
        }
    return [...rough]
      .sort((a, b) => b[1] - a[1])
      .slice(0, CANDIDATES)
      .map(([at]) => at);
  }

  /** Lists the sentences of one message that fit at all. */
  #hitsIn(at: number, scoring: QuestionWeights): FoundUnit[] {
    const message = this.#path[at] as Message;
    const units = unitsOf(message);
    const terms = units.map(termsIn);
    const answered = closingTermsOf(this.#before(at));
    const whole = scoring.relevance.get(message.id) ?? NO_SEMANTIC_SCORE;
    const age = 1 + (0.12 * at) / this.#path.length;
    const anywhere = messageWeightsOf(message, at, answered, scoring);
    const hits: FoundUnit[] = [];
    const notes = noteFactors(message);
    for (let index = 0; index < units.length; index++) {
      const unit = units[index] as Unit;
      const { words, touched, spoken } = wordFitOf(units, terms, index, answered, anywhere, scoring);
      if (!touched && whole.withWords < LEAST_SEMANTIC && !scoring.nearest.has(unit)) continue;
      const own = terms[index] as ReadonlyMap<string, number>;
      let score = 1;
      score *= valueFactor(scoring.expected, valuesOf(unit));
      if (own.size < 3 && unit.kind === 'prose') score *= own.size === 0 ? 0.1 : 0.6;
      // A call says little by itself if it does not name the subject.
      if (unit.kind === 'call' && !spoken) score *= 0.5;
      if (isAcknowledgement(unit.text)) score *= 0.3;
      else if (isQuestion(unit.text)) score *= 0.55;
      if (message.role === 'user')
        score *= makesCorrection(unit.text)
          ? 1.35
          : scoring.lane === 'assistant' || scoring.lane === 'tool'
            ? NOT_ASKED_FOR
            : 1.15;
      else if (message.role === scoring.lane) score *= ASKED_FOR;
      score *= age * (notes.get(index) ?? NOT_NOTED);
      if (score > 0)
        hits.push({
          message,
          at,
          unit,
          index,
          words: Math.min(1.2, words / scoring.reach),
          meaning: withOwnScore(whole, unit, scoring.nearest),
          factor: score,
        });
    }
    return hits;
  }

  /** The previous message by the person or the model, which an answer answers. */
  #before(at: number): Message | undefined {
    for (let i = at - 1; i >= 0; i--) {
      const message = this.#path[i] as Message;
      if (message.kind === 'message' && message.role !== 'system') return message;
    }
    return undefined;
  }

  #correctionsOf(): CompactedHit[] {
    this.#correcting ??= this.#places.flatMap((at) => {
      const message = this.#path[at] as Message;
      if (message.role !== 'user') return [];
      const units = unitsOf(message);
      return correctingUnits(message).map((index) => ({
        message,
        at,
        unit: units[index] as Unit,
        index,
        score: 0,
      }));
    });
    return this.#correcting;
  }

  /** Finds the newest correction of a hit: one that answers it directly, or mentions the same rare words. */
  #correctionOf(hit: CompactedHit): CompactedHit | undefined {
    const own = termsIn(hit.unit);
    return this.#correctionsOf().findLast(({ at, index, unit }) => {
      if (at <= hit.at) return false;
      let shared = 0;
      for (const term of termsIn(unit).keys()) if (own.has(term)) shared += 1;
      const near = at - hit.at <= 2;
      return shared >= 2 || (near && (shared >= 1 || index === 0));
    });
  }
}

/** Separates two units: lines of a block stay lines, and an omission between them gets a line of its own. */
function betweenUnits(
  before: Pick<CompactedHit, 'unit' | 'index'>,
  { unit, index }: Pick<CompactedHit, 'unit' | 'index'>,
): string {
  const isNext = index - before.index === 1;
  if (unit.block === undefined && before.unit.block === undefined) return isNext ? ' ' : ' … ';
  return isNext ? '\n' : '\n…\n';
}

const hasTerm = (message: Message, term: string): boolean =>
  isSingleHan(term)
    ? // There are few parts and many units.
      message.parts.some((part) => textOfPart(part).includes(term)) &&
      unitsOf(message).some(({ text }) => text.includes(term))
    : documentOf(message).counts.has(term);

/** All words that a unit of this part may have. */
const textOfPart = (part: Part): string =>
  part.type === 'text' || part.type === 'tool-result'
    ? part.text
    : part.type === 'tool-call'
      ? part.name + part.arguments
      : '';
