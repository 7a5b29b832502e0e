// Copies the key-value store: drafts, queued messages, settings, requests to forget. Everything is copied except what
// only applies to its own database, cannot leave it, or is made again.
//
//   readChanged()  reads what changed  ─► the log is followed ─► a message is copied before its draft leaves the copy
//   write()        copies what was read, and drops the previous records
import type { LogEntry, Store } from '../../adapters/log/conversation-log.ts';
import {
  isRecordOf,
  restoreValues,
  VALUES_COPIED,
  valueRecord,
  valuesCopyOf,
} from '../../adapters/log/copied-values.ts';
import { CopyFiles, type Held } from '../../adapters/log/copy-files.ts';
import { noteRepaired } from '../../adapters/log/recovering.ts';
import { log } from '../../domain/base/log.ts';

const NOT_COPIED = [
  // Bookmarks, rooms and keys that only apply to this database.
  'log/',
  'storage/',
  'sync/',
  'vault/',
  'secret/',
  // Values that the app makes again.
  'calibration/',
  'context/',
  'memory.files',
  'session-memory/',
];
const isCopied = (key: string): boolean => !NOT_COPIED.some((prefix) => key.startsWith(prefix));

interface ValueCopyingDeps {
  readonly name: string;
  /** The underlying store, sealed on a locked device. */
  readonly below: Store;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Used by one thread at a time. After a failure it compares everything again. */
export class ValueCopying {
  readonly #deps: ValueCopyingDeps;
  #files: CopyFiles | null | undefined;
  /** The record of each key in the copy; undefined before the first comparison. */
  #current: Map<string, string> | undefined;
  #changed = new Set<string>();
  /** Records to write for changed keys; null for a deleted value. */
  #read = new Map<string, LogEntry | null>();
  #seq = 0;
  /** True if the copy has outdated records. */
  #hasOld = false;
  #isToCompare = false;

  constructor(deps: ValueCopyingDeps) {
    this.#deps = deps;
  }

  /** Notes changed keys; true if a copied value is among them. */
  changed(keys: readonly string[]): boolean {
    const copied = keys.filter(isCopied);
    for (const key of copied) this.#changed.add(key);
    return copied.length > 0;
  }

  /** Compares every value in the next run. May be called during a run. */
  compareAll(): void {
    this.#isToCompare = true;
  }

  close(): void {
    this.#files?.close();
    this.#files = undefined;
  }

  /** Compares everything before anything is written. */
  restart(): void {
    this.close();
    this.#current = undefined;
  }

  /** Reads changed values. */
  async readChanged(): Promise<void> {
    const { name, below, signal } = this.#deps;
    if (this.#files === undefined) this.#files = await CopyFiles.open(valuesCopyOf(name));
    signal.throwIfAborted();
    const changed = this.#changed;
    this.#changed = new Set();
    if (this.#files === null) return;
    if (this.#current === undefined || this.#isToCompare) {
      this.#isToCompare = false;
      this.#current = await this.#compare(this.#files);
      for (const key of await below.keyValues.keys('')) if (isCopied(key)) changed.add(key);
      for (const key of this.#current.keys()) changed.add(key);
    }
    this.#read.clear();
    for (const key of changed) await this.#readOne(key, this.#current.get(key));
  }

  /** Writes the values that were read. Throws `CopyFull`. */
  async write(): Promise<void> {
    const [files, current] = [this.#files, this.#current];
    if (!files || !current) return;
    for (const [key, record] of this.#read) {
      this.#deps.signal.throwIfAborted();
      if (record) await files.append([record]);
      if (current.delete(key)) this.#hasOld = true;
      if (record) current.set(key, record.id);
    }
    this.#read.clear();
    if (this.#hasOld) await files.drop(({ id, document }) => current.get(document) !== id);
    this.#hasOld = false;
  }

  /** Reads the records of the copy, and restores the values that a lost database held. */
  async #compare(files: CopyFiles): Promise<Map<string, string>> {
    const { name, below } = this.#deps;
    const newest = new Map<string, Held>();
    let records = 0;
    await files.scan((held) => {
      records += 1;
      if (held.seq > (newest.get(held.document)?.seq ?? 0)) newest.set(held.document, held);
    });
    this.#seq = [...newest.values()].reduce((most, { seq }) => Math.max(most, seq), 0);
    this.#hasOld = records > newest.size;
    const restored = await restoreValues(name, below);
    if (restored > 0) await noteRepaired(below.keyValues, { restored });
    // Set before the first record: from then on a missing mark means another database.
    await below.keyValues.set(VALUES_COPIED, true);
    return new Map([...newest].map(([key, { id }]) => [key, id]));
  }

  async #readOne(key: string, held: string | undefined): Promise<void> {
    try {
      const value = await this.#deps.below.keyValues.get(key);
      if (value === undefined) this.#read.set(key, null);
      else if (held === undefined || !isRecordOf(held, value)) {
        this.#seq += 1;
        this.#read.set(key, valueRecord(key, value, this.#seq, this.#deps.now()));
      }
    } catch (error) {
      // The browser can no longer read or convert this value. The others are copied, and the copy keeps its record.
      log.warn('A value beside the log cannot be copied', error);
    }
  }
}
