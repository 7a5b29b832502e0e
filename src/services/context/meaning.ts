// Reads from the memory index how messages bear on a question, as recall ranks them, and their vectors. Gives nothing while
// the index is asleep, slow or behind: then words alone decide.
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { atMost } from '../../domain/base/within.ts';
import type { Memory } from '../memory/memory.ts';
import type { SentenceMeaning } from './sentence-meaning.ts';

/** Worth waiting for so long in a compaction, ms. */
const TIMEOUT_MS = 3000;
/** A send that has waited for the index waits for sentences no longer than this besides, ms. */
const SENTENCES_TIMEOUT_MS = 500;
/** Candidates that recall ranks for a question. */
const CANDIDATES = 50;
/** Longest part of a question that is asked, characters. */
const MAX_QUESTION = 4000;

export interface MeaningSource {
  /** Relevance of messages of a conversation to a question, 0–1; those it says nothing of are missing. */
  readonly relevance?:
    | ((id: ConversationId, question: string, signal: AbortSignal) => Promise<ReadonlyMap<MessageId, number>>)
    | undefined;
  /** How near sentences are to a question; see `sentence-meaning.ts`. */
  readonly near?: SentenceMeaning['near'] | undefined;
  /** Reads sentences while nobody waits. */
  readonly readAhead?: SentenceMeaning['readAhead'] | undefined;
  /** Vectors of messages, of length 1; messages without one are missing. */
  readonly vectors?:
    | ((messages: readonly MessageId[], signal: AbortSignal) => Promise<ReadonlyMap<MessageId, Float32Array>>)
    | undefined;
}

/** The index of the tab, by recall's own ranking inside one conversation. */
export function meaningBy({
  memory,
  index,
  model,
  sentences,
}: {
  memory: Pick<Memory, 'recall'>;
  index: () => Pick<MemoryIndex, 'meanings'> | null;
  /** The embedding model whose vectors are there. */
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

/** The same, never late and never broken: nothing after `patienceMs`, AbortError only for the caller's own signal. */
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
      return await atMost(signal, ms, ask);
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
