// The small member of the family: everything in maps, BM25 and cosine computed by looking at every chunk.
// It fulfils the contract and keeps nothing. Tests use it, and compare the database with it.
import { z } from 'zod';
import type {
  Candidate,
  ConversationRow,
  IndexChange,
  MemoryIndex,
  MessageRow,
} from '../../../src/adapters/index/memory-index.ts';
import {
  contextIn,
  DESCRIBED,
  NEIGHBOUR_STEPS,
  NEIGHBOUR_TEXT,
  QUARTER,
  settleChange,
  toUnit,
  withSymmetricLinks,
  wordsForDescriptions,
} from '../../../src/adapters/index/rules.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { lateInteraction } from '../../../src/domain/memory/late.ts';
import {
  B,
  bm25Of,
  gainsOf,
  idfWeights,
  signIn,
  splitWords,
  type WordStatistics,
  weightOf,
} from '../../../src/domain/text/bm25.ts';
import { folded } from '../../../src/domain/text/fold.ts';
import { MAX_QUERY_TERMS } from '../../../src/domain/text/words.ts';

interface Chunk {
  readonly id: number;
  readonly message: MessageId;
  readonly ordinal: number;
  text: string;
  words: string;
  embedded: string;
  readonly hash: string;
  priority: number;
}

const recallsSchema = z.array(
  z.looseObject({
    type: z.string(),
    passages: z
      .array(z.looseObject({ conversationId: z.string(), messageId: z.string().optional() }))
      .optional(),
  }),
);

/** The messages that memory gave to an answer. */
const recalledBy = ({ role, content }: MessageRow): readonly MessageId[] =>
  role === 'assistant'
    ? (recallsSchema.safeParse(content).data ?? [])
        .flatMap(({ type, passages }) => (type === 'recall' ? (passages ?? []) : []))
        .flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId as MessageId]))
    : [];

/** Cosine of two vectors of equal length, -1–1; 0 when either has no length. */
function cosineOf(a: Float32Array, b: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return left === 0 || right === 0 ? 0 : dot / Math.sqrt(left * right);
}

/** Everything that is indexed, and how it hangs together. */
class Tables {
  readonly conversations = new Map<ConversationId, ConversationRow>();
  readonly messages = new Map<MessageId, MessageRow>();
  readonly chunks = new Map<number, Chunk>();
  readonly chunksOf = new Map<MessageId, Chunk[]>();
  /** Model → hash of what was embedded → vector. */
  readonly vectors = new Map<string, Map<string, Float32Array>>();
  /** The same for the signs of pieces. */
  readonly pieces = new Map<string, Map<string, Uint8Array>>();
  bookmark = 0;
  #nextChunk = 1;

  apply(change: IndexChange): void {
    const settled = settleChange(change);
    for (const id of settled.removedConversations) this.#dropConversation(id);
    for (const id of settled.removedMessages) this.#dropMessage(id);
    this.#forgetUnusedVectors();
    for (const row of settled.conversations) this.#setConversation(row);
    for (const row of settled.messages) this.#setMessage(row);
    this.#forgetUnusedVectors();
  }

  clear(): void {
    for (const held of [
      this.conversations,
      this.messages,
      this.chunks,
      this.chunksOf,
      this.vectors,
      this.pieces,
    ])
      held.clear();
    this.bookmark = 0;
  }

  waitingChunks(model: string): Chunk[] {
    const known = this.vectors.get(model);
    return [...this.chunks.values()].filter((chunk) => !known?.has(chunk.hash));
  }
  messageOf(chunk: Chunk): MessageRow {
    return this.messages.get(chunk.message) as MessageRow;
  }
  conversationOf(chunk: Chunk): ConversationRow {
    return this.conversations.get(this.messageOf(chunk).conversationId) as ConversationRow;
  }
  messagesIn(conversation: ConversationId): MessageRow[] {
    return [...this.messages.values()].filter((row) => row.conversationId === conversation);
  }

