// Reads from the memory index how relevant messages are to a question, as recall ranks them, and their vectors. Returns
// nothing while the index starts, is slow or behind: then words alone decide.
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { withDeadline } from '../../domain/base/time-limit.ts';
import type { Memory } from '../memory/memory.ts';
import type { SentenceMeaning } from './sentence-meaning.ts';

/** Longest wait of a compaction, ms. */
const TIMEOUT_MS = 3000;
/** Longest further wait of a send for sentences, after its wait for the index, ms. */
const SENTENCES_TIMEOUT_MS = 500;
/** Candidates that recall ranks for a question. */
const CANDIDATES = 50;
/** Longest part of a question that is used, characters. */
const MAX_QUESTION = 4000;

export interface MeaningSource {
  /** Relevance of a conversation's messages to a question, 0–1; unknown ones are missing. */
  readonly relevance?:
    | ((id: ConversationId, question: string, signal: AbortSignal) => Promise<ReadonlyMap<MessageId, number>>)
    | undefined;
  /** Nearness of sentences to a question; see `sentence-meaning.ts`. */
  readonly near?: SentenceMeaning['near'] | undefined;
  /** Reads sentences in the background. */
  readonly readAhead?: SentenceMeaning['readAhead'] | undefined;
  /** Vectors of messages, of length 1; messages without one are missing. */
  readonly vectors?:
    | ((messages: readonly MessageId[], signal: AbortSignal) => Promise<ReadonlyMap<MessageId, Float32Array>>)
    | undefined;
}

/** Uses the tab's index, with recall's own ranking within one conversation. */
export function meaningBy({
  memory,
  index,
  model,
  sentences,
}: {
  memory: Pick<Memory, 'recall'>;
  index: () => Pick<MemoryIndex, 'meanings'> | null;
  /** Embedding model of the vectors. */
  model: () => string | null;
  sentences?: SentenceMeaning;
}): MeaningSource {
  return {
    ...sentences,
    relevance: async (id, question, signal) => {
      const found = await memory.recall({
        text: question.slice(0, MAX_QUESTION),
        limit: CANDIDATES,
        withContext: false,
        filter: { conversationIds: [id] },
        signal,
      });
      const relevance = new Map<MessageId, number>();
      for (const { messageId, scores } of [...found.passages, ...found.nearMisses]) {
        const message = messageId as MessageId;
        relevance.set(message, Math.max(relevance.get(message) ?? 0, scores.final));
      }
      return relevance;
    },
    vectors: async (messages) => {
      const known = model();
      return (known !== null && (await index()?.meanings(known, messages))) || new Map();
    },
  };
}

/**
 * Bounds a source: after `timeoutMs` or an error it returns nothing. Throws only the
 * AbortError of the caller's own signal.
 */
export function withTimeout(
  source: MeaningSource,
  timeoutMs: number = TIMEOUT_MS,
): { readonly [kind in 'relevance' | 'near' | 'vectors']: NonNullable<MeaningSource[kind]> } {
  const orNothing = async <Of, T>(
    ask: ((signal: AbortSignal) => Promise<ReadonlyMap<Of, T>>) | undefined,
    signal: AbortSignal,
    ms = timeoutMs,
  ): Promise<ReadonlyMap<Of, T>> => {
    if (!ask) return new Map();
    try {
      return await withDeadline(signal, ms, ask);
    } catch (error) {
      signal.throwIfAborted();
      log.debug('What messages mean could not be asked in time; their words decide', error);
      return new Map();
    }
  };
  const { relevance, near, vectors } = source;
  return {
    relevance: (id, question, signal) =>
      orNothing(relevance && ((bounded) => relevance(id, question, bounded)), signal),
    near: (question, units, signal) =>
      orNothing(near && ((bounded) => near(question, units, bounded)), signal, SENTENCES_TIMEOUT_MS),
    vectors: (messages, signal) => orNothing(vectors && ((bounded) => vectors(messages, bounded)), signal),
  };
}
