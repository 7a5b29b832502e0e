// Recall for a question, search for the palette. Works with the parts that are ready: the index may still
// start, the model may load or fail, vectors may be missing. Reports what a recall lacks, and never throws it.

import { cosine } from '../../adapters/embedding/vector.ts';
import type { Candidate, IndexFilter, MemoryIndex } from '../../adapters/index/memory-index.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, NOTES } from '../../domain/base/ids.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { isTimeout, withDeadline } from '../../domain/base/time-limit.ts';
import { passageSource } from '../../domain/chat/files.ts';
import { type AskedOfMemory, askedOfMemory } from '../../domain/memory/calling/asked.ts';
import { asksOfOwnFacts } from '../../domain/memory/calls.ts';
import { choose, distinctPassages } from '../../domain/memory/choose.ts';
import { isAnotherTopic } from '../../domain/memory/last-query.ts';
import { createNeverTest } from '../../domain/memory/notes.ts';
import { thresholdFor } from '../../domain/memory/overview.ts';
import { isNamedFolder, isWithinFolder, literalQuery, queryForMessage } from '../../domain/memory/query.ts';
import { snippetOf } from '../../domain/memory/snippet.ts';
import { mergeRankings, subQueriesOf } from '../../domain/memory/sub-queries.ts';
import { queryWords } from '../../domain/text/words.ts';
import { readLibrary } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { hasHead, understandAsked } from './asked-of-memory.ts';
import type { Memory, RecallResult, SearchHit } from './memory.ts';
import { passagesOf } from './passages.ts';
import { reachOf } from './reach.ts';
import { createReadiness, type ReadinessDeps } from './readiness.ts';
import { createSearching, type Ranked, restrictTo, type SearchingDeps } from './search.ts';

/** Candidates from each half: for nine questions in ten the right one is among the best 50. */
const CANDIDATES = 50;
/** Neighbours on each side of a hit. */
const NEIGHBOURS = 1;
/**
 * Longest wait of a recall for model and index once the index is there, ms: a busy device takes seconds, a broken one
 * for ever.
 */
const ANSWER_TIMEOUT_MS = 30_000;
/** Parts of a long message are searched for only up to this time, since an answer waits three seconds for all, ms. */
const PARTS_UNTIL = 1_200;
/** Longest wait for notes that are still being saved and for the library, ms; then the known ones count. */
const NOTES_TIMEOUT = 3000;
/** Share and least number of messages without vectors from which on a missing result may be due to them. */
const [BEHIND_SHARE, BEHIND_LEAST] = [0.05, 10];
/** A text with fewer search words says too little about its topic. */
const LEAST_WORDS = 2;
/** Least probability at which a message enters the palette by meaning alone. */
const PALETTE_FLOOR = 0.2;
/** A sign deeper in a passage than this is shown with so many characters before it. */
const [SIGN_DEEP, SIGN_LEAD] = [80, 40];

export interface RecallingDeps extends ReadinessDeps, SearchingDeps {
  /** Memory notes and feedback. */
  readonly notes?: Pick<Notes, 'state' | 'known'>;
  /** True if all conversations but this one are empty: then a wait for the index is useless. */
  readonly isEmpty: (except: ConversationId | undefined) => boolean;
}

/** Part of memory that answers questions; see `Memory`. */
type Recalling = Pick<Memory, 'recall' | 'topicMoved' | 'refersToEarlierTalk' | 'search'>;

/**
 * Makes what answers questions. It stores nothing: all results come from the index, the library and the person's
 * notes.
 */
export function createRecalling(deps: RecallingDeps): Recalling {
  return new QuestionRecall(deps);
}

class QuestionRecall implements Recalling {
  readonly #deps: RecallingDeps;
  readonly #readiness: ReturnType<typeof createReadiness>;
  readonly #searching: ReturnType<typeof createSearching>;

  constructor(deps: RecallingDeps) {
    this.#deps = deps;
    this.#readiness = createReadiness(deps);
    this.#searching = createSearching(deps);
  }