  /** Statistics over all chunks, as a database index has them. */
  statisticsOf(query: readonly string[]): WordStatistics {
    const documents = [...this.chunks.values()].map((chunk) => splitWords(chunk.words));
    const all = documents.reduce((sum, own) => sum + own.length, 0);
    const weights = new Map(
      query.flatMap((word) => {
        const whole = documents.filter((own) => own.includes(word)).length;
        const isSign = signIn(query) !== undefined && whole === 0;
        const holding = isSign ? documents.filter((own) => own.join(' ').includes(word)).length : whole;
        return holding > 0 ? [[word, weightOf(holding, documents.length)] as const] : [];
      }),
    );
    return { weights, perWord: (B * documents.length) / all };
  }

  previousOf(chunk: Chunk): Chunk | undefined {
    if (chunk.ordinal > 0)
      return this.#ordered(chunk.message).find((one) => one.ordinal === chunk.ordinal - 1);
    const { before } = this.messageOf(chunk);
    return before ? this.#ordered(before).at(-1) : undefined;
  }
  nextOf(chunk: Chunk): Chunk | undefined {
    const within = this.#ordered(chunk.message).find((one) => one.ordinal === chunk.ordinal + 1);
    if (within) return within;
    const follower = this.#followerOf(chunk.message);
    return follower && this.#ordered(follower.id).find((one) => one.ordinal === 0);
  }
  #ordered(id: MessageId): Chunk[] {
    return [...(this.chunksOf.get(id) ?? [])].sort((a, b) => a.ordinal - b.ordinal);
  }
  #followerOf(id: MessageId): MessageRow | undefined {
    return [...this.messages.values()]
      .filter((row) => row.before === id)
      .sort((a, b) => b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1))[0];
  }

  #dropMessage(id: MessageId): void {
    for (const chunk of this.chunksOf.get(id) ?? []) this.chunks.delete(chunk.id);
    this.chunksOf.delete(id);
    this.messages.delete(id);
  }
  #dropConversation(id: ConversationId): void {
    for (const message of this.messagesIn(id)) this.#dropMessage(message.id);
    this.conversations.delete(id);
  }
  #forgetUnusedVectors(): void {
    const used = new Set([...this.chunks.values()].map((chunk) => chunk.hash));
    for (const kept of [...this.vectors.values(), ...this.pieces.values()])
      for (const hash of [...kept.keys()]) if (!used.has(hash)) kept.delete(hash);
  }
  #setMessage(row: MessageRow): void {
    const before = this.chunksOf.get(row.id) ?? [];
    const after = row.chunks.map((chunk): Chunk => {
      const same = before.find((one) => one.ordinal === chunk.ordinal && one.hash === chunk.hash);
      return { id: same?.id ?? this.#nextChunk++, message: row.id, ...chunk };
    });
    for (const chunk of before) this.chunks.delete(chunk.id);
    for (const chunk of after) this.chunks.set(chunk.id, chunk);
    this.chunksOf.set(row.id, after);
    this.messages.set(row.id, row);
    if (!this.conversations.has(row.conversationId))
      this.conversations.set(row.conversationId, {
        id: row.conversationId,
        title: '',
        summary: '',
        keywords: [],
        described: '',
        createdAt: row.createdAt,
        updatedAt: row.createdAt,
        workDir: null,
        tokenCount: 0,
        archived: false,
        pinned: false,
      });
  }
  #setConversation(row: ConversationRow): void {
    const before = this.conversations.get(row.id);
    this.conversations.set(row.id, {
      ...row,
      title: row.title || (before?.title ?? ''),
      summary: row.summary || (before?.summary ?? ''),
      described: row.described || (before?.described ?? ''),
      keywords: row.keywords.length > 0 ? row.keywords : (before?.keywords ?? []),
    });
  }
}

