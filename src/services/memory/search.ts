// Searches the index for a question, and ranks what it finds.
import type {
  Candidate,
  IndexFilter,
  IndexQuery,
  KnownWords,
  MemoryIndex,
} from '../../adapters/index/memory-index.ts';
import { mergeSearches, mergeStages, searchedBefore } from '../../adapters/index/rules.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { unansweredIn, withoutEchoes } from '../../domain/memory/asked-in-vain.ts';
import type { AskedOfMemory } from '../../domain/memory/calling/asked.ts';
import { promoteCorrections } from '../../domain/memory/corrections.ts';
import { conversationsMeantBy } from '../../domain/memory/described.ts';
import { feedbackFor } from '../../domain/memory/feedback.ts';
import { createDeletedTest, isNotes } from '../../domain/memory/notes.ts';
import { spreadForOverview } from '../../domain/memory/overview.ts';
import { isExcluded } from '../../domain/memory/privacy.ts';
import type { isNamedFolder } from '../../domain/memory/query.ts';
import {
  LATE,
  type Rankable,
  type RankContext,
  ranker,
  type Scored,
  type Technique,
} from '../../domain/memory/rank.ts';
import { bestLate, type Grouped, givenAndMissing, groupedBySource } from '../../domain/memory/sources.ts';
import { placeRules } from '../../domain/memory/standing.ts';
import { titleMatches } from '../../domain/memory/title.ts';
import { projectsNamed } from '../../domain/projects/filing.ts';
import type { Config } from '../../domain/settings/config.ts';
import { queryWords } from '../../domain/text/words.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { understandAsked } from './asked-of-memory.ts';
import type { MemoryFilter } from './memory.ts';
import type { QueryVector } from './readiness.ts';

export interface SearchingDeps {
  readonly config: Readable<Config>;
  /** Turns private words into tokens: the index holds only those. */
  readonly filter?: PrivacyFilter;
  readonly documents: Pick<Documents, 'library'>;
  /** Feedback of the person on earlier hits. */
  readonly notes?: Pick<Notes, 'state'>;
  /** Parts of the ranking to leave out: the evaluation measures the worth of each. */
  readonly without?: () => ReadonlySet<Technique>;
  /** ms since 1970 */
  readonly now?: () => number;
}

/** Passages taken from conversations that only their descriptions lead to. */
const DESCRIBED_PASSAGES = 12;

/**
 * A candidate, with: is it a memory note, is it an unanswered question, which of the question's words are in its title.
 */
type Rated = Candidate & Pick<Rankable, 'note' | 'titled' | 'unanswered'>;
export type Ranked = Scored<Rated>;

type SaidAt = Pick<Candidate, 'conversationId' | 'messageId'>;

/** Restricts the filter to these conversations. */
export const restrictTo = (filter: IndexFilter, conversations: ReadonlySet<string>): IndexFilter => {
  const ids = filter.conversationIds ?? ([...conversations] as ConversationId[]);
  return { ...filter, conversationIds: ids.filter((id) => conversations.has(id)) };
};

interface SearchOptions {
  readonly withNeighbours: boolean;
  readonly neighboursAsHits: boolean;
  readonly everything?: true;
  readonly notesKnown?: Promise<unknown>;
  readonly knownWords?: KnownWords | undefined;
  readonly first?: ReadonlySet<string> | undefined;
}

/**
 * Brings all candidates of a question: by words and meaning, those of `first`, the passages that found answers were
 * made from, and messages to which summaries and keywords lead. `described`: what these say of each conversation.
 */