  readonly recall: Memory['recall'] = async (request) => {
    const { signal } = request;
    const began = performance.now();
    const { now = Date.now } = this.#deps;
    const started = now();
    const { recall: settings } = this.#deps.config.get();
    const query = queryForMessage(request.text);
    const { min_similarity: shown } = settings.filters;
    // A question that calls on memory, or that nothing else can answer, gets everything that may be shown.
    const isUnasked = request.purpose === 'inject' && !asksOfOwnFacts(request.text);
    const leastFor = ({ calls }: AskedOfMemory) =>
      isUnasked && !calls ? Math.max(shown, settings.auto_recall.min_similarity) : shown;
    const limit = request.limit ?? settings.filters.max_results;
    const result = (more: Partial<RecallResult>): RecallResult => ({
      query,
      passages: [],
      nearMisses: [],
      threshold: leastFor(askedOfMemory(query, null, null)),
      tokens: 0,
      mode: 'keyword',
      degraded: null,
      tookMs: performance.now() - began,
      ...more,
    });
    signal.throwIfAborted();
    const current = settings.filters.exclude_current_session ? request.currentConversation : undefined;
    if (query === '' || limit <= 0 || this.#deps.isEmpty(current)) return result({});

    // The model reads the question while the index is still starting.
    const asking = this.#readiness.waitForIndex(signal);
    const reading = this.#readiness.vectorOf(query, signal, asking, request.draft);
    ignore(reading, 'the vector of a question whose recall was given up');
    const notesKnown = this.#known(signal);
    const from = await asking;
    if (!from)
      return result({
        unavailable: true,
        degraded: unavailable(this.#deps.status.get().problem).problem,
      });

    const filter = this.#searching.resolve(request.filter ?? {}, isWithinFolder);
    const but: IndexFilter =
      current !== undefined
        ? { ...filter, excludeConversationIds: [...(filter.excludeConversationIds ?? []), current] }
        : filter;
    const reach = reachOf(request.from, this.#deps.documents.library.get(), request.persona);
    const narrowed = reach?.scope.reach === 'only' ? restrictTo(but, reach.conversations) : but;
    // A question that names conversations sets its own scope.
    const first = reach?.scope.reach === 'first' && !filter.conversationIds ? reach.conversations : undefined;
    try {
      const { ranked, asked, threshold, hits, nearMisses, neighbours } = await this.#readiness.inIndex(
        from,
        signal,
        async (from) => {
          let askedAgain = false;
          let asked = askedOfMemory(query, null, null);
          const searchFor = async (text: string, read: typeof reading) => {
            const found = await this.#searching.search(
              from,
              text,
              read.then(({ vector }) => vector),
              narrowed,
              CANDIDATES,
              { withNeighbours: true, neighboursAsHits: true, notesKnown, first },
            );
            if (text === query) [askedAgain, asked] = [found.again, found.asked];
            return found.ranked;
          };
          const ranked = await withDeadline(signal, ANSWER_TIMEOUT_MS, async () => {
            const whole = await searchFor(query, reading);
            const rest: Ranked[][] = [];
            // One after the other, since each keeps the index busy. An answer that waits gets the parts found by then.
            for (const part of subQueriesOf(query)) {
              signal.throwIfAborted();
              if (now() - started > PARTS_UNTIL) break;
              rest.push(await searchFor(part, this.#readiness.vectorOf(part, signal, asking, request.draft)));
            }
            return rest.length === 0 ? whole : mergeRankings([whole, ...rest]);
          });
          signal.throwIfAborted();
          // A person who repeats an unanswered question asks memory, too.
          const threshold = thresholdFor(asked.breadth, askedAgain ? shown : leastFor(asked), ranked);
          const { hits, nearMisses } = choose(ranked, {
            threshold,
            limit,
            // Within one conversation variety does not matter.
            perConversation:
              narrowed.conversationIds?.length === 1 ? limit : settings.context.max_messages_per_session,
          });
          const messages = [...hits, ...nearMisses].map(({ candidate }) => candidate.messageId);
          const neighbours =
            request.withContext === false
              ? new Map()
              : await from.neighbours(messages, NEIGHBOURS, NEIGHBOURS);
          return { ranked, asked, threshold, hits, nearMisses, neighbours };
        },
      );
      const why = await reading;
      signal.throwIfAborted();
      const budget = settings.context.max_total_tokens;
      const already = new Set<MessageId>();
      const never = createNeverTest(this.#deps.notes?.state.get().feedback ?? []);
      const passages = passagesOf(hits, neighbours, query, budget, already, never);
      return result({
        passages,
        threshold,
        nearMisses: passagesOf(nearMisses, neighbours, query, budget, already, never),
        tokens: passages.reduce((sum, passage) => sum + passage.tokens, 0),
        mode: ranked.some(({ scores }) => scores.vector !== null) ? 'hybrid' : 'keyword',
        ...(reach ? { scope: reach.scope } : {}),
        ...(asked.breadth ? { overview: true as const } : {}),
        degraded: !why.vector ? why.reason : passages.length === 0 && this.#isBehind(ranked) ? BEHIND : null,
      });
    } catch (error) {
      signal.throwIfAborted();
      return result({ unavailable: true, degraded: isTimeout(error) ? NO_ANSWER : toProblem(error) });
    }
  };

  readonly topicMoved: Memory['topicMoved'] = async (text, before, { signal, draft }) => {
    const [asked, earlier] = [queryForMessage(text), queryForMessage(before)];
    if (earlier === '' || queryWords(asked).split(' ').length < LEAST_WORDS) return false;
    const read = (one: string) => this.#readiness.vectorOf(one, signal, Promise.resolve(), draft);
    const [now, then] = await Promise.all([read(asked), read(earlier)]);
    if (!now.vector || now.vector.model !== then.vector?.model) return false;
    const { values, scale } = now.vector;
    return isAnotherTopic(cosine(values, then.vector.values), scale);
  };

  readonly refersToEarlierTalk: Memory['refersToEarlierTalk'] = async (text, { signal }) => {
    const query = queryForMessage(text);
    const byForm = askedOfMemory(query, null, null).calls;
    const provider = this.#deps.embedding.get();
    // A model that loads would keep the message waiting, and one without a head learns nothing of it.
    if (query === '' || provider?.state.get().status !== 'ready' || !(await hasHead(provider.id)))
      return byForm;
    const { vector } = await this.#readiness.vectorOf(query, signal, Promise.resolve());
    return (await understandAsked(query, vector)).calls;
  };

  readonly search: Memory['search'] = async (request) => {
    const { text, filter, limit, signal, onHits } = request;
    const from = await this.#readiness.waitForIndex(signal);
    if (!from) throw unavailable(this.#deps.status.get().problem);
    const narrowed = this.#searching.resolve(filter, isNamedFolder);
    if (text.trim() === '') {
      if (Object.keys(narrowed).length === 0) return onHits([], true);
      // A memory note has no listener.
      const excludeConversationIds = [...(narrowed.excludeConversationIds ?? []), NOTES];
      const { hits, total } = await this.#readiness.inIndex(from, signal, (from) =>
        this.#newestIn(from, '', { ...narrowed, excludeConversationIds }, limit),
      );
      signal.throwIfAborted();
      return onHits(hits, true, total);
    }
    const literal = literalQuery(text);
    if (literal !== null) return this.#searchLiterally(from, literal, { ...request, filter: narrowed });
    const words = queryWords(text);
    const notesKnown = this.#known(signal);
    const wanted = this.#readiness.vectorOf(text, signal, Promise.resolve());
    ignore(wanted, 'the vector of a search that was given up');

    const { ranked: holding, knownWords } =
      words === ''
        ? { ranked: [], knownWords: undefined }
        : await this.#readiness.inIndex(from, signal, (from) =>
            this.#searching.search(from, text, null, narrowed, limit, {
              withNeighbours: false,
              neighboursAsHits: false,
              everything: true,
              notesKnown,
            }),
          );
    const byWords = distinctPassages(holding, Number.POSITIVE_INFINITY, limit);
    signal.throwIfAborted();
    if (byWords.length > 0)
      onHits(
        byWords.map((hit) => this.#toHit(text, hit)),
        false,
      );
    const { vector } = await wanted;
    signal.throwIfAborted();
    if (!vector)
      return onHits(
        byWords.map((hit) => this.#toHit(text, hit)),
        true,
      );
    const { ranked: all } = await this.#readiness.inIndex(from, signal, (from) =>
      this.#searching.search(from, text, vector, narrowed, limit, {
        withNeighbours: true,
        neighboursAsHits: false,
        everything: true,
        notesKnown,
        knownWords,
      }),
    );
    const both = distinctPassages(all, Number.POSITIVE_INFINITY);
    signal.throwIfAborted();
    onHits(
      merge(byWords, both)
        .slice(0, limit)
        .map((hit) => this.#toHit(text, hit)),
      true,
    );
  };

  /** Resolves once it is known what was deleted a moment ago, which the index may still have. Never rejects. */
  #known(signal: AbortSignal): Promise<unknown> {
    const { documents, notes } = this.#deps;
    const known = withDeadline(signal, NOTES_TIMEOUT, async (bounded) => {
      await Promise.all([notes?.known(), readLibrary(documents.library, bounded)]);
    });
    return orElse(known, undefined, 'memory notes or a library that came too late for a search');
  }

