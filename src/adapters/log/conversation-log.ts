// The log: every change of every document, in the order in which this device learnt of it.
// It holds everything that a person ever said; the rest of the product is derived from it.
import type { DocumentId, EntryId } from '../../domain/base/ids.ts';

/** Origin of a change: a person or model here, an import, another device, or a snapshot by the app (`fold`). */
export type Origin = 'user' | 'import' | 'remote' | 'fold';

export interface NewEntry {
  /** Made by the author. The log ignores an id that it already has. */
  readonly id: EntryId;
  readonly document: DocumentId;
  readonly origin: Origin;
  /** A Yjs update (version 1 encoding), opaque here. */
  readonly bytes: Uint8Array;
}

export interface LogEntry extends NewEntry {
  /** Position in this device's log: grows by at least 1 with each entry, never reused. */
  readonly seq: number;
  /** Time of the append here, ms since 1970. */
  readonly at: number;
  /** Empty if the stored bytes differ from the appended ones: damaged on the disk, and left there. */
  readonly bytes: Uint8Array;
}

/** A change of the key-value store made in the same transaction as an append. `value: undefined` deletes the key. */
export interface KeyValueWrite {
  readonly key: string;
  readonly value: unknown;
}

/** Announces changed documents. Ids only: listeners read the log. */
export interface LogChange {
  readonly documents: readonly DocumentId[];
  /** Highest seq after the change. */
  readonly seq: number;
  /** True when another tab or worker made it. */
  readonly foreign: boolean;
}

export interface ConversationLog {
  /**
   * Appends all entries and key-value writes or none. Resolves when they are durable (on disk, not merely handed over).
   * Returns the highest seq. Throws `storage-full`, `storage-failed`; then nothing was written.
   */
  append(entries: readonly NewEntry[], writes?: readonly KeyValueWrite[]): Promise<number>;
  /**
   * Entries with a seq greater than `seq`, ascending, at most `limit`. Compacted entries appear as one
   * snapshot, at the seq of their last one.
   */
  since(seq: number, limit: number): Promise<LogEntry[]>;
  /**
   * Everything stored of one document, ascending: applying it in order gives the document. `after`: only entries with a
   * greater seq; entries compacted meanwhile appear as their snapshot, at the seq of the last one.
   */
  read(document: DocumentId, after?: number): Promise<LogEntry[]>;
  /**
   * Replaces the entries of `document` up to and including `upTo` by one snapshot that contains them all. One
   * transaction. `id`: of the snapshot's entry, by default a new one.
   */
  replaceBySnapshot(document: DocumentId, snapshot: Uint8Array, upTo: number, id?: EntryId): Promise<void>;
  /** Removes every entry of the document for good (forget). */
  erase(document: DocumentId): Promise<void>;
  /** Ids of all documents that have entries. */
  documents(): Promise<DocumentId[]>;
  /** Highest seq, 0 for an empty log. */
  head(): Promise<number>;
  /** Calls `listener` after each append, here or in another tab; returns how to stop. */
  subscribe(listener: (change: LogChange) => void): () => void;
  /** Number of entries and their bytes. */
  stats(): Promise<{ entries: number; bytes: number }>;
  close(): Promise<void>;
}

/** Announces changed keys of the key-value store. Keys only: listeners read the values. */
export interface KeyValueChange {
  readonly keys: readonly string[];
  /** True when another tab or worker made it. */
  readonly foreign: boolean;
}

/** Small values of this device beside the log: settings, bookmarks, drafts. They are structured-cloneable. */
export interface KeyValues {
  get(key: string): Promise<unknown>;
  /** Durable when resolved. `undefined` deletes. */
  set(key: string, value: unknown): Promise<void>;
  keys(prefix: string): Promise<string[]>;
  /**
   * Calls `listener` after each change, here or in another tab, including those made
   * with an append; returns how to stop.
   */
  subscribe(listener: (change: KeyValueChange) => void): () => void;
}

/** The log and the key-value store share one database, so that one transaction can cover both. */
export interface Store {
  readonly log: ConversationLog;
  readonly keyValues: KeyValues;
  /** `persistent`: survives the tab. `memory`: the browser refused storage; nothing is kept. */
  readonly kind: 'persistent' | 'memory';
}

/** Returns the store with another key-value store. */
export const withKeyValues = (store: Store, keyValues: KeyValues): Store => ({ ...store, keyValues });