async function gather(
  from: MemoryIndex,
  given: QueryVector | null | Promise<QueryVector | null>,
  { words, filter, limit }: Pick<IndexQuery, 'words' | 'filter' | 'limit'>,
  { withNeighbours, everything, first, knownWords }: SearchOptions,
) {
  const knowing = (known: KnownWords | undefined) => (known ? { knownWords: known } : {});
  const meant = (vector: QueryVector) => ({ model: vector.model, values: vector.values });
  const asked = { words, filter, limit, withNeighbours, ...knowing(knownWords) };
  const searchWhileReading = async (reading: Promise<QueryVector | null>, query: IndexQuery) => {
    const [byWords, vector] = await Promise.all([from.search(query), reading]);
    if (!vector) return { vector, found: byWords };
    const added = await from.search({
      ...query,
      vector: meant(vector),
      after: searchedBefore(byWords),
      ...knowing(byWords.knownWords),
    });
    return { vector, found: { ...mergeStages(byWords, added), ...knowing(byWords.knownWords) } };
  };
  const searchWith = async (query: IndexQuery) =>
    given instanceof Promise
      ? await searchWhileReading(given, query)
      : { vector: given, found: await from.search(given ? { ...query, vector: meant(given) } : query) };
  const whole = await searchWith(asked);
  const near = first && (await searchWith({ ...asked, filter: restrictTo(filter, first) }));
  const { vector } = whole;
  let found = near ? mergeSearches(whole.found, near.found) : whole.found;
  const messages = everything ? [] : givenAndMissing(found.candidates);
  if (messages.length > 0) {
    const ofAnswers = { ...asked, ...(vector ? { vector: meant(vector) } : {}), messages };
    found = mergeSearches(found, await from.search({ ...ofAnswers, ...knowing(found.knownWords) }));
  }
  // A description is never a passage: it leads to the messages that it describes.
  const described = conversationsMeantBy(everything ? { candidates: [] } : found, found.idf);
  if (described.size > 0) {
    const inside = restrictTo(filter, new Set(described.keys()));
    const brought = { words, filter: inside, limit: DESCRIBED_PASSAGES };
    // Without a model their order is unknown.
    const how = vector ? { vector: meant(vector), withNeighbours } : { newest: '' };
    found = mergeSearches(found, await from.search({ ...brought, ...how }));
  }
  return { found, vector, described };
}

/**
 * Makes the searcher, with its translation of people's filters into the index's, and its test
 * for passages that must not be found.
 */
export function createSearching(deps: SearchingDeps) {
  return new PassageSearch(deps);
}

class PassageSearch {
  readonly #deps: SearchingDeps;
  readonly #now: NonNullable<SearchingDeps['now']>;
  /** Test for messages that the index may still have but must not return: deleted or excluded since it read them. */
  #known: { readonly of: readonly unknown[]; readonly isOut: (said: SaidAt) => boolean } | undefined;

  constructor(deps: SearchingDeps) {
    this.#deps = deps;
    const { now = Date.now } = deps;
    this.#now = now;
  }

  /** Translates a filter for the index: a folder becomes the conversations in the folders that it means. */
  resolve(filter: MemoryFilter, isMeant: typeof isNamedFolder): IndexFilter {
    const { workDir, project, ...rest } = filter;
    if (workDir === undefined && project === undefined) return filter;
    const { entries, projects } = this.#deps.documents.library.get();
    const allowed = rest.conversationIds && new Set(rest.conversationIds);
    const named = project === undefined ? null : projectsNamed(project, projects);
    const meant = [...entries, ...(named ? projects : [])].filter(
      (entry) =>
        (workDir === undefined || isMeant(entry.workDir, workDir)) &&
        (named === null || named.has(entry.id) || (entry.projectId !== null && named.has(entry.projectId))),
    );
    return {
      ...rest,
      conversationIds: meant.map(({ id }) => id).filter((id) => !allowed || allowed.has(id)),
    };
  }

