// Keeps the second copy of the log and the key-value store up to date. Runs once per
// origin, in the worker that holds the lock.
//
//   log ──since(bookmark)──► append ──► files in OPFS      a document was rewritten or erased ──► drop it likewise
//   start: compare ──► the log lost something (counters, head, another id at a seq) ──► restore from the copy
//                 └──► otherwise the log is right ──► copy what is missing, drop what was removed

import type { LogEntry, Store } from '../../adapters/log/conversation-log.ts';
import { CopyFiles, CopyFull, type Held } from '../../adapters/log/copy-files.ts';
import { countLog, recountLog, seqsOfLog } from '../../adapters/log/log-integrity.ts';
import { joinRewritten, noteRepaired, VALUES } from '../../adapters/log/recovering.ts';
import type { DocumentId } from '../../domain/base/ids.ts';
import { ignore, log } from '../../domain/base/log.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { createJob } from '../scheduler.ts';
import { COPY_STATE, type CopyState } from './copy-state.ts';
import { ValueCopying } from './value-copying.ts';

/** Entries read at once. */
const PAGE = 200;
/** Time in which new entries are collected before copying, in ms; saving does not wait for it. */
const GAP_MS = 200;
/** Longest time between full comparisons, in ms; other starts only compare what reveals a loss. */
const WHOLE_MS = 24 * 60 * 60 * 1000;
/**
 * Number of newest records whose ids are compared at each start: a truncated log has written new entries at their
 * seqs.
 */
const NEWEST = 64;
/** Key of the key-value store for the time of the last full comparison, ms since 1970. */
const COMPARED = 'log/compared';
/** Pause before the next try if there is no room, in ms. */
const FULL_PAUSE_MS = 60_000;

interface LogCopyingDeps {
  /** Name of the log's database. */
  readonly name: string;
  /** The underlying store: sealed on a locked device. */
  readonly below: Store;
  /** Key-value store that holds the state of the copy. */
  readonly keyValues: Store['keyValues'];
  readonly signal: AbortSignal;
  /** Pause before the next try if there is no room, in ms. Default: `FULL_PAUSE_MS`. */
  readonly pauseMs?: number;
  /** ms since 1970 */
  readonly now?: () => number;
}

export interface LogCopying {
  /** Resolves when nothing is left to copy. For tests. */
  settled(): Promise<void>;
}