  /** True if so many chunks wait for vectors that missing passages may be among them, or if all found ones do. */
  #isBehind(ranked: readonly Pick<Ranked, 'scores'>[]): boolean {
    const { waiting } = this.#deps.status.get();
    const isFound = ranked.length > 0;
    if (waiting > 0 && isFound && ranked.every(({ scores }) => scores.vector === null)) return true;
    if (waiting < BEHIND_LEAST) return false;
    const { entries, projects } = this.#deps.documents.library.get();
    const messages = [...entries, ...projects].reduce((sum, { messageCount }) => sum + messageCount, 0);
    return waiting >= BEHIND_SHARE * messages;
  }

  #said(passage: string, text: string, candidate: Candidate) {
    const from = passageSource(passage);
    return {
      conversationId: candidate.conversationId,
      messageId: candidate.messageId,
      title: candidate.title,
      role: candidate.role,
      createdAt: candidate.createdAt,
      snippet: snippetOf(from.text, text),
      source: from.source,
      archived: candidate.archived,
    };
  }

  #toHit(text: string, { candidate, scores }: Ranked): SearchHit {
    return {
      ...this.#said(candidate.text, text, candidate),
      scores: { ...scores, boosts: [...scores.boosts] },
    };
  }

  /** The newest messages that pass and contain `text` literally, as hits, and their count. */
  async #newestIn(from: MemoryIndex, text: string, filter: IndexFilter, limit: number) {
    const { candidates, total = 0 } = await from.search({ words: '', filter, limit, newest: text });
    const isOut = this.#searching.excludedNow();
    const kept = candidates.filter((candidate) => !isOut(candidate));
    const hits = kept.map(
      (candidate): SearchHit => ({
        ...this.#said(wordsAround(candidate.text, text), text, candidate),
        scores: null,
      }),
    );
    return { hits, total: total - (candidates.length - kept.length) };
  }

  /**
   * Searches for a text without search words: the newest messages that contain it, then those near in meaning if there
   * is space.
   */
  async #searchLiterally(
    from: MemoryIndex,
    literal: string,
    { text, filter, limit, signal, onHits }: Parameters<Memory['search']>[0],
  ): Promise<void> {
    const wanted = this.#readiness.vectorOf(text, signal, Promise.resolve());
    ignore(wanted, 'the vector of a search that was given up');
    const { hits, total } = await this.#readiness.inIndex(from, signal, (from) =>
      this.#newestIn(from, literal, filter, limit),
    );
    signal.throwIfAborted();
    if (hits.length >= limit) return onHits(hits, true, total);
    if (hits.length > 0) onHits(hits, false, total);
    const { vector } = await wanted;
    signal.throwIfAborted();
    if (!vector) return onHits(hits, true, total);
    const { ranked: meant } = await this.#readiness.inIndex(from, signal, (from) =>
      this.#searching.search(from, text, vector, filter, limit, {
        withNeighbours: true,
        neighboursAsHits: false,
        everything: true,
      }),
    );
    signal.throwIfAborted();
    const there = new Set(hits.map(({ messageId }) => messageId));
    const more = distinctPassages(meant, Number.POSITIVE_INFINITY)
      .filter(({ candidate, scores }) => !there.has(candidate.messageId) && scores.final >= PALETTE_FLOOR)
      .map((hit) => this.#toHit(text, hit));
    onHits([...hits, ...more].slice(0, limit), true, total);
  }
}

