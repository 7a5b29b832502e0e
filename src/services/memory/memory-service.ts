// What a tab asks of memory: recall for a question, search for the palette. Works with whatever is there: an index that is still
// starting, a model that is still loading or broken, a library without vectors yet. What is missing is said, never thrown.
import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { hasCentredPieces } from '../../adapters/embedding/state-centres.ts';
import type {
  Candidate,
  IndexFilter,
  KnownWords,
  MemoryIndex,
  NeighbourRow,
} from '../../adapters/index/memory-index.ts';
import { afterLook, together } from '../../adapters/index/rules.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, NOTES } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { atMost, isTooLate } from '../../domain/base/within.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { cutToTokens, estimateTokens } from '../../domain/context/tokens.ts';
import type { QueryPieces } from '../../domain/memory/late.ts';
import { lastLineOf, leaning, type QuestionRead } from '../../domain/memory/lean.ts';
import { feedbackFor, isNotes, neverOf } from '../../domain/memory/notes.ts';
import { neighbourTokens } from '../../domain/memory/passages.ts';
import { heldAsIs, isNamedFolder, isWithinFolder } from '../../domain/memory/query.ts';
import {
  type CosineScale,
  choose,
  distinct,
  isEcho,
  knows,
  LATE,
  type Rankable,
  type RankContext,
  ranker,
  type Scored,
  shareOut,
  type Technique,
} from '../../domain/memory/rank.ts';
import { excerptOf, snippetOf } from '../../domain/memory/snippet.ts';
import { titledBy } from '../../domain/memory/title.ts';
import { queryWords } from '../../domain/memory/words.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { Memory, MemoryStatus, RecallResult, SearchHit } from './memory.ts';

/** Candidates asked of each half: the right one is among the best 50 for nine questions in ten. */
const CANDIDATES = 50;
/** How long a recall waits for an index that is opened or made again, ms: seconds, on a busy device many. Who asks may wait shorter. */
const INDEX_PATIENCE = 90_000;
/** How long an index that was just opened and has something may read what it missed before it is asked, ms. */
const CATCH_UP = 1_000;
/** How soon an index that turned out to be damaged is let go, ms. */
const LET_GO = 5_000;
/** How long a recall waits for model and index once that is there, ms: seconds on a busy device, for ever from a broken one. */
const ANSWER_PATIENCE = 30_000;
/** Messages without vectors, of all there are, from which on finding nothing may be for want of them; and the least number of them. */
const [BEHIND_SHARE, BEHIND_LEAST] = [0.05, 10];
/** How often it looks whether the index is there, ms. */
const INDEX_LOOK = 25;
/** How long a recall waits for a model that is loading, ms. */
const MODEL_PATIENCE = 6_000;
/** Neighbours on each side of a hit, and the most tokens of one. */
const NEIGHBOURS = 1;
const NEIGHBOUR_TOKENS = 120;
/** Title, date and marks around a passage in the prompt. */
const FRAME_TOKENS = 24;
/** Shortest passage worth injecting. */
const LEAST_TOKENS = 24;
/** Meaning alone brings a message into the palette from this probability on. */
const PALETTE_FLOOR = 0.2;
/** A sign that stands deeper in a passage than this is shown with so much before it, characters. */
const [SIGN_DEEP, SIGN_LEAD] = [80, 40];

export interface MemoryDeps {
  /** null while it is starting, or when it cannot be had. */
  readonly index: () => MemoryIndex | null;
  readonly embedding: () => EmbeddingProvider | null;
  readonly config: Readable<Config>;
  readonly documents: Pick<Documents, 'library'>;
  /** What the person said of earlier hits. */
  readonly notes?: Pick<Notes, 'state'>;
  readonly status: Readable<MemoryStatus>;
  /** The engine's verbs, wherever it runs. */
  readonly wake: Memory['wake'];
  readonly setPaused: Memory['setPaused'];
  readonly rebuild: Memory['rebuild'];
  /** Parts of the ranking that are left away: the evaluation measures what each is worth. */
  readonly without?: () => ReadonlySet<Technique>;
  /** ms since 1970 */
  readonly now?: () => number;
}

