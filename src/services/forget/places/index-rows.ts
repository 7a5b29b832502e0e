// The memory index: rows, chunks, vectors, keywords. It follows the log by itself; here it is waited for, and its files are written anew, since
// a database keeps what it deletes until then.

import type { MemoryIndex } from '../../../adapters/index/memory-index.ts';
import type { ConversationId } from '../../../domain/base/ids.ts';
import { log } from '../../../domain/base/log.ts';
import { atMost } from '../../../domain/base/within.ts';
import type { Conversation } from '../../../domain/chat/conversation.ts';
import { conversationOfNotes } from '../../../domain/memory/notes.ts';
import { describeConversation, isRemembered } from '../../memory/rows.ts';
import type { Eraser } from '../eraser.ts';
import { type CreatePlace, filterOf, type PlaceDeps } from '../place.ts';

/** How long the index may take to read what changed, ms. What takes longer is looked at again at the next start. */
const TIMEOUT_MS = 120_000;
/** How often it is looked whether it did, ms. */
const LOOK_MS = 100;

/** Cleans the memory index: waits up to 120 s until the leader has read the changes, then has the database's files written anew. */
export const index: CreatePlace = (deps) => {
  /** The rows are gone, and the files are not written anew yet: it is tried again. */
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
      // Keywords and summary of what stayed, without what went, before the files are written anew. Those of the notes as well: the engine would
      // make them later, and the files would keep the old ones.
      for (const id of eraser.record.inside as readonly ConversationId[]) {
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
        log.warn('The files of the index could not be written anew', error);
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

/** Conversations and messages in the index that are gone. */
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

/** Waits until the index has read what was removed. False where it does not in time, or is not open. */
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
  return await atMost(deps.signal, TIMEOUT_MS, async (bounded) => {
    for (;;) {
      if (await isDone()) return true;
      // Its status tells nothing of entries that hold no message: it is looked at again and again.
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      bounded.throwIfAborted();
    }
  }).catch((error: unknown) => {
    deps.signal.throwIfAborted();
    log.info('The index was not read back in time', error);
    return false;
  });
}
