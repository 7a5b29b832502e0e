// Replaces a document's entries by one snapshot without anything forgotten: neither in removed values,
// nor in values that wait behind a gap, nor in keys, which Yjs keeps of deleted entries.
import * as Y from 'yjs';
import type { ConversationLog, LogEntry } from '../../adapters/log/conversation-log.ts';
import { type DocumentId, isConversation, LIBRARY_DOCUMENT, NOTES_DOCUMENT } from '../../domain/base/ids.ts';
import { attempt } from '../../domain/base/log.ts';
import { type Holdback, holdbackOf, saidOf } from './cleaning.ts';
import type { PurgeRules } from './documents.ts';
import { cleanUpdate, countValuesToHide } from './shared.ts';

/** Counts the values of an entry that must be nowhere; undefined if it is damaged. */
const heldIn = ({ bytes }: Pick<LogEntry, 'bytes'>, rules: Holdback): number | undefined =>
  attempt(() => countValuesToHide(bytes, rules), undefined, 'an entry that is no Yjs update');

/** True if an entry holds something to be purged, or cannot be read. */
export const isHeldIn = (entry: Pick<LogEntry, 'bytes'>, rules: PurgeRules): boolean =>
  heldIn(entry, holdbackOf(rules)) !== 0;

/** The same, but a damaged entry holds nothing. */
export const holdsForgotten = (entry: Pick<LogEntry, 'bytes'>, rules: PurgeRules): boolean =>
  (heldIn(entry, holdbackOf(rules)) ?? 0) > 0;

/** True if an entry takes messages, or words of them, out of what earlier entries hold. */
export const removesSomething = ({ bytes }: Pick<LogEntry, 'bytes'>): boolean =>
  attempt(() => isDeletion(bytes), false, 'an entry that is no Yjs update');

/** True if an entry holds a message that the rules reach by its time. */
export const holdsMessageSaidBefore = (entry: Pick<LogEntry, 'bytes'>, { isLater }: PurgeRules): boolean =>
  valuesIn([entry]).some((value) => {
    const said = isMessage(value) ? saidOf(value) : undefined;
    return said !== undefined && isLater?.(said) !== true;
  });

/**
 * Purges every document (`only`: of these) that needs it; returns those with a damaged entry, which stay as they are.
 */
export async function purgeLog(
  log: ConversationLog,
  rules: PurgeRules,
  only?: readonly DocumentId[],
): Promise<DocumentId[]> {
  const damaged: DocumentId[] = [];
  for (const id of only ?? (await log.documents())) {
    const entries = await log.read(id);
    const meant = rulesFor(id, entries, rules);
    const held = entries.map((entry) => heldIn(entry, meant));
    // The list overwrites titles, and only the conversation knows which were removed.
    const isOverwritten = id === LIBRARY_DOCUMENT && entries.length > 1;
    const takes = !meant.quotesOnly && takesOut(id, entries);
    const isAffected = isOverwritten || held.some((count) => count !== 0) || takes;
    if (!isAffected) continue;
    if (held.includes(undefined)) damaged.push(id);
    else await purge(log, id, entries, meant);
  }
  return damaged;
}

/** Returns the rules for a document: of a conversation that began later only what it quotes is meant. */
const rulesFor = (id: DocumentId, entries: readonly LogEntry[], rules: PurgeRules): Holdback => ({
  ...holdbackOf(rules),
  quotesOnly: beganLater(id, entries, rules),
});

/**
 * True for a conversation in which everything was said later than the rules reach:
 * none of its own words is meant, nor its title.
 */
function beganLater(id: DocumentId, entries: readonly LogEntry[], { isLater }: PurgeRules): boolean {
  if (!isLater || !isConversation(id)) return false;
  const said = valuesIn(entries).filter(isMessage);
  const isLaterSaid = (value: object): boolean => {
    const one = saidOf(value);
    return one !== undefined && isLater(one);
  };
  if (!said.every(isLaterSaid)) return false;
  // The rules may still mean an old title. A project that nobody has talked in yet has only the time it was made.
  const began = Math.min(
    ...(said.length > 0 ? said.map((value) => saidOf(value)?.at ?? 0) : [madeAt(entries)]),
  );
  return isLater({ mark: id, at: began });
}