type Query = Parameters<MemoryIndex['search']>[0];
type Answer = Awaited<ReturnType<MemoryIndex['search']>>;

/** Chunks that the filter lets through. */
function eligibleFor(tables: Tables, filter: Query['filter']): Chunk[] {
  const title = filter.titleContains?.toLowerCase();
  return [...tables.chunks.values()].filter((chunk) => {
    const message = tables.messageOf(chunk);
    const conversation = tables.conversationOf(chunk);
    return (
      (!filter.conversationIds || filter.conversationIds.includes(conversation.id)) &&
      !filter.excludeConversationIds?.includes(conversation.id) &&
      (title === undefined || conversation.title.toLowerCase().includes(title)) &&
      (!filter.roles || filter.roles.includes(message.role)) &&
      (filter.workDir === undefined || conversation.workDir === filter.workDir) &&
      (filter.before === undefined || message.createdAt < filter.before) &&
      (filter.after === undefined || message.createdAt >= filter.after) &&
      (filter.hasCode === undefined || message.hasCode === filter.hasCode) &&
      (filter.pinned === undefined || conversation.pinned === filter.pinned) &&
      (filter.archived === undefined || conversation.archived === filter.archived)
    );
  });
}

/** The first chunk that holds the text of each message, newest message first. */
function newestHolding(tables: Tables, eligible: readonly Chunk[], text: string): Chunk[] {
  const sign = signIn([folded(text)]);
  const holds = (chunk: Chunk) =>
    chunk.text.includes(text) || (sign !== undefined && chunk.words.includes(sign));
  const first = new Map<MessageId, Chunk>();
  for (const chunk of eligible) {
    const known = first.get(chunk.message);
    if (holds(chunk) && (!known || chunk.ordinal < known.ordinal)) first.set(chunk.message, chunk);
  }
  return [...first.values()].sort(
    (a, b) => tables.messageOf(b).createdAt - tables.messageOf(a).createdAt || b.id - a.id,
  );
}

/** Conversations whose descriptions share words with the query, best first. */
function describedBy(
  tables: Tables,
  eligible: readonly Chunk[],
  query: readonly string[],
  idf: readonly number[],
): Answer['described'] {
  const sought = wordsForDescriptions(query, idf);
  return [...tables.conversations.values()]
    .filter((row) => eligible.some((chunk) => tables.conversationOf(chunk) === row))
    .map((row) => {
      const has = new Set(row.described.split(' '));
      const shared = sought.filter(([word]) => has.has(word));
      return {
        conversationId: row.id,
        idf: shared.reduce((sum, [, idf]) => sum + idf, 0),
        has: query.map((word) => shared.some(([one]) => one === word)),
      };
    })
    .filter(({ idf }) => idf > 0)
    .sort((a, b) => b.idf - a.idf)
    .slice(0, DESCRIBED)
    .map(({ conversationId, has }) => ({ conversationId, has }));
}

/** Best first by score, at most `limit`. */
const bestBy = (chunks: readonly Chunk[], scores: ReadonlyMap<number, number>, limit: number): Chunk[] =>
  chunks
    .filter((chunk) => scores.has(chunk.id))
    .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || a.id - b.id)
    .slice(0, limit);

/** How each chunk fits the question: by words and by meaning. */
function measuring(tables: Tables, query: readonly string[], vector: Query['vector']) {
  const statistics = tables.statisticsOf(query);
  const termsIn = gainsOf(query, statistics);
  const known = vector && tables.vectors.get(vector.model);
  const cosineIn = (chunk: Chunk): number | null => {
    const values = known?.get(chunk.hash);
    return vector && values?.length === vector.values.length ? cosineOf(values, vector.values) : null;
  };
  const scoresOf = (chunks: readonly Chunk[], score: (chunk: Chunk) => number | null) =>
    new Map(
      chunks.flatMap((chunk) => {
        const value = score(chunk);
        return value === null ? [] : [[chunk.id, value] as const];
      }),
    );
  return {
    statistics,
    termsIn,
    cosineIn,
    cosines: (chunks: readonly Chunk[]) => scoresOf(chunks, cosineIn),
    keyword: (chunks: readonly Chunk[]) =>
      scoresOf(chunks, (chunk) => {
        const score = bm25Of(termsIn(chunk.words));
        return score > 0 ? score : null;
      }),
  };
}

