// Documents as sync sees them: merges, compares and cleans updates, without knowing what a
// conversation is. Nothing here changes the log.
//
// Cleaning keeps the structure: a Yjs item keeps its id, place and length, and only strings within its values
// are replaced. So all devices have the same document to Yjs and merge as usual; a device that did not write
// the words sees the mark instead of the secret. This works because values are whole JSON (a message, a
// title): no secret is spread over two items.
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import type { ConversationLog, LogEntry } from '../../adapters/log/conversation-log.ts';
import { type DocumentId, isConversation } from '../../domain/base/ids.ts';
import { attempt, log as diagnostics } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { addQuoted, cleanValue, type Holdback } from './cleaning.ts';
import { createConversationDocument } from './yjs-conversation.ts';

/** For each Yjs client, the clock up to which everything is known. */
type Clocks = Readonly<Record<string, number>>;

/** One document as the log has it. */
export interface WholeDocument {
  /** Everything as one update, including parts that wait for missing changes. Removed content is not in it. */
  readonly update: Uint8Array;
  /** The conversation, if it is one. */
  readonly conversation: Conversation | null;
  /** Count of messages that were forgotten in it. */
  readonly forgotten: number;
  /** Some of it cannot be read, so what is missing here may still exist. */
  readonly damaged: boolean;
  /** False for a mere fragment: a change waits for its base, or nothing begins the conversation. */
  readonly standsAlone: boolean;
  /**
   * True if another's update adds a message beside one that is here, while its writer knew only an earlier step than
   * the latest here: both continued at once. A deliberate branch, as by asking again, starts from the latest step.
   */
  branchesOff(update: Uint8Array): boolean;
}

/** Reads documents as the log has them; undefined for none. Skips entries that do not decode. */
export type WholeReader = (id: DocumentId) => Promise<WholeDocument | undefined>;

/**
 * Makes a reader. It keeps the last `keep` documents, so that following a busy one applies only new entries. A
 * result is valid until the next call.
 */
export function createWholeReader(log: ConversationLog, keep = 8): WholeReader {
  const kept = new Map<
    DocumentId,
    { doc: Y.Doc; read: (() => Conversation) | null; last: LogEntry; damaged: boolean }
  >();
  const begin = (id: DocumentId, last: LogEntry) => {
    const doc = new Y.Doc();
    return {
      doc,
      read: isConversation(id) ? createConversationDocument(id, doc).read : null,
      last,
      damaged: false,
    };
  };
  return async (id) => {
    const known = kept.get(id);
    kept.delete(id);
    // Reads the last known entry and newer ones. If it is gone, the document was replaced by a snapshot
    // or erased: then all is read again.
    let entries = known ? await log.read(id, known.last.seq - 1) : [];
    const follows = known !== undefined && entries[0]?.id === known.last.id;
    if (follows) entries = entries.slice(1);
    else {
      known?.doc.destroy();
      entries = await log.read(id);
    }
    const last = entries.at(-1) ?? (follows ? known.last : undefined);
    if (!last) return undefined;
    const slot = follows ? known : begin(id, last);
    slot.last = last;
    for (const { bytes } of entries) {
      try {
        Y.applyUpdate(slot.doc, bytes);
      } catch (error) {
        // The damaged entry stays in the log, and the other entries still apply.
        diagnostics.warn('An entry of a document is damaged', error);
        slot.damaged = true;
      }
    }
    kept.set(id, slot);
    for (const [oldest, { doc }] of kept) {
      if (kept.size <= keep) break;
      kept.delete(oldest);
      doc.destroy();
    }
    const { doc, read, damaged } = slot;
    return {
      get update() {
        return Y.encodeStateAsUpdate(doc);
      },
      get conversation() {
        return read?.() ?? null;
      },
      forgotten: doc.getMap('x').size,
      damaged,
      get standsAlone() {
        if (doc.store.pendingStructs !== null) return false;
        if (!read) return true;
        const { meta, messages } = read();
        // A project begins with its name.
        return meta.project || [...messages.values()].some(({ parentId }) => parentId === null);
      },
      branchesOff: (update) => read !== null && branchesOff(doc, read(), update),
    };
  };
}

/** Counts forgotten messages in an update that is a whole document. */
export function forgottenIn(update: Uint8Array): number {
  const doc = new Y.Doc();
  try {
    Y.applyUpdate(doc, update);
    return doc.getMap('x').size;
  } finally {
    doc.destroy();
  }
}

/**
 * Each step of the head is a Yjs item whose origin is the last step that its writer saw: so all devices agree on which
 * writer knew what, whatever their clocks say and whichever reached the relay first.
 */