/** Starts once the lock is free, and again after another thread stole and released it, until the signal aborts. */
export function startLogCopying(deps: LogCopyingDeps): LogCopying {
  const { name, below, signal, pauseMs = FULL_PAUSE_MS } = deps;
  const copying = new Copying(deps);
  let leads = false;
  const job = createJob({
    run: async () => {
      if (leads) await copying.run();
    },
    signal,
    gapMs: GAP_MS,
    pauseMs,
    onError: (error) => copying.failed(error),
  });
  joinRewritten(
    name,
    (what) => {
      if (what === VALUES) copying.values.compareAll();
      else copying.rewritten(what);
      job.wake();
    },
    signal,
  );
  const unsubscribe = below.log.subscribe(() => job.wake());
  const unsubscribeValues = below.keyValues.subscribe(({ keys }) => {
    if (copying.values.changed(keys)) job.wake();
  });
  signal.addEventListener(
    'abort',
    () => {
      unsubscribe();
      unsubscribeValues();
      copying.close();
    },
    { once: true },
  );
  let begun: () => void;
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const lead = (): Promise<void> => {
    leads = true;
    job.wake(true);
    begun();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  const queue = async (): Promise<void> => {
    // Two threads must never write the same file.
    if (!navigator.locks) return log.info('Without locks the log has no second copy');
    while (!signal.aborted)
      try {
        await navigator.locks.request(`${name}:copy`, { signal }, lead);
      } catch (error) {
        leads = false;
        await job.settled();
        copying.restart();
        if (!signal.aborted) log.debug('The lock of the second copy was lost', error);
      }
  };
  ignore(queue(), 'the copy of a log whose thread ends');
  return {
    settled: async () => {
      await beginning;
      await job.settled();
    },
  };
}

class Copying {
  readonly #deps: LogCopyingDeps;
  readonly #now: () => number;
  readonly values: ValueCopying;
  #files: CopyFiles | null | undefined;
  /** Highest seq up to which the copy is complete; undefined before the first comparison. */
  #bookmark: number | undefined;
  #rewritten = new Set<DocumentId>();
  #noted: CopyState['state'] | undefined;

  constructor(deps: LogCopyingDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.values = new ValueCopying({ ...deps, now: this.#now });
  }

  rewritten(document: DocumentId): void {
    this.#rewritten.add(document);
  }

  close(): void {
    this.#files?.close();
    this.#files = undefined;
    this.values.close();
  }

  /** Compares both sides again before anything is written. */
  restart(): void {
    this.close();
    this.values.restart();
    this.#bookmark = undefined;
  }

  async run(): Promise<void> {
    const { name, signal } = this.#deps;
    if (this.#files === undefined) this.#files = await CopyFiles.open(name);
    signal.throwIfAborted();
    if (this.#files === null) {
      if (this.#bookmark === undefined) await this.#countAlone();
      this.#bookmark = 0;
      await this.#note('unavailable');
      return;
    }
    if (this.#bookmark === undefined) this.#bookmark = await this.#compare(this.#files);
    await this.values.readChanged();
    await this.#follow(this.#files);
    await this.#letGo(this.#files);
    await this.values.write();
    await this.#note('kept');
  }

  /** Reports a failed copy to the person; the log continues without it. */
  failed(error: unknown): void {
    if (this.#deps.signal.aborted) return;
    const isFull = error instanceof CopyFull;
    log.warn(
      isFull ? 'No room for the second copy of the log' : 'The second copy of the log is not written',
      error,
    );
    this.restart();
    this.#note(isFull ? 'full' : 'failed').catch((failure: unknown) =>
      log.warn('The state of the copy was not written down', failure),
    );
  }

  async #note(state: CopyState['state']): Promise<void> {
    if (this.#noted === state) return;
    this.#noted = state;
    await this.#deps.keyValues.set(COPY_STATE, { state, at: this.#now() } satisfies CopyState);
  }

  /** Checks for a loss by the counters alone, if there are no files to compare with. */
  async #countAlone(): Promise<void> {
    const { name, keyValues } = this.#deps;
    const { kept, counted } = await countLog(name);
    if (counted >= kept) return;
    log.warn(`The log was truncated: ${kept - counted} entries are missing`);
    await recountLog(name);
    await noteRepaired(keyValues, { missing: kept - counted });
  }

  /** Repairs each side from the other; returns the seq that both now have. */
  async #compare(files: CopyFiles): Promise<number> {
    const { name, below, keyValues } = this.#deps;
    const have = new Map<string, Held>();
    const { damaged } = await files.scan((held) => have.set(held.id, held));
    if (damaged > 0) log.warn(`${damaged} stretches of the second copy are damaged`);
    const head = await below.log.head();
    const [{ kept, counted }, seqs] = [await countLog(name), await seqsOfLog(name)];
    const isTruncated = counted < kept;
    const highest = [...have.values()].reduce((most, { seq }) => Math.max(most, seq), 0);
    const lost = isTruncated || highest > head || (await this.#isOverwritten(have, head));
    const there = new Set([...have.values()].map(({ seq }) => seq));
    const isSame = there.size === seqs.length && seqs.every((seq) => there.has(seq));
    const compared = Number((await keyValues.get(COMPARED)) ?? 0);
    if (isSame && !lost && Math.abs(this.#now() - compared) < WHOLE_MS) return head;

    const unmatched = await this.#copyMissing(files, have, head);
    if (lost) await this.#putBack(files, unmatched, Math.max(0, kept - counted));
    else if (unmatched.size > 0) await files.drop(({ id }) => unmatched.has(id));
    if (isTruncated) await recountLog(name);
    await keyValues.set(COMPARED, this.#now());
    return lost ? Math.min(head, await below.log.head()) : head;
  }

  /** True if the log has other entries at the seqs of the copy's newest: it lost entries and then continued. */
  async #isOverwritten(have: ReadonlyMap<string, Held>, head: number): Promise<boolean> {
    const newest = [...have.values()].sort((a, b) => b.seq - a.seq).slice(0, NEWEST);
    const from = newest.at(-1)?.seq;
    if (from === undefined) return false;
    const bySeq = new Map(newest.map((held) => [held.seq, held]));
    for (let seq = from - 1; seq < head; ) {
      const entries = await this.#deps.below.log.since(seq, NEWEST);
      for (const entry of entries) {
        const held = bySeq.get(entry.seq);
        // A snapshot has the seq of the last entry that it contains.
        if (held && held.id !== entry.id && entry.origin !== 'fold') return true;
      }
      const last = entries.at(-1)?.seq;
      if (last === undefined || last > (newest[0]?.seq ?? 0)) return false;
      seq = last;
    }
    return false;
  }

  /** Copies entries missing from the copy; returns those missing from the log. */
  async #copyMissing(files: CopyFiles, have: ReadonlyMap<string, Held>, head: number): Promise<Set<string>> {
    const unmatched = new Set(have.keys());
    for (let seq = 0; seq < head; ) {
      const entries = await this.#deps.below.log.since(seq, PAGE);
      const last = entries.at(-1);
      if (!last) break;
      const missing: LogEntry[] = [];
      for (const entry of entries) {
        if (entry.seq > head) continue;
        unmatched.delete(entry.id);
        const held = have.get(entry.id);
        if (held === undefined && entry.bytes.length > 0) missing.push(entry);
      }
      await files.append(missing);
      seq = last.seq;
      await yieldToEvents(this.#deps.signal);
    }
    return unmatched;
  }

  /** Appends lost entries to the log. Their ids make a repetition harmless; readers treat them as new. */
  async #putBack(files: CopyFiles, lost: ReadonlySet<string>, missing: number): Promise<void> {
    const { below, keyValues } = this.#deps;
    const entries = await files.read(lost);
    for (let at = 0; at < entries.length; at += PAGE) await below.log.append(entries.slice(at, at + PAGE));
    const restored = entries.length;
    log.warn(`The log had lost entries: ${restored} came back from the second copy`);
    // They are copied again under their new seqs, and the old records are dropped.
    if (restored > 0) await files.drop(({ id }) => lost.has(id));
    if (restored > 0 || missing > 0)
      await noteRepaired(keyValues, { restored, missing: Math.max(0, missing - restored) });
  }

  /** Copies new entries. */
  async #follow(files: CopyFiles): Promise<void> {
    for (;;) {
      const entries = await this.#deps.below.log.since(this.#bookmark ?? 0, PAGE);
      const last = entries.at(-1);
      if (!last) return;
      await files.append(entries.filter(({ bytes }) => bytes.length > 0));
      this.#bookmark = last.seq;
      this.#deps.signal.throwIfAborted();
      if (entries.length === PAGE) await yieldToEvents();
    }
  }

  /** Drops entries that the log dropped, and copies the snapshot that replaces them. */
  async #letGo(files: CopyFiles): Promise<void> {
    if (this.#rewritten.size === 0) return;
    const documents = this.#rewritten;
    this.#rewritten = new Set();
    const live = new Map<string, LogEntry>();
    for (const document of documents)
      for (const entry of await this.#deps.below.log.read(document)) live.set(entry.id, entry);
    const fresh = new Map(live);
    await files.scan(({ id }) => fresh.delete(id));
    await files.append(
      [...fresh.values()].filter(({ bytes, seq }) => bytes.length > 0 && seq <= (this.#bookmark ?? 0)),
    );
    await files.drop(({ id, document }) => documents.has(document as DocumentId) && !live.has(id));
  }
}
