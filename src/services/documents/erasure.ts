// Erases conversations for good, with everything that quotes them. A key-value entry names them until that is done, so
// that after a kill neither a conversation nor a quotation remains.
import type { ConversationLog, KeyValues } from '../../adapters/log/conversation-log.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { type AppendQueue, newEntry } from './append-queue.ts';
import type { ConversationCache } from './conversation-cache.ts';
import type { ConversationList } from './conversation-list.ts';
import { DELETED } from './deleted-rows.ts';
import type { Notes } from './notes.ts';

const ERASING = 'erasing/';

interface ErasureDeps {
  readonly log: ConversationLog;
  readonly keyValues: KeyValues;
  readonly queue: AppendQueue;
  readonly list: ConversationList;
  readonly cache: ConversationCache;
  readonly notes: Pick<Notes, 'forget'> | undefined;
}

export class Erasure {
  readonly #deps: ErasureDeps;

  constructor(deps: ErasureDeps) {
    this.#deps = deps;
  }

  /** Finishes the work that a kill interrupted. */
  async resume(): Promise<void> {
    const { keyValues, list } = this.#deps;
    const keys = await keyValues.keys(ERASING);
    const left = keys.map((key) => key.slice(ERASING.length) as ConversationId);
    // The listed conversation has returned, e.g. by an import: only the note of its erasure is removed.
    for (const id of left) if (list.get(id)) await keyValues.set(`${ERASING}${id}`, undefined);
    const erased = left.filter((id) => !list.get(id));
    if (erased.length > 0) await this.#eraseAll(erased);
  }

  async erase(given: readonly ConversationId[]): Promise<void> {
    const { log, queue, list, cache } = this.#deps;
    const ids = given.filter((id) => !isTemporary(id));
    for (const id of given) if (isTemporary(id)) cache.end(id);
    if (ids.length === 0) return;
    const entries = ids.map((id) => list.get(id));
    const update = list.change([], ids);
    list.notify();
    try {
      await queue.enqueue(
        update ? [newEntry(LIBRARY_DOCUMENT, 'user', update)] : [],
        ids.map((id) => ({ key: `${ERASING}${id}`, value: true })),
      );
    } catch (error) {
      // On a full disk only erasing makes space for the note of it, and for queued entries before it. A kill in between
      // leaves a list entry without a conversation, which can be unlisted.
      if (toProblem(error).code !== 'storage-full') throw error;
      let done = 0;
      try {
        for (const id of ids) {
          await log.erase(id);
          done += 1;
        }
      } catch (cause) {
        // Chromium may refuse even that. The rest is listed again, as it would be at the next start.
        list.write(entries.slice(done).flatMap((entry) => entry ?? []));
        list.notify();
        throw cause;
      }
      await queue.flush();
      if (!queue.isEmpty) throw error;
    }
    await this.#eraseAll(ids);
  }

  /** Removes the list entry of a conversation that does not exist. */
  async unlist(id: ConversationId): Promise<void> {
    const { log, queue, list, cache, notes } = this.#deps;
    if (cache.has(id) || (await log.read(id)).length > 0) return;
    // The conversation was erased on a full disk before a kill: quotations remain, and only this entry leads to them.
    await notes?.forget([id]);
    const update = list.change([], [id]);
    if (!update) return;
    list.notify();
    await queue.enqueue([newEntry(LIBRARY_DOCUMENT, 'user', update)], []);
  }

  async #eraseAll(ids: readonly ConversationId[]): Promise<void> {
    const { log, keyValues, cache, notes } = this.#deps;
    for (const id of ids) {
      await log.erase(id);
      cache.forget(id);
    }
    // Last, since on a full disk only the erasure makes space for it. The key stays until this is done.
    await notes?.forget(ids);
    for (const id of ids) {
      for (const key of await keyValues.keys(`${DELETED}${id}/`)) await keyValues.set(key, undefined);
      await keyValues.set(`${ERASING}${id}`, undefined);
    }
  }
}