/** Values of all entries; none of those that cannot be read. */
const valuesIn = (entries: readonly Pick<LogEntry, 'bytes'>[]): readonly unknown[] =>
  itemsIn(entries).flatMap(({ content }) => (content instanceof Y.ContentAny ? content.arr : []));

const itemsIn = (entries: readonly Pick<LogEntry, 'bytes'>[]): readonly Y.Item[] =>
  attempt(
    () =>
      entries.flatMap(({ bytes }) =>
        Y.decodeUpdate(bytes).structs.flatMap((struct) => (struct instanceof Y.Item ? struct : [])),
      ),
    [],
    'an entry that is no Yjs update',
  );

/** Time at which a conversation was made, ms since 1970; 0 if it does not say. */
function madeAt(entries: readonly Pick<LogEntry, 'bytes'>[]): number {
  const times = itemsIn(entries).flatMap(({ parent, parentSub, content }) =>
    (parent as unknown) === 'meta' && parentSub === 'createdAt' && content instanceof Y.ContentAny
      ? content.arr
      : [],
  );
  return times.reduce<number>((last, time) => (typeof time === 'number' ? time : last), 0);
}

const isMessage = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'parts' in value && 'createdAt' in value;

/** Lists documents with an entry that holds forgotten content, or cannot be read. */
export async function unpurgedIn(
  log: ConversationLog,
  rules: PurgeRules,
  only?: readonly DocumentId[],
): Promise<DocumentId[]> {
  const found: DocumentId[] = [];
  for (const id of only ?? (await log.documents())) {
    const entries = await log.read(id);
    const meant = rulesFor(id, entries, rules);
    const takes = !meant.quotesOnly && takesOut(id, entries);
    if (takes || entries.some((entry) => heldIn(entry, meant) !== 0)) found.push(id);
  }
  return found;
}

/** True if later entries delete something of earlier ones, which still hold it. */
const takesOut = (id: DocumentId, entries: readonly LogEntry[]): boolean => {
  if (entries.length < 2) return false;
  // The maps `x` and `r` of this document hold records and personas, which delete nothing.
  if (id === NOTES_DOCUMENT)
    return attempt(() => holdsDeleted(entries), false, 'an entry that is no Yjs update');
  return entries.some(removesSomething);
};

/** True if an entry holds words that the document has lost. Overwritten flags and times are no words. */
function holdsDeleted(entries: readonly LogEntry[]): boolean {
  const doc = new Y.Doc();
  try {
    for (const { bytes } of entries) Y.applyUpdate(doc, bytes);
    const isDeleted = ({ id: { client, clock } }: Y.Item) =>
      clock < Y.getState(doc.store, client) && Y.getItem(doc.store, { client, clock } as Y.ID).deleted;
    return entries.some(({ bytes }) =>
      Y.decodeUpdate(bytes).structs.some(
        (struct) =>
          struct instanceof Y.Item &&
          struct.content instanceof Y.ContentAny &&
          hasText(struct.content.arr) &&
          isDeleted(struct),
      ),
    );
  } finally {
    doc.destroy();
  }
}

const hasText = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasText));

/**
 * True for a removed message, its stand-in or a record of it. A moved head also deletes
 * its old value, which does not count.
 */
const isDeletion = (bytes: Uint8Array): boolean =>
  Y.decodeUpdate(bytes).structs.some(
    (struct) => struct instanceof Y.Item && ['x', 'r'].includes(struct.parent as unknown as string),
  );

async function purge(
  log: ConversationLog,
  id: DocumentId,
  entries: readonly LogEntry[],
  rules: Holdback,
): Promise<void> {
  const last = entries.at(-1);
  if (!last) return;
  const doc = new Y.Doc();
  try {
    for (const { bytes } of entries) Y.applyUpdate(doc, bytes);
    await log.replaceBySnapshot(id, cleanUpdate(Y.encodeStateAsUpdate(doc), rules).update, last.seq);
  } finally {
    doc.destroy();
  }
}