/**
 * Cuts a passage to begin shortly before `text`, if that is deep in it: the code that cuts snippets cannot find a sign
 * without search words.
 */
function wordsAround(passage: string, text: string): string {
  const at = text === '' ? -1 : passage.indexOf(text);
  if (at < SIGN_DEEP) return passage;
  return `…${passage.slice(at - SIGN_LEAD).replace(/^[\udc00-\udfff]/, '')}`;
}

const unavailable = (known: Problem | null): RecollectError => {
  const { code, message, ...more } = known ?? NOT_STARTED;
  return new RecollectError(code, message, more);
};
const NOT_STARTED: Problem = {
  code: 'index-unavailable',
  message: 'The memory index has not started yet',
  retry: true,
};

const NO_ANSWER: Problem = {
  code: 'index-unavailable',
  message: 'The memory index did not answer in time',
  params: { detail: 'no answer' },
  retry: true,
};

const BEHIND: Problem = {
  code: 'memory-behind',
  message: 'Many messages have no vectors yet',
  retry: true,
};

/**
 * Hits by words with their new scores, and those by meaning: in the order of the score that each shows. A list that
 * is in use holds its own rows still.
 */
function merge(shown: readonly Ranked[], both: readonly Ranked[]): Ranked[] {
  const byMessage = new Map(shown.map((hit) => [hit.candidate.messageId, hit]));
  for (const hit of both)
    if (byMessage.has(hit.candidate.messageId) || hit.scores.final >= PALETTE_FLOOR)
      byMessage.set(hit.candidate.messageId, hit);
  return [...byMessage.values()].sort((one, other) => other.scores.final - one.scores.final);
}