function branchesOff(doc: Y.Doc, { messages }: Conversation, update: Uint8Array): boolean {
  const meta = doc.getMap('meta');
  const latest = meta._map.get('head');
  if (!latest) return false;
  /** Messages below which the update adds one. */
  const below = new Set<unknown>();
  let apart = false;
  for (const struct of Y.decodeUpdate(update).structs) {
    const { client, clock } = struct.id;
    if (!(struct instanceof Y.Item) || clock < Y.getState(doc.store, client)) continue;
    const { origin, content } = struct;
    if (origin === null) {
      const value: unknown = content instanceof Y.ContentAny ? content.arr[0] : null;
      const isMessage = (struct.parent as unknown) === 'm' && typeof value === 'object' && value !== null;
      if (isMessage) below.add((value as { parentId?: unknown }).parentId);
    } else if (origin.clock < Y.getState(doc.store, origin.client)) {
      if (Y.compareIDs(origin, latest.lastId)) return false;
      const before = Y.getItem(doc.store, origin);
      apart ||= before instanceof Y.Item && before.parent === meta && before.parentSub === 'head';
    }
  }
  return apart && [...messages.values()].some(({ parentId }) => below.has(parentId));
}

/** Reads one document once. */
export const readWhole = (log: ConversationLog, id: DocumentId): Promise<WholeDocument | undefined> =>
  createWholeReader(log, 1)(id);

/** Merges several updates into one. Nothing is lost, gaps included. */
export const mergeUpdates = (updates: readonly Uint8Array[]): Uint8Array =>
  updates.length === 1 ? (updates[0] as Uint8Array) : Y.mergeUpdates([...updates]);

/** True if the bytes are a Yjs update. */
export function isUpdate(bytes: Uint8Array): boolean {
  const decode = () => {
    Y.decodeUpdate(bytes);
    return true;
  };
  return attempt(decode, false, 'bytes that are no Yjs update');
}

/** Adds the clocks of this update. A part that does not join on is not counted. */
export function withUpdate(clocks: Clocks, update: Uint8Array): Clocks {
  const { from, to } = Y.parseUpdateMeta(update);
  const all: Record<string, number> = { ...clocks };
  for (const [client, end] of to) {
    const known = all[client] ?? 0;
    if ((from.get(client) ?? 0) <= known && end > known) all[client] = end;
  }
  return all;
}

/** Returns the part of a snapshot beyond these clocks, with all deletions. */
export const updateBeyond = (update: Uint8Array, clocks: Clocks): Uint8Array =>
  Y.diffUpdate(
    update,
    Y.encodeStateVector(new Map(Object.entries(clocks).map(([client, clock]) => [Number(client), clock]))),
  );

type DeletedRanges = Map<number, [number, number][]>;

function deletedIn(update: Uint8Array): DeletedRanges {
  const all: DeletedRanges = new Map();
  for (const [client, items] of Y.decodeUpdate(update).ds.clients) {
    const ranges: [number, number][] = [];
    for (const { clock, len } of [...items].sort((a, b) => a.clock - b.clock)) {
      const last = ranges.at(-1);
      if (last && clock <= last[1]) last[1] = Math.max(last[1], clock + len);
      else ranges.push([clock, clock + len]);
    }
    all.set(client, ranges);
  }
  return all;
}

/** Update with everything that `held` lacks of `whole`; null if it lacks nothing. */
export function missingFrom(held: Uint8Array, whole: Uint8Array): Uint8Array | null {
  const there = new Y.Doc();
  Y.applyUpdate(there, held);
  const difference = Y.diffUpdate(whole, Y.encodeStateVector(there));
  const known = deletedIn(Y.encodeStateAsUpdate(there));
  there.destroy();
  const decoded = Y.decodeUpdate(difference);
  if (decoded.structs.some((struct) => !(struct instanceof Y.Skip))) return difference;
  for (const [client, ranges] of deletedIn(difference))
    for (const [from, to] of ranges)
      if (!(known.get(client) ?? []).some(([start, end]) => start <= from && to <= end)) return difference;
  return null;
}

/** Lists the conversations quoted in the update. */
export function quotedIn(update: Uint8Array): ReadonlySet<string> {
  const quoted = new Set<string>();
  for (const struct of Y.decodeUpdate(update).structs)
    mapValues(struct, (value) => {
      addQuoted(value, quoted);
      return value;
    });
  return quoted;
}