/** A candidate, whether it is a memory note, and which of the question's words its title has. */
type Rated = Candidate & Pick<Rankable, 'note' | 'titled'>;
type Ranked = Scored<Rated>;
interface QueryVector {
  readonly model: string;
  readonly values: Float32Array;
  readonly scale: CosineScale;
  readonly languages: EmbeddingProvider['languages'];
  /** Null where the provider has only whole vectors, or pieces that cannot be compared. */
  readonly pieces: QueryPieces | null;
}

/** Makes the tab's memory. Keeps nothing but the size of the library. */
export function createMemory({
  index,
  embedding,
  config,
  documents,
  notes,
  status,
  wake,
  setPaused,
  rebuild,
  without,
  now = Date.now,
}: MemoryDeps): Memory {
  /** Waits until `ready`, at most `ms`. One that failed to start will not come by waiting; one that is there and failed may be made again. */
  const wait = async (ready: () => boolean, ms: number, signal: AbortSignal): Promise<void> => {
    const deadline = performance.now() + ms;
    const isHopeless = () => index() === null && status.get().state === 'failed';
    while (!ready() && performance.now() < deadline && !isHopeless()) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, INDEX_LOOK));
    }
    signal.throwIfAborted();
  };
  /** The index that was asked last, since when it is there, and whether it had nothing then: new, or being made again. */
  let opened: { readonly index: MemoryIndex; readonly since: number; empty: boolean } | null = null;
  const noteOpened = (there: MemoryIndex) => {
    const seen = { index: there, since: performance.now(), empty: false };
    opened = seen;
    there.bookmark().then(
      (bookmark) => {
        seen.empty = bookmark === 0;
      },
      // Whoever asks it hears the same, and tells it.
      () => undefined,
    );
  };
  const waitForIndex = async (signal: AbortSignal): Promise<MemoryIndex | null> => {
    const isUpToDate = () => {
      const there = index();
      if (there !== null && there !== opened?.index) noteOpened(there);
      return (
        there !== null &&
        opened !== null &&
        (status.get().state !== 'starting' || (!opened.empty && performance.now() - opened.since > CATCH_UP))
      );
    };
    await wait(isUpToDate, INDEX_PATIENCE, signal);
    return index();
  };

  /** Whether nothing was ever said but in this conversation: then nobody has to wait for an index to hear that it has nothing. */
  const isEmpty = (except: ConversationId | undefined): boolean => {
    const { ready, entries } = documents.library.get();
    const told = notes?.state.get() ?? { ready: true, notes: [] };
    return (
      ready &&
      told.ready &&
      told.notes.length === 0 &&
      entries.every(({ id, deletedAt }) => deletedAt !== null || id === except)
    );
  };

  /** What `work` finds in an index; where that turns out to be damaged inside, or is closed meanwhile, in the one that takes its place. */
  const inIndex = async <Found>(
    from: MemoryIndex,
    signal: AbortSignal,
    work: (from: MemoryIndex) => Promise<Found>,
  ): Promise<Found> => {
    try {
      return await work(from);
    } catch (error) {
      if (toProblem(error).code === 'index-damaged') await wait(() => index() !== from, LET_GO, signal);
      if (index() === from) throw error;
      const isWhole = () =>
        index() !== null && status.get().state !== 'starting' && status.get().unread === 0;
      await wait(isWhole, INDEX_PATIENCE, signal);
      const again = index();
      if (again === null) throw error;
      return await work(again);
    }
  };

  /**
   * The question as a vector; null with the reason where there is none in time, which begins when there is an index to ask. `reason: null`:
   * nothing is wrong, the model just cannot read this language.
   */
  const vectorOf = async (
    text: string,
    signal: AbortSignal,
    asking: Promise<unknown>,
  ): Promise<{ vector: QueryVector } | { vector: null; reason: Problem | null }> => {
    if (!embedding()) {
      // Soon after opening neither is known yet, and whoever waits for the index can wait for the model as well.
      let isAsked = false;
      const asked = () => {
        isAsked = true;
      };
      void asking.then(asked, asked);
      await wait(() => embedding() !== null || isAsked, INDEX_PATIENCE, signal);
    }
    const provider = embedding();
    if (!provider) {
      const known = status.get().embedding;
      return { vector: null, reason: known.status === 'failed' ? known.problem : NOT_YET };
    }
    if (!knows(provider.languages, text)) return { vector: null, reason: null };
    try {
      const options = { kind: 'query', signal } as const;
      const last = lastLineOf(text);
      const texts = last === null ? [text] : [text, last];
      const made = Promise.all([
        provider.read
          ? provider.read(
              texts.map((one) => ({ context: '', text: one })),
              options,
            )
          : provider
              .embed(texts, options)
              .then((vectors) => vectors.map((vector): QuestionRead => ({ vector }))),
        provider.calibration(signal),
      ]);
      await Promise.race([asking, made]);
      // Where it is too late for this question it goes on: the next one finds the model loaded.
      const [read, scale] = await atMost(signal, MODEL_PATIENCE, () => made);
      const [whole, end]: readonly QuestionRead[] = read;
      if (!whole) return { vector: null, reason: NOT_YET };
      const { vector, tokens, weights } = end ? leaning(whole, end) : whole;
      // Without a centre the likeness of pieces has no known zero: meaning is then that of the whole vectors alone.
      const pieces =
        tokens && weights && weights.length > 0 && hasCentredPieces(provider.id) ? { tokens, weights } : null;
      return {
        vector: { model: provider.id, values: vector, scale, languages: provider.languages, pieces },
      };
    } catch (error) {
      signal.throwIfAborted();
      // Replaced or closed in the middle: as if it had not been there.
      if (isAbort(error) || isTooLate(error)) return { vector: null, reason: NOT_YET };
      return { vector: null, reason: toProblem(error) };
    }
  };

  /** The filter as the index knows it: a folder becomes the conversations that have one which is meant. */
  const resolve = (filter: IndexFilter, isMeant: typeof isNamedFolder): IndexFilter => {
    const { workDir, ...rest } = filter;
    if (workDir === undefined) return filter;
    const allowed = rest.conversationIds && new Set(rest.conversationIds);
    return {
      ...rest,
      conversationIds: documents.library
        .get()
        .entries.filter((entry) => isMeant(entry.workDir, workDir))
        .map((entry) => entry.id)
        .filter((id) => !allowed || allowed.has(id)),
    };
  };

  /** Candidates with what the index does not know of them: which are the person's notes, and what the titles say. */
  const rated = (words: string, found: readonly Candidate[]): Rated[] => {
    const asked = words.split(' ').filter(Boolean);
    const titled = titledBy(asked, (conversation) =>
      found
        .filter((one) => one.conversationId === conversation && one.role === 'user')
        .map(({ text }) => text),
    );
    return found.map((candidate) => {
      if (isNotes(candidate.conversationId)) return { ...candidate, note: true };
      const has = titled(candidate.conversationId, candidate.title);
      return has ? { ...candidate, titled: has } : candidate;
    });
  };

  /**
   * Ranks what both halves find, together with what stands beside it: first by what the index says of all, then the best again with their
   * pieces. What is only beside a hit may be one too, unless the filter speaks of messages and not of conversations. `everything`: also what
   * is never to be recalled. The words are looked up while the model still reads the question.
   */
  const look = async (
    from: MemoryIndex,
    question: string,
    given: QueryVector | null | Promise<QueryVector | null>,
    filter: IndexFilter,
    limit: number,
    options: {
      readonly around: boolean;
      readonly beside: boolean;
      readonly everything?: true;
      readonly knownWords?: KnownWords | undefined;
    },
  ): Promise<{ ranked: Ranked[]; knownWords: KnownWords | undefined }> => {
    const { hybrid_weights: weights, filters } = config.get().recall;
    const words = queryWords(question);
    const knowing = (knownWords: KnownWords | undefined) => (knownWords ? { knownWords } : {});
    const asked = { words, filter, limit, around: options.around, ...knowing(options.knownWords) };
    const meant = (vector: QueryVector) => ({ model: vector.model, values: vector.values });
    const lookMeanwhile = async (reading: Promise<QueryVector | null>) => {
      const [byWords, vector] = await Promise.all([from.look(asked), reading]);
      if (!vector) return { vector, found: byWords };
      const added = await from.look({
        ...asked,
        vector: meant(vector),
        after: afterLook(byWords),
        ...knowing(byWords.knownWords),
      });
      return { vector, found: together(byWords, added) };
    };
    const { vector, found } =
      given instanceof Promise
        ? await lookMeanwhile(given)
        : { vector: given, found: await from.look(given ? { ...asked, vector: meant(given) } : asked) };
    const { worth } = found;
    const candidates = rated(words, found.candidates).filter(
      (one) => options.everything || !isEcho(one, question),
    );
    const told = notes && feedbackFor(notes.state.get().feedback, question);
    const context: RankContext = {
      weights,
      ...(told ? { feedback: options.everything ? { ...told, never: () => false } : told } : {}),
      ...(vector ? { scale: vector.scale, languages: vector.languages } : {}),
      worth,
      question,
      decayFactor: filters.time_decay_factor,
      now: now(),
      ...(without ? { without: without() } : {}),
    };
    const rankWith = ranker<Rated>(candidates, context);
    let ranked: Ranked[] = rankWith(() => null);
    if (vector?.pieces && !context.without?.has('late')) {
      const best = ranked.slice(0, LATE).map(({ candidate }) => candidate.chunkId);
      const late = await from.likeness(vector.model, vector.pieces, best);
      ranked = rankWith(({ chunkId }) => late.get(chunkId) ?? null);
    }
    const { roles, before, after, hasCode } = filter;
    const ofMessages = (roles ?? before ?? after ?? hasCode) !== undefined;
    return {
      ranked: options.beside && !ofMessages ? ranked : ranked.filter(({ candidate }) => !candidate.beside),
      knownWords: found.knownWords,
    };
  };

  /**
   * Hits as passages within `budget` tokens: neighbours give way first, then the long passages, none is dropped while it can be cut. No
   * message stands beside two of them, nor one that is a hit itself or is in `already`; what stands in them is added there.
   */
  const passagesOf = (
    hits: readonly Ranked[],
    around: ReadonlyMap<MessageId, { before: NeighbourRow[]; after: NeighbourRow[] }>,
    query: string,
    budget: number,
    already: Set<MessageId>,
  ): RecalledPassage[] => {
    const full = hits.map(({ candidate }) => estimateTokens(candidate.text));
    const kept = Math.max(1, Math.min(hits.length, Math.floor(budget / (FRAME_TOKENS + LEAST_TOKENS))));
    const shares = shareOut(full.slice(0, kept), budget - kept * FRAME_TOKENS);
    const left = budget - kept * FRAME_TOKENS - shares.reduce((sum, share) => sum + share, 0);
    const never = neverOf(notes?.state.get().feedback ?? []);
    for (const { candidate } of hits.slice(0, kept)) already.add(candidate.messageId);
    const beside = hits.slice(0, kept).map(({ candidate: { conversationId, messageId } }) => {
      const { before, after } = around.get(messageId) ?? { before: [], after: [] };
      const rows = [...before, ...after].filter(
        (row) => !already.has(row.messageId) && !never({ ...row, conversationId }),
      );
      for (const { messageId } of rows) already.add(messageId);
      return rows;
    });
    const wants = beside.map((rows) =>
      rows.reduce(
        (sum, { text }) => sum + Math.min(NEIGHBOUR_TOKENS + neighbourTokens(''), neighbourTokens(text)),
        0,
      ),
    );
    const rooms = shareOut(wants, left);
    return hits.slice(0, kept).map(({ candidate, scores }, at) => {
      const passage = excerptOf(candidate.text, query, shares[at] ?? 0);
      let room = rooms[at] ?? 0;
      const rows = beside[at] ?? [];
      const neighbours = rows.flatMap((row, place) => {
        const fair = Math.floor(room / (rows.length - place)) - neighbourTokens('');
        const share = Math.min(NEIGHBOUR_TOKENS, fair);
        if (share < 8) return [];
        const text = cutToTokens(row.text, share);
        room -= neighbourTokens(text);
        return [{ messageId: row.messageId, role: row.role, text, createdAt: row.createdAt }];
      });
      return {
        conversationId: candidate.conversationId,
        messageId: candidate.messageId,
        title: candidate.title,
        createdAt: candidate.createdAt,
        role: candidate.role,
        passage,
        neighbours,
        scores: { ...scores, boosts: [...scores.boosts] },
        tokens:
          FRAME_TOKENS +
          estimateTokens(passage) +
          neighbours.reduce((sum, { text }) => sum + neighbourTokens(text), 0),
      };
    });
  };

  /** Whether so much waits for its vectors that what is not found may be among it. */
  const isBehind = (): boolean => {
    const { waiting } = status.get();
    if (waiting < BEHIND_LEAST) return false;
    const messages = documents.library.get().entries.reduce((sum, { messageCount }) => sum + messageCount, 0);
    return waiting >= BEHIND_SHARE * messages;
  };

  const recall: Memory['recall'] = async (request) => {
    const { signal } = request;
    const began = performance.now();
    const { recall: settings } = config.get();
    const query = request.text.trim();
    const { min_similarity: shown } = settings.filters;
    const threshold =
      request.purpose === 'inject' ? Math.max(shown, settings.auto_recall.min_similarity) : shown;
    const limit = request.limit ?? settings.filters.max_results;
    const result = (more: Partial<RecallResult>): RecallResult => ({
      query,
      passages: [],
      nearMisses: [],
      threshold,
      tokens: 0,
      mode: 'keyword',
      degraded: null,
      tookMs: performance.now() - began,
      ...more,
    });
    signal.throwIfAborted();
    const current = settings.filters.exclude_current_session ? request.currentConversation : undefined;
    if (query === '' || limit <= 0 || isEmpty(current)) return result({});

    // The model may read the question while the index is still waking up.
    const asking = waitForIndex(signal);
    const reading = vectorOf(query, signal, asking);
    // Whoever gives up on the recall gives up on the vector; nobody is left to hear of it.
    reading.catch(() => undefined);
    const from = await asking;
    if (!from)
      return result({
        unavailable: true,
        degraded: status.get().problem ?? {
          code: 'index-unavailable',
          message: 'The memory index has not started yet',
          retry: true,
        },
      });

    const filter = resolve(request.filter ?? {}, isWithinFolder);
    const narrowed: IndexFilter =
      current !== undefined
        ? { ...filter, excludeConversationIds: [...(filter.excludeConversationIds ?? []), current] }
        : filter;
    try {
      const { ranked, hits, nearMisses, around } = await inIndex(from, signal, async (from) => {
        const vector = reading.then(({ vector }) => vector);
        const { ranked } = await atMost(signal, ANSWER_PATIENCE, () =>
          look(from, query, vector, narrowed, CANDIDATES, { around: true, beside: true }),
        );
        signal.throwIfAborted();
        const { hits, nearMisses } = choose(ranked, {
          threshold,
          limit,
          perConversation: settings.context.max_messages_per_session,
        });
        const messages = [...hits, ...nearMisses].map(({ candidate }) => candidate.messageId);
        const around =
          request.withContext === false ? new Map() : await from.neighbours(messages, NEIGHBOURS, NEIGHBOURS);
        return { ranked, hits, nearMisses, around };
      });
      const why = await reading;
      signal.throwIfAborted();
      const budget = settings.context.max_total_tokens;
      const already = new Set<MessageId>();
      const passages = passagesOf(hits, around, query, budget, already);
      return result({
        passages,
        nearMisses: passagesOf(nearMisses, around, query, budget, already),
        tokens: passages.reduce((sum, passage) => sum + passage.tokens, 0),
        mode: ranked.some(({ scores }) => scores.vector !== null) ? 'hybrid' : 'keyword',
        degraded: !why.vector ? why.reason : passages.length === 0 && isBehind() ? BEHIND : null,
      });
    } catch (error) {
      signal.throwIfAborted();
      return result({ unavailable: true, degraded: isTooLate(error) ? NO_ANSWER : toProblem(error) });
    }
  };

  const said = (passage: string, text: string, candidate: Candidate) => ({
    conversationId: candidate.conversationId,
    messageId: candidate.messageId,
    title: candidate.title,
    role: candidate.role,
    createdAt: candidate.createdAt,
    snippet: snippetOf(passage, text),
    archived: candidate.archived,
  });
  const toHit = (text: string, { candidate, scores }: Ranked): SearchHit => ({
    ...said(candidate.text, text, candidate),
    scores: { ...scores, boosts: [...scores.boosts] },
  });

  /** The newest messages that pass and hold `text` letter by letter, as hits, and how many they are. */
  const newestIn = async (from: MemoryIndex, text: string, filter: IndexFilter, limit: number) => {
    const { candidates, total = 0 } = await from.look({ words: '', filter, limit, newest: text });
    const hits = candidates.map(
      (candidate): SearchHit => ({ ...said(around(candidate.text, text), text, candidate), scores: null }),
    );
    return { hits, total };
  };

  /** A text that has no search words: the newest messages that hold it, and what means it where there is room for more. */
  const searchAsIs = async (
    from: MemoryIndex,
    asIs: string,
    { text, filter, limit, signal, onHits }: Parameters<Memory['search']>[0],
  ) => {
    const wanted = vectorOf(text, signal, Promise.resolve());
    // Whoever gives up on the search gives up on the vector; nobody is left to hear of it.
    wanted.catch(() => undefined);
    const { hits, total } = await inIndex(from, signal, (from) => newestIn(from, asIs, filter, limit));
    signal.throwIfAborted();
    if (hits.length >= limit) return onHits(hits, true, total);
    if (hits.length > 0) onHits(hits, false, total);
    const { vector } = await wanted;
    signal.throwIfAborted();
    if (!vector) return onHits(hits, true, total);
    const { ranked: meant } = await inIndex(from, signal, (from) =>
      look(from, text, vector, filter, limit, { around: true, beside: false, everything: true }),
    );
    signal.throwIfAborted();
    const there = new Set(hits.map(({ messageId }) => messageId));
    const more = distinct(meant, Number.POSITIVE_INFINITY)
      .filter(({ candidate, scores }) => !there.has(candidate.messageId) && scores.final >= PALETTE_FLOOR)
      .map((hit) => toHit(text, hit));
    onHits([...hits, ...more].slice(0, limit), true, total);
  };

  const search: Memory['search'] = async (request) => {
    const { text, filter, limit, signal, onHits } = request;
    const from = await waitForIndex(signal);
    if (!from) return onHits([], true);
    const narrowed = resolve(filter, isNamedFolder);
    if (text.trim() === '') {
      if (Object.keys(narrowed).length === 0) return onHits([], true);
      // Nobody said a memory note to anybody.
      const excludeConversationIds = [...(narrowed.excludeConversationIds ?? []), NOTES];
      const { hits, total } = await inIndex(from, signal, (from) =>
        newestIn(from, '', { ...narrowed, excludeConversationIds }, limit),
      );
      signal.throwIfAborted();
      return onHits(hits, true, total);
    }
    const asIs = heldAsIs(text);
    if (asIs !== null) return searchAsIs(from, asIs, { ...request, filter: narrowed });
    const words = queryWords(text);
    const wanted = vectorOf(text, signal, Promise.resolve());
    // Whoever gives up on the search gives up on the vector; nobody is left to hear of it.
    wanted.catch(() => undefined);

    const { ranked: holding, knownWords } =
      words === ''
        ? { ranked: [], knownWords: undefined }
        : await inIndex(from, signal, (from) =>
            look(from, text, null, narrowed, limit, { around: false, beside: false, everything: true }),
          );
    const byWords = distinct(holding, Number.POSITIVE_INFINITY, limit);
    signal.throwIfAborted();
    const { vector } = await announce(byWords);
    signal.throwIfAborted();
    if (!vector)
      return onHits(
        byWords.map((hit) => toHit(text, hit)),
        true,
      );
    const { ranked: all } = await inIndex(from, signal, (from) =>
      look(from, text, vector, narrowed, limit, {
        around: true,
        beside: false,
        everything: true,
        knownWords,
      }),
    );
    const both = distinct(all, Number.POSITIVE_INFINITY);
    signal.throwIfAborted();
    onHits(
      merge(byWords, both)
        .slice(0, limit)
        .map((hit) => toHit(text, hit)),
      true,
    );

    async function announce(hits: readonly Ranked[]) {
      if (hits.length > 0)
        onHits(
          hits.map((hit) => toHit(text, hit)),
          false,
        );
      return wanted;
    }
  };

  return {
    status,
    recall,
    search,
    prepare: () => {
      if (documents.library.get().ready && !isEmpty(undefined)) embedding()?.prepare?.();
    },
    stats: async () => {
      const from = index();
      if (!from) return { conversations: 0, messages: 0, chunks: 0, vectors: 0, bytes: 0 };
      return from.stats(embedding()?.id ?? '');
    },
    overview: async () => {
      const seen = await index()?.overview(embedding()?.id ?? '');
      return {
        conversations: seen?.conversations.filter(({ id }) => !isNotes(id)) ?? [],
        recalled: seen?.recalled ?? [],
      };
    },
    wake,
    setPaused,
    rebuild: async () => {
      await rebuild();
    },
    close: async () => {},
  };
}

