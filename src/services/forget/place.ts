// A place in which something of what is forgotten may lie.

import { z } from 'zod';
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import type { Store } from '../../adapters/log/conversation-log.ts';
import type { LogCopy } from '../../adapters/log/recovering.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Config, defaultConfig } from '../../domain/settings/config.ts';
import type { Said } from '../documents/cleaning.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { staysHere } from '../sync/records.ts';
import type { Sync } from '../sync/sync.ts';
import type { Eraser } from './eraser.ts';

/** In the order in which they are cleaned: what others are made of comes first. */
export const PLACES = ['conversations', 'notes', 'prompts', 'kept', 'copy', 'index', 'relay'] as const;
export type PlaceId = (typeof PLACES)[number];

export interface Find {
  readonly place: PlaceId;
  /** `card`: passages that memory brought back; `words`, `quote`: the message stays without them; `draft`: unsent or unfinished words. */
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
    | 'session-memory'
    | 'records'
    | 'rows';
  readonly conversation: ConversationId | null;
  readonly message: MessageId | null;
  readonly title: string;
  /** Its beginning, for the preview; may be empty. */
  readonly excerpt: string;
  /** How many of them: messages of a conversation, rows of the index. */
  readonly count: number;
  /** When what lies there was said; absent where nothing in it says. */
  readonly said?: readonly Said[];
}

/**
 * `left`: so many things are still there; `waiting`: it is not known yet, or done as soon as a connection is there. `kept`: conversations that are
 * kept on this device, of which the relay has older sealed pieces that this device cannot replace.
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
  readonly log: Pick<Store['log'], 'documents' | 'head' | 'since'>;
  /** The second copy of the log. */
  readonly copy: LogCopy;
  /** Small things beside the log. */
  readonly keyValues: Store['keyValues'];
  /** Null while it is not open. */
  readonly index: () => MemoryIndex | null;
  /** Has the index read what is new at once. */
  readonly wakeIndex: () => void;
  /** Settings for the words of a regenerated title. */
  readonly privacy: () => Config['privacy'];
  /** In front of what is made anew; absent: it knows no words but by their looks. */
  readonly filter?: PrivacyFilter;
  readonly sync: Pick<Sync, 'status' | 'account' | 'forget'>;
  readonly signal: AbortSignal;
}

export interface Place {
  readonly id: PlaceId;
  /** Finds the parts of it that lie here. Changes nothing. */
  find(eraser: Eraser): Promise<readonly Find[]>;
  /** Removes it. Doing so twice is doing it once; a kill at any write leaves it to be done again. */
  remove(eraser: Eraser): Promise<void>;
  /** Reads the place back. */
  verify(eraser: Eraser): Promise<Verified>;
}

const roomSchema = z.looseObject({
  squash: z.boolean().catch(false),
  gone: z.number().nullable().catch(null),
  have: z.record(z.string(), z.unknown()).catch({}),
});
/** Reads sync's record of a document's room on the relay; undefined: there is none. */
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
export type CreatePlace = (deps: PlaceDeps) => Place;