/** Replaces the values in the struct. */
function mapValues(struct: Y.Item | Y.GC | Y.Skip, map: (value: unknown) => unknown): void {
  if (!(struct instanceof Y.Item)) return;
  const { content } = struct;
  if (content instanceof Y.ContentAny) content.arr = content.arr.map(map);
  else if (content instanceof Y.ContentJSON) content.arr = content.arr.map(map);
  else if (content instanceof Y.ContentEmbed) content.embed = map(content.embed) as object;
  else if (content instanceof Y.ContentFormat) content.value = map(content.value) as object;
}

/** Cleans an update so that it may leave the device, and counts the changed values. */
export function cleanUpdate(
  update: Uint8Array,
  holdback: Holdback,
): { update: Uint8Array; redacted: number } {
  const { structs, ds } = Y.decodeUpdate(update);
  const { quotesOnly = false } = holdback;
  let redacted = 0;
  const clean = (value: unknown): unknown => {
    const cleaned = cleanValue(value, holdback);
    if (cleaned !== value) redacted += 1;
    return cleaned;
  };
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue;
    mapValues(struct, clean);
    // Names and running text have no date: they are of the document itself.
    if (quotesOnly) continue;
    const { content } = struct;
    if (content instanceof Y.ContentString && holdback.hide(content.str).redacted > 0) {
      // Keeps the length: Yjs counts the characters of a text, and later items refer to that count.
      content.str = '•'.repeat(content.str.length);
      redacted += 1;
    }
    // A person typed this name (a checkpoint's). The item's id replaces it, so that two names never become one.
    // Names of flags, ids of messages and their writers are no person's words.
    const isNamed = holdback.forgets
      ? (struct.parent as unknown) === 'checkpoints' || isOldVerdict(struct)
      : (struct.parent as unknown) !== 'w' && (struct.parent as unknown) !== 'c';
    if (struct.parentSub !== null && isNamed && holdback.hide(struct.parentSub).redacted > 0) {
      struct.parentSub = `•••${struct.id.client}:${struct.id.clock}`;
      redacted += 1;
    }
  }
  return { update: redacted === 0 ? update : encodeUpdate(structs, ds), redacted };
}

/** True for removed feedback: earlier versions keyed it by its question, and Yjs keeps the key. */
const isOldVerdict = ({ parent, content }: Y.Item): boolean =>
  (parent as unknown) === 'f' && content instanceof Y.ContentDeleted;

/** Counts values of the update that hold something to be held back. */
export const countValuesToHide = (update: Uint8Array, holdback: Holdback): number =>
  cleanUpdate(update, holdback).redacted;

/** Encodes structs as an update (version 1): per client the count, the first clock, the structs; then deletions. */
function encodeUpdate(
  structs: readonly (Y.Item | Y.GC | Y.Skip)[],
  ds: ReturnType<typeof Y.decodeUpdate>['ds'],
): Uint8Array {
  const byClient = new Map<number, (Y.Item | Y.GC | Y.Skip)[]>();
  for (const struct of structs) {
    const list = byClient.get(struct.id.client);
    if (list) list.push(struct);
    else byClient.set(struct.id.client, [struct]);
  }
  const encoder = new Y.UpdateEncoderV1();
  const rest = encoder.restEncoder;
  encoding.writeVarUint(rest, byClient.size);
  for (const [client, list] of byClient) {
    encoding.writeVarUint(rest, list.length);
    encoding.writeVarUint(rest, client);
    encoding.writeVarUint(rest, list[0]?.id.clock ?? 0);
    for (const struct of list) struct.write(encoder, 0);
  }
  encoding.writeVarUint(rest, ds.clients.size);
  for (const [client, items] of ds.clients) {
    encoding.writeVarUint(rest, client);
    encoding.writeVarUint(rest, items.length);
    for (const { clock, len } of items) {
      encoding.writeVarUint(rest, clock);
      encoding.writeVarUint(rest, len);
    }
  }
  return encoder.toUint8Array();
}

/**
 * Makes the update that moves a conversation into the trash at this time (ms since 1970), or out of it (null);
 * null if there is none, or nothing to do.
 */
export async function trashUpdateOf(
  log: ConversationLog,
  id: DocumentId,
  time: number | null,
): Promise<Uint8Array | null> {
  if (!isConversation(id)) return null;
  const entries = await log.read(id);
  if (entries.length === 0) return null;
  const document = createConversationDocument(id);
  for (const { bytes } of entries) {
    try {
      document.apply(bytes);
    } catch (error) {
      // The damaged entry stays in the log, and the other entries still apply.
      diagnostics.warn('An entry of a document is damaged', error);
    }
  }
  return document.change({ meta: { deletedAt: time } }) ?? null;
}