/** A passage from a little before `text`, where that stands deep in it: a sign without search words is not found by those who cut snippets. */
function around(passage: string, text: string): string {
  const at = text === '' ? -1 : passage.indexOf(text);
  if (at < SIGN_DEEP) return passage;
  return `…${passage.slice(at - SIGN_LEAD).replace(/^[\udc00-\udfff]/, '')}`;
}

const NO_ANSWER: Problem = {
  code: 'index-unavailable',
  message: 'The memory index did not answer in time',
  params: { detail: 'no answer' },
  retry: true,
};

const NOT_YET: Problem = {
  code: 'memory-behind',
  message: 'The embedding model is not ready yet',
  retry: true,
};

const BEHIND: Problem = {
  code: 'memory-behind',
  message: 'Many messages have no vectors yet',
  retry: true,
};

/**
 * What was shown stays in its order and takes its new numbers; what meaning adds is put before the first shown hit that scores lower,
 * never above the first line, which may be under the cursor.
 */
function merge(shown: readonly Ranked[], both: readonly Ranked[]): Ranked[] {
  const byMessage = new Map(both.map((hit) => [hit.candidate.messageId, hit]));
  const merged = shown.map((hit) => byMessage.get(hit.candidate.messageId) ?? hit);
  const already = new Set(shown.map((hit) => hit.candidate.messageId));
  for (const hit of both) {
    if (already.has(hit.candidate.messageId) || hit.scores.final < PALETTE_FLOOR) continue;
    const place = merged.findIndex((other, at) => at > 0 && other.scores.final < hit.scores.final);
    if (place < 0) merged.push(hit);
    else merged.splice(place, 0, hit);
  }
  return merged;
}
