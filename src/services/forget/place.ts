// A place that may hold something of what is forgotten.

import { z } from 'zod';
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { LogCopy } from '../../adapters/log/recovering.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Config, defaultConfig } from '../../domain/settings/config.ts';
import type { Occurrence } from '../documents/cleaning.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { staysHere } from '../sync/records.ts';
import type { Sync } from '../sync/sync.ts';
import type { Eraser } from './eraser.ts';

/** In cleaning order: sources come before what is made from them. */
export const FORGET_PLACES = ['conversations', 'notes', 'prompts', 'kept', 'copy', 'index', 'relay'] as const;
export type PlaceId = (typeof FORGET_PLACES)[number];

export interface Find {
  readonly place: PlaceId;
  /**
   * `card`: recalled passages; `words`, `quote`: the message stays without them; `draft`: unsent or unfinished words;
   * `deleted`: a deleted message that could be brought back.
   */
  readonly what:
    | 'conversation'
    | 'message'
    | 'words'
    | 'quote'
    | 'card'
    | 'title'
    | 'summary'
    | 'instructions'
    | 'note'
    | 'proposal'
    | 'prompt'
    | 'persona'
    | 'feedback'
    | 'draft'
    | 'deleted'
    | 'session-memory'
    | 'records'
    | 'rows';
  readonly conversation: ConversationId | null;
  readonly message: MessageId | null;
  readonly title: string;
  /** Beginning of the find for the preview; may be empty. */
  readonly excerpt: string;
  /** Number of items: messages of a conversation, rows of the index. */
  readonly count: number;
  /** Time when the content was said; absent if unknown. */
  readonly said?: readonly Occurrence[];
}

/**
 * `left`: items still there; `waiting`: unknown yet, or pending until there is a connection. `kept`: conversations
 * that stay on this device, whose older sealed blobs on the relay this device cannot replace.
 */
export interface Verified {
  readonly left: number;
  readonly waiting: boolean;
  readonly kept?: number;
}

export interface PlaceDeps {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change' | 'erase' | 'purge' | 'unpurged'>;
  readonly notes: Pick<Notes, 'state' | 'known' | 'inbox' | 'forgotten' | 'record' | 'confirm' | 'takeOut'>;
  readonly prompts: Pick<Prompts, 'state' | 'takeOut'>;
  readonly log: Pick<Store['log'], 'documents' | 'head' | 'since' | 'subscribe'>;
  /** The second copy of the log. */
  readonly copy: LogCopy;
  /** Drafts, settings and other small things beside the log. */
  readonly keyValues: Store['keyValues'];
  /** Null while the index is not open. */
  readonly index: () => MemoryIndex | null;
  /** Makes the index read new entries at once. */
  readonly wakeIndex: () => void;
  /** Changes whenever the index has read on. */
  readonly indexStatus: Readable<unknown>;
  /** Settings for the words of a regenerated title. */
  readonly privacy: () => Config['privacy'];
  /** Filters regenerated titles; absent: private words are found only by their form. */
  readonly filter?: PrivacyFilter;
  readonly sync: Pick<Sync, 'status' | 'account' | 'forget'>;
  readonly signal: AbortSignal;
}

export interface ForgetPlace {
  readonly id: PlaceId;
  /** Lists what this place holds and changes nothing. */
  find(eraser: Eraser): Promise<readonly Find[]>;
  /** Removes it. Idempotent; after a crash at any write the next run completes it. */
  remove(eraser: Eraser): Promise<void>;
  /** Reads the place again to check that nothing is left. */
  verify(eraser: Eraser): Promise<Verified>;
}

const roomSchema = z.looseObject({
  squash: z.boolean().catch(false),
  gone: z.number().nullable().catch(null),
  have: z.record(z.string(), z.unknown()).catch({}),
});
/** Returns sync's record of a document's room on the relay; undefined if there is none. */
export async function roomOf({ keyValues }: Pick<PlaceDeps, 'keyValues'>, document: string) {
  const stored = await keyValues.get(`sync/room/${document}`);
  const room = roomSchema.safeParse(stored).data;
  return room && { ...room, staysHere: staysHere(stored), wasSent: Object.keys(room.have).length > 0 };
}

/** Returns the privacy filter that was passed, or makes one with the current settings. */
export const filterOf = ({ filter, privacy }: Pick<PlaceDeps, 'filter' | 'privacy'>): PrivacyFilter =>
  filter ??
  new PrivacyFilter({
    config: { get: () => ({ ...defaultConfig, privacy: privacy() }), subscribe: () => () => undefined },
  });

/** Builds a place. */
export type CreatePlace = (deps: PlaceDeps) => ForgetPlace;
