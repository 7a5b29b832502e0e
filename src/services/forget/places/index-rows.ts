// The memory index: rows, chunks, vectors, keywords. It follows the log by itself; this place waits for it and then
// rewrites the database files, since they keep deleted data until then.

import type { MemoryIndex } from '../../../adapters/index/memory-index.ts';
import type { ConversationId } from '../../../domain/base/ids.ts';
import { log } from '../../../domain/base/log.ts';
import { untilDone } from '../../../domain/base/readable.ts';
import { withDeadline } from '../../../domain/base/time-limit.ts';
import type { Conversation } from '../../../domain/chat/conversation.ts';
import { conversationOfNotes } from '../../../domain/memory/notes.ts';
import { describeConversation, isRemembered } from '../../memory/rows.ts';
import { undescribedIn } from '../../memory/undescribed.ts';
import type { Eraser } from '../eraser.ts';
import { type CreatePlace, filterOf, type PlaceDeps } from '../place.ts';

/** Longest wait for the index to read the changes, in ms. After that the next start checks again. */
const TIMEOUT_MS = 120_000;

/**
 * Cleans the memory index: waits up to 120 s until the leader has read the changes, then rewrites the database's
 * files.
 */
export const index: CreatePlace = (deps) => {
  /** True if the rows are gone but rewriting the files failed: it is tried again. */
  let isUnpurged = false;
  return {
    id: 'index',
    find: async (eraser) => {
      const rows = await goneRows(deps.index(), eraser);
      return rows === 0
        ? []
        : [
            {
              place: 'index',
              what: 'rows',
              conversation: null,
              message: null,
              title: '',
              excerpt: '',
              count: rows,
            },
          ];
    },
    remove: async (eraser) => {
      if (!(await hasCaughtUp(deps, eraser))) return;
      const open = deps.index();
      // Updates keywords and summaries before rewriting the files, those of notes too: if the engine did it later, the
      // files would keep the old ones. A record names what the asking device found; this one may have more.
      const changed = [
        ...(eraser.record.inside as ConversationId[]),
        ...(await undescribedIn(deps.keyValues)),
      ];
      for (const id of new Set(changed)) {
        const conversation = await deps.documents.read(id);
        if (conversation && isRemembered(conversation, deps.privacy()))
          await describeAnew(deps, open, conversation);
      }
      await describeAnew(deps, open, conversationOfNotes((await deps.notes.known()).notes));
      try {
        await open?.purge();
        isUnpurged = false;
      } catch (error) {
        isUnpurged = true;
        log.warn('The files of the index could not be rewritten', error);
      }
    },
    verify: async (eraser) => {
      const open = deps.index();
      if (!open || isUnpurged) return { left: 0, waiting: true };
      const rows = await goneRows(open, eraser);
      return { left: rows, waiting: rows === 0 && !(await isCurrent(deps, open)) };
    },
  };
};

async function describeAnew(
  deps: PlaceDeps,
  open: MemoryIndex | null,
  conversation: Conversation,
): Promise<void> {
  const described = await filterOf(deps).hiding('index', ({ hide }) =>
    describeConversation(conversation, deps.privacy(), (text) => hide(text).text),
  );
  await open?.describe(conversation.id, described);
}

/** Counts forgotten conversations and messages that are still in the index. */
async function goneRows(open: MemoryIndex | null, { record, isGone }: Eraser): Promise<number> {
  if (!open) return 0;
  let rows = 0;
  for (const id of await open.conversationIds()) {
    const messages = await open.messageIds(id);
    if (isGone(id)) rows += Math.max(1, messages.size);
    else if (record.ids.length > 0) for (const message of messages) if (isGone(message)) rows += 1;
  }
  return rows;
}

const isCurrent = async ({ log }: PlaceDeps, open: MemoryIndex): Promise<boolean> =>
  (await open.bookmark()) >= (await log.head());

/** Waits until the index has read the removals; false on timeout, or if it is not open. */
async function hasCaughtUp(deps: PlaceDeps, eraser: Eraser): Promise<boolean> {
  const isDone = async () => {
    const open = deps.index();
    const gone = new Set<ConversationId>(eraser.record.ids as readonly ConversationId[]);
    return (
      open !== null &&
      (await isCurrent(deps, open)) &&
      (gone.size === 0 || (await goneRows(open, eraser)) === 0)
    );
  };
  if (deps.index() === null) return false;
  deps.wakeIndex();
  return await withDeadline(deps.signal, TIMEOUT_MS, async (bounded) => {
    await untilDone(deps.indexStatus, isDone, bounded);
    return true;
  }).catch((error: unknown) => {
    deps.signal.throwIfAborted();
    log.info('The index was not read back in time', error);
    return false;
  });
}