  /**
   * Ranks words, meaning and neighbours together, then the best again by token vectors. A neighbour may be a hit,
   * unless the filter is about messages. Searches by words while the model still reads the question.
   * @param options.everything also finds messages that are never to be recalled
   * @param options.notesKnown resolves when all memory notes and the library are known
   * @param options.first conversations whose best are candidates in any case
   * @returns `again`: the same question was asked before in vain; `asked`: what the question asks of memory
   */
  async search(
    from: MemoryIndex,
    question: string,
    given: QueryVector | null | Promise<QueryVector | null>,
    filter: IndexFilter,
    limit: number,
    options: SearchOptions,
  ): Promise<{
    ranked: Ranked[];
    knownWords: KnownWords | undefined;
    again: boolean;
    asked: AskedOfMemory;
  }> {
    const words = queryWords(this.#deps.filter?.indexed(question) ?? question);
    const { found, vector, described } = await gather(from, given, { words, filter, limit }, options);
    const asked = await understandAsked(question, vector);
    await options.notesKnown;
    const isOut = this.excludedNow();
    const rated = this.#rated(words, found.candidates, described).filter((one) => !isOut(one));
    const grouped: Grouped<Rated> = options.everything
      ? { sources: rated, repeatedBy: new Map(), recalls: [] }
      : groupedBySource(rated);
    const { rest: candidates, again } = options.everything
      ? { rest: grouped.sources, again: false }
      : withoutEchoes(grouped.sources, question);
    const context = this.#contextOf(question, vector, found.idf, options);
    const rankWith = ranker<Rated>(candidates, context);
    let ranked: Ranked[] = rankWith(() => null);
    if (vector?.tokenVectors && !context.without?.has('late')) {
      const best = ranked.slice(0, LATE).map(({ candidate }) => candidate.chunkId);
      const repeatedBy = best.flatMap((chunk) => grouped.repeatedBy.get(chunk) ?? []);
      const late = await from.maxSim(vector.model, vector.tokenVectors, [
        ...new Set([...best, ...repeatedBy]),
      ]);
      const isBest = new Set(best);
      ranked = rankWith(({ chunkId }) =>
        isBest.has(chunkId) ? bestLate(chunkId, grouped.repeatedBy, late) : null,
      );
    }
    if (!options.everything)
      ranked = spreadForOverview<Rated, Ranked>(
        asked.breadth,
        placeRules<Rated, Ranked>(question, promoteCorrections(question, ranked, grouped.recalls)),
      );
    const { roles, before, after, hasCode } = filter;
    const ofMessages = (roles ?? before ?? after ?? hasCode) !== undefined;
    return {
      ranked:
        options.neighboursAsHits && !ofMessages
          ? ranked
          : ranked.filter(({ candidate }) => !candidate.isNeighbour),
      knownWords: found.knownWords,
      again,
      asked,
    };
  }

  #contextOf(
    question: string,
    vector: QueryVector | null,
    idfWeights: RankContext['idfWeights'],
    { everything, first }: SearchOptions,
  ): RankContext {
    const { hybrid_weights: weights, filters } = this.#deps.config.get().recall;
    const feedback = this.#deps.notes && feedbackFor(this.#deps.notes.state.get().feedback, question);
    return {
      weights,
      ...(feedback ? { feedback: everything ? { ...feedback, never: () => false } : feedback } : {}),
      ...(first ? { inProject: (id) => first.has(id) } : {}),
      ...(vector ? { scale: vector.scale, languages: vector.languages } : {}),
      idfWeights,
      question,
      decayFactor: filters.time_decay_factor,
      now: this.#now(),
      ...(this.#deps.without ? { without: this.#deps.without() } : {}),
    };
  }

  excludedNow(): (said: SaidAt) => boolean {
    const library = this.#deps.documents.library.get();
    const notesKnown = this.#deps.notes?.state.get() ?? { ready: false, notes: [] };
    const folders = this.#deps.config.get().privacy.exclude_work_dirs;
    const of = [
      library.ready,
      library.entries,
      library.projects,
      notesKnown.ready,
      notesKnown.notes,
      folders,
    ];
    if (this.#known && of.every((one, at) => one === this.#known?.of[at])) return this.#known.isOut;
    const isGone = createDeletedTest(library, notesKnown);
    const excluded = new Set<string>(
      folders.length === 0
        ? []
        : library.entries.filter(({ workDir }) => isExcluded(workDir, folders)).map(({ id }) => id),
    );
    this.#known = { of, isOut: (said) => excluded.has(said.conversationId) || isGone(said) };
    return this.#known.isOut;
  }

  /**
   * Adds facts to candidates that the index lacks: person's notes, unanswered
   * questions, words of titles and descriptions.
   */
  #rated(
    words: string,
    found: readonly Candidate[],
    described: ReadonlyMap<ConversationId, readonly boolean[]>,
  ): Rated[] {
    const asked = words.split(' ').filter(Boolean);
    const titled = titleMatches(
      asked,
      (conversation: ConversationId) =>
        found
          .filter((one) => one.conversationId === conversation && one.role === 'user')
          .map(({ text }) => text),
      described,
    );
    const isUnanswered = unansweredIn(found);
    return found.map((candidate) => {
      if (isNotes(candidate.conversationId)) return { ...candidate, note: true };
      const has = titled(candidate.conversationId, candidate.title);
      return {
        ...candidate,
        ...(has ? { titled: has } : {}),
        ...(isUnanswered(candidate) ? { unanswered: true } : {}),
      };
    });
  }
}
