// Turns a temporary conversation, which exists only in memory, into an ordinary one.
import { type ConversationId, newConversationId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { BulkChange } from './bulk-change.ts';
import type { ConversationCache } from './conversation-cache.ts';
import { wholeOf } from './documents.ts';

export class TemporaryConversations {
  readonly #cache: ConversationCache;
  readonly #changes: BulkChange;
  readonly #keeping = new Map<ConversationId, Promise<ConversationId>>();

  constructor(cache: ConversationCache, changes: BulkChange) {
    this.#cache = cache;
    this.#changes = changes;
  }

  /** Keeps the conversation under a new id, the same for every call. */
  keep(temporary: ConversationId): Promise<ConversationId> {
    const known = this.#keeping.get(temporary);
    if (known) return known;
    const kept = this.#keepAs(newConversationId(), temporary);
    this.#keeping.set(temporary, kept);
    kept.catch(() => this.#keeping.delete(temporary));
    return kept;
  }

  async #keepAs(id: ConversationId, temporary: ConversationId): Promise<ConversationId> {
    // Not released: a temporary conversation stays in memory until it ends.
    const { value } = await this.#cache.acquire(temporary, false).opening;
    let written: Conversation;
    do {
      written = value.get();
      await this.#changes.apply([{ id, change: wholeOf(written) }], 'user');
      // Repeats the write for messages that came meanwhile.
    } while (value.get() !== written);
    this.#cache.end(temporary);
    return id;
  }
}
