// The product's own way from a file to a passage, opened for measuring: importer,
// log, engine, real Postgres, real model.
import { join } from 'node:path';
import { createLocalEmbedding } from '../../src/adapters/embedding/local.ts';
import { hasCentredTokenVectors } from '../../src/adapters/embedding/state-centres.ts';
import type { IndexHits as IndexFound, MemoryIndex } from '../../src/adapters/index/memory-index.ts';
import { createPgliteIndex } from '../../src/adapters/index/pglite.ts';
import { mergeSearches, mergeStages } from '../../src/adapters/index/rules.ts';
import {
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../src/domain/base/ids.ts';
import { until, writable } from '../../src/domain/base/readable.ts';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from '../../src/domain/chat/archive.ts';
import type { Message, Part, RecalledPassage } from '../../src/domain/chat/message.ts';
import { unansweredIn } from '../../src/domain/memory/asked-in-vain.ts';
import type { AskedOfMemory } from '../../src/domain/memory/calling/asked.ts';
import { conversationsMeantBy } from '../../src/domain/memory/described.ts';
import { blendQuestion, lastLineOf } from '../../src/domain/memory/question-blend.ts';
import type { Rankable } from '../../src/domain/memory/rank.ts';
import { titleMatches } from '../../src/domain/memory/title.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { queryWords } from '../../src/domain/text/words.ts';
import { meaningBy } from '../../src/services/context/meaning.ts';
import { createSentenceMeaning } from '../../src/services/context/sentence-meaning.ts';
import { createLibrary } from '../../src/services/library/library-service.ts';
import { understandAsked } from '../../src/services/memory/asked-of-memory.ts';
import { createRecognising } from '../../src/services/memory/recognising.ts';
import { readAssembled } from '../adapters/assembled.ts';
import { openDatabase } from '../adapters/index/database.ts';
import { filesOf } from '../fixtures/files.ts';
import { englishWords } from '../fixtures/words.ts';
import { openHome } from '../services/memory/home.ts';
import { type Centring, cached } from './cache.ts';
import { shipped } from './centring.ts';
import { createReadingThreads } from './reading.ts';

export interface Session {
  readonly id: string;
  /** As a person or an export gave it; absent or null: none. */
  readonly title?: string | null;
  readonly startedAt: string | null;
  /** What a model wrote of it. */
  readonly summary?: string;
  readonly messages: readonly {
    readonly id: string;
    readonly unit: string;
    readonly role: 'user' | 'assistant' | 'tool';
    readonly name: string | null;
    readonly content: string;
    /** The messages, of any session, that memory gave to this answer, by id. */
    readonly recalled?: readonly string[];
  }[];
}
export interface Tasks {
  readonly sets: readonly {
    readonly name: string;
    readonly language: string;
    readonly stores: readonly {
      readonly id: string;
      readonly sessions: readonly Session[];
      readonly queries: readonly { readonly id: string; readonly text: string }[];
    }[];
  }[];
}

/** A message that was found: the unit it belongs to, its session, and all its numbers. */
export interface Found {
  readonly unit: string;
  readonly session: string;
  readonly scores: RecalledPassage['scores'];
}

/** All that ranking is given for a question, so that it can be ranked again in other ways without asking anybody. */
export interface Recorded {
  readonly question: string;
  /** ms since 1970 */
  readonly now: number;
  readonly scale: { readonly related: number; readonly spread: number };
  readonly idf: readonly number[];
  /** That the embedding model reads. */
  readonly languages: readonly string[] | 'any';
  /** What it asks of memory. */
  readonly asked: AskedOfMemory;
  /** With late interaction for every one; the product computes it for the best only. */
  readonly candidates: readonly (Rankable & { readonly unit: string })[];
}

export interface Library {
  /** Every message the product would consider for the question, best first, none held back by the threshold. */
  ask(question: string, at?: number): Promise<Found[]>;
  /** What recall found for the question before it was ranked. */
  record(question: string, at?: number): Promise<Recorded>;
  close(): Promise<void>;
}

/** Without threshold, budget or limits per conversation; otherwise the defaults. */
const OPEN = {
  recall: {
    filters: { min_similarity: 0, max_results: 50 },
    context: { max_messages_per_session: 50, max_total_tokens: 100_000 },
  },
};

/** Brings conversations in as a person's own file. Throws where not all of it arrives. */
export async function bring(
  { documents }: ReturnType<typeof openHome>,
  conversations: readonly { readonly messages: readonly Message[] }[],
): Promise<void> {
  if (conversations.length === 0) return;
  const library = createLibrary({ documents, words: englishWords });
  const [report] = await library.importFiles(
    filesOf({
      'library.json': JSON.stringify({
        format: ARCHIVE_FORMAT,
        version: ARCHIVE_VERSION,
        exportedAt: Date.now(),
        conversations,
      }),
    }),
  );
  const said = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  const taken = Object.values(report?.messages ?? {}).reduce((sum, count) => sum + count, 0);
  if (!report || report.problem || report.conversations.added < conversations.length || taken < said)
    throw new Error(`The library did not come in: ${JSON.stringify(report)}`);
}

const OPEN_REQUEST = { withContext: false, limit: 50 };
/** How often a question is asked before the model is called broken. */
const TRIES = 10;

/** The ledger of an answer that was made from these messages, by their ids in the product. */
const ledgerOf = (
  from: readonly { readonly id: MessageId; readonly conversation: string; readonly content: string }[],
): Part => ({
  type: 'recall',
  query: '',
  threshold: 0.75,
  passages: from.map(({ id, conversation, content }) => ({
    conversationId: conversation,
    messageId: id,
    title: '',
    createdAt: 0,
    role: 'user',
    passage: content,
    neighbours: [],
    scores: { vector: null, keyword: null, hybrid: 1, decay: 1, final: 1 },
    tokens: 0,
  })),
  nearMisses: [],
});

/**
 * The sessions as conversations of the product, with what each message is a part of. A message's name, where it
 * has one, is written before its words.
 */
export function conversationsOf(sessions: readonly Session[]) {
  const units = new Map<MessageId, { unit: string; session: string }>();
  let last = 0;
  const given = sessions.map(({ messages }) => {
    const conversation = newConversationId();
    return {
      conversation,
      messages: messages.map(({ content }) => ({ id: newMessageId(), conversation, content })),
    };
  });
  const byId = new Map(
    sessions.flatMap(({ messages }, at) =>
      messages.map(({ id }, i) => [id, given[at]?.messages[i]] as const),
    ),
  );
  const conversations = sessions.map((session, at) => {
    const startedAt = session.startedAt ? Date.parse(session.startedAt) : 0;
    let parentId: MessageId | null = null;
    const messages = session.messages.map((message, i): Message => {
      const id = given[at]?.messages[i]?.id as MessageId;
      units.set(id, { unit: message.unit, session: session.id });
      const createdAt = startedAt > 0 ? startedAt + i * 60_000 : 0;
      last = Math.max(last, createdAt);
      const made: Message = {
        id,
        parentId,
        role: message.role,
        kind: 'message',
        createdAt,
        parts: [
          ...(message.recalled ? [ledgerOf(message.recalled.flatMap((from) => byId.get(from) ?? []))] : []),
          { type: 'text', text: message.name ? `${message.name}: ${message.content}` : message.content },
        ],
      };
      parentId = id;
      return made;
    });
    return {
      id: given[at]?.conversation ?? newConversationId(),
      // Without a title it stays without: one made from its words would say nothing of them.
      meta: {
        title: session.title ?? '',
        ...(session.summary ? { summary: session.summary } : {}),
        titleBy: session.title ? ('import' as const) : ('person' as const),
        createdAt: startedAt,
        head: parentId,
      },
      messages,
    };
  });
  return { units, conversations, last };
}

async function openPostgres() {
  const database = await openDatabase();
  return {
    index: createPgliteIndex(database, { readAssembly: readAssembled }),
    close: () => database.close(),
  };
}

/** The index, and beside it everything that it found for the question asked last. */
function watched(postgres: MemoryIndex) {
  let seen: IndexFound = { candidates: [], idf: [] };
  let described = conversationsMeantBy(seen, seen.idf);
  const index: MemoryIndex = {
    ...postgres,
    search: async (query) => {
      const found = await postgres.search(query);
      if (query.filter.conversationIds) described = conversationsMeantBy(seen, seen.idf);
      else if (!query.messages) described = new Map();
      // What the vector adds comes after what the words brought, then what answers were
      // given and what descriptions lead to.
      seen = query.after
        ? mergeStages(seen, found)
        : query.messages || query.filter.conversationIds
          ? mergeSearches(seen, found)
          : found;
      return found;
    },
  };
  return { index, seen: () => seen, described: () => described };
}

interface Opened {
  readonly postgres: MemoryIndex;
  readonly watch: ReturnType<typeof watched>;
  readonly embedding: ReturnType<typeof cached>;
}

/** Resolves when the engine has read all of it and every vector is there; throws where it cannot. */
async function untilIndexed(home: ReturnType<typeof openHome>): Promise<void> {
  home.engine().wake('now');
  await until(home.status, (now) => now.state === 'failed' || (now.state === 'ready' && now.unread === 0));
  await home.indexed();
  const { problem, waiting } = home.status.get();
  if (problem || waiting > 0) throw new Error(`The library is not complete: ${problem?.message ?? waiting}`);
}

type Unit = { readonly unit: string; readonly session: string };

/** What ranking was given for the question asked last. */
async function recordOf(
  { postgres, watch, embedding }: Opened,
  asking: string,
  now: number,
  units: ReadonlyMap<MessageId, Unit>,
): Promise<Recorded> {
  const { signal } = new AbortController();
  const seen = watch.seen();
  const isUnanswered = unansweredIn(seen.candidates);
  const candidates = seen.candidates.map((one) => ({ ...one, unanswered: isUnanswered(one) }));
  const end = lastLineOf(asking);
  const [whole, tail] =
    (await embedding.read?.(
      [asking, ...(end === null ? [] : [end])].map((text) => ({ context: '', text })),
      { kind: 'query', signal },
    )) ?? [];
  const { vector, tokens, weights } = whole && tail ? blendQuestion(whole, tail) : (whole ?? {});
  const late =
    tokens && weights && hasCentredTokenVectors(embedding.id)
      ? await postgres.maxSim(
          embedding.id,
          { tokens, weights },
          candidates.map(({ chunkId }) => chunkId),
        )
      : new Map<number, number>();
  const titled = titleMatches(
    queryWords(asking).split(' ').filter(Boolean),
    (conversation: ConversationId) =>
      seen.candidates
        .filter((one) => one.conversationId === conversation && one.role === 'user')
        .map(({ text }) => text),
    watch.described(),
  );
  return {
    question: asking,
    now,
    scale: await embedding.calibration(signal),
    idf: seen.idf,
    languages: embedding.languages,
    asked: await understandAsked(asking, vector ? { model: embedding.id, values: vector } : null),
    candidates: candidates.map((one) => {
      const has = titled(one.conversationId, one.title);
      return {
        chunkId: one.chunkId,
        messageId: one.messageId,
        conversationId: one.conversationId,
        role: one.role,
        before: one.before,
        ...(one.recalled ? { recalled: one.recalled } : {}),
        text: one.text,
        createdAt: one.createdAt,
        cosine: one.cosine,
        terms: one.terms,
        late: late.get(one.chunkId) ?? null,
        previous: one.previous,
        next: one.next,
        ...(has ? { titled: has } : {}),
        ...(one.unanswered ? { unanswered: true } : {}),
        unit: units.get(one.messageId)?.unit ?? '',
      };
    }),
  };
}

/** Imports the sessions, waits until every vector is there. */
async function openLibrary(opened: Opened, sessions: readonly Session[]): Promise<Library> {
  const { watch, embedding } = opened;
  await watch.index.clear();
  const { units, conversations, last } = conversationsOf(sessions);
  let asked: number | undefined;
  const now = () => asked ?? last + 86_400_000;
  const home = openHome({ index: watch.index, embedding, config: OPEN, now });
  await bring(home, conversations);
  await untilIndexed(home);
  const ask: Library['ask'] = async (question, at) => {
    asked = at;
    let answer = await home.recall(question, OPEN_REQUEST);
    // A busy machine may keep the model longer than a person would wait; what it has read by then is remembered.
    for (let tries = 1; answer.degraded?.retry && tries < TRIES; tries++)
      answer = await home.recall(question, OPEN_REQUEST);
    const { passages, nearMisses, degraded } = answer;
    if (degraded)
      throw new Error(`No answer to ${JSON.stringify(question.slice(0, 80))}: ${degraded.message}`);
    return [...passages, ...nearMisses].map((passage) => ({
      ...(units.get(passage.messageId as MessageId) as Unit),
      scores: passage.scores,
    }));
  };
  return {
    ask,
    record: async (question, at) => {
      await ask(question, at);
      return recordOf(opened, question.trim(), now(), units);
    },
    close: () => home.close(),
  };
}

/** The id that the app's own provider of a local model has. */
const nameOf = (model: string): string =>
  createLocalEmbedding({
    config: { ...defaultConfig.embedding.local, model },
    connect: () => {
      throw new Error('It is asked for its name alone.');
    },
  }).id;

/** One conversation in an index of its own, and what that knows of it by meaning, as the app asks it. */
async function openMeaning(
  { watch: { index }, embedding }: Opened,
  model: string,
  id: ConversationId,
  messages: readonly Message[],
) {
  await index.clear();
  const home = openHome({ index, embedding });
  const head = messages.at(-1)?.id ?? null;
  await home.documents.changeMany([{ id, change: { meta: { createdAt: 1, head }, messages } }], 'import');
  await home.indexed();
  const sentences = createSentenceMeaning({ embedding: () => embedding, now: () => performance.now() });
  const meaning = meaningBy({
    memory: home.memory,
    index: () => index,
    model: () => embedding.id,
    sentences,
  });
  // The heads that ship were learnt of the app's vectors, which these are, under the app's name for them.
  const named = { ...embedding, id: nameOf(model) };
  const recognising = createRecognising({
    embedding: () => named,
    hide: (text) => text,
    forgotten: writable(0),
    keyValues: home.store.keyValues,
    learns: false,
  });
  return { meaning, recognising, close: () => home.close() };
}

/** Opens Postgres and the model once; `library` then fills it with one person's conversations after another. */
export async function openPipeline(options: {
  readonly models: string;
  readonly model?: string;
  /** Folder for vectors that were made before. */
  readonly cache: string;
  /** Default: as the product does it. */
  readonly centring?: Centring;
  /** Instead of real Postgres: to try out a ranking in a fraction of the time. */
  readonly index?: MemoryIndex;
}) {
  const model = options.model ?? defaultConfig.embedding.local.model;
  const { index: postgres, close: closeIndex } = options.index
    ? { index: options.index, close: async () => undefined }
    : await openPostgres();
  const provider = createReadingThreads(options.models, { ...defaultConfig.embedding.local, model });
  const embedding = cached(
    provider,
    join(options.cache, `${provider.id.replaceAll('/', '+')}.raw`),
    options.centring ?? shipped(model),
    // With the app's centres these are the app's vectors, and have the name that heads were learnt for.
    options.centring ? provider.id : nameOf(model),
  );
  const opened: Opened = { postgres, watch: watched(postgres), embedding };
  return {
    embedding,
    library: (sessions: readonly Session[]) => openLibrary(opened, sessions),
    meaningOf: (id: ConversationId, messages: readonly Message[]) => openMeaning(opened, model, id, messages),
    close: async () => {
      await embedding.close();
      await closeIndex();
    },
  };
}
