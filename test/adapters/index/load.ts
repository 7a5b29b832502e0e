// A made-up library of any size, the same for the same number: messages of about 400
// characters, words as languages have them.
import type {
  ChunkRow,
  IndexChange,
  MemoryIndex,
  MessageRow,
} from '../../../src/adapters/index/memory-index.ts';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';

export const MODEL = 'local:load';
export const DIMENSIONS = 384;
const VOCABULARY = 20_000;
const PER_CONVERSATION = 40;

/** Deterministic numbers in 0–1. */
function seeded(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
const id = (kind: string, n: number) => `0199${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
export const messageId = (n: number) => id('aaaa', n) as MessageId;
export const conversationId = (n: number) => id('bbbb', Math.floor(n / PER_CONVERSATION)) as ConversationId;
/** Few common words, many rare ones. */
const word = (random: () => number) => `w${Math.floor(VOCABULARY ** random()).toString(36)}`;

/** A word that only message `n` has. */
export const ownWord = (n: number) => `own${n}`;
export const question = (n: number, words: number) => {
  const random = seeded(n + 1e6);
  return [ownWord(n), ...Array.from({ length: words - 1 }, () => word(random))].join(' ');
};
export function vectorOf(n: number): Float32Array {
  const random = seeded(n + 2e6);
  return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
}

export function messageRow(n: number): MessageRow {
  const random = seeded(n);
  const length = 40 + Math.floor(random() * 90);
  const text = `${ownWord(n)} common ${Array.from({ length }, () => word(random)).join(' ')}`;
  const chunk: ChunkRow = {
    ordinal: 0,
    text,
    words: text,
    embedded: text,
    hash: n.toString(16).padStart(64, '0'),
    priority: n,
  };
  return {
    id: messageId(n),
    conversationId: conversationId(n),
    parentId: n % PER_CONVERSATION === 0 ? null : messageId(n - 1),
    role: n % 2 ? 'assistant' : 'user',
    content: [{ type: 'text', text }],
    tokenCount: length,
    createdAt: 1_700_000_000_000 + n * 60_000,
    hasCode: false,
    codeLanguage: null,
    chunks: [chunk],
  };
}

export const changeOf = (messages: readonly MessageRow[]): IndexChange => ({
  conversations: messages
    .filter((row, at) => messages.findIndex((one) => one.conversationId === row.conversationId) === at)
    .map((row) => ({
      id: row.conversationId,
      title: `About ${row.id}`,
      summary: '',
      keywords: [],
      described: '',
      createdAt: row.createdAt,
      updatedAt: row.createdAt,
      workDir: null,
      tokenCount: 10,
      archived: false,
      pinned: false,
    })),
  messages,
  removedMessages: [],
  removedConversations: [],
});

/** Applies messages 0 … count - 1 in steps of 500; the time all of it took, ms. */
export async function fill(index: MemoryIndex, count: number): Promise<number> {
  let took = 0;
  for (let from = 0; from < count; from += 500) {
    const change = changeOf(
      Array.from({ length: Math.min(500, count - from) }, (_, at) => messageRow(from + at)),
    );
    const started = performance.now();
    await index.apply(change, from + 500);
    took += performance.now() - started;
  }
  return took;
}

/** Gives every chunk its vector, 32 at a time as a model would; times of `pendingChunks` and of `put`, ms. */
export async function embedAll(index: MemoryIndex): Promise<{ stale: number[]; put: number[] }> {
  const times = { stale: [] as number[], put: [] as number[] };
  for (;;) {
    let started = performance.now();
    const stale = await index.pendingChunks(MODEL, 32);
    times.stale.push(performance.now() - started);
    if (stale.length === 0) return times;
    const vectors = stale.map((chunk) => ({ chunkId: chunk.id, values: vectorOf(chunk.id) }));
    started = performance.now();
    await index.put(MODEL, vectors);
    times.put.push(performance.now() - started);
  }
}

/** Applies messages one by one; the time each took, ms. */
export async function timeApplies(index: MemoryIndex, from: number, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = from; n < from + count; n++) {
    const change = changeOf([messageRow(n)]);
    const started = performance.now();
    await index.apply(change, n + 1);
    times.push(performance.now() - started);
  }
  return times;
}
