// The small member of the shelf: everything in maps, BM25 and cosine computed by looking at every chunk.
// Behaves as the contract says and keeps nothing; for tests, and the yardstick the database is compared with.
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
  linked,
  NEIGHBOUR_STEPS,
  NEIGHBOUR_TEXT,
  QUARTER,
  QUERY_WORDS,
  settleChange,
  toUnit,
  wordsForDescriptions,
} from '../../../src/adapters/index/rules.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import { lateInteraction } from '../../../src/domain/memory/late.ts';
import {
  B,
  bm25Of,
  gainsOf,
  splitWords,
  type WordStatistics,
  weightOf,
  worthOf,
} from '../../../src/domain/text/bm25.ts';

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

/** An index that lives as long as this object. Starts empty. */
export function createInMemoryIndex(): MemoryIndex {
  const conversations = new Map<ConversationId, ConversationRow>();
  const messages = new Map<MessageId, MessageRow>();
  const chunks = new Map<number, Chunk>();
  const chunksOf = new Map<MessageId, Chunk[]>();
  /** Model → hash of what was embedded → vector. */
  const vectors = new Map<string, Map<string, Float32Array>>();
  /** The same for the signs of pieces. */
  const pieces = new Map<string, Map<string, Uint8Array>>();
  let bookmark = 0;
  let nextChunk = 1;

  const dropMessage = (id: MessageId) => {
    for (const chunk of chunksOf.get(id) ?? []) chunks.delete(chunk.id);
    chunksOf.delete(id);
    messages.delete(id);
  };
  const dropConversation = (id: ConversationId) => {
    for (const message of [...messages.values()]) if (message.conversationId === id) dropMessage(message.id);
    conversations.delete(id);
  };
  const forgetUnusedVectors = () => {
    const used = new Set([...chunks.values()].map((chunk) => chunk.hash));
    for (const kept of [...vectors.values(), ...pieces.values()])
      for (const hash of [...kept.keys()]) if (!used.has(hash)) kept.delete(hash);
  };

  const setMessage = (row: MessageRow) => {
    const before = chunksOf.get(row.id) ?? [];
    const after = row.chunks.map((chunk): Chunk => {
      const same = before.find((one) => one.ordinal === chunk.ordinal && one.hash === chunk.hash);
      return { id: same?.id ?? nextChunk++, message: row.id, ...chunk };
    });
    for (const chunk of before) chunks.delete(chunk.id);
    for (const chunk of after) chunks.set(chunk.id, chunk);
    chunksOf.set(row.id, after);
    messages.set(row.id, row);
    if (!conversations.has(row.conversationId))
      conversations.set(row.conversationId, {
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
  };

  const setConversation = (row: ConversationRow) => {
    const before = conversations.get(row.id);
    conversations.set(row.id, {
      ...row,
      title: row.title || (before?.title ?? ''),
      summary: row.summary || (before?.summary ?? ''),
      described: row.described || (before?.described ?? ''),
      keywords: row.keywords.length > 0 ? row.keywords : (before?.keywords ?? []),
    });
  };

  const waitingChunks = (model: string): Chunk[] => {
    const known = vectors.get(model);
    return [...chunks.values()].filter((chunk) => !known?.has(chunk.hash));
  };
  const messageOf = (chunk: Chunk) => messages.get(chunk.message) as MessageRow;
  const conversationOf = (chunk: Chunk) =>
    conversations.get(messageOf(chunk).conversationId) as ConversationRow;

  /** Statistics over all chunks, as a database index has them. */
  const statisticsOf = (query: readonly string[]): WordStatistics => {
    const documents = [...chunks.values()].map((chunk) => splitWords(chunk.words));
    const all = documents.reduce((sum, own) => sum + own.length, 0);
    const weights = new Map(
      query.flatMap((word) => {
        const holding = documents.filter((own) => own.includes(word)).length;
        return holding > 0 ? [[word, weightOf(holding, documents.length)] as const] : [];
      }),
    );
    return { weights, perWord: (B * documents.length) / all };
  };
  const ordered = (id: MessageId): Chunk[] =>
    [...(chunksOf.get(id) ?? [])].sort((a, b) => a.ordinal - b.ordinal);
  const followerOf = (id: MessageId): MessageRow | undefined =>
    [...messages.values()]
      .filter((row) => row.before === id)
      .sort((a, b) => b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1))[0];
  const previousOf = (chunk: Chunk): Chunk | undefined => {
    if (chunk.ordinal > 0) return ordered(chunk.message).find((one) => one.ordinal === chunk.ordinal - 1);
    const { before } = messageOf(chunk);
    return before ? ordered(before).at(-1) : undefined;
  };
  const nextOf = (chunk: Chunk): Chunk | undefined => {
    const within = ordered(chunk.message).find((one) => one.ordinal === chunk.ordinal + 1);
    if (within) return within;
    const follower = followerOf(chunk.message);
    return follower && ordered(follower.id).find((one) => one.ordinal === 0);
  };

  const index: MemoryIndex = {
    bookmark: async () => bookmark,

    apply: async (change: IndexChange, position) => {
      const settled = settleChange(change);
      for (const id of settled.removedConversations) dropConversation(id);
      for (const id of settled.removedMessages) dropMessage(id);
      forgetUnusedVectors();
      for (const row of settled.conversations) setConversation(row);
      for (const row of settled.messages) setMessage(row);
      forgetUnusedVectors();
      bookmark = position;
    },

    conversationIds: async () => new Set(conversations.keys()),

    messageIds: async (conversation) =>
      new Set(
        [...messages.values()].filter((row) => row.conversationId === conversation).map((row) => row.id),
      ),

    describe: async (id, made) => {
      const row = conversations.get(id);
      if (!row) return;
      conversations.set(id, { ...row, ...made });
    },

    stale: async (model, limit, only) =>
      waitingChunks(model)
        .filter((chunk) => !only || only.includes(messageOf(chunk).conversationId))
        .sort((a, b) => a.priority - b.priority || a.id - b.id)
        .slice(0, limit)
        .map((chunk) => ({
          id: chunk.id,
          embedded: chunk.embedded,
          context: contextIn(chunk),
          conversationId: messageOf(chunk).conversationId,
        })),

    waiting: async (model) => {
      const waiting = new Map<ConversationId, Set<MessageId>>();
      for (const chunk of waitingChunks(model)) {
        const { id, conversationId } = messageOf(chunk);
        waiting.set(conversationId, (waiting.get(conversationId) ?? new Set()).add(id));
      }
      return [...waiting].map(([conversationId, ids]) => ({ conversationId, messages: ids.size }));
    },

    put: async (model, given) => {
      const length = given[0]?.values.length;
      const known = vectors.get(model) ?? new Map<string, Float32Array>();
      // A model that speaks in another length now is another model: its earlier vectors cannot be compared.
      if (length !== undefined && [...known.values()].some((one) => one.length !== length)) known.clear();
      const signs = pieces.get(model) ?? new Map<string, Uint8Array>();
      for (const { chunkId, values, bits } of given) {
        const chunk = chunks.get(chunkId);
        if (!chunk) continue;
        known.set(chunk.hash, values.slice());
        if (bits && bits.length > 0) signs.set(chunk.hash, bits.slice());
        else signs.delete(chunk.hash);
      }
      vectors.set(model, known);
      pieces.set(model, signs);
    },

    look: async ({ words, vector, filter, limit, around, after, newest, messages: asked }) => {
      const title = filter.titleContains?.toLowerCase();
      const passes = (chunk: Chunk): boolean => {
        const message = messageOf(chunk);
        const conversation = conversationOf(chunk);
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
      };
      const eligible = [...chunks.values()].filter(passes);
      const query = splitWords(words).slice(0, QUERY_WORDS);
      if ((query.length === 0 && !vector && newest === undefined) || limit <= 0)
        return { candidates: [], worth: [] };
      const statistics = statisticsOf(query);
      const termsIn = gainsOf(query, statistics);
      const keyword = new Map(
        eligible.flatMap((chunk) => {
          const score = bm25Of(termsIn(chunk.words));
          return score > 0 ? [[chunk.id, score] as const] : [];
        }),
      );
      const known = vector && vectors.get(vector.model);
      const cosineIn = (chunk: Chunk): number | null => {
        const values = known?.get(chunk.hash);
        return vector && values?.length === vector.values.length ? cosineOf(values, vector.values) : null;
      };
      const cosines = new Map(
        eligible.flatMap((chunk) => {
          const near = cosineIn(chunk);
          return near === null ? [] : [[chunk.id, near] as const];
        }),
      );
      const best = (scores: Map<number, number>) =>
        eligible
          .filter((chunk) => scores.has(chunk.id))
          .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || a.id - b.id)
          .slice(0, limit);
      const there = new Set(after && [...after.found, ...after.beside]);
      const found = new Set(
        asked
          ? eligible.filter((chunk) => asked.includes(chunk.message))
          : after
            ? best(cosines).filter(({ id }) => !after.found.includes(id))
            : [...best(keyword), ...best(cosines)],
      );
      const beside = new Set<Chunk>();
      if (around)
        for (const chunk of found)
          for (const other of [previousOf(chunk), nextOf(chunk)])
            if (other && !found.has(other) && !there.has(other.id)) beside.add(other);
      const toCandidate = (chunk: Chunk): Candidate => {
        const message = messageOf(chunk);
        const conversation = conversationOf(chunk);
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
          previous: around && found.has(chunk) ? (previousOf(chunk)?.id ?? null) : null,
          next: around && found.has(chunk) ? (nextOf(chunk)?.id ?? null) : null,
          beside: beside.has(chunk),
          archived: conversation.archived,
          pinned: conversation.pinned,
        };
      };
      if (newest !== undefined) {
        const first = new Map<MessageId, Chunk>();
        for (const chunk of eligible) {
          const known = first.get(chunk.message);
          if (chunk.text.includes(newest) && (!known || chunk.ordinal < known.ordinal))
            first.set(chunk.message, chunk);
        }
        const passing = [...first.values()].sort(
          (a, b) => messageOf(b).createdAt - messageOf(a).createdAt || b.id - a.id,
        );
        return { candidates: passing.slice(0, limit).map(toCandidate), worth: [], total: passing.length };
      }
      const worth = worthOf(query, statistics, chunks.size);
      const sought = wordsForDescriptions(query, worth);
      const described = [...conversations.values()]
        .filter((row) => eligible.some((chunk) => conversationOf(chunk) === row))
        .map((row) => {
          const has = new Set(row.described.split(' '));
          const shared = sought.filter(([word]) => has.has(word));
          return {
            conversationId: row.id,
            worth: shared.reduce((sum, [, worth]) => sum + worth, 0),
            has: query.map((word) => shared.some(([one]) => one === word)),
          };
        })
        .filter(({ worth }) => worth > 0)
        .sort((a, b) => b.worth - a.worth)
        .slice(0, DESCRIBED)
        .map(({ conversationId, has }) => ({ conversationId, has }));
      return {
        ...(around && query.length > 0 && !after && !asked ? { described } : {}),
        candidates: linked([...found, ...beside].map(toCandidate)),
        worth,
        ...(after
          ? {
              measured: [...chunks.values()]
                .filter(({ id }) => there.has(id))
                .map((chunk) => [chunk.id, cosineIn(chunk)] as const),
            }
          : {}),
      };
    },

    maxSim: async (model, question, wanted) => {
      const signs = pieces.get(model);
      const compare = lateInteraction(question);
      return new Map(
        wanted.flatMap((id) => {
          const bits = signs?.get(chunks.get(id)?.hash ?? '');
          const maxSim = bits ? compare(bits) : null;
          return maxSim === null ? [] : [[id, maxSim] as const];
        }),
      );
    },

    meanings: async (model, wanted) => {
      const known = vectors.get(model);
      return new Map(
        wanted.flatMap((id) => {
          const own = (chunksOf.get(id) ?? []).flatMap((chunk) => known?.get(chunk.hash) ?? []);
          const sum = own[0]?.map((_, at) => own.reduce((total, one) => total + (one[at] ?? 0), 0));
          const values = sum && toUnit(sum);
          return values ? [[id, values] as const] : [];
        }),
      );
    },

    neighbours: async (wanted, before, after) => {
      const childrenOf = new Map<MessageId, MessageRow[]>();
      for (const row of messages.values())
        if (row.parentId) childrenOf.set(row.parentId, [...(childrenOf.get(row.parentId) ?? []), row]);
      const newestChild = (id: MessageId): MessageRow | undefined =>
        childrenOf
          .get(id)
          ?.reduce((a, b) => ((b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1)) > 0 ? b : a));
      const parent = (row: MessageRow) => (row.parentId ? messages.get(row.parentId) : undefined);
      const walk = (from: MessageRow, next: (row: MessageRow) => MessageRow | undefined, count: number) => {
        const found: { messageId: MessageId; role: MessageRow['role']; createdAt: number; text: string }[] =
          [];
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
    },

    clear: async () => {
      for (const held of [conversations, messages, chunks, chunksOf, vectors, pieces]) held.clear();
      bookmark = 0;
    },

    purge: async () => {},

    stats: async (model) => ({
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
    }),

    overview: async (model) => ({
      conversations: [...conversations.values()]
        .map((row) => {
          const own = [...messages.values()].filter((message) => message.conversationId === row.id);
          const kept = own
            .flatMap((message) => chunksOf.get(message.id) ?? [])
            .sort((a, b) => a.priority - b.priority || a.id - b.id)
            .flatMap((chunk) => vectors.get(model)?.get(chunk.hash) ?? [])
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
      recalled: [...messages.values()]
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
    }),

    close: async () => {},
  };
  return index;
}
