// Finds what came into the log after a record was carried out here and holds something of it: from a device that had
// not heard of the record, from a backup, or in a snapshot of these.
import {
  type ConversationId,
  type DocumentId,
  isConversation,
  LIBRARY_DOCUMENT,
} from '../../domain/base/ids.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import { readHlc } from '../../domain/sync/hlc.ts';
import type { ConversationChange } from '../documents/documents.ts';
import { holdsForgotten, holdsMessageSaidBefore, removesSomething } from '../documents/purge.ts';
import { createEraser, type Eraser } from './eraser.ts';
import type { PlaceDeps } from './place.ts';
import { tracesIn } from './traces.ts';

/** Entries read at once. */
const PAGE = 200;

interface Arrived {
  /** The last entry that was read. */
  readonly upTo: number;
  /** Record → documents with something of it. */
  readonly late: ReadonlyMap<string, ReadonlySet<DocumentId>>;
  /** Conversations that lost something on another device, which earlier entries here still hold. */
  readonly cleaned: ReadonlySet<DocumentId>;
}

type Deps = Pick<PlaceDeps, 'documents' | 'log' | 'signal'>;

/** Searches the entries after `from` that no person wrote here. Yields to the page between two. */
export async function arrivedSince(deps: Deps, erasers: readonly Eraser[], from: number): Promise<Arrived> {
  const late = new Map<string, Set<DocumentId>>();
  const cleaned = new Set<DocumentId>();
  let upTo = from;
  for (;;) {
    const entries = await deps.log.since(upTo, PAGE);
    for (const { document, origin, bytes } of entries) {
      // Entries of this device know the records; the list says what its conversations do.
      if (origin === 'user' || document === LIBRARY_DOCUMENT) continue;
      await yieldToEvents(deps.signal);
      if (origin === 'remote' && isConversation(document) && removesSomething({ bytes }))
        cleaned.add(document);
      for (const eraser of erasers) {
        const found = late.get(eraser.record.id) ?? new Set();
        if (found.has(document) || !(await isLate(deps, document, bytes, eraser))) continue;
        late.set(eraser.record.id, found.add(document));
      }
    }
    const last = entries.at(-1);
    if (!last) return { upTo, late, cleaned };
    upTo = last.seq;
  }
}

async function isLate(
  { documents }: Deps,
  document: DocumentId,
  bytes: Uint8Array,
  eraser: Eraser,
): Promise<boolean> {
  const holds = holdsForgotten({ bytes }, eraser);
  if (!isConversation(document)) return holds;
  const mayJoin = eraser.record.words.length > 0 && holdsMessageSaidBefore({ bytes }, eraser);
  if (!holds && !mayJoin) return false;
  const conversation = await documents.read(document as ConversationId);
  const change = conversation && tracesIn(conversation, eraser).change;
  // Words that begin in one message and end in the next are in no entry as a whole.
  if (!holds) return (change?.removed?.length ?? 0) + (change?.rewritten?.length ?? 0) > 0;
  if (conversation && change && isSaidAgain(conversation, change, eraser)) return false;
  return (await documents.unpurged(eraser, [document])).length > 0;
}

/** Details of a conversation that a person sets, each with its time. */
const BY_PERSON = new Set<string>(['title', 'systemPrompt', 'workDir'] satisfies (keyof ConversationMeta)[]);

/**
 * True if a conversation holds the words only where a person set them after the request, or where a model made
 * something of messages that a person wrote with them after it.
 */
function isSaidAgain(
  conversation: Conversation,
  { removed = [], rewritten = [], meta = {}, checkpoints = {}, compactions = {} }: ConversationChange,
  eraser: Eraser,
): boolean {
  if (removed.length + rewritten.length > 0) return false;
  const { said = {}, meta: details, messages } = conversation;
  const isLater = (time: number) => eraser.isLater({ mark: '', at: time });
  const atAnyTime = createEraser({ ...eraser.record, at: Number.POSITIVE_INFINITY });
  const isTalkedOf = [...messages.values()].some(
    (message) => isLater(message.createdAt) && atAnyTime.cleanOfWords(message) !== message,
  );
  const isSetLater = (key: string): boolean => {
    if (!BY_PERSON.has(key) || (key === 'title' && details.titleBy === 'auto')) return isTalkedOf;
    const time = said[key] === undefined ? null : readHlc(said[key]);
    return time !== null && isLater(time.time);
  };
  const named = Object.keys(checkpoints).filter((name) => checkpoints[name] === null);
  return (
    Object.keys(meta).every(isSetLater) &&
    named.every((name) => isLater(conversation.checkpoints.get(name)?.createdAt ?? 0)) &&
    (Object.keys(compactions).length === 0 || isTalkedOf)
  );
}
