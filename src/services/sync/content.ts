// Content of a document's room: adds changes of others to the log unchanged, and removes from this device's changes
// all that must not leave it. Decides which documents stay here.
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import {
  type ConversationId,
  type DocumentId,
  isConversation,
  NOTES_DOCUMENT,
  newEntryId,
} from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { isExcluded } from '../../domain/memory/privacy.ts';
import { projectOf } from '../../domain/projects/filing.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { LibraryEntry } from '../documents/documents.ts';
import { wordingsConflict } from '../documents/notes.ts';
import { createReader } from '../documents/reader.ts';
import {
  cleanUpdate,
  createWholeReader,
  forgottenIn,
  isUpdate,
  mergeUpdates,
  missingFrom,
  quotedIn,
  type WholeDocument,
  type WholeReader,
  withUpdate,
} from '../documents/shared.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { Records, RoomRecord } from './records.ts';
import type { RoomContent } from './room-context.ts';

export interface DocumentContents {
  of(document: string): RoomContent;
  /** Reads a document as the log has it now. */
  readonly read: WholeReader;
  /** Reasons for which conversations stay on this device, by their list entries. */
  listedReasons(): Promise<ReadonlyMap<string, RoomRecord['localOnly']>>;
  /** Returns the update in the form in which it may leave the device. */
  clean(update: Uint8Array): Promise<Uint8Array>;
  /**
   * Reason for which the document stays on this device; null: it does not. If it cannot be read, the earlier decision
   * `before` counts, or else the folder in its list entry.
   */
  localOnlyReason(
    document: string,
    here: WholeDocument,
    before: RoomRecord['localOnly'],
  ): Promise<RoomRecord['localOnly']>;
}

/** Fields of a conversation that decide if it stays here. */
type Listed = Pick<LibraryEntry, 'id' | 'sample' | 'workDir' | 'filed'>;

const listedOf = (conversation: Conversation | undefined): Listed | undefined =>
  conversation && { ...conversation.meta, id: conversation.id, filed: conversation.meta.projectId };

/** Tests if a conversation or project is in a project that stays here (`ids`), or is one. */
async function projectsKeptHere(
  ids: readonly string[],
  library: () => Promise<readonly LibraryEntry[]>,
): Promise<(said: Listed) => boolean> {
  const kept = new Set(ids);
  if (kept.size === 0) return () => false;
  const projects = (await library()).filter(({ project }) => project !== null);
  const placeOf = projectOf(projects);
  const byId = new Map(projects.map((one) => [one.id as string, one]));
  return (said) => {
    const place = byId.has(said.id) ? said.id : placeOf(said);
    const around = place === null ? undefined : byId.get(place);
    return place !== null && (kept.has(place) || kept.has((around && placeOf(around)) ?? ''));
  };
}

/** Conflict between two devices in arriving changes; undefined: none. */
function meetingIn(
  document: string,
  here: WholeDocument,
  arriving: Uint8Array,
): 'wordings' | 'branches' | undefined {
  if (document !== NOTES_DOCUMENT) return here.branchesOff(arriving) ? 'branches' : undefined;
  return wordingsConflict(here.update, arriving) ? 'wordings' : undefined;
}

/**
 * Makes the contents of document rooms. Updates leave the device through the privacy filter; excluded
 * documents and samples do not leave it.
 */
export function createDocumentContents({
  log,
  config,
  records,
  filter,
}: {
  readonly log: ConversationLog;
  readonly config: Readable<Config>;
  readonly records: Records;
  readonly filter: PrivacyFilter;
}): DocumentContents {
  const read = createWholeReader(log);
  const { library, read: readConversation } = createReader(log, 0);
  const reasonOf = (
    said: Listed | undefined,
    staysHere: (said: Listed) => boolean,
  ): RoomRecord['localOnly'] => {
    if (!said) return null;
    if (said.sample) return 'sample';
    return isExcluded(said.workDir, config.get().privacy.exclude_work_dirs) || staysHere(said)
      ? 'excluded'
      : null;
  };

  const projectsHere = () => projectsKeptHere(config.get().sync.exclude_projects, library);
  /** From library or conversation, not from the records: a quotation may be sent before its conversation has one. */
  const excludedOf = async (ids: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
    const excluded = new Set<string>();
    if (ids.size === 0) return excluded;
    const staysHere = await projectsHere();
    const lines = new Map<string, LibraryEntry>((await library()).map((line) => [line.id, line]));
    for (const id of ids) {
      const said = lines.get(id) ?? listedOf((await readConversation(id as ConversationId))?.conversation);
      const localOnly = records.rooms.get(id)?.localOnly === 'excluded';
      if (localOnly || reasonOf(said, staysHere) === 'excluded') excluded.add(id);
    }
    return excluded;
  };
  const clean = async (update: Uint8Array) => {
    const excluded = await excludedOf(quotedIn(update));
    return await filter
      .hiding('sync', ({ hide }) => cleanUpdate(update, { hide, isRedacted: (id) => excluded.has(id) }))
      .then((cleaned) => cleaned.update);
  };

  const localOnlyReason: DocumentContents['localOnlyReason'] = async (
    document,
    { conversation, damaged },
    before,
  ) => {
    const staysHere = await projectsHere();
    const reason = reasonOf(listedOf(conversation ?? undefined), staysHere);
    if (reason !== null || !damaged) return reason;
    return (
      before ??
      reasonOf(
        (await library()).find(({ id }) => id === document),
        staysHere,
      )
    );
  };
  /** Everything of it that may leave the device; null: nothing. Judged by the document: its record may be older. */
  const shareable = async (document: string): Promise<Uint8Array | null> => {
    const here = await read(document as DocumentId);
    if (!here) return null;
    const before = records.rooms.get(document)?.localOnly ?? null;
    return (await localOnlyReason(document, here, before)) === null ? await clean(here.update) : null;
  };

  return {
    read,
    clean,
    listedReasons: async () => {
      const staysHere = await projectsHere();
      return new Map((await library()).map((line) => [line.id, reasonOf(line, staysHere)]));
    },
    localOnlyReason,
    of: (document) => ({
      isBody: isUpdate,
      merge: mergeUpdates,
      advanceClocks: withUpdate,
      forgottenCount: forgottenIn,
      apply: async (transaction, bodies, known) => {
        const updates = [...bodies];
        const here = await read(document as DocumentId);
        for (const body of known) if (!here || missingFrom(here.update, body)) updates.push(body);
        if (updates.length === 0) return 0;
        // A body may repeat words forgotten here since, which the log must not take in again.
        const all = mergeUpdates(updates);
        const merged = here ? missingFrom(here.update, all) : all;
        if (!merged) return updates.length;
        const meet = here && meetingIn(document, here, merged);
        transaction.entries.push({
          id: newEntryId(),
          document: document as DocumentId,
          origin: 'remote',
          bytes: merged,
        });
        if (isConversation(document)) records.putListEntryStale(transaction, document, true);
        transaction.after.push(() => {
          if (meet)
            records.addToJournal({
              kind: 'conflict',
              what: meet,
              document,
              device: null,
              count: 1,
              bytes: 0,
            });
        });
        return updates.length;
      },
      snapshot: () => shareable(document),
      diff: async (held) => {
        const whole = await shareable(document);
        return whole && held ? missingFrom(held, whole) : whole;
      },
    }),
  };
}