function candidateOf(
  tables: Tables,
  { termsIn, cosineIn }: ReturnType<typeof measuring>,
  chunk: Chunk,
  place: { readonly linked: boolean; readonly isNeighbour: boolean },
): Candidate {
  const message = tables.messageOf(chunk);
  const conversation = tables.conversationOf(chunk);
  const terms = termsIn(chunk.words);
  const recalled = recalledBy(message);
  return {
    chunkId: chunk.id,
    messageId: message.id,
    conversationId: conversation.id,
    title: conversation.title,
    role: message.role,
    before: message.before ?? null,
    ...(recalled.length > 0 ? { recalled } : {}),
    createdAt: message.createdAt,
    text: chunk.text,
    cosine: cosineIn(chunk),
    bm25: bm25Of(terms),
    terms,
    previous: place.linked ? (tables.previousOf(chunk)?.id ?? null) : null,
    next: place.linked ? (tables.nextOf(chunk)?.id ?? null) : null,
    isNeighbour: place.isNeighbour,
    archived: conversation.archived,
    pinned: conversation.pinned,
  };
}

function look(tables: Tables, asked: Query): Answer {
  const { vector, limit, withNeighbours, after, newest, messages } = asked;
  const eligible = eligibleFor(tables, asked.filter);
  const query = splitWords(asked.words).slice(0, MAX_QUERY_TERMS);
  if ((query.length === 0 && !vector && newest === undefined) || limit <= 0)
    return { candidates: [], idf: [] };
  const measure = measuring(tables, query, vector);
  const there = new Set(after && [...after.found, ...after.neighbours]);
  const byMeaning = () => bestBy(eligible, measure.cosines(eligible), limit);
  const found = new Set(
    messages
      ? eligible.filter((chunk) => messages.includes(chunk.message))
      : after
        ? byMeaning().filter(({ id }) => !after.found.includes(id))
        : [...bestBy(eligible, measure.keyword(eligible), limit), ...byMeaning()],
  );
  const neighbours = new Set<Chunk>();
  if (withNeighbours)
    for (const chunk of found)
      for (const other of [tables.previousOf(chunk), tables.nextOf(chunk)])
        if (other && !found.has(other) && !there.has(other.id)) neighbours.add(other);
  const toCandidate = (chunk: Chunk): Candidate =>
    candidateOf(tables, measure, chunk, {
      linked: Boolean(withNeighbours) && found.has(chunk),
      isNeighbour: neighbours.has(chunk),
    });
  if (newest !== undefined) {
    const passing = newestHolding(tables, eligible, newest);
    return { candidates: passing.slice(0, limit).map(toCandidate), idf: [], total: passing.length };
  }
  const idf = idfWeights(query, measure.statistics, tables.chunks.size);
  const described = describedBy(tables, eligible, query, idf);
  return {
    ...(described && withNeighbours && query.length > 0 && !after && !messages ? { described } : {}),
    candidates: withSymmetricLinks([...found, ...neighbours].map(toCandidate)),
    idf,
    ...(after
      ? {
          measured: [...tables.chunks.values()]
            .filter(({ id }) => there.has(id))
            .map((chunk) => [chunk.id, measure.cosineIn(chunk)] as const),
        }
      : {}),
  };
}

