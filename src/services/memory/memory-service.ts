// Memory as a tab uses it. The code that answers questions is loaded with the first one (decision 1115).
import type { IndexStats, Overview } from '../../adapters/index/memory-index.ts';
import { type ConversationId, NOTES } from '../../domain/base/ids.ts';
import { lazily } from '../../domain/base/part.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import type { Memory } from './memory.ts';
import type { RecallingDeps } from './recalling.ts';

interface MemoryDeps extends Omit<RecallingDeps, 'isEmpty'> {
  /** The engine's methods, wherever it runs. */
  readonly wake: Memory['wake'];
  readonly setPaused: Memory['setPaused'];
  readonly rebuild: Memory['rebuild'];
}

/**
 * Makes the tab's memory. Recall and search reject with `part-missing` if their code cannot be loaded; the next call
 * tries again.
 */
export function createMemory(deps: MemoryDeps): Memory {
  return new MemoryService(deps);
}

class MemoryService implements Memory {
  readonly #deps: MemoryDeps;
  readonly #recalling = lazily(async () => {
    const { createRecalling } = await import('./recalling.ts');
    return createRecalling({ ...this.#deps, isEmpty: (except) => this.#isEmpty(except) });
  });
  readonly status: Memory['status'];
  readonly wake: Memory['wake'];
  readonly setPaused: Memory['setPaused'];

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.status = deps.status;
    this.wake = deps.wake;
    this.setPaused = deps.setPaused;
  }

  readonly recall: Memory['recall'] = async (request) => (await this.#recalling()).recall(request);
  readonly topicMoved: Memory['topicMoved'] = async (...asked) =>
    (await this.#recalling()).topicMoved(...asked);
  readonly refersToEarlierTalk: Memory['refersToEarlierTalk'] = async (...asked) =>
    (await this.#recalling()).refersToEarlierTalk(...asked);
  readonly search: Memory['search'] = async (request) => (await this.#recalling()).search(request);

  prepare(): void {
    if (!this.#deps.documents.library.get().ready || this.#isEmpty(undefined)) return;
    this.#deps.begin?.();
    this.#deps.embedding.get()?.prepare?.();
  }

  async stats(): Promise<IndexStats> {
    const from = this.#deps.index.get();
    if (!from) return { conversations: 0, messages: 0, chunks: 0, vectors: 0, bytes: 0 };
    const [stats, notes] = await Promise.all([
      from.stats(this.#deps.embedding.get()?.id ?? ''),
      from.messageIds(NOTES).then(({ size }) => size),
    ]);
    // The memory notes are one more document of the index, but no conversation.
    const conversations = stats.conversations - (notes > 0 ? 1 : 0);
    return { ...stats, conversations, messages: stats.messages - notes };
  }

  async overview(): Promise<Overview> {
    const seen = await this.#deps.index.get()?.overview(this.#deps.embedding.get()?.id ?? '');
    return {
      conversations: seen?.conversations.filter(({ id }) => !isNotes(id)) ?? [],
      recalled: seen?.recalled ?? [],
    };
  }

  async rebuild(): Promise<void> {
    await this.#deps.rebuild();
  }

  async close(): Promise<void> {}

  /** True if all other conversations are empty: then a wait for the index is useless. */
  #isEmpty(except: ConversationId | undefined): boolean {
    const { ready, entries, projects } = this.#deps.documents.library.get();
    const noteState = this.#deps.notes?.state.get() ?? { ready: true, notes: [] };
    return (
      ready &&
      noteState.ready &&
      noteState.notes.length === 0 &&
      [...entries, ...projects.filter(({ messageCount }) => messageCount > 0)].every(
        ({ id, deletedAt }) => deletedAt !== null || id === except,
      )
    );
  }
}