/** Keeps vectors of chunks that are still there. */
function putVectors(tables: Tables, model: string, given: Parameters<MemoryIndex['put']>[1]): void {
  const length = given[0]?.values.length;
  const known = tables.vectors.get(model) ?? new Map<string, Float32Array>();
  // Vectors of another length cannot be compared: the model was replaced under the same name.
  if (length !== undefined && [...known.values()].some((one) => one.length !== length)) known.clear();
  const signs = tables.pieces.get(model) ?? new Map<string, Uint8Array>();
  for (const { chunkId, values, bits } of given) {
    const chunk = tables.chunks.get(chunkId);
    if (!chunk) continue;
    known.set(chunk.hash, values.slice());
    if (bits && bits.length > 0) signs.set(chunk.hash, bits.slice());
    else signs.delete(chunk.hash);
  }
  tables.vectors.set(model, known);
  tables.pieces.set(model, signs);
}

/** The messages with text before and after each wanted one, along the newest branch. */
function neighboursOf(
  { messages }: Tables,
  wanted: Iterable<MessageId>,
  before: number,
  after: number,
): Awaited<ReturnType<MemoryIndex['neighbours']>> {
  const childrenOf = new Map<MessageId, MessageRow[]>();
  for (const row of messages.values())
    if (row.parentId) childrenOf.set(row.parentId, [...(childrenOf.get(row.parentId) ?? []), row]);
  const newestChild = (id: MessageId): MessageRow | undefined =>
    childrenOf.get(id)?.reduce((a, b) => ((b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1)) > 0 ? b : a));
  const parent = (row: MessageRow) => (row.parentId ? messages.get(row.parentId) : undefined);
  const walk = (from: MessageRow, next: (row: MessageRow) => MessageRow | undefined, count: number) => {
    const found: { messageId: MessageId; role: MessageRow['role']; createdAt: number; text: string }[] = [];
    let at = next(from);
    for (let step = 0; at && step < NEIGHBOUR_STEPS && found.length < count; step++, at = next(at))
      if (at.chunks.length > 0)
        found.push({
          messageId: at.id,
          role: at.role,
          createdAt: at.createdAt,
          text: Array.from(
            [...at.chunks]
              .sort((a, b) => a.ordinal - b.ordinal)
              .map((chunk) => chunk.text)
              .join('\n'),
          )
            .slice(0, NEIGHBOUR_TEXT)
            .join(''),
        });
    return found;
  };
  const result: Awaited<ReturnType<MemoryIndex['neighbours']>> = new Map();
  for (const id of wanted) {
    const row = messages.get(id);
    if (!row) continue;
    result.set(id, {
      before: walk(row, parent, before).reverse(),
      after: walk(row, (one) => newestChild(one.id), after),
    });
  }
  return result;
}

function overviewOf(tables: Tables, model: string): Awaited<ReturnType<MemoryIndex['overview']>> {
  return {
    conversations: [...tables.conversations.values()]
      .map((row) => {
        const own = tables.messagesIn(row.id);
        const kept = own
          .flatMap((message) => tables.chunksOf.get(message.id) ?? [])
          .sort((a, b) => a.priority - b.priority || a.id - b.id)
          .flatMap((chunk) => tables.vectors.get(model)?.get(chunk.hash) ?? [])
          .slice(0, 24);
        return {
          id: row.id,
          title: row.title,
          createdAt: row.createdAt,
          updatedAt: row.updatedAt,
          messages: own.length,
          workDir: row.workDir,
          archived: row.archived,
          keywords: row.keywords,
          said: [...new Set(own.map(({ createdAt }) => Math.floor(createdAt / QUARTER) * QUARTER))].sort(
            (a, b) => a - b,
          ),
          vector: kept[0]
            ? kept[0].map((_, at) => kept.reduce((sum, one) => sum + (one[at] ?? 0), 0) / kept.length)
            : null,
        };
      })
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1)),
    recalled: [...tables.messages.values()]
      .sort((a, b) => a.createdAt - b.createdAt)
      .flatMap((message) =>
        recallsSchema
          .parse(message.content)
          .flatMap((part) => (part.type === 'recall' ? (part.passages ?? []) : []))
          .map((passage) => ({
            at: message.createdAt,
            conversationId: passage.conversationId as ConversationId,
          })),
      ),
  };
}

function statsOf(
  { conversations, messages, chunks, vectors }: Tables,
  model: string,
): Awaited<ReturnType<MemoryIndex['stats']>> {
  return {
    conversations: conversations.size,
    messages: messages.size,
    chunks: chunks.size,
    vectors: [...chunks.values()].filter((chunk) => vectors.get(model)?.has(chunk.hash)).length,
    bytes:
      [...messages.values()].reduce((sum, row) => sum + JSON.stringify(row).length, 0) +
      [...vectors.values()].reduce(
        (sum, kept) => sum + [...kept.values()].reduce((bytes, one) => bytes + one.byteLength, 0),
        0,
      ),
  };
}

/** Chunks without a vector of the model, counted by conversation. */
function waitingOf(tables: Tables, model: string): Awaited<ReturnType<MemoryIndex['pendingCounts']>> {
  const waiting = new Map<ConversationId, Set<MessageId>>();
  for (const chunk of tables.waitingChunks(model)) {
    const { id, conversationId } = tables.messageOf(chunk);
    waiting.set(conversationId, (waiting.get(conversationId) ?? new Set()).add(id));
  }
  return [...waiting].map(([conversationId, ids]) => ({ conversationId, messages: ids.size }));
}

/** An index that lives as long as this object. Starts empty. */
export function createInMemoryIndex(): MemoryIndex {
  const tables = new Tables();
  return {
    bookmark: async () => tables.bookmark,
    apply: async (change, position) => {
      tables.apply(change);
      tables.bookmark = position;
    },
    conversationIds: async () => new Set(tables.conversations.keys()),
    messageIds: async (conversation) => new Set(tables.messagesIn(conversation).map((row) => row.id)),
    describe: async (id, made) => {
      const row = tables.conversations.get(id);
      if (!row) return;
      tables.conversations.set(id, { ...row, ...made });
    },
    pendingChunks: async (model, limit, only) =>
      tables
        .waitingChunks(model)
        .filter((chunk) => !only || only.includes(tables.messageOf(chunk).conversationId))
        .sort((a, b) => a.priority - b.priority || a.id - b.id)
        .slice(0, limit)
        .map((chunk) => ({
          id: chunk.id,
          embedded: chunk.embedded,
          context: contextIn(chunk),
          conversationId: tables.messageOf(chunk).conversationId,
        })),
    pendingCounts: async (model) => waitingOf(tables, model),
    put: async (model, given) => putVectors(tables, model, given),
    search: async (query) => look(tables, query),
    maxSim: async (model, question, wanted) => {
      const signs = tables.pieces.get(model);
      const compare = lateInteraction(question);
      return new Map(
        wanted.flatMap((id) => {
          const bits = signs?.get(tables.chunks.get(id)?.hash ?? '');
          const maxSim = bits ? compare(bits) : null;
          return maxSim === null ? [] : [[id, maxSim] as const];
        }),
      );
    },
    meanings: async (model, wanted) => {
      const known = tables.vectors.get(model);
      return new Map(
        wanted.flatMap((id) => {
          const own = (tables.chunksOf.get(id) ?? []).flatMap((chunk) => known?.get(chunk.hash) ?? []);
          const sum = own[0]?.map((_, at) => own.reduce((total, one) => total + (one[at] ?? 0), 0));
          const values = sum && toUnit(sum);
          return values ? [[id, values] as const] : [];
        }),
      );
    },
    neighbours: async (wanted, before, after) => neighboursOf(tables, wanted, before, after),
    clear: async () => tables.clear(),
    purge: async () => {},
    stats: async (model) => statsOf(tables, model),
    overview: async (model) => overviewOf(tables, model),
    close: async () => {},
  };
}
